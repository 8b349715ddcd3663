/** An agent served as `npm start` serves it, with something to look at, and a browser to look with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..', '..');
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export interface Served {
  url: string;
  agentId: string;
  /** Asks a route below `/cue`. @throws Error with the answer of the server */
  ask(path: string, body?: object, method?: string): Promise<Record<string, unknown>>;
  /** Ends the server at once, as a crash does. */
  kill(): Promise<void>;
}

/** Starts `npm start` without its build. `port` 0: any free one. */
export async function serve(how: {
  dataDir: string;
  port: number;
  token?: string;
}): Promise<Served> {
  const child = spawn(
    process.execPath,
    ['--import', './demo/typescript.mjs', 'demo/start.ts', '--example'],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        SERVER_PORT: String(how.port),
        CUE_DATA_DIR: how.dataDir,
        // The page says so, since the machine's own would be in the pictures.
        CUE_TIMEZONE: 'UTC',
        ...(how.token === undefined ? {} : { ELIZA_SERVER_AUTH_TOKEN: how.token }),
      },
    },
  );
  const { url, agentId } = await ready(child);
  return {
    url,
    agentId,
    async ask(path, body, method = body === undefined ? 'GET' : 'POST') {
      const response = await fetch(`${url}/cue${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(how.token === undefined ? {} : { 'x-api-key': how.token }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
      const read = JSON.parse(answer) as Record<string, unknown>;
      // JSON-RPC tells of a failure with a good status.
      if (read.error !== undefined) throw new Error(`${method} ${path}: ${answer}`);
      return read;
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** What the server prints when it is ready. @throws Error with all that it printed, when it ends before */
async function ready(child: ChildProcess): Promise<{ url: string; agentId: string }> {
  const printed: string[] = [];
  let url: string | undefined;
  child.stderr?.on('data', (text) => printed.push(String(text)));
  if (child.stdout === null) throw new Error('the server has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    url ??= /Web UI +(http\S+)/.exec(line)?.[1];
    const agentId = /Agent +([0-9a-f-]{36})/.exec(line)?.[1];
    if (url !== undefined && agentId !== undefined) {
      child.stdout.resume();
      return { url, agentId };
    }
  }
  throw new Error(`the server ended before it was ready:\n${printed.join('\n')}`);
}

/** The browser of this machine. @throws Error where there is none */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? CHROMIUM.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error('no Chromium: install it (apt-get install chromium), or name it in CHROMIUM');
  }
  return chromium.launch({
    executablePath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
}

const TRIGGERS = [
  ['every weekday at 9', 'summarize my inbox'],
  ['every hour', 'look whether the build is green'],
  ['every friday at 17:00', 'ask the team for the weekly report'],
  ['every day at 22:30', 'write what was learned today into the journal'],
  ['in 3 hours', 'tell me to call the accountant'],
  ['on the first of every month at 8', 'pay the rent'],
] as const;

const MEMORIES = [
  [
    'Add caching to the session store',
    false,
    'Race condition with concurrent requests',
    'src/auth.ts',
  ],
  ['Move session tokens to signed cookies', true, 'Tokens survive a restart now', 'src/auth.ts'],
  ['Split the largest test file', true, 'One file per module, 40 s faster', 'tests/api.test.ts'],
  ['Upgrade the HTTP proxy', false, 'The new release drops HTTP/1.0 clients', 'proxy/Dockerfile'],
  ['Write the release notes of 2.4', true, 'Published', 'CHANGELOG.md'],
  ['Import the customers of the old shop', true, '12,400 rows, 3 without address', 'import.sql'],
] as const;

/** Fills an agent over REST with what a small team might have. */
export async function fill({ ask }: Pick<Served, 'ask'>): Promise<void> {
  const ids: string[] = [];
  for (const [goal, success, summary, file] of MEMORIES) {
    const { memory_id } = await ask('/memories', {
      intent: { goal, task_type: 'bug_fix' },
      outcome: { success, summary, learnings: [`${summary}.`] },
      files: [file],
      tags: [file.split(/[/.]/)[0] ?? file],
    });
    ids.push(String(memory_id));
  }
  await ask('/links', { source: ids[0], target: ids[1], link_type: 'led_to' });
  for (const [text, instructions] of TRIGGERS) await ask('/triggers', { text, instructions });
  const { triggers } = (await ask('/triggers')) as { triggers: { id: string }[] };
  for (const { id } of triggers.slice(0, 3)) await ask(`/triggers/${id}/execute?waitMs=15000`, {});
  for (const event of [
    { type: 'file_touch', filePath: 'src/auth.ts' },
    { type: 'action_planned', action: 'add caching to the session store', filePath: 'src/auth.ts' },
    { type: 'intent_stated', intent: 'split a large test file' },
  ]) {
    await ask('/events', { ...event, sessionId: 'tour' });
  }
  for (const [component, key, value] of [
    ['http-proxy', 'build', 'docker compose build router'],
    ['http-proxy', 'test', 'make -C proxy test'],
    ['shop', 'import', 'psql -f import.sql'],
  ]) {
    await ask('/rpc', {
      ...{ jsonrpc: '2.0', id: 1, method: 'nudge.set_hint' },
      params: {
        component,
        key,
        value,
        meta: { ttl: 'P30D', scope: { cwd_glob: [`**/${component}*`] } },
      },
    });
  }
}
