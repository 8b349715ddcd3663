/** Every tool, and which of them a client is shown. */
import { z } from 'zod';
import { defineTool, isTool, OPERATIONS, type Tool } from '../../operations/index.js';
import { chosenOf } from '../mcp-client.js';
import { nudgeStatus, statusDepsOf } from '../nudge-status.js';

const SERVED = OPERATIONS.filter(isTool);

/** Not of the table: only this surface knows who serves. */
const status = defineTool({
  name: 'nudge_status',
  group: 'hints',
  isDefault: false,
  title: 'Status of the hints',
  description: 'Who serves the hints, and how many there are.',
  input: z.strictObject({}),
  output: z.object({
    session_id: z.string(),
    counts: z.object({ components: z.int(), hints: z.int() }),
  }),
  reads: true,
  call: (input, { runtime, caller }) => nudgeStatus(statusDepsOf(runtime, caller), input),
  text: ({ version, kind, counts: { hints, components } }) =>
    `cue ${version} (${kind}): ${hints} hints in ${components} components.`,
});

/** It was the writer of `/when` before `when_add`: a call with the fields of an entry still is. */
const remember: Tool = {
  ...named('store'),
  name: 'remember',
  isDefault: false,
  title: 'Remember',
  description: 'The same as store. A rule that later work must follow goes to when_add.',
  output: z.object({}),
  call: (input, call) => named('trigger' in input ? 'when_add' : 'store').call(input, call),
  shown: (result) => ('entry' in result ? result : (named('store').shown?.(result) ?? result)),
  text: (shown) => named('entry' in shown ? 'when_add' : 'store').text(shown),
};

const TOOLS: readonly Tool[] = [...SERVED, remember, status];

const BY_NAME: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.name, tool]));

/** Some clients refuse dots and others send them: `nudge.set_hint` is `nudge_set_hint`. */
export function toolNamed(name: string): Tool | undefined {
  return BY_NAME.get(name) ?? BY_NAME.get(name.replaceAll('.', '_'));
}

/**
 * Tools that answer when they are called. The default set is short for the sake of the prompt and forbids
 * nothing; groups that were chosen exclude the others.
 */
export function callableOf(chosen: readonly string[] | undefined): readonly Tool[] {
  const isOpen = chosen === undefined || chosen.length === 0 || chosen.includes('default');
  return isOpen ? TOOLS : toolsOf(chosen);
}

/**
 * @param chosen `CUE_MCP_TOOLS`; absent: the default set
 */
export function toolsOf(chosen: readonly string[] | undefined): readonly Tool[] {
  return chosenOf(TOOLS, chosen);
}

function named(name: string): Tool {
  const tool = SERVED.find((one) => one.name === name);
  if (tool) return tool;
  throw new Error(`there is no operation ${name}`);
}
