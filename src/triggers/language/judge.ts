/** The last look at a request with a time: a schedule, a question, or talk after all. */
import type { Cluster, Selection } from './clusters.js';
import { type Facts, isRecurring, type Piece } from './facts.js';
import type { Head, Word } from './head.js';
import type { Range } from './sentences.js';
import { DELIVER, isVerb, SEARCH } from './verbs.js';

/** What a sentence asks for. */
export interface Request {
  head: Head;
  words: Word[];
  range: Range;
  facts: Facts | null;
  used: Piece[];
  /** Asked for, but not to be settled: the question back. */
  question?: string;
  /** Nothing is said about what to do. */
  empty: boolean;
}

/** What is sent, posted or shown again and again. */
export const REPORTS =
  /^(?:summary|report|digest|updates?|briefing|recap|overview|forecast|joke|quote|poem|haiku|message|email|notification|rundown|roundup|brief|breakdown|reminder|reminders|summaries|reports|stats|news|newsletter|affirmation|fact|check|checks|backup|backups|post|standup|snapshot|headlines|reading|horoscope|alert|nudge|ping|weather|status|review|task|job|alarm|puzzle|question|tip|word|list|numbers|metrics|inbox|prompt)$/;

const STATE =
  /^(?:weather|forecast|calendar|agenda|inbox|unread|headlines|news|price|prices|temperature|traffic|stock|stocks|market)$/;

/**
 * "check if the site is up every 5 minutes", "tell me what the weather is every morning at 8": a state is
 * looked at again and again. Where the clause tells of something that happens, the time is the clause's.
 */
export function monitors(
  request: Request,
  clusters: readonly Cluster[],
): { facts: Facts; used: Piece[] } | null {
  const { head, words } = request;
  const last = clusters.at(-1);
  if (!last?.facts || last.place !== 'tail' || last.blocked || !isRecurring(last.facts))
    return null;
  const content = words.slice(head.content).map((word) => word.low);
  // Being asked happens at the time said, whatever is asked about.
  const askedAbout =
    head.verb === 'ask' &&
    clusters.filter((cluster) => cluster.embedded).length === 1 &&
    (last.facts.times !== undefined || last.facts.part !== undefined);
  if (askedAbout && !/^(?:when|where|why)$/.test(content[0] ?? ''))
    return { facts: last.facts, used: last.pieces };
  const conditional =
    (/^(?:check|see|verify|test|monitor|watch|tell|notify|alert|ensure|make|let|warn|ping|look)$/.test(
      head.verb,
    ) &&
      /^(?:if|whether|that|to|sure|me)$/.test(content[0] ?? '')) ||
    content.includes('whether');
  const happens = words.slice(head.content).some((word) => isHappening(word.low));
  const state =
    content.some((low) => /^(?:is|are|isn't|aren't|has|have|there's|it's)$/.test(low)) && !happens;
  const looked = content.some((low) => STATE.test(low)) && !happens;
  if (content[0] === 'how' || content[0] === 'why') return null;
  if (content.some((low) => /^(?:true|normal|legal|common|possible)$/.test(low))) return null;
  if (content.some((low, at) => PLURAL_ACT.test(low) && /[^s]s$/.test(content[at - 1] ?? '')))
    return null;
  const single = clusters.filter((cluster) => cluster.embedded).length === 1;
  if (!single || !(looked || (conditional && state))) return null;
  return { facts: last.facts, used: last.pieces };
}

/** "shops open", "trains leave": what several do, told with a time of its own. */
const PLURAL_ACT =
  /^(?:open|close|meet|leave|arrive|depart|begin|end|come|go|happen|run|start|restart|play|sleep|work)$/;

function isHappening(low: string): boolean {
  return /^(?:happens|runs|starts|opens|closes|begins|ends|arrives|leaves|departs|goes|comes|restarts|crashes|fires|fails|meets|works|wakes|happened|ran|was|were|did|went|came|held|scheduled|running|happening|starting|meeting|meet|do|does|happen|run|start|restart)$/.test(
    low,
  );
}

