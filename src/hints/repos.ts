/**
 * Which names mean one repository. `git@github.com:org/repo.git`, `https://github.com/org/repo`,
 * `ssh://git@github.com/org/repo` and `github.com/org/repo` are equal: host and path count, letter
 * case, `.git`, the user and a protocol's own port do not. `git:org/repo` and `org/repo` name no host:
 * in a scope they stand for the path on any host; somebody who asks without a host fits only those.
 * `file:///srv/repo`, `/srv/repo` and `C:\repo` are folders of one machine. Pure.
 */

/** `host` is `null` when none is named, and empty for a folder. */
export interface Repo {
  host: string | null;
  path: string;
}

const OWN_PORTS: Readonly<Record<string, string>> = {
  ssh: '22',
  http: '80',
  https: '443',
  git: '9418',
};
const DRIVE = /^[a-z]:(?:[\\/]|$)/i;

/** `null`: names no repository. */
export function readRepo(name: string): Repo | null {
  const text = name.trim();
  if (text === '' || /\p{Cc}/u.test(text)) return null;
  const [, scheme, rest = ''] = /^(?:git\+)?([a-z][a-z0-9.-]*):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme?.toLowerCase() === 'file') return fileUrl(rest);
  if (scheme !== undefined) return remote(scheme.toLowerCase(), rest);
  if (text.startsWith('/') || text.startsWith('\\\\') || DRIVE.test(text)) return folder(text);
  if (/^[.~]/.test(text)) return null;
  const named = /^git:(.+)$/is.exec(text)?.[1] ?? text;
  // As `scp` writes it: `[user@]host:path`.
  const [, host, path = ''] = /^(?:[^@/\s]+@)?([^@/:\s]+):(.+)$/s.exec(named) ?? [];
  if (host !== undefined) return hosted(host, path);
  const parts = named.split('/').filter((part) => part !== '');
  const [first = '', ...others] = parts;
  // A host has a dot in it, and below it an owner and a repository.
  if (first.includes('.') && others.length >= 2) return hosted(first, others.join('/'));
  return hosted(null, named);
}

/** Whether the repository of a scope is the one of the context. */
export function isSameRepo(wanted: Repo, asked: Repo): boolean {
  if (wanted.path !== asked.path) return false;
  return wanted.host === asked.host || (wanted.host === null && asked.host !== '');
}

/** Equal for names that mean the same to a scope. */
export function repoKey(name: string): string {
  const repo = readRepo(name);
  if (repo === null) return name.trim();
  return repo.host === null ? `git:${repo.path}` : `${repo.host || 'file:'}/${repo.path}`;
}

function remote(scheme: string, rest: string): Repo | null {
  const [, authority = '', path = ''] = /^([^/]*)\/(.*)$/s.exec(rest) ?? [];
  const [, host, port] = /^(?:.*@)?([^@]*?)(?::(\d+))?$/s.exec(authority) ?? [];
  if (host === undefined || host === '') return null;
  return hosted(port === undefined || OWN_PORTS[scheme] === port ? host : `${host}:${port}`, path);
}

function hosted(host: string | null, path: string): Repo | null {
  const plain = decoded(path.replace(/[?#].*$/s, ''))
    .split('/')
    .filter((part) => part !== '')
    .join('/')
    .replace(/\.git$/i, '')
    .toLowerCase();
  return plain === '' ? null : { host: host?.toLowerCase() ?? null, path: plain };
}

function fileUrl(rest: string): Repo | null {
  const path = decoded(rest).replace(/^localhost(?=\/)/i, '');
  // `file://server/share` is a folder of another machine.
  return folder(path.startsWith('/') ? path.replace(/^\/(?=[a-z]:)/i, '') : `//${path}`);
}

function folder(path: string): Repo {
  const isWindows = DRIVE.test(path) || path.startsWith('\\\\');
  const slashed = isWindows ? path.replaceAll('\\', '/').toLowerCase() : path;
  const plain = slashed
    .normalize('NFC')
    .replace(/(?<=.)\/{2,}/g, '/')
    .replace(/(?<=.)\/+$/, '');
  return { host: '', path: plain };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded: a per cent sign that stands for itself.
    return text;
  }
}
