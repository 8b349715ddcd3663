/** The guard's own rules on one text: which of them it breaks, and the text without that. */
import {
  decodedText,
  isNameAndPassword,
  isNamedPart,
  isPassword,
  isPlaceholder,
  isReference,
  isSensitiveName,
  JOINT,
  looksRandom,
  replaceEncoded,
} from '../shared/secret-values.js';
import { redactDeep, withoutUnseen } from '../shared/secrets.js';
import { isUuid } from '../shared/uuid.js';
import type { Hint, HintValue } from './schema.js';

export interface Judged {
  /** Names of the rules, each once; empty: no secret. */
  rules: string[];
  /** The text with every secret as `[redacted:<rule>]`; unchanged without one. */
  text: string;
}

/** @param name of the property, variable or hint that holds the text, if it has one */
export function judgeText(text: string, name?: string): Judged {
  const aside = setAside(withoutUnseen(text));
  const rules = new Set<string>();
  const left = judge(aside.text, name, rules, true);
  return rules.size === 0 ? { rules: [], text } : { rules: [...rules], text: aside.restore(left) };
}

/** The text as it may be printed. */
export function redactText(text: string, name?: string): string {
  return judgeText(text, name).text;
}

function judge(
  text: string,
  name: string | undefined,
  rules: Set<string>,
  decodes: boolean,
): string {
  if (text.length < 6) return text;
  const kind = name === undefined ? null : kindOfNamed(name, text);
  if (kind !== null) return mark(kind, rules);
  let left = decodes ? replaceEncoded(text, (decoded) => markOfDecoded(decoded, rules)) : text;
  const known = redactDeep({ [name ?? '']: left });
  for (const found of known.found) rules.add(found.kind);
  left = Object.values(known.value)[0] ?? '';
  if (JOINT.test(left)) for (const form of NAMED_FORMS) left = redactNamed(left, form, rules);
  left = replaceRuns(left, hexKeysIn, 'hex', rules, name);
  return replaceRuns(left, randomTokensIn, 'random', rules, name);
}

/** The text is searched with its name in front, because these rules depend on what precedes a run. */
function replaceRuns(
  text: string,
  find: (text: string) => [start: number, end: number][],
  rule: string,
  rules: Set<string>,
  name: string | undefined,
): string {
  const before = name === undefined ? '' : `${name}: `;
  let out = '';
  let from = 0;
  for (const [start, end] of find(before + text)) {
    // A run inside the name is not part of this text.
    if (start < before.length) continue;
    out += text.slice(from, start - before.length) + mark(rule, rules);
    from = end - before.length;
  }
  return out + text.slice(from);
}

