/** `nudge` as a process: `serve` with a client at its standard input, or one command to its end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { programOf } from './programs.js';

const living = new Set<ChildProcess>();

export type Fields = Record<string, unknown>;

export interface RpcLine {
  id: unknown;
  result?: Fields;
  error?: { code: number; message: string; data?: { reason: string; details: Fields } };
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ServeProcess {
  readonly pid: number;
  readonly ended: Promise<Ending>;
  /** One call over standard input; rejects when the process ends without an answer. */
  call(method: string, params?: Fields): Promise<RpcLine>;
  /** Sent as it is, with a line break. */
  send(line: string): void;
  /** Closes its standard input. */
  hangUp(): void;
  /** Each line of standard output. */
  readonly lines: readonly string[];
  /** Resolves when standard error has said it; rejects when it ends before. */
  says(words: string): Promise<void>;
  errors(): string;
  kill(signal?: NodeJS.Signals): Promise<Ending>;
}

export interface ServeOptions {
  env: NodeJS.ProcessEnv;
  args?: readonly string[];
  cwd?: string;
  /** `nobody`: a daemon, with /dev/null at its standard input. */
  client?: 'pipe' | 'nobody';
}

export function startServe({ env, args = [], cwd, client = 'pipe' }: ServeOptions): ServeProcess {
  const child = spawn(process.execPath, [programOf('src/bin/nudge'), 'serve', ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
    stdio: [client === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  living.add(child);
  const lines: string[] = [];
  const open = new Map<unknown, (line: RpcLine) => void>();
  const changes = new Set<() => void>();
  let rest = '';
  let said = '';
  let nextId = 1;
  let ending: Ending | null = null;
  const changed = () => {
    for (const look of changes) look();
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      lines.push(line);
      const read = JSON.parse(line) as RpcLine;
      open.get(read.id)?.(read);
      open.delete(read.id);
    }
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    changed();
  });
  const ended = new Promise<Ending>((resolve) => {
    child.once('close', (code, signal) => {
      living.delete(child);
      ending = { code, signal };
      changed();
      resolve(ending);
    });
  });
  child.stdin?.on('error', () => {});
  const over = () =>
    new Error(`nudge serve ended (${JSON.stringify(ending)}): ${said.slice(-2_000)}`);

  return {
    pid: child.pid ?? 0,
    ended,
    lines,
    errors: () => said,
    call(method, params = {}) {
      const id = nextId++;
      return new Promise((resolve, reject) => {
        open.set(id, resolve);
        child.stdin?.write(
          `${JSON.stringify({ jsonrpc: '2.0', id, method: `nudge.${method}`, params })}\n`,
        );
        void ended.then(() => reject(over()));
      });
    },
    send: (line) => void child.stdin?.write(`${line}\n`),
    hangUp: () => void child.stdin?.end(),
    says(words) {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (!said.includes(words) && !ending) return;
          changes.delete(look);
          if (said.includes(words)) resolve();
          else reject(over());
        };
        changes.add(look);
        look();
      });
    },
    kill(signal = 'SIGKILL') {
      child.kill(signal);
      return ended;
    },
  };
}

/** One command, to its end. */
export function runNudge(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [programOf('src/bin/nudge'), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  living.add(child);
  const heard = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    heard.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.err += text;
  });
  return new Promise((resolve) => {
    child.once('close', (code) => {
      living.delete(child);
      resolve({ code, ...heard });
    });
  });
}

/** Kills what still lives. For `afterAll`. */
export async function endNudges(): Promise<void> {
  const gone = [...living].map(
    (child) => new Promise<void>((resolve) => child.once('close', () => resolve())),
  );
  for (const child of living) child.kill('SIGKILL');
  await Promise.all(gone);
}
