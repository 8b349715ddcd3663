/** What the parent asks of a child process and what it gets back. */

/**
 * `served`: an agent full of memories and hints, asked in process, over HTTP and by hooks. `starts`: `cue mcp`
 * itself. `recoveries`: one that takes the place of another, beside processes that never rest.
 */
export type Part = 'served' | 'starts' | 'recoveries';

export interface PartRequest {
  part: Part;
  /** Memories. */
  size: number;
  quick: boolean;
}

export type SampleName =
  | 'recall'
  | 'recall.rest'
  | 'recall.crowd'
  | 'recall.crowd.rate'
  | 'recall.structural'
  | 'list'
  | 'hint'
  | 'tools'
  | 'begin'
  | 'hook.file'
  | 'hook.prompt'
  | 'hook.nobody'
  | 'proxy'
  | 'proxy.recall'
  | 'primary'
  | 'primary.recall'
  | 'takeover'
  | 'recovery'
  | 'recovery.cpu';

/** Milliseconds by name (`rate`: answers of a second); the names are the same for the way beside. */
export type Samples = Partial<Record<SampleName, number[]>>;

export interface PartReport {
  samples: Samples;
  /** Of another way to the same, measured in the same run. */
  beside?: Samples;
}
