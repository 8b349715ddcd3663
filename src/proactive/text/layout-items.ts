/** The lines about one memory in each kind of offer. Pure. */
import { ageOf, isGenerated, type WorkMemoryData } from '../../memory/index.js';
import type { Uuid } from '../../shared/ids.js';
import type { Candidate, ShownEntry, ShownHint, UnfinishedWork } from '../types.js';
import { printedCommand, printedHint } from './printed.js';
import { name, type Phrase, phrase, quoted } from './stored-text.js';

export interface Item {
  /** `null`: a line that belongs to no memory. */
  id: Uuid | null;
  /** @param width of each stored phrase */
  lines(width: number, form: Form): string[];
}

/** How much of a text is written beside its stored phrases; what is left out, a recall tells. */
export interface Form {
  /** Reasons and approaches of those that are not the first; what a command leads to. */
  detail: boolean;
  /** Who did it. */
  authors: boolean;
  /**
   * Of a file's offer. Without: no number of failures, which have lines; no number of memories where
   * each has a line; "2d" for "2d ago"; an indentation of one; a recall that does not say what for.
   * Of commands: without saying what to do with them.
   */
  frame: boolean;
}

const AUTHOR_WIDTH = { least: 6, most: 24 } as const;
const NO_REASON = 'no reason recorded';

export function fileItem(memory: Candidate, nowMs: number): Item {
  const { outcome, intent } = memory.record.data;
  // A summary that gives the reason does not say what was done.
  const isReason = !outcome.success && reasonOf(outcome) === outcome.summary;
  const what = phrase(isReason ? intent.goal : doneIn(memory));
  const author = authorOf(memory);
  const verdict = verdictOf(outcome);
  const plainVerdict = outcome.success ? 'success' : 'failed';
  const age = ageOf(memory.createdAtMs, nowMs);
  return {
    id: memory.id,
    lines: (width, { detail, authors, frame }) => [
      `${frame ? '  ' : ' '}• ${authors ? `${author(width)} ` : ''}(${frame ? age : age.replace(/ ago$/, '')}): ` +
        `${what(width)} — ${detail ? verdict(width) : plainVerdict}`,
    ],
  };
}

/** @param isBest its approach stays, whatever else goes */
export function intentItem(memory: Candidate, nowMs: number, isBest: boolean): Item {
  const { outcome, intent, reasoning } = memory.record.data;
  const approach = reasoning.approach_chosen?.trim() ? reasoning.approach_chosen : doneIn(memory);
  const [label, told] = outcome.success ? ['Approach', approach] : ['Reason', reasonOf(outcome)];
  const goal = quoted(intent.goal);
  const author = authorOf(memory);
  const how = told === intent.goal ? null : phrase(told, NO_REASON);
  const age = ageOf(memory.createdAtMs, nowMs);
  const verdict = outcome.success ? 'success' : 'failed';
  return {
    id: memory.id,
    lines: (width, { detail, authors }) => [
      `  • ${goal(width)} (${authors ? `${author(width)}, ` : ''}${age}) — ${verdict}`,
      ...(how === null || !(detail || isBest) ? [] : [`    ${label}: ${how(width)}`]),
    ],
  };
}

export function failureItem(memory: Candidate): Item {
  const { outcome, intent } = memory.record.data;
  const author = authorOf(memory);
  const goal = quoted(intent.goal);
  const reason = phrase(reasonOf(outcome), NO_REASON);
  return {
    id: memory.id,
    lines: (width, { authors }) => [
      `  • ${authors ? `${author(width)} tried` : 'Tried'} ${goal(width)} — FAILED`,
      // Why it failed is what the warning is for: it gets twice the room of the rest.
      `    Reason: ${reason(width * 2)}`,
    ],
  };
}

export function patternItem(memory: Candidate & { learning?: string }): Item {
  const author = authorOf(memory);
  const what = phrase(doneIn(memory));
  const verdict = verdictOf(memory.record.data.outcome);
  const learning = memory.learning === undefined ? null : phrase(memory.learning);
  return {
    id: memory.id,
    lines: (width, { authors }) => [
      `  • ${authors ? `${author(width)}: ` : ''}${what(width)} — ` +
        (learning === null ? verdict(width) : `learned: ${learning(width)}`),
    ],
  };
}

export function unfinishedItem({
  candidate,
  what,
  blockedBy,
  failedBecause,
}: UnfinishedWork): Item {
  const left = quoted(what);
  const [label, told] =
    blockedBy === undefined ? ['failed: ', failedBecause] : ['blocked by ', blockedBy];
  const why = told === undefined ? null : phrase(told, NO_REASON);
  return {
    id: candidate.id,
    lines: (width, { detail }) => {
      // What it waits for says when to go on; why it failed is of use once somebody does.
      const isTold = why !== null && (detail || blockedBy !== undefined);
      return [`  • Unfinished: ${left(width)}${isTold ? ` (${label}${why(width)})` : ''}`];
    },
  };
}

/** `null`: nobody could type its command as it stands. */
export function entryItem({ id, memoryId, header, description }: ShownEntry): Item | null {
  const command = printedCommand(memoryId);
  if (command === undefined) return null;
  const what = phrase([header, description].filter((part) => part.trim() !== '').join(': '));
  return {
    id,
    lines: (width, { detail }) => [`  • ${command}${detail ? ` (${what(width)})` : ''}`],
  };
}

/** `null`: it is no hint, or its name cannot be printed as it is. */
export function hintItem(hint: ShownHint): Item | null {
  const printed = printedHint(hint);
  if (printed === null) return null;
  const why = phrase(hint.reasons.join('; '));
  return {
    id: hint.id,
    lines: (width, { detail }) => [`  • ${printed}${detail ? ` (${why(width)})` : ''}`],
  };
}

/** What was done, in few words: the summary unless it says nothing of it, else the goal. */
function doneIn({ record: { data } }: Candidate): string {
  const { summary, failure_reason, learnings } = data.outcome;
  // A missing summary was taken from these when the memory was stored.
  const isTaken = summary === failure_reason || learnings.includes(summary);
  return isGenerated(data.outcome) || isTaken ? data.intent.goal : summary;
}

function reasonOf(outcome: WorkMemoryData['outcome']): string {
  if (outcome.failure_reason?.trim()) return outcome.failure_reason;
  return isGenerated(outcome) ? NO_REASON : outcome.summary;
}

function verdictOf(outcome: WorkMemoryData['outcome']): Phrase {
  if (outcome.success) return () => 'success';
  const reason = phrase(reasonOf(outcome), NO_REASON);
  const whole = reason(Number.POSITIVE_INFINITY);
  const category = outcome.failure_category;
  return (width) => {
    const short = reason(width);
    // The kind of failure, whole, says more than half a sentence.
    const isNamed = short !== whole && category !== undefined && category !== 'other';
    return `failed (${isNamed ? category.replaceAll('_', ' ') : short})`;
  };
}

export function authorOf({ author }: { author: string }): Phrase {
  const called = name(author, 'somebody');
  return (width) => called(Math.max(AUTHOR_WIDTH.least, Math.min(width, AUTHOR_WIDTH.most)));
}
