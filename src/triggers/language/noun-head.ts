/** Requests in idioms and nouns: "let me know", "set a reminder to …", "I want a daily summary". */
import { countWords, type Head, lengthAt, position, type Word } from './head.js';
import {
  ELLIPTIC,
  KEPT_IDIOMS,
  PASSIVE,
  REFUSED_START,
  REMIND_IDIOMS,
  REMIND_PARTICIPLES,
  SCHEDULE_REPORT,
  SCHEDULE_WORK,
  SETUP,
  WANTED_REPORT,
  WISHED,
  WISHED_REPORT,
  WORK_IDIOMS,
} from './phrases.js';
import { OBJECTS, verbHead } from './verb-head.js';
import { baseForm, HUMAN, hasSubject, isVerb, NO_ORDER } from './verbs.js';

/** Ways of asking without a plain verb. */
export function idiomHead(text: string, at: number, asked: boolean): Head | null {
  const start = position(text, at);
  PASSIVE.lastIndex = at;
  const passive = PASSIVE.exec(text);
  if (passive) {
    const prefix = REMIND_PARTICIPLES[passive[1] ?? ''] ?? 'remind me';
    const content = start + countWords(passive[0]);
    return {
      kind: 'remind',
      verb: prefix.split(' ')[0] ?? 'remind',
      keep: content,
      prefix,
      content,
      asked: true,
    };
  }
  for (const [pattern, prefix] of REMIND_IDIOMS) {
    const length = lengthAt(pattern, text, at);
    if (length === 0) continue;
    const content = start + countWords(text.slice(at, at + length));
    return { kind: 'remind', verb: 'remind', keep: content, prefix, content, asked: true };
  }
  const work = lengthAt(WORK_IDIOMS, text, at);
  if (work > 0) {
    return {
      kind: 'do',
      verb: 'check',
      keep: start,
      prefix: '',
      content: start + countWords(text.slice(at, at + work)),
      asked,
    };
  }
  const length = lengthAt(KEPT_IDIOMS, text, at);
  if (length === 0) return null;
  const said = text.slice(at, at + length);
  // Being shouted at or got out of bed needs no reason; being let know does.
  const verb = /^get me (?:up|out)/.test(said)
    ? 'wake'
    : /^(?:let|make|keep|drop|shoot|get)/.test(said)
      ? 'remind'
      : 'ping';
  return {
    kind: 'remind',
    verb,
    keep: start,
    prefix: '',
    content: start + countWords(said),
    asked,
  };
}

/** "set a reminder to …", "I want a daily summary", "schedule a task that posts …". */
export function setupHead(
  words: readonly Word[],
  text: string,
  at: number,
  asked: boolean,
): Head | null {
  const start = position(text, at);
  for (const [index, pattern] of [SETUP, WISHED, ELLIPTIC].entries()) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) continue;
    const noun = (match[2] ?? '').replace(' - ', ' ');
    const head = nominalHead(
      words,
      start + countWords(match[0]),
      noun,
      (match[1] ?? '').trim(),
      asked || index < 2,
      index === 2,
    );
    if (head) return head;
  }
  WISHED_REPORT.lastIndex = at;
  const wished = WISHED_REPORT.exec(text);
  if (wished) {
    const size = countWords(wished[0]);
    const keep = start + size - countWords(wished[1] ?? '');
    return {
      kind: 'setup',
      verb: 'send',
      keep,
      prefix: 'send me',
      content: start + size,
      asked: true,
    };
  }
  WANTED_REPORT.lastIndex = at;
  const elliptic =
    / please(?: [!.])?$/.test(text) &&
    lengthAt(REFUSED_START, text, at) === 0 &&
    !words.some((word) => hasSubject(word.low));
  const wanted = elliptic ? WANTED_REPORT.exec(text) : null;
  if (wanted)
    return {
      kind: 'setup',
      verb: 'send',
      keep: start,
      prefix: 'send me',
      content: start + countWords(wanted[0]),
      asked: true,
    };
  const reports = lengthAt(SCHEDULE_REPORT, text, at);
  const scheduled = reports || lengthAt(SCHEDULE_WORK, text, at);
  if (scheduled > 0) {
    const keep = start + countWords(text.slice(at, at + scheduled));
    const prefix = reports > 0 ? 'send' : 'run';
    return { kind: 'setup', verb: 'send', keep, prefix, content: keep + 1, asked: true };
  }
  return null;
}

const TIMER_WORDS =
  /^(?:\d+|minute|second|hour|min|sec|-|recurring|daily|weekly|monthly|hourly|quick|gentle|friendly|little|new|another|repeating|regular|one|off|time|scheduled|small|short|automatic|automated|kitchen|pomodoro|cron|simple)$/;

