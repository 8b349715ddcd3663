/** Files as resources: what may be read, what may not, and what is remembered of what was. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { lstat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/memory/index.js';
import type { ProactiveService } from '../../../src/proactive/index.js';
import { createMcpServer, createSession } from '../../../src/surfaces/mcp/index.js';
import {
  isPrivateFile,
  isStillAt,
  pathOfFileUri,
} from '../../../src/surfaces/mcp/resources/files.js';
import { startListener } from '../../../src/surfaces/rest/listener.js';
import { type Agent, boot } from '../../helpers/boot.js';
import { failure } from '../../helpers/mcp-failure.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';
import { onPosix } from '../../helpers/where.js';

const OPERATOR: Caller = { kind: 'operator' };
const NOT_FOUND = [-32002, 'NOT_FOUND'];
const KEY = '-----BEGIN RSA PRIVATE KEY-----';
const PIXEL = Buffer.from('89504e470d0a1a0a0000000d', 'hex');

let agent: Agent;
let offers: ProactiveService;
let top: string;
let root: string;
const open: Client[] = [];
beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'cue-files-')));
  root = join(top, 'project');
  for (const folder of ['src', '.git', '.ssh', 'deep/er']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  mkdirSync(join(top, 'project-two'));
  mkdirSync(join(root, 'state/kept'), { recursive: true });
  const files: Record<string, string | Buffer> = {
    'src/auth.ts': 'export const auth = "<system>";\n',
    'src/näh #1?.md': '# Notes\n',
    'src/pixel.png': PIXEL,
    'src/empty.txt': '',
    'src/keys.md': `Put ${KEY} first.\n`,
    '.env': 'TOKEN=1\n',
    '.env.local': 'TOKEN=1\n',
    '.git/config': '[remote]\n',
    '.ssh/known_hosts': 'host\n',
    'src/id_ed25519': 'key\n',
    'src/id_ed25519.pub': 'ssh-ed25519 AAAA\n',
    'src/server.KEY': 'key\n',
    'src/cert.pem': `${KEY}\nMIIE\n`,
    'src/account.json': JSON.stringify({ private_key: `${KEY}\nMIIE\n` }),
    '../project-two/other.txt': 'of another project\n',
    '../secret.txt': 'outside\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  writeFileSync(join(root, 'src/large.bin'), '');
  truncateSync(join(root, 'src/large.bin'), 1024 * 1024 + 1);
  symlinkSync('../../secret.txt', join(root, 'src/out.txt'));
  symlinkSync(top, join(root, 'deep/up'));
  symlinkSync('../.env', join(root, 'src/settings.txt'));
  symlinkSync('auth.ts', join(root, 'src/same.ts'));
  symlinkSync('nowhere', join(root, 'src/broken.txt'));
  symlinkSync('loop', join(root, 'deep/er/loop'));
  if (onPosix()) execFileSync('mkfifo', [join(root, 'src/pipe')]);
  symlinkSync(join(root, 'src'), join(top, 'into'));

  agent = await boot({
    slim: true,
    dataDir: join(root, 'state/pg'),
    settings: { CUE_FILE_ROOTS: root, CUE_DATA_DIR: join(root, 'state/kept') },
  });
  offers = await offersOf(agent.runtime);
  const memory = await memoryOf(agent.runtime);
  await memory.store(
    {
      intent: 'Rework the token check',
      actions: [{ file: 'src/auth.ts', operation: 'edit' }],
      outcome: { success: true, summary: 'tokens are checked' },
    },
    OPERATOR,
  );
});
afterAll(async () => {
  for (const client of open) await client.close();
  await agent.stop();
  rmSync(top, { recursive: true, force: true });
});

interface Connected {
  client: Client;
  sessionId: string;
  /** How often the client was asked for its roots. */
  asked(): number;
}

let made = 0;

/** @param roots folders that the client tells; absent: it knows no roots */
async function connect(
  { isLocal, fileRoots }: { isLocal: boolean; fileRoots?: string[] },
  roots?: () => string[],
  uri = (folder: string) => String(pathToFileURL(folder)),
): Promise<Connected> {
  made += 1;
  let asked = 0;
  const session = createSession({ id: `files-${made}`, isLocal });
  const server = createMcpServer({ runtime: agent.runtime, session, fileRoots });
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: roots ? { roots: { listChanged: true } } : {} },
  );
  if (roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => {
      asked += 1;
      return { roots: roots().map((folder) => ({ uri: uri(folder) })) };
    });
  }
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  open.push(client);
  return { client, sessionId: session.id, asked: () => asked };
}

