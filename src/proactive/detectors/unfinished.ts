/**
 * Work that was left open: follow-ups, what waits for something else, and last attempts that failed;
 * without what a newer memory shows to be done. Each follow-up is judged alone.
 */
import { FLAGS, isGenerated, type WorkMemoryData } from '../../memory/index.js';
import type { LinkEdge, Reader, Shelf, SlotFilter, StoredRecord } from '../../records/index.js';
import { yieldToLoop } from '../../shared/async.js';
import type { Uuid } from '../../shared/ids.js';
import { analyze } from '../../shared/text.js';
import { ALIKE, ALIKE_ON_FILE, taskLikeness } from '../gate/same-task.js';
import { rarityIn } from '../gate/weights.js';
import type { Suppressed, UnfinishedWork } from '../types.js';
import { rowsOf } from './candidates.js';
import type { DetectorContext } from './context.js';

type Row = StoredRecord<WorkMemoryData>;

export interface Open extends Omit<UnfinishedWork, 'candidate' | 'blocker'> {
  row: Row;
  /** What `blockedBy` quotes, where that is another memory. */
  blockerRow?: Row;
  /** In words: "follow-up", "failed last". */
  reason: string;
}

interface Place {
  shelf: Shelf;
  /** Reader and how far back. */
  filter: SlotFilter;
  reader: Reader;
}

/** Newest memories of each kind that may be open. */
const EACH = 25;
const JUDGED = 40;
/** Newest memories whose links are looked at for what they wait for. */
const LINKED = 200;
/** The database is asked for links while the catalog loads. */
const LINKED_WHILE_LOADING = 40;
/** Later successes read for one text, found by its rarest words. */
const LATER = 6;
const RAREST = 8;
const JOINED = 3;
/** Words in common with another way to the same end. */
const COMMON_WORDS = 2;

/**
 * "blocked by Redis setup", "waiting for the design": what is waited for. Waiting stands at the
 * beginning or apart, so that "a spinner while waiting for the upload" is none.
 */
