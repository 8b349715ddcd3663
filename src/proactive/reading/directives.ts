/** What a sentence asks for or announces, by its grammar: frames ("can you …"), then a verb of work. */
import {
  CHANGES,
  CLAUSE_VERBS,
  DETERMINERS,
  EMPTY,
  FINITES,
  INVESTIGATES,
  isWork,
  LOOKS,
  OPENERS,
  PARTICIPLES,
  SAYINGS,
  SEARCHES,
  SUBORDINATORS,
  verbOfGerund,
  verbOfPast,
} from './words.js';

/**
 * `change`: something is another afterwards; `investigate`: something is found out; `bare`: "fix it",
 * where something else says what; `look`:
 * something is to be shown or said.
 */
export interface Directive {
  kind: 'change' | 'investigate' | 'bare' | 'look';
  /** From the verb on: "add caching to auth.ts". */
  text: string;
  /** Asked whether, not asked for: "should we …", "move it to Redis?". */
  open: boolean;
  /** Asked how: "how do I …". */
  how: boolean;
  /** "I'll …", "let me …": of the speaker. */
  own: boolean;
}

const POLITE =
  /^(?:(?:please|pls|plz|kindly|just|also|maybe|perhaps|quickly|now|then|next|first|simply|finally|still|really|possibly|probably|definitely|actually|instead|at least|again)[, ]+)+/i;
/**
 * Each puts a verb in its base form behind it. `ours`: proposed to be done together, so that showing
 * and telling are deeds ("we should show the roadmap to customers").
 */
