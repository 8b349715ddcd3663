/**
 * Installs the dependencies when they are not what package-lock.json asks for; says nothing when
 * they are. Every command of package.json that needs them calls this first, because pre-scripts
 * are switched off (see .npmrc). Plain Node, so that it runs before anything is installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reasonToInstall } from './install-state.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The npm that called us, else the one on the PATH (a .cmd file on Windows needs a shell). */
function npmCommand() {
  const cli = process.env.npm_execpath;
  if (cli && /npm-cli\.[cm]?js$/.test(cli) && existsSync(cli)) return [process.execPath, [cli], {}];
  return process.platform === 'win32' ? ['npm.cmd', [], { shell: true }] : ['npm', [], {}];
}

function install(reason) {
  // All of it goes to stderr: what a command prints on stdout may be read by a program.
  process.stderr.write(`Installing dependencies with npm ci: ${reason}.\n`);
  const [command, first, options] = npmCommand();
  const args = [...first, 'ci', '--include=dev', '--loglevel=error', '--no-audit', '--no-fund'];
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (result.error) {
    process.stderr.write(`npm could not be started: ${result.error.message}\n`);
    return 1;
  }
  return result.status ?? 1;
}

const reason = reasonToInstall(root);
if (reason) process.exitCode = install(reason);
