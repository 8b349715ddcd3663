/**
 * Trains the table: texts of a pair come near each other, and away from the other texts of a batch
 * (symmetric InfoNCE). A text is the mean of its words, a word its row and the mean of its pieces.
 */
import { piecesOf } from '../src/embeddings/static.js';
import { createMachine, type Machine } from './matrix.js';
import { createRandom } from './random.js';
import {
  type Corpus,
  type CorpusPart,
  type NumberedPair,
  type WordVectors,
  wordsWithRow,
} from './vocabulary.js';

export interface TrainOptions {
  /** A multiple of 4. */
  dimension: number;
  /** Words with a row of their own. */
  rows: number;
  /** Rows of hashed pieces. */
  buckets: number;
  /** Of the start vectors' words, how many get a row however rare they are in the pairs. */
  everyday: number;
  /** Pairs of a batch, a multiple of 4, all of one kind. */
  batch: number;
  steps: number;
  seed: number;
  say(line: string): void;
}

/** Trained rows: first those of the words, with their pieces in them, then those of the pieces. */
export interface Trained {
  words: string[];
  values: Float32Array;
  /** Share of held-back pairs whose other half is found first among all of its kind, by kind. */
  found: Record<string, number>;
}

const TEMPERATURE = 0.06;
const RATE = 0.07;
const WARM_UP = 100;
const LEAST_RATE = 0.02;
const FIRST_SUM = 1e-6;
/** In half of the pairs most words that both texts have are left out of one: other words must do. */
const WITHOUT_SHARED = 0.5;
const SHARED_LEFT_OUT = 0.7;
/** A word known by its row must also be known by its pieces. */
const BY_PIECES_ALONE = 0.1;
/** Frequent words begin shorter. */
const FREQUENT = 1e-3;
const MASKED = -1e9;
const REPORT = 250;

