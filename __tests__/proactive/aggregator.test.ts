import { describe, expect, it } from 'vitest';
import { aggregate } from '../../src/proactive/offer-pipeline.js';
import { candidatesIn } from '../../src/proactive/text/composer.js';
import type {
  Candidate,
  Detection,
  DetectorName,
  OfferContent,
} from '../../src/proactive/types.js';
import { candidate, NOW_MS } from '../helpers/candidates.js';

const [a, b, c] = ['a', 'b', 'c'].map((letter) =>
  candidate({ memoryId: `mem_${letter.repeat(8)}` }),
) as [Candidate, Candidate, Candidate];

function found(
  content: OfferContent | null,
  more: Partial<Detection> & { strength?: number; subject?: string; kind?: DetectorName } = {},
): Detection {
  const { strength = 0.5, subject = 'it', kind = content?.kind ?? 'fileTouch', ...rest } = more;
  return {
    shouldNotify: content !== null,
    memories: content === null ? [] : candidatesIn(content),
    tokenEstimate: 20,
    cue: { kind, subject, strength, evidence: [`evidence of ${subject}`], timeMs: NOW_MS },
    text: 'text',
    content,
    suppressed: [],
    ...rest,
  };
}

const file = (path: string, ...memories: Candidate[]): OfferContent => ({
  kind: 'fileTouch',
  file: path,
  total: memories.length,
  failed: 0,
  memories,
});
const warning = (...memories: Candidate[]): OfferContent => ({
  kind: 'conflictWarning',
  action: 'x',
  memories,
});
const intent = (...memories: Candidate[]): OfferContent => ({
  kind: 'intentMatch',
  intent: 'x',
  memories,
});
const session = (...memories: Candidate[]): OfferContent => ({
  kind: 'sessionStart',
  lastSession: null,
  unfinished: memories.slice(0, 1).map((one) => ({ candidate: one, what: 'it' })),
  learnings: memories.slice(1).map((one) => ({ candidate: one, text: 'it' })),
});

/** Kinds and the memories that are left to each. */
function left(detections: Detection[]): [string, string[]][] {
  return aggregate(detections).findings.map(({ content }) => [
    content.kind,
    candidatesIn(content).map(({ memoryId }) => memoryId),
  ]);
}

describe('what several detectors found', () => {
  it('is told most urgent first, then by strength', () => {
    expect(
      left([
        found(session(a)),
        found(intent(b), { strength: 0.4, subject: 'one' }),
        found(intent(c), { strength: 0.6, subject: 'two' }),
        found(warning(candidate({ memoryId: 'mem_dddddddd' }))),
      ]),
    ).toEqual([
      ['conflictWarning', ['mem_dddddddd']],
      ['intentMatch', ['mem_cccccccc']],
      ['intentMatch', ['mem_bbbbbbbb']],
      ['sessionStart', ['mem_aaaaaaaa']],
    ]);
  });

  it('says a memory once, where it is most urgent', () => {
    const detections = [found(session(a, c)), found(file('src/auth.ts', a, b)), found(warning(a))];
    expect(left(detections)).toEqual([
      ['conflictWarning', ['mem_aaaaaaaa']],
      ['fileTouch', ['mem_bbbbbbbb']],
      ['sessionStart', ['mem_cccccccc']],
    ]);
    const { suppressed } = aggregate(detections);
    expect(suppressed).toEqual([
      { memoryId: 'mem_aaaaaaaa', detector: 'fileTouch', reason: 'already in the warning' },
      { memoryId: 'mem_aaaaaaaa', detector: 'sessionStart', reason: 'already in the warning' },
    ]);
  });

  it('drops what has nothing left, and says why', () => {
    const result = aggregate([found(intent(a)), found(file('src/auth.ts', a))]);
    expect(result.findings.map(({ content }) => content.kind)).toEqual(['fileTouch']);
    expect(result.suppressed).toEqual([
      {
        memoryId: 'mem_aaaaaaaa',
        detector: 'intentMatch',
        reason: 'already in the offer about a file',
      },
    ]);
  });

  it('counts as said only what a text shows', () => {
    const shownFirst = found(warning(a, b), { memories: [a] });
    expect(left([shownFirst, found(file('src/auth.ts', a, b))])).toEqual([
      ['conflictWarning', ['mem_aaaaaaaa', 'mem_bbbbbbbb']],
      ['fileTouch', ['mem_bbbbbbbb']],
    ]);
  });

  it('counts as said what moves up where another memory was taken out', () => {
    const detections = [
      found(warning(a)),
      found(file('src/auth.ts', a, b), { memories: [a] }),
      found(intent(b)),
    ];
    expect(left(detections).map(([name]) => name)).toEqual(['conflictWarning', 'fileTouch']);
  });

  it('tells two files apart unless they show the same memories', () => {
    expect(left([found(file('src/a.ts', a)), found(file('src/b.ts', b))])).toEqual([
      ['fileTouch', ['mem_aaaaaaaa']],
      ['fileTouch', ['mem_bbbbbbbb']],
    ]);
    expect(left([found(file('src/a.ts', a, b)), found(file('src/b.ts', b, a))])).toEqual([
      ['fileTouch', ['mem_aaaaaaaa', 'mem_bbbbbbbb']],
    ]);
  });

  it('keeps what the detectors left out, also where nothing was found', () => {
    const out = (memoryId: string, detector: DetectorName) => ({ memoryId, detector, reason: 'r' });
    const { findings, suppressed } = aggregate([
      found(null, { suppressed: [out('mem_1', 'fileTouch')] }),
      found(warning(a), { suppressed: [out('mem_2', 'conflictWarning')] }),
      found(intent(b), { shouldNotify: false }),
    ]);
    expect(findings.map(({ content }) => content.kind)).toEqual(['conflictWarning']);
    expect(findings[0]?.suppressed).toEqual([out('mem_2', 'conflictWarning')]);
    expect(suppressed.map(({ memoryId }) => memoryId)).toEqual(['mem_1', 'mem_2']);
  });

  it('is nothing when there is nothing', () => {
    expect(aggregate([])).toEqual({ findings: [], suppressed: [] });
  });
});
