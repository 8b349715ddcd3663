/**
 * A message as the sentences it is made of, each with what it is there for: chat messages wrap one
 * request in greetings, reasons and thanks, and only the request says what is about to be done. Pure.
 */
import { verbOf } from './vocabulary.js';

/**
 * `ask`: something is to be done. `state`: how things are ("the login times out"). `question`: only
 * something is to be known. `report`: something has been done.
 */
export type Mode = 'ask' | 'state' | 'question' | 'report';

export interface Clause {
  mode: Mode;
  /** Without what only wraps it. */
  text: string;
}

const MAX_CHARACTERS = 4_000;
const MOST_CLAUSES = 12;

/** Said before a request; it may be said several times over ("hey, could you please …"). */
const WRAPPING = new RegExp(
  `^(?:${[
    'hi|hey|hello|ok|okay|well|so|also|now|then|next|first|finally|lastly|great|cool|nice|perfect|awesome|thanks|thank you|sorry',
    'yes|yeah|yep|sure|alright|right|again|just|quickly|maybe|perhaps|actually|and|but|or|good (?:morning|afternoon|evening)',
    'team|everyone|all|folks|there|btw|by the way|fyi|done|and then|after that|secondly|meanwhile|today',
  ].join('|')})\\b[\\s,:!-]*`,
  'i',
);
const REQUEST = new RegExp(
  `^(?:${[
    "(?:can|could|would|will|won't) (?:you|we|i)(?: please| kindly| maybe| also| just| quickly)*(?: help (?:me|us)(?: to)?| try (?:to|and)| go ahead and)?",
    "(?:please|pls|plz|kindly)|let'?s|let us|let me|help me(?: to)?|help us(?: to)?",
    "(?:i|we|you)(?: really| still| also| now| just)*(?:'d| would)? (?:want|need|like|love|have|plan|intend|ought|wish)(?: you| us| me)? to",
    "(?:i|we)(?: really| still| also)*(?:'d| would)? (?:want|need|like)",
    "(?:i|we)(?:'m|'re| am| are) (?:now |currently |just )*(?:going|trying|about|planning|asked) to",
    "(?:i|we)(?:'m|'re| am| are) (?:now |currently |just )*(?=\\w+ing\\b)",
    "(?:i|we|you)(?:'ll|'d| will| would| should| must| could| might| can)(?: now| also| just| probably)*(?: try to| start by| begin by| go ahead and)?",
    "(?:should|shall|must) (?:we|i|you)|how (?:do|can|should|could|would) (?:i|we|you)|how about|what about|what if(?: we| i| you)?|why (?:not|don't (?:we|you))",
    '(?:is it|would it be) (?:possible|ok|okay|fine|good|better|great|nice|best)(?: for you)? (?:to|if (?:you|we|i))(?: could| can)?|would it make sense to|does it make sense to|would you mind|do you mind',
    '(?:my|the|our|your|next|current|new)? ?(?:plan|goal|task|intent|intention|idea|job|aim|todo|step|ticket|issue)(?: now| here)?(?: is)?(?: to\\b| ?[:-])',
    "it(?:'d| would) be (?:great|good|nice|helpful|cool)(?: if)?(?: you| we| i)?(?: could| can)?(?: to)?",
    '(?:time|going|about|planning|trying|need|needs|have|try|continue|start|starting|begin) (?:to|with|by)|make sure(?: that| to)?|be sure to|go ahead and|start(?= \\w+ing\\b)|continue(?= \\w+ing\\b)|try(?= \\w+ing\\b)',
  ].join('|')})(?:\\b|(?<=[:-]))[\\s,:-]*`,
  'i',
);
const QUESTION =
  /^(?:what|why|when|where|who|whom|whose|which|how|is|are|was|were|does|do|did|has|have|had|can|could|would|should|will|am|any idea|i wonder|wondering|do you know|tell me)\b/i;
