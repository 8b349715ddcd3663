import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

interface Line {
  name: string;
  /** A colour of the sheet, by its name there. */
  tone: 'accent' | 'good' | 'bad';
  values: readonly (number | null)[];
}

/** Lines over days, in percent. */
export function Chart({
  label,
  times,
  span,
  lines,
  height,
  hasLegend,
}: {
  label: string;
  /** Epoch seconds. */
  times: readonly number[];
  /** What is shown of time, epoch seconds: a single day would stretch over years. */
  span: readonly [from: number, to: number];
  lines: readonly Line[];
  height: number;
  hasLegend: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const target = box.current;
    if (target === null) return;
    const sheet = getComputedStyle(document.documentElement);
    const colour = (name: string) => sheet.getPropertyValue(`--${name}`);
    const axis = {
      stroke: colour('quiet'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { stroke: colour('line'), width: 1 },
    };
    const chart = new uPlot(
      {
        width: target.clientWidth,
        height,
        legend: { show: hasLegend },
        scales: { x: { range: () => [...span] }, y: { range: [0, 100] } },
        axes: [axis, { ...axis, size: 54, values: (_, marks) => marks.map((mark) => `${mark} %`) }],
        series: [
          { label: 'Day', value: '{YYYY}-{MM}-{DD}' },
          ...lines.map(({ name, tone }) => ({
            label: name,
            stroke: colour(tone),
            width: 2,
            spanGaps: true,
            points: { show: true },
            value: (_: uPlot, value: number | null) =>
              value === null ? '–' : `${Math.round(value)} %`,
          })),
        ],
      },
      [[...times], ...lines.map(({ values }) => [...values])],
      target,
    );
    const watcher = new ResizeObserver(() => {
      chart.setSize({ width: target.clientWidth, height });
    });
    watcher.observe(target);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [times, span, lines, height, hasLegend]);
  return <div ref={box} role="img" aria-label={label} className="chart" />;
}
