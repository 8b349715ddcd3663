import { mkdirSync, readdirSync, rmSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/shared/errors.js';
import { readFolder } from '../../src/when/disk/read.js';
import { writeLocked } from '../../src/when/disk/write.js';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import { CONSUMPTION_HEADER } from '../../src/when/migrate/consumption-header.js';
import { type RememberDeps, remember } from '../../src/when/remember.js';
import type { RememberDraft } from '../../src/when/types.js';
import { validate } from '../../src/when/validate.js';
import type { WhenTask } from '../helpers/when-child.js';
import { type DiskRoom, diskRoom } from './disk-room.js';
import { startWhenChild } from './when-children.js';

const INDEX = `# Memory Index

## agents/decisions/testing.md

/when writing mock tests | Mock patching pattern | patch where used, not where defined
`;
const TESTING = `# Testing

## .Mocks

### Mock Patching Pattern

Patch where it is used.

### Mock Return Values

Say what they give back.
`;

const SPLIT: RememberDraft = {
  trigger: 'organizing test files',
  header: 'Test Module Split',
  description: 'one file per module, below 400 lines',
  file: 'testing.md',
  content: 'Split by module.\n\nBelow 400 lines.',
};

function filled(): DiskRoom {
  const room = diskRoom();
  room.putIndex(INDEX);
  room.put('testing.md', TESTING);
  return room;
}

const depsOf = ({ paths }: DiskRoom): RememberDeps => ({
  paths,
  read: readFolder,
});

const texts = (room: DiskRoom) => ({ index: room.index(), testing: room.read('testing.md') });

async function problemsOf({ paths }: DiskRoom): Promise<string[]> {
  const { index, files } = await readFolder(paths);
  const parsed = files.map(({ path, text }) => parseDecisionFile(path, text));
  const { problems } = validate(buildLibrary(parseIndex(index?.text ?? ''), parsed));
  return problems.map(({ code, message }) => `${code}: ${message}`);
}

describe('remembering', () => {
  it('adds an entry for a section that is there, spelled and ordered as in the file', async () => {
    const room = filled();
    const made = await remember(depsOf(room), {
      trigger: '  Faking   Return values ',
      header: 'mock return VALUES',
      description: 'say what a mock gives back',
    });
    const entry = '/when faking return values | Mock Return Values | say what a mock gives back';
    expect(made).toEqual({
      entry,
      line: 6,
      file: 'testing.md',
      header: 'Mock Return Values',
      sectionAdded: false,
      changed: true,
    });
    expect(texts(room)).toEqual({ index: `${INDEX}${entry}\n`, testing: TESTING });
    expect(await problemsOf(room)).toEqual([]);
  });

  it('adds the section, too, when its content is given, below the one that it is put under', async () => {
    const room = filled();
    const made = await remember(depsOf(room), { ...SPLIT, under: '.Mocks', prefix: 'how' });
    expect(made).toMatchObject({ line: 6, sectionAdded: true, changed: true });
    expect(texts(room)).toEqual({
      index: `${INDEX}/how organizing test files | Test Module Split | one file per module, below 400 lines\n`,
      testing: `${TESTING}\n### Test Module Split\n\nSplit by module.\n\nBelow 400 lines.\n`,
    });
  });

  it('refuses content with headings, which would be sections without an entry', async () => {
    const room = filled();
    const content = '# Test Module Split\n\nSplit.\n\n### Sizes\n\nBelow 400 lines.';
    await expect(remember(depsOf(room), { ...SPLIT, content })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message:
        'content: has the heading "Sizes", which would be a section without an entry: write it in bold',
    });
    expect(texts(room)).toEqual({ index: INDEX, testing: TESTING });
  });

  it('changes nothing when it is asked for the same again', async () => {
    const room = filled();
    const first = await remember(depsOf(room), SPLIT);
    const before = texts(room);
    const second = await remember(depsOf(room), SPLIT);
    expect(second).toEqual({ ...first, sectionAdded: false, changed: false });
    expect(texts(room)).toEqual(before);
  });

  it.each([
    ['Use `vi.mock` *once*', 'Use vi.mock once'],
    ['A &amp; B &#124; C', 'A & B | C'],
    ['The __init__ module', 'The init module'],
    ['A <!-- b', 'A <!-- b'],
    ['1. Ordered #', '1. Ordered #'],
  ])('finds the section titled %s again', async (header, title) => {
    const room = filled();
    const first = await remember(depsOf(room), { ...SPLIT, header });
    expect(first).toMatchObject({ header: title, changed: true });
    expect(await remember(depsOf(room), { ...SPLIT, header })).toEqual({
      ...first,
      sectionAdded: false,
      changed: false,
    });
  });

  it.each(['__init__.md', 'a b.md', '1. x.md', "it's (new).md"])(
    'makes the file %s',
    async (file) => {
      const room = filled();
      const made = await remember(depsOf(room), { ...SPLIT, file });
      expect(made).toMatchObject({ file, changed: true });
      expect(room.read(file)).toContain('\n## Test Module Split\n');
    },
  );

  it.each([
    ['testing.md', 'testing.md'],
    ['Testing.MD', 'testing.md'],
    ['agents\\decisions\\testing.md', 'testing.md'],
    ['web/login.md', 'web/login.md'],
    ['./api/tests.md', 'api/tests.md'],
  ])('takes %s for %s', async (given, file) => {
    const room = filled();
    room.put('api/auth.md', '# Auth\n');
    expect(await remember(depsOf(room), { ...SPLIT, file: given })).toMatchObject({ file });
    expect(room.read(file)).toContain('\n## Test Module Split\n');
  });

  it('makes index, folder and file where there are none', async () => {
    const room = diskRoom();
    rmSync(dirname(room.paths.index), { recursive: true });
    const made = await remember(depsOf(room), {
      ...SPLIT,
      file: 'agents/decisions/api/unit-tests.md',
    });
    expect(made).toMatchObject({ file: 'api/unit-tests.md', line: 15, changed: true });
    expect(room.index()).toBe(
      `# Memory Index\n\n${CONSUMPTION_HEADER}\n\n## api/unit-tests.md\n\n${made.entry}\n`,
    );
    expect(room.read('api/unit-tests.md')).toBe(
      '# Unit Tests\n\n## Test Module Split\n\nSplit by module.\n\nBelow 400 lines.\n',
    );
    expect(await problemsOf(room)).toEqual([]);
  });

  it('adds the section that an entry is still without', async () => {
    const room = filled();
    const line =
      '/when organizing test files | Test Module Split | one file per module, below 400 lines';
    room.putIndex(`${INDEX}${line}\n`);
    const made = await remember(depsOf(room), SPLIT);
    expect(made).toMatchObject({ entry: line, line: 6, sectionAdded: true, changed: true });
    expect(room.index()).toBe(`${INDEX}${line}\n`);
  });

  it('works it out again when an editor writes in between', async () => {
    const room = filled();
    let isFirst = true;
    await remember(
      {
        ...depsOf(room),
        write(changes, deps) {
          if (isFirst) room.put('testing.md', `${TESTING}\nEdited.\n`);
          isFirst = false;
          return writeLocked(changes, deps);
        },
      },
      SPLIT,
    );
    expect(room.read('testing.md')).toContain('Edited.\n\n## Test Module Split\n');
    expect(await problemsOf(room)).not.toContainEqual(expect.stringMatching(/Split/));
  });
});

