/** Typed edges between memories. Their ids are derived, so the same link twice is one link. */
import { z } from 'zod';
import { type Finding, InvalidInputError, NotFoundError } from '../shared/errors.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import { authorOf, type Caller, mayWrite, readerOf, requireWrite, scopeOf } from './access.js';
import type { MemoryContext } from './context.js';
import { printIn, resolveRef } from './ids.js';
import { parseInput } from './input.js';
import { memoryLinkType, workMemoryType } from './records.js';
import {
  type DraftLinks,
  LINK_TYPES,
  type LinkType,
  type MemoryLinkData,
  type StoredLinkType,
} from './schema.js';

/** `source` relates to `target` as `link_type` says: `{source: A, link_type: 'caused_by', target: B}`. */
export const linkRequestSchema = z.strictObject({
  source: z.string(),
  target: z.string(),
  link_type: z.enum(LINK_TYPES).default('related_to'),
});

export interface LinkResult {
  link_id: Uuid;
  /** `false`: the same link was there. */
  created: boolean;
  source: string;
  target: string;
  link_type: LinkType;
}

export interface NewLink {
  id: Uuid;
  data: MemoryLinkData;
}

/** The edge as stored: `led_to` is `caused_by` from the other end, `related_to` has no direction. */
export function linkOf(
  projectId: Uuid,
  link: { source: Uuid; target: Uuid; type: LinkType; agentId: Uuid },
): NewLink {
  const type: StoredLinkType = link.type === 'led_to' ? 'caused_by' : link.type;
  const swap = link.type === 'led_to' || (type === 'related_to' && link.source > link.target);
  const [source, target] = swap ? [link.target, link.source] : [link.source, link.target];
  return {
    id: derivedId('link', projectId, source, target, type),
    data: { source_id: source, target_id: target, link_type: type, agent_id: link.agentId },
  };
}

/**
 * @throws InvalidInputError for a link of a memory to itself, NotFoundError for a memory that is
 * not there for the caller, AppError PERMISSION_DENIED unless the caller may change one of the two
 */
export async function link(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
): Promise<LinkResult> {
  const request = parseInput(linkRequestSchema, input);
  const reader = readerOf(caller);
  const { records } = context;
  const resolve = (ref: string, field: string) =>
    resolveRef(records, 'memory', workMemoryType, ref, reader, field);
  const source = await resolve(request.source, 'source');
  const target = await resolve(request.target, 'target');
  if (source === target) throw new InvalidInputError([selfLink('target')]);
  const ends = await records.get(workMemoryType, [source, target], reader);
  const [first, second] = ends;
  if (!first || !second) throw new NotFoundError('memory', request.target);
  if (!(await mayWrite(caller, first.scope, context.rule))) {
    await requireWrite(caller, second.scope, context.rule);
  }
  const edge = linkOf(records.projectId, {
    source,
    target,
    type: request.link_type,
    agentId: authorOf(caller, context.agentId),
  });
  const inserted = await insertLinks(context, [edge], caller);
  return {
    link_id: edge.id,
    created: inserted > 0,
    source: printIn(records, 'memory', source),
    target: printIn(records, 'memory', target),
    link_type: request.link_type,
  };
}

/** Returns how many were new. */
export async function insertLinks(
  { records, clock, agentId, observer }: MemoryContext,
  links: readonly NewLink[],
  caller: Caller,
): Promise<number> {
  if (links.length === 0) return 0;
  const scope = scopeOf(caller, { projectId: records.projectId, agentId });
  const createdAtMs = clock.now();
  const rows = links.map(({ id, data }) => ({ id, createdAtMs, scope, data }));
  const inserted = (await records.insert(memoryLinkType, rows)).size;
  const ids = [...new Set(links.flatMap(({ data }) => [data.source_id, data.target_id]))];
  observer?.used({ how: 'linked', ids, caller });
  const superseded = links.filter(({ data }) => data.link_type === 'supersedes');
  if (superseded.length > 0) observer?.changed(superseded.map(({ data }) => data.target_id));
  return inserted;
}

/**
 * The edges of a new memory; every memory named must be there for the caller.
 * @throws InvalidInputError whose findings name each reference that is not
 */
export async function linksOfDraft(
  context: MemoryContext,
  id: Uuid,
  links: DraftLinks | undefined,
  caller: Caller,
): Promise<NewLink[]> {
  const agentId = authorOf(caller, context.agentId);
  const findings: Finding[] = [];
  const made = new Map<Uuid, NewLink>();
  for (const type of LINK_TYPES) {
    for (const ref of links?.[type] ?? []) {
      const field = `links.${type}`;
      const target = await existing(context, ref, caller, field, findings);
      if (target === null) continue;
      if (target === id) {
        findings.push(selfLink(field));
        continue;
      }
      const edge = linkOf(context.records.projectId, { source: id, target, type, agentId });
      made.set(edge.id, edge);
    }
  }
  if (findings.length > 0) throw new InvalidInputError(findings);
  return [...made.values()];
}

async function existing(
  { records }: MemoryContext,
  ref: string,
  caller: Caller,
  field: string,
  findings: Finding[],
): Promise<Uuid | null> {
  try {
    return await resolveRef(records, 'memory', workMemoryType, ref, readerOf(caller), field);
  } catch (error) {
    if (error instanceof InvalidInputError) findings.push(...error.findings);
    else if (error instanceof NotFoundError) findings.push({ field, message: error.message });
    else throw error;
    return null;
  }
}

function selfLink(field: string): Finding {
  return { field, message: 'is the memory itself; a memory cannot be linked to itself' };
}
