/** Which trigger is meant: by id or name, by place in the list we just showed, by "it". */
import {
  LIMITS,
  matchTrigger,
  pointedAt,
  preferred,
  type TriggerSummary,
} from '../../triggers/index.js';
import type { Outcome } from './action-frame.js';
import { askUser, refuse } from './action-frame.js';
import { placeNamed } from './confirm-words.js';
import { counted, quoted, triggerLine } from './display.js';
import { ask, forget, lastMentioned, type Pending } from './pending.js';
import type { Turn } from './turn.js';

/** More than one person's limit; beyond it a trigger is named by its id. */
const CONSIDERED = 200;
const SHOWN = 6;
/** Nobody names a trigger with more; what comes after is talk. */
const LONGEST_TARGET = 300;

/** Nothing but a pointer; "that standup" is a name. */
const PRONOUN =
  /^(?:it|that|this|(?:that|this|the (?:last|latest|new|newest|same)) (?:one|trigger|reminder|task|alarm|timer|job)|the latest|the one)$/i;

export type Choice = { trigger: TriggerSummary } | { outcome: Outcome };

export interface ChoiceOptions {
  action: string;
  /** The words that name it. */
  target: string;
  /** All of the message, to be completed by the answer to "which one?". */
  text: string;
  /** Of several that fit equally well, these are meant first. */
  prefer?: (trigger: TriggerSummary) => boolean;
  /** Said when none fits. */
  hint?: string;
  /** The ids we offered in our last question, when this is the answer to it. */
  among?: string[];
}

export async function visibleTriggers(turn: Turn): Promise<TriggerSummary[]> {
  const { triggers } = await turn.service.list({}, { limit: CONSIDERED }, turn.requester);
  return triggers;
}

/** The one trigger that is meant, or what to say instead. */
export async function chooseTrigger(turn: Turn, options: ChoiceOptions): Promise<Choice> {
  const all = await visibleTriggers(turn);
  const offered = options.among;
  const items =
    offered === undefined ? all : offered.flatMap((id) => all.find((one) => one.id === id) ?? []);
  if (items.length === 0) return { outcome: nothingThere(options) };
  const place = offered === undefined ? null : placeNamed(options.target, items.length);
  const placed = place === null ? undefined : items[place];
  if (placed) return { trigger: placed };

  const target = options.target.slice(0, LONGEST_TARGET);
  if (PRONOUN.test(target.replace(/[\s.,!?]+$/, '').trim())) {
    const { roomId, nowMs } = turn;
    const said = { nowMs, mentioned: await lastMentioned(turn), ...(roomId && { roomId }) };
    return { trigger: pointedAt(narrowed(turn, options, items), said) };
  }
  const match = matchTrigger(target, items);
  if (match.kind === 'one') return { trigger: match.item };
  if (match.kind === 'none') return { outcome: noneFits(turn, options, items) };
  const fits = narrowed(turn, options, match.items);
  const [only, ...others] = fits;
  if (only && others.length === 0) return { trigger: only };
  await ask(turn, {
    kind: 'which',
    action: options.action,
    text: options.text.slice(0, LIMITS.instructionsBytes),
    ids: fits.slice(0, SHOWN).map((one) => one.id),
  });
  return { outcome: whichOne(turn, fits) };
}

/** Of those that fit equally well: one's own first, then what the action prefers. */
function narrowed(turn: Turn, { prefer }: ChoiceOptions, items: TriggerSummary[]) {
  const isOwn = (one: TriggerSummary) => one.creatorEntityId === turn.requester.entityId;
  return preferred(items, prefer ? [isOwn, prefer] : [isOwn]);
}

function nothingThere({ hint }: ChoiceOptions): Outcome {
  return refuse(
    `There are no triggers here. ${hint ?? 'Tell me what to do and when, for example "every weekday at 9 summarize my inbox".'}`,
    { code: 'NOT_FOUND' },
  );
}

function noneFits(turn: Turn, options: ChoiceOptions, items: TriggerSummary[]): Outcome {
  return refuse(
    `I know no trigger called ${quoted(options.target, 60)}. ${options.hint === undefined ? '' : `${options.hint} `}There ${items.length === 1 ? 'is' : 'are'}:\n${lines(turn, items)}`,
    { code: 'NOT_FOUND' },
  );
}

function whichOne(turn: Turn, items: TriggerSummary[]): Outcome {
  return askUser(
    `Which one do you mean? That fits ${counted(items.length)}:\n${lines(turn, items)}`,
    { candidates: items.slice(0, SHOWN).map((one) => one.id) },
  );
}

function lines(turn: Turn, items: TriggerSummary[]): string {
  const shown = items
    .slice(0, SHOWN)
    .map((one, index) => `${index + 1}. ${triggerLine(one, turn.nowMs, turn.zone.name)}`);
  const more = items.length - shown.length;
  return [...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}

/** Closes an open question that this message has answered or made pointless. */
export async function settle(turn: Turn, pending: Pending | null): Promise<void> {
  if (pending !== null) await forget(turn, pending);
}
