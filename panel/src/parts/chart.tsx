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
  lines,
  height,
}: {
  label: string;
  /** Epoch seconds. */
  times: readonly number[];
  lines: readonly Line[];
  height: number;
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
        scales: { y: { range: [0, 100] } },
        axes: [axis, { ...axis, values: (_, marks) => marks.map((mark) => `${mark} %`) }],
        series: [
          { value: '{YYYY}-{MM}-{DD}' },
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
  }, [times, lines, height]);
  return <div ref={box} role="img" aria-label={label} className="chart" />;
}
