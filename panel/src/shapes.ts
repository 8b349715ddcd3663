/** What the server answers, where the plugin exports no type of it. */
import type { TriggerRun } from '../../src/index.js';

/** `GET /cue/health` */
export interface Health {
  status: 'ok' | 'degraded' | 'failing';
  reasons: string[];
}

/** An item of `GET /cue/runs`. */
export type Run = TriggerRun & { displayName: string };

/** `GET /cue/triggers/upcoming` */
export interface Upcoming {
  occurrences: { triggerId: string; displayName: string; atMs: number; scheduleText: string }[];
  truncated: boolean;
}

/** `POST /cue/triggers/preview` */
export interface Preview {
  scheduleText: string;
  instructions?: string;
  nextRuns: { atMs: number }[];
}
