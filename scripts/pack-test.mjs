/**
 * Proves the package as a user gets it: packed, installed beside elizaOS in an empty project,
 * imported by plain Node, and loaded by name into a real server, on Node and on Bun.
 *
 *   node scripts/pack-test.mjs                      everything, in a directory of its own
 *   node scripts/pack-test.mjs install DIRECTORY    pack (dist/ must be built), install, import, embed
 *   node scripts/pack-test.mjs node DIRECTORY       start the server there on Node
 *   node scripts/pack-test.mjs bun DIRECTORY        the same on Bun
 *   node scripts/pack-test.mjs chat DIRECTORY       talk with the character of the README, and without its key
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const MODEL_DIR = join(root, '__tests__', 'fixtures', 'models', 'static-glove-use-384');
const TRANSFORMERS = '@huggingface/transformers';
const MODEL_PLUGIN = '@elizaos/plugin-openai';
const HOST_PACKAGES = ['core', 'plugin-bootstrap', 'plugin-sql', 'server'];
const ALLOWED = /^(dist|docs|models|skills)\/|^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
const EXPECTED = [
  ...['dist/index.js', 'dist/index.d.ts', 'README.md', 'CHANGELOG.md', 'LICENSE'],
  ...['skills/when/SKILL.md', 'skills/remember/SKILL.md'],
  ...['model.json', 'table.bin', 'words.txt', 'rarities.bin', 'NOTICE'].map(
    (file) => `models/static/${file}`,
  ),
];
const INSTALL_MS = 420_000;
/** What the package and all that it brings may weigh beside Eliza. */
const MOST_ADDED_MB = 60;
const BLOCK = 4_096;
const START_MS = 120_000;
const STOP_MS = 20_000;
const ANSWER_MS = 45_000;

class PackError extends Error {}

function check(condition, message) {
  if (!condition) throw new PackError(message);
}

