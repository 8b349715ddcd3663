/** `cue hook` with a real agent that serves, and as a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startedServices } from '../../../helpers/boot.js';
import { call } from '../../../helpers/http.js';
import { programOf } from '../../../helpers/programs.js';
import { startServer, type TestServer } from '../../../helpers/server.js';
import { withProc } from '../../../helpers/where.js';
import { makeProject, type Project } from '../cue.js';

let server: TestServer;
let pids: string;
let project: Project;
beforeAll(async () => {
  pids = mkdtempSync(join(tmpdir(), 'cue-hook-pids-'));
  project = makeProject();
  server = await startServer({ env: { NUDGE_PID_DIR: pids } });
  await startedServices(server.runtime);
  // The server says where it is some moments after it has started.
  const endMs = Date.now() + 30_000;
  while (!existsSync(join(pids, 'server.pid')) && Date.now() < endMs) await delay(50);
});
afterAll(async () => {
  await server.stop();
  project.remove();
  rmSync(pids, { recursive: true, force: true });
});

const env = { CUE_HOOK_DEBUG: '1', CUE_HOOK_BUDGET_MS: '30000' };

function hook(event: string, fields: object) {
  const input = { session_id: 's-1', cwd: project.root, hook_event_name: event, ...fields };
  const stdin = JSON.stringify(input);
  return project.cueWith({ stdin, env: { ...env, NUDGE_PID_DIR: pids } }, 'hook');
}

const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });

/** Sends an event whole, and is gone before it can be answered. */
async function leaveAfter(event: object): Promise<void> {
  const { hostname, port } = new URL(server.baseUrl);
  const body = JSON.stringify(event);
  const socket = connect(Number(port), hostname);
  const head = `POST /cue/events HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json`;
  const text = `${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  socket.write(text, () => socket.destroy());
  await once(socket, 'close');
}

/** States of the offers about a file, once there are any. */
async function offersOf(sessionId: string, subject: string): Promise<string[]> {
  for (const endMs = Date.now() + 60_000; Date.now() < endMs; await delay(20)) {
    const listed = await call('GET', `${server.baseUrl}/cue/offers?sessionId=${sessionId}`);
    const offers: { subject: string; state: string }[] = Object(listed.body).offers;
    const states = offers.filter((offer) => offer.subject === subject).map(({ state }) => state);
    if (states.length > 0) return states;
  }
  return [];
}

describe('the hook of a coding agent', () => {
  it('warns before a command that has failed is run again', async () => {
    const stored = await call('POST', `${server.baseUrl}/cue/memories`, {
      body: {
        intent: 'Run npm run migrate -- --force',
        outcome: { success: false, failure_reason: 'It locked the orders table for an hour' },
      },
    });
    const { code, out, err } = await hook('PreToolUse', bash('npm run migrate -- --force'));

    expect({ stored: stored.status, code, err }).toEqual({ stored: 201, code: 0, err: '' });
    const { hookEventName, additionalContext } = JSON.parse(out).hookSpecificOutput;
    expect(hookEventName).toBe('PreToolUse');
    expect(additionalContext).toContain('It locked the orders table');
    expect(additionalContext).toMatch(
      /\n```\noffer_[0-9a-f]{8} \(conflictWarning\)(?:, offer_[0-9a-f]{8} \(\w+\))*$/,
    );
  });

  it('gives a session its start with what it does first, where nobody served before', async () => {
    const told = async (event: string, fields: object) =>
      (await hook(event, { session_id: 'late', ...fields })).out;

    // Where the machine is busy it comes with a later one.
    let prompt = '';
    for (let tries = 0; prompt === '' && tries < 20; tries += 1) {
      prompt = await told('UserPromptSubmit', { prompt: 'good morning' });
    }
    expect(JSON.parse(prompt).hookSpecificOutput).toMatchObject({
      hookEventName: 'UserPromptSubmit',
      additionalContext: expect.stringMatching(/Unfinished: .*npm run migrate/),
    });
    expect(await told('UserPromptSubmit', { prompt: 'good morning' })).toBe('');
  });

  it('tells of a file what was done with it', async () => {
    await call('POST', `${server.baseUrl}/cue/memories`, {
      body: {
        intent: 'Cache the sessions',
        actions: [{ file: 'src/session.ts', operation: 'edit' }],
        outcome: { success: true },
      },
    });
    const file_path = join(project.root, 'src/session.ts');
    const { out } = await hook('PreToolUse', { tool_name: 'Read', tool_input: { file_path } });

    expect(JSON.parse(out).hookSpecificOutput.additionalContext).toContain('Cache the sessions');
  });

  it('leaves what it did not wait for to the next one', async () => {
    const file = 'src/ledger.ts';
    const memory = {
      intent: 'Round the ledger once',
      actions: [{ file, operation: 'edit' }],
      outcome: { success: true },
    };
    await call('POST', `${server.baseUrl}/cue/memories`, { body: memory });
    await leaveAfter({ type: 'file_touch', filePath: file, sessionId: 's-1' });

    expect(await offersOf('s-1', file)).toEqual(['pending']);
    const file_path = join(project.root, file);
    const { out } = await hook('PreToolUse', { tool_name: 'Read', tool_input: { file_path } });
    expect(JSON.parse(out).hookSpecificOutput.additionalContext).toContain('Round the ledger once');
    expect(await offersOf('s-1', file)).toEqual(['shown']);
  });

  it('sends nothing that the server would refuse', async () => {
    const told = [
      await hook('PreToolUse', bash('ls')),
      await hook('PostToolUse', { ...bash('ls'), tool_response: {} }),
      await hook('PostToolUseFailure', {
        ...bash('ls'),
        error: `Exit code 2\n${'x'.repeat(9_000)}`,
      }),
      await hook('PreToolUse', {
        tool_name: 'Write',
        tool_input: { file_path: join(project.root, 'a.ts') },
      }),
      await hook('UserPromptSubmit', { prompt: 'ü'.repeat(9_000) }),
      await hook('UserPromptSubmit', { prompt: 'hi', session_id: undefined }),
    ];

    for (const { code, out, err } of told) {
      expect({ code, out }).toEqual({ code: 0, out: '' });
      expect(err).toMatch(/^cue hook: nothing to be said about [a-z_]+\n$/);
    }
    const long = { prompt: 'hi', session_id: 'x'.repeat(500) };
    expect(await hook('UserPromptSubmit', long)).toMatchObject({ code: 0, err: '' });
  });
});

