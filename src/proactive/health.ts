/** How the room is, for the operator. Pure. */
import type { CatalogState } from '../records/index.js';
import type { ProactiveConfig } from './config.js';
import type { ProactiveHealth } from './offer-types.js';
import type { DetectorRunner } from './run-detectors.js';
import { DETECTOR_NAMES, type DetectorName } from './types.js';

const UNASKED = {
  evaluated: 0,
  notified: 0,
  failed: 0,
  timedOut: 0,
  resting: false,
  ms: { median: null, p95: null },
} as const;

export interface HealthFacts extends Pick<ProactiveHealth, 'enabled' | 'open' | 'dropped'> {
  config: ProactiveConfig;
  counts: ReturnType<DetectorRunner['counts']>;
  catalog: CatalogState['state'];
  subscribers: number;
  /** What is worse than it should be elsewhere, in words. */
  problems: readonly string[];
}

export function healthOf(facts: HealthFacts): ProactiveHealth {
  const { enabled, open, dropped, counts, catalog, subscribers, problems } = facts;
  const settings: Record<DetectorName, { enabled: boolean }> = facts.config;
  return {
    enabled,
    detectors: Object.fromEntries(
      DETECTOR_NAMES.map((name) => [
        name,
        { ...(counts[name] ?? UNASKED), enabled: settings[name].enabled },
      ]),
    ),
    open,
    dropped,
    subscribers,
    degraded: [
      ...(catalog === 'ready' ? [] : [`the search index is ${catalog}`]),
      ...Object.entries(counts).flatMap(([name, { resting }]) =>
        resting ? [`${name} rests for a minute: it hung several times`] : [],
      ),
      ...(dropped > 0 ? [`${dropped} happenings were not looked into: too many at once`] : []),
      ...problems,
    ],
  };
}
