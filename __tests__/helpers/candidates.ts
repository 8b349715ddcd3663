/** Candidates as detectors make them, without a database. */
import { workMemorySchema } from '../../src/memory/schema.js';
import type { Candidate, ShownEntry, ShownHint } from '../../src/proactive/types.js';
import type { Scope } from '../../src/records/index.js';
import { DAY_MS } from '../../src/shared/clock.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';

export const NOW_MS = Date.UTC(2026, 2, 20, 12);
const SCOPE: Scope = {
  projectId: derivedId('project', 'test'),
  visibility: 'project',
  entityId: null,
  roomId: null,
  authorId: derivedId('agent', 'test'),
};

export interface EntryInit {
  id?: Uuid;
  command?: string;
  header?: string;
  description?: string;
}

export function shownEntry(init: EntryInit = {}): ShownEntry {
  const {
    command = '/when writing mock tests',
    id = derivedId('when entry', command),
    header = 'Mock Patching Pattern',
    description = 'patch where used, not defined',
  } = init;
  return {
    id,
    memoryId: command,
    revision: 1,
    score: 0.9,
    reasons: ['made for a test'],
    scope: SCOPE,
    files: ['agents/decisions/testing.md'],
    header,
    description,
  };
}

export function shownHint(init: Partial<ShownHint> = {}): ShownHint {
  const { memoryId = 'api/test' } = init;
  return {
    id: derivedId('hint', memoryId),
    memoryId,
    revision: 1,
    score: 0.9,
    reasons: ['key test fits'],
    scope: SCOPE,
    files: [],
    value: 'npm test',
    ...init,
  };
}

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
  const scope: Scope = { ...SCOPE, authorId: agent };
  return {
    id,
    memoryId,
    revision: 1,
    createdAtMs,
    score: 1,
    reasons: ['made for a test'],
    author,
    scope,
    files,
    record: {
      id,
      scope,
      data,
      text: goal,
      createdAtMs,
      revision: 1,
      embeddingModel: null,
    },
  };
}
