/** What a sentence about memories asks for, read without a model. Pure. */
import { firstPart } from '../../memory/index.js';
import { messageOf } from '../../shared/errors.js';
import { isObject } from '../../shared/json.js';
import { looksLikePath } from '../../shared/paths.js';

const POLITE =
  "(?:(?:please|hey|ok|okay|and|can you|could you|would you|will you|i want you to|i'd like you to|you can|cue)[\\s,]+)*";

const STORE = new RegExp(
  `^${POLITE}(?:remember|memori[sz]e|note|store|save|record|log|keep in mind|write down|don't forget)\\b` +
    `(?:\\s+(?:that|this|down|it|a note|as a note|for later|(?:to|in|as) (?:a |an |the |your |my )?(?:work )?memory))*[\\s:,—-]*`,
  'i',
);
const RECALL = new RegExp(
  `^${POLITE}(?:(?:do you |what do you )?(?:remember|recall|know)|recall|(?:search|look (?:in|through|up in)|check) (?:your |the |my )?(?:work )?memor(?:y|ies)|what (?:do|did) (?:you|we) (?:remember|know|learn|note)|look up|find)\\b` +
    `(?:\\s+(?:memories|what|anything|everything|something))*(?:\\s+(?:about|for|of|on|regarding|concerning|that))?[\\s:,]*`,
  'i',
);
const SYNTHESIZE = new RegExp(
  `^${POLITE}(?:synthesi[sz]e|distil|distill|sum up|summari[sz]e|condense|what have (?:we|you) learned)\\b` +
    `(?:\\s+(?:the |our |your |some |all )?(?:wisdom|knowledge|lessons|learnings|memories|chapters|what (?:we|you) (?:have )?learned))*` +
    `(?:\\s+(?:about|for|of|on|from|regarding))?[\\s:,]*`,
  'i',
);
const FORGET = new RegExp(
  `^${POLITE}(?:forget|delete|erase|remove|drop|wipe)\\b` +
    `(?:\\s+(?:the |all |all of |any |my |your )?(?:memor(?:y|ies)|notes?|what(?:ever)? (?:i|we) (?:have )?(?:told|said|taught)(?: (?:to )?you)?|everything (?:i|we) (?:have )?(?:told|said|taught)(?: (?:to )?you)?))*` +
    `(?:\\s+(?:about|of|on|regarding|concerning|that))?[\\s:,]*`,
  'i',
);
const EVERYTHING =
  /^(?:(?:forget|delete|erase|wipe|remove) )?(?:(?:absolutely )?everything|all(?: of it)?|all (?:my|the) (?:memories|data)|it all)(?: (?:that )?(?:you know|you have|you remember|i (?:have )?(?:ever )?(?:told|said)(?: to)?(?: you)?)?)*(?: about me| of me| on me| you)?$/i;

