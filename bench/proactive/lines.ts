/** The rows of the suite: what each is called, judged by and allowed (DESIGN §13). */
import type { RowInput } from '../stats.js';
import type { SampleName } from './protocol.js';

export type Line = Omit<RowInput, 'at' | 'ours' | 'beside'> & { name: SampleName };

/** Above this size the design promises nothing. */
const PROMISED = 100_000;

export function linesFor(size: number): Line[] {
  const p95 = (budget: number) => (size <= PROMISED ? ({ budget, judged: 'p95' } as const) : {});
  const told = { judged: 'p95' } as const;
  return [
    line('check.file', 'file check', p95(0.2)),
    line('check.conflict', 'conflict by file check', p95(0.2)),
    line('check.intent', 'intent check, embedding included', p95(8)),
    line('detect.file', 'fileTouch, whole / getMemories, filtered', told),
    line('detect.conflict', 'conflictWarning, whole / the same', told),
    line('detect.intent', 'intentMatch, whole / searchMemories', told),
    line('detect.pattern', 'patternRecognition, whole', told),
    line('detect.session', 'sessionStart, whole', told),
    line('reaction.file', 'onFileTouch → offers', told),
    line('reaction.action', 'onActionPlanned → warning', told),
    line('turn.nothing', 'offersForTurn, nothing to say', told),
    line('turn.offer', 'offersForTurn, with an offer', told),
    line('turn.again', 'the same asked again in the turn', told),
    line('turn.added', 'added to a turn: providers, evaluator, events', p95(40)),
    line('turn.wanted', 'of these, to one in which something is wanted', p95(40)),
    line('turn.behind', 'written behind after a turn', told),
    line('turn.whole', 'a turn with the plugin / without', told),
  ];
}

function line(name: SampleName, what: string, rest: Omit<Line, 'name' | 'id' | 'what'>): Line {
  return { name, id: `proactive.${name}`, what, ...rest };
}
