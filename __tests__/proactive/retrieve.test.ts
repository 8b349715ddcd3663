/** Which memories the gate looks at. */
import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../src/embeddings/index.js';
import { workMemoryType } from '../../src/memory/index.js';
import { momentOf } from '../../src/proactive/gate/features.js';
import { retrieve } from '../../src/proactive/gate/retrieve.js';
import { createCatalog } from '../../src/records/index.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';
import { analyze } from '../../src/shared/text.js';
import { dataOf } from '../../training/gate/pairs.js';

function stored(goals: readonly string[]) {
  const catalog = createCatalog({
    analyze,
    project: derivedId('project'),
    instant: builtInModel(),
  });
  const shelf = catalog.shelf(workMemoryType.name);
  const goalOf = new Map<Uuid, string>();
  for (const goal of goals) {
    const data = dataOf({ intent: goal, outcome: { success: true, summary: 'done' } });
    const entry = workMemoryType.index?.(data, 1_000);
    if (!entry) throw new Error('it is not indexed');
    const id = derivedId(goal);
    goalOf.set(id, goal);
    const embeddingText = workMemoryType.embeddingText?.(data) ?? '';
    shelf.put({ id, audience: 'p', vector: null, embeddingText, ...entry });
  }
  return (text: string) => {
    const moment = momentOf('message', text, []);
    const filter = { reader: { kind: 'operator' } } as const;
    return retrieve(shelf, moment, null, filter, () => undefined).map(({ id }) => goalOf.get(id));
  };
}

describe('what is looked at', () => {
  it('are those near the moment, and what is built like the first of them', () => {
    const huts = 'hall kitchen attic cellar porch study bath pantry stairs landing garage shed'
      .split(' ')
      .flatMap((hut) => [`Four nights in the ${hut}`, `Five nights near the ${hut}`]);
    const lists = ['Whitby', 'Krakow', 'Lisbon'].map(
      (place) => `Make the packing list for ${place}`,
    );
    const look = stored([...huts, ...lists]);
    const found = look('four nights in Whitby');
    expect(found).toEqual(expect.arrayContaining(lists));
    expect(found.length).toBeLessThan(huts.length + lists.length);
  });
});