const remote = () => connect({ isLocal: false, fileRoots: [root] });
const uriOf = (name: string) => String(pathToFileURL(join(root, name)));

async function read({ client }: Connected, uri: string): Promise<unknown> {
  const reading = client.readResource({ uri });
  const [code, ours] = await failure(reading);
  return code === undefined ? (await reading).contents[0] : [code, ours];
}

describe('a file below the roots', () => {
  it('is read as text or bytes, with its type', async () => {
    const client = await remote();
    const text = (name: string, mimeType: string, content: string) =>
      expect(read(client, uriOf(name))).resolves.toEqual({
        ...{ uri: uriOf(name), mimeType, text: content },
      });
    await text('src/auth.ts', 'text/plain', 'export const auth = "<system>";\n');
    await text('src/näh #1?.md', 'text/markdown', '# Notes\n');
    await text('src/empty.txt', 'text/plain', '');
    await text('src/keys.md', 'text/markdown', `Put ${KEY} first.\n`);
    await text('src/id_ed25519.pub', 'text/plain', 'ssh-ed25519 AAAA\n');
    await text('src/same.ts', 'text/plain', 'export const auth = "<system>";\n');
    expect(await read(client, uriOf('src/pixel.png'))).toEqual({
      ...{ uri: uriOf('src/pixel.png'), mimeType: 'image/png', blob: PIXEL.toString('base64') },
    });
  });

  it('of more than 1 MB is too large', async () => {
    expect(await read(await remote(), uriOf('src/large.bin'))).toEqual([-32013, 'TOO_LARGE']);
  });

  it.each([
    ...['.env', '.env.local', '.git/config', '.ssh/known_hosts', 'src/id_ed25519'],
    ...['src/server.KEY', 'src/cert.pem', 'src/account.json', 'src/settings.txt', 'src/out.txt'],
    ...[
      'deep/up/secret.txt',
      'deep/er/loop',
      'src/pipe',
      'src/broken.txt',
      'src/missing.ts',
      'src',
      'src/auth.ts/x',
      '',
    ],
  ])('is not there when it may not be read or is none: "%s"', async (name) => {
    expect(await read(await remote(), uriOf(name))).toEqual(NOT_FOUND);
  });
});

describe('an address', () => {
  it.each([
    ['file:///etc/passwd'],
    ['file:///'],
    ['file:'],
    ['file://'],
    ['file:///proc/self/environ'],
    ['file:///dev/zero'],
    ['ROOT/../secret.txt'],
    ['ROOT/%2e%2e/secret.txt'],
    ['ROOT/%2E%2E/%2e%2e/etc/passwd'],
    ['ROOT/..%2fsecret.txt'],
    ['ROOT/..%5csecret.txt'],
    ['ROOT/src%2fauth.ts'],
    ['ROOT\\..\\secret.txt'],
    ['ROOT/src/auth.ts%00.png'],
    ['ROOT/src/auth.ts?x'],
    ['ROOT/src/auth.ts#x'],
    ['ROOT/src/%zz'],
    ['ROOT-two/other.txt'],
    ['TOP/into/auth.ts'],
    ['//HOST/share/auth.ts'],
    ['file:////host/share/auth.ts'],
    ['file://host/etc/passwd'],
    ['file://localhost/etc/passwd'],
    ['file://user:word@/etc/passwd'],
    ['file:///\\\\host\\share'],
    ['file:///C:/Windows/win.ini'],
    ['file:///~/.bashrc'],
  ])('that leads elsewhere is not found: %s', async (pattern) => {
    const uri = pattern
      .replace('ROOT', String(pathToFileURL(root)))
      .replace('TOP', String(pathToFileURL(top)))
      .replace('//HOST', 'file://host');
    expect(await read(await remote(), uri)).toEqual(NOT_FOUND);
  });

  it('is a path, or nothing', () => {
    expect(pathOfFileUri('FILE:///a/b%20c/./d/../e.ts')).toBe('/a/b c/e.ts');
    expect(pathOfFileUri(`file:///${'a'.repeat(5_000)}`)).toBeNull();
    expect(pathOfFileUri('https:///a')).toBeNull();
  });

  it.each([
    ['file://localhost/a/b.ts', '/a/b.ts'],
    ['file://LOCALHOST/a', '/a'],
    ['file:/a/b.ts', '/a/b.ts'],
    ['file:///a/b/', '/a/b'],
    ['file:///', '/'],
    ['file:///a//b', '/a/b'],
    ['file:///a/%C3%A4%20%25.ts', '/a/ä %.ts'],
    ['file://localhost//host/share', null],
    ['file://localhost.evil/a', null],
    ['file://127.0.0.1/a', null],
    ['file:a/b', null],
  ])('%s is the path %s', (uri, path) => {
    expect(pathOfFileUri(uri, false)).toBe(path);
  });

  it.each([
    ['file:///C:/site/a.ts', 'C:\\site\\a.ts'],
    ['file:///c%3A/site/', 'C:\\site'],
    ['file:///c:/site/../a%20b', 'C:\\a b'],
    ['file:///d:/', 'D:\\'],
    ['file://localhost/C:/site', 'C:\\site'],
    ['file://host/share/a', null],
    ['file:///site/a.ts', null],
    ['file:///C:/site%5c..%5ca', null],
  ])('%s is the path %s where there are drives', (uri, path) => {
    expect(pathOfFileUri(uri, true)).toBe(path);
  });

  it('answers the same whether there is something or not', async () => {
    const client = await remote();
    const there = await client.client.readResource({ uri: uriOf('.env') }).catch(String);
    const missing = await client.client.readResource({ uri: uriOf('.enw') }).catch(String);
    expect(there).toBe(missing);
  });
});

