import { describe, expect, it } from 'vitest';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import { normalizePhrase } from '../../src/when/phrases.js';
import { parseRequests } from '../../src/when/requests.js';
import { createResolver, type FoundSection, type Rank } from '../../src/when/resolve.js';
import type { Answer, Library } from '../../src/when/types.js';

const TESTING = `# Testing

## .Mock Patching

Everything on mocks.

### Mock Patching Pattern

Patch where it is used.

### Test Module Split Strategy

One file a module.

#### Naming

After the module.

## Fixtures

Small ones.

## Snapshots

None.
`;

const LIBRARY = libraryOf(
  `# Memory Index

## agents/decisions/testing.md

/when organizing test files | Test module split strategy | one file a module
/when writing mock tests | Mock patching pattern | patch where used, not defined
/how naming test files | Naming | after the module
/when making fixtures | Fixtures | small ones
/when taking snapshots | Snapshots | none at all
/when losing a section | No such heading | leads nowhere

## agents/decisions/api/auth.md

/when naming things | Naming | short words
/when renewing tokens | Tokens | an hour
/when expiring tokens | Tokens | an hour

## agents/decisions/auth.md

/when naming things | Roles | by what they may do
`,
  {
    'testing.md': TESTING,
    'api/auth.md': '# Auth\n\n## Overview\n\n### Naming\n\nShort.\n\n### Tokens\n\nAn hour.\n',
    'auth.md': '## Overview\n\n### Roles\n\nFew.\n\n## Plain.md\n\nNot a file.\n',
  },
);

function libraryOf(index: string, files: Record<string, string>): Library {
  const parsed = Object.entries(files).map(([path, text]) => parseDecisionFile(path, text));
  return buildLibrary(parseIndex(index), parsed);
}

/** Finds by most of the share of common words: enough to see what is made of what is ranked. */
function rankOf(library: Library): Rank {
  const distinct = (found: FoundSection[]) =>
    found.filter((one, at) => found.findIndex(({ section }) => section === one.section) === at);
  const words = (text: string) => new Set(normalizePhrase(text).split(' '));
  const ranked = (query: string): FoundSection[] => {
    const asked = words(query);
    return library.entries
      .flatMap((entry) => {
        if (entry.section === null) return [];
        const own = words(`${entry.phrase} ${entry.header}`);
        const shared = [...asked].filter((word) => own.has(word)).length;
        return [{ section: entry.section, entry, confidence: (0.71 * shared) / asked.size }];
      })
      .sort((a, b) => b.confidence - a.confidence);
  };
  return (query, limit) => distinct(ranked(query)).slice(0, limit);
}

async function ask(text: string, library = LIBRARY): Promise<Answer[]> {
  const resolver = createResolver({
    library: () => library,
    rank: rankOf(library),
  });
  return (await resolver.resolve(parseRequests(text))).results;
}

async function one(text: string, library = LIBRARY): Promise<Answer> {
  const [answer] = await ask(text, library);
  if (answer === undefined) throw new Error('no answer');
  return answer;
}

function lines(answer: Answer): string[] {
  return answer.related.map(({ command, note }) => `${command} # ${note}`);
}

