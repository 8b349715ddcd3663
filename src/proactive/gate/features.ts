/**
 * What the gate goes by: each memory near a moment as numbers, comparable from store to store. The
 * names stand in the weights; a feature that is not there weighs nothing. Pure.
 */
import { builtInModel, cosine, embedLexical } from '../../embeddings/index.js';
import { DAY_MS } from '../../shared/clock.js';
import { pathsIn } from '../../shared/path-mentions.js';
import { pathKeys } from '../../shared/paths.js';
import { type Aligner, type Alignment, alignWith, type MeaningOf } from './alignment.js';
import { announcing } from './announcement.js';
import {
  covered,
  FLAGS,
  inOrder,
  orderLikeness,
  type Part,
  partOf,
  partsOf,
  type Rarity,
  remembering,
  TextPart,
} from './text.js';
import type { Features } from './weights.js';

export const MOMENT_KINDS = [
  'message',
  'agent',
  'intent_stated',
  'task_start',
  'action_planned',
] as const;
export type MomentKind = (typeof MOMENT_KINDS)[number];

/** Something was said or is about to be done. */
export interface Moment {
  kind: MomentKind;
  text: string;
  /** That it is about, as paths. */
  files: readonly string[];
  taskType?: string | undefined;
  tags?: readonly string[] | undefined;
}

/** Files that are told with a text, and those that it names. */
export function filesIn(text: string, files: readonly string[] = []): string[] {
  return [...new Set([...files, ...pathsIn(text)])];
}

export function momentOf(
  kind: MomentKind,
  text: string,
  files: readonly string[],
  more: Pick<Moment, 'taskType' | 'tags'> = {},
): Moment {
  return { kind, text: text.trim(), files: [...new Set(files)], ...more };
}

/** Place among all memories of the store. */
interface Standing {
  whole: number;
  best: number;
}

/** A memory near it. */
export interface Near {
  id: string;
  goal: string;
  /** When it matters again, as its author put it. */
  phrases: readonly string[];
  /** All that is told of it, the goal included. */
  about: string;
  /** That were run for it and ended as it did. */
  commands: readonly string[];
  /** Why it failed; '' where it did not. */
  reason: string;
  files: readonly string[];
  success: boolean;
  ageMs: number;
  taskType: string;
  tags: readonly string[];
  hasFollowUp: boolean;
  /**
   * Likeness of the stored vector to the moment and to its best sentence, in standard deviations of
   * the store; `null`: it has none.
   */
  stored: Standing | null;
  /** The same of its vector by the built-in model. */
  alike: Standing | null;
}

export interface Surroundings {
  rarity: Rarity;
  meaning: MeaningOf;
  /** How likely it is that an order or a goal begins with this word. */
  opens: (word: string) => number;
}

/** A memory with its features, and what hard rules compare. */
export interface Seen {
  near: Near;
  features: Features;
  /** Part of the moment that is most like the goal. */
  part: string;
  /** Ids of the others of the pool whose goals are built like it. */
  kin: readonly string[];
}

/** A text with its vectors. */
class Read extends TextPart {
  readonly lexical: Float32Array;
  readonly meaning: Float32Array;

  constructor(text: string, rarity: Rarity, meaning: MeaningOf) {
    super(text, rarity);
    this.lexical = lexical(text);
    this.meaning = meaning(text);
  }
}

/** Texts come again and again, and reading them is most of the work; at most 1.5 kB each. */
const MOST_VECTORS = 4_000;
const lexical = remembering(embedLexical, MOST_VECTORS);
const meaningOf = remembering((text: string) => builtInModel().embed(text), MOST_VECTORS);
/** Unit vector of a text by the embedder that is always there; written over `into`, it is not kept. */
export const meaning: MeaningOf = (text, into) =>
  into === undefined ? meaningOf(text) : builtInModel().embedInto(text, into);

const ALIKE_ORDER = 0.5;
const ALIKE_SPELLING = 0.45;

