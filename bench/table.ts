/** The rows as people read them; the same text is valid Markdown. */
import type { BenchResult, Row } from './stats.js';

const COLUMNS = ['what', 'at', 'ours ms', 'p95', 'n', 'beside ms', 'n', 'ratio', 'budget', 'ok'];

export function tableOf({ rows, machine }: BenchResult): string {
  const cells = [COLUMNS, ...rows.map(cellsOf)];
  const widths = COLUMNS.map((_, column) =>
    Math.max(...cells.map((line) => (line[column] ?? '').length)),
  );
  const line = (parts: string[], fill = ' ') =>
    `| ${parts.map((part, column) => pad(part, widths[column] ?? 0, column, fill)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  const notes = rows.flatMap((row) =>
    row.note === undefined ? [] : [`${row.id} @ ${row.at}: ${row.note}`],
  );
  return [
    line(head),
    line(
      widths.map((width) => '-'.repeat(width)),
      '-',
    ),
    ...body.map((parts) => line(parts)),
    '',
    ...notes,
    `Machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}, ${machine.platform}.`,
  ].join('\n');
}

function cellsOf(row: Row): string[] {
  const { ours, beside } = row;
  return [
    row.unit === undefined ? row.what : `${row.what} (${row.unit})`,
    row.at.toLocaleString('en-US') + (row.on === undefined ? '' : ` on ${row.on}`),
    shown(ours[row.judged]),
    row.judged === 'median' ? shown(ours.p95) : '',
    String(ours.n),
    beside ? shown(beside[row.judged]) : '',
    beside ? String(beside.n) : '',
    row.ratio === null ? '' : `${shown(row.ratio)}×`,
    row.budget === null
      ? ''
      : `≤ ${shown(row.budget)}${row.judged === 'median' ? '' : ` (${row.judged})`}`,
    row.budget === null ? '' : row.ok ? 'yes' : 'NO',
  ];
}

function shown(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  if (value >= 10) return value.toFixed(1);
  return value >= 0.1 || value === 0 ? value.toFixed(2) : value.toFixed(3);
}

/** The first column to the left, numbers to the right. */
function pad(text: string, width: number, column: number, fill: string): string {
  return column === 0 ? text.padEnd(width, fill) : text.padStart(width, fill);
}
