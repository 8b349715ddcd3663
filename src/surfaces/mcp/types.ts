/** What the MCP surface is made of: tools as data, and what one connection knows of its client. */
import type { IAgentRuntime } from '@elizaos/core';
import type { z } from 'zod';
import type { Caller } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';
import type { ToolGroup } from '../tool-groups.js';

/** One tool: what a client is told, and the one method that it calls. */
export interface ToolSpec {
  /** snake_case. */
  name: string;
  group: ToolGroup;
  /** Also in the default set, which has to stay small. */
  isDefault: boolean;
  title: string;
  /** What it does and when to call it: a model reads nothing else. */
  description: string;
  /** The service's own schema: what is advertised is made from it; the service itself judges. */
  input: z.ZodType;
  /** Advertised instead, where all of the input is too much for a prompt; the rest is taken, too. */
  advertised?: z.ZodType;
  /** Of the structured result: what a caller may rely on, not every field. */
  output: z.ZodType;
  /** Does nothing that could be seen afterwards. */
  reads?: true;
  /** Takes away or overwrites what was there. */
  destroys?: true;
  /** Twice is as once. */
  isIdempotent?: true;
  /** Acts beyond this memory: on whatever the agent can reach. */
  reachesOut?: true;
  /** Its answer is offers: none ride along in it. */
  givesOffers?: true;
  run(input: Record<string, unknown>, call: ToolCall): Promise<object>;
  /** What the structured result has of it; all when absent. */
  structured?(result: object, input: Record<string, unknown>): object;
  /** A few words beside the structured result, for clients that show only text. */
  text(result: object): string;
}

/** What a tool is run with. */
export interface ToolCall {
  runtime: IAgentRuntime;
  session: McpSession;
  /** Aborted when the client cancels or vanishes. */
  signal: AbortSignal;
  /** Told to clients that asked for it. */
  progress(done: number, total?: number, message?: string): void;
  log: Log;
  /** No model reads the answer. */
  withoutOffers?: boolean;
}

/** One connection. */
export interface McpSession {
  /** Also the session of what it stores (DESIGN §1). */
  readonly id: string;
  /** Set by the tool `identity`. */
  identityId: Uuid | null;
  /** What the client calls itself; `null` before it has said so. */
  clientName: string | null;
  /** On this machine, as the same person: its roots may be read (`resources/read`). */
  readonly isLocal: boolean;
  /** Who asks, for every service. */
  caller(): Caller & { kind: 'agent' };
}
