/**
 * Whether a hint is eligible in a context (seed `nudge.md` §4). It fails closed: every field of the scope
 * must match, a field missing in the context matches nothing, and an empty list is an error, not a
 * wildcard. Of `cwd_glob` and `branch`, one entry must match and none that begins with `!` (where all
 * begin so, everything else matches). Names of repositories are compared by host and path. Variables of the environment are only
 * compared; what a caller's environment holds never stands in a reason. Pure.
 */
import { posix } from 'node:path';
import type { Finding } from '../shared/errors.js';
import { areTooLarge, type Glob, plainGlob, readGlob, type Steps } from './globs.js';
import type { HintScope, NudgeContext } from './schema.js';
import { redactText } from './secrets.js';

export interface Eligibility {
  eligible: boolean;
  /** What matched; when something did not, only what did not. */
  reasons: string[];
}

export interface CompiledScope {
  /** Without a context only what fits everywhere is eligible. */
  explain(context: NudgeContext | Facts | undefined): Eligibility;
}

/** A context made ready once, for many scopes. */
export interface Facts {
  context: NudgeContext;
  /** As reasons show them. */
  shown: { cwd: string; repo: string; branch: string };
  folder: ReturnType<typeof folderOf>;
  /** What the globs of all scopes that are asked about it may cost together. */
  steps: Steps;
  repo: Repo | null;
  /** The value of a variable; on Windows, letter case of its name does not count. */
  env(name: string): string | undefined;
}

/** Fields, of six: more of them are more specific. */
const FIELDS = ['cwd_glob', 'repo', 'branch', 'os', 'env_required', 'env_match'] as const;
/** Steps of one answer, about 0.1 s: enough for the globs of thousands of usual scopes. */
const GLOB_STEPS = 50_000_000;
const TOO_LARGE = 'are too many or too complex together: list fewer';
const MAX_SHOWN = 200;
const MOST_SHOWN = 5;

/**
 * Sorts and deduplicates lists, unwraps lists of one value in `repo` and `env_match`, and removes user and
 * password from addresses. An empty list stays: `checkScope` refuses it, and it matches nothing.
 */
export function normalizeScope(scope: HintScope = {}): HintScope {
  const { cwd_glob, repo, branch, os, env_required, env_match } = scope;
  return {
    ...(cwd_glob && { cwd_glob: sorted(cwd_glob.map(plainGlob)) }),
    ...(repo !== undefined && {
      repo: oneOrMany(sorted(listOf(repo).map((name) => withoutUser(name.trim())))),
    }),
    ...(branch && { branch: sorted(branch) }),
    ...(os && { os: sorted(os) }),
    ...(env_required && { env_required: sorted(env_required) }),
    ...(env_match && {
      env_match: Object.fromEntries(
        sorted(Object.keys(env_match)).map((name) => [
          name,
          oneOrMany(sorted(listOf(env_match[name]))),
        ]),
      ),
    }),
  };
}

/** Equal for scopes that let the same contexts through; of a normalized scope or of any other. */
export function scopeKey(scope: HintScope = {}): string {
  const { repo, env_match, ...others } = normalizeScope(scope);
  return JSON.stringify([
    ...FIELDS.map((field) => (field in others ? others[field as keyof typeof others] : null)),
    repo === undefined ? null : sorted(listOf(repo).map(repoKey)),
    env_match ? Object.entries(env_match) : null,
  ]);
}

/** What SCOPE_INVALID is thrown with. `field`: where the scope stands. */
export function checkScope(scope: HintScope | undefined, field = 'meta.scope'): Finding[] {
  if (scope === undefined) return [];
  const findings: Finding[] = [];
  const find = (place: string, message: string) =>
    findings.push({ field: `${field}.${redactText(place)}`, message });
  // Before it is cut: half a secret is none by its form.
  const said = (text: string) => cut(redactText(text));
  for (const name of FIELDS) {
    const given = scope[name];
    if (given === undefined || typeof given === 'string') continue;
    const size = Array.isArray(given) ? given.length : Object.keys(given).length;
    if (size === 0) find(name, 'is empty, which would match nothing: leave it out or fill it');
  }
  scope.cwd_glob?.forEach((glob, index) => {
    const problem = /^!?~(?:[\\/]|$)/.test(glob) ? 'begins with "~": write the folder out' : null;
    const refused = problem ?? problemOf(glob);
    if (refused !== null) find(`cwd_glob.${index}`, `"${said(glob)}" ${refused}`);
  });
  scope.branch?.forEach((glob, index) => {
    const refused = problemOf(glob);
    if (refused !== null) find(`branch.${index}`, `"${said(glob)}" ${refused}`);
  });
  const tooLarge = tooLargeIn(scope);
  if (tooLarge !== null) find(tooLarge, TOO_LARGE);
  for (const name of listOf(scope.repo)) {
    const isUp = name.split(/[\\/]/).includes('..');
    if (isUp) find('repo', `"${said(withoutUser(name))}" leads up with ".."`);
    else if (readRepo(name) === null)
      find('repo', `"${said(withoutUser(name))}" names no repository`);
  }
  for (const [name, wanted] of Object.entries(scope.env_match ?? {})) {
    findings.push(...checkName(name, `${field}.env_match.${name}`));
    if (listOf(wanted).length === 0)
      find(`env_match.${name}`, 'is empty, which would match nothing');
  }
  return findings;
}

