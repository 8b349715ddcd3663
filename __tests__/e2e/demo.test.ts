/** The whole of `npm run demo`, once, as the README tells people to run it. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
/** The demo gives itself 120 s when nothing runs beside it. */
const PATIENCE = 4;
const LIMIT_MS = PATIENCE * 120_000 + 30_000;
const BUILD_MS = 120_000;

interface Finished {
  code: number | null;
  output: string;
  /** Every host that one of its processes looked up or connected to. */
  hosts: Set<string>;
  leftBehind: string[];
}

describe('npm run demo', () => {
  let directory: string;
  let demo: Finished;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cue-demo-test-'));
    // What stands in front of the demo in package.json.
    const build = spawnSync('npm run --silent build', {
      cwd: ROOT,
      shell: true,
      encoding: 'utf8',
      timeout: BUILD_MS,
    });
    expect(build.status, build.stdout + build.stderr).toBe(0);
    demo = await runDemo(directory);
  }, LIMIT_MS + BUILD_MS);

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('ends with exit code 0', () => {
    expect(demo.code, demo.output).toBe(0);
    expect(demo.output).not.toContain('✗');
  });

  it.each([
    'asked, agreed, and only then created',
    'Time to stretch!',
    'Time to drink water!',
    'again → 409 DUPLICATE',
    'passed in silence',
    'each answer has its run in the ledger',
    'nobody was there when it fell due',
    'Reminder: call Ana. (was due ',
    'delivered runs in the ledger, each exactly once in the channel',
    'the server stopped cleanly',
  ])('shows: %s', (line) => {
    expect(demo.output).toContain(line);
  });

  it('talks to nobody outside this machine, whatever keys its caller has', () => {
    expect(demo.output).toContain('offline model');
    expect([...demo.hosts].filter((host) => !isLoopback(host))).toEqual([]);
    // The proof that the listening works.
    expect(demo.hosts.size).toBeGreaterThan(0);
  });

  it('leaves no process and no directory behind', async () => {
    const pids = [...demo.output.matchAll(/\(process (\d+),/g)].map((match) => Number(match[1]));
    expect(pids).toHaveLength(2);
    // One that was killed as the demo ended may need a moment to die.
    await expect.poll(() => pids.filter(isAlive), { timeout: 60_000 }).toEqual([]);
    expect(demo.leftBehind).toEqual([]);
  });
});

async function runDemo(directory: string): Promise<Finished> {
  const log = join(directory, 'hosts.txt');
  const listener = pathToFileURL(join(ROOT, '__tests__', 'helpers', 'connections.mjs'));
  listener.searchParams.set('file', log);
  const command = ['--import', './demo/typescript.mjs', join('demo', 'demo.ts')];
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    env: {
      ...process.env,
      TMPDIR: directory,
      // Other test files run beside it here.
      CUE_DEMO_PATIENCE: String(PATIENCE),
      OPENAI_API_KEY: 'sk-of-the-caller',
      POSTGRES_URL: 'postgres://nobody@192.0.2.1/none',
      NODE_OPTIONS: `--import ${listener.href}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  }
  const late = setTimeout(() => child.kill('SIGTERM'), LIMIT_MS);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(late);
  const hosts = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
  return {
    code,
    output: chunks.join(''),
    hosts: new Set(hosts),
    leftBehind: readdirSync(directory).filter((name) => name.startsWith('cue-demo-')),
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