describe('names of secrets', () => {
  it.each([
    ...['.env', '.ENV.production', '.env.example', '.envrc', 'prod.env', '.dev.vars', 'a.tfvars'],
    ...['id_rsa', 'id_rsa.bak', 'id_ed25519_sk', 'ssh_host_rsa_key', 'server.pem', 'tls.KEY'],
    ...['a.p12', 'a.pfx', 'a.jks', 'a.kdbx', '.npmrc', '.netrc', '_netrc', '.pgpass', '.pypirc'],
    ...['credentials', 'credentials.json', 'secrets.yaml', 'secrets.py', 'secret.json'],
    ...['db-credentials.yml', 'app.secrets.json', 'client_secret_12-ab.json', 'auth.json'],
    ...['service-account.json', 'prod-serviceAccount-key.json', 'x-firebase-adminsdk-1.json'],
    ...['kubeconfig', 'prod.kubeconfig', 'kubeconfig.yaml', '.git-credentials', '.htpasswd'],
    ...['.bash_history', 'terraform.tfstate', 'terraform.tfstate.backup', 'server.key~'],
    ...['server.pem.old', '.server.key.swp', '.npmrc.bak.1'],
    ...['.aws/config', '.config/gcloud/a.db', '.config/gh/hosts.yml', '.kube/cache/x', '.ssh/x'],
    ...['.git/config', '.docker/config.json', '.m2/settings.xml', '.gnupg/pubring.kbx'],
    ...['.eliza/.elizadb/base/5/16384', '.elizadb/PG_VERSION', '.cue/db/base/1/2', '.cue/cue/x'],
    ...['db/base/5/2619_vm', 'db/pg_wal/000000010000000000000001', 'server.pid', 'server-0a.pid'],
    ...['.mcp.json', '.mcp.json.cue-backup-1', '.cursor/mcp.json', 'claude_desktop_config.json'],
    ...['.claude.json', '.claude/settings.json', '.local/share/keyrings/login.keyring'],
    ...['Library/Keychains/login.keychain-db', '.codex/config.toml', '.gemini/settings.json'],
  ])('%s is one', (name) => {
    expect(isPrivateFile(`/home/ada/${name}`)).toBe(true);
    expect(isPrivateFile(`C:\\home\\${name.replaceAll('/', '\\').toUpperCase()}`)).toBe(true);
  });

  it.each([
    ...['env.ts', 'environment', 'id_rsa.pub', 'keys.ts', 'monkey', '.gitignore', 'a.env.ts'],
    ...['credentials/index.ts', 'secrets/reader.ts', 'redact-secrets.ts', 'secretary.md', 'key'],
    ...['pem.ts', 'server.crt', 'oauth.json', 'authors.json', 'history.md', '.github/x.yml'],
    ...['server.ts', 'pid', 'mcp.ts', 'claude.json', '.cue/memory-index.md', 'base/5/notes.md'],
    ...['account.json', 'service.json', 'kube/config.ts', 'gcloud/a.ts', '.config/app.json'],
    ...['proc/self/environ', 'dev/build.ts', 'etc/shadow', '.m2/notes.md', 'tokens.css'],
  ])('%s is none', (name) => {
    expect(isPrivateFile(`/home/ada/${name}`)).toBe(false);
  });

  it.each(['/proc/self/environ', '/sys/x', '/dev/fd/3', '/etc/shadow', '/run/secrets/db'])(
    '%s is of the machine',
    (path) => {
      expect(isPrivateFile(path)).toBe(true);
    },
  );
});