const REPORT_SUBJECT =
  /^(?:(?:i|we|you|they|he|she|it|that|this|which|everything|all|[\w.-]+ (?:has|have|was|were|is|are)(?: been)?)(?:'ve|'s| have| has| had| was| were| is| are)?)\s+((?:(?:already|just|now|finally|also|recently|successfully|been|all|only|then) )*)([a-z]+)\b/i;
/** What says that something is done, or how good it is. */
const REPORT_WORDS = new RegExp(
  [
    "^(?:i|we|you|they|he|she|it|that|this)(?:'ve|'s|'d)? (?:[a-z]+ ){0,3}(?:already|worked|works now|tried)\\b",
    '\\b(?:went (?:well|fine)|works now)\\b',
    "^(?:i|we)(?:'ve| have)? (?:(?:already|just|now|finally|also) )?(?!need|notic|receiv|observ|experienc|want|plann|decid|ask|hop|fail|miss|discover|lik|propos)[a-z]{3,}ed\\b",
    '^(?!.*\\b(?:please|can|could|would|needs?)\\b).*\\b[a-z]+ed\\b.*\\bthanks?\\b',
    '\\b(?:is|are|was|were|has been|have been) (?:now |all |finally )?(?:done|fixed|working|green|live|merged|deployed|finished|complete|resolved)\\b',
    '\\b(?:looks?|works?|seems?|runs?) (?:\\w+ )?(?:great|good|fine|well|nice|perfect|perfectly|awesome|better|again now)\\b',
    '^(?:(?:very |really )?(?:nice|great|good|excellent|awesome|amazing|solid) (?:work|job|stuff|catch|progress)|well done|congrat\\w*|kudos|love)\\b',
  ].join('|'),
  'i',
);
/** The rules of the veto read "it cannot …" as what a repair is about, and so miss this. */
const DENIED_REPAIR = /^(?:don't|do not|never|not|no need to)\s+(?:fix|repair|solve|resolve)\b/i;
/** Said about the conversation, not about the work. */
const CHATTER =
  /^(?:let me know|tell me|keep me posted|ping me|talk (?:to you )?(?:later|soon)|see you|no (?:worries|problem|rush)|my bad|never ?mind|you're (?:welcome|right))\b/i;
/** Asks for a fact, to be shown something, or how far it is: an answer is wanted and no work. */
const FOR_A_FACT = new RegExp(
  [
    "^what(?!(?:'s| is| could be| might be) (?:causing|wrong|breaking))",
    '^how (?:many|much|long|often|old|big)\\b',
    '^(?:is|are|was|were|has|have)\\b.*\\b(?:done|ready|finished|merged|live|closed|already|yet|there|over)\\b',
    '^(?:explain|show|list|describe|summari[sz]e|tell|read|see|cat|grep|let me know|let us know)\\b',
  ].join('|'),
  'i',
);
const CONVENTIONAL =
  /^(feat|fix|docs|refactor|test|perf|chore|build|ci)(?:\(([\w ./-]+)\))?!?:\s+/i;
const CONVENTIONAL_VERB: Readonly<Record<string, string>> = {
  feat: '',
  fix: 'fix',
  docs: 'document',
  refactor: 'refactor',
  test: 'test',
  perf: 'optimize',
};

/** Of a question: whether only a fact is asked for. */
export function asksForFact({ mode, text }: Clause): boolean {
  return mode === 'question' && (FOR_A_FACT.test(text) || CHATTER.test(text));
}

/** The clauses of a text in their order, at most twelve. */
export function clausesOf(text: string): Clause[] {
  const plain = text
    .slice(0, MAX_CHARACTERS)
    .normalize('NFKC')
    .replace(/[’‘]/g, "'")
    .replace(/```[\s\S]*?(?:```|$)/g, '\n')
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, ' ');
  const clauses: Clause[] = [];
  for (const sentence of plain.split(
    /(?<=[.!?])\s+|\s+[:;]-?[()DPp/](?=\s|$)|[\n;]+|\s+[—–]\s+|\s-\s/,
  )) {
    for (const part of partsOf(sentence)) {
      const clause = readClause(part);
      if (clause.text !== '') clauses.push(clause);
      if (clauses.length >= MOST_CLAUSES) return clauses;
    }
  }
  return clauses;
}

