/**
 * What has to be in place before the host is loaded: it reads its log level when it is imported
 * and most of the rest from `process.env`. Nothing here imports the host.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';

/** Where this server runs and keeps its data. */
export interface Place {
  host: string;
  port: number;
  /** Address that was asked for; another one is used when its port is taken. */
  wantedUrl: string;
  /** Database directory and secret salt are in here. */
  dataDir: string;
  databaseDir: string;
  postgresUrl?: string;
}

/** A configuration a person can put right; its message is all they need to see. */
export class StartError extends Error {}

const DEFAULT_PORT = 3000;
const PORTS_TRIED = 10;
/**
 * A DSN that the reporter cannot use, so it makes no transport at all; and would it be used, it
 * names a port of this machine where nothing answers.
 */
const NOWHERE_DSN = 'http://off@127.0.0.1:9/off';

/** Reads `.env` of the working directory (what is set already stays) and fills in our defaults. */
export async function prepareEnvironment(): Promise<Place> {
  readEnvFile(resolve('.env'));
  const host = process.env.SERVER_HOST || '127.0.0.1';
  const wanted = wantedPort(process.env.SERVER_PORT);
  const port = await freePort(wanted, host);

  const givenDatabase = process.env.PGLITE_DATA_DIR;
  const dataDir = resolve(
    process.env.CUE_DATA_DIR || (givenDatabase ? dirname(resolve(givenDatabase)) : '.cue'),
  );
  const databaseDir = givenDatabase ? resolve(givenDatabase) : join(dataDir, 'db');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(databaseDir), { recursive: true });

  Object.assign(process.env, {
    SERVER_HOST: host,
    SERVER_PORT: String(port),
    PGLITE_DATA_DIR: databaseDir,
    // The host resolves plugins by name and would run `bun add` for what it does not find.
    ELIZA_NO_PLUGIN_AUTO_INSTALL: 'true',
  });
  const defaults = {
    // The host reports errors to its makers; an empty DSN means theirs, so it gets one of nobody.
    SENTRY_DSN: NOWHERE_DSN,
    SECRET_SALT: process.env.SECRET_SALT || secretSalt(join(dataDir, 'secret-salt')),
    // At `warn` the host prints whole messages.
    LOG_LEVEL: 'error',
    // The host's default lets every web page that is open in a browser talk to this server.
    CORS_ORIGIN: urlOf(host, port),
    ELIZA_DATA_DIR: join(dataDir, 'eliza'),
    DOTENV_CONFIG_QUIET: 'true',
    // The host takes every chat of its server for a group and asks the model whether to answer.
    ALWAYS_RESPOND_CHANNELS: 'GROUP',
  };
  for (const [name, value] of Object.entries(defaults)) process.env[name] ||= value;

  const postgresUrl = process.env.POSTGRES_URL;
  return {
    host,
    port,
    wantedUrl: urlOf(host, wanted),
    dataDir,
    databaseDir,
    ...(postgresUrl ? { postgresUrl } : {}),
  };
}

/** Address of the server for a client on this machine. */
export function urlOf(host: string, port: number): string {
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

function readEnvFile(path: string): void {
  // Bun has read the file already.
  if (!existsSync(path) || typeof process.loadEnvFile !== 'function') return;
  process.loadEnvFile(path);
}

function wantedPort(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new StartError(`SERVER_PORT must be a number from 1 to 65535, not "${text}".`);
}

/** The wanted port or the next free one, as the host itself would choose. */
async function freePort(wanted: number, host: string): Promise<number> {
  const last = Math.min(wanted + PORTS_TRIED - 1, 65_535);
  for (let port = wanted; port <= last; port += 1) {
    const failure = await tryPort(port, host);
    if (failure === null) return port;
    if (failure === 'EADDRNOTAVAIL' || failure === 'ENOTFOUND') {
      throw new StartError(`SERVER_HOST "${host}" is no address of this machine.`);
    }
  }
  throw new StartError(`No free port from ${wanted} to ${last}; set SERVER_PORT to another one.`);
}

function tryPort(port: number, host: string): Promise<string | null> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'UNKNOWN'));
    probe.listen(port, host, () => probe.close(() => done(null)));
  });
}

/** Made once: what the host encrypts with it must be readable after the next start. */
function secretSalt(path: string): string {
  if (existsSync(path)) {
    const kept = readFileSync(path, 'utf8').trim();
    if (kept !== '') return kept;
  }
  const salt = randomBytes(32).toString('hex');
  writeFileSync(path, `${salt}\n`, { mode: 0o600 });
  return salt;
}
