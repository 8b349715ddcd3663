/**
 * An export in parts that a server takes, for whoever sends one. Pure, and without Node, because the panel
 * sends them, too.
 */
import { isObject } from './json.js';

/** Of one call; a server takes 2 MiB with what is around it. */
export const MOST_BYTES = 1_500_000;
/** Of one list; a server takes 10,000. */
const PART_ITEMS = 10_000;

export interface Part {
  body: object;
  /** Records or lines in the parts before this one. */
  before: number;
}

type Fields = Record<string, unknown>;

const encoder = new TextEncoder();

export function byteLength(value: unknown): number {
  return encoder.encode(JSON.stringify(value) ?? '').length;
}

/** A key and its variants stay together. What is no document of hints is one part, for the server to judge. */
export function partsOfHints(payload: object): Part[] {
  const { components, ...head } = payload as Fields;
  const keys = isObject(components) ? keysOf(components) : null;
  if (keys === null) return [{ body: payload, before: 0 }];
  return grouped(keys, byteLength).map(({ items, before }) => {
    const part = new Map<string, { hints: Fields; variants: Fields }>();
    for (const { component, key, hint, variants: several } of items) {
      const { hints, variants } = part.get(component) ?? { hints: {}, variants: {} };
      part.set(component, {
        hints: hint === undefined ? hints : { ...hints, [key]: hint },
        variants: several === undefined ? variants : { ...variants, [key]: several },
      });
    }
    return { body: { ...head, components: Object.fromEntries(part) }, before };
  });
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