/** Between 0 (fits everywhere) and 1 (gives all six fields). */
export function specificity(scope: HintScope = {}): number {
  return FIELDS.filter((field) => scope[field] !== undefined).length / FIELDS.length;
}

/** Once per context; `explain` does it itself for a bare one. */
export function factsOf(context: NudgeContext): Facts {
  let lower: Map<string, string | undefined> | null = null;
  return {
    context,
    shown: {
      cwd: cut(context.cwd ?? ''),
      repo: cut(withoutUser(context.repo ?? '')),
      branch: cut(context.branch ?? ''),
    },
    folder: folderOf(context.cwd, context.os),
    steps: { left: GLOB_STEPS },
    repo: context.repo === undefined ? null : readRepo(context.repo),
    env(name) {
      const { env = {}, os } = context;
      if (Object.hasOwn(env, name)) return env[name];
      if (os !== 'windows') return undefined;
      lower ??= new Map(Object.entries(env).map(([key, value]) => [key.toLowerCase(), value]));
      return lower.get(name.toLowerCase());
    },
  };
}

/** Throws for no scope: one that `checkScope` refuses lets nothing through. */
export function compileScope(scope: HintScope = {}): CompiledScope {
  const gates: Gate[] = [];
  const tooLarge = tooLargeIn(scope);
  if (tooLarge !== null) return closed(`${tooLarge} ${TOO_LARGE}`);
  if (scope.cwd_glob) gates.push(cwdGate(scope.cwd_glob));
  if (scope.repo !== undefined) gates.push(repoGate(listOf(scope.repo)));
  if (scope.branch) gates.push(branchGate(scope.branch));
  if (scope.os) gates.push(osGate(scope.os));
  if (scope.env_required) gates.push(...requiredGates(scope.env_required));
  if (scope.env_match) gates.push(...matchGates(scope.env_match));
  return {
    explain(given = {}) {
      const facts = 'context' in given ? given : factsOf(given);
      const matched: string[] = [];
      const failed: string[] = [];
      for (const gate of gates) {
        const { ok, reason } = gate(facts);
        (ok ? matched : failed).push(reason);
      }
      if (failed.length > 0) return { eligible: false, reasons: failed };
      return { eligible: true, reasons: matched.length > 0 ? matched : ['fits everywhere'] };
    },
  };
}

type Gate = (facts: Facts) => { ok: boolean; reason: string };
const yes = (reason: string) => ({ ok: true, reason });
const no = (reason: string) => ({ ok: false, reason });

function cwdGate(globs: readonly string[]): Gate {
  const find = finder(globs);
  const shown = shownList(globs);
  return ({ shown: { cwd }, folder, steps }) => {
    if (folder === null) return no('cwd unknown');
    const found = find(folder.path, folder.ignoreCase, steps);
    if ('untried' in found) return no(`cwd ${found.untried}`);
    if ('matched' in found) return yes(`cwd matched ${found.matched}`);
    return no(
      'excluded' in found
        ? `cwd ${cwd} excluded by ${found.excluded}`
        : `cwd ${cwd} matched none of ${shown}`,
    );
  };
}

function repoGate(names: readonly string[]): Gate {
  const wanted = names.flatMap((name) => readRepo(name) ?? []);
  const shown = shownList(names.map(withoutUser));
  return ({ shown: { repo: name }, repo }) => {
    if (repo === null) return no('repo unknown');
    if (wanted.some((one) => isSameRepo(one, repo))) return yes(`repo=${name} allowed`);
    return no(`repo=${name} not in ${shown}`);
  };
}

function branchGate(globs: readonly string[]): Gate {
  const names = new Set(globs);
  const find = finder(globs);
  const shown = shownList(globs);
  return ({ context: { branch }, shown: { branch: name }, steps }) => {
    if (branch === undefined || branch === '') return no('branch unknown');
    const found = find(branch, false, steps);
    if ('untried' in found) return no(`branch ${found.untried}`);
    if ('excluded' in found) return no(`branch=${name} excluded by ${found.excluded}`);
    // A branch may be called like a glob: its own name always fits.
    if (names.has(branch)) return yes(`branch=${name} allowed`);
    if ('matched' in found) return yes(`branch=${name} matched ${found.matched}`);
    return no(`branch=${name} not in ${shown}`);
  };
}

function osGate(allowed: readonly string[]): Gate {
  const shown = shownList(allowed);
  return ({ context: { os } }) => {
    if (os === undefined) return no('os unknown');
    return allowed.includes(os) ? yes(`os=${os} allowed`) : no(`os=${os} not in ${shown}`);
  };
}

