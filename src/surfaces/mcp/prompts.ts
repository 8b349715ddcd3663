/** `prompts/…`: what a person chooses to begin a session with. */
import {
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { offersOf, offerText } from '../../operations/index.js';
import type { Reaction } from '../../proactive/index.js';
import { safe } from '../../shared/safe-text.js';
import { answering, type Connection, requireFirstPage } from './connection.js';
import { type Candidates, newest, type ResourceCall } from './resources/stored.js';

const SESSION_START = {
  name: 'session_start',
  title: 'Begin a session',
  description: 'What is unfinished and was learned lately, and what is known of the task.',
  arguments: [
    { name: 'task', description: 'what is to be done', required: false },
    { name: 'files', description: 'files it is about, separated by commas', required: false },
  ],
};
const PROMPTS = [SESSION_START];
/** Without a task each is looked into by itself, which the limit of notifications per minute bounds. */
const MAX_FILES = 3;
const MAX_CHARACTERS = 200;

export function registerPrompts(connection: Connection): void {
  const { server } = connection;
  server.setRequestHandler(ListPromptsRequestSchema, ({ params }) => {
    requireFirstPage(params?.cursor);
    return { prompts: PROMPTS };
  });
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    answering(connection, 'prompts', async () => {
      if (params.name !== SESSION_START.name) throw unknownPrompt(params.name);
      const text = await sessionStart(connection, params.arguments ?? {});
      const { description } = SESSION_START;
      return { description, messages: [{ role: 'user', content: { type: 'text', text } }] };
    }),
  );
}

/** @throws AppError DISABLED, and what the hooks throw */
async function sessionStart(
  { runtime, session }: ResourceCall,
  { task = '', files = '' }: Record<string, string>,
): Promise<string> {
  const service = offersOf(runtime);
  service.requireEnabled();
  const { clients } = service;
  const caller = session.caller();
  const paths = files.split(/[,\n]/).flatMap((file) => file.trim() || []);
  const reactions: Reaction[] = [];
  // The particular first: a memory is offered once, save at the beginning of a session.
  if (task.trim() !== '') {
    reactions.push(await clients.happen('task_start', { task, files: paths }, caller));
  } else {
    for (const filePath of paths.slice(0, MAX_FILES)) {
      reactions.push(await clients.happen('file_touch', { filePath }, caller));
    }
  }
  reactions.push(await clients.happen('session_start', {}, caller));
  const about = task.trim() === '' ? '' : `The task: ${task.trim()}\n\n`;
  const texts = reactions.map((one) => one.text).filter((one) => one !== '');
  const text = [...new Set(texts)].join('\n\n');
  const offers = new Map(reactions.flatMap((one) => one.offers).map((offer) => [offer.id, offer]));
  if (text === '') return `${about}I begin a session; nothing is remembered that bears on it.`;
  return `${about}I begin a session. What is remembered that bears on it:\n\n${offerText(text, [...offers.values()])}`;
}

/** Values of an argument, taken from the newest memories. @throws McpError for another prompt */
export async function completePrompt(
  name: string,
  argument: string,
  begun: string,
  call: ResourceCall,
): Promise<Candidates> {
  if (name !== SESSION_START.name) throw unknownPrompt(name);
  if (!SESSION_START.arguments.some((one) => one.name === argument)) return { values: [] };
  const { memories, isPart } = await newest(call);
  if (argument === 'task') {
    return { values: memories.map(({ intent }) => safe(intent.goal, MAX_CHARACTERS)), isPart };
  }
  const [before = ''] = /^(?:.*,\s*)?/s.exec(begun) ?? [];
  const known = memories.flatMap((memory) => memory.files);
  return { values: known.map((file) => before + safe(file)), isPart };
}

function unknownPrompt(name: string): McpError {
  return new McpError(ErrorCode.InvalidParams, `there is no prompt "${safe(name, 100)}"`);
}
