/** What is measured of any room of offers: look-ups, detectors, reactions, the safe point. */
import type { MemoryChecks } from '../../src/memory/index.js';
import { FLAGS } from '../../src/memory/index.js';
import { type Proactive, parseConfig, type Reaction } from '../../src/proactive/index.js';
import type { SlotFilter } from '../../src/records/index.js';
import { type Clock, DAY_MS } from '../../src/shared/clock.js';
import { derivedId } from '../../src/shared/ids.js';
import { series } from '../clockwork.js';
import { happeningsOf } from './happenings.js';
import type { PartReport, SampleName } from './protocol.js';

/** An agent's check sees what is open to the project. */
const READER = { kind: 'agent' } as const;
/** A check shows so many at most. */
const SHOWN = 3;
const WARM_UP = 20;

export interface Measured {
  checks: MemoryChecks;
  proactive: Pick<
    Proactive,
    'detectors' | 'onFileTouch' | 'onActionPlanned' | 'offersForTurn' | 'settled'
  >;
  clock: Clock;
  size: number;
  quick: boolean;
}

/** @throws Error when what should find something never does: an empty answer is quick. */
export async function measure({
  checks,
  proactive,
  clock,
  size,
  quick,
}: Measured): Promise<PartReport> {
  const samples: PartReport['samples'] = {};
  const notes: PartReport['notes'] = {};
  const happenings = happeningsOf(size);
  const few = { times: quick ? 20 : 300, warmUp: WARM_UP };
  /** Notes how often there was something to say: a row says little without it. */
  const counted = async (
    name: SampleName,
    work: (index: number) => Promise<boolean>,
    options: Parameters<typeof series>[1] = few,
  ) => {
    let found = 0;
    let asked = 0;
    samples[name] = await series(async (index) => {
      asked += 1;
      if (await work(index)) found += 1;
    }, options);
    notes[name] = `${found} of ${asked} had something to say`;
    return found;
  };

  const { shelf, degraded } = await checks.lookUp();
  if (degraded !== undefined) throw new Error(degraded);
  const many = { times: quick ? 200 : 2_000, warmUp: 100 };
  const { fileTouch, conflictWarning } = parseConfig(undefined);
  const since = (days: number) => ({ reader: READER, sinceMs: clock.now() - days * DAY_MS });
  const recent = since(fileTouch.max_age_days);
  const failures = { ...since(conflictWarning.max_age_days), flagsAll: FLAGS.failure };
  // What a detector looks up before it reads a row.
  const lookedUp = async (path: string, filter: SlotFilter) => {
    const { shelf: current } = await checks.lookUp();
    const key = checks.fileKey(current, path, filter);
    return key !== undefined && current.byKeys([key], filter, SHOWN).total > 0;
  };
  await counted('check.file', (index) => lookedUp(happenings.file(index), recent), many);
  await counted('check.conflict', (index) => lookedUp(happenings.file(index), failures), many);
  await counted('check.intent', async (index) => {
    const made = await checks.embed(happenings.intent(index));
    if (made === null) throw new Error('no vector');
    const { scores, touched } = shelf.nearest(made.vector, { reader: READER });
    return touched.some((slot) => (scores[slot] ?? 0) >= made.embedder.thresholds.candidate);
  });

  const { detectors } = proactive;
  const files = await counted(
    'detect.file',
    async (index) =>
      (await detectors.fileTouch.evaluate({ filePath: happenings.file(index) })).shouldNotify,
  );
  if (files === 0) throw new Error('no file had memories');
  await counted(
    'detect.conflict',
    async (index) =>
      (await detectors.conflictWarning.evaluate(happenings.action(index))).shouldNotify,
  );
  await counted(
    'detect.intent',
    async (index) =>
      (await detectors.intentMatch.evaluate({ intent: happenings.intent(index) })).shouldNotify,
  );
  await counted(
    'detect.pattern',
    async (index) =>
      (await detectors.patternRecognition.evaluate(happenings.task(index))).shouldNotify,
  );
  await counted(
    'detect.session',
    async (index) =>
      (await detectors.sessionStart.evaluate({ sessionId: `bench-${index}` })).shouldNotify,
    { times: quick ? 5 : 100, warmUp: 2 },
  );

  const after = () => proactive.settled();
  const said = ({ offers }: Reaction) => offers.length > 0;
  const reactions = { times: quick ? 10 : 200, warmUp: 5, after };
  // Each for another agent, so that nothing is held back for having been said.
  await counted(
    'reaction.file',
    async (index) =>
      said(
        await proactive.onFileTouch({
          filePath: happenings.file(index),
          agentId: `bench-files-${index}`,
        }),
      ),
    reactions,
  );
  await counted(
    'reaction.action',
    async (index) =>
      said(
        await proactive.onActionPlanned({
          ...happenings.action(index),
          agentId: `bench-actions-${index}`,
        }),
      ),
    reactions,
  );

  const turn = async (name: SampleName, place: string, text: string) => {
    const roomId = derivedId('bench room', name, place);
    const answer = await proactive.offersForTurn({
      messageId: derivedId('bench message', name, place),
      roomId,
      caller: { kind: 'entity', entityId: derivedId('bench person'), roomId, private: true },
      text,
      attachments: [],
    });
    return answer.offers.length > 0;
  };
  const quiet = await counted(
    'turn.nothing',
    (index) => turn('turn.nothing', String(index), happenings.smallTalk(index)),
    reactions,
  );
  if (quiet > 0) throw new Error('small talk had an offer');
  const offered = await counted(
    'turn.offer',
    (index) => turn('turn.offer', String(index), happenings.about(index)),
    reactions,
  );
  if (offered === 0) throw new Error('no turn had an offer');
  await counted(
    'turn.again',
    (index) => turn('turn.offer', String(index), happenings.about(index)),
    reactions,
  );
  return { samples, notes };
}
