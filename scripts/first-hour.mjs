/**
 * The way of a new user, timed, in a folder of its own that is removed again: clone, `npm start`, the web chat in
 * Chromium, the first reminder on the screen.
 *
 *   node scripts/first-hour.mjs
 *   node scripts/first-hour.mjs --no-browser   over the chat API, where there is no Chromium
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIMIT_MS = 300_000;
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'cue-first-hour-'));
const startedMs = Date.now();
let child;

function seconds() {
  return ((Date.now() - startedMs) / 1_000).toFixed(1);
}

function done(step) {
  console.log(`${seconds().padStart(6)} s  ${step}`);
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
  if (process.argv.includes('--no-browser')) await chatOverApi(base);
  else await chatInBrowser(base);
  console.log(`\nFrom the clone to the first reminder: ${seconds()} s of ${LIMIT_MS / 1_000} s.`);
}

/** As a person does it who has read nothing: the tour is skipped, the chat opened, a sentence typed. */
async function chatInBrowser(base) {
  const executablePath = process.env.CHROMIUM ?? CHROMIUM.find((path) => existsSync(path));
  if (!executablePath) throw new Error('no Chromium: install it, or give --no-browser');
  const { chromium } = await import('playwright-core');
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-sync'];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } });
    page.setDefaultTimeout(Math.max(1_000, LIMIT_MS - (Date.now() - startedMs)));
    await page.goto(base);
    await page.getByRole('button', { name: 'Skip', exact: true }).click();
    await page.getByRole('button', { name: 'New Chat' }).click();
    const field = page.getByTestId('chat-input');
    await field.fill('in 10 seconds tell me to stretch');
    done('the web UI stands, the chat is open');
    await field.press('Enter');
    const messages = page.getByTestId('chat-messages');
    await messages.getByText(/Done: once on/).waitFor();
    done('the reminder is set up, and the chat says so');
    await messages.getByText('Time to stretch!').waitFor();
    done('the reminder stands in the chat');
  } finally {
    await browser.close();
  }
}

async function chatOverApi(base) {
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
