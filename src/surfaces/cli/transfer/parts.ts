/** A document that is too large for one request, in parts that are documents of their own. Pure. */
import { byteLength, MOST_BYTES } from '../nudge/import-parts.js';

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