/** "Update the docs and fix the login" is two tasks; "add and test it" is one. */
function partsOf(sentence: string): string[] {
  const asks = /\?\s*$/.test(sentence) ? '?' : '';
  const parts = sentence.split(
    /,?\s+(?:and|but|so|or)(?:\s+then|\s+also|\s+please)?\s+(?=(?:please |can |could |i |we |let's )?[a-z]+)|,\s+(?:then\s+)?/i,
  );
  const joined: string[] = [];
  let glue = '';
  let rest = sentence;
  for (const part of parts) {
    const at = rest.indexOf(part);
    glue = rest.slice(0, at);
    rest = rest.slice(at + part.length);
    if (joined.length > 0 && !beginsClause(part)) {
      joined[joined.length - 1] += `${glue}${part}`;
    } else joined.push(part);
  }
  return joined.map((part, at) => (at < joined.length - 1 ? `${part}${asks}` : part));
}

function beginsClause(part: string): boolean {
  const { text, requested } = unwrapped(part);
  if (requested || /^(?:i|we|you|it|that|this|they|there)\b/i.test(part.trim())) return true;
  const words = text.toLowerCase().match(/[a-z'-]+/g) ?? [];
  const verb = verbOf(words[0] ?? '');
  return (
    verb !== undefined && !verb.nounish && words.length > 1 && !/(?:ed|ing)$/.test(words[0] ?? '')
  );
}

function unwrapped(part: string): { text: string; requested: boolean } {
  let text = part.trim().replace(/^(?:[-*•>#]+|\d+[.)]|\[[ x]?\])\s+/i, '');
  let requested = false;
  for (let round = 0; round < 6; round++) {
    const asked = text.replace(REQUEST, '');
    const next = asked === text ? text.replace(WRAPPING, '') : asked;
    if (asked !== text) requested = true;
    if (next === text) break;
    text = next;
  }
  return { text, requested };
}

function readClause(part: string): Clause {
  const conventional = CONVENTIONAL.exec(part.trim());
  if (conventional) {
    const [whole, type = '', scope = ''] = conventional;
    const verb = CONVENTIONAL_VERB[type.toLowerCase()] ?? '';
    const rest = part.trim().slice(whole.length);
    return { mode: 'ask', text: `${verb} ${rest}${scope === '' ? '' : ` in ${scope}`}`.trim() };
  }
  const said = part.trim();
  if (CHATTER.test(said)) return { mode: 'question', text: said };
  if (REPORT_WORDS.test(said)) return { mode: 'report', text: said };
  const { text, requested } = unwrapped(part);
  return {
    mode: modeOf(text, requested, /\?\s*$/.test(part)),
    text: text.replace(/[.!?\s]+$/, ''),
  };
}

function modeOf(text: string, requested: boolean, asks: boolean): Mode {
  const [head = ''] = text.toLowerCase().match(/[a-z'-]+/) ?? [];
  const verb = verbOf(head);
  if (DENIED_REPAIR.test(text)) return 'report';
  if (verb?.kind === 'look') return 'question';
  if (requested) return 'ask';
  if (QUESTION.test(text)) return 'question';
  const said = REPORT_SUBJECT.exec(text);
  if (said && isPast(said[2] ?? '')) return 'report';
  // "Compile it with -O3 maybe?" suggests.
  if (asks) return verb ? 'ask' : 'state';
  if (verb && isPast(head)) return 'report';
  return verb ? 'ask' : 'state';
}

/** Of the verbs of work only: "users get logged out" tells how things are. */
function isPast(word: string): boolean {
  const lower = word.toLowerCase();
  if (!/(?:ed|built|wrote|written|made|ran|rewrote)$/.test(lower)) return false;
  const verb = verbOf(lower);
  return verb !== undefined && lower !== 'speed' && lower !== 'need';
}
