/**
 * Which models a piece of work asks. The host's log of its calls cannot say it: of works that are under
 * way at once, it writes the calls of all under the run that began last.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IAgentRuntime } from '@elizaos/core';
import { z } from 'zod';
import { modelProvider } from './services.js';

/** Calls of one model. */
export interface ModelCalls {
  /** As the host names its kind: `TEXT_LARGE`. */
  model: string;
  provider: string;
  calls: number;
  /** Of all calls together. */
  ms: number;
  /** Of the calls whose provider told them; absent: none did. */
  tokens?: Tokens;
}

const tokens = z.object({ prompt: z.number(), completion: z.number() });
type Tokens = z.infer<typeof tokens>;
const used = z.object({ tokens });

/** One call, while it is under way. */
interface Call {
  tokens?: Tokens;
}

interface Work {
  made: ModelCalls[];
  call?: Call;
}

const current = new AsyncLocalStorage<Work>();
const watched = new WeakSet<IAgentRuntime>();

/** Does the work; `made` is kept up to date with the calls that end during it. */
export function countingModelCalls<T>(
  runtime: IAgentRuntime,
  made: ModelCalls[],
  work: () => Promise<T>,
): Promise<T> {
  watch(runtime);
  return current.run({ made }, work);
}

/** For the host's event MODEL_USED, which providers emit during a call. */
export function noteTokens(payload: unknown): void {
  const call = current.getStore()?.call;
  const told = used.safeParse(payload);
  if (call && told.success) call.tokens = sum(call.tokens, told.data.tokens);
}

/** The host has no event for a call of a model. */
function watch(runtime: IAgentRuntime): void {
  if (watched.has(runtime)) return;
  watched.add(runtime);
  const useModel = runtime.useModel.bind(runtime) as (...asked: unknown[]) => Promise<unknown>;
  const counted = async (...asked: unknown[]): Promise<unknown> => {
    const work = current.getStore();
    if (work === undefined) return useModel(...asked);
    const [type, , asks] = asked;
    const model = String(type);
    const call: Call = {};
    const sinceMs = performance.now();
    try {
      return await current.run({ ...work, call }, () => useModel(...asked));
    } finally {
      addCalls(work.made, {
        model,
        provider: typeof asks === 'string' ? asks : modelProvider(runtime, model),
        calls: 1,
        ms: Math.round(performance.now() - sinceMs),
        ...call,
      });
    }
  };
  runtime.useModel = counted as typeof runtime.useModel;
}

/** Adds calls to those of the same model. */
export function addCalls(made: ModelCalls[], more: ModelCalls): void {
  const same = made.find((one) => one.model === more.model && one.provider === more.provider);
  if (same === undefined) {
    made.push({ ...more });
    return;
  }
  same.calls += more.calls;
  same.ms += more.ms;
  if (more.tokens !== undefined) same.tokens = sum(same.tokens, more.tokens);
}

function sum(one: Tokens = { prompt: 0, completion: 0 }, other: Tokens): Tokens {
  return {
    prompt: one.prompt + other.prompt,
    completion: one.completion + other.completion,
  };
}
