/**
 * The load generator, a process of its own: keep-alive connections, each of which asks again as soon
 * as it has its answer.
 */
import { Agent } from 'node:http';
import { askHttp } from '../http.js';
import { answerParent } from '../in-child.js';
import type { Mix } from './protocol.js';
import { asked } from './workload.js';

export interface LoadRequest {
  port: number;
  path: string;
  mix: Mix;
  /** Hints that are there. */
  size: number;
  connections: number;
  /** Whole seconds that count … */
  seconds: number;
  /** … after so many milliseconds that do not. */
  warmUpMs: number;
}

export interface LoadReport {
  /** Milliseconds from asking to the whole answer, sets left out. */
  each: number[];
  /** The same of sets. */
  sets: number[];
  /** Good answers in each second. */
  rates: number[];
  errors: number;
  /** The first of them, in words. */
  firstError?: string;
}

const SET_SHARE = 0.1;

answerParent(async (load: LoadRequest): Promise<LoadReport> => {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const report: LoadReport = {
    each: [],
    sets: [],
    rates: Array.from({ length: load.seconds }, () => 0),
    errors: 0,
  };
  const from = performance.now() + load.warmUpMs;
  const until = from + load.seconds * 1_000;
  const connection = async (number: number) => {
    const next = callsOf(load, number);
    while (performance.now() < until) {
      const { isSet, body } = next();
      const began = performance.now();
      const problem = await post(load, agent, body).catch((error: unknown) => String(error));
      const ended = performance.now();
      // An error counts whenever it comes: none is a slow answer's excuse.
      if (problem !== null) {
        report.errors += 1;
        report.firstError ??= problem;
      }
      if (began < from || ended >= until || problem !== null) continue;
      (isSet ? report.sets : report.each).push(ended - began);
      const second = Math.floor((ended - from) / 1_000);
      report.rates[second] = (report.rates[second] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: load.connections }, (_, number) => connection(number)));
  agent.destroy();
  return report;
});

/** The calls of one connection, one after the other. */
function callsOf({ mix, size }: LoadRequest, number: number) {
  const ask = asked(size, `load ${number}`);
  let id = 0;
  const call = (method: string, params: object) => {
    id += 1;
    return JSON.stringify({ jsonrpc: '2.0', id, method: `nudge.${method}`, params });
  };
  return () => {
    const isSet = mix === 'mix' && ask.draw() < SET_SHARE;
    if (isSet) return { isSet, body: call('set_hint', ask.set()) };
    const body = mix === 'query' ? call('query', ask.byComponent()) : call('get_hint', ask.get());
    return { isSet, body };
  };
}

/** @returns what was wrong with the answer, `null` when it has a result */
async function post(
  { port, path }: LoadRequest,
  agent: Agent,
  body: string,
): Promise<string | null> {
  const { status, text } = await askHttp({ port, agent }, { method: 'POST', path, text: body });
  const isGood = status === 200 && text.includes('"result":');
  return isGood ? null : `${status} ${text.slice(0, 200)}`;
}