describe('a draft is refused, with the reason, when', () => {
  const long = 'x'.repeat(301);
  it.each([
    ['the trigger is empty', { trigger: ' ' }, 'trigger: must not be empty'],
    [
      'the trigger has the slash command',
      { trigger: '/when writing tests' },
      'trigger: must not have the slash command in front',
    ],
    [
      'the trigger is a navigation',
      { trigger: '§ .Mocks' },
      'trigger: must not begin with "§", which leads to sections and files',
    ],
    [
      'the trigger turns text around',
      { trigger: 'a \u202eb' },
      'trigger: must not have invisible characters, or ones that turn text around',
    ],
    [
      'the header has a character that nobody sees',
      { header: 'a\u200b b' },
      'header: must not have invisible characters, or ones that turn text around',
    ],
    [
      'another file has the name',
      { file: 'sub/Testing.md' },
      'file: testing.md has this name, and "§ Testing.md" leads to one file: name that one, or choose another name',
    ],
    [
      'the trigger has nine words',
      { trigger: 'one two three four five six seven eight nine' },
      'trigger: has 9 words: 2 to 5 are usual, 8 the most',
    ],
    ['the header has two lines', { header: 'a\nb' }, 'header: must be one line'],
    [
      'the header has its marks',
      { header: '## A' },
      'header: must be the title alone, without "#"',
    ],
    [
      'the header is structural',
      { header: '.Mocks' },
      'header: must not begin with a dot: such sections group others, are reached by "§" and have no entry',
    ],
    [
      'the description is too long',
      { description: long },
      'description: must have at most 300 characters',
    ],
    [
      'the words are too few',
      { description: 'short' },
      'description: makes 7 words together with trigger and header, not 8 to 20: add the words that one would search for',
    ],
    [
      'the words are too many',
      { description: 'a b c d e f g h i j k l m n o' },
      'description: makes 21 words together with trigger and header, not 8 to 20: shorten it, the section has room for the rest',
    ],
    ['the content is blank', { content: ' \n' }, 'content: must not be empty'],
    [
      'the content has conflict markers, which would stop every later writer',
      { content: 'Ours:\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs' },
      'content: must not have merge conflict markers: resolve the merge first, or show them in a code block',
    ],
    ['the file is above', { file: '../x.md' }, 'file: must lie below the decisions folder'],
    ['the file is absolute', { file: '/etc/x.md' }, 'file: must lie below the decisions folder'],
    ['the file is on a drive', { file: 'c:\\x.md' }, 'file: must lie below the decisions folder'],
    [
      'the file goes up inside',
      { file: 'a\\..\\x.md' },
      'file: must lie below the decisions folder',
    ],
    ['the new file is no markdown', { file: 'x.txt' }, 'file: must end in ".md"'],
    [
      'the new file would be hidden',
      { file: '.git/x.md' },
      'file: has a part that is empty, hidden or never read',
    ],
    [
      'there is a place but no content',
      { under: '.Mocks', content: undefined },
      'under: is only for a new section: give its content, too',
    ],
    [
      'nobody says which file',
      { file: undefined },
      'file: is missing: say into which file the new section goes',
    ],
  ] as [string, Partial<RememberDraft>, string][])('%s', async (_, change, message) => {
    const room = filled();
    await expect(remember(depsOf(room), { ...SPLIT, ...change })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message,
    });
    expect(texts(room)).toEqual({ index: INDEX, testing: TESTING });
  });

  it('its content is over 256 KB', async () => {
    const room = filled();
    const content = 'é'.repeat(131_073);
    await expect(remember(depsOf(room), { ...SPLIT, content })).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
  });

  it.each(['trigger', 'header', 'description', 'content'] as const)(
    'the %s has a secret',
    async (field) => {
      const room = filled();
      const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
      const draft = { ...SPLIT, [field]: `${SPLIT[field]} ${secret}` };
      const error: unknown = await remember(depsOf(room), draft).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'SECRET_REJECTED', details: { field } });
      expect(JSON.stringify(error) + String(error)).not.toContain('a1B2');
      expect(texts(room)).toEqual({ index: INDEX, testing: TESTING });
    },
  );

  it('the trigger leads to another section', async () => {
    const room = filled();
    const draft = { ...SPLIT, trigger: 'Writing mock-tests' };
    await expect(remember(depsOf(room), draft)).rejects.toMatchObject({
      code: 'DUPLICATE',
      message:
        'the trigger "writing mock-tests" leads to "Mock patching pattern" already (line 5: /when writing mock tests | Mock patching pattern | patch where used, not where defined)',
      details: { line: 5 },
    });
  });

  it('the section has an entry, or the entry another description', async () => {
    const room = filled();
    const draft = {
      trigger: 'patching things',
      header: 'mock patching pattern',
      description: 'where to patch what is used',
    };
    await expect(remember(depsOf(room), draft)).rejects.toMatchObject({
      code: 'DUPLICATE',
      message: expect.stringMatching(/^"Mock patching pattern" has an entry already \(line 5/),
    });
    const other = { ...draft, trigger: 'writing mock tests' };
    await expect(remember(depsOf(room), other)).rejects.toMatchObject({
      code: 'DUPLICATE',
      message: expect.stringMatching(/^this entry has another description already \(line 5/),
    });
  });

  it('the section is there with other content', async () => {
    const room = filled();
    const draft = { ...SPLIT, header: 'Mock Return Values' };
    await expect(remember(depsOf(room), draft)).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { file: 'testing.md', line: 9 },
    });
    expect(texts(room)).toEqual({ index: INDEX, testing: TESTING });
  });

  it('the header is in no file, or in several', async () => {
    const room = filled();
    const draft = { ...SPLIT, file: undefined, content: undefined };
    await expect(remember(depsOf(room), { ...draft, header: 'Mock Values' })).rejects.toMatchObject(
      {
        code: 'NOT_FOUND',
        message:
          'no file has a section "Mock Values": give its content; there are: Mock Return Values, Mock Patching Pattern',
      },
    );
    room.put('other.md', '# O\n\n## Mock return values\n');
    await expect(
      remember(depsOf(room), { ...draft, header: 'Mock Return Values' }),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'file: is missing, and several have "Mock Return Values": other.md, testing.md',
    });
  });

  it('the file leads out of the folder', async () => {
    const room = filled();
    mkdirSync(join(room.root, 'out'));
    writeFileSync(join(room.root, 'out/x.md'), '# X\n');
    symlinkSync(join(room.root, 'out'), room.at('folder'));
    symlinkSync(join(room.root, 'out/x.md'), room.at('x.md'));
    for (const file of ['folder/x.md', 'folder/new.md', 'x.md']) {
      await expect(remember(depsOf(room), { ...SPLIT, file })).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    }
    expect(readdirSync(join(room.root, 'out'))).toEqual(['x.md']);
  });

  it('entries lead to its file, and the file is away', async () => {
    const room = filled();
    room.put('other.md', '# Other\n\n## Unrelated\n');
    rmSync(room.at('testing.md'));
    const before = [room.index(), readdirSync(room.paths.decisions)];
    for (const file of ['testing.md', 'agents/decisions/Testing.md']) {
      await expect(remember(depsOf(room), { ...SPLIT, file })).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringMatching(
          /^[Tt]esting\.md is not there, and entries of the index lead to it \(lines: 5\): bring it back, or remove them, first$/,
        ),
        details: { lines: [5] },
      });
    }
    expect([room.index(), readdirSync(room.paths.decisions)]).toEqual(before);
    expect(await remember(depsOf(room), { ...SPLIT, file: 'new.md' })).toMatchObject({
      file: 'new.md',
      changed: true,
    });
  });

  it('entries lead to its file, and all files are away', async () => {
    const room = filled();
    const again = '/when naming test files | Test Names | what a test is called and why it matters';
    room.putIndex(`${INDEX}${again}\n`);
    rmSync(room.paths.decisions, { recursive: true });
    await expect(remember(depsOf(room), SPLIT)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message:
        'testing.md is not there, and entries of the index lead to it (lines: 5, 6): bring it back, or remove them, first',
    });
    expect(readdirSync(dirname(room.paths.index))).toEqual(['index.md']);
  });

  it('its file was known and is away', async () => {
    const room = filled();
    room.put('other.md', '# Other\n\n## Unrelated\n');
    const deps = { ...depsOf(room), known: () => ['other.md', 'gone.md'] };
    await expect(remember(deps, { ...SPLIT, file: 'gone.md' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'gone.md was there and is not now: bring it back first',
    });
    expect(await remember(deps, { ...SPLIT, file: 'other.md' })).toMatchObject({ changed: true });
  });

  it('nobody says which file, and one cannot be read', async () => {
    const room = filled();
    writeFileSync(room.at('broken.md'), 'a\0b');
    const draft = {
      trigger: 'faking return values',
      header: 'Mock Return Values',
      description: 'say what a mock gives back',
    };
    for (const header of ['Mock Return Values', 'In No File']) {
      await expect(remember(depsOf(room), { ...draft, header })).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: `which file has "${header}" is not known while broken.md cannot be read: name the file`,
      });
    }
    expect(texts(room)).toEqual({ index: INDEX, testing: TESTING });
    expect(await remember(depsOf(room), { ...draft, file: 'testing.md' })).toMatchObject({
      file: 'testing.md',
      changed: true,
    });
  });

  it('the read fails, and makes no folder that was not there', async () => {
    const room = diskRoom();
    rmSync(dirname(room.paths.index), { recursive: true });
    const read = async (): Promise<never> => {
      throw new AppError('UNAVAILABLE', 'files are away');
    };
    const made: string[] = [];
    const watcher = watch(room.root, (_, name) => void made.push(String(name)));
    await expect(remember({ ...depsOf(room), read }, SPLIT)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    await sleep(20);
    watcher.close();
    expect(readdirSync(room.root)).toEqual([]);
    // Before the lock, so that nobody meets it on the way back either.
    expect(made).toEqual([]);
  });

  it('the index is there but cannot be read', async () => {
    const room = filled();
    writeFileSync(room.paths.index, 'a\0b');
    await expect(remember(depsOf(room), SPLIT)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(room.read('testing.md')).toBe(TESTING);
  });
});

