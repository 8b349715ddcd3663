/** Tools whose result has a type, among tools that are only data; and what their calls hand on. */
import type { LongWork } from '../../../shared/long-work.js';
import type { ToolCall, ToolSpec } from '../types.js';

interface TypedTool<Result extends object> extends Omit<ToolSpec, 'run' | 'text' | 'structured'> {
  structured?(result: Result, input: Record<string, unknown>): object;
  run(input: Record<string, unknown>, call: ToolCall): Promise<Result>;
  text(result: Result): string;
}

/** What `run` gives is what `text` is asked for, and nothing else. */
export function defineTool<Result extends object>(tool: TypedTool<Result>): ToolSpec {
  return tool;
}

/** As services take it: a client that asked for it is told how far long work is, and can end it. */
export function workOf({ signal, progress }: ToolCall): LongWork {
  return { signal, onProgress: (done, total) => progress(done, total) };
}
