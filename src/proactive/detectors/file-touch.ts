/**
 * A file is touched: what was done to it before (seed `rum-triggers.md`, 1). Found by exact key, so a
 * check of a file that nobody knows costs next to nothing.
 */
import { FLAGS, fileKeys, keyOf } from '../../memory/index.js';
import type { Hit, Shelf, SlotFilter } from '../../records/index.js';
import { DAY_MS } from '../../shared/clock.js';
import type { Uuid } from '../../shared/ids.js';
import { normalizePath } from '../../shared/paths.js';
import type { Candidate, Detector, FileTouched } from '../types.js';
import {
  type Acting,
  actingIn,
  candidateOf,
  type DetectorContext,
  defineDetector,
  rowsOf,
  successorsOf,
} from './detection.js';

const SHOWN = 3;
/** Looked at when some of the newest have been superseded. */
const LOOKED_AT = 6;
/** Memories of the session that touches the file, named among the suppressed. */
const OWN_NAMED = 20;
/** Older memories that the catalog does not hold. */
const BROUGHT = 8;
const KIND = 'fileTouch';

export function createFileTouch(context: DetectorContext): Detector<FileTouched> {
  const { checks } = context;
  return defineDetector(
    context,
    KIND,
    ({ filePath }: FileTouched) => fileOf(filePath) ?? filePath,
    async (touched, question) => {
      const { config, reader, suppress } = question;
      const file = fileOf(touched.filePath);
      if (file === null) return question.nothing(['not a path of a file']);

      const { shelf, degraded: loading } = await checks.lookUp();
      const filter: SlotFilter = {
        reader,
        sinceMs: context.clock.now() - config.max_age_days * DAY_MS,
        ...(config.include_failures ? {} : { flagsNone: FLAGS.failure }),
      };
      const keys = fileKeys(file).map((one) => [one]);
      const beyond = await checks.bringOlder({ ...filter, keys, limit: BROUGHT });
      const degraded = loading ?? beyond ?? undefined;
      const key = checks.fileKey(shelf, file, filter);
      if (key === undefined) return question.nothing(['no memory of this file'], { degraded });

      const history = historyOf(shelf, key, filter, actingIn(context, touched));
      const suppressed = history.own.map((id) => suppress(id, 'made in this session'));
      const { total, failed } = history;
      const counted = `${total} ${total === 1 ? 'memory' : 'memories'} of ${key.slice(key.indexOf(':') + 1)}`;
      if (total < config.min_memories) {
        const few = [counted, `fewer than ${config.min_memories}`];
        const evidence = total === 0 ? ['no memory of this file'] : few;
        return question.nothing(evidence, { suppressed, degraded });
      }
      // What a newer memory has taken the place of is history of history.
      const successors = await successorsOf(context, history.newest, reader);
      for (const [id, { id: by }] of successors) {
        suppressed.push(suppress(id, `superseded by ${checks.print(by)}`));
      }
      const current = history.newest.filter((id) => !successors.has(id));
      const chosen = choose(current, shelf);
      const memories: Candidate[] = [];
      for (const row of await rowsOf(context, chosen, reader)) {
        const score = 1 - chosen.indexOf(row.id) / 10;
        memories.push(await candidateOf(context, row, score, [`file ${file}`]));
      }
      // Forgotten since: the shelf follows within the second.
      if (memories.length === 0) return question.nothing([counted, 'gone'], { degraded });
      return question.notifying(
        { kind: KIND, file, total, failed, memories },
        memories,
        { strength: 1, evidence: [counted, ...(failed > 0 ? [`${failed} failed`] : [])] },
        { suppressed, degraded },
      );
    },
  );
}

/** Normalized; `null` for what is empty, a folder, or an address on the web. */
function fileOf(path: string): string | null {
  const trimmed = path.trim();
  if (/[\\/]$/.test(trimmed) || /^(?!file:)[a-z][a-z0-9+.-]+:\/\//i.test(trimmed)) return null;
  const normal = normalizePath(trimmed);
  return 'path' in normal ? normal.path : null;
}

interface History {
  /** Without those of the session that touches it, whatever their number. */
  total: number;
  failed: number;
  /** Newest first, what was told before what was captured, with the newest failure among them. */
  newest: Uuid[];
  own: Uuid[];
}

function historyOf(
  shelf: Shelf,
  key: string,
  filter: SlotFilter,
  { agentId, sessionId }: Acting,
): History {
  const failures = { ...filter, flagsAll: FLAGS.failure };
  // An agent's key alone may name every memory there is; beside a file's it is not walked.
  const ownKeys =
    sessionId === undefined ? null : [key, keyOf.session(sessionId), keyOf.agent(agentId)];
  const own = ownKeys ? shelf.byKeys(ownKeys, filter, OWN_NAMED) : { hits: [], total: 0 };
  const ownFailed = ownKeys && own.total > 0 ? shelf.byKeys(ownKeys, failures, 1).total : 0;
  const isOwn = new Set(
    ownKeys && own.total > own.hits.length
      ? shelf.byKeys(ownKeys, filter, own.total).hits.map(({ slot }) => slot)
      : own.hits.map(({ slot }) => slot),
  );
  const read = (more: SlotFilter, limit: number): { hits: Hit[]; total: number } => {
    const { hits, total } = shelf.byKeys([key], more, limit + isOwn.size);
    return { hits: hits.filter(({ slot }) => !isOwn.has(slot)).slice(0, limit), total };
  };
  const none = (filter.flagsNone ?? 0) | FLAGS.captured;
  const all = read(filter, LOOKED_AT);
  const told = all.hits.some(({ slot }) => shelf.flagsOf(slot) & FLAGS.captured)
    ? read({ ...filter, flagsNone: none }, LOOKED_AT)
    : all;
  const failure = read(failures, 1);
  const newest = [...told.hits, ...all.hits, ...failure.hits].map(({ id }) => id);
  return {
    total: all.total - own.total,
    failed: failure.total - ownFailed,
    newest: [...new Set(newest)],
    own: own.hits.map(({ id }) => id),
  };
}

/** The first three; where they all succeeded and one failed before them, that one is the third. */
function choose(ids: readonly Uuid[], shelf: Shelf): Uuid[] {
  const hasFailed = (id: Uuid) => {
    const slot = shelf.slotOf(id);
    return slot !== undefined && (shelf.flagsOf(slot) & FLAGS.failure) !== 0;
  };
  const chosen = ids.slice(0, SHOWN);
  const failure = ids.find(hasFailed);
  if (failure === undefined || chosen.includes(failure)) return chosen;
  return [...chosen.slice(0, SHOWN - 1), failure];
}
