/**
 * Lists: on a terminal as columns under a header, cut to its width; else, as `gh` does, a line of values
 * with tabs between them for each row: no header, nothing cut, exact times and whole ids.
 */
import { styleText } from 'node:util';
import { ageOf, DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/clock.js';
import { forTerminal, type Io } from './io.js';
import { oneLine } from './lines.js';

export interface Column<Row> {
  head: string;
  /** An id, of which a terminal shows as many digits as tell it from the others. */
  id?(row: Row): string;
  /** When it was or will be, as a terminal shows it relative to now. */
  atMs?(row: Row): number | null | undefined;
  text?(row: Row): string | undefined;
  /** A word of `COLORS`, with or without more behind it. */
  isState?: true;
  /** Where the terminal is narrow, this column gives way. */
  isCut?: true;
  /** Characters that later rows of a list that is watched will need. */
  least?: number;
}

export interface Table<Row> {
  /** The rows, below the header where it has not been printed yet; '' for no rows. */
  lines(rows: readonly Row[]): string;
}

const SHORT_ID = 8;
const GAP = '  ';
const LEAST_CUT = 12;
const NONE = '-';

type Color = Parameters<typeof styleText>[0] | undefined;

/** States by what they are to the reader. */
const COLORS: Readonly<Record<string, Color>> = {
  ...{ active: 'green', success: 'green', used: 'green', acknowledged: 'green' },
  ...{ failed: 'red', invalid: 'red', paused: 'yellow', deferred: 'yellow', running: 'cyan' },
  ...{ disabled: 'gray', dismissed: 'gray', expired: 'gray', skipped: 'gray' },
};

export function tableOf<Row>(io: Io, columns: readonly Column<Row>[]): Table<Row> {
  const { terminal } = io;
  if (terminal === undefined) return { lines: (rows) => tabbed(columns, rows) };
  let widths: number[] | null = null;
  return {
    lines(rows) {
      if (rows.length === 0) return '';
      const cells = shownCells(columns, rows, io.clock.now());
      const heads = columns.map(({ head }) => head);
      const isFirst = widths === null;
      widths ??= widthsFor(columns, [heads, ...cells], terminal.columns);
      const line = (row: readonly string[], colorOf: (cell: string, at: number) => Color) =>
        row
          .map((cell, at) => {
            const width = widths?.[at] ?? 0;
            const shown = columns[at]?.isCut ? cutTo(cell, width) : cell;
            const color = terminal.hasColors ? colorOf(cell, at) : undefined;
            // The terminal has been asked already whether it has colours.
            const painted = color ? styleText(color, shown, { validateStream: false }) : shown;
            return painted + ' '.repeat(Math.max(0, width - widthOf(shown)));
          })
          .join(GAP)
          .trimEnd();
      const header = line(heads, () => 'bold');
      const body = cells.map((row) =>
        line(row, (cell, at) =>
          columns[at]?.isState ? COLORS[cell.split(' ', 1)[0] ?? ''] : undefined,
        ),
      );
      return (isFirst ? [header, ...body] : body).join('\n');
    },
  };
}

function tabbed<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return rows
    .map((row) =>
      columns
        .map(({ id, atMs, text }) => {
          const ms = atMs?.(row);
          const at = typeof ms === 'number' ? new Date(ms).toISOString() : undefined;
          return safe(id?.(row) ?? at ?? text?.(row) ?? '');
        })
        .join('\t'),
    )
    .join('\n');
}

function shownCells<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  nowMs: number,
): string[][] {
  const short = columns.map(({ id }) => (id === undefined ? null : shortIds(rows.map(id))));
  return rows.map((row) =>
    columns.map(({ id, atMs, text }, at) => {
      if (id !== undefined) return safe(short[at]?.get(id(row)) ?? id(row));
      const ms = atMs?.(row);
      return safe(typeof ms === 'number' ? relativeTo(ms, nowMs) : text?.(row) || NONE);
    }),
  );
}

/** A text of somebody else's is one cell, and drives nothing. */
function safe(text: string): string {
  return forTerminal(oneLine(text));
}

/** The first eight digits of each, or as many more as tell it from the others. */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const all = [...new Set(ids)];
  return new Map(
    all.map((id) => {
      let length = SHORT_ID;
      while (all.some((other) => other !== id && other.startsWith(id.slice(0, length))))
        length += 1;
      return [id, id.slice(0, length)];
    }),
  );
}

/** `3h ago`, `in 2d`. */
export function relativeTo(ms: number, nowMs: number): string {
  const left = ms - nowMs;
  if (left <= 0) return ageOf(ms, nowMs);
  if (left < MINUTE_MS) return 'in a moment';
  if (left < HOUR_MS) return `in ${Math.round(left / MINUTE_MS)}m`;
  if (left < 2 * DAY_MS) return `in ${Math.round(left / HOUR_MS)}h`;
  return `in ${Math.round(left / DAY_MS)}d`;
}

/** As wide as the cells are; where that is too much, the widest that may be cut gives way. */
function widthsFor<Row>(
  columns: readonly Column<Row>[],
  rows: readonly (readonly string[])[],
  most: number,
): number[] {
  const widths = columns.map(({ least = 0 }, at) =>
    Math.max(least, ...rows.map((row) => widthOf(row[at] ?? ''))),
  );
  let over = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - most;
  while (over > 0) {
    const cut = widths.map((width, at) => (columns[at]?.isCut && width > LEAST_CUT ? width : 0));
    const widest = Math.max(...cut);
    if (widest === 0) break;
    widths[cut.indexOf(widest)] = widest - 1;
    over -= 1;
  }
  return widths;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Of East Asian scripts, and pictures. */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

/** Columns of a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

function cutTo(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  let cut = '';
  let width = 1;
  for (const { segment } of graphemes.segment(text)) {
    width += WIDE.test(segment) ? 2 : 1;
    if (width > most) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}