describe('the process of a hook', () => {
  it.runIf(withProc())(
    'ends well where its standard output takes nothing',
    async () => {
      await call('POST', `${server.baseUrl}/cue/memories`, {
        body: {
          intent: 'Run make deploy-all',
          outcome: { success: false, failure_reason: 'It deployed the drafts, too' },
        },
      });
      const input = { session_id: 's-full', cwd: project.root, hook_event_name: 'PreToolUse' };
      const full = openSync('/dev/full', 'w');
      const child = spawn(process.execPath, [programOf('src/bin/cue'), 'hook'], {
        env: { PATH: process.env.PATH, NUDGE_PID_DIR: pids, ...env },
        stdio: ['pipe', full, 'pipe'],
      });
      closeSync(full);
      let err = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        err += text;
      });
      child.stdin?.end(JSON.stringify({ ...input, ...bash('make deploy-all') }));
      const [code] = await once(child, 'close');

      expect(err).toMatch(/^cue hook: standard output was not written to its end: ENOSPC/);
      expect(code).toBe(0);
    },
    60_000,
  );

  it('ends by itself where its standard input does not', async () => {
    const child = spawn(process.execPath, [programOf('src/bin/cue'), 'hook'], {
      env: { PATH: process.env.PATH, CUE_HOOK_DEBUG: '1' },
    });
    const heard = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      heard.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      heard.err += text;
    });
    child.stdin.write('{"hook_event_name":');
    const code = await new Promise((done, failed) => {
      child.on('error', failed);
      child.on('close', done);
    });

    expect({ code, ...heard }).toEqual({
      code: 0,
      out: '',
      err: 'cue hook: not done within 1000 ms\n',
    });
  });
});
