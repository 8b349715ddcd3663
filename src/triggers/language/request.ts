/**
 * Is something asked of the agent? A request is found, never assumed: what does not begin like one is
 * a statement, a question or talk, and no schedule words in it can make it a schedule.
 */
import { type Head, lengthAt, position, type Word } from './head.js';
import { idiomHead, setupHead } from './noun-head.js';
import { NOISE_START, OPENINGS, REFUSED_START, STARTING } from './phrases.js';
import { callsMe, fitsVerb, OBJECTS, verbHead } from './verb-head.js';
import {
  baseForm,
  HUMAN,
  isVerb,
  MANAGE,
  MANAGED,
  NO_ORDER,
  REMIND,
  REMIND_NEEDS_OBJECT,
} from './verbs.js';

const NOT_A_NAME =
  /^(?:mom|mum|dad|mother|father|honey|babe|dear|guys|team|folks|everyone|everybody|all|sir|madam|bro|sis|darling|love|people|sweetheart|tomorrow|today|tonight|yesterday|no|nope|nah|example|note|warning|fyi|ps|reminder|monday|friday)$/;

/** The request at the beginning of the words, or null when there is none. */
export function findHead(words: readonly Word[]): Head | null {
  const text = words.map((word) => word.low).join(' ');
  let at = 0;
  let asked = false;
  let gerund = false;
  let greeted = false;
  for (let round = 0; round < 14; round += 1) {
    // "start sending me …": what is started is what is asked for.
    const started = gerund ? 0 : lengthAt(STARTING, text, at);
    if (started > 0 && startsWithGerund(text, at + started)) {
      at += started;
      gerund = true;
    }
    const head = headAt(words, text, at, asked, gerund);
    if (head) return head;
    const opening: Opened | null = gerund ? null : openingAt(text, at);
    if (opening) {
      at += opening.length;
      asked = true;
      gerund = opening.gerund;
      continue;
    }
    const noise = lengthAt(NOISE_START, text, at);
    if (noise > 0) {
      greeted = greeted || /^(?:hey|hi|hello|yo|hiya|ok|okay|@)/.test(text.slice(at, at + noise));
      asked = asked || /\b(?:please|kindly)\b/.test(text.slice(at, at + noise));
      at += noise;
      continue;
    }
    const name = nameLength(words, text, at, greeted);
    if (name === 0 || gerund) return null;
    greeted = false;
    at += name;
  }
  return null;
}

interface Opened {
  length: number;
  gerund: boolean;
}

/** The longest opening at `at`. */
function openingAt(text: string, at: number): Opened | null {
  let best: Opened | null = null;
  for (const { pattern, gerund = false } of OPENINGS) {
    const length = lengthAt(pattern, text, at);
    if (
      length === 0 ||
      (best && best.length >= length) ||
      (gerund && !startsWithGerund(text, at + length))
    )
      continue;
    best = { length, gerund };
  }
  return best;
}

function startsWithGerund(text: string, at: number): boolean {
  const word = /^\p{L}+/u.exec(text.slice(at, at + 40))?.[0] ?? '';
  return word.endsWith('ing') && baseForm(word) !== null;
}

/** "Cue," or "hey cue": the length of a name with what follows it. */
function nameLength(words: readonly Word[], text: string, at: number, greeted: boolean): number {
  const word = words[position(text, at)];
  const next = words[position(text, at) + 1];
  if (!word || !next || !/^[\p{L}]/u.test(word.text) || NOT_A_NAME.test(word.low)) return 0;
  // Words of time may have stood between: "users twice a day, …" calls nobody.
  const called = next.low === ',' && (greeted || next.index === word.index + 1);
  if (
    called &&
    (greeted ||
      /^\p{Lu}/u.test(word.text) ||
      /^(?:cue|eliza|agent|assistant|bot|buddy|friend)$/.test(word.low))
  ) {
    return word.low.length + 3;
  }
  if (next.low === ':' && /^(?:cue|eliza|agent|assistant|bot)$/.test(word.low))
    return word.low.length + 3;
  return greeted && !isVerb(word.low) ? word.low.length + 1 : 0;
}

function headAt(
  words: readonly Word[],
  text: string,
  at: number,
  asked: boolean,
  gerund: boolean,
): Head | null {
  const start = position(text, at);
  const word = words[start];
  if (!word) return null;
  if (gerund) {
    const verb = baseForm(word.low);
    return verb === null
      ? null
      : { ...verbHead(words, start, verb, true), keep: start + 1, prefix: verb };
  }
  const idiom = idiomHead(text, at, asked) ?? setupHead(words, text, at, asked);
  if (idiom) return idiom;
  if (lengthAt(REFUSED_START, text, at) > 0) return null;
  const next = words[start + 1];
  if (next?.low === ':' && !REMIND.has(word.low)) return null;
  if (NO_ORDER.has(word.low) && !(isVerb(word.low) && next && /^(?:me|us)$/.test(next.low)))
    return null;
  if (MANAGE.has(word.low) && isManagement(words, start)) return null;
  if (
    isVerb(word.low) ||
    (REMIND_NEEDS_OBJECT.has(word.low) && !HUMAN.has(word.low)) ||
    callsMe(words, start)
  ) {
    return fitsVerb(words, start, asked) ? verbHead(words, start, word.low, asked) : null;
  }
  if (
    HUMAN.has(word.low) &&
    !(next && /^(?:with|to|from|by|at|is|was)$/.test(next.low) && next.index === word.index + 1)
  )
    return { kind: 'human', verb: word.low, keep: start, prefix: '', content: start + 1, asked };
  // An unknown word in the place of a verb, with an object behind it.
  const verbLike =
    /^\p{L}{3,14}$/u.test(word.low) && !/(?:ing|ed|ly|s)$/.test(word.low) && next !== undefined;
  if (verbLike && /^(?:me|us)$/.test(next.low))
    return {
      kind: asked ? 'do' : 'unclear',
      verb: word.low,
      keep: start,
      prefix: '',
      content: start + 2,
      asked,
    };
  if (verbLike && asked && OBJECTS.test(next.low))
    return { kind: 'do', verb: word.low, keep: start, prefix: '', content: start + 1, asked };
  return null;
}

/** "cancel my 9am reminder", "list all triggers": about what exists. */
function isManagement(words: readonly Word[], start: number): boolean {
  for (let index = start + 1; index < Math.min(words.length, start + 6); index += 1) {
    const low = words[index]?.low ?? '';
    if (MANAGED.test(low)) return !/^(?:add|create|set)$/.test(words[start]?.low ?? '');
    if (/^(?:to|about|of|that|if|from|with|,|and|in|on|for)$/.test(low)) return false;
  }
  return false;
}
