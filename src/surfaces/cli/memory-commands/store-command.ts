/** `cue store`: the short form of a memory by flags, or any form as JSON. */
import { type Command, Option } from 'commander';
import type { StoreResult } from '../../../memory/index.js';
import { TASK_TYPE_WORDS } from '../choices.js';
import type { CommandContext, CommandGroup } from '../command-line.js';
import { badInput } from '../exit-codes.js';
import { collect, numberOf, wordsIn } from '../flag-words.js';
import type { Io } from '../io.js';
import { oneLine } from '../lines.js';
import { parseJson } from '../read-file.js';
import { addServerOptions, answer, type ServerFlags } from '../server/answer.js';
import type { FlagNames } from '../server/in-flags.js';

interface StoreFlags extends ServerFlags {
  intent?: string;
  taskType?: string;
  perception?: string;
  reasoning?: string;
  success?: true;
  /** Also with a reason: `--failure "clocks differ"`. */
  failure?: true | string;
  summary?: string;
  learning?: string[];
  tags?: string[];
  importance?: number;
  session?: string;
  agent?: string;
  remindWhen?: string[];
}

type ShortAction = Record<string, string>;

/** Of the fields that are not named like their flags. */
const FLAG_NAMES: FlagNames = {
  'intent.goal': '--intent',
  session_id: '--session',
  agent_id: '--agent',
  'outcome.learnings': '--learning',
  'outcome.failure_reason': '--failure',
  remind_when: '--remind-when',
};

const EXPLAINED = `
Without any of these flags the memory is read from standard input: JSON, in the short or the long form.

Examples:
  cue store --intent "Fix login failing after an hour" --edited src/auth.ts --passed "npm test" \\
    --success --learning "Clocks differ: leave a margin" --tags auth,jwt
  cue store < memory.json
`;

export const storeGroup: CommandGroup = { define };

function define(store: Command, context: CommandContext): void {
  const actions: ShortAction[] = [];
  /** In the order in which they were given. */
  const acting = (make: (text: string) => ShortAction) => (text: string) => {
    actions.push(make(text));
    return text;
  };
  const file = (operation: string) => acting((path) => ({ file: path, operation }));
  const ran = (result: string) => acting((line) => ({ command: line, result }));
  addServerOptions(store)
    .option('--intent <text>', 'what was to be done')
    .addOption(new Option('--task-type <type>', 'kind of work').choices(TASK_TYPE_WORDS))
    .option('--perception <text>', 'what was seen')
    .option('--reasoning <text>', 'which way was chosen, and why')
    .option('--edited <path>', 'a file; these six may be given several times', file('edit'))
    .option('--created <path>', 'a file', file('create'))
    .option('--deleted <path>', 'a file', file('delete'))
    .option('--read <path>', 'a file', file('read'))
    .option('--passed <command>', 'a command that went well', ran('pass'))
    .option('--failed <command>', 'a command that failed', ran('fail'))
    .option('--success', 'it was done')
    .option('--failure [reason]', 'it was not done')
    .option('--summary <text>', 'what came of it')
    .option('--learning <text>', 'what to know the next time; repeatable', collect)
    .option('--tags <words>', 'comma-separated', collect)
    .option('--importance <number>', '0 to 1 (0.5)', numberOf('--importance'))
    .option(
      '--remind-when <phrase>',
      'what somebody would say or do when this matters again; up to five times',
      collect,
    )
    .option('--session <id>', 'the session it belongs to')
    .option('--agent <id>', 'whose name stands under it')
    .addHelpText('after', EXPLAINED)
    .action(async (flags: StoreFlags, command: Command) => {
      await answer<StoreResult>(
        context,
        command,
        {
          ...{ method: 'POST', path: '/memories', field: 'memory_id' },
          body: await draftOf(flags, actions, context.io),
          flags: flags.intent === undefined ? null : FLAG_NAMES,
        },
        {
          text: ({ memory_id, links }) =>
            `✔ stored ${memory_id}${links > 0 ? `, ${links} linked` : ''}`,
          beside: ({ redacted = [], degraded }) => [
            ...redacted.map(({ kind, count }) => `taken out: ${oneLine(kind)} (${count})`),
            ...(degraded === undefined ? [] : [oneLine(degraded)]),
          ],
        },
      );
    });
}

async function draftOf(flags: StoreFlags, actions: ShortAction[], io: Io): Promise<object> {
  const { json: _json, port: _port, ...said } = flags;
  if (Object.keys(said).length === 0) return fromInput(await io.stdin());
  const { intent, taskType, perception, reasoning, success, failure, summary } = said;
  const { learning, tags, importance, session, agent, remindWhen } = said;
  if (intent === undefined) throw badInput('--intent says what was to be done');
  if (intent.trim() === '') throw badInput('--intent is empty: say what was to be done');
  if (success === undefined && failure === undefined) {
    throw badInput('say how it ended: --success or --failure');
  }
  if (success !== undefined && failure !== undefined) {
    throw badInput('choose one of --success and --failure: both were given');
  }
  // Fields that are `undefined` are not sent.
  return {
    intent: taskType === undefined ? intent : { goal: intent, task_type: taskType },
    ...{ perception, reasoning, importance, session_id: session, agent_id: agent },
    actions: actions.length === 0 ? undefined : actions,
    outcome: {
      success: success === true,
      ...{ summary, learnings: learning },
      failure_reason: typeof failure === 'string' ? failure : undefined,
    },
    tags: tags && wordsIn(tags),
    remind_when: remindWhen,
  };
}

function fromInput(text: string): object {
  if (text.trim() === '') {
    throw badInput(
      'say what was done: cue store --intent "…" --success, or JSON on standard input',
    );
  }
  const read = parseJson(text, 'standard input');
  if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read;
  throw badInput('standard input is no JSON object');
}
