/**
 * `file:///…`: files below folders that may be read. Where a path really leads decides, not how it is
 * spelled; whatever may not be read is answered as what does not exist.
 */
import type { BigIntStats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { extname, resolve, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { SECOND_MS } from '../../../shared/clock.js';
import { AppError, messageOf } from '../../../shared/errors.js';
import { isBelow } from '../../../shared/folders.js';
import { type Refusal, readWhole, textOf, type WholeFile } from '../../../shared/read-whole.js';
import type { Connection } from '../connection.js';

/** Folders with all that lies in them, and files of such: names one below the other, wherever. */
const PLACES = [
  String.raw`\.(?:ssh|gnupg|aws|azure|kube|docker|git|password-store|terraform\.d|mozilla)`,
  String.raw`\.config\/(?:gcloud|gh|glab-cli|hub|op|rclone|doctl|sops|configstore|google-chrome|chromium)`,
  // Memories of agents, also as PostgreSQL lays them out wherever they are, and how they are reached.
  String.raw`\.eliza|\.elizadb|\.cue\/(?:db|cue)|pg_(?:wal|xact|multixact|logical)|base\/\d+\/\d+(?:_(?:fsm|vm|init))?`,
  String.raw`\.claude|\.codex|\.gemini`,
  // What systems keep passwords in.
  String.raw`\.local\/share\/(?:keyrings|kwalletd)|library\/keychains|microsoft\/(?:credentials|protect|vault)`,
  String.raw`\.m2\/settings(?:-security)?\.xml|\.gradle\/gradle\.properties`,
];

/** What is of the machine, and what a container was given. */
const SYSTEM = String.raw`(?:proc|sys|dev|(?:var\/)?run\/secrets|etc\/(?:g?shadow-?|sudoers|ssl\/private))`;

const DATA = String.raw`(?:\.(?:json|ya?ml|toml|ini|txt|xml|properties|conf|cfg|csv|db|enc))?`;

/** Files, by their whole names. */
const FILES = [
  // Environments.
  String.raw`\.env.*|.*\.env|\.dev\.vars.*|.*\.tfvars(?:\.json)?|.*\.tfstate|local\.settings\.json`,
  // Named for what they hold. Programs, too: small ones have it written in them.
  String.raw`(?:secrets?|credentials?)(?:\..*)?|.*[-_.](?:secrets?|credentials?)${DATA}`,
  String.raw`.*client[-_]secret.*\.json|.*service[-_]?account.*\.json|.*firebase-adminsdk.*\.json`,
  // Of package managers, databases and other programs.
  String.raw`[._]netrc|\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|\.dockercfg|\.terraformrc|terraform\.rc`,
  String.raw`\.pgpass|pgpass\.conf|\.my(?:login)?\.cnf|\.git-credentials|\.?htpasswd|\.s3cfg|\.boto`,
  String.raw`\.vault-token|\.?vault[-_]pass(?:word)?(?:\.txt)?|auth\.json|wp-config\.php`,
  String.raw`(?:.*\.)?kubeconfig(?:\..*)?|\.[a-z_]+_history`,
  // Of coding agents, whose servers are given keys there, and the files that name a server and its key.
  String.raw`\.?mcp(?:_config)?\.json|\.claude\.json|claude_desktop_config\.json|server(?:-[0-9a-f]+)?\.pid`,
  // Keys and stores of them.
  String.raw`id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?!\.pub$)(?:\..*)?|ssh_host_.*_key`,
  String.raw`.*\.(?:key|pem|p8|p12|pfx|ppk|der|jks|bks|keystore|kdbx?|ovpn)`,
];

const PLACE = new RegExp(`(?:\\/(?:${PLACES.join('|')})|^\\/${SYSTEM})(?:\\/|$)`);
const FILE = new RegExp(`^(?:${FILES.join('|')})$`);
/** What programs put behind the name of a file that they keep as it was. */
const COPY = /(?:~|\.(?:bak|backup|cue-backup-\d+|old|orig|save|swp|tmp|copy|\d+))+$/;

/** Also in JSON, where a line break is written out. A text that only names the mark holds no key. */
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\r?\n|\\[nr])/;

/** @param path absolute, of either kind of system */
export function isPrivateFile(path: string): boolean {
  const plain = path.replaceAll('\\', '/').toLowerCase();
  const name = plain.slice(plain.lastIndexOf('/') + 1);
  return PLACE.test(plain) || FILE.test(name) || FILE.test(name.replace(COPY, ''));
}

/** What a file is called in MIME, by its ending. */
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  toml: 'application/toml',
  wasm: 'application/wasm',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

const MAX_BYTES = 1024 * 1024;
const MAX_URI = 4_096;
const ATTEMPTS = 3;

export interface ReadFile {
  /** As it was asked for, absolute. */
  path: string;
  content: { mimeType: string } & ({ text: string } | { blob: string });
}

/**
 * The path of a URI (RFC 8089: `file:/…` and `file://localhost/…` are `file:///…`); `null` for one of
 * another machine, with a query, with an encoded separator or NUL in it, or that is none. `..` and a slash
 * at the end have been taken out.
 * @param windows whether paths have drives
 */
export function pathOfFileUri(uri: string, windows = process.platform === 'win32'): string | null {
  if (uri.length > MAX_URI || !/^file:(?:\/\/(?:localhost)?)?\/(?![\\/])/i.test(uri)) return null;
  try {
    const url = new URL(uri);
    if (url.host !== '' || url.search !== '' || url.hash !== '') return null;
    const path = fileURLToPath(url, { windows });
    // After the dots are gone: two slashes in front name another machine.
    if (path.includes('\0') || /^[\\/]{2}/.test(path)) return null;
    // Clients write a drive as they like.
    return windows
      ? win32.resolve(path).replace(/^[a-z]:/, (drive) => drive.toUpperCase())
      : resolve(path);
  } catch {
    return null;
  }
}

/** Below which folders files may be read, and below which of those they may not; absolute. */
interface Readable {
  /** None: nothing may be read. */
  roots: readonly string[];
  privateFolders: readonly string[];
}

/**
 * @throws AppError NOT_FOUND, the same for whatever may not be read; TOO_LARGE over 1 MB; UNAVAILABLE
 */
export async function readFileBelow(uri: string, readable: Readable): Promise<ReadFile> {
  const path = pathOfFileUri(uri);
  const read = path === null ? 'gone' : await readOnWay(path, readable);
  if (path === null || read === 'gone') throw notThere(uri);
  if ('refused' in read) {
    const { code, message } = read.refused;
    if (code === 'too_large') throw new AppError('TOO_LARGE', `the file ${message}`, { uri });
    if (code === 'busy') throw new AppError('UNAVAILABLE', `the file ${message}`, { uri });
    throw notThere(uri);
  }
  const text = textOf(read.bytes);
  if (text !== null && PRIVATE_KEY.test(text)) throw notThere(uri);
  const ending = extname(path).slice(1).toLowerCase();
  const known = Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined;
  // Of an ending that nobody knows: what is neither more nor less than text, or bytes.
  const mimeType = known ?? (text === null ? 'application/octet-stream' : 'text/plain');
  const content = text === null ? { blob: read.bytes.toString('base64') } : { text };
  return { path, content: { mimeType, ...content } };
}

/** What came between the look and the open, a link or another file, is looked at in its turn. */
async function readOnWay(
  path: string,
  readable: Readable,
): Promise<WholeFile | { refused: Refusal } | 'gone'> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const real = await realBelow(path, readable);
    if (real === null) return 'gone';
    const read = await readWhole(real, MAX_BYTES);
    if (!(read !== 'gone' && 'bytes' in read) || (await isStillAt(real, read.stats))) return read;
  }
  return { refused: { code: 'busy', message: 'kept changing while it was read' } };
}

