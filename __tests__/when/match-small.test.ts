/** A small index says little about words: what it has in common with a question may be chance. */
import { beforeAll, describe, expect, it } from 'vitest';
import { readDataset } from '../../eval/when/dataset.js';
import { evaluateSizes, type SizeResult } from '../../eval/when/sizes.js';
import { builtInModel } from '../../src/embeddings/index.js';
import { createMatcher, type Matcher } from '../../src/when/match/matcher.js';
import { FLOOR } from '../../src/when/resolve.js';
import { OFFER_BAR } from '../../src/when/when-index.js';
import { libraryOf } from './match-library.js';

const INDEX = `## testing.md

/when writing mock tests | Mock Patching Pattern | patch where used, not where defined
/when tests fail now and then | Flaky Tests | quarantine, fixed seed, no reruns
/when sharing test data | Fixture Factories | builders, no dumps

## api.md

/when paginating a feed | Cursor Pagination | opaque cursor, no offset
/when versioning an api | Versioning Scheme | path prefix, two majors alive
/when answering too many requests | Rate Limits | 429 and how long to wait
/when printing for scripts | Output Formats | one object on each line

## operations.md

/when restarting without downtime | Zero Downtime Restart | drain, health check, one by one
/when connecting to the database | Connection Pool Size | twice the cores
/when changing a table | Expand and Contract | two releases, backfill between
/when rolling back a release | Rollback by Image Tag | never rebuild
`;
const FILES = {
  'testing.md': `## Mock Patching Pattern

Patch the name in the module that imports it.

## Flaky Tests

A test that passes on some runs only goes into quarantine with a ticket.

## Fixture Factories

Unit tests build what they need with builders.
`,
  'api.md': `## Cursor Pagination

Clients scroll through the feed with an opaque cursor; offsets get slow.

## Versioning Scheme

The major version stands in the path. Version 1 lives for a year after version 2 is out.

## Rate Limits

Answer 429 and say in a header when to try again. Overload answers 503 unavailable.

## Output Formats

People get tables. Scripts ask for something else:

~~~sh
shop orders --json "--since 2 days ago"
~~~
`,
  'operations.md': `## Zero Downtime Restart

1. Take one instance out of the balancer.
2. Drain it, at most 30 seconds.
3. Replace it and wait for its health check.

## Connection Pool Size

5 seconds to wait for one, 20 at most. It is a matter of time until a larger pool stalls.

## Expand and Contract

Add the new column, write both, backfill, read the new one, drop the old one.

## Rollback by Image Tag

Point the deployment at the image before.
`,
};

let matcher: Matcher;
beforeAll(async () => {
  matcher = createMatcher(builtInModel());
  await matcher.load(libraryOf(INDEX, FILES));
});

const confidenceOf = async (question: string) =>
  (await matcher.rank(question, 1))[0]?.confidence ?? 0;

describe('in a small index', () => {
  it.each([
    'restarting my diet',
    'feeding the cat',
    'writing documentation',
    'testing a cake recipe',
    'what time is it',
    Array.from({ length: 25 }, (_, at) => at + 1).join(' '),
  ])('a word or a number in common is no answer: %s', async (question) => {
    expect(await confidenceOf(question)).toBeLessThan(FLOOR);
  });

  it('two everyday words, of which a trigger has one, may be an answer, but no sure one', async () => {
    expect(await confidenceOf('versioning a document')).toBeLessThan(0.4);
    const [offer] = await matcher.rankSentence('We are versioning a document.', 1);
    expect(offer?.confidence).toBeLessThan(OFFER_BAR);
  });

  it('hardly a word of a trigger answers what is said about something else, and none surely', async () => {
    const words = [...INDEX.matchAll(/^\/when ([^|]+)/gm)].flatMap(
      ([, trigger = '']) => trigger.match(/[a-z]{4,}/g) ?? [],
    );
    expect(words.length).toBeGreaterThan(20);
    const frames = ['% my diet', 'the cat of a % grandmother', '% cake with vegetables'];
    const questions = words.flatMap((word) => frames.map((frame) => frame.replace('%', word)));
    const given: string[] = [];
    for (const question of questions) {
      const confidence = await confidenceOf(question);
      expect(confidence, question).toBeLessThan(0.51);
      if (confidence >= FLOOR) given.push(question);
    }
    expect(given.length / questions.length, given.join(', ')).toBeLessThan(0.05);
  });

  it.each(['json', '-- --json', 'shop orders'])(
    'what stands only in a code example is no subject: %s',
    async (question) => {
      const [first] = await matcher.rank(question, 1);
      expect(first?.section.title).toBe('Output Formats');
      expect(first?.confidence).toBeLessThan(FLOOR);
    },
  );

  it.each([
    ['my test passes sometimes', 'Flaky Tests'],
    ['unit tests', 'Fixture Factories'],
    ['503 unavailable', 'Rate Limits'],
    ['cursor pagination for lists', 'Cursor Pagination'],
    ['patch does nothing in my test', 'Mock Patching Pattern'],
    ['how many database connections', 'Connection Pool Size'],
    ['api version in the path', 'Versioning Scheme'],
    ['too many requests', 'Rate Limits'],
    ['pagination', 'Cursor Pagination'],
  ])('a question on the subject is answered: %s', async (question, title) => {
    const [first] = await matcher.rank(question, 1);
    expect(first?.section.title).toBe(title);
    expect(first?.confidence).toBeGreaterThanOrEqual(FLOOR);
  });

  it.each([
    'I will feed the cat and take my diet pills.',
    'I restart my diet on Monday, I have tested enough cake.',
    'What time is it? We are writing a birthday card.',
    'Could you book a table for six? Let us print the menu.',
  ])('nothing is offered for small talk: %s', async (message) => {
    const [first] = await matcher.rankSentence(message, 1);
    expect(first?.confidence ?? 0).toBeLessThan(OFFER_BAR);
  });

  it.each([
    ['Please add cursor pagination to the comments feed.', 'paginating a feed'],
    ['This test fails now and then, can you look?', 'tests fail now and then'],
    ['Please restart the service without any downtime.', 'restarting without downtime'],
  ])('what a message calls for is offered: %s', async (message, trigger) => {
    const [first] = await matcher.rankSentence(message, 1);
    expect(first?.entry?.phrase).toBe(trigger);
    expect(first?.confidence).toBeGreaterThanOrEqual(OFFER_BAR);
  });
});

describe('over random parts of an index', () => {
  let results: SizeResult[];
  beforeAll(async () => {
    results = await evaluateSizes(readDataset(), 0.25);
  });

  it('confidence means the same with five entries as with all', () => {
    expect(results.map(({ size }) => size)).toEqual([5, 15, 40, null]);
    for (const one of results) {
      expect.soft(one.offTopicRefused, `${one.size}`).toBeGreaterThanOrEqual(0.91);
      expect.soft(one.borrowedRefused, `${one.size}`).toBeGreaterThanOrEqual(0.84);
      // What shares no word is right first more often than it is sure.
      expect.soft(one.rightGiven, `${one.size}`).toBeGreaterThanOrEqual(0.68);
      expect.soft(one.givenRight, `${one.size}`).toBeGreaterThanOrEqual(0.8);
      expect.soft(one.calibrationError, `${one.size}`).toBeLessThan(0.12);
    }
  });

  it('nearly all offers are right, whatever the size', () => {
    for (const one of results) {
      expect.soft(one.offerPrecision, `${one.size}`).toBeGreaterThanOrEqual(0.88);
      expect.soft(one.offerRecall, `${one.size}`).toBeGreaterThanOrEqual(0.5);
    }
  });
});
