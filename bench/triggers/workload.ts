/** The triggers that stand around in every trigger bench: the same for ours and for plain tasks. */
import { stringToUuid } from '@elizaos/core';
import { normalizeTriggerTaskForCreate, type TriggerDraft } from '../../src/index.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Each creator has 40 triggers, so that a question about one of them is a realistic one. */
const PER_CREATOR = 40;

/**
 * Trigger number `index`: intervals, crons and one-shots in turn, none of them due within six
 * hours. Texts are as long as what people ask for.
 */
export function farDraft(index: number, nowMs: number, batch = ''): TriggerDraft {
  const creator = Math.floor(index / PER_CREATOR);
  const instructions =
    `Look into project ${batch}${index}: read what changed since yesterday, name the two things that ` +
    `need a decision, and remind me of the promise I made about item ${(index * 7919) % 10_007}.`;
  return {
    instructions,
    displayName: `Project ${batch}${index}`,
    schedule: farSchedule(index, nowMs),
    creatorEntityId: stringToUuid(`bench-creator-${creator}`),
    originRoomId: stringToUuid(`bench-room-${creator}`),
    deliverTo: { roomId: stringToUuid(`bench-room-${creator}`) },
  };
}

function farSchedule(index: number, nowMs: number): TriggerDraft['schedule'] {
  const spread = index % 997;
  switch (index % 5) {
    case 0:
    case 1:
      return { triggerType: 'interval', intervalMs: 6 * HOUR_MS + spread * MINUTE_MS };
    case 2:
    case 3: {
      const hour = (new Date(nowMs).getUTCHours() + 7 + (spread % 12)) % 24;
      return {
        triggerType: 'cron',
        cronExpression: `${spread % 60} ${hour} * * *`,
        timezone: 'UTC',
      };
    }
    default:
      return {
        triggerType: 'once',
        scheduledAtIso: new Date(nowMs + 6 * HOUR_MS + spread * HOUR_MS).toISOString(),
      };
  }
}

/** A one-shot that comes due at `atMs`. */
export function dueDraft(name: string, atMs: number): TriggerDraft {
  return {
    instructions: `Say that ${name} has come`,
    schedule: { triggerType: 'once', scheduledAtIso: new Date(atMs).toISOString() },
    creatorEntityId: stringToUuid('bench-creator-due'),
    originRoomId: stringToUuid('bench-room-due'),
  };
}

/** Metadata of a plain task that carries the same as ours, far from due. */
export function plainMetadata(index: number, nowMs: number): Record<string, unknown> {
  const made = normalizeTriggerTaskForCreate(farDraft(index, nowMs), {
    nowMs,
    agentId: stringToUuid('bench'),
  });
  if (!made.ok) throw new Error(JSON.stringify(made.findings));
  return { ...made.task.metadata };
}
