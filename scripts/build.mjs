/**
 * Builds dist/ from src/, and only when what it is made of has changed. The compiler writes into a folder
 * beside dist/, and the result is moved over file by file: a `cue` that runs meanwhile finds every
 * module, of the version before or of the new one.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const STAMP = '.built-from';
const SOURCES = ['src', 'panel', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

function filesBelow(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Hash of the names and contents of everything that a build reads. */
function fingerprint() {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  for (const source of SOURCES) {
    const path = join(root, source);
    for (const file of statSync(path).isDirectory() ? filesBelow(path) : [path]) {
      const bytes = readFileSync(file);
      hash.update(`${relative(root, file)}\0${bytes.length}\0`).update(bytes);
    }
  }
  return hash.digest('hex');
}

/** The file at `path`, or '' where there is none. */
function read(path) {
  return existsSync(path) ? readFileSync(path, 'latin1') : '';
}

/** Declarations that the public door does not lead to are of no use to whoever installs the package. */
function pruneDeclarations(folder) {
  const reached = new Set();
  const open = [join(folder, 'index.d.ts')];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const found = readFileSync(file, 'utf8').matchAll(
      /(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g,
    );
    for (const [, specifier] of found) open.push(`${join(dirname(file), specifier)}.d.ts`);
  }
  for (const file of filesBelow(folder)) {
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
}

/** gpt-tokenizer installs 30 MB for its encodings: the one that counts here becomes part of our module. */
async function bundleTokenizer(folder) {
  const { build } = await import('esbuild');
  const file = join(folder, 'shared', 'tokens.js');
  const manifest = createRequire(import.meta.url).resolve('gpt-tokenizer/package.json');
  const licence = readFileSync(join(dirname(manifest), 'LICENSE'), 'utf8').trim();
  await build({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    minify: true,
    legalComments: 'inline',
    banner: { js: `/*! Contains gpt-tokenizer.\n${licence}\n*/` },
    logLevel: 'warning',
  });
}

/** The pages of the panel, as the browser takes them. */
async function buildPanel(folder) {
  // Tests build, too, and theirs is NODE_ENV=test: with it React would come with its checks for development.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({
    configFile: join(root, 'panel', 'vite.config.ts'),
    build: { outDir: join(folder, 'panel') },
    logLevel: 'warn',
  });
}

/**
 * Makes `target` hold what `fresh` holds. Each changed file is replaced in one step, and what is no longer
 * part of the build goes last, when nothing new refers to it.
 */
export function replaceTree(fresh, target) {
  const names = filesBelow(fresh).map((file) => relative(fresh, file));
  for (const name of names) {
    const to = join(target, name);
    if (existsSync(to) && readFileSync(to).equals(readFileSync(join(fresh, name)))) continue;
    mkdirSync(dirname(to), { recursive: true });
    renameSync(join(fresh, name), to);
  }
  const wanted = new Set(names);
  for (const file of filesBelow(target)) {
    if (!wanted.has(relative(target, file))) rmSync(file);
  }
}

async function main() {
  const dist = join(root, 'dist');
  const stamp = fingerprint();
  if (read(join(dist, STAMP)) === stamp) return 0;
  const reason = existsSync(dist) ? 'the sources have changed' : 'there is no dist/ yet';
  process.stderr.write(`Building dist/ (${reason}): half a minute, longer on a slow machine.\n`);
  const fresh = mkdtempSync(join(root, '.build-'));
  try {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const args = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', fresh];
    const compiled = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
    if (compiled.error) throw compiled.error;
    if (compiled.status !== 0) return compiled.status ?? 1;
    await bundleTokenizer(fresh);
    pruneDeclarations(fresh);
    await buildPanel(fresh);
    mkdirSync(dist, { recursive: true });
    // A build that is killed half way leaves no stamp, so that the next one does it again.
    rmSync(join(dist, STAMP), { force: true });
    replaceTree(fresh, dist);
    writeFileSync(join(dist, STAMP), stamp);
    return 0;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