const FRAMES: readonly {
  form: RegExp;
  open?: true;
  own?: true;
  how?: true;
  gerund?: true;
  ours?: true;
}[] = [
  { form: /^(?:can|could|would|will|might) you (?=[a-z])(?!mind\b)/i },
  {
    form: /^(?:i'd|i would) (?:appreciate|love|like|be grateful|be happy) (?:it )?if you (?:can|could|would) /i,
  },
  { form: /^(?:is|would|will) it (?:be )?possible (?:for you )?to /i },
  { form: /^(?:i|we)(?:'d like| would like| want| need| expect| wanted) you to /i },
  {
    form: /^you (?:can|could|should|must|need to|have to|might want to|ought to|may|will need to) /i,
  },
  { form: /^(?:would|do) you mind /i, gerund: true },
  { form: /^(?:how|what) about /i, open: true, ours: true, gerund: true },
  {
    form: /^(?:what if|how about|what about) (?:we|you|i) (?:just |simply |only )?/i,
    open: true,
    ours: true,
  },
  { form: /^why (?:don't|not) (?:(?:we|you|i) )?(?:just |simply )?/i, open: true, ours: true },
  {
    form: /^(?:don't forget|remember|be sure|feel free|go ahead|proceed|continue|start|begin|try|help me|help us|go|(?:it's|it is) time|time|your (?:task|job|goal) is|(?:the|my|our|today's|your) (?:(?:current|next|main|first|new) )?(?:task|goal|plan|job|idea|aim|objective|step|todo)(?: (?:now|here|today|for today))? is|what (?:i|we) (?:want|need) is) (?:to|and) /i,
  },
  {
    form: /^(?:(?:next (?:up )?)?(?:on|in) (?:my|our|the) (?:list|plan|agenda|board) is|next (?:up )?is|(?:the|my|our|today's|your) (?:[a-z]+ )?(?:task|goal|plan|job|idea|aim|objective|step|todo|proposal|suggestion)(?: (?:now|here|today|for today))? is|what (?:i|we|you) (?:want|need|plan|propose|suggest)(?: next)? is) /i,
    gerund: true,
  },
  { form: /^(?:can|could|would|will) (?:someone|somebody|anyone|anybody) /i },
  { form: /^(?:someone|somebody|the team) (?:should|must|needs to|has to) /i },
  { form: /^(?:going|about|planning|trying|hoping|need|want|have|got) to /i, own: true },
  {
    form: /^(?:(?:i'm|i am|we're|we are) )?(?:thinking (?:about|of)|considering) /i,
    own: true,
    gerund: true,
  },
  { form: /^(?:help me|help us) (?=[a-z]+ )(?!with\b|out\b)/i },
  {
    form: /^(?:start|begin|continue|keep|try|consider|resume|finish|proceed with|continue with|(?:(?:i|we)(?:'d like| would like| need| want| could use) )?(?:some )?help(?: me| us)?(?: with)?) (?:by |on )?/i,
    gerund: true,
  },
  {
    form: /^(?:i|we)(?:'ll| will| shall|'m going to| am going to|'re going to| are going to|'m about to| am about to|'re about to| are about to|'m gonna|'re gonna| gonna) (?:have to |need to |go ahead and |start to |try to |try and )?/i,
    own: true,
  },
  {
    form: /^(?:let's|lets|let us)(?: (?:try to|go ahead and|start to|just|simply))? /i,
    own: true,
    ours: true,
  },
  { form: /^let me(?: (?:try to|go ahead and|start to))? /i, own: true },
  {
    form: /^(?:i|we)(?:'d like| would like| want| wish| need| plan| intend| have| ought|'m trying| am trying|'re trying| are trying|'m planning| am planning|'re planning| are planning| wanted| needed| decided| hope| was asked| were asked| got| 've got|'m supposed| am supposed|'ve decided| have decided| really (?:want|need)| (?:also|still|now|just) (?:want|need|have)|'m thinking of| am thinking of) to /i,
    own: true,
  },
  {
    form: /^we (?:should|must|could|might|can|may|would|better|'d better|gotta) (?:just |simply |probably |maybe |perhaps |also )*/i,
    own: true,
    ours: true,
  },
  {
    form: /^(?:i|we)(?: should| must| could| might| can| would|'d| better|'d better| gotta) (?:(?:rather|just|simply|probably|maybe|perhaps|also) )*/i,
    own: true,
  },
  {
    form: /^(?:i'm|i am|we're|we are)(?: (?:currently|now|busy|about|still|just))? /i,
    own: true,
    gerund: true,
  },
  {
    form: /^it(?: would|'d)(?: really| also)? (?:be (?:great|nice|good|cool|awesome|helpful|useful|best|better|worth it|an option)|help|make sense) (?:if (?:you|we)(?: (?:can|could|would))?|to) /i,
  },
  {
    form: /^(?:would|does|could|might|will|is) it (?:be |also be )?(?:possible|ok|okay|fine|good|better|best|great|nice|useful|worth|worthwhile|an option|helpful|help|make sense|wise|safe|smart)(?: for (?:us|you|me))?(?: to| if (?:we|you|i)(?: can| could| would)?) /i,
    open: true,
    ours: true,
  },
  {
    form: /^(?:how (?:do|can|could|should|would|might) (?:i|we|you|one)|how to|what(?:'s| is| would be) the (?:best |right |easiest |proper |recommended |fastest |cleanest )?way to|(?:is|are) there (?:a|any) (?:[a-z]+ )?ways? (?:for (?:us|me) )?to|any (?:way|idea how) to|do you know how to|(?:does|do|has) (?:anyone|anybody|somebody|someone) know how to|what would it take to) /i,
    how: true,
  },
  {
    form: /^(?:(?:should|shall|can|could|may|might|must|would) (?:we|i)|do (?:we|i) (?:want|need|have) to)(?: (?:just|simply|maybe|perhaps|also|want to|need to|have to|try to))* /i,
    open: true,
    ours: true,
  },
];

/** Orders to show or say something; other verbs of that kind also begin statements. */
const SHOWS =
  /^(?:show|read|view|look|list|print|display|explain|describe|tell|give|summari[sz]e|check|open|find|search|recall|watch) (?!is\b|are\b|fails?\b)/i;
const PHRASES: readonly [RegExp, Directive['kind']][] = [
  [/^(?:look|dig|drill)(?:ing)? (?:deeper )?into /i, 'investigate'],
  [
    /^find (?:out |the (?:root )?cause|the (?:reason|source|bug|leak|culprit)|why |where .* (?:from|fails))/i,
    'investigate',
  ],
  [
    /^(?:figure out|track down|check|see|understand|work out) (?:why|what(?:'s| is) (?:wrong|causing)|how come)/i,
    'investigate',
  ],
  [/^(?:track down|figure out|narrow down|root[- ]cause) /i, 'investigate'],
  [/^(?:get|take) (?:rid of|out|down) /i, 'change'],
  [
    /^(?:get|keep|have) .{1,80} (?:working|running|to (?:work|run|pass|build|compile)|green|passing|in sync|up to date)/i,
    'change',
  ],
  [/^open (?:a|an) /i, 'change'],
  [/^bring (?:back|down|up) /i, 'change'],
  [/^take care of /i, 'change'],
  [/^(?:do|perform|carry out|conduct) (?:a|an|the|another) /i, 'change'],
  [/^help(?: me| us)? with /i, 'investigate'],
  [/^(?:(?:start|begin|continue|resume) )?work(?:ing)? on /i, 'investigate'],
  [/^(?:start|begin|continue|resume) (?:on|with) /i, 'investigate'],
];

/** Of a sentence without greeting. `null`: it asks for nothing. */
export function directiveIn(sentence: string, question: boolean): Directive | null {
  let text = sentence;
  let framed = false;
  let own = false;
  let open = false;
  let how = false;
  let ours = false;
  let gerund = false;
  for (let round = 0; round < 5; round += 1) {
    text = text.replace(POLITE, '');
    const frame = FRAMES.find(({ form, ...each }) => {
      const match = form.exec(text);
      if (!match) return false;
      return !each.gerund || gerundAt(text.slice(match[0].length)) !== null;
    });
    if (!frame) break;
    framed = true;
    open ||= frame.open === true;
    own ||= frame.own === true;
    how ||= frame.how === true;
    ours ||= frame.ours === true;
    text = text.replace(frame.form, '').replace(POLITE, '');
    if (frame.gerund) {
      gerund = true;
      break;
    }
  }
  // "What if we cached the prices?"
  const [first = ''] = text.split(' ', 1);
  const base = ours ? verbOfPast(first.toLowerCase()) : null;
  if (base !== null && !isWork(first.toLowerCase())) text = `${base}${text.slice(first.length)}`;
  if (!framed && gerundAt(text) !== null && !isStatement(text)) {
    gerund = true;
    own = true;
  }
  if (gerund) {
    const found = gerundAt(text);
    if (found === null) return null;
    text = `${found.verb}${text.slice(found.length)}`;
  }
  // "Fix X?" asks whether that was meant.
  if (question && !framed && !gerund) open = true;
  const order = framed || isOrder(text);
  const kind = kindOf(text, order, ours);
  if (kind === null && (order || SHOWS.test(text)) && LOOKS.has(wordsOf(text)[0] ?? '')) {
    return { kind: 'look', text, open, how, own };
  }
  if (kind === null || (!framed && !gerund && isStatement(text))) return null;
  // "Let me check the logs": whoever only looks something up begins no task.
  if (own && !ours && SEARCHES.has(wordsOf(text)[0] ?? '')) {
    return { kind: 'look', text, open, how, own };
  }
  return { kind, text, open, how, own };
}

/** "Shard src/x.ts by tenant", "onboard her": a word that nobody listed, with an object behind it. */
function isOrder(text: string): boolean {
  const [first = '', second = ''] = wordsOf(text);
  if (!/^[a-z][a-z-]+$/.test(first) || OPENERS.has(first) || EMPTY.has(first)) return false;
  if (FINITES.has(first) || DETERMINERS.has(first) || SUBORDINATORS.has(first)) return false;
  if (/(?:ed|ly|ing|ness|tion)$/.test(first)) return false;
  // What the file does is told, not ordered: "config.ts has …" begins with the file.
  return OBJECTS.has(second) || /[./]\w/.test(second);
}

const OBJECTS: ReadonlySet<string> = new Set([...DETERMINERS, 'him', 'one']);

function gerundAt(text: string): { verb: string; length: number } | null {
  const word = /^(?:[a-z]{2,5}-)?[a-z]+ing\b/i.exec(text)?.[0];
  if (word === undefined) return null;
  const lower = word.toLowerCase();
  if (lower === 'working' && /^working on /i.test(text))
    return { verb: 'work', length: word.length };
  const verb = verbOfGerund(lower);
  return verb === null ? null : { verb, length: word.length };
}

/**
 * @param anyVerb it is an order or an announcement, so that a verb nobody has listed is still one
 * @param ours proposed to be done together: showing and telling are deeds
 */
function kindOf(text: string, anyVerb: boolean, ours: boolean): Directive['kind'] | null {
  const phrase = PHRASES.find(([form]) => form.test(text));
  if (phrase) return saysWhat(text) ? phrase[1] : 'bare';
  const [first = '', second = ''] = text.toLowerCase().split(/[\s,:]+/, 2);
  const told = second === 'me' || second === 'us';
  const verb = first.replace(/^(?:re|un|de|pre|auto)-/, '');
  const looks = LOOKS.has(verb) && !(ours && SAYINGS.has(verb));
  const works = isWork(verb) && !(told && looks);
  if (!works && (looks || !anyVerb || !/^[a-z][a-z-]+$/.test(verb) || EMPTY.has(verb))) return null;
  if (verb === 'open' && /[./]\w/.test(second)) return null;
  if (second === 'of' || (first === 'update' && /^(?:on|about)$/.test(second))) return null;
  if (!saysWhat(text)) return 'bare';
  const finds = SEARCHES.has(verb) || INVESTIGATES.has(verb);
  return finds && !CHANGES.has(verb) ? 'investigate' : 'change';
}

/** Whether something stands behind the verb that says what it is about. */
export function saysWhat(text: string): boolean {
  const [, ...rest] = wordsOf(text);
  return rest.some((word) => !EMPTY.has(word));
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_][\p{L}\p{N}_'./-]*/gu) ?? [];
}

/** "Build failed on CI", "Test results are fine": the verb in front is a noun. */
export function isStatement(text: string): boolean {
  const [clause = ''] = text.split(/[,;:] | [-–—] /, 1);
  const [first = '', second = '', ...rest] = wordsOf(clause);
  if (CLAUSE_VERBS.has(first) || DETERMINERS.has(second) || SUBORDINATORS.has(second)) return false;
  const words = [second, ...rest];
  for (const [index, word] of words.entries()) {
    if (SUBORDINATORS.has(word)) return false;
    if (FINITES.has(word)) return true;
    const next = words[index + 1];
    if (PARTICIPLES.has(word) && index < 2) {
      if (
        next === undefined ||
        /^(?:on|in|at|with|for|after|again|because|since|due|to|by|from)$/.test(next)
      )
        return true;
    }
  }
  return false;
}
