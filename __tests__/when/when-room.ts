/** `/when` on a real folder and a real database; files, model and time in the hands of the test. */
import { sql } from 'drizzle-orm';
import {
  type Caller,
  createCatalog,
  createRecordStore,
  projectIdOf,
  type RecordStore,
  rowsOf,
} from '../../src/records/index.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';
import type { Log } from '../../src/shared/log.js';
import { analyze } from '../../src/shared/text.js';
import type { When, WhenDeps } from '../../src/when/service.js';
import { openWhen } from '../../src/when/service.js';
import type { OpenRecordDatabase } from '../contract/record-database.js';
import type { DiskRoom } from './disk-room.js';

export const START_MS = Date.UTC(2026, 2, 2, 9);
export const AGENT = derivedId('agent', 'when test');
export const OPERATOR: Caller = { kind: 'operator', sessionId: 'one' };
export const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** @param name of the project: tests share a database, not records */
export function storeOf(database: OpenRecordDatabase, name: string): RecordStore {
  const projectId = projectIdOf(AGENT, name);
  return createRecordStore({
    db: database.db,
    home: database.home,
    projectId,
    catalog: createCatalog({ analyze, project: projectId }),
    log: SILENT,
  });
}

export interface Row {
  id: Uuid;
  type: string;
  revision: number;
  text: string;
  data: Record<string, unknown>;
}

/** Rows of the project that were not removed, entries first, by text. */
export async function rowsIn(database: OpenRecordDatabase, store: RecordStore): Promise<Row[]> {
  return rowsOf<Row & Record<string, unknown>>(
    database.db,
    sql`select id, type, (metadata->>'revision')::int as revision, content->>'text' as text,
        metadata->'data' as data
      from memories where world_id = ${store.projectId} and type like 'cue_when%'
      order by type, content->>'text'`,
  );
}

export function openRoom(
  records: RecordStore,
  { paths }: Pick<DiskRoom, 'paths'>,
  more: Partial<WhenDeps> = {},
): Promise<When> {
  return openWhen({
    records,
    agentId: AGENT,
    clock: { now: () => START_MS },
    log: SILENT,
    paths,
    usagePath: null,
    onRecalled: () => {},
    isAdmin: async () => true,
    waitMs: { open: 10_000, ask: 10_000 },
    ...more,
  });
}

export const INDEX = `# Memory Index

## testing.md

/when writing mock tests | Mock Patching Pattern | patch where used, not defined
/when organizing test files | Test Module Split Strategy | split by feature, mirror source modules

## cli.md

/when choosing exit codes | Exit codes | zero done, three missing, two usage, one failure
`;

export const TESTING = `# Testing

## .Mock Patching

### Mock Patching Pattern

Patch where the object is used.

## Test Module Split Strategy

One module per feature, see src/split/modules.ts.
`;

export const CLI = `# Command line

## Exit codes

0, 1, 2 and 3.
`;

export function fill(room: DiskRoom): DiskRoom {
  room.putIndex(INDEX);
  room.put('testing.md', TESTING);
  room.put('cli.md', CLI);
  return room;
}
