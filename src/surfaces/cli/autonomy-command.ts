/** `cue autonomy [on|off|run]` */
import { Argument, type Command } from 'commander';
import type { AutonomyStatus } from '../../autonomy/index.js';
import type { CommandContext, CommandGroup } from './command-line.js';
import { badInput } from './exit-codes.js';
import { numberOf } from './flag-words.js';
import { counted, minuteOf, oneLine } from './lines.js';
import { addServerOptions, answer } from './server/answer.js';

interface AutonomyFlags {
  /** `--loop`, `--no-loop` */
  loop?: boolean;
  intervalMs?: number;
}

type Told = AutonomyStatus & { cycle?: { instructions: number } | null };

const EXPLAINED = `
Without a word: how it stands. "on" and "off" switch all runs of triggers and the loop, and are kept across
restarts; "run" is one cycle now: all instructions that wait for it.
`;

/** A server answers after 20 s, whether the cycle has ended or not. */
const CYCLE_MS = 25_000;

export const autonomyGroup: CommandGroup = { define };

function define(autonomy: Command, context: CommandContext): void {
  addServerOptions(autonomy)
    .addArgument(new Argument('[action]').choices(['on', 'off', 'run']))
    .option('--loop', 'it also thinks by itself, again and again')
    .option('--no-loop', 'it only does what it is told')
    .option('--interval-ms <number>', 'from one cycle to the next', numberOf('--interval-ms'))
    .addHelpText('after', EXPLAINED)
    .action(async (action: string | undefined, flags: AutonomyFlags, command: Command) => {
      const body = changeOf(action, flags);
      const request =
        body === null
          ? ({ path: '/autonomy' } as const)
          : ({ method: 'POST', path: '/autonomy', body, timeoutMs: CYCLE_MS } as const);
      await answer<Told>(context, command, { ...request, field: 'enabled' }, { text: textOf });
    });
}

/** `null`: nothing is to be changed. */
function changeOf(action: string | undefined, { loop, intervalMs }: AutonomyFlags): object | null {
  const change = {
    ...(loop === undefined ? {} : { loop }),
    ...(intervalMs === undefined ? {} : { intervalMs }),
  };
  switch (action) {
    case 'on':
      return { enabled: true, ...change };
    case 'off':
      return { enabled: false, ...change };
    case 'run':
      if (Object.keys(change).length > 0) throw badInput('"run" stands alone');
      return { runCycle: true };
    default:
      return Object.keys(change).length === 0 ? null : change;
  }
}

function textOf(told: Told): string {
  return [...cycleLines(told), ...autonomyLines(told)].join('\n');
}

function cycleLines({ cycle }: Told): string[] {
  if (cycle === undefined) return [];
  if (cycle === null) return ['the cycle takes longer, and goes on'];
  return [`✔ one cycle: ${counted(cycle.instructions, 'instruction')}`];
}

/** Also of `cue status`. */
export function autonomyLines(status: AutonomyStatus): string[] {
  const { enabled, loop, intervalMs, cycling, blocked, delegated } = status;
  const { lastCycleAtMs, lastCycleError } = status;
  const every = loop ? `on, every ${intervalMs / 1_000} s` : 'off';
  return [
    `autonomy: ${enabled ? 'on' : 'off'}, loop: ${every}${cycling ? ', in a cycle now' : ''}`,
    ...(blocked ? [`  nothing runs: ${oneLine(blocked)}`] : []),
    ...(delegated ? ['  another plugin does it'] : []),
    ...(lastCycleAtMs === null ? [] : [`  last cycle: ${minuteOf(lastCycleAtMs)}`]),
    ...(lastCycleError === null ? [] : [`  last error: ${oneLine(lastCycleError)}`]),
  ];
}
