/** An index that was edited again and again answers as one that is made anew. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../src/embeddings/index.js';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import { createMatcher, type Matcher } from '../../src/when/match/matcher.js';
import type { DecisionFile, Library, LinkedEntry } from '../../src/when/types.js';

/** Some begin alike, some are mistyped others, some stand for one another. */
const WORDS =
  'config configuration configure cache caching cahce delete removing worktree worktrees test testing mock patch branch branches subagent memory limit';
const word = fc.constantFrom(...WORDS.split(' '));
const words = (most: number) =>
  fc.array(word, { minLength: 1, maxLength: most }).map((some) => some.join(' '));

interface Part {
  file: string;
  /** Its heading; parts of one file and title are two sections of it. */
  title: string;
  text: string;
  /** Below the one before it. */
  isBelow: boolean;
  entries: { phrase: string; description: string }[];
}

const part: fc.Arbitrary<Part> = fc.record({
  file: fc.constantFrom('a.md', 'b.md', 'c.md'),
  title: words(2),
  text: words(12),
  isBelow: fc.boolean(),
  entries: fc.array(fc.record({ phrase: words(3), description: words(4) }), { maxLength: 2 }),
});

/** From the parts as they are to those that are next; with a place that means one of them. */
const edit: fc.Arbitrary<(parts: readonly Part[]) => Part[]> = fc.oneof(
  fc.record({ at: fc.nat(), part }).map(({ at, part: one }) => (parts: readonly Part[]) => {
    return parts.toSpliced(at % (parts.length + 1), 0, one);
  }),
  fc.record({ at: fc.nat(), part: fc.oneof(part, fc.constant(null)) }).map((change) => {
    return (parts: readonly Part[]) =>
      parts.toSpliced(change.at % (parts.length + 1), 1, ...(change.part ? [change.part] : []));
  }),
  fc
    .record({
      at: fc.nat(),
      change: fc.record({ text: words(12), title: words(2) }, { requiredKeys: [] }),
    })
    .map(({ at, change }) => (parts: readonly Part[]) => {
      return parts.map((one, place) => (place === at % parts.length ? { ...one, ...change } : one));
    }),
  fc.nat().map((at) => (parts: readonly Part[]) => {
    return parts.flatMap((one, place) => (place === at % parts.length ? [one, one] : [one]));
  }),
  fc.constant((parts: readonly Part[]) => parts.toReversed()),
);

/** Files that stay the same stay the same objects, as in a running agent. */
function librarian() {
  let known: readonly DecisionFile[] = [];
  return (parts: readonly Part[]): Library => {
    const texts = new Map<string, string>();
    const groups: string[] = [];
    for (const { file, title, text, isBelow, entries } of parts) {
      const before = texts.get(file) ?? '';
      texts.set(file, `${before}${isBelow ? '###' : '##'} ${title}\n\n${text}.\n\n`);
      const lines = entries.map((one) => `/when ${one.phrase} | ${title} | ${one.description}\n`);
      groups.push(`## ${file}\n\n${lines.join('')}\n`);
    }
    known = [...texts].map(
      ([path, text]) =>
        known.find((file) => file.path === path && file.text === text) ??
        parseDecisionFile(path, text),
    );
    return buildLibrary(parseIndex(groups.join('')), known);
  };
}

const QUESTIONS = [
  'configuring the cache',
  'remove a worktree',
  'tests of branches',
  'chache limits',
  'sub agent memory',
  'patch mock test',
];

function answersOf(matcher: Matcher) {
  const place = (entry: LinkedEntry | null) => entry && [entry.line, entry.phrase];
  const answers = [];
  for (const question of QUESTIONS) {
    for (const list of [
      matcher.rank(question, 8),
      matcher.rankSentence(`${question}. And more.`, 3),
    ]) {
      for (const { section, entry, confidence, score } of list) {
        answers.push([section.file, section.line, place(entry), confidence, score]);
      }
    }
  }
  return answers;
}

async function fresh(library: Library): Promise<Matcher> {
  const matcher = createMatcher(builtInModel());
  await matcher.load(library);
  return matcher;
}

describe('a matcher that follows edits', () => {
  it('answers as one that knows nothing of what was before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 8 }),
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        async (start, edits) => {
          const libraryOf = librarian();
          const followed = await fresh(libraryOf(start));
          let parts: readonly Part[] = start;
          for (const change of edits) {
            parts = change(parts);
            const library = libraryOf(parts);
            await followed.load(library);
            expect(answersOf(followed)).toEqual(answersOf(await fresh(library)));
          }
        },
      ),
      { numRuns: 12, seed: 5 },
    );
  });

  it('gives the entries and sections of the newest library, also where they stayed the same', async () => {
    const libraryOf = librarian();
    const one: Part = {
      ...{ file: 'a.md', title: 'Cache', text: 'limits of memory', isBelow: false },
      entries: [{ phrase: 'clearing caches', description: 'limits' }],
    };
    const matcher = await fresh(libraryOf([one]));
    const before = { ...one, title: 'Branches', entries: [] };
    const library = libraryOf([before, one]);
    await matcher.load(library);
    const [first] = matcher.rank('clear the cache', 1);
    expect(first?.entry).toBe(library.entries[0]);
    expect(first?.section).toBe(library.files[0]?.sections[1]);
  });

  it('answers from what it has while the next is made, and from all of it afterwards', async () => {
    const libraryOf = librarian();
    const named = (title: string): Part => ({
      ...{ file: `${title}.md`, title, text: `${title} and testing`, isBelow: false },
      entries: [{ phrase: `using ${title}`, description: 'as it is' }],
    });
    const matcher = await fresh(libraryOf(['alpha', 'beta'].map(named)));
    const titles = () => matcher.rank('testing', 9).map(({ section }) => section.title);
    const before = titles();
    const loading = matcher.load(libraryOf(['beta', 'gamma'].map(named)));
    const turns: string[][] = [];
    let isOver = false;
    const over = loading.then(() => {
      isOver = true;
    });
    while (!isOver) {
      turns.push(titles());
      await new Promise((resolve) => setImmediate(resolve));
    }
    await over;
    expect(turns.length).toBeGreaterThan(0);
    for (const turn of turns) expect([before, ['beta', 'gamma']]).toContainEqual(turn);
    expect(titles().toSorted()).toEqual(['beta', 'gamma']);
  });
});
