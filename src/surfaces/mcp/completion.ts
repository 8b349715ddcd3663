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
import { completeResource } from './resources/index.js';
import type { Candidates } from './resources/types.js';

/** Of the protocol. */
const MOST = 100;
const MAX_TYPED = 1_000;

export function registerCompletion(connection: Connection): void {
  connection.server.setRequestHandler(CompleteRequestSchema, ({ params }) =>
    answering(connection, 'completion', async () => {
      const typed = params.argument.value.slice(0, MAX_TYPED);
      const { values: all, isPart = false } = await candidates(params, typed, connection);
      const fitting = matching(all, typed);
      const values = fitting.slice(0, MOST);
      const hasMore = isPart || fitting.length > values.length;
      // How many there are is known only of what has been looked at.
      const total = isPart ? {} : { total: fitting.length };
      return { completion: { values, ...total, hasMore } };
    }),
  );
}

async function candidates(
  { ref, argument }: CompleteRequest['params'],
  typed: string,
  connection: Connection,
): Promise<Candidates> {
  if (ref.type === 'ref/prompt') return completePrompt(ref.name, argument.name, typed, connection);
  const found = await completeResource(ref.uri, argument.name, typed, connection);
  if (found) return found;
  throw new McpError(ErrorCode.InvalidParams, `there is no resource "${safe(ref.uri, 200)}"`);
}

/** Each once; what begins so stands before what has it further on. Letter case says nothing. */
function matching(values: readonly string[], typed: string): string[] {
  const wanted = typed.trim().toLowerCase();
  const begins = (value: string) => value.toLowerCase().startsWith(wanted);
  const all = [...new Set(values)].filter((value) => value.toLowerCase().includes(wanted));
  return [...all.filter(begins), ...all.filter((value) => !begins(value))];
}
