/** A small record type in its third version, and stores to try it with. */
import { z } from 'zod';
import {
  createCatalog,
  createRecordStore,
  type Database,
  type Home,
  type MemoryCatalog,
  type ModelVector,
  type NewTypedRecord,
  type PurgeableStore,
  type Reader,
  type RecordType,
  type Scope,
} from '../../src/records/index.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';

export const noteSchema = z.looseObject({
  title: z.string(),
  weight: z.number(),
  seen: z.number().optional(),
  seenAt: z.string().optional(),
  body: z.string().optional(),
});
export type Note = z.infer<typeof noteSchema>;

/** Version 1 had `name`, version 2 had no `weight`. */
export const NOTE: RecordType<Note> = {
  name: 'cue_test_note',
  version: 3,
  schema: noteSchema,
  upgrades: {
    1: ({ name, ...rest }) => ({ ...rest, title: name }),
    2: (data) => ({ ...data, weight: 0.5 }),
  },
  text: (note) => note.title,
  index: (note, createdAtMs) => ({
    timeMs: createdAtMs,
    keys: [`weight:${note.weight}`],
    flags: 1,
    fields: [{ text: note.title, weight: 1 }],
  }),
  embeddingText: (note) => note.title,
};

const edgeSchema = z.looseObject({
  source_id: z.custom<Uuid>(),
  target_id: z.custom<Uuid>(),
  link_type: z.string(),
});

export const EDGE: RecordType<z.infer<typeof edgeSchema>> = {
  name: 'cue_test_edge',
  version: 1,
  schema: edgeSchema,
  upgrades: {},
  text: (edge) => edge.link_type,
  edge: (edge) => ({ source: edge.source_id, target: edge.target_id, type: edge.link_type }),
};

export const OPERATOR: Reader = { kind: 'operator' };
export const AUTHOR = derivedId('test', 'author');
export const MODEL = 'test-model';

export const words = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

export const quiet = () => {
  const warnings: Record<string, unknown>[] = [];
  const log = {
    debug() {},
    info() {},
    warn(fields: Record<string, unknown>) {
      warnings.push(fields);
    },
    error() {},
  };
  return { log, warnings };
};

/** A unit vector that is exact in half precision: one axis. */
export function axis(index: number, model = MODEL): ModelVector {
  const vector = new Float32Array(384);
  vector[index] = 1;
  return { model, vector };
}

export interface Opened {
  store: PurgeableStore;
  catalog: MemoryCatalog;
  projectId: Uuid;
  warnings: Record<string, unknown>[];
  note(
    name: string,
    more?: Partial<NewTypedRecord<Note>> & { weight?: number },
  ): NewTypedRecord<Note>;
  scope(change?: Partial<Scope>): Scope;
}

/** A store on a project of this name: tests of one agent do not meet. */
export function openProject(db: Database, home: Home, name: string): Opened {
  const projectId = derivedId('test-project', home.agentId, name);
  const { log, warnings } = quiet();
  const catalog = createCatalog({ analyze: words, project: projectId });
  catalog.shelf(NOTE.name).setModel(MODEL);
  const scope = (change: Partial<Scope> = {}): Scope => ({
    projectId,
    visibility: 'project',
    entityId: null,
    roomId: null,
    authorId: AUTHOR,
    ...change,
  });
  return {
    store: createRecordStore({ db, home, projectId, catalog, log }),
    catalog,
    projectId,
    warnings,
    scope,
    note: (title, { weight = 1, ...more } = {}) => ({
      id: derivedId('test-note', projectId, title),
      createdAtMs: 1_000,
      scope: scope(),
      data: { title, weight },
      ...more,
    }),
  };
}
