/**
 * The inner loop of vector search: dot products of one int8 vector with many. WASM SIMD where the
 * platform has it, plain JavaScript otherwise; both give the same integers.
 */
import { KERNEL_BASE64 } from './kernel-bytes.js';

/** Rows of int8 vectors, one after the other, and the scan over them. */
export interface VectorKernel {
  readonly kind: 'wasm' | 'javascript';
  /** Bytes of a row: its length rounded up to 16; the tail stays zero. */
  readonly stride: number;
  /** Makes room for so many rows; what is stored stays. */
  reserve(rows: number): void;
  /** All rows. Read it again after `reserve`: growing may move them. Values within ±127. */
  readonly rows: Int8Array;
  /**
   * Dot products of the query (`stride` long) with rows `from` … `from + count - 1`, `count` at
   * most `DOTS_AT_ONCE`. The result is overwritten by the next call.
   */
  dots(query: Int8Array, from: number, count: number): Int32Array;
  /** Bytes held. */
  readonly bytes: number;
}

export type KernelFactory = (length: number) => VectorKernel;

/** Small enough that the results stay in the first-level cache until they are read. */
export const DOTS_AT_ONCE = 4096;

const PAGE = 65_536;
const LANES = 16;
const strideOf = (length: number) => Math.max(1, Math.ceil(length / LANES)) * LANES;

/** What we use of WebAssembly; its types come with a browser's library, which we do not load. */
interface WasmApi {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Memory: new (options: { initial: number }) => WasmMemory;
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
}
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
type Dots = (row: number, count: number, stride: number, query: number, out: number) => void;

/** `null` where there is no WebAssembly or it has no SIMD. */
export function wasmKernel(
  api: WasmApi | undefined = (globalThis as { WebAssembly?: WasmApi }).WebAssembly,
): KernelFactory | null {
  const bytes = Buffer.from(KERNEL_BASE64, 'base64');
  if (api === undefined || !api.validate(bytes)) return null;
  const module = new api.Module(bytes);
  return (length) => {
    const stride = strideOf(length);
    // Results, then the query, then, from a page of its own, the rows.
    const queryAt = DOTS_AT_ONCE * Int32Array.BYTES_PER_ELEMENT;
    const rowsAt = Math.ceil((queryAt + stride) / PAGE) * PAGE;
    const memory = new api.Memory({ initial: rowsAt / PAGE });
    const { exports } = new api.Instance(module, { kernel: { memory } });
    const run = exports.dots as Dots;
    let rows = new Int8Array(memory.buffer, rowsAt);
    let query = new Int8Array(memory.buffer, queryAt, stride);
    let out = new Int32Array(memory.buffer, 0, DOTS_AT_ONCE);
    return {
      kind: 'wasm',
      stride,
      get rows() {
        return rows;
      },
      get bytes() {
        return memory.buffer.byteLength;
      },
      reserve(count) {
        const missing = count * stride - rows.length;
        if (missing <= 0) return;
        // Growing happens in place and untouched pages are not resident, so doubling costs nothing.
        memory.grow(Math.ceil(Math.max(missing, rows.length) / PAGE));
        rows = new Int8Array(memory.buffer, rowsAt);
        query = new Int8Array(memory.buffer, queryAt, stride);
        out = new Int32Array(memory.buffer, 0, DOTS_AT_ONCE);
      },
      dots(vector, from, count) {
        query.set(vector);
        run(rowsAt + from * stride, count, stride, queryAt, 0);
        return out.subarray(0, count);
      },
    };
  };
}

/** The same in plain JavaScript: about ten times slower, never wrong. */
export const javascriptKernel: KernelFactory = (length) => {
  const stride = strideOf(length);
  const out = new Int32Array(DOTS_AT_ONCE);
  let rows = new Int8Array(0);
  return {
    kind: 'javascript',
    stride,
    get rows() {
      return rows;
    },
    get bytes() {
      return rows.byteLength + out.byteLength;
    },
    reserve(count) {
      if (count * stride <= rows.length) return;
      const larger = new Int8Array(Math.max(count * stride, rows.length * 2));
      larger.set(rows);
      rows = larger;
    },
    dots(vector, from, count) {
      let at = from * stride;
      for (let row = 0; row < count; row += 1) {
        let sum = 0;
        for (let i = 0; i < stride; i += 1) {
          sum += (rows[at + i] as number) * (vector[i] as number);
        }
        out[row] = sum;
        at += stride;
      }
      return out.subarray(0, count);
    },
  };
};

/** The fastest kernel this platform runs. */
export function bestKernel(): KernelFactory {
  return wasmKernel() ?? javascriptKernel;
}
