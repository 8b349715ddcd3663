/**
 * Whether what was offered is what a session asks for (docs/proactive-eval.md). The same for the
 * plugin and for the baseline. Pure.
 */
import type { DetectorName } from '../../src/proactive/types.js';
import type { HappeningKind, Level, ScriptedSession, ScriptedTurn } from './shape.js';

/** A memory that was offered in a turn. */
export interface OfferedMemory {
  /** As the session calls it; a memory that it does not know has its printed id. */
  memory: string;
  detector: DetectorName;
  /** In the offer's own words. */
  reasons: string[];
}

/** What a turn led to. */
export interface PlayedTurn {
  /** New offers; in the order they were made. */
  offered: OfferedMemory[];
  /** Of offers that were made before and are in front of the agent now. */
  standing: OfferedMemory[];
  /** Of the new offers. */
  tokens: number;
  /** Of looking for them; `null`: nothing was looked for. */
  ms: number | null;
  /** Not ready within the time of the turn: shown in the next one. */
  late: number;
  /** Why memories were not offered, in words: memory → reason. */
  suppressed: Map<string, string>;
  /** Detectors that were asked, and what they say of it. */
  asked: { detector: DetectorName; ms: number; said: string }[];
}

/** Of each memory offered or wanted in a turn, once. */
export interface Verdict {
  session: string;
  /** From 1. */
  turn: number;
  happening: HappeningKind;
  said: string;
  memory: string;
  goal: string;
  result: 'right' | 'wrong' | 'missed' | 'repeated';
  /** A wanted memory: counts for recall. */
  wanted: boolean;
  /** Of what is wanted, where the session says it. */
  level: Level | undefined;
  /** Who offered it, or who should have; `undefined`: nobody in particular. */
  detector: DetectorName | undefined;
  why: string;
}

/** Who a missed memory is laid to when the label does not say: the detector for what happened. */
const OWNER: Partial<Record<HappeningKind, DetectorName>> = {
  file_touch: 'fileTouch',
  intent_stated: 'intentMatch',
  action_planned: 'conflictWarning',
  task_start: 'patternRecognition',
  session_start: 'sessionStart',
};

export const MEMORY_COOLDOWN_SECONDS = 600;

export function judgeSession(session: ScriptedSession, played: readonly PlayedTurn[]): Verdict[] {
  const cooldownMs =
    1_000 * (session.config?.cooldown.memory_cooldown_seconds ?? MEMORY_COOLDOWN_SECONDS);
  const goals = new Map(session.memories.map(({ id, draft }) => [id, goalOf(draft)]));
  const shown = new Map<string, { atMs: number; kinds: Set<DetectorName> }>();
  const verdicts: Verdict[] = [];
  let atMs = 0;
  for (const [index, turn] of session.turns.entries()) {
    atMs += turn.after;
    const { offered = [], standing = [], suppressed, asked = [] } = played[index] ?? {};
    const { must, any, may, kinds } = turn.expect;
    const now = byMemory(offered);
    const say = (
      memory: string,
      verdict: Pick<Verdict, 'result' | 'wanted' | 'detector' | 'why'>,
    ) =>
      verdicts.push({
        session: session.id,
        turn: index + 1,
        happening: turn.kind,
        said: saidIn(turn),
        memory,
        goal: goals.get(memory) ?? '(not of this session)',
        level: verdict.wanted ? turn.expect.level : undefined,
        ...verdict,
      });

    /** Offered now, or still in front of the agent; a warning and a session's work by their own kind. */
    const answers = (memory: string): 'right' | 'repeated' | null => {
      const kind = kinds[memory];
      const offers = now.get(memory) ?? [];
      if (offers.some(({ detector }) => kind === undefined || kind === detector)) return 'right';
      const stands = standing.some(
        (offer) => offer.memory === memory && (!insists(kind) || kind === offer.detector),
      );
      if (stands) return 'repeated';
      const before = shown.get(memory);
      if (!before || atMs - before.atMs >= cooldownMs) return null;
      return !insists(kind) || before.kinds.has(kind) ? 'repeated' : null;
    };

    const groups = [...must.map((memory) => [memory]), ...any];
    const answered = new Set<string>();
    for (const group of groups) {
      const first = group.find((memory) => answers(memory) === 'right');
      const memory = first ?? group.find((one) => answers(one) !== null) ?? group[0] ?? '';
      const result = answers(memory) ?? 'missed';
      const offer = now
        .get(memory)
        ?.find(({ detector }) => [undefined, detector].includes(kinds[memory]));
      answered.add(memory);
      say(memory, {
        result,
        wanted: true,
        detector: offer?.detector ?? kinds[memory] ?? OWNER[turn.kind],
        why:
          offer?.reasons.join(', ') ??
          (result === 'missed'
            ? whyMissed(now.get(memory), suppressed?.get(memory), asked, kinds[memory])
            : ''),
      });
    }
    const fitting = new Set([...must, ...any.flat(), ...may]);
    for (const [memory, offers] of now) {
      const falseWarning = offers.find(
        ({ detector }) =>
          detector === 'conflictWarning' && (kinds[memory] ?? detector) !== detector,
      );
      const offer = falseWarning ?? offers[0];
      if (!offer || (answered.has(memory) && !falseWarning)) continue;
      const result = fitting.has(memory) && !falseWarning ? 'right' : 'wrong';
      const { detector, reasons } = offer;
      say(memory, { result, wanted: false, detector, why: reasons.join(', ') });
    }
    for (const [memory, offers] of now) {
      const known = shown.get(memory)?.kinds ?? [];
      shown.set(memory, {
        atMs,
        kinds: new Set([...known, ...offers.map(({ detector }) => detector)]),
      });
    }
  }
  return verdicts;
}

export function saidIn(turn: ScriptedTurn): string {
  const said: unknown = turn[turn.kind];
  if (typeof said === 'string') return said;
  const texts = typeof said === 'object' && said !== null ? Object.values(said) : [];
  return texts.filter((value) => typeof value === 'string').join(' ');
}

export function goalOf(draft: Record<string, unknown>): string {
  const { intent } = draft;
  if (typeof intent === 'string') return intent;
  const goal = typeof intent === 'object' && intent !== null && 'goal' in intent && intent.goal;
  return typeof goal === 'string' ? goal : '';
}

function insists(kind: DetectorName | undefined): kind is DetectorName {
  return kind === 'conflictWarning' || kind === 'sessionStart';
}

function byMemory(offered: readonly OfferedMemory[]): Map<string, OfferedMemory[]> {
  const grouped = new Map<string, OfferedMemory[]>();
  for (const offer of offered) {
    grouped.set(offer.memory, [...(grouped.get(offer.memory) ?? []), offer]);
  }
  return grouped;
}

function whyMissed(
  other: readonly OfferedMemory[] | undefined,
  suppressed: string | undefined,
  asked: PlayedTurn['asked'],
  kind: DetectorName | undefined,
): string {
  if (other?.[0]) return `offered by ${other[0].detector} instead`;
  const answers = asked
    .filter(({ detector }) => kind === undefined || kind === detector)
    .map(({ detector, said }) => `${detector}: ${said || 'found nothing'}`);
  const reasons = [...new Set(suppressed === undefined ? answers : [suppressed, ...answers])];
  return reasons.join('; ') || 'not looked for';
}
