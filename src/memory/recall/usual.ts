/**
 * What a store says to questions that have nothing to do with it. A large one, or one of long texts,
 * knows the words of any question and has something alike by chance; only what stands out of that
 * says that it answers.
 */
import { builtInModel, type Embedder } from '../../embeddings/index.js';
import type { Shelf } from '../../records/index.js';
import { yieldToLoop } from '../../shared/async.js';
import { answerLogit, wordSigns } from './confidence.js';
import { highest } from './fusion.js';
import { termsOf } from './terms.js';

/** Of as many trades and matters as they are; a store that answers a few of them hardly moves the rest. */
const QUESTIONS = [
  'How long do I roast a goose of four kilos?',
  'Which saint is the patron of beekeepers?',
  'What does the referee show for a second yellow card?',
  'Where can I have my grandfather clock repaired?',
  'When did the last volcano in Iceland erupt?',
  'How deep must the foundation of a garden wall be?',
  'Who composed the opera about the barber?',
  'What is the fastest way to peel garlic?',
  'Is it allowed to fish in the canal without a licence?',
  'How many strings does a cello have?',
  'What should I feed a hedgehog in winter?',
  'Which vaccination do we need for a journey to Kenya?',
  'How do sailors tie a bowline?',
  'What did the queen wear at her coronation?',
  'Why do leaves turn red in autumn?',
  'How much does a ticket for the planetarium cost?',
  'Which wood is best for a chopping board?',
  'Who won the chess championship in 1972?',
  'How often should I water an orchid?',
  'What is the capital of Mongolia?',
  'Can I deduct the rent of my studio from my taxes?',
  'How do I get candle wax out of a tablecloth?',
  'When does the pharmacy close on Saturday?',
  'What colour is the flag of Jamaica?',
  'How far is the moon from the earth?',
  'Which shoes are good for running on gravel?',
  'What was the name of our teacher in third grade?',
  'How do you say good night in Finnish?',
  'Where do swallows spend the winter?',
  'Who pays when a tenant breaks a window?',
  'What is a fair price for a used piano?',
] as const;

const EVERYBODY = { reader: { kind: 'operator' } } as const;
const made = new WeakMap<Shelf, { model: string; size: number; value: number }>();

/** Of the questions, nine in ten are below it. */
const NEARLY_ALL = Math.floor(0.9 * QUESTIONS.length);

/** Log-odds that the store answers nearly all of them, or less; made anew when a tenth of the store has changed. */
export async function usualLogit(shelf: Shelf, embedder: Embedder): Promise<number> {
  const { size } = shelf;
  const known = made.get(shelf);
  const isFresh = known?.model === embedder.id && Math.abs(size - known.size) * 10 <= known.size;
  if (known !== undefined && isFresh) return known.value;
  const found: number[] = [];
  for (const question of QUESTIONS) {
    const [vector] = await embedder.embed([question]);
    const near = vector === undefined ? null : shelf.nearest(vector, EVERYBODY);
    const second = shelf.alike(question, EVERYBODY);
    const signs = {
      ...wordSigns(shelf, question, termsOf(question), builtInModel(), 0),
      like: highest(near) / embedder.thresholds.candidate,
      alike: highest(second),
    };
    for (const list of [near, second]) list?.release();
    found.push(answerLogit(signs, true));
    await yieldToLoop();
  }
  const value = found.sort((a, b) => a - b)[NEARLY_ALL] as number;
  made.set(shelf, { model: embedder.id, size, value });
  return value;
}
