import { afterAll, beforeAll, expect, it } from 'vitest';
import { bootAgent, type EvalAgent } from '../../eval/recall/agent.js';
import { type Dataset, goldenProject, plainProject } from '../../eval/recall/dataset.js';
import { evaluate } from '../../eval/recall/measure.js';
import { createLexicalEmbedder } from '../../src/embeddings/index.js';
import { forgetPglite } from '../helpers/pglite.js';

let agent: EvalAgent;
beforeAll(async () => {
  forgetPglite();
  agent = await bootAgent();
});
afterAll(async () => {
  await agent.stop();
  forgetPglite();
});

const ask = (dataset: Dataset) =>
  evaluate(agent, dataset, [createLexicalEmbedder()], { parts: true, say: () => {} });

it('finds the evidence through the service, and nothing across projects', async () => {
  const docs = [
    { id: '1', text: 'Ana adopted a dog called Canela' },
    { id: '2', text: 'The kiln takes eight bowls' },
  ];
  const others = [{ id: '1', text: 'Tobias bought running shoes' }];
  const result = await ask({
    name: 'small',
    projects: [
      plainProject({ docs, questions: [{ question: 'Who adopted Canela?', evidence: ['1'] }] }),
      plainProject({ docs: others, questions: [{ question: 'kiln bowls', evidence: ['1'] }] }),
    ],
  });
  expect(result).toMatchObject({
    dataset: 'small',
    bm25: { queries: 2, mrr: 0.5 },
    embedders: [{ id: 'lexical-v1', queries: 2, mrr: 0.5, recall: { '1': 0.5, '50': 0.5 } }],
  });
  const [embedder] = result.embedders;
  expect(embedder?.parts?.structural.mrr).toBe(0);
  expect(embedder?.parts?.keyword.mrr).toBe(0.5);
  expect(embedder?.msPerQuery.median).toBeGreaterThan(0);
  expect(embedder).not.toHaveProperty('byDifficulty');
});

it('stores memories at their times with their links, and asks a day after the last', async () => {
  const memory = (goal: string, links?: Record<string, string>) => ({
    intent: goal,
    outcome: { success: true },
    ...(links ? { links } : {}),
  });
  const result = await ask({
    name: 'timed',
    projects: [
      goldenProject({
        project: 'timed',
        memories: [
          { id: 'a', at: '2025-03-01T09:00:00Z', memory: memory('Move the domain') },
          { id: 'b', at: '2025-03-09T09:00:00Z', memory: memory('Paint', { caused_by: 'a' }) },
          { id: 'c', at: '2025-03-09T10:00:00Z', memory: memory('Mow the lawn') },
        ],
        questions: [
          { question: 'what did we do yesterday?', difficulty: 'hard', evidence: ['b', 'c'] },
        ],
      }),
    ],
  });
  const [embedder] = result.embedders;
  expect(embedder?.byDifficulty).toMatchObject({
    hard: { queries: 1, mrr: 1, recall: { '5': 1 } },
  });
});

it('lays sets without times where no time word can mean them', async () => {
  const docs = ['one', 'two', 'three'].map((text, index) => ({ id: String(index), text }));
  const questions = [{ question: 'what did we do last year?', evidence: ['0', '1', '2'] }];
  const result = await ask({ name: 'untimed', projects: [plainProject({ docs, questions })] });
  expect(result.embedders[0]?.recall['50']).toBe(0);
});
