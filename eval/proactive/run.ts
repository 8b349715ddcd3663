/** `npm run eval -- proactive`: whether the right memory comes at the right moment (docs/proactive-eval.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/shared/errors.js';
import { type Agents, openAgents } from './agents.js';
import { replay } from './replay.js';
import { evaluationOf, faultsOf, type Replayed, tableOf } from './report.js';
import { readSessions, type ScriptedSession } from './shape.js';

const USAGE = [
  'npm run eval -- proactive [--sessions FILE]... [--only ID]... [--quick] [--verbose] [--json]',
  '--sessions  a file of sessions of your own (docs/proactive-eval.md)',
  '--only      sessions whose id begins like this',
  '--quick     every fourth session',
  '--verbose   each session as it is replayed',
].join('\n');

const OWN = new URL('./sessions/', import.meta.url);
const QUICK = 4;

/** Progress goes to stderr, so that stdout is the result alone. */
const say = (line: string) => console.error(line);

export async function run(argv: string[]): Promise<number> {
  let options: ReturnType<typeof readArguments>;
  let sessions: ScriptedSession[];
  try {
    options = readArguments(argv);
    sessions = chosen(options);
  } catch (error) {
    console.error(`${messageOf(error)}\n${USAGE}`);
    return 2;
  }
  const agents = openAgents();
  try {
    const replayed = await replayAll(agents, sessions, options.verbose ? say : () => {});
    const dataset = options.sessions?.map((file) => basename(file)).join(', ') ?? 'own sessions';
    const evaluation = evaluationOf(dataset, replayed);
    if (options.json) console.log(JSON.stringify(evaluation, null, 2));
    else console.log(`${tableOf(evaluation)}\n\n${faultsOf(evaluation)}`);
    return 0;
  } catch (error) {
    console.error(messageOf(error));
    return 1;
  } finally {
    await agents.close();
  }
}

/** One after the other: each has the clock to itself. */
export async function replayAll(
  agents: Agents,
  sessions: readonly ScriptedSession[],
  note: (line: string) => void = () => {},
): Promise<Replayed[]> {
  const replayed: Replayed[] = [];
  for (const session of sessions) {
    const startedMs = performance.now();
    const played = await replay(agents, session).catch((cause: unknown) => {
      throw new Error(`${session.id}: ${messageOf(cause)}`, { cause });
    });
    replayed.push({ session, played });
    note(
      `${session.id}: ${played.length} turns in ${Math.round(performance.now() - startedMs)} ms`,
    );
  }
  return replayed;
}

/** The sessions of this repository. */
export function ownSessions(): ScriptedSession[] {
  return readdirSync(OWN)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => readSessions(readFileSync(new URL(name, OWN), 'utf8'), name));
}

function chosen({ sessions: files, only, quick }: ReturnType<typeof readArguments>) {
  const all = files?.flatMap((file) => readSessions(readFileSync(file, 'utf8'), basename(file)));
  const named = (all ?? ownSessions()).filter(
    ({ id }) => only === undefined || only.some((beginning) => id.startsWith(beginning)),
  );
  const sessions = named.filter((_, index) => !quick || index % QUICK === 0);
  if (sessions.length === 0) throw new Error('there is no such session');
  return sessions;
}

/** @throws TypeError with what is wrong, for the person at the keyboard */
function readArguments(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      sessions: { type: 'string', multiple: true },
      only: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  });
  return values;
}
