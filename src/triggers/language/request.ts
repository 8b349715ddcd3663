/**
 * Is something asked of the agent? A request is found, never assumed: what does not begin like one is
 * a statement, a question or talk, and no schedule words in it can make it a schedule.
 */
import { lowAt, type Token } from './tokens.js';
import { baseForm, DELIVER, DO, HUMAN, isStatementVerb, isVerb, MANAGE, MANAGED, NO_ORDER, REMIND, REMIND_NEEDS_OBJECT } from './verbs.js';

/** `setup` is "set a reminder for …": "for" in front of its time belongs to the time. */
export type HeadKind = 'remind' | 'deliver' | 'do' | 'human' | 'setup' | 'unclear';

export interface Head {
  kind: HeadKind;
  verb: string;
  /** Position among the words from which the instruction is kept. */
  keep: number;
  /** Words put in front of what is kept. */
  prefix: string;
  /** Position of the first word behind the head. */
  content: number;
  /** "can you", "please", "I want you to": it cannot be a noun that looks like a verb. */
  asked: boolean;
  /** An alarm or a timer is a reason by itself. */
  selfSufficient?: string;
}

/** The words of a clause without its time pieces; `index` points into the tokens. */
export interface Word {
  low: string;
  text: string;
  index: number;
}

const END = '(?= |$)';
const YOU = '(?:you|u|ya)';
const A = '(?:a|an|the|my|another|one|some|any|me a|me an|us a|us an)';
const ADVERBS = 'please|kindly|just|maybe|perhaps|possibly|simply|also|automatically|quickly|always|then|now|again|instead|only';

function sticky(source: string): RegExp {
  return new RegExp(`(?:${source})${END} ?`, 'y');
}

const NOISE = sticky(
  `(?:[^\\p{L}\\p{N}\\s"] ?)+|${ADVERBS}|hey|hi|hello|yo|hiya|okay|ok|alright|right|so|well|um|uh|hmm|oh|and|but|btw|great|thanks|thank you|cool|actually|anyway|` +
    'anyways|yes|yeah|yep|sure|good (?:morning|evening|afternoon)|if possible|if you can|if you could|if you do not mind|' +
    "if you don't mind|when(?:ever)? you (?:can|get a chance|have time)|by the way|from now on|going forward|one more thing|" +
    'quick (?:question|one|favor|favour|request)|(?:new )?(?:recurring |scheduled )?(?:task|todo|job|trigger|request|cron|crontab|cronjob|cron job|schedule) :',
).source;
const NOISE_U = new RegExp(NOISE, 'uy');

/** Openings of clauses in which nothing is ever asked. */
const REFUSED = sticky(
  "if|when|whenever|unless|once|after|before|while|because|since|although|though|as|every time|each time|in case|why|what|what's|" +
    "how|who|which|where|where's|whose|whom|does|did|is|are|was|were|am|has|have|had|don't|dont|do not|never|no|not|nobody|let's|lets|" +
    "i|i'm|i've|i'll|you|he|she|it|we|they|it's|there|there's|this|that|these|those|my|our|his|her|their|the|for example|e g|imagine|" +
    '(?:stop|quit|cease|avoid|no more|resume) \\p{L}+ing',
).source;
const REFUSED_U = new RegExp(REFUSED, 'uy');

interface Opening {
  pattern: RegExp;
  /** The verb behind it is a gerund: "would you mind sending". */
  gerund?: boolean;
}