/** Ours, without what an enclosing `npm run` adds: it names our repository as the project. */
function npmEnvironment() {
  const own = /^npm_(package_|lifecycle_|command$|config_local_prefix$)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

function npm(cwd, ...args) {
  const cli = process.env.npm_execpath;
  const viaNode = cli && /npm-cli\.[cm]?js$/.test(cli);
  const onWindows = process.platform === 'win32';
  const command = viaNode ? process.execPath : onWindows ? 'npm.cmd' : 'npm';
  const result = spawnSync(command, [...(viaNode ? [cli] : []), '--loglevel=error', ...args], {
    cwd,
    env: npmEnvironment(),
    encoding: 'utf8',
    shell: !viaNode && onWindows,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: INSTALL_MS,
  });
  check(result.status === 0, `npm ${args[0]} failed (${result.error?.message ?? result.status})`);
  return result.stdout;
}

function pack(directory) {
  check(existsSync(join(root, 'dist', 'index.js')), 'dist/ is missing: run npm run build first');
  const answer = JSON.parse(npm(root, 'pack', '--json', '--pack-destination', directory));
  const { filename, files } = Object.values(answer)[0];
  const names = files.map((file) => file.path);
  const strangers = names.filter((name) => !ALLOWED.test(name));
  check(strangers.length === 0, `the package holds what it should not: ${strangers.join(', ')}`);
  for (const name of [...EXPECTED, manifest.bin.cue]) {
    check(names.includes(name), `the package lacks ${name}`);
  }
  console.log(`packed ${names.length} files`);
  return join(directory, filename);
}

const IMPORT_SCRIPT = `
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
// Says which packages the import loads.
register('data:text/javascript,' + encodeURIComponent(\`
  import { appendFileSync } from 'node:fs';
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    appendFileSync('loaded.txt', found.url + '\\\\n');
    return found;
  }
\`));
const cue = await import('${manifest.name}');
const wrong = [];
if (cue.default?.name !== 'cue') wrong.push('the default export is not the plugin "cue"');
if (cue.cuePlugin !== cue.default) wrong.push('cuePlugin is not the default export');
for (const name of ['TriggerService', 'AutonomyService', 'computeNextCronDelayMs', 'nextRunAfter',
  'parseScheduleText', 'describeSchedule', 'isTriggerTask', 'computeInitialSchedule',
  'normalizeTriggerTaskForCreate']) {
  if (typeof cue[name] !== 'function') wrong.push('no export ' + name);
}
const heavy = /node_modules\\/(@elizaos\\/server|onnxruntime[^/]*|@huggingface\\/[^/]+)\\//;
const loaded = readFileSync('loaded.txt', 'utf8').split('\\n').find((url) => heavy.test(url));
if (loaded) wrong.push('importing the plugin loads ' + loaded);
console.log(wrong.length === 0 ? 'imported' : wrong.join('; '));
process.exit(wrong.length === 0 ? 0 : 1);
`;

/** Runs in the project of the user: which model serves, and why. */
const EMBED_SCRIPT = `
import { pathToFileURL } from 'node:url';
const [packageDirectory, modelDir] = process.argv.slice(2);
const { createEmbeddings } = await import(pathToFileURL(packageDirectory + '/dist/chunks/embeddings.js').href);
const silent = () => undefined;
const embeddings = await createEmbeddings({
  setting: 'auto',
  modelDir,
  download: false,
  dataDir: '.cue',
  clock: { now: Date.now },
  log: { debug: silent, info: silent, warn: silent, error: silent },
});
const [one, same] = await embeddings.current().embed(['the login form is slow', 'the login form is slow']);
const { serving, degraded } = embeddings.status();
const cosine = one.reduce((sum, value, at) => sum + value * same[at], 0);
await embeddings.stop();
console.log(JSON.stringify({ id: serving.id, numbers: one.length, cosine, degraded }));
`;

// No model plugin: nothing is said to the agent, and the host only warns that there is none.
const SILENT = { name: 'Packed', bio: ['Tests a package.'], plugins: [manifest.name] };

const SERVE_SCRIPT = `
import { AgentServer } from '@elizaos/server';
const server = new AgentServer();
await server.start({
  port: Number(process.env.SERVER_PORT),
  dataDir: process.env.PGLITE_DATA_DIR,
  agents: [{ character: JSON.parse(process.env.TEST_CHARACTER) }],
});
console.log('READY ' + process.env.SERVER_PORT);
`;

function install(directory) {
  const tarball = pack(directory);
  const versions = HOST_PACKAGES.map((name) => [`@elizaos/${name}`, '1.7.2']);
  const project = {
    name: 'cue-pack-test',
    private: true,
    type: 'module',
    dependencies: { ...Object.fromEntries(versions), [MODEL_PLUGIN]: '1.6.0' },
  };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(project));
  writeFileSync(join(directory, 'serve.mjs'), SERVE_SCRIPT);
  writeFileSync(join(directory, 'import.mjs'), IMPORT_SCRIPT);
  writeFileSync(join(directory, 'embed.mjs'), EMBED_SCRIPT);
  copyFileSync(join(root, '.npmrc'), join(directory, '.npmrc'));
  npm(directory, 'install');
  const before = megabytesOf(join(directory, 'node_modules'));
  npm(directory, 'install', tarball);
  const added = megabytesOf(join(directory, 'node_modules')) - before;
  check(added <= MOST_ADDED_MB, `it adds ${added.toFixed(1)} MB, more than ${MOST_ADDED_MB}`);
  console.log(`adds ${added.toFixed(1)} MB to the ${before.toFixed(0)} MB of elizaOS`);
  const result = spawnSync(process.execPath, ['import.mjs'], {
    cwd: directory,
    encoding: 'utf8',
    timeout: 60_000,
  });
  check(result.status === 0, `import failed: ${result.stdout}${result.stderr}`);
  console.log('installed beside elizaOS and imported by plain Node');
  embed(directory);
  commandLine(directory);
}

