/** `--json id,displayName`: of what a server answers, only these fields, as `gh` gives them. */
import type { Argument, Command } from 'commander';
import type { ForgetResult, RecalledMemory, StoreResult } from '../../memory/index.js';
import type { Offer } from '../../proactive/index.js';
import type { TriggerRun, TriggerSummary } from '../../triggers/index.js';
import { wordsIn } from './flags.js';
import { badInput } from './io.js';
import { commandOf, lineOf } from './typed-words.js';

/** What the option holds: the names, separated by commas; all fields without one. */
export type JsonFlag = true | string;

/** The names that are asked for; `null`: all. */
function namesIn(json: JsonFlag): string[] | null {
  const names = json === true ? [] : wordsIn([json]);
  return names.length === 0 ? null : names;
}

/** @throws AppError INVALID_INPUT naming the fields there are */
export function mustBeFields(json: JsonFlag | undefined, known: readonly string[]): void {
  const wrong = (namesIn(json ?? true) ?? []).filter((name) => !known.includes(name));
  if (wrong.length === 0) return;
  const quoted = wrong.map((name) => `"${name}"`).join(', ');
  throw badInput(`--json: no field ${quoted}: there are ${known.join(', ')}`, {
    flag: '--json',
    fields: known,
  });
}

/** What is printed of `whole`: it, or of each item the fields that were asked for. */
export function chosenFields(
  whole: object,
  json: JsonFlag,
  items: object | readonly object[],
): object {
  const names = namesIn(json);
  if (names === null) return whole;
  const chosen = (item: object) => {
    const values = new Map(Object.entries(item));
    return Object.fromEntries(
      names.flatMap((name) => (values.has(name) ? [[name, values.get(name)]] : [])),
    );
  };
  return Array.isArray(items) ? items.map(chosen) : chosen(items);
}

export function isAll(json: JsonFlag | undefined): boolean {
  return json !== undefined && namesIn(json) === null;
}

const FLAG = '--json';

/**
 * The word behind `--json` names fields where it holds a comma, or where the command needs no more words:
 * `cue trigger runs news --json status`. `cue recall --json login` asks for "login".
 */
export function fieldsAttached(program: Command, args: readonly string[]): string[] {
  let command = program;
  for (const word of args) command = commandOf(command, word) ?? command;
  const named = [program, command.parent, command].flatMap((one) => one?.options ?? []);
  const end = args.indexOf('--');
  const isOption = named.some(({ long, optional }) => long === FLAG && optional);
  if (!isOption) return [...args];
  const attached: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const [word = '', next, behind] = args.slice(at, at + 3);
    if (word !== FLAG || (end >= 0 && at > end)) {
      attached.push(word);
      continue;
    }
    const { count } = lineOf(program, args.slice(0, at));
    const isLast = behind === undefined || behind.startsWith('-');
    if (next !== undefined && isFields(next, command, isLast ? count : 0)) {
      attached.push(`${FLAG}=${next}`);
      at += 1;
    } else attached.push(`${FLAG}=`);
  }
  return attached;
}

/** @param given how many words of its own the command has been given, where this one stands alone behind them */
function isFields(word: string, command: Command, given: number): boolean {
  if (!/^[A-Za-z]\w*(?:,\w+)*,?$/.test(word)) return false;
  if (word.includes(',')) return true;
  const { registeredArguments } = command;
  const [first] = registeredArguments;
  if (first !== undefined) {
    const needed = registeredArguments.filter(({ required }) => required).length;
    return given >= Math.max(1, needed) || (needed === 0 && !mayBe(first, word));
  }
  return command.name() !== word && commandOf(command, word) === undefined;
}

function mayBe(argument: Argument, word: string): boolean {
  if (argument.argChoices) return argument.argChoices.includes(word);
  return argument.name() !== 'memory' || word.startsWith('mem_');
}

/** Without those that a looser type adds. */
type NameOf<Shape> = keyof {
  [Key in keyof Shape as string extends Key ? never : number extends Key ? never : Key]: true;
};

function namesOf<Shape>(all: Readonly<Record<NameOf<Shape>, true>>): readonly string[] {
  return Object.keys(all);
}

export const TRIGGER_FIELDS = namesOf<TriggerSummary>({
  ...{ id: true, displayName: true, state: true, stateReason: true, scheduleText: true },
  ...{ nextRunAtMs: true, instructions: true, enabled: true, triggerType: true, timezone: true },
  ...{ runCount: true, maxRuns: true, lastRunAtIso: true, lastStatus: true, lastError: true },
  ...{ failureCount: true, pausedReason: true, wakeMode: true, createdBy: true, deliverTo: true },
  ...{ cronExpression: true, intervalMs: true, scheduledAtIso: true, startAtIso: true },
  ...{ untilIso: true, anchorMs: true, wallClock: true, missedRunPolicy: true },
  ...{ overlapPolicy: true, timeoutMs: true, maxFailures: true, timezoneSource: true },
  ...{ creatorEntityId: true, originRoomId: true, parentTriggerId: true, creatorAgentId: true },
  ...{ creatorIsGuest: true, failuresFromMs: true, revision: true, dedupeKey: true },
  ...{ triggerId: true, taskId: true, version: true },
});

export const RUN_FIELDS = namesOf<TriggerRun>({
  ...{ triggerRunId: true, triggerId: true, displayName: true, status: true, startedAt: true },
  ...{ finishedAt: true, latencyMs: true, answer: true, error: true, reason: true, cause: true },
  ...{ scheduledForMs: true, attempt: true, open: true, delivery: true, actions: true },
  ...{ responded: true, modelCalls: true, lateAnswer: true, retryAtMs: true, waitsFor: true },
  ...{ begunAtMs: true, together: true, takeovers: true, missedCount: true, missedUntilMs: true },
  ...{ setBackByMs: true, leaseOwner: true, leaseToken: true, leaseUntilMs: true },
  ...{ messageId: true, responseId: true, roomId: true, homeRoomId: true },
  ...{ creatorEntityId: true, taskId: true, version: true },
});

export const OFFER_FIELDS = namesOf<Offer>({
  ...{ id: true, kind: true, state: true, subject: true, text: true, tokens: true, why: true },
  ...{ sources: true, target: true, groupId: true, requiresAcknowledgment: true },
  ...{ createdAt: true, expiresAt: true, shownAt: true, shownBy: true, usedAt: true },
  ...{ usedHow: true, closedAt: true, closedBy: true, closedIn: true, reason: true },
  speakerId: true,
});

export const RECALLED_FIELDS = namesOf<RecalledMemory>({
  ...{ memory_id: true, content: true, confidence: true, why: true, created_at: true },
  ...{ success: true, origin: true, depth: true, stage: true, fuzzy: true, links: true },
  from_database: true,
});

export const STORED_FIELDS = namesOf<StoreResult>({
  ...{ memory_id: true, created: true, links: true, redacted: true, degraded: true },
  memory: true,
});

export const FORGOTTEN_FIELDS = namesOf<ForgetResult>({
  ...{ dry_run: true, total: true, memories: true, memory_ids: true, elsewhere: true },
  ...{ links: true, chapters: true, wisdom: true, kept: true },
});
