/** Finds pairs of texts that mean the same or belong together. Pure: files and messages in, pairs out. */
import { firstWords, plain, prose, wordCount } from './clean.js';
import type { BlobFile } from './git.js';

export type Pair = readonly [one: string, other: string];

/** Lines of a commit message that tools write. */
const TRAILER =
  /^(?:[A-Z][A-Za-z-]+-by|cc|fix(?:es)?|closes?d?|refs?|see|change-id|pr-url|related|link|\(cherry picked)\b.*[:#].*/i;
const QUOTED = /^(?:diff |---|\+\+\+|@@|\t\t| {4}\$|>)/;

/** Subject ↔ first paragraph of a commit's message. */
export function commitPairs(messages: readonly (readonly [string, string])[]): Pair[] {
  return messages.flatMap(([subject, body]): Pair[] => {
    const said = plain(subject);
    if (wordCount(said) < 3 || /^(?:Merge |Revert "Revert|Bump )/.test(said)) return [];
    const lines = body
      .split('\n')
      .filter((line) => !TRAILER.test(line.trim()) && !QUOTED.test(line));
    const paragraphs = paragraphsOf(lines.join('\n'), plain);
    const [first, second] = paragraphs;
    if (first === undefined) return [];
    const text = second !== undefined && wordCount(first) < 15 ? `${first} ${second}` : first;
    return [[said, firstWords(text, 80)]];
  });
}

const SECTION = /^(#{1,6}|={1,6})\s+(.+)$/;
const UNDERLINE = /^([=\-~^"#*+.])\1{3,}\s*$/;
const SKIPPED_LINE = /^(?:\.\.|\s*(?::\w|\|[-: |]+$|import |export |\{\{|\{%|<\/?\w+ ))/;

interface Heading {
  title: string;
  /** Lines of its section. */
  from: number;
  to: number;
}

/** Heading ↔ beginning of its section; a heading of one word has the document's title before it. */
export function documentPairs({ path, text }: BlobFile): Pair[] {
  const front = /^---\n(.*?)\n---\n/s.exec(text);
  const bare = text.slice(front?.[0].length ?? 0).replace(/^(```|~~~).*?^\1/gms, ' ');
  const lines = bare.split('\n');
  const headings = headingsOf(lines, path.endsWith('.rst'));
  const named = /^title:\s*["']?(.+?)["']?\s*$/m.exec(front?.[1] ?? '')?.[1];
  const title = prose(named ?? headings[0]?.title ?? '');
  const about = /^(?:summary|description|intro):\s*["']?(.+?)["']?\s*$/m.exec(
    front?.[1] ?? '',
  )?.[1];
  const pairs: Pair[] = [];
  if (about !== undefined && wordCount(title) >= 2 && wordCount(about) >= 5) {
    pairs.push([title, firstWords(prose(about), 70)]);
  }
  for (const { title: heading, from, to } of headings) {
    const body = lines.slice(from, to).filter((line) => !SKIPPED_LINE.test(line));
    const [first, second, third] = paragraphsOf(body.join('\n'), prose);
    const name = wordCount(heading) >= 2 ? heading : `${title} ${heading}`;
    if (first === undefined || wordCount(name) < 2 || heading === '') continue;
    const opening = second !== undefined && wordCount(first) < 20 ? `${first} ${second}` : first;
    pairs.push([name, firstWords(opening, 90)]);
    if (
      second !== undefined &&
      third !== undefined &&
      wordCount(second) >= 12 &&
      wordCount(third) >= 12
    ) {
      pairs.push([firstWords(second, 60), firstWords(third, 80)]);
    }
  }
  return pairs;
}

function headingsOf(lines: readonly string[], isRst: boolean): Heading[] {
  const starts: { title: string; line: number; from: number }[] = [];
  for (const [at, line] of lines.entries()) {
    const above = lines[at - 1] ?? '';
    const [, , marked] = (isRst ? null : SECTION.exec(line)) ?? [];
    if (marked !== undefined) starts.push({ title: prose(marked), line: at, from: at + 1 });
    else if (UNDERLINE.test(line) && /^[^\s|]/.test(above) && above.length <= line.length + 3) {
      starts.push({ title: prose(above), line: at - 1, from: at + 1 });
    }
  }
  return starts.map(({ title, from }, place) => ({
    title,
    from,
    to: starts[place + 1]?.line ?? lines.length,
  }));
}

function paragraphsOf(text: string, clean: (text: string) => string): string[] {
  return text
    .split(/\n\s*\n/)
    .map(clean)
    .filter((paragraph) => wordCount(paragraph) >= 5);
}

/** Description ↔ command of a page of short examples. */
export function commandPairs({ text }: BlobFile): Pair[] {
  return [...text.matchAll(/^- (.+?):\n\n`(.+?)`/gm)].flatMap(
    ([, said = '', command = '']): Pair[] =>
      wordCount(said) < 3 ? [] : [[prose(said), command.replace(/[{}]/g, ' ')]],
  );
}

const COMMENT =
  /(?:^[ \t]*(?:\/\/|#|\*|\/\*\*)[^\n]*\n){1,8}(?=[ \t]*(?:export |public |private |protected |static |async |pub )*(?:function|func|fn|def|class|const|type)\b)/gm;

/** Comment ↔ the code that it stands before. */
export function codePairs({ text }: BlobFile): Pair[] {
  return [...text.matchAll(COMMENT)].flatMap((found): Pair[] => {
    const comment = found[0]
      .replace(/^[ \t]*(?:\/\/+!?|#|\/?\*+\/?)/gm, ' ')
      .replace(/@\w+.*$/gm, ' ');
    const said = firstWords(prose(comment), 40);
    const after = text.slice(found.index + found[0].length);
    const code = firstWords(plain(after.split('\n').slice(0, 10).join('\n')), 60);
    return wordCount(said) < 4 || wordCount(code) < 4 ? [] : [[said, code]];
  });
}

/** Turn ↔ the next turn of a conversation. */
export function turnPairs(turns: readonly string[]): Pair[] {
  return turns.slice(1).flatMap((next, at): Pair[] => {
    const turn = turns[at] ?? '';
    return wordCount(turn) < 4 || wordCount(next) < 4 ? [] : [[plain(turn), plain(next)]];
  });
}

/** Pairs within a group of texts that mean the same: each with the `reach` after it. */
export function groupPairs(texts: readonly string[], reach: number): Pair[] {
  const once = [...new Set(texts)];
  return once.flatMap((one, at) =>
    once.slice(at + 1, at + 1 + reach).map((other): Pair => [one, other]),
  );
}

/** Synonyms, and words ↔ their explanation, of one line of a WordNet data file. */
export function wordNetPairs(line: string): { synonyms: Pair[]; glosses: Pair[] } {
  const [head = '', gloss = ''] = line.split(' | ', 2);
  const parts = head.split(' ');
  const count = Number.parseInt(parts[3] ?? '', 16) || 0;
  const words = Array.from({ length: count }, (_, at) => parts[4 + 2 * at] ?? '')
    .map((word) => word.replace(/\(.*\)/, '').replaceAll('_', ' '))
    .filter((word) => word !== '' && !/\d/.test(word));
  const [first] = words;
  if (first === undefined) return { synonyms: [], glosses: [] };
  const meaning = gloss.replace(/;?\s*"[^"]*"/g, '').trim();
  const examples = [...gloss.matchAll(/"([^"]+)"/g)].map(([, example = '']) => example);
  const glosses: Pair[] = examples.map((example) => [example, `${meaning} ${first}`]);
  if (wordCount(meaning) >= 3) glosses.push([words.slice(0, 3).join(', '), meaning]);
  return { synonyms: groupPairs(words, words.length), glosses };
}
