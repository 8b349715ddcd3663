import { describe, expect, it } from 'vitest';
import { answerToWork, offerAction, warningIn } from '../../demo/offer-intent.js';

const WARNING = [
  '# From your own work memory (Cue)',
  '```text',
  '[RUM] ⚠️ Warning: Similar action failed before',
  '  • Agent-003 tried "Add caching to auth.ts" — FAILED',
  '    Reason: Race condition with concurrent requests',
  '',
  '  → recall("mem_xyz789", depth: "reasoning") for details',
  '```',
].join('\n');

describe('the offline model and a warning', () => {
  it('reads what was tried and why it failed from the block in its prompt', () => {
    expect(warningIn(`before\n${WARNING}\nafter`)).toEqual({
      what: 'Add caching to auth.ts',
      reason: 'Race condition with concurrent requests',
    });
  });

  it('takes no other offer and no half of a warning for one', () => {
    expect(warningIn(WARNING.replace('⚠️ Warning: Similar', 'Similar'))).toBeNull();
    expect(warningIn(WARNING.replace(/^ {4}Reason.*$/m, ''))).toBeNull();
    expect(warningIn('')).toBeNull();
  });

  it('answers a request for work with the warning in its own words, and asks', () => {
    expect(answerToWork('add caching to src/auth.ts', warningIn(WARNING))).toBe(
      'Careful: I remember that "Add caching to auth.ts" was tried before and failed. ' +
        'The reason: Race condition with concurrent requests. Shall I do it all the same? ' +
        'Then say "acknowledge the warning:" and what is different this time.',
    );
  });

  it('says that nothing speaks against it when there is no warning', () => {
    expect(answerToWork('add caching to src/auth.ts', null)).toMatch(/nothing that speaks against/);
  });

  it.each(['hello', 'what is the capital of Austria?', 'thanks!', 'the cache is full'])(
    'warns nobody who only says "%s"',
    (text) => {
      expect(answerToWork(text, warningIn(WARNING))).toBeNull();
    },
  );
});

describe('the action for words about an offer', () => {
  const warned = { text: answerToWork('add it', warningIn(WARNING)) ?? '' };

  it.each([
    ['acknowledge the warning: we use a lock this time', 'ACKNOWLEDGE_WARNING'],
    ['I know the warning, go on', 'ACKNOWLEDGE_WARNING'],
    ['noted, that warning is heeded', 'ACKNOWLEDGE_WARNING'],
    ['dismiss that offer', 'DISMISS_OFFER'],
    ['ignore the warning', 'DISMISS_OFFER'],
    ['dismiss the water reminder', null],
    ['yes', null],
    ['I know Anna', null],
  ])('"%s" is %s', (text, action) => {
    expect(offerAction(text)).toBe(action);
  });

  it('takes a yes right after a warning for its acknowledgment', () => {
    expect(offerAction('yes, there is a lock now', warned)).toBe('ACKNOWLEDGE_WARNING');
    expect(offerAction('no', warned)).toBeNull();
  });
});
