/** What every detector works with, and the two answers that it can give. */
import {
  type Caller,
  type MemoryChecks,
  readerOf,
  type WorkMemoryData,
} from '../../memory/index.js';
import { identityOfSession, type Reader, type StoredRecord } from '../../records/index.js';
import { yieldToLoop } from '../../shared/async.js';
import type { Clock } from '../../shared/clock.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import type { ProactiveConfig } from '../config.js';
import type { Bar } from '../learning.js';
import { candidatesIn, compose, quotedIn } from '../text/composer.js';
import type {
  Candidate,
  Cue,
  Detection,
  Detector,
  DetectorName,
  EventContext,
  OfferContent,
  Shown,
  Suppressed,
} from '../types.js';

export interface DetectorContext {
  checks: MemoryChecks;
  clock: Clock;
  /** Read at each evaluation. */
  config: () => ProactiveConfig;
  /** Word before an offer, without brackets: `RUM`. */
  prefix: string;
  /** Where what was learned of a kind has put its threshold; absent: where it is set. */
  bar?: (kind: DetectorName, setting: number) => Bar;
}

export type Row = StoredRecord<WorkMemoryData>;

/** An agent that speaks for nobody. */
const ANYBODY: Caller = { kind: 'agent' };

export function callerOf(eventContext: EventContext): Caller {
  return eventContext.caller ?? ANYBODY;
}

export function barIn({ bar }: DetectorContext, kind: DetectorName, setting: number): Bar {
  return bar?.(kind, setting) ?? { least: setting, because: null };
}

interface More {
  suppressed?: Suppressed[];
  degraded?: string | undefined;
}

/** One question to a detector, and what it can answer. */
interface Question<Name extends DetectorName> {
  config: ProactiveConfig[Name];
  subject: string;
  /** Whose eyes the detector has. */
  reader: Reader;
  suppress(id: Uuid, reason: string): Suppressed;
  /** Leads to nothing; `evidence` says why. */
  nothing(evidence: readonly string[], more?: More): Detection;
  /** With its text; the memories are those whose line made it into the text. */
  notifying(
    content: Extract<OfferContent, { kind: Name }>,
    candidates: readonly Shown[],
    cue: Pick<Cue, 'strength' | 'evidence'> & Partial<Pick<Cue, 'subject'>>,
    more?: More,
  ): Detection;
}

/** A detector that is asked only while it is switched on, and only about the project that is served. */
export function defineDetector<Name extends DetectorName, Input extends EventContext>(
  context: DetectorContext,
  name: Name,
  subjectOf: (input: Input) => string,
  detect: (input: Input, question: Question<Name>) => Promise<Detection>,
): Detector<Input> {
  const { checks, clock } = context;
  return {
    name,
    async evaluate(input) {
      const config = context.config()[name];
      const subject = subjectOf(input);
      const answer = (cue: Omit<Cue, 'kind' | 'timeMs'>, { suppressed, degraded }: More) => ({
        cue: { kind: name, ...cue, timeMs: clock.now() },
        suppressed: suppressed ?? [],
        ...(degraded === undefined ? {} : { degraded }),
      });
      const nothing = (evidence: readonly string[], more: More = {}): Detection => ({
        ...answer({ subject, strength: 0, evidence: [...evidence] }, more),
        ...{ shouldNotify: false, memories: [], tokenEstimate: 0, text: '', content: null },
      });
      const { projectId } = input;
      if (!config.enabled) return nothing(['disabled']);
      if (projectId !== undefined && !checks.isProject(projectId)) {
        return nothing([`another project: ${projectId}`]);
      }
      const suppress = suppressedBy(context, name);
      const reader = readerOf(callerOf(input));
      const question: Question<Name> = {
        ...{ config, subject, suppress, nothing, reader },
        notifying(content, candidates, cue, more = {}) {
          const { text, tokens, shown } = compose(content, {
            nowMs: clock.now(),
            prefix: context.prefix,
          });
          const told = new Set(shown);
          const left = candidates
            .filter(({ id }) => !told.has(id))
            .map(({ memoryId }) => {
              return { memoryId, detector: name, reason: 'no room within the token limit' };
            });
          return {
            ...answer(
              { subject, ...cue },
              { ...more, suppressed: [...(more.suppressed ?? []), ...left] },
            ),
            shouldNotify: text !== '',
            memories: candidates.filter(({ id }) => told.has(id)),
            tokenEstimate: tokens,
            text,
            content,
          };
        },
      };
      // What was judged as it was read before may have changed: then it is judged once more.
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const fromMs = performance.now();
        const detection = await detect(input, question);
        if (await isAsStored(checks, detection, { reader, fromMs })) return detection;
      }
      return nothing(['its memories are being changed']);
    },
  };
}

