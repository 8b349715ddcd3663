/**
 * Identities that outlive their process: registered once, resumed with a token of which only the
 * hash is kept (seed, Agent Identity Manager).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import {
  identityOfSession,
  projectScope,
  type RecordStore,
  type StoredRecord,
} from '../records/index.js';
import { AppError, NotFoundError, wrongField } from '../shared/errors.js';
import { judge } from '../shared/findings.js';
import { derivedId, type Ids, type Uuid } from '../shared/ids.js';
import { isObject } from '../shared/json.js';
import { type Caller, readerOf, registeredIdOf } from './access.js';
import { isoOf, type MemoryContext } from './context.js';
import { cleaned, parseInput } from './input.js';
import { countMemories } from './older.js';
import { FLAGS, identityType, keyOf } from './records.js';
import { type IdentityData, sessionSchema, uuidSchema } from './schema.js';

/** Control characters, and those that hide or reorder what stands beside them; joiners are letters' own. */
const UNSEEN = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;
const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !UNSEEN.test(text), 'must not contain control characters or invisible ones')
  .refine((text) => /[^\p{C}\s]/u.test(text), 'must not be empty');

export const identityRequestSchema = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('register'),
    type: z.enum(['main', 'subagent']).default('main'),
    /** Unique in the project when given. */
    name: name.optional(),
    /** Identity of the parent; needed for a subagent. */
    parent: uuidSchema.optional(),
    /** Resume token of the parent; not for whoever is the parent in this session. */
    parent_token: z.string().min(1).max(200).optional(),
    session_id: sessionSchema.optional(),
  }),
  z.strictObject({
    action: z.literal('resume'),
    agent_id: uuidSchema,
    resume_token: z.string().min(1).max(200),
    session_id: sessionSchema.optional(),
  }),
  /** Of the caller, when it names none. */
  z.strictObject({ action: z.literal('info'), agent_id: uuidSchema.optional() }),
]);

export interface IdentityResult {
  agent_id: Uuid;
  type: 'main' | 'subagent';
  name: string | null;
  parent_id: Uuid | null;
  project_id: Uuid;
  created_at: string;
  session_history: string[];
  session_count: number;
  /** Of its memories that the asker may read. */
  memory_count: number;
  /** 0 to 1, of the same; `null` without any. */
  success_rate: number | null;
  /** Shown once, by `register`. */
  resume_token?: string;
}

/** Sessions kept of one identity; the oldest go first. */
const MAX_SESSIONS = 100;
const ATTEMPTS = 3;
const CLIENT_NAME_CHARS = 60;
const EVERYBODY = { kind: 'operator' } as const;

type IdentityContext = Pick<MemoryContext, 'records' | 'clock' | 'ids' | 'agentId'>;

/**
 * @throws InvalidInputError (a subagent without a parent), NotFoundError, AppError DUPLICATE (the
 * name is taken: resume it), PERMISSION_DENIED (wrong token, or none of the parent)
 */
export async function identity(
  context: IdentityContext,
  input: unknown,
  caller: Caller,
): Promise<IdentityResult> {
  const request = parseInput(identityRequestSchema, withoutSecrets(input));
  switch (request.action) {
    case 'register':
      return register(context, request, caller);
    case 'resume':
      return resume(context, request, caller);
    case 'info':
      return shown(
        await identityOf(context.records, request.agent_id ?? ownId(caller)),
        context.records,
        caller,
      );
  }
}

/** @throws InvalidInputError for a caller that has registered none */
function ownId(caller: Caller): Uuid {
  const id = registeredIdOf(caller);
  if (id !== undefined) return id;
  const message = 'is required: you have registered no identity of your own';
  throw wrongField('agent_id', message);
}

/** Tokens stay: they are compared and never kept. */
function withoutSecrets(input: unknown): unknown {
  if (!isObject(input)) return input;
  const { resume_token, parent_token, ...rest } = input;
  const tokens = Object.entries({ resume_token, parent_token });
  const given = tokens.filter(([, token]) => token !== undefined);
  return { ...cleaned(rest).value, ...Object.fromEntries(given) };
}

/** Parent of an identity, `null` for none; the rule of access asks it. */
export async function parentOf(records: RecordStore, id: Uuid): Promise<Uuid | null> {
  const [record] = await records.get(identityType, [id], EVERYBODY);
  return record?.data.parent_id ?? null;
}

/** @throws NotFoundError when the project knows no such identity */
export async function identityOf(
  records: RecordStore,
  id: Uuid,
): Promise<StoredRecord<IdentityData>> {
  const [record] = await records.get(identityType, [id], EVERYBODY);
  if (!record) throw new NotFoundError('identity', id);
  return record;
}

/** Registers what a session writes as while its client has registered nothing; once. */
export async function registerSession(
  { records, clock, ids }: Pick<IdentityContext, 'records' | 'clock' | 'ids'>,
  { sessionId, clientName }: { sessionId: string; clientName?: string | undefined },
): Promise<Uuid> {
  const { projectId } = records;
  const id = identityOfSession(projectId, sessionId);
  const scope = projectScope(projectId, id);
  const data: IdentityData = {
    ...{ type: 'main', parent_id: null, session_history: [sessionId] },
    name: sessionName(id, clientName),
    token_sha256: hashOf(tokenFrom(ids)),
  };
  await records.insert(identityType, [{ id, createdAtMs: clock.now(), scope, data }]);
  return id;
}

