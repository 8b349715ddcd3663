/**
 * What the gate goes by: each memory near a moment as numbers, comparable from store to store. The
 * names stand in the weights; a feature that is not there weighs nothing. Pure.
 */
import { builtInModel, cosine, embedLexical } from '../../embeddings/index.js';
import { DAY_MS } from '../../shared/clock.js';
import { pathsIn } from '../../shared/path-mentions.js';
import { pathKeys } from '../../shared/paths.js';
import { type Aligner, type Alignment, alignWith } from './alignment.js';
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
  meaning: (text: string) => Float32Array;
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

interface Vectors {
  lexical: Float32Array;
  meaning: Float32Array;
}
interface Read extends Part, Vectors {}

/** Goals and words come again and again, and reading them is most of the work; at most 1.5 kB each. */
const MOST_VECTORS = 8_000;
const lexical = remembering(embedLexical, MOST_VECTORS);
/** Unit vector of a text by the embedder that is always there. */
export const meaning = remembering((text: string) => builtInModel().embed(text), MOST_VECTORS);

const ALIKE_ORDER = 0.5;
const ALIKE_SPELLING = 0.45;

/** Every memory of the pool with its features, in the order of the pool. */
export function featuresOf(
  moment: Moment,
  pool: readonly Near[],
  { rarity: lookUp, meaning, opens }: Surroundings,
): Seen[] {
  const rarity = remembering(lookUp);
  const read = (text: string): Read => ({
    ...partOf(text, rarity),
    lexical: lexical(text),
    meaning: meaning(text),
  });
  const parts = partsOf(moment.text).map(read);
  const [whole] = parts;
  if (whole === undefined || pool.length === 0) return [];
  const ofMoment = {
    ...flagsOf('w', whole.text, opens),
    parts: Math.log(parts.length),
  } as Features;
  for (const kind of MOMENT_KINDS) ofMoment[`kind_${kind}`] = kind === moment.kind ? 1 : 0;
  const goals = pool.map(({ goal }) => read(goal));
  const abouts = pool.map(({ about }) => ({ ...partOf(about, rarity), meaning: meaning(about) }));
  const align = alignWith(whole, meaning);
  const families = familiesOf(goals);
  const said = new Set([...whole.words, ...(moment.tags ?? [])].map((word) => word.toLowerCase()));
  const flagsOfPart = new Map(parts.map((part) => [part, flagsOf('s', part.text, opens)]));
  const seen = pool.map((near, at): Seen => {
    const about = abouts[at] as Omit<Read, 'lexical'>;
    // What its author said of the moment stands for the goal where it is nearer to it.
    const told = [goals[at] as Read, ...near.phrases.map(read)];
    const { best, goal } = nearest(parts, told);
    const features: Features = { ...ofMoment, ...flagsOfPart.get(best) };
    features.s_whole = best === whole ? 1 : 0;
    compare(features, 'W', whole, goal);
    compare(features, 'B', best, goal);
    compare(features, 'F', best, about);
    compare(features, 'G', whole, about);
    vectors(features, 'lex', parts, best, goal, 'lexical');
    vectors(features, 'mean', parts, best, goal, 'meaning');
    features.mean_about = cosine(whole.meaning, about.meaning);
    features.mean_max_about = Math.max(...parts.map((part) => cosine(part.meaning, about.meaning)));
    features.z_whole = near.stored?.whole ?? 0;
    features.z_best = near.stored?.best ?? 0;
    features.z_none = near.stored === null ? 1 : 0;
    features.y_whole = near.alike?.whole ?? 0;
    features.y_best = near.alike?.best ?? 0;
    heard(features, parts, near.phrases.map(read));
    const [ofGoal, ofAbout] = [align.compare(whole, goal), align.compare(whole, about)];
    aligned(features, 'Sg', ofGoal);
    aligned(features, 'Sb', best === whole ? ofGoal : align.compare(best, goal));
    aligned(features, 'Sa', ofAbout);
    aligned(features, 'Sf', best === whole ? ofAbout : align.compare(best, about));
    features.order = orderLikeness(best.words, goal.words);
    features.order_goal = inOrder(best.words, goal.words) / Math.max(goal.words.length, 1);
    differences(features, best, whole, goal, about);
    const reason = near.reason === '' ? null : partOf(near.reason, rarity);
    features.reason_words = reason === null ? 0 : covered(reason, whole);
    features.reason_mean = reason === null ? 0 : cosine(whole.meaning, meaning(reason.text));
    aligned(features, 'Sr', reason === null ? NOTHING : align.compare(whole, reason));
    files(features, moment.files, near.files);
    features.m_failed = near.success ? 0 : 1;
    features.m_age = Math.log1p(Math.max(0, near.ageMs) / DAY_MS);
    features.m_follow = near.hasFollowUp ? 1 : 0;
    features.m_type = moment.taskType !== undefined && moment.taskType === near.taskType ? 1 : 0;
    features.m_tag = near.tags.some((tag) => said.has(tag.toLowerCase())) ? 1 : 0;
    features.m_later = near.success ? 0 : laterSuccess(pool, goals, at);
    features.len_goal = Math.log1p(goal.terms.size);
    features.len_part = Math.log1p(best.terms.size);
    family(features, families[at] as number[], goals, at, whole, align);
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

function nearest(parts: readonly Read[], told: readonly Read[]): { best: Read; goal: Read } {
  let found = { best: parts[0] as Read, goal: told[0] as Read };
  let most = Number.NEGATIVE_INFINITY;
  for (const goal of told) {
    for (const part of parts) {
      const score =
        cosine(part.lexical, goal.lexical) +
        cosine(part.meaning, goal.meaning) +
        1.5 * covered(goal, part) +
        0.5 * covered(part, goal);
      if (score <= most) continue;
      most = score;
      found = { best: part, goal };
    }
  }
  return found;
}

const NOTHING: Alignment = { said: 0, unsaid: 0, told: 0, untold: 0, common: 0 };

function aligned(features: Features, prefix: string, alignment: Alignment): void {
  for (const [name, value] of Object.entries(alignment)) features[`${prefix}_${name}`] = value;
}

/** How well the best of what its author said of the moment fits. */
function heard(features: Features, parts: readonly Read[], phrases: readonly Read[]): void {
  const most = (of: (part: Read, phrase: Read) => number) =>
    Math.max(0, ...phrases.flatMap((phrase) => parts.map((part) => of(part, phrase))));
  features.p_mean = most((part, phrase) => cosine(part.meaning, phrase.meaning));
  features.p_words = most((part, phrase) => covered(phrase, part));
  features.p_said = most((part, phrase) => covered(part, phrase));
  features.p_lex = most((part, phrase) => cosine(part.lexical, phrase.lexical));
  features.p_none = phrases.length === 0 ? 1 : 0;
}

/** Overlap in both directions, weighted by rarity. */
function compare(features: Features, prefix: string, said: Part, told: Part): void {
  let common = 0;
  let count = 0;
  let rarest = 0;
  for (const [term, weight] of told.terms) {
    if (!said.terms.has(term)) continue;
    common += weight;
    count += 1;
    rarest = Math.max(rarest, weight);
  }
  features[`${prefix}_goal`] = told.total === 0 ? 0 : common / told.total;
  features[`${prefix}_said`] = said.total === 0 ? 0 : common / said.total;
  features[`${prefix}_common`] = common;
  features[`${prefix}_count`] = count;
  features[`${prefix}_rarest`] = rarest;
}

function vectors(
  features: Features,
  prefix: string,
  parts: readonly Read[],
  best: Read,
  goal: Read,
  by: keyof Vectors,
): void {
  const [whole = best] = parts;
  features[`${prefix}_whole`] = cosine(whole[by], goal[by]);
  features[`${prefix}_best`] = cosine(best[by], goal[by]);
  features[`${prefix}_max`] = Math.max(...parts.map((part) => cosine(part[by], goal[by])));
}

function differences(features: Features, best: Part, whole: Part, goal: Part, about: Part): void {
  const shared = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
    [...a].filter((each) => b.has(each)).length;
  const beyond = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
    shared(a, b) < a.size ? 1 : 0;
  const apart = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
    a.size > 0 && b.size > 0 && shared(a, b) === 0 ? 1 : 0;
  for (const each of ['numbers', 'names'] as const) {
    features[`${each}_apart`] = apart(best[each], goal[each]);
    features[`${each}_goal`] = beyond(goal[each], whole[each]);
    features[`${each}_said`] = beyond(best[each], about[each]);
    features[`${each}_same`] = shared(whole[each], about[each]);
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

function laterSuccess(pool: readonly Near[], goals: readonly Read[], at: number): number {
  const failed = pool[at] as Near;
  const goal = goals[at] as Read;
  let most = 0;
  for (const [index, other] of pool.entries()) {
    if (!other.success || other.ageMs >= failed.ageMs) continue;
    const told = goals[index] as Read;
    const alike = Math.max(
      orderLikeness(told.words, goal.words),
      cosine(told.lexical, goal.lexical),
    );
    const file = other.files.some((path) => failed.files.some((own) => sameFile(path, own)));
    most = Math.max(most, file ? 0.3 + 0.7 * alike : alike);
  }
  return most;
}

/** For each goal the others that are built like it. */
function familiesOf(goals: readonly Read[]): number[][] {
  const families = goals.map((): number[] => []);
  for (let a = 0; a < goals.length; a++) {
    for (let b = a + 1; b < goals.length; b++) {
      const one = goals[a] as Read;
      const other = goals[b] as Read;
      if (
        orderLikeness(one.words, other.words) < ALIKE_ORDER &&
        cosine(one.lexical, other.lexical) < ALIKE_SPELLING
      )
        continue;
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
  goals: readonly Read[],
  at: number,
  whole: Read,
  align: Aligner,
): void {
  const goal = goals[at] as Read;
  features.kin = Math.min(kin.length, 4);
  features.kin_order = Math.max(
    0,
    ...kin.map((other) => orderLikeness(goal.words, goals[other]?.words ?? [])),
  );
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
  const [first = 0, second = 0] = [...values].sort((a, b) => b - a);
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
