/**
 * What a person wants done to a trigger that exists, read from the words by rules. Pure. The words
 * that carry the value ("for 10 minutes", "to 10am") are cut out of `target`, which is then only
 * about which trigger is meant.
 */

export type UpdateIntent =
  | { kind: 'pause'; target: string; all: boolean; until?: string }
  | { kind: 'resume'; target: string; all: boolean }
  /** `day`: only the run of that day is meant. */
  | { kind: 'skip'; target: string; day?: 'today' | 'tomorrow' }
  /** Until a moment, for a length of time, or (`by`) that much later than planned. */
  | { kind: 'snooze'; target: string; until?: string; length?: string; by?: boolean }
  | { kind: 'rename'; target: string; to: string }
  | { kind: 'text'; target: string; to: string }
  | { kind: 'reschedule'; target: string; to: string };

/** Only so much of a message can be a command about a trigger; a new text may be long. */
const MAX_COMMAND = 400;
/** Longer than any text a trigger may have, so that one cut off here is refused there. */
const MAX_READ = 10_000;

const POLITE =
  /^(?:(?:hey|hi|hello|ok|okay|please|pls|and|also|then|now|so|well|actually|just|kindly|thanks|@?cue)[\s,!.:]+|(?:no|yes)[,!.:]\s*|(?:can|could|would|will) you (?:please )?|(?:i(?:'d| would) like|i want|i need) (?:you )?to |would you mind |let'?s )+/i;
const TRAILING =
  /[\s,]*(?:,? ?(?:please|pls|thanks|thank you|for me|for now|for the moment|instead|now|right now|again))*[\s.!?]*$/i;

const RUNS = /^(?:run|do)\b/i;
const SNOOZE = /\b(?:snooze|postpone|put off|push back|push out|delay|hold off(?: on)?)\b/i;
const LENGTH =
  '(?:\\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|half an?|a couple(?: of)?|a few|another)(?: (?:more|and a half))? ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|weeks?)';
const SNOOZE_LENGTH = new RegExp(
  `^(.*?)\\s*\\b(for(?: another| about)?|by(?: another)?) (${LENGTH}\\b.*)$`,
  'is',
);
const BARE_LENGTH = new RegExp(`^(.*?)\\s*\\b(${LENGTH})$`, 'is');
/** "5 more minutes", "remind me again in an hour": what a person says to something that just spoke. */
const AGAIN = new RegExp(
  `^(?:give me |just )?(?:another )?(${LENGTH})(?: more)?$|^(?:remind|ask|tell|ping|wake|try|poke) (?:me )?(?:of it |it )?again in (${LENGTH})$`,
  'i',
);
/** "push the standup by 30 minutes", "move it an hour later". */
const LATER = new RegExp(
  `^(?:move|push|shift|set|make) (.{1,160}?) (?:(?:back|forward|out|on|later) )?(?:by (${LENGTH})(?: later)?|(${LENGTH}) later)$`,
  'is',
);
const SKIP =
  /\b(?:skip|leave out|omit|miss out)\b|\b(?:no|not|cancel) (?:the )?(?:next (?:one|run|time)|tomorrow'?s|today'?s)\b/i;
/** "no standup tomorrow", "don't remind me about the standup today". */
const NONE_ON_DAY =
  /^(?:no|not|do(?:n't| not) (?:run|do|send(?: me)?|remind me(?: (?:about|of|to))?|tell me|ping me|give me)) (.{1,120}?) (today|tonight|tomorrow)$/is;
const RESUME =
  /\b(?:resume|unpause|un-pause|reactivate|re-?enable|enable|restart|continue|turn (?:[^.]{0,60} )?(?:back )?on|switch (?:[^.]{0,60} )?(?:back )?on|start (?:[^.]{0,60} )?(?:up )?again|bring back)\b/i;
const PAUSE =
  /\b(?:pause|suspend|disable|deactivate|mute|silence|halt|hold|stop|turn (?:[^.]{0,60} )?off|switch (?:[^.]{0,60} )?off)\b/i;
/** A new name or a new text: which of them, and where it stands. Without a target the last one is meant. */
const NAMINGS: readonly (readonly ['say' | 'text' | 'rename', RegExp])[] = [
  [
    'say',
    /^(?:make|have|let|change|update|edit) (?<target>.{1,160}?) (?:to |so (?:that )?it )?says?[\s:]+(?<to>.+)$/is,
  ],
  ['say', /^(?<target>.{1,160}?) should (?:now )?say[\s:]+(?<to>.+)$/is],
  [
    'text',
    /^(?:change|set|update|edit|replace|correct|fix) (?:the |its )?(?:text|message|instructions?|wording|content|words|prompt|task)(?: (?:of|for|in|on) (?<target>.{1,160}?))? (?:to|with|so (?:that )?it says) (?<to>.+)$/is,
  ],
  [
    'text',
    /^(?:change|set|update|edit|replace) (?<target>.{1,160}?)(?:'s)? (?:text|message|instructions?|wording|content|prompt) (?:to|with) (?<to>.+)$/is,
  ],
  ['rename', /^rename (?:(?<target>.{1,160}?) )?(?:to|into|as) (?<to>.+)$/is],
  // "call mom" is something to do, not a name; "call it standup" and "call X 'Y'" are names.
  ['rename', /^(?:call|name) (?<target>(?:it|that|this)\b\S*|\S+(?= ["“'])) (?<to>.+)$/is],
  ['rename', /^change the (?:name|title) of (?<target>.{1,160}?) to (?<to>.+)$/is],
  ['rename', /^(?:change|set) (?:the |its )(?:name|title) to (?<to>.+)$/is],
  ['rename', /^(?:change|set) (?<target>.{1,160}?)(?:'s)? (?:name|title) to (?<to>.+)$/is],
  ['rename', /^give (?<target>.{1,160}?) the name (?<to>.+)$/is],
];
const RESCHEDULE =
  /^(?:reschedule|move|shift|change|set|switch|update|push|bring forward|adjust|make|put|edit|run|do|retime|have|schedule)\s+(.+)$/is;
/** "I want the standup at 8:45 instead", "the standup should be at 8:45". */
const WISH =
  /^(?:i (?:want|prefer|need)|i'd (?:like|prefer|rather have)|i would (?:like|prefer)) (.{1,160}?) ((?:every|on|at|in|to be|daily|weekly)\b.+)$|^(.{1,160}?) (?:should|shall|must) (?:be|run|happen|come|fire|go off) (.+)$/is;
/** Words between the trigger and its new time. */
const BRIDGE =
  /\s+(?:back )?(?:to run |run )?(?:to|for|until|till|so (?:that )?it (?:runs|is))(?: run)?\s+|\s+(?=(?:run )?(?:every|each|daily|weekly|monthly|hourly|on|at|in|once|twice|tomorrow|today|tonight|next)\b)/gi;
const TIME_LIKE =
  /^(?:run )?(?:every|each|daily|weekly|monthly|hourly|weekdays?|weekends?|on|at|in|noon|midday|midnight|today|tonight|tomorrow|next|the (?:\d|first|last|second|third|next)|half|quarter|\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|morning|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;

/** `null`: none of these is asked for. */
export function readUpdateIntent(text: string): UpdateIntent | null {
  const said = text.trim().slice(0, MAX_READ).replace(POLITE, '').trim();
  // The first words say what is to be done, whatever a new text may say after them.
  const command = said.slice(0, MAX_COMMAND);
  return (
    namingIntent(said) ??
    snoozeIntent(command) ??
    skipIntent(command) ??
    pauseIntent(command) ??
    rescheduleIntent(command)
  );
}

/** Whether the words begin with what is to be done, as a command does and a name does not. */
export function isUpdateCommand(text: string): boolean {
  const intent = readUpdateIntent(text);
  if (intent === null) return false;
  const command = text.trim().slice(0, MAX_READ).replace(POLITE, '').trim();
  if (intent.kind === 'rename' || intent.kind === 'text') return true;
  // "run the weather in Rome" moves nothing.
  if (intent.kind === 'reschedule') return !RUNS.test(command) || hasTimeSign(intent.to);
  return [SNOOZE, SKIP, RESUME, PAUSE].some((verb) => command.search(verb) === 0);
}

function namingIntent(said: string): UpdateIntent | null {
  for (const [kind, pattern] of NAMINGS) {
    const found = pattern.exec(said)?.groups;
    if (found === undefined) continue;
    const { target = 'it', to = '' } = found;
    if (kind === 'rename') {
      const name = unquoted(to.slice(0, MAX_COMMAND).replace(TRAILING, ''));
      return { kind, target: target.trim(), to: name };
    }
    const text = kind === 'text' ? to : to.replace(/["“”]/g, "'").replace(/^'(.+)'$/s, '$1');
    const told = kind === 'text' ? unquoted(text) : `say "${unquoted(text)}"`;
    return { kind: 'text', target: target.trim(), to: told };
  }
  return null;
}

function snoozeIntent(command: string): UpdateIntent | null {
  const again = AGAIN.exec(command);
  if (again?.[2]) return { kind: 'snooze', target: 'it', until: `in ${again[2]}` };
  if (again) return { kind: 'snooze', target: 'it', length: (again[1] ?? '').trim() };
  const later = LATER.exec(command);
  if (later) {
    const length = (later[2] ?? later[3] ?? '').trim();
    return { kind: 'snooze', target: targetOf(later[1]), length, by: true };
  }
  if (!SNOOZE.test(command)) return null;
  const rest = command.replace(SNOOZE, ' ').replace(TRAILING, '').trim();
  const value = SNOOZE_LENGTH.exec(rest);
  if (value) {
    const by = /^by/i.test(value[2] ?? '');
    const length = (value[3] ?? '').trim();
    return { kind: 'snooze', target: targetOf(value[1]), length, ...(by ? { by } : {}) };
  }
  const moment = /^(.*?)\s*\b(?:until|till|til|to)\b\s+(.+)$/is.exec(rest);
  if (moment) {
    return { kind: 'snooze', target: targetOf(moment[1]), until: (moment[2] ?? '').trim() };
  }
  const bare = BARE_LENGTH.exec(rest);
  if (bare) return { kind: 'snooze', target: targetOf(bare[1]), length: (bare[2] ?? '').trim() };
  return { kind: 'snooze', target: targetOf(rest) };
}

function skipIntent(command: string): UpdateIntent | null {
  const none = NONE_ON_DAY.exec(command.replace(TRAILING, ''));
  if (none) {
    const day = none[2]?.toLowerCase() === 'tomorrow' ? 'tomorrow' : 'today';
    return { kind: 'skip', target: targetOf(none[1]), day };
  }
  if (!SKIP.test(command)) return null;
  const target = command
    .replace(SKIP, ' ')
    .replace(
      /\b(?:the )?next (?:one|run|time|occurrence|reminder)?\b|\b(?:tomorrow|today|tonight)(?:'s|s)?\b|\b(?:this|one) (?:time|once)\b|\bof\b|\bonce\b/gi,
      ' ',
    );
  const day = /\btomorrow/i.test(command)
    ? 'tomorrow'
    : /\b(?:today|tonight)/i.test(command)
      ? 'today'
      : null;
  return {
    kind: 'skip',
    target: targetOf(target.replace(TRAILING, '')),
    ...(day === null ? {} : { day }),
  };
}

function pauseIntent(command: string): UpdateIntent | null {
  const resume = RESUME.exec(command);
  const pause = PAUSE.exec(command);
  // The verb leads; deep in a sentence the same word is part of a name.
  const lead = (match: RegExpExecArray | null) => match !== null && match.index <= 12;
  if (resume && lead(resume) && (!pause || resume.index <= pause.index)) {
    const rest = command.replace(RESUME, (all) => insideOf(all));
    const target = targetOf(rest.replace(TRAILING, ''));
    return { kind: 'resume', target, all: isAll(target) };
  }
  if (!pause || !lead(pause)) return null;
  const rest = command
    .replace(PAUSE, (all) => insideOf(all))
    .replace(TRAILING, '')
    .trim();
  const until = /^(.*?)\s*\b(?:until|till|til)\b\s+(.+)$/is.exec(rest);
  const during = /^(.*?)\s*\bfor ((?:\d|an? |one|two|three|the next|half)[\s\S]*)$/is.exec(rest);
  const target = targetOf(until?.[1] ?? during?.[1] ?? rest);
  const moment =
    until?.[2] ?? (during ? `in ${(during[2] ?? '').replace(/^the next /i, '')}` : undefined);
  return {
    kind: 'pause',
    target,
    all: isAll(target),
    ...(moment === undefined ? {} : { until: moment.trim() }),
  };
}

/** Of the places where the new time may begin, the first behind which a time stands. */
function rescheduleIntent(command: string): UpdateIntent | null {
  const wish = WISH.exec(command);
  const wished = wish ? `${wish[1] ?? wish[3] ?? ''} ${wish[2] ?? wish[4] ?? ''}` : undefined;
  const rest = (wished ?? RESCHEDULE.exec(command)?.[1])?.replace(TRAILING, '');
  if (rest === undefined) return null;
  const splits = [...rest.matchAll(BRIDGE)].map((match) => ({
    target: rest.slice(0, match.index),
    to: rest
      .slice(match.index + match[0].length)
      .replace(/^run /i, '')
      .trim(),
    direct: /\S/.test(match[0]),
  }));
  const usable = splits.filter((split) => split.target.trim() !== '' && split.to !== '');
  const best =
    usable.find((split) => split.direct && TIME_LIKE.test(split.to)) ??
    usable.find((split) => TIME_LIKE.test(split.to)) ??
    usable.find((split) => split.direct);
  if (!best) return null;
  const target = best.target
    .replace(/\s+from\s+.*$/is, '')
    .replace(/(?:'s)?\s+(?:time(?: ?zone)?|schedule|frequency|timing)$/i, '')
    .replace(/^(?:the )?(?:time(?: ?zone)?|schedule|frequency|timing) (?:of|for) /i, '');
  return { kind: 'reschedule', target: targetOf(target), to: best.to };
}

/** "set the time zone of the inbox summary to …": of a trigger, and not the person's own. */
export function isZoneOfTrigger(text: string): boolean {
  const intent = readUpdateIntent(text);
  if (intent?.kind !== 'reschedule' || !/\btime ?zone\b/i.test(text)) return false;
  return !/^(?:(?:the |a )?(?:my|me|mine|our|us|ours|your|yours)?|the|it)$/i.test(intent.target);
}

/** "turn X off" → "X". */
function insideOf(phrase: string): string {
  const inner = /^(?:turn|switch|start) (.*?)(?: (?:back on|off|on|up again|again|back))$/i.exec(
    phrase,
  )?.[1];
  return inner === undefined || /^(?:back )?(?:on|off|up)$/.test(inner) ? ' ' : ` ${inner} `;
}

function targetOf(text: string | undefined): string {
  return (text ?? '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s,:]+|[\s,:]+$/g, '')
    .trim();
}

/** "all my reminders", "everything": only where nothing narrower is named. */
export function isAll(text: string): boolean {
  const words = text
    .toLowerCase()
    .replace(/[^\p{L}\s]+/gu, ' ')
    .trim();
  return /^(?:please )?(?:(?:all|every one)(?: of)?(?: (?:my|the|them|our|of|these|those|active|paused|scheduled|current|your))*(?: (?:triggers?|reminders?|tasks?|jobs?|alarms?|schedules?|ones|things?|stuff))?|(?:every|each)(?: single)? (?:trigger|reminder|task|job|alarm|one)|everything|them all|my (?:triggers|reminders|tasks|jobs|alarms) all)(?: (?:at once|please|now))*$/.test(
    words,
  );
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  const inner = /^["“'‘](.*?)["”'’][.!]?$/s.exec(trimmed)?.[1];
  return inner ?? trimmed;
}

const TIME_SIGN =
  /\d|\b(?:every|each|daily|hourly|weekly|monthly|yearly|tomorrow|tonight|today|noon|midnight|morning|afternoon|evening|night|week|month|minutes?|hours?|seconds?|days?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|later|soon|one|two|three|four|five|ten|half)\b/i;

/** Whether a text has a word or figure of time, so that a model may find one where the rules do not. */
export function hasTimeSign(text: string): boolean {
  return TIME_SIGN.test(text);
}
