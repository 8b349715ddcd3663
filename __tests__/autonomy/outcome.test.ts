import { describe, expect, it } from 'vitest';
import { judge, type PipelineReport } from '../../src/autonomy/outcome.js';

const base: PipelineReport = {
  ended: 'completed',
  didRespond: true,
  plannedActions: ['REPLY'],
  thought: 'ok',
  mode: 'simple',
  texts: ['Hello'],
  actions: [],
};

describe('success means executed', () => {
  const table: [string, Partial<PipelineReport>, ReturnType<typeof judge>][] = [
    ['a simple reply', {}, { status: 'success', responded: true, text: 'Hello' }],
    [
      'several callbacks are one answer',
      {
        texts: ['one', ' ', 'two'],
        mode: 'actions',
        plannedActions: ['A'],
        actions: [{ name: 'A', success: true }],
      },
      { status: 'success', responded: true, text: 'one\n\ntwo' },
    ],
    [
      'actions without text',
      {
        texts: [],
        mode: 'actions',
        plannedActions: ['A'],
        actions: [{ name: 'A', success: true }],
      },
      { status: 'success', responded: false, text: '' },
    ],
    [
      'a deliberate IGNORE',
      { texts: ['not to be said'], plannedActions: ['IGNORE'] },
      { status: 'success', responded: false, text: '' },
    ],
    [
      'a deliberate NONE',
      { texts: [], plannedActions: ['none'] },
      { status: 'success', responded: false, text: '' },
    ],
    [
      'silence planned beside a reply keeps the reply',
      {
        texts: ['The answer'],
        mode: 'actions',
        plannedActions: ['REPLY', 'NONE'],
        actions: [
          { name: 'REPLY', success: true },
          { name: 'NONE', success: true },
        ],
      },
      { status: 'success', responded: true, text: 'The answer' },
    ],
    [
      'silence planned beside an action that fails hides no failure',
      {
        texts: [],
        mode: 'actions',
        plannedActions: ['ignore', 'SEND'],
        actions: [{ name: 'SEND', success: false, error: 'no line' }],
      },
      { status: 'failed', responded: false, text: '', error: 'action SEND failed: no line' },
    ],
    [
      'no parseable plan',
      { texts: [], plannedActions: null, mode: 'none' },
      {
        status: 'failed',
        responded: false,
        text: '',
        error: 'the model gave no plan that could be parsed',
      },
    ],
    [
      'an empty plan',
      { texts: [], plannedActions: [], thought: ' ' },
      {
        status: 'failed',
        responded: false,
        text: '',
        error: 'the model gave no plan that could be parsed',
      },
    ],
    [
      'an error of the pipeline',
      { thrown: '401 bad key' },
      { status: 'failed', responded: false, text: 'Hello', error: '401 bad key' },
    ],
    [
      'superseded: the host says nothing at all',
      { ended: undefined as never, didRespond: false },
      {
        status: 'failed',
        responded: false,
        text: 'Hello',
        error: 'superseded by another message in the same room',
      },
    ],
    [
      'muted',
      { ended: 'muted', didRespond: false, texts: [] },
      {
        status: 'failed',
        responded: false,
        text: '',
        error: 'the agent is muted in its autonomous room',
      },
    ],
    [
      'a failed action among good ones',
      {
        mode: 'actions',
        plannedActions: ['A', 'B'],
        actions: [
          { name: 'A', success: true },
          { name: 'B', success: false, error: 'disk full' },
        ],
      },
      { status: 'failed', responded: false, text: 'Hello', error: 'action B failed: disk full' },
    ],
    [
      'an action that was planned and never ran',
      { mode: 'actions', plannedActions: ['A', 'GONE'], actions: [{ name: 'A', success: true }] },
      {
        status: 'failed',
        responded: false,
        text: 'Hello',
        error: 'planned 2 actions, 1 ran; not run: GONE',
      },
    ],
  ];
  it.each(table)('%s', (_name, change, expected) => {
    expect(judge({ ...base, ...change })).toEqual(expected);
  });
});
