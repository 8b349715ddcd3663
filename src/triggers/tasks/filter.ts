/** What a list of triggers is narrowed to, as SQL. */
import { type SQL, sql } from 'drizzle-orm';
import { ENABLED, HOME_ROOM, INVALID, RESTING_UNINDEXED, RESTS } from './conditions.js';

/** What one entity may see: its own triggers, and those that belong to the room it speaks in. */
export interface PersonVisibility {
  creatorEntityId: string;
  homeRoomId?: string;
  /** Also those of every other room of that room's world: for its owner and admins. */
  wholeWorld?: boolean;
}

/** `projectOnly`: what belongs to no person and no conversation. */
export type Visibility = (PersonVisibility & { projectOnly?: never }) | { projectOnly: true };

export interface ListFilter {
  /** Absent: everything of the agent. */
  visibleTo?: Visibility;
  creatorEntityId?: string;
  state?: 'active' | 'resting' | 'disabled' | 'paused' | 'invalid';
  text?: string;
}

/** The filter as one condition. */
export function filterSql(filter: ListFilter): SQL {
  const parts: SQL[] = [sql`true`];
  if (filter.creatorEntityId !== undefined) {
    parts.push(sql`metadata->'trigger'->>'creatorEntityId' = ${filter.creatorEntityId}`);
  }
  if (filter.visibleTo !== undefined)
    parts.push(sql`(${sql.join(visibleSql(filter.visibleTo), sql` or `)})`);
  if (filter.text !== undefined && filter.text !== '') {
    const pattern = `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`;
    parts.push(sql`(metadata->'trigger'->>'displayName' ilike ${pattern}
      or metadata->'trigger'->>'instructions' ilike ${pattern})`);
  }
  switch (filter.state) {
    case 'active':
      parts.push(sql`not ${INVALID} and ${ENABLED} and not ${RESTS}`);
      break;
    case 'resting':
      parts.push(RESTING_UNINDEXED);
      break;
    case 'disabled':
      parts.push(
        sql`not ${INVALID} and not ${ENABLED} and not (metadata->'trigger' ? 'pausedReason')`,
      );
      break;
    case 'paused':
      parts.push(sql`not ${INVALID} and not ${ENABLED} and metadata->'trigger' ? 'pausedReason'`);
      break;
    case 'invalid':
      parts.push(INVALID);
      break;
    case undefined:
      break;
  }
  return sql.join(parts, sql` and `);
}

/** The reasons for which a trigger may be seen; one is enough. Each has its own index. */
export function visibleSql(visible: Visibility): SQL[] {
  if (visible.projectOnly) {
    return [
      sql`(not ${INVALID} and metadata->'trigger'->>'creatorEntityId' is null and ${HOME_ROOM} is null)`,
    ];
  }
  const { creatorEntityId, homeRoomId, wholeWorld } = visible;
  const own = sql`metadata->'trigger'->>'creatorEntityId' = ${creatorEntityId}`;
  if (homeRoomId === undefined) return [own];
  const here = sql`${HOME_ROOM} = ${homeRoomId}`;
  if (!wholeWorld) return [own, here];
  const inWorld = sql`${HOME_ROOM} in (select other.id::text from rooms other
    join rooms here on here.world_id = other.world_id where here.id = ${homeRoomId}::uuid)`;
  return [own, here, inWorld];
}
