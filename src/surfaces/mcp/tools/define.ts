/** Tools whose result has a type, among tools that are only data. */
import type { ToolCall, ToolSpec } from '../types.js';

interface TypedTool<Result extends object> extends Omit<ToolSpec, 'run' | 'text'> {
  run(input: Record<string, unknown>, call: ToolCall): Promise<Result>;
  text(result: Result): string;
}

/** What `run` gives is what `text` is asked for, and nothing else. */
export function defineTool<Result extends object>(tool: TypedTool<Result>): ToolSpec {
  return tool;
}
