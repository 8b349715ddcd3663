/**
 * Hints that help with what is about to be done, or has just failed (DESIGN §8, §10; seed `nudge.md` §7
 * A, B): the build command is offered before anybody asks for it. Which hints are eligible, their module
 * says; here it is decided which are meant, and what may be shown.
 */
import { builtInModel, cosine } from '../../embeddings/index.js';
import {
  componentMentions,
  directValue,
  type EligibleHint,
  type NudgeContext,
  type Offering,
  redactHint,
  type StoredHint,
} from '../../hints/index.js';
import { readerOf } from '../../memory/index.js';
import { canRead } from '../../records/index.js';
import { isAppError } from '../../shared/errors.js';
import { derivedId } from '../../shared/ids.js';
import { analyze } from '../../shared/text.js';
import { meaning } from '../gate/features.js';
import { HINT_WEIGHTS, type HintMoment, likelyHints, wordsOfName } from '../gate/hint-gate.js';
import { opens, rarityIn } from '../gate/weights.js';
import { printedHint } from '../text/layouts.js';
import type { Detector, ShownHint, SlotInput, Suppressed } from '../types.js';
import { callerOf, type DetectorContext, defineDetector } from './detection.js';

/** A shorter value ("1", "on") stands in very many commands: only the whole of one is it. */
const LEAST_PART = 4;

/** Space apart: `cd api && docker compose build` carries out `docker compose build`, not `build`er. */
function carriesOut(action: string, value: string): boolean {
  const done = squeezed(action);
  const wanted = squeezed(value);
  if (wanted === '') return false;
  if (done === wanted) return true;
  if (wanted.length < LEAST_PART) return false;
  for (let at = done.indexOf(wanted); at >= 0; at = done.indexOf(wanted, at + 1)) {
    const before = done.charAt(at - 1);
    const after = done.charAt(at + wanted.length);
    if (!isWord(before) && !isWord(after)) return true;
  }
  return false;
}

const squeezed = (text: string): string => text.trim().replace(/\s+/g, ' ');
const isWord = (character: string): boolean => /[\p{L}\p{N}_./\\-]/u.test(character);

/** What the module of hints does for offers. */
export interface HintPort {
  readonly offering: Offering;
  /** Where the agent of this process works, as far as that is known: for what happens in its chats. */
  place(): NudgeContext;
  /** The folder of that name below the agent's own; `null`: there is none. */
  folderOf(component: string): string | null;
}

const KIND = 'hintMatch';

/**
 * @param port looked up at each question, since modules start side by side; `null`: there is none (yet),
 * and nothing is said; what it throws is a failure of the detector
 */
export function createHintMatch(
  context: DetectorContext,
  port: () => HintPort | null,
): Detector<SlotInput> {
  const detector = defineDetector(
    context,
    KIND,
    ({ text }: SlotInput) => text.trim(),
    async (input, question) => {
      const { config, subject: text, reader } = question;
      if (text === '') return question.nothing(['nothing is said']);
      const source = port();
      if (source === null) return question.nothing(['no hints']);
      const caller = callerOf(input);
      const facts = factsOf(source, input);
      const names = source.offering.components(caller);
      const known: Near[] = [];
      const places = nearComponents(names, { text, files: input.files, cwd: facts.cwd });
      for (const component of likeliest(places, text, source.offering.readable(caller))) {
        const where = contextFor(component, facts, input, source);
        for (const hint of source.offering.eligible(component.name, where, caller)) {
          const isSecret = hint.hint.meta.sensitivity === 'secret';
          if (canRead(reader, hint.audience) && !isSecret) known.push({ hint, component });
        }
      }
      const suppressed: Suppressed[] = [];
      const shown = new Map<string, ShownHint>();
      const moment = { kind: input.kind ?? 'message', text, error: input.error };
      for (const one of fitting(moment, known)) {
        const memory = shownOf(one);
        const reason = whyNot(one, memory, text);
        if (reason !== null) suppressed.push({ memoryId: memory.memoryId, detector: KIND, reason });
        // The same value by two keys is one hint.
        else if (!shown.has(keyOf(one.hint))) shown.set(keyOf(one.hint), memory);
      }
      const memories = [...shown.values()].slice(0, config.max_results);
      const [first] = memories;
      if (!first) return question.nothing(['no hint for it'], { suppressed });
      return question.notifying(
        { kind: KIND, subject: text, memories },
        memories,
        { strength: first.score, evidence: first.reasons },
        { suppressed },
      );
    },
  );
  return {
    ...detector,
    async revisions(ids) {
      const source = port();
      if (source === null) return null;
      return new Map(source.offering.current(ids).map((hint) => [hint.id, revisionOf(hint)]));
    },
    async succeeded(id, { action, caller }) {
      const offering = port()?.offering;
      const [stored] = offering?.current([id]) ?? [];
      // In company the agent works for nobody, who may not even know of it.
      if (!offering || !stored || !canRead(readerOf(caller), stored.audience)) return false;
      const value = directValue(stored.hint.value);
      if (value === null || !carriesOut(action, value)) return false;
      try {
        await offering.bump(id, caller);
        return true;
      } catch (error) {
        // It went meanwhile.
        if (isAppError(error) && error.code === 'NOT_FOUND') return false;
        throw error;
      }
    },
  };
}

