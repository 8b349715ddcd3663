/** The words of a question, and what each weighs. Pure. */
import { builtInModel } from '../../embeddings/index.js';
import { analyze, analyzeQuery } from '../../shared/text.js';

/** Added to the weight of every word: the most common ones say something too. */
const LEAST_WEIGHT = 0.1;
/** Words of a question that are searched; more are a document, not a question. */
const MAX_TERMS = 64;
/**
 * Each term once: a word said twice in a question is not meant twice. A store of few memories cannot
 * tell which words are rare; the language can, and what is rare in it weighs more.
 */
export function termsOf(text: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const [word, weight] of builtInModel().wordWeights(text)) {
    for (const term of analyze(word)) {
      weights.set(term, Math.max(weights.get(term) ?? 0, Math.sqrt(weight + LEAST_WEIGHT)));
    }
  }
  return new Map(analyzedOf(text).map((term) => [term, weights.get(term) ?? 1]));
}

/** The words of a question that are searched, as they are searched. */
export const analyzedOf = (text: string) => [...new Set(analyzeQuery(text))].slice(0, MAX_TERMS);
