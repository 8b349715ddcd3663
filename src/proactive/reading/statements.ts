/**
 * What a sentence is there for. Only what is clearly nothing is kept out (small talk, reports of what
 * is done, facts, reminders): what is read here is compared with memories strictly later on. Pure.
 */

import { pathsIn } from '../../shared/path-mentions.js';
import { contentOf, hasSubject, themeOf } from './content.js';
import { type Directive, directiveIn, isStatement, saysWhat, wordsOf } from './directives.js';
import { reportsProblem } from './problems.js';
import type { Sentence } from './sentences.js';
import { isForeign, isWork, OPENERS, verbOfPast } from './words.js';

/** Takes off a sentence what only wraps what it says: greetings, names, small words, opinions, thanks. Pure. */

const HELLO =
  /^(?:hi|hello|hey|hiya|yo|howdy|greetings|good (?:morning|afternoon|evening|day))\b(?: (?:there|again|all|team|everyone|everybody|folks|guys|cue|bot|agent|buddy|mate)\b)*[\s,!.:–-]*/i;
/** Small words in front; these need no mark behind them … */
const LEAD =
  /^(?:ok|okay|alright|all right|well|so|and|but|or|then|now|next|also|plus|oh|ah|hm+|uh+m*|um+|anyway|actually|basically|honestly|maybe|perhaps|afterwards|after that|meanwhile|finally|lastly|please|pls|plz)\b(?!\.\w)(?:[\s,!:;.–-]+)(?=\S)/i;
/** … and these do. */
const LEAD_MARKED =
  /^(?:thanks?(?: you)?|thx|ty|cheers|great|cool|nice|perfect|awesome|excellent|good|lovely|right|sure|yes|yeah|yep|yup|no|nope|nah|sorry|excuse me|btw|by the way|fyi|instead|first(?:ly)?|second(?:ly)?|third(?:ly)?|again|today|tomorrow|task|todo|goal|bug(?: report)?|issue|feature(?: request)?|idea|update|status|result|news|warning|request|question|proposal|suggestion|wish|quick (?:question|one|request)|note|next (?:step|up|task)|(?:starting )?(?:a |the )?new task|next up|step \d+|plan|if possible|if you can|for now|this time|in addition|(?:(?:one|another|the|a|and|last|first|second|third|next|other|new|small|quick|more|final) ){1,3}(?:thing|point|topic|item|one|request|question|task)|when you (?:can|get a chance|have (?:time|a (?:minute|moment|sec|second))))(?: (?:so much|a lot|very much|again|work|job|for (?:that|this|the [a-z ]{1,30})))?(?:\s*[,!:;]+\s*|\s+[–-]+\s+)(?=\S)/i;
const OPINION =
  /^(?:(?:i|we) (?:also |still |really )?(?:think|guess|believe|suppose|feel like|suggest|propose|wonder|wondered|thought|figured)|(?:i'm|i am|i've been|i was|we're|we were) (?:just )?(?:thinking|wondering)|(?:my|our|the|one|another) (?:idea|proposal|suggestion|thought) (?:is|was|would be)|imo|in my opinion)(?: (?:that|if|about|of|whether|maybe|perhaps|to))*,? (?=\S+ \S)/i;
/** "The other thing they mentioned is that …" */
const TOPIC =
  /^(?:the|one|another|my|our) (?:[a-z]+ ){0,2}(?:thing|point|issue|problem|topic|idea|wish|request|question|complaint|news)\b[^.:]{0,90}? (?:is|was) (?:that|how|whether|why|if) (?=\S+ \S)/i;
const TIME_OF =
  /^(?:today|tonight|this (?:week|morning|afternoon|evening|sprint)|right now|at the moment|these days),? (?=(?:i|we|i'm|we're|i'd|i'll|we'll|let's|please)\b)/i;
const CALLED = /^@[\w-]+(?![\w./\\-])[,:]?\s+|^(?:[A-Z][a-z]+|cue|agent|bot|assistant), (?=[a-z])/;

const SEEKING =
  /^(?:(?:i'm|i am|we're|we are) )?(?:still |currently |now )?(?:looking|searching) for /i;

/** Longer than anything that is taken off an end. */
const TAIL_CHARS = 48;
const TAIL =
  /[\s,;]{0,4}\b(?:please|pls|plz|thanks?(?: you)?(?: in advance| a lot| so much| very much)?|thx|cheers|asap|for me|for us|ok|okay|right|maybe|perhaps|then|somehow|if you can|if possible|if you have time|when you (?:can|get a chance|have time)|(?:would|will|could|can) you)[\s.!?]*$/i;

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
      .replace(TOPIC, '')
      .replace(TIME_OF, '');
    if (text === before) break;
  }
  for (let round = 0; round < 3; round += 1) {
    const end = Math.max(0, text.length - TAIL_CHARS);
    text = text.slice(0, end) + text.slice(end).replace(TAIL, '');
  }
  return text.trim().replace(SEEKING, 'find ');
}

