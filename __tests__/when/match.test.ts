import { beforeAll, describe, expect, it } from 'vitest';
import { builtInModel } from '../../src/embeddings/index.js';
import { createMatcher, type Matcher } from '../../src/when/match/matcher.js';
import { createTriggers } from '../../src/when/names.js';
import { createResolver, FLOOR } from '../../src/when/resolve.js';
import { OFFER_BAR } from '../../src/when/when-index.js';
import { FILES, INDEX, libraryOf } from './match-library.js';

async function matcherOf(index: string, files: Readonly<Record<string, string>>): Promise<Matcher> {
  const matcher = createMatcher(builtInModel());
  await matcher.load(libraryOf(index, files));
  return matcher;
}

let matcher: Matcher;
beforeAll(async () => {
  matcher = await matcherOf(INDEX, FILES);
});

const titles = (ranked: Awaited<ReturnType<Matcher['rank']>>) =>
  ranked.map(({ section }) => section.title);

describe('exact', () => {
  const exact = createTriggers(libraryOf(INDEX, FILES));

  it.each([
    'writing mock tests',
    '  Writing   MOCK tests ',
    '/when writing mock tests',
    '"writing mock tests"',
    'writing mock tests.',
    'Mock patching pattern',
    'mock Patching PATTERN',
  ])('finds the entry by %j', (phrase) => {
    expect(exact(phrase).map(({ line }) => line)).toEqual([5]);
  });

  it.each(['', '   ', 'writing mock', 'Doubles', 'Flaky network tests'])(
    'finds nothing by %j, which is neither a trigger nor the title of an entry',
    (phrase) => {
      expect(exact(phrase)).toEqual([]);
    },
  );

  it('knows a trigger before a title, and all entries of one trigger in the order of the index', () => {
    const two = libraryOf(
      '## a.md\n\n/when alpha | Beta | one\n/when beta | Gamma | two\n/when beta | Beta | three\n',
      { 'a.md': '## Beta\n\nb\n\n## Gamma\n\nc\n' },
    );
    expect(createTriggers(two)('beta').map(({ description }) => description)).toEqual([
      'two',
      'three',
    ]);
  });

  it('never finds an entry whose section is not there', async () => {
    const index = '## a.md\n\n/when going away | Gone | nowhere\n';
    const files = { 'a.md': '## Here\n\nText.\n' };
    const lost = await matcherOf(index, files);
    expect(createTriggers(libraryOf(index, files))('going away')).toEqual([]);
    expect(titles(await lost.rank('going away', 5))).not.toContain('Gone');
  });
});