const OWN_THINGS =
  /^(?:memory|memories|notes?|logs?|cache|context|conversations?|tasks?|database|state|knowledge|files?|skills?|goals?|plans?|findings|results?|thoughts|summary|report|status|progress|answer|best|own|tweets?|posts?|wallet|portfolio|positions?)$/;

/** The last look: may a schedule be made of this, or only a question? */
export function judged(request: Request, selection: Selection): Request | null {
  const facts = request.facts ?? {};
  const led = selection.clusters.some((cluster) => cluster.place === 'lead');
  const once = !isRecurring(facts);
  remindInstead(request);
  if (led && !once) orderedByTime(request);
  const { head, words } = request;
  const content = words.slice(head.content).map((word) => word.low);
  const instead = {
    ...request,
    question: 'Shall I remind you of that, or do it myself at that time?',
  };
  const toMe = /^(?:me|us)$/.test(words[head.content - 1]?.low ?? '');
  if (head.kind === 'human' || (head.kind === 'unclear' && !(led && toMe))) return instead;
  if (head.kind === 'do' || head.kind === 'deliver') {
    const your = content.findIndex(
      (low) => low === 'your' || low === 'yourself' || low === 'yours',
    );
    if (your >= 0 && !head.asked && !toMe) {
      const owned = content.slice(your + 1, your + 4).some((low) => OWN_THINGS.test(low));
      if (!owned) return instead;
    }
  }
  // "convert every day at 9am to UTC": the time is what the verb works on.
  if (
    /^(?:convert|translate|explain|define|describe|parse|interpret)$/.test(head.verb) &&
    /^(?:to|into|in|as|from|)$/.test(content[0] ?? '') &&
    !led
  )
    return null;
  // "close the window at night": a habit, not tonight.
  const vaguePart = facts.part && !facts.times && !facts.day && !facts.delay;
  if (once && !led && !head.asked && head.kind === 'do' && vaguePart) return instead;
  if (once && !led && head.kind === 'deliver' && datesEvent(request, selection)) return instead;
  // "write an essay about getting up every day at 5"
  const topic = content.lastIndexOf('about');
  if (!led && topic >= 0 && /(?:do|deliver)/.test(head.kind) && !/^ask$/.test(head.verb)) {
    if (
      /^(?!(?:during|nothing|everything|anything|something|morning|evening)$).{2,}ing$/.test(
        content[topic + 1] ?? '',
      )
    )
      return instead;
  }
  if (!led && aboutWords(head.verb, content)) return instead;
  if (!led && !toMe && passesOn(request, selection)) return instead;
  if (once && !led && head.kind === 'do' && SEARCH.has(head.verb)) {
    return /^(?:write|draft|make|set|create|move|update|put|note|copy|outline)$/.test(head.verb) ||
      facts.delay
      ? instead
      : head.asked
        ? instead
        : null;
  }
  if (once && !led && head.kind === 'do' && !isAtHand(request)) return instead;
  if (
    once &&
    !led &&
    head.kind === 'deliver' &&
    selection.clusters.some((cluster) => cluster.place === 'tail' || cluster.place === 'middle')
  ) {
    const shown =
      /^(?:give|show|fetch|bring|read)$/.test(head.verb) &&
      !content.some((low) => REPORTS.test(low));
    const told = /^(?:tell|inform|brief|update)$/.test(head.verb) && content[0] !== 'about';
    if (told && content.slice(0, 4).includes('about')) return instead;
    if (shown || (content.some((low) => STATE.test(low)) && facts.day)) return instead;
  }
  if (
    once &&
    head.kind === 'do' &&
    facts.day &&
    !facts.times &&
    !facts.part &&
    !led &&
    content.some((low) => STATE.test(low))
  )
    return null;
  return request;
}

/** "write a test for: …", "explain the phrase …": the schedule is what is written about. */
function aboutWords(verb: string, content: readonly string[]): boolean {
  if (
    !/^(?:write|draft|create|make|give|generate|explain|translate|define|describe|parse|show|rewrite|convert)$/.test(
      verb,
    )
  )
    return false;
  return (
    content
      .slice(0, 5)
      .some((low) =>
        /^(?:phrase|sentence|expression|crontab|cron|regex|test|word|words|meaning|syntax|rrule)$/.test(
          low,
        ),
      ) || content.slice(1, 7).includes(':')
  );
}

