/** What the parent asks of a child process and what it gets back. */
/**
 * `fill`: an empty database. `exact`: a catalog of everything, asked the questions. `bounded`: one within
 * its bound, asked the same.
 */
export type Part = 'fill' | 'exact' | 'bounded';

export interface ScaleRequest {
  part: Part;
  size: number;
  /** Memories that the catalog holds. */
  most: number;
  questions: number;
  directory: string;
  /** Of `exact`: the ten memories that answer each question. */
  answers?: string[][];
}

/** Seconds, MB, or shares from 0 to 1, as the line says; milliseconds where it says nothing. */
export type SampleName =
  | 'filled'
  | 'ready'
  | 'table'
  | 'restart'
  | 'resident'
  | 'recall.words'
  | 'recall.file'
  | 'recall.old'
  | 'recall.exact'
  | 'found'
  | 'found.exact'
  | 'same'
  | 'check.file'
  | 'check.conflict'
  | 'check.intent'
  | 'store'
  | 'seen';

export interface ScaleReport {
  samples: Partial<Record<SampleName, number[]>>;
  answers?: string[][];
}