/** As the disk holds it: small files fill whole blocks. */
function megabytesOf(directory) {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const blocks = files.map(({ parentPath, name }) =>
    Math.ceil(statSync(join(parentPath, name)).size / BLOCK),
  );
  return (blocks.reduce((sum, count) => sum + count, 0) * BLOCK) / 2 ** 20;
}

/** `cue` is on the path of npm's own scripts, and finds what stands in the folder it is called in. */
function commandLine(directory) {
  const section = '# Testing\n\n## Mock patching pattern\n\nPatch where it is used.\n';
  const entry =
    '/when writing mock tests | Mock patching pattern | patch where it is used, not where defined';
  mkdirSync(join(directory, 'decisions'), { recursive: true });
  writeFileSync(join(directory, 'decisions', 'testing.md'), section);
  writeFileSync(join(directory, 'memory-index.md'), `# Index\n\n## testing.md\n\n${entry}\n`);
  const asked = npm(directory, 'exec', '--no', '--', 'cue', 'when', 'writing mock tests');
  check(
    asked.startsWith('# Mock patching pattern\n\nPatch where it is used.\n'),
    `cue said: ${asked}`,
  );
  npm(directory, 'exec', '--no', '--', 'cue', 'when', 'validate');
  console.log('cue when finds and validates');
}

/** Without the optional peer the reason names the command that brings it; with it the thread starts from dist/. */
function embed(directory) {
  const installed = (name) => existsSync(join(directory, 'node_modules', ...name.split('/')));
  for (const name of [TRANSFORMERS, 'onnxruntime-node', 'gpt-tokenizer']) {
    check(!installed(name), `the package brings ${name}`);
  }
  const { id, degraded } = whoEmbeds(directory);
  check(id === 'lexical-v1', `embeds with ${id} without ${TRANSFORMERS}`);
  check(
    degraded?.includes(`npm install --ignore-scripts ${TRANSFORMERS}`),
    `unclear reason: ${degraded}`,
  );
  npm(directory, 'install', TRANSFORMERS);
  const served = whoEmbeds(directory);
  check(served.id.startsWith('static-glove-use-384@'), `embeds with ${JSON.stringify(served)}`);
  console.log(`embeds in its worker thread; without the package: ${degraded}`);
}

function whoEmbeds(directory) {
  const installed = join(directory, 'node_modules', manifest.name);
  const result = spawnSync(process.execPath, ['embed.mjs', installed, MODEL_DIR], {
    cwd: directory,
    encoding: 'utf8',
    timeout: 60_000,
  });
  check(result.status === 0, `embedding failed: ${result.stdout}${result.stderr}`);
  const answer = JSON.parse(result.stdout);
  const unit = answer.numbers === 384 && Math.abs(answer.cosine - 1) < 1e-4;
  check(unit, `no unit vectors of 384: ${result.stdout}`);
  return answer;
}