/** Groups: what stands before the value, the name, the value or its beginning. */
const NAMED_FORMS = [
  /((?<![\w$-])[-_]{0,2}([A-Za-z][\w.-]{1,80})["']?\s{0,4}(?::=|=>|[=:])\s{0,4}\\?["'`]?)([^\s"'`,;)}\]<>\\]{6,128})/g,
  /((?<![\w$-])(?:-{1,2}|_)([A-Za-z][\w.-]{1,80})\s{1,4}["'`]?)([^\s"'`,;)}\]<>\\]{6,128})/g,
  // A pair of its own: `name: API_KEY`, `value: …`, in whatever syntax.
  /((?<![\w$-])(?:name|key)["']?\s{0,4}[=:]\s{0,4}["']?([A-Za-z][\w.-]{1,80})["']?[,\s]{1,24}["']?value["']?\s{0,4}[=:]\s{0,4}["'`]?)([^\s"'`,;)}\]<>\\]{6,128})/gi,
] as const;
const NAMED_REST = /[^\s"'`,;)}\]<>\\]*/y;

/** A value that is no secret is searched, too, because it may assign one: `Cookie: session=…`. */
function redactNamed(text: string, form: RegExp, rules: Set<string>): string {
  let out = '';
  let from = 0;
  form.lastIndex = 0;
  for (let found = form.exec(text); found !== null; found = form.exec(text)) {
    const [, before = '', name = '', value = ''] = found;
    const start = found.index + before.length;
    form.lastIndex = start;
    const kind = kindOfNamed(name, value);
    if (kind === null) continue;
    NAMED_REST.lastIndex = start + value.length;
    const end = NAMED_REST.lastIndex + (NAMED_REST.exec(text)?.[0].length ?? 0);
    out += text.slice(from, start) + mark(kind, rules);
    from = end;
    form.lastIndex = end;
  }
  return out + text.slice(from);
}

/** `echo LS0tLS1CRUdJTi… | base64 -d > key.pem` holds a key. */
function markOfDecoded(decoded: string, rules: Set<string>): string | null {
  const within = new Set<string>();
  judge(setAside(decoded).text, undefined, within, false);
  const [rule] = within;
  return rule === undefined ? null : mark(rule, rules);
}

function mark(rule: string, rules: Set<string>): string {
  rules.add(rule);
  return `[redacted:${rule}]`;
}

/** Names that the shared rules leave out, because in prose they have other meanings. */
const PASS_NAME = /(?:^|[^A-Za-z]|[A-Za-z](?<!by|com|sur|tres|under|over))(?:pass|pw|pswd|psk)$/i;
const KEY_NAME =
  /(?:^|[^A-Za-z]|(?<=[a-z])(?=[A-Z]))(?:keys?|auth|authorization|pat|salt|pepper|seed|cookie|session|session_?id|sid|signature|jwt|creds?)$/i;
/** Where a name and a password in base64 are one value. */
const BASIC_NAME = /auth(?:orization)?$|basic$/i;

/** Whether a value may be a secret because it is called so. */
export function isTellingName(name: string): boolean {
  return isSensitiveName(name) !== null || PASS_NAME.test(name) || KEY_NAME.test(name);
}

/** What the value of a thing of this name is, by rules of hints; `null`: no secret. */
function kindOfNamed(name: string, value: string): string | null {
  if (isHarmlessName(name) || isPlaceholder(value)) return null;
  const sensitive = isSensitiveName(name);
  // A number of something that passed is no password.
  if (PASS_NAME.test(name) || sensitive === 'password')
    return /[A-Za-z]/.test(value) && isPassword(value, false) ? 'password' : null;
  if (BASIC_NAME.test(name) && isNameAndPassword(value)) return 'authorization';
  if (sensitive === 'api_key') return isKey(value) ? 'api_key' : null;
  if (!KEY_NAME.test(name) || !looksRandom(value)) return null;
  // Of small letters and digits alone only what has no parts: `linux-x64-9f86d081` is a cache key.
  return scrambledIn(value) >= 14 || /^(?![0-9A-Fa-f]+$)[A-Za-z0-9]{24,}$/.test(value)
    ? 'api_key'
    : null;
}

/** Shorter ones are words and versions. */
const MIN_KEY = 8;
/** Of these, characters that are in no word: `k8s-secret-name` has three. */
const MIN_NAMELESS = 6;
const TRIED_OUT = /^(?:test|fake|mock|sample|demo)/i;

/** Whether the value of something called token or secret is one: letters with digits that name nothing. */
function isKey(value: string): boolean {
  if (isUuid(value)) return true;
  if (value.length < MIN_KEY || /\s/.test(value) || isReference(value)) return false;
  if (!/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (value.length < 2 * MIN_KEY && TRIED_OUT.test(value)) return false;
  const nameless = value.split(/[^A-Za-z0-9]+/).filter((part) => !isNamedPart(part));
  return nameless.join('').length >= MIN_NAMELESS;
}

const BASE64 = '[A-Za-z0-9+/]';

const FORMS = [
  // Stand-ins: `sk-xxxxxxxx`, `********`.
  String.raw`[xX]{8,512}|\*{4,512}|\.{4,512}`,
  // Subresource integrity of lock files and pages, sums of Go modules, fingerprints of hosts.
  `(?<![A-Za-z0-9])(?:sha(?:1|256|384|512)-|SHA256:|h1:)${BASE64}{27,90}={0,2}`,
  String.raw`(?<![A-Za-z0-9])arn:aws[a-z-]{0,12}:[a-z0-9-]{1,40}:[a-z0-9-]{0,24}:[0-9]{0,12}:[\w:/.*+=,@-]{1,256}`,
  // Public keys and certificates.
  `(?<![A-Za-z0-9])(?:ssh-(?:ed25519|rsa|dss)|(?:sk-)?ecdsa-sha2-[a-z0-9-]{1,20}|sk-ssh-ed25519)\\s{1,4}AAAA${BASE64}{20,2000}={0,2}`,
  String.raw`-----BEGIN (?:[A-Z0-9 ]{0,30}PUBLIC KEY(?: BLOCK)?|CERTIFICATE(?: REQUEST)?|X509 CRL)-----[A-Za-z0-9+/=\s\\:.,]{0,12000}-----END [A-Z0-9 ]{1,40}-----`,
  // Encrypted where it lies: SOPS, eyaml, Jasypt, Ansible.
  `(?<![A-Za-z0-9])ENC(?:\\[[A-Z0-9_]{2,20},[^\\]\\s]{1,8000}\\]|\\(${BASE64}{8,4000}={0,2}\\))`,
  String.raw`\$ANSIBLE_VAULT;[0-9.]{1,5};AES256[^\n]{0,80}(?:\n[ \t]{0,40}[0-9a-f]{2,80})+`,
  // The context of a trace (W3C).
  '(?<![0-9A-Za-z])[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?![0-9A-Za-z])',
  // Keys that vendors publish in pages.
  '(?<![A-Za-z0-9])pk_(?:test|live)_[A-Za-z0-9]{10,200}(?![A-Za-z0-9])',
  // What the images of databases and queues are delivered with, on this machine only.
  String.raw`:\/\/(?<user>[a-z]{2,20}):\k<user>@(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?![\w.-])`,
  // Images and fonts within a text.
  `data:[a-z]{1,20}/[A-Za-z0-9.+%-]{1,60}(?:;[a-z0-9=-]{1,40}){0,3};base64,${BASE64}{0,16384}={0,2}`,
];
const HARMLESS = new RegExp(FORMS.join('|'), 'g');

/** From the private use area: no rule takes them for a part of a token. */
const OPEN = '\ue000';
const CLOSE = '\ue001';
const ASIDE = new RegExp(`${OPEN}([0-9]{1,5})${CLOSE}`, 'g');

export interface SetAside {
  text: string;
  /** Puts back what was taken out, in this text or in a part of it. */
  restore(text: string): string;
}

export function setAside(text: string): SetAside {
  const taken: string[] = [];
  const left = text.replace(HARMLESS, (form) => `${OPEN}${taken.push(form) - 1}${CLOSE}`);
  if (taken.length === 0) return { text, restore: (given) => given };
  return {
    text: left,
    restore: (given) => given.replace(ASIDE, (mark, index) => taken[Number(index)] ?? mark),
  };
}

const STAND_INS =
  /<[A-Za-z][\w .-]{0,60}>|\$\{\{?[^{}\n]{1,200}\}\}?|\{\{[^{}\n]{1,200}\}\}|\$\w{1,80}/g;

/** Without what a reader or a shell puts a value in for: `<password>`, `$TOKEN`, `{{ token }}`. */
export function withoutStandIns(text: string): string {
  return text.replace(STAND_INS, '');
}

/** Last words of names whose values are hashes or ids and no secrets. */
const HARMLESS_WORDS = new Set(
  (
    'sha sha1 sha224 sha256 sha384 sha512 sha256sum md5 md5sum hash checksum checksums sum digest integrity ' +
    'commit commits commitish rev revision ref head base parent tree blob release version tag ' +
    'etag fingerprint fingerprints thumbprint uuid guid id ids recipient pubkey'
  ).split(' '),
);
const PUBLIC_KEYS = new Set(['recv', 'public', 'publishable', 'site']);
/** `session_id` opens a session, `password_hash` can be tried out. */
const SPOILING = new Set(['session', 'sess', 'password', 'passwd', 'pass', 'user']);

/** Whether a thing of this name is a hash or an id: `commit_sha`, `GIT_REVISION`, `traceId`, `etag`. */
export function isHarmlessName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined) return false;
  if (last === 'keys' || last === 'key') return PUBLIC_KEYS.has(words.at(-2) ?? '');
  return HARMLESS_WORDS.has(last) && !SPOILING.has(words.at(-2) ?? '');
}