const WISH = "(?:i|we) (?:really |just |also )?(?:want|need|require|wish|prefer)|(?:i'd|we'd|id|i would|we would) (?:really |also |just )?(?:like|love|want|prefer|need|appreciate)";
const OPENINGS: readonly Opening[] = [
  { pattern: sticky(`(?:can|could|would|will) ${YOU}(?: (?:guys))?(?: (?:be able to|help me(?: to)?))?`) },
  { pattern: sticky(`(?:(?:would|do) ${YOU} )?mind`), gerund: true },
  { pattern: sticky(`(?:would ${YOU} be|are ${YOU}) (?:able|so kind as|willing|kind enough|available) to`) },
  { pattern: sticky(`(?:is|would) it (?:be )?(?:possible|ok|okay|alright|too much to ask) (?:for ${YOU} to|to have ${YOU}|to|if ${YOU}(?: could| can)?)`) },
  { pattern: sticky(`(?:is there )?any (?:chance|way|possibility) (?:that )?${YOU} (?:can|could|would|might)(?: be able to)?`) },
  { pattern: sticky(`is there (?:a|any) way (?:for ${YOU} )?to`) },
  { pattern: sticky(`do ${YOU} think (?:that )?${YOU} (?:can|could|would|might)(?: be able to)?`) },
  { pattern: sticky(`(?:(?:i was|i am|i'm|was|just) wondering|i wonder|wondering) (?:if|whether) ${YOU} (?:can|could|would|might)`) },
  { pattern: sticky(`(?:i was|i am|i'm|was) hoping (?:that )?${YOU} (?:can|could|would|might)`) },
  { pattern: sticky(`(?:it would|it'd|it'll|that would|would) be (?:so |really |very )?(?:great|nice|good|helpful|lovely|awesome|cool|useful|wonderful|ideal|perfect|amazing|fantastic|handy) if ${YOU} (?:can|could|would|will)`) },
  { pattern: sticky(`(?:i would|i'd|we'd|we would|would) (?:really )?(?:appreciate|love|like|be (?:so )?(?:grateful|thankful|happy|glad|delighted))(?: it)? if ${YOU} (?:can|could|would|will|'d)`) },
  { pattern: sticky(`(?:${WISH})(?: for)? ${YOU} to`) },
  { pattern: sticky(`(?:i'll need|i will need|i am going to need|i'm going to need|i'm gonna need) ${YOU} to`) },
  { pattern: sticky('your (?:task|job|assignment|mission|goal) (?:is|will be) to') },
  { pattern: sticky('(?:please )?do me a (?:favor|favour|solid)(?: and)?|be (?:so kind (?:as )?to|so kind and|kind enough to|a dear and|an angel and)') },
  { pattern: sticky("go ahead and|feel free to|remember to|be sure (?:to|and)|(?:make sure|ensure|see to it)(?: that)? (?:you|to)|(?:don't|do not|dont|never) forget to|i (?:need|want) to ask you to") },
  { pattern: sticky('start|begin|keep|keep on|how about(?: you)?|what about'), gerund: true },
  { pattern: sticky("how about you|let's have you|lets have you") },
  { pattern: sticky('schedule yourself to|schedule(?: it| this)? (?:to|so that you|so you)|schedule :|cron to|program yourself to|set yourself to|arrange to') },
  { pattern: sticky('schedule|set up|arrange|plan on|consider'), gerund: true },
];

