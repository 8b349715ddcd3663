/**
 * Secrets that are known by their form: the prefixes that providers document for their tokens.
 * Every quantifier of a `head` is bounded; a `tail` is one sticky run of characters. A head begins
 * only where the run of token characters begins, so no character is looked at again and again.
 */
import { isNamedThing, isPlaceholder, looksRandom } from './secret-values.js';

export interface SecretPattern {
  kind: string;
  /** Text without these characters is not searched. */
  hint?: string;
  /** Global. Its first group, if any, is what stands before the secret and is kept. */
  head: RegExp;
  /** Sticky: what follows the head; when it does not match, it is no secret. */
  tail?: RegExp;
  /** A last look at what was matched. */
  accept?: (secret: string) => boolean;
}

/** Start of a run of token characters, also behind a written `\n`. */
const START = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))`;

function token(kind: string, hint: string, form: string, accept?: SecretPattern['accept']) {
  return {
    kind,
    hint,
    head: new RegExp(START + form, 'g'),
    tail: /[A-Za-z0-9_-]*/y,
    ...(accept ? { accept } : {}),
  } satisfies SecretPattern;
}

/** A token of exactly this form, nothing of its kind behind it. */
function exact(kind: string, hint: string, form: string): SecretPattern {
  return { kind, hint, head: new RegExp(`${START + form}(?![A-Za-z0-9])`, 'g') };
}

const random = (from: number) => (secret: string) => looksRandom(secret.slice(from));

export const PATTERNS: readonly SecretPattern[] = [
  exact('aws', 'A', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}'),
  token('github', 'gh', 'gh[pousr]_[A-Za-z0-9]{30}'),
  token('github', 'github_pat_', 'github_pat_[A-Za-z0-9_]{22}'),
  token('gitlab', 'gl', 'gl(?:pat|ptt|dt|rt|cbt|oas|soat|ft|imt|agent)-[A-Za-z0-9_-]{20}'),
  token('slack', 'xox', 'xox[abeoprs]-[A-Za-z0-9-]{10}'),
  token('slack', 'xapp-', 'xapp-[0-9]-[A-Z0-9]{6}'),
  {
    kind: 'slack',
    hint: 'hooks.slack.com',
    head: /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9]{4}/g,
    tail: /[A-Za-z0-9/_+-]*/y,
  },
  token('stripe', '_', '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16}'),
  token('stripe', 'whsec_', 'whsec_[A-Za-z0-9]{24}'),
  token('anthropic', 'sk-ant-', 'sk-ant-[A-Za-z0-9_-]{20}'),
  token('openai', 'sk-', 'sk-[A-Za-z0-9_-]{20}', random(3)),
  token('google', 'AIza', 'AIza[A-Za-z0-9_-]{35}'),
  {
    kind: 'google',
    hint: 'ya29.',
    head: /(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{20}/g,
    tail: /[A-Za-z0-9_-]*/y,
  },
  token('google', 'GOCSPX-', 'GOCSPX-[A-Za-z0-9_-]{20}'),
  exact('npm', 'npm_', 'npm_[A-Za-z0-9]{36}'),
  token('pypi', 'pypi-', 'pypi-AgE[A-Za-z0-9_-]{40}'),
  token('huggingface', 'hf_', 'hf_[A-Za-z0-9]{30}'),
  token('groq', 'gsk_', 'gsk_[A-Za-z0-9]{30}'),
  token('digitalocean', '_v1_', 'do[opr]_v1_[a-f0-9]{64}'),
  token('shopify', 'shp', 'shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}'),
  token('linear', 'lin_api_', 'lin_api_[A-Za-z0-9]{30}'),
  token('docker', 'dckr_pat_', 'dckr_pat_[A-Za-z0-9_-]{20}'),
  token('postman', 'PMAK-', 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  token('databricks', 'dapi', 'dapi[a-f0-9]{32}'),
  token('age', 'AGE-SECRET-KEY-', 'AGE-SECRET-KEY-1[A-Z0-9]{50}'),
  exact('twilio', 'SK', 'SK[0-9a-f]{32}'),
  {
    kind: 'vault',
    hint: 'hv',
    head: /(?<![A-Za-z0-9])hv[sbr]\.[A-Za-z0-9_-]{20}/g,
    tail: /[A-Za-z0-9_-]*/y,
  },
  {
    kind: 'sendgrid',
    hint: 'SG.',
    head: /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{20}/g,
    tail: /[A-Za-z0-9_-]*/y,
  },
  {
    kind: 'telegram',
    hint: ':AA',
    head: /(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g,
  },
  {
    kind: 'jwt',
    hint: 'eyJ',
    head: new RegExp(`${START}eyJ[A-Za-z0-9_-]{8}`, 'g'),
    tail: /[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8}[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)*/y,
  },
  {
    // Up to the last `@` before the host: a password may have some itself, `?a=b@c` is no part of it.
    kind: 'password',
    hint: '://',
    head: /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,24}:\/\/[^\s:/@"'<>`]{0,128}:)[^\s/@"'<>`]{0,256}(?:@(?:(?![?&][\w.-]{1,40}=)[^\s/@"'<>`]){0,128}){0,8}(?=@[^\s@])/gi,
    accept: (secret) => secret !== '' && !isPlaceholder(secret),
  },
  {
    kind: 'authorization',
    head: /((?<![A-Za-z0-9])authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token|digest|apikey)\s{1,4})[A-Za-z0-9._~+/=-]{8}/gi,
    tail: /[A-Za-z0-9._~+/=-]*/y,
    accept: (secret) => !isPlaceholder(secret) && !isNamedThing(secret),
  },
  {
    kind: 'authorization',
    head: /((?<![A-Za-z0-9])bearer\s{1,4})[A-Za-z0-9._~+/=-]{16}/gi,
    tail: /[A-Za-z0-9._~+/=-]*/y,
    accept: (secret) => secret.split('.').some(looksRandom),
  },
  {
    kind: 'password',
    hint: '-p',
    head: /((?<![A-Za-z0-9])(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|sshpass)(?=\s)[^\n|;&]{0,200}?\s-p["']?)[^\s"'-][^\s"']{0,127}/g,
    accept: (secret) => !isPlaceholder(secret),
  },
  {
    kind: 'password',
    hint: 'curl',
    head: /((?<![A-Za-z0-9])curl(?=\s)[^\n]{0,200}?(?:\s-u|\s--user)[\s=]{1,3}["']?[^\s:"']{1,64}:)[^\s"']{1,128}/g,
    accept: (secret) => !isPlaceholder(secret),
  },
];
