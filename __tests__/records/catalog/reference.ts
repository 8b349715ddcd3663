/** The catalog's searches written down naively: what the real ones are compared with. */
import type { CatalogDoc, SlotFilter, Spread } from '../../../src/records/catalog/types.js';
import { canRead } from '../../../src/records/scope.js';

export interface ReferenceDoc extends CatalogDoc {
  /** Order of insertion; a document that changed is inserted anew. */
  sequence: number;
}

export const analyzeWords = (text: string) => text.split(' ').filter((word) => word !== '');

const threadOf = (doc: CatalogDoc) => doc.thread ?? `\0${doc.audience}`;
const keysOf = (doc: CatalogDoc) => [...new Set(doc.keys)].sort();

/** Word → how often, weighted, in one of the two fields; in both without `aside`. */
function frequencies(doc: CatalogDoc, aside?: boolean): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text, weight = 1, isAside = false } of doc.fields) {
    if (aside !== undefined && aside !== isAside) continue;
    for (const word of analyzeWords(text)) counts.set(word, (counts.get(word) ?? 0) + weight);
  }
  return counts;
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
const lengthOf = (doc: CatalogDoc, aside?: boolean) => sum(frequencies(doc, aside).values());
const capped = (doc: CatalogDoc, aside: boolean) =>
  [...frequencies(doc, aside)].map(([word, n]) => [word, Math.min(aside ? 7 : 15, n)]).sort();
const contentOf = (doc: CatalogDoc) =>
  JSON.stringify([
    doc.timeMs,
    threadOf(doc),
    keysOf(doc),
    ...[true, false].flatMap((aside) => [capped(doc, aside), lengthOf(doc, aside)]),
  ]);

/** One thread, and no silence of more than 30 minutes between the two. */
function isOneRun(order: readonly CatalogDoc[], a: number, b: number): boolean {
  const between = order.slice(Math.min(a, b), Math.max(a, b) + 1);
  return between.every((doc, i) => {
    const before = between[i - 1];
    if (before === undefined) return true;
    return threadOf(before) === threadOf(doc) && doc.timeMs - before.timeMs <= 1_800_000;
  });
}