function wordsOf(name: string): string[] {
  return name
    .slice(-80)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

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

/** The words of a value: what is run, gone to or filled in. */
export function printedValue(value: HintValue): string {
  if (typeof value === 'string') return value;
  if (value.type === 'json') return JSON.stringify(value.data);
  if (value.type === 'command') return value.cmd;
  return value.type === 'path' ? value.abs : value.body;
}

/** Shown in place of a value that is marked as secret. */
export const HIDDEN = '[redacted]';

/** The value of a hint that is marked as secret: only its kind remains. */
export function redactValue(value: HintValue): HintValue {
  if (typeof value === 'string') return HIDDEN;
  if (value.type === 'json') return { type: 'json', data: HIDDEN };
  if (value.type === 'command') return { ...value, cmd: HIDDEN };
  if (value.type === 'path') return { ...value, abs: HIDDEN };
  return { type: 'template', format: value.format, body: HIDDEN };
}

/**
 * The value without what the guard's own rules find in it.
 * @param key of the hint: what is called `password` is judged as one
 */
export function cleanValue(value: HintValue, key?: string): HintValue {
  if (typeof value === 'string') return redactText(value, key);
  return value.type === 'json'
    ? { ...value, data: redactData(value.data, key) }
    : redactData(value);
}

/** The whole hint for people; `--json` shows it as it is. */
export function redactHint(hint: Hint, key?: string): Hint {
  const isSecret = hint.meta.sensitivity === 'secret';
  const value = isSecret ? redactValue(hint.value) : cleanValue(hint.value, key);
  return { ...hint, value, meta: redactData(hint.meta) };
}

/** Plain data of the same shape, every text of it and every name as it may be printed. */
function redactData<T>(data: T, name?: string): T {
  return redactAny(data, name) as T;
}

function redactAny(data: unknown, name: string | undefined): unknown {
  if (typeof data === 'string') return redactText(data, name);
  if (typeof data === 'number' && name !== undefined) {
    return redactText(String(data), name) === String(data) ? data : HIDDEN;
  }
  if (Array.isArray(data)) return data.map((item) => redactAny(item, name));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, item]) => [redactText(key), redactAny(item, key)]),
  );
}
