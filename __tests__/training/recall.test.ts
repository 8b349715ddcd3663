import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bootAgent } from '../../eval/recall/agent.js';
import { WEIGHTS } from '../../src/memory/recall/confidence.js';
import { makeWeights, readStores, variantsOf } from '../../training/recall/run.js';

const json = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')) as unknown;

describe('the stores that the confidence of recall is trained on', () => {
  const stores = readStores();

  it('have questions with and without an answer, and evidence that exists', () => {
    expect(stores).toHaveLength(12);
    for (const { store, memories, questions } of stores) {
      const ids = memories.map(({ id }) => id);
      expect(new Set(ids).size, store).toBe(ids.length);
      expect(ids, store).toEqual(expect.arrayContaining(questions.flatMap((one) => one.evidence)));
      expect(questions.filter(({ evidence }) => evidence.length === 0).length).toBeGreaterThan(5);
    }
  });

  it('share no question with those that silence is judged by', () => {
    const plain = (text: string) => text.toLowerCase().replace(/\W+/g, ' ').trim();
    const judged = new Set((json('eval/recall/unrelated.json') as string[]).map(plain));
    const trained = stores.flatMap(({ questions }) => questions.map((one) => plain(one.question)));
    expect(trained.filter((question) => judged.has(question))).toEqual([]);
  });

  it('make the same weights each time', async () => {
    const few = variantsOf(stores.slice(0, 2), ['Paint the fence', 'Feed the cat']).slice(1, 3);
    const again = few.map((variant) => ({ ...variant, name: `${variant.name} again` }));
    const agent = await bootAgent();
    try {
      const made = await makeWeights(agent, few, 'two stores');
      expect(made.answer.beside.weights.like).toBeGreaterThan(0);
      expect(await makeWeights(agent, again, 'two stores')).toEqual(made);
      expect(Object.keys(made.hit.weights)).toEqual(Object.keys(WEIGHTS.hit.weights));
    } finally {
      await agent.stop();
    }
  });
});