describe('a file that changes hands', () => {
  it('between the look and the open is told from what was looked for', async () => {
    const folder = join(top, 'swapped');
    mkdirSync(join(folder, 'in'), { recursive: true });
    const path = join(folder, 'in', 'secret.txt');
    writeFileSync(path, 'mine\n');
    const read = async () => lstat(path, { bigint: true });
    const mine = await read();
    expect(await isStillAt(path, mine)).toBe(true);
    renameSync(join(folder, 'in'), join(folder, 'away'));
    symlinkSync(top, join(folder, 'in'));
    const theirs = await read();
    expect([await isStillAt(path, theirs), await isStillAt(path, mine)]).toEqual([false, false]);
    rmSync(join(folder, 'in'));
    renameSync(join(folder, 'away'), join(folder, 'in'));
    expect([await isStillAt(path, theirs), await isStillAt(path, mine)]).toEqual([false, true]);
    rmSync(path);
    expect(await isStillAt(path, mine)).toBe(false);
  });

  it('and one with a second name elsewhere cannot be told: it is read', async () => {
    linkSync(join(top, 'secret.txt'), join(root, 'src/hard.txt'));
    expect(await read(await remote(), uriOf('src/hard.txt'))).toMatchObject({ text: 'outside\n' });
    rmSync(join(root, 'src/hard.txt'));
  });
});

describe('the roots', () => {
  it('of a client on this machine are its own, whatever the setting says', async () => {
    const local = await connect({ isLocal: true, fileRoots: [root] }, () => [
      join(top, 'project-two'),
    ]);
    const uri = String(pathToFileURL(join(top, 'project-two/other.txt')));
    expect(await read(local, uri)).toMatchObject({ text: 'of another project\n' });
    expect(await read(local, uriOf('src/auth.ts'))).toEqual(NOT_FOUND);
  });

  it('are asked for once, and again when they have changed', async () => {
    let roots = [join(top, 'project-two')];
    const local = await connect({ isLocal: true }, () => roots);
    expect(local.asked()).toBe(0);
    expect(await read(local, uriOf('src/auth.ts'))).toEqual(NOT_FOUND);
    roots = [root];
    expect(await read(local, uriOf('src/auth.ts'))).toEqual(NOT_FOUND);
    expect(local.asked()).toBe(1);
    await local.client.sendRootsListChanged();
    expect(await read(local, uriOf('src/auth.ts'))).toMatchObject({ mimeType: 'text/plain' });
    expect(local.asked()).toBe(2);
  });

  it('that are no folders of this machine take none of the others away', async () => {
    const uris = [
      ...['https://example.org/', 'untitled:one', 'file://elsewhere/x', 'no address', ''],
      ...[`file://localhost${pathToFileURL(root).pathname}/`],
    ];
    const local = await connect({ isLocal: true }, () => uris, String);
    expect(await read(local, uriOf('src/auth.ts'))).toMatchObject({ mimeType: 'text/plain' });
    expect(await read(local, uriOf('.env'))).toEqual(NOT_FOUND);
    expect(local.asked()).toBe(1);
  });

  it('may be the whole disk, if the client says so: what is private stays so', async () => {
    const local = await connect({ isLocal: true }, () => ['file:///'], String);
    expect(await read(local, uriOf('src/auth.ts'))).toMatchObject({ mimeType: 'text/plain' });
    const names = ['.env', '.git/config', '.ssh/known_hosts', 'src/cert.pem', 'src/settings.txt'];
    for (const name of names) expect(await read(local, uriOf(name))).toEqual(NOT_FOUND);
    expect(await read(local, 'file:///proc/self/environ')).toEqual(NOT_FOUND);
    // Nor is it read where it is itself the root.
    const inside = await connect({ isLocal: true }, () => [join(root, '.ssh')]);
    expect(await read(inside, uriOf('.ssh/known_hosts'))).toEqual(NOT_FOUND);
  });

  it('that cannot be told are asked for again with the next file', async () => {
    let fails = true;
    const local = await connect({ isLocal: true }, () => {
      if (fails) throw new Error('not now');
      return [root];
    });
    expect(await read(local, uriOf('src/auth.ts'))).toEqual(NOT_FOUND);
    fails = false;
    expect(await read(local, uriOf('src/auth.ts'))).toMatchObject({ mimeType: 'text/plain' });
  });

  it('are none without a setting, or for a client that knows none', async () => {
    const strangers = [
      await connect({ isLocal: false }),
      await connect({ isLocal: true, fileRoots: [root] }),
      // What it says of its machine is not believed of ours.
      await connect({ isLocal: false }, () => [root]),
    ];
    for (const one of strangers) expect(await read(one, uriOf('src/auth.ts'))).toEqual(NOT_FOUND);
    expect(strangers[2]?.asked()).toBe(0);
  });
});

