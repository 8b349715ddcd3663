/**
 * The one table of secrets that are known by their form: the prefixes that providers document for their
 * tokens, and the commands that a password is given to. Memories and offers are redacted by it, and hints
 * are judged by it. Every quantifier of a `head` is bounded; a `tail` is one sticky run of characters. A
 * head begins only where the run of token characters begins, so no character is searched again and again.
 */
import {
  isNameAndPassword,
  isNamedThing,
  isPassword,
  isPlaceholder,
  looksRandom,
} from './secret-values.js';

export interface SecretRule {
  kind: string;
  /** Text without these characters is not searched: to make a form ready takes longer than to search with it. */
  hint?: string | RegExp;
  /** Global. Its first group, if any, is what stands before the secret and is kept. */
  head: RegExp;
  /** Sticky: what follows the head; when it does not match, it is no secret. */
  tail?: RegExp;
  /** A last check of what was matched. */
  accept?: (secret: string) => boolean;
}

/** Start of a run of token characters, also behind a written `\n`. */
const START = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))`;

/** A token that goes on as long as there are token characters. */
function token(kind: string, hint: string, form: string, accept?: SecretRule['accept']) {
  return {
    kind,
    hint,
    head: new RegExp(START + form, 'g'),
    tail: /[A-Za-z0-9_-]*/y,
    ...(accept ? { accept } : {}),
  } satisfies SecretRule;
}

/** A token of exactly this form, nothing of its kind behind it. */
function exact(kind: string, hint: string, form: string): SecretRule {
  return { kind, hint, head: new RegExp(`${START + form}(?![A-Za-z0-9])`, 'g') };
}

/** Of forms of several words. */
const SPACE = /\s/;

const random = (from: number) => (secret: string) => looksRandom(secret.slice(from));
const isGiven = (secret: string) => !isPlaceholder(secret) && !/^[\ue000-]/u.test(secret);

/** `<command> … <flag> <password>`: commands, and what stands directly before the password. */
const ARGUMENTS: readonly (readonly [command: string, flag: string])[] = [
  [
    '(?:docker|podman|nerdctl|oc|az|helm registry)\\s{1,4}login|(?:twine|uv|flit)\\s{1,4}(?:upload|publish)|mongo(?:sh|dump|restore|import|export)?|cqlsh',
    '-p[\\s=]{1,3}',
  ],
  ['sqlcmd|bcp|isql|zip|unzip', '-P\\s{0,3}'],
  ['redis-cli', '(?:-a|--pass)\\s{1,3}'],
  ['ldap(?:search|modify|add|delete|whoami|passwd)', '-w\\s{1,3}'],
  ['sshpass', '-p\\s{1,3}'],
  ['ssh-keygen', '-N\\s{1,3}'],
  ['https?|xh', '(?:-a|--auth)[\\s=]{1,3}["\']?[^\\s:"\']{1,64}:'],
  ['smbclient|rpcclient', '-U\\s{1,3}["\']?[^\\s%"\']{1,64}%'],
  ['htpasswd', '-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\\s{1,3}\\S{1,200}\\s{1,3}\\S{1,64}\\s{1,3}'],
  ['7z[az]?|7zz', '-p'],
  ['snmp[a-z]{2,12}', '-c\\s{0,3}'],
  ['net', '/user:\\S{1,64}\\s{1,3}'],
  ['poetry|composer', 'http-basic\\.\\S{1,100}\\s{1,3}\\S{1,64}\\s{1,3}'],
];
const ARGUMENT = ARGUMENTS.map(
  ([command, flag]) => `(?:${command})(?=\\s)[^\\n|;&]{0,200}?\\s(?:${flag})`,
).join('|');

/** Commands and flags that take a password or token from standard input. */
const READS_SECRET =
  '(?<![\\w-])(?:--[\\w-]{0,24}(?:password|passwd|passphrase|token|secret)-(?:stdin|fd)|--with-token|passwd\\s{1,4}--stdin|chpasswd|smbpasswd|cryptsetup|sudo\\s{1,4}-S)(?![\\w-])';

export const SECRET_RULES: readonly SecretRule[] = [
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
    // Up to the last `@` before the host: a password may have some itself, `?a=b@c` is no part of it.
    kind: 'password',
    hint: '://',
    head: /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,24}:\/\/[^\s:/@"'<>`]{0,128}:)[^\s/@"'<>`]{0,256}(?:@(?:(?![?&][\w.-]{1,40}=)[^\s/@"'<>`]){0,128}){0,8}(?=@[^\s@])/gi,
    accept: (secret) => secret !== '' && !isPlaceholder(secret),
  },
  {
    kind: 'authorization',
    hint: SPACE,
    head: /((?<![A-Za-z0-9])authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token|digest|apikey)\s{1,4})[A-Za-z0-9._~+/=-]{8}/gi,
    tail: /[A-Za-z0-9._~+/=-]*/y,
    accept: (secret) => !isPlaceholder(secret) && !isNamedThing(secret),
  },
  {
    kind: 'authorization',
    hint: SPACE,
    head: /((?<![A-Za-z0-9])bearer\s{1,4})[A-Za-z0-9._~+/=-]{16}/gi,
    tail: /[A-Za-z0-9._~+/=-]*/y,
    accept: (secret) => secret.split('.').some(looksRandom),
  },
  // The header of a JWT is JSON, however it was printed.
  {
    kind: 'jwt',
    hint: '.',
    head: new RegExp(`${START}(?:eyJ|eyA|ewo|ew0|ewk)[A-Za-z0-9_-]{5}`, 'g'),
    tail: /[A-Za-z0-9_-]*\.(?:[A-Za-z0-9_-]{8}[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)*|[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_-]{5}[A-Za-z0-9_-]*)/y,
  },
  exact('google', '1//0', '1//0[A-Za-z0-9_-]{30,200}'),
  { kind: 'azure', hint: 'Q~', head: /(?<![\w~.-])[\w~.-]{3}[0-9]Q~[\w~.-]{31,40}(?![\w~.-])/g },
  { kind: 'azure', hint: 'sig=', head: /([?&;]sig=)[A-Za-z0-9%+/=_-]{30,128}/g },
  {
    kind: 'webhook',
    hint: 'hook',
    head: /https:\/\/(?:[\w.-]{1,60}\.)?(?:discord(?:app)?\.com\/api\/webhooks|webhook\.office\.com\/webhookb2)\/[^\s"'`<>]{24,400}/g,
  },
  exact(
    'discord',
    '.',
    String.raw`[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}`,
  ),
  exact('terraform', '.atlasv1.', String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,90}`),
  exact('mapbox', 'sk.eyJ', String.raw`sk\.eyJ[A-Za-z0-9_-]{20,200}\.[A-Za-z0-9_-]{16,60}`),
  exact('new_relic', 'NRAK-', 'NRAK-[A-Z0-9]{27}'),
  exact('nuget', 'oy2', 'oy2[a-z0-9]{43}'),
  exact('docker', 'SWMTKN-1-', 'SWMTKN-1-[a-z0-9]{40,60}-[a-z0-9]{20,30}'),
  exact('alibaba', 'LTAI', 'LTAI[A-Za-z0-9]{12,24}'),
  exact('deepl', ':fx', '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}:fx'),
  // 40 characters of base64 with nothing around them: the other half of an access key.
  {
    kind: 'aws',
    head: /(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_.-])/g,
    accept: (secret) =>
      /[+/]/.test(secret) && !/^[0-9a-f/]+$/i.test(secret) && changesOften(secret),
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
  {
    kind: 'password',
    hint: SPACE,
    head: new RegExp(`((?<![\\w./-])(?:${ARGUMENT})["']?)[^\\s"']{4,128}`, 'g'),
    accept: isGiven,
  },
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
    hint: SPACE,
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
    hint: SPACE,
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
