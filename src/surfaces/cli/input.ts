/** Texts that the user hands in. */
import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError, messageOf } from '../../shared/errors.js';
import { isObject } from '../../shared/json.js';
import { badInput } from './io.js';
import { utf8 } from './real-io.js';

const MAX_FILE_BYTES = 2_000_000;

/**
 * A file, or what comes through a pipe or a device (`/dev/stdin`, `<(…)`): then it waits for its end.
 * @param path absolute
 * @param shown as the user wrote it
 * @throws AppError INVALID_INPUT when there is no such file or it is not UTF-8, TOO_LARGE
 */
export async function readTextFile(
  path: string,
  shown: string,
  maxBytes = MAX_FILE_BYTES,
): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw badInput(`there is no file ${shown}`, { path });
  const odd = whyOdd(found);
  if (odd !== null) throw badInput(`${shown} is ${odd}, not a file`, { path });
  if (found.size > maxBytes) throw tooLarge(shown, maxBytes);
  return utf8(await allOf(path, shown, maxBytes), shown);
}

function whyOdd(found: Stats): string | null {
  if (found.isDirectory()) return 'a folder';
  if (found.isSocket()) return 'a socket';
  return found.isBlockDevice() ? 'a disk' : null;
}

/** Of a pipe nobody knows how much will come. */
async function allOf(path: string, shown: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > maxBytes) throw tooLarge(shown, maxBytes);
      chunks.push(part);
    }
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(path, shown, error);
  }
  return Buffer.concat(chunks);
}

function unreadable(path: string, shown: string, cause: unknown): AppError {
  const message = `${shown} cannot be read: ${messageOf(cause)}`;
  return new AppError('INVALID_INPUT', message, { path }, { cause });
}

function tooLarge(shown: string, maxBytes: number): AppError {
  return new AppError('TOO_LARGE', `${shown} has more than ${maxBytes / 1_000_000} MB`);
}

/** @throws AppError INVALID_INPUT naming `what`; the text, which may be a secret, is not repeated */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the cause: its words repeat the text.
    return refuse(`${what} is not valid JSON`);
  }
}

function refuse(message: string): never {
  throw badInput(message);
}

/** Of one call; a server takes 2 MiB with what is around it. */
export const MOST_BYTES = 1_500_000;

type Fields = Record<string, unknown>;
type Components = Record<string, { hints: Fields; variants?: Fields }>;

export function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** A key and its variants stay together. What is no document of hints is one part, for the server to judge. */
export function partsOf(payload: object): object[] {
  const { components, ...head } = payload as Fields;
  const keys = isObject(components) ? keysOf(components) : null;
  if (keys === null) return [payload];
  const parts: Components[] = [];
  let part: Components = {};
  let bytes = 0;
  for (const { component, key, hint, variants } of keys) {
    const more = byteLength([component, key, hint, key, variants]) + 50;
    if (bytes + more > MOST_BYTES && bytes > 0) {
      parts.push(part);
      part = {};
      bytes = 0;
    }
    const here = Object.hasOwn(part, component) ? part[component] : undefined;
    const hints = { ...here?.hints, ...(hint === undefined ? {} : { [key]: hint }) };
    const several = { ...here?.variants, ...(variants === undefined ? {} : { [key]: variants }) };
    setOwn(part, component, { hints, variants: several });
    bytes += more;
  }
  parts.push(part);
  return parts.map((one) => ({ ...head, components: one }));
}

interface Key {
  component: string;
  key: string;
  hint?: unknown;
  variants?: unknown;
}

/** `null`: not of the shape that can be divided. */
function keysOf(components: Fields): Key[] | null {
  const keys: Key[] = [];
  for (const [component, held] of Object.entries(components)) {
    if (!isObject(held) || !isObject(held.hints)) return null;
    const { hints, variants = {} } = held;
    if (!isObject(variants)) return null;
    for (const key of new Set([...Object.keys(hints), ...Object.keys(variants)])) {
      keys.push({ component, key, hint: own(hints, key), variants: own(variants, key) });
    }
  }
  return keys;
}

function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** A name like `__proto__` is one like any other; the server refuses it. */
function setOwn(part: Components, name: string, value: Components[string]): void {
  Object.defineProperty(part, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** Of one list; a server takes 10,000. */
const PART_ITEMS = 10_000;

export interface Part {
  body: object;
  /** Records or lines in the parts before this one. */
  before: number;
}

/** JSON lines, each part as text. */
export function partsOfLines(text: string): Part[] {
  return grouped(text.split('\n'), byteLength).map(({ items, before }) => ({
    body: { jsonl: items.join('\n') },
    before,
  }));
}

/**
 * A document with lists; what else it has is in every part.
 * @param lists names, in the order in which a server counts their records
 */
export function partsOfDocument(
  document: Readonly<Record<string, unknown>>,
  lists: readonly string[],
): Part[] {
  const head = Object.fromEntries(
    Object.entries(document).filter(([name]) => !lists.includes(name)),
  );
  const records = lists.flatMap((list) => {
    const items = document[list];
    return Array.isArray(items) ? items.map((item: unknown) => ({ list, item })) : [];
  });
  return grouped(records, ({ item }) => byteLength(item)).map(({ items, before }) => {
    const body: Record<string, unknown> = { ...head };
    for (const list of new Set(items.map((one) => one.list))) {
      body[list] = items.filter((one) => one.list === list).map(({ item }) => item);
    }
    return { body, before };
  });
}

/** At least one group, which may be empty; an item that is too large for any is alone. */
function grouped<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
): { items: Item[]; before: number }[] {
  const groups: { items: Item[]; before: number }[] = [];
  let group: Item[] = [];
  let bytes = 0;
  for (const [at, item] of items.entries()) {
    const size = sizeOf(item) + 1;
    if (group.length > 0 && (bytes + size > MOST_BYTES || group.length === PART_ITEMS)) {
      groups.push({ items: group, before: at - group.length });
      group = [];
      bytes = 0;
    }
    group.push(item);
    bytes += size;
  }
  groups.push({ items: group, before: items.length - group.length });
  return groups;
}