/** Bun's real binary: the one on npm's path is a placeholder when install steps are switched off. */
function findBun() {
  const scope = join(root, 'node_modules', '@oven');
  const folders = existsSync(scope) ? readdirSync(scope).sort() : [];
  for (const folder of folders) {
    for (const name of ['bun', 'bun.exe']) {
      const binary = join(scope, folder, 'bin', name);
      if (!existsSync(binary)) continue;
      // A build for another processor or C library is there but does not run.
      const probe = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 20_000 });
      if (probe.status === 0) return { binary, version: probe.stdout.trim() };
    }
  }
  throw new PackError(`no Bun that runs here in ${scope} (found: ${folders.join(', ') || 'none'})`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function getJson(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  check(response.status === 200, `${url} answered ${response.status}: ${text.slice(0, 300)}`);
  const type = response.headers.get('content-type') ?? '';
  // The host answers unknown paths with its web page and status 200.
  check(type.includes('json'), `${url} answered ${type}, not JSON: the plugin is not loaded`);
  return JSON.parse(text);
}

/** What the pattern finds in what the process says. */
function waitForReady(child, output, pattern) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new PackError('the server did not start')), START_MS);
    const done = (settle, value) => {
      clearTimeout(timer);
      settle(value);
    };
    child.once('error', (error) => done(reject, error));
    child.once('exit', (code) => done(reject, new PackError(`the server ended with code ${code}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output.push(chunk);
        const ready = pattern.exec(output.join(''));
        if (ready) done(resolve, ready[1]);
      });
    }
  });
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  const ended = new Promise((resolve) => child.once('exit', () => resolve(true)));
  child.kill('SIGTERM');
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(false), STOP_MS);
  });
  const inTime = await Promise.race([ended, late]);
  clearTimeout(timer);
  if (!inTime) child.kill('SIGKILL');
  return inTime;
}

/** The host answers before the services of its agent have all started. */
async function untilThere(look) {
  const endMs = Date.now() + START_MS;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > endMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

async function start(directory, runtime) {
  const bun = runtime === 'bun' ? findBun() : undefined;
  const startedAt = Date.now();
  await serving({ directory, name: runtime, bun, character: SILENT }, async (base, agentId) => {
    const readyMs = Date.now() - startedAt;
    const health = await untilThere(() =>
      getJson(`${base}/cue/triggers/health?agentId=${agentId}`),
    );
    for (const field of ['workerRegistered', 'taskServicePresent']) {
      check(health[field] === true, `health says ${field}: ${JSON.stringify(health)}`);
    }
    const version = bun ? `Bun ${bun.version}` : `Node ${process.version}`;
    console.log(`loaded by name and answering on ${version}, ready in ${readyMs} ms`);
  });
}

/** Runs a server with the character there while `use` works with it; it has to stop in time. */
async function serving({ directory, name, bun, character, env = {} }, use) {
  const data = join(directory, `data-${name}`);
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  const output = [];
  const child = spawn(bun?.binary ?? process.execPath, ['serve.mjs'], {
    cwd: directory,
    // Nothing of the caller's environment but the path: it would end up in the agent's secrets.
    env: {
      PATH: process.env.PATH,
      ...(process.env.SystemRoot ? { SystemRoot: process.env.SystemRoot } : {}),
      HOME: directory,
      USERPROFILE: directory,
      TMPDIR: tmpdir(),
      LOG_LEVEL: 'info',
      SERVER_PORT: String(await freePort()),
      SERVER_HOST: '127.0.0.1',
      SENTRY_DSN: 'http://x@127.0.0.1:9/1',
      PGLITE_DATA_DIR: data,
      ELIZA_UI_ENABLE: 'false',
      ELIZA_NO_PLUGIN_AUTO_INSTALL: 'true',
      TEST_CHARACTER: JSON.stringify(character),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const base = `http://127.0.0.1:${await waitForReady(child, output, /^READY (\d+)$/m)}`;
    const agentId = (await getJson(`${base}/api/agents`)).data.agents[0].id;
    await use(base, agentId);
    check(await stop(child), `the server did not stop within ${STOP_MS} ms`);
  } catch (error) {
    console.error(output.join('').split('\n').slice(-60).join('\n'));
    throw error;
  } finally {
    await stop(child);
  }
}

/** The first character that the README shows. */
function readmeCharacter() {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const found = /```json\n(\{ "name": [\s\S]*?)```/.exec(text);
  check(found, 'the README shows no character');
  return JSON.parse(found[1]);
}

/** What a new user does: the README's character, a key, and the first reminder; then the same without a key. */
async function chat(directory) {
  const character = readmeCharacter();
  const loader = join(root, 'demo', 'typescript.mjs');
  const args = ['--import', loader, join(root, 'demo', 'model-server.ts')];
  const model = spawn(process.execPath, args, { env: { PATH: process.env.PATH } });
  try {
    const url = await waitForReady(model, [], /^OPENAI_BASE_URL=(\S+)$/m);
    const env = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: url };
    await serving({ directory, name: 'chat', character, env }, async (base, agentId) => {
      const { ask, said } = await openChat(base, agentId);
      const startedAt = Date.now();
      const answer = await ask('in 5 seconds tell me to stretch');
      check(/^Done: once on /.test(answer), `the first reminder was answered: ${answer}`);
      await until('the reminder', async () => (await said()).some(({ run }) => run));
      console.log(
        `the first reminder was delivered ${Date.now() - startedAt} ms after it was asked for`,
      );
    });
  } finally {
    await stop(model);
  }
  await failing(directory, character);
  await serving({ directory, name: 'chat', character }, async (base, agentId) => {
    const answer = await (await openChat(base, agentId)).ask('hello');
    check(answer.includes('set OPENAI_API_KEY'), `without a key the agent said: ${answer}`);
    console.log('without its key the agent says which one to set');
  });
}

