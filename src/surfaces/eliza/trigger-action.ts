/** What the actions about triggers share: their service, their turn, which trigger is meant, and what "it" means next. */
import type { Action } from '@elizaos/core';
import {
  LIMITS,
  matchTrigger,
  pointedAt,
  preferred,
  type TriggerSummary,
} from '../../triggers/index.js';
import {
  type ActionFamily,
  type ActionSpec,
  askUser,
  framedAction,
  type Outcome,
  refuse,
} from './action-frame.js';
import { answerOf, placeNamed } from './confirm-words.js';
import { counted, listed, quoted, triggerLine } from './display.js';
import { inConversation } from './open-questions.js';
import { ask, forget, mentioned, type Pending, pendingOf } from './pending.js';
import { type Turn, triggerServiceOf, turnOf } from './turn.js';
import { announceIn } from './turn-end.js';

export interface TriggerActionSpec extends ActionSpec<Turn> {
  /** Whether the words are a command to this action, whatever question is open. */
  commands?: (turn: Turn) => boolean;
}

const specs = new Map<string, TriggerActionSpec>();

const TRIGGERS: ActionFamily<Turn, TriggerActionSpec> = {
  succeeded: 'triggerActionSucceeded',
  isPresent: (runtime) => triggerServiceOf(runtime) !== null,
  absent: 'I cannot work with triggers right now: the trigger service is not running.',
  async turnOf(runtime, message) {
    const turn = await turnOf(runtime, message);
    if (turn?.run === null && turn.messageId !== undefined) {
      announceIn(runtime, message.roomId, turn.messageId);
    }
    return turn;
  },
  async around(turn, spec) {
    const handle = async () => (await otherCommand(spec, turn)) ?? spec.handle(turn);
    const outcome = await inConversation(turn, { handle });
    if (typeof outcome.data?.triggerId === 'string') {
      await mentioned.note(turn, { triggerId: outcome.data.triggerId });
    }
    return outcome;
  },
};

export function triggerAction(spec: TriggerActionSpec): Action {
  specs.set(spec.name, spec);
  return framedAction(spec, TRIGGERS);
}

/** A command to another action is no answer to "Which one do you mean?": it is carried out itself. */
async function otherCommand(spec: TriggerActionSpec, turn: Turn): Promise<Outcome | null> {
  const open = await pendingOf(turn, spec.name);
  if (open?.kind !== 'which' || spec.commands?.(turn)) return null;
  const answer = answerOf(turn.text);
  if (answer === 'yes' || answer === 'no') return null;
  const others = [...specs.values()].filter((one) => one.commands?.(turn));
  // Of two readings the one that can be undone.
  const other = others.find(({ name }) => name === 'UPDATE_TRIGGER') ?? others[0];
  if (other === undefined) return null;
  const said = turn.text.trim().toLowerCase();
  const offered = (await visibleTriggers(turn)).filter((one) => open.ids.includes(one.id));
  if (offered.some((one) => one.displayName.toLowerCase() === said)) return null;
  await forget(turn, open);
  const outcome = await other.handle(turn);
  return { ...outcome, text: `I left ${quoted(open.text, 60)} undone. ${outcome.text}` };
}

/** Which trigger is meant: by id or name, by place in the list we just showed, by "it". */
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
  if (items.length === 0) {
    const {
      hint = 'Tell me what to do and when, for example "every weekday at 9 summarize my inbox".',
    } = options;
    return { outcome: refuse(`There are no triggers here. ${hint}`, { code: 'NOT_FOUND' }) };
  }
  const place = offered === undefined ? null : placeNamed(options.target, items.length);
  const placed = place === null ? undefined : items[place];
  if (placed) return { trigger: placed };

  const target = options.target.slice(0, LONGEST_TARGET);
  if (PRONOUN.test(target.replace(/[\s.,!?]+$/, '').trim())) {
    const { roomId, nowMs } = turn;
    const said = { nowMs, mentioned: await mentioned.last(turn), ...(roomId && { roomId }) };
    return { trigger: pointedAt(narrowed(turn, options, items), said) };
  }
  const match = matchTrigger(target, items);
  if (match.kind === 'one') return { trigger: match.item };
  if (match.kind === 'none') {
    const hint = options.hint === undefined ? '' : `${options.hint} `;
    const there = `There ${items.length === 1 ? 'is' : 'are'}:\n${lines(turn, items)}`;
    const text = `I know no trigger called ${quoted(options.target, 60)}. ${hint}${there}`;
    return { outcome: refuse(text, { code: 'NOT_FOUND' }) };
  }
  const fits = narrowed(turn, options, match.items);
  const [only, ...others] = fits;
  if (only && others.length === 0) return { trigger: only };
  const ids = fits.slice(0, SHOWN).map((one) => one.id);
  const said = options.text.slice(0, LIMITS.instructionsBytes);
  await ask(turn, { kind: 'which', action: options.action, text: said, ids });
  const question = `Which one do you mean? That fits ${counted(fits.length)}:`;
  return { outcome: askUser(`${question}\n${lines(turn, fits)}`, { candidates: ids }) };
}

/** Of those that fit equally well: one's own first, then what the action prefers. */
function narrowed(turn: Turn, { prefer }: ChoiceOptions, items: TriggerSummary[]) {
  const isOwn = (one: TriggerSummary) => one.creatorEntityId === turn.requester.entityId;
  return preferred(items, prefer ? [isOwn, prefer] : [isOwn]);
}

function lines(turn: Turn, items: TriggerSummary[]): string {
  const lineOf = (one: TriggerSummary) =>
    `${items.indexOf(one) + 1}. ${triggerLine(one, turn.nowMs, turn.zone.name)}`;
  return listed(items, SHOWN, lineOf, (more) => `… and ${more} more`).join('\n');
}

/** Closes an open question that this message has answered or made pointless. */
export async function settle(turn: Turn, pending: Pending | null): Promise<void> {
  if (pending !== null) await forget(turn, pending);
}
