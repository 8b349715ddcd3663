/**
 * `npm run eval -- hints`: how well the secret guard tells secrets from hints (docs/hints.md); with
 * `offers`, whether the right hint is offered at the right moment (eval/hints/offers/README.md).
 */
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/shared/errors.js';
import {
  baseline,
  LEVELS,
  measureOffers,
  type OfferRates,
  offererBy,
  readProjects,
} from './offers/measure.js';
import { type GuardRates, measureGuard } from './secrets/measure.js';

const USAGE = [
  'npm run eval -- hints [offers [--projects FILE]] [--json]',
  '--projects  a file of projects of your own (eval/hints/offers/README.md)',
].join('\n');

export async function run(argv: string[]): Promise<number> {
  let options: ReturnType<typeof readArguments>;
  try {
    options = readArguments(argv);
  } catch (error) {
    console.error(`${messageOf(error)}\n${USAGE}`);
    return 2;
  }
  const { json, offers, projects } = options;
  if (!offers) {
    const rates = await measureGuard();
    console.log(json ? JSON.stringify(rates, null, 2) : tableOf(rates));
    return 0;
  }
  const rates = await judged(projects);
  console.log(json ? JSON.stringify(rates, null, 2) : offersTable(rates));
  return 0;
}

/** @throws TypeError with what is wrong, for the person at the keyboard */
function readArguments(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, projects: { type: 'string' } },
  });
  const unknown = positionals.find((name) => name !== 'offers');
  if (unknown !== undefined) throw new TypeError(`there is no evaluation "${unknown}" of hints`);
  return { ...values, offers: positionals.length > 0 };
}

/** The detector that serves, and what a simple plugin does. */
async function judged(file: string | undefined): Promise<Record<string, OfferRates>> {
  const projects = readProjects(file);
  return {
    hintMatch: await measureOffers(projects, offererBy()),
    baseline: await measureOffers(projects, baseline),
  };
}

/** The same text is valid Markdown. */
function offersTable(judged: Readonly<Record<string, OfferRates>>): string {
  const rows = Object.entries(judged).map(([name, rates]) => {
    const levels = LEVELS.map((level) => {
      const { wanted, right, wrong } = rates.levels[level];
      return wanted > 0 ? `${right} of ${wanted}, ${wrong} wrong` : `${wrong} wrong`;
    });
    const { precision, recall, falseAlarmsPer100 } = rates;
    const figures = [precision.toFixed(2), recall.toFixed(2), falseAlarmsPer100.toFixed(1)];
    return `| ${[name, ...figures, ...levels].join(' | ')} |`;
  });
  return [
    `| | precision | recall | false alarms in 100 turns | ${LEVELS.join(' | ')} |`,
    `|---|---:|---:|---:|${'---|'.repeat(LEVELS.length)}`,
    ...rows,
  ].join('\n');
}

/** The same text is valid Markdown. */
function tableOf({ rates, wrong, ms }: GuardRates): string {
  const rows = rates.map(({ half, kind, cases, found, rate }) => {
    const what = kind === 'positive' ? 'detection' : 'false alarms';
    return `| ${what} | ${half} | ${cases} | ${found} | ${(100 * rate).toFixed(1)} % |`;
  });
  // Held-out cases are only counted: whoever reads them tunes on them.
  const told = wrong.filter(({ half }) => half === 'tune');
  return [
    '| rate | half | cases | found | |',
    '| --- | --- | ---: | ---: | ---: |',
    ...rows,
    '',
    `One check: median ${ms.median.toFixed(2)} ms, p95 ${ms.p95.toFixed(2)} ms, worst ${ms.max.toFixed(2)} ms (${ms.n}).`,
    ...told.map(
      ({ kind, index, found }) =>
        `Wrong: ${kind} ${index}${found.map(({ rule, where }) => `, ${rule} at ${where}`).join('')}`,
    ),
  ].join('\n');
}