/** Where it really lies, if that is below a root, as its name is, and is nobody's secret. */
async function realBelow(
  path: string,
  { roots, privateFolders }: Readable,
): Promise<string | null> {
  if (isPrivateFile(path)) return null;
  const folders = await Promise.all(
    roots.map(async (root) => ({ root: resolve(root), real: await realOf(root) })),
  );
  // Nothing is looked up for a name that leads out.
  const isNamed = folders.some(
    ({ root, real }) => isBelow(path, root) || (real !== null && isBelow(path, real)),
  );
  const found = isNamed ? await realOf(path) : null;
  if (found === null) return null;
  const isBelowRoot = folders.some(({ real }) => real !== null && isBelow(found, real));
  if (!isBelowRoot || isPrivateFile(found)) return null;
  const hidden = await Promise.all(privateFolders.map(realOf));
  return hidden.some((folder) => folder !== null && isBelow(found, folder)) ? null : found;
}

/**
 * Whether what was read lies where it was looked for, by no link: a folder on the way may have become one
 * between the look and the open. Hard links cannot be told from the file itself.
 */
export async function isStillAt(
  real: string,
  { dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>,
): Promise<boolean> {
  if ((await realOf(real)) !== real) return false;
  const now = await lstat(real, { bigint: true }).catch(() => null);
  return now !== null && now.dev === dev && now.ino === ino;
}

async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    return null;
  }
}

function notThere(uri: string): AppError {
  const message = 'there is no such file below the folders that may be read';
  return new AppError('NOT_FOUND', message, { uri });
}

/** Each by itself: the SDK's schema takes none of a list in which one is no file. */
const Told = z.looseObject({ roots: z.array(z.unknown()) });
const Root = z.looseObject({ uri: z.string() });
const ANSWER_MS = 5 * SECOND_MS;
const MOST = 100;

export interface FileRoots {
  current(): Promise<readonly string[]>;
  /** The client has said that they are others now. */
  forget(): void;
}

/** A local client's own roots, which it is asked for; of any other those of `CUE_FILE_ROOTS`. */
export function createFileRoots({
  server,
  session,
  fileRoots,
  log,
}: Pick<Connection, 'server' | 'session' | 'fileRoots' | 'log'>): FileRoots {
  let asked: Promise<readonly string[]> | null = null;

  async function ask(): Promise<readonly string[]> {
    if (server.getClientCapabilities()?.roots === undefined) return [];
    const { roots } = await server.request({ method: 'roots/list' }, Told, { timeout: ANSWER_MS });
    const paths = roots.flatMap((root) => {
      const { data } = Root.safeParse(root);
      return data === undefined ? [] : (pathOfFileUri(data.uri) ?? []);
    });
    return paths.slice(0, MOST);
  }

  return {
    async current() {
      if (!session.isLocal) return fileRoots;
      asked ??= ask();
      const mine = asked;
      try {
        return await mine;
      } catch (error) {
        // Asked again with the next file.
        if (asked === mine) asked = null;
        log.debug({ error: messageOf(error) }, 'a client did not tell its roots');
        return [];
      }
    },
    forget() {
      asked = null;
    },
  };
}
