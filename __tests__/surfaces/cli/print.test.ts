/** What a command hands to the world, and sees of it. */
import { afterEach, expect, it, vi } from 'vitest';
import { escapedJson } from '../../../src/surfaces/cli/io.js';
import { realIo } from '../../../src/surfaces/cli/real-io.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it('prints nothing that drives a terminal, into a pipe neither', () => {
  const written: unknown[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(text) > 0);
  realIo().out('a\u001b[31mred\u009b1m\u202e\ttab\r\n');
  expect(written).toEqual(['a\ufffd[31mred\ufffd1m\ufffd\ttab\r\n']);
});

it('writes the same in JSON as escapes', () => {
  const said = { value: 'a\u001b[31m\u007f\u009b\u202e\u2066ü' };
  const json = escapedJson(JSON.stringify(said));
  expect(json).toBe(String.raw`{"value":"a\u001b[31m\u007f\u009b\u202e\u2066ü"}`);
  expect(JSON.parse(json)).toEqual(said);
});

it('needs a working folder only where a command asks for it', () => {
  vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw new Error('ENOENT: no such file or directory, uv_cwd');
  });
  const io = realIo();
  expect(io.parentPid).toBe(process.ppid);
  expect(() => io.cwd).toThrow('the folder you are in is gone: go to another one');
});
