/**
 * Tokens of providers nobody has listed: a run of letters of both cases and digits that changes its
 * kind of character as often as chance does and names never do.
 */
import { decodedText } from './encoded.js';
import { isInFileName, isStepOfAddress, namedAs, surroundingsOf } from './surroundings.js';

/** The longest token of a known kind is half as long; more is data. */
const MAX_TOKEN = 320;
const RUN = /(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{20,16384}={0,2}/g;
/** Scrambled characters that make a token of a run. */
const MIN_SCRAMBLED = 24;
const PART = 6;
/** Of letters and digits drawn from 62, every 1.6th differs in kind from the one before. */
const MIN_CHANGES = 0.36;

/** Where drawn tokens stand: [start, end) in the text. */
export function randomTokensIn(text: string): [start: number, end: number][] {
  const found: [number, number][] = [];
  for (const match of text.matchAll(RUN)) {
    const run = match[0];
    if (run.length > MAX_TOKEN || /^0x[0-9a-fA-F]+$/.test(run)) continue;
    if (scrambledIn(run) < MIN_SCRAMBLED || decodedText(run) !== null) continue;
    const [from, to] = tokenWithin(run);
    const start = match.index + from;
    const end = match.index + to;
    const around = surroundingsOf(text, start, end);
    if (namedAs(around.before) === 'hash' || isInFileName(around)) continue;
    if (isStepOfAddress(around)) continue;
    found.push([start, end]);
  }
  return found;
}

/** Without the steps of a path around it; in base64 a slash is a character like others. */
function tokenWithin(run: string): [from: number, to: number] {
  if (!run.includes('/') || /[+=]/.test(run)) return [0, run.length];
  const steps = run.split('/');
  const isDrawn = (step: string) => scrambledIn(step) > 0;
  const first = steps.findIndex(isDrawn);
  const last = steps.findLastIndex(isDrawn);
  const from = steps.slice(0, first).reduce((sum, step) => sum + step.length + 1, 0);
  return [from, from + steps.slice(first, last + 1).join('/').length];
}

/** How many characters of the text look drawn at random. */
export function scrambledIn(text: string): number {
  let sum = 0;
  for (const part of text.split(/[^A-Za-z0-9]+/)) if (isScrambled(part)) sum += part.length;
  return sum;
}

function isScrambled(part: string): boolean {
  if (part.length < PART || !/[0-9]/.test(part) || !/[A-Z]/.test(part) || !/[a-z]/.test(part)) {
    return false;
  }
  let changes = 0;
  for (let index = 1; index < part.length; index++) {
    if (kindOf(part.charCodeAt(index)) !== kindOf(part.charCodeAt(index - 1))) changes++;
  }
  return changes / (part.length - 1) >= MIN_CHANGES;
}

function kindOf(code: number): number {
  if (code < 58) return 0;
  return code < 91 ? 1 : 2;
}
