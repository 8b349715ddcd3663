/**
 * Proves the MCP server with a client that is not ours: the command line of the MCP Inspector, pinned,
 * lists and calls over HTTP and over stdio, and both see one store.
 *
 *   node scripts/inspector-test.mjs [DIRECTORY]    dist/ must be built; DIRECTORY keeps what is fetched
 *
 * Where neither the Inspector nor a Node that it runs on can be had, it says why and ends with 0.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const BIN = join(root, 'dist', 'bin', 'cue.js');
const INSPECTOR = '@modelcontextprotocol/inspector';
const INSPECTOR_VERSION = '2.12.0';
/** What the Inspector of this version asks for. */
const NODE_MAJOR = 22;
const NODE_VERSION = '22.23.3';
const INSTALL_MS = 180_000;
const START_MS = 60_000;
const CALL_MS = 60_000;
const STOP_MS = 10_000;

class InspectorError extends Error {}

function check(condition, message) {
  if (!condition) throw new InspectorError(message);
}

/** Ours, without what an enclosing `npm run` adds: it names our repository as the project. */
function npmEnvironment() {
  const own = /^npm_(package_|lifecycle_|command$|config_local_prefix$)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

/** @returns why it could not be had; `null` when it is there */
function fetchInto(directory, packages) {
  writeFileSync(join(directory, 'package.json'), '{"private":true}');
  const onWindows = process.platform === 'win32';
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
  const { status, error, stderr } = spawnSync(
    onWindows ? 'npm.cmd' : 'npm',
    ['install', ...flags, ...packages],
    {
      cwd: directory,
      env: npmEnvironment(),
      encoding: 'utf8',
      shell: onWindows,
      timeout: INSTALL_MS,
    },
  );
  if (status === 0) return null;
  const said = (stderr ?? '').trim().split('\n').slice(0, 3).join(' ');
  return `npm install ended with ${status ?? error?.message}: ${said}`;
}

/** The Inspector's command line, or the reason why there is none. */
function inspectorIn(directory) {
  const hasNode = Number(process.versions.node.split('.')[0]) >= NODE_MAJOR;
  const launcher = join(directory, 'node_modules', INSPECTOR, 'clients/launcher/build/index.js');
  const ownNode = join(directory, 'node_modules', 'node', 'bin', 'node');
  const node = hasNode ? process.execPath : ownNode;
  if (!existsSync(launcher) || !existsSync(node)) {
    const packages = [
      `${INSPECTOR}@${INSPECTOR_VERSION}`,
      ...(hasNode ? [] : [`node@${NODE_VERSION}`]),
    ];
    const why = fetchInto(directory, packages);
    if (why !== null) return { why };
  }
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status !== 0 || !stdout.startsWith('v')) {
    return { why: `there is no Node ${NODE_MAJOR} for this system: ${node} does not run` };
  }
  return { node, launcher };
}