const REMIND_PARTICIPLES: Readonly<Record<string, string>> = {
  reminded: 'remind me', notified: 'notify me', pinged: 'ping me', alerted: 'alert me', told: 'tell me', woken: 'wake me up', nudged: 'nudge me',
  warned: 'warn me', messaged: 'message me', texted: 'text me', updated: 'update me', informed: 'inform me', emailed: 'email me',
  called: 'call me', prompted: 'prompt me', asked: 'ask me', awakened: 'wake me', awoken: 'wake me up',
};
const PASSIVE = sticky(
  `(?:(?:${WISH}) to|can i|could i|may i|might i|can we|could we|i should|i must) (?:be|get)(?: gently| automatically)? (${Object.keys(REMIND_PARTICIPLES).join('|')})(?: up)?`,
);
/** Ways of saying "remind me" without the word. */
const REMIND_IDIOMS: readonly [RegExp, string][] = [
  [sticky("(?:don't|do not|dont|never) let (?:me|us) forget(?= (?:to|about|that|my|the|it))"), 'remind me'],
  [sticky("(?:make sure|ensure)(?: that)? i (?:don't|do not|dont|never) forget(?= (?:to|about|that|my|the|it))"), 'remind me'],
  [sticky('help me (?:to )?remember(?= (?:to|about|that|my|the|it))'), 'remind me'],
  [sticky("help me not (?:to )?forget(?= (?:to|about|that|my|the|it))"), 'remind me'],
];
/** Idioms that are kept as they are. */
const KEPT_IDIOMS = sticky(
  'let (?:me|us) know|give (?:me|us) (?:a|an) (?:quick |gentle |little |short |friendly )?(?:shout|heads up|heads - up|nudge|ping|ring|buzz|call|reminder|poke|holler|wake up call|wake - up call|wakeup call)|drop (?:me|us) (?:a (?:line|note|message|reminder)|an email)|hit me up|' +
    'keep (?:me|us) (?:posted|updated|informed|in the loop|up to date)|shoot me (?:a|an) (?:message|email|text|reminder|note)|get back to me|get me up|catch me up|check in with (?:me|us)|check in on (?:me|us)|check up on (?:me|us)|follow up with (?:me|us)|make sure(?: that)? (?:i|we)|get me out of bed',
);

const NOUN = '(reminder|reminders|alarm|timer|countdown|task|job|trigger|automation|routine|workflow|cron job|cron task|cronjob|notification|alert|nudge|ping|prompt|wake up call|wake - up call|wakeup call|heads up|heads - up|monitor|check|run)';
const MODIFIER = '(?!(?:to|in|on|for|of|about|from|with|that|and|at|is|was|so|every|each|will|who|which)(?: |$))[\\p{L}\\p{N}\'-]+ ';
const SETUP_VERB = '(?:set|create|make|add|start|put|configure|register|establish|schedule|setup|arrange|program|new|give|send|get|leave|open)(?: up| in)?(?: me| us)?';
const SETUP = new RegExp(`${SETUP_VERB} (?:${A} )?((?:${MODIFIER}){0,3}?)${NOUN}${END} ?`, 'uy');
const WISHED = new RegExp(
  `(?:(?:${WISH})(?: to (?:get|have|receive|see|set|set up|schedule|create|add|make))?|(?:can|could|may|might) (?:i|we) (?:please )?(?:get|have|receive|set|set up|schedule)|i'll need|need|want|would like|would love|i'm looking for|looking for) ` +
    `(?:${A} )?((?:${MODIFIER}){0,3}?)${NOUN}${END} ?`,
  'uy',
);
const ELLIPTIC = new RegExp(
  `(?:${A} )?((?:quick|daily|weekly|monthly|hourly|gentle|friendly|recurring|little|small|short|\\d+|minute|second|hour|min|sec|-)? ?(?:minute |second |hour |min |sec )?)(reminder|alarm|timer|countdown|wake up call|wake - up call|wakeup call)${END} ?`,
  'uy',
);
const REPORT = '(?:summary|report|digest|updates?|briefing|recap|overview|list|forecast|joke|quote|poem|haiku|message|email|notification|rundown|roundup|brief|breakdown|snapshot|headlines|news|weather|fact|quiz|note|tweet|post|status|summaries|reports|messages|stats|statistics)';
const WISHED_REPORT = new RegExp(
  `(?:(?:${WISH})(?: to (?:get|have|receive|see))?|(?:can|could|may|might) (?:i|we) (?:please )?(?:get|have|receive)|i'll need|need|would like|would love) ((?:${A} )?(?:${MODIFIER}){0,3}?${REPORT})${END}`,
  'uy',
);
const SCHEDULE_REPORT = new RegExp(`(?:schedule|set up|arrange) (?=(?:${A} )?(?:${MODIFIER}){0,3}?${REPORT}${END})`, 'uy');

