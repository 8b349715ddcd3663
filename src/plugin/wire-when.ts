/** How one agent's `/when` knowledge is put together from settings, the host and work memory. */
import { dirname, join, resolve } from 'node:path';
import type { IAgentRuntime, ServiceTypeName } from '@elizaos/core';
import { serviceOf } from '../host/index.js';
import {
  createWhenMatch,
  type DetectorContext,
  PROACTIVE,
  ProactiveService,
  type SlotDetectors,
} from '../proactive/index.js';
import type { Settings } from '../settings.js';
import type { Clock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import {
  DECISIONS,
  faultOfPaths,
  foundPaths,
  freshPaths,
  USAGE_FILE,
  type WhenPaths,
  WhenService,
} from '../when/index.js';
import { dataDirectory, startedWorkMemory } from './wire-memory.js';

const SETTING = { index: 'CUE_WHEN_INDEX', decisions: 'CUE_WHEN_DECISIONS' } as const;

/** @throws Error naming the setting that is wrong */
export function provideWhen(
  runtime: IAgentRuntime,
  settings: Settings,
  {
    clock,
    folder = null,
    isAdmin,
  }: {
    clock: Clock;
    /** Absolute: whose index is followed where no setting names one. */
    folder?: string | null | undefined;
    isAdmin: (runtime: IAgentRuntime, entityId: string, roomId: string) => Promise<boolean>;
  },
): void {
  const named = pathsOf(settings);
  const followed = (paths: WhenPaths | null) => paths && { ...paths, ...rootsOf(settings) };
  WhenService.provide(runtime, {
    clock,
    paths: named ?? followed(folder === null ? null : foundPaths(folder)),
    ...(named === null && folder !== null
      ? {
          later: {
            found: () => followed(foundPaths(folder)),
            fresh: { ...freshPaths(folder), ...rootsOf(settings) },
          },
        }
      : {}),
    isAdmin,
    records: async (host) => (await startedWorkMemory(host, '/when')).checks.store,
    usagePath: (host) => {
      const directory = dataDirectory(host, settings);
      return directory.kept ? join(directory.path, USAGE_FILE) : null;
    },
    onRecalled: (host, { ids, caller }) => {
      serviceOf(host, ProactiveService)?.observer.used({ how: 'recalled', ids, caller });
    },
    onOpen: (host, when) => (when.configured ? countOffers(host, when) : () => {}),
  });
}

function pathsOf(settings: Settings): WhenPaths | null {
  const { CUE_WHEN_INDEX, CUE_WHEN_DECISIONS } = settings;
  const index = CUE_WHEN_INDEX?.trim();
  const decisions = CUE_WHEN_DECISIONS?.trim();
  if (!index) {
    if (!decisions) return null;
    throw new Error('cue: wrong setting: CUE_WHEN_DECISIONS needs CUE_WHEN_INDEX, the index file');
  }
  const paths = {
    index: resolve(index),
    decisions: decisions ? resolve(decisions) : join(dirname(resolve(index)), DECISIONS),
    named: decisions ? (['index', 'decisions'] as const) : (['index'] as const),
    ...rootsOf(settings),
  };
  const fault = faultOfPaths(paths);
  if (fault === null) return paths;
  throw new Error(`cue: wrong setting: ${SETTING[fault.of]} ${fault.message}`);
}

function rootsOf({ CUE_FILE_ROOTS: roots }: Settings): Pick<WhenPaths, 'roots'> {
  return roots === undefined ? {} : { roots: roots.map((root) => resolve(root)) };
}

/** What was shown unasked is an opportunity to recall, and is counted as one. */
function countOffers(runtime: IAgentRuntime, when: WhenService): () => void {
  let stop: (() => void) | null = null;
  let isOver = false;
  runtime
    .getServiceLoadPromise(PROACTIVE as ServiceTypeName)
    .then(() => {
      if (isOver) return;
      stop =
        serviceOf(runtime, ProactiveService)?.subscribe(
          (event) => {
            const { kind, shownAt, sources, target } = event.offer;
            const isShown = event.type === 'state' && event.from === 'pending' && shownAt;
            if (kind !== 'whenMatch' || !isShown) return;
            const ids = sources.map(({ id }) => id);
            when.offered(ids, target);
          },
          { statesOnly: true },
        ) ?? null;
    })
    .catch((error: unknown) => {
      runtime.logger.warn(
        { src: 'plugin:cue:when', agentId: runtime.agentId, error: messageOf(error) },
        'offers of the when index are not counted',
      );
    });
  return () => {
    isOver = true;
    stop?.();
  };
}

/** The detector that offers entries; the service may start after the offers do. */
export function whenSlot(runtime: IAgentRuntime, context: DetectorContext): SlotDetectors {
  return { whenMatch: createWhenMatch(context, () => whenOf(runtime)) };
}

function whenOf(runtime: IAgentRuntime): WhenService | null {
  const service = serviceOf(runtime, WhenService);
  return service?.configured ? service : null;
}
