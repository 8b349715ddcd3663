/** Where the host's own memories are kept while a bench measures them. */
import { ChannelType, type IAgentRuntime, stringToUuid, type UUID } from '@elizaos/core';

/** A person's chat with the agent. @param name of the bench: each has a chat of its own */
export async function placeIn(
  runtime: IAgentRuntime,
  name: string,
): Promise<{ entityId: UUID; roomId: UUID; worldId: UUID }> {
  const entityId = stringToUuid(`bench ${name} person`);
  const roomId = stringToUuid(`bench ${name} room`);
  const worldId = stringToUuid(`bench ${name} world`);
  await runtime.ensureConnection({
    ...{ entityId, roomId, worldId },
    userName: 'bench',
    name: 'bench',
    source: 'bench',
    type: ChannelType.DM,
    channelId: roomId,
    messageServerId: worldId,
  });
  return { entityId, roomId, worldId };
}
