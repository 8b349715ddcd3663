/** How words behind `cue when` are taken, and what of a stranger's files reaches a terminal. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forTerminal } from '../../../../src/surfaces/cli/io.js';
import { CLI, INDEX, makeKnowledge, type Project, TESTING } from '../cue.js';

let project: Project;
beforeEach(() => {
  project = makeKnowledge();
});
afterEach(() => project.remove());

describe('words behind the name of a command that takes none', () => {
  it.each([
    [['validate', 'results'], '# Result validation'],
    [['validate', 'results', '--no-usage'], '# Result validation'],
    [['--no-usage', 'validate', 'results'], '# Result validation'],
  ])('are a trigger: %j', async (argv, title) => {
    const { code, out } = await project.cue('when', ...argv);
    expect([code, out.split('\n')[0]]).toEqual([0, title]);
  });

  it.each([[['migrate', 'the', 'database']], [['stats', 'of', 'users']]])(
    'are looked up: %j',
    async (argv) => {
      const { code, out } = await project.cue('when', ...argv);
      expect([code, out.split('\n')[0]]).toEqual([3, `No entry for "${argv.join(' ')}".`]);
    },
  );

  it('leave the command itself as it is', async () => {
    expect((await project.cue('when', 'validate')).out).toMatch(/0 errors/);
    expect((await project.cue('when', 'validate', '--fix', 'x')).code).toBe(2);
    expect((await project.cue('when', 'validate', '--decisions', 'agents/decisions')).code).toBe(0);
  });
});

describe('exit codes', () => {
  it.each([
    ['§ without a name', ['§']],
    ['an index outside of the allowed directories', ['writing mock tests', '--index', '../x.md']],
  ])('say of %s that it is bad input', async (_what, argv) => {
    const env = { CUE_FILE_ROOTS: project.root };
    expect((await project.cueWith({ env }, 'when', ...argv)).code).toBe(2);
  });
});

describe('a file name with a line break', () => {
  it('breaks no line of a report', async () => {
    const name = 'agents/decisions/a\nb.md';
    project.write(name, '# A\n\n## Lost\n\nx\n');
    const { out } = await project.cue('when', 'validate');
    expect(out).toMatch(/^agents\/decisions\/a\ufffdb\.md:3: error: "Lost" has no entry/);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    expect(await project.json('when', 'validate')).toMatchObject({
      document: {
        problems: [{ file: 'a\nb.md', path: join(project.root, name), line: 3 }],
      },
    });
    const read = await project.cue('when', '§ Lost');
    expect(read.out).not.toContain('§ a\nb.md');
  });
});

describe('on a terminal', () => {
  it('controls, directions and line starts are shown, tabs and lines stay', () => {
    expect(forTerminal('a\u001b[2J\u009b1m\tb\r\nc\rd\u202ee\u0007\n')).toBe(
      'a\ufffd[2J\ufffd1m\tb\r\nc\ufffdd\ufffde\ufffd\n',
    );
    expect(forTerminal('क्‍ष 👩‍🚀')).toBe('क्‍ष 👩‍🚀');
  });

  it('everything is given byte for byte to whoever reads a pipe', async () => {
    project.write('agents/decisions/cli.md', `${CLI}\u001b[31mred\u001b[0m\n`);
    expect((await project.cue('when', 'choosing exit codes')).out).toContain('\u001b[31mred');
  });
});

describe('an entry on the command line', () => {
  it('may have a pipe in its first two fields, as in the index', async () => {
    const line = 'piping a \\| b | Pipes \\| tubes | what a shell does with both of its ends';
    const more = ['--file', 'cli.md', '--content', 'x'];
    expect(await project.cue('when', 'remember', line, ...more)).toMatchObject({
      code: 0,
      out: `agents/memory-index.md:6: /when ${line}\n`,
    });
    expect((await project.cue('when', 'piping a \\| b')).out).toMatch(/^# Pipes \| tubes\n/);
    expect((await project.cue('when', 'validate')).out).toMatch(/: 0 errors, /);
  });

  const LINE = 'printing colours | Colours | none in pipes, respect the NO_COLOR variable';
  it.each([
    [
      'a folder for its content',
      ['--content-file', 'agents'],
      /^cue: agents is a folder, not a file\n$/,
    ],
    [
      'a file name that is too long',
      ['--content', 'x', '--file', `${'x'.repeat(270)}.md`],
      /^cue: file: has a name of more than 255 bytes: choose a shorter one\n$/,
    ],
    [
      'a file of a name that is taken',
      ['--content', 'x', '--file', 'sub/CLI.md'],
      /^cue: file: cli\.md has this name, and "§ CLI\.md" leads to one file: name that one, or choose another name\n$/,
    ],
    [
      'no file',
      ['--content', 'x'],
      /^cue: file: is missing: say into which file the new section goes\n$/,
    ],
  ])('is refused with %s', async (_what, more, message) => {
    const { code, err } = await project.cue('when', 'remember', LINE, ...more);
    expect(err).toMatch(message);
    expect(code).toBe(2);
    expect(project.read('agents/memory-index.md')).toBe(INDEX);
  });

  it('says which sections are meant by a name that several have', async () => {
    project.write(
      'agents/decisions/cli.md',
      `${CLI}\n## A\n\n### Same\n\nx\n\n## B\n\n### Same\n\ny\n`,
    );
    const more = ['--file', 'cli.md', '--content', 'x', '--under', 'Same'];
    const { code, err } = await project.cue('when', 'remember', LINE, ...more);
    expect([code, err]).toEqual([
      1,
      'cue: several sections are named "Same" (lines 9 and 15 of the file): give one of them another title\n',
    ]);
    expect(project.read('agents/decisions/testing.md')).toBe(TESTING);
  });
});

describe('without an index', () => {
  it('it is said how one is made', async () => {
    const { err } = await project.cue('when', 'x', '--index', 'none.md');
    expect(err).toMatch(/ does not exist; "cue when remember --index FILE …" makes one\n$/);
  });
});
