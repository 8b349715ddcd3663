/**
 * Words that everybody uses for everything: "write", "test", "feed". How rare a word is in a small
 * index says nothing about how rare it is in what people say.
 */
import { DICTIONARY_FORMS } from '../../shared/irregular.js';
import { analyze } from '../../shared/text.js';
import { SYNONYMS } from './synonyms.js';

/** Irregular words are the most used ones of a language; the use of others wore their oddness off. */
const IRREGULAR = new Set([...DICTIONARY_FORMS.values()].flatMap((word) => analyze(word)));

/** @param term as `analyze` gives it */
export function isEveryday(term: string): boolean {
  return SYNONYMS.has(term) || IRREGULAR.has(term);
}
