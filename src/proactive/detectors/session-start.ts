/**
 * A session begins: where the last one stopped, what is unfinished, and what was learned lately (seed
 * `rum-triggers.md`, 5). Only the unfinished and learnings are a reason to speak.
 */
import type { WorkMemoryData } from '../../memory/index.js';
import type { Shelf, SlotFilter, StoredRecord } from '../../records/index.js';
import { yieldToLoop } from '../../shared/async.js';
import { DAY_MS } from '../../shared/clock.js';
import type { Uuid } from '../../shared/ids.js';
import { analyze } from '../../shared/text.js';
import type { Candidate, Detector, SessionStarted, Suppressed, UnfinishedWork } from '../types.js';
import {
  actingIn,
  candidateOf,
  disabled,
  elsewhere,
  nothing,
  notifying,
  rowsOf,
} from './candidates.js';
import { callerOf, type DetectorContext, readerIn } from './context.js';
import { createUnfinished, type Open } from './unfinished.js';

const KIND = 'sessionStart';
/** Newest memories read for the last session and for learnings. */
const READ = 50;
/** Looked through for the last session of a conversation. */
const LOOKED_AT = 200;
/** Shown at most; the token limit leaves room for fewer. */
const MOST_UNFINISHED = 4;
/** Common share of words from which two learnings are one. */
const SAME_LEARNING = 0.6;

type Row = StoredRecord<WorkMemoryData>;
type LastSession = { atMs: number; author: string; sessionId: string };

export function createSessionStart(context: DetectorContext): Detector<SessionStarted> {
  return {
    name: KIND,
    async evaluate(started) {
      const config = context.config().sessionStart;
      const acting = actingIn(context, started);
      const subject = acting.sessionId ?? 'a new session';
      if (!config.enabled) return disabled(context, KIND, subject);
      const reader = readerIn(context, started);
      if (reader === null) return elsewhere(context, KIND, subject, started.projectId);
      const cue = { kind: KIND, subject } as const;
      const { shelf, degraded } = await context.checks.lookUp();
      const filter = { reader, sinceMs: context.clock.now() - config.lookback_days * DAY_MS };

      // What was made in the session that begins is no news to it.
      const isEarlier = ({ data }: Row) =>
        acting.sessionId === undefined || data.session_id !== acting.sessionId;
      const newest = (await rowsOf(context, idsOf(shelf, filter, READ), reader)).filter(isEarlier);
      const suppressed: Suppressed[] = [];
      let open: Open[] = [];
      if (config.show_unfinished) {
        const unfinished = createUnfinished(context, { shelf, filter, reader });
        const found = await unfinished.find(isEarlier, MOST_UNFINISHED);
        open = found.open;
        suppressed.push(...found.suppressed);
      }
      const learned = config.show_recent_learnings ? learningsOf(newest, config.max_learnings) : [];
      if (open.length === 0 && learned.length === 0) {
        return nothing(context, cue, ['nothing unfinished, nothing learned'], {
          suppressed,
          degraded,
        });
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
        learnings.push({
          candidate: await candidate(row, 0.5 - place / 50, 'recent learning'),
          text,
        });
      }
      const lastSession = await lastSessionOf(context, shelf, filter, newest, started);
      const evidence = [
        ...(lastSession === null ? [] : [`last session ${lastSession.sessionId}`]),
        ...(unfinished.length === 0 ? [] : [`${unfinished.length} unfinished`]),
        ...(learnings.length === 0 ? [] : [`${learnings.length} learned`]),
      ];
      return notifying(
        context,
        { kind: KIND, lastSession, unfinished, learnings },
        [...made.values()],
        { subject, strength: unfinished.length > 0 ? 0.9 : 0.6, evidence },
        { suppressed, degraded },
      );
    },
  };
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