/** A process that serves, until it is told to end. */
async function startPrimary(env) {
  const child = spawn(process.execPath, [BIN, 'mcp'], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes) => {
    said += bytes;
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const end = async () => {
    child.stdin.end();
    await Promise.race([exited, delay(STOP_MS, undefined, { ref: false })]);
    child.kill('SIGKILL');
  };
  for (let waited = 0; waited < START_MS && child.exitCode === null; waited += 100) {
    const [, port] = /serves on port (\d+)/.exec(said) ?? [];
    if (port !== undefined) return { url: `http://127.0.0.1:${port}/cue/mcp`, end };
    await delay(100);
  }
  await end();
  throw new InspectorError(`cue mcp did not serve: ${said}`);
}

/** Asks a server by the Inspector; `target` is a URL, or a command. */
function asking({ node, launcher }, home, target) {
  return (method, ...more) => {
    const { status, stdout, stderr, error } = spawnSync(
      node,
      [launcher, '--cli', ...target, '--method', method, ...more],
      {
        env: { ...process.env, HOME: home, USERPROFILE: home },
        encoding: 'utf8',
        timeout: CALL_MS,
      },
    );
    if (error) throw new InspectorError(`${method}: ${error.message}`);
    return { status, stdout, stderr };
  };
}

function resultOf(answer, what) {
  const { status, stdout, stderr } = answer;
  check(
    status === 0,
    `${what}: exit code ${status}: ${stderr.slice(0, 500)} ${stdout.slice(0, 500)}`,
  );
  return JSON.parse(stdout);
}

const call = (ask, tool, args = {}) => {
  const pairs = Object.entries(args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return ask(
    'tools/call',
    ...['--tool-name', tool],
    ...pairs.flatMap((pair) => ['--tool-arg', pair]),
  );
};

/** What every transport has to do. */
function tryAll(ask, name, word) {
  const { tools } = resultOf(ask('tools/list', '--strict'), 'tools/list --strict');
  const names = tools.map((tool) => tool.name);
  for (const tool of ['store', 'recall', 'identity', 'hint', 'when']) {
    check(names.includes(tool), `tools/list lacks ${tool}`);
  }
  const draft = { intent: { goal: `Mend the ${word}` }, outcome: { success: true } };
  const stored = resultOf(call(ask, 'store', draft), 'store').structuredContent;
  check(/^mem_/.test(stored.memory_id), `store answered ${JSON.stringify(stored)}`);
  const uri = `cue://memory/${stored.memory_id}`;
  const { contents } = resultOf(ask('resources/read', '--uri', uri), 'resources/read');
  check(contents[0].text.includes(word), `${uri} reads ${contents[0].text}`);
  const { resources } = resultOf(ask('resources/list'), 'resources/list');
  check(
    resources.some((one) => one.uri === uri),
    `resources/list lacks ${uri}`,
  );
  resultOf(ask('resources/templates/list'), 'resources/templates/list');
  const { prompts } = resultOf(ask('prompts/list'), 'prompts/list');
  check(prompts[0].name === 'session_start', 'prompts/list lacks session_start');
  const begun = resultOf(ask('prompts/get', '--prompt-name', 'session_start'), 'prompts/get');
  check(begun.messages.length > 0, 'prompts/get is empty');
  resultOf(ask('logging/setLevel', '--log-level', 'warning'), 'logging/setLevel');
  const wrong = call(ask, 'recall', { limit: -5 });
  check(wrong.status !== 0, 'a wrong argument counted as success');
  check(
    JSON.parse(wrong.stdout)._meta['cue/error'].code === 'INVALID_INPUT',
    `a wrong argument was answered ${wrong.stdout}`,
  );
  check(call(ask, 'no_such_tool').status !== 0, 'an unknown tool counted as success');
  console.log(`${name}: ${names.length} tools; listed, called, read, refused what is wrong`);
}

function recalls(ask, name, word) {
  const { structuredContent } = resultOf(call(ask, 'recall', { query: word }), 'recall');
  const found = structuredContent.memories.some(({ content }) => content.includes(word));
  check(found, `over ${name}, recall of "${word}" found ${JSON.stringify(structuredContent)}`);
}

async function main(kept) {
  if (!existsSync(BIN)) {
    console.error('inspector test failed: dist/ is missing: run npm run build first');
    return 1;
  }
  const work = mkdtempSync(join(tmpdir(), 'cue-inspector-'));
  const tools = kept ?? join(work, 'tools');
  const home = join(work, 'home');
  const pids = join(work, 'pid');
  mkdirSync(tools, { recursive: true });
  mkdirSync(home);
  const env = {
    ...{ NUDGE_PID_DIR: pids, PGLITE_DATA_DIR: join(work, 'db'), HOME: home, USERPROFILE: home },
    LOG_LEVEL: 'error',
  };
  let primary;
  try {
    const inspector = inspectorIn(tools);
    if (inspector.why !== undefined) {
      console.log(`skipped: ${inspector.why}`);
      return 0;
    }
    primary = await startPrimary(env);
    const overHttp = asking(inspector, home, [primary.url]);
    // The Inspector hands on only what it is told to.
    const settings = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const overStdio = asking(inspector, home, [...settings, process.execPath, BIN, 'mcp']);
    tryAll(overHttp, 'HTTP', 'windmill');
    tryAll(overStdio, 'stdio', 'watermill');
    recalls(overStdio, 'stdio', 'windmill');
    recalls(overHttp, 'HTTP', 'watermill');
    console.log('both see one store');
    return 0;
  } catch (error) {
    console.error(
      `inspector test failed: ${error instanceof InspectorError ? error.message : error.stack}`,
    );
    return 1;
  } finally {
    await primary?.end();
    rmSync(work, { recursive: true, force: true });
  }
}

process.exitCode = await main(process.argv[2]);
