/** Resources as data. */
import type { IAgentRuntime } from '@elizaos/core';
import type { McpSession } from '../types.js';

export interface ResourceCall {
  runtime: IAgentRuntime;
  session: McpSession;
}

export interface ResourceText {
  text: string;
  _meta?: Record<string, unknown>;
}

/** What a variable or an argument may be. */
export interface Candidates {
  values: readonly string[];
  /** There are others, which nobody has looked at. */
  isPart?: boolean;
}

export interface ResourceSpec {
  /** `cue://offers`; with a variable at its end (`cue://memory/{id}`) it is a template. */
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: 'text/plain' | 'application/json';
  /** Absent: always. */
  isThere?(runtime: IAgentRuntime): boolean;
  /** Clients may subscribe to it, and are told when it changes. */
  changes?: true;
  /**
   * @param value of the variable, decoded; '' without one
   * @throws AppError NOT_FOUND and what the service throws
   */
  read(value: string, call: ResourceCall): Promise<ResourceText>;
  /** Values of the variable, best first; those that do not fit what was typed are taken out elsewhere. */
  complete?(begun: string, call: ResourceCall): Promise<Candidates>;
}