/** `claude-code#1f2e`: anybody may call themselves so, and no two sessions are one. */
function sessionName(id: Uuid, clientName: string | undefined): string | null {
  if (clientName === undefined) return null;
  const judged = judge(name, cleaned(clientName.slice(0, CLIENT_NAME_CHARS)).value);
  return judged.findings === null ? `${judged.data}#${id.slice(0, 4)}` : null;
}

async function register(
  { records, clock, ids, agentId }: IdentityContext,
  request: Extract<z.output<typeof identityRequestSchema>, { action: 'register' }>,
  caller: Caller,
): Promise<IdentityResult> {
  const parent = request.parent ?? null;
  if (request.type === 'subagent' && parent === null) {
    throw wrongField('parent', 'is required for a subagent');
  }
  if (request.type === 'main' && parent !== null) {
    throw wrongField('parent', 'only a subagent has a parent');
  }
  if (parent !== null && parent !== agentId) {
    requireParent(await identityOf(records, parent), request.parent_token, caller);
  }
  const session = request.session_id ?? caller.sessionId;
  const token = tokenFrom(ids);
  const id = derivedId('identity', records.projectId, request.name ?? ids.next());
  const scope = projectScope(records.projectId, id);
  const data: IdentityData = {
    type: request.type,
    name: request.name ?? null,
    parent_id: parent,
    session_history: session === undefined ? [] : [session],
    token_sha256: hashOf(token),
  };
  const createdAtMs = clock.now();
  const inserted = await records.insert(identityType, [{ id, createdAtMs, scope, data }]);
  if (inserted.size === 0) {
    throw new AppError('DUPLICATE', `the name "${request.name}" is taken; resume it`, {
      existingId: id,
    });
  }
  return { ...(await shown({ id, createdAtMs, data }, records, caller)), resume_token: token };
}

/** Under an identity comes who is it already in this session, or who shows its token. */
function requireParent(
  { id, data }: StoredRecord<IdentityData>,
  token: string | undefined,
  caller: Caller,
): void {
  if (registeredIdOf(caller) === id) return;
  if (token !== undefined && isToken(token, data.token_sha256)) return;
  throw new AppError(
    'PERMISSION_DENIED',
    token === undefined
      ? 'give parent_token, the resume token of the parent: only who has it registers subagents under it'
      : 'parent_token is not the resume token of the parent',
  );
}

async function resume(
  { records }: IdentityContext,
  request: Extract<z.output<typeof identityRequestSchema>, { action: 'resume' }>,
  caller: Caller,
): Promise<IdentityResult> {
  const session = request.session_id ?? caller.sessionId;
  for (let attempt = 1; ; attempt += 1) {
    const record = await identityOf(records, request.agent_id);
    if (!isToken(request.resume_token, record.data.token_sha256)) {
      throw new AppError('PERMISSION_DENIED', 'the resume token is not that of this identity');
    }
    const history = record.data.session_history;
    if (session === undefined || history.at(-1) === session) {
      return shown(record, records, caller);
    }
    const data = {
      ...record.data,
      session_history: [...history, session].slice(-MAX_SESSIONS),
      session_count: sessionCount(record.data) + (history.includes(session) ? 0 : 1),
    };
    try {
      return shown(
        await records.replace(identityType, record.id, record.revision, { data }),
        records,
        caller,
      );
    } catch (error) {
      // Two sessions of one identity began at once: the other's stands, ours is added to it.
      const lost = error instanceof AppError && error.code === 'CONFLICT';
      if (!lost || attempt === ATTEMPTS) throw error;
    }
  }
}

async function shown(
  { id, createdAtMs, data }: Pick<StoredRecord<IdentityData>, 'id' | 'createdAtMs' | 'data'>,
  records: RecordStore,
  caller: Caller,
): Promise<IdentityResult> {
  const keysAll = [keyOf.agent(id)];
  const reader = readerOf(caller);
  const memories = await countMemories(records, { reader, keysAll });
  const good = await countMemories(records, { reader, keysAll, flagsAll: FLAGS.success });
  return {
    agent_id: id,
    type: data.type,
    name: data.name,
    parent_id: data.parent_id,
    project_id: records.projectId,
    created_at: isoOf(createdAtMs),
    session_history: data.session_history,
    session_count: sessionCount(data),
    memory_count: memories,
    success_rate: memories === 0 ? null : Math.round((100 * good) / memories) / 100,
  };
}

function sessionCount({ session_count, session_history }: IdentityData): number {
  return session_count ?? new Set(session_history).size;
}

/** 244 random bits. */
function tokenFrom(ids: Ids): string {
  return `rum_${ids.next()}${ids.next()}`.replaceAll('-', '');
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function isToken(token: string, sha256: string): boolean {
  return timingSafeEqual(
    createHash('sha256').update(token).digest(),
    Buffer.from(sha256, 'hex').length === 32 ? Buffer.from(sha256, 'hex') : Buffer.alloc(32),
  );
}