/** The real model plugin against a provider that refuses the key, and against a closed port. */
async function failing(directory, character) {
  const refusing = createHttpServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'Incorrect API key provided: wrong' } }));
  });
  await new Promise((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  const closed = await freePort();
  try {
    for (const [port, words] of [
      [refusing.address().port, 'refuses the key: set the right OPENAI_API_KEY'],
      [closed, 'cannot be reached'],
    ]) {
      const env = { OPENAI_API_KEY: 'wrong', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
      await serving({ directory, name: 'chat', character, env }, async (base, agentId) => {
        const { say, said } = await openChat(base, agentId);
        await say('hello');
        const isTold = ({ text }) => text.includes(`the model provider "openai" ${words}`);
        await until(`a word on the provider that ${words}`, async () =>
          (await said()).some(isTold),
        );
        console.log(`a chat is told that the provider ${words}`);
      });
    }
  } finally {
    refusing.close();
  }
}

async function openChat(base, agentId) {
  const post = async (path, body) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${base}/api/messaging/${path}`, init);
    check(response.ok, `POST ${path} answered ${response.status}`);
    return response.json();
  };
  const { sessionId, channelId } = await post('sessions', { agentId, userId: randomUUID() });
  const said = async () => {
    const { data } = await getJson(`${base}/api/messaging/channels/${channelId}/messages?limit=50`);
    return data.messages
      .filter(({ sourceType }) => sourceType === 'agent_response')
      .map(({ content, inReplyToRootMessageId, metadata }) => ({
        text: String(content),
        to: inReplyToRootMessageId,
        run: metadata?.triggerRunId,
      }));
  };
  const say = (content) => post(`sessions/${sessionId}/messages`, { content });
  return {
    said,
    say,
    /** The answer to what is said. */
    async ask(content) {
      const { userMessage } = await say(content);
      const found = () => said().then((all) => all.find(({ to }) => to === userMessage.id));
      return (await until(`an answer to "${content}"`, found)).text;
    },
  };
}

async function until(what, look) {
  const endMs = Date.now() + ANSWER_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    check(Date.now() < endMs, `${what} did not come within ${ANSWER_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function main([step, directory]) {
  if (step) {
    check(directory, `usage: node scripts/pack-test.mjs ${step} DIRECTORY`);
    if (step === 'install') return install(directory);
    if (step === 'chat') return chat(directory);
    check(step === 'node' || step === 'bun', `unknown step ${step}`);
    return start(directory, step);
  }
  const own = mkdtempSync(join(tmpdir(), 'cue-pack-'));
  try {
    install(own);
    await start(own, 'node');
    await start(own, 'bun');
    await chat(own);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof PackError ? `pack test: ${error.message}` : error);
  process.exitCode = 1;
}