const OBJECTS = /^(?:me|us|him|her|them|it|everyone|everybody|everything|the|my|our|your|all|each|people|someone|a|an|this|that|these|those|any|new|myself|both|his|their|to|@|")$/;
const NOT_A_NAME = /^(?:mom|mum|dad|mother|father|honey|babe|dear|guys|team|folks|everyone|everybody|all|sir|madam|bro|sis|darling|love|people|sweetheart|tomorrow|today|tonight|yesterday|no|nope|nah|example|note|warning|fyi|ps|reminder|monday|friday)$/;

/** The request at the beginning of the words, or null when there is none. */
export function findHead(words: readonly Word[]): Head | null {
  const text = words.map((word) => word.low).join(' ');
  let at = 0;
  let asked = false;
  let gerund = false;
  let greeted = false;
  for (let round = 0; round < 14; round += 1) {
    const head = headAt(words, text, at, asked, gerund);
    if (head) return head;
    const opening = gerund ? undefined : OPENINGS.map((candidate) => ({ candidate, length: lengthAt(candidate.pattern, text, at) })).filter(({ candidate, length }) => length > 0 && (!candidate.gerund || startsWithGerund(text, at + length))).sort((x, y) => y.length - x.length)[0];
    if (opening) {
      at += opening.length;
      asked = true;
      gerund = opening.candidate.gerund === true;
      continue;
    }
    const noise = lengthAt(NOISE_U, text, at);
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

function startsWithGerund(text: string, at: number): boolean {
  const word = /^\p{L}+/u.exec(text.slice(at, at + 40))?.[0] ?? '';
  return word.endsWith('ing') && baseForm(word) !== null;
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** "Cue," or "hey cue": the length of a name with what follows it. */
function nameLength(words: readonly Word[], text: string, at: number, greeted: boolean): number {
  const word = words[position(text, at)];
  const next = words[position(text, at) + 1];
  if (!word || !next || !/^[\p{L}]/u.test(word.text) || NOT_A_NAME.test(word.low)) return 0;
  if (next.low === ',' && (greeted || /^\p{Lu}/u.test(word.text) || /^(?:cue|eliza|agent|assistant|bot|buddy|friend)$/.test(word.low))) {
    return word.low.length + 3;
  }
  if (next.low === ':' && /^(?:cue|eliza|agent|assistant|bot)$/.test(word.low)) return word.low.length + 3;
  return greeted && !isVerb(word.low) ? word.low.length + 1 : 0;
}

/** How many words stand before the character `at`. */
function position(text: string, at: number): number {
  let count = 0;
  for (let index = 0; index < at && index < text.length; index += 1) if (text.charAt(index) === ' ') count += 1;
  return count;
}

function headAt(words: readonly Word[], text: string, at: number, asked: boolean, gerund: boolean): Head | null {
  const start = position(text, at);
  const word = words[start];
  if (!word) return null;
  if (gerund) {
    const verb = baseForm(word.low);
    return verb === null ? null : { ...verbHead(words, start, verb, true), keep: start + 1, prefix: verb };
  }
  const idiom = idiomHead(text, at, asked) ?? setupHead(words, text, at, asked);
  if (idiom) return idiom;
  if (REFUSED_U.lastIndex = at, REFUSED_U.test(text)) return null;
  const next = words[start + 1];
  if (next?.low === ':' && !REMIND.has(word.low)) return null;
  if (NO_ORDER.has(word.low) && !(isVerb(word.low) && next && /^(?:me|us)$/.test(next.low))) return null;
  if (MANAGE.has(word.low) && isManagement(words, start)) return null;
  if (isVerb(word.low) || (REMIND_NEEDS_OBJECT.has(word.low) && !HUMAN.has(word.low)) || callsMe(words, start)) {
    return fitsVerb(words, start, asked) ? verbHead(words, start, word.low, asked) : null;
  }
  if (HUMAN.has(word.low)) return { kind: 'human', verb: word.low, keep: start, prefix: '', content: start + 1, asked };
  // An unknown word in the place of a verb, with an object behind it.
  const verbLike = /^\p{L}{3,14}$/u.test(word.low) && !/(?:ing|ed|ly|s)$/.test(word.low) && next !== undefined;
  if (verbLike && asked && OBJECTS.test(next.low)) return { kind: 'do', verb: word.low, keep: start, prefix: '', content: start + 1, asked };
  return null;
}

function callsMe(words: readonly Word[], start: number): boolean {
  return /^(?:call|ring|phone)$/.test(words[start]?.low ?? '') && /^(?:me|us)$/.test(words[start + 1]?.low ?? '');
}

function verbHead(words: readonly Word[], start: number, verb: string, asked: boolean): Head {
  const next = words[start + 1]?.low ?? '';
  const speaks = REMIND.has(verb) || callsMe(words, start) || (REMIND_NEEDS_OBJECT.has(verb) && /^(?:me|us)$/.test(next));
  const kind: HeadKind = speaks ? 'remind' : DELIVER.has(verb) && !(verb === 'read' && !/^(?:me|us)$/.test(next)) ? 'deliver' : DO.has(verb) ? 'do' : 'unclear';
  let content = start + 1;
  if (/^(?:me|us|him|them|everyone|everybody)$/.test(next)) content += 1;
  if (verb === 'wake' && words[content]?.low === 'up') content += 1;
  return { kind, verb, keep: start, prefix: '', content, asked };
}

const PARTICLES: Readonly<Record<string, RegExp>> = {
  check: /^(?:in|on|up|for|out|with)$/, look: /^(?:at|for|into|up|over|through)$/, back: /^up$/, follow: /^up$/, turn: /^(?:on|off|down|up)$/, switch: /^(?:on|off|to)$/,
  shut: /^(?:down|off)$/, power: /^(?:on|off|down|up)$/, report: /^(?:on|back|to|about)$/, search: /^(?:for|through)$/, watch: /^(?:for|out)$/, clean: /^(?:up|out)$/, reflect: /^on$/,
  reply: /^to$/, respond: /^to$/, write: /^(?:to|about|down)$/, read: /^(?:through|out|from|up)$/, ask: /^(?:about|for)$/, post: /^(?:to|in|on|about)$/, send: /^(?:out|in|to)$/,
  say: /^(?:to)$/, kick: /^off$/, start: /^(?:up|with)$/, log: /^(?:in|out|into)$/, boot: /^up$/, roll: /^(?:out|over|up|back)$/, keep: /^(?:an|track|watch|on)$/, pick: /^(?:out|a|one|up)$/,
  brief: /^on$/, update: /^(?:on|from)$/, sync: /^(?:with|to|from|up)$/, pull: /^(?:in|from|up|down)$/, push: /^(?:to|out)$/, catch: /^up$/, tidy: /^up$/, sum: /^up$/, fetch: /^from$/,
  draw: /^up$/, come: /^up$/, ping: /^(?:at|in|on)$/, remind: /^(?:of|about)$/, wake: /^(?:up|at)$/, set: /^(?:up|off)$/, get: /^(?:me|the|us|a|my)$/, put: /^(?:on|out|up|together)$/, take: /^(?:a|stock|care|out|notes|down)$/,
};
const PREPOSITION = /^(?:with|from|to|of|in|on|at|by|into|for|than|as|about|over|via|per|but|or|,|;)$/;

/** What stands behind the verb must be able to follow a verb: "check the logs", not "check came". */
function fitsVerb(words: readonly Word[], start: number, asked: boolean): boolean {
  const verb = words[start]?.low ?? '';
  const next = words[start + 1];
  const gap = next !== undefined && next.index > (words[start]?.index ?? 0) + 1;
  if (REMIND_NEEDS_OBJECT.has(verb)) {
    if (!next) return asked;
    return OBJECTS.test(next.low) || (/^\p{Lu}/u.test(next.text) && !isStatementVerb(next.low)) || asked || (gap && next.low !== 'is');
  }
  if (!next) return true;
  if (isStatementVerb(next.low)) return false;
  if (/^(?:is|are|was|were|will|would|has|had|have|does|did|can|could|should|must|might|may|isn't|wasn't|won't|doesn't)$/.test(next.low)) return false;
  if (verb === 'take') return /^(?:a|the|stock|care|notes|down)$/.test(next.low) && !/^(?:pills?|meds?|medicine|shower|bath|walk|break|nap|rest|tablet|vitamins?|bus|train|dog|trash|bins?|kids?)$/.test(words[start + 2]?.low ?? '');
  if (verb === 'make' || verb === 'get' || verb === 'do' || verb === 'keep' || verb === 'put' || verb === 'start' || verb === 'stop') {
    return (/^(?:me|us|a|an|the|my|our|all|sure|some|new|this|that|these|it|any|an|on|out|up|backups?|posting|sending|track|together)$/.test(next.low) || asked) && !/^(?:until|it)$/.test(next.low);
  }
  if (PREPOSITION.test(next.low)) return (PARTICLES[verb]?.test(next.low) ?? false) || (gap && next.low !== 'of');
  return true;
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

function idiomHead(text: string, at: number, asked: boolean): Head | null {
  const start = position(text, at);
  PASSIVE.lastIndex = at;
  const passive = PASSIVE.exec(text);
  if (passive) {
    const prefix = REMIND_PARTICIPLES[passive[1] ?? ''] ?? 'remind me';
    const content = start + countWords(passive[0]);
    return { kind: 'remind', verb: 'remind', keep: content, prefix, content, asked: true };
  }
  for (const [pattern, prefix] of REMIND_IDIOMS) {
    const length = lengthAt(pattern, text, at);
    if (length === 0) continue;
    const content = start + countWords(text.slice(at, at + length));
    return { kind: 'remind', verb: 'remind', keep: content, prefix, content, asked: true };
  }
  const length = lengthAt(KEPT_IDIOMS, text, at);
  if (length === 0) return null;
  return { kind: 'remind', verb: 'remind', keep: start, prefix: '', content: start + countWords(text.slice(at, at + length)), asked };
}

function countWords(text: string): number {
  return text.trim().split(' ').length;
}

/** "set a reminder to …", "I want a daily summary", "schedule a task that posts …". */
function setupHead(words: readonly Word[], text: string, at: number, asked: boolean): Head | null {
  const start = position(text, at);
  for (const [index, pattern] of [SETUP, WISHED, ELLIPTIC].entries()) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) continue;
    const noun = (match[2] ?? '').replace(' - ', ' ');
    const head = nominalHead(words, start + countWords(match[0]), noun, (match[1] ?? '').trim(), asked || index < 2, index === 2);
    if (head) return head;
  }
  WISHED_REPORT.lastIndex = at;
  const wished = WISHED_REPORT.exec(text);
  if (wished) {
    const size = countWords(wished[0]);
    const keep = start + size - countWords(wished[1] ?? '');
    return { kind: 'setup', verb: 'send', keep, prefix: 'send me', content: start + size, asked: true };
  }
  const scheduled = lengthAt(SCHEDULE_REPORT, text, at);
  if (scheduled > 0) {
    const keep = start + countWords(text.slice(at, at + scheduled));
    return { kind: 'setup', verb: 'send', keep, prefix: 'send', content: keep + 1, asked: true };
  }
  return null;
}

const TIMER_WORDS = /^(?:\d+|minute|second|hour|min|sec|-|recurring|daily|weekly|monthly|hourly|quick|gentle|friendly|little|new|another|repeating|regular|one|off|time|scheduled|small|short|automatic|automated|kitchen|pomodoro|cron|simple)$/;

function nominalHead(words: readonly Word[], content: number, noun: string, modifiers: string, asked: boolean, elliptic: boolean): Head | null {
  const label = modifiers.split(' ').filter((word) => word !== '' && !TIMER_WORDS.test(word)).join(' ');
  const next = words[content]?.low ?? '';
  const after = words[content + 1]?.low ?? '';
  const base = { verb: 'remind', asked: true, content: content + 1 };
  if (/^(?:monitor|check|run|prompt|ping|nudge|alert)$/.test(noun) && !/^(?:to|that|which|about|:|for)$/.test(next)) return null;
  const speaks = /^(?:reminder|reminders|alarm|timer|countdown|notification|alert|nudge|ping|prompt|wake up call|wakeup call|heads up)$/.test(noun);
  if (/^(?:list|manager|tracker|board|app|apps|description|descriptions|email|emails|is|was|went|has|system|feature|clock|settings?|sound|s)$/.test(next)) return null;
  if (next === 'to' && after !== '') {
    // "reminder to myself to call", "reminder to everyone to …"
    if (speaks) return { ...base, kind: 'setup', keep: content, prefix: 'remind me', content };
    return taskHead(words, content + 1, after);
  }
  if (!speaks && (next === 'that' || next === 'which') && after !== '') {
    const aux = /^(?:will|should|would|can)$/.test(after) ? 1 : 0;
    const verb = aux ? words[content + 2]?.low ?? '' : baseForm(after);
    if (verb === null || verb === '' || (!isVerb(verb) && !aux)) return null;
    return { ...verbHead(words, content + 1 + aux, verb, true), kind: 'setup', keep: content + 2 + aux, prefix: verb };
  }
  if (!speaks && (next === ':' || next === 'for')) {
    const verb = next === 'for' ? baseForm(after) : after;
    if (verb && isVerb(verb)) return { ...verbHead(words, content + 1, verb, true), kind: 'setup', keep: content + 2, prefix: verb };
    return null;
  }
  if (!speaks) return null;
  if (next === 'that' && elliptic) return null;
  if (next === 'that' || next === 'about' || next === 'of') return { ...base, kind: 'setup', keep: content, prefix: 'remind me', content };
  if (next === 'for' && after !== '' && words[content + 1]?.index === (words[content]?.index ?? 0) + 1) {
    return { ...base, kind: 'setup', keep: content + 1, prefix: /ing$/.test(after) ? 'remind me about' : 'remind me about' };
  }
  if (/^(?:saying|telling|called|titled|named|labeled|labelled|:|-|,)$/.test(next)) {
    if (elliptic && !isVerb(after) && !HUMAN.has(after)) return null;
    if (/^telling$/.test(next)) return { ...base, kind: 'setup', keep: content + 1, prefix: 'tell' };
    if (after !== '') return { ...base, kind: 'setup', keep: content + 1, prefix: 'remind me:' };
  }
  const own = selfSufficient(noun);
  const rest = words.slice(content).filter((word) => /[\p{L}\p{N}]/u.test(word.low) && !/^(?:please|thanks|thank|you|for|at|to|go|off|pls|me)$/.test(word.low));
  if (own && label === '' && rest.length === 0) return { ...base, kind: 'setup', keep: words.length, prefix: '', content, selfSufficient: own };
  if (elliptic && !asked && rest.length > 0) return null;
  if (label !== '' && rest.length === 0) return { ...base, kind: 'setup', keep: words.length, prefix: `remind me about ${label}`, content };
  return { ...base, kind: 'setup', keep: content, prefix: rest.length > 0 ? 'remind me:' : '', content };
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

/** The word at a token index for callers that hold tokens. */
export function wordsOf(tokens: readonly Token[], from: number, to: number, skip: ReadonlySet<number>): Word[] {
  const words: Word[] = [];
  for (let index = from; index < to; index += 1) {
    const token = tokens[index];
    if (!token || skip.has(index) || token.kind === 'break') continue;
    words.push({ low: token.kind === 'quote' ? '"' : lowAt(tokens, index), text: token.text, index });
  }
  return words;
}
