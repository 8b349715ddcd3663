/** Which route a request means, found as the host finds it (ELIZA_GUIDE §9). */
import type { Route } from '@elizaos/core';
import { InvalidInputError } from '../../shared/errors.js';

export interface FoundRoute {
  handler: NonNullable<Route['handler']>;
  params: Record<string, string>;
}

type Matcher = (path: string) => Record<string, string> | null;

/** Paths of routes are few and never change. */
const matchers = new WeakMap<Route, Matcher>();

/**
 * The first that fits.
 * @throws InvalidInputError for a part of the path with a broken `%` escape
 */
export function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): FoundRoute | null {
  for (const route of routes) {
    const { handler } = route;
    if (route.type !== method || !handler) continue;
    const params = matcherOf(route)(path);
    if (params) return { handler, params };
  }
  return null;
}

function matcherOf(route: Route): Matcher {
  const known = matchers.get(route);
  if (known) return known;
  const made = route.path.endsWith('/*') ? below(route.path.slice(0, -1)) : exactly(route.path);
  matchers.set(route, made);
  return made;
}

function below(prefix: string): Matcher {
  return (path) => (path.startsWith(prefix) ? {} : null);
}

/** `:id` is one part of the path; neither case nor a slash at the end matters. */
function exactly(pattern: string): Matcher {
  const source = pattern
    .split('/')
    .map((part) => (part.startsWith(':') ? `(?<${part.slice(1)}>[^/]+)` : escaped(part)))
    .join('/');
  const regex = new RegExp(`^${source}/?$`, 'i');
  return (path) => {
    const match = regex.exec(path);
    if (!match) return null;
    return Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, part]) => [name, paramOf(part)]),
    );
  };
}

function paramOf(part: string): string {
  const param = decoded(part);
  if (param !== null) return param;
  throw new InvalidInputError([{ field: '(path)', message: 'has a broken % escape' }]);
}

/** @returns `null` for a broken escape */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
