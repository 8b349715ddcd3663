/** The status for people: a line for each room, and below it what is worse than it should be. */
import type { AutonomyStatus } from '../../autonomy/index.js';
import type { MemoryHealth } from '../../memory/index.js';
import type { ProactiveHealth } from '../../proactive/index.js';
import { type Identity, identityOf } from '../../server/client.js';
import { ageOf } from '../../shared/clock.js';
import { isObject } from '../../shared/json.js';
import type { TriggerHealth } from '../../triggers/index.js';
import type { WhenHealth } from '../../when/index.js';
import type { errorDocument } from './io.js';
import { counted, indented, minuteOf, oneLine } from './lines.js';

/** What could not be asked, in the form of an error's document. */
export type Part<Health> = Health | ErrorDocument;
export type ErrorDocument = ReturnType<typeof errorDocument>;

export interface Status {
  /** The answer of `nudge.status`: who serves, and how many hints there are. */
  server: Part<Record<string, unknown>>;
  triggers: Part<TriggerHealth>;
  autonomy: Part<AutonomyStatus>;
  memory: Part<MemoryHealth>;
  offers: Part<ProactiveHealth>;
  when: Part<WhenHealth>;
}

export function statusText(status: Status, port: number, nowMs: number): string {
  const { server, triggers, autonomy, memory, offers, when } = status;
  return [
    ...whoLines(server, port, nowMs),
    ...part('triggers', triggers, triggerLines),
    // Why nothing runs stands with the triggers.
    ...part('autonomy', autonomy, (health) => autonomyLines({ ...health, blocked: null })),
    ...part('memory', memory, memoryLines),
    ...part('offers', offers, offerLines),
    ...part('/when', when, whenLines),
    ...hintLines('counts' in server ? server.counts : undefined),
  ].join('\n');
}

/** Of another program that speaks like one of ours, only that. */
function whoLines(server: Status['server'], port: number, nowMs: number): string[] {
  if (isFailed(server)) return [`port ${port}: ${oneLine(server.error.message)}`];
  const identity = identityOf(server);
  return identity ? serverLines(identity, port, nowMs) : [`port ${port}: an unknown server`];
}

export function isFailed(part: object): part is ErrorDocument {
  return 'error' in part;
}

function part<Health extends object>(
  name: string,
  health: Part<Health>,
  lines: (health: Health) => string[],
): string[] {
  return isFailed(health) ? [`${name}: ${oneLine(health.error.message)}`] : lines(health);
}

function triggerLines(health: TriggerHealth): string[] {
  const { enabled, active, resting, disabled, paused, invalid } = health;
  const { running, queued, retrying, blocked, deferred, failuresLastHour, lastError, setAside } =
    health;
  const total = active + resting + disabled + paused + invalid;
  const some = Object.entries({ disabled, paused, invalid, running, queued, retrying, deferred })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
  return [
    `triggers: ${enabled ? [counted(total, 'trigger'), ...some].join(', ') : 'off'}`,
    ...(blocked === null ? [] : [`  nothing runs: ${oneLine(blocked)}`]),
    ...(failuresLastHour === 0 ? [] : [`  ${counted(failuresLastHour, 'failure')} in an hour`]),
    ...(lastError === null
      ? []
      : [`  last error: ${oneLine(lastError.error)} (${minuteOf(lastError.atMs)})`]),
    ...(setAside.length === 0 ? [] : [`  ${setAside.length} cannot be read`]),
  ];
}

function memoryLines({ memories, catalog, embeddings, degraded }: MemoryHealth): string[] {
  const { serving } = embeddings;
  return [
    `memory: ${counted(memories, 'memory', 'memories')}, index ${catalog.state}, ` +
      `embeddings ${oneLine(serving.id)}`,
    ...degraded.flatMap((words) => indented(oneLine(words))),
  ];
}

function offerLines({ enabled, open, detectors, degraded }: ProactiveHealth): string[] {
  const off = Object.entries(detectors).filter(([, detector]) => !detector.enabled);
  return [
    `offers: ${enabled ? `on, ${open.pending} pending, ${open.shown} shown` : 'off'}`,
    ...(enabled && off.length > 0 ? [`  off: ${off.map(([name]) => name).join(', ')}`] : []),
    ...degraded.flatMap((words) => indented(oneLine(words))),
  ];
}

function whenLines(health: WhenHealth): string[] {
  const { state, index, entries, sections, files, warningCount, degraded } = health;
  if (state === 'off') return ['/when: off (CUE_WHEN_INDEX is not set)'];
  return [
    `/when: ${state}, ${counted(entries, 'entry', 'entries')}, ${counted(sections, 'section')}, ${counted(files, 'file')}`,
    ...(index === null ? [] : [`  index: ${oneLine(index)}`]),
    ...(warningCount === 0 ? [] : [`  ${counted(warningCount, 'warning')}: cue when validate`]),
    ...(degraded === undefined ? [] : [`  ${oneLine(degraded)}`]),
  ];
}

/** Of a server that says less, nothing. */
function hintLines(counts: unknown): string[] {
  if (!isObject(counts)) return [];
  const { hints = 0, components = 0 } = counts;
  return [
    `hints: ${counted(Number(hints), 'hint')} of ${counted(Number(components), 'component')}`,
  ];
}

export function serverLines(
  { kind, pid, started, sessionId, agentId, database }: Identity,
  port: number,
  nowMs: number,
): string[] {
  const age = started === undefined ? null : ageOf(Date.parse(started), nowMs);
  return [
    `${kind === 'eliza' ? 'Eliza server' : 'PRIMARY (headless)'}: process ${pid}, port ${port}`,
    ...(age === null ? [] : [`  started: ${started} (${age})`]),
    `  session: ${sessionId}`,
    `  agent: ${agentId}`,
    `  database: ${database ?? 'a database server, or none that is kept'}`,
  ];
}

/** Also of `cue autonomy`. */
export function autonomyLines(status: AutonomyStatus): string[] {
  const { enabled, loop, intervalMs, cycling, blocked, delegated } = status;
  const { lastCycleAtMs, lastCycleError } = status;
  const every = loop ? `on, every ${intervalMs / 1_000} s` : 'off';
  return [
    `autonomy: ${enabled ? 'on' : 'off'}, loop: ${every}${cycling ? ', in a cycle now' : ''}`,
    ...(blocked ? [`  nothing runs: ${oneLine(blocked)}`] : []),
    ...(delegated ? ['  another plugin does it'] : []),
    ...(lastCycleAtMs === null ? [] : [`  last cycle: ${minuteOf(lastCycleAtMs)}`]),
    ...(lastCycleError === null ? [] : [`  last error: ${oneLine(lastCycleError)}`]),
  ];
}
