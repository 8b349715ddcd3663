/**
 * `npm run train -- recall`: makes src/memory/recall-weights.json again, the probabilities behind the
 * confidence of recall, from stores and questions that nobody of the project wrote or tuned on.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { bootAgent, type EvalAgent } from '../../eval/recall/agent.js';
import { draftOf } from '../../eval/recall/dataset.js';
import { builtInModel, createLexicalEmbedder, type Embedder } from '../../src/embeddings/index.js';
import type { NamedStage } from '../../src/memory/recall/cascade.js';
import type { AnswerSigns, HitSigns, RecallWeights } from '../../src/memory/recall/confidence.js';
import { bestOf } from '../../src/memory/recall/fusion.js';
import { fitOf, newerIn } from '../../src/memory/recall/semantic.js';
import { trainingSessions } from '../gate/data.js';
import { dataOf } from '../gate/pairs.js';
import { regression } from '../gate/regression.js';

const TARGET = new URL('../../src/memory/recall-weights.json', import.meta.url);
const PENALTY = 1;
/** Questions of other stores are many and easy: each counts as so much of one. */
const FOREIGN = 0.2;
/** An answer is one of so many hits. */
const SHOWN = 10;
const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2001, 0, 1);
const OPERATOR = { kind: 'operator' } as const;

interface Store {
  store: string;
  memories: { id: string; text: string }[];
  questions: { question: string; evidence: string[]; level: string }[];
}

interface Variant {
  name: string;
  texts: Map<string, string>;
  questions: { text: string; evidence: ReadonlySet<string>; weight: number }[];
}

interface Asked {
  signs: AnswerSigns;
  hits: { signs: HitSigns; isRight: boolean }[];
  isAnswered: boolean;
  weight: number;
}

export function readStores(): Store[] {
  return JSON.parse(readFileSync(new URL('stores.json', import.meta.url), 'utf8')) as Store[];
}

/** Each store alone with the questions of all, and several merged, so that size varies. */
export function variantsOf(stores: readonly Store[], strangers: readonly string[]): Variant[] {
  const merged = (name: string, some: readonly Store[], more: readonly string[] = []): Variant => ({
    name,
    texts: new Map([
      ...some.flatMap(({ store, memories }) =>
        memories.map(({ id, text }) => [`${store}/${id}`, text] as const),
      ),
      ...more.map((text, at) => [`stranger/${at}`, text] as const),
    ]),
    questions: some.flatMap(({ store, questions }) =>
      questions.map(({ question, evidence }) => ({
        text: question,
        evidence: new Set(evidence.map((id) => `${store}/${id}`)),
        weight: 1,
      })),
    ),
  });
  const groups = (size: number) =>
    Array.from({ length: Math.ceil(stores.length / size) }, (_, at) =>
      merged(`${size} stores, ${at}`, stores.slice(at * size, (at + 1) * size)),
    );
  const alone = stores.map((own): Variant => {
    const variant = merged(own.store, [own]);
    const foreign = stores
      .filter((other) => other !== own)
      .flatMap(({ questions }) => questions.filter(({ evidence }) => evidence.length > 0))
      .map(({ question }) => ({ text: question, evidence: new Set<string>(), weight: FOREIGN }));
    return { ...variant, questions: [...variant.questions, ...foreign] };
  });
  return [
    ...alone,
    ...groups(3),
    ...groups(6),
    ...groups(12),
    merged('all and some strangers', stores, strangers.slice(0, strangers.length / 2)),
    merged('all and the strangers', stores, strangers),
  ];
}

/** Memories of the sessions that the gate is trained on, as texts. */
function strangerTexts(): string[] {
  const texts = trainingSessions().flatMap(({ session }) =>
    session.memories.map(({ draft }) => {
      const { intent, outcome } = dataOf(draft);
      return [intent.goal, outcome.failure_reason, ...outcome.learnings]
        .filter((part) => part !== undefined)
        .join('. ');
    }),
  );
  return [...new Set(texts)].filter((text) => text.length > 20);
}