export function createReference() {
  const docs = new Map<string, ReferenceDoc>();
  const threads: string[] = [];
  let sequence = 0;

  const live = () => [...docs.values()].sort((a, b) => a.sequence - b.sequence);
  const inPlaces = () =>
    live().sort(
      (a, b) =>
        threads.indexOf(threadOf(a)) - threads.indexOf(threadOf(b)) ||
        a.timeMs - b.timeMs ||
        a.sequence - b.sequence,
    );
  const df = (word: string) => live().filter((doc) => frequencies(doc).has(word)).length;
  const idf = (word: string) => Math.log(1 + (docs.size - df(word) + 0.5) / (df(word) + 0.5));

  function accepts(doc: CatalogDoc, filter: SlotFilter): boolean {
    return (
      readable(doc, filter) &&
      (doc.flags & (filter.flagsAll ?? 0)) === (filter.flagsAll ?? 0) &&
      (doc.flags & (filter.flagsNone ?? 0)) === 0 &&
      doc.timeMs >= (filter.sinceMs ?? Number.NEGATIVE_INFINITY) &&
      doc.timeMs < (filter.beforeMs ?? Number.POSITIVE_INFINITY) &&
      (filter.keysAll ?? []).every((key) => doc.keys.includes(key))
    );
  }

  function gain(doc: CatalogDoc, word: string, weight: number): number {
    let tf = 0;
    for (const aside of [false, true]) {
      const count = Math.min(aside ? 7 : 15, frequencies(doc, aside).get(word) ?? 0);
      const average = sum(live().map((other) => lengthOf(other, aside))) / docs.size;
      const padding = Math.max(0, 25 - average);
      const relative = (lengthOf(doc, aside) + padding) / (average + padding);
      tf += ((aside ? 0.5 : 1) * count) / (0.25 + 0.75 * relative);
    }
    return (weight * idf(word) * tf * 2.2) / (tf + 1.2);
  }

  return {
    live,
    inPlaces,
    put(doc: CatalogDoc) {
      if (!threads.includes(threadOf(doc))) threads.push(threadOf(doc));
      const old = docs.get(doc.id);
      const kept = old !== undefined && contentOf(old) === contentOf(doc);
      docs.set(doc.id, { ...doc, sequence: kept ? old.sequence : sequence++ });
    },
    setVector(id: string, vector: Float32Array | null) {
      const doc = docs.get(id);
      if (doc !== undefined) doc.vector = vector;
    },
    remove: (id: string) => docs.delete(id),
    accepted: (filter: SlotFilter) => live().filter((doc) => accepts(doc, filter)),
    newest: (keys: readonly string[], filter: SlotFilter) =>
      live()
        .filter((doc) => accepts(doc, filter) && keys.every((key) => doc.keys.includes(key)))
        .sort((a, b) => b.timeMs - a.timeMs || b.sequence - a.sequence),
    documentFrequency: df,
    averageLength: () =>
      docs.size === 0 ? 0 : sum(live().map((doc) => lengthOf(doc))) / docs.size,
    averageText: () =>
      docs.size === 0 ? 0 : sum(live().map((doc) => lengthOf(doc, false))) / docs.size,
    keyword(terms: ReadonlyMap<string, number>, filter: SlotFilter, spread: Spread | null) {
      const scores = new Map<string, number>();
      const order = inPlaces();
      for (const [word, weight] of terms) {
        const isCommon = df(word) > docs.size / 5;
        for (const [place, doc] of order.entries()) {
          if (!accepts(doc, filter)) continue;
          let best = 0;
          for (const [other, giver] of order.entries()) {
            const shares = place < other ? spread?.before : spread?.after;
            const share =
              place === other ? 1 : isCommon ? 0 : shares?.[Math.abs(place - other) - 1];
            if (!share || !isOneRun(order, place, other)) continue;
            if (spread !== null && !readable(giver, filter)) continue;
            best = Math.max(best, share * gain(giver, word, weight));
          }
          if (best > 0) scores.set(doc.id, (scores.get(doc.id) ?? 0) + best);
        }
      }
      return scores;
    },
    nearest(vector: Float32Array, filter: SlotFilter) {
      const scores = new Map<string, number>();
      for (const doc of live()) {
        if (doc.vector === null || !accepts(doc, filter)) continue;
        const dot = sum(doc.vector.map((value, i) => value * (vector[i] as number)));
        if (dot > 0) scores.set(doc.id, dot);
      }
      return scores;
    },
    continuity() {
      const order = inPlaces();
      let weight = 0;
      let excess = 0;
      for (const [place, doc] of order.entries()) {
        const near = order.filter(
          (_other, at) => at !== place && Math.abs(at - place) <= 2 && isOneRun(order, at, place),
        );
        for (const word of frequencies(doc).keys()) {
          if (df(word) > docs.size / 10) continue;
          const again = near.some((other) => frequencies(other).has(word)) ? 1 : 0;
          weight += idf(word);
          const absent = 1 - (df(word) - 1) / (docs.size - 1);
          excess += idf(word) * (again - (1 - absent ** near.length));
        }
      }
      return weight === 0 ? 0 : excess / weight;
    },
  };
}

function readable(doc: CatalogDoc, filter: SlotFilter): boolean {
  const [visibility, id = null] = doc.audience.split(':');
  if (visibility === 'p') {
    return canRead(filter.reader, { visibility: 'project', entityId: null, roomId: null });
  }
  return canRead(filter.reader, {
    visibility: visibility === 'u' ? 'user' : 'room',
    entityId: id as never,
    roomId: id as never,
  });
}
