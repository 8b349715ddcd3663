/**
 * Builds dist/ from src/, and only when what it is made of has changed. It is made in a folder beside dist/, and
 * the result is moved over file by file: a `cue` that runs meanwhile finds every module of its own version.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const STAMP = '.built-from';
const CHUNKS = 'chunks';
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

/** Packages that become part of our files: each is read by a command that must start fast, or is too large. */
const BUILT_IN = ['commander', 'gpt-tokenizer', 'markdown-it', 'stemmer'];
/** What is loaded by its name, by Node or by whoever uses the package; all else lies in `chunks/`. */
const ENTRIES = {
  index: 'index',
  'bin/commands': 'chunks/commands',
  // For the demo, and for the test of an installed package.
  'shared/dir-lock': 'chunks/dir-lock',
  'embeddings/index': 'chunks/embeddings',
  'embeddings/worker': 'embeddings/worker',
  'memory/index-worker': 'memory/index-worker',
};
/** Each is one file by itself, and no module: Node starts a script in two thirds of the time. */
const PROGRAMS = ['bin/cue', 'bin/nudge', 'bin/when'];

/**
 * The modules of `src/`, joined into few files: Node takes most of a millisecond for each that it loads. Whatever
 * two entries share is one file, so that no module exists twice in a process.
 */
export async function bundle(folder) {
  const { build } = await import('esbuild');
  const options = {
    outdir: folder,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    // Names and lines stay, for the stack traces of users; comments go.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 120,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  };
  const modules = await build({
    ...options,
    entryPoints: Object.entries(ENTRIES).map(([from, out]) => ({ in: sourceOf(from), out })),
    chunkNames: `${CHUNKS}/[name]-[hash]`,
    splitting: true,
    format: 'esm',
    plugins: [ownPlaces, packages],
  });
  const programs = await build({
    ...options,
    entryPoints: PROGRAMS.map((name) => ({ in: sourceOf(name), out: name })),
    format: 'cjs',
    define: { 'import.meta.url': '__url' },
    banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [commandsBeside, packages],
  });
  writeFileSync(join(folder, 'bin', 'package.json'), '{ "type": "commonjs" }\n');
  const inputs = [modules, programs].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const names = new Set(inputs.flatMap((path) => packageIn(path)?.name ?? []));
  writeFileSync(join(folder, 'licenses.txt'), [...names].sort().map(licenceOf).join('\n\n'));
}

const sourceOf = (name) => join(root, 'src', `${name}.ts`);

/** What a program does not hold itself. */
const commandsBeside = {
  name: 'commands',
  setup({ onResolve, onLoad }) {
    // To import a script takes three milliseconds more than to require it.
    onLoad({ filter: /\/src\/bin\/cue\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace("import('./when.js')", "require('./when.js')"),
      loader: 'ts',
    }));
    onResolve({ filter: /^\.\/when\.js$/ }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /^\.\/commands\.js$/ }, ({ importer }) =>
      dirname(importer) === join(root, 'src', 'bin')
        ? { path: `../${ENTRIES['bin/commands']}.js`, external: true }
        : undefined,
    );
  },
};

/** A module that looks for files beside itself finds them where it would lie by itself. */
const ownPlaces = {
  name: 'own places',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const place = relative(join(root, 'src'), path).replace(/\.ts$/, '.js');
      // Each file that holds such a module lies one folder below dist/.
      const url = `new URL('../${place}', import.meta.url).href`;
      return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
};

