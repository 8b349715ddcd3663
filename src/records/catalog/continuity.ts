/** How much neighbours in a thread talk about the same (the definition is in types.ts). */
import type { Places } from './timeline.js';
import type { Words } from './words.js';

const REACH = 2;
/** Terms in more of the documents than this say nothing about a conversation. */
const COMMON_SHARE = 1 / 10;
/** Documents looked at, and words of each: 1 to 2 ms however large the shelf is. */
const SAMPLE_DOCUMENTS = 512;
const SAMPLE_WORDS = 64;

export function continuityOf(words: Words, order: Places): number {
  const { postings } = words;
  const documents = order.length;
  const common = documents * COMMON_SHARE;
  let weight = 0;
  let excess = 0;
  for (const place of evenly(documents, SAMPLE_DOCUMENTS)) {
    const entries = postings.entriesOf(order.slots[place] as number);
    const near = neighbours(order, place).map((slot) => postings.entriesOf(slot));
    for (const at of evenly(entries.length, SAMPLE_WORDS)) {
      const name = (entries[at] as number) >>> postings.bits;
      const df = postings.countOf(name);
      if (df > common) continue;
      const idf = words.idf(df);
      const again = near.some((other) => holds(other, name, postings.bits));
      const chance = 1 - (1 - (df - 1) / (documents - 1)) ** near.length;
      weight += idf;
      excess += idf * ((again ? 1 : 0) - chance);
    }
  }
  return weight === 0 ? 0 : excess / weight;
}

/** Slots at most REACH places away in the same run. */
function neighbours(order: Places, place: number): number[] {
  const found: number[] = [];
  for (let near = place - REACH; near <= place + REACH; near += 1) {
    if (near === place || near < 0 || near >= order.length) continue;
    if (order.runs[near] === order.runs[place]) found.push(order.slots[near] as number);
  }
  return found;
}

/** Indexes below `length`, all or `most` of them at equal distances. */
function* evenly(length: number, most: number): Generator<number> {
  const count = Math.min(length, most);
  for (let i = 0; i < count; i += 1) yield Math.floor((i * length) / count);
}

/** Whether entries (ascending, name in the upper bits) hold the name. */
function holds(entries: Int32Array, name: number, bits: number): boolean {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as number) >>> bits < name) low = middle + 1;
    else high = middle;
  }
  return low < entries.length && (entries[low] as number) >>> bits === name;
}
