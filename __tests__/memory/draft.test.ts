import { describe, expect, it } from 'vitest';
import { patched, readDraft, readPatch } from '../../src/memory/draft.js';
import type { WorkMemoryData } from '../../src/memory/schema.js';
import { InvalidInputError } from '../../src/shared/errors.js';
import { derivedId } from '../../src/shared/ids.js';

const PLAIN = { storeDiffs: false };
const GOOD = { intent: 'Fix it', outcome: { success: true } };

function findingsOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidInputError) {
      return error.findings.map(({ field, message }) => `${field}: ${message}`);
    }
    throw error;
  }
  return [];
}

describe('reading a draft', () => {
  it('takes plain text, which begins with the goal and tells the rest as the summary', () => {
    const short = readDraft({ text: ' The queue is drained by hand ' }, PLAIN);
    expect([short.intent.goal, short.outcome]).toMatchObject([
      'The queue is drained by hand',
      { success: true, summary: 'Succeeded' },
    ]);
    const text = `Drain the queue before a release. ${'It takes a while. '.repeat(40)}`.trim();
    const long = readDraft({ text, outcome: { success: false } }, PLAIN);
    expect(long.intent.goal).toBe('Drain the queue before a release.');
    expect(long.outcome).toMatchObject({ success: false, summary: text });
    const both = readDraft({ text: 'It is done at night', intent: 'Drain the queue' }, PLAIN);
    expect([both.intent.goal, both.outcome.summary]).toEqual([
      'Drain the queue',
      'It is done at night',
    ]);
    expect(findingsOf(() => readDraft({ text: 7 }, PLAIN))).toEqual([
      'intent: must be text or an object',
    ]);
    expect(findingsOf(() => readDraft({ text: ' ' }, PLAIN))).not.toEqual([]);
  });

  it('reads the flat form of an action, whose details stand beside its type', () => {
    const actions = [
      { type: 'file_edit', file_path: 'src\\auth.ts', lines_affected: 12, result: 'pass' },
      { type: 'command_run', command: 'npm test', timestamp: '2026-11-20T10:00:00Z' },
    ];
    expect(readDraft({ ...GOOD, actions }, PLAIN).actions).toEqual([
      {
        type: 'file_edit',
        details: { file_path: 'src/auth.ts', lines_affected: '12' },
        result: { success: true },
      },
      {
        type: 'command_run',
        timestamp: '2026-11-20T10:00:00Z',
        details: { command: 'npm test' },
      },
    ]);
    const wrong = [{ type: 'file_edit', file_path: 'a.ts', filepath: 'b.ts' }];
    expect(findingsOf(() => readDraft({ ...GOOD, actions: wrong }, PLAIN))[0]).toContain(
      'actions.0',
    );
  });

  it('takes a field that is null as not given, at any depth', () => {
    const told = {
      intent: { goal: 'Fix it', task_type: null, context: null },
      perception: null,
      reasoning: { approach_chosen: 'carefully', why_chosen: null },
      actions: [{ file: 'a.ts', operation: 'edit', result: null }],
      outcome: { success: true, summary: null, learnings: null, verified_by: null },
      tags: null,
      importance: null,
      session_id: null,
      remind_when: null,
      links: null,
      visibility: null,
      learning: null,
      files: null,
      task_type: null,
    };
    const without = {
      intent: { goal: 'Fix it' },
      reasoning: { approach_chosen: 'carefully' },
      actions: [{ file: 'a.ts', operation: 'edit' }],
      outcome: { success: true },
    };
    expect(readDraft(told, PLAIN)).toEqual(readDraft(without, PLAIN));
    expect(findingsOf(() => readDraft({ intent: null, outcome: null }, PLAIN))).toEqual(
      findingsOf(() => readDraft({}, PLAIN)),
    );
    expect(findingsOf(() => readDraft({ ...GOOD, tags: [null] }, PLAIN))[0]).toMatch(/^tags/);
  });

  it('brings the short form of the seed into the long one', () => {
    expect(
      readDraft(
        {
          intent: 'Fix JWT expiry bug',
          perception: 'Found token refresh missing',
          reasoning: 'Chose to add refresh interceptor because it is one place',
          actions: [
            { file: 'src\\auth.ts', operation: 'edit', lines: '45-67' },
            { command: 'npm test', result: 'pass' },
          ],
          outcome: { success: true, learning: 'Need retry on 401' },
          links: { caused_by: 'mem_1f2e3d4c' },
        },
        PLAIN,
      ),
    ).toEqual({
      intent: { goal: 'Fix JWT expiry bug', task_type: 'other', constraints: [] },
      perception: {
        observations: [{ what: 'Found token refresh missing' }],
        relevant_files: [],
        patterns_noticed: [],
        anomalies: [],
      },
      reasoning: {
        approach_chosen: 'Chose to add refresh interceptor because it is one place',
        alternatives_considered: [],
        assumptions: [],
        risks_identified: [],
      },
      actions: [
        { type: 'file_edit', details: { file_path: 'src/auth.ts', lines_affected: '45-67' } },
        { type: 'command_run', details: { command: 'npm test' }, result: { success: true } },
      ],
      outcome: {
        success: true,
        summary: 'Need retry on 401',
        learnings: ['Need retry on 401'],
        follow_up_needed: [],
      },
      tags: [],
      importance: 0.5,
      remind_when: [],
      links: { caused_by: ['mem_1f2e3d4c'] },
    });
  });

  it.each([
    [{ success: true }, 'Succeeded'],
    [{ success: false }, 'Failed'],
    [{ success: false, failure_reason: 'no network' }, 'no network'],
    [{ success: false, failure_reason: 'no network', learning: 'check first' }, 'check first'],
    [{ success: true, learnings: ['a', 'b'] }, 'a'],
    [{ success: true, summary: 'Done by hand', learning: 'a' }, 'Done by hand'],
  ])('takes the summary of %j from what is there: %s', (outcome, summary) => {
    expect(readDraft({ intent: 'x', outcome }, PLAIN).outcome.summary).toBe(summary);
  });

  it.each([
    ['create', 'file_create'],
    ['delete', 'file_delete'],
    ['read', 'file_read'],
    ['edit', 'file_edit'],
  ])('reads the operation %s as %s', (operation, type) => {
    const { actions } = readDraft({ ...GOOD, actions: [{ file: 'a.ts', operation }] }, PLAIN);
    expect(actions.map((action) => action.type)).toEqual([type]);
  });

  it.each<[string, unknown, string[]]>([
    ['no goal', { intent: {}, outcome: { success: true } }, ['intent.goal: is required']],
    ['an empty goal', { ...GOOD, intent: '  ' }, ['intent.goal: must not be empty']],
    [
      'a goal of 8,001 characters',
      { ...GOOD, intent: 'x'.repeat(8_001) },
      ['intent.goal: must be at most 8000 characters'],
    ],
    [
      'an unknown task type',
      { ...GOOD, intent: { goal: 'x', task_type: 'magic' } },
      [
        'intent.task_type: must be one of bug_fix, feature_add, refactor, investigation, test_write, documentation, optimization, security_fix, dependency_update, configuration, other',
      ],
    ],
    ['no outcome', { intent: 'x' }, ['outcome: is required']],
    ['neither goal nor outcome', {}, ['intent: is required', 'outcome: is required']],
    ['an outcome in words', { intent: 'x', outcome: 'done' }, ['outcome: must be an object']],
    [
      'a success in words',
      { intent: 'x', outcome: { success: 'yes' } },
      ['outcome.success: must be true or false'],
    ],
    ['a list as goal', { ...GOOD, intent: ['x'] }, ['intent: must be text or an object']],
    ['a number as goal', { ...GOOD, intent: { goal: 7 } }, ['intent.goal: must be text']],
    ['a tag instead of tags', { ...GOOD, tags: 'jwt' }, ['tags: must be a list']],
    ['a number among the tags', { ...GOOD, tags: ['jwt', 7] }, ['tags.1: must be text']],
    ['actions in words', { ...GOOD, actions: 'edited' }, ['actions: must be a list']],
    ['an action in words', { ...GOOD, actions: ['edited'] }, ['actions.0: must be an object']],
    [
      'an action of no type',
      { ...GOOD, actions: [{ details: { command: 'ls' } }] },
      ['actions.0.type: is required'],
    ],
    [
      'an action of an unknown type',
      { ...GOOD, actions: [{ type: 'sing' }] },
      [
        'actions.0.type: must be one of file_read, file_edit, file_create, file_delete, command_run, search, external_query',
      ],
    ],
    [
      'a duration below zero',
      { ...GOOD, actions: [{ command: 'ls', result: { success: true, duration_ms: -1 } }] },
      ['actions.0.result.duration_ms: must be at least 0'],
    ],
    ['importance in words', { ...GOOD, importance: 'high' }, ['importance: must be a number']],
    [
      'an unknown failure category',
      { intent: 'x', outcome: { success: false, failure_category: 'bad_luck' } },
      [
        'outcome.failure_category: must be one of incorrect_assumption, unexpected_side_effect, missing_dependency, race_condition, type_error, test_failure, build_failure, runtime_error, logic_error, other',
      ],
    ],
    [
      'a learning of nothing',
      { intent: 'x', outcome: { success: true, learning: ' ' } },
      ['outcome.learnings.0: must not be empty'],
    ],
    ['an empty session', { ...GOOD, session_id: ' ' }, ['session_id: must not be empty']],
    [
      'a link to a number',
      { ...GOOD, links: { caused_by: 7 } },
      ['links.caused_by: must be the id of a memory, or a list of at most 100 ids'],
    ],
    ['a visibility of our own', { ...GOOD, visibility: 'user' }, ['visibility: must be project']],
    ['no success', { intent: 'x', outcome: { summary: 'done' } }, ['outcome.success: is required']],
    ['importance 7', { ...GOOD, importance: 7 }, ['importance: must be at most 1']],
    [
      '10,000 tags',
      { ...GOOD, tags: Array.from({ length: 10_000 }, (_, i) => `t${i}`) },
      ['tags: must have at most 50 tags'],
    ],
    [
      '9 KB of context',
      { ...GOOD, intent: { goal: 'x', context: 'y'.repeat(9_000) } },
      ['intent.context: must be at most 8192 bytes'],
    ],
    [
      'an unknown field',
      { ...GOOD, colour: 'red' },
      [
        'colour: unknown field; what was done belongs in outcome.summary, what was learned in outcome.learnings, why in reasoning',
      ],
    ],
    [
      'an unknown field inside',
      { ...GOOD, outcome: { success: true, mood: 'good' } },
      ['outcome.mood: unknown field'],
    ],
    [
      'an unknown operation',
      { ...GOOD, actions: [{ file: 'a.ts', operation: 'paint' }] },
      ['actions.0.operation: must be one of edit, create, delete, read'],
    ],
    [
      'an unknown result',
      { ...GOOD, actions: [{ command: 'x', result: 'maybe' }] },
      ['actions.0.result: must be one of pass, fail'],
    ],
    [
      'a link of an unknown type',
      { ...GOOD, links: { friend_of: 'mem_1f2e3d4c' } },
      ['links.friend_of: unknown field'],
    ],
    [
      '101 observations',
      { ...GOOD, perception: { observations: Array(101).fill('x') } },
      ['perception.observations: must have at most 100 items'],
    ],
    ['NaN importance', { ...GOOD, importance: Number.NaN }, ['importance: must be a number']],
    ['no object at all', 'hello', ['(body): must be an object']],
  ])('refuses %s and says where', (_what, input, findings) => {
    expect(findingsOf(() => readDraft(input, PLAIN))).toEqual(findings);
  });

  it('refuses a path that climbs out, and says in which field', () => {
    const [finding] = findingsOf(() =>
      readDraft({ ...GOOD, actions: [{ file: '../../etc/passwd', operation: 'read' }] }, PLAIN),
    );
    expect(finding?.startsWith('actions.0.file: ')).toBe(true);
  });

  it('keeps the hash and the size of a diff, and its text only on request', () => {
    const diff = '--- a\n+++ b\n+one\n+two\n-three';
    const input = { ...GOOD, actions: [{ file: 'a.ts', operation: 'edit', diff }] };
    const [hashed] = readDraft(input, PLAIN).actions;
    expect(hashed?.details.diff).toBeUndefined();
    expect(hashed?.details.diff_summary).toBe('+2 -1 lines');
    expect(hashed?.details.diff_hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(readDraft(input, { storeDiffs: true }).actions[0]?.details.diff).toBe(diff);
  });

  it('counts tags that differ in case as one', () => {
    expect(readDraft({ ...GOOD, tags: ['JWT', 'jwt', ' auth '] }, PLAIN).tags).toEqual([
      'jwt',
      'auth',
    ]);
  });
});

describe('patching', () => {
  const stored: WorkMemoryData = {
    ...readDraft(
      {
        intent: { goal: 'Fix it', context: 'old', constraints: ['a', 'b'] },
        outcome: { success: false, failure_reason: 'typo' },
        tags: ['x'],
      },
      PLAIN,
    ),
    access_count: 3,
    last_accessed: null,
    files: [],
    agent_id: derivedId('agent'),
    origin: 'told',
  };

  it('merges objects, replaces arrays and removes what is null', () => {
    const patch = readPatch({
      intent: { context: null, constraints: ['c'] },
      outcome: { success: true, summary: 'Works' },
      actions: [{ file: 'b.ts', operation: 'edit' }],
    });
    const next = patched(stored, patch, PLAIN);
    expect(next.intent).toEqual({ goal: 'Fix it', task_type: 'other', constraints: ['c'] });
    expect(next.outcome).toEqual({
      success: true,
      summary: 'Works',
      learnings: [],
      failure_reason: 'typo',
      follow_up_needed: [],
    });
    expect([next.files, next.tags, next.access_count]).toEqual([['b.ts'], ['x'], 3]);
  });

  it('keeps a field that a newer writer stored', () => {
    const newer = { ...stored, intent: { ...stored.intent, mood: 'calm' } };
    const next = patched(newer, readPatch({ importance: 0.9 }), PLAIN);
    expect(Reflect.get(next.intent, 'mood')).toBe('calm');
  });

  it.each<[string, unknown, string[]]>([
    [
      'nothing',
      {},
      [
        '(body): names no field; fields: intent, perception, reasoning, actions, outcome, tags, importance, session_id, remind_when',
      ],
    ],
    [
      'our own counters',
      { access_count: 9 },
      [
        'access_count: cannot be changed; fields: intent, perception, reasoning, actions, outcome, tags, importance, session_id, remind_when',
      ],
    ],
    ['an unknown field', { outcome: { mood: 1 } }, ['outcome.mood: unknown field']],
    ['the goal away', { intent: { goal: null } }, ['intent.goal: is required']],
    ['importance to 7', { importance: 7 }, ['importance: must be at most 1']],
  ])('refuses to change %s', (_what, patch, findings) => {
    expect(findingsOf(() => readPatch(patch))).toEqual(findings);
  });
});
