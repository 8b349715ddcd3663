/**
 * Whether a sentence of the agent says that it does something itself, now or soon. Weights are data
 * (`npm run train -- announcements`, of sentences by authors who saw no code). Pure.
 */
import { readFileSync } from 'node:fs';
import { opens, probabilityOf, type Signs, sumOfSigns } from './weights.js';

export interface AnnouncementWeights extends Signs {
  made: string;
  /** From here on it is taken for an announcement. */
  threshold: number;
}

const FILE = new URL('../announcement-weights.json', import.meta.url);

const WEIGHTS = JSON.parse(readFileSync(FILE, 'utf8')) as AnnouncementWeights;

/** How likely a sentence of the agent is an announcement, 0 to 1. */
export const announcing = (sentence: string): number =>
  probabilityOf(sumOfSigns(WEIGHTS, signsOfSentence(sentence)));

export const announces = (sentence: string): boolean => announcing(sentence) >= WEIGHTS.threshold;

/** What somebody else says is no announcement, and a draft is one whatever it says. */
const QUOTED =
  /["“][^"”]{3,}["”]|(?<![\p{L}\p{N}])'(?:[^']|(?<=\p{L})'(?=\p{L})){3,}'(?![\p{L}\p{N}])/gu;
const TOKEN = /<quoted>|[\p{L}']+|\p{N}[\p{N}.,:]*|[^\s\p{L}\p{N}]/gu;
const CONTRACTIONS = [
  ["'ll", ' will'],
  ["'m", ' am'],
  ["'re", ' are'],
  ["'ve", ' have'],
  ["'d", ' would'],
  ["n't", ' not'],
] as const;
/** Many quotation marks that nothing closes would take long in a longer text. */
const MOST_CHARS = 1_000;
const MOST_TOKENS = 40;
/** Words of so few letters mostly join others, and stand for themselves. */
const SMALL = 3;
const ENDING = /.{2}(ed|ing|s)$/;
/** How likely goals have to begin with a verb. */
const OPENS = 0.5;

/** Its words, small ones or their kinds, alone and with the next one, and what it begins with. */
export function signsOfSentence(sentence: string): Set<string> {
  let plain = sentence
    .slice(0, MOST_CHARS)
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(QUOTED, ' <quoted> ');
  for (const [short, long] of CONTRACTIONS) plain = plain.replaceAll(short, long);
  const words = (plain.match(TOKEN) ?? []).slice(0, MOST_TOKENS);
  const kinds = words.map(kindOf);
  const signs = new Set<string>();
  for (const [at, word] of words.entries()) {
    const [kind = '', next = '$', nextKind = '$'] = [kinds[at], words[at + 1], kinds[at + 1]];
    signs.add(word).add(kind);
    signs.add(`${word} ${next}`).add(`${word} ${nextKind}`).add(`${kind} ${next}`);
    signs.add(`${kind} ${nextKind}`);
  }
  for (const read of [words, kinds]) {
    for (const length of [1, 2, 3]) signs.add(`^ ${read.slice(0, length).join(' ')}`);
  }
  return signs;
}

function kindOf(word: string): string {
  if (/^\p{N}/u.test(word)) return '<number>';
  if (opens(word) >= OPENS) return '<verb>';
  if (word.length <= SMALL) return word;
  const [, ending = ''] = ENDING.exec(word) ?? [];
  const stem = word.slice(0, word.length - ending.length);
  const isVerb =
    ending !== '' && [stem, `${stem}e`, stem.slice(0, -1)].some((verb) => opens(verb) >= OPENS);
  return `<${isVerb ? 'verb' : 'word'}${ending === '' ? '' : `-${ending}`}>`;
}
