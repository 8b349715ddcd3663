/**
 * What the offline model makes of an offer: it reads the warning in its prompt as a real model
 * would, and knows the words by which a person acknowledges one. Rules only. Pure.
 */

import type { KnownEntry } from './prompt.js';
import { answerFromIndex } from './when-intent.js';

export type OfferAction = 'ACKNOWLEDGE_WARNING' | 'DISMISS_OFFER';

const NAMED = /\b(?:warnings?|offers?|suggestions?|offer_[0-9a-f-]{8,36})\b/i;
const ACKNOWLEDGE =
  /^(?:(?:i )?acknowledged?\b|(?:noted|understood|i (?:know|have (?:seen|read)|am aware of|heed))\b)/i;
const DISMISS = /^(?:dismiss|ignore|hide|drop|skip|not interested in)\b/i;
/** Nothing but a yes: what follows it may be a reason. */
const YES = /^(?:yes|yeah|yep|sure|go ahead|do it|do so|all right)\b/i;
/** Work that somebody wants done, told from talk by its first word. */
const WORK =
  /^(?:let['’]?s |we should |i (?:want|need) (?:you )?to |try to |start to )?(?:add|implement|fix|cache|build|write|refactor|migrate|change|move|rename|remove|replace|upgrade|update|enable|disable|switch|make|create|optimi[sz]e|speed up|introduce|support)\b/i;

/** Begins every warning of this model, by which a yes after it is known to be about it. */
const CAREFUL = 'Careful: ';

/** A line of a warning as it stands in an offer (docs/proactive.md). */
const TRIED = /^\s*• (?<who>.+?) tried "(?<what>.+)" — FAILED\s*$/;
const REASON = /^\s*Reason: (?<reason>.+?)\s*$/;
const WARNING = /^\s*\[[^\]\n]+\] ⚠️ Warning: /;

export interface Warning {
  what: string;
  reason: string;
}

/** `last`: what the agent said before. */
export function offerAction(text: string, last?: { text: string }): OfferAction | null {
  if (ACKNOWLEDGE.test(text) && NAMED.test(text)) return 'ACKNOWLEDGE_WARNING';
  if (DISMISS.test(text) && NAMED.test(text)) return 'DISMISS_OFFER';
  if (last?.text.startsWith(CAREFUL) && YES.test(text)) return 'ACKNOWLEDGE_WARNING';
  return null;
}

/** The first warning in a prompt, `null` when there is none. */
export function warningIn(prompt: string): Warning | null {
  const lines = prompt.split('\n');
  const head = lines.findIndex((line) => WARNING.test(line));
  if (head === -1) return null;
  const tried = TRIED.exec(lines[head + 1] ?? '')?.groups;
  const reason = REASON.exec(lines[head + 2] ?? '')?.groups;
  if (tried?.what === undefined || reason?.reason === undefined) return null;
  return { what: tried.what, reason: reason.reason };
}

function isAbout(text: string, what: string): boolean {
  const words = (said: string) => said.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
  const known = new Set(words(what));
  return words(text).filter((word) => known.has(word)).length >= 2;
}

/** The answer to a request for work, `null` for anything else: a warning goes first. */
export function answerToWork(
  text: string,
  warning: Warning | null,
  known: readonly KnownEntry[] = [],
): string | null {
  // Other words than those of work count where they are those of the warning.
  if (!WORK.test(text) && !(warning !== null && isAbout(text, warning.what))) return null;
  if (warning === null) {
    const nothing =
      'I remember nothing that speaks against it. (The small offline model cannot do it itself.)';
    return [answerFromIndex(known), nothing].filter((part) => part !== null).join(' ');
  }
  const reason = warning.reason.replace(/[.\s]+$/, '');
  return (
    `${CAREFUL}I remember that "${warning.what}" was tried before and failed. The reason: ${reason}. ` +
    'Shall I do it all the same? Then say "acknowledge the warning:" and what is different this time.'
  );
}
