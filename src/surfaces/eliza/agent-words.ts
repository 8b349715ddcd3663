/** What the agent itself has said in a room, as the host stored it. */
import type { IAgentRuntime } from '@elizaos/core';
import { databaseOf, messagesOf } from '../../records/index.js';

type Fields = Record<string, unknown>;

const NEWEST_REPLIES = 3;

/** Thought and text of its newest messages since then, oldest first, without talk about memories. */
export async function agentWords(
  runtime: IAgentRuntime,
  roomId: string,
  sinceMs: number,
  ownActions: ReadonlySet<string>,
): Promise<string[]> {
  const { agentId } = runtime;
  const contents = await messagesOf(
    databaseOf(runtime),
    { agentId, entityId: agentId, roomId },
    { sinceMs, limit: NEWEST_REPLIES },
  );
  return contents
    .map(objectOf)
    .filter((content) => !isOwn(content, ownActions))
    .map(({ thought, text }) => [textOf(thought), textOf(text)].join('\n').trim())
    .filter((text) => text !== '');
}

/** Whether an action of this plugin answered: talking about memories is no work. */
export function isOwn(content: Fields, ownActions: ReadonlySet<string>): boolean {
  const { actions } = content;
  return Array.isArray(actions) && actions.some((name) => ownActions.has(String(name)));
}

/** The fields of what may be an object; none of anything else. */
export function objectOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
