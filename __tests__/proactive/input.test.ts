import { describe, expect, it } from 'vitest';
import { eventTypeOf, readEvent, readHook } from '../../src/proactive/input.js';
import { type Finding, InvalidInputError } from '../../src/shared/errors.js';

const ROOM = '11111111-2222-4333-8444-555555555555';

function findingsOf(run: () => unknown): Finding[] {
  try {
    run();
  } catch (error) {
    if (error instanceof InvalidInputError) return error.findings;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('happenings as data', () => {
  it.each([
    ...['file_touch', 'fileTouch', 'FILE_TOUCH', 'CUE_FILE_TOUCH', 'onFileTouch', 'file-touch'],
    'file_touched',
  ])('%s is a file touch', (type) => {
    expect(readEvent({ type, filePath: './src//auth.ts' })).toEqual({
      type: 'file_touch',
      filePath: 'src/auth.ts',
    });
  });

  it.each([
    ['CUE_INTENT_STATED', 'intent_stated'],
    ['onIntentStated', 'intent_stated'],
    ['intent', 'intent_stated'],
    ['CUE_TASK_START', 'task_start'],
    ['taskStarted', 'task_start'],
    ['onTaskStart', 'task_start'],
    ['CUE_ACTION_PLANNED', 'action_planned'],
    ['onActionPlanned', 'action_planned'],
    ['CUE_ACTION_COMPLETED', 'action_completed'],
    ['CUE_SESSION_START', 'session_start'],
    ['onSessionStart', 'session_start'],
    ['cue', null],
    ['', null],
    ['FILE', null],
    ['constructor', null],
  ])('%j means %j', (name, type) => {
    expect(eventTypeOf(name)).toBe(type);
  });

  it('takes every field, in camelCase and snake_case', () => {
    expect(
      readEvent({
        type: 'task_start',
        task: ' Add an endpoint ',
        task_type: 'feature_add',
        files: ['src\\a.ts', 'src/a.ts', 'b.ts'],
        tags: ['api'],
        agent_id: 'agent_001',
        project_id: 'project_abc',
        session_id: 's1',
        room_id: ROOM.toUpperCase(),
      }),
    ).toEqual({
      type: 'task_start',
      task: 'Add an endpoint',
      taskType: 'feature_add',
      files: ['src/a.ts', 'b.ts'],
      tags: ['api'],
      agentId: 'agent_001',
      projectId: 'project_abc',
      sessionId: 's1',
      roomId: ROOM,
    });
  });

  it.each([
    [
      { type: 'file_touch', file: 'a.ts', operation: 'edit' },
      { filePath: 'a.ts', operation: 'edit' },
    ],
    [{ type: 'file_touch', path: 'a.ts' }, { filePath: 'a.ts' }],
    [{ type: 'intent_stated', goal: 'x y' }, { intent: 'x y' }],
    [{ type: 'intent_stated', text: 'x y' }, { intent: 'x y' }],
    [{ type: 'task_start', taskDescription: 'x' }, { task: 'x' }],
    [{ type: 'task_start', task_description: 'x' }, { task: 'x' }],
    [{ type: 'task_start', description: 'x' }, { task: 'x' }],
    [
      { type: 'action_planned', plan: 'x', file: 'a.ts' },
      { action: 'x', filePath: 'a.ts' },
    ],
    [{ type: 'action_planned', command: 'npm ci' }, { action: 'npm ci' }],
    [
      { type: 'action_completed', command: 'npm ci', success: false, error: 'gone', cwd: '/a' },
      { action: 'npm ci', success: false, error: 'gone', cwd: '/a' },
    ],
    [{ type: 'session_start' }, {}],
  ])('%j is read by its other names', (input, fields) => {
    expect(readEvent(input)).toEqual({ type: input.type, ...fields });
  });

  it.each<[unknown, Finding[]]>([
    [null, [{ field: '(body)', message: 'must be an object' }]],
    [[], [{ field: '(body)', message: 'must be an object' }]],
    [{}, [{ field: 'type', message: 'is required' }]],
    [
      { type: 'file_read' },
      [
        {
          field: 'type',
          message:
            'must be one of file_touch, intent_stated, task_start, action_planned, action_completed, session_start',
        },
      ],
    ],
    [{ type: 'file_touch' }, [{ field: 'filePath', message: 'is required' }]],
    [{ type: 'file_touch', file: 7 }, [{ field: 'file', message: 'must be a path' }]],
    [{ type: 'file_touch', path: ' ' }, [{ field: 'path', message: 'must not be empty' }]],
    [
      { type: 'file_touch', filePath: '../a.ts' },
      [{ field: 'filePath', message: 'must not lead out with ".."' }],
    ],
    [
      { type: 'file_touch', filePath: 'a.ts', operation: 'rename' },
      [{ field: 'operation', message: 'must be one of read, open, edit, create, delete' }],
    ],
    [
      { type: 'file_touch', filePath: 'a.ts', caller: { kind: 'operator' } },
      [{ field: 'caller', message: 'unknown field' }],
    ],
    [
      { type: 'file_touch', filePath: 'a.ts', file: 'b.ts' },
      [{ field: 'file', message: 'is the same as filePath' }],
    ],
    [
      { type: 'intent_stated', intent: '\u200b ' },
      [{ field: 'intent', message: 'must not be empty' }],
    ],
    [
      { type: 'intent_stated', intent: 'ü'.repeat(4_097) },
      [{ field: 'intent', message: 'must be at most 8192 bytes' }],
    ],
    [
      { type: 'intent_stated', intent: 'x', files: ['a.ts', '..'] },
      [{ field: 'files.1', message: 'must not lead out with ".."' }],
    ],
    [
      { type: 'intent_stated', intent: 'x', files: Array(51).fill('a.ts') },
      [{ field: 'files', message: 'must have at most 50 items' }],
    ],
    [
      { type: 'intent_stated', intent: 'x', room_id: 'r1' },
      [{ field: 'room_id', message: 'must be a UUID' }],
    ],
    [
      { type: 'session_start', sessionId: 'x'.repeat(201), agentId: '' },
      [
        { field: 'agentId', message: 'must not be empty' },
        { field: 'sessionId', message: 'must have at most 200 characters' },
      ],
    ],
  ])('%j is refused, and says why', (input, findings) => {
    expect(findingsOf(() => readEvent(input))).toEqual(findings);
  });

  it('an unknown task type lists the known ones', () => {
    const [finding] = findingsOf(() => readHook('task_start', { task: 'x', taskType: 'bugfix' }));
    expect(finding?.message).toMatch(/^must be one of bug_fix, feature_add, .*, other$/);
  });

  it('drops what the database refuses, and secrets', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const told = readHook('intent_stated', `use\u0000 ${secret} \ud800now`);
    const intent = told.type === 'intent_stated' ? told.intent : '';
    expect(intent).toContain('use ');
    expect(intent).toContain('\ufffdnow');
    expect(intent).not.toContain(secret);
  });
});

describe('hooks', () => {
  it('take the main field alone', () => {
    const told = [
      readHook('file_touch', 'src/auth.ts'),
      readHook('intent_stated', 'Fix the login'),
      readHook('task_start', 'Fix the login'),
      readHook('action_planned', 'npm ci'),
      readHook('session_start', 's1'),
      readHook('session_start', {}),
    ];
    expect(told).toEqual([
      { type: 'file_touch', filePath: 'src/auth.ts' },
      { type: 'intent_stated', intent: 'Fix the login' },
      { type: 'task_start', task: 'Fix the login' },
      { type: 'action_planned', action: 'npm ci' },
      { type: 'session_start', sessionId: 's1' },
      { type: 'session_start' },
    ]);
  });

  it('never read who calls, and leave out what is not there', () => {
    const input = { filePath: 'a.ts', caller: { kind: 'operator' }, agentId: undefined };
    expect(readHook('file_touch', input)).toEqual({ type: 'file_touch', filePath: 'a.ts' });
  });

  it('refuse what is neither a text nor an object', () => {
    expect(findingsOf(() => readHook('file_touch', undefined))).toEqual([
      { field: '(body)', message: 'must be an object' },
    ]);
    expect(findingsOf(() => readHook('file_touch', ''))).toEqual([
      { field: 'filePath', message: 'must not be empty' },
    ]);
  });
});
