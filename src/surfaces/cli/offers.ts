/** `cue offers [list|show|ack|dismiss|stats|reset]` */
import { type Command, Option } from 'commander';
import type { LearnedNumbers, Offer, OfferNumbers, OfferStats } from '../../proactive/index.js';
import { ageOf } from '../../shared/clock.js';
import { addServerOptions, answer, pathSegment } from './answer.js';
import type { CommandContext } from './command-line.js';
import { OFFER_FIELDS } from './fields.js';
import { numberOf, OFFER_KIND_WORDS, OFFER_STATE_WORDS } from './flags.js';
import { indented, minuteOf, oneLine } from './lines.js';
import { answerList, type ListRequest, watchList } from './list.js';
import { type Column, tableOf } from './table.js';

export const commands = { offers: define };

interface ListFlags {
  state?: string;
  kind?: string;
  session?: string;
  limit?: number;
  cursor?: string;
  deliver?: true;
  watch?: true;
}

interface One {
  offer: Offer;
}

type Learned = { learned: LearnedNumbers };

const NAMED = 'its id, or the first eight digits of it';

const EXPLAINED = `
Exit codes:
  0 done   1 failure, or no server   2 bad input   3 there is no such offer
`;

function define(group: Command, context: CommandContext): void {
  const { clock } = context.io;
  addServerOptions(group).addHelpText('after', EXPLAINED);

  group
    .command('list', { isDefault: true })
    .description('what is offered, newest first')
    .addOption(new Option('--state <state>', 'only those').choices(OFFER_STATE_WORDS))
    .addOption(new Option('--kind <kind>', 'only those').choices(OFFER_KIND_WORDS))
    .option('--session <id>', 'only those for a session')
    .option('--limit <number>', 'how many (50)', numberOf('--limit'))
    .option('--cursor <cursor>', 'the page behind this one')
    .option('--deliver', 'pending ones that are for no conversation count as shown')
    .option('--watch', 'also what comes, until Ctrl-C')
    .action(async (flags: ListFlags, command: Command) => {
      const { state, kind, session, limit, cursor, deliver, watch } = flags;
      const list: ListRequest<Offer> = {
        path: '/offers',
        query: { state, kind, limit, cursor, deliver, sessionId: session },
        ...{ field: 'offers', known: OFFER_FIELDS, none: 'no offers' },
        table: () => tableOf(context.io, COLUMNS),
      };
      if (!watch) return answerList(context, command, list);
      await watchList(context, command, list, {
        type: 'offer',
        isOurs: (offer) =>
          (kind === undefined || offer.kind === kind) &&
          (state === undefined || offer.state === state) &&
          (session === undefined || offer.target.sessionId === session),
        keyOf: (offer) => `${offer.id} ${offer.state}`,
      });
    });

  const pathOf = (id: string) =>
    `/offers/${pathSegment(id, { what: 'offer', list: 'cue offers list' })}`;

  group
    .command('show')
    .description('all of one offer, and why it is made')
    .argument('<offer>', NAMED)
    .action(async (id: string, _flags: object, command: Command) => {
      await answer<One>(context, command, {
        ...{ path: pathOf(id), field: 'offer', known: OFFER_FIELDS },
        text: ({ offer }) => offerText(offer, clock.now()),
      });
    });

  const endings = [
    ['ack', 'acknowledge', 'acknowledged', 'it was good to know; a warning is not repeated'],
    ['dismiss', 'dismiss', 'dismissed', 'it was of no use; fewer of its kind follow'],
  ] as const;
  for (const [name, route, done, description] of endings) {
    group
      .command(name)
      .description(description)
      .argument('<offer>', NAMED)
      .option('--reason <text>', 'why')
      .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
        await answer<One>(context, command, {
          // A reason that is `undefined` is not sent.
          ...{ method: 'POST', path: `${pathOf(id)}/${route}`, body: { reason } },
          ...{ field: 'offer', known: OFFER_FIELDS },
          text: ({ offer }) => `✔ ${done}: ${oneLine(offer.subject)} (${offer.kind})`,
        });
      });
  }

  group
    .command('stats')
    .description('how good the offers are')
    .option('--since <time>', 'ISO time or date (30 days ago)')
    .option('--before <time>', 'ISO time or date')
    .action(async (flags: { since?: string; before?: string }, command: Command) => {
      await answer<OfferStats & Learned>(context, command, {
        ...{ path: '/offers/stats', query: { ...flags }, field: 'byKind', text: statsText },
      });
    });

  group
    .command('reset')
    .description('forgets what was learned from what became of offers')
    .addOption(new Option('--kind <kind>', 'of that kind only').choices(OFFER_KIND_WORDS))
    .action(async ({ kind }: { kind?: string }, command: Command) => {
      await answer<Learned>(context, command, {
        ...{ method: 'POST', path: '/offers/reset', body: { kind }, field: 'learned' },
        ...{ known: ['learned'], of: (body) => body },
        text: () => `✔ ${kind ?? 'every kind'} is offered as if nothing had been learned`,
      });
    });
}

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
