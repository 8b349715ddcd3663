/** What a file of an export holds, and the parts in which it is sent. */
import {
  type Part,
  partsOfDocument,
  partsOfHints,
  partsOfLines,
} from '../../../../src/shared/export-parts.js';
import { isObject } from '../../../../src/shared/json.js';

export type KindName = 'memories' | 'triggers' | 'hints';

const LINES_LOOKED_AT = 100;

const MEMORY_LISTS = ['memories', 'links', 'chapters', 'wisdom'];

export type { Part };

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
  if (wanted === 'hints') {
    // `nudge export --json` has it within its answer.
    const { payload } = content as Fields;
    return partsOfHints(isObject(payload) ? payload : content);
  }
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

/** What fits into one request is sent as it is. */
function partsOfLists(content: Fields, lists: readonly string[]): readonly Part[] {
  const parts = partsOfDocument(content, lists);
  return parts.length === 1 ? [{ body: content, before: 0 }] : parts;
}
