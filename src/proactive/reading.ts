/**
 * What a message means for work: the files it names, what is wanted, what is about to be done. By the
 * grammar of English; of other languages only the files are read. Pure, and linear in the length.
 */
import { isFileName } from '../shared/file-names.js';
import { pathsIn } from '../shared/path-mentions.js';
import { type Directive, directiveIn, saysWhat, wordsOf } from './reading/directives.js';
import { reportsProblem } from './reading/problems.js';
import { partsOf, type Sentence } from './reading/sentences.js';
import { isForeign, isWork, verbOfPast } from './reading/words.js';

export interface MessageReading {
  /** Files named in the text and the names of attached ones, each once. */
  files: string[];
  /** What is wanted, or what is wrong; at most 400 characters, a line for each of at most two. */
  intent: string | null;
  /** What is to be changed or run; a line for each of at most three steps. */
  plan: string | null;
  /** The task that begins with this message, when one does. */
  task: string | null;
}
export interface MessageText {
  text: string;
  attachments?: readonly { title?: string | undefined; url?: string | undefined }[] | undefined;
}
export interface AgentReading {
  files: string[];
  /** What the agent says that it will change; a line for each of at most three steps. */
  plan: string | null;
  /** Memories it cites, as printed: `mem_1f2e3d4c`. */
  cited: string[];
}

const INTENT_CHARS = 400;
const PLAN_CHARS = 400;
const MAX_INTENTS = 2;
const MAX_PLANS = 3;
const MAX_FILES = 20;
/** Characters of an agent's answer that are searched for ids. */
const CITED_CHARS = 20_000;
const CITED = /\bmem_[0-9a-f][0-9a-f-]{7,35}(?![\w-])/gi;

const HELLO =
  /^(?:hi|hello|hey|hiya|yo|howdy|greetings|good (?:morning|afternoon|evening|day))\b(?: (?:there|again|all|team|everyone|everybody|folks|guys|cue|bot|agent|buddy|mate)\b)*[\s,!.:–-]*/i;
/** Small words in front; these need no mark behind them … */
const LEAD =
  /^(?:ok|okay|alright|all right|well|so|and|but|then|now|next|also|plus|oh|ah|hmm+|anyway|actually|afterwards|after that|meanwhile|finally|lastly|please)\b(?!\.\w)(?:[\s,!:;.–-]+)(?=\S)/i;
/** … and these do. */
const LEAD_MARKED =
  /^(?:thanks?(?: you)?|thx|ty|cheers|great|cool|nice|perfect|awesome|excellent|good|lovely|right|sure|yes|yeah|yep|yup|no|nope|nah|sorry|excuse me|btw|by the way|fyi|instead|first(?:ly)?|second(?:ly)?|third(?:ly)?|again|today|tomorrow|task|todo|goal|bug(?: report)?|issue|feature(?: request)?|idea|update|status|result|news|warning|request|question|quick (?:question|one|request)|note|next (?:step|up|task)|(?:starting )?(?:a |the )?new task|next up|step \d+|plan|if possible|if you can|for now|this time|in addition|one more thing|another thing|when you (?:can|get a chance|have (?:time|a (?:minute|moment|sec|second))))(?: (?:so much|a lot|very much|again|work|job|for (?:that|this|the [a-z ]{1,30})))?(?:\s*[,!:;]+\s*|\s+[–-]+\s+)(?=\S)/i;