/** A component whose hints may be meant. */
interface Place {
  name: string;
  /** Said in words, or the folder of a file. */
  isNamed: boolean;
  /** As it is written in a path of the moment. */
  folder: string | null;
  /** In words; absent: nothing speaks for it but the hint itself. */
  reason?: string;
}
interface Near {
  hint: EligibleHint;
  component: Place;
}
interface Likely extends Near {
  probability: number;
}
interface Found extends Near {
  /** In words. */
  reasons: readonly string[];
}

/** Of all components where some are named; else of the one whose folder one is in. */
function nearComponents(
  names: readonly string[],
  { text, files, cwd }: { text: string; files: readonly string[]; cwd: string | undefined },
): Place[] {
  const found = componentMentions(text, names, files);
  const mentions = found.filter(({ name }) => !found.some((other) => isWithin(name, other.name)));
  const possible = names.filter((name) => !mentions.some((said) => isWithin(name, said.name)));
  const all = possible.map((name): Place => {
    const mention = mentions.find((one) => one.name === name);
    if (!mention) return { name, isNamed: false, folder: null };
    const { folder, said } = mention;
    const reason = said === null ? `${name} is the folder of a file` : `${name} is named`;
    return { name, isNamed: true, folder, reason };
  });
  if (mentions.length > 0) return all;
  const parts = (cwd ?? '').split(/[\\/]/).toReversed();
  const here = parts.find((part) => part !== '' && names.includes(part));
  if (here !== undefined) {
    return [
      { name: here, isNamed: false, folder: null, reason: `${here} is the folder one is in` },
    ];
  }
  const [only] = all;
  if (all.length !== 1 || !only) return all;
  return [{ ...only, reason: `${only.name} is the only component` }];
}

/** "Proxy" is not meant by itself where "http-proxy" is. */
function isWithin(name: string, other: string): boolean {
  const [own, more] = [name, other].map((each) => wordsOfName(each).toLowerCase());
  return own !== more && ` ${more} `.includes(` ${own} `);
}

const rarity = rarityIn({ size: 0, documentFrequency: () => 0 });
/** Components whose hints are looked at. */
const MOST_PLACES = 80;
/** Hints that are compared word by word. */
const MOST_COMPARED = 40;

/** Those that are likely enough, the likeliest first. */
function fitting(moment: HintMoment, known: readonly Near[]): Found[] {
  const near = nearest(moment.text, known);
  const words = near.map(({ hint, component }) => ({
    component: hint.component,
    key: hint.key,
    tags: hint.hint.meta.tags ?? [],
    value: directValue(hint.hint.value) ?? '',
    isNamed: component.isNamed,
  }));
  const likely = likelyHints(moment, words, { rarity, meaning, opens });
  const said = new Set(analyze(moment.text));
  const isSaid = (names: readonly string[]) =>
    names.some((name) => analyze(wordsOfName(name)).some((term) => said.has(term)));
  const all = near.map((each, at) => ({ ...each, probability: likely[at] ?? 0 }));
  return all
    .filter(({ probability }) => probability >= HINT_WEIGHTS.threshold)
    .filter((one) => one.component.reason !== undefined || !isOneOfMany(one, all))
    .sort((a, b) => b.probability - a.probability || b.hint.score - a.hint.score)
    .map(({ probability, hint, component }) => {
      const { key, hint: stored } = hint;
      const fits = isSaid(stored.meta.tags ?? [])
        ? 'a tag fits'
        : `likely ${probability.toFixed(2)}`;
      const how = isSaid([key]) ? `key ${key} fits` : fits;
      const reasons = component.reason === undefined ? [how] : [how, component.reason];
      return { hint, component, reasons };
    });
}

/** "Run the tests" says nothing where two components have tests. */
function isOneOfMany({ hint, probability }: Likely, all: readonly Likely[]): boolean {
  return all.some(
    ({ hint: other, ...more }) =>
      other.key === hint.key &&
      other.component !== hint.component &&
      more.probability > probability / 4,
  );
}

type Told = Pick<StoredHint, 'component' | 'key' | 'hint'>;

/** Likeness of a hint, by its names, to a text. */
function likenessTo(text: string): (hint: Told) => number {
  const said = meaning(text);
  return (hint) => cosine(said, toldBy(hint));
}

const vectors = new WeakMap<Told['hint'], Float32Array>();