/** @throws Error when there are too few pairs for a batch */
export async function train(
  corpus: Corpus,
  start: WordVectors | null,
  options: TrainOptions,
): Promise<Trained> {
  const { dimension, buckets, batch, steps, say } = options;
  const random = createRandom(options.seed);
  const vocabulary = wordsWithRow(
    corpus,
    start?.words.slice(0, options.everyday) ?? [],
    options.rows,
  );
  const rowOfWord = new Map(vocabulary.map((word, row) => [word, row]));
  const rows = vocabulary.length;
  const rowOf = Int32Array.from(corpus.words, (word) => rowOfWord.get(word) ?? -1);
  const pieces: (Int32Array | undefined)[] = [];
  const piecesAt = (word: number) => {
    pieces[word] ??= Int32Array.from(
      piecesOf(corpus.words[word] ?? '', buckets),
      (piece) => rows + piece,
    );
    return pieces[word];
  };
  const lengths = Uint8Array.from(corpus.words, ({ length }) => length);

  const machine = await createMachine();
  const count = rows + buckets;
  const values = machine.reserve(count * dimension);
  const sums = machine.reserve(count * dimension);
  const most = Math.max(batch, 500);
  const texts = [machine.reserve(most * dimension), machine.reserve(most * dimension)] as const;
  const turned = [machine.reserve(batch * dimension), machine.reserve(batch * dimension)] as const;
  const gradients = [
    machine.reserve(batch * dimension),
    machine.reserve(batch * dimension),
  ] as const;
  const likeness = machine.reserve(most * most);
  const likenessTurned = machine.reserve(batch * batch);
  const pieceGradients = machine.reserve(buckets * dimension);
  /** Words of a batch: a batch of longest texts has fewer different ones. */
  const mostWords = 96 * most;
  const words = machine.reserve(mostWords * dimension);
  const wordGradients = machine.reserve(mostWords * dimension);
  const all = machine.floats(0, (wordGradients >> 2) + mostWords * dimension);
  const rowBytes = 4 * dimension;

  begin();

  function begin(): void {
    const at = values >> 2;
    for (let i = 0; i < rows * dimension; i += 1) all[at + i] = noise() * 0.1;
    for (let i = rows * dimension; i < count * dimension; i += 1) all[at + i] = noise() * 0.05;
    all.fill(FIRST_SUM, sums >> 2, (sums >> 2) + count * dimension);
    if (start === null) return;
    const total = corpus.counts.reduce((sum, each) => sum + each, 0);
    const counts = new Map(corpus.words.map((word, number) => [word, corpus.counts[number] ?? 0]));
    for (const [place, word] of start.words.entries()) {
      const row = rowOfWord.get(word);
      if (row === undefined) continue;
      const share = FREQUENT / (FREQUENT + (counts.get(word) ?? 0) / total);
      for (let i = 0; i < Math.min(start.dimension, dimension); i += 1) {
        const from = at + row * dimension + i;
        all[from] = (all[from] ?? 0) + share * (start.vectors[place * start.dimension + i] ?? 0);
      }
    }
  }

  /** About normal, of the length of a unit vector's number. */
  function noise(): number {
    const sum = random.next() + random.next() + random.next() + random.next() - 2;
    return (sum * Math.sqrt(3)) / Math.sqrt(dimension);
  }

  const slotOf = new Int32Array(corpus.words.length).fill(-1);
  let used: number[] = [];
  let byPieces = new Uint8Array(0);

  /** Words of one text with their weights, as places among the words of the batch. */
  function wordsIn(from: number, size: number, skipped: ReadonlySet<number> | null): Float64Array {
    const sorted = corpus.pool.slice(from, from + size).sort();
    const found: number[] = [];
    for (let at = 0; at < sorted.length; ) {
      const word = sorted[at] as number;
      let end = at + 1;
      while (sorted[end] === word) end += 1;
      if (!skipped?.has(word)) {
        if (slotOf[word] === -1) slotOf[word] = used.push(word) - 1;
        found.push(slotOf[word] as number, Math.sqrt(end - at));
      }
      at = end;
    }
    return Float64Array.from(found);
  }

  /** Vectors of the words in `used`. */
  function compose(training: boolean): void {
    byPieces = new Uint8Array(used.length);
    all.fill(0, words >> 2, (words >> 2) + used.length * dimension);
    for (const [slot, word] of used.entries()) {
      const to = words + slot * rowBytes;
      const row = rowOf[word] as number;
      if (training && row >= 0 && random.next() < BY_PIECES_ALONE) byPieces[slot] = 1;
      else if (row >= 0) machine.add(to, values + row * rowBytes, dimension, 1);
      const own = piecesAt(word);
      for (const piece of own)
        machine.add(to, values + piece * rowBytes, dimension, 1 / own.length);
    }
  }

  /** Unit vectors of texts; returns their lengths before. */
  function embed(side: 0 | 1, weighted: readonly Float64Array[]): Float64Array {
    const at = texts[side];
    all.fill(0, at >> 2, (at >> 2) + weighted.length * dimension);
    return Float64Array.from(weighted, (found, text) => {
      const to = at + text * rowBytes;
      for (let i = 0; i < found.length; i += 2) {
        machine.add(to, words + (found[i] as number) * rowBytes, dimension, found[i + 1] as number);
      }
      let squares = 0;
      const first = to >> 2;
      for (let i = first; i < first + dimension; i += 1) squares += (all[i] as number) ** 2;
      const length = Math.sqrt(squares) + 1e-8;
      for (let i = first; i < first + dimension; i += 1) all[i] = (all[i] as number) / length;
      return length;
    });
  }

  function forget(): void {
    for (const word of used) slotOf[word] = -1;
    used = [];
  }

  function measure({ heldBack }: CorpusPart): number {
    const n = heldBack.length - (heldBack.length % 4);
    if (n === 0) return 0;
    const pairs = heldBack.slice(0, n);
    const sides = ([0, 1] as const).map((side) =>
      pairs.map(({ from, count }) => wordsIn(from[side], count[side], null)),
    );
    compose(false);
    embed(0, sides[0] ?? []);
    embed(1, sides[1] ?? []);
    forget();
    machine.product(texts[0], texts[1], likeness, n, n, dimension);
    const at = likeness >> 2;
    let first = 0;
    for (let i = 0; i < n; i += 1) {
      const own = all[at + i * n + i] as number;
      let above = 0;
      for (let j = 0; j < n; j += 1) {
        const isOther = pairs[j]?.hash[1] !== pairs[i]?.hash[1];
        if (isOther && (all[at + i * n + j] as number) > own) above += 1;
      }
      if (above === 0) first += 1;
    }
    return first / n;
  }

  const parts = corpus.parts.filter(({ training }) => training.length >= batch);
  if (parts.length === 0) throw new Error(`no kind has ${batch} pairs`);
  const places = parts.map(({ training }) => training.length);
  const weights = parts.reduce((sum, { weight }) => sum + weight, 0);

  function nextBatch(): NumberedPair[] {
    let left = random.next() * weights;
    let chosen = parts.findIndex(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    if (chosen === -1) chosen = parts.length - 1;
    const { training } = parts[chosen] as CorpusPart;
    if ((places[chosen] as number) + batch > training.length) {
      random.shuffle(training);
      places[chosen] = 0;
    }
    const from = places[chosen] as number;
    places[chosen] = from + batch;
    return training.slice(from, from + batch);
  }

  /** Words that both texts have, most of them, when enough are left. */
  function sharedWords({ from, count }: NumberedPair): Set<number> | null {
    if (random.next() >= WITHOUT_SHARED) return null;
    const other = new Set(corpus.pool.subarray(from[1], from[1] + count[1]));
    const shared = new Set<number>();
    let left = 0;
    for (const word of new Set(corpus.pool.subarray(from[0], from[0] + count[0]))) {
      if (other.has(word) && random.next() < SHARED_LEFT_OUT) shared.add(word);
      else if ((lengths[word] as number) > 3) left += 1;
    }
    return left < 2 ? null : shared;
  }

  let lost = 0;
  for (let step = 1; step <= steps; step += 1) {
    const pairs = nextBatch();
    const one: Float64Array[] = [];
    const other: Float64Array[] = [];
    for (const pair of pairs) {
      const shared = sharedWords(pair);
      const isFirst = random.next() < 0.5;
      one.push(wordsIn(pair.from[0], pair.count[0], isFirst ? shared : null));
      other.push(wordsIn(pair.from[1], pair.count[1], isFirst ? null : shared));
    }
    compose(true);
    const lengthsOf = [embed(0, one), embed(1, other)] as const;
    machine.product(texts[0], texts[1], likeness, batch, batch, dimension);
    lost += softmax(pairs);
    turn(likeness, likenessTurned, batch, batch);
    turn(texts[0], turned[0], batch, dimension);
    turn(texts[1], turned[1], batch, dimension);
    machine.product(likeness, turned[1], gradients[0], batch, dimension, batch);
    machine.product(likenessTurned, turned[0], gradients[1], batch, dimension, batch);
    const rate = RATE * Math.min(1, step / WARM_UP) * Math.max(LEAST_RATE, 1 - step / steps);
    learn([one, other], lengthsOf, rate);
    forget();
    if (step % REPORT === 0 || step === steps) {
      say(`step ${step} of ${steps}, loss ${(lost / REPORT).toFixed(4)}`);
      lost = 0;
    }
  }

  /** Likeness → its gradient, in place; returns the loss. */
  function softmax(pairs: readonly NumberedPair[]): number {
    const at = likeness >> 2;
    const byRow = new Float64Array(batch);
    const byColumn = new Float64Array(batch);
    const own = new Float64Array(batch);
    for (let i = 0; i < batch; i += 1) {
      const { hash } = pairs[i] as NumberedPair;
      for (let j = 0; j < batch; j += 1) {
        const against = (pairs[j] as NumberedPair).hash;
        const isSame =
          i !== j && (hash[1] === against[1] || hash[0] === against[0] || hash[0] === against[1]);
        const z = isSame ? MASKED : (all[at + i * batch + j] as number) / TEMPERATURE;
        if (i === j) own[i] = z - 1 / TEMPERATURE;
        const power = isSame ? 0 : Math.exp(z - 1 / TEMPERATURE);
        all[at + i * batch + j] = power;
        byRow[i] = (byRow[i] as number) + power;
        byColumn[j] = (byColumn[j] as number) + power;
      }
    }
    let loss = 0;
    const scale = 1 / TEMPERATURE / batch;
    for (let i = 0; i < batch; i += 1) {
      loss +=
        0.5 * (Math.log(byRow[i] as number) + Math.log(byColumn[i] as number)) - (own[i] as number);
      for (let j = 0; j < batch; j += 1) {
        const place = at + i * batch + j;
        const share = 0.5 * (1 / (byRow[i] as number) + 1 / (byColumn[j] as number));
        all[place] = scale * ((all[place] as number) * share - (i === j ? 1 : 0));
      }
    }
    return loss / batch;
  }

  function turn(from: number, to: number, height: number, width: number): void {
    const [a, b] = [from >> 2, to >> 2];
    for (let i = 0; i < height; i += 1) {
      for (let j = 0; j < width; j += 1) all[b + j * height + i] = all[a + i * width + j] as number;
    }
  }

  function learn(
    sides: readonly (readonly Float64Array[])[],
    lengthsOf: readonly [Float64Array, Float64Array],
    rate: number,
  ): void {
    all.fill(0, wordGradients >> 2, (wordGradients >> 2) + used.length * dimension);
    for (const side of [0, 1] as const) {
      for (const [text, found] of (sides[side] ?? []).entries()) {
        const gradient = gradients[side] + text * rowBytes;
        const [g, x] = [gradient >> 2, (texts[side] + text * rowBytes) >> 2];
        let along = 0;
        for (let i = 0; i < dimension; i += 1)
          along += (all[g + i] as number) * (all[x + i] as number);
        const length = lengthsOf[side][text] as number;
        for (let i = 0; i < dimension; i += 1) {
          all[g + i] = ((all[g + i] as number) - along * (all[x + i] as number)) / length;
        }
        for (let i = 0; i < found.length; i += 2) {
          const to = wordGradients + (found[i] as number) * rowBytes;
          machine.add(to, gradient, dimension, found[i + 1] as number);
        }
      }
    }
    all.fill(0, pieceGradients >> 2, (pieceGradients >> 2) + buckets * dimension);
    const touched = new Uint8Array(buckets);
    for (const [slot, word] of used.entries()) {
      const gradient = wordGradients + slot * rowBytes;
      const row = rowOf[word] as number;
      if (row >= 0 && byPieces[slot] === 0) learnRow(machine, row, gradient, rate);
      const own = piecesAt(word);
      for (const piece of own) {
        touched[piece - rows] = 1;
        machine.add(
          pieceGradients + (piece - rows) * rowBytes,
          gradient,
          dimension,
          1 / own.length,
        );
      }
    }
    for (const [piece, isTouched] of touched.entries()) {
      if (isTouched === 1) learnRow(machine, rows + piece, pieceGradients + piece * rowBytes, rate);
    }
  }

  function learnRow({ step }: Machine, row: number, gradient: number, rate: number): void {
    step(values + row * rowBytes, sums + row * rowBytes, gradient, dimension, rate);
  }

  const found = Object.fromEntries(
    corpus.parts.map((part) => [part.kind, Math.round(1000 * measure(part)) / 1000]),
  );
  return { words: vocabulary, values: composed(), found };

  function composed(): Float32Array {
    const at = values >> 2;
    const out = all.slice(at, at + count * dimension);
    for (const [row, word] of vocabulary.entries()) {
      const own = piecesOf(word, buckets);
      for (let i = 0; i < dimension; i += 1) {
        let sum = 0;
        for (const piece of own) sum += all[at + (rows + piece) * dimension + i] as number;
        out[row * dimension + i] = (out[row * dimension + i] as number) + sum / own.length;
      }
    }
    return out;
  }
}
