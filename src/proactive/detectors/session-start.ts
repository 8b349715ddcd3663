/**
 * A session begins: where the last one stopped, what is unfinished, and what was learned lately (seed
 * `rum-triggers.md`, 5). Only the unfinished and learnings are a reason to speak.
 */
import { FLAGS, isGenerated, type WorkMemoryData } from '../../memory/index.js';
import type { LinkEdge, Reader, Shelf, SlotFilter } from '../../records/index.js';
import { yieldToLoop } from '../../shared/async.js';
import { DAY_MS } from '../../shared/clock.js';
import type { Uuid } from '../../shared/ids.js';
import { analyze } from '../../shared/text.js';
import { ALIKE, ALIKE_ON_FILE, taskLikeness } from '../gate/text.js';
import { rarityIn } from '../gate/weights.js';
import type { Candidate, Detector, SessionStarted, Suppressed, UnfinishedWork } from '../types.js';
import {
  actingIn,
  callerOf,
  candidateOf,
  type DetectorContext,
  defineDetector,
  newestFirst,
  type Row,
  rowsOf,
  suppressedBy,
} from './detection.js';

const KIND = 'sessionStart';
/** Newest memories read for the last session and for learnings. */
const READ = 50;
/** Looked through for the last session of a conversation. */
const LOOKED_AT = 200;
/** Shown at most; the token limit leaves room for fewer. */
const MOST_UNFINISHED = 4;
/** Common share of words from which two learnings are one. */
const SAME_LEARNING = 0.6;

type LastSession = { atMs: number; author: string; sessionId: string };

export function createSessionStart(context: DetectorContext): Detector<SessionStarted> {
  return defineDetector(
    context,
    KIND,
    (started: SessionStarted) => actingIn(context, started).sessionId ?? 'a new session',
    async (started, question) => {
      const { config, reader } = question;
      const acting = actingIn(context, started);
      const { shelf, degraded } = await context.checks.lookUp();
      const filter = { reader, sinceMs: context.clock.now() - config.lookback_days * DAY_MS };

      // What was made in the session that begins is no news to it.
      const isEarlier = ({ data }: Row) =>
        acting.sessionId === undefined || data.session_id !== acting.sessionId;
      const rows = await rowsOf(context, idsOf(shelf, filter, READ), reader);
      const newest = rows.filter(isEarlier);
      const { open, suppressed } = config.show_unfinished
        ? await unfinishedIn(context, { shelf, filter, reader, rows }, isEarlier, MOST_UNFINISHED)
        : { open: [], suppressed: [] };
      const learned = config.show_recent_learnings ? learningsOf(newest, config.max_learnings) : [];
      const more = { suppressed, degraded };
      if (open.length === 0 && learned.length === 0) {
        return question.nothing(['nothing unfinished, nothing learned'], more);
      }

      const made = new Map<Uuid, Candidate>();
      const candidate = async (row: Row, score: number, reason: string): Promise<Candidate> => {
        const known = made.get(row.id);
        known?.reasons.push(reason);
        const fresh = known ?? (await candidateOf(context, row, score, [reason]));
        made.set(row.id, fresh);
        return fresh;
      };
      const unfinished: UnfinishedWork[] = [];
      for (const [place, { row, reason, blockerRow, ...work }] of open.entries()) {
        unfinished.push({
          ...work,
          candidate: await candidate(row, 1 - place / 10, reason),
          // Not one of those that are told of: that is said of it in its own line, if it has one.
          ...(blockerRow === undefined
            ? {}
            : { blocker: await candidateOf(context, blockerRow, 0, ['quoted: blocks another']) }),
        });
      }
      const learnings: { candidate: Candidate; text: string }[] = [];
      for (const [place, { row, text }] of learned.entries()) {
        const shown = await candidate(row, 0.5 - place / 50, 'recent learning');
        learnings.push({ candidate: shown, text });
      }
      const lastSession = await lastSessionOf(context, shelf, filter, newest, started);
      const evidence = [
        ...(lastSession === null ? [] : [`last session ${lastSession.sessionId}`]),
        ...(unfinished.length === 0 ? [] : [`${unfinished.length} unfinished`]),
        ...(learnings.length === 0 ? [] : [`${learnings.length} learned`]),
      ];
      return question.notifying(
        { kind: KIND, lastSession, unfinished, learnings },
        [...made.values()],
        { strength: unfinished.length > 0 ? 0.9 : 0.6, evidence },
        more,
      );
    },
  );
}

