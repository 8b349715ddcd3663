/**
 * The seed's rule: 32 to 64 hexadecimal digits are a key (up to 128 here), unless what stands around
 * them says that they are the hash of a commit, an image or a file.
 */
import {
  commandAround,
  isInFileName,
  isStepOfAddress,
  lineAround,
  namedAs,
  type Surroundings,
  surroundingsOf,
} from './surroundings.js';

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