/** Whether somebody asks for something without a verb: "webpack.config.js pls". */
function isPolite(sentence: string): boolean {
  return /\b(?:please|pls|plz|asap)\W*$|^\W*(?:please|pls|plz)\b/i.test(sentence.slice(0, 400));
}

/** Begins a question. */
const ASKS =
  /^(?:what|who|whom|whose|which|where|when|why|how|does|do|is|are|am|did|has|have|had|was|were|can|could|would|should|shall|will|may|might|must|any|anyone|anybody)\b|^(?:what|who|where|how)'s\b/i;
const ASKS_WHY =
  /^(?:why|how come|any ideas? (?:why|what)|what(?:'s| is| could be| might be)? (?:wrong|causing|cause|broke|the (?:cause|reason|problem))|do you know why|what (?:could|might|is) (?:be )?caus)/i;
/** Why somebody did something is a question about the past, not about a fault. */
const ASKS_MOTIVE = /^why (?:did|do|have|had|are|were|would) (?:we|you|they|i|people)\b/i;
/** Asked of what was done or is known here; the theme stands behind. */
const OF_US =
  /^(?:(?:did|do|have|had|has|does|is|are|were) (?:we|you|i|they|anyone|anybody|someone|somebody|one of us)|(?:where|when|how|why|what|which \w+) (?:did|do|have|had) (?:we|you|they|i|someone|somebody)|(?:is|are|was|were) there|what (?:happened|was done|came) (?:to|with|of|about)|what (?:should|can|could|do|did) (?:we|i) (?:do|know|learn|try|decide) (?:about|with|against|for|on|from)|who (?:did|made|fixed|built|wrote|changed|knows|worked on|was working on|handles|handled|owns)|(?:any|some) (?:news|progress|update|updates|experience|notes?|learnings?|ideas?|thoughts|advice|suggestions?|tips?) (?:on|about|for|with|how to|regarding)|wasn't there|didn't (?:we|you|i|someone)|haven't (?:we|you)|remember (?:when|how|that|the)|do you (?:remember|recall))(?: (?:ever|already|also|have|had|find out|know|any(?:thing)?|once|know about|about|got|get|a way|already have|again|tried to|try to|say|decide|decided|been|before|how to|what|why|how))* /i;
/** Asked of a fact of the world or of the code. */
const KNOWLEDGE =
  /^(?:what (?:is|are|does|do|was|were)|what's|who (?:is|are|was)|who's|which|where (?:is|are|does|do)|when (?:is|are|does|do|will)|how (?:does|do|is|are|many|much|long|often|old|far|big)|is|are|am|was|were|does|do|has|have|will|can you|could you|would you)\b/i;
const PROPOSES = /^(?:what|how) about (?=\S)/i;
const MODAL =
  /^(?:would|could|should|can|shall|may|might|must|will) (?!you\b|i\b|we\b|it\b|that\b|this\b)(?=\S+ \S)/i;
const NEEDED = /\b(?:should|shall|could|can|must) (?:we|i)\b/i;

type Asked =
  /** For the cause of something that is not as it should be. */
  | { kind: 'problem'; text: string }
  /** Whether something is to be done or to be so. */
  | { kind: 'open'; text: string }
  /** For what was done or is known. */
  | { kind: 'past'; text: string };

/** Of a question that requests nothing. `null`: it wants to know something that no work tells. */
function askedIn(text: string): Asked | null {
  if (ASKS_WHY.test(text) && !ASKS_MOTIVE.test(text)) {
    const wrong = reportsProblem(text, true) || /\bwrong with\b/i.test(text);
    return { kind: wrong ? 'problem' : 'past', text };
  }
  const proposed = text.replace(PROPOSES, '');
  if (proposed !== text) return { kind: 'open', text: proposed };
  const ours = OF_US.exec(text);
  if (ours) return { kind: 'past', text: text.slice(ours[0].length) };
  if (ASKS_MOTIVE.test(text)) return { kind: 'past', text };
  const modal = MODAL.exec(text);
  // "Can customers …" asks how things are, "would a full vacuum help" whether to do it.
  if (modal) {
    const kind = /^(?:can|may|will)\b/i.test(text) ? 'past' : 'open';
    return { kind, text: text.slice(modal[0].length) };
  }
  if (NEEDED.test(text)) return { kind: 'open', text };
  if (KNOWLEDGE.test(text) || ASKS.test(text)) return null;
  return { kind: 'open', text };
}

/** Reminders and schedules: work for a clock, not work to be thought about now. Pure. */
const TIMED =
  /\b(?:every|each) (?:\d+ |other |single |two |few )?(?:minutes?|hours?|days?|weeks?|months?|years?|mornings?|afternoons?|evenings?|nights?|weekdays?|mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?s?\b|\b(?:daily|weekly|hourly|monthly|nightly)\s*$|\b(?:at|by|before) \d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)\b|\bat \d{1,2}:\d\d\b|\bin (?:\d+|an?|two|three|five|ten) (?:minutes?|mins?|hours?)\b/i;
const REMINDER =
  /\bremind(?:er)? (?:me|us|him|her|them|everyone|the team)\b|\bwake me\b|\b(?:ping|notify|alert|message|text|email|call|tell) (?:me|us) (?:when|whenever|if|once|every|at|in \d|tomorrow|as soon)|\b(?:set|create|add|make|cancel|delete|stop|list|show)(?: up)? (?:me )?(?:a|an|the|my|all|another)? ?(?:[a-z]+ )?(?:reminders?|alarms?|timers?|triggers? (?=that|which|to|for|every))\b|^schedule (?:a |an |the |my |our )?(?:call|meeting|reminder|appointment|lunch|chat|message)\b|\blet me know (?:when|if|once)\b/i;
/** Told or proposed rather than ordered: "we should rotate the keys every month" is a way to do it. */
const TOLD =
  /^(?:we|i|they|let'?s|let us|should|shall|can we|could we|what if|how about|it|the|our|a|an|users?|customers?)\b/i;
const INNER = /\b(?:that|which|who|where|because|so|to run|running|runs|cron|job|scheduler)\b/i;
const MAKES =
  /^(?:\W*(?:can|could|would) you (?:please )?)?(?:fix|debug|investigate|implement|refactor|add|build|create|write|find|change)\b/i;

/** A reminder or a time to do it at; "fix the job that runs every night" is work. */
function isArranged(text: string): boolean {
  const reminds = REMINDER.test(text);
  const timed = reminds ? null : TIMED.exec(text);
  if ((!reminds && !timed) || pathsIn(text).length > 0) return false;
  if (!timed) return true;
  const before = text.slice(0, timed.index);
  return (
    !TOLD.test(text) && !INNER.test(before) && !MAKES.test(before) && !reportsProblem(text, false)
  );
}

/**
 * `wish`: something should be so; `open`: asked whether; `how`: asked how; `past`: asked what was done;
 * `theme`: told, and perhaps a problem; `foreign`: in a language whose grammar is not known.
 */
export interface Statement {
  kind:
    | Directive['kind']
    | 'wish'
    | 'open'
    | 'how'
    | 'past'
    | 'problem'
    | 'theme'
    | 'foreign'
    | 'nothing';
  /** Without greeting, frame and thanks. */
  text: string;
  /** Of the speaker: "I'll …". */
  own: boolean;
  /** It speaks of "it" or "her": what that is stands before it. */
  refers: boolean;
}

const CONDITION =
  /^(?:if|when|once|since|because|as|after|before|while|given that|now that) [^,]{1,160}, (?:then |please |so )?/i;
const PLACE = /^(?:in|for|on|at|with|inside|within|from|to) [^,]{1,100}, /i;
/** "Finance asks if we can move the workers": what others ask for or propose. */
const REPORTED =
  /^(?!you\b)(?:[\w'-]+ ){1,4}?(?:asks?|asked|says?|said|suggests?|suggested|proposes?|proposed|recommends?|recommended|wonders?|thinks?|thought|wants?|wanted|told) (?:(?:us|me) )?(?:that |if |whether |to )?(?=\S+ \S)/i;
const FORBIDS = /^(?:do not|don't(?! forget)|never|no need)\b/i;
/** What stands behind these words is a piece of work, whatever its grammar. */
const LABEL =
  /^\W*(?:(?:ok|okay|so|now|and|then|well|great)[ ,]+)?(?:new )?(?:task|todo|goal|feature(?: request)?|next(?: up| step| task| one| thing)?|request|proposal|idea|plan|wish)\s*:/i;
const FAULT_LABEL = /^(?:bug(?: report)?|issue|problem)\s*:/i;
/** Parts of a sentence that can each ask for something. */
const PARTS =
  /(?:,|;|:| [–—-]) +(?=[\w'@])|\s+(?:and|so|but)\s+(?=please|can you|could you|can we|could we|let's|i'll|then|(?:i|we)(?:'d like| want| need| should| would like))/i;
const MOST_PARTS = 7;
const REFERS =
  /\b(?:it|them|her|him)\b|\b(?:that|this|these|those|one|ones|there)(?=\W*$|[,;]| (?:please|too|as well|again|instead|for|to|in|on|with|from|by|so|now|first|next)\b)/i;

/** Each thing that a sentence says, in order: "X is broken, can you fix it?" says two. */
export function statementsOf(sentence: Sentence): Statement[] {
  if (isForeign(wordsOf(sentence.text))) return foreign(sentence.text);
  const text = undressed(sentence.text);
  if (text === '' || isArranged(text)) return [];
  if (FAULT_LABEL.test(sentence.text) && contentOf(text) > 1) return [say('problem', text)];
  const forbidden = FORBIDS.test(text);
  const asked = forbidden ? null : requestIn(text, sentence.question);
  const labelled = !sentence.question && LABEL.test(sentence.text) && contentOf(text) > 1;
  if (asked && asked.kind !== 'look' && !(asked.kind === 'how' && labelled)) return [asked];
  if (labelled) return [say('wish', text)];
  const parts = text.split(PARTS).slice(0, MOST_PARTS);
  let before = '';
  for (const part of parts) {
    const last = before !== '' ? laterIn(part, sentence.question) : null;
    if (last) {
      const first = toldIn(before, false);
      return first.kind === 'nothing' ? [last] : [first, last];
    }
    before = before === '' ? part : `${before}, ${part}`;
  }
  if (forbidden) return [say('nothing', text)];
  if (asked?.kind === 'look') return [looked(asked)];
  const [first = '', ...rest] = parts;
  const tail = undressed(rest.at(-1) ?? '');
  // "X fails again, any idea?": only the end of it asks.
  if (sentence.question && ASKS.test(tail) && !ASKS.test(first)) {
    const told = text
      .slice(0, Math.max(first.length, text.lastIndexOf(tail)))
      .replace(/[\s,;:–—-]+$/, '');
    return [toldIn(told, false)];
  }
  return [toldIn(text, sentence.question, isPolite(sentence.text))];
}

function say(kind: Statement['kind'], text: string, own = false): Statement {
  return { kind, text, own, refers: kind !== 'nothing' && REFERS.test(text) };
}

/** A sentence of another language that only asks for knowledge begins with such a word. */
const FOREIGN_ASKS =
  /^(?:was|wer|wo|wann|warum|wieso|wie|welche[rsnm]?|qu'est|qui|où|quand|pourquoi|comment|quel(?:le)?s?|qué|quién|dónde|cuándo|cómo|por qué|cosa|chi|dove|perché|wat|wie|waar|waarom|hoe)\b/i;

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]{6}/u;

function foreign(text: string): Statement[] {
  // Without spaces between words, a sentence is one.
  if (contentOf(text) < 3 && !UNSPACED.test(text)) return [];
  return [say(FOREIGN_ASKS.test(text) ? 'past' : 'foreign', text)];
}

/** Behind a comma a gerund is a subject ("I agree, caching makes sense"), and a noun is no order. */
function laterIn(part: string, question: boolean): Statement | null {
  const text = undressed(part);
  if (/^\w+ing\b/i.test(text)) return null;
  const found = requestIn(text, question, false);
  return found === null || found.kind === 'look' ? null : found;
}

/** `null`: nothing is asked for. @param wishes whether "we need X" counts */
function requestIn(text: string, question: boolean, wishes = true): Statement | null {
  const rests = [text, text.replace(CONDITION, ''), text.replace(PLACE, '')];
  if (!ASKS.test(text)) rests.push(text.replace(REPORTED, ''));
  for (const [index, rest] of rests.entries()) {
    if (index > 0 && rest === text) continue;
    const found = directiveIn(rest, question);
    if (!found) continue;
    const { own, open, how, kind } = found;
    // "Customers want to see X" is a wish.
    if (index === 3 && kind === 'look') continue;
    if (kind === 'bare' || kind === 'look') return { ...say(kind, found.text, own), refers: true };
    // Where it is to be done stands in front: "In auth.ts, add caching".
    const whole =
      index === 2
        ? `${found.text} ${lowered(text.slice(0, text.length - rest.length))}`
        : found.text;
    const clean = whole.replace(/[\s,;]+$/, '');
    return say(how ? 'how' : open ? 'open' : kind, clean, own);
  }
  return question || !wishes ? null : wishIn(text);
}

const SHOWING =
  /^(?:(?:have|take) a (?:quick |closer |good )?look|show|read|view|look|see|list|print|display|explain|describe|tell|summari[sz]e|recap|clarify|understand|know|learn|remember|recall|check|discuss|talk)(?: (?:me|us|again|more|at|about|into|through|how to|how|why|what|where|whether|if|for|over|to|the (?:history|story|reasons?) (?:of|for|behind)))* /i;

/** Who looks at something may be about to work on it. */
function looked({ text, own }: Statement): Statement {
  const theme = text.replace(SHOWING, '');
  if (theme === text) return say('nothing', text, own);
  const words = theme.replace(/\S*[./\\]\S*/g, ' ');
  if (/^(?:me|let)\b/i.test(theme) || themeOf(words) < 2) return say('look', text, own);
  if (reportsProblem(theme, false) && hasSubject(theme)) return say('problem', theme, own);
  return say('past', theme, own);
}

const WANTS =
  /^(?:i|we)(?: (?:really|also|still|just|now))?(?:'d like| would like| want| need| could use| require)(?: to have| to get)? (?!to\b|you\b|help\b)/i;
const NEEDS =
  /\b(?:needs?|has|have|ought|should|must)(?: to)? be ([a-z]+)\b|\bneeds? (?!to\b)(?:(?:a|an|the|some|more|better|proper|another) )?([a-z-]+)/i;
/** Somebody else wants it, or it should be so. */
const WANTED =
  /\b(?:wants?|wanted|needs?|would (?:like|love|prefer)|wish(?:es)?|(?:asks?|asked|asking|begs?) (?:for|to|us|me|if|whether|that)|requests?|requested|requires?|demands?|expects?|should|must|ought to|(?:has|have|is|are) to|it would be|would be (?:nice|great|good|helpful|useful|better|best|cool|handy))\b/i;
/** "It would be nice if the search ignored accents". */
const HOPED =
  /^(?:it(?:'d| would)(?: also| really)? be(?: [a-z]+)?|would(?: also| really)? be(?: [a-z]+)?|i wish|if only|i hope|we hope)(?: (?:if|to have|when|that))?(?: (?:we|i|you|there) (?:had|have|could|was|were))? (?=\S+ \S)/i;
const NO_SUBJECT = /^(?:i|you|it|this|that|these|those|i'm|i've|it's|that's|nobody|nothing)\b/i;

/** "We need rate limiting on /login", "auth.ts needs to be split": a thing that should be so. */
function wishIn(text: string): Statement | null {
  if (ASKS.test(text)) return null;
  if (WANTS.test(text)) {
    return contentOf(text.replace(WANTS, '')) > 1 ? say('wish', text) : null;
  }
  const hoped = text.replace(HOPED, '');
  if (hoped !== text) return contentOf(hoped) > 1 ? say('wish', hoped) : null;
  if (NO_SUBJECT.test(text)) return null;
  const needs = NEEDS.exec(text);
  if (needs && saysWhat(text)) {
    const done = needs[1] === undefined ? needs[2] !== undefined : verbOfPast(needs[1]) !== null;
    if (done) return say('wish', text);
  }
  return WANTED.test(text) && themeOf(text) > 2 ? say('wish', text) : null;
}

/** Of a sentence that requests nothing: what it tells or wants to know. */
function toldIn(sentence: string, question: boolean, polite = false): Statement {
  const text = sentence.trim();
  if (question || (ASKS.test(text) && !/^(?:when|any)\b/i.test(text))) {
    const asked = hasSubject(text) ? askedIn(text) : null;
    if (asked === null || themeOf(asked.text) < 1 || contentOf(asked.text) < 2) {
      return say('nothing', text);
    }
    return say(asked.kind, asked.text);
  }
  if (hasSubject(text) && reportsProblem(afterDeed(text), false)) return say('problem', text);
  const wish = wishIn(text);
  if (wish) return wish;
  if (polite && contentOf(text) > 0) return say('wish', text);
  if (isChatter(text) || isDone(text) || themeOf(text) < 2) return say('nothing', text);
  return say(isFragment(text) ? 'wish' : 'theme', text);
}

const CHATTER =
  /^(?:i(?:'m|'ve|'ll|'d)?|you(?:'re|'ve|'ll)?|it(?:'s|'ll)?|that(?:'s|'ll)?|this|thanks?|thank you|thx|cheers|sorry|glad|happy|congrat\w*|kudos|nice|great|good|cool|awesome|perfect|excellent|lovely|bad|wow|well done|love|no|not|yes|sure|same|agreed|see you|talk|let me|never ?mind|sounds|makes sense|my bad|welcome|update|status|fyi|done|finished|completed|lgtm)\b/i;

/** Said about oneself, about the conversation, or only to praise. */
function isChatter(text: string): boolean {
  return CHATTER.test(text);
}

const HEALTHY =
  /\b(?:looks?|looking|works?|working|seems?|runs?|running|goes|went|going|feels?|is|are|was|were|sounds?|came out|turned out)(?: (?:really|very|pretty|quite|all|so|now|just|already|finally|again|totally|back))* (?:good|fine|great|well|nice|okay|ok|perfect(?:ly)?|better|awesome|smooth(?:ly)?|green|done|ready|up|live|complete|completed|finished|merged|deployed|released|shipped|fixed|solved|resolved|closed|sorted|gone|happy|stable|correct|in place|on track|healthy|through|clean)\b|\b(?:has|have|had) (?:now |already |just |finally )?(?:been )?(?:finished|passed|succeeded|completed|landed|gone|merged|deployed|released|shipped|fixed|solved|resolved)\b|\b(?:finished|succeeded|completed|passed|pass|passes|work|works)(?: (?:now|fine|again|today|yesterday|successfully|without .*|in \d.*|on .*|for .*))?$|\b(?:no longer|without (?:any )?(?:errors?|problems?|issues?|failures?)|as expected|successfully|went (?:well|fine|live|through|out)|all good)\b/i;
/** Where something stands is a fact. */
const FACT =
  /\b(?:lives?|sits?|stands?|resides?|(?:is|are|was|were) (?:configured|defined|stored|located|found|documented|kept|declared|implemented|described|called|named|written)) (?:in|at|under|here|there|by|with|on)\b/i;
const PASSIVE =
  /\b(?:was|were|has been|have been|had been)(?: (?:already|just|now|finally|all|also))* ([a-z]+)\b/i;

/** A report of what was done or how well it goes, or a fact. */
function isDone(text: string): boolean {
  if (HEALTHY.test(text) || FACT.test(text)) return true;
  const [first = '', second = '', third = ''] = wordsOf(text);
  const told = /^(?:i|we|they|he|she|i've|we've|they've)$/.test(first) ? [second, third] : [first];
  if (told.some(isPast)) return true;
  const passive = PASSIVE.exec(text)?.[1];
  return passive !== undefined && isPast(passive);
}

function isPast(word: string): boolean {
  return (
    (verbOfPast(word) !== null && !isWork(word)) ||
    /^(?:[a-z]{2,}[^e]ed|did|had|was|were|went|got|took|gave|found|kept|met|told|sold|paid|bought|chose|began|spoke|thought|saw|came|won)$/.test(
      word,
    )
  );
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

/** Words without a verb of a statement, not just a name: "rate limiting for the API at night". */
function isFragment(text: string): boolean {
  const words = wordsOf(text);
  const [first = ''] = words;
  return words.length > 2 && !OPENERS.has(first) && !DETERMINER.test(first) && !isStatement(text);
}

const DETERMINER = /^(?:a|an|the|our|my|your|their|we|people|somebody|someone)$/;

function lowered(place: string): string {
  const words = place.replace(/,\s*$/, '');
  return `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}
