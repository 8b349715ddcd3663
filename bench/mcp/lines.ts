/** The rows of the suite: what each is called, judged by and allowed (issue 7 points 4, 7 and 9). */
import { SECOND_MS } from '../../src/shared/clock.js';
import type { RowInput } from '../stats.js';
import type { SampleName } from './protocol.js';

export type Line = Omit<RowInput, 'at' | 'ours' | 'beside'> & { name: SampleName };

/** Above this size the design promises nothing. */
const PROMISED = 10_000;
const RECALL_MS = 40;
const HOOK_MS = 150;
const GREETING_MS = SECOND_MS;
const PROXY_MS = SECOND_MS;
const PRIMARY_MS = 5 * SECOND_MS;
const TAKEOVER_MS = 10 * SECOND_MS;
const RECOVERY_MS = 5 * SECOND_MS;

export function linesFor(size: number): Line[] {
  const p95 = { judged: 'p95' } as const;
  const recall = size <= PROMISED ? { ...p95, budget: RECALL_MS } : p95;
  return [
    line('recall', 'recall by words / in process', recall),
    line('recall.rest', 'the same by REST / in process', p95),
    line('recall.structural', 'recall by file / in process', recall),
    line('recall.crowd', 'recall by words, 16 connections', p95),
    line('recall.crowd.rate', 'the same', { unit: 'per second' }),
    line('list', 'list, newest five / in process', p95),
    line('hint', 'nudge_get_hint / in process', p95),
    line('tools', 'tools/list', p95),
    line('begin', 'a session begun and ended', p95),
    line('hook.file', 'cue hook, a file with a history / node alone', { budget: HOOK_MS }),
    line('hook.prompt', 'cue hook, a prompt / node alone', { budget: HOOK_MS }),
    line('hook.nobody', 'cue hook where nothing serves / node alone', { budget: HOOK_MS }),
    line('proxy', 'cue mcp answers initialize, PROXY / node alone', { budget: GREETING_MS }),
    line('proxy.recall', 'cue mcp answers its first recall, PROXY', { budget: PROXY_MS }),
    line('primary', 'cue mcp answers initialize, PRIMARY / node alone', { budget: GREETING_MS }),
    line('primary.recall', 'cue mcp answers its first recall, PRIMARY', { budget: PRIMARY_MS }),
    line('takeover', 'PRIMARY killed, calls of two others answered', {
      ...{ judged: 'max', budget: TAKEOVER_MS },
    }),
    line('recovery', 'the same beside eight busy processes', { ...p95, budget: RECOVERY_MS }),
    line('recovery.cpu', 'CPU time of both', p95),
  ];
}

function line(name: SampleName, what: string, rest: Omit<Line, 'name' | 'id' | 'what'> = {}): Line {
  return { name, id: `mcp.${name}`, what, ...rest };
}