/** Kept as long as the hint: with thousands of hints, to read them all again takes longer than all else. */
function toldBy({ component, key, hint }: Told): Float32Array {
  const known = vectors.get(hint);
  if (known !== undefined) return known;
  const text = [component, key, ...(hint.meta.tags ?? [])].join(' ');
  const vector = builtInModel().embed(text);
  vectors.set(hint, vector);
  return vector;
}

/** The components with the nearest hints; whether a hint counts where one is, is looked at in these alone. */
function likeliest(places: readonly Place[], text: string, hints: Iterable<Told>): Place[] {
  if (places.length <= MOST_PLACES) return [...places];
  const likeness = likenessTo(text);
  const nearestOf = new Map<string, number>();
  for (const hint of hints) {
    const known = nearestOf.get(hint.component) ?? Number.NEGATIVE_INFINITY;
    nearestOf.set(hint.component, Math.max(known, likeness(hint)));
  }
  const worthOf = ({ name, isNamed }: Place) =>
    (nearestOf.get(name) ?? Number.NEGATIVE_INFINITY) + (isNamed ? 1 : 0);
  return places
    .map((place) => ({ place, worth: worthOf(place) }))
    .sort((one, other) => other.worth - one.worth)
    .slice(0, MOST_PLACES)
    .map(({ place }) => place);
}

/** By likeness; those of named components first. */
function nearest(text: string, known: readonly Near[]): readonly Near[] {
  if (known.length <= MOST_COMPARED) return known;
  const likeness = likenessTo(text);
  return known
    .map((near) => ({ near, worth: likeness(near.hint) + (near.component.isNamed ? 1 : 0) }))
    .sort((a, b) => b.worth - a.worth)
    .slice(0, MOST_COMPARED)
    .map(({ near }) => near);
}

/** What is said of the place, and in a conversation of this process what is known of it. */
function factsOf(source: HintPort, { roomId, cwd, repo, branch }: SlotInput): NudgeContext {
  const said = {
    ...(cwd === undefined ? {} : { cwd }),
    ...(repo === undefined ? {} : { repo }),
    ...(branch === undefined ? {} : { branch }),
  };
  const here = source.place();
  // Another folder may be of another repository, on another branch.
  const isHere = roomId !== undefined && (cwd === undefined || cwd === here.cwd);
  return { ...(isHere ? here : factsElsewhere(here)), ...said };
}

/** To build a component one goes to its folder. */
function contextFor(
  { name, folder }: Place,
  facts: NudgeContext,
  { files, roomId }: SlotInput,
  source: HintPort,
): NudgeContext {
  const files_open = files.slice(0, 50);
  const { cwd } = facts;
  const isThere = cwd?.split(/[\\/]/).includes(name) === true;
  if (isThere) return { ...facts, files_open };
  const isAbsolute = folder !== null && /^(?:[\\/]|[a-z]:)/i.test(folder);
  if (folder !== null && isAbsolute) {
    const isBelow = cwd !== undefined && folder.startsWith(`${cwd}/`);
    return { ...(isBelow ? facts : factsElsewhere(facts)), cwd: folder, files_open };
  }
  const below = folder !== null && cwd !== undefined ? `${cwd}/${folder}` : null;
  const own = below ?? (roomId === undefined ? null : source.folderOf(name));
  return { ...facts, ...(own === null ? {} : { cwd: own }), files_open };
}

function factsElsewhere({ os }: NudgeContext): NudgeContext {
  return os === undefined ? {} : { os };
}

function whyNot({ hint: { key, hint } }: Found, memory: ShownHint, text: string): string | null {
  const { value } = memory;
  // Said to be none, it may be one all the same.
  const isClean = JSON.stringify(redactHint(hint, key).value) === JSON.stringify(hint.value);
  if (!isClean) return 'it holds what looks like a secret';
  if (value !== undefined && carriesOut(text, value)) return 'it is what is said';
  return printedHint(memory) === null ? 'its name cannot be printed as it is' : null;
}

function shownOf(found: Found): ShownHint {
  const { hint: eligible } = found;
  const { id, component, key, hint, audience, score, match_explain } = eligible;
  const value = directValue(hint.value);
  return {
    id,
    memoryId: `${component}/${key}`,
    revision: revisionOf(eligible),
    score,
    reasons: [...match_explain.reasons, ...found.reasons],
    scope: audience,
    files: [],
    ...(value === null ? {} : { value }),
  };
}

function keyOf({ component, hint }: StoredHint): string {
  return `${component}\n${JSON.stringify(hint.value)}`;
}

/** From what is shown of it: its use changes nothing of that. */
function revisionOf({ component, key, hint }: StoredHint): number {
  const { value, meta } = hint;
  const told = JSON.stringify([value, meta.sensitivity ?? 'normal', meta.scope ?? {}]);
  const digest = derivedId('hint as shown', component, key, told);
  return Number.parseInt(digest.slice(0, 8), 16) + 1;
}
