/** The numbers as people read them; the same text is valid Markdown. Pure. */
import type { Scores } from '../metrics.js';
import { KINDS } from './dataset.js';
import type { ByKind, Measured, WhenEvaluation } from './measure.js';
import type { SizeResult } from './sizes.js';

export function tableOf(evaluation: WhenEvaluation): string {
  const { dataset, entries, sections, bm25, bm25OfEntries, ours } = evaluation;
  const head = ['search', 'recall@1', 'recall@5', 'recall@10', 'MRR', 'ms', 'p95'];
  const plain = (name: string, scores: Scores) => [name, ...cellsOf(scores), '', ''];
  const kinds = (byKind: ByKind) =>
    KINDS.flatMap((kind) => {
      const scores = byKind[kind];
      return scores ? [plain(`– ${scores.queries} ${kind} ones`, scores)] : [];
    });
  const rows = [
    plain('plain BM25', bm25),
    ...kinds(bm25.byKind),
    plain('plain BM25, entries only', bm25OfEntries),
  ];
  const times = [ours.msPerQuery.median.toFixed(2), ours.msPerQuery.p95.toFixed(2)];
  rows.push(['**ours**', ...cellsOf(ours), ...times], ...kinds(ours.byKind));
  return [
    `### ${dataset}: ${bm25.queries} questions, ${entries} entries, ${sections} sections`,
    '',
    ...grid(head, rows),
    '',
    ...ratesOf(ours),
  ].join('\n');
}

function ratesOf({ floor, offers, calibration, sizes }: Measured): string[] {
  const { rightGiven, wrongRefused, unrelatedRefused } = floor;
  const lines = [
    `Floor: ${percent(rightGiven)} of right answers given, ${percent(wrongRefused)} of wrong ones refused` +
      (unrelatedRefused === null
        ? '.'
        : `, ${percent(unrelatedRefused)} of unrelated questions refused.`),
  ];
  if (offers !== null) {
    lines.push(
      `Unasked: ${offers.offered} offers for ${offers.messages} messages, precision ${percent(offers.precision)}, recall ${percent(offers.recall)}.`,
    );
  }
  const rows = calibration.map(({ from, answers, meanConfidence, right }) => [
    from.toFixed(1),
    String(answers),
    short(meanConfidence),
    short(right),
  ]);
  const bySize = sizes === undefined ? [] : ['', 'By size:', '', ...sizesOf(sizes)];
  return [...lines, '', ...grid(['confidence from', 'answers', 'mean', 'right'], rows), ...bySize];
}

function sizesOf(sizes: readonly SizeResult[]): string[] {
  const head = ['entries', 'right given', 'wrong', 'removed', 'off topic', 'borrowed word'];
  return grid(
    [...head, 'given right', 'calibration off by', 'offers right', 'offers made'],
    sizes.map((one) => [
      one.size === null ? 'all' : String(one.size),
      short(one.rightGiven),
      short(one.wrongRefused),
      one.removedRefused === null ? '' : short(one.removedRefused),
      short(one.offTopicRefused),
      short(one.borrowedRefused),
      short(one.givenRight),
      short(one.calibrationError),
      short(one.offerPrecision),
      short(one.offerRecall),
    ]),
  );
}

function grid(head: readonly string[], rows: readonly string[][]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    line(head.map((_, column) => (column === 0 ? '---' : '---:'))),
    ...rows.map(line),
  ];
}

function cellsOf({ recall, mrr }: Scores): string[] {
  return [recall['1'], recall['5'], recall['10'], mrr].map(short);
}

function short(value: number): string {
  return value.toFixed(3).replace(/^0/, '');
}

function percent(value: number): string {
  return `${(100 * value).toFixed(0)} %`;
}