const OPINION =
  /^(?:(?:i|we) (?:think|guess|believe|suppose|feel like|suggest|propose|wonder)|(?:i'm|i am|i've been|i was|we're|we were) (?:just )?(?:thinking|wondering)|imo|in my opinion)(?: (?:that|if|about|of|whether|maybe|perhaps))*,? (?=(?:we|you|i|it)\b)/i;
const TIME_OF =
  /^(?:today|tonight|this (?:week|morning|afternoon|evening|sprint)|right now|at the moment|these days),? (?=(?:i|we|i'm|we're|i'd|i'll|we'll|let's|please)\b)/i;
const CALLED = /^@[\w-]+(?![\w./\\-])[,:]?\s+|^(?:[A-Z][a-z]+|cue|agent|bot|assistant), (?=[a-z])/;
const CONDITION =
  /^(?:if|when|once|since|because|as|after|before|while|given that|now that) [^,]{1,160}, (?:then |please |so )?/i;
const PLACE = /^(?:in|for|on|at|with|inside|within|from|to) [^,]{1,100}, /i;
/** Longer than anything that is taken off an end. */
const TAIL_CHARS = 48;
const TAIL =
  /[\s,;]{0,4}\b(?:please|pls|plz|thanks?(?: you)?(?: in advance| a lot| so much| very much)?|thx|cheers|asap|for me|for us|ok|okay|right|if you can|if possible|if you have time|when you (?:can|get a chance|have time)|(?:would|will|could|can) you)[\s.!?]*$/i;

const TIMED =
  /\b(?:every|each) (?:\d+ |other |single |two |few |second )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|mornings?|afternoons?|evenings?|nights?|weekdays?|mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?s?\b|\b(?:daily|weekly|hourly|monthly|nightly)\s*$|\b(?:at|by|before) \d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)\b|\bat \d{1,2}:\d\d\b|\bin (?:\d+|an?|two|three|five|ten) (?:minutes?|mins?|hours?|days?|weeks?)\b|\b(?:tomorrow|tonight|next (?:week|month|monday|tuesday|wednesday|thursday|friday))(?: (?:at|morning|afternoon|evening|noon))?\b|\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b/i;
const REMINDER =
  /\bremind(?:er)? (?:me|us|him|her|them|everyone|the team)\b|\bwake me\b|\b(?:ping|notify|alert|message|text|email|call|tell) (?:me|us) (?:when|whenever|if|once|every|at|in \d|tomorrow|as soon)|\b(?:set|create|add|make|cancel|delete|stop|list|show)(?: up)? (?:me )?(?:a|an|the|my|all|another)? ?(?:[a-z]+ )?(?:reminders?|alarms?|timers?|triggers? (?=that|which|to|for|every))\b|^schedule\b|\blet me know (?:when|if|once)\b/i;

/** What somebody says to the agent. */
export function readMessage(message: MessageText): MessageReading {
  const files = filesOf(message);
  const { sentences, commands } = partsOf(message.text);
  const said = sentences.map(statementOf);
  const wanted = said.filter(
    ({ kind }) => kind === 'change' || kind === 'investigate' || kind === 'wish',
  );
  const bare = said.find(({ kind }) => kind === 'bare');
  const problems = said.filter(({ kind }) => kind === 'problem');
  const stated = [wanted, said.filter(({ kind }) => kind === 'open'), problems].find(
    (each) => each.length > 0,
  );
  const intent = lines(stated?.map(({ text }) => text) ?? [], MAX_INTENTS, INTENT_CHARS);
  const steps = wanted.filter(({ kind }) => kind === 'change').map(({ text }) => text);
  if (steps.length === 0 && bare !== undefined) {
    // "The login times out. Fix it!"; "Run this:" with a command below.
    const [problem] = problems;
    if (commands.length > 0) steps.push(...commands);
    else if (problem) steps.push(`${bare.text.split(' ')[0]}: ${problem.text}`);
  } else if (sentences.length === 0) steps.push(...commands);
  const plan = lines(steps.flatMap(stepsOf), MAX_PLANS, PLAN_CHARS);
  const task = wanted[0]?.text ?? null;
  return { files, intent, plan, task };
}

/** What the agent itself says: only what it announces is a plan, not what it tells others to do. */
export function readAgentWords(text: string): AgentReading {
  const steps: string[] = [];
  for (const sentence of partsOf(text).sentences) {
    if (/^(?:if|unless|would you|do you|should)\b/i.test(sentence.text) || sentence.question)
      continue;
    const { kind, text: step, own } = statementOf(sentence);
    if (kind === 'change' && own) steps.push(step);
  }
  const cited = text.slice(0, CITED_CHARS).match(CITED) ?? [];
  return {
    files: pathsIn(text),
    plan: lines(steps.flatMap(stepsOf), MAX_PLANS, PLAN_CHARS),
    cited: [...new Set(cited.map((id) => id.toLowerCase()))],
  };
}

/** The action that a text states, for happenings that are told as data; `null` when it states none. */
export function actionIn(text: string): string | null {
  return readMessage({ text }).plan;
}

/** Whether a text only wants something to be found out or shown. */
export function onlyLooks(text: string): boolean {
  const [first] = partsOf(text).sentences;
  return first !== undefined && /^(?:investigate|look)$/.test(statementOf(first).kind);
}

interface Statement {
  kind: Directive['kind'] | 'wish' | 'open' | 'problem' | 'nothing';
  /** Without greeting, frame and thanks. */
  text: string;
  /** Of the speaker: "I'll …". */
  own: boolean;
}

const nothing = (text: string): Statement => ({ kind: 'nothing', text, own: false });

function statementOf(sentence: Sentence): Statement {
  const words = wordsOf(sentence.text);
  if (isForeign(words)) return nothing(sentence.text);
  const text = undressed(sentence.text);
  if (text === '' || isArranged(text)) return nothing(text);
  const forbidden = FORBIDS.test(text);
  const asked = forbidden ? null : requestIn(text, sentence.question);
  if (asked && asked.kind !== 'look') return asked;
  if (!forbidden && !asked && isProblem(text, sentence.question))
    return { kind: 'problem', text, own: false };
  if (FAULT_LABEL.test(sentence.text) && contentOf(text) > 1)
    return { kind: 'problem', text, own: false };
  if (!sentence.question && LABEL.test(sentence.text) && contentOf(text) > 1) {
    return { kind: 'wish', text, own: false };
  }
  // "It works now, but please add tests"
  const parts = text.split(
    /(?:,|;|:| [–—-]) +(?=[\w'@])|\s+and\s+(?=please|can you|could you|let's|i'll|then|(?:i|we)(?:'d like| want| need| should| would like))/i,
  );
  for (const part of parts.slice(1, 7)) {
    // Behind a comma a gerund is a subject: "I agree, caching makes sense".
    const later = /^\w+ing\b/i.test(part) ? null : requestIn(undressed(part), sentence.question);
    if (later && later.kind !== 'bare' && later.kind !== 'look') return later;
  }
  return asked ?? nothing(text);
}

function undressed(sentence: string): string {
  let text = sentence;
  for (let round = 0; round < 6; round += 1) {
    const before = text;
    text = text
      .replace(HELLO, '')
      .replace(CALLED, '')
      .replace(LEAD_MARKED, '')
      .replace(LEAD, '')
      .replace(OPINION, '')
      .replace(TIME_OF, '');
    if (text === before) break;
  }
  for (let round = 0; round < 3; round += 1) {
    const end = Math.max(0, text.length - TAIL_CHARS);
    text = text.slice(0, end) + text.slice(end).replace(TAIL, '');
  }
  return text.trim();
}

/** A reminder or a time to do it at; "fix the job that runs every night" is work. */
function isArranged(text: string): boolean {
  const reminds = REMINDER.test(text);
  const timed = reminds ? null : TIMED.exec(text);
  if ((!reminds && !timed) || pathsIn(text).length > 0) return false;
  if (!timed) return true;
  const before = text.slice(0, timed.index);
  const inner =
    /\b(?:that|which|who|where|because|so|to run|running|runs|cron|job|scheduler)\b/i.test(before);
  const makes =
    /^(?:\W*(?:can|could|would) you (?:please )?)?(?:fix|debug|investigate|implement|refactor|add|build|create|write|find|change)\b/i;
  return !inner && !makes.test(before) && !reportsProblem(text, false);
}

const FORBIDS = /^(?:do not|don't(?! forget)|never|no need)\b/i;
/** What stands behind these words is a piece of work, whatever its grammar. */
const LABEL = /^(?:new )?(?:task|todo|goal|feature(?: request)?|next up)\s*:/i;
const FAULT_LABEL = /^(?:bug(?: report)?|issue|problem)\s*:/i;

/** `null`: nothing is asked for. */
function requestIn(text: string, question: boolean): Statement | null {
  const rests = [text, text.replace(CONDITION, ''), text.replace(PLACE, '')];
  for (const [index, rest] of rests.entries()) {
    if (index > 0 && rest === text) continue;
    const found = directiveIn(rest, question);
    if (!found) continue;
    if (found.kind === 'bare' || found.kind === 'look')
      return { kind: found.kind, text: found.text, own: found.own };
    // Where it is to be done stands in front: "In auth.ts, add caching".
    const whole =
      index === 2
        ? `${found.text} ${lowered(text.slice(0, text.length - rest.length))}`
        : found.text;
    const clean = whole.replace(/[\s,;]+$/, '');
    return { kind: found.open ? 'open' : found.kind, text: clean, own: found.own };
  }
  return question ? null : wishIn(text);
}

const WANTS =
  /^(?:i|we)(?: (?:really|also|still|just|now))?(?:'d like| would like| want| need| could use| require)(?: to have| to get)? (?!to\b|you\b|help\b)/i;
const NEEDS =
  /\b(?:needs?|has|have|ought|should|must)(?: to)? be ([a-z]+)\b|\bneeds? (?!to\b)(?:(?:a|an|the|some|more|better|proper|another) )?([a-z-]+)/i;

/** "We need rate limiting on /login", "auth.ts needs to be split": a thing that should be so. */
function wishIn(text: string): Statement | null {
  if (WANTS.test(text)) {
    return contentOf(text.replace(WANTS, '')) > 1 ? { kind: 'wish', text, own: false } : null;
  }
  const needs = NEEDS.exec(text);
  if (!needs || /^(?:i|you|he|she|they|it|this|that)\b/i.test(text)) return null;
  const done = needs[1] === undefined ? needs[2] !== undefined : verbOfPast(needs[1]) !== null;
  return done && saysWhat(text) ? { kind: 'wish', text, own: false } : null;
}

const ASKS_WHY =
  /^(?:why|how come|any ideas? (?:why|what)|what(?:'s| is| could be| might be)? (?:wrong|causing|cause|broke|the (?:cause|reason|problem))|do you know why|what (?:could|might|is) (?:be )?caus)/i;
/** Why somebody did something is a question about the past, not about a fault. */
const ASKS_MOTIVE = /^why (?:did|do|have|had|are|were|would) (?:we|you|they|i|people)\b/i;
const ASKS = /^(?:what|who|which|where|how|does|do|is|are|did|has|have|was|were|can|could)\b/i;

function isProblem(text: string, question: boolean): boolean {
  if (!hasSubject(text) || ASKS_MOTIVE.test(text)) return false;
  if (ASKS_WHY.test(text)) return reportsProblem(text, true) || /\bwrong with\b/i.test(text);
  if (question || ASKS.test(text)) return false;
  return reportsProblem(afterDeed(text), false);
}

/** "I fixed the crash" is done; "I added caching and now logins fail" is not. */
function afterDeed(text: string): string {
  const [first = '', second = '', third = '', fourth = ''] = wordsOf(text);
  const mine = /^(?:i|we|i've|we've|i'd)$/.test(first);
  const verbs = mine ? [second, third, fourth] : [first];
  if (!verbs.some((word) => verbOfPast(word) !== null && !isWork(word))) return text;
  const turn = /(?:\s(?:and|but|which|then)\s|,\s|;\s|\s-\s)/i.exec(text);
  return turn ? text.slice(turn.index + turn[0].length) : '';
}

function isPronoun(word: string): boolean {
  return /^(?:it|this|that|they|these|those|everything|nothing|something)$/.test(word);
}

const GENERAL =
  /^(?:fail(?:s|ed|ing)?|breaks?|broken?|work(?:s|ed|ing)?|crash(?:es|ed|ing)?|slow|wrong|doesn't|didn't|don't|can't|cannot|isn't|won't|errors?|problem|issue|bug|happens?|happened|getting|get|got|see|seeing|there's|i've|it's|that's|has|have|been|very|really|always|completely|seems?|looks?|why|when|if)$/;
/** Whether a report says what has the problem: "it failed again" does not. */
function hasSubject(text: string): boolean {
  return wordsOf(text).some(
    (word) => word.length > 1 && !isPronoun(word) && !GENERAL.test(word) && !saidNothing(word),
  );
}

function contentOf(text: string): number {
  return wordsOf(text).filter((word) => !saidNothing(word)).length;
}

function saidNothing(word: string): boolean {
  return !saysWhat(`x ${word}`);
}

/** "Add caching and then write tests" has two steps. */
function stepsOf(text: string): string[] {
  const steps = text.split(/,? and then |, then |; then |; /i).map((step) => step.trim());
  return steps.filter((step, index) => index === 0 || saysWhat(step));
}

/** Distinct lines within a size; what does not fit is cut behind a word. */
function lines(texts: readonly string[], most: number, chars: number): string | null {
  const distinct = [...new Set(texts.filter((text) => text !== ''))].slice(0, most);
  let room = chars;
  const kept: string[] = [];
  for (const text of distinct) {
    const line = text.length <= room ? text : text.slice(0, room).replace(/\s+\S*$/, '');
    if (kept.length > 0 && line.length < text.length) break;
    kept.push(line);
    room -= line.length + 1;
  }
  return kept.length === 0 ? null : kept.join('\n');
}

function lowered(place: string): string {
  const words = place.replace(/,\s*$/, '');
  return `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

function filesOf({ text, attachments = [] }: MessageText): string[] {
  const attached = attachments.slice(0, MAX_FILES).flatMap(({ title, url }) => {
    const name = [title?.trim() ?? '', nameIn(url ?? '')].find((each) => isFileName(each, true));
    return name === undefined || /[\\/]/.test(name) ? [] : [name];
  });
  return [...new Set([...pathsIn(text), ...attached])].slice(0, MAX_FILES);
}

/** The last part of an address's path. */
function nameIn(url: string): string {
  if (url.startsWith('data:')) return '';
  const last = url.slice(0, 2_048).split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
