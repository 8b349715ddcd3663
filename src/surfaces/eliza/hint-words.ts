/**
 * A hint told in words, read without a model: "set hint api port = 8080", and sentences with the value in
 * backticks or quotation marks, like "remember: build http-proxy with `make router`" or "the test command
 * of api is `npm test`". Only the grammar of such sentences is known here, no component and no key. Pure.
 */
import type { HintValue } from '../../hints/index.js';
import { DICTIONARY_FORMS } from '../../shared/irregular.js';
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
const VERB = '(?<verb>[\\p{L}]{2,20})';
const KEY = `(?:the |our )?(?<key>${N}(?: ${N}){0,3}?)`;
const COMPONENT = NAMES.replace('((', '(?<component>(');
const IS = '\\s*(?: (?:is|are)\\b:?|=|:)\\s*';
const VALUE = '(?<value>[\\s\\S]+)$';
/** A value in marks, and what is said behind it. */
const MARKED = `\\s*(?:(?:run|running|the command|command)\\s+)?(?<value>[${SPAN}][\\s\\S]*)$`;

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
  /** Without "remember" before it, it would be an order. */
  isOrder: boolean;
  /** The verb has to be as in a dictionary: what was done once is a story. */
  isBase: boolean;
}

const form = (pattern: string, { isOrder = false, isBase = false } = {}): Form => ({
  pattern: new RegExp(`^${pattern}`, 'iu'),
  isOrder,
  isBase,
});

/** Sentences with the value in marks. */
const TOLD: readonly Form[] = [
  form(`(?:in order )?to ${VERB}(?: up)? ${COMPONENT}\\s*[,:]?\\s*(?:${RUN}:?)?${MARKED}`, {
    isBase: true,
  }),
  form(`for (?<verb>[\\p{L}]{2,20}ing) ${COMPONENT}\\s*[,:]?\\s*(?:${RUN}:?)?${MARKED}`),
  form(
    `(?:you|we|i|one) (?:(?:can|should|must|have to|need to|always) )*${VERB} ${COMPONENT} ${MEANS}${MARKED}`,
    { isBase: true },
  ),
  form(`${COMPONENT} ${MAY} ${VERB} ${MEANS}${MARKED}`),
  form(`${COMPONENT} (?<verb>[\\p{L}]{2,20}s) ${MEANS}${MARKED}`),
  form(`${KEY} (?:of|for|in) ${COMPONENT}${IS}${MARKED}`),
  form(`${COMPONENT}['’]s ${KEY}${IS}${MARKED}`),
  form(`(?:the |our )?(?<key>${N}(?: ${N})? (?:command|cmd|script))${IS}${MARKED}`),
  form(
    `(?:run|use|type|call|execute) (?<value>[${SPAN}]) (?:to|for|in order to|when you|when) ${VERB} ${COMPONENT}(?:[.!;,](?:\\s+(?<more>[\\s\\S]*))?)?$`,
    { isOrder: true },
  ),
  form(`${VERB}(?: ${COMPONENT})? ${MEANS}${MARKED}`, { isOrder: true, isBase: true }),
];

/** Behind "set hint": "api port = 8080", "api/port = 8080", "the port of api is 8080", "api port 8080". */
const EXPLICIT_FORMS: readonly RegExp[] = [
  `(?<component>${NAME})(?:\\s+|\\s*/\\s*)(?<key>${NAME})\\s*(?:=|:|->|=>)\\s*${VALUE}`,
  `(?<component>${NAME})/(?<key>${NAME})\\s+(?:to|is|as)\\b\\s*${VALUE}`,
  `${KEY} (?:of|for|in) ${COMPONENT}${IS}${VALUE}`,
  `(?!.* (?:of|for|in) \\S+[.!]?$)(?<component>${NAME})\\s+(?<key>${NAME})\\s+(?:(?:to|is|as)\\s+)?${VALUE}`,
  `(?<component>${N.replace(']*', '/]*')})/(?<key>[^\\s/]+)\\s+${VALUE}`,
].map((pattern) => new RegExp(`^${pattern}`, 'iu'));
/** "set the build hint of http-proxy to `make`". */
const CHANGE = new RegExp(
  `^(?:set|change|update) ${KEY} hint (?:of|for|in) ${COMPONENT}\\s*(?: (?:to|as|is)\\b|=|:)\\s*${VALUE}`,
  'iu',
);
const KEY_OF = new RegExp(`^${KEY}(?: hint)? (?:of|for|in) ${COMPONENT}[.!]?$`, 'iu');