/** "tell Bob to check the server every hour": is it Bob who does that, or the telling that repeats? */
function passesOn(request: Request, selection: Selection): boolean {
  const { head, words } = request;
  if (!/^(?:tell|ask|remind|text|message|email|notify)$/.test(head.verb)) return false;
  const told = words.slice(head.keep + 1, head.keep + 5);
  const to = told.findIndex((word) => word.low === 'to');
  const first = told[0];
  const known = /^(?:me|us|@|everyone|everybody|all|people|them|folks|to|that)$/;
  if (to < 1 || !first || known.test(first.low) || selection.used.length === 0) return false;
  const one =
    /^\p{Lu}/u.test(first.text) ||
    /^(?:him|her)$/.test(first.low) ||
    /^(?:boss|wife|husband|mom|mum|dad|mother|father|brother|sister|son|daughter|friend|manager|colleague|neighbour|neighbor|boyfriend|girlfriend|partner)$/.test(
      told[1]?.low ?? '',
    );
  const at = told[to]?.index ?? 0;
  return one && selection.used.every((piece) => piece.from > at);
}

/** "send me the link to the event on Friday at 9": the time is the event's. */
function datesEvent(request: Request, selection: Selection): boolean {
  const from = selection.used[0]?.from ?? 0;
  const before = request.words.filter((word) => word.index < from).at(-1)?.low ?? '';
  return /^(?:event|meeting|call|party|concert|flight|train|game|match|appointment|session|class|webinar|conference|exam|interview|wedding|dinner|lunch|show|talk|lecture|workshop)$/.test(
    before,
  );
}

const EVENT =
  /^(?:party|parties|session|meeting|meetings|class|classes|course|match|game|games|show|shows|night|day|days|event|events|call|calls|lunch|dinner|breakfast|brunch|drinks?|time|club|group|practice|drive|race|drill|trip|tour|tea|coffee|conference|workshop|lesson|training|appointment|concert|window|period|hours?|season|ride|walk|demo|retro|standup|planning|board|team|house|room|office|center|centre|card|engine|point|book|story|stories|notes?|aerobics|polo|slot|release|notice|number|line)$/;

/** "every month on the 1st run payroll": behind a recurrence a verb orders, unless it names an event. */
function orderedByTime(request: Request): void {
  const { head, words } = request;
  if (head.kind !== 'unclear' || !isVerb(head.verb)) return;
  const object = words.slice(head.content, head.content + 4);
  if (object.length === 0 || object.some((word) => EVENT.test(word.low))) return;
  request.head = { ...head, kind: DELIVER.has(head.verb) ? 'deliver' : 'do' };
}

/** "tomorrow 10am call the vet - remind me": the order to the agent stands at the end. */
function remindInstead(request: Request): void {
  const { head, words } = request;
  if (head.kind !== 'human' && head.kind !== 'unclear' && head.kind !== 'do') return;
  const tail = words
    .slice(-5)
    .map((word) => word.low)
    .join(' ');
  const match = /(?:[,–—-]|:) (?:please |and )?remind me(?: please)?(?: [.!])*$/.exec(tail);
  if (!match) return;
  const dropped = match[0].split(' ').length;
  request.range = {
    from: request.range.from,
    to: words[words.length - dropped]?.index ?? request.range.to,
  };
  request.words = words.slice(0, words.length - dropped);
  request.head = { ...head, kind: 'remind', verb: 'remind', prefix: 'remind me to', asked: true };
}

/** "explain this in 5 minutes" is about length; "summarize my inbox in 20 minutes" about when. */
function isAtHand(request: Request): boolean {
  if (
    !/^(?:summarize|summarise|describe|explain|analyze|analyse|review|study|brief)$/.test(
      request.head.verb,
    )
  )
    return true;
  return (
    /^(?:my|our|unread|new|all|today's|inbox|emails)$/.test(
      request.words[request.head.content]?.low ?? '',
    ) || !request.facts?.delay
  );
}
