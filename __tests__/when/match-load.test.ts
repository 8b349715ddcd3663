import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../src/embeddings/index.js';
import { createMatcher } from '../../src/when/match/matcher.js';
import { FILES, INDEX, libraryOf } from './match-library.js';

describe('loading', () => {
  it('finds nothing before the first library', async () => {
    const matcher = createMatcher(builtInModel());
    expect(await matcher.rank('writing mock tests', 5)).toEqual([]);
    expect(await matcher.rankSentence('writing mock tests', 5)).toEqual([]);
  });

  it('takes an empty library', async () => {
    const matcher = createMatcher(builtInModel());
    await matcher.load(libraryOf('', {}));
    expect(await matcher.rank('writing mock tests', 5)).toEqual([]);
  });

  it('embeds again only what changed', async () => {
    const inner = builtInModel();
    const embedded: string[] = [];
    const embed = (text: string) => {
      embedded.push(text);
      return inner.embed(text);
    };
    const matcher = createMatcher({ ...inner, embed });
    await matcher.load(libraryOf(INDEX, FILES));
    embedded.length = 0;
    await matcher.load(libraryOf(INDEX, FILES));
    expect(embedded).toEqual([]);
    const changed = FILES['storage.md'].replace('in parts.', 'in numbered slices.');
    await matcher.load(libraryOf(INDEX, { ...FILES, 'storage.md': changed }));
    expect(embedded).toHaveLength(3);
    expect(embedded[2]).toBe(
      'Multipart thresholds\n\nFiles above 64 MB go to the bucket in numbered slices.\n\n',
    );
    const [first] = await matcher.rank('numbered slices', 1);
    expect(first?.section.title).toBe('Multipart thresholds');
  });

  it('forgets what is no longer there', async () => {
    const matcher = createMatcher(builtInModel());
    await matcher.load(libraryOf(INDEX, FILES));
    await matcher.load(libraryOf(INDEX, { 'storage.md': FILES['storage.md'] }));
    const found = (await matcher.rank('writing mock tests of large files', 10)).map(
      ({ section }) => section.file,
    );
    expect(new Set(found)).toEqual(new Set(['storage.md']));
  });

  it('lets others work while it loads much', async () => {
    const sections = Array.from(
      { length: 400 },
      (_, at) => `## Title ${at}\n\nWord${at} and more.\n`,
    );
    const matcher = createMatcher(builtInModel());
    let turns = 0;
    let loading = true;
    const turn = () => {
      turns += 1;
      if (loading) setImmediate(turn);
    };
    setImmediate(turn);
    await matcher.load(libraryOf('', { 'a.md': sections.join('\n') }));
    loading = false;
    expect(turns).toBeGreaterThan(10);
  });
});
