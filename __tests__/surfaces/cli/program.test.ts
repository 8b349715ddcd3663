import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { AppError, ERROR_TABLE, type ErrorCode } from '../../../src/shared/errors.js';
import { errorDocument, exitCodeOf } from '../../../src/surfaces/cli/io.js';
import { changedLines } from '../../../src/surfaces/cli/lines.js';
import { makeProject } from './cue.js';

const project = makeProject();
afterAll(() => project.remove());

const manifest: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('cue', () => {
  it('prints its version', async () => {
    expect(await project.cue('--version')).toEqual({
      code: 0,
      out: `${manifest.version}\n`,
      err: '',
    });
  });

  it('prints its groups as help on standard output', async () => {
    const { code, out, err } = await project.cue('--help');

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Usage: cue \[options\] \[command\]\n/);
    expect(out).toMatch(/\n {2}when +recall knowledge of the project by trigger/);
  });

  it('without a command is bad input, and prints the help beside the result', async () => {
    const { code, out, err } = await project.cue();

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^Usage: cue /);
  });

  it.each([
    [
      'a command that does not exist',
      ['wehn'],
      /^cue: unknown command 'wehn'\n\(Did you mean when\?\)\n$/,
    ],
    ['a command that resembles none', ['foo'], /^cue: unknown command 'foo'\n$/],
    [
      'help for a command that does not exist',
      ['help', 'nope'],
      /^cue: unknown command 'nope': cue --help lists them\n$/,
    ],
    [
      'help for a command of a group that does not exist',
      ['trigger', 'help', 'nope'],
      /^cue: unknown command 'nope': cue trigger --help lists them\n$/,
    ],
    ['an option that does not exist', ['--jsn'], /^cue: unknown option '--jsn'\n$/],
    [
      'an option of a group that does not exist',
      ['when', '--indx', 'x'],
      /^cue: unknown option '--indx'\n\(Did you mean --index\?\)\n$/,
    ],
    [
      'an option of a command that does not exist',
      ['when', 'validate', '--fux'],
      /^cue: unknown option '--fux'\n/,
    ],
    [
      'an option without its value',
      ['when', 'x', '--index'],
      /^cue: option '--index <file>' argument missing\n$/,
    ],
    [
      'an argument too many',
      ['when', 'validate', '--fix', 'x'],
      /^cue: too many arguments for 'validate'/,
    ],
    [
      'options without a value behind the name of a command',
      ['when', 'validate', '--index'],
      /^cue: option '--index <file>' argument missing\n$/,
    ],
  ])('refuses %s', async (_what, argv, message) => {
    const { code, out, err } = await project.cue(...argv);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });

  it('tells what it refuses as a document where one was asked for', async () => {
    expect(await project.json('when', 'x', '--bogus')).toEqual({
      code: 2,
      document: {
        error: {
          code: 'INVALID_INPUT',
          message: "unknown option '--bogus'",
          details: { reason: 'commander.unknownOption' },
        },
      },
    });
  });

  it('explains a group with code 0, whatever this process is to end with', async () => {
    const before = process.exitCode;
    process.exitCode = 1;
    try {
      expect(await project.cue('help', 'when')).toMatchObject({ code: 0, err: '' });
      expect((await project.cue()).code).toBe(2);
    } finally {
      process.exitCode = before;
    }
  });

  it.each([
    ['when', '--help'],
    ['help', 'when'],
    ['when', 'remember', '--help'],
  ])('explains a group: %s %s %s', async (...argv) => {
    const { code, out, err } = await project.cue(...argv.filter((word) => word !== undefined));

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Usage: cue when/);
    expect(out).toContain('--decisions <folder>');
    expect(out).toContain('cue when remember "writing mock tests | Mock patching pattern |');
  });
});

describe('exit codes', () => {
  it('say for every error code whose fault it was', () => {
    const codes = Object.keys(ERROR_TABLE) as ErrorCode[];
    const byExit = (exit: number) =>
      codes.filter((code) => exitCodeOf(new AppError(code, 'x')) === exit);

    expect(byExit(2)).toEqual([
      'INVALID_INPUT',
      'PERMISSION_DENIED',
      'DUPLICATE',
      'TOO_LARGE',
      'SECRET_REJECTED',
      'SCOPE_INVALID',
    ]);
    expect(byExit(3)).toEqual(['NOT_FOUND']);
    expect(byExit(1)).toEqual([
      'UNAUTHENTICATED',
      'CONFLICT',
      'LIMIT_REACHED',
      'DISABLED',
      'UNAVAILABLE',
      'INTERNAL',
    ]);
  });

  it('of what nobody foresaw are a failure, told as an internal error', () => {
    const error = new TypeError('x is not a function');

    expect(exitCodeOf(error)).toBe(1);
    expect(errorDocument(error)).toEqual({
      error: { code: 'INTERNAL', message: 'x is not a function', details: {} },
    });
  });
});

describe('changed lines', () => {
  it('are what went and what came, without what only moved', () => {
    const before = '# Index\r\n\r\nA — one\r\nB — two\r\n## x\r\nlast';
    const after = '# Index\n\n## x\n/when a | A | one\n/when b | B | two\nlast\n';

    expect(changedLines(before, after)).toBe(
      [
        '- 3: A — one',
        '- 4: B — two',
        '+ 4: /when a | A | one',
        '+ 5: /when b | B | two',
        '2 lines removed, 2 lines added',
      ].join('\n'),
    );
  });

  it('count a repeated line as often as it stands there', () => {
    expect(changedLines('a\na\na', 'a')).toBe('- 2: a\n- 3: a\n2 lines removed, 0 lines added');
  });
});
