/** What stands around a run of characters, and whether it says that the run is a hash or a name. */
import { isHarmlessName } from './harmless.js';

const BEFORE = 240;
const AFTER = 120;

export interface Surroundings {
  before: string;
  after: string;
  /** The rest of the same word, up to a blank or a quote: an address, a path. */
  word: string;
}

export function surroundingsOf(text: string, start: number, end: number): Surroundings {
  const before = text.slice(Math.max(0, start - BEFORE), start);
  const word = tailOf(before, ENDS_WORD);
  return { before, after: text.slice(end, end + AFTER), word };
}

const ENDS_WORD = /[\s"'`<>()]/;
const ENDS_COMMAND = /[;&|\n]/;
const ENDS_LINE = /\n/;

/** What stands behind the last of these characters. From the end: a pattern would try every start. */
function tailOf(text: string, end: RegExp): string {
  let from = text.length;
  while (from > 0 && !end.test(text.charAt(from - 1))) from--;
  return text.slice(from);
}

function headOf(text: string, end: RegExp): string {
  const at = text.search(end);
  return at < 0 ? text : text.slice(0, at);
}

const ASSIGNED = /(?<![\w.$-])([A-Za-z_$][\w.-]{0,80})["']?\s{0,4}(?::=|=>|[=:])\s{0,4}["'`{[]?$/;
const SAID = /(?<![\w-])-{0,2}([A-Za-z][\w-]{0,60})\s{1,4}["'`(]?$/;

/**
 * What the name in front says: `hash` (`sha: …`, `commit …`), `other` (`X-Key: …`, an assignment to
 * something else), `null`: there is none.
 */
export function namedAs(before: string): 'hash' | 'other' | null {
  // No name is longer, and the patterns look at the end only.
  const near = before.slice(-100);
  const assigned = ASSIGNED.exec(near)?.[1];
  if (assigned !== undefined) return isHarmlessName(assigned) ? 'hash' : 'other';
  const said = SAID.exec(near)?.[1];
  return said !== undefined && isHarmlessName(said) ? 'hash' : null;
}

/** The address that the run is part of, up to the run. */
export function addressBefore({ word }: Surroundings): string | null {
  const scheme = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\//i.exec(word);
  return scheme === null ? null : word.slice(scheme.index);
}

/**
 * Whether the run is a step of an address' path or its fragment, where ids stand more often than
 * keys. Not so in the path of a hook, which its path opens, nor in front of the host.
 */
export function isStepOfAddress(around: Surroundings): boolean {
  const address = addressBefore(around);
  if (address === null || /hook/i.test(address) || /^[@:]/.test(around.after)) return false;
  return /^[^?]*(?:#[^=]*)?$/.test(address) && /^[^/]*:\/\/[^/]+[/#]/.test(address);
}

/** `main.<run>.js`, `/cache/<run>/out`: a name of a file or a directory, not a part of an address. */
export function isInFileName(around: Surroundings): boolean {
  if (addressBefore(around) !== null)
    return /^\.(?:tar\.)?[a-z][a-z0-9]{0,5}(?![\w@])/.test(around.after);
  if (/^\.[a-z][a-z0-9]{0,5}(?![\w.@])/.test(around.after)) return true;
  return /[\w.~-][/\\]$/.test(around.word) && /^(?:[/\\.]|[\s"'`),;]|$)/.test(around.after);
}

/** The command that the run stands in: up to `;`, `&`, `|` or the line's end on both sides. */
export function commandAround({ before, after }: Surroundings): string {
  return `${tailOf(before, ENDS_COMMAND)} ${headOf(after, ENDS_COMMAND)}`;
}

export function lineAround({ before, after }: Surroundings): string {
  return `${tailOf(before, ENDS_LINE)} ${headOf(after, ENDS_LINE)}`;
}
