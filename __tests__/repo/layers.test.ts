/**
 * The linter enforces the layers (DESIGN §2): shown with fixtures that must fail, and with every
 * pair of rooms.
 */
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const FIXTURES = join(ROOT, '__tests__', 'fixtures', 'layers');
const BIOME = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');

/** Left of a room stands what it may import; rooms of one group may not import each other. */
const LAYERS = [
  ['shared'],
  ['host', 'language'],
  ['records'],
  ['embeddings'],
  ['triggers', 'autonomy', 'memory', 'when', 'hints'],
  ['proactive'],
  ['operations'],
  ['surfaces'],
  ['server'],
  ['plugin'],
  ['bin'],
];
const ROOMS = LAYERS.flat();

const run = promisify(execFile);

interface Report {
  diagnostics: { category: string; location: { path: string; start: { line: number } } }[];
}

/** Lints a tree with this repository's own rules and returns `path:line category`, sorted. */
async function lint(tree: string): Promise<string[]> {
  cpSync(join(ROOT, 'biome.json'), join(tree, 'biome.json'));
  cpSync(join(ROOT, 'package.json'), join(tree, 'package.json'));
  cpSync(join(ROOT, 'scripts', 'lint'), join(tree, 'scripts', 'lint'), { recursive: true });
  const args = [BIOME, 'lint', '--reporter=json', '--max-diagnostics=none', 'src'];
  // Exit code 1 only says that something was found; without a report there is nothing to parse.
  const { stdout } = await run(process.execPath, args, { cwd: tree }).catch(
    (failure: { stdout: string }) => failure,
  );
  const { diagnostics } = JSON.parse(stdout) as Report;
  const found = diagnostics.map(({ category, location }) => {
    const path = location.path.replaceAll('\\', '/');
    return `${path}:${location.start.line} ${category}`;
  });
  return [...new Set(found)].sort();
}

function sourcesIn(tree: string): string[] {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.ts'))
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** What the `// expect: rule` marks in the sources ask for, as `lint` reports it. */
function marksIn(tree: string): string[] {
  return sourcesIn(tree)
    .flatMap((path) =>
      readFileSync(join(tree, path), 'utf8')
        .split('\n')
        .flatMap((line, at) => {
          const mark = /\/\/ expect: (\S+)$/.exec(line);
          return mark ? [`${path}:${at + 1} ${mark[1]}`] : [];
        }),
    )
    .sort();
}

function layerOf(room: string): number {
  return LAYERS.findIndex((layer) => layer.includes(room));
}

function fileName(from: string, to: string): string {
  return `src/${from}/imports-${to}.ts`;
}

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cue-layers-'));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('the linter', () => {
  it('reports every marked line of the fixtures, with its rule, and no other', async () => {
    const tree = join(directory, 'fixtures');
    cpSync(FIXTURES, tree, { recursive: true });

    const expected = marksIn(tree);
    expect(expected.length).toBeGreaterThan(15);
    expect(await lint(tree)).toEqual(expected);
  });

  it('lets a room import exactly the rooms of the layers before its own', async () => {
    const tree = join(directory, 'pairs');
    const refused: string[] = [];
    for (const from of ROOMS) {
      mkdirSync(join(tree, 'src', from), { recursive: true });
      for (const to of ROOMS.filter((room) => room !== from)) {
        const path = fileName(from, to);
        writeFileSync(
          join(tree, path),
          `import { door } from '../${to}/index.js';\n\nexport const seen = door;\n`,
        );
        if (layerOf(to) >= layerOf(from)) refused.push(`${path}:1 lint/style/noRestrictedImports`);
      }
    }

    expect(await lint(tree)).toEqual(refused.sort());
  });

  // The linter follows no imports of types only.
  it('leaves no circle of imports, those of types and those on demand included', () => {
    const files = sourcesIn(join(ROOT, 'src'));
    const imports = new Map(
      files.map((file) => {
        const text = readFileSync(join(ROOT, 'src', file), 'utf8');
        const named = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g)];
        return [file, named.map(([, path]) => posix.join(posix.dirname(file), `${path}.ts`))];
      }),
    );
    const done = new Set<string>();
    const way: string[] = [];
    const circleFrom = (file: string): string[] | null => {
      if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
      if (done.has(file)) return null;
      way.push(file);
      for (const next of imports.get(file) ?? []) {
        const circle = circleFrom(next);
        if (circle) return circle;
      }
      way.pop();
      done.add(file);
      return null;
    };

    expect(files.length).toBeGreaterThan(100);
    expect(files.map(circleFrom).find((circle) => circle !== null)).toBeUndefined();
  });

  it('has a rule for every folder of src', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);

    expect(folders.filter((folder) => !ROOMS.includes(folder))).toEqual([]);
  });
});