describe('rank', () => {
  it.each([
    ['patch has no effect in my test', 'Mock patching pattern'],
    ['how to split a big test file', 'Test layout'],
    ['tests that wait for the clock', 'Frozen time'],
    ['send a huge file to the bucket', 'Multipart thresholds'],
    ['photo time zone', 'Capture time with zone'],
    ['worker grows and grows', 'Memory ceiling'],
    ['replaying recorded server answers', 'Flaky network tests'],
  ])('finds by %j the section "%s"', async (query, title) => {
    const [first] = await matcher.rank(query, 5);
    expect(first?.section.title).toBe(title);
    expect(first?.confidence).toBeGreaterThanOrEqual(FLOOR);
  });

  it.each([
    ['writting mok tests', 'Mock patching pattern'],
    ['uplaod larg files', 'Multipart thresholds'],
    ['limit sub-agent memory', 'Memory ceiling'],
    ['Testdateien anordnen: test layouts', 'Test layout'],
  ])('finds by %j, written otherwise than the index, "%s"', async (query, title) => {
    const [first] = await matcher.rank(query, 1);
    expect(first?.section.title).toBe(title);
  });

  it.each(['baking sourdough bread', 'kubernetes ingress certificates', 'choosing a mortgage'])(
    'is not sure enough to answer %j',
    async (query) => {
      const [first] = await matcher.rank(query, 5);
      expect(first?.confidence ?? 0).toBeLessThan(FLOOR);
    },
  );

  it('gives each section once, with the entry that fits better', async () => {
    const twice = await matcherOf(
      '## a.md\n\n/when packing boxes | Moving | cardboard\n/when renting vans | Moving | driver, keys\n',
      { 'a.md': '## Moving\n\nHow we move house.\n' },
    );
    const ranked = await twice.rank('rent a van', 5);
    expect(ranked.map(({ entry }) => entry?.phrase)).toEqual(['renting vans']);
  });

  it('finds sections without an entry, but no structural ones', async () => {
    const ranked = await matcher.rank('doubles stand in for network', 10);
    expect(titles(ranked)[0]).toBe('Flaky network tests');
    expect(ranked[0]?.entry).toBeNull();
    expect(titles(ranked)).not.toContain('.Doubles');
  });

  it('does not let a long section drown a short one about the thing', async () => {
    const long = 'On release the cache of the browser is asked for again. '.repeat(400);
    const more = await matcherOf(
      `${INDEX}\n## web.md\n\n/when releasing clients | Releases | order of steps\n/when clearing the cache | Expiry | lifetime\n`,
      { ...FILES, 'web.md': `## Releases\n\n${long}\n\n## Expiry\n\nIt ends after a day.\n` },
    );
    expect(titles(await more.rank('how is the cache cleared', 2))).toEqual(['Expiry', 'Releases']);
  });

  it('lets a section below have its own words', async () => {
    const nested = await matcherOf('', {
      'a.md':
        '## Queues\n\nGeneral words.\n\n### Poison letters\n\nRejected payloads are parked.\n',
    });
    expect(titles(await nested.rank('parked payloads', 2))[0]).toBe('Poison letters');
  });

  it('answers the same question the same way', async () => {
    const other = await matcherOf(INDEX, FILES);
    const facts = (ranked: Awaited<ReturnType<Matcher['rank']>>) =>
      ranked.map(({ section, confidence, score }) => [section.title, confidence, score]);
    const query = 'testing files of the camera';
    expect(facts(await other.rank(query, 10))).toEqual(facts(await matcher.rank(query, 10)));
  });

  it.each(['', '  ', '\n'])('finds nothing for the blank query %j', async (query) => {
    expect(await matcher.rank(query, 5)).toEqual([]);
  });

  it.each(['...', '🙂', 'the', '§', 'x'.repeat(50_000), '測試 日本語', '__proto__ constructor'])(
    'stays between 0 and 1, best first, for the odd query %#',
    async (query) => {
      const ranked = await matcher.rank(query, 5);
      for (const { confidence } of ranked) {
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
      }
      const scores = ranked.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    },
  );

  it('gives no more than asked for', async () => {
    expect(await matcher.rank('test', 2)).toHaveLength(2);
    expect(await matcher.rank('test', 0)).toEqual([]);
  });
});

describe('rankSentence', () => {
  it('finds what one of several sentences calls for', async () => {
    const text = 'Good morning! I am writing mock tests for the billing client. Then lunch.';
    const [first] = await matcher.rankSentence(text, 3);
    expect(first?.entry?.phrase).toBe('writing mock tests');
    expect(first?.confidence).toBeGreaterThan(0.8);
  });

  it('is not sure about small talk', async () => {
    const ranked = await matcher.rankSentence(
      'Good morning! Did you sleep well? See you later.',
      3,
    );
    for (const { confidence } of ranked) expect(confidence).toBeLessThan(OFFER_BAR);
  });

  it('gives a section that two sentences mention once', async () => {
    const text = 'We upload large files. Large files are uploaded in parts.';
    const found = titles(await matcher.rankSentence(text, 10));
    expect(found.filter((title) => title === 'Multipart thresholds')).toHaveLength(1);
  });
});

describe('suggestions', () => {
  const library = libraryOf(INDEX, FILES);
  const resolver = createResolver({ library: () => library, rank: () => [] });

  it.each([
    ['wrting mock test', 'writing mock tests'],
    ['organzing tests', 'organizing test files'],
    ['upl', 'uploading large files'],
    ['freeze clock', 'freeze the clock in tests'],
    ['capture dates of photos are wrong', 'storing capture dates'],
  ])('by spelling have for %j first "%s"', async (query, phrase) => {
    const request = { kind: 'trigger', query, phrase: query } as const;
    const [answer] = (await resolver.resolve([request])).results;
    expect(answer?.suggestions[0]).toMatch(new RegExp(`^/(?:when|how) ${phrase}$`));
  });
});
