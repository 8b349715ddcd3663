/** The last happenings and what was made of them, for the operator: why something came, or did not. */
import type { Decision } from './offer-types.js';

const MOST = 200;

export interface Decisions {
  note(decision: Decision): void;
  /** Newest first. */
  list(limit?: number): Decision[];
  /** They hold what people said. */
  clear(): void;
}

export function createDecisions(): Decisions {
  const kept: Decision[] = [];
  return {
    note(decision) {
      kept.push(decision);
      if (kept.length > MOST) kept.shift();
    },
    list: (limit = MOST) => (limit < 1 ? [] : kept.slice(-limit).reverse()),
    clear() {
      kept.length = 0;
    },
  };
}
