/** Runs the examples of the documentation: what stands behind `// →` is what comes out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as cue from '../../src/index.js';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');

/** Blocks marked ```ts; ```typescript is shown only. */
function examplesOf(file: string): string[] {
  const text = readFileSync(join(DOCS, file), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '');
}

const blocks = readdirSync(DOCS)
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) => examplesOf(file).map((code, index) => ({ file, index, code })));

describe('examples of the documentation', () => {
  it('there are some', () => {
    expect(blocks.length).toBeGreaterThan(0);
  });

  it.each(blocks)('$file, example $index', ({ code }) => {
    const names = [...code.matchAll(/^import \{([^}]+)\} from 'plugin-cue';$/gm)].flatMap((match) =>
      (match[1] ?? '').split(',').map((name) => name.trim()),
    );
    for (const name of names) expect(cue).toHaveProperty(name);
    const expected: string[] = [];
    const script = code
      .replace(/^import .*$/gm, '')
      .replaceAll(' as const', '')
      .split('\n')
      .map((line) => {
        const shown = /^(.*); \/\/ → (.+)$/.exec(line);
        if (!shown) return line;
        expected.push(shown[2] ?? '');
        return `results.push(${shown[1]});`;
      })
      .join('\n');
    const results: unknown[] = [];
    const run = new Function('results', ...names, script);
    run(results, ...names.map((name) => Reflect.get(cue, name)));
    expect(results).toEqual(expected.map((json) => JSON.parse(json)));
  });
});
