/** One record of an import as it is judged: read, cleaned, brought into the shape of an export. */
import { DAY_MS } from '../shared/clock.js';
import { isAppError, wrongField } from '../shared/errors.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import { isObject } from '../shared/json.js';
import { authorOf, type Caller } from './access.js';
import { isoOf, type MemoryContext } from './context.js';
import { filesOf, readDraft } from './draft.js';
import { cleaned, parseInput, type Redactions, requireSize } from './input.js';
import { type ExportLine, exportLineSchema, type RawRecord } from './transfer-format.js';

/** A good record and what was taken out of it, or why it is none. */
export type ReadLine =
  | { record: ExportLine; redacted: Redactions; earlierId?: Uuid }
  | { record: null; reason: string };

/** Clocks differ; what was made later than this was not made. */
const AHEAD_MS = DAY_MS;

export function readLine(
  context: MemoryContext,
  { value, problem }: RawRecord,
  caller: Caller,
): ReadLine {
  if (problem !== undefined) return { record: null, reason: problem };
  try {
    requireSize(value);
    const { value: safe, redacted } = cleaned(value);
    const isDraft = isObject(safe) && !('kind' in safe) && !('data' in safe);
    const { record, ...earlier } = isDraft
      ? fromDraft(context, safe, caller)
      : { record: withFiles(parseInput(exportLineSchema, safe)) };
    if (Date.parse(record.created_at) > context.clock.now() + AHEAD_MS) {
      const message = 'must not be more than a day from now';
      throw wrongField('created_at', message);
    }
    return { record, redacted, ...earlier };
  } catch (error) {
    if (isAppError(error)) return { record: null, reason: error.message };
    throw error;
  }
}

function withFiles(record: ExportLine): ExportLine {
  if (record.kind !== 'memory') return record;
  return { ...record, data: { ...record.data, files: filesOf(record.data) } };
}

/** A memory written by hand: as `store` takes it. The same one twice is one. */
function fromDraft(
  context: MemoryContext,
  value: Record<string, unknown>,
  caller: Caller,
): { record: ExportLine; earlierId?: Uuid } {
  const { created_at, id, ...rest } = value;
  const { links, visibility, ...draft } = readDraft(rest, context);
  if (links !== undefined) {
    throw wrongField('links', 'of an import are records of their own (kind "link")');
  }
  const { projectId } = context.records;
  const same = JSON.stringify(draft);
  const earlierId = derivedId('imported', projectId, same);
  const isTimed = id === undefined && typeof created_at === 'string';
  const record = parseInput(exportLineSchema, {
    kind: 'memory',
    id: id ?? (isTimed ? derivedId('imported', projectId, same, created_at) : earlierId),
    created_at: created_at ?? isoOf(context.clock.now()),
    visibility: visibility ?? 'project',
    data: { ...draft, files: filesOf(draft), agent_id: authorOf(caller, context.agentId) },
  });
  return isTimed ? { record, earlierId } : { record };
}
