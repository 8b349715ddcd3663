/** From what the children of a suite have measured to its rows. */
import { type BlockDuring, noteOfLong } from './statement-watch.js';
import { type Row, type RowInput, rowOf } from './stats.js';

type Samples<Name extends string> = Partial<Record<Name, number[]>>;

/** What one child has measured; the names are the same for the way beside. */
export interface MeasuredPart<Name extends string> {
  samples: Samples<Name>;
  beside?: Samples<Name>;
  blocks?: BlockDuring[];
  notes?: Partial<Record<Name, string>>;
}

export type MeasuredLine<Name extends string> = Omit<RowInput, 'at' | 'ours' | 'beside'> & {
  name: Name;
};

/**
 * One row for each line that something was measured of.
 *
 * @param of.host what the host alone took for the same
 * @param of.measuredAs the sample of ours that a line is about, where it bears another name
 */
export function rowsOf<Name extends string>(
  lines: readonly MeasuredLine<Name>[],
  of: {
    at: number;
    reports: readonly MeasuredPart<Name>[];
    host: Samples<Name>;
    measuredAs?: (name: Name) => Name;
  },
): Row[] {
  const { at, reports, host, measuredAs = (name) => name } = of;
  const all = (name: Name, from: (report: MeasuredPart<Name>) => Samples<Name> | undefined) =>
    reports.flatMap((report) => from(report)?.[name] ?? []);
  const blocks = reports.flatMap((report) => report.blocks ?? []);
  return lines.flatMap(({ name, ...line }) => {
    const ours = all(measuredAs(name), ({ samples }) => samples);
    if (ours.length === 0) return [];
    const beside = [...all(name, (report) => report.beside), ...(host[name] ?? [])];
    const note = reports.map(({ notes }) => notes?.[name]).find((one) => one !== undefined);
    return [
      rowOf({
        ...line,
        ...{ at, ours },
        ...(beside.length > 0 ? { beside } : {}),
        ...(note === undefined ? {} : { note }),
        ...(name === 'statement' ? noteOfLong(blocks) : {}),
      }),
    ];
  });
}
