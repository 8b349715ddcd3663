/** `npm run bench -- triggers`: the trigger rows of DESIGN §13, the plain TaskService way beside. */
import { inChild } from '../in-child.js';
import { LONG_BLOCK_MS, noteOfLong } from '../statement-watch.js';
import { type Row, type RowInput, rowOf, type SuiteOptions } from '../stats.js';
import type { SampleName, ScenarioReport, ScenarioRequest } from './protocol.js';

const SIZES = [100, 1_000, 10_000, 50_000];
const QUICK_SIZES = [100];
/** The size at which DESIGN §13 wants the lag from due to claimed. */
const DUE_AT = 10_000;

export async function triggerRows(options: SuiteOptions): Promise<Row[]> {
  const sizes = options.sizes ?? (options.quick ? QUICK_SIZES : SIZES);
  const dueAt = sizes.filter((size) => size <= DUE_AT).at(-1) ?? sizes[0];
  const rows: Row[] = [];
  for (const size of sizes) {
    const request = {
      size,
      quick: options.quick,
      dueRounds: size !== dueAt ? 0 : options.quick ? 1 : 8,
      dueModes: options.quick ? (['same'] as const) : (['same', 'spread'] as const),
      duePerRound: options.quick ? 10 : 50,
    };
    options.say(`${size} triggers: ours …`);
    const ours = await run({ way: 'cue', ...request });
    options.say(`${size} triggers: plain tasks …`);
    const plain = await run({ way: 'plain', ...request });
    rows.push(...rowsOf(size, ours, plain));
  }
  return rows;
}

function run(request: ScenarioRequest): Promise<ScenarioReport> {
  const name = `the ${request.way} bench at ${request.size}`;
  return inChild(new URL('./child.ts', import.meta.url), request, { name });
}

function rowsOf(size: number, ours: ScenarioReport, plain: ScenarioReport): Row[] {
  const inputs = inputsFor(size);
  const rows: Row[] = [];
  for (const { name, besideName, ...input } of inputs) {
    const values = ours.samples[name];
    if (!values || values.length === 0) continue;
    const beside = plain.samples[besideName ?? name];
    rows.push(
      rowOf({
        ...input,
        at: size,
        ours: values,
        ...(besideName !== null && beside ? { beside } : {}),
        ...(name === 'statement' ? noteOfLong(ours.blocks) : {}),
      }),
    );
  }
  return rows;
}

type Line = Omit<RowInput, 'at' | 'ours' | 'beside'> & {
  name: SampleName;
  /** Another sample of the plain way, or `null` where the host has nothing like it. */
  besideName?: SampleName | null;
};

function inputsFor(size: number): Line[] {
  const budgetOf = (budget: number | undefined) => (budget === undefined ? {} : { budget });
  return [
    {
      name: 'tick',
      id: 'triggers.tick.idle',
      what: 'idle tick of the TaskService',
      ...budgetOf(size <= 10_000 ? 5 : size <= 50_000 ? 10 : undefined),
    },
    {
      name: 'beat.idle',
      id: 'triggers.heartbeat.idle',
      what: 'heartbeat, none due',
      besideName: null,
    },
    {
      name: 'beat.due',
      id: 'triggers.heartbeat.due',
      what: 'heartbeat, a round comes due',
      besideName: null,
    },
    {
      name: 'due.same.worst',
      id: 'triggers.due.same.worst',
      what: 'due → claimed, one instant, worst of a round',
      budget: 1_500,
    },
    {
      name: 'due.same.each',
      id: 'triggers.due.same.each',
      what: 'due → claimed, one instant, each',
      budget: 2_000,
      judged: 'p99',
    },
    {
      name: 'due.spread.worst',
      id: 'triggers.due.spread.worst',
      what: 'due → claimed, spread over a second, worst of a round',
      budget: 1_500,
    },
    {
      name: 'due.spread.each',
      id: 'triggers.due.spread.each',
      what: 'due → claimed, spread over a second, each',
      budget: 2_000,
      judged: 'p99',
    },
    {
      name: 'due.begun.worst',
      id: 'triggers.due.begun.worst',
      what: 'due → claim stored and run begun, worst of a round',
      besideName: null,
      budget: 1_500,
    },
    {
      name: 'due.begun.each',
      id: 'triggers.due.begun.each',
      what: 'due → claim stored and run begun, each',
      besideName: null,
      budget: 2_000,
      judged: 'p99',
    },
    {
      name: 'create.many',
      id: 'triggers.create.many',
      what: 'create all: createMany / createTask × N',
      ...budgetOf(size === 10_000 ? 20_000 : undefined),
      ...(size > 1_000 ? { note: 'beside: measured at 1,000, multiplied' } : {}),
    },
    {
      name: 'create.gaps',
      id: 'triggers.create.block',
      what: 'gaps of a 5 ms timer meanwhile, p99',
      judged: 'p99',
      // With fewer there are too few gaps, and the first of them is the compiler's.
      ...budgetOf(size >= 1_000 ? 50 : undefined),
    },
    {
      name: 'create.gaps',
      id: 'triggers.create.block.longest',
      what: 'gaps of a 5 ms timer meanwhile, longest',
      judged: 'max',
    },
    {
      name: 'create.one',
      id: 'triggers.create.one',
      what: 'create one',
      ...budgetOf(size <= 10_000 ? 10 : undefined),
    },
    { name: 'list', id: 'triggers.list', what: 'page of 50 / getTasks (all)' },
    { name: 'get', id: 'triggers.get', what: 'get one' },
    { name: 'health', id: 'triggers.health', what: 'health', besideName: null },
    {
      name: 'claim.won',
      id: 'triggers.claim.won',
      what: 'claim won / updateTask',
    },
    { name: 'claim.lost', id: 'triggers.claim.lost', what: 'claim lost', besideName: null },
    {
      name: 'lease.cas',
      id: 'triggers.lease.cas',
      what: 'lease taken by compare-and-set / updateTask',
      besideName: 'claim.won',
    },
    {
      name: 'statement',
      id: 'triggers.statement',
      what: 'longest block by one statement',
      judged: 'max',
      besideName: null,
    },
    {
      name: 'statement.cpu',
      id: 'triggers.statement.computing',
      what: 'the same without waiting for disk or core',
      judged: 'max',
      budget: LONG_BLOCK_MS,
      besideName: null,
    },
  ];
}
