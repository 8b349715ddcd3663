/**
 * The way of a new user, timed: clone, `npm start`, the chat in the browser's place, the first reminder delivered.
 *
 *   node scripts/first-hour.mjs      in a folder of its own, which is removed again
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIMIT_MS = 300_000;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'cue-first-hour-'));
const startedMs = Date.now();
let child;

function done(step) {
  console.log(`${((Date.now() - startedMs) / 1_000).toFixed(1).padStart(6)} s  ${step}`);
}

async function until(what, look) {
  while (Date.now() - startedMs < LIMIT_MS) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`${what}: not within ${LIMIT_MS / 1_000} s`);
}

async function call(url, body) {
  const headers = { 'content-type': 'application/json' };
  const init = body && { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

async function walk() {
  execFileSync('git', ['clone', '--quiet', root, folder]);
  done('cloned');
  let output = '';
  child = spawn('npm', ['start'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const base = await until('npm start', () => {
    if (child.exitCode !== null) throw new Error(output);
    return / {2}Web UI +(http:\S+)/.exec(output)?.[1];
  });
  done(`installed, built and ready: ${/Cue is ready after .*/.exec(output)?.[0]}`);
  const panel = await fetch(`${base}/cue/panel`);
  if (!panel.ok) throw new Error(`the panel answered ${panel.status}`);
  done('the panel is there');
  const { data } = await call(`${base}/api/agents`);
  const agentId = data.agents[0].id;
  const messaging = `${base}/api/messaging`;
  const chat = await call(`${messaging}/sessions`, { agentId, userId: randomUUID() });
  const said = async () =>
    (await call(`${messaging}/channels/${chat.channelId}/messages?limit=50`)).data.messages;
  await call(`${messaging}/sessions/${chat.sessionId}/messages`, {
    content: 'in 5 seconds tell me to stretch',
  });
  const isAnswer = ({ content }) => content.startsWith('Done: once on');
  await until('the answer', async () => (await said()).some(isAnswer));
  done('the reminder is set up');
  await until('the reminder', async () => (await said()).some((one) => one.metadata?.triggerRunId));
  done('the reminder has come');
}

try {
  await walk();
} finally {
  if (child?.pid) process.kill(-child.pid, 'SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  rmSync(folder, { recursive: true, force: true });
}
