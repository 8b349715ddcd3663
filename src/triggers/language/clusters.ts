/**
 * Which time words of a request are its schedule, and which belong to what is asked for: in "remind me
 * tomorrow at 9 about the call at 5pm" the call keeps its own time.
 */
import { type Facts, isAnchored, isRecurring, merged, type Piece } from './facts.js';
import type { Head, Word } from './head.js';
import { lowAt, type Token } from './tokens.js';
import { hasSubject, isStatementVerb, isSubject, isVerb } from './verbs.js';

export type Place = 'lead' | 'head' | 'tail' | 'middle';

/** Neighbouring pieces. */
export interface Cluster {
  pieces: Piece[];
  from: number;
  to: number;
  facts: Facts | null;
  place: Place;
  /** Inside a subordinate clause: "what happens every day at 9". */
  embedded: boolean;
  /** Behind a word that makes it part of a name or a limit: "the logs from yesterday", "by 5pm". */
  blocked: boolean;
}

const JOINTS = /^(?:,|and|&|-|–|—|\(|\)|of|;|:|\/|then|also|\.)$/;
const FILLERS =
  /^(?:please|thanks|thank|you|thx|ty|ok|okay|pls|too|cheers|now|again|sharp|daily|for|me|at|on|starting|and|so|much|right|the|exactly|of|only|just)$/;
const BLOCKING = new Set(
  (
    'before after by since about of than from due via past is are was were be been being called named titled leaving departing ' +
    'arriving starting beginning happening occurring scheduled planned taking ending running airing held booked closing opening ' +
    "for isn't not dated to toward towards into without until till versus vs like within"
  ).split(' '),
);
const SUBORDINATORS = new Set(
  (
    'if whether when whenever while because since although though unless that which who whom whose what why how where until till ' +
    "before after once what's who's where's how's so as"
  ).split(' '),
);

/** The clusters of a request, in order, placed relative to its head. */
export function clusterPieces(
  tokens: readonly Token[],
  pieces: readonly Piece[],
  words: readonly Word[],
  head: Head,
): Cluster[] {
  const clusters: Cluster[] = [];
  const lastHead = words[head.content - 1]?.index ?? -1;
  for (const piece of pieces) {
    if (piece.adjective || piece.vague) continue;
    const open = clusters.at(-1);
    // The verb stands between what leads and what follows it.
    if (
      open &&
      joined(tokens, open.to, piece.from) &&
      (open.to > lastHead || piece.from <= lastHead)
    ) {
      open.pieces.push(piece);
      open.facts = open.facts && merged(open.facts, piece.facts);
      open.to = piece.to;
    } else {
      clusters.push({
        pieces: [piece],
        from: piece.from,
        to: piece.to,
        facts: merged({}, piece.facts),
        place: 'middle',
        embedded: false,
        blocked: false,
      });
    }
  }
  const state = embeddings(words, head);
  for (const cluster of clusters) {
    cluster.place = placeOf(cluster, words, head, lastHead);
    cluster.embedded = cluster.place !== 'lead' && cluster.place !== 'head' && state(cluster.from);
    cluster.blocked = isBlocked(tokens, cluster, head, lastHead);
  }
  return clusters;
}

function joined(tokens: readonly Token[], from: number, to: number): boolean {
  if (to - from > 3) return false;
  for (let index = from; index < to; index += 1) {
    if (!JOINTS.test(lowAt(tokens, index)) && tokens[index]?.kind !== 'break') return false;
  }
  return true;
}

