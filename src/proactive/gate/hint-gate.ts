/**
 * Which hints a moment calls for: how likely it is an occasion at all, times how likely each hint is the
 * one that is meant. Both are learned (`npm run train -- hints` makes `hint-weights.json`). Pure.
 */
import { readFileSync } from 'node:fs';
import { cosine } from '../../embeddings/index.js';
import { analyze } from '../../shared/text.js';
import { alignWith } from './alignment.js';
import { isCommand } from './commands.js';
import type { Surroundings } from './features.js';
import { covered, isDenied, type Part, partOf } from './text.js';
import {
  type Features,
  logitOf,
  probabilityOf,
  type Regression,
  type Signs,
  sumOfSigns,
} from './weights.js';

export type HintMomentKind = 'message' | 'stated' | 'planned' | 'failed';

/** Something was said, is planned, or has failed. */
export interface HintMoment {
  kind: HintMomentKind;
  /** What was said, or the action. */
  text: string;
  /** Why the action failed. */
  error?: string | undefined;
}

/** A hint as it is compared with a moment. */
export interface HintWords {
  component: string;
  key: string;
  tags: readonly string[];
  value: string;
  /** The moment names its component, in words or as the folder of a file. */
  isNamed: boolean;
}

export interface HintWeights {
  /** In words: turns, pairs, penalties. */
  made: string;
  /** From here on a hint is offered. */
  threshold: number;
  /** Which hint is meant, where one is. */
  which: Regression;
  /** Whether one is meant at all. */
  occasion: Regression;
  /** What words and their neighbours say of that. */
  signs: Signs;
}

const FILE = new URL('../hint-weights.json', import.meta.url);

export const HINT_WEIGHTS = JSON.parse(readFileSync(FILE, 'utf8')) as HintWeights;

/** How likely it is that each of the hints helps now, 0 to 1, in their order. */
export function likelyHints(
  moment: HintMoment,
  hints: readonly HintWords[],
  around: Surroundings,
  { which, occasion, signs }: HintWeights = HINT_WEIGHTS,
): number[] {
  // What is forbidden is not helped with.
  if (isDenied(moment.text)) return hints.map(() => 0);
  if (hints.length === 0) return [];
  const all = compareHints(moment, hints, around);
  const logits = all.map((features) => logitOf(which, features));
  const best = hints[likest(all)] as HintWords;
  const sum = sumOfSigns(signs, signsOf(moment, best));
  const isOccasion = probabilityOf(logitOf(occasion, occasionOf(moment, all, logits, sum)));
  return logits.map((logit) => isOccasion * probabilityOf(logit));
}

/** The hint that the moment is most like, by plain words. */
export function likest(all: readonly Features[]): number {
  const worths = all.map(
    ({ deed_common = 0, name_common = 0, deed_exact = 0, named = 0 }) =>
      deed_common + name_common + 2 * deed_exact + named,
  );
  return worths.indexOf(Math.max(...worths));
}

/** Names as words: `env.FEATURE_X`, `testUnit`. */
export const wordsOfName = (name: string): string =>
  name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Whose distance to the best other hint tells more than the value. */
const RELATED = [
  'all_common',
  'name_common',
  'name_told',
  'deed_common',
  'deed_told',
  'mean',
] as const;
/** What tells something else where a command is what is run, or has failed. */
const OF_COMMAND = [
  'key_exact',
  'deed_exact',
  'name_exact',
  'value_exact',
  'value_told',
  'named',
] as const;

