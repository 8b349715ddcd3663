/** Agents in processes of their own (`crash-child.ts`): start, command, kill, and never forget one. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AutonomyChange } from '../../src/autonomy/index.js';
import type { StorePayload } from '../../src/hints/index.js';
import type {
  AutonomyStatus,
  CreateManyResult,
  TriggerHealth,
  TriggerSummary,
} from '../../src/index.js';
import type { ImportResult } from '../../src/memory/index.js';
import type { BatchResult, DispatchStep } from '../../src/triggers/index.js';
import { programOf } from './programs.js';

/** Where a child stops itself: a step of a dispatch, or before and after its send handler sends. */
export interface DeathPoint {
  step: DispatchStep | 'sending' | 'sent';
  /** Part of the run id (of the text, for the send handler); absent: the first that comes by. */
  about?: string;
  /** The n-th time; 1 when absent. */
  count?: number;
  /** `throw`: the step fails, as with a database that is away for a moment. */
  how?: 'SIGKILL' | 'SIGSTOP' | 'throw';
}

export interface ChildConfig {
  kind: 'bare' | 'server';
  name?: string;
  dataDir?: string;
  /** A `server` needs a directory besides. */
  postgresUrl?: string;
  migrated?: boolean;
  settings?: Record<string, string>;
  env?: Record<string, string>;
  die?: DeathPoint;
  leaseMs?: number;
  /** As `BootOptions.slim`: where hundreds of runs share one database. */
  slim?: boolean;
  modelDelayMs?: number;
  /** One line per question the model was asked. */
  modelLog?: string;
  /** What the `fake` platform was told to send, one JSON line each. */
  outbox?: string;
}

export interface Chat {
  roomId: string;
  entityId: string;
  /** Channel of the Eliza server; null in a bare runtime. */
  channelId: string | null;
}

interface Methods {
  arm(point: DeathPoint | null): null;
  model(delayMs: number): null;
  refuse(times: number): null;
  chat(seed: string): Chat;
  create(draft: unknown): { created: boolean; trigger: TriggerSummary };
  createMany(drafts: unknown[]): CreateManyResult;
  import(triggers: unknown[]): BatchResult;
  update(id: string, patch: unknown): TriggerSummary;
  list(): { triggers: TriggerSummary[]; total: number };
  health(): TriggerHealth;
  get(id: string): TriggerSummary;
  heartbeat(): null;
  cycle(): { instructions: number };
  /** Changes the autonomy settings, or with `{}` says how they stand. */
  autonomy(change: AutonomyChange): AutonomyStatus;
  settle(): null;
  /** Imports an export of work memories; answers when all of it is stored. */
  importMemories(jsonl: string): ImportResult;
  /** Takes a payload of hints in; killed when so many of its rows are written. */
  importHints(payload: StorePayload, mode: 'merge' | 'replace', dieAfter: number | null): null;
  /** Found by the words, once the catalog is loaded: printed ids. */
  recallMemories(query: string, limit: number): string[];
  rows(statement: string): Record<string, unknown>[];
  exit(): null;
}

export type ChildCommand = {
  [M in keyof Methods]: { id: number; method: M; args: Parameters<Methods[M]> };
}[keyof Methods];

export interface ChildReply {
  id: number;
  value?: unknown;
  error?: string;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface AgentProcess {
  readonly pid: number;
  /** Resolves when the agent is up; rejects when the process ends before. */
  readonly ready: Promise<{ port: number | null }>;
  readonly ended: Promise<Ending>;
  call<M extends keyof Methods>(
    method: M,
    ...args: Parameters<Methods[M]>
  ): Promise<ReturnType<Methods[M]>>;
  kill(signal?: NodeJS.Signals): Promise<Ending>;
  signal(signal: NodeJS.Signals): void;
  output(): string;
}

const living = new Map<ChildProcess, () => void>();
const directories: string[] = [];

export function startAgent(config: ChildConfig): AgentProcess {
  const child = fork(programOf('__tests__/helpers/crash-child'), {
    cwd: config.kind === 'server' ? newDirectory() : process.cwd(),
    env: {
      ...process.env,
      CUE_CHILD: JSON.stringify(config),
      LOG_LEVEL: process.env.CUE_CHILD_LOG ?? 'fatal',
      TZ: 'UTC',
      SENTRY_DSN: 'http://x@127.0.0.1:9/1',
      ...config.env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the child did not start');
  let said = '';
  const hear = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-20_000);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);

  const open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let nextId = 1;
  const ready = new Promise<{ port: number | null }>((resolve, reject) => {
    open.set(0, { resolve: resolve as (value: unknown) => void, reject });
  });
  ready.catch(() => {});
  child.on('message', (reply: ChildReply) => {
    const waiting = open.get(reply.id);
    open.delete(reply.id);
    if (reply.error === undefined) waiting?.resolve(reply.value);
    else waiting?.reject(new Error(reply.error));
  });
  const ended = new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => {
      living.delete(child);
      for (const waiting of open.values()) {
        waiting.reject(
          new Error(`process ${pid} ended (${signal ?? code}): ${said.slice(-3_000)}`),
        );
      }
      open.clear();
      resolve({ code, signal });
    });
  });
  living.set(child, () => child.kill('SIGKILL'));

  const agent: AgentProcess = {
    pid,
    ready,
    ended,
    call(method, ...args) {
      const id = nextId++;
      return new Promise((resolve, reject) => {
        open.set(id, { resolve: resolve as (value: unknown) => void, reject });
        child.send({ id, method, args }, (error) => {
          if (error && open.delete(id)) reject(error);
        });
      });
    },
    async kill(signal = 'SIGKILL') {
      child.kill(signal);
      return ended;
    },
    signal: (signal) => void child.kill(signal),
    output: () => said,
  };
  return agent;
}

/** A directory that `cleanUp` removes; not made yet when the database must make it. */
export function newDirectory(): string {
  const made = mkdtempSync(join(tmpdir(), 'cue-crash-'));
  directories.push(made);
  return made;
}

/** Kills what still lives, then removes the directories. For `afterAll`. */
export async function cleanUp(): Promise<void> {
  const gone = [...living.keys()].map(
    (child) => new Promise<void>((resolve) => child.once('exit', () => resolve())),
  );
  for (const kill of [...living.values()]) kill();
  await Promise.all(gone);
  for (const made of directories.splice(0)) rmSync(made, { recursive: true, force: true });
}

/** Lines of a file that a child appends to. */
export function linesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}

export async function until<T>(
  what: string,
  look: () => Promise<T | null>,
  timeoutMs = 180_000,
): Promise<T> {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > endMs) throw new Error(`timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