/** Every memory of the pool with its features, in the order of the pool. */
export function featuresOf(
  moment: Moment,
  pool: readonly Near[],
  { rarity: lookUp, meaning, opens }: Surroundings,
): Seen[] {
  const rarity = remembering(lookUp);
  const read = (text: string) => new Read(text, rarity, meaning);
  const parts = partsOf(moment.text).map(read);
  const [whole] = parts;
  if (whole === undefined || pool.length === 0) return [];
  const ofMoment = {
    ...flagsOf('w', whole.text, opens),
    parts: Math.log(parts.length),
  } as Features;
  for (const kind of MOMENT_KINDS) ofMoment[`kind_${kind}`] = kind === moment.kind ? 1 : 0;
  ofMoment.announced =
    moment.kind === 'agent' ? Math.max(...parts.map(({ text }) => announcing(text))) : 0;
  const goals = pool.map(({ goal }) => read(goal));
  const align = alignWith(whole, meaning);
  const pairs = pairsOf(goals);
  const families = familiesOf(pairs);
  const said = new Set([...whole.words, ...(moment.tags ?? [])].map((word) => word.toLowerCase()));
  const flagsOfPart = new Map(parts.map((part) => [part, flagsOf('s', part.text, opens)]));
  const seen = pool.map((near, at): Seen => {
    const about = partOf(near.about, rarity);
    const ofAbout = meaning(near.about);
    const meanAbout = parts.map((part) => cosine(part.meaning, ofAbout));
    const phrases = near.phrases.map((phrase) => fitOf(parts, read(phrase)));
    // What its author said of the moment stands for the goal where it is nearer to it.
    const { best: nearestPart, told } = nearest([fitOf(parts, goals[at] as Read), ...phrases]);
    const [best, goal] = [parts[nearestPart] as Read, told.text];
    const features: Features = { ...ofMoment, ...flagsOfPart.get(best) };
    features.s_whole = best === whole ? 1 : 0;
    compare(features, W, whole, goal);
    compare(features, B, best, goal);
    compare(features, F, best, about);
    compare(features, G, whole, about);
    features.lex_whole = told.lexical[0] as number;
    features.lex_best = told.lexical[nearestPart] as number;
    features.lex_max = Math.max(...told.lexical);
    features.mean_whole = told.meaning[0] as number;
    features.mean_best = told.meaning[nearestPart] as number;
    features.mean_max = Math.max(...told.meaning);
    features.mean_about = meanAbout[0] as number;
    features.mean_max_about = Math.max(...meanAbout);
    features.z_whole = near.stored?.whole ?? 0;
    features.z_best = near.stored?.best ?? 0;
    features.z_none = near.stored === null ? 1 : 0;
    features.y_whole = near.alike?.whole ?? 0;
    features.y_best = near.alike?.best ?? 0;
    heard(features, phrases);
    const [toGoal, toAbout] = [align.compare(whole, goal), align.compare(whole, about)];
    aligned(features, SG, toGoal);
    aligned(features, SB, best === whole ? toGoal : align.compare(best, goal));
    aligned(features, SA, toAbout);
    aligned(features, SF, best === whole ? toAbout : align.compare(best, about));
    const ordered = inOrder(best.words, goal.words);
    features.order = ordered / Math.max(best.words.length, goal.words.length, 1);
    features.order_goal = ordered / Math.max(goal.words.length, 1);
    differences(features, best, whole, goal, about);
    const reason = near.reason === '' ? null : partOf(near.reason, rarity);
    features.reason_words = reason === null ? 0 : covered(reason, whole);
    features.reason_mean = reason === null ? 0 : cosine(whole.meaning, meaning(reason.text));
    aligned(features, SR, reason === null ? NOTHING : align.compare(whole, reason));
    files(features, moment.files, near.files);
    features.m_failed = near.success ? 0 : 1;
    features.m_age = Math.log1p(Math.max(0, near.ageMs) / DAY_MS);
    features.m_follow = near.hasFollowUp ? 1 : 0;
    features.m_type = moment.taskType !== undefined && moment.taskType === near.taskType ? 1 : 0;
    features.m_tag = near.tags.some((tag) => said.has(tag.toLowerCase())) ? 1 : 0;
    features.m_later = near.success ? 0 : laterSuccess(pool, pairs, at);
    features.len_goal = Math.log1p(goal.terms.size);
    features.len_part = Math.log1p(best.terms.size);
    family(features, families[at] as number[], { goals, pairs, at }, whole, align);
    const kin = (families[at] as number[]).map((other) => (pool[other] as Near).id);
    return { near, features, part: best.text, kin };
  });
  const all = seen.map(({ features }) => features);
  for (const names of RANKED) relate(all, names);
  for (const [at, { features }] of seen.entries()) {
    const kin = families[at] as number[];
    features.kin_mean =
      kin.length === 0
        ? 0
        : kin.reduce((sum, other) => sum + (all[other]?.mean_max ?? 0), 0) / kin.length;
  }
  return seen;
}

