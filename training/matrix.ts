/** The three inner loops of training, on float32 in WebAssembly SIMD: the same to the bit everywhere. */
import initWabt from 'wabt';

const PAGE = 65_536;

/** Memory of one machine for numbers, and what it computes there. Places are bytes. */
export interface Machine {
  /** A place for so many numbers, zeros at first; views of `floats` before it are no longer valid. */
  reserve(count: number): number;
  /** The numbers at a place, until the next `reserve`. */
  floats(at: number, count: number): Float32Array;
  /** c[m × n] = a[m × k] · b[n × k]ᵀ; m, n and k are multiples of 4. */
  product(a: number, b: number, c: number, m: number, n: number, k: number): void;
  /** to[k] += factor × from[k]; k is a multiple of 4. */
  add(to: number, from: number, k: number, factor: number): void;
  /** Adagrad: sums[k] += g², values[k] −= rate × g ÷ √sums; k is a multiple of 4. */
  step(values: number, sums: number, gradient: number, k: number, rate: number): void;
}

/** The part of WebAssembly that is used here; our types know no browser. */
interface Wasm {
  instantiate(bytes: Uint8Array): Promise<{ instance: { exports: unknown } }>;
}

interface Exports {
  memory: { buffer: ArrayBuffer; grow(pages: number): number };
  product: Machine['product'];
  add: Machine['add'];
  step: Machine['step'];
}

const TILE = 4;
const tiles = Array.from({ length: TILE * 2 }, (_, at) => ({ at, row: at >> 1, column: at & 1 }));

/** Four rows of `a` by two of `b` at once: each number that is loaded is used more than once. */
const PRODUCT = `(func (export "product") (param $a i32) (param $b i32) (param $c i32) (param $m i32) (param $n i32) (param $k i32)
  (local $i i32) (local $j i32) (local $q i32) (local $row i32) (local $pa i32) (local $pb i32) (local $out i32)
  ${tiles.map(({ at }) => `(local $s${at} v128)`).join(' ')} (local $b0 v128) (local $b1 v128) (local $x v128)
  (local.set $row (i32.shl (local.get $k) (i32.const 2)))
  (loop $rows
    (local.set $j (i32.const 0))
    (loop $columns
      ${tiles.map(({ at }) => `(local.set $s${at} (v128.const f32x4 0 0 0 0))`).join(' ')}
      (local.set $pa (i32.add (local.get $a) (i32.mul (local.get $i) (local.get $row))))
      (local.set $pb (i32.add (local.get $b) (i32.mul (local.get $j) (local.get $row))))
      (local.set $q (i32.const 0))
      (loop $inner
        (local.set $b0 (v128.load (local.get $pb)))
        (local.set $b1 (v128.load (i32.add (local.get $pb) (local.get $row))))
        ${[0, 1, 2, 3]
          .map(
            (
              row,
            ) => `(local.set $x (v128.load (i32.add (local.get $pa) (i32.mul (local.get $row) (i32.const ${row})))))
        (local.set $s${2 * row} (f32x4.add (local.get $s${2 * row}) (f32x4.mul (local.get $x) (local.get $b0))))
        (local.set $s${2 * row + 1} (f32x4.add (local.get $s${2 * row + 1}) (f32x4.mul (local.get $x) (local.get $b1))))`,
          )
          .join('\n        ')}
        (local.set $pa (i32.add (local.get $pa) (i32.const 16)))
        (local.set $pb (i32.add (local.get $pb) (i32.const 16)))
        (local.set $q (i32.add (local.get $q) (i32.const 4)))
        (br_if $inner (i32.lt_u (local.get $q) (local.get $k))))
      ${tiles
        .map(
          ({
            at,
            row,
            column,
          }) => `(local.set $out (i32.add (local.get $c) (i32.shl (i32.add (i32.mul (i32.add (local.get $i) (i32.const ${row})) (local.get $n)) (i32.add (local.get $j) (i32.const ${column}))) (i32.const 2))))
      (f32.store (local.get $out) (f32.add (f32.add (f32x4.extract_lane 0 (local.get $s${at})) (f32x4.extract_lane 1 (local.get $s${at}))) (f32.add (f32x4.extract_lane 2 (local.get $s${at})) (f32x4.extract_lane 3 (local.get $s${at})))))`,
        )
        .join('\n      ')}
      (local.set $j (i32.add (local.get $j) (i32.const 2)))
      (br_if $columns (i32.lt_u (local.get $j) (local.get $n))))
    (local.set $i (i32.add (local.get $i) (i32.const ${TILE})))
    (br_if $rows (i32.lt_u (local.get $i) (local.get $m)))))`;

const ADD = `(func (export "add") (param $to i32) (param $from i32) (param $k i32) (param $factor f32)
  (local $end i32) (local $f v128)
  (local.set $f (f32x4.splat (local.get $factor)))
  (local.set $end (i32.add (local.get $to) (i32.shl (local.get $k) (i32.const 2))))
  (loop $all
    (v128.store (local.get $to) (f32x4.add (v128.load (local.get $to)) (f32x4.mul (v128.load (local.get $from)) (local.get $f))))
    (local.set $to (i32.add (local.get $to) (i32.const 16)))
    (local.set $from (i32.add (local.get $from) (i32.const 16)))
    (br_if $all (i32.lt_u (local.get $to) (local.get $end)))))`;

const STEP = `(func (export "step") (param $values i32) (param $sums i32) (param $gradient i32) (param $k i32) (param $rate f32)
  (local $end i32) (local $r v128) (local $g v128) (local $s v128)
  (local.set $r (f32x4.splat (local.get $rate)))
  (local.set $end (i32.add (local.get $values) (i32.shl (local.get $k) (i32.const 2))))
  (loop $all
    (local.set $g (v128.load (local.get $gradient)))
    (local.set $s (f32x4.add (v128.load (local.get $sums)) (f32x4.mul (local.get $g) (local.get $g))))
    (v128.store (local.get $sums) (local.get $s))
    (v128.store (local.get $values) (f32x4.sub (v128.load (local.get $values))
      (f32x4.div (f32x4.mul (local.get $r) (local.get $g)) (f32x4.sqrt (local.get $s)))))
    (local.set $values (i32.add (local.get $values) (i32.const 16)))
    (local.set $sums (i32.add (local.get $sums) (i32.const 16)))
    (local.set $gradient (i32.add (local.get $gradient) (i32.const 16)))
    (br_if $all (i32.lt_u (local.get $values) (local.get $end)))))`;

export async function createMachine(): Promise<Machine> {
  const wabt = await initWabt();
  const text = `(module (memory (export "memory") 1) ${PRODUCT} ${ADD} ${STEP})`;
  const { buffer } = wabt.parseWat('training.wat', text, { simd: true }).toBinary({});
  const wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
  const { instance } = await wasm.instantiate(buffer);
  const { memory, product, add, step } = instance.exports as Exports;
  let used = 16;
  return {
    reserve(count) {
      const at = used;
      used += Math.ceil(count / 4) * 16;
      const missing = used - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
      return at;
    },
    floats: (at, count) => new Float32Array(memory.buffer, at, count),
    product,
    add,
    step,
  };
}
