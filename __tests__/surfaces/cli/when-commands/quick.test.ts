/** `cue when` by its short way: it answers what the whole command answers, or leaves it to that one. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quickRecall } from '../../../../src/surfaces/cli/when-commands/quick.js';
import { programOf } from '../../../helpers/programs.js';
import { type CueWorld, type Ended, ioOf, makeKnowledge, type Project, runCue } from '../cue.js';

const LATER = () => Date.now() + 3_600_000;

let project: Project;
beforeEach(() => {
  project = makeKnowledge();
});
afterEach(() => project.remove());

const worldOf = (env: Record<string, string> = {}): CueWorld => ({
  ...{ cwd: project.root, env, nowMs: LATER },
});
const whole = (...args: string[]) => runCue(['when', ...args], worldOf());

async function quick(args: string[], env: Record<string, string> = {}): Promise<Ended | null> {
  const ended: Ended = { code: 0, out: '', err: '' };
  const io = ioOf(worldOf(env), ended);
  const answer = await quickRecall(args, io);
  if (answer === null) return null;
  ended.code = answer(io);
  return ended;
}

describe('the short way of cue when', () => {
  it.each([
    ['a trigger', ['writing mock tests']],
    ['words without quotes', ['writing', 'mock', 'tests']],
    ['with its slash command', ['/when', 'choosing', 'exit', 'codes']],
    ['several', ['writing mock tests', 'choosing exit codes']],
    ['other words', ['patching where a name is used']],
    ['other words, as JSON', ['patching where a name is used', '--json']],
    ['a trigger, as JSON, not counted', ['--json', '--no-usage', 'writing mock tests']],
    ['a section', ['§ .Mock Patching']],
    ['a file', ['§', 'cli.md']],
    ['what is not there', ['quarterly taxes of a bakery']],
    ['with options that have values', ['--index', 'agents/memory-index.md', 'exit codes']],
    ['with a folder', ['exit codes', '--verbose', '--decisions', 'agents/decisions']],
  ])('answers %s as the whole command', async (_what, args) => {
    expect(await quick(args)).toBeNull();
    const told = await whole(...args);
    expect(await quick(args)).toEqual(told);
    await whole('writing tests in other words');
    expect(await quick(args)).toEqual(told);
  });

  it.each([
    ['nothing', []],
    ['help', ['--help']],
    ['a command', ['validate']],
    ['a command behind an option', ['--json', 'stats']],
    ['what may be a command', ['remember', 'the milk']],
    ['standard input', ['-']],
    ['a list', ['- writing mock tests']],
    ['what stands behind --', ['--', 'writing mock tests']],
    ['an option with its value attached', ['--index=agents/memory-index.md', 'exit codes']],
    ['an option without its value', ['exit codes', '--index']],
    ['a server', ['exit codes', '--port', '8765']],
    ['an unknown option', ['exit codes', '--colour']],
  ])('leaves %s to the whole command', async (_what, args) => {
    await whole('writing mock tests');
    expect(await quick(['writing mock tests'])).not.toBeNull();
    expect(await quick(args)).toBeNull();
  });

  it('tells warnings of the index, too', async () => {
    project.write('agents/memory-index.md', '## cli.md\n\n/when losing | Lost | nobody knows it\n');
    const told = await whole('losing');
    expect(told.err).toMatch(/memory-index\.md:3: cli\.md has no "Lost"/);
    expect(await quick(['losing'])).toEqual(told);
  });

  it('keeps nothing where a link leads out of the project, and says so when it is asked', async () => {
    const outside = `${project.root}-outside`;
    mkdirSync(outside);
    symlinkSync(outside, join(project.root, '.cue'));
    expect((await whole('exit codes', '--verbose')).code).toBe(0);
    expect(await quick(['exit codes'])).toBeNull();
    expect(readdirSync(outside)).toEqual([]);
    rmSync(outside, { recursive: true });
  });

  it('answers where nothing can be kept, and says so when it is asked', async () => {
    writeFileSync(join(project.root, '.cue'), 'a file');
    const told = await whole('writing mock tests');
    expect({ code: told.code, err: told.err }).toEqual({ code: 0, err: '' });
    const { err } = await whole('writing mock tests', '--verbose');
    expect(err).toMatch(/^cue: the index was not kept: /m);
  });

  it('answers in eight processes at once that all write what they keep, again and again', async () => {
    const bin = programOf('src/bin/cue');
    // Its stamps are believed two seconds after the last change.
    await new Promise((done) => setTimeout(done, 2_200));
    const args = ['when', 'patching where a name is used', '--no-usage', '--verbose'];
    for (let round = 0; round < 2; round += 1) {
      rmSync(join(project.root, '.cue'), { recursive: true, force: true });
      const ended = await Promise.all(
        Array.from({ length: 8 }, () => processOf(bin, args, project.root)),
      );
      expect(new Set(ended.map(({ out }) => out.split('\n')[0]))).toEqual(
        new Set(['# Mock Patching Pattern']),
      );
      expect(ended.map(({ code, err }) => ({ code, err }))).toEqual(
        ended.map(() => ({ code: 0, err: '' })),
      );
      expect(readdirSync(join(project.root, '.cue')).sort()).toEqual([
        '.gitignore',
        'when-index.bin',
      ]);
      expect(await quick(args.slice(1))).not.toBeNull();
    }
  }, 60_000);
});

function processOf(bin: string, args: string[], cwd: string): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...args], { cwd, env: { PATH: process.env.PATH } });
  const ended: Ended = { code: -1, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ended.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ended.err += text;
  });
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => done({ ...ended, code: code ?? -1 }));
  });
}
