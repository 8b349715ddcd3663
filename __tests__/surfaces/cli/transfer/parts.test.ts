import { describe, expect, it } from 'vitest';
import { partsOfDocument, partsOfLines } from '../../../../src/shared/export-parts.js';

const MB = 'x'.repeat(1_000_000);

describe('parts of an import', () => {
  it('of lines keep them whole, and say how many went before', () => {
    const parts = partsOfLines(`a\n${MB}\nb\n${MB}\nc`);
    expect(parts).toEqual([
      { body: { jsonl: `a\n${MB}\nb` }, before: 0 },
      { body: { jsonl: `${MB}\nc` }, before: 3 },
    ]);
  });

  it('of a document keep the order of its lists, and its head in each', () => {
    const document = {
      version: 1,
      memories: [{ id: 1, text: MB }, { id: 2 }],
      links: [{ id: 3, text: MB }],
      wisdom: 'no list',
    };
    expect(partsOfDocument(document, ['memories', 'links', 'wisdom'])).toEqual([
      { body: { version: 1, memories: document.memories }, before: 0 },
      { body: { version: 1, links: document.links }, before: 2 },
    ]);
  });

  it('have at most 10,000 records', () => {
    const triggers = Array.from({ length: 20_001 }, (_one, at) => at);
    const parts = partsOfDocument({ triggers }, ['triggers']);
    expect(parts.map(({ before }) => before)).toEqual([0, 10_000, 20_000]);
    expect(parts.flatMap(({ body }) => (body as { triggers: number[] }).triggers)).toEqual(
      triggers,
    );
  });

  it('are one where there is nothing', () => {
    expect(partsOfDocument({ version: 1, memories: [] }, ['memories'])).toEqual([
      { body: { version: 1 }, before: 0 },
    ]);
    expect(partsOfLines('')).toEqual([{ body: { jsonl: '' }, before: 0 }]);
  });

  it('leave a record alone that is too large for any, for the server to refuse', () => {
    expect(partsOfLines(`a\n${MB}${MB}\nb`).map(({ before }) => before)).toEqual([0, 1, 2]);
  });
});
