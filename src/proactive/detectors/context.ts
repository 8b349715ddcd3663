/** What every detector works with. */
import { type Caller, type MemoryChecks, readerOf } from '../../memory/index.js';
import type { Reader } from '../../records/index.js';
import type { Clock } from '../../shared/clock.js';
import type { ProactiveConfig } from '../config.js';
import type { Bar } from '../learned.js';
import type { DetectorName, Occasion } from '../types.js';

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

/** An agent that speaks for nobody. */
const ANYBODY: Caller = { kind: 'agent' };

export function callerOf(occasion: Occasion): Caller {
  return occasion.caller ?? ANYBODY;
}

export function barIn({ bar }: DetectorContext, kind: DetectorName, setting: number): Bar {
  return bar?.(kind, setting) ?? { least: setting, because: null };
}

/** Whose eyes a detector has; `null`: another project was named, which is never answered. */
export function readerIn({ checks }: DetectorContext, occasion: Occasion): Reader | null {
  const { projectId } = occasion;
  if (projectId !== undefined && !checks.isProject(projectId)) return null;
  return readerOf(callerOf(occasion));
}
