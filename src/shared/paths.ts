/**
 * File paths as memories name them: one spelling for Windows and the rest, and the keys by which a
 * path is found from its end (`auth.ts` finds `src/auth.ts`, never `oauth.ts`; DESIGN §7).
 */

const MAX_LENGTH = 1_024;
const MAX_KEYS = 8;

/**
 * The path with forward slashes, without `.`, `..`, doubled and trailing slashes; letter case is
 * kept. `C:\a` is `C:/a`; a web address keeps its scheme. The finding says in words what is wrong:
 * empty, longer than 1,024 characters, NUL in it, or `..` above its own root.
 */
export function normalizePath(path: string): { path: string } | { finding: string } {
  const trimmed = path.length > MAX_LENGTH * 4 ? path : path.trim();
  if (trimmed === '') return { finding: 'must not be empty' };
  if (trimmed.length > MAX_LENGTH) {
    return { finding: `must have at most ${MAX_LENGTH} characters` };
  }
  if (trimmed.includes('\u0000')) return { finding: 'must not contain NUL characters' };
  const slashed = trimmed.replaceAll('\\', '/').replace(/^file:\/\/(?=\/)/i, '');
  const root = /^(?:[a-z][a-z0-9+.-]+:\/\/|\/?[a-z]:(?:\/|$)|\/|~\/)/i.exec(slashed)?.[0] ?? '';
  const parts: string[] = [];
  for (const part of slashed.slice(root.length).split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return { finding: 'must not lead out with ".."' };
  }
  const prefix = /^\/?[a-z]:/i.test(root) ? `${root.replace(/[/]/g, '')}/` : root;
  const whole = prefix + parts.join('/');
  return whole === '' ? { finding: 'names no file' } : { path: whole };
}

/**
 * What a path is looked up by: each of its ends at a component boundary, lower-cased, longest
 * first, at most 8 components. `src/auth.ts` → `src/auth.ts`, `auth.ts`. A path that cannot be
 * normalised has none. To find what a query names, look up its first key.
 */
export function pathKeys(path: string): string[] {
  const normal = normalizePath(path);
  if ('finding' in normal) return [];
  const parts = normal.path
    .normalize('NFC')
    .toLowerCase()
    .replace(/^~?\//, '')
    .split('/')
    .filter((part) => part !== '')
    .slice(-MAX_KEYS);
  return parts.map((_, index) => parts.slice(index).join('/'));
}

const IN_EVERY_FOLDER =
  /^(?:index|mod|main|page|layout|route|types|__init__|conftest|readme|license|changelog|package|package-lock|tsconfig|makefile|dockerfile|docker-compose|cargo|go|pom|requirements|setup)(?:\.|$)|^\./i;

/** Files that many folders of one project have by convention: the name alone says little. */
export function isInEveryFolder(name: string): boolean {
  return IN_EVERY_FOLDER.test(name);
}

const FOLDERS = new Set(
  'src lib libs app apps bin test tests __tests__ spec docs doc dist build packages scripts config public static assets components node_modules include cmd internal pkg server client api etc usr var home'.split(
    ' ',
  ),
);
const BARE_FILES =
  /^(?:\.[a-z][\w.-]*|makefile|dockerfile|jenkinsfile|procfile|rakefile|gemfile|license|readme|changelog|codeowners)$/i;
const EXTENSION = /[^/.][^/]*\.[a-z][a-z0-9]{0,9}$/i;
const ABBREVIATION = /^(?:e\.g|i\.e|a\.m|p\.m|u\.s|etc|vs)\.?$/i;

/**
 * Whether one word of a text is meant as a file or folder: it begins like a path, ends like a file
 * name, or begins with a usual folder. "and/or", "1.2.3", addresses and e-mails are none.
 */
export function looksLikePath(text: string): boolean {
  const word = text.trim();
  if (word === '' || word.length > MAX_LENGTH || /[\s"'<>|*?\0]/.test(word)) return false;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(word) || word.includes('@')) return false;
  const slashed = word.replaceAll('\\', '/');
  if (/^(?:\.{1,2}|~|[a-z]:)\/./i.test(slashed)) return true;
  if (/^\/[^/]/.test(slashed)) return slashed.includes('/', 1) || EXTENSION.test(slashed);
  if (ABBREVIATION.test(word)) return false;
  if (!slashed.includes('/')) return BARE_FILES.test(slashed) || EXTENSION.test(slashed);
  const parts = slashed.split('/');
  return EXTENSION.test(slashed) || FOLDERS.has(parts[0]?.toLowerCase() ?? '');
}