const WAITS = [
  /\bblocked\s+(?:by|on|until)\s+([^.;()\n]+)/i,
  /\bblockers?:\s*([^.;()\n]+)/i,
  /(?:^|[,;:(—–-]\s*|\b(?:is|are|still|currently)\s+)(?:waits?|waiting|pending|on hold)\s+(?:for|on|until)\s+([^.;()\n]+)/i,
];
const NO_FOLLOW_UP = /^\W*(?:none|nothing|no|n\/?a|nil|done)?\W*$/i;

export function createUnfinished(context: DetectorContext, { shelf, filter, reader }: Place) {
  const { checks } = context;
  const rows = new Map<Uuid, Row>();
  const rarity = rarityIn(shelf);
  const isAlike = (text: string, { data }: Row, least: number) =>
    taskLikeness(text, data.intent.goal, rarity) >= least;

  async function read(ids: readonly Uuid[]): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => !rows.has(id));
    for (const row of await rowsOf(context, missing, reader)) rows.set(row.id, row);
  }

  const newest = (more: SlotFilter, limit: number): Uuid[] =>
    shelf.newest(more, limit).hits.map(({ id }) => id);

  /** What may be open, newest first, and the links of it. */
  async function gather(): Promise<{ items: Row[]; edges: LinkEdge[] }> {
    const loading = checks.store.catalog.status().state !== 'ready';
    const linked = newest(filter, loading ? LINKED_WHILE_LOADING : LINKED);
    const waiting = (await checks.links(linked)).filter(({ type }) => type === 'blocked_by');
    const known = new Set(linked);
    const ids = [
      ...newest({ ...filter, flagsAll: FLAGS.hasFollowUp }, EACH),
      ...newest({ ...filter, flagsAll: FLAGS.failure }, EACH),
      ...waiting.map(({ source }) => source).filter((id) => known.has(id)),
    ];
    await yieldToLoop();
    await read(ids);
    const items = [...new Set(ids)]
      .flatMap((id) => rows.get(id) ?? [])
      .sort((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1))
      .slice(0, JUDGED);
    const edges = await checks.links(items.map(({ id }) => id));
    await read(edges.flatMap(({ source, target }) => [source, target]));
    return { items, edges };
  }

  /** A newer success that is the same task as the text; linked ones need less likeness. */
  async function doneLater(
    text: string,
    since: Row,
    linked: ReadonlySet<Uuid>,
    anyWay = false,
  ): Promise<Row | undefined> {
    await yieldToLoop();
    const found = await later(text, since);
    const candidates = [...new Set([...linked, ...found])].flatMap((id) => rows.get(id) ?? []);
    return candidates.find(
      (row) =>
        row.id !== since.id &&
        row.createdAtMs > since.createdAtMs &&
        row.data.outcome.success &&
        (isAlike(text, row, linked.has(row.id) ? ALIKE_ON_FILE : ALIKE) ||
          (anyWay && isAnotherWay(since, row))),
    );
  }

  /** What failed one way has succeeded another: the same kind of work on the same thing and file. */
  function isAnotherWay({ data: failed }: Row, { data: done }: Row): boolean {
    if (failed.intent.task_type !== done.intent.task_type) return false;
    const files = new Set(failed.files.map((file) => file.toLowerCase()));
    if (!done.files.some((file) => files.has(file.toLowerCase()))) return false;
    const words = new Set(analyze(failed.intent.goal));
    const common = [...new Set(analyze(done.intent.goal))].filter((word) => words.has(word));
    return common.length >= COMMON_WORDS;
  }

  async function later(text: string, { createdAtMs }: Row): Promise<Uuid[]> {
    const rarest = [...new Set(analyze(text))]
      .map((term) => ({ term, count: shelf.documentFrequency(term) }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => a.count - b.count)
      .slice(0, RAREST);
    if (rarest.length === 0) return [];
    const { scores, touched } = shelf.keyword(new Map(rarest.map(({ term }) => [term, 1])), {
      reader,
      sinceMs: createdAtMs + 1,
      flagsAll: FLAGS.success,
    });
    const ids = [...touched]
      .sort((a, b) => (scores[b] as number) - (scores[a] as number) || b - a)
      .slice(0, LATER)
      .map((slot) => shelf.idOf(slot));
    await read(ids);
    return ids;
  }

  async function judge(
    row: Row,
    edges: readonly LinkEdge[],
    open: readonly Open[],
  ): Promise<Open | { closedBy: string } | null> {
    const { intent, outcome } = row.data;
    const replaced = edges.find(
      ({ type, source, target }) => type === 'supersedes' && target === row.id && rows.has(source),
    );
    if (replaced) return { closedBy: `superseded by ${checks.print(replaced.source)}` };
    const effects = new Set(
      edges
        .filter(({ type, target }) => type === 'caused_by' && target === row.id)
        .map(({ source }) => source),
    );
    const blockers = edges
      .filter(({ type, source }) => type === 'blocked_by' && source === row.id)
      .flatMap(({ target }) => rows.get(target) ?? []);
    const notes = outcome.follow_up_needed.filter((text) => !NO_FOLLOW_UP.test(text));
    const waits = waitsFor([...notes, ...(outcome.success ? [] : [outcome.failure_reason ?? ''])]);
    const isGoalOpen = !outcome.success || blockers.length > 0 || waits?.isWhole === true;
    if (isGoalOpen) {
      const done = await doneLater(intent.goal, row, effects, !outcome.success);
      if (done) return { closedBy: `done later: ${checks.print(done.id)}` };
    }
    let blockedBy: string | undefined;
    let blockerRow: Row | undefined;
    for (const blocker of blockers) {
      if (blockedBy !== undefined || blocker.data.outcome.success) continue;
      const { goal } = blocker.data.intent;
      if (await doneLater(goal, blocker, new Set())) continue;
      blockedBy = goal;
      blockerRow = blocker;
    }
    if (blockedBy === undefined && waits !== undefined) {
      if (!(await doneLater(waits.what, row, effects))) blockedBy = waits.what;
    }
    const left: string[] = [];
    let closedBy: string | undefined;
    for (const note of notes) {
      const task = (waitIn(note)?.rest ?? note).trim();
      if (task === '') continue;
      const done = await doneLater(task, row, effects);
      const tried = open.find((other) => isAlike(task, other.row, ALIKE));
      if (done) closedBy = `done later: ${checks.print(done.id)}`;
      else if (tried) closedBy = `tried again: ${checks.print(tried.row.id)}`;
      else left.push(task);
    }
    const isFailed = !outcome.success;
    const waitsStill = waits?.isWhole === true;
    if (left.length === 0 && !isFailed && blockedBy === undefined && !waitsStill) {
      return closedBy === undefined ? null : { closedBy };
    }
    const because = outcome.success ? undefined : reasonOf(row.data);
    return {
      row,
      reason: blockedBy === undefined ? (left.length > 0 ? 'follow-up' : 'failed last') : 'blocked',
      what: left.length > 0 ? left.slice(0, JOINED).join('; ') : intent.goal,
      ...(blockedBy === undefined ? {} : { blockedBy }),
      ...(blockerRow === undefined ? {} : { blockerRow }),
      ...(because === undefined || blockedBy !== undefined ? {} : { failedBecause: because }),
    };
  }

  return {
    /** Newest first; `suppressed` says what was found done. */
    async find(
      isWanted: (row: Row) => boolean,
      limit: number,
    ): Promise<{ open: Open[]; suppressed: Suppressed[] }> {
      const { items, edges } = await gather();
      const open: Open[] = [];
      const suppressed: Suppressed[] = [];
      const leave = (row: Row, reason: string) =>
        suppressed.push({ memoryId: checks.print(row.id), detector: 'sessionStart', reason });
      for (const row of items) {
        if (open.length >= limit) break;
        if (!isWanted(row) || isChatter(row.data)) continue;
        const { goal } = row.data.intent;
        const again = open.find((other) => isAlike(goal, other.row, ALIKE));
        if (again && !row.data.outcome.success) {
          leave(row, `tried again: ${checks.print(again.row.id)}`);
          continue;
        }
        const judged = await judge(row, edges, open);
        if (judged === null) continue;
        if ('closedBy' in judged) leave(row, judged.closedBy);
        else open.push(judged);
      }
      return { open, suppressed };
    },
  };
}

