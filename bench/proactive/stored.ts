/** An agent with the whole plugin on a database of memories: detectors, offers, turns. */
import type { ServiceTypeName } from '@elizaos/core';
import { createCuePlugin } from '../../src/index.js';
import { WORK_MEMORY, WorkMemoryService } from '../../src/memory/index.js';
import { PROACTIVE, ProactiveService } from '../../src/proactive/index.js';
import { bootCue } from '../agent.js';
import { delay } from '../clockwork.js';
import { clockAfter, happeningsOf } from './happenings.js';
import { measure } from './measured.js';
import type { PartReport, PartRequest } from './protocol.js';
import { addedTo, openChats, wholeTurns } from './turns.js';

export async function storedMemories({ size, quick, directory }: PartRequest): Promise<PartReport> {
  const clock = clockAfter(size);
  const agent = await bootCue({ clock }, directory);
  const { runtime } = agent;
  const memory = await runtime.getServiceLoadPromise(WORK_MEMORY as ServiceTypeName);
  const proactive = await runtime.getServiceLoadPromise(PROACTIVE as ServiceTypeName);
  if (!(memory instanceof WorkMemoryService)) throw new Error('no work memory');
  if (!(proactive instanceof ProactiveService)) throw new Error('no offers');
  await memory.settle();
  const report = await measure({ checks: memory.checks, proactive, clock, size, quick });

  const settled = () => proactive.settled();
  const chats = openChats(runtime, happeningsOf(size));
  const { added, wanted, behind, split } = await addedTo(chats, createCuePlugin({ clock }), {
    quick,
    settled,
  });
  const whole = await wholeTurns(chats, { quick, settled });
  await delay(50);
  await agent.stop();
  return {
    samples: {
      ...report.samples,
      'turn.added': added,
      'turn.wanted': wanted,
      'turn.behind': behind,
      'turn.whole': whole,
    },
    notes: {
      ...report.notes,
      'turn.added': `the providers three times, the evaluator once and the events of one run; medians, ms: ${split}`,
    },
  };
}
