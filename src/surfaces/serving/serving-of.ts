/** In what way an agent is served, as `nudge.status` tells it (DESIGN §11). */
import type { IAgentRuntime } from '@elizaos/core';

export interface Serving {
  /** `headless`: started by one of our commands, gives way to an Eliza server. */
  kind: 'headless' | 'eliza';
  /** ISO time at which it began to serve; of an Eliza server, at which its process began. */
  started: string;
}

const headless = new WeakMap<IAgentRuntime, Serving>();

/** Said by whoever has started the agent to serve it. */
export function serveHeadless(runtime: IAgentRuntime, started: string): void {
  headless.set(runtime, { kind: 'headless', started });
}

export function servingOf(runtime: IAgentRuntime): Serving {
  const started = new Date(performance.timeOrigin).toISOString();
  return headless.get(runtime) ?? { kind: 'eliza', started };
}
