/** What the catalog remembers of changes: enough to know a late one, and no more. */
import { expect, it } from 'vitest';
import { createCatalogSync } from '../../src/records/catalog-sync.js';
import { createCatalog } from '../../src/records/index.js';
import { derivedId } from '../../src/shared/ids.js';
import { EDGE, NOTE, quiet, words } from '../contract/record-fixtures.js';

const NEWEST_MS = 1_800_000_000_000;
const PROJECT = derivedId('test', 'sync project');

function opened() {
  const catalog = createCatalog({ analyze: words, project: PROJECT });
  const sync = createCatalogSync({ catalog, log: quiet().log });
  const put = (name: string, changedAtMs: number, data: object = { title: name, weight: 1 }) =>
    sync.put(NOTE, {
      id: derivedId('test', name),
      created_ms: 1,
      text: name,
      metadata: { type: NOTE.name, version: 3, revision: 1, audience: 'p', changedAtMs, data },
    });
  return { catalog, sync, put, shelf: catalog.shelf(NOTE.name) };
}

it('forgets old changes also when newer ones came before them, and keeps the recent ones', () => {
  const { sync, put, shelf } = opened();
  for (let n = 0; n < 50; n += 1) put(`recent ${n}`, NEWEST_MS);
  for (let n = 0; n < 12_000; n += 1) put(`old ${n}`, NEWEST_MS - 100_000_000 + n);
  expect(sync.remembered).toBeLessThanOrEqual(4_001);
  for (let n = 0; n < 50; n += 1) put(`recent ${n}`, NEWEST_MS - 1, { title: 'late', weight: 1 });
  expect([shelf.documentFrequency('recent'), shelf.documentFrequency('late')]).toEqual([50, 0]);
});

it('knows the rows that the catalog cannot hold until they are put right or removed', () => {
  const { sync, put } = opened();
  put('fine', 1);
  put('damaged', 1, { title: 7, weight: 1 });
  put('not indexed', 1, { title: null, weight: 1 });
  const self = derivedId('test', 'fine');
  sync.put(EDGE, {
    id: derivedId('test', 'to itself'),
    created_ms: 1,
    text: '',
    metadata: {
      type: EDGE.name,
      version: 1,
      revision: 1,
      audience: 'p',
      changedAtMs: 1,
      data: { source_id: self, target_id: self, link_type: 'led_to' },
    },
  });
  expect(sync.outside()).toEqual({
    [NOTE.name]: [derivedId('test', 'damaged'), derivedId('test', 'not indexed')],
    [EDGE.name]: [derivedId('test', 'to itself')],
  });
  put('damaged', 2);
  sync.remove(NOTE, derivedId('test', 'not indexed'), 2);
  expect(sync.outside()).toEqual({
    [NOTE.name]: [],
    [EDGE.name]: [derivedId('test', 'to itself')],
  });
  sync.reset({ [NOTE.name]: [self] });
  expect(sync.outside()).toEqual({ [NOTE.name]: [self] });
  sync.reset();
  expect(sync.outside()).toEqual({});
});
