/** The last happenings and what was made of them, for the operator: why something came, or did not. */
import type { Uuid } from '../shared/ids.js';
import type { Decision } from './offer-types.js';

const MOST = 200;

/** Of whom and of what a decision tells, so that it can be forgotten with them. */
export interface DecisionOrigin {
  /** Memories that were found, shown or not. */
  memoryIds: readonly Uuid[];
  /** Whose words its subject is. */
  speakerId?: Uuid | undefined;
}

export interface Decisions {
  note(decision: Decision, origin: DecisionOrigin): void;
  /** Newest first. */
  list(limit?: number): Decision[];
  /** Removes what tells of these memories, or was said by this person. */
  forget(memoryIds: readonly Uuid[], speakerId?: Uuid): void;
}

export function createDecisions(): Decisions {
  let kept: { decision: Decision; origin: DecisionOrigin }[] = [];
  return {
    note(decision, origin) {
      kept.push({ decision, origin });
      if (kept.length > MOST) kept.shift();
    },
    list: (limit = MOST) =>
      limit < 1
        ? []
        : kept
            .slice(-limit)
            .reverse()
            .map(({ decision }) => decision),
    forget(memoryIds, speakerId) {
      const gone = new Set(memoryIds);
      kept = kept.filter(
        ({ origin }) =>
          !origin.memoryIds.some((id) => gone.has(id)) &&
          (speakerId === undefined || origin.speakerId !== speakerId),
      );
    },
  };
}
