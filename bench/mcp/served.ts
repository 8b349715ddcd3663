/**
 * A whole agent with our own listener, asked by another process over streamable HTTP; beside it the
 * same questions to the services in this process, and by REST.
 */
import { hintsOf } from '../../__tests__/helpers/hints.js';
import { memoryOf } from '../../__tests__/helpers/memory.js';
import type { RecallInput, WorkMemoryService } from '../../src/memory/index.js';
import type { Uuid } from '../../src/shared/ids.js';
import { startListener } from '../../src/surfaces/rest/listener.js';
import { bootCue } from '../agent.js';
import { delay, series } from '../clockwork.js';
import { fill as fillHints, OPERATOR } from '../hints/opened.js';
import { asked as askedOf } from '../hints/workload.js';
import { inChild } from '../in-child.js';
import { fileOf, inOtherWords, questions } from '../memory/questions.js';
import { draftAt, lineAt } from '../memory/workload.js';
import { clockAfter } from '../proactive/happenings.js';
import type { HooksReport, HooksRequest } from './hooks.js';
import type { Asked, LoadReport, LoadRequest } from './load.js';
import type { PartReport, PartRequest } from './protocol.js';

const PER_IMPORT = 2_000;
const CROWD = 16;
const LIMIT = 5;
const MOST_HINTS = 2_000;
const HOOKS = 20;

export async function served({ size, quick }: PartRequest): Promise<PartReport> {
  const { runtime, stop } = await bootCue({ clock: clockAfter(size) });
  const memory = await memoryOf(runtime);
  const hints = await hintsOf(runtime);
  await fillMemories(memory, size, runtime.agentId);
  const hintCount = Math.min(size, MOST_HINTS);
  await fillHints(hints, hintCount);
  const listener = await startListener({ runtime, port: 0 });
  const times = quick ? 20 : 300;
  const warmUp = quick ? 2 : 20;
  const count = times + warmUp;

  /** Each question once, so that an answer in memory helps nobody. */
  const drawn = { size, count };
  const words = questions('mcp words', drawn, (one) => ({
    query: inOtherWords(one),
    limit: LIMIT,
  }));
  const other = questions('mcp again', drawn, (one) => ({
    query: inOtherWords(one),
    limit: LIMIT,
  }));
  const third = questions('mcp rest', drawn, (one) => ({ query: inOtherWords(one), limit: LIMIT }));
  const crowd = questions('mcp crowd', drawn, (one) => ({
    ...{ query: inOtherWords(one), limit: LIMIT },
  }));
  const files = questions('mcp files', drawn, ({ draft }) => ({
    file: fileOf(draft),
    limit: LIMIT,
  }));
  const asks = askedOf(hintCount, 'mcp');

  const load = (question: (index: number) => Asked, more: Partial<LoadRequest> = {}) =>
    inChild<LoadReport>(
      new URL('./load.ts', import.meta.url),
      {
        ...{ port: listener.port, warmUp, connections: 1, ...more },
        asked: Array.from({ length: count }, (_, index) => question(index)),
      } satisfies LoadRequest,
      { name: 'the load of mcp' },
    );
  const tool = (name: string, input: object): Asked => ({
    ...{ method: 'tools/call', params: { name, arguments: input } },
  });
  const inProcess = (work: (index: number) => Promise<unknown>) => series(work, { times, warmUp });
  const recall = (input: RecallInput) => memory.recall(input, OPERATOR);

  const overHttp = await load((index) => tool('recall', words(index)));
  const recalled = await inProcess((index) => recall(other(index)));
  const rest = await load((index) => ({ path: '/cue/recall', body: third(index) }));
  const structural = await load((index) => tool('recall', files(index)));
  const structuralHere = await inProcess((index) => recall(files(index)));
  const many = await load((index) => tool('recall', crowd(index)), { connections: CROWD });
  const list = await load(() => tool('list', { own: false, limit: LIMIT }));
  const listHere = await inProcess(() => memory.list({ own: false, limit: LIMIT }, OPERATOR));
  const hint = await load(() => tool('nudge_get_hint', asks.get()));
  const hintHere = await inProcess(() => hints.getHint(asks.get(), OPERATOR));
  const tools = await load(() => ({ method: 'tools/list', params: {} }));
  const begin = await load(() => ({ method: 'ping', params: {} }), { onlySessions: true });
  const hooks = await hooked(listener.port, size);
  await memory.settle();
  await listener.close();
  await delay(50);
  await stop();
  return {
    samples: {
      recall: overHttp.each,
      'recall.rest': rest.each,
      'recall.structural': structural.each,
      'recall.crowd': many.each,
      'recall.crowd.rate': [(many.each.length / many.took) * 1_000],
      list: list.each,
      hint: hint.each,
      tools: tools.each,
      begin: begin.each,
      'hook.file': hooks.file,
      'hook.prompt': hooks.prompt,
      'hook.nobody': hooks.nobody,
    },
    beside: {
      ...{ recall: recalled, 'recall.rest': recalled, 'recall.structural': structuralHere },
      ...{ list: listHere, hint: hintHere },
      ...{ 'hook.file': hooks.alone, 'hook.prompt': hooks.alone, 'hook.nobody': hooks.alone },
    },
  };
}

/** About the newest memories; each event of another session, since the same is offered once. */
function hooked(port: number, size: number): Promise<HooksReport> {
  const warmUp = 2;
  const newest = Array.from({ length: HOOKS + warmUp }, (_, at) => draftAt(size - 1 - at));
  const request: HooksRequest = {
    ...{ port, warmUp },
    files: newest.map(fileOf),
    prompts: newest.map(({ intent }) => intent.goal),
  };
  return inChild(new URL('./hooks.ts', import.meta.url), request, { name: 'the hooks of mcp' });
}

async function fillMemories(memory: WorkMemoryService, size: number, agentId: Uuid): Promise<void> {
  for (let start = 0; start < size; start += PER_IMPORT) {
    const lines = Array.from({ length: Math.min(PER_IMPORT, size - start) }, (_, offset) =>
      lineAt(start + offset, size, agentId),
    );
    const { imported, rejected } = await memory.import(lines, OPERATOR);
    if (imported !== lines.length) {
      throw new Error(`${imported} of ${lines.length} came in: ${JSON.stringify(rejected[0])}`);
    }
  }
  // Vectors are made in the background.
  await memory.settle();
}
