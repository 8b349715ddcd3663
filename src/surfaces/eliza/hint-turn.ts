/** One message about hints: who asks, from where, and what is known of the place. */
import type { IAgentRuntime, Memory } from '@elizaos/core';
import { HINTS, HintService, type NudgeContext } from '../../hints/index.js';
import type { EntityCaller } from '../people.js';
import { mask } from './hint-mask.js';
import { noPhrases, type Phrases, takePhrases } from './hint-phrases.js';
import { callerOf, memoryServiceOf } from './memory-turn.js';
import type { Asker } from './pending.js';
import { requesterOf, saidText } from './turn.js';

export interface HintTurn extends Asker {
  service: HintService;
  caller: EntityCaller;
  text: string;
}

export function hintServiceOf(runtime: IAgentRuntime): HintService | null {
  const found = runtime.getServicesByType(HINTS).find((service) => service instanceof HintService);
  return found instanceof HintService ? found : null;
}

/** `null`: a service is not running. */
export async function hintTurnOf(
  runtime: IAgentRuntime,
  message: Memory,
): Promise<HintTurn | null> {
  const service = hintServiceOf(runtime);
  const memory = memoryServiceOf(runtime);
  if (!service || !memory) return null;
  const who = requesterOf(runtime, message);
  return {
    runtime,
    service,
    nowMs: memory.now(),
    ...who,
    caller: await callerOf(runtime, memory, message),
    text: saidText(message, who.run),
  };
}

const OWN_OS: Readonly<Partial<Record<NodeJS.Platform, NonNullable<NudgeContext['os']>>>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
};

/** What this process knows of itself; where somebody works it does not know. */
export function ownContext(): NudgeContext {
  const os = OWN_OS[process.platform];
  return os === undefined ? {} : { os };
}

/**
 * The place that a message asks about ("on windows", "on branch dev", "in /srv/api", "when CI=1") and
 * what is known beside it, with the message without those words.
 */
export function askedPlace(text: string): { context: NudgeContext; text: string; said: Phrases } {
  const masked = mask(text);
  const said = noPhrases();
  const rest = takePhrases(masked.text, said, (part) => masked.restore(part), true);
  const {
    os = [],
    branch = [],
    repo,
    cwd_glob = [],
    env_match = {},
    env_required = [],
  } = said.scope;
  const env = {
    ...Object.fromEntries(env_required.map((name) => [name, ''])),
    ...Object.fromEntries(
      Object.entries(env_match).map(([name, value]) => [name, [value].flat()[0]]),
    ),
  };
  const [cwd] = cwd_glob;
  const [name] = branch;
  const [system] = os;
  const [place] = repo === undefined ? [] : [repo].flat();
  return {
    context: {
      ...ownContext(),
      ...(system === undefined ? {} : { os: system }),
      ...(name === undefined ? {} : { branch: name }),
      ...(place === undefined ? {} : { repo: place }),
      ...(cwd === undefined ? {} : { cwd: cwd.replace(/\/\*\*$/, '') }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
    },
    text: masked.restore(rest),
    said,
  };
}