describe('several at once', () => {
  const numbered = (who: string, count: number): RememberDraft[] =>
    Array.from({ length: count }, (_, number) => ({
      trigger: `doing ${who} thing ${number}`,
      header: `Rule ${who} ${number}`,
      description: 'what to keep in mind then',
      file: 'testing.md',
      content: `Text of ${who} ${number}.`,
    }));

  it('in one process lose nothing', async () => {
    const room = filled();
    const drafts = numbered('one', 6);
    await Promise.all(drafts.map((draft) => remember(depsOf(room), draft)));
    expect(parseIndex(room.index()).entries).toHaveLength(7);
    expect(await problemsOf(room)).toEqual([expect.stringMatching(/^orphan.*Mock Return Values/)]);
  });

  it('in two processes lose nothing', async () => {
    const room = filled();
    const children = await Promise.all([startWhenChild(), startWhenChild()]);
    const endings = await Promise.all(
      children.map((child, at) =>
        child.run({
          kind: 'remember',
          paths: room.paths,
          drafts: numbered(at === 0 ? 'one' : 'two', 10),
        }),
      ),
    );
    expect(endings).toEqual(endings.map(() => ({ code: 0, signal: null, stderr: '' })));
    expect(parseIndex(room.index()).entries).toHaveLength(21);
    expect(parseDecisionFile('testing.md', room.read('testing.md')).sections).toHaveLength(23);
    expect(await problemsOf(room)).toEqual([expect.stringMatching(/^orphan.*Mock Return Values/)]);
    expect(readdirSync(dirname(room.paths.index)).sort()).toEqual(['decisions', 'index.md']);
  });

  it.each([
    ['before anything took its place', 'staged', TESTING],
    ['between section and entry', 'renamed', `${TESTING}\n## Test Module Split\n`],
  ] as const)(
    'a process that is killed %s loses nothing',
    async (_, dieAt, beginning) => {
      const room = filled();
      const child = await startWhenChild();
      const task: WhenTask = { kind: 'remember', paths: room.paths, drafts: [SPLIT], dieAt };
      expect(await child.run(task)).toMatchObject({ signal: 'SIGKILL' });
      expect(room.index()).toBe(INDEX);
      expect(room.read('testing.md').startsWith(beginning)).toBe(true);

      const made = await remember(depsOf(room), SPLIT);
      expect(made).toMatchObject({ line: 6, sectionAdded: dieAt === 'staged', changed: true });
      expect(room.index()).toBe(`${INDEX}${made.entry}\n`);
      expect(room.read('testing.md')).toBe(
        `${TESTING}\n## Test Module Split\n\nSplit by module.\n\nBelow 400 lines.\n`,
      );
      expect(readdirSync(room.paths.decisions)).toEqual(['testing.md']);
      expect(readdirSync(dirname(room.paths.index)).sort()).toEqual(['decisions', 'index.md']);
    },
    30_000,
  );
});
