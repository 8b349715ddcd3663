/**
 * Hints that help with what is about to be done, or has just failed (DESIGN §8, §10; seed `nudge.md` §7
 * A, B): the build command is offered before anybody asks for it. Which hints are eligible, their room
 * says; here it is decided which are meant, and what may be shown.
 */
import {
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
import { type Meant, meantComponents } from '../deeds/components.js';
import { type Deed, deedsIn, deedsOfAction } from '../deeds/deeds.js';
import { fittingHints } from '../deeds/fitting.js';
import type { SlotInput } from '../router.js';
import { printedHint } from '../text/printed-hint.js';
import type { Detector, ShownHint, Suppressed } from '../types.js';
import { disabled, elsewhere, nothing, notifying } from './candidates.js';
import { callerOf, type DetectorContext, readerIn } from './context.js';

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

/** What the room of hints does for offers. */
export interface HintPort {
  readonly offering: Offering;
  /** Where the agent of this process works, as far as that is known: for what happens in its chats. */
  place(): NudgeContext;
  /** The folder of that name below the agent's own; `null`: there is none. */
  folderOf(component: string): string | null;
}

const KIND = 'hintMatch';

/**
 * @param port looked up at each question, since rooms start side by side; `null`: there is none (yet),
 * and nothing is said; what it throws is a failure of the detector
 */
export function createHintMatch(
  context: DetectorContext,
  port: () => HintPort | null,
): Detector<SlotInput> {
  return {
    name: KIND,
    async evaluate(input) {
      const config = context.config().hintMatch;
      const text = (input.said ?? input.text).trim();
      const subject = input.text.trim() || text;
      if (!config.enabled) return disabled(context, KIND, subject);
      const reader = readerIn(context, input);
      if (reader === null) return elsewhere(context, KIND, subject, input.projectId);
      const cue = { kind: KIND, subject } as const;
      const deeds = input.isAction === true ? deedsOfAction(text) : deedsIn(text);
      if (deeds.length === 0) return nothing(context, cue, ['nothing is about to be done']);
      const room = port();
      if (room === null) return nothing(context, cue, ['no hints']);

      const caller = callerOf(input);
      const facts = factsOf(room, input);
      const names = room.offering.components(caller);
      const meant = meantComponents(names, { text, files: input.files, cwd: facts.cwd });
      const suppressed: Suppressed[] = [];
      const found: Found[] = [];
      for (const component of meant) {
        const where = contextFor(component, facts, input, room);
        const eligible = room.offering
          .eligible(component.name, where, caller)
          .filter(({ audience, hint }) => canRead(reader, audience) && !isSecret(hint));
        for (const deed of deeds) {
          found.push(...fittingHints(eligible, deed, component).map((fit) => ({ ...fit, deed })));
        }
      }
      found.sort(
        (a, b) =>
          Number(b.byKey) - Number(a.byKey) || b.hits - a.hits || b.hint.score - a.hint.score,
      );
      const shown = new Map<string, { memory: ShownHint; deed: Deed }>();
      for (const one of found) {
        const memory = shownOf(one);
        const reason = whyNot(one, memory, text);
        if (reason !== null) suppressed.push({ memoryId: memory.memoryId, detector: KIND, reason });
        // The same value by two keys, or for two deeds, is one hint.
        else if (!shown.has(keyOf(one.hint)))
          shown.set(keyOf(one.hint), { memory, deed: one.deed });
      }
      const best = [...shown.values()].slice(0, config.max_results);
      const [first] = best;
      if (!first) return nothing(context, cue, ['no hint for it'], { suppressed });
      const memories = best.map(({ memory }) => memory);
      const lines = memories.map(({ memoryId, value }) => `${memoryId}: ${value ?? ''}`);
      return notifying(
        context,
        { kind: KIND, subject: first.deed.text, lines, memories },
        memories,
        { subject: first.deed.text, strength: first.memory.score, evidence: first.memory.reasons },
        { suppressed },
      );
    },
    async revisions(ids) {
      const room = port();
      if (room === null) return null;
      return new Map(room.offering.current(ids).map((hint) => [hint.id, revisionOf(hint)]));
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

interface Found {
  hint: EligibleHint;
  /** Whether the key means the deed, and not only a tag. */
  byKey: boolean;
  hits: number;
  reasons: string[];
  deed: Deed;
}

/** What is said of the place, and in a conversation of this process what is known of it. */
function factsOf(room: HintPort, { roomId, cwd, repo, branch }: SlotInput): NudgeContext {
  const said = {
    ...(cwd === undefined ? {} : { cwd }),
    ...(repo === undefined ? {} : { repo }),
    ...(branch === undefined ? {} : { branch }),
  };
  const here = room.place();
  // Another folder may be of another repository, on another branch.
  const isHere = roomId !== undefined && (cwd === undefined || cwd === here.cwd);
  return { ...(isHere ? here : factsElsewhere(here)), ...said };
}

/** To build a component one goes to its folder. */
function contextFor(
  { name, folder }: Meant,
  facts: NudgeContext,
  { files, roomId }: SlotInput,
  room: HintPort,
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
  const own = below ?? (roomId === undefined ? null : room.folderOf(name));
  return { ...facts, ...(own === null ? {} : { cwd: own }), files_open };
}

function factsElsewhere({ os }: NudgeContext): NudgeContext {
  return os === undefined ? {} : { os };
}

function isSecret({ meta }: EligibleHint['hint']): boolean {
  return meta.sensitivity === 'secret';
}

function whyNot({ hint: { key, hint } }: Found, memory: ShownHint, text: string): string | null {
  const { value } = memory;
  // Said to be none, it may be one all the same.
  const isClean = JSON.stringify(redactHint(hint, key).value) === JSON.stringify(hint.value);
  if (!isClean) return 'it holds what looks like a secret';
  if (value !== undefined && carriesOut(text, value)) return 'it is what is said';
  return printedHint(memory) === null ? 'its name cannot be printed as it is' : null;
}

function shownOf({ hint: eligible, reasons }: Found): ShownHint {
  const { id, component, key, hint, audience, score, match_explain } = eligible;
  const value = directValue(hint.value);
  return {
    id,
    memoryId: `${component}/${key}`,
    revision: revisionOf(eligible),
    score,
    reasons: [...match_explain.reasons, ...reasons],
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
