/** Headless agents in processes of their own (`headless-child.ts`). */
import { type ChildProcess, fork } from 'node:child_process';
import { programOf } from './programs.js';

export type HeadlessCommand =
  | { kind: 'write'; name: string }
  | { kind: 'set'; key: string }
  | { kind: 'rows'; statement: string }
  | { kind: 'close' };

export type HeadlessEvent =
  | { kind: 'ready'; agentId: string; directory: string | null }
  | { kind: 'refused'; code: string; message: string; details: Record<string, unknown> }
  | { kind: 'acknowledged'; key: string }
  | { kind: 'stopped'; error: string }
  | { kind: 'wanted'; how: 'wanted' | 'opened'; atMs: number }
  | { kind: 'rows'; statement: string; rows: Record<string, unknown>[] }
  | { kind: 'closed' };

type Kind = HeadlessEvent['kind'];
type Event<K extends Kind> = Extract<HeadlessEvent, { kind: K }>;

export interface HeadlessProcess {
  readonly pid: number;
  /** All that came so far. */
  readonly events: readonly HeadlessEvent[];
  /** Keys of the hints that were acknowledged. */
  acknowledged(): string[];
  /** The first of that kind, past or coming; rejects when the process ends without one. */
  next<K extends Kind>(kind: K): Promise<Event<K>>;
  send(command: HeadlessCommand): void;
  /** Of a statement that has not been asked before. */
  rows(statement: string): Promise<Record<string, unknown>[]>;
  signal(signal: NodeJS.Signals): void;
  /** Standard output, which is the protocol's. */
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<number | null>;
}

const living = new Set<ChildProcess>();

/** @param env in front of this process's own; `cwd` is where the command was called */
export function startHeadlessProcess(env: NodeJS.ProcessEnv, cwd?: string): HeadlessProcess {
  const child = fork(programOf('__tests__/helpers/headless-child'), {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  living.add(child);
  const events: HeadlessEvent[] = [];
  const waiting = new Set<() => void>();
  const said = { out: '', err: '' };
  let isOver = false;
  child.stdout?.on('data', (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    said.err = (said.err + chunk.toString()).slice(-20_000);
  });
  const look = () => {
    for (const again of [...waiting]) again();
  };
  child.on('message', (event: HeadlessEvent) => {
    events.push(event);
    look();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      living.delete(child);
      isOver = true;
      look();
      resolve(code);
    });
  });
  const lastWords = () => `${JSON.stringify(events.at(-1))} ${said.err}`;
  const found = <E extends HeadlessEvent>(is: (event: HeadlessEvent) => event is E): Promise<E> =>
    new Promise((resolve, reject) => {
      const again = () => {
        const event = events.find(is);
        if (event) resolve(event);
        else if (isOver) reject(new Error(`process ${child.pid} ended: ${lastWords()}`));
        else return;
        waiting.delete(again);
      };
      waiting.add(again);
      again();
    });
  return {
    pid: child.pid ?? 0,
    events,
    acknowledged: () =>
      events.flatMap((event) => (event.kind === 'acknowledged' ? [event.key] : [])),
    next: <K extends Kind>(kind: K) => found((event): event is Event<K> => event.kind === kind),
    send: (command) => void child.send(command),
    async rows(statement) {
      child.send({ kind: 'rows', statement } satisfies HeadlessCommand);
      const { rows } = await found(
        (event): event is Event<'rows'> => event.kind === 'rows' && event.statement === statement,
      );
      return rows;
    },
    signal: (signal) => void child.kill(signal),
    stdout: () => said.out,
    stderr: () => said.err,
    ended,
  };
}

/** Kills what still lives. For `afterAll`. */
export async function endHeadlessProcesses(): Promise<void> {
  const gone = [...living].map(
    (child) => new Promise<void>((resolve) => child.once('close', () => resolve())),
  );
  for (const child of living) child.kill('SIGKILL');
  await Promise.all(gone);
}