const packages = {
  name: 'packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      if (path.startsWith('node:') || isBuiltin(path)) {
        // A `require` of Node's own is none in a module: it is asked for when it is used.
        return kind === 'require-call' ? { path, namespace: 'node' } : { path, external: true };
      }
      const isOurs = !importer.includes('node_modules');
      return isOurs && !BUILT_IN.includes(nameOf(path)) ? { path, external: true } : undefined;
    });
    onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, {
        get: (_, name) => process.getBuiltinModule(${JSON.stringify(path)})[name],
      });`,
    }));
  },
};

/** `@scope/name` of `@scope/name/file`. */
function nameOf(path) {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

function packageIn(path) {
  const at = path.lastIndexOf('node_modules/');
  return at < 0 ? null : { name: nameOf(path.slice(at + 'node_modules/'.length)) };
}

function licenceOf(name) {
  const directory = join(root, 'node_modules', name);
  const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence that could be passed on`);
  return `${name}\n\n${readFileSync(join(directory, file), 'utf8').trim()}\n`;
}

/** The data files that modules read beside themselves. */
export async function writeData(folder) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [sourceOf('shared/token-table')],
    ...{ write: false, format: 'esm', platform: 'node', target: 'node20' },
  });
  const module = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;
  const { packedTokens } = await import(module);
  const { default: tokens } = await import('gpt-tokenizer/bpeRanks/o200k_base');
  mkdirSync(join(folder, 'shared'), { recursive: true });
  writeFileSync(join(folder, 'shared', 'o200k.br'), brotliCompressSync(packedTokens(tokens)));

  const source = join(root, 'src');
  for (const file of filesBelow(source).filter((path) => path.endsWith('.json'))) {
    const to = join(folder, relative(source, file));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(file, to);
  }
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

/** A process of a former build may load what it has not loaded yet for so long, ms. */
const FORMER_MS = 7 * 24 * 60 * 60 * 1_000;

/**
 * Makes `target` hold what `fresh` holds: what is new comes first, then each changed file is replaced in one step,
 * and what is no longer part of the build goes last, when nothing new refers to it. Chunks of former builds stay
 * for a week, for processes that have begun with them; no package takes them along.
 */
export function replaceTree(fresh, target) {
  const names = filesBelow(fresh).map((file) => relative(fresh, file));
  const isThere = (name) => existsSync(join(target, name));
  for (const name of [...names.filter((name) => !isThere(name)), ...names.filter(isThere)]) {
    const to = join(target, name);
    if (isThere(name) && readFileSync(to).equals(readFileSync(join(fresh, name)))) continue;
    mkdirSync(dirname(to), { recursive: true });
    renameSync(join(fresh, name), to);
  }
  const now = new Date();
  for (const name of names.filter(isChunk)) utimesSync(join(target, name), now, now);
  const wanted = new Set(names);
  const unwanted = filesBelow(target)
    .map((file) => relative(target, file))
    .filter((name) => !wanted.has(name));
  const isKept = (name) =>
    isChunk(name) && statSync(join(target, name)).mtimeMs > now.getTime() - FORMER_MS;
  const kept = unwanted.filter(isKept);
  for (const name of unwanted) if (!kept.includes(name)) rmSync(join(target, name));
  if (kept.length > 0) {
    writeFileSync(
      join(target, CHUNKS, '.npmignore'),
      kept.map((name) => basename(name)).join('\n'),
    );
  }
}

const isChunk = (name) => dirname(name) === CHUNKS && name.endsWith('.js');

async function main() {
  const dist = join(root, 'dist');
  const stamp = fingerprint();
  if (read(join(dist, STAMP)) === stamp) return 0;
  const reason = existsSync(dist) ? 'the sources have changed' : 'there is no dist/ yet';
  process.stderr.write(`Building dist/ (${reason}): half a minute, longer on a slow machine.\n`);
  const fresh = mkdtempSync(join(root, '.build-'));
  try {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const args = [
      compiler,
      '-p',
      join(root, 'tsconfig.build.json'),
      '--emitDeclarationOnly',
      '--outDir',
      fresh,
    ];
    const compiled = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
    if (compiled.error) throw compiled.error;
    if (compiled.status !== 0) return compiled.status ?? 1;
    pruneDeclarations(fresh);
    await bundle(fresh);
    await writeData(fresh);
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
