/** Takes one instruction through the message pipeline of the host and stores the answer. */
import {
  ChannelType,
  type Content,
  type IAgentRuntime,
  type Memory,
  type UUID,
} from '@elizaos/core';
import {
  type AutonomousInstruction,
  countingModelCalls,
  type ModelCalls,
  type RunDescriptor,
} from '../host/index.js';
import { MINUTE_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { derivedId } from '../shared/ids.js';
import { judge, type PipelineReport, type RunWatch } from './outcome.js';
import type { RoomQueue } from './rooms.js';
import { autonomousRoom, ensureAutonomousRoom } from './rooms.js';

/** Marks our instructions on the message, next to the seed's trigger fields. */
export const INSTRUCTION_TYPE = 'autonomous_instruction';
const DEFAULT_TIMEOUT_MS = 5 * MINUTE_MS;
/**
 * The host cannot cancel a run. After our own time-out the lane of the room stays taken until the
 * host ends the run; this is the longest it may do so.
 */
const HOST_TIMEOUT_MS = 60 * MINUTE_MS;

export interface InjectDeps {
  runtime: IAgentRuntime;
  queue: RoomQueue;
  watch: RunWatch;
  /** Called between the steps, so that a crash can be provoked exactly there. */
  onStep?: (step: 'injected' | 'answered', triggerRunId: string) => void | Promise<void>;
}

/** Ids a run leaves behind, known before it starts. */
export function instructionIds(triggerRunId: string): { messageId: UUID; responseId: UUID } {
  return {
    messageId: derivedId('instruction', triggerRunId),
    responseId: derivedId('answer', triggerRunId),
  };
}

/**
 * Runs the instruction in its room: one run per room at a time, others wait. Never throws; what
 * goes wrong is in the descriptor.
 */
export function inject(
  deps: InjectDeps,
  instruction: AutonomousInstruction,
): Promise<RunDescriptor> {
  const { roomId } = autonomousRoom(deps.runtime, instruction.originRoomId);
  return deps.queue.run(roomId, async () => {
    const confirmed = await confirm(instruction);
    if ('error' in confirmed) return { value: notRun(instruction, roomId, confirmed.error) };
    const fence = { abandoned: false };
    const modelCalls: ModelCalls[] = [];
    const said = { ...instruction, text: confirmed.text };
    const whole = countingModelCalls(deps.runtime, modelCalls, () =>
      runPipeline(deps, said, fence),
    );
    const timeoutMs = instruction.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<'timeout'>((resolve) => {
      timer = setTimeout(() => resolve('timeout'), timeoutMs);
    });
    const first = await Promise.race([whole, timeout]);
    clearTimeout(timer);
    if (first !== 'timeout') return { value: { ...first, modelCalls } };
    fence.abandoned = true;
    const timedOut = notRun(
      instruction,
      roomId,
      `timed out after ${Math.round(timeoutMs / 1000)} s`,
    );
    return { value: { ...timedOut, modelCalls, late: whole }, hold: whole };
  });
}

/** What it says now that its turn has come, or why it is left. One that cannot be asked is left. */
export async function confirm(
  instruction: AutonomousInstruction,
): Promise<{ text: string } | { error: string }> {
  if (!instruction.confirm) return { text: instruction.text };
  try {
    const text = await instruction.confirm();
    return text === null ? { error: 'it was no longer wanted when its turn came' } : { text };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

export function notRun(
  instruction: AutonomousInstruction,
  roomId: UUID,
  error: string,
): RunDescriptor {
  return {
    status: 'failed',
    messageId: instructionIds(instruction.triggerRunId).messageId,
    roomId,
    responded: false,
    text: '',
    actions: [],
    error,
  };
}

async function runPipeline(
  deps: InjectDeps,
  instruction: AutonomousInstruction,
  fence: { abandoned: boolean },
): Promise<RunDescriptor> {
  const { runtime, watch } = deps;
  const { messageId, responseId } = instructionIds(instruction.triggerRunId);
  const { roomId } = autonomousRoom(runtime, instruction.originRoomId);
  const report: PipelineReport = {
    didRespond: false,
    plannedActions: null,
    thought: '',
    mode: 'none',
    texts: [],
    actions: [],
  };
  const seen = watch.open(roomId, messageId);
  try {
    const room = await ensureAutonomousRoom(runtime, instruction.originRoomId);
    if (!runtime.messageService) throw new Error('the host has no message service yet');
    const message = instructionMemory(instruction, messageId, room);
    // Stored by us first, so that "injected" is a fact before any model is called; the pipeline
    // keeps a message that is already there.
    await runtime.createMemory(message, 'messages', true);
    await deps.onStep?.('injected', instruction.triggerRunId);
    const result = await runtime.messageService.handleMessage(
      runtime,
      message,
      async (content: Content) => {
        if (typeof content.text === 'string') report.texts.push(content.text);
        return [];
      },
      { timeoutDuration: HOST_TIMEOUT_MS },
    );
    report.didRespond = result.didRespond;
    report.mode = result.mode ?? 'none';
    const planned = result.responseContent;
    report.plannedActions = planned
      ? (planned.actions ?? []).filter((name): name is string => typeof name === 'string')
      : null;
    report.thought = typeof planned?.thought === 'string' ? planned.thought : '';
  } catch (error) {
    report.thrown = messageOf(error);
  } finally {
    watch.close(roomId);
    // The host never evicts these (ELIZA_GUIDE §8).
    runtime.stateCache.delete(messageId);
    runtime.stateCache.delete(`${messageId}_action_results`);
  }
  report.ended = seen.ended;
  report.actions = seen.actions;
  const verdict = judge(report);
  const descriptor: RunDescriptor = {
    status: verdict.status,
    ...(seen.runId === undefined ? {} : { runId: seen.runId }),
    messageId,
    roomId,
    responded: verdict.responded,
    text: verdict.text,
    thought: report.thought,
    actions: report.actions,
    ...(verdict.error === undefined ? {} : { error: verdict.error }),
  };
  // An answer that comes after the time-out must not be found by the retry: it is handed to the
  // ledger as late, and no memory of it is made.
  if (verdict.status === 'success' && verdict.responded && !fence.abandoned) {
    await storeAnswer(runtime, instruction, roomId, responseId, verdict.text, report.thought);
    descriptor.responseId = responseId;
  }
  return descriptor;
}

function instructionMemory(
  instruction: AutonomousInstruction,
  messageId: UUID,
  room: { roomId: UUID; worldId: UUID; entityId: UUID },
): Memory {
  const fields = {
    triggerId: instruction.triggerId,
    triggerRunId: instruction.triggerRunId,
    wakeMode: instruction.wakeMode,
    isAutonomous: true,
    ...(instruction.creatorEntityId === undefined
      ? {}
      : { creatorEntityId: instruction.creatorEntityId }),
    ...(instruction.originRoomId === undefined ? {} : { originRoomId: instruction.originRoomId }),
    ...(instruction.displayName === undefined ? {} : { displayName: instruction.displayName }),
  };
  return {
    id: messageId,
    entityId: room.entityId,
    roomId: room.roomId,
    worldId: room.worldId,
    content: {
      text: instruction.text,
      source: instruction.source,
      channelType: ChannelType.SELF,
      metadata: { type: INSTRUCTION_TYPE, ...fields },
    },
    metadata: { type: INSTRUCTION_TYPE, source: instruction.source, ...fields },
  };
}

/** The pipeline stores no answer of the agent; without it the next turn would not know it. */
async function storeAnswer(
  runtime: IAgentRuntime,
  instruction: AutonomousInstruction,
  roomId: UUID,
  responseId: UUID,
  text: string,
  thought: string,
): Promise<void> {
  await runtime.createMemory(
    {
      id: responseId,
      entityId: runtime.agentId,
      agentId: runtime.agentId,
      roomId,
      content: { text, thought, source: instruction.source },
      metadata: {
        type: 'autonomous_answer',
        triggerId: instruction.triggerId,
        triggerRunId: instruction.triggerRunId,
      },
    },
    'messages',
    true,
  );
}

/** The answer of an earlier attempt that was stored before the process died, or `null`. */
export async function storedAnswer(
  runtime: IAgentRuntime,
  triggerRunId: string,
): Promise<{ text: string; responseId: UUID } | null> {
  const { responseId } = instructionIds(triggerRunId);
  const memory = await runtime.getMemoryById(responseId);
  const text = memory?.content.text;
  return typeof text === 'string' ? { text, responseId } : null;
}
