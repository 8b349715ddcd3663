/** One connection as the handlers of its server know it, and how they answer what went wrong. */
import type { IAgentRuntime } from '@elizaos/core';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { type AppError, ERROR_TABLE, toldError } from '../../shared/errors.js';
import type { Log } from '../../shared/log.js';
import type { McpSession } from './session.js';

export interface Connection {
  server: Server;
  runtime: IAgentRuntime;
  session: McpSession;
  log: Log;
  /** `CUE_FILE_ROOTS`, absolute: what a client on another machine may read below. */
  fileRoots: readonly string[];
  /** Folders of which nothing may be read, whatever the roots are; absolute. */
  privateFolders(): readonly string[];
}

/** As MCP numbers it; the other codes are ours (DESIGN §12). */
const RESOURCE_NOT_FOUND = -32_002;

/** The answer of a handler; what it throws becomes an error of the protocol with our code in `data`. */
export async function answering<T>(
  { log }: Pick<Connection, 'log'>,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof McpError) throw error;
    const told = toldError(error, (cause) => log.error({ what, ...cause }, 'request failed'));
    throw toProtocolError(told);
  }
}

export function toProtocolError({
  code,
  message,
  details,
}: Pick<AppError, 'code' | 'message' | 'details'>): McpError {
  const number = code === 'NOT_FOUND' ? RESOURCE_NOT_FOUND : ERROR_TABLE[code].rpc;
  return new McpError(number, message, { code, details });
}

/** Lists of one page have no second. @throws McpError */
export function requireFirstPage(cursor: string | undefined): void {
  if (cursor !== undefined) {
    throw new McpError(ErrorCode.InvalidParams, 'the cursor is not one of this list');
  }
}
