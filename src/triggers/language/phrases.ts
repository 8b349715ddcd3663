/**
 * The phrases a request is wrapped in: politeness, wishes, and the nouns of reminders and tasks. Each
 * pattern is sticky and bounded, so that reading stays linear.
 */

const END = '(?= |$)';
const YOU = '(?:you|u|ya)';
const A = '(?:a|an|the|my|another|one|some|any|me a|me an|us a|us an)';
const ADVERBS =
  'please|kindly|just|maybe|perhaps|possibly|simply|also|automatically|quickly|always|then|now|again|instead|only';

function sticky(source: string): RegExp {
  return new RegExp(`(?:${source})${END} ?`, 'y');
}

const NOISE = sticky(
  `(?:[^\\p{L}\\p{N}\\s"] ?)+|${ADVERBS}|hey|hi|hello|yo|hiya|okay|ok|alright|right|so|well|um|uh|hmm|oh|and|but|btw|great|thanks|thank you|cool|actually|anyway|` +
    'anyways|yes|yeah|yep|sure|good (?:morning|evening|afternoon)|if possible|if you can|if you could|if you do not mind|' +
    "if you don't mind|when(?:ever)? you (?:can|get a chance|have time)|by the way|from now on|going forward|one more thing|" +
    'wait(?= ,)|quick (?:question|one|favor|favour|request)|(?:new )?(?:recurring |scheduled )?(?:task|job|trigger|request|cron|crontab|cronjob|cron job|schedule) :',
).source;
export const NOISE_START = new RegExp(NOISE, 'uy');

/** Openings of clauses in which nothing is ever asked. */
const REFUSED = sticky(
  "if|when|whenever|unless|once|after|before|while|because|since|although|though|as|every time|each time|in case|why|what|what's|" +
    "how|who|which|where|where's|whose|whom|does|did|is|are|was|were|am|has|have|had|don't|dont|do not|never|no|not|nobody|let's|lets|" +
    "i|i'm|i've|i'll|you|he|she|it|we|they|it's|there|there's|this|that|these|those|my|our|his|her|their|the|for example|e g|imagine|" +
    '(?:stop|quit|cease|avoid|no more|resume) \\p{L}+ing',
).source;
export const REFUSED_START = new RegExp(REFUSED, 'uy');

export interface Opening {
  pattern: RegExp;
  /** The verb behind it is a gerund: "would you mind sending". */
  gerund?: boolean;
}

const WISH =
  "(?:i|we) (?:really |just |also )?(?:want|need|require|wish|prefer)|(?:i'd|we'd|id|i would|we would) (?:really |also |just )?(?:like|love|want|prefer|need|appreciate)";
/** "start sending", "keep reminding". */
export const STARTING = sticky('start|begin|keep|keep on');

