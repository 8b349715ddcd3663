import type { Schedule } from '../schema.js';
// Stand-in until the reader of schedules lands here.
export type ScheduleReading =
  | { kind: 'schedule'; schedule: Schedule; instructions: string; summary: string }
  | { kind: 'ambiguous'; question: string }
  | { kind: 'none' };
export function parseScheduleText(
  _text: string,
  _options: { nowMs: number; timezone: string },
): ScheduleReading {
  return { kind: 'none' };
}