function nominalHead(
  words: readonly Word[],
  from: number,
  noun: string,
  modifiers: string,
  asked: boolean,
  elliptic: boolean,
): Head | null {
  // "a reminder for [tomorrow at 9] to …": the preposition belongs to the time that was taken out.
  let content = from;
  while (
    /^(?:for|at|on|,|in)$/.test(words[content]?.low ?? '') &&
    (words[content + 1]?.index ?? 0) > (words[content]?.index ?? 0) + 1
  )
    content += 1;
  const label = modifiers
    .split(' ')
    .filter((word) => word !== '' && !TIMER_WORDS.test(word))
    .join(' ');
  const next = words[content]?.low ?? '';
  const after = words[content + 1]?.low ?? '';
  const base = { verb: 'remind', asked: true, content: content + 1 };
  if (
    /^(?:monitor|check|run|prompt|ping|nudge|alert)$/.test(noun) &&
    !/^(?:to|that|which|about|:|for)$/.test(next)
  )
    return null;
  const speaks =
    /^(?:reminder|reminders|alarm|timer|countdown|notification|alert|nudge|ping|prompt|wake up call|wakeup call|heads up)$/.test(
      noun,
    );
  if (
    /^(?:list|manager|tracker|board|app|apps|description|descriptions|email|emails|is|was|went|has|system|feature|clock|settings?|sound|s)$/.test(
      next,
    )
  )
    return null;
  if (next === 'to' && after !== '') {
    // "reminder to myself to call", "reminder to everyone to …"
    if (speaks) return { ...base, kind: 'setup', keep: content, prefix: 'remind me', content };
    return taskHead(words, content + 1, after);
  }
  if (!speaks && (next === 'that' || next === 'which') && after !== '') {
    const aux = /^(?:will|should|would|can)$/.test(after) ? 1 : 0;
    const verb = aux ? (words[content + 2]?.low ?? '') : baseForm(after);
    if (verb === null || verb === '' || (!isVerb(verb) && !aux)) return null;
    return {
      ...verbHead(words, content + 1 + aux, verb, true),
      kind: 'setup',
      keep: content + 2 + aux,
      prefix: verb,
    };
  }
  if (!speaks && (next === ':' || next === 'for')) {
    const verb = next === 'for' ? baseForm(after) : after;
    if (verb && isVerb(verb))
      return {
        ...verbHead(words, content + 1, verb, true),
        kind: 'setup',
        keep: content + 2,
        prefix: verb,
      };
    return null;
  }
  if (!speaks) return null;
  if (next === 'that' && elliptic) return null;
  if (next === 'that' || next === 'about' || next === 'of')
    return { ...base, kind: 'setup', keep: content, prefix: 'remind me', content };
  if (
    next === 'for' &&
    after !== '' &&
    words[content + 1]?.index === (words[content]?.index ?? 0) + 1
  ) {
    return {
      ...base,
      kind: 'setup',
      keep: content + 1,
      prefix: /ing$/.test(after) ? 'remind me about' : 'remind me about',
    };
  }
  if (/^(?:saying|telling|called|titled|named|labeled|labelled|:|-|,)$/.test(next)) {
    if (elliptic && !startsOrder(words, from, content)) return null;
    if (/^telling$/.test(next))
      return { ...base, kind: 'setup', keep: content + 1, prefix: 'tell' };
    if (after !== '') return { ...base, kind: 'setup', keep: content + 1, prefix: 'remind me:' };
  }
  const own = selfSufficient(noun);
  const rest = words
    .slice(content)
    .filter(
      (word) =>
        /[\p{L}\p{N}]/u.test(word.low) &&
        !/^(?:please|thanks|thank|you|for|at|to|go|off|pls|me)$/.test(word.low),
    );
  if (own && label === '' && rest.length === 0)
    return { ...base, kind: 'setup', keep: words.length, prefix: '', content, selfSufficient: own };
  if (elliptic && !asked && rest.length > 0) return null;
  if (label !== '' && rest.length === 0)
    return {
      ...base,
      kind: 'setup',
      keep: words.length,
      prefix: `remind me about ${label}`,
      content,
    };
  return {
    ...base,
    kind: 'setup',
    keep: content,
    prefix: rest.length > 0 ? 'remind me:' : '',
    content,
  };
}

/**
 * "Reminder: call mom" orders, "Reminder: standup is at 9" announces. A time in front of the colon is the
 * reminder's own.
 */
function startsOrder(words: readonly Word[], from: number, content: number): boolean {
  const gap = (words[content]?.index ?? 0) > (words[from - 1]?.index ?? 0) + 1;
  const rest = words.slice(content + 1);
  const first = rest[0]?.low ?? '';
  if (rest.some((word) => hasSubject(word.low))) return false;
  return (
    gap ||
    isVerb(first) ||
    HUMAN.has(first) ||
    (/^\p{L}{3,}$/u.test(first) && OBJECTS.test(rest[1]?.low ?? ''))
  );
}

function selfSufficient(noun: string): string | undefined {
  if (noun === 'alarm') return 'tell me that my alarm is going off';
  if (noun === 'timer' || noun === 'countdown') return 'tell me that my timer is up';
  return /^wake/.test(noun) ? 'wake me up' : undefined;
}

function taskHead(words: readonly Word[], start: number, verb: string): Head | null {
  if (NO_ORDER.has(verb) || !/^\p{L}/u.test(verb)) return null;
  return { ...verbHead(words, start, verb, true), kind: 'setup' };
}
