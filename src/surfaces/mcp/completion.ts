/** `completion/complete`: values of templates' variables and of prompts' arguments. */
import {
  type CompleteRequest,
  CompleteRequestSchema,
  ErrorCode,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { safe } from '../../shared/safe-text.js';
import { answering, type Connection } from './connection.js';
import { completePrompt } from './prompts.js';
import { templateOf } from './resources/index.js';

/** Of the protocol. */
const MOST = 100;
const MAX_TYPED = 1_000;

export function registerCompletion(connection: Connection): void {
  connection.server.setRequestHandler(CompleteRequestSchema, ({ params }) =>
    answering(connection, 'completion', async () => {
      const typed = params.argument.value.slice(0, MAX_TYPED);
      const fitting = matching(await candidates(params, typed, connection), typed);
      const values = fitting.slice(0, MOST);
      return {
        completion: { values, total: fitting.length, hasMore: fitting.length > values.length },
      };
    }),
  );
}

async function candidates(
  { ref, argument }: CompleteRequest['params'],
  typed: string,
  connection: Connection,
): Promise<readonly string[]> {
  if (ref.type === 'ref/prompt') return completePrompt(ref.name, argument.name, typed, connection);
  const template = templateOf(ref.uri);
  if (!template) {
    throw new McpError(ErrorCode.InvalidParams, `there is no template "${safe(ref.uri, 200)}"`);
  }
  if (!template.uri.endsWith(`{${argument.name}}`)) return [];
  return (await template.complete?.(typed, connection)) ?? [];
}

/** Each once; what begins so stands before what has it further on. Letter case says nothing. */
function matching(values: readonly string[], typed: string): string[] {
  const wanted = typed.trim().toLowerCase();
  const begins = (value: string) => value.toLowerCase().startsWith(wanted);
  const all = [...new Set(values)].filter((value) => value.toLowerCase().includes(wanted));
  return [...all.filter(begins), ...all.filter((value) => !begins(value))];
}
