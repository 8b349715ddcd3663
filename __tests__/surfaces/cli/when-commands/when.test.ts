import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLI, INDEX, makeKnowledge, makeProject, NOW, type Project, TESTING } from '../cue.js';

let project: Project;
beforeEach(() => {
  project = makeKnowledge();
});
afterEach(() => project.remove());

const MOCKS = `# Mock Patching Pattern

Patch where the object is used.

---

Related:
- /when organizing test files     # Test Module Split Strategy (sibling)
- /when § .Mock Patching          # Full parent section
- /when § testing.md              # Full testing.md file
`;

/** First lines of what was printed. */
const titles = (out: string) => out.split('\n').filter((line) => line.startsWith('# '));

describe('cue when', () => {
  it('prints what the trigger leads to, and nothing else', async () => {
    expect(await project.cue('when', 'writing mock tests')).toEqual({
      code: 0,
      out: MOCKS,
      err: '',
    });
  });

  it.each([
    ['with its slash command', ['/when writing mock tests']],
    ['without quotes', ['writing', 'mock', 'tests']],
    ['without quotes, with its slash command', ['/when', 'writing', 'mock', 'tests']],
    ['as a list of one', ['- writing mock tests']],
    ['as a list behind an option without a value', ['--no-usage', '- writing mock tests']],
    ['behind --', ['--', 'writing mock tests']],
  ])('takes a trigger %s', async (_how, argv) => {
    expect((await project.cue('when', ...argv)).out).toBe(MOCKS);
  });

  it.each([
    ['arguments', ['writing mock tests', 'choosing exit codes'], ''],
    ['a list in one argument', ['/when\n- writing mock tests\n- choosing exit codes'], ''],
    ['a list with typed line breaks', ['- writing mock tests\\n- choosing exit codes'], ''],
    ['a list behind an option', ['--verbose', '- writing mock tests\n- choosing exit codes'], ''],
    ['standard input', ['-'], 'writing mock tests\nchoosing exit codes\n'],
    ['both', ['writing mock tests', '-'], '/when choosing exit codes'],
  ])('takes several triggers as %s', async (_how, argv, stdin) => {
    const { code, out } = await project.cueWith({ stdin }, 'when', ...argv);

    expect(code).toBe(0);
    expect(titles(out)).toEqual(['# Mock Patching Pattern', '# Exit codes']);
    expect(out.match(/^Related:$/gm)).toHaveLength(1);
  });

  it('reaches a trigger with the name of a command behind --', async () => {
    project.write('agents/memory-index.md', INDEX.replace('running the validator', 'validate'));
    const first = async (...argv: string[]) => titles((await project.cue('when', ...argv)).out)[0];

    expect(await first('--', 'validate')).toBe('# Validation runs');
    expect(await first('--', 'validate', 'results')).toBe('# Result validation');
    expect(await first('validate results')).toBe('# Result validation');
    expect(await first('--index', 'agents/memory-index.md', '--', 'validate')).toBe(
      '# Validation runs',
    );
    expect((await project.cue('when', 'validate')).out).toMatch(/^5 entries, 2 files, /m);
  });

  it.each([
    ['a section', ['§ .Mock Patching'], '# .Mock Patching'],
    ['a section, without quotes', ['§', '.Mock', 'Patching'], '# .Mock Patching'],
    ['a file', ['§ cli.md'], '# cli.md'],
  ])('gives %s by §', async (_what, argv, title) => {
    const { code, out } = await project.cue('when', ...argv);

    expect(code).toBe(0);
    expect(out.split('\n')[0]).toBe(title);
  });

  it('takes § names side by side as two', async () => {
    const { document } = await project.json('when', '§testing.md', '§cli.md');

    expect(document).toMatchObject({ results: [{ query: '§ testing.md' }, { query: '§ cli.md' }] });
  });

  it('says that something was not found, also beside what was', async () => {
    const alone = await project.cue('when', 'wrting mok tsts zzz');
    const batch = await project.cue('when', 'writing mock tests', '§ nothing.md');

    expect(alone.code).toBe(3);
    expect(alone.out).toMatch(/^No entry for "wrting mok tsts zzz"\.\n/);
    expect(alone.err).toBe('');
    expect(batch.code).toBe(3);
    expect(batch.out).toContain('Patch where the object is used.');
  });

  it('warns of what is wrong with the index beside the result', async () => {
    project.write('agents/memory-index.md', `${INDEX}/when broken | line\n`);
    const { code, out, err } = await project.cue('when', 'writing mock tests');

    expect({ code, out }).toEqual({ code: 0, out: MOCKS });
    expect(err).toMatch(/^agents\/memory-index\.md:13: (?!line).*no description/);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('lists few of many warnings', async () => {
    project.write('agents/memory-index.md', INDEX + '/when broken | line\n'.repeat(12));
    const { err } = await project.cue('when', 'writing mock tests');

    expect(err.trimEnd().split('\n')).toHaveLength(11);
    expect(err).toMatch(/\n2 more: cue when validate\n$/);
  });

  it('prints the document of a recall', async () => {
    const { code, document } = await project.json('when', 'writing mock tests');
    const match = {
      rank: expect.any(Number),
      header: expect.any(String),
      file: expect.stringMatching(/\.md$/),
      line: expect.any(Number),
      trigger: expect.any(String),
      description: expect.any(String),
      confidence: expect.any(Number),
    };

    expect(code).toBe(0);
    expect(document).toEqual({
      results: [
        {
          query: 'writing mock tests',
          found: 'exact',
          confidence: 1,
          matches: [
            {
              rank: 1,
              header: 'Mock Patching Pattern',
              file: 'testing.md',
              line: 5,
              trigger: 'writing mock tests',
              description: 'patch where the name is used, not defined',
              confidence: 1,
              content: expect.stringContaining('Patch where the object is used.'),
            },
            ...Array.from({ length: 4 }, () => match),
          ],
          related: [
            {
              command: '/when organizing test files',
              note: 'Test Module Split Strategy (sibling)',
            },
            { command: '/when § .Mock Patching', note: 'Full parent section' },
            { command: '/when § testing.md', note: 'Full testing.md file' },
          ],
          suggestions: [],
        },
      ],
    });
  });

  it('has warnings in the document only when there are any', async () => {
    project.write('agents/memory-index.md', `${INDEX}/when broken | line\n`);
    const { document } = await project.json('when', 'writing mock tests');

    expect(document).toMatchObject({
      warnings: [{ file: 'index', line: 13, code: 'malformed_entry' }],
    });
  });

  it.each([
    ['no trigger', ['when'], /^cue: name a trigger: cue when "writing mock tests"\n$/],
    ['blank triggers', ['when', ' ', '- '], /^cue: name a trigger/],
    [
      'an index that is not there',
      ['when', 'x', '--index', 'no.md'],
      /^cue: no index: .*no\.md does not exist; "cue when remember --index FILE …" makes one\n$/,
    ],
  ])('refuses %s', async (_what, argv, message) => {
    const { code, out, err } = await project.cue(...argv);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });

  it('says as a document, too, that there is no index', async () => {
    rmSync(join(project.root, 'agents'), { recursive: true });

    expect(await project.json('when', 'writing mock tests')).toEqual({
      code: 2,
      document: {
        error: {
          code: 'INVALID_INPUT',
          message: expect.stringMatching(/^no index: none of /),
          details: {
            searched: ['agents/memory-index.md', 'memory-index.md', '.cue/memory-index.md'],
          },
        },
      },
    });
  });

  it('reads nothing outside of the allowed directories', async () => {
    const elsewhere = makeProject();
    try {
      const secret = elsewhere.write('secret.md', '## Secret plans\n\nx\n');
      symlinkSync(secret, join(project.root, 'agents', 'decisions', 'linked.md'));
      expect((await project.cue('when', '§ linked.md')).code).toBe(3);

      const env = { CUE_FILE_ROOTS: elsewhere.root };
      const { code, out, err } = await project.cueWith({ env }, 'when', 'writing mock tests');
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/lies outside the allowed folders\n$/);
    } finally {
      elsewhere.remove();
    }
  });

  it('gives sections of a megabyte whole', async () => {
    const line = `${'x'.repeat(79)}\n`;
    project.write('agents/decisions/cli.md', CLI + line.repeat(13_000));
    const { code, out } = await project.cue('when', 'choosing exit codes');

    expect(code).toBe(0);
    expect(out.split(line)).toHaveLength(13_001);
  });
});

describe('cue when stats', () => {
  const JOURNAL = '.cue/when-usage.jsonl';
  const session = (id: string) => ({ env: { CUE_SESSION_ID: id } });

  it('counts recalls by session', async () => {
    await project.cueWith(session('one'), 'when', 'writing mock tests', 'baking sourdough zzz');
    await project.cueWith(session('one'), 'when', 'writing mock tests');
    await project.cueWith(session('two'), 'when', 'choosing exit codes');
    await project.cueWith(session('three'), 'when', 'choosing exit codes', '--no-usage');

    expect(await project.json('when', 'stats')).toEqual({
      code: 0,
      document: {
        sessions: 2,
        opportunities: 3,
        recalled: 2,
        rate: 2 / 3,
        offered: 0,
        answered_offers: 0,
        spontaneous: 3,
        last30: {
          sessions: 2,
          opportunities: 3,
          recalled: 2,
          rate: 2 / 3,
          over_target: true,
        },
        target: 0.1,
        damaged: 0,
      },
    });
    expect((await project.cue('when', 'stats')).out).toMatch(
      /^Sessions: {6}2\n(?:.*\n)*Last 30 sessions: 2 of 3 recalled \(66\.7 %\), over the target of 10 %\n$/,
    );
  });

  it('takes calls of one process on one day for a session when none is named', async () => {
    await project.cue('when', 'writing mock tests');

    expect(JSON.parse(project.read(JOURNAL).split('\n')[0] ?? '')).toEqual({
      at: NOW,
      session: '2026-05-01/4711',
      kind: 'asked',
      key: 'testing.md#mock patching pattern',
      by: 'agent',
    });
  });

  it('needs neither index nor journal', async () => {
    const empty = makeProject();
    try {
      expect(await empty.cue('when', 'stats')).toEqual({
        code: 0,
        out: 'Nothing was offered or asked for yet.\n',
        err: '',
      });
    } finally {
      empty.remove();
    }
  });

  it('never keeps a recall from being answered', async () => {
    mkdirSync(join(project.root, JOURNAL), { recursive: true });

    expect(await project.cue('when', 'writing mock tests')).toEqual({
      code: 0,
      out: MOCKS,
      err: '',
    });
    expect((await project.cue('when', 'writing mock tests', '--verbose')).err).toMatch(
      /^cue: this recall was not counted: .* is not a regular file\n$/,
    );
  });
});

describe('cue when validate', () => {
  it('passes a good index', async () => {
    expect(await project.cue('when', 'validate')).toEqual({
      code: 0,
      out: '5 entries, 2 files, 6 sections: 0 errors, 0 warnings\n',
      err: '',
    });
    expect(await project.json('when', 'validate')).toEqual({
      code: 0,
      document: { ok: true, problems: [], counts: { entries: 5, files: 2, sections: 6 } },
    });
  });

  it('fails for errors, and names their places as editors read them', async () => {
    project.write('agents/decisions/cli.md', `${CLI}\n## Colours\n\nNone in pipes.\n`);
    const { code, out } = await project.cue('when', 'validate');

    expect(code).toBe(1);
    expect(out).toMatch(/^agents\/decisions\/cli\.md:7: error: .*Colours.* \(\w+\)$/m);
    expect(out).toMatch(/\n5 entries, 2 files, 7 sections: 1 error, 0 warnings\n$/);
  });

  it('mends what can be mended, and fails for what is left', async () => {
    const lines = INDEX.split('\n');
    const [first = '', second = ''] = lines.slice(8, 10);
    const shuffled = INDEX.replace(`${first}\n${second}\n`, `${second}\n${first}\n`);
    project.write('agents/memory-index.md', shuffled);
    expect(await project.json('when', 'validate')).toMatchObject({
      code: 1,
      document: { ok: false },
    });
    const mended = await project.json('when', 'validate', '--fix');

    expect(mended).toMatchObject({ code: 0, document: { ok: true, problems: [] } });
    expect(mended.document).toMatchObject({ fixed: [{ file: 'index', fixable: true }] });
    expect(project.read('agents/memory-index.md')).toBe(INDEX);
    expect(await project.json('when', 'validate', '--fix')).toMatchObject({
      document: { fixed: [] },
    });
  });
});

describe('cue when migrate', () => {
  const OLD = `# Memory index

## agents/decisions/cli.md

Exit codes — zero for success, three for missing, two for usage errors, one for failures
`;

  beforeEach(() => {
    project.write('agents/memory-index.md', OLD);
  });

  it('shows first what it would change, and changes nothing', async () => {
    const { code, out, err } = await project.cue('when', 'migrate', '--dry-run');

    expect(code).toBe(0);
    expect(out).toMatch(/^- 5: Exit codes — zero for success/m);
    expect(out).toMatch(/^\+ \d+: \/when [a-z ]+ \| Exit codes \| zero for success/m);
    expect(out).toMatch(/^entries converted: 1$/m);
    expect(err).toBe('agents/memory-index.md was left as it is (--dry-run)\n');
    expect(project.read('agents/memory-index.md')).toBe(OLD);
  });

  it('keeps the index as it was, also when it did so before', async () => {
    project.write('agents/memory-index.md.bak', 'older\n');
    const { code, out, err } = await project.cue('when', 'migrate');

    expect(code).toBe(0);
    expect(out).toMatch(/^entries converted: 1$/m);
    expect(err).toBe(
      'agents/memory-index.md is migrated; as it was: agents/memory-index.md.bak.1\n',
    );
    expect(project.read('agents/memory-index.md.bak')).toBe('older\n');
    expect(project.read('agents/memory-index.md.bak.1')).toBe(OLD);
    expect(project.read('agents/memory-index.md')).toMatch(/^\/when [a-z ]+ \| Exit codes \| /m);
  });

  it('fails where nothing could be converted, and writes nothing', async () => {
    const arrows = OLD.replace('—', '→').replace('Exit', '- Exit');
    project.write('agents/memory-index.md', arrows);
    const { code, out, err } = await project.cue('when', 'migrate');

    expect(code).toBe(1);
    expect(out).toMatch(/^entries converted: 0$/m);
    expect(out).toContain('Left as they were (lines');
    expect(err).toBe(
      'agents/memory-index.md was left as it is: no rule can decide what is listed\n',
    );
    expect(project.read('agents/memory-index.md')).toBe(arrows);
    expect(existsSync(join(project.root, 'agents', 'memory-index.md.bak'))).toBe(false);
  });

  it('prints its report as a document', async () => {
    const dry = await project.json('when', 'migrate', '--dry-run');
    const real = await project.json('when', 'migrate');
    const again = await project.json('when', 'migrate');
    const report = expect.objectContaining({ converted: [expect.anything()], unresolved: [] });

    expect(dry).toEqual({
      code: 0,
      document: { changed: true, report, text: project.read('agents/memory-index.md') },
    });
    expect(real).toEqual({
      code: 0,
      document: {
        changed: true,
        report,
        backup: join(project.root, 'agents', 'memory-index.md.bak'),
      },
    });
    expect(again.document).toMatchObject({ changed: false, backup: null });
    expect(existsSync(join(project.root, 'agents', 'memory-index.md.bak.1'))).toBe(false);
  });
});

describe('cue when remember', () => {
  const LINE = 'printing colours | Colours | none in pipes, respect the NO_COLOR variable';
  const FIELDS = [
    ...['--trigger', 'printing colours', '--header', 'Colours'],
    ...['--description', 'none in pipes, respect the NO_COLOR variable'],
  ];

  it.each([
    ['options', FIELDS],
    ['one line', [LINE]],
    ['one line with its slash command', [`/when ${LINE}`]],
    ['one line as it is listed', [`- /when ${LINE}`]],
  ])('writes an entry and its section from %s', async (_how, argv) => {
    const more = ['--file', 'cli.md', '--content', 'None in pipes.'];
    const { code, out, err } = await project.cue('when', 'remember', ...argv, ...more);

    expect({ code, out, err }).toEqual({
      code: 0,
      out: `agents/memory-index.md:6: /when ${LINE}\n`,
      err: 'section "Colours" added to cli.md\n',
    });
    expect(project.read('agents/memory-index.md').split('\n')[5]).toBe(`/when ${LINE}`);
    expect(project.read('agents/decisions/cli.md')).toBe(`${CLI}\n## Colours\n\nNone in pipes.\n`);
    expect((await project.cue('when', 'validate')).code).toBe(0);
  });

  it('prints what it did as a document, and does it once', async () => {
    const argv = ['when', 'remember', LINE, '--file', 'cli.md', '--content', 'None in pipes.'];
    const document = {
      entry: `/when ${LINE}`,
      line: 6,
      file: 'cli.md',
      header: 'Colours',
      sectionAdded: true,
      changed: true,
    };

    expect(await project.json(...argv)).toEqual({ code: 0, document });
    expect(await project.json(...argv)).toEqual({
      code: 0,
      document: { ...document, sectionAdded: false, changed: false },
    });
    expect((await project.cue(...argv)).err).toBe('it was there already\n');
  });

  it('takes the content from standard input or a file', async () => {
    const file = project.write('note.md', '- A list first.\n');
    const stdin = '- A list first.\n';
    const first = ['when', 'remember', LINE, '--file', 'cli.md', '--content-file', 'note.md'];
    const second = ['when', 'remember', LINE.replaceAll(/colour/gi, 'prompt'), '--file', 'cli.md'];

    expect((await project.cue(...first)).code).toBe(0);
    expect((await project.cueWith({ stdin }, ...second, '--content', '-')).code).toBe(0);
    expect((await project.cue(...second, '--content', '- A list first.')).err).toBe(
      'it was there already\n',
    );
    expect(project.read('agents/decisions/cli.md').split('- A list first.')).toHaveLength(3);
    expect(file).toContain('note.md');
  });

  it('makes an index where one is named', async () => {
    const argv = ['--index', 'new/index.md', '--file', 'notes.md', '--content', 'None in pipes.'];
    const { code } = await project.cue('when', 'remember', LINE, '--how', ...argv);

    expect(code).toBe(0);
    expect(project.read('new/index.md')).toContain(`/how ${LINE}`);
    expect(project.read('new/decisions/notes.md')).toContain('None in pipes.');
  });

  it.each([
    [
      'an entry without its fields',
      ['--trigger', 'printing colours'],
      2,
      /^cue: header: is missing: --header; description: is missing: --description\n$/,
    ],
    ['a line that is no entry', ['printing colours | Colours'], 2, /^cue: an entry is one line /],
    [
      'content twice',
      [LINE, '--content', 'x', '--content-file', 'x'],
      2,
      /^cue: give --content or --content-file, not both\n$/,
    ],
    [
      'a content file that is not there',
      [LINE, '--content-file', 'x.md'],
      2,
      /^cue: there is no file x\.md\n$/,
    ],
    [
      'a draft that is too short',
      ['printing colours | Colours | none', '--file', 'cli.md', '--content', 'x'],
      2,
      /^cue: description: .*\d+ words/,
    ],
    [
      'a trigger that leads elsewhere',
      [
        LINE.replace('printing colours', 'writing mock tests'),
        '--file',
        'cli.md',
        '--content',
        'x',
      ],
      2,
      /^cue: the trigger "writing mock tests" leads to/,
    ],
    ['a header without its section', [LINE], 3, /^cue: no file has a section "Colours"/],
  ])('refuses %s, and writes nothing', async (_what, argv, exit, message) => {
    const { code, out, err } = await project.cue('when', 'remember', ...argv);

    expect({ code, out }).toEqual({ code: exit, out: '' });
    expect(err).toMatch(message);
    expect(project.read('agents/memory-index.md')).toBe(INDEX);
    expect(project.read('agents/decisions/testing.md')).toBe(TESTING);
    expect(project.read('agents/decisions/cli.md')).toBe(CLI);
  });

  it('makes no file anew that entries lead to and that is away', async () => {
    const file = join(project.root, 'agents/decisions/cli.md');
    rmSync(file);
    const argv = ['when', 'remember', LINE, '--file', 'cli.md', '--content', 'None in pipes.'];
    const { code, out, err } = await project.cue(...argv);

    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^cue: cli\.md is not there, and entries of the index lead to it \(lines: [\d, ]+\): bring it back, or remove them, first\n$/,
    );
    expect(existsSync(file)).toBe(false);
    expect(project.read('agents/memory-index.md')).toBe(INDEX);
  });

  it('says why it refuses as a document', async () => {
    expect(await project.json('when', 'remember', '--header', 'x')).toEqual({
      code: 2,
      document: {
        error: {
          code: 'INVALID_INPUT',
          message: 'trigger: is missing: --trigger; description: is missing: --description',
          details: {
            findings: [
              { field: 'trigger', message: 'is missing: --trigger' },
              { field: 'description', message: 'is missing: --description' },
            ],
          },
        },
      },
    });
  });
});
