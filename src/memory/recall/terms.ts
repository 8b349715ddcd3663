/** The words of a question, and what each weighs. Pure. */
import { builtInModel } from '../../embeddings/index.js';
import { analyze, analyzeQuery } from '../../shared/text.js';

/** Square of the weight of the most common words, which say something too. */
const LEAST = 0.1;
/** What the square of the weight of the rarest words has more. */
const BY_RARITY = 2;
/** Words of a question that are searched; more are a document, not a question. */
const MAX_TERMS = 64;
/**
 * Each term once: a word said twice in a question is not meant twice. A store of few memories cannot
 * tell which words are rare; the language can, and what is rare in it weighs more.
 */
export function termsOf(text: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const [word, rarity] of builtInModel().rarities(text)) {
    const weight = Math.sqrt(LEAST + BY_RARITY * rarity);
    for (const term of analyze(word)) weights.set(term, Math.max(weights.get(term) ?? 0, weight));
  }
  return new Map(analyzedOf(text).map((term) => [term, weights.get(term) ?? 1]));
}

/** The words of a question that are searched, as they are searched. */
export const analyzedOf = (text: string) => [...new Set(analyzeQuery(text))].slice(0, MAX_TERMS);
