/** `npm run eval -- hints`: how well the secret guard tells secrets from hints (docs/hints.md). */
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/shared/errors.js';
import { type GuardRates, measureGuard } from './secrets/measure.js';

const USAGE = 'npm run eval -- hints [--json]';

export async function run(argv: string[]): Promise<number> {
  let json: boolean;
  try {
    const { values } = parseArgs({ args: argv, options: { json: { type: 'boolean' } } });
    json = values.json ?? false;
  } catch (error) {
    console.error(`${messageOf(error)}\n${USAGE}`);
    return 2;
  }
  const rates = await measureGuard();
  console.log(json ? JSON.stringify(rates, null, 2) : tableOf(rates));
  return 0;
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
