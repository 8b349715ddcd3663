/** From verdicts to numbers and text. Pure. */
import { measure } from '../../src/proactive/offers/stats.js';
import { DETECTOR_NAMES, type DetectorName } from '../../src/proactive/types.js';
import { playBaseline } from './baseline.js';
import { judgeSession, type PlayedTurn, type Verdict } from './judge.js';
import { LEVELS, type Level, type ScriptedSession } from './shape.js';

export interface Replayed {
  session: ScriptedSession;
  played: PlayedTurn[];
}

export interface Numbers {
  /** Memories offered: right and wrong ones. */
  offered: number;
  right: number;
  wrong: number;
  /** `null` when nothing was offered. */
  precision: number | null;
  /** Memories that had to be offered, groups counting once; and those of them that were. */
  wanted: number;
  found: number;
  /** `null` when nothing had to be offered. */
  recall: number | null;
  falseAlarmsPer100Turns: number | null;
}
export interface TotalNumbers extends Numbers {
  sessions: number;
  turns: number;
  tokensPerTurn: { mean: number; p95: number; max: number };
  msPerTurn: Spread;
  /** Offers that were not ready within the time of their turn. */
  late: number;
}
export interface DetectorNumbers extends Numbers {
  /** Sessions in which it offered something or had to. */
  sessions: number;
  ms: Spread;
}
interface Spread {
  median: number | null;
  p95: number | null;
}

export interface ProactiveEvaluation {
  dataset: string;
  sessions: number;
  turns: number;
  total: TotalNumbers;
  detectors: Partial<Record<DetectorName, DetectorNumbers>>;
  /** Recall by how far the words are from those that were stored. */
  levels: Partial<Record<Level, Numbers>>;
  baseline: TotalNumbers;
  misses: Verdict[];
  wrong: Verdict[];
}

/** A day of its own for `measure`, which counts by days. */
const DAY = '2026-03-02';
const AT_MS = Date.parse(`${DAY}T09:00:00Z`);

export function evaluationOf(dataset: string, replayed: readonly Replayed[]): ProactiveEvaluation {
  const verdicts = replayed.flatMap(({ session, played }) => judgeSession(session, played));
  const total = totalOf(replayed);
  return {
    dataset,
    sessions: total.sessions,
    turns: total.turns,
    total,
    detectors: detectorsOf(replayed, verdicts, total.turns),
    levels: levelsOf(verdicts),
    baseline: totalOf(
      replayed.map(({ session }) => ({
        session: withoutOtherKinds(session),
        played: playBaseline(session),
      })),
    ),
    misses: verdicts.filter(({ result }) => result === 'missed'),
    wrong: verdicts.filter(({ result }) => result === 'wrong'),
  };
}

/** The baseline knows only warnings and the rest: that it offers the memory at all counts there. */
export function withoutOtherKinds(session: ScriptedSession): ScriptedSession {
  const turns = session.turns.map((turn) => {
    const kinds = Object.entries(turn.expect.kinds).filter(
      ([, kind]) => kind === 'conflictWarning',
    );
    return { ...turn, expect: { ...turn.expect, kinds: Object.fromEntries(kinds) } };
  });
  return { ...session, turns };
}

export function totalOf(replayed: readonly Replayed[]): TotalNumbers {
  const played = replayed.flatMap((one) => one.played);
  const tokens = played.map((turn) => turn.tokens).sort((a, b) => a - b);
  const verdicts = replayed.flatMap(({ session, played: turns }) => judgeSession(session, turns));
  return {
    sessions: replayed.length,
    turns: played.length,
    ...numbersOf(verdicts, played.length),
    tokensPerTurn: {
      mean: round(tokens.reduce((sum, one) => sum + one, 0) / Math.max(1, tokens.length)),
      p95: quantile(tokens, 0.95) ?? 0,
      max: tokens.at(-1) ?? 0,
    },
    msPerTurn: spreadOf(played.flatMap(({ ms }) => ms ?? [])),
    late: played.reduce((sum, { late }) => sum + late, 0),
  };
}

function detectorsOf(
  replayed: readonly Replayed[],
  verdicts: readonly Verdict[],
  turns: number,
): ProactiveEvaluation['detectors'] {
  const times = replayed.flatMap(({ played }) => played.flatMap(({ asked }) => asked));
  return Object.fromEntries(
    DETECTOR_NAMES.flatMap((name) => {
      const own = verdicts.filter(({ detector }) => detector === name);
      if (own.length === 0) return [];
      const sessions = new Set(own.map(({ session }) => session)).size;
      const ms = spreadOf(times.flatMap((one) => (one.detector === name ? one.ms : [])));
      return [[name, { sessions, ...numbersOf(own, turns), ms }] as const];
    }),
  );
}

