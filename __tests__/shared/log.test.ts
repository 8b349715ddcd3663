import { expect, it } from 'vitest';
import { atLeast, type Log } from '../../src/shared/log.js';

it('a log is without what is less serious than its level', () => {
  const heard: string[] = [];
  const log: Log = {
    debug: (_fields, message) => heard.push(message),
    info: (_fields, message) => heard.push(message),
    warn: (_fields, message) => heard.push(message),
    error: (_fields, message) => heard.push(message),
  };
  for (const level of ['debug', 'warn', 'error'] as const) {
    const some = atLeast(level, log);
    some.debug({}, `${level}: debug`);
    some.info({}, `${level}: info`);
    some.warn({}, `${level}: warn`);
    some.error({}, `${level}: error`);
  }
  expect(heard).toEqual([
    'debug: debug',
    'debug: info',
    'debug: warn',
    'debug: error',
    'warn: warn',
    'warn: error',
    'error: error',
  ]);
});
