/** What is said about offers: which are meant, and why. */
import { describe, expect, it } from 'vitest';
import { offerId } from '../../../src/operations/index.js';
import type { Offer } from '../../../src/proactive/index.js';
import { chosenOffers, offerWords } from '../../../src/surfaces/eliza/offer-words.js';

const id = (n: number) => `0000000${n}-0000-4000-8000-000000000000` as const;
const offer = (n: number, subject: string) =>
  ({
    id: id(n),
    kind: 'conflictWarning',
    subject,
    sources: [{ id: `a000000${n}-0000-4000-8000-000000000000`, memoryId: `mem_a000000${n}` }],
  }) as unknown as Offer;

describe('the reason', () => {
  it.each([
    ['acknowledge it because the cache is per request', 'the cache is per request'],
    ['dismiss that, since it is another project', 'it is another project'],
    ['acknowledge the warning, reason: tested twice', 'tested twice'],
    ['ack: I know\nand it is fine', 'I know\nand it is fine'],
    ['dismiss offer_00000001 because of mem_a0000002', 'mem_a0000002'],
    [`ack because ${'x'.repeat(499)}😀`, 'x'.repeat(499)],
    ['acknowledge the warning', undefined],
    ['look at recall("file:a.ts") and dismiss the offer', undefined],
    ['add caching because users wait', undefined],
  ])('of %j is %j', (text, reason) => {
    expect(offerWords(text).reason).toBe(reason);
  });
});

describe('the choice', () => {
  const open = [offer(2, 'add caching to src/auth.ts'), offer(1, 'src/db/pool.ts')];
  const chosen = (text: string, from = open) => {
    const choice = chosenOffers(from, text);
    switch (choice.kind) {
      case 'these':
        return choice.offers.map(({ id }) => offerId(id));
      case 'which':
        return `which of ${choice.offers.map(({ id }) => offerId(id))}`;
      case 'unknown':
        return `unknown ${choice.id}`;
      case 'none':
        return 'none';
    }
  };

  it.each([
    ['acknowledge all of them', ['offer_00000002', 'offer_00000001']],
    ['dismiss everything because I am busy', ['offer_00000002', 'offer_00000001']],
    ['acknowledge offer_00000001', ['offer_00000001']],
    [`dismiss ${id(2)}, please`, ['offer_00000002']],
    ['dismiss the one of mem_a0000001', ['offer_00000001']],
    ['the warning of mem_A0000002 is noted', ['offer_00000002']],
    ['dismiss the one about pool.ts', ['offer_00000001']],
    ['the second one', ['offer_00000001']],
    ['acknowledge the warning', 'which of offer_00000002,offer_00000001'],
    ['fix all the tests', 'which of offer_00000002,offer_00000001'],
    ['dismiss one because all is well', 'which of offer_00000002,offer_00000001'],
    ['dismiss offer_0000000f', 'unknown 0000000f'],
    ['dismiss the offer of mem_ffffffff', 'unknown mem_ffffffff'],
  ])('of two after %j is %j', (text, expected) => {
    expect(chosen(text)).toEqual(expected);
  });

  it('is the only one that is open, or none', () => {
    expect(chosen('acknowledge the warning', [offer(3, 'x')])).toEqual(['offer_00000003']);
    expect(chosen('acknowledge the warning', [])).toBe('none');
  });
});
