/**
 * Asked over HTTP on loopback at the root path, by another process: an agent with our own listener,
 * or a whole Eliza server. Beside it, in the same process, a bare Node server and a bare route of the
 * Eliza server, which answer as many bytes.
 */
import { hintsOf } from '../../__tests__/helpers/hints.js';
import { startServer } from '../../__tests__/helpers/server.js';
import type { Hints } from '../../src/hints/index.js';
import { startListener } from '../../src/surfaces/rest/listener.js';
import { bootCue } from '../agent.js';
import { delay } from '../clockwork.js';
import { inChild } from '../in-child.js';
import { BARE, type BareResults, barePlugin, bareResults, bareServer } from './bare.js';
import { commandProcess } from './command.js';
import type { LoadReport, LoadRequest } from './load.js';
import { fill, OPERATOR } from './opened.js';
import {
  type Door,
  type HttpSample,
  MIXES,
  type Mix,
  type PartReport,
  type PartRequest,
} from './protocol.js';
import { providerSeries } from './provider.js';

const CONNECTIONS = 16;
const RPC = '/cue/rpc';

export async function throughListener(request: PartRequest): Promise<PartReport> {
  const agent = await bootCue({});
  const hints = await hintsOf(agent.runtime);
  await fill(hints, request.size);
  const bare = await bareServer(await bareResults(hints, request.size));
  const listener = await startListener({ runtime: agent.runtime, port: 0 });
  const report = await asked('listener', listener.port, hints, request);
  const beside = await askedBare('listener', { port: bare.port, path: '/' }, request);
  bare.close();
  const provider = await providerSeries(agent.runtime, request);
  const command = request.hasCommand ? await commandProcess(listener.port, request) : null;
  await listener.close();
  await delay(50);
  await agent.stop();
  return {
    ...report,
    samples: {
      ...report.samples,
      ...(provider && { provider: provider.values }),
      ...command?.samples,
    },
    notes: { ...report.notes, ...(provider && { provider: provider.note }) },
    beside: { ...beside, ...command?.beside },
  };
}

export async function throughServer(request: PartRequest): Promise<PartReport> {
  let results: BareResults | null = null;
  const server = await startServer({ name: 'Cue Bench', plugins: [barePlugin(() => results)] });
  const hints = await hintsOf(server.runtime);
  await fill(hints, request.size);
  results = await bareResults(hints, request.size);
  const port = Number(new URL(server.baseUrl).port);
  const report = await asked('server', port, hints, request);
  const beside = await askedBare('server', { port, path: '/bare/' }, request);
  await server.stop();
  return { ...report, beside };
}

async function asked(
  door: Door,
  port: number,
  hints: Hints,
  request: PartRequest,
): Promise<PartReport> {
  const samples: PartReport['samples'] = {};
  const notes: NonNullable<PartReport['notes']> = {};
  for (const mix of MIXES) {
    const report = await load({ port, path: RPC }, mix, request);
    Object.assign(samples, samplesOf(door, mix, report));
    if (report.firstError !== undefined) notes[`${door}.${mix}.errors`] = report.firstError;
  }
  const { hints: left } = hints.counts(OPERATOR);
  if (left !== request.size) throw new Error(`${left} of ${request.size} hints are left`);
  return { samples, notes };
}

async function askedBare(
  door: Door,
  { port, path }: Address,
  request: PartRequest,
): Promise<PartReport['samples']> {
  const samples: PartReport['samples'] = {};
  for (const mix of BARE) {
    const report = await load({ port, path: path + mix }, mix, request);
    if (report.errors > 0) throw new Error(`the bare server: ${report.firstError}`);
    const { [`${door}.${mix}.errors` as const]: _none, ...rest } = samplesOf(door, mix, report);
    Object.assign(samples, rest);
  }
  return samples;
}

type Address = Pick<LoadRequest, 'port' | 'path'>;

function load(address: Address, mix: Mix, { size, quick }: PartRequest): Promise<LoadReport> {
  const request: LoadRequest = {
    ...address,
    ...{ mix, size },
    connections: CONNECTIONS,
    seconds: quick ? 1 : 10,
    warmUpMs: quick ? 200 : 1_500,
  };
  return inChild(new URL('./load.ts', import.meta.url), request, { name: `the load of ${mix}` });
}

function samplesOf(
  door: Door,
  mix: Mix,
  { each, sets, rates, errors }: LoadReport,
): Partial<Record<HttpSample, number[]>> {
  return {
    [`${door}.${mix}.rate`]: rates,
    [`${door}.${mix}.each`]: each,
    [`${door}.${mix}.errors`]: [errors],
    ...(sets.length > 0 ? { [`${door}.mix.set`]: sets } : {}),
  };
}
