/**
 * Secrets by form or by the command they are given to, beside those of `shared/secret-patterns.ts`:
 * what is rarely said in chat and often written in hints. Bounded like those.
 */
import type { SecretPattern } from '../../shared/secret-patterns.js';
import {
  isNamedPart,
  isPassword,
  isPlaceholder,
  isReference,
  isSensitiveName,
  looksRandom,
} from '../../shared/secret-values.js';
import { isUuid } from '../../shared/uuid.js';
import { decodedText } from './encoded.js';
import { isHarmlessName } from './harmless.js';
import { scrambledIn } from './random.js';

const isGiven = (secret: string) => !isPlaceholder(secret) && !/^[\ue000-]/u.test(secret);

function token(kind: string, form: string): SecretPattern {
  return { kind, head: new RegExp(`(?<![A-Za-z0-9_-])${form}(?![A-Za-z0-9])`, 'g') };
}

/** `<command> … <flag> <password>`; what stands before the password is kept. */
function argument(command: string, flag: string): SecretPattern {
  return {
    kind: 'password',
    head: new RegExp(
      `((?<![\\w./-])(?:${command})(?=\\s)[^\\n|;&]{0,200}?\\s(?:${flag})["']?)[^\\s"']{4,128}`,
      'g',
    ),
    accept: isGiven,
  };
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Commands and flags that take a password or token from standard input. */
const READS_SECRET =
  '(?<![\\w-])(?:--[\\w-]{0,24}(?:password|passwd|passphrase|token|secret)-(?:stdin|fd)|--with-token|passwd\\s{1,4}--stdin|chpasswd|smbpasswd|cryptsetup|sudo\\s{1,4}-S)(?![\\w-])';

export const FORMS: readonly SecretPattern[] = [
  // The header of a JWT is JSON, however it was printed; the seed's own form has three parts.
  {
    kind: 'jwt',
    head: /(?<![A-Za-z0-9_-])(?:eyJ|eyA|ewo|ew0|ewk)[A-Za-z0-9_-]{5}/g,
    tail: /[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{5}[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{5}[A-Za-z0-9_-]*/y,
  },
  token('google', '1//0[A-Za-z0-9_-]{30,200}'),
  { kind: 'azure', hint: 'Q~', head: /(?<![\w~.-])[\w~.-]{3}[0-9]Q~[\w~.-]{31,40}(?![\w~.-])/g },
  { kind: 'azure', hint: 'sig=', head: /([?&;]sig=)[A-Za-z0-9%+/=_-]{30,128}/g },
  {
    kind: 'webhook',
    hint: 'hook',
    head: /https:\/\/(?:[\w.-]{1,60}\.)?(?:discord(?:app)?\.com\/api\/webhooks|webhook\.office\.com\/webhookb2)\/[^\s"'`<>]{24,400}/g,
  },
  token('discord', String.raw`[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}`),
  token('terraform', String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,90}`),
  token('mapbox', String.raw`sk\.eyJ[A-Za-z0-9_-]{20,200}\.[A-Za-z0-9_-]{16,60}`),
  token('new_relic', 'NRAK-[A-Z0-9]{27}'),
  token('nuget', 'oy2[a-z0-9]{43}'),
  token('docker', 'SWMTKN-1-[a-z0-9]{40,60}-[a-z0-9]{20,30}'),
  token('alibaba', 'LTAI[A-Za-z0-9]{12,24}'),
  {
    kind: 'deepl',
    hint: ':fx',
    head: new RegExp(`(?<![A-Za-z0-9-])${UUID}:fx(?![A-Za-z0-9])`, 'gi'),
  },
  // 40 characters of base64 with nothing around them: the other half of an access key.
  {
    kind: 'aws',
    head: /(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_.-])/g,
    accept: (secret) =>
      /[+/]/.test(secret) && !/^[0-9a-f/]+$/i.test(secret) && changesOften(secret),
  },
  argument(
    '(?:docker|podman|nerdctl|oc|az|helm registry)\\s+login|(?:twine|uv|flit)\\s+(?:upload|publish)',
    '-p[\\s=]{1,3}',
  ),
  argument('mongo|mongosh|mongodump|mongorestore|mongoimport|mongoexport|cqlsh', '-p[\\s=]{1,3}'),
  argument('sqlcmd|bcp|isql|zip|unzip', '-P\\s{0,3}'),
  argument('redis-cli', '(?:-a|--pass)\\s{1,3}'),
  argument('ldap(?:search|modify|add|delete|whoami|passwd)', '-w\\s{1,3}'),
  argument('sshpass', '-p\\s{1,3}'),
  argument('ssh-keygen', '-N\\s{1,3}'),
  argument('https?|xh', '(?:-a|--auth)[\\s=]{1,3}["\']?[^\\s:"\']{1,64}:'),
  argument('smbclient|rpcclient', '-U\\s{1,3}["\']?[^\\s%"\']{1,64}%'),
  argument('htpasswd', '-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\\s{1,3}\\S{1,200}\\s{1,3}\\S{1,64}\\s{1,3}'),
  argument('7z[az]?|7zz', '-p'),
  argument('snmp[a-z]{2,12}', '-c\\s{0,3}'),
  argument('net', '/user:\\S{1,64}\\s{1,3}'),
  argument('poetry|composer', 'http-basic\\.\\S{1,100}\\s{1,3}\\S{1,64}\\s{1,3}'),
  // Given to a command that reads a secret from standard input.
  {
    kind: 'password',
    hint: '|',
    head: new RegExp(
      `((?<![\\w./-])(?:echo|printf)\\s{1,4}(?:-[neE]{1,3}\\s{1,4}|["']?%s(?:\\\\n)?["']?\\s{1,4})?["']?(?:[\\w.-]{1,64}:(?=[^|\\n]{1,200}\\|[^|\\n]{0,40}chpasswd))?)` +
        `[^\\s"'|$][^"'|$\\n]{2,126}[^\\s"'|$](?=["']?\\s{0,4}\\|[^|;&\\n]{0,200}${READS_SECRET})`,
      'g',
    ),
    accept: isGiven,
  },
  {
    kind: 'password',
    hint: '<<<',
    head: new RegExp(`(${READS_SECRET}[^\\n|;&]{0,80}<<<\\s{0,4}["']?)[^\\s"'$]{4,128}`, 'g'),
    accept: isGiven,
  },
  // No word of a sentence has letters, digits and such marks.
  {
    kind: 'password',
    head: /((?<![\w$-])(?:password|passphrase|passcode|psk)\s{1,4}["'`]?)(?=[^\s"'`]{0,127}[0-9])(?=[^\s"'`]{0,127}[A-Za-z])[^\s"'`<>(){}[\]]{0,64}[!@#$%^&*+~][^\s"'`<>(){}[\]]{1,64}/gi,
    accept: (secret) => isPassword(secret, true),
  },
  // `.netrc`.
  {
    kind: 'password',
    hint: 'login',
    head: /((?<![\w-])login\s{1,4}[^\s]{1,128}\s{1,4}password\s{1,4})[^\s]{4,128}/g,
    accept: isGiven,
  },
  {
    kind: 'password',
    hint: '</',
    head: /(<(?:[\w:.-]{0,40})(?:password|passphrase|secret|token|apikey)>)[^<\s$]{6,256}(?=<\/)/gi,
    accept: (secret) => isPassword(secret, true),
  },
  // A name and a password, encoded.
  {
    kind: 'authorization',
    head: /((?<![A-Za-z0-9])basic\s{1,4})[A-Za-z0-9+/]{10,256}={0,2}/gi,
    accept: isNameAndPassword,
  },
  {
    kind: 'password',
    hint: 'ConvertTo-SecureString',
    head: /(ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?["'])[^"'$\n]{4,128}(?=["'])/g,
    accept: isGiven,
  },
];

/** Chance changes between capital, small letter, digit and mark; a path does not. */
function changesOften(secret: string): boolean {
  if (!/[0-9]/.test(secret) || !/[A-Z]/.test(secret) || !/[a-z]/.test(secret)) return false;
  const kinds = secret
    .replace(/[a-z]+/g, 'a')
    .replace(/[A-Z]+/g, 'A')
    .replace(/[0-9]+/g, '0');
  return kinds.length / secret.length >= 0.45;
}

function isNameAndPassword(value: string): boolean {
  return /^[^\s:]{1,128}:\S/.test(decodedText(value) ?? '');
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

/** Names that shared does not know, because in prose they have other meanings. */
const PASS_NAME = /(?:^|[^A-Za-z]|[A-Za-z](?<!by|com|sur|tres|under|over))(?:pass|pw|pswd|psk)$/i;
const KEY_NAME =
  /(?:^|[^A-Za-z]|(?<=[a-z])(?=[A-Z]))(?:keys?|auth|authorization|pat|salt|pepper|seed|cookie|session|session_?id|sid|signature|jwt|creds?)$/i;
/** Where a name and a password in base64 are one value. */
const BASIC_NAME = /auth(?:orization)?$|basic$/i;
/** Groups: what stands before the value, the name, the value or its beginning. */
export const NAMED_FORMS = [
  /((?<![\w$-])[-_]{0,2}([A-Za-z][\w.-]{1,80})["']?\s{0,4}(?::=|=>|[=:])\s{0,4}\\?["'`]?)([^\s"'`,;)}\]<>\\]{6,128})/g,
  /((?<![\w$-])(?:-{1,2}|_)([A-Za-z][\w.-]{1,80})\s{1,4}["'`]?)([^\s"'`,;)}\]<>\\]{6,128})/g,
  // A pair of its own: `name: API_KEY`, `value: …`, in whatever syntax.
  /((?<![\w$-])(?:name|key)["']?\s{0,4}[=:]\s{0,4}["']?([A-Za-z][\w.-]{1,80})["']?[,\s]{1,24}["']?value["']?\s{0,4}[=:]\s{0,4}["'`]?)([^\s"'`,;)}\]<>\\]{6,128})/gi,
] as const;
export const NAMED_REST = /[^\s"'`,;)}\]<>\\]*/y;

/** Whether a value may be a secret because it is called so. */
export function isTellingName(name: string): boolean {
  return isSensitiveName(name) !== null || PASS_NAME.test(name) || KEY_NAME.test(name);
}

/** What the value of a thing of this name is, by rules of hints; `null`: no secret. */
export function kindOfNamed(name: string, value: string): string | null {
  if (isHarmlessName(name) || isPlaceholder(value)) return null;
  const sensitive = isSensitiveName(name);
  // A number of something that passed is no password.
  if (PASS_NAME.test(name) || sensitive === 'password')
    return /[A-Za-z]/.test(value) && isPassword(value, false) ? 'password' : null;
  if (BASIC_NAME.test(name) && isNameAndPassword(value)) return 'authorization';
  if (sensitive === 'api_key') return isKey(value) ? 'api_key' : null;
  if (!KEY_NAME.test(name)) return null;
  if (!looksRandom(value)) return null;
  // Of small letters and digits alone only what has no parts: `linux-x64-9f86d081` is a cache key.
  return scrambledIn(value) >= 14 || /^(?![0-9A-Fa-f]+$)[A-Za-z0-9]{24,}$/.test(value)
    ? 'api_key'
    : null;
}
