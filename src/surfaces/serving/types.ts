/** Who serves which database on this machine, and what the processes that take part agree on (DESIGN §11). */
import type { IAgentRuntime } from '@elizaos/core';

/** A PID file: `/tmp/nudge/server.pid`, on Windows below `%LOCALAPPDATA%` (seed `nudge.md` §9), or one beside it. */
export interface ServerFile {
  pid: number;
  port: number;
  /** ISO time at which it began to serve. */
  started: string;
  /** Of the JSON-RPC route; `/cue/rpc` when absent. */
  path?: string;
  agentId?: string;
  /** Absent: a version that does not say. */
  kind?: 'eliza' | 'headless';
  /** What is served, for people: a directory, or host and name of a database server's. */
  database?: string;
  /** Where the system says when a process started: tells it from a later one of its pid. */
  startedTicks?: string;
  /** Proves to the server that its client is a process of the same person (`local-key.ts`). */
  key?: string;
  /** A client is at its standard input (a coding agent, say), and loses its connection when it ends. */
  hasClient?: true;
}

/** What a command needs to talk to a server. */
export interface ServerAddress {
  /** Scheme, host and port: `http://127.0.0.1:8765`. */
  baseUrl: string;
  path: string;
  /** Of the agent that shall answer; absent: there is but one. */
  agentId?: string;
  /** Sent as `x-api-key`. */
  apiKey?: string;
  /** There is a key, which is not sent to whoever may be somebody else. */
  isKeyWithheld?: true;
  /** Of the PID file; sent with the messages of MCP only. */
  localKey?: string;
}

/** A headless agent that this process has started. */
export interface PrimaryAgent {
  runtime: IAgentRuntime;
  agentId: string;
  /** The embedded database's directory; `null`: a database server, or memory. */
  directory: string | null;
  /**
   * Resolves when an Eliza server wants the directory, or has opened it already: then nothing may be
   * written any more, not even by a clean close. Never rejects.
   */
  readonly wanted: Promise<'wanted' | 'opened'>;
  /** Stops services and database; idempotent. */
  close(): Promise<void>;
}

/**
 * @throws AppError UNAVAILABLE with `details.pid` when another live process has the directory open;
 * INVALID_INPUT when a setting is wrong, or nobody said which of several agents is meant
 */
export interface StartAgent {
  (options: StartAgentOptions): Promise<PrimaryAgent>;
  /** Loads what such a start needs, so that the next one is quick; opens nothing. */
  preload?(options: Omit<StartAgentOptions, 'log'>): Promise<void>;
}

export interface StartAgentOptions {
  /** Absolute: where the command was called. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** One line for people; standard output belongs to the protocol. */
  log(line: string): void;
}
