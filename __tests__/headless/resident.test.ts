/** How little the process that serves in the background keeps of the machine's memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { STAGES } from '../../src/shared/stages.js';
import { programOf } from '../helpers/programs.js';

const TELL = `
  import { subscribe } from 'node:diagnostics_channel';
  import { writeSync } from 'node:fs';
  import { getHeapSpaceStatistics } from 'node:v8';
  subscribe('${STAGES}', (stage) => {
    if (stage !== 'serving') return;
    const spaces = getHeapSpaceStatistics().map((one) => [one.space_name, one.space_size]);
    writeSync(3, JSON.stringify(Object.fromEntries(spaces)) + '\\n');
  });`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cue-resident-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('cue mcp keeps the room for new objects that it had before it loaded the host', async () => {
  const env = {
    ...{ PATH: process.env.PATH, HOME: directory, NUDGE_PID_DIR: join(directory, 'pid') },
    PGLITE_DATA_DIR: join(directory, 'db'),
  };
  const args = ['--import', `data:text/javascript,${encodeURIComponent(TELL)}`];
  const child = spawn(process.execPath, [...args, programOf('src/bin/cue'), 'mcp'], {
    ...{ cwd: directory, env, stdio: ['pipe', 'ignore', 'ignore', 'pipe'] },
  });
  const exit = once(child, 'exit');
  const [told] = await once(child.stdio[3] as Readable, 'data');
  child.stdin?.end();
  await exit;
  // It would be 32 MB.
  expect(JSON.parse(String(told)).new_space).toBeLessThanOrEqual(16 * 1024 * 1024);
}, 60_000);