describe('what is remembered of a file', () => {
  const waitingFor = async (sessionId: string) =>
    (await offers.list({ sessionId, state: 'pending' }, OPERATOR)).offers
      .filter(({ target }) => target.sessionId === sessionId)
      .map(({ kind, text }) => [kind, text.split('\n')[0]]);
  const HISTORY = [['fileTouch', '[RUM] auth.ts has history (1 memory):']];

  it('waits for whoever has read it', async () => {
    const one = await remote();
    await read(one, uriOf('src/auth.ts'));
    await offers.settled();
    expect(await waitingFor(one.sessionId)).toEqual(HISTORY);
    const { content } = await one.client.callTool({ name: 'list', arguments: {} });
    expect(JSON.stringify(content)).toContain('auth.ts has history');
  });

  it('or subscribed to it; and the way back is open', async () => {
    const one = await remote();
    await one.client.subscribeResource({ uri: uriOf('src/auth.ts') });
    await one.client.unsubscribeResource({ uri: uriOf('src/auth.ts') });
    await offers.settled();
    expect(await waitingFor(one.sessionId)).toEqual(HISTORY);
  });

  it('is not given away for a file that may not be read', async () => {
    const one = await connect({ isLocal: false });
    await read(one, uriOf('src/auth.ts'));
    const uri = uriOf('src/auth.ts');
    await expect(one.client.subscribeResource({ uri })).rejects.toMatchObject({ code: -32002 });
    await offers.settled();
    expect(await waitingFor(one.sessionId)).toEqual([]);
  });
});

it('is all the same over HTTP, below CUE_FILE_ROOTS: read, refused, and told of on the stream', async () => {
  const listener = await startListener({ runtime: agent.runtime, port: 0 });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const told = new Promise<unknown>((resolve) => {
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      resolve(params.data);
    });
  });
  try {
    const url = new URL(`http://127.0.0.1:${listener.port}/cue/mcp`);
    const transport = new StreamableHTTPClientTransport(url);
    await client.connect(transport);
    const connected = { client, sessionId: '', asked: () => 0 };
    expect(await read(connected, uriOf('src/auth.ts'))).toMatchObject({ mimeType: 'text/plain' });
    expect(await read(connected, uriOf('.env'))).toEqual(NOT_FOUND);
    // The memory itself, and what is kept beside it, wherever they lie and by whatever way.
    symlinkSync('state/pg', join(root, 'pg'));
    writeFileSync(join(root, 'state/kept/note.txt'), 'kept\n');
    const own = ['state/pg/PG_VERSION', 'pg/PG_VERSION', 'state/kept/note.txt'];
    for (const name of own) {
      expect([name, existsSync(join(root, name))]).toEqual([name, true]);
      expect([name, await read(connected, uriOf(name))]).toEqual([name, NOT_FOUND]);
    }
    expect(await told).toContain('[RUM] auth.ts has history (1 memory):');
    await transport.terminateSession();
  } finally {
    await client.close();
    await listener.close();
  }
});
