/**
 * `npm run train -- announcements`: makes src/proactive/announcement-weights.json again from the sentences
 * beside this file (label, tab, sentence); with `--check` it only tells how well each file is judged by
 * what is learned from the others.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  type AnnouncementWeights,
  signsOfSentence,
} from '../../src/proactive/gate/announcement.js';
import { probabilityOf, sumOfSigns } from '../../src/proactive/gate/weights.js';
import { learnSigns, type Signed } from '../signs.js';

const TARGET = new URL('../../src/proactive/announcement-weights.json', import.meta.url);
const FOLDER = new URL('./', import.meta.url);

/** All chosen by judging one author by the others (`--check`). */
const PENALTY = 3;
const LEAST_WEIGHT = 0.12;
const THRESHOLD = 0.65;

/** Statements of work: what somebody says who is about to do it, and what is seen when it is needed. */
const STATEMENTS = new URL('../statements/', import.meta.url);
const OF_WORK = /^(?!lessons|series|standing).+\.txt$/;
const ANNOUNCED = 2;
const SEEN = 3;
/** So many statements tell as much as all do. */
const EVERY = 10;

const linesOf = (folder: URL, form: RegExp): string[][] =>
  readdirSync(folder)
    .filter((name) => form.test(name))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8').split('\n').filter(Boolean));

const signed = (sentence: string, label: boolean): Signed => ({
  signs: signsOfSentence(sentence),
  label,
});

/** Sentences by author, those of the statements as one. */
export function readSentences(): Signed[][] {
  const own = linesOf(FOLDER, /\.tsv$/).map((lines) =>
    lines.map((line) => {
      const [label = '', sentence = ''] = line.split('\t');
      return signed(sentence, label === '1');
    }),
  );
  const statements = linesOf(STATEMENTS, OF_WORK)
    .flat()
    .filter((_, at) => at % EVERY === 0)
    .flatMap((line) => {
      const ways = line.split(' | ');
      return [signed(ways[ANNOUNCED] ?? '', true), signed(ways[SEEN] ?? '', false)];
    });
  return [...own, statements];
}

export function learn(sentences: readonly Signed[]): AnnouncementWeights {
  const made = `${sentences.length} sentences of agents, penalty ${PENALTY}`;
  return { made, threshold: THRESHOLD, ...learnSigns(sentences, PENALTY, LEAST_WEIGHT) };
}

export const printed = (weights: AnnouncementWeights): string =>
  `${JSON.stringify(weights, null, 1)}\n`;

/** The sentences of each author by what is learned from the others. */
export function judged(files: readonly Signed[][]): { label: boolean; probability: number }[] {
  return files.flatMap((own) => {
    const weights = learn(files.filter((file) => file !== own).flat());
    return own.map(({ signs, label }) => ({
      label,
      probability: probabilityOf(sumOfSigns(weights, signs)),
    }));
  });
}

export function figuresAt(
  threshold: number,
  sentences: ReturnType<typeof judged>,
): { precision: number; recall: number } {
  const heard = sentences.filter(({ probability }) => probability >= threshold);
  const right = heard.filter(({ label }) => label).length;
  const wanted = sentences.filter(({ label }) => label).length;
  return { precision: right / heard.length, recall: right / wanted };
}

export function run(argv: string[]): number {
  if (argv.length > 0 && argv.join() !== '--check') {
    console.error('npm run train -- announcements [--check]');
    return 2;
  }
  const files = readSentences();
  if (argv.length === 0) {
    writeFileSync(TARGET, printed(learn(files.flat())));
    return 0;
  }
  const sentences = judged(files);
  for (const threshold of [0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7]) {
    const { precision, recall } = figuresAt(threshold, sentences);
    console.log(`${threshold}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`);
  }
  return 0;
}
