import { describe, expect, it } from 'vitest';
import { createLexicalEmbedder } from '../../src/embeddings/index.js';
import { createMatcher, type MatchEmbedder } from '../../src/when/match/matcher.js';
import { FILES, INDEX, libraryOf } from './match-library.js';

/** The lexical embedder, telling what it was asked to embed. */
function watchedEmbedder(id = 'lexical-v1') {
  const inner = createLexicalEmbedder();
  const embedded: string[] = [];
  const embedder: MatchEmbedder = {
    id,
    embed(texts) {
      embedded.push(...texts);
      return inner.embed(texts);
    },
  };
  return { embedder, embedded };
}

describe('loading', () => {
  it('finds nothing before the first library', async () => {
    const matcher = createMatcher({ embedder: () => createLexicalEmbedder() });
    expect(matcher.exact('writing mock tests')).toEqual([]);
    expect(await matcher.rank('writing mock tests', 5)).toEqual([]);
    expect(await matcher.rankSentence('writing mock tests', 5)).toEqual([]);
    expect(await matcher.suggest('writing mock tests', 5)).toEqual([]);
  });

  it('takes an empty library', async () => {
    const matcher = createMatcher({ embedder: () => createLexicalEmbedder() });
    await matcher.load(libraryOf('', {}));
    expect(await matcher.rank('writing mock tests', 5)).toEqual([]);
  });

  it('embeds again only what changed', async () => {
    const { embedder, embedded } = watchedEmbedder();
    const matcher = createMatcher({ embedder: () => embedder });
    await matcher.load(libraryOf(INDEX, FILES));
    expect(embedded).toHaveLength(14);
    embedded.length = 0;
    await matcher.load(libraryOf(INDEX, FILES));
    expect(embedded).toEqual([]);
    const changed = FILES['storage.md'].replace('in parts.', 'in numbered slices.');
    await matcher.load(libraryOf(INDEX, { ...FILES, 'storage.md': changed }));
    expect(embedded).toEqual([
      'Multipart thresholds\n\nFiles above 64 MB go to the bucket in numbered slices.\n\n',
    ]);
    const [first] = await matcher.rank('numbered slices', 1);
    expect(first?.section.title).toBe('Multipart thresholds');
  });

  it('forgets what is no longer there', async () => {
    const matcher = createMatcher({ embedder: () => createLexicalEmbedder() });
    await matcher.load(libraryOf(INDEX, FILES));
    await matcher.load(libraryOf(INDEX, { 'storage.md': FILES['storage.md'] }));
    expect(matcher.exact('writing mock tests')).toEqual([]);
    const found = (await matcher.rank('writing mock tests', 10)).map(({ section }) => section.file);
    expect(new Set(found)).toEqual(new Set(['storage.md']));
  });

  it('ends with the last of overlapping libraries', async () => {
    const matcher = createMatcher({ embedder: () => createLexicalEmbedder() });
    const first = matcher.load(libraryOf(INDEX, FILES));
    const second = matcher.load(
      libraryOf('## a.md\n\n/when alpha | Beta | one\n', { 'a.md': '## Beta\n\nb\n' }),
    );
    await Promise.all([first, second]);
    expect(matcher.exact('alpha')).toHaveLength(1);
    expect(matcher.exact('writing mock tests')).toEqual([]);
  });

  it('lets others work while it loads much', async () => {
    const sections = Array.from(
      { length: 400 },
      (_, at) => `## Title ${at}\n\nWord${at} and more.\n`,
    );
    const matcher = createMatcher({ embedder: () => createLexicalEmbedder() });
    let turns = 0;
    let loading = true;
    const turn = () => {
      turns += 1;
      if (loading) setImmediate(turn);
    };
    setImmediate(turn);
    await matcher.load(libraryOf('', { 'a.md': sections.join('\n') }));
    loading = false;
    expect(turns).toBeGreaterThan(40);
  });
});

describe('a model that does not serve', () => {
  it('is done without: words alone find', async () => {
    const broken: MatchEmbedder = { id: 'broken', embed: () => Promise.reject(new Error('no')) };
    const matcher = createMatcher({ embedder: () => broken });
    await matcher.load(libraryOf(INDEX, FILES));
    const [first] = await matcher.rank('organize files of tests', 1);
    expect(first?.section.title).toBe('Test layout');
  });

  it('is done without when it fails at a question', async () => {
    const { embedder } = watchedEmbedder();
    let works = true;
    const moody: MatchEmbedder = {
      id: embedder.id,
      embed: (texts) => (works ? embedder.embed(texts) : Promise.reject(new Error('no'))),
    };
    const matcher = createMatcher({ embedder: () => moody });
    await matcher.load(libraryOf(INDEX, FILES));
    works = false;
    const [first] = await matcher.rank('organize files of tests', 1);
    expect(first?.section.title).toBe('Test layout');
  });

  it('never has its vectors compared with those of another', async () => {
    const one = watchedEmbedder('one');
    const other = watchedEmbedder('other');
    let current = one;
    const matcher = createMatcher({ embedder: () => current.embedder });
    const library = libraryOf(INDEX, FILES);
    await matcher.load(library);
    current = other;
    await matcher.rank('organize files of tests', 1);
    expect(other.embedded).toEqual([]);
    await matcher.load(library);
    expect(other.embedded).toHaveLength(14);
    await matcher.rank('organize files of tests', 1);
    expect(other.embedded).toHaveLength(15);
  });
});