/** Whose rank, margin and place in the pool tell more than the value. */
const RANKED = [
  'lex_best',
  'mean_max_about',
  'B_goal',
  'lex_whole',
  'mean_max',
  'mean_about',
  'z_whole',
  'y_whole',
  'y_best',
  'p_mean',
  'p_words',
  'Sg_told',
  'Sg_said',
  'Sg_common',
  'Sa_said',
  'Sa_common',
  'Sb_told',
].map((key) => ({ key, rank: `rank_${key}`, margin: `margin_${key}`, place: `place_${key}` }));

function flagsOf(prefix: string, text: string, opens: (word: string) => number): Features {
  const features: Features = {};
  for (const [name, flag] of Object.entries(FLAGS)) {
    features[`${prefix}_${name}`] = flag(text) ? 1 : 0;
  }
  const words = text.toLowerCase().match(/[\p{L}\p{N}'’]+/gu) ?? [];
  features[`${prefix}_opens`] = opens(words[0] ?? '');
  features[`${prefix}_length`] = Math.log1p(words.length);
  return features;
}

/** What is told, beside each part of the moment. */
interface Fit {
  text: Read;
  lexical: readonly number[];
  meaning: readonly number[];
  /** Share of what is told that the part says, and the other way round. */
  told: readonly number[];
  said: readonly number[];
}

function fitOf(parts: readonly Read[], text: Read): Fit {
  return {
    text,
    lexical: parts.map((part) => cosine(part.lexical, text.lexical)),
    meaning: parts.map((part) => cosine(part.meaning, text.meaning)),
    told: parts.map((part) => covered(text, part)),
    said: parts.map((part) => covered(part, text)),
  };
}

/** @returns the place of the part that is nearest to anything told, and what that is */
function nearest(fits: readonly Fit[]): { best: number; told: Fit } {
  let found = { best: 0, told: fits[0] as Fit };
  let most = Number.NEGATIVE_INFINITY;
  for (const fit of fits) {
    for (const [part, lexical] of fit.lexical.entries()) {
      const score =
        lexical +
        (fit.meaning[part] as number) +
        1.5 * (fit.told[part] as number) +
        0.5 * (fit.said[part] as number);
      if (score <= most) continue;
      most = score;
      found = { best: part, told: fit };
    }
  }
  return found;
}

const NOTHING: Alignment = { said: 0, unsaid: 0, told: 0, untold: 0, common: 0 };

/** Names of features are made once: a name that is put together anew takes longer than its value. */
const namesWith = <Name extends string>(prefix: string, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, `${prefix}_${name}`])) as Record<Name, string>;
const alignment = (prefix: string) =>
  namesWith(prefix, ['said', 'unsaid', 'told', 'untold', 'common']);