/** Whether the memories of a detection are as they were judged; those read since `fromMs` are. */
async function isAsStored(
  { rows }: MemoryChecks,
  { content, shouldNotify }: Detection,
  { reader, fromMs }: { reader: Reader; fromMs: number },
): Promise<boolean> {
  if (!shouldNotify || content === null) return true;
  if (content.kind === 'hintMatch' || content.kind === 'whenMatch') return true;
  const told = [...candidatesIn(content), ...quotedIn(content)];
  const ids = told.map(({ id }) => id);
  const stored = await rows(ids, reader, performance.now() - fromMs);
  const revisions = new Map(stored.map(({ id, revision }) => [id, revision]));
  return told.every(({ id, revision }) => revisions.get(id) === revision);
}

/** Says of one detector why a memory is not shown. */
export function suppressedBy({ checks }: DetectorContext, detector: DetectorName) {
  return (id: Uuid, reason: string): Suppressed => ({
    memoryId: checks.print(id),
    detector,
    reason,
  });
}

/** Rows of one statement. */
const CHUNK = 50;

/**
 * Rows by primary key, in the order of `ids`, with a turn of the event loop between statements. They are for
 * judging: what was read before and is as the catalog knows it is not read again.
 */
export async function rowsOf(
  { checks }: DetectorContext,
  ids: readonly Uuid[],
  reader: Reader,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < ids.length; start += CHUNK) {
    if (start > 0) await yieldToLoop();
    const part = ids.slice(start, start + CHUNK);
    rows.push(...(await checks.rows(part, reader, Number.POSITIVE_INFINITY)));
  }
  return rows;
}

/** What newer memory, that may be read, has taken the place of which. */
export async function successorsOf(
  context: DetectorContext,
  ids: readonly Uuid[],
  reader: Reader,
  isMeant: (row: Row) => boolean = () => true,
): Promise<ReadonlyMap<Uuid, Row>> {
  if (ids.length === 0) return new Map();
  const edges = (await context.checks.links(ids)).filter(
    ({ type, target, source }) =>
      type === 'supersedes' && ids.includes(target) && source !== target,
  );
  const sources = [...new Set(edges.map(({ source }) => source))].slice(0, CHUNK);
  const rows = new Map((await rowsOf(context, sources, reader)).map((row) => [row.id, row]));
  return new Map(
    edges.flatMap(({ source, target }) => {
      const row = rows.get(source);
      return row && isMeant(row) ? [[target, row] as const] : [];
    }),
  );
}

/** Of a row that has been read. */
export async function candidateOf(
  { checks }: DetectorContext,
  record: Row,
  score: number,
  reasons: readonly string[],
): Promise<Candidate> {
  return {
    id: record.id,
    memoryId: checks.print(record.id),
    revision: record.revision,
    createdAtMs: record.createdAtMs,
    score,
    reasons: [...reasons],
    author: await checks.nameOf(record.data.agent_id),
    scope: record.scope,
    files: record.data.files,
    record,
  };
}

/** Newest first; of equal ones the order is fixed. */
export function newestFirst(
  a: Pick<Row, 'id' | 'createdAtMs'>,
  b: Pick<Row, 'id' | 'createdAtMs'>,
): number {
  return b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1);
}

/** The agent and session that act now; what they have just made need not be told to them. */
export interface Acting {
  agentId: Uuid;
  sessionId: string | undefined;
}

/**
 * As whom the one that acts writes: an agent's id where that is a UUID, else whom the caller writes
 * as, which without a caller is the Eliza agent.
 */
export function actingIn({ checks }: DetectorContext, eventContext: EventContext): Acting {
  const caller = callerOf(eventContext);
  const named =
    eventContext.agentId !== undefined && isUuid(eventContext.agentId) && eventContext.agentId;
  return {
    agentId: named || writerOf(caller, checks.projectId) || checks.agentId,
    sessionId: eventContext.sessionId ?? caller.sessionId,
  };
}

/** A client that has registered nothing writes as its session. */
function writerOf(caller: Caller, projectId: Uuid): Uuid | undefined {
  if (caller.kind === 'operator') return caller.agentId;
  if (caller.kind === 'entity') return undefined;
  const { identityId, sessionId } = caller;
  if (identityId !== undefined || sessionId === undefined) return identityId;
  return identityOfSession(projectId, sessionId);
}

/** Whether the one that acts made it in the session it is still in. */
export function isOwn({ agentId, sessionId }: Acting, data: WorkMemoryData): boolean {
  return sessionId !== undefined && data.session_id === sessionId && data.agent_id === agentId;
}
