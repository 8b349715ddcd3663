/** What the table of operations is made of: what can be asked of Cue, told once for every surface. */
import type { IAgentRuntime } from '@elizaos/core';
import { z } from 'zod';
import type { Caller } from '../records/index.js';
import type { LongWork } from '../shared/async.js';
import type { Uuid } from '../shared/ids.js';

export type OperationGroup = 'memory' | 'hints' | 'when' | 'offers' | 'triggers';

/** One operation: what it is called, what it takes and gives, and the one method of a service that it calls. */
export interface Operation<Result extends object = object> {
  /** snake_case; the name of its tool and of its entry in the OpenAPI document. */
  name: string;
  /** What it does and when to call it: a model reads nothing else. */
  description: string;
  /** The service's own schema: what is advertised is made from it; the service itself judges. */
  input: z.ZodType;
  /** Of the result: what a caller may rely on, not every field. */
  output: z.ZodType;
  /** Changes nothing that could be seen afterwards. */
  reads?: true;
  call(input: Record<string, unknown>, call: OperationCall): Promise<Result>;
  rest?: RestBinding<Result>;
}

/** An operation that agents may call over MCP, too. */
export interface Tool<Result extends object = object, Shown extends object = Result>
  extends Operation<Result> {
  group: OperationGroup;
  /** Also in the default set, which has to stay small. */
  isDefault: boolean;
  title: string;
  /** Advertised instead, where all of the input is too much for a prompt; the rest is taken, too. */
  advertised?: z.ZodType;
  /** Takes away or overwrites what was there. */
  destroys?: true;
  /** Calling it twice has the effect of calling it once. */
  isIdempotent?: true;
  /** Acts beyond this memory: on whatever the agent can reach. */
  reachesOut?: true;
  /** Its answer is offers: none ride along in it. */
  givesOffers?: true;
  /** What a model is shown of the result; all of it when absent. */
  shown?(result: Result): Shown;
  /** What the structured result has of that; all of it when absent. */
  structured?(shown: Shown, input: Record<string, unknown>): object;
  /** A few words beside the structured result, for clients that show only text. */
  text(shown: Shown): string;
}

/** How a request over REST is the input of an operation, and its result the answer. */
export interface RestBinding<Result extends object = object> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/cue`; the first word of it alone, or with `:id`. */
  path: string;
  /** The field of the input that `:id` is; `id` when absent. */
  id?: string;
  /** Absent: the route takes no query. */
  query?: z.ZodType<Record<string, unknown>>;
  /** Absent: POST, PUT and PATCH take any object, which the service judges; `none`: they take no body. */
  body?: z.ZodType | 'none';
  /** Having no body counts as an empty one. */
  bodyOptional?: true;
  /** May take longer than the 30 s after which the host drops a silent socket. */
  slow?: true;
  /** `agent_id` of the body says whose name stands under what is written. */
  isSpokenFor?: true;
  /** This field of the request names the session that asks. */
  session?: 'session_id' | 'sessionId';
  /** The input, where it is not query, body and `:id` side by side. @throws InvalidInputError */
  input?(request: RestRequest): Record<string, unknown>;
  /** 200 when absent. */
  status?(result: Result, input: Record<string, unknown>): 200 | 201 | 202;
  /** The body of the answer; the result when absent. */
  answer?(result: Result, input: Record<string, unknown>): object;
}

export interface RestRequest {
  id: string;
  query: Record<string, unknown>;
  body: unknown;
  headers: Readonly<Record<string, string | undefined>>;
}

/** What an operation is called with. */
export interface OperationCall {
  runtime: IAgentRuntime;
  /** Whose rights it has; the service checks them. */
  caller: Caller;
  /** Aborted when the caller cancels or vanishes. */
  signal: AbortSignal;
  /** Told to callers that asked for it. */
  progress(done: number, total?: number, message?: string): void;
  /** Called with the identity that the caller has taken. */
  onIdentity?(identityId: Uuid): void;
}

/** What `call` gives is what is shown, and nothing else. */
export function defineTool<Result extends object, Shown extends object = Result>(
  tool: Tool<Result, Shown>,
): Tool {
  return tool;
}

/** The same for what only the operator asks for: its input is that of its route. */
export function defineOperation<Result extends object>({
  input = z.looseObject({}),
  output = z.looseObject({}),
  ...operation
}: Omit<Operation<Result>, 'input' | 'output'> &
  Partial<Pick<Operation<Result>, 'input' | 'output'>>): Operation {
  return { input, output, ...operation };
}

/** As services take it: a caller that asked for it is told how far long work is, and can end it. */
export function workOf({ signal, progress }: OperationCall): LongWork {
  return { signal, onProgress: (done, total) => progress(done, total) };
}