const [SG, SB, SA, SF, SR] = [
  alignment('Sg'),
  alignment('Sb'),
  alignment('Sa'),
  alignment('Sf'),
  alignment('Sr'),
];
const overlap = (prefix: string) =>
  namesWith(prefix, ['goal', 'said', 'common', 'count', 'rarest']);
const [W, B, F, G] = [overlap('W'), overlap('B'), overlap('F'), overlap('G')];

function aligned(features: Features, names: typeof SG, of: Alignment): void {
  features[names.said] = of.said;
  features[names.unsaid] = of.unsaid;
  features[names.told] = of.told;
  features[names.untold] = of.untold;
  features[names.common] = of.common;
}

/** How well the best of what its author said of the moment fits. */
function heard(features: Features, phrases: readonly Fit[]): void {
  const most = (of: (phrase: Fit) => readonly number[]) => Math.max(0, ...phrases.flatMap(of));
  features.p_mean = most((phrase) => phrase.meaning);
  features.p_words = most((phrase) => phrase.told);
  features.p_said = most((phrase) => phrase.said);
  features.p_lex = most((phrase) => phrase.lexical);
  features.p_none = phrases.length === 0 ? 1 : 0;
}

/** Overlap in both directions, weighted by rarity. */
function compare(features: Features, names: typeof W, said: Part, told: Part): void {
  let common = 0;
  let count = 0;
  let rarest = 0;
  for (const [term, weight] of told.terms) {
    if (!said.terms.has(term)) continue;
    common += weight;
    count += 1;
    rarest = Math.max(rarest, weight);
  }
  features[names.goal] = told.total === 0 ? 0 : common / told.total;
  features[names.said] = said.total === 0 ? 0 : common / said.total;
  features[names.common] = common;
  features[names.count] = count;
  features[names.rarest] = rarest;
}

type Marks = 'numbers' | 'names';

function differences(features: Features, best: Part, whole: Part, goal: Part, about: Part): void {
  // What one of two texts has none of is not read in the other.
  const shared = (a: Part, b: Part, marks: Marks) => {
    let both = 0;
    for (const each of a[marks]) if (b[marks].has(each)) both += 1;
    return both;
  };
  const beyond = (a: Part, b: Part, marks: Marks) => (shared(a, b, marks) < a[marks].size ? 1 : 0);
  const apart = (a: Part, b: Part, marks: Marks) =>
    a[marks].size > 0 && b[marks].size > 0 && shared(a, b, marks) === 0 ? 1 : 0;
  for (const each of ['numbers', 'names'] as const) {
    features[`${each}_apart`] = apart(best, goal, each);
    features[`${each}_goal`] = beyond(goal, whole, each);
    features[`${each}_said`] = beyond(best, about, each);
    features[`${each}_same`] = shared(whole, about, each);
  }
}

const baseOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Paths are compared many times, and their keys cost most of it. */
const keyOf = remembering((path: string) => pathKeys(path)[0], 10_000);

