/** The lock among containers that share a volume: each has a process 1 of its own. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Container,
  endContainers,
  startContainer,
  whyNoNamespaces,
} from '../helpers/namespaces.js';

const reason = whyNoNamespaces();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cue-namespaces-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(endContainers);

describe('two processes, each process 1 of its pid namespace', () => {
  if (reason !== null) {
    it('exclude each other', ({ skip }) => skip(`unshare: ${reason}`));
    return;
  }
  let first: Container;
  let second: Container;
  beforeEach(async () => {
    [first, second] = await Promise.all([startContainer(), startContainer()]);
    expect([await first.next(), await second.next()]).toEqual([1, 1]);
  });
  afterEach(() => Promise.all([first.kill(), second.kill()]));

  it('exclude each other from a directory, and the second follows at once when the first is killed', async () => {
    const lock = { kind: 'lock', directory: join(folder, 'db') } as const;
    expect(await first.ask(lock)).toBe('done');
    expect(await second.ask(lock)).toContain(
      'db is in use by process 1 of another container on this host, serving on port 4711',
    );
    await first.kill();
    const startMs = performance.now();
    expect(await second.ask(lock)).toBe('done');
    // By its socket: a lease would have run for 20 seconds.
    expect(performance.now() - startMs).toBeLessThan(10_000);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('do so also where the path is too long for a socket', async () => {
    const directory = join(folder, 'x'.repeat(150), 'db');
    expect(await first.ask({ kind: 'lock', directory })).toBe('done');
    expect(await second.ask({ kind: 'lock', directory })).toContain('is in use by process 1');
    await first.kill();
    expect(await second.ask({ kind: 'lock', directory })).toBe('done');
  });

  it('write to an index one after the other, and keep the temporary files of each other', async () => {
    const paths = { index: join(folder, 'memory-index.md'), decisions: join(folder, 'decisions') };
    mkdirSync(paths.decisions);
    for (const name of ['a.md', 'b.md']) writeFileSync(join(paths.decisions, name), 'old');
    const until = join(folder, 'go-on');
    const write = (name: string) =>
      ({
        kind: 'write',
        paths,
        path: join(paths.decisions, name),
        from: 'old',
        to: 'new',
      }) as const;
    expect(await first.ask({ ...write('a.md'), until })).toBe('staged');
    second.send(write('b.md'));
    // It has met the lock of the first, and waits.
    const refused = await second.ask({ kind: 'lock', directory: paths.index });
    expect(refused).toContain('is in use by process 1 of another container');
    writeFileSync(until, '');
    expect([await first.next(), await second.next()]).toEqual(['done', 'done']);
    const texts = ['a.md', 'b.md'].map((name) => readFileSync(join(paths.decisions, name), 'utf8'));
    expect(texts).toEqual(['new', 'new']);
    expect(existsSync(`${paths.index}.cue-lock`)).toBe(false);
  });
});
