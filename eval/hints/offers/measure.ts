/**
 * Whether the right hint comes at the right moment, judged on projects of an author who saw neither the
 * code nor our examples (README.md): happenings as they are routed, the real detector, the real store.
 */
import { readFileSync } from 'node:fs';
import { createHints, DEFAULT_QUOTAS, type HintRows } from '../../../src/hints/index.js';
import { DEFAULT_CONFIG } from '../../../src/proactive/config.js';
import type { DetectorContext } from '../../../src/proactive/detectors/detection.js';
import { filesHeard } from '../../../src/proactive/heard.js';
import { createHintMatch } from '../../../src/proactive/index.js';
import { type ConversationEvent, route } from '../../../src/proactive/router.js';
import type { ProactiveEvent } from '../../../src/proactive/types.js';
import type { Uuid } from '../../../src/shared/ids.js';
import { analyze } from '../../../src/shared/text.js';

export const LEVELS = ['near', 'reworded', 'other', 'none', 'tempting'] as const;
export type Level = (typeof LEVELS)[number];

export interface ScriptedHint {
  id: string;
  component: string;
  key: string;
  value: string;
  tags: readonly string[];
}

export interface HintTurn {
  kind: 'message' | 'intent_stated' | 'task_start' | 'action_planned' | 'action_completed';
  text: string;
  /** Of an action that failed. */
  error?: string;
  /** Hints that have to come. */
  want: readonly string[];
  /** Hints whose coming is neither right nor wrong. */
  may: readonly string[];
  level: Level;
}

export interface HintProject {
  project: string;
  hints: readonly ScriptedHint[];
  turns: readonly HintTurn[];
}

const DATA = new URL('./projects.json', import.meta.url);

export function readProjects(file: string | URL = DATA): HintProject[] {
  return JSON.parse(readFileSync(file, 'utf8')) as HintProject[];
}

/** Of each turn, the hints that are offered. */
export type Offerer = (project: HintProject) => Promise<string[][]>;

const PROJECT = '00000000-0000-4000-8000-000000000001' as Uuid;
const AGENT = '00000000-0000-4000-8000-000000000002' as Uuid;
const ROOM = '00000000-0000-4000-8000-000000000003' as Uuid;
const OPERATOR = { kind: 'operator' } as const;
const CLOCK = { now: () => Date.UTC(2026, 0, 31, 12) };
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Hints that are kept nowhere else. */
const UNKEPT: HintRows = {
  load: async () => [],
  read: async () => null,
  async put(rows, { onWritten } = {}) {
    for (const _ of rows) onWritten?.();
  },
  async remove() {},
  async change() {},
  async touch() {},
};

/** A detector over the hints of a project; the secret guard would refuse where a password lies. */
export async function detectorOf({ hints }: HintProject, create = createHintMatch) {
  const room = createHints({
    clock: CLOCK,
    log: SILENT,
    rows: UNKEPT,
    settings: { ...DEFAULT_QUOTAS, defaultTtl: 'session', guard: false },
    projectId: PROJECT,
    agentId: AGENT,
    sessionId: 'evaluation',
  });
  for (const { component, key, value, tags } of hints) {
    await room.setHint({ component, key, value, meta: { tags: [...tags] } }, OPERATOR);
  }
  const context = {
    checks: { isProject: () => true } as unknown as DetectorContext['checks'],
    clock: CLOCK,
    config: () => DEFAULT_CONFIG,
    prefix: 'RUM',
  };
  return create(context, () => ({
    offering: room.offering,
    place: () => ({ os: 'linux' }),
    folderOf: () => null,
  }));
}

/** The happening of a turn as the product hears it. */
function happeningOf({ kind, text, error }: HintTurn): ProactiveEvent | ConversationEvent {
  if (kind === 'message') {
    return { type: kind, text, files: filesHeard({ text }), newSession: false };
  }
  if (kind === 'intent_stated') return { type: kind, intent: text };
  if (kind === 'task_start') return { type: kind, task: text };
  if (kind === 'action_planned') return { type: kind, action: text };
  return { type: kind, action: text, success: error === undefined, ...(error && { error }) };
}

/** By the detector. */
export function offererBy(create = createHintMatch): Offerer {
  return async (project) => {
    const detector = await detectorOf(project, create);
    const idOf = new Map(project.hints.map((hint) => [`${hint.component}/${hint.key}`, hint.id]));
    const offered: string[][] = [];
    for (const turn of project.turns) {
      const found: string[] = [];
      for (const { detector: name, input } of route(happeningOf(turn), DEFAULT_CONFIG)) {
        if (name !== 'hintMatch') continue;
        const { memories } = await detector.evaluate({ ...input, roomId: ROOM });
        found.push(...memories.map(({ memoryId }) => idOf.get(memoryId) ?? memoryId));
      }
      offered.push(found);
    }
    return offered;
  };
}

const LEAST_WORDS = 2;
const MOST_HINTS = 2;

/** What a simple plugin does: two words of component, key and tags are said. */
export const baseline: Offerer = async ({ hints, turns }) =>
  turns.map(({ kind, text, error }) => {
    if (kind === 'action_completed' && error === undefined) return [];
    const said = new Set(analyze(`${text} ${error ?? ''}`));
    return hints
      .map(({ id, component, key, tags }) => {
        const words = new Set(analyze([component, key, ...tags].join(' ')));
        return { id, shared: [...words].filter((word) => said.has(word)).length };
      })
      .filter(({ shared }) => shared >= LEAST_WORDS)
      .sort((a, b) => b.shared - a.shared)
      .slice(0, MOST_HINTS)
      .map(({ id }) => id);
  });

export interface OfferRates {
  turns: number;
  wanted: number;
  right: number;
  wrong: number;
  precision: number;
  recall: number;
  falseAlarmsPer100: number;
  /** Right of wanted, and wrong ones, by level. */
  levels: Record<Level, { turns: number; wanted: number; right: number; wrong: number }>;
}

export async function measureOffers(
  projects: readonly HintProject[],
  offerer: Offerer,
): Promise<OfferRates> {
  const levels = Object.fromEntries(
    LEVELS.map((level) => [level, { turns: 0, wanted: 0, right: 0, wrong: 0 }]),
  ) as OfferRates['levels'];
  for (const project of projects) {
    const offered = await offerer(project);
    for (const [at, { level, want, may }] of project.turns.entries()) {
      const found = offered[at] ?? [];
      const counts = levels[level];
      counts.turns += 1;
      counts.wanted += want.length;
      counts.right += found.filter((id) => want.includes(id)).length;
      counts.wrong += found.filter((id) => !want.includes(id) && !may.includes(id)).length;
    }
  }
  const sum = (field: 'turns' | 'wanted' | 'right' | 'wrong') =>
    LEVELS.reduce((total, level) => total + levels[level][field], 0);
  const [turns, wanted, right, wrong] = [sum('turns'), sum('wanted'), sum('right'), sum('wrong')];
  return {
    ...{ turns, wanted, right, wrong },
    precision: right + wrong === 0 ? 1 : right / (right + wrong),
    recall: wanted === 0 ? 1 : right / wanted,
    falseAlarmsPer100: (100 * wrong) / turns,
    levels,
  };
}