async function askAll(agent: EvalAgent, variant: Variant, embedder: Embedder): Promise<Asked[]> {
  const { service, clock, stop } = await agent.open(`training ${variant.name}`, embedder);
  const names = new Map<string, string>();
  clock.nowMs = START_MS;
  for (const [name, text] of variant.texts) {
    clock.nowMs += MINUTE_MS;
    const { memory_id } = await service.store(draftOf(text), OPERATOR);
    names.set((await service.get(memory_id, OPERATOR)).id, name);
  }
  // Long after, so that no question means that time by "yesterday".
  clock.nowMs += 1_000_000 * MINUTE_MS;
  const asked: Asked[] = [];
  for (const { text, evidence, weight } of variant.questions) {
    const noting: NamedStage = {
      name: 'semantic',
      applies: () => true,
      async run(context, search) {
        const { shelf } = search;
        const { fused, answer, hitAt } = await fitOf(context, search);
        const hits = bestOf(fused, SHOWN, newerIn(shelf)).map((slot) => ({
          signs: hitAt(slot),
          isRight: evidence.has(names.get(shelf.idOf(slot)) ?? ''),
        }));
        const isAnswered = hits.some(({ isRight }) => isRight);
        asked.push({ signs: answer, hits, isAnswered, weight });
        return { candidates: [], total: 0 };
      },
    };
    await service.recall({ query: text }, OPERATOR, { counted: false, stages: [noting] });
  }
  await stop();
  return asked;
}

/** A head for plain values, rounded so that it comes out the same again. */
function headOf<Signs extends AnswerSigns | HitSigns>(
  examples: readonly { signs: Signs; label: boolean; weight: number }[],
  names: readonly (keyof Signs & string)[],
): RecallWeights['hit'] {
  const head = regression(
    examples.map(({ signs }) => Float64Array.from(names, (name) => Number(signs[name]))),
    examples.map(({ label }) => (label ? 1 : 0)),
    examples.map(({ weight }) => weight),
    PENALTY,
  );
  const plain = head.weights.map((weight, at) => weight / (head.spread[at] as number));
  const bias = plain.reduce(
    (sum, weight, at) => sum - weight * (head.mean[at] as number),
    head.bias,
  );
  return {
    bias: rounded(bias),
    weights: Object.fromEntries(names.map((name, at) => [name, rounded(plain[at] as number)])),
  };
}

const rounded = (value: number) => Number(value.toFixed(3));

/** As many answered questions as others, whatever their numbers. */
function balanced(asked: readonly Asked[]) {
  const total = (isAnswered: boolean) =>
    asked.reduce((sum, each) => sum + (each.isAnswered === isAnswered ? each.weight : 0), 0);
  const half = { yes: total(true), no: total(false) };
  return asked.map(({ signs, isAnswered, weight }) => ({
    signs,
    label: isAnswered,
    weight: (weight * asked.length) / 2 / (isAnswered ? half.yes : half.no),
  }));
}

/** @param agent whose projects of these names are empty */
export async function makeWeights(
  agent: EvalAgent,
  variants: readonly Variant[],
  made: string,
  note: (line: string) => void = () => {},
): Promise<RecallWeights> {
  const lexical = createLexicalEmbedder();
  const beside = builtInModel();
  const askBy = async (embedder: Embedder) => {
    const asked: Asked[] = [];
    for (const variant of variants) {
      asked.push(...(await askAll(agent, variant, embedder)));
      note(`${variant.name} (${embedder.id}): ${variant.texts.size} memories`);
    }
    return asked;
  };
  const alone = await askBy(lexical);
  const both = await askBy({ ...lexical, id: `${lexical.id}+${beside.id}`, beside });
  const hits = both
    .filter(({ isAnswered }) => isAnswered)
    .flatMap((each) =>
      each.hits.map(({ signs, isRight }) => ({ signs, label: isRight, weight: 1 })),
    );
  return {
    version: 1,
    made,
    answer: {
      beside: headOf(balanced(both), ['known', 'unknown', 'like', 'alike', 'size']),
      alone: headOf(balanced(alone), ['known', 'unknown', 'like', 'size']),
    },
    hit: headOf(hits, ['score', 'runnerUp']),
  };
}

export async function run(argv: string[]): Promise<number> {
  if (argv.length > 0) {
    console.error('npm run train -- recall');
    return 2;
  }
  const stores = readStores();
  const variants = variantsOf(stores, strangerTexts());
  const made = `${stores.length} stores of training/recall, alone, merged by 3, 6 and 12, and among memories of the gate's training sessions; L2 ${PENALTY}`;
  const agent = await bootAgent();
  try {
    const weights = await makeWeights(agent, variants, made, (line) => console.error(line));
    writeFileSync(TARGET, `${JSON.stringify(weights, null, 2)}\n`);
    return 0;
  } finally {
    await agent.stop();
  }
}