export const OPENINGS: readonly Opening[] = [
  {
    pattern: sticky(
      `(?:can|could|would|will) ${YOU}(?: (?:guys))?(?: (?:be able to|help me(?: to)?))?`,
    ),
  },
  { pattern: sticky(`(?:(?:would|do) ${YOU} )?mind`), gerund: true },
  {
    pattern: sticky(
      `(?:would ${YOU} be|are ${YOU}) (?:able|so kind as|willing|kind enough|available) to`,
    ),
  },
  {
    pattern: sticky(
      `(?:is|would) it (?:be )?(?:possible|ok|okay|alright|too much to ask) (?:for ${YOU} to|to have ${YOU}|to|if ${YOU}(?: could| can)?)`,
    ),
  },
  {
    pattern: sticky(
      `(?:is there )?any (?:chance|way|possibility) (?:that )?${YOU} (?:can|could|would|might)(?: be able to)?`,
    ),
  },
  { pattern: sticky(`is there (?:a|any) way (?:for ${YOU} )?to`) },
  { pattern: sticky(`do ${YOU} think (?:that )?${YOU} (?:can|could|would|might)(?: be able to)?`) },
  {
    pattern: sticky(
      `(?:(?:i was|i am|i'm|was|just) wondering|i wonder|wondering) (?:if|whether) ${YOU} (?:can|could|would|might)`,
    ),
  },
  { pattern: sticky(`(?:i was|i am|i'm|was) hoping (?:that )?${YOU} (?:can|could|would|might)`) },
  {
    pattern: sticky(
      `(?:it would|it'd|it'll|that would|would) be (?:so |really |very )?(?:great|nice|good|helpful|lovely|awesome|cool|useful|wonderful|ideal|perfect|amazing|fantastic|handy) if ${YOU} (?:can|could|would|will)`,
    ),
  },
  {
    pattern: sticky(
      `(?:i would|i'd|we'd|we would|would) (?:really )?(?:appreciate|love|like|be (?:so )?(?:grateful|thankful|happy|glad|delighted))(?: it)? if ${YOU} (?:can|could|would|will|'d)`,
    ),
  },
  { pattern: sticky(`(?:${WISH})(?: for)? ${YOU} to`) },
  {
    pattern: sticky(
      `(?:i'll need|i will need|i am going to need|i'm going to need|i'm gonna need) ${YOU} to`,
    ),
  },
  { pattern: sticky('your (?:task|job|assignment|mission|goal) (?:is|will be) to') },
  {
    pattern: sticky(
      '(?:please )?do me a (?:favor|favour|solid)(?: and)?|be (?:so kind (?:as )?to|so kind and|kind enough to|a dear and|an angel and)',
    ),
  },
  {
    pattern: sticky(
      "go ahead and|feel free to|remember to|be sure (?:to|and)|(?:make sure|ensure|see to it)(?: that)? (?:you|to)|(?:don't|do not|dont|never) forget to|i (?:need|want) to ask you to",
    ),
  },
  { pattern: sticky('how about(?: you)?|what about'), gerund: true },
  { pattern: sticky("how about you|let's have you|lets have you") },
  {
    pattern: sticky(
      'schedule yourself to|schedule(?: it| this)? (?:to|so that you|so you)|schedule :|cron to|program yourself to|set yourself to|arrange to',
    ),
  },
  { pattern: sticky('schedule|set up|arrange|plan on|consider'), gerund: true },
];

export const REMIND_PARTICIPLES: Readonly<Record<string, string>> = {
  reminded: 'remind me',
  notified: 'notify me',
  pinged: 'ping me',
  alerted: 'alert me',
  told: 'tell me',
  woken: 'wake me up',
  nudged: 'nudge me',
  warned: 'warn me',
  messaged: 'message me',
  texted: 'text me',
  updated: 'update me',
  informed: 'inform me',
  emailed: 'email me',
  called: 'call me',
  prompted: 'prompt me',
  asked: 'ask me',
  awakened: 'wake me',
  awoken: 'wake me up',
};
export const PASSIVE = sticky(
  `(?:(?:${WISH}) to|can i|could i|may i|might i|can we|could we|i should|i must) (?:be|get)(?: gently| automatically)? (${Object.keys(REMIND_PARTICIPLES).join('|')})(?: up)?`,
);
/** Ways of saying "remind me" without the word. */
export const REMIND_IDIOMS: readonly [RegExp, string][] = [
  [
    sticky("(?:don't|do not|dont|never) let (?:me|us) forget(?= (?:to|about|that|my|the|it))"),
    'remind me',
  ],
  [
    sticky(
      "(?:make sure|ensure)(?: that)? i (?:don't|do not|dont|never) forget(?= (?:to|about|that|my|the|it))",
    ),
    'remind me',
  ],
  [sticky('help me (?:to )?remember(?= (?:to|about|that|my|the|it))'), 'remind me'],
  [sticky('help me not (?:to )?forget(?= (?:to|about|that|my|the|it))'), 'remind me'],
];
/** Idioms that are kept as they are. */
export const KEPT_IDIOMS = sticky(
  'let (?:me|us) know|give (?:me|us) (?:a|an) (?:quick |gentle |little |short |friendly )?(?:shout|heads up|heads - up|nudge|ping|ring|buzz|call|reminder|poke|holler|wake up call|wake - up call|wakeup call)|drop (?:me|us) (?:a (?:line|note|message|reminder)|an email)|hit me up|' +
    'keep (?:me|us) (?:posted|updated|informed|in the loop|up to date)|shoot me (?:a|an) (?:message|email|text|reminder|note)|get back to me|get me up|catch me up|check in with (?:me|us)|check in on (?:me|us)|check up on (?:me|us)|follow up with (?:me|us)|make sure(?: that)? (?:i|we)|get me out of bed',
);

