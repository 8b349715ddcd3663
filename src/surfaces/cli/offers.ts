/** `cue offers [list|show|ack|dismiss|stats|reset]` */
import type { LearnedNumbers, Offer, OfferNumbers, OfferStats } from '../../proactive/index.js';
import { ageOf } from '../../shared/clock.js';
import { pathSegment } from './answer.js';
import { OFFER_FIELDS } from './fields.js';
import { OFFER_KIND_WORDS, OFFER_STATE_WORDS, PAGE_FLAGS } from './flags.js';
import { indented, minuteOf, oneLine } from './lines.js';
import { type ListRequest, WATCH_FLAG } from './list.js';
import { type Query, requestCommand, serverGroup } from './request.js';
import { type Column, tableOf } from './table.js';

interface One {
  offer: Offer;
}

type Learned = { learned: LearnedNumbers };

const OF_ONE = { '<offer>': 'its id, or the first eight digits of it' };
const THE_OFFER = { field: 'offer', known: OFFER_FIELDS } as const;

const EXPLAINED = `
Exit codes:
  0 done   1 failure, or no server   2 bad input   3 there is no such offer
`;

const pathOf = (id: string) =>
  `/offers/${pathSegment(id, { what: 'offer', list: 'cue offers list' })}`;

const list = requestCommand<never, Query & { watch?: true }>({
  about: 'what is offered, newest first',
  flags: [
    ['state', '--state <state>', 'only those', OFFER_STATE_WORDS],
    ['kind', '--kind <kind>', 'only those', OFFER_KIND_WORDS],
    ['sessionId', '--session <id>', 'only those for a session'],
    ...PAGE_FLAGS,
    ['deliver', '--deliver', 'pending ones that are for no conversation count as shown'],
    WATCH_FLAG,
  ],
  ask({ fields: { watch, ...query } }, { io }): ListRequest<Offer> {
    const { state, kind, sessionId } = query;
    return {
      ...{ path: '/offers', query, field: 'offers', known: OFFER_FIELDS, none: 'no offers' },
      table: () => tableOf(io, COLUMNS),
      watched: watch && {
        type: 'offer',
        isOurs: (offer) =>
          (kind ?? offer.kind) === offer.kind &&
          (state ?? offer.state) === offer.state &&
          (sessionId ?? offer.target.sessionId) === offer.target.sessionId,
        keyOf: (offer) => `${offer.id} ${offer.state}`,
      },
    };
  },
});

const show = requestCommand<One>({
  about: 'all of one offer, and why it is made',
  args: OF_ONE,
  ask: ({ id }, { io }) => ({
    ...{ path: pathOf(id), ...THE_OFFER },
    text: ({ offer }) => offerText(offer, io.clock.now()),
  }),
});

const ending = (route: string, done: string, about: string) =>
  requestCommand<One>({
    ...{ about, args: OF_ONE, flags: [['reason', '--reason <text>', 'why']] },
    ask: ({ id, fields }) => ({
      ...{ method: 'POST', path: `${pathOf(id)}/${route}`, body: fields, ...THE_OFFER },
      text: ({ offer }) => `✔ ${done}: ${oneLine(offer.subject)} (${offer.kind})`,
    }),
  });

const stats = requestCommand<OfferStats & Learned>({
  about: 'how good the offers are',
  flags: [
    ['since', '--since <time>', 'ISO time or date (30 days ago)'],
    ['before', '--before <time>', 'ISO time or date'],
  ],
  ask: ({ fields: query }) => ({
    ...{ path: '/offers/stats', query, field: 'byKind', text: statsText },
  }),
});

const reset = requestCommand<Learned>({
  about: 'forgets what was learned from what became of offers',
  flags: [['kind', '--kind <kind>', 'of that kind only', OFFER_KIND_WORDS]],
  ask: ({ fields }) => ({
    ...{ method: 'POST', path: '/offers/reset', body: fields, field: 'learned' },
    ...{ known: ['learned'], of: (body) => body },
    text: () => `✔ ${fields.kind ?? 'every kind'} is offered as if nothing had been learned`,
  }),
});

const known = 'it was good to know; a warning is not repeated';
const useless = 'it was of no use; fewer of its kind follow';
const all = {
  ...{ list, show, ack: ending('acknowledge', 'acknowledged', known) },
  ...{ dismiss: ending('dismiss', 'dismissed', useless), stats, reset },
};
export const commands = { offers: serverGroup(EXPLAINED, all, 'list') };

const COLUMNS: readonly Column<Offer>[] = [
  { head: 'ID', id: ({ id }) => id, least: 8 },
  { head: 'KIND', text: ({ kind }) => kind, least: 'conflictWarning'.length },
  { head: 'STATE', text: ({ state }) => state, isState: true, least: 'acknowledged'.length },
  { head: 'MADE', atMs: ({ createdAt }) => Date.parse(createdAt), least: 9 },
  { head: 'OFFER', text: ({ text }) => text, isCut: true },
];

function offerText({ id, kind, state, createdAt, text, why }: Offer, nowMs: number): string {
  const age = ageOf(Date.parse(createdAt), nowMs);
  return [
    `${id}  ${state}  ${kind}, ${age}`,
    ...indented(text),
    ...why.evidence.map((words) => `  why: ${oneLine(words)}`),
  ].join('\n');
}

function statsText(stats: OfferStats & Learned): string {
  const { sinceMs, untilMs, turns, total, byKind, learned } = stats;
  return [
    `${minuteOf(sinceMs)} to ${minuteOf(untilMs)}, ${turns} turns`,
    `  all: ${numbers(total)}`,
    ...Object.entries(byKind).map(([kind, of]) => `  ${kind}: ${numbers(of)}`),
    ...Object.entries(learned).map(([kind, of]) => `  learned of ${kind}: ${learnedText(of)}`),
  ].join('\n');
}

function numbers({ offers, shown, used, acknowledged, dismissed, precision }: OfferNumbers) {
  const rate = precision === null ? '' : `; ${Math.round(precision * 100)} % of use`;
  return `${offers} offered, ${shown} shown, ${used} used, ${acknowledged} acknowledged, ${dismissed} dismissed${rate}`;
}

function learnedText(of: NonNullable<LearnedNumbers[keyof LearnedNumbers]>) {
  const { used, acknowledged, dismissed, expired, because } = of;
  const counts = `${used} used, ${acknowledged} acknowledged, ${dismissed} dismissed, ${expired} left unused`;
  return because === null ? counts : `${counts}; ${because}`;
}
