/** The provider `HINTS` of an agent, where it has one: what fits the component of a turn. */
import { type IAgentRuntime, type Memory, stringToUuid } from '@elizaos/core';
import { makeChat } from '../../__tests__/helpers/boot.js';
import { series } from '../clockwork.js';
import type { PartRequest } from './protocol.js';
import { asked } from './workload.js';

/** `null`: the agent has no such provider. */
export async function providerSeries(
  runtime: IAgentRuntime,
  { size, quick }: PartRequest,
): Promise<{ values: number[]; note: string } | null> {
  const provider = runtime.providers.find(({ name }) => name === 'HINTS');
  if (!provider) return null;
  const { roomId, entityId, worldId } = await makeChat(runtime, 'bench hints');
  const ask = asked(size, 'provider');
  let calls = 0;
  let shown = 0;
  const values = await series(
    async (index) => {
      const { component, key } = ask.everywhere();
      const message: Memory = {
        ...{ roomId, entityId, worldId },
        id: stringToUuid(`bench hints ${index}`),
        agentId: runtime.agentId,
        content: { text: `turn ${index}: now ${key} the component ${component}, please` },
      };
      const state = { values: {}, data: {}, text: '' };
      const { text = '' } = await provider.get(runtime, message, state);
      calls += 1;
      if (text !== '') shown += 1;
    },
    { times: quick ? 20 : 300, warmUp: 5, forMs: 20_000 },
  );
  return { values, note: `${shown} of ${calls} turns were shown hints` };
}
