/** What a file of an export holds, and the parts in which it is sent: a server takes 2 MB at a time. */

export type KindName = 'memories' | 'triggers' | 'hints';

/** What a part has before what is around it, and the most records that the server takes. */
const PART_BYTES = 1_500_000;
const PART_ITEMS = 10_000;

const LINES_LOOKED_AT = 100;

const MEMORY_LISTS = ['memories', 'links', 'chapters', 'wisdom'];

export interface Part {
  body: object;
  /** Records or lines in the parts before this one. */
  before: number;
}

type Fields = Record<string, unknown>;

/** @throws Error for people, when it is no export, or one of something else */
export function partsOf(text: string, wanted: KindName): readonly Part[] {
  const content = parsed(text);
  const found = content === null ? kindOfLine(text) : kindOf(content);
  if (found !== null && found !== wanted) {
    throw new Error(`This is an export of ${found}, not of ${wanted}.`);
  }
  if (content === null) {
    // Which of its lines are wrong is for the server to say.
    if (wanted === 'memories' && found !== null) return partsOfLines(text);
    throw new Error('This file is not the JSON of an export.');
  }
  if (wanted === 'hints') return partsOfHints(content);
  if (wanted === 'triggers') {
    return partsOfLists(Array.isArray(content) ? { triggers: content } : content, ['triggers']);
  }
  if (!Array.isArray(content)) return partsOfLists(content, MEMORY_LISTS);
  const parts = partsOfLists({ memories: content }, MEMORY_LISTS);
  return parts.length === 1 ? [{ body: content, before: 0 }] : parts;
}

function parsed(text: string): Fields | unknown[] | null {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' ? (content as Fields) : null;
  } catch {
    return null;
  }
}

function kindOf(content: Fields | unknown[]): KindName | null {
  const record = (Array.isArray(content) ? content[0] : content) as Fields | undefined;
  const { components, payload } = Object(record) as Fields;
  if (isObject(components) || isObject(Object(payload).components)) return 'hints';
  const has = (...names: string[]) => names.some((name) => name in Object(record));
  if (has('triggers', 'instructions', 'displayName')) return 'triggers';
  return has(...MEMORY_LISTS, 'kind', 'intent') ? 'memories' : null;
}

function kindOfLine(text: string): KindName | null {
  // A line may be damaged: the server says so, and takes the others.
  for (const line of text.split('\n', LINES_LOOKED_AT)) {
    const record = parsed(line);
    const kind = record && kindOf(record);
    if (kind !== null) return kind;
  }
  return null;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function partsOfLines(text: string): Part[] {
  return grouped(text.split('\n')).map(({ items, before }) => ({
    body: { jsonl: items.join('\n') },
    before,
  }));
}

/** What it has beside its lists is in every part. */
function partsOfLists(content: Fields, lists: readonly string[]): Part[] {
  const held = lists.filter((list) => Array.isArray(content[list]));
  const records = held.flatMap((list) =>
    (content[list] as unknown[]).map((item) => ({ list, item })),
  );
  const groups = grouped(records);
  if (groups.length === 1) return [{ body: content, before: 0 }];
  const head = Object.entries(content).filter(([name]) => !held.includes(name));
  return groups.map(({ items, before }) => {
    const ofList = (list: string) => items.filter((one) => one.list === list);
    const body = {
      ...Object.fromEntries(head),
      ...Object.fromEntries(held.map((list) => [list, ofList(list).map(({ item }) => item)])),
    };
    return { body, before };
  });
}

/** The hints of a component may come in two parts; those of one key stay together. */
function partsOfHints(exported: Fields | unknown[]): Part[] {
  // `nudge export --json` has it within its answer.
  const { payload } = exported as Fields;
  const content = isObject(payload) ? payload : exported;
  const { components, ...head } = content as Fields;
  const keys = Object.entries(Object(components)).flatMap(([component, held]) => {
    const { hints, variants } = Object(held) as { hints?: Fields; variants?: Fields };
    const names = new Set([...Object.keys(hints ?? {}), ...Object.keys(variants ?? {})]);
    return [...names].map((key) => ({
      ...{ component, key },
      hint: hints?.[key],
      several: variants?.[key],
    }));
  });
  const groups = grouped(keys);
  if (groups.length === 1) return [{ body: content, before: 0 }];
  return groups.map(({ items, before }) => {
    const part = new Map<string, { hints: Fields; variants: Fields }>();
    for (const { component, key, hint, several } of items) {
      const { hints, variants } = part.get(component) ?? { hints: {}, variants: {} };
      part.set(component, {
        hints: hint === undefined ? hints : { ...hints, [key]: hint },
        variants: several === undefined ? variants : { ...variants, [key]: several },
      });
    }
    return { body: { ...head, components: Object.fromEntries(part) }, before };
  });
}

/** At least one group; an item that is too large for any is alone, for the server to refuse. */
function grouped<Item>(items: readonly Item[]): { items: Item[]; before: number }[] {
  const encoder = new TextEncoder();
  const groups: { items: Item[]; before: number }[] = [];
  let group: Item[] = [];
  let bytes = 0;
  for (const [at, item] of items.entries()) {
    const size = encoder.encode(JSON.stringify(item)).length + 1;
    if (group.length > 0 && (bytes + size > PART_BYTES || group.length === PART_ITEMS)) {
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
