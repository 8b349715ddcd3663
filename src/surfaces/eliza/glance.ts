/** What one person has to know of their triggers, read once per message. */
import type { IAgentRuntime, Memory } from '@elizaos/core';
import type { TriggerService } from '../../triggers/index.js';
import { createPerMessage } from './per-message.js';

type Glance = Awaited<ReturnType<TriggerService['promptSummary']>>;

const known = createPerMessage<Glance>();

/** @param each lines of each kind: those in trouble, those to come */
export function glanceFor(
  runtime: IAgentRuntime,
  service: TriggerService,
  message: Memory,
  each: number,
): Promise<Glance> {
  const { entityId, roomId } = message;
  return known.of(runtime, message, service.now(), () =>
    service.promptSummary({ kind: 'entity', entityId, roomId }, each),
  );
}

/** An action has perhaps changed a trigger: what comes after it in the turn shows that. */
export function lookAgain(runtime: IAgentRuntime): void {
  known.drop(runtime);
}