describe('a trigger', () => {
  it('is found exactly, with its content, four more matches and what leads on', async () => {
    const answer = await one('/when Writing mock-tests');
    expect({ ...answer, matches: answer.matches.slice(0, 1) }).toEqual({
      query: 'Writing mock-tests',
      found: 'exact',
      confidence: 1,
      matches: [
        {
          rank: 1,
          header: 'Mock Patching Pattern',
          file: 'testing.md',
          line: 7,
          trigger: 'writing mock tests',
          description: 'patch where used, not defined',
          confidence: 1,
          content: '\nPatch where it is used.\n\n',
        },
      ],
      related: [
        { command: '/when organizing test files', note: 'Test Module Split Strategy (sibling)' },
        { command: '/when § .Mock Patching', note: 'Full parent section' },
        { command: '/when § testing.md', note: 'Full testing.md file' },
      ],
      suggestions: [],
    });
    expect(answer.matches.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
    expect(answer.matches.filter((match) => match.content !== undefined).length).toBe(1);
    expect(new Set(answer.matches.map((match) => match.header)).size).toBe(5);
  });

  it('is answered with the nearest section when that is near enough', async () => {
    const answer = await one('/when mock tests');
    expect([answer.found, answer.confidence, answer.matches[0]?.header]).toEqual([
      'hybrid',
      0.71,
      'Mock Patching Pattern',
    ]);
    expect(answer.matches[0]?.content).toBe('\nPatch where it is used.\n\n');
    expect(answer.related.length).toBe(3);
  });

  it('is not answered below the floor, but the ranking and suggestions are there', async () => {
    const answer = await one('/when baking fresh fixtures');
    expect([answer.found, answer.confidence, answer.message, answer.related]).toEqual([
      'none',
      0,
      undefined,
      [],
    ]);
    expect(answer.matches[0]).toEqual({
      rank: 1,
      header: 'Fixtures',
      file: 'testing.md',
      line: 19,
      trigger: 'making fixtures',
      description: 'small ones',
      confidence: 0.71 / 3,
    });
    expect(answer.matches.length).toBe(5);
    expect(answer.suggestions[0]).toBe('/when making fixtures');
  });

  it('that is not found gets commands near by content, then commands spelled alike', async () => {
    const { entries } = LIBRARY;
    const ranked = [3, 4, 0].flatMap((at) => {
      const entry = entries[at];
      const confidence = at === 0 ? 0.01 : 0.2;
      return entry?.section ? [{ entry, section: entry.section, confidence }] : [];
    });
    const resolver = createResolver({
      library: () => LIBRARY,
      rank: () => ranked,
    });
    const { results } = await resolver.resolve(parseRequests('something else'));
    expect(results[0]?.suggestions).toEqual(['/when making fixtures', '/when taking snapshots']);
    // What is near comes first, then what makes up five.
    expect(results[0]?.matches.map(({ header, confidence }) => [header, confidence])).toEqual([
      ['Fixtures', 0.2],
      ['Snapshots', 0.2],
      ['Test Module Split Strategy', 0.01],
      ['Mock Patching Pattern', 0],
      ['Naming', 0],
    ]);
  });

  it('of several entries gives the first and names the others', async () => {
    const answer = await one('/when naming things');
    expect(answer.found).toBe('exact');
    expect(
      answer.matches.slice(0, 2).map(({ header, confidence }) => [header, confidence]),
    ).toEqual([
      ['Naming', 1],
      ['Roles', 1],
    ]);
    expect(answer.message).toBe('also stands for "Roles" (auth.md:3)');
    expect(answer.matches[1]?.content).toBeUndefined();
  });

  it('whose entry leads nowhere is not found exactly', async () => {
    const answer = await one('/when losing a section');
    expect(answer.found).toBe('none');
    expect(answer.matches.map(({ header }) => header)).not.toContain('No such heading');
    expect(answer.message).toBe(
      '"losing a section" (line 10 of the index) leads to "No such heading", which testing.md does not have.',
    );
  });

  it('whose entry leads nowhere says so', async () => {
    const library = libraryOf(
      '/when one thing | A | words\n\n## a.md\n\n/when two things | Fixtures of tests | words\n' +
        '/when making three things | C | words\n\n## Rules\n\n/when four things | D | words\n',
      { 'a.md': '## Test fixtures\n\n## .Fixtures\n\n## C\n' },
    );
    const messages = [];
    for (const text of ['Two things', 'one thing', 'four-things']) {
      messages.push((await one(text, library)).message);
    }
    expect(messages).toEqual([
      '"two things" (line 5 of the index) leads to "Fixtures of tests", which a.md does not have.',
      '"one thing" (line 1 of the index) stands under no decision file.',
      '"four things" (line 10 of the index) stands under "Rules", which names no decision file.',
    ]);
    const answer = (await ask('two things', library))[0];
    expect(answer?.suggestions).toEqual(['/when making three things']);
  });

  it('whose entry leads nowhere may be answered by content, and says so, too', async () => {
    const library = libraryOf(
      '## a.md\n\n/when making mocks | Gone | words\n/when making mocks well | Mocks | words\n',
      { 'a.md': '## Mocks\n\ntext\n' },
    );
    const answer = await one('making mocks', library);
    expect([answer.found, answer.matches[0]?.header, answer.message]).toEqual([
      'hybrid',
      'Mocks',
      '"making mocks" (line 3 of the index) leads to "Gone", which a.md does not have',
    ]);
  });

  it('that is like nothing gets the nearest few all the same', async () => {
    const resolver = createResolver({
      library: () => LIBRARY,
      rank: () => [],
    });
    const { results } = await resolver.resolve(parseRequests('zebra\nfixing'));
    expect(results.map(({ suggestions }) => suggestions)).toEqual([
      ['/when organizing test files', '/when writing mock tests', '/how naming test files'],
      ['/when making fixtures', '/how naming test files'],
    ]);
  });

  it('that looks like what § names is taken for it', async () => {
    expect((await one('/when .mock patching')).matches[0]?.header).toBe('.Mock Patching');
    expect((await one('/when testing.md')).matches[0]?.header).toBe('testing.md');
    expect((await one('/when editing testing.md')).found).toBe('none');
  });
});

describe('what leads on', () => {
  it('from an entry without a section above are the plain sections of its level', async () => {
    expect(lines(await one('/when making fixtures'))).toEqual([
      '/when taking snapshots # Snapshots (sibling)',
      '/when § testing.md # Full testing.md file',
    ]);
  });

  it('from an entry deeper down is the nearest heading above', async () => {
    expect(lines(await one('/how naming test files'))).toEqual([
      '/when § Test Module Split Strategy # Full parent section',
      '/when § testing.md # Full testing.md file',
    ]);
  });

  it('names a file by its path, and no section at all, when the name is not unique', async () => {
    expect(lines(await one('/when renewing tokens'))).toEqual([
      '/when naming things # Naming (sibling)',
      '/when § api/auth.md # Full api/auth.md file',
    ]);
    expect((await one('/when § auth.md')).matches[0]?.file).toBe('auth.md');
  });

  it('from a section are all entries in it, then the file', async () => {
    expect(lines(await one('/when § .Mock Patching'))).toEqual([
      '/when organizing test files # Test Module Split Strategy (child)',
      '/when writing mock tests # Mock Patching Pattern (child)',
      '/how naming test files # Naming (child)',
      '/when § testing.md # Full testing.md file',
    ]);
  });

  it('from a file are its entries in the order of the index, each section once', async () => {
    expect(lines(await one('/when § testing.md'))).toEqual([
      '/when organizing test files # Test Module Split Strategy (entry)',
      '/when writing mock tests # Mock Patching Pattern (entry)',
      '/how naming test files # Naming (entry)',
      '/when making fixtures # Fixtures (entry)',
      '/when taking snapshots # Snapshots (entry)',
    ]);
    expect(lines(await one('/when § api/auth'))).toEqual([
      '/when naming things # Naming (entry)',
      '/when renewing tokens # Tokens (entry)',
    ]);
  });

  it('is listed once over a batch, and nothing that the batch answered', async () => {
    const results = await ask(
      '/when\n- writing mock tests\n- organizing test files\n- § testing.md',
    );
    expect(results.map(lines)).toEqual([
      ['/when § .Mock Patching # Full parent section'],
      [],
      [
        '/how naming test files # Naming (entry)',
        '/when making fixtures # Fixtures (entry)',
        '/when taking snapshots # Snapshots (entry)',
      ],
    ]);
  });

  it('leads, typed as it stands, to what its note says', async () => {
    const starts = LIBRARY.entries.flatMap(({ phrase, section }) => (section ? [phrase] : []));
    const files = LIBRARY.files.map(({ path }) => `§ ${path}`);
    const answers = await ask(['/when', ...starts, '§ .Mock Patching', ...files].join('\n- '));
    const leads = (await Promise.all(answers.map(({ query }) => one(query)))).flatMap(
      ({ related }) => related,
    );
    expect(leads.length).toBeGreaterThan(20);
    for (const { command, note } of leads) {
      const { found, matches } = await one(`- ${command.padEnd(40)}# ${note}`);
      // More than one only where a trigger stands for several.
      const named = matches.filter(({ confidence }) => confidence === 1);
      const notes = named.flatMap(({ header }) => [
        ...['sibling', 'child', 'entry'].map((relation) => `${header} (${relation})`),
        `Full ${header} file`,
      ]);
      expect([...notes, 'Full parent section']).toContain(note);
      expect(found).toBe('exact');
    }
  });

  it('is told apart where two sections have the same headings above and title', async () => {
    const library = libraryOf(
      '## a.md\n\n/when one thing | Usage | words\n/when two things | End | words\n',
      {
        'a.md': '## Part\n\n### Usage\n\n1\n\n## Part\n\n### Usage\n\n2\n\n### End\n\n3\n',
      },
    );
    expect(lines(await one('/when two things', library))).toEqual([
      '/when § a.md # Full a.md file',
    ]);
  });
});

describe('§', () => {
  it.each(['§ .Mock Patching', '§ mock   patching', '/when §.MOCK PATCHING'])(
    '%s gives the whole section',
    async (text) => {
      const answer = await one(text);
      expect([answer.found, answer.confidence, answer.matches[0]?.header]).toEqual([
        'exact',
        1,
        '.Mock Patching',
      ]);
      const end = TESTING.indexOf('## Fixtures');
      const start = TESTING.indexOf('\nEverything on mocks.');
      expect(answer.matches[0]?.content).toBe(TESTING.slice(start, end));
    },
  );

  it('prefers the structural section to a plain one of the same title', async () => {
    const library = libraryOf('', { 'a.md': '## Errors\n\nplain\n\n## .Errors\n\ngroup\n' });
    expect((await one('§ errors', library)).matches[0]?.line).toBe(5);
  });

  it.each([
    ['§ testing.md', 'testing.md'],
    ['§ testing', 'testing.md'],
    ['§ Testing.md', 'testing.md'],
    ['§ api/auth.md', 'api/auth.md'],
    ['§ agents/decisions/api/auth.md', 'api/auth.md'],
    ['§ ./testing.md', 'testing.md'],
  ])('%s gives the whole file', async (text, path) => {
    const answer = await one(text);
    expect([answer.found, answer.matches[0]?.file, answer.matches[0]?.line]).toEqual([
      'exact',
      path,
      1,
    ]);
    expect(answer.matches[0]?.content).toBe(LIBRARY.files.find((file) => file.path === path)?.text);
  });

  it('tells files apart by letter case where only that does', async () => {
    const library = libraryOf('', { 'Auth.md': '## A\n', 'auth.md': '## B\n' });
    expect((await one('§ auth.md', library)).matches[0]?.file).toBe('auth.md');
    expect((await one('§ Auth.md', library)).matches[0]?.file).toBe('Auth.md');
    expect((await one('§ AUTH.md', library)).found).toBe('none');
  });

  it('reads a name that ends like a file as a title when there is no such file', async () => {
    expect((await one('§ plain.md')).matches[0]?.header).toBe('Plain.md');
  });

  it('gives the entry of the section with it', async () => {
    expect((await one('§ Fixtures')).matches[0]).toMatchObject({
      trigger: 'making fixtures',
      description: 'small ones',
    });
  });

  it('lists what there is when the section is unknown, closest first', async () => {
    const answer = await one('§ .Mock Pathcing');
    expect([answer.found, answer.related]).toEqual(['none', []]);
    expect(answer.message).toBe(
      'No section ".Mock Pathcing". The closest of 10: § .Mock Patching, § Mock Patching Pattern, ' +
        '§ Naming, § Plain.md, § Test Module Split Strategy, § Fixtures, § Snapshots, § Overview.',
    );
    expect(answer.suggestions[0]).toBe('/when § .Mock Patching');
    expect(answer.matches.length).toBe(5);
  });

  it('lists what there is when the file is unknown', async () => {
    const answer = await one('§ test.md');
    expect(answer.message).toBe(
      'No file "test.md". There are: § testing.md, § auth.md, § api/auth.md.',
    );
    expect(answer.suggestions[0]).toBe('/when § testing.md');
  });

  it('says where the sections of an ambiguous title are', async () => {
    const answer = await one('§ Overview');
    expect([answer.found, answer.confidence]).toEqual(['none', 0]);
    expect(answer.message).toBe(
      '"Overview" is ambiguous, it stands for 2: api/auth.md:3, auth.md:1.',
    );
    expect(answer.suggestions).toEqual(['/when § api/auth.md', '/when § auth.md']);
    expect(answer.matches.slice(0, 2).map(({ file, confidence }) => [file, confidence])).toEqual([
      ['api/auth.md', 0.5],
      ['auth.md', 0.5],
    ]);
  });

  it('says that there is nothing in an empty library', async () => {
    const empty = libraryOf('', {});
    expect((await one('§ .Any', empty)).message).toBe('No section ".Any": there are none.');
    expect((await one('§ any.md', empty)).message).toBe('No file "any.md": there are none.');
    expect((await one('/when writing mock tests', empty)).suggestions).toEqual([]);
  });
});

it('answers what cannot be answered with what is wrong, in its place', async () => {
  const results = await ask(`/when\n- ${'x'.repeat(600)}\n- writing mock tests`);
  expect(results.map(({ found, message }) => [found, message])).toEqual([
    ['none', 'Too long: 600 characters, at most 500 are allowed.'],
    ['exact', undefined],
  ]);
  expect(results[0]?.matches).toEqual([]);
});

it('answers from the library as it is now', async () => {
  let library = libraryOf('## a.md\n\n/when one thing | A | words\n', { 'a.md': '## A\n\nold\n' });
  const rank: Rank = (query, limit) => rankOf(library)(query, limit);
  const resolver = createResolver({ library: () => library, rank });
  const content = async () =>
    (await resolver.resolve(parseRequests('§ A'))).results[0]?.matches[0]?.content;
  expect(await content()).toBe('\nold\n');
  library = libraryOf('## a.md\n\n/when one thing | A | words\n', { 'a.md': '## A\n\nnew\n' });
  expect(await content()).toBe('\nnew\n');
});

it('no match is surer than one that is ranked above it', async () => {
  const finder = rankOf(LIBRARY);
  const rank = async (query: string, limit: number) =>
    (await finder(query, limit)).map((one, at) => ({
      ...one,
      confidence: at === 1 ? 0.2 : 0.1,
    }));
  const resolver = createResolver({
    library: () => LIBRARY,
    rank,
  });
  const { results } = await resolver.resolve(parseRequests('baking bread'));
  expect(results[0]?.found).toBe('none');
  expect(results[0]?.matches.map(({ confidence }) => confidence)).toEqual([
    0.1, 0.1, 0.1, 0.1, 0.1,
  ]);
});
