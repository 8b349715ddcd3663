/**
 * The environment as a server may have it. Scopes ask for names that are set (`env_required`) and for
 * exact values (`env_match`), and which ones is not known before: all names go, and those values that
 * cannot be secrets. What is held back is sent empty, so that it is set and equals nothing: a scope that
 * asks for such a value does not match, unless the value is said with `--env`.
 */
import { redactText } from '../../../hints/offline.js';
import { isSensitiveName } from '../../../shared/secret-values.js';

/** No scope says more than that of one value. */
const MAX_VALUE = 500;
const MAX_NAME = 500;
/** More words of a name that mean a secret than a memory's text needs: `GH_PAT`, `AWS_SESSION_TOKEN`. */
const TELLING =
  /(?:^|[_.-])(?:pass(?:w(?:or)?d|phrase)?|pwd|secrets?|tokens?|keys?|auth|credentials?|creds?|cookies?|session|pat|dsn|salt|signature|cert|jwt|bearer|private)(?:$|[_.\d-])/i;
/** `https://token@host`: who is in front of a host. */
const HAS_USER = /:\/\/(?!git@)[^/\s?#]*@/i;
/** The names the words above would hold back, and that folders and editors go by. */
const KNOWN_HARMLESS: ReadonlySet<string> = new Set([
  'PWD',
  'OLDPWD',
  'XDG_SESSION_TYPE',
  'XDG_SESSION_CLASS',
  'XDG_SESSION_DESKTOP',
  'DESKTOP_SESSION',
]);

export function harmlessEnv(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]): [string, string][] =>
      value === undefined || name.length > MAX_NAME
        ? []
        : [[name, isHarmless(name, value) ? value : '']],
    ),
  );
}

function isHarmless(name: string, value: string): boolean {
  if (value.length > MAX_VALUE) return false;
  // A switch, a level, a port: too short to be one.
  if (value.length < 4) return true;
  if (KNOWN_HARMLESS.has(name)) return true;
  if (TELLING.test(name) || isSensitiveName(name) !== null) return false;
  // As the guard of the hints judges what is to be kept.
  return !HAS_USER.test(value) && redactText(value, name) === value;
}