const MAX_FOUND = 20;
const FAILED =
  /\b(?:failed|fails|did(?: not|n't) work|does(?: not|n't) work|broke|gave up|could(?: not|n't)|crashed)\b/i;
const BECAUSE = /\b(?:because(?: of)?|due to|since)\s+([^.!?\n]{3,500})/i;
const LEARNED = /\b(?:learned|lesson|learning|takeaway)(?:\s+that|\s*:)\s*([^\n]{3,2000})/i;
// A run of separators is tried from its start alone: from each of them would cost its square.
const SHARED =
  /(?<![\s,;(])[\s,;(]*\b(?:for (?:everyone|everybody|the (?:whole |entire )?(?:team|project))|(?:and )?share (?:it|this|that) with (?:everyone|everybody|the (?:whole |entire )?(?:team|project)))\b[.)]?/i;

/** What is to be remembered, as it is stored; `null`: the message says only that something is. */
export function readNote(message: string) {
  const told = message.trim().replace(STORE, '');
  const text = told
    .replace(SHARED, '')
    .replace(/^\s*(?:that\s+|[,:]\s*)/i, '')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return null;
  const words = text.split(/\s+/).map((word) => withoutEnd(word.replace(/^[("'`]+/, ''), CLOSING));
  const goal = firstPart(text);
  const success = !FAILED.test(text);
  const rest = text.slice(goal.length).trim().slice(0, 2_000);
  const learning = LEARNED.exec(text)?.[1]?.trim() ?? (rest || undefined);
  const failure_reason = success ? undefined : BECAUSE.exec(text)?.[1]?.trim();
  const files = [...new Set(words.filter(looksLikePath))].slice(0, MAX_FOUND);
  const tags = [...text.matchAll(/(?<![\w/#&])#(\p{L}[\p{L}\p{N}_-]{1,49})/gu)].map(
    (m) => m[1] ?? '',
  );
  return {
    intent: goal,
    ...(files.length === 0 ? {} : { perception: { relevant_files: files } }),
    outcome: { success, ...(learning && { learning }), ...(failure_reason && { failure_reason }) },
    tags: [...new Set(tags)].slice(0, MAX_FOUND),
    // Said to be for everybody in the project.
    ...(SHARED.test(told) ? { visibility: 'project' } : {}),
  };
}

export type DraftText =
  | { kind: 'prose' }
  | { kind: 'object'; object: Record<string, unknown> }
  /** Meant as JSON; `problem` says what is wrong with it. */
  | { kind: 'broken'; problem: string };

/** "store {", "save this memory: ```json {": what follows is meant as data. */
const DATA = new RegExp(
  `^(?:${POLITE}(?:store|save|record|log)\\b(?:\\s+(?:the|this|that|a|an|it|as|in|to|following|new|work|memory|json|object|draft|down))*[\\s:,—-]*)?` +
    '(?:```(?:json)?\\s*)?(?=\\{)',
  'i',
);
const FIELDS = ['intent', 'outcome', 'perception', 'reasoning', 'actions'];

/** Prose with braces in it is prose; a memory as JSON is the whole of what is to be stored. */
export function readDraftText(message: string): DraftText {
  const text = message.trim();
  const lead = DATA.exec(text)?.[0];
  const told = lead === undefined ? text.replace(STORE, '') : text.slice(lead.length);
  const json = told
    .replace(/^```(?:json)?\s*/i, '')
    .replace(/(?<!\s)\s*```[.!]?$/, '')
    .trim();
  if (!json.startsWith('{')) return { kind: 'prose' };
  try {
    const object: unknown = JSON.parse(json);
    if (!isObject(object)) return { kind: 'prose' };
    // After "remember that" an object is a memory only if it looks like one.
    const isMeant = lead !== undefined || FIELDS.some((field) => field in object);
    return isMeant ? { kind: 'object', object } : { kind: 'prose' };
  } catch (error) {
    const isMeant =
      lead === undefined
        ? /^\{\s*"(?:intent|outcome)"\s*:/.test(json)
        : lead !== '' || /^\{\s*"/.test(json);
    return isMeant ? { kind: 'broken', problem: messageOf(error) } : { kind: 'prose' };
  }
}

const PRINTED = /\brecall\s*\(\s*["'“”‘’`][\s\S]{1,2000}?["'“”‘’`]\s*(?:,[^)\n]{0,500})?\)/iy;
const PRINTED_START = /\brecall\s*\(/gi;
/** Beginnings of a printed look-up that are tried: each may cost a look at all that follows. */
const MOST_PRINTED = 20;
const REFERENCE =
  /(?<![\w:])(?:mem_[0-9a-f-]{8,36}|(?:file|session|pattern|task|tag|agent):(?:"[^"\n]{1,500}"|[^\s"',;]{1,500}))/i;

/** What a request to remember is to be looked up by: a printed reference, or words. */
export function recallSubject(message: string): string {
  const read = bounded(message);
  const printed = printedIn(read) ?? REFERENCE.exec(read)?.[0];
  if (printed !== undefined) return withoutEnd(printed, STOPS);
  return bare(message, RECALL);
}

function printedIn(text: string): string | undefined {
  let tried = 0;
  for (const { index } of text.matchAll(PRINTED_START)) {
    PRINTED.lastIndex = index;
    const found = PRINTED.exec(text)?.[0];
    tried += 1;
    if (found !== undefined || tried === MOST_PRINTED) return found;
  }
  return undefined;
}

/** "#jwt and #auth": tags; else words. */
export function synthesisSubject(message: string): { tags: string[]; words: string } {
  const words = bare(message, SYNTHESIZE);
  const tags = [...words.matchAll(/#(\p{L}[\p{L}\p{N}_-]{0,49})/gu)].map((match) => match[1] ?? '');
  return { tags, words };
}

/** What is to be forgotten, as the service takes it; `null`: the message does not say. */
export function forgetSubject(message: string): Record<string, unknown> | null {
  const ids = memoryIds(message);
  if (ids.length > 0) return { memory_ids: ids };
  const said = withoutEnd(bounded(message), STOPS);
  const words = bare(message, FORGET);
  if (EVERYTHING.test(said.replace(new RegExp(`^${POLITE}`, 'i'), '')) || EVERYTHING.test(words)) {
    return { all: true };
  }
  if (/^(?:me|about me)$/i.test(words)) return { all: true };
  if (/^(?:it|that|this)?$/i.test(words)) return null;
  return /^[^\s]+\.[a-z][a-z0-9]{0,9}$/i.test(words) ? { file: words } : { query: words };
}

const MEMORY_ID = /(?<!\w)mem_[0-9a-f-]{8,36}/gi;

/** The ids of memories in a text, each once. */
export function memoryIds(text: string): string[] {
  const found = text.match(MEMORY_ID) ?? [];
  return [...new Set(found.map((id) => id.toLowerCase().replace(/-+$/, '')))];
}

export type LinkWord = 'caused_by' | 'led_to' | 'related_to' | 'supersedes' | 'blocked_by';

/** The relation the words between two ids name; `isReversed`: from the second to the first. */
const RELATIONS: readonly [RegExp, LinkWord, boolean][] = [
  [/\bcaused[_ ]by\b|\bbecause of\b|\bdue to\b|\bresult of\b/i, 'caused_by', false],
  [/\bled[_ ]to\b|\bleads to\b|\bcause[ds]?\b|\bresulted in\b/i, 'led_to', false],
  [/\b(?:superseded|replaced) by\b/i, 'supersedes', true],
  [/\bsupersedes?\b|\breplaces?\b/i, 'supersedes', false],
  [/\bblocked[_ ]by\b|\bdepends on\b|\bwaits for\b/i, 'blocked_by', false],
  [/\bblocks?\b|\bblocking\b/i, 'blocked_by', true],
];

/** "mem_1f2e3d4c was caused by mem_1f2e3d4c": one memory at both ends, by its short or long id. */
export function linksToItself(message: string): boolean {
  const all = message.match(MEMORY_ID) ?? [];
  if (all.length < 2) return false;
  const [shortest = ''] = memoryIds(message).sort((one, other) => one.length - other.length);
  return memoryIds(message).every((id) => id.startsWith(shortest));
}

/** `null`: the message does not name two memories. */
export function readLink(
  message: string,
): { source: string; target: string; link_type: LinkWord } | null {
  const [first, second] = memoryIds(message);
  if (first === undefined || second === undefined) return null;
  const found = RELATIONS.find(([words]) => words.test(message));
  const [, type, isReversed] = found ?? [null, 'related_to' as const, false];
  return isReversed
    ? { source: second, target: first, link_type: type }
    : { source: first, target: second, link_type: type };
}

function bare(message: string, lead: RegExp): string {
  return withoutEnd(bounded(message).replace(lead, ''), STOPS_AND_SPACE).trim();
}

/** What a request is about stands in its first words; the rest is pasted. Characters. */
const MOST_READ = 8_192;

function bounded(message: string): string {
  const text = message.trim();
  if (text.length <= MOST_READ) return text;
  return text.slice(0, MOST_READ).replace(/[\ud800-\udbff]$/, '');
}

const STOPS = /[.!?]/;
const STOPS_AND_SPACE = /[.!?\s]/;
const CLOSING = /[)"'`,.;:!?]/;

/** Without the characters at its end that `drop` matches; linear, which `/[…]+$/` is not. */
function withoutEnd(text: string, drop: RegExp): string {
  let end = text.length;
  while (end > 0 && drop.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