/** Of turns of text: a touched file and the start of a session have no words of their own. */
function levelsOf(verdicts: readonly Verdict[]): ProactiveEvaluation['levels'] {
  const said = verdicts.filter(
    ({ wanted, happening }) => wanted && !['file_touch', 'session_start'].includes(happening),
  );
  return Object.fromEntries(
    LEVELS.flatMap((level) => {
      const own = said.filter((verdict) => verdict.level === level);
      return own.length === 0 ? [] : [[level, numbersOf(own, 0)] as const];
    }),
  );
}

/**
 * Precision and false alarms are those of the running agent: a right memory counts as an offer that
 * was used, a wrong one as an offer that was dismissed.
 */
function numbersOf(verdicts: readonly Verdict[], turns: number): Numbers {
  const shown = verdicts.filter(({ result }) => result === 'right' || result === 'wrong');
  const { total } = measure(
    shown.map(({ result, detector }) => ({
      kind: detector ?? 'intentMatch',
      state: result === 'right' ? ('used' as const) : ('dismissed' as const),
      tokens: 0,
      createdAtMs: AT_MS,
      shownAtMs: AT_MS,
    })),
    { [DAY]: turns },
    { sinceMs: AT_MS, untilMs: AT_MS + 1 },
  );
  const wanted = verdicts.filter((verdict) => verdict.wanted);
  const found = wanted.filter(({ result }) => result !== 'missed').length;
  return {
    offered: total.shown,
    right: total.used,
    wrong: total.falseAlarms,
    precision: total.precision,
    wanted: wanted.length,
    found,
    recall: wanted.length === 0 ? null : found / wanted.length,
    falseAlarmsPer100Turns: total.falseAlarmsPer100Turns,
  };
}

/** The numbers as people read them; the same text is valid Markdown. */
export function tableOf(evaluation: ProactiveEvaluation): string {
  const { dataset, sessions, turns, total, detectors, levels, baseline } = evaluation;
  const head = [
    '',
    'offered',
    'precision',
    'wanted',
    'recall',
    'false alarms / 100 turns',
    'ms',
    'p95',
  ];
  const row = (name: string, numbers: Numbers, ms: Spread) => [
    name,
    String(numbers.offered),
    part(numbers.precision),
    String(numbers.wanted),
    part(numbers.recall),
    numbers.falseAlarmsPer100Turns?.toFixed(1) ?? '–',
    ms.median?.toFixed(1) ?? '–',
    ms.p95?.toFixed(1) ?? '–',
  ];
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const { mean, p95, max } = total.tokensPerTurn;
  return [
    `### ${dataset}: ${sessions} sessions, ${turns} turns`,
    '',
    line(head),
    line(head.map((_, column) => (column === 0 ? '---' : '---:'))),
    line(row('**all**', total, total.msPerTurn)),
    ...Object.entries(detectors).map(([name, numbers]) => line(row(name, numbers, numbers.ms))),
    ...Object.entries(levels).map(([name, { wanted, recall }]) =>
      line([`said ${name}`, '', '', String(wanted), part(recall), '', '', '']),
    ),
    line(row('a simple plugin', baseline, baseline.msPerTurn)),
    '',
    `Tokens per turn: ${mean.toFixed(1)} on average, p95 ${p95}, at most ${max}. Not ready within a turn: ${total.late} offers.`,
  ].join('\n');
}

/** The same sessions before and after: what is offered of each kind, and what of that was wanted. */
export function comparisonOf(before: ProactiveEvaluation, after: ProactiveEvaluation): string {
  const row = (name: string, was?: Numbers, is?: Numbers) =>
    `| ${name} | ${was?.offered ?? 0} → ${is?.offered ?? 0} | ${was?.right ?? 0} → ${is?.right ?? 0} | ${part(was?.precision ?? null)} → ${part(is?.precision ?? null)} | ${part(was?.recall ?? null)} → ${part(is?.recall ?? null)} |`;
  return [
    `### ${after.dataset}: ${after.sessions} sessions, ${after.turns} turns`,
    '',
    '|  | offered | right | precision | recall |',
    '| --- | ---: | ---: | ---: | ---: |',
    row('**all**', before.total, after.total),
    ...DETECTOR_NAMES.flatMap((name) => {
      const [was, is] = [before.detectors[name], after.detectors[name]];
      return was || is ? [row(name, was, is)] : [];
    }),
  ].join('\n');
}

/** Every miss and false alarm, one a line. */
export function faultsOf({ misses, wrong }: ProactiveEvaluation): string {
  const line = ({ session, turn, happening, said, memory, goal, detector, why }: Verdict) =>
    `  ${session} turn ${turn}, ${happening} "${short(said)}": ${memory} "${short(goal)}" (${detector ?? 'any'}; ${why})`;
  return [
    `${misses.length} missed`,
    ...misses.map(line),
    `${wrong.length} offered and not wanted`,
    ...wrong.map(line),
  ].join('\n');
}

function short(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

function part(value: number | null): string {
  return value === null ? '–' : value.toFixed(3).replace(/^0/, '');
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => {
    const value = quantile(sorted, part);
    return value === null ? null : round(value);
  };
  return { median: at(0.5), p95: at(0.95) };
}

function quantile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? null;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
