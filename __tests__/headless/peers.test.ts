import { expect, it } from 'vitest';
import { forgoSaltWarning } from '../../src/server/headless/index.js';

it('lets the host warn of a salt while nobody hears it, and of all else as before', () => {
  const heard: string[] = [];
  const logger = { warn: (line: string) => void heard.push(line) };
  let hasWarned = false;
  const getSalt = () => {
    if (!hasWarned) logger.warn('SECRET_SALT is not set');
    hasWarned = true;
  };
  forgoSaltWarning({ logger, getSalt });
  getSalt();
  logger.warn('something else');
  expect([hasWarned, heard]).toEqual([true, ['something else']]);
});

it('is content with a host that has no such thing', () => {
  expect(() => forgoSaltWarning({})).not.toThrow();
});