/** Whether two paths are of one file: one ends in the other. */
export function sameFile(a: string, b: string): boolean {
  const [one, other] = [keyOf(a), keyOf(b)];
  if (one === undefined || other === undefined) return false;
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

function files(features: Features, said: readonly string[], told: readonly string[]): void {
  let same = 0;
  let name = 0;
  let folder = 0;
  for (const one of said) {
    for (const other of told) {
      if (sameFile(one, other)) same = 1;
      if (baseOf(one).toLowerCase() === baseOf(other).toLowerCase()) name = 1;
      if (folderOf(one) !== '' && folderOf(one) === folderOf(other)) folder = 1;
    }
  }
  features.file_same = same;
  features.file_name = name;
  features.file_folder = folder;
  features.file_said = said.length > 0 ? 1 : 0;
  features.file_told = told.length > 0 ? 1 : 0;
  features.file_other = said.length > 0 && told.length > 0 && name === 0 ? 1 : 0;
}

function laterSuccess(pool: readonly Near[], pairs: Pairs, at: number): number {
  const failed = pool[at] as Near;
  let most = 0;
  for (const [index, other] of pool.entries()) {
    if (!other.success || other.ageMs >= failed.ageMs) continue;
    const alike = Math.max(pairs.order(index, at), pairs.spelling(index, at));
    const onFile = 0.3 + 0.7 * alike;
    if (Math.max(alike, onFile) <= most) continue;
    const file = other.files.some((path) => failed.files.some((own) => sameFile(path, own)));
    most = Math.max(most, file ? onFile : alike);
  }
  return most;
}

/** Every two goals beside each other, both ways the same. */
interface Pairs {
  count: number;
  order(a: number, b: number): number;
  spelling(a: number, b: number): number;
}

function pairsOf(goals: readonly Read[]): Pairs {
  const count = goals.length;
  const order = new Float64Array(count * count);
  const spelling = new Float64Array(count * count);
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      const [one, other] = [goals[a] as Read, goals[b] as Read];
      order[a * count + b] = orderLikeness(one.words, other.words);
      order[b * count + a] = order[a * count + b] as number;
      spelling[a * count + b] = cosine(one.lexical, other.lexical);
      spelling[b * count + a] = spelling[a * count + b] as number;
    }
  }
  return {
    count,
    order: (a, b) => order[a * count + b] as number,
    spelling: (a, b) => spelling[a * count + b] as number,
  };
}

/** For each goal the others that are built like it. */
function familiesOf({ count, order, spelling }: Pairs): number[][] {
  const families = Array.from({ length: count }, (): number[] => []);
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      if (order(a, b) < ALIKE_ORDER && spelling(a, b) < ALIKE_SPELLING) continue;
      families[a]?.push(b);
      families[b]?.push(a);
    }
  }
  return families;
}

/** What the goals of a family have in common, and how much of that the moment says. */
function family(
  features: Features,
  kin: readonly number[],
  { goals, pairs, at }: { goals: readonly Read[]; pairs: Pairs; at: number },
  whole: Read,
  align: Aligner,
): void {
  const goal = goals[at] as Read;
  features.kin = Math.min(kin.length, 4);
  features.kin_order = Math.max(0, ...kin.map((other) => pairs.order(at, other)));
  let total = 0;
  let said = 0;
  let heard = 0;
  let slot = 0;
  let slots = 0;
  for (const [term, weight] of goal.terms) {
    const soft = align.heard(term, goal.surface.get(term) ?? term);
    const holders = kin.filter((other) => goals[other]?.terms.has(term)).length;
    if (holders < Math.max(1, kin.length / 2)) {
      slots += weight;
      slot += weight * soft;
      continue;
    }
    total += weight;
    heard += weight * soft;
    if (whole.terms.has(term)) said += weight;
  }
  features.kin_heard = total === 0 ? 0 : heard / total;
  features.kin_slot = slots === 0 ? 0 : slot / slots;
  features.kin_shared = total;
  features.kin_said = total === 0 ? 0 : said / total;
}

const MOST_RANK = 10;

/** Rank, margin to the best other one, and place in the spread of the pool. */
function relate(
  all: readonly Features[],
  { key, rank, margin, place }: (typeof RANKED)[number],
): void {
  const values = all.map((features) => features[key] ?? 0);
  let first = Number.NEGATIVE_INFINITY;
  let second = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value > first) [first, second] = [value, first];
    else if (value > second) second = value;
  }
  if (values.length < 2) second = 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const spread = Math.sqrt(variance) + 0.05;
  for (const [at, features] of all.entries()) {
    const value = values[at] as number;
    // What has nothing in common is nobody's first.
    let before = 0;
    for (const other of values) if (other > value) before += 1;
    features[rank] = value <= 0 ? MOST_RANK : Math.min(MOST_RANK, before);
    features[margin] = value - (value === first ? second : first);
    features[place] = (value - mean) / spread;
  }
}
