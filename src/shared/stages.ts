/** What a process has just done on its way to serving: nobody hears of it but a measurement. */
import { channel } from 'node:diagnostics_channel';

export type Stage =
  /** A server that was followed is known to be gone. */
  | 'missed'
  /** The right to serve is this process's. */
  | 'right'
  /** So is the directory of the database. */
  | 'locked'
  /** The host and all of the plugin are there. */
  | 'loaded'
  | 'opened'
  | 'tables'
  /** The host's runtime is initialized. */
  | 'runtime'
  | 'services'
  | 'listening'
  /** It has answered itself. */
  | 'ready'
  | 'serving'
  /** Beside a server: what would take its place is loaded. */
  | 'prepared';

export const STAGES = 'cue:stages';
const stages = channel(STAGES);

export function reached(stage: Stage): void {
  stages.publish(stage);
}
