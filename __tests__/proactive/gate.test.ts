import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../src/embeddings/index.js';
import { decide, type Proposal } from '../../src/proactive/gate/decide.js';
import { featuresOf, type Moment, type Near } from '../../src/proactive/gate/features.js';
import { patternIn } from '../../src/proactive/gate/pattern.js';
import { taskLikeness } from '../../src/proactive/gate/text.js';
import { opens, rarityIn, WEIGHTS } from '../../src/proactive/gate/weights.js';

/** A small store in which no word is frequent. */
const rarity = rarityIn({ size: 12, documentFrequency: () => 1 });

function memory(goal: string, more: Partial<Near> = {}): Near {
  return {
    id: goal,
    goal,
    phrases: [],
    about: goal,
    commands: [],
    reason: '',
    files: [],
    success: true,
    ageMs: 86_400_000,
    taskType: 'other',
    tags: [],
    hasFollowUp: false,
    stored: null,
    alike: null,
    ...more,
  };
}

const failure = (goal: string, file: string) =>
  memory(goal, { success: false, reason: 'it broke', files: [file] });

function judge(moment: Partial<Moment> & { text: string }, pool: readonly Near[]): Proposal[] {
  const whole: Moment = { kind: 'message', files: [], ...moment };
  const seen = featuresOf(whole, pool, { rarity, meaning: builtInModel().embed, opens });
  return decide(whole, seen, WEIGHTS);
}

const FILE = 'src/queue.ts';

describe('a failed memory on the same file', () => {
  it.each([
    ['message', 'please hand the jobs out in another order'],
    ['message', 'add a second consumer'],
    ['action_planned', 'hand the jobs out in another order'],
  ] as const)('warns of a stated action, whatever the words: %s "%s"', (kind, text) => {
    const [found] = judge({ kind, text, files: [FILE] }, [failure('Shard by tenant', FILE)]);
    expect(found?.warn).toBeGreaterThanOrEqual(WEIGHTS.heads.warn.threshold);
    expect(found?.veto).toBeUndefined();
    expect(found?.reasons().slice(0, 2)).toEqual([`file ${FILE}`, 'it failed there before']);
  });

  it.each(['open it', 'what is in there?', 'thanks, it works', 'tomorrow we will see'])(
    'does not where nothing is done: "%s"',
    (text) => {
      const [found] = judge({ text, files: [FILE] }, [failure('Shard by tenant', FILE)]);
      expect(found?.warn).toBeLessThan(WEIGHTS.heads.warn.threshold);
    },
  );
});

it('a memory comes where its remind_when fits, in whatever words it is told', () => {
  const text = 'one big customer blocks the queue for everybody else';
  const others = [memory('Write the release notes'), memory('Order new chairs')];
  const offer = (phrases: string[]) =>
    judge({ text }, [memory('Shard by tenant', { phrases }), ...others])[0]?.offer ?? 0;
  const { threshold } = WEIGHTS.heads.offer;
  expect(offer([])).toBeLessThan(threshold);
  expect(offer(['a single customer blocks everybody in the queue'])).toBeGreaterThan(threshold);
});

describe('what forbids a proposal, whatever its probability', () => {
  it.each([
    ['remove the cache from the queue', 'Add a cache to the queue', /^opposite actions/],
    ["don't add a cache to the queue", 'Add a cache to the queue', /^it is denied/],
    ['Upgrade the broker to 4.2', 'Upgrade the broker to 3.9', /^another version: 4\.2 \/ 3\.9/],
  ])('"%s" is not "%s"', (text, goal, veto) => {
    const [found] = judge({ text }, [memory(goal)]);
    expect(found?.veto).toMatch(veto);
  });

  it('is not how the same is said', () => {
    const [found] = judge({ text: 'Upgrade the broker to 4.2' }, [
      memory('Upgrade the broker to 4.2'),
    ]);
    expect(found?.veto).toBeUndefined();
    expect(found?.offer).toBe(1);
  });
});

describe('phrases of a memory', () => {
  it('stand for its goal where they are nearer to the moment', () => {
    const goal = 'Shard the jobs by tenant';
    const text = 'customers wait for their invoices';
    const [bare] = judge({ text }, [memory(goal)]);
    const [told] = judge({ text }, [
      memory(goal, { phrases: ['customers wait long for their invoices'] }),
    ]);
    expect(told?.offer).toBeGreaterThan(2 * (bare?.offer ?? 1));
  });
});

describe('a pattern', () => {
  const pool = ['customers', 'orders', 'invoices'].map((name) => memory(`Add GET /${name}`));

  it('is what several tasks share when the slot is another', () => {
    const text = 'Add GET /refunds';
    const found = patternIn(text, judge({ kind: 'task_start', text }, pool), rarity, 3);
    expect(found).toMatchObject({ title: 'Add GET', occurrences: 3 });
    expect(found?.members).toHaveLength(3);
  });

  it('needs different tasks', () => {
    const text = 'Add GET /refunds';
    const twice = [memory('Add GET /orders'), memory('Add GET /orders', { id: 'again' })];
    const proposals = judge({ kind: 'task_start', text }, twice);
    expect(patternIn(text, proposals, rarity, 2)).toBeNull();
  });
});

it('two goals are one task by their words both ways, unless a rule forbids it', () => {
  expect(
    taskLikeness('Add a cache to src/a.ts', 'Add caching with a lock', rarity),
  ).toBeGreaterThan(taskLikeness('Add a cache to src/a.ts', 'Document src/a.ts', rarity));
  expect(taskLikeness('Add a cache', 'Remove the cache', rarity)).toBe(0);
});
