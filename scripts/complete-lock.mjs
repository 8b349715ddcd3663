/**
 * Completes package-lock.json after an `npm install` against a registry that does not carry the
 * binaries of every platform: npm leaves those optional packages out of the lock file, and then
 * `npm ci` refuses it as out of sync, here and on the platforms concerned (npm/cli#9846).
 * Adds name, version, os, cpu and libc as the package's name tells them; npm fills in the rest.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const CPU = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];
const LIBC = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

/** `{ os, cpu, libc }` as a platform package's name spells them. */
export function platformOf(name) {
  const words = name.split(/[-_/]/);
  const pick = (list) => list.filter((word) => words.includes(word));
  const libc = words.flatMap((word) => LIBC[word] ?? []);
  const isLinux = words.includes('linux');
  return {
    cpu: pick(CPU),
    ...(isLinux && libc.length > 0 ? { libc } : {}),
    os: pick(OS),
  };
}

/** Where Node would look for `name` from the package at `path`, nearest first. */
function* lookups(path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
    yield `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (at === '') return;
  }
}

/** The optional packages that the lock file asks for and does not have. */
export function missingOptionals(lock) {
  const missing = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const found = [...lookups(path, name)].some((place) => lock.packages[place]);
      if (!found) missing.push({ name, version, owner: path });
    }
  }
  return missing;
}

/** Adds what is missing and drops what nothing asks for; returns how many entries changed. */
export function completeLock(lock) {
  const missing = missingOptionals(lock);
  for (const { name, version, owner } of missing) {
    const { dev, license } = lock.packages[owner];
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(dev ? { dev } : {}),
      license,
      optional: true,
    };
  }
  const extraneous = Object.keys(lock.packages).filter((path) => lock.packages[path].extraneous);
  for (const path of extraneous) delete lock.packages[path];
  const byPath = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  lock.packages = Object.fromEntries(byPath);
  return missing.length + extraneous.length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const changed = completeLock(lock);
  if (changed > 0) writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`package-lock.json: ${changed} entries completed or dropped`);
}