function idsOf(shelf: Shelf, filter: SlotFilter, limit: number): Uuid[] {
  return shelf.newest(filter, limit).hits.map(({ id }) => id);
}

/**
 * The newest one before that which begins; in a conversation the newest of its room, as
 * `recall("session:last")` reads it: sessions of other rooms go on at the same time.
 */
async function lastSessionOf(
  context: DetectorContext,
  shelf: Shelf,
  filter: SlotFilter,
  newest: readonly Row[],
  started: SessionStarted,
): Promise<LastSession | null> {
  const caller = callerOf(started);
  const roomId = caller.kind === 'entity' ? caller.roomId : started.roomId;
  const own = actingIn(context, started).sessionId;
  const isOther = ({ data }: Row) => data.session_id !== undefined && data.session_id !== own;
  const isHere = ({ scope }: Row) => roomId === undefined || scope.roomId === roomId;
  const elsewhere = newest.find(isOther);
  let found = newest.find((row) => isOther(row) && isHere(row));
  if (found === undefined) {
    const further = idsOf(shelf, filter, LOOKED_AT).slice(READ);
    for (let start = 0; start < further.length && found === undefined; start += READ) {
      await yieldToLoop();
      const rows = await rowsOf(context, further.slice(start, start + READ), filter.reader);
      found = rows.find((row) => isOther(row) && (isHere(row) || elsewhere === undefined));
    }
  }
  const last = found ?? elsewhere;
  if (last?.data.session_id === undefined) return null;
  return {
    atMs: last.createdAtMs,
    author: await context.checks.nameOf(last.data.agent_id),
    sessionId: last.data.session_id,
  };
}

/** The most important first, then the newest; each said once. */
function learningsOf(rows: readonly Row[], limit: number): { row: Row; text: string }[] {
  const ordered = [...rows].sort(
    (a, b) => b.data.importance - a.data.importance || b.createdAtMs - a.createdAtMs,
  );
  const chosen: { row: Row; text: string; terms: Set<string> }[] = [];
  for (const row of ordered) {
    for (const text of row.data.outcome.learnings) {
      if (chosen.length >= limit) return chosen;
      const terms = new Set(analyze(text));
      if (terms.size > 0 && chosen.every((other) => shared(terms, other.terms) < SAME_LEARNING)) {
        chosen.push({ row, text, terms });
      }
    }
  }
  return chosen;
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const term of a) if (b.has(term)) both += 1;
  return both / (a.size + b.size - both);
}

/*
 * Work that was left open: follow-ups, what waits for something else, and last attempts that failed;
 * without what a newer memory shows to be done. Each follow-up is judged alone.
 */

interface Open extends Omit<UnfinishedWork, 'candidate' | 'blocker'> {
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
  /** That have been read already. */
  rows: readonly Row[];
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

/** Newest first; `suppressed` says what was found done. */
async function unfinishedIn(
  context: DetectorContext,
  { shelf, filter, reader, rows: known }: Place,
  isWanted: (row: Row) => boolean,
  limit: number,
): Promise<{ open: Open[]; suppressed: Suppressed[] }> {
  const { checks } = context;
  const rows = new Map(known.map((row) => [row.id, row]));
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
      .sort(newestFirst)
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
    const found = shelf.keyword(new Map(rarest.map(({ term }) => [term, 1])), {
      reader,
      sinceMs: createdAtMs + 1,
      flagsAll: FLAGS.success,
    });
    const { scores } = found;
    const ids = [...found.touched]
      .sort((a, b) => (scores[b] as number) - (scores[a] as number) || b - a)
      .slice(0, LATER)
      .map((slot) => shelf.idOf(slot));
    found.release();
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

  const { items, edges } = await gather();
  const open: Open[] = [];
  const suppressed: Suppressed[] = [];
  const suppress = suppressedBy(context, KIND);
  for (const row of items) {
    if (open.length >= limit) break;
    if (!isWanted(row) || isChatter(row.data)) continue;
    const { goal } = row.data.intent;
    const again = open.find((other) => isAlike(goal, other.row, ALIKE));
    if (again && !row.data.outcome.success) {
      suppressed.push(suppress(row.id, `tried again: ${checks.print(again.row.id)}`));
      continue;
    }
    const judged = await judge(row, edges, open);
    if (judged === null) continue;
    if ('closedBy' in judged) suppressed.push(suppress(row.id, judged.closedBy));
    else open.push(judged);
  }
  return { open, suppressed };
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
