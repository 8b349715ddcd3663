/** Candidates as detectors make them, without a database. */
import { workMemorySchema } from '../../src/memory/schema.js';
import type { Candidate } from '../../src/proactive/types.js';
import { DAY_MS } from '../../src/shared/clock.js';
import { derivedId } from '../../src/shared/ids.js';

export const NOW_MS = Date.UTC(2026, 2, 20, 12);

export interface CandidateInit {
  /** Printed id; the real one is derived from it. */
  memoryId?: string;
  goal?: string;
  author?: string;
  daysAgo?: number;
  success?: boolean;
  summary?: string;
  reason?: string;
  category?: string;
  approach?: string;
  learnings?: string[];
  files?: string[];
}

export function candidate(init: CandidateInit = {}): Candidate {
  const {
    memoryId = 'mem_0a1b2c3d',
    goal = 'Fix JWT expiry',
    author = 'Agent-002',
    daysAgo = 2,
    success = true,
    summary = success ? 'Succeeded' : 'Failed',
    reason,
    category,
    approach,
    learnings = [],
    files = [],
  } = init;
  const id = derivedId('memory', memoryId);
  const agent = derivedId('agent', author);
  const createdAtMs = NOW_MS - daysAgo * DAY_MS;
  const data = workMemorySchema.parse({
    intent: { goal },
    reasoning: approach === undefined ? {} : { approach_chosen: approach },
    outcome: {
      success,
      summary,
      learnings,
      ...(reason === undefined ? {} : { failure_reason: reason }),
      ...(category === undefined ? {} : { failure_category: category }),
    },
    files,
    agent_id: agent,
  });
  return {
    id,
    memoryId,
    revision: 1,
    createdAtMs,
    score: 1,
    reasons: ['made for a test'],
    author,
    record: {
      id,
      scope: {
        projectId: derivedId('project', 'test'),
        visibility: 'project',
        entityId: null,
        roomId: null,
        authorId: agent,
      },
      data,
      text: goal,
      createdAtMs,
      revision: 1,
      embeddingModel: null,
    },
  };
}
