/** How little the process that serves in the background keeps of the machine's memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programOf } from '../helpers/programs.js';

/** In the child: how large its heap is before it writes a line. */
const TELL = `
  import { writeSync } from 'node:fs';
  import { getHeapSpaceStatistics } from 'node:v8';
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (...line) => {
    const spaces = getHeapSpaceStatistics().map((one) => [one.space_name, one.space_size]);
    writeSync(3, JSON.stringify({ ...Object.fromEntries(spaces), line: String(line[0]) }) + '\\n');
    return write(...line);
  };`;
const CLIENT = { capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } };
const SENT = [
  { id: 1, method: 'initialize', params: { ...CLIENT, protocolVersion: LATEST_PROTOCOL_VERSION } },
  { method: 'notifications/initialized' },
  // Only a server answers it.
  { id: 2, method: 'tools/call', params: { name: 'recall', arguments: { query: 'x' } } },
];

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
  for (const one of SENT) child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`);
  let told = { line: '', new_space: Number.POSITIVE_INFINITY };
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    told = JSON.parse(line);
    if (told.line.includes('"id":2')) break;
  }
  child.stdin?.end();
  await exit;
  expect(told.line).toContain('"result"');
  // It would be 32 MB.
  expect(told.new_space).toBeLessThanOrEqual(16 * 1024 * 1024);
}, 60_000);
