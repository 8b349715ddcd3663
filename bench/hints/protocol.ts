/** What the parent asks of a child process and what it gets back. */
import type { BlockDuring } from '../statement-watch.js';

/**
 * `room`: fills an agent on PGlite and asks its service in process. `start`: opens the service again
 * on what `room` has left. `host`: the host alone with the same hints as memories of its own.
 * `listener`, `server`: asked over HTTP, an agent with our listener and a whole Eliza server.
 */
export type Part = 'room' | 'start' | 'host' | 'listener' | 'server';

export interface PartRequest {
  part: Part;
  /** Hints. */
  size: number;
  quick: boolean;
  /** What `room` leaves is there for `start`; the others have one of their own. */
  directory: string;
  /** Whether the command `nudge` is built. */
  hasCommand: boolean;
}

/** What is asked over HTTP. */
export const MIXES = ['get', 'query', 'mix'] as const;
export type Mix = (typeof MIXES)[number];

export type Door = 'listener' | 'server';
export type HttpSample = `${Door}.${Mix}.${'rate' | 'each' | 'errors'}` | `${Door}.mix.set`;

export type SampleName =
  | 'import.hint'
  | 'import.gaps'
  | 'get'
  | 'get.scoped'
  | 'get.all'
  | 'query.component'
  | 'query.tag'
  | 'query.everything'
  | 'query.first'
  | 'query.regex'
  | 'query.all'
  | 'list'
  | 'counts'
  | 'export'
  | 'provider'
  | 'set'
  | 'set.session'
  | 'bump'
  | 'start.first'
  | 'start.again'
  | 'start.gaps'
  | 'statement'
  | 'statement.cpu'
  | HttpSample
  | 'command.start'
  | 'command.get';

/** Milliseconds by name (`rate`: answers of a second); the names are the same for the way beside. */
export type Samples = Partial<Record<SampleName, number[]>>;

export interface PartReport {
  samples: Samples;
  /** Of another way to the same, measured in the same process. */
  beside?: Samples;
  blocks?: BlockDuring[];
  notes?: Partial<Record<SampleName, string>>;
}
