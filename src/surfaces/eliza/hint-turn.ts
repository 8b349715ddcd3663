/**
 * One message about hints: who asks, from where, what is known of the place, and which hints the person was
 * given last. All actions about hints share this.
 */
import type { Action, IAgentRuntime } from '@elizaos/core';
import { z } from 'zod';
import { HintService, type NudgeContext } from '../../hints/index.js';
import { serviceOf } from '../../host/index.js';
import { MINUTE_MS } from '../../shared/clock.js';
import {
  type ActionFamily,
  type ActionSpec,
  askUser,
  framedAction,
  type Outcome,
} from './action-frame.js';
import { placeNamed } from './confirm-words.js';
import { type Heard, heardIn, memoryServiceOf } from './memory-turn.js';
import { inConversation } from './open-questions.js';
import {
  type Asker,
  ask,
  type HintRef,
  hintRefSchema,
  lastTold,
  type Pending,
  pendingOf,
} from './pending.js';
import { createPerMessage } from './per-message.js';

export interface HintTurn extends Heard {
  service: HintService;
}

export function hintServiceOf(runtime: IAgentRuntime): HintService | null {
  return serviceOf(runtime, HintService);
}

const FIELDS: Readonly<Record<string, string>> = {
  'value.abs': 'the path',
  'value.cmd': 'the command',
  'meta.ttl': 'the time it is to be kept',
  'meta.priority': 'the priority',
  'meta.confidence': 'the confidence',
  'meta.tags': 'the list of tags',
};

/** What HINTS shows, by message; an action changes it. */
export const shownHints = createPerMessage<{ text: string; count: number }>();

const HINT_ACTIONS: ActionFamily<HintTurn> = {
  succeeded: 'hintActionSucceeded',
  isPresent: (runtime) => hintServiceOf(runtime) !== null && memoryServiceOf(runtime) !== null,
  absent: 'I cannot look into the hints right now: their service is not running.',
  notFound: 'I know no such hint.',
  nameOf: (field) => FIELDS[field] ?? `the ${field}`,
  async turnOf(runtime, message) {
    const service = hintServiceOf(runtime);
    const heard = await heardIn(runtime, message);
    return service && heard && { ...heard, service };
  },
  around: (turn, spec) => inConversation(turn, spec).finally(() => shownHints.drop(turn.runtime)),
};

export function hintAction(spec: ActionSpec<HintTurn>): Action {
  return framedAction(spec, HINT_ACTIONS);
}

const OWN_OS: Readonly<Partial<Record<NodeJS.Platform, NonNullable<NudgeContext['os']>>>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
};
const NAME = String.raw`[\w./@+-]*[\w/@+-]`;

/** The place in the words of a question: each takes what it names into the context. */
const PLACES: readonly (readonly [RegExp, (first: string, second: string) => NudgeContext])[] = [
  [/\b(?:on|for|under) (?:an? |the |my )?windows\b/gi, () => ({ os: 'windows' })],
  [/\b(?:on|for|under) (?:an? |the |my )?linux\b/gi, () => ({ os: 'linux' })],
  [/\b(?:on|for|under) (?:an? |the |my )?(?:mac ?os|macs?|darwin)\b/gi, () => ({ os: 'darwin' })],
  [new RegExp(`\\b(?:on|for|in) (?:the )?branch (${NAME})`, 'gi'), (branch) => ({ branch })],
  [new RegExp(`\\b(?:on|for|in) the (${NAME}) branch\\b`, 'gi'), (branch) => ({ branch })],
  [new RegExp(`\\bin (?:the )?repo(?:sitory)? ((?:[\\w-]+:)?${NAME})`, 'gi'), (repo) => ({ repo })],
  [/\b(?:in|under|below) ((?:\/|[a-z]:[\\/])[^\s,;()?]*[^\s,;()?.!])/gi, (cwd) => ({ cwd })],
  [/\bwhen \$?([A-Z_][A-Z0-9_]*) is set\b/g, (name) => ({ env: { [name]: '' } })],
  [
    /\bwhen \$?([A-Z_][A-Z0-9_]*)(?: is | ?= ?)([\w./@+-]*[\w/@+-])/g,
    (name, value) => ({ env: { [name]: value } }),
  ],
];

/**
 * What is known of the place that a message asks about: the system that this process runs on, and what
 * the message says ("on windows", "on branch dev", "in /srv/api", "when CI is set").
 */
export function askedPlace(said: string): {
  context: NudgeContext;
  /** Without those words. */
  text: string;
  isSaid: boolean;
} {
  const os = OWN_OS[process.platform];
  let context: NudgeContext = os === undefined ? {} : { os };
  let text = said;
  for (const [pattern, read] of PLACES) {
    text = text.replace(pattern, (_whole, first: unknown, second: unknown) => {
      const place = read(String(first), String(second));
      const env = { ...context.env, ...place.env };
      context = { ...context, ...place, ...(Object.keys(env).length === 0 ? {} : { env }) };
      return ' ';
    });
  }
  return { context, text, isSaid: text !== said };
}

/** What "that worked" and "forget it" mean stays known for this long. */
const GIVEN_MS = 30 * MINUTE_MS;
const MOST_GIVEN = 8;
const given = lastTold('hints-given', z.object({ hints: z.array(hintRefSchema) }));

/** Replaces the hints that the person was given last in this room. */
export function noteShownHints(turn: Asker, hints: readonly HintRef[]): Promise<void> {
  return given.note(turn, { hints: hints.slice(0, MOST_GIVEN).map(refOf) });
}

export async function lastShownHints(turn: Asker): Promise<HintRef[]> {
  const last = await given.last(turn);
  return last && Math.abs(turn.nowMs - last.atMs) <= GIVEN_MS ? last.hints : [];
}

export function refOf({ id, component, key }: HintRef): HintRef {
  return { id, component, key };
}

export type WhichHint = Extract<Pending, { kind: 'hint' }>;

/** The question "which of these hints?" that an action has asked, and the one that the message names. */
export async function answeredWhich(
  turn: HintTurn,
  action: string,
): Promise<{ open: WhichHint; chosen: HintRef | undefined } | null> {
  const open = await pendingOf(turn, action);
  if (open?.kind !== 'hint') return null;
  const place = placeNamed(turn.text, open.hints.length);
  return { open, chosen: place === null ? undefined : open.hints[place] };
}

/** @param lines one for each hint */
export async function askWhichHint(
  turn: HintTurn,
  action: string,
  question: string,
  hints: readonly HintRef[],
  lines: readonly string[],
): Promise<Outcome> {
  const text = turn.text.slice(0, 2_000);
  await ask(turn, { kind: 'hint', action, text, hints: hints.map(refOf) });
  return askUser([question, ...lines.map((line, index) => `${index + 1}. ${line}`)].join('\n'), {
    candidates: hints.map(({ component, key }) => ({ component, key })),
  });
}