export const WORK_IDIOMS = sticky(
  '(?:have|take) a (?:quick )?(?:look|peek|glance) at|keep (?:an eye|tabs|track) (?:on|of)|do a (?:quick )?(?:check|scan|review|sweep|pass) (?:of|on|over)',
);

const NOUN =
  '(reminder|reminders|alarm|timer|countdown|task|job|trigger|automation|routine|workflow|cron job|cron task|cronjob|notification|alert|nudge|ping|prompt|wake up call|wake - up call|wakeup call|heads up|heads - up|monitor|check|run)';
const MODIFIER =
  "(?!(?:to|in|on|for|of|about|from|with|that|and|at|is|was|so|every|each|will|who|which)(?: |$))[\\p{L}\\p{N}'-]+ ";
const SETUP_VERB =
  '(?:set|create|make|add|start|put|configure|register|establish|schedule|setup|arrange|program|new|give|send|get|leave|open)(?: up| in)?(?: me| us)?';
export const SETUP = new RegExp(
  `${SETUP_VERB} (?:${A} )?((?:${MODIFIER}){0,3}?)${NOUN}${END} ?`,
  'uy',
);
export const WISHED = new RegExp(
  `(?:(?:${WISH})(?: to (?:get|have|receive|see|set|set up|schedule|create|add|make))?|(?:can|could|may|might) (?:i|we) (?:please )?(?:get|have|receive|set|set up|schedule)|i'll need|need|want|would like|would love|i'm looking for|looking for) ` +
    `(?:${A} )?((?:${MODIFIER}){0,3}?)${NOUN}${END} ?`,
  'uy',
);
export const ELLIPTIC = new RegExp(
  `(?:${A} )?((?:quick|daily|weekly|monthly|hourly|gentle|friendly|recurring|little|small|short|\\d+|minute|second|hour|min|sec|-)? ?(?:minute |second |hour |min |sec )?)(reminder|alarm|timer|countdown|wake up call|wake - up call|wakeup call)${END} ?`,
  'uy',
);
const REPORT =
  '(?:summary|report|digest|updates?|briefing|recap|overview|list|forecast|joke|quote|poem|haiku|message|email|notification|rundown|roundup|brief|breakdown|snapshot|headlines|news|weather|fact|quiz|note|tweet|post|status|summaries|reports|messages|stats|statistics)';
export const WISHED_REPORT = new RegExp(
  `(?:(?:${WISH})(?: to (?:get|have|receive|see))?|(?:can|could|may|might) (?:i|we) (?:please )?(?:get|have|receive)|i'll need|need|would like|would love) ((?:${A} )?(?:${MODIFIER}){0,3}?${REPORT})${END}`,
  'uy',
);
/** "daily digest of my inbox, please" */
export const WANTED_REPORT = new RegExp(`(?:${A} )?(?:${MODIFIER}){0,3}?${REPORT}${END}`, 'uy');
export const SCHEDULE_REPORT = new RegExp(
  `(?:schedule|set up|arrange) (?=(?:${A} )?(?:${MODIFIER}){0,3}?${REPORT}${END})`,
  'uy',
);
/** "schedule a daily backup": work that is run, not sent. */
export const SCHEDULE_WORK = new RegExp(
  `(?:schedule|set up|arrange) (?=(?:${A} )(?:${MODIFIER}){0,3}?(?:backup|cleanup|sync|scan|check|audit|restart|reboot|refresh|export|import|build|deployment)${END})`,
  'uy',
);
