/** How many offers were taken up, by kind and over time, and what was learned of it. */
import { useMemo, useState } from 'react';
import type { DetectorName, OfferNumbers, OfferStats } from '../../../src/index.js';
import { percent } from '../format.js';
import { Empty, Loaded, Section } from '../parts/basics.js';
import { Chart } from '../parts/chart.js';
import { KINDS } from '../parts/offer-kinds.js';
import { useAsk } from '../queries.js';

const DAY_MS = 86_400_000;
const DAY_S = DAY_MS / 1_000;
const SPANS = [7, 30, 90] as const;

interface Stats extends OfferStats {
  learned: Partial<Record<DetectorName, { because: string | null }>>;
}

export function OfferQuality() {
  const [days, setDays] = useState<number>(30);
  const sinceMs = Math.floor(Date.now() / DAY_MS - days) * DAY_MS;
  const since = new Date(sinceMs).toISOString();
  const span = useMemo(
    () => [sinceMs / 1_000, sinceMs / 1_000 + (days + 1) * DAY_S] as const,
    [sinceMs, days],
  );
  const query = useAsk<Stats>('offers', '/offers/stats', { since });
  return (
    <>
      <form className="filters" aria-label="Span of time">
        <label>
          Span
          <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {span} days
              </option>
            ))}
          </select>
        </label>
      </form>
      <Loaded query={query} lines={6}>
        {(stats) =>
          stats.total.offers === 0 ? (
            <Empty title="No offers in this time." />
          ) : (
            <>
              <OverTime stats={stats} span={span} />
              <ByKind stats={stats} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

type Day = Stats['byDay'][number];

type Span = readonly [from: number, to: number];

function OverTime({ stats: { byDay, byKind }, span }: { stats: Stats; span: Span }) {
  const kinds = Object.keys(byKind) as DetectorName[];
  return (
    <Section title="Over time">
      <Days days={byDay} span={span} />
      {kinds.length > 1 && (
        <div className="small-charts">
          {kinds.map((kind) => (
            <figure key={kind}>
              <figcaption>{KINDS[kind]}</figcaption>
              <Days days={byDay} span={span} kind={kind} />
            </figure>
          ))}
        </div>
      )}
    </Section>
  );
}

/** Of one kind, or of all. */
function Days({ days, span, kind }: { days: readonly Day[]; span: Span; kind?: DetectorName }) {
  const drawn = useMemo(() => {
    const percents = (share: 'recallRate' | 'precision') =>
      days.map((day) => {
        const value = (kind === undefined ? day : day.byKind[kind])?.[share] ?? null;
        return value === null ? null : value * 100;
      });
    return {
      times: days.map(({ day }) => Date.parse(day) / 1_000),
      lines: [
        { name: 'Recall rate', tone: 'accent', values: percents('recallRate') },
        { name: 'Precision', tone: 'good', values: percents('precision') },
      ],
    } as const;
  }, [days, kind]);
  const of = kind === undefined ? 'all offers' : `the kind ${KINDS[kind]}`;
  return (
    <Chart
      label={`Recall rate and precision of ${of} by day, in percent; the table below has the sums`}
      height={kind === undefined ? 220 : 150}
      span={span}
      hasLegend={kind === undefined}
      {...drawn}
    />
  );
}

function ByKind({ stats: { byKind, total, learned } }: { stats: Stats }) {
  const kinds = Object.entries(byKind) as [DetectorName, OfferNumbers][];
  return (
    <Section title="By kind">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard, too */}
      <section className="scroll" aria-label="Offers by kind" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">Shown</th>
              <th scope="col">Used</th>
              <th scope="col">Acknowledged</th>
              <th scope="col">Dismissed</th>
              <th scope="col">Expired</th>
              <th scope="col">Recall rate</th>
              <th scope="col">Precision</th>
              <th scope="col">Learned</th>
            </tr>
          </thead>
          <tbody>
            {kinds.map(([kind, numbers]) => (
              <Row key={kind} name={KINDS[kind]} numbers={numbers}>
                {learned[kind]?.because ?? 'offered as set'}
              </Row>
            ))}
            <Row name="All" numbers={total} />
          </tbody>
        </table>
      </section>
    </Section>
  );
}

function Row({
  name,
  numbers,
  children,
}: {
  name: string;
  numbers: OfferNumbers;
  children?: string;
}) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{numbers.shown}</td>
      <td>{numbers.used}</td>
      <td>{numbers.acknowledged}</td>
      <td>{numbers.dismissed}</td>
      <td>{numbers.expired}</td>
      <td>{percent(numbers.recallRate)}</td>
      <td>{percent(numbers.precision)}</td>
      <td>{children}</td>
    </tr>
  );
}
