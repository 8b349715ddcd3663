import { describe, expect, it } from 'vitest';
import { onlyAsks, readOutcome } from '../../../src/memory/recall/outcome-words.js';
import { expectQuick } from '../../helpers/quick.js';

describe('outcomes in a question', () => {
  it.each([
    'what worked',
    'what has worked?',
    "what's worked",
    'which things worked',
    'show me what worked',
    'what works',
    'what is working',
    'what worked well',
    'what went well',
    'what did go well',
    'what succeeded',
    'what did not fail',
    "what didn't fail",
    'what never failed',
    'what did not go wrong',
    "what hasn't failed",
  ])('"%s" asks for successes', (question) => {
    expect(readOutcome(question)).toBe('success_only');
  });

  it.each([
    'what failed',
    'show me the failures',
    'what went wrong',
    'what did I do wrong',
    "what didn't work",
    'what didn’t work',
    'what didnt work',
    'what did not work',
    "what hasn't worked",
    'what has not worked',
    "what doesn't work",
    "what isn't working",
    "what's not working",
    'what never worked',
    "what didn't work on",
    "what didn't work well",
    'what did not go well',
    "what wasn't successful",
    'what work failed',
  ])('"%s" asks for failures', (question) => {
    expect(readOutcome(question)).toBe('failures_only');
  });

  it.each([
    'what did we work on',
    'what we worked on',
    'what have I worked on',
    'what work was done',
    'what work did we do',
    'what was worked on',
    'what has been worked on',
    'what are we working on',
    "what's been worked on",
    'show the work',
    'what have you got working',
  ])('"%s" only asks', (question) => {
    expect(readOutcome(question)).toBeNull();
    expect(onlyAsks(question)).toBe(true);
  });

  it.each([
    "what didn't we work on",
    'what has not been done',
    'what did not fail or succeed',
    'what failed and worked',
    'what failed, what worked',
    'what did not fail, what went wrong',
    'what did not never fail',
    'did it not fail',
    'did it go well',
    'did everything work',
    'no failures',
    'how does the login work',
    'login works as well',
    'well',
    'payment failed',
  ])('"%s" is not clear', (question) => {
    expect(readOutcome(question)).toBeNull();
  });

  it.each(['is ', 'not ', 'what worked ', 'what did not work ', 'work ', "didn't ", 'went well '])(
    'a question of 20000 times "%s" costs no more than its length',
    (words) => {
      expectQuick(2_000, () => readOutcome(`${words.repeat(20_000)}zzz`));
    },
  );
});