const NEGATION = /\b(?:not|never|no longer|cannot|nobody|without)\b|n['’]t\b/i;
const BECAUSE = /^(?:because|since|as|so that|reason:)\s+/i;
/** What begins so may say when a hint counts. */
const CONDITION =
  /^(?:until|till|by|before|after|when|whenever|if|while|unless|only|except|but|during|on|in|at|for|from|every|or|not|with|without|under|tagged|as long)\b/i;

/** `null`: no hint is told, or not in words that are read here. */
export function readHint(message: string): HintWords | null {
  const masked = mask(message);
  const restore = (text: string) => masked.restore(text);
  const phrases = noPhrases();
  const opened = opening(masked, phrases, restore);
  if (opened === null) return null;
  const { rest, lead } = opened;
  if (lead === 'none' && /\?\s*$/.test(rest)) return null;
  const parts =
    groupsOf(CHANGE, rest) ?? (lead === 'explicit' ? explicitIn(rest) : null) ?? toldIn(rest, lead);
  if (parts === null) return lead === 'explicit' ? unfinished(rest, phrases, restore) : null;
  if (NEGATION.test(rest.replace(parts.value, () => ''))) return null;
  const { component, key, isCommand } = namesOf(parts, phrases, restore);
  const { value, tail } = saidValue(parts.value, masked);
  if (value === '') return null;
  return {
    ...phrases,
    ...tailOf(restore(`${tail} ${parts.more ?? ''}`)),
    component,
    key,
    value: isCommand ? { type: 'command', cmd: value } : value,
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

function explicitIn(rest: string): Parts | null {
  for (const pattern of EXPLICIT_FORMS) {
    const parts = groupsOf(pattern, rest);
    if (parts !== null) return parts;
  }
  return null;
}

function toldIn(rest: string, lead: Lead): Parts | null {
  for (const { pattern, isOrder, isBase } of TOLD) {
    const parts = isOrder && lead === 'none' ? null : groupsOf(pattern, rest);
    if (parts && (parts.verb === undefined || isTelling(parts.verb, parts, isBase))) return parts;
  }
  return null;
}

function groupsOf(pattern: RegExp, text: string): Parts | null {
  const { value, ...groups } = pattern.exec(text)?.groups ?? {};
  return value === undefined ? null : { ...groups, value };
}

/** What was done once, and by whom, is a story and no hint: "we fixed it with …", "Bob fixed auth with …". */
function isTelling(verb: string, { component = '' }: Parts, isBase: boolean): boolean {
  if (analyze(verb).length === 0) return false;
  if (!isBase) return true;
  const [first = '', ...more] = component.split(' ');
  const isPast =
    more.length > 0 && (/ed$/i.test(first) || DICTIONARY_FORMS.has(first.toLowerCase()));
  return baseForm(verb) === verb.toLowerCase() && !isPast;
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
function saidValue(said: string, masked: Masked): { value: string; tail: string } {
  const text = said.trim();
  const only = masked.spanOf(text.charAt(0));
  if (only !== null) return { value: only.text.trim(), tail: text.slice(1) };
  return { value: masked.restore(text, 'raw').replace(/(?<=[^.!\s])[.!]$/, ''), tail: '' };
}

function tailOf(text: string): Pick<HintWords, 'reason' | 'unread'> {
  const said = text.replace(/^[\s.,;:!()—-]+|[\s,;:()—-]+$/g, '');
  if (!/[\p{L}\p{N}]/u.test(said)) return {};
  if (BECAUSE.test(said)) return { reason: said.replace(BECAUSE, '') };
  return CONDITION.test(said) ? { unread: said } : { reason: said };
}