function requiredGates(names: readonly string[]): Gate[] {
  if (names.length === 0) return [() => no('env_required is empty')];
  return names.map((name) => {
    const [set, unset] = [`env ${name} set`, `env ${name} not set`];
    return (facts) => {
      if (facts.context.env === undefined) return no('env unknown');
      return facts.env(name) === undefined ? no(unset) : yes(set);
    };
  });
}

function matchGates(wanted: NonNullable<HintScope['env_match']>): Gate[] {
  const entries = Object.entries(wanted);
  if (entries.length === 0) return [() => no('env_match is empty')];
  return entries.map(([name, one]) => {
    const allowed = listOf(one);
    const unfit = `env ${name} is not ${shownList(allowed)}`;
    return (facts) => {
      if (facts.context.env === undefined) return no('env unknown');
      const value = facts.env(name);
      if (value === undefined) return no(`env ${name} not set`);
      return allowed.includes(value) ? yes(`env ${name}=${cut(value)} allowed`) : no(unfit);
    };
  });
}

type Found = { matched: string } | { excluded: string } | { untried: string } | { none: true };
type Find = (path: string, ignoreCase: boolean, steps: Steps) => Found;

function finder(globs: readonly string[]): Find {
  const read = globs.map((text) => ({ text: cut(text), glob: readGlob(text) }));
  const isBroken = globs.length === 0 || read.some(({ glob }) => 'problem' in glob);
  const good = read.flatMap(({ text, glob }) => ('problem' in glob ? [] : [{ text, glob }]));
  const includes = good.filter(({ glob }) => !glob.excludes);
  const excludes = good.filter(({ glob }) => glob.excludes);
  return (path, ignoreCase, steps) => {
    if (isBroken) return { none: true };
    const fits = ({ glob }: { glob: Glob }) => glob.test(path, ignoreCase, steps);
    const excluded = excludes.find(fits);
    if (excluded) return { excluded: excluded.text };
    const matched = includes.length > 0 ? includes.find(fits) : { text: shownList(globs) };
    // Before anything that was found: what is left out may have excluded it.
    if (steps.left < 0) {
      return { untried: `not tried: too many globs for a path of ${path.length} characters` };
    }
    return matched ? { matched: matched.text } : { none: true };
  };
}

/** The longer of the lists that are too large together, of legal globs. */
function tooLargeIn({ cwd_glob = [], branch = [] }: HintScope): 'cwd_glob' | 'branch' | null {
  if (!areTooLarge([...cwd_glob, ...branch])) return null;
  return cwd_glob.length >= branch.length ? 'cwd_glob' : 'branch';
}

const closed = (reason: string): CompiledScope => ({
  explain: () => ({ eligible: false, reasons: [reason] }),
});

function problemOf(glob: string): string | null {
  const read = readGlob(glob);
  return 'problem' in read ? read.problem : null;
}

function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return isList(value) ? value : [value];
}

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value);
const sorted = <T extends string>(words: readonly T[]): T[] => [...new Set(words)].toSorted();

function oneOrMany(words: string[]): string | string[] {
  const [only] = words;
  return words.length === 1 && only !== undefined ? only : words;
}

/** An address may hold a password or a token, which name no repository. */
const withoutUser = (repo: string): string => repo.replace(/^([a-z+.-]+:\/\/)[^/]*@/i, '$1');

function cut(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line;
}

function shownList(words: readonly string[]): string {
  if (words.length === 0) return 'an empty list';
  const more = words.length - MOST_SHOWN;
  const shown = words.slice(0, MOST_SHOWN).map(cut).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const WINDOWS = /^(?:[a-z]:(?:[\\/]|$)|\\\\)/i;

/** A caller's working folder in the one spelling that globs are tried on. */
interface Folder {
  /** `/srv/api`, `C:/srv/api`, `//server/share`: no slash at the end, no `.` and `..`. */
  path: string;
  ignoreCase: boolean;
}

/**
 * `null`: not known. A drive letter or `\\` says Windows when nothing else says what it is; there
 * backslashes are slashes, and letter case does not count.
 */
export function folderOf(cwd: string | undefined, os: NudgeContext['os']): Folder | null {
  if (cwd === undefined || cwd === '' || cwd.includes('\0')) return null;
  const ignoreCase = os === 'windows' || (os === undefined && WINDOWS.test(cwd));
  const slashed = ignoreCase
    ? cwd
        .replaceAll('\\', '/')
        .replace(/^\/\/\?\/(?:UNC(?=\/))?/i, (form) => (form.length > 4 ? '/' : ''))
    : cwd;
  const normal = posix.normalize(slashed);
  const rooted = ignoreCase && /^\/\/[^/]/.test(slashed) ? `/${normal}` : normal;
  return { path: rooted.length > 1 ? rooted.replace(/\/$/, '') : rooted, ignoreCase };
}

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

const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Names of prototype properties are refused where they would name a field: as component, as key, in
 * `defaults` and in `env_match`. Inside `json` data they are only data.
 */
export function checkName(name: string, field: string): Finding[] {
  return PROTOTYPE_NAMES.has(name) ? [{ field, message: `must not be "${name}"` }] : [];
}
