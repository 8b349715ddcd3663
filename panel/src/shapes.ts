/** What the server answers, where the plugin exports no type of it. */
import type { TriggerRun } from '../../src/index.js';

/** `GET /cue/health` */
export interface Health {
  status: 'ok' | 'paused' | 'starting' | 'degraded' | 'failing';
  reasons: string[];
  parts: Record<string, { status: Health['status'] | 'off'; reasons: string[] }>;
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

export interface Setting {
  name: string;
  /** `null`: it is not set and has no default. */
  value: unknown;
  description: string;
  isDefault: boolean;
}

/** `GET /cue/settings` */
export interface AgentSettings {
  version: string;
  agent: { id: string; name: string };
  project: string | null;
  settings: Setting[];
  embedder: { serving?: { id: string; dimension: number; reason?: string } | null };
  /** The provider that answers for each type of model. */
  models: Record<string, string | null>;
  clients: {
    name: string | null;
    kind: string;
    isLocal: boolean;
    sinceMs: number;
    lastSeenMs: number;
    isBusy: boolean;
  }[];
}
