/**
 * Secrets without a known form or a telling name: the seed's 32 to 64 hexadecimal digits (up to 128 here),
 * and random tokens of letters and digits, which change between capital, small letter and digit far more
 * often than names do. The surrounding text may show that a run is the hash of a commit, an image or a file.
 */
import { decodedText } from '../../shared/secret-values.js';
import { isHarmlessName } from './harmless.js';

const HEX = /(?<![A-Za-z0-9])(?:0x)?[0-9a-fA-F]{32,128}(?![A-Za-z0-9])/g;
/** `deadbeefdeadbeef…`, zeros: nobody draws so few different digits. */
const MIN_DIFFERENT = 8;

const ALGORITHM = /(?:sha-?[0-9]{1,3}|md5|blake[0-9a-z]{1,4}|b3|zh|[0-9]{1,2}c[0-9])[:=/.-]["']?$/i;
const SOURCE_CONTROL =
  /(?<![\w./-])(?:git(?!\s+(?:config|credential|clone|remote))|hg|jj|svn|bisect(?:ed)?|cherry-pick|revert)(?![\w-])/;
const CONTAINERS = /(?<![\w./-])(?:docker|podman|nerdctl|crictl)\s+[a-z]/;
const SUMS =
  /(?<![\w.-])(?:(?:sha[0-9]{1,3}|md5|b[23]|ck)sum|shasum|md5|certutil|openssl dgst)(?![\w-])/;
const PGP = /(?<![A-Za-z])(?:gpg|pgp|openpgp|fingerprint)(?![A-Za-z])/i;
/** Lock files, and keys of caches, which are hashes of files. */
const SAYS_HASH =
  /(?<![a-z])(?:hashfiles|runner\.os|checksums?|digests?|cache[ _-]?keys?|[\w-]{1,20}\.lock|lock[ -]?file)(?![a-z])/i;
/** `ghcr.io/acme/app:`, what a tag stands behind; with a path it needs no command. */
const IMAGE = /^(?:[\w-]{1,60}=)?[\w.-]{1,100}(?::[0-9]{2,5})?(?:\/[\w.-]{1,100}){1,8}:$/;
/** An argument of its own, or one end of `a..b`. */
const BARE = /(?:^|[\s"'`(]|\.\.|\^)$/;
const PINNED = /(?:[\w.-]{1,100}\/[\w.-]{1,100}(?:\/[\w./-]{1,100})?|:\/\/[^\s]{1,200})[@#]$/;

/** Where keys in hexadecimal stand: [start, end) in the text. */
export function hexKeysIn(text: string): [start: number, end: number][] {
  const found: [number, number][] = [];
  for (const match of text.matchAll(HEX)) {
    const end = match.index + match[0].length;
    if (new Set(match[0].toLowerCase()).size < MIN_DIFFERENT) continue;
    if (!isHash(match[0], surroundingsOf(text, match.index, end))) found.push([match.index, end]);
  }
  return found;
}

function isHash(hex: string, around: Surroundings): boolean {
  const { before, after, word } = around;
  // Addresses of accounts in a chain have 20 bytes.
  if (hex.startsWith('0x') && hex.length === 42) return true;
  if (ALGORITHM.test(before) || isInFileName(around)) return true;
  // What sum tools print: the hash, two blanks or a blank and a star, the name.
  if (BARE.test(before) && /^(?: {2}| \*)[\w./-]/.test(after)) return true;
  if (hex.length === 40 && PGP.test(lineAround(around))) return true;
  if (SAYS_HASH.test(lineAround(around)) || (hex.length === 40 && IMAGE.test(word))) return true;
  if (hex.length === 40 && /^[\w.-]{1,60}:$/.test(word) && CONTAINERS.test(commandAround(around))) {
    return true;
  }
  const name = namedAs(before);
  if (name !== null) return name === 'hash';
  if (PINNED.test(word)) return !/:[^/@]*@$/.test(word);
  if (isStepOfAddress(around)) return true;
  if (!BARE.test(before)) return false;
  const command = commandAround(around);
  if (SOURCE_CONTROL.test(command) || SUMS.test(lineAround(around))) return true;
  return hex.length === 64 && CONTAINERS.test(command);
}

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

const BEFORE = 240;
const AFTER = 120;

interface Surroundings {
  before: string;
  after: string;
  /** The rest of the same word, up to a blank or a quote: an address, a path. */
  word: string;
}

function surroundingsOf(text: string, start: number, end: number): Surroundings {
  const before = text.slice(Math.max(0, start - BEFORE), start);
  const word = tailOf(before, ENDS_WORD);
  return { before, after: text.slice(end, end + AFTER), word };
}

const ENDS_WORD = /[\s"'`<>()]/;
const ENDS_COMMAND = /[;&|\n]/;
const ENDS_LINE = /\n/;

/** The text behind the last of these characters. A loop, because a pattern would try every start. */
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
function namedAs(before: string): 'hash' | 'other' | null {
  // No name is longer, and the patterns look at the end only.
  const near = before.slice(-100);
  const assigned = ASSIGNED.exec(near)?.[1];
  if (assigned !== undefined) return isHarmlessName(assigned) ? 'hash' : 'other';
  const said = SAID.exec(near)?.[1];
  return said !== undefined && isHarmlessName(said) ? 'hash' : null;
}

/** The address that the run is part of, up to the run. */
function addressBefore({ word }: Surroundings): string | null {
  const scheme = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\//i.exec(word);
  return scheme === null ? null : word.slice(scheme.index);
}

/**
 * Whether the run is a step of an address' path or its fragment, where ids stand more often than
 * keys. Not so in the path of a hook, which its path opens, nor in front of the host.
 */
function isStepOfAddress(around: Surroundings): boolean {
  const address = addressBefore(around);
  if (address === null || /hook/i.test(address) || /^[@:]/.test(around.after)) return false;
  return /^[^?]*(?:#[^=]*)?$/.test(address) && /^[^/]*:\/\/[^/]+[/#]/.test(address);
}

/** `main.<run>.js`, `/cache/<run>/out`: a name of a file or a directory, not a part of an address. */
function isInFileName(around: Surroundings): boolean {
  if (addressBefore(around) !== null)
    return /^\.(?:tar\.)?[a-z][a-z0-9]{0,5}(?![\w@])/.test(around.after);
  if (/^\.[a-z][a-z0-9]{0,5}(?![\w.@])/.test(around.after)) return true;
  return /[\w.~-][/\\]$/.test(around.word) && /^(?:[/\\.]|[\s"'`),;]|$)/.test(around.after);
}

/** The command that the run stands in: up to `;`, `&`, `|` or the line's end on both sides. */
function commandAround({ before, after }: Surroundings): string {
  return `${tailOf(before, ENDS_COMMAND)} ${headOf(after, ENDS_COMMAND)}`;
}

function lineAround({ before, after }: Surroundings): string {
  return `${tailOf(before, ENDS_LINE)} ${headOf(after, ENDS_LINE)}`;
}
