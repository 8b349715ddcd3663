/** Names that a shell asks for while it completes. Where they cannot be had, there are none. */
import type { ComponentCount } from '../../../hints/offline.js';
import { createRpcClient } from '../../../server/client.js';
import type { Io } from '../io.js';
import { callServing } from '../server/call.js';
import type { Candidates } from './spec.js';

/** Nobody waits longer for a completion. */
const TIMEOUT_MS = 1_000;
/** Of what a shell reads without a thought: no quotes, nothing that it expands, no word breaks of bash. */
const HARMLESS = /^[\p{L}\p{N}][\p{L}\p{N} _.,+/-]*$/u;

/** One a line; never throws. */
export async function candidatesText(what: Candidates, io: Io): Promise<string> {
  const names = await (what === 'when' ? triggersOf(io) : componentsOf(io)).catch(() => []);
  return names
    .filter((name) => HARMLESS.test(name))
    .map((name) => `${name}\n`)
    .join('');
}

async function componentsOf(io: Io): Promise<string[]> {
  const { components } = await callServing<{ components: ComponentCount[] }>(
    io,
    undefined,
    'components',
    (address) =>
      createRpcClient(address, { timeoutMs: TIMEOUT_MS }).call('nudge.list_components', {}),
  );
  return components.map(({ name }) => name);
}

/** Of the index of the project. */
async function triggersOf(io: Io): Promise<string[]> {
  const [{ existingPathsOf }, { openIndex, whenRoom }] = await Promise.all([
    import('../when-commands/paths.js'),
    import('../when-commands/room.js'),
  ]);
  const { library } = await openIndex(await whenRoom(), existingPathsOf({}, io));
  return library.entries.map(({ phrase }) => phrase);
}
