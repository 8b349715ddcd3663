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

export function undressed(sentence: string): string {
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
export function isPolite(sentence: string): boolean {
  return /\b(?:please|pls|plz|asap)\W*$|^\W*(?:please|pls|plz)\b/i.test(sentence.slice(0, 400));
}
