/** `cue offers [list|ack|dismiss|stats|reset]` */
import { type Command, Option } from 'commander';
import type { LearnedNumbers, Offer, OfferNumbers, OfferStats } from '../../proactive/index.js';
import { ageOf } from '../../shared/ages.js';
import { addServerOptions, answer, pathSegment } from './answer.js';
import type { CommandContext, CommandGroup } from './command-line.js';
import { numberOf, OFFER_KIND_WORDS, OFFER_STATE_WORDS } from './flags.js';
import { indented, minuteOf, oneLine, pageWords } from './lines.js';

interface ListFlags {
  state?: string;
  kind?: string;
  session?: string;
  limit?: number;
  cursor?: string;
  deliver?: true;
}

type Learned = { learned: LearnedNumbers };

interface OfferPage {
  offers: Offer[];
  total: number;
  nextCursor: string | null;
}

const EXPLAINED = `
Exit codes:
  0 done   1 failure, or no server   2 bad input   3 there is no such offer
`;

export const offersGroup: CommandGroup = { define };

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
    .action(async ({ session, ...flags }: ListFlags, command: Command) => {
      await answer<OfferPage>(
        context,
        command,
        { path: '/offers', query: { ...flagsOnly(flags), sessionId: session }, field: 'offers' },
        {
          text: ({ offers }) => offers.map((offer) => offerText(offer, clock.now())).join('\n\n'),
          beside: (page) =>
            page.total === 0 ? ['no offers'] : pageWords(page, page.offers.length),
        },
      );
    });

  const endings = [
    ['ack', 'acknowledge', 'acknowledged', 'it was good to know; a warning is not repeated'],
    ['dismiss', 'dismiss', 'dismissed', 'it was of no use; fewer of its kind follow'],
  ] as const;
  for (const [name, route, done, description] of endings) {
    group
      .command(name)
      .description(description)
      .argument('<id>')
      .option('--reason <text>', 'why')
      .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
        const segment = pathSegment(id, { what: 'offer', list: 'cue offers list' });
        const path = `/offers/${segment}/${route}`;
        await answer<{ offer: Offer }>(
          context,
          command,
          // A reason that is `undefined` is not sent.
          { method: 'POST', path, body: { reason }, field: 'offer' },
          { text: ({ offer }) => `✔ ${done}: ${oneLine(offer.subject)} (${offer.kind})` },
        );
      });
  }

  group
    .command('stats')
    .description('how good the offers are')
    .option('--since <time>', 'ISO time or date (30 days ago)')
    .option('--before <time>', 'ISO time or date')
    .action(async (flags: { since?: string; before?: string }, command: Command) => {
      await answer<OfferStats & Learned>(
        context,
        command,
        { path: '/offers/stats', query: { ...flags }, field: 'byKind' },
        { text: statsText },
      );
    });

  group
    .command('reset')
    .description('forgets what was learned from what became of offers')
    .addOption(new Option('--kind <kind>', 'of that kind only').choices(OFFER_KIND_WORDS))
    .action(async ({ kind }: { kind?: string }, command: Command) => {
      await answer<Learned>(
        context,
        command,
        { method: 'POST', path: '/offers/reset', body: { kind }, field: 'learned' },
        { text: () => `✔ ${kind ?? 'every kind'} is offered as if nothing had been learned` },
      );
    });
}

/** Without those of the group, which the route does not know. */
function flagsOnly({ state, kind, limit, cursor, deliver }: ListFlags) {
  return { state, kind, limit, cursor, deliver };
}

function offerText({ id, kind, state, createdAt, text }: Offer, nowMs: number): string {
  const age = ageOf(Date.parse(createdAt), nowMs);
  return [`${id}  ${state}  ${kind}, ${age}`, ...indented(text)].join('\n');
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
