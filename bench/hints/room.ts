/** The service in process, on PGlite: what an agent's turn, a command and a change cost. */
import type { BumpParams, GetHintParams, SetHintParams } from '../../src/hints/index.js';
import { systemClock } from '../../src/shared/clock.js';
import { bootPlain } from '../agent.js';
import { delay, loopGaps, series } from '../clockwork.js';
import { timed, watched } from '../memory/watched.js';
import { fill, hintStarter, OPERATOR } from './opened.js';
import type { PartReport, PartRequest, SampleName, Samples } from './protocol.js';
import { asked, payloadOf } from './workload.js';

const WARM_UP = 20;
/** A score is worked out once in ten seconds: the first query after it pays for all. */
const STALE_MS = 10_000;
const SESSION_TTL = 'session';

/** Leaves its hints in the directory. */
export async function hintRoom(request: PartRequest): Promise<PartReport> {
  const { size, quick, directory } = request;
  const agent = await bootPlain(directory);
  const seen = watched(agent.runtime);
  const starter = await hintStarter(agent.runtime, request);
  const hints = await starter.start();
  const samples: Samples = {};
  // Made before the clock runs: what the bench invents is not ours.
  const payload = payloadOf(size, systemClock.now());
  await seen.phase('import', async () => {
    samples['import.gaps'] = await loopGaps(async () => {
      samples['import.hint'] = [(await timed(() => fill(hints, size, payload))) / size];
    });
  });

  const ask = asked(size, 'asked');
  const often = { times: quick ? 50 : 2_000, warmUp: WARM_UP, forMs: 20_000 };
  const seldom = { ...often, times: quick ? 20 : 300, warmUp: 5 };
  const notes: PartReport['notes'] = {};
  /**
   * Questions are made before the clock runs.
   * @throws Error when too few answers hold something: an empty one is quick
   */
  const measure = async <Question>(
    name: SampleName,
    question: () => Question,
    work: (question: Question) => Promise<boolean>,
    { least = 0.9, ...options }: typeof often & { least?: number } = often,
  ) => {
    const questions = Array.from({ length: options.times + options.warmUp }, question);
    let calls = 0;
    let good = 0;
    samples[name] = await series(async (index) => {
      calls += 1;
      if (await work(questions[index] as Question)) good += 1;
    }, options);
    if (good < least * calls) throw new Error(`${name}: ${good} of ${calls} as they should be`);
    if (good < calls) notes[name] = `${good} of ${calls} found something`;
  };
  const got = async (params: GetHintParams) =>
    (await hints.getHint(params, OPERATOR)).hint !== null;
  const found = async (params: object) => (await hints.query(params, OPERATOR)).hints.length > 0;
  const nothing = () => ({});
  const half = { ...often, least: 0.5 };
  const all = { explain: 'all' } as const;

  await measure('get', ask.get, got);
  await measure('get.scoped', ask.getScoped, got, half);
  await measure('get.all', () => ({ ...ask.getScoped(), ...all }), got, half);
  await measure('query.component', ask.byComponent, found);
  await measure('query.tag', ask.byTag, found);
  await measure('query.everything', ask.everything, found, seldom);
  await measure('query.regex', ask.byRegex, found, seldom);
  await measure('query.all', () => ({ ...ask.everything(), ...all }), found, seldom);
  const listed = async () => (await hints.listComponents({}, OPERATOR)).components.length > 0;
  await measure('list', nothing, listed, seldom);
  await measure('counts', nothing, async () => hints.counts(OPERATOR).hints === size, seldom);
  const exported = async () => (await hints.export({}, OPERATOR)).payload !== undefined;
  await measure('export', nothing, exported, { ...seldom, times: quick ? 3 : 30 });
  samples['query.first'] = [];
  for (let round = 0; round < (quick ? 0 : 3); round += 1) {
    await delay(STALE_MS - (Date.now() % STALE_MS) + 5);
    const question = ask.everything();
    samples['query.first'].push(await timed(() => found(question)));
  }

  const writes = { times: quick ? 20 : 500, warmUp: 5, forMs: 30_000 };
  const set = async (params: SetHintParams) => (await hints.setHint(params, OPERATOR)).hint;
  await seen.phase('set and bump', async () => {
    await measure('set', ask.set, async (params) => (await set(params)).version > 1, writes);
    const bumped = async (params: BumpParams) =>
      ((await hints.bump(params, OPERATOR)).hint.use_count ?? 0) > 0;
    await measure('bump', ask.named, bumped, writes);
  });
  let session = 0;
  const forSession = (): SetHintParams => {
    const { meta, ...params } = ask.set();
    session += 1;
    return { ...params, key: `scratch-${session}`, meta: { ...meta, ttl: SESSION_TTL } };
  };
  const isNew = async (params: SetHintParams) => (await set(params)).version === 1;
  await measure('set.session', forSession, isNew, writes);

  await hints.stop();
  await starter.stop();
  await delay(50);
  await agent.stop();
  const { samples: statements, blocks } = seen.report();
  const { statement, 'statement.cpu': cpu } = statements;
  return {
    samples: {
      ...samples,
      ...(statement && { statement }),
      ...(cpu && { 'statement.cpu': cpu }),
    },
    ...(blocks && { blocks }),
    notes,
  };
}
