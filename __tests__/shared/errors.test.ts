import { expect, it } from 'vitest';
import { messageOf } from '../../src/shared/errors.js';

it('of a failed statement only what the database says is told, in one line', () => {
  const cause = new Error('Connection terminated unexpectedly');
  const failed = new Error('Failed query: insert into memories\nparams: hunter2', { cause });
  expect(messageOf(Object.assign(failed, { params: ['hunter2'] }))).toBe(
    'Failed query: Connection terminated unexpectedly',
  );
});

it('several errors in one are told by their code', () => {
  const refused = Object.assign(new AggregateError([new Error('1'), new Error('2')]), {
    code: 'ECONNREFUSED',
  });
  expect(messageOf(refused)).toBe('ECONNREFUSED');
});
