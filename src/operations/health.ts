/** How the whole agent is, made of the healths of its rooms: in words, with the reasons. */
import type { IAgentRuntime } from '@elizaos/core';
import { z } from 'zod';
import { MINUTE_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { defineOperation, type Operation } from './operation.js';
import { autonomyOf, memoryOf, offersOf, startedWhen, triggersOf } from './services.js';

/** From best to worst; `off`: switched off, or not set up; `paused`: held back by the owner's wish. */
const STATES = ['off', 'ok', 'paused', 'starting', 'degraded', 'failing'] as const;
type State = (typeof STATES)[number];

interface Part {
  status: State;
  /** Sentences without a full stop, the most important first. */
  reasons: string[];
}

const PARTS = ['triggers', 'autonomy', 'offers', 'memories', 'when'] as const;

export interface AgentHealth {
  status: State;
  reasons: string[];
  parts: Record<(typeof PARTS)[number], Part>;
}

/** How late the oldest due trigger may be before it is worth a word. */
const LATE_MS = MINUTE_MS;

export async function healthOf(runtime: IAgentRuntime): Promise<AgentHealth> {
  const asked = PARTS.map(
    async (name): Promise<[string, Part]> => [
      name,
      await READERS[name](runtime).catch((error: unknown) => ({
        status: 'failing' as const,
        reasons: [messageOf(error)],
      })),
    ],
  );
  const parts = Object.fromEntries(await Promise.all(asked)) as AgentHealth['parts'];
  const all = PARTS.map((name) => parts[name]);
  const worst = Math.max(1, ...all.map(({ status }) => STATES.indexOf(status)));
  const order = all.toSorted((a, b) => STATES.indexOf(b.status) - STATES.indexOf(a.status));
  const told = order.filter(({ status }) => status !== 'off').flatMap(({ reasons }) => reasons);
  return { status: STATES[worst] ?? 'ok', reasons: [...new Set(told)], parts };
}

/** What a process that only serves the memory is not there for. */
function atRest(runtime: IAgentRuntime): Part | null {
  const { resting } = autonomyOf(runtime);
  return resting === null ? null : { status: 'off', reasons: [resting] };
}

/** `failing` of what stops it, else `degraded` of what is worse than it should be. */
function partOf(stopping: readonly string[], others: readonly string[]): Part {
  const reasons = [...stopping, ...others];
  const status = stopping.length > 0 ? 'failing' : others.length > 0 ? 'degraded' : 'ok';
  return { status, reasons };
}

/** Whether that is why nothing runs, and not what is missing besides. */
async function isSwitchedOff(runtime: IAgentRuntime, blocked: string): Promise<boolean> {
  const autonomy = autonomyOf(runtime);
  return !(await autonomy.status()).enabled && (await autonomy.unavailable()) === blocked;
}

function counted(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}

const READERS: Record<(typeof PARTS)[number], (runtime: IAgentRuntime) => Promise<Part>> = {
  async triggers(runtime) {
    const rest = atRest(runtime);
    if (rest !== null) return rest;
    const health = await triggersOf(runtime).health();
    const { enabled, blocked, failuresLastHour, lastError, deliveryUnknown, setAside } = health;
    if (!enabled) return { status: 'off', reasons: [blocked ?? 'triggers are switched off'] };
    const why = lastError === null ? '' : `: ${lastError.error}`;
    const failures = counted(failuresLastHour, 'run failed', 'runs failed');
    const isHeld =
      blocked !== null && (health.dispatchPaused || (await isSwitchedOff(runtime, blocked)));
    const part = partOf(blocked === null || isHeld ? [] : [blocked], [
      ...failures.map((text) => `${text} in the last hour${why}`),
      ...counted(health.retrying, 'failed run is tried again', 'failed runs are tried again'),
      ...counted(health.undelivered, 'answer is not delivered', 'answers are not delivered'),
      ...counted(deliveryUnknown, 'answer may not have arrived', 'answers may not have arrived'),
      ...counted(setAside.length, 'trigger cannot be read', 'triggers cannot be read'),
      ...(!isHeld && health.oldestDueLagMs > LATE_MS
        ? ['a trigger is due for more than a minute']
        : []),
    ]);
    if (!isHeld) return part;
    return {
      status: part.status === 'ok' ? 'paused' : part.status,
      reasons: [blocked, ...part.reasons],
    };
  },
  async autonomy(runtime) {
    const { enabled, blocked, lastCycleError } = await autonomyOf(runtime).status();
    if (!enabled) return { status: 'off', reasons: ['autonomy is switched off'] };
    const rest = atRest(runtime);
    if (rest !== null) return rest;
    return partOf(
      blocked === null ? [] : [blocked],
      lastCycleError === null ? [] : [`the last cycle failed: ${lastCycleError}`],
    );
  },
  async offers(runtime) {
    const { enabled, degraded } = offersOf(runtime).health();
    return enabled
      ? partOf([], degraded)
      : { status: 'off', reasons: ['offers are switched off (CUE_OFFERS_ENABLED)'] };
  },
  async memories(runtime) {
    const { catalog, degraded } = await memoryOf(runtime).health();
    if (catalog.state === 'failed')
      return partOf(['the index of memories is not loaded'], degraded);
    if (catalog.state === 'ready') return partOf([], degraded);
    return { status: 'starting', reasons: ['the index of memories is being loaded', ...degraded] };
  },
  async when(runtime) {
    const { state, degraded, warningCount } = startedWhen(runtime).health();
    if (state === 'off')
      return { status: 'off', reasons: ['no /when index is set (CUE_WHEN_INDEX)'] };
    if (state === 'loading')
      return { status: 'starting', reasons: ['the /when index is being read'] };
    return partOf(
      [],
      [
        ...(degraded === undefined ? [] : [degraded]),
        ...counted(warningCount, 'problem in the /when files', 'problems in the /when files'),
      ],
    );
  },
};

const part = z.object({ status: z.enum(STATES), reasons: z.array(z.string()) });

export const healthOperations: readonly Operation[] = [
  defineOperation({
    name: 'health',
    description: 'How the agent is, and why it is not better.',
    output: part.extend({ parts: z.record(z.enum(PARTS), part) }),
    reads: true,
    call: (_input, { runtime }) => healthOf(runtime),
    rest: { method: 'GET', path: '/health' },
  }),
];
