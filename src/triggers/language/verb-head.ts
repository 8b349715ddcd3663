/** Requests that begin with their verb: does the word order, or is it a noun that looks like a verb? */
import type { Head, HeadKind, Word } from './head.js';
import {
  DELIVER,
  DO,
  isBareObject,
  isStatementVerb,
  NOUN_LIKE,
  REMIND,
  REMIND_NEEDS_OBJECT,
} from './verbs.js';

/** Words an object begins with. */
export const OBJECTS =
  /^(?:me|us|him|her|them|it|everyone|everybody|everything|the|my|our|your|all|each|people|someone|a|an|this|that|these|those|any|new|myself|both|his|their|to|@|")$/;
/** "call me", where "call mom" is what a person does. */
export function callsMe(words: readonly Word[], start: number): boolean {
  return (
    /^(?:call|ring|phone)$/.test(words[start]?.low ?? '') &&
    /^(?:me|us)$/.test(words[start + 1]?.low ?? '')
  );
}

/** The head that the verb at `start` makes. */
export function verbHead(
  words: readonly Word[],
  start: number,
  verb: string,
  asked: boolean,
): Head {
  const next = words[start + 1]?.low ?? '';
  const speaks =
    REMIND.has(verb) ||
    callsMe(words, start) ||
    (REMIND_NEEDS_OBJECT.has(verb) && /^(?:me|us)$/.test(next));
  const kind: HeadKind = speaks
    ? 'remind'
    : DELIVER.has(verb) && !(verb === 'read' && !/^(?:me|us)$/.test(next))
      ? 'deliver'
      : DO.has(verb)
        ? 'do'
        : 'unclear';
  let content = start + 1;
  if (/^(?:me|us|him|them|everyone|everybody)$/.test(next)) content += 1;
  if (verb === 'wake' && words[content]?.low === 'up') content += 1;
  // "wake up every morning at 5": nobody is to be woken.
  if (verb === 'wake' && next === 'up' && !OBJECTS.test(words[start + 2]?.low ?? ''))
    return { kind: 'human', verb, keep: start, prefix: '', content, asked };
  return {
    kind: kind !== 'remind' && !asked && isCompound(words, start) ? 'unclear' : kind,
    verb,
    keep: start,
    prefix: '',
    content,
    asked,
  };
}

/** "watch party", "review session": a noun-like verb and a plain noun right behind it. */
function isCompound(words: readonly Word[], start: number): boolean {
  const verb = words[start];
  const next = words[start + 1];
  if (!verb || !next || !NOUN_LIKE.has(verb.low)) return false;
  if (
    !/^\p{Ll}+$/u.test(next.text) ||
    OBJECTS.test(next.low) ||
    PREPOSITION.test(next.low) ||
    PARTICLES[verb.low]?.test(next.low)
  )
    return false;
  const determined =
    /^(?:if|whether|that|how|what|why|who|when|where|and|or|out|up|off|down|on|over|again|everyone|us|both|some|no|more|for|two|three|one)$/.test(
      next.low,
    );
  const rest = words
    .slice(start + 1, start + 5)
    .filter((word, offset) => word.index === next.index + offset);
  return !determined && !rest.some((word) => isBareObject(word.low));
}

const PARTICLES: Readonly<Record<string, RegExp>> = {
  check: /^(?:in|on|up|for|out|with)$/,
  look: /^(?:at|for|into|up|over|through)$/,
  back: /^up$/,
  follow: /^up$/,
  turn: /^(?:on|off|down|up)$/,
  switch: /^(?:on|off|to)$/,
  shut: /^(?:down|off)$/,
  power: /^(?:on|off|down|up)$/,
  report: /^(?:on|back|to|about)$/,
  search: /^(?:for|through)$/,
  scan: /^(?:for|through)$/,
  monitor: /^for$/,
  poll: /^for$/,
  test: /^(?:for|if|whether)$/,
  query: /^for$/,
  listen: /^(?:for|to)$/,
  watch: /^(?:for)$/,
  clean: /^(?:up|out)$/,
  reflect: /^on$/,
  reply: /^to$/,
  respond: /^to$/,
  write: /^(?:to|about|down)$/,
  read: /^(?:through|out|from|up)$/,
  ask: /^(?:about|for)$/,
  post: /^(?:to|in|on|about)$/,
  send: /^(?:out|in|to)$/,
  say: /^(?:to)$/,
  kick: /^off$/,
  start: /^(?:up|with)$/,
  log: /^(?:in|out|into)$/,
  boot: /^up$/,
  roll: /^(?:out|over|up|back)$/,
  keep: /^(?:an|track|watch|on)$/,
  pick: /^(?:out|a|one|up)$/,
  brief: /^on$/,
  update: /^(?:on|from)$/,
  sync: /^(?:with|to|from|up)$/,
  pull: /^(?:in|from|up|down)$/,
  push: /^(?:to|out)$/,
  catch: /^up$/,
  tidy: /^up$/,
  sum: /^up$/,
  fetch: /^from$/,
  draw: /^up$/,
  come: /^up$/,
  ping: /^(?:at|in|on)$/,
  remind: /^(?:of|about)$/,
  wake: /^(?:up|at)$/,
  set: /^(?:up|off)$/,
  get: /^(?:me|the|us|a|my)$/,
  put: /^(?:on|out|up|together)$/,
  take: /^(?:a|stock|care|out|notes|down)$/,
};
const PREPOSITION =
  /^(?:out|with|from|to|of|in|on|at|by|into|for|than|as|about|over|via|per|but|or|,|;)$/;

/** What stands behind the verb must be able to follow a verb: "check the logs", not "check came". */
export function fitsVerb(words: readonly Word[], start: number, asked: boolean): boolean {
  const verb = words[start]?.low ?? '';
  const next = words[start + 1];
  const gap = next !== undefined && next.index > (words[start]?.index ?? 0) + 1;
  if (REMIND_NEEDS_OBJECT.has(verb)) {
    if (!next) return asked;
    return (
      OBJECTS.test(next.low) ||
      (/^\p{Lu}/u.test(next.text) && !isStatementVerb(next.low)) ||
      asked ||
      (gap && next.low !== 'is')
    );
  }
  if (!next) return true;
  // "post-it notes", "check-in": one word.
  if (next.low === '-' && next.index === (words[start]?.index ?? 0) + 1) return false;
  if (isStatementVerb(next.low)) return false;
  if (verb === 'say' && /^(?:no|yes|what|that|goodbye|it)$/.test(next.low)) return false;
  if (
    /^(?:is|are|was|were|will|would|has|had|have|does|did|can|could|should|must|might|may|isn't|wasn't|won't|doesn't)$/.test(
      next.low,
    )
  )
    return false;
  if (verb === 'do' && /^(?:me|us)$/.test(next.low)) return false;
  // "give blood", "give way": to nobody.
  if (verb === 'give' && !asked && !gap && !OBJECTS.test(next.low) && /^\p{Ll}/u.test(next.text))
    return false;
  if (verb === 'ask' && words[start + 2]?.low === 'anything') return false;
  if (verb === 'follow' && next.low === 'us') return false;
  if (verb === 'make' && next.low === 'sure' && /^(?:you|to)$/.test(words[start + 2]?.low ?? ''))
    return false;
  if (verb === 'take')
    return (
      /^(?:a|the|stock|care|notes|down)$/.test(next.low) &&
      !/^(?:pills?|meds?|medicine|shower|bath|walk|break|nap|rest|tablet|vitamins?|bus|train|dog|trash|bins?|kids?)$/.test(
        words[start + 2]?.low ?? '',
      )
    );
  if (
    verb === 'make' ||
    verb === 'get' ||
    verb === 'do' ||
    verb === 'keep' ||
    verb === 'put' ||
    verb === 'start' ||
    verb === 'stop'
  ) {
    return (
      (/^(?:me|us|a|an|the|my|our|all|sure|some|new|this|that|these|it|any|an|on|out|up|backups?|posting|sending|track|together)$/.test(
        next.low,
      ) ||
        asked) &&
      !/^(?:until|it)$/.test(next.low)
    );
  }
  if (verb === 'wish' && /^(?:me|us)$/.test(next.low))
    return /^(?:a|an|happy|good|merry)$/.test(words[start + 2]?.low ?? '');
  if (PREPOSITION.test(next.low))
    return (
      (PARTICLES[verb]?.test(next.low) ?? false) ||
      (gap && !NOUN_LIKE.has(verb) && next.low !== 'of')
    );
  return true;
}
