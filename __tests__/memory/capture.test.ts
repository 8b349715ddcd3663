import { describe, expect, it } from 'vitest';
import { captureDraft, type FinishedAction, taskTypeOf } from '../../src/memory/index.js';

const done = (name: string, more: Partial<FinishedAction> = {}): FinishedAction => ({
  name,
  success: true,
  ...more,
});
const run = (text: string, ...actions: FinishedAction[]) => ({ messageId: 'm', text, actions });

describe('capturing a finished run', () => {
  it('keeps what was asked, done and what came of it', () => {
    const captured = captureDraft({
      ...run(
        'Fix the login bug',
        done('EDIT_FILE', { data: { filePath: 'src/login.ts' }, text: 'edited' }),
        done('RUN_COMMAND', { data: { command: 'npm test' }, text: '12 passed' }),
        done('REPLY', { text: 'Done.' }),
      ),
      thought: 'The token is stale',
    });
    expect(captured?.draft).toEqual({
      intent: { goal: 'Fix the login bug', task_type: 'bug_fix' },
      reasoning: { approach_chosen: 'The token is stale' },
      actions: [
        {
          type: 'file_edit',
          details: { file_path: 'src/login.ts' },
          result: { success: true, output_summary: 'edited' },
        },
        {
          type: 'command_run',
          details: { command: 'npm test' },
          result: { success: true, output_summary: '12 passed' },
        },
      ],
      outcome: { success: true, summary: '12 passed' },
    });
  });

  it('keeps why an action failed', () => {
    const failed = done('DEPLOY', { success: false, error: 'no credentials' });
    expect(captureDraft(run('Deploy it', done('BUILD'), failed))?.draft.outcome).toEqual({
      success: false,
      summary: 'no credentials',
      failure_reason: 'no credentials',
    });
  });

  it.each([
    ['pure chat', run('What do you think?', done('REPLY'))],
    ['silence', run('Fix it', done('IGNORE'))],
    ['NONE', run('Fix it', done('NONE'))],
    ['no action', run('Fix it')],
    ['a look-up', run('what happened with auth.ts', done('LOOK_UP', { isWork: false }))],
    ['a greeting', run('Good morning!', done('SEND_WEATHER'))],
    ['thanks', run('thanks a lot', done('SEND_WEATHER'))],
    ['an empty message', run('  ', done('SEND_WEATHER'))],
  ])('leaves nothing of %s', (_what, junk) => {
    expect(captureDraft(junk)).toBeNull();
  });

  it('tells the same work from other work by request, actions and result', () => {
    const content = (text: string, ...actions: FinishedAction[]) =>
      captureDraft(run(text, ...actions))?.content;
    const first = content('Deploy it', done('DEPLOY'));
    expect(content('deploy  IT', done('DEPLOY'))).toBe(first);
    expect(content('Deploy that', done('DEPLOY'))).not.toBe(first);
    expect(content('Deploy it', done('DEPLOY', { success: false }))).not.toBe(first);
    expect(content('Deploy it', done('BUILD'))).not.toBe(first);
  });

  it('does not lose the run over a path that climbs out', () => {
    const captured = captureDraft(run('Read it', done('READ', { data: { path: '../x' } })));
    expect(captured?.draft.actions?.[0]?.details).toEqual({ query: 'READ' });
  });
});

describe('the kind of a task', () => {
  it.each([
    ['Fix the crash on start', 'bug_fix'],
    ['Add a dark mode', 'feature_add'],
    ['Refactor the session store', 'refactor'],
    ['Find out why the build is red', 'investigation'],
    ['Write tests for the parser', 'test_write'],
    ['Update the README', 'documentation'],
    ['Make the search faster', 'optimization'],
    ['Patch the XSS hole', 'security_fix'],
    ['Bump zod to 4', 'dependency_update'],
    ['Configure the linter', 'configuration'],
    ['Buy milk', 'other'],
  ])('%s is %s', (text, type) => {
    expect(taskTypeOf(text)).toBe(type);
  });
});
