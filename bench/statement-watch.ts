/**
 * How long each SQL statement holds the event loop. PGlite runs on the main thread and every
 * message of the protocol is one synchronous call, so the time in these calls is exactly the block,
 * whatever queues before it. A statement begins with its Parse message, which carries the text.
 */

export interface StatementBlock {
  /** The statement, shortened and with its numbers and ids left out. */
  statement: string;
  /** Its longest block … */
  ms: number;
  /** … and how much of that the process computed; the rest waited for the disk or for a core. */
  cpuMs: number;
  times: number;
  /** How many of them blocked longer than LONG_BLOCK_MS. */
  long: number;
}

/** No statement may hold the event loop longer (DESIGN §13). */
export const LONG_BLOCK_MS = 50;

/** A statement's longest block, with what was going on. */
export type BlockDuring = StatementBlock & { during: string };

/** Statements shown at most, longest first. */
const SHOWN = 12;

/** Statements that held the loop longer than DESIGN §13 allows, named for a row's note. */
export function noteOfLong(blocks: readonly BlockDuring[]): { note?: string } {
  const long = blocks.filter((block) => block.ms > LONG_BLOCK_MS);
  if (long.length === 0) return {};
  const lines = [...long]
    .sort((a, b) => b.ms - a.ms)
    .slice(0, SHOWN)
    .map(
      (block) =>
        `${Math.round(block.ms)} ms (${Math.round(block.cpuMs)} computing), ${block.long} of ${block.times}, ${block.during}: ${block.statement}`,
    );
  return { note: `over ${LONG_BLOCK_MS} ms:\n    ${lines.join('\n    ')}` };
}

/** Whether the database is the server of `--postgres`; the host is not imported for the answer. */
export function isOnServer(): boolean {
  return process.env.CUE_TEST_POSTGRES_URL !== undefined;
}

interface SyncClient {
  execProtocolRawSync(message: Uint8Array): Uint8Array;
}

export interface StatementWatch {
  /** Every statement since the last call, longest block first. */
  take(): StatementBlock[];
}

const PARSE = 'P'.charCodeAt(0);
const QUERY = 'Q'.charCodeAt(0);

/**
 * On a database server no statement holds the event loop, and nothing is seen.
 *
 * @throws Error when PGlite keeps its protocol elsewhere now
 */
export function watchStatements(db: unknown): StatementWatch {
  if (isOnServer()) return { take: () => [] };
  const client = clientOf(db);
  const original = client.execProtocolRawSync.bind(client);
  const seen = new Map<string, StatementBlock>();
  let current = { statement: '', ms: 0, cpuMs: 0 };
  const close = () => {
    const { statement, ms, cpuMs } = current;
    if (statement === '') return;
    const before = seen.get(statement) ?? { statement, ms: 0, cpuMs: 0, times: 0, long: 0 };
    seen.set(statement, {
      statement,
      ms: Math.max(before.ms, ms),
      cpuMs: ms > before.ms ? Math.min(ms, cpuMs) : before.cpuMs,
      times: before.times + 1,
      long: before.long + (ms > LONG_BLOCK_MS ? 1 : 0),
    });
  };
  client.execProtocolRawSync = (message) => {
    const text = textOf(message);
    if (text !== null) {
      close();
      current = { statement: text, ms: 0, cpuMs: 0 };
    }
    const from = performance.now();
    const cpuFrom = process.cpuUsage();
    const answer = original(message);
    current.ms += performance.now() - from;
    const cpu = process.cpuUsage(cpuFrom);
    current.cpuMs += (cpu.user + cpu.system) / 1_000;
    return answer;
  };
  return {
    take() {
      close();
      current = { statement: '', ms: 0, cpuMs: 0 };
      const blocks = [...seen.values()];
      seen.clear();
      return blocks.sort((a, b) => b.ms - a.ms);
    },
  };
}

function clientOf(db: unknown): SyncClient {
  const client = typeof db === 'object' && db !== null && '$client' in db ? db.$client : undefined;
  if (typeof client === 'object' && client !== null && 'execProtocolRawSync' in client) {
    return client as SyncClient;
  }
  throw new Error('statements can be watched on PGlite only');
}

/** Statement text of a Parse or simple Query message, `null` for every other message. */
function textOf(message: Uint8Array): string | null {
  const kind = message[0];
  if (kind !== PARSE && kind !== QUERY) return null;
  const body = Buffer.from(message.buffer, message.byteOffset + 5, message.byteLength - 5);
  const from = kind === PARSE ? body.indexOf(0) + 1 : 0;
  return shortened(body.toString('utf8', from, body.indexOf(0, from)));
}

/** One name for every call of a statement, however many rows or parameters it had. */
export function shortened(statement: string): string {
  return statement
    .replace(/\s+/g, ' ')
    .replace(/\$\d+/g, '?')
    .replace(/\((\?|default)(, ?(\?|default))*\)(, ?\((\?|default)(, ?(\?|default))*\))*/g, '(…)')
    .trim()
    .slice(0, 160);
}