/** A captured run of no kind of work that failed: talk, not a task. */
function isChatter({ origin, intent, outcome }: WorkMemoryData): boolean {
  return (
    origin === 'captured' && intent.task_type === 'other' && outcome.follow_up_needed.length === 0
  );
}

interface Wait {
  what: string;
  /** The text without it: what is to be done then. */
  rest: string;
  /** The text says nothing else, so that the goal itself waits. */
  isWhole: boolean;
}

function waitIn(text: string): Wait | undefined {
  for (const form of WAITS) {
    const match = form.exec(text);
    const what = match?.[1]?.trim().replace(/^the\s+/i, '');
    if (!match || what === undefined || what === '') continue;
    const before = text.slice(0, match.index).replace(/[\s,;:(—–-]+$/, '');
    // "It is blocked by", "Still blocked on": no task of its own.
    const isWhole = before.split(/\s+/).length < 2 || !/[a-z]{4}/i.test(before);
    return { what, rest: isWhole ? '' : before, isWhole };
  }
  return undefined;
}

function waitsFor(texts: readonly string[]): Wait | undefined {
  return texts.map(waitIn).find((wait) => wait !== undefined);
}

function reasonOf({ outcome }: WorkMemoryData): string | undefined {
  return outcome.failure_reason ?? (isGenerated(outcome) ? undefined : outcome.summary);
}