/** Each hint with its features; that the moment is an occasion at all is not among them. */
export function compareHints(
  moment: HintMoment,
  hints: readonly HintWords[],
  { rarity, meaning }: Surroundings,
): Features[] {
  const text = wholeOf(moment);
  const whole = partOf(text, rarity);
  const align = alignWith(whole, meaning);
  const wholeMeaning = meaning(text);
  const told = hints.map((hint) => {
    const [component, key, value] = [hint.component, hint.key, hint.value].map(wordsOfName);
    const deed = [hint.key, ...hint.tags].map(wordsOfName).join(' ');
    const name = `${component} ${deed}`;
    return { component, key, deed, name, value, everything: `${name} ${value}` };
  });
  const counts = new Map<string, number>();
  for (const { name } of told) {
    for (const term of new Set(analyze(name))) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  // What stands in many hints tells them apart less.
  const distinct = (term: string) => {
    const common = (counts.get(term) ?? 0) / hints.length;
    return rarity(term) * (hints.length < 3 ? 1 : 1 - 0.8 * common);
  };
  const isRun = moment.kind === 'failed' || isCommand(moment.text);
  const isAnyNamed = hints.some(({ isNamed }) => isNamed);
  const isOnly = new Set(hints.map(({ component }) => component)).size === 1;
  const all = hints.map((hint, at): Features => {
    const own = told[at] as (typeof told)[number];
    const part = (of: keyof typeof own): Part => partOf(own[of] ?? '', distinct);
    const [component, key, value] = [part('component'), part('key'), part('value')];
    const [deed, name, everything] = [part('deed'), part('name'), part('everything')];
    const ofAll = align.compare(whole, everything);
    const ofDeed = align.compare(whole, deed);
    const ofName = align.compare(whole, name);
    const heard = [...deed.terms.keys()].map((term) =>
      align.heard(term, deed.surface.get(term) ?? term),
    );
    const features: Features = {
      all_said: ofAll.said,
      all_told: ofAll.told,
      all_common: ofAll.common,
      all_exact: covered(whole, everything),
      name_told: ofName.told,
      name_common: ofName.common,
      name_exact: covered(name, whole),
      deed_said: ofDeed.said,
      deed_told: ofDeed.told,
      deed_common: ofDeed.common,
      deed_exact: covered(deed, whole),
      deed_best: Math.max(0, ...heard),
      key_told: align.compare(whole, key).told,
      key_exact: covered(key, whole),
      value_told: align.compare(whole, value).told,
      value_exact: covered(value, whole),
      component_told: align.compare(whole, component).told,
      mean: cosine(wholeMeaning, meaning(everything.text)),
      named: hint.isNamed ? 1 : 0,
      only: isOnly ? 1 : 0,
      other_named: isAnyNamed && !hint.isNamed ? 1 : 0,
      ...placesOf(moment, hint),
    };
    for (const each of OF_COMMAND) {
      features[`command_${each}`] = isRun ? (features[each] as number) : 0;
    }
    return features;
  });
  for (const each of RELATED) relate(all, each);
  return all;
}

const wholeOf = ({ text, error }: HintMoment): string =>
  error === undefined ? text : `${text}\n${error}`;

/** Distance to the best other hint. */
function relate(all: readonly Features[], key: string): void {
  const values = all.map((features) => features[key] ?? 0);
  const [first = 0, second = 0] = [...values].sort((a, b) => b - a);
  for (const [at, features] of all.entries()) {
    const value = values[at] as number;
    features[`margin_${key}`] = value - (value === first ? second : first);
  }
}

/** Of a text its words and marks, each with its term; of `hint` the kind of name it is part of. */
interface Token {
  word: string;
  /** `<key>`, `<tag>`, `<component>`, `<value>`, or the word. */
  sign: string;
}

const TOKEN = /[\p{L}\p{N}']+|[?!.,:;]/gu;

function tokensOf(text: string, { component, key, tags, value }: HintWords): Token[] {
  const names: readonly (readonly [string, readonly string[]])[] = [
    ['<key>', [key]],
    ['<tag>', tags],
    ['<component>', [component]],
    ['<value>', [value]],
  ];
  const known = new Map<string, string>();
  for (const [sign, texts] of names) {
    for (const term of texts.flatMap((each) => analyze(wordsOfName(each)))) {
      if (!known.has(term)) known.set(term, sign);
    }
  }
  const words = text.toLowerCase().replaceAll('’', "'").match(TOKEN) ?? [];
  return words.slice(0, MOST_TOKENS).map((word) => {
    const [term] = analyze(word);
    return { word, sign: (term === undefined ? undefined : known.get(term)) ?? word };
  });
}

const MOST_TOKENS = 200;
const NOT =
  /^(?:no|not|never|nothing|nobody|without|instead|stop|until|after|cannot|dont|wont|.+n't)$/;
const BEFORE = 6;
const BEHIND = 4;
const isDeed = ({ sign }: Token) => sign === '<key>' || sign === '<tag>';

/** Where words of its key and tags stand, and in which form. */
function placesOf({ text }: HintMoment, hint: HintWords): Features {
  const tokens = tokensOf(text, hint);
  const found = tokens.flatMap((token, at) => (isDeed(token) ? [at] : []));
  const isNot = (from: number, to: number) =>
    tokens.slice(Math.max(0, from), to).some(({ word }) => NOT.test(word));
  const has = (test: (at: number) => boolean) => (found.some(test) ? 1 : 0);
  return {
    denied: has((at) => isNot(at - BEFORE, at)),
    fails: has((at) => isNot(at + 1, at + 1 + BEHIND)),
    past: has((at) => /.{2}ed$/.test((tokens[at] as Token).word)),
    leads: has((at) => at <= 1),
    by_key: has((at) => (tokens[at] as Token).sign === '<key>'),
  };
}

const ENDING = /.{2}(ed|ing|s)$/;
const NEIGHBOURS = 5;
const STOP = /^[.?!:;]$/;

/**
 * What its words and their neighbours say of whether something is about to be done. Words of the hint
 * that is most like it stand for all such words.
 */
export function signsOf({ kind, text, error = '' }: HintMoment, best: HintWords): Set<string> {
  const signs = new Set<string>([`kind ${kind}`]);
  if (kind === 'failed') {
    for (const { sign } of tokensOf(text, best)) if (sign.startsWith('<')) signs.add(`it ${sign}`);
    for (const { sign } of tokensOf(error, best)) signs.add(sign);
    return signs;
  }
  const tokens = tokensOf(text, best);
  const read = tokens.map(({ sign }) => sign);
  signs.add(`^ ${read.slice(0, 1).join(' ')}`).add(`^ ${read.slice(0, 2).join(' ')}`);
  for (const [at, token] of tokens.entries()) {
    const { sign, word } = token;
    signs.add(sign).add(`${sign} ${read[at + 1] ?? '$'}`);
    signs.add(`-${ENDING.exec(word)?.[1] ?? ''}`);
    if (!isDeed(token)) continue;
    signs.add(`${sign}-${ENDING.exec(word)?.[1] ?? ''}`);
    for (const before of nextTo(read.slice(0, at).reverse())) signs.add(`${before} … ${sign}`);
    for (const behind of nextTo(read.slice(at + 1))) signs.add(`${sign} … ${behind}`);
  }
  return signs;
}

/** Within the sentence. */
function nextTo(read: readonly string[]): readonly string[] {
  const near = read.slice(0, NEIGHBOURS);
  const end = near.findIndex((sign) => STOP.test(sign));
  return end < 0 ? near : near.slice(0, end);
}

/** Of the best hint, what tells of an occasion, too. */
const OF_BEST = [
  'deed_common',
  'deed_exact',
  'key_exact',
  'named',
  'all_common',
  'all_exact',
  'all_said',
  'value_exact',
  'denied',
  'fails',
  'past',
  'leads',
  'by_key',
  ...OF_COMMAND.map((each) => `command_${each}`),
];
const KINDS = ['message', 'stated', 'planned', 'failed'] as const;

/** @param signs sum of what the signs say */
export function occasionOf(
  { kind }: HintMoment,
  all: readonly Features[],
  logits: readonly number[],
  signs: number,
): Features {
  const [first = 0, second = first] = [...logits].sort((a, b) => b - a);
  const best = all[logits.indexOf(first)] ?? {};
  const features: Features = {
    signs,
    first,
    ahead: first - second,
    meant: logits.reduce((sum, logit) => sum + probabilityOf(logit), 0),
    hints: Math.log(all.length),
  };
  for (const each of KINDS) features[`kind_${each}`] = kind === each ? 1 : 0;
  for (const each of OF_BEST) features[each] = best[each] ?? 0;
  return features;
}
