/** From what a look-up found to what is shown, and the answers of a detector in one place. */
import type { Caller, WorkMemoryData } from '../../memory/index.js';
import { identityOfSession, type Reader, type StoredRecord } from '../../records/index.js';
import { yieldToLoop } from '../../shared/async.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import { compose } from '../text/composer.js';
import type {
  Candidate,
  Cue,
  Detection,
  DetectorName,
  Occasion,
  OfferContent,
  Shown,
  Suppressed,
} from '../types.js';
import { callerOf, type DetectorContext } from './context.js';

/** What a look-up found, before its row is read. */
export interface Found {
  id: Uuid;
  /** 0 to 1, comparable within one detection. */
  score: number;
  reasons: string[];
}

/** Rows of one statement. */
const CHUNK = 50;

/** Rows by primary key, in the order of `ids`, with a turn of the event loop between statements. */
export async function rowsOf(
  { checks }: DetectorContext,
  ids: readonly Uuid[],
  reader: Reader,
): Promise<StoredRecord<WorkMemoryData>[]> {
  const rows: StoredRecord<WorkMemoryData>[] = [];
  for (let start = 0; start < ids.length; start += CHUNK) {
    if (start > 0) await yieldToLoop();
    rows.push(...(await checks.rows(ids.slice(start, start + CHUNK), reader)));
  }
  return rows;
}

/** In the order of `found`; what is gone, or not the reader's, is absent. */
export async function candidatesOf(
  context: DetectorContext,
  found: readonly Found[],
  reader: Reader,
): Promise<Candidate[]> {
  const rows = await rowsOf(
    context,
    found.map(({ id }) => id),
    reader,
  );
  const byId = new Map(found.map((each) => [each.id, each]));
  const candidates: Candidate[] = [];
  for (const row of rows) {
    const { score = 0, reasons = [] } = byId.get(row.id) ?? {};
    candidates.push(await candidateOf(context, row, score, reasons));
  }
  return candidates;
}

/** Of a row that has been read. */
export async function candidateOf(
  { checks }: DetectorContext,
  record: StoredRecord<WorkMemoryData>,
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

/** The agent and session that act now; what they have just made need not be told to them. */
export interface Acting {
  agentId: Uuid;
  sessionId: string | undefined;
}

/**
 * As whom the one that acts writes: an agent's id where that is a UUID, else whom the caller writes
 * as, which without a caller is the Eliza agent.
 */
export function actingIn({ checks }: DetectorContext, occasion: Occasion): Acting {
  const caller = callerOf(occasion);
  const named = occasion.agentId !== undefined && isUuid(occasion.agentId) && occasion.agentId;
  return {
    agentId: named || writerOf(caller, checks.projectId) || checks.agentId,
    sessionId: occasion.sessionId ?? caller.sessionId,
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

/** A detection that leads to nothing; `evidence` says why. */
export function nothing(
  context: DetectorContext,
  cue: Pick<Cue, 'kind' | 'subject'>,
  evidence: readonly string[],
  more: { suppressed?: Suppressed[]; degraded?: string | undefined } = {},
): Detection {
  const { suppressed = [], degraded } = more;
  return {
    shouldNotify: false,
    memories: [],
    tokenEstimate: 0,
    cue: { ...cue, strength: 0, evidence: [...evidence], timeMs: context.clock.now() },
    text: '',
    content: null,
    suppressed,
    ...(degraded === undefined ? {} : { degraded }),
  };
}

/** The answer of a detector that its settings have turned off. */
export function disabled(context: DetectorContext, kind: DetectorName, subject: string): Detection {
  return nothing(context, { kind, subject }, ['disabled']);
}

/** The answer to whoever names a project that is not served. */
export function elsewhere(
  context: DetectorContext,
  kind: DetectorName,
  subject: string,
  projectId: string | undefined,
): Detection {
  return nothing(context, { kind, subject }, [`another project: ${projectId ?? ''}`]);
}

/** A detection with its text; the memories are those whose line made it into the text. */
export function notifying(
  context: DetectorContext,
  content: OfferContent,
  candidates: readonly Shown[],
  cue: Omit<Cue, 'kind' | 'timeMs'>,
  more: { suppressed?: Suppressed[]; degraded?: string | undefined } = {},
): Detection {
  const nowMs = context.clock.now();
  const { suppressed = [], degraded } = more;
  const { text, tokens, shown } = compose(content, { nowMs, prefix: context.prefix });
  const told = new Set(shown);
  return {
    shouldNotify: text !== '',
    memories: candidates.filter(({ id }) => told.has(id)),
    tokenEstimate: tokens,
    cue: { kind: content.kind, ...cue, timeMs: nowMs },
    text,
    content,
    suppressed: [
      ...suppressed,
      ...candidates
        .filter(({ id }) => !told.has(id))
        .map(({ memoryId }) => ({
          memoryId,
          detector: content.kind,
          reason: 'no room within the token limit',
        })),
    ],
    ...(degraded === undefined ? {} : { degraded }),
  };
}

/** Says of one detector why a memory is not shown. */
export function suppressedBy({ checks }: DetectorContext, detector: DetectorName) {
  return (id: Uuid, reason: string): Suppressed => ({
    memoryId: checks.print(id),
    detector,
    reason,
  });
}
