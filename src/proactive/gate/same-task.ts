/** Whether two goals are one task, for what memories mean to each other. Pure. */
import { cosine, embedLexical, vetoOf } from '../../embeddings/index.js';
import { pathsIn } from '../../shared/path-mentions.js';
import { covered, type Part, partOf, type Rarity } from './text.js';

/** From here on two goals are taken for one task; less is needed on the same file. */
export const ALIKE = 0.6;
export const ALIKE_ON_FILE = 0.45;

/** 0 to 1: words in common both ways, by rarity, or spelling; 0 where a rule forbids it. */
export function taskLikeness(one: string, other: string, rarity: Rarity): number {
  if (vetoOf(one, other).vetoed) return 0;
  const [a, b] = [one, other].map((goal) => partOf(withoutPaths(goal), rarity)) as [Part, Part];
  const there = covered(a, b);
  const back = covered(b, a);
  const words = there + back === 0 ? 0 : (2 * there * back) / (there + back);
  return Math.max(words, cosine(embedLexical(a.text), embedLexical(b.text)));
}

/** The file that both are about proves nothing. */
function withoutPaths(goal: string): string {
  return pathsIn(goal).reduce((rest, path) => rest.replaceAll(path, ' '), goal);
}
