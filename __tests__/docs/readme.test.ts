/** The numbers of the README against the pages that they are taken from. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');

/** The cells of the first row that begins so, below a line of the page. */
function row(page: string, below: string, first: string): string[] {
  const rows = page.slice(page.indexOf(below)).split('\n');
  const found = rows.find((line) => line.startsWith(`| ${first} |`)) ?? '';
  return found.split('|').map((cell) => cell.trim());
}

describe('README.md', () => {
  it('fits a screen', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(121);
  });

  it('has the recall of docs/recall.md', () => {
    const page = read('docs/recall.md');
    const [, , , , ours] = row(page, '**cosqa: 500 questions**', '**recall (built-in)**');
    const [, , , , plain] = row(page, '**cosqa: 500 questions**', 'plain BM25');
    expect(readme).toContain(`| ${ours} of CoSQA's questions, plain BM25 ${plain} |`);
  });

  it('has the milliseconds of docs/benchmarks.md', () => {
    const page = read('docs/benchmarks.md');
    const cells = row(page, '## Memory', 'semantic recall / searchMemories');
    const at50000 = cells[4]?.replaceAll('**', '');
    const host = cells.find((cell) => cell.includes('×'))?.split(' ')[0];
    expect(readme).toContain(`| ${at50000} ms, the host's own search ${host} ms (p95) |`);
  });
});
