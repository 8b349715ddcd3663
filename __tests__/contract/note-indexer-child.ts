/** Indexes the records of these tests in a thread of its own. */
import { serveIndexing } from '../../src/records/catalog-worker.js';
import { EDGE, NOTE, words } from './record-fixtures.js';

serveIndexing({
  types: [NOTE, EDGE],
  analyze: words,
  instant() {
    throw new Error('these tests have no instant model');
  },
});
