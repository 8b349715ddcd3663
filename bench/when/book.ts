/** The book in memory: what an agent's turn, a command and an edit cost without disk and database. */
import { createBm25 } from '../../eval/bm25.js';
import { builtInModel } from '../../src/embeddings/index.js';
import { createMatcher } from '../../src/when/match/matcher.js';
import { parseRequests } from '../../src/when/requests.js';
import type { DiskState } from '../../src/when/types.js';
import { validate } from '../../src/when/validate.js';
import { createWhenIndex } from '../../src/when/when-index.js';
import { loopGaps, series } from '../clockwork.js';
import { timed } from '../memory/watched.js';
import type { PartReport, PartRequest, Samples } from './protocol.js';
import { asked, edited, type Folder, folderOf } from './workload.js';

/** What the provider lists at most, and what the detector asks for. */
const LISTED = 4;
const OFFERED = 5;
const WARM_UP = 20;

export async function bookAlone({ size, quick }: PartRequest): Promise<PartReport> {
  const folder = folderOf(size);
  const samples: Samples = {};
  const notes: PartReport['notes'] = {};
  const newBook = () => createWhenIndex(createMatcher(builtInModel()));

  const loads: number[] = [];
  const gaps: number[] = [];
  // The first one compiles, and is one that every start has.
  for (let round = 0; round < (quick ? 1 : 5); round += 1) {
    const book = newBook();
    gaps.push(
      ...(await loopGaps(async () => {
        loads.push(await timed(() => book.load(diskOf(folder))));
      })),
    );
  }
  samples['load.first'] = loads;
  samples['load.gaps'] = gaps;

  const book = newBook();
  await book.load(diskOf(folder));
  const often = { times: quick ? 20 : 500, warmUp: WARM_UP, forMs: 30_000 };
  const ask = asked(folder, 'questions');
  const resolved = async (input: string, found: string) => {
    const { results } = await book.resolve(parseRequests(input));
    return results.length > 0 && results.every((result) => result.found === found);
  };
  /** @throws Error when what should be found mostly is not: an empty answer is quick */
  const measure = async (
    name: keyof Samples,
    work: () => Promise<boolean>,
    least = 0.9,
    options = often,
  ) => {
    let calls = 0;
    let good = 0;
    samples[name] = await series(async () => {
      calls += 1;
      if (await work()) good += 1;
    }, options);
    if (good < least * calls) throw new Error(`${name}: ${good} of ${calls} as they should be`);
    if (good < calls) notes[name] = `${good} of ${calls} as expected`;
  };
  await measure('resolve.exact', () => resolved(ask.exact(), 'exact'));
  await measure('resolve.hybrid', () => resolved(ask.hybrid(), 'hybrid'), 0.5);
  await measure('resolve.section', () => resolved(ask.section(), 'exact'));
  await measure('resolve.file', () => resolved(ask.file(), 'exact'));
  await measure('resolve.miss', () => resolved(ask.miss(), 'none'));
  await measure('resolve.batch', async () => {
    const { results } = await book.resolve(parseRequests(ask.batch()));
    return results.length === 5;
  });
  const relevant = async (text: string, files: readonly string[], bar: 'offer' | 'listing') => {
    const limit = bar === 'offer' ? OFFERED : LISTED;
    return (await book.relevant({ text, files }, limit, bar)).length > 0;
  };
  await measure('relevant.listing', () => relevant(ask.sentence(), [], 'listing'), 0.3);
  await measure('relevant.offer', () => relevant(ask.sentence(), [], 'offer'), 0);
  await measure('relevant.file', () => relevant('', [ask.sourceFile()], 'offer'));

  // Beside it, the floor of the evaluation with the same questions on the same texts.
  const bm25 = createBm25(
    folder.items.map(({ entry, body }) => ({
      id: entry.header,
      text: [entry.header, entry.phrase, entry.description, body].join('\n'),
    })),
  );
  const again = asked(folder, 'questions');
  const plain = await series(async () => {
    if (bm25(again.hybrid(), 5).length === 0) throw new Error('plain BM25 found nothing');
  }, often);

  const edits: number[] = [];
  const editGaps: number[] = [];
  for (let times = 1; times <= (quick ? 3 : 30); times += 1) {
    const state = diskOf(folder, times);
    editGaps.push(
      ...(await loopGaps(async () => {
        edits.push(await timed(() => book.load(state)));
      })),
    );
  }
  samples['load.edit'] = edits;
  samples['load.edit.gaps'] = editGaps;
  await measure('validate', async () => validate(book.library()).ok, 0, {
    ...often,
    times: quick ? 3 : 30,
    warmUp: 2,
  });
  return { samples, beside: { 'resolve.hybrid.bm25': plain }, notes };
}

/** @param times how often the first section of the first file has been edited */
function diskOf({ index, files }: Folder, times = 0): DiskState {
  return {
    index: { path: 'memory-index.md', text: index },
    files: files.map(({ path, text }, at) => ({
      path,
      text: at === 0 ? edited(text, times) : text,
    })),
    warnings: [],
  };
}
