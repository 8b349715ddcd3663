/**
 * Forms that look like secrets and are none, such as checksums, public keys and placeholders. They are
 * taken out of the text before the rules run, and put back afterwards.
 */

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
