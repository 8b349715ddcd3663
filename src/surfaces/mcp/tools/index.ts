/** Every tool, and which of them a client is shown. */
import { z } from 'zod';
import { chosenOf } from '../../tool-groups.js';
import type { ToolSpec } from '../types.js';
import { hintTools } from './hints.js';
import { identityTools } from './identity.js';
import { knowledgeTools } from './knowledge.js';
import { memoryTools, store } from './memory.js';
import { offerTools } from './offers.js';
import { triggerTools } from './triggers.js';
import { whenAdd, whenTools } from './when.js';

/** It was the writer of `/when` before `when_add`: a call with the fields of an entry still is. */
const writerOf = (input: object) => ('trigger' in input ? whenAdd : store);
const remember: ToolSpec = {
  ...store,
  name: 'remember',
  isDefault: false,
  title: 'Remember',
  description: 'The same as store. A rule that later work must follow goes to when_add.',
  output: z.object({}),
  run: (input, call) => writerOf(input).run(input, call),
  text: (result) => ('entry' in result ? whenAdd : store).text(result),
};

const TOOLS: readonly ToolSpec[] = [
  ...memoryTools,
  remember,
  ...identityTools,
  ...knowledgeTools,
  ...whenTools,
  ...offerTools,
  ...hintTools,
  ...triggerTools,
];

const BY_NAME: ReadonlyMap<string, ToolSpec> = new Map(TOOLS.map((tool) => [tool.name, tool]));

/** Some clients refuse dots and others send them: `nudge.set_hint` is `nudge_set_hint`. */
export function toolNamed(name: string): ToolSpec | undefined {
  return BY_NAME.get(name) ?? BY_NAME.get(name.replaceAll('.', '_'));
}

/**
 * Tools that answer when they are called. The default set is short for the sake of the prompt and forbids
 * nothing; groups that were chosen exclude the others.
 */
export function callableOf(chosen: readonly string[] | undefined): readonly ToolSpec[] {
  const isOpen = chosen === undefined || chosen.length === 0 || chosen.includes('default');
  return isOpen ? TOOLS : toolsOf(chosen);
}

/**
 * @param chosen `CUE_MCP_TOOLS`; absent: the default set
 */
export function toolsOf(chosen: readonly string[] | undefined): readonly ToolSpec[] {
  return chosenOf(TOOLS, chosen);
}
