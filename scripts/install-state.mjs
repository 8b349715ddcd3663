/** Says whether what is installed is what package-lock.json asks for. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    return undefined;
  }
}

/**
 * Why the dependencies have to be installed, or undefined when they are as locked.
 *
 * npm writes node_modules/.package-lock.json as the last step of an install, so an install that
 * was cut off has none. Contents are compared and not times: after a checkout of another branch
 * the lock file is new but may be equal, or old but different.
 */
export function reasonToInstall(directory) {
  if (!existsSync(join(directory, 'node_modules'))) return 'node_modules is missing';
  const installed = readPackages(join(directory, 'node_modules', '.package-lock.json'));
  if (!installed) return 'an earlier install did not finish';
  const locked = readPackages(join(directory, 'package-lock.json'));
  if (!locked) return 'package-lock.json cannot be read';
  for (const [path, want] of Object.entries(locked)) {
    if (path === '') continue;
    const have = installed[path];
    // Optional packages for other machines are locked but not installed.
    if (!have && want.optional) continue;
    if (!have) return `${path} is missing`;
    if (have.version !== want.version || have.integrity !== want.integrity) {
      return `${path} is not the locked version`;
    }
    if (!existsSync(join(directory, path, 'package.json'))) return `${path} is gone`;
  }
  return undefined;
}
