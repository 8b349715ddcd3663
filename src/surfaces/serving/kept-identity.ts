/**
 * Who a client is, kept for its next process: a model forgets a token from one session to the next, and
 * need not see it. Beside the embedded database, else in the person's folder; of no other user to read.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../../shared/errors.js';
import { makeFolder } from '../../shared/make-folder.js';
import { processName } from '../../shared/process-life.js';
import { isFields } from './mcp-messages.js';
import type { Env } from './place.js';
import type { Server } from './roles.js';

export interface KeptIdentity {
  agent_id: string;
  resume_token: string;
  name: string | null;
}

/** Of one client, by the name that it gives itself, at one agent and project. Nothing of it throws. */
export interface IdentityKeeper {
  /** `null`: none is kept, or the server is not known to be this person's. */
  of(server: Server, client: string): KeptIdentity | null;
  /** Whether it is kept now. */
  keep(server: Server, client: string, identity: KeptIdentity): boolean;
  drop(server: Server, client: string): void;
}

export interface IdentityKeeperDeps {
  env: Env;
  cwd: string;
  home?: string;
  /** One line for people. */
  log(line: string): void;
}

const NAME_DIGITS = 32;

export function createIdentityKeeper(deps: IdentityKeeperDeps): IdentityKeeper {
  const { env, cwd, log, home = homedir() } = deps;

  /** `null` where another user could have said that it is the server: it would be sent the token. */
  function pathOf({ address, identity }: Server, client: string): string | null {
    if (address.localKey === undefined) return null;
    const { createHash } = process.getBuiltinModule('node:crypto');
    const { agentId, project, database } = identity;
    const name = createHash('sha256')
      .update(JSON.stringify([agentId, project, database, client]))
      .digest('hex')
      .slice(0, NAME_DIGITS);
    return join(folderOf(database), 'identities', `${name}.json`);
  }

  function folderOf(database: string | null): string {
    if (env.CUE_DATA_DIR) return resolve(cwd, env.CUE_DATA_DIR);
    return database === null ? join(home, '.cue') : join(dirname(database), 'cue');
  }

  return {
    of(server, client) {
      const path = pathOf(server, client);
      if (path === null) return null;
      try {
        return identityIn(readOwn(path));
      } catch (error) {
        const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        if (!isMissing) log(`the identity in ${path} is not resumed: ${messageOf(error)}`);
        return null;
      }
    },
    keep(server, client, { agent_id, resume_token, name }) {
      const path = pathOf(server, client);
      if (path === null) return false;
      const draft = `${path}.${processName()}`;
      try {
        makeFolder(dirname(path), 0o700);
        rmSync(draft, { force: true });
        const text = JSON.stringify({ client, agent_id, resume_token, name });
        writeFileSync(draft, `${text}\n`, { flag: 'wx', mode: 0o600 });
        renameSync(draft, path);
        return true;
      } catch (error) {
        log(`the identity of ${client} is not kept in ${path}: ${messageOf(error)}`);
        return false;
      }
    },
    drop(server, client) {
      const path = pathOf(server, client);
      try {
        if (path !== null) rmSync(path, { force: true });
      } catch (error) {
        log(`${path} cannot be removed: ${messageOf(error)}`);
      }
    },
  };
}

/** @throws Error for what is no file of this user's, which nobody else may read */
function readOwn(path: string): string {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const handle = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) throw new Error('it is no file');
    const isOwn = process.geteuid === undefined || found.uid === process.geteuid();
    if (!isOwn) throw new Error('it belongs to another user');
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

/** @throws Error for what says of no identity who it is */
function identityIn(text: string): KeptIdentity {
  const read: unknown = JSON.parse(text);
  const { agent_id, resume_token, name } = isFields(read) ? read : {};
  if (typeof agent_id !== 'string' || typeof resume_token !== 'string') {
    throw new Error('it holds no agent_id and resume_token');
  }
  return { agent_id, resume_token, name: typeof name === 'string' ? name : null };
}
