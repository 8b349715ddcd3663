/**
 * Makes a version: refuses when CHANGELOG.md says nothing under Unreleased, else moves those lines
 * under the new number and sets it in package.json and package-lock.json. Commits nothing.
 *
 *   npm run version -- patch|minor|major|X.Y.Z
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HEADING = /^## \[?Unreleased\]?[^\n]*\n/im;

/** What stands under Unreleased, without headings and comments; undefined without the heading. */
export function unreleasedNotes(changelog) {
  const heading = HEADING.exec(changelog);
  if (!heading) return undefined;
  const rest = changelog.slice(heading.index + heading[0].length);
  const section = rest.split(/^## /m)[0] ?? '';
  return section
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^#+ .*$/gm, '')
    .trim();
}

/** The changelog with its Unreleased lines moved under `## version (date)`. */
export function releaseNotes(changelog, version, date) {
  return changelog.replace(HEADING, (heading) => `${heading}\n## ${version} (${date})\n`);
}

function main(wanted) {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  if (!unreleasedNotes(changelog)) {
    console.error('CHANGELOG.md has nothing under Unreleased: write down what changed first.');
    return 1;
  }
  if (!wanted) {
    console.log(
      'CHANGELOG.md is ready. Name the version: npm run version -- patch|minor|major|X.Y.Z',
    );
    return 0;
  }
  const cli = process.env.npm_execpath;
  if (!cli) {
    console.error('Run this as: npm run version -- patch|minor|major|X.Y.Z');
    return 1;
  }
  // Not the lifecycle scripts: `version` is this script.
  const args = [cli, 'version', wanted, '--no-git-tag-version', '--ignore-scripts'];
  const result = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (result.status !== 0) return result.status ?? 1;
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync('CHANGELOG.md', releaseNotes(changelog, version, date));
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = main(process.argv[2]);
}
