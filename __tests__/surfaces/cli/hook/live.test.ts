/** `cue hook` as a process, with a real agent that serves. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../helpers/http.js';
import { startServer, type TestServer } from '../../../helpers/server.js';

const BIN = fileURLToPath(new URL('../../../../src/bin/cue.ts', import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

let server: TestServer;
let pids: string;
let folder: string;
beforeAll(async () => {
  pids = mkdtempSync(join(tmpdir(), 'cue-hook-pids-'));
  folder = mkdtempSync(join(tmpdir(), 'cue-hook-project-'));
  server = await startServer({ env: { NUDGE_PID_DIR: pids } });
}, 120_000);
afterAll(async () => {
  await server.stop();
  for (const path of [pids, folder]) rmSync(path, { recursive: true, force: true });
});

function cueHook(fields: object, { ends = true, budgetMs = 30_000 } = {}) {
  const child = spawn(process.execPath, ['--import', TSX, BIN, 'hook'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NUDGE_PID_DIR: pids,
      CUE_HOOK_DEBUG: '1',
      CUE_HOOK_BUDGET_MS: String(budgetMs),
    },
  });
  const heard = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    heard.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.err += text;
  });
  child.stdin.write(JSON.stringify({ session_id: 's-1', cwd: folder, ...fields }));
  if (ends) child.stdin.end();
  return new Promise<{ code: number | null; out: string; err: string }>((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => done({ code, ...heard }));
  });
}

describe('the hook of a coding agent', () => {
  it('warns before what has failed is tried again', async () => {
    const stored = await call('POST', `${server.baseUrl}/cue/memories`, {
      body: {
        intent: 'Run the database migration with --force',
        outcome: { success: false, failure_reason: 'It locked the orders table for an hour' },
      },
    });
    const { code, out, err } = await cueHook({
      hook_event_name: 'UserPromptSubmit',
      prompt: 'Run the database migration with --force',
    });

    expect({ stored: stored.status, code, err }).toEqual({ stored: 201, code: 0, err: '' });
    const { hookEventName, additionalContext } = JSON.parse(out).hookSpecificOutput;
    expect(hookEventName).toBe('UserPromptSubmit');
    expect(additionalContext).toContain('It locked the orders table');
    expect(additionalContext).toMatch(/\n```\noffer_[0-9a-f]{8}(?:, offer_[0-9a-f]{8})*$/);
  }, 60_000);

  it('sends nothing that the server would refuse', async () => {
    const bash = { tool_name: 'Bash', tool_input: { command: 'ls' } };
    const asked = [
      { hook_event_name: 'PreToolUse', ...bash },
      { hook_event_name: 'PostToolUse', ...bash, tool_response: {} },
      {
        hook_event_name: 'PostToolUseFailure',
        ...bash,
        error: `Exit code 2\n${'x'.repeat(9_000)}`,
      },
      {
        hook_event_name: 'PreToolUse',
        tool_name: 'Write',
        tool_input: { file_path: join(folder, 'a.ts') },
      },
      { hook_event_name: 'UserPromptSubmit', prompt: 'ü'.repeat(9_000) },
    ];
    for (const input of asked) {
      const { code, out, err } = await cueHook(input);
      expect({ code, out }).toEqual({ code: 0, out: '' });
      expect(err).toMatch(/^cue hook: nothing to be said about [a-z_]+\n$/);
    }
  }, 120_000);

  it('ends by itself where its standard input does not', async () => {
    const { code, out, err } = await cueHook(
      { hook_event_name: 'SessionStart' },
      { ends: false, budgetMs: 100 },
    );

    expect({ code, out, err }).toEqual({
      code: 0,
      out: '',
      err: 'cue hook: not done within 100 ms\n',
    });
  }, 60_000);
});
