/** `npm run eval -- proactive`: whether the right memory comes at the right moment (docs/proactive-eval.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { MINUTE_MS } from '../../src/shared/clock.js';
import { messageOf } from '../../src/shared/errors.js';
import { type Agents, openAgents } from './agents.js';
import { replay } from './replay.js';
import { comparisonOf, evaluationOf, faultsOf, type Replayed, tableOf } from './report.js';
import { readSessions, type ScriptedSession } from './shape.js';

const USAGE = [
  'npm run eval -- proactive [training] [--sessions FILE]... [--only ID]... [--foreign N] [--remind] [--dismissed N] [--set KEY=VALUE]... [--quick] [--verbose] [--json]',
  'training    the sessions that the gate is trained on; else those of strangers',
  '--sessions  a file of sessions of your own (docs/proactive-eval.md)',
  '--foreign   so many memories of other sessions stand around each session',
  '--remind    memories are stored with their remind_when',
  '--dismissed  with and without so many dismissed offers of each kind before each session',
  '--set       a setting of the agents: CUE_EMBEDDINGS_MODEL_DIR=DIR judges another embedder',
  '--only      sessions whose id begins like this',
  '--quick     every fourth session',
  '--verbose   each session as it is replayed',
].join('\n');

/** After so long a silence a message starts a session. */
const SILENCE_MS = 30 * MINUTE_MS;
/** Sessions by authors who saw neither the code nor ours: nothing is trained or tuned on them. */
const STRANGERS = ['strangers'];
/** Sessions that the gate is trained on. */
const TRAINING = ['sessions', 'unseen', 'blind'];
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
  const agents = openAgents({}, options.settings);
  try {
    const note = options.verbose ? say : () => {};
    const replayed = await replayAll(agents, sessions, note);
    const dataset =
      options.sessions?.map((file) => basename(file)).join(', ') ??
      (options.training ? 'training sessions' : 'sessions of strangers');
    const evaluation = evaluationOf(dataset, replayed);
    if (options.dismissed > 0) {
      const taught = await replayAll(agents, sessions, note, options.dismissed);
      const after = `${dataset}, ${options.dismissed} of each kind dismissed before`;
      console.log(comparisonOf(evaluation, evaluationOf(after, taught)));
      return 0;
    }
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
  dismissed = 0,
): Promise<Replayed[]> {
  const replayed: Replayed[] = [];
  for (const session of sessions) {
    const startedMs = performance.now();
    const played = await replay(agents, session, dismissed).catch((cause: unknown) => {
      throw new Error(`${session.id}: ${messageOf(cause)}`, { cause });
    });
    replayed.push({ session, played });
    note(
      `${session.id}: ${played.length} turns in ${Math.round(performance.now() - startedMs)} ms`,
    );
  }
  return replayed;
}

/** The sessions that the gate is trained on. */
export const trainingSessions = () => TRAINING.flatMap(sessionsIn);

export const strangersSessions = () => STRANGERS.flatMap(sessionsIn);

function sessionsIn(folder: string): ScriptedSession[] {
  const url = new URL(`./${folder}/`, import.meta.url);
  return readdirSync(url)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => readSessions(readFileSync(new URL(name, url), 'utf8'), name));
}

/**
 * The session in a larger store: around its own memories stand those of sessions from other files, which
 * may be offered only where a session starts. Which they are depends on the place of the session alone.
 */
export function withForeign(
  sessions: readonly ScriptedSession[],
  count: number,
): ScriptedSession[] {
  const voiceOf = ({ id }: ScriptedSession) => id.replace(/-\d+$/, '');
  return sessions.map((session, index) => {
    const foreign: ScriptedSession['memories'] = [];
    for (let step = 1; step < sessions.length && foreign.length < count; step += 1) {
      const other = sessions[(index + step * 7) % sessions.length];
      if (!other || voiceOf(other) === voiceOf(session)) continue;
      for (const memory of other.memories) {
        if (memory.privateTo !== undefined || memory.draft.links !== undefined) continue;
        foreign.push({ ...memory, id: `${other.id} ${memory.id}` });
      }
    }
    const added = foreign.slice(0, count);
    const turns = session.turns.map((turn) => {
      if (turn.kind !== 'session_start' && turn.after < SILENCE_MS) return turn;
      // What is unfinished, failed or was learned lately is told then, whoever's work it is.
      const may = [...turn.expect.may, ...added.map(({ id }) => id)];
      return { ...turn, expect: { ...turn.expect, may } };
    });
    return { ...session, turns, memories: [...session.memories, ...added] };
  });
}

export function withoutPhrases(session: ScriptedSession): ScriptedSession {
  const memories = session.memories.map(
    ({ draft: { remind_when: _phrases, ...draft }, ...rest }) => ({
      ...rest,
      draft,
    }),
  );
  return { ...session, memories };
}

function chosen({
  sessions: files,
  training,
  only,
  quick,
  ...how
}: ReturnType<typeof readArguments>) {
  const all =
    files?.flatMap((file) => readSessions(readFileSync(file, 'utf8'), basename(file))) ??
    (training ? trainingSessions() : strangersSessions());
  const stored = how.remind ? all : all.map(withoutPhrases);
  const named = withForeign(stored, how.foreign).filter(
    ({ id }) => only === undefined || only.some((beginning) => id.startsWith(beginning)),
  );
  const sessions = named.filter((_, index) => !quick || index % QUICK === 0);
  if (sessions.length === 0) throw new Error('there is no such session');
  return sessions;
}

/** @throws TypeError with what is wrong, for the person at the keyboard */
function readArguments(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      foreign: { type: 'string', default: '0' },
      dismissed: { type: 'string', default: '0' },
      remind: { type: 'boolean', default: false },
      sessions: { type: 'string', multiple: true },
      only: { type: 'string', multiple: true },
      set: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.find((name) => name !== 'training');
  if (unknown !== undefined) throw new TypeError(`there are no sessions called "${unknown}"`);
  const [foreign, dismissed] = (['foreign', 'dismissed'] as const).map((name) => {
    const count = Number(values[name]);
    if (Number.isInteger(count) && count >= 0) return count;
    throw new TypeError(`--${name} is a whole number`);
  }) as [number, number];
  const settings = Object.fromEntries(
    values.set.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new TypeError(`--set takes KEY=VALUE, not "${pair}"`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
  return { ...values, foreign, dismissed, settings, training: positionals.length > 0 };
}