function isFiller(word: Word): boolean {
  return FILLERS.test(word.low) || !/[\p{L}\p{N}"]/u.test(word.low);
}

function placeOf(cluster: Cluster, words: readonly Word[], head: Head, lastHead: number): Place {
  if (cluster.from < lastHead) return 'lead';
  const between = words.filter((word) => word.index > lastHead && word.index < cluster.from);
  if (between.every(isFiller)) return 'head';
  const behind = words.filter((word) => word.index >= cluster.to);
  return behind.every(isFiller) || head.keep >= words.length ? 'tail' : 'middle';
}

function isBlocked(
  tokens: readonly Token[],
  cluster: Cluster,
  head: Head,
  lastHead: number,
): boolean {
  if (cluster.place === 'lead') return false;
  const before = lowAt(tokens, cluster.from - 1);
  if (
    before === 'for' &&
    (head.kind === 'setup' ||
      /^(?:schedule|set|plan|wake)$/.test(head.verb) ||
      (head.kind === 'remind' && cluster.place === 'head'))
  )
    return false;
  if (BLOCKING.has(before)) return true;
  // "our new shop, open every day at 9"
  if (
    /^(?:open|closed|available|live|on)$/.test(before) &&
    /^(?:,|now|also|-|–|—)$/.test(lowAt(tokens, cluster.from - 2))
  )
    return true;
  if (/^(?:the|my|our|your|his|her|their|this|that)$/.test(before) && cluster.pieces[0]?.bare)
    return true;
  // A name in the middle of other words: "the report Friday wrote".
  const next = lowAt(tokens, cluster.to);
  const connected =
    /^(?:to|that|about|and|with|,|in|on|for|via|using|so|please|if|from|or|\.|:|;|!|\?|by|unless|whether)$/.test(
      next,
    );
  if (cluster.pieces.every((piece) => piece.bare) && cluster.place === 'middle') return !connected;
  if (
    cluster.place === 'head' &&
    cluster.pieces.every((piece) => piece.bare) &&
    head.kind !== 'remind' &&
    head.kind !== 'setup'
  ) {
    return (
      !connected &&
      next !== '' &&
      lastHead === cluster.from - 1 &&
      !/^(?:a|an|the|my|our|me|us|what|how|all|any|some|every)$/.test(next)
    );
  }
  return false;
}

/** Tells, for a token index, whether the words before it have opened a clause of their own. */
function embeddings(words: readonly Word[], head: Head): (index: number) => boolean {
  const spans: { from: number; to: number }[] = [];
  let open = -1;
  for (let at = head.content; at < words.length; at += 1) {
    const word = words[at];
    if (!word) continue;
    const before = words[at - 1]?.low ?? '';
    // "check if the site is up and tell me …": a new order ends the clause.
    if (
      open >= 0 &&
      isVerb(word.low) &&
      /^(?:and|then|,)$/.test(before) &&
      !isSubject(words[at + 1]?.low ?? '')
    ) {
      spans.push({ from: open, to: word.index });
      open = -1;
      continue;
    }
    if (open >= 0) continue;
    const subordinate = SUBORDINATORS.has(word.low) && !isPlainThat(words, at);
    const clause =
      hasSubject(word.low) ||
      (isSubject(word.low) &&
        (word.low !== 'it' || before === ',') &&
        (word.low !== 'you' || before === ',') &&
        before !== 'and');
    if (subordinate || clause) open = word.index;
  }
  if (open >= 0) spans.push({ from: open, to: Number.POSITIVE_INFINITY });
  return (index) => spans.some((span) => index > span.from && index <= span.to);
}

/** "that" in front of a noun at the end, "so" in "so on": no clause follows. */
function isPlainThat(words: readonly Word[], at: number): boolean {
  const word = words[at]?.low;
  const rest = words.slice(at + 1).filter((item) => /\p{L}/u.test(item.low));
  if (word === 'that' || word === 'so' || word === 'as' || word === 'once')
    return rest.length <= 1 || !rest.some((item) => hasSubject(item.low) || isSubject(item.low));
  return word === 'what' || word === 'how' ? rest.length === 0 : false;
}

/** True when the words state something: "backup runs", "post office opens". */
export function isStatement(words: readonly Word[], head: Head): boolean {
  if (head.asked || head.kind === 'remind' || head.kind === 'setup') return false;
  const after = words.slice(head.content);
  const first = after[0]?.low ?? '';
  // "Look, the bus comes every ten minutes": called to, not told to.
  const comma = after.findIndex((word) => word.low === ',' || word.low === ':');
  if (
    comma >= 0 &&
    comma <= 2 &&
    /^(?:the|my|our|i|we|he|she|they|it|this|that|there|your|his|her|a|an|it's|i'm|there's|someone|everyone)$/.test(
      after[comma + 1]?.low ?? '',
    )
  )
    return comma < 2 || !/^(?:the|my|our|me)$/.test(first);
  const text = words.map((word) => word.low).join(' ');
  // "Run this daily and you will be fit": advice; ", says my coach": somebody else's.
  if (/ and (?:you|you'll|it'll|they'll|he'll|she'll) /.test(text)) return true;
  if (pluralDoes(after)) return true;
  // "Train services to run every 15 minutes": a headline.
  if (
    head.kind !== 'deliver' &&
    /[^s]s$/.test(first) &&
    after[1]?.low === 'to' &&
    /^(?:run|open|close|start|begin|resume|end|stop|meet|launch|hold|rise|fall|leave|arrive)$/.test(
      after[2]?.low ?? '',
    )
  )
    return true;
  if (
    /^(?:the|my|our|a|an|all|any|this|these|those|your|if|whether|that|me|us|it|them|for|to|everyone|everything|every|each)$/.test(
      first,
    )
  )
    return false;
  for (const word of after.slice(0, 8)) {
    if (SUBORDINATORS.has(word.low) || /^(?:and|to|,|:)$/.test(word.low)) return false;
    if (
      isStatementVerb(word.low) ||
      /^(?:is|are|was|were|will|has|had|does|did|would|isn't|wasn't|won't|doesn't|can't|didn't|hasn't)$/.test(
        word.low,
      )
    )
      return true;
  }
  return false;
}

/** "test results come back", "deploy jobs fail": a compound noun and what it does. */
function pluralDoes(after: readonly Word[]): boolean {
  const noun = after[0]?.low ?? '';
  const verb = after[1]?.low ?? '';
  return (
    /[^s]s$/.test(noun) && PLURAL_VERBS.test(verb) && after[1]?.index === (after[0]?.index ?? 0) + 1
  );
}

const PLURAL_VERBS =
  /^(?:come|go|arrive|run|start|end|open|close|happen|fail|meet|get|take|make|leave|begin|keep|work|need|want|look|seem|show|appear|expire|repeat|have|do|will|can|are|were|ring|fire|finish|return|die|stay|sound|crash|break|land|depart|drop|hit|resume|eat|drink|sleep|live|fly|swim|play|sing|vote|gather|occur|continue|restart|reopen|rise|fall|grow|last|cost|sell|pay|cause|remain|always|usually|often|never)$/;

export interface Selection {
  facts: Facts | null;
  used: Piece[];
  clusters: Cluster[];
  /** Two schedules in one sentence. */
  several: boolean;
}

const ORDER: readonly Place[] = ['lead', 'head', 'tail', 'middle'];

/** Merges the clusters that speak about the request; the others stay part of its words. */
export function selectClusters(tokens: readonly Token[], clusters: readonly Cluster[]): Selection {
  let facts: Facts | null = null;
  const taken: Cluster[] = [];
  const usable = clusters.filter((cluster) => !cluster.embedded && !cluster.blocked);
  if (usable.some((cluster) => cluster.facts === null))
    return { facts: null, used: [], clusters: [], several: true };
  const ordered = ORDER.flatMap((place) => usable.filter((cluster) => cluster.place === place));
  for (const wantsAnchor of [true, false]) {
    for (const cluster of ordered) {
      if (!cluster.facts || taken.includes(cluster) || isAnchored(cluster.facts) !== wantsAnchor)
        continue;
      if (
        !wantsAnchor &&
        (facts === null ||
          (!isRecurring(facts) && Object.keys(cluster.facts).some((key) => key !== 'zone')))
      )
        continue;
      const both: Facts | null = facts === null ? cluster.facts : merged(facts, cluster.facts);
      if (both === null) {
        // "…, and on Friday at 5pm …" starts a second schedule; anything else is content.
        const before = lowAt(tokens, cluster.from - 1);
        if (before === 'and' || (before === ',' && cluster.place !== 'lead'))
          return { facts: null, used: [], clusters: [], several: true };
        continue;
      }
      facts = both;
      taken.push(cluster);
    }
  }
  return {
    facts,
    used: taken.flatMap((cluster) => cluster.pieces),
    clusters: taken,
    several: false,
  };
}
