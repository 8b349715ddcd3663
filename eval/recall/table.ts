/** The numbers as people read them; the same text is valid Markdown. Pure. */
import { CUTS, type Scores } from '../metrics.js';
import { DIFFICULTIES } from './dataset.js';
import { PARTS, type RecallEvaluation } from './measure.js';

export function tableOf({ dataset, embedders, bm25 }: RecallEvaluation): string {
  const head = ['search', ...CUTS.map((cut) => `recall@${cut}`), 'MRR', 'nDCG@10', 'ms', 'p95'];
  const rows = [['plain BM25', ...cellsOf(bm25), '', '']];
  for (const embedder of embedders) {
    const { parts, byDifficulty, msPerQuery } = embedder;
    if (parts) {
      for (const part of PARTS) {
        rows.push([`${part} (${embedder.id})`, ...cellsOf(parts[part]), '', '']);
      }
    }
    const times = [msPerQuery.median.toFixed(1), msPerQuery.p95.toFixed(1)];
    rows.push([`**recall (${embedder.id})**`, ...cellsOf(embedder), ...times]);
    for (const difficulty of DIFFICULTIES) {
      const scores = byDifficulty?.[difficulty];
      if (scores) rows.push([`– ${scores.queries} ${difficulty} ones`, ...cellsOf(scores), '', '']);
    }
  }
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [
    `### ${dataset}: ${bm25.queries} questions`,
    '',
    line(head),
    line(head.map((_, column) => (column === 0 ? '---' : '---:'))),
    ...rows.map(line),
    '',
    ...embedders.map(floorOf),
  ].join('\n');
}

function floorOf({ id, recall, floor }: RecallEvaluation['embedders'][number]): string {
  const share = (100 * floor.silent) / Math.max(1, floor.unrelated);
  return `With the floor (${id}): recall@5 ${fixed(floor.recall5)} instead of ${fixed(recall['5'])}, recall@10 ${fixed(floor.recall10)} instead of ${fixed(recall['10'])}; ${share.toFixed(0)} % of ${floor.unrelated} unrelated questions are answered with nothing. Calibration error of confidence ${fixed(floor.calibrationError)}.`;
}

function cellsOf({ recall, mrr, ndcg10 }: Scores): string[] {
  const values = [recall['1'], recall['5'], recall['10'], recall['25'], recall['50'], mrr, ndcg10];
  return values.map(fixed);
}

function fixed(value: number): string {
  return value.toFixed(3).replace(/^0/, '');
}
