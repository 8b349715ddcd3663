/**
 * Documents with what was worked out for them. Each has a slot, which it keeps as long as its texts
 * stay the same, wherever in the library it stands: an edit makes a few rows, not all of them anew.
 */
import { addTo } from '../../shared/multimap.js';
import { yieldToLoop } from '../../shared/yield.js';
import { type Document, FIELDS, labelOf, type Texts } from './documents.js';
import type { Analyzed } from './keyword-index.js';
import { type Spelling, spellingOf } from './suggest.js';

export interface Row {
  slot: number;
  texts: Texts;
  analyzed: Analyzed;
  /** Of its trigger; `null`: it has none. */
  spelling: Spelling | null;
}

export interface Rows {
  /** By slot; free ones have none. */
  slots: readonly (Row | undefined)[];
  /** In the order of the documents. */
  inOrder: readonly Row[];
  /** Rows that were not there before, and rows that were and are no more. */
  come: readonly Row[];
  gone: readonly Row[];
}

export const NO_ROWS: Rows = { slots: [], inOrder: [], come: [], gone: [] };

/** Work between two turns of the event loop, a few milliseconds each. */
const DOCUMENTS = 500;
const CHARACTERS = 15_000;

/** @param analyzed of texts, and how many characters had to be looked at for it */
export async function changeRows(
  before: Rows,
  documents: readonly Document[],
  analyzed: (texts: Texts) => { analyzed: Analyzed; characters: number },
): Promise<Rows> {
  const left = new Map<string, Row[]>();
  for (const row of before.inOrder) addTo(left, keyOf(row.texts), row);
  await yieldToLoop();
  const found: (Row | undefined)[] = [];
  for (const { texts } of documents) {
    found.push(takeSame(left.get(keyOf(texts)), texts));
    if (found.length % DOCUMENTS === 0) await yieldToLoop();
  }

  const gone = [...left.values()].flat();
  const slots = [...before.slots];
  for (const { slot } of gone) slots[slot] = undefined;
  const free = slots.flatMap((row, slot) => (row === undefined ? [slot] : []));
  const inOrder: Row[] = [];
  const come: Row[] = [];
  let characters = 0;
  for (const [at, { texts }] of documents.entries()) {
    let row = found[at];
    if (row === undefined) {
      const made = analyzed(texts);
      const slot = free.pop() ?? slots.length;
      row = { slot, texts, analyzed: made.analyzed, spelling: spellingOf(texts.trigger) };
      slots[slot] = row;
      come.push(row);
      characters += made.characters;
      if (characters >= CHARACTERS) {
        characters = 0;
        await yieldToLoop();
      }
    }
    inOrder.push(row);
  }
  return { slots, inOrder, come, gone };
}

/** What tells most documents apart; the rest is compared. */
function keyOf(texts: Texts): string {
  return `${texts.path}\n${labelOf(texts)}`;
}

function takeSame(rows: Row[] | undefined, texts: Texts): Row | undefined {
  if (rows === undefined) return undefined;
  const at = rows.findIndex((row) => FIELDS.every((field) => row.texts[field] === texts[field]));
  return at < 0 ? undefined : rows.splice(at, 1)[0];
}
