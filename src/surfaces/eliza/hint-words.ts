/**
 * A sentence that tells a hint, read without a model: "remember: build http-proxy with `docker compose
 * build router`", "the test command of api is `npm test`", "set hint api port = 8080". Only the grammar
 * of such sentences is known here, no component and no key. Pure.
 */
import type { HintValue } from '../../hints/index.js';
import { DICTIONARY_FORMS } from '../../shared/irregular.js';
import { looksLikePath } from '../../shared/paths.js';
import { analyze } from '../../shared/text.js';
import { type Masked, mask, SPAN } from './hint-mask.js';
import { baseForm, keyNamed, nameOf } from './hint-names.js';
import { noPhrases, type Phrases, takePhrases } from './hint-phrases.js';

export interface HintWords extends Phrases {
  /** As it was said; '' when it was not. */
  component: string;
  key: string;
  value: HintValue | null;
  reason?: string;
  /** Said behind the value, neither understood nor a reason: it may be a condition. */
  unread?: string;
  /** Whether the sentence says clearly that it is a hint. */
  isSure: boolean;
}

const POLITE =
  /^(?:(?:please|hey|hi|ok|okay|and|also|so|now|cue)[\s,]+|(?:can|could|would|will) you (?:please )?|i(?:'d| would) like you to |i want you to )+/i;
/** "remember to …" asks to be reminded, and commands have their own actions. */
const OTHERS =
  /^(?:(?:remember|don['’]t forget|do not forget|note) (?:me )?to\b|remind\b|\/|schedule\b|wake\b)/i;
const LEAD =
  /^(?:(?:remember|memori[sz]e|note|save|store|record|keep in mind|write down|don['’]t forget|make a note|take a note|hint)\b(?:\s+(?:that|this|down|a note|as a note|for later|hints?|(?:a|an|the|this|as a|another|new) hints?(?: (?:for|about|that))?))*)[\s:,—-]*/i;
const EXPLICIT =
  /^(?:(?:set|add|create|make|define|save|store|put|give|write|update|change|remember|new|note) )*(?:me )?(?:(?:a|an|the|this|another|new) )*hints?\b(?:\s+(?:for|of|about|that|saying|on))?[\s:,]*/i;

/** The full stop of a sentence is no part of its last name. */
const N = `[^\\s=:,;()${SPAN}][^\\s=:,;()]*(?<![.!?])`;
const NAME = `(?:[${SPAN}]|${N})`;
const NAMES = `(?:(?:the|our|my|this|a|an) )?((?:[${SPAN}]|${N}(?: ${N}){0,3}?)(?: (?:service|module|component|package))?)`;
const MEANS =
  '(?:with|using|by(?: (?:running|calling|using|typing|executing))?|via|through)(?: the command)?';
const RUN =
  "(?:(?:you|we|one|i) )?(?:(?:can|should|must|have to|need to|always|just|simply) )*(?:run|use|type|call|execute|do|say|enter|it's|it is)";
const MAY = '(?:is|are|gets?|(?:can|should|must|may) be|has to be|have to be|needs? to be)';
const VERB = '([\\p{L}]{2,20})';
const VALUE = '([\\s\\S]+)$';

interface Parts {
  component?: string;
  key?: string;
  verb?: string;
  value: string;
  /** Said behind all of it. */
  more?: string;
}
interface Form {
  pattern: RegExp;
  read: (groups: string[]) => Parts;
  /** `base`: the verb has to be as in a dictionary. */
  tense: 'base' | 'any';
}

const form = (pattern: string, read: Form['read'], tense: Form['tense'] = 'any'): Form => ({
  pattern: new RegExp(`^${pattern}`, 'iu'),
  read,
  tense,
});

/** Sentences that say a fact, with or without "remember" before them. */
const FACTS: readonly Form[] = [
  form(
    `(?:in order )?to ${VERB}(?: up)? ${NAMES}(?:\\s*[,:]\\s*(?:${RUN}:?\\s+)?|\\s+${RUN}:?\\s+|\\s+(?=[${SPAN}]))${VALUE}`,
    ([verb = '', component = '', value = '']) => ({ verb, component, value }),
    'base',
  ),
  form(
    `for ([\\p{L}]{2,20}ing) ${NAMES}(?:\\s*[,:]\\s*(?:${RUN}:?\\s+)?|\\s+${RUN}:?\\s+)${VALUE}`,
    ([verb = '', component = '', value = '']) => ({ verb, component, value }),
  ),
  form(
    `(?:you|we|i|one) (?:(?:can|should|must|have to|need to|always) )*${VERB} ${NAMES} ${MEANS} ${VALUE}`,
    ([verb = '', component = '', value = '']) => ({ verb, component, value }),
    'base',
  ),
  form(`${NAMES} ${MAY} ${VERB} ${MEANS} ${VALUE}`, ([component = '', verb = '', value = '']) => ({
    component,
    verb,
    value,
  })),
  form(
    `${NAMES} ([\\p{L}]{2,20}s) ${MEANS} ${VALUE}`,
    ([component = '', verb = '', value = '']) => ({ component, verb, value }),
  ),
  form(
    `(?:the |our )?(${N}(?: ${N}){0,3}?) (?:of|for|in) ${NAMES}\\s*(?: (?:is|are)\\b:?|=|:)\\s*${VALUE}`,
    ([key = '', component = '', value = '']) => ({ key, component, value }),
  ),
  form(
    `${NAMES}['’]s (${N}(?: ${N}){0,3}?)\\s*(?: (?:is|are)\\b:?|=|:)\\s*${VALUE}`,
    ([component = '', key = '', value = '']) => ({ component, key, value }),
  ),
  form(
    `(?:the |our )?(${N}(?: ${N})? (?:command|cmd|script))\\s*(?: (?:is|are)\\b:?|=|:)\\s*${VALUE}`,
    ([key = '', value = '']) => ({ key, value }),
  ),
];
/** What without "remember" before it would be an order. */
const ORDERS: readonly Form[] = [
  form(
    `(?:run|use|type|call|execute) ([\\s\\S]+?) (?:to|for|in order to|when you|when) ${VERB} ${NAMES}(?:[.!;,](?:\\s+([\\s\\S]*))?)?$`,
    ([value = '', verb = '', component = '', more = '']) => ({ value, verb, component, more }),
  ),
  form(
    `${VERB} ${NAMES} ${MEANS} ${VALUE}`,
    ([verb = '', component = '', value = '']) => ({ verb, component, value }),
    'base',
  ),
  form(`${VERB} ${MEANS} ${VALUE}`, ([verb = '', value = '']) => ({ verb, value }), 'base'),
];
/** Changes of what is called a hint, or of a command. */
const CHANGES: readonly Form[] = [
  form(
    `(?:set|change|update|make) (?:the |a )?(${N}(?: ${N}){0,2}?)(?: hint| (?=(?:command|cmd|script) )) ?(?:command|cmd|script)? ?(?:of|for|in) ${NAMES}\\s*(?: (?:to|as|is)\\b|=|:)\\s*${VALUE}`,
    ([key = '', component = '', value = '']) => ({ key, component, value }),
  ),
];
/** "http-proxy build = …", "http-proxy/build: …". */
const PAIR = new RegExp(`^(${NAME})(?:\\s+|\\s*/\\s*)(${NAME})\\s*(=|:|->|=>)\\s*${VALUE}`, 'u');
const SLASHED = new RegExp(
  `^(${NAME})/(${NAME})\\s*(=|:|->|=>|\\s(?:to|is|as)\\b)\\s*${VALUE}`,
  'u',
);
/** "http-proxy build docker compose build router", as on the command line. */
const LOOSE = new RegExp(`^(${NAME})\\s+(${NAME})(\\s+)(?:(?:to|is|as)\\s+)?${VALUE}`, 'u');
const KEY_OF = new RegExp(
  `^(?:the |a )?(${N}(?: ${N}){0,2}?)(?: hint)? (?:of|for|in) ${NAMES}[.!]?$`,
  'iu',
);

const NEGATION = /\b(?:not|never|no longer|cannot|nobody|without)\b|n['’]t\b/i;
const BECAUSE = /^(?:because|since|as|so that|reason:)\s+/i;
/** What begins so may say when a hint counts. */
const CONDITION =
  /^(?:until|till|by|before|after|when|whenever|if|while|unless|only|except|but|during|on|in|at|for|from|every|or|not|with|without|under|tagged|as long)\b/i;

/** `null`: no hint is told. */
export function readHint(message: string): HintWords | null {
  const masked = mask(message);
  const restore = (text: string) => masked.restore(text);
  const phrases = noPhrases();
  const opened = opening(masked, phrases, restore);
  if (opened === null) return null;
  const { rest, lead } = opened;
  if (lead === 'none' && /\?\s*$/.test(rest)) return null;
  const changed = firstOf(CHANGES, rest);
  const parts = changed ?? partsOf(rest, lead, masked);
  if (parts === null) return lead === 'explicit' ? unfinished(rest, phrases, restore) : null;
  if (NEGATION.test(rest.replace(parts.value, () => ''))) return null;
  const { component, key, isCommand } = namesOf(parts, phrases, restore);
  const { value, isCode, tail } = saidValue(parts.value, masked);
  const isCommandLine = isCommand && parts.verb === undefined;
  const isSaidSo = lead === 'explicit' || changed !== null;
  const isSure = isSaidSo || isCode || (lead === 'told' && isCommandLine);
  if (value === '' || (lead === 'none' && !isSure && !isCommandLine)) return null;
  // "The number of the room is 4" has the grammar of a hint, and so has "we won with a trick".
  const mayBe = isConcrete(value) || (isCommand && isTyped(value));
  if (!isSure && !mayBe) return null;
  return {
    ...phrases,
    ...tailOf(restore(`${tail} ${parts.more ?? ''}`)),
    component,
    key,
    value: isCommand ? { type: 'command', cmd: value } : value,
    isSure,
  };
}

type Lead = 'none' | 'told' | 'explicit';

/** What follows "please", "remember:" and phrases at the beginning; `null`: the words of another action. */
function opening(
  masked: Masked,
  phrases: Phrases,
  restore: (text: string) => string,
): { rest: string; lead: Lead } | null {
  let lead: Lead = 'none';
  let rest = masked.text.trim().replace(/[^\S\n]+/g, ' ');
  for (let round = 0; round < 10; round += 1) {
    const before = rest;
    rest = rest.replace(POLITE, '');
    if (OTHERS.test(rest)) return null;
    const explicit = EXPLICIT.exec(rest)?.[0];
    if (explicit !== undefined && lead !== 'explicit') {
      lead = 'explicit';
      rest = rest.slice(explicit.length);
    }
    const told = LEAD.exec(rest)?.[0];
    if (told !== undefined && lead === 'none') {
      lead = /\bhints?\b/i.test(told) ? 'explicit' : 'told';
      rest = rest.slice(told.length);
    }
    rest = takePhrases(rest, phrases, restore, masked.hasCode).replace(/^that\s+/i, '');
    if (rest === before) break;
  }
  return { rest, lead };
}

function partsOf(rest: string, lead: Lead, masked: Masked): Parts | null {
  if (lead !== 'none') {
    const pair = PAIR.exec(rest) ?? SLASHED.exec(rest);
    // "note 1: buy milk" is a note, "the port: 80" has no component.
    const isMeant =
      lead === 'explicit' || pair?.[3] === '=' || masked.spanOf(pair?.[4]?.charAt(0) ?? '');
    if (pair && isMeant && !/^(?:the|our|my|an?|to|for)$/i.test(pair[1] ?? '')) return pairOf(pair);
  }
  const fact = firstOf(FACTS, rest) ?? (lead === 'none' ? null : firstOf(ORDERS, rest));
  if (fact) return fact;
  const loose = lead === 'explicit' && !KEY_OF.test(rest) ? LOOSE.exec(rest) : null;
  if (loose) return pairOf(loose);
  const slashed = lead === 'explicit' ? /^([^\s/]+)\/([^\s/]+)(\s+)([\s\S]+)$/u.exec(rest) : null;
  return slashed && masked.spanOf(slashed[1] ?? '') === null ? pairOf(slashed) : null;
}

/** What was done once, and by whom, is a story and no hint: "we fixed it with …", "Bob fixed auth with …". */
function isTelling(verb: string, { component = '' }: Parts, tense: Form['tense']): boolean {
  if (analyze(verb).length === 0) return false;
  if (tense === 'any') return true;
  const [first = '', ...more] = component.split(' ');
  const isPast =
    more.length > 0 && (/ed$/i.test(first) || DICTIONARY_FORMS.has(first.toLowerCase()));
  return baseForm(verb) === verb.toLowerCase() && !isPast;
}

function pairOf([, component = '', key = '', , value = '']: RegExpExecArray): Parts {
  return { component, key, value };
}

function firstOf(forms: readonly Form[], text: string): Parts | null {
  for (const { pattern, read, tense } of forms) {
    const found = pattern.exec(text);
    const parts = found && read(found.slice(1).map((group) => group ?? ''));
    if (parts && (parts.verb === undefined || isTelling(parts.verb, parts, tense))) return parts;
  }
  return null;
}

/** Said to be a hint, but not all of it: what there is, so that the rest can be asked for. */
function unfinished(rest: string, phrases: Phrases, restore: (text: string) => string): HintWords {
  const none = { ...phrases, value: null, isSure: true };
  const named = KEY_OF.exec(rest);
  if (named) {
    const { key } = keyNamed(restore(named[1] ?? ''));
    return { ...none, component: nameOf(restore(named[2] ?? '')), key };
  }
  const [component = '', key = '', ...more] = restore(rest)
    .split(/[\s/]+/)
    .filter((word) => word !== '');
  if (more.length > 0) return { ...none, component: '', key: '' };
  return { ...none, component: nameOf(component), key: nameOf(key) };
}

function namesOf(
  { component = '', key, verb }: Parts,
  phrases: Phrases,
  restore: (text: string) => string,
): { component: string; key: string; isCommand: boolean } {
  // "the build command of api on windows is …"
  const place = restore(takePhrases(component, phrases, restore, true));
  if (verb !== undefined) {
    return { component: place, key: baseForm(restore(verb)), isCommand: true };
  }
  const said = restore(takePhrases(key ?? '', phrases, restore, true));
  return { component: place, ...keyNamed(said) };
}

/** The value itself, and what is said behind it. */
function saidValue(said: string, masked: Masked): { value: string; isCode: boolean; tail: string } {
  const text = said.trim();
  const [, span = '', tail = ''] =
    new RegExp(`^(?:(?:run|running|the command|command)\\s+)?([${SPAN}])([\\s\\S]*)$`, 'iu').exec(
      text,
    ) ?? [];
  const only = masked.spanOf(span);
  if (only !== null) return { value: only.text.trim(), isCode: only.isCode, tail };
  const plain = masked.restore(text, 'raw');
  return { value: plain.replace(/(?<=[^.!\s])[.!]$/, ''), isCode: false, tail: '' };
}

/** Whether words could be typed as they are: prose has articles, pronouns and the like. */
function isTyped(value: string): boolean {
  const words = value.split(/\s+/).length;
  return words > 1 && words <= 12 && !/[.!?]\s/.test(value) && analyze(value).length >= words;
}

/** Whether words are what somebody types, and no prose: a number, a path, an address, `A=b`, an option. */
function isConcrete(value: string): boolean {
  const words = value.split(/\s+/);
  if (words.some((word) => /^--?[a-z]/i.test(word) || /^[A-Z_][A-Z0-9_]*=/.test(word))) return true;
  if (words.length > 1) return /^(?:\.{0,2}\/|[a-z]:[\\/])\S*/i.test(value);
  return (
    /^[\d.:,_-]*\d[\d.:,_-]*$|^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(value) || looksLikePath(value)
  );
}

function tailOf(text: string): Pick<HintWords, 'reason' | 'unread'> {
  const said = text.replace(/^[\s.,;:!()—-]+|[\s,;:()—-]+$/g, '');
  if (!/[\p{L}\p{N}]/u.test(said)) return {};
  if (BECAUSE.test(said)) return { reason: said.replace(BECAUSE, '') };
  return CONDITION.test(said) ? { unread: said } : { reason: said };
}
