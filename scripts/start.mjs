/**
 * `npm start`: says where a server runs that is there already, and touches nothing of it; else installs and
 * builds what is missing and starts one. Plain Node, so that it runs before anything is installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reasonToInstall } from './install-state.mjs';
import { runningServer } from './running.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isHelp = process.argv.some((word) => word === '--help' || word === '-h');

/** @returns whether it went well */
function run(script) {
  const command = [join(root, 'scripts', script)];
  return spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' }).status === 0;
}

async function alreadyRunning() {
  if (existsSync('.env') && process.loadEnvFile) process.loadEnvFile('.env');
  const running = await runningServer(process.env);
  if (!running) return false;
  console.log(
    `Cue is running already, as process ${running.pid}:\n` +
      `  Web UI    ${running.url}\n` +
      `  Panel     ${running.url}/cue/panel\n` +
      'Stop it there with Ctrl-C to start anew, or set another CUE_DATA_DIR to start one more.',
  );
  return true;
}

async function main() {
  if (!isHelp && (await alreadyRunning())) return;
  if (!isHelp) console.log(`Packages   ${reasonToInstall(root) ? 'installing' : 'are installed'}`);
  if (!run('ensure-install.mjs')) process.exit(1);
  if (!isHelp) {
    console.log('Build      checking dist/');
    if (!run('build.mjs')) process.exit(1);
  }
  register(new URL('../demo/typescript.mjs', import.meta.url));
  await import(new URL('../demo/start.ts', import.meta.url).href);
}

await main();
