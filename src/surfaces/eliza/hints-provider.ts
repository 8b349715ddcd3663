/**
 * HINTS: stored facts of the components that the message is about, named in words or as the folder of a
 * file, where they count; at most four, 150 tokens. In company only what all share. Nothing fits, an
 * error, a slow look-up: it stays empty.
 */
import type { IAgentRuntime, Memory, Provider } from '@elizaos/core';
import type { HintService, NudgeContext } from '../../hints/index.js';
import { withTimeout } from '../../shared/async.js';
import { pathsIn } from '../../shared/path-mentions.js';
import { discreet, type EntityCaller } from '../people.js';
import { framedProvider } from './action-frame.js';
import { componentsIn, keyFit, termsIn } from './hint-find.js';
import { hintBlock } from './hint-text.js';
import { askedPlace, hintServiceOf, shownHints } from './hint-turn.js';
import { callerOf, memoryServiceOf } from './memory-turn.js';
import { offeredElsewhere, turnMessageOf } from './proactive-turn.js';
import { requesterOf, saidText } from './turn.js';

/** Before the lines of the `/when` index and the offers. */
const POSITION = 70;
/** Of a whole call. */
const BUDGET_MS = 30;
const MAX_TEXT = 8_192;
/** Components that one message is taken to be about. */
const MOST_COMPONENTS = 4;

/** @param budgetMs 30 when absent */
export function createHintsProvider(budgetMs = BUDGET_MS): Provider {
  return framedProvider({
    name: 'HINTS',
    description:
      'Stored hints of the components that the message is about: how to build, test, run them, their ports and directories',
    position: POSITION,
    failed: 'hints could not be shown',
    async show(runtime, message) {
      const service = hintServiceOf(runtime);
      const memory = memoryServiceOf(runtime);
      if (!service || !memory || message.entityId === runtime.agentId) return null;
      const shown = shownHints.of(runtime, message, memory.now(), () =>
        show(runtime, service, message, budgetMs),
      );
      const found = await withTimeout(shown, budgetMs);
      if (found === null || found.text === '') return null;
      return { text: found.text, values: { hintCount: found.count }, data: {} };
    },
  });
}

async function show(
  runtime: IAgentRuntime,
  service: HintService,
  message: Memory,
  budgetMs: number,
): Promise<{ text: string; count: number }> {
  const none = { text: '', count: 0 };
  const memory = memoryServiceOf(runtime);
  const text = saidText(message, requesterOf(runtime, message).run).slice(0, MAX_TEXT);
  if (!memory || !/[\p{L}\p{N}]/u.test(text)) return none;
  const caller = discreet(await callerOf(runtime, memory, message), runtime.agentId);
  const fits = fitting(service, text, caller);
  if (fits.length === 0) return none;
  const elsewhere = await offeredElsewhere(runtime, 'hintMatch', budgetMs, () =>
    turnMessageOf(runtime, message),
  );
  const { text: block, hints } = hintBlock(fits.filter(({ id }) => !elsewhere.includes(id)));
  return { text: block, count: hints.length };
}

/** Those that answer the words first, then by score; of each component in turn. */
export function fitting(
  { offering }: Pick<HintService, 'offering'>,
  text: string,
  caller: EntityCaller,
): ReturnType<HintService['offering']['eligible']> {
  const named = componentsIn(text, offering.components(caller)).slice(0, MOST_COMPONENTS);
  if (named.length === 0) return [];
  const place = askedPlace(text).context;
  const files = /[./\\]/.test(text) ? pathsIn(text) : [];
  const context: NudgeContext = files.length === 0 ? place : { ...place, files_open: files };
  return named
    .flatMap(({ name, words }) => {
      const terms = termsIn(text, words);
      return offering
        .eligible(name, context, caller)
        .filter(({ hint }) => hint.meta.sensitivity !== 'secret')
        .map((one) => ({ one, fit: keyFit({ key: one.key, tags: one.hint.meta.tags }, terms) }));
    })
    .sort((a, b) => b.fit - a.fit || b.one.score - a.one.score)
    .map(({ one }) => one);
}
