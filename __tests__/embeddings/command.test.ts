/** `npm run embeddings` as a process, on the database that an agent has left behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WORK_MEMORY, type WorkMemoryService, workMemoryType } from '../../src/memory/index.js';
import {
  createCatalog,
  createRecordStore,
  databaseOf,
  homeOf,
  projectIdOf,
} from '../../src/records/index.js';
import { lockDirectory } from '../../src/shared/dir-lock.js';
import { derivedId } from '../../src/shared/ids.js';
import { boot } from '../helpers/boot.js';
import { programOf } from '../helpers/programs.js';
import { draft } from '../memory/room.js';
import { MODEL_DIR } from './helpers/hub.js';
import { keepingLog } from './helpers/log.js';

const DOCUMENTATION = fileURLToPath(new URL('../../docs/embeddings.md', import.meta.url));
const MODEL = 'static-glove-use-384@179012df';

let scratch: string;
let database: string;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'cue-embeddings-')));
  const left = join(scratch, 'left');
  await leaveBehind(left);
  // The agent's process, which is this one, keeps its lock until it ends.
  database = join(scratch, 'db');
  cpSync(left, database, { recursive: true });
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

/** 150 records of two projects without vectors, and one with a vector of the words. */
async function leaveBehind(dataDir: string): Promise<void> {
  const agent = await boot({ dataDir, slim: true });
  const { runtime } = agent;
  const service = (await runtime.getServiceLoadPromise(
    WORK_MEMORY as Parameters<typeof runtime.getServiceLoadPromise>[0],
  )) as WorkMemoryService;
  await service.settle();
  await service.store(draft('the backup is broken'), { kind: 'operator' });
  const db = databaseOf(runtime);
  for (const [name, count] of [
    ['', 120],
    ['other', 30],
  ] as const) {
    const projectId = projectIdOf(runtime.agentId, name);
    const store = createRecordStore({
      db,
      home: homeOf(runtime),
      projectId,
      catalog: createCatalog({ analyze: () => [], project: projectId }),
      log: keepingLog(),
    });
    const data = (at: number) =>
      workMemoryType.schema.parse({
        intent: { goal: `rename the column ${at}` },
        outcome: { success: true, summary: 'done' },
        agent_id: runtime.agentId,
      });
    await store.insert(
      workMemoryType,
      Array.from({ length: count }, (_, at) => ({
        id: derivedId('test', projectId, String(at)),
        createdAtMs: 1_000 + at,
        scope: {
          projectId,
          visibility: 'project' as const,
          entityId: null,
          roomId: null,
          authorId: runtime.agentId,
        },
        data: data(at),
      })),
    );
  }
  await agent.stop();
}

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** @param onError told what was said on stderr so far */
function command(
  args: readonly string[],
  env: Record<string, string> = {},
  onError?: (said: string, child: ChildProcess) => void,
): Promise<Ended> {
  const child = spawn(process.execPath, [programOf('scripts/embeddings'), ...args], {
    cwd: scratch,
    env: { PATH: process.env.PATH, HOME: scratch, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
    onError?.(err, child);
  });
  return new Promise((resolve) => {
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code, out, err });
    });
  });
}

describe('the embeddings command', () => {
  it('says what is configured as documented, wrong usage with 2, what is not there with 1', async () => {
    const empty = join(scratch, 'empty', 'db');
    const [plain, none, unknown, nothing, broken] = await Promise.all([
      command(['status']),
      command([]),
      command(['status', '--loud']),
      command(['reembed', '--data-dir', empty]),
      command(['status', '--data-dir', empty], { CUE_EMBEDDINGS_MODEL_DIR: scratch }),
    ]);
    const documented = /\$ npm run embeddings -- status\n([^`]*)```/.exec(
      readFileSync(DOCUMENTATION, 'utf8'),
    )?.[1];
    expect(plain).toEqual({ code: 0, out: documented?.replace('/home/you/cue', scratch), err: '' });
    expect([none.code, unknown.code, nothing.code, broken.code]).toEqual([2, 2, 1, 1]);
    expect(none.err).toMatch(/^usage: npm run embeddings -- status\|download\|reembed/);
    expect(nothing.err).toBe(`there is no database in ${empty}\n`);
    expect(broken.err).toContain('config.json');
  });

  it('does not touch a database that a living process has', async () => {
    const lock = await lockDirectory(database, 4711);
    try {
      const { code, err } = await command(['reembed', '--data-dir', database]);
      expect(code).toBe(1);
      expect(err).toContain(`in use by process ${process.pid}, serving on port 4711`);
    } finally {
      lock.release();
    }
  });

  it('ends a re-embedding at Ctrl-C with 130, goes on at the next call, and counts by model', async () => {
    const env = { CUE_EMBEDDINGS_MODEL_DIR: MODEL_DIR };
    const press = () => {
      let pressed = false;
      return command(['reembed', '--data-dir', database], env, (said, child) => {
        if (pressed || !said.includes('%')) return;
        pressed = child.kill('SIGINT');
      });
    };
    let cut = await press();
    // On a busy machine it may be through before the key is pressed.
    for (let turn = 2; turn <= 5 && cut.code === 0; turn += 1) {
      rmSync(database, { recursive: true });
      cpSync(join(scratch, 'left'), database, { recursive: true });
      cut = await press();
    }
    expect(cut.code).toBe(130);
    const done = Number(/interrupted after (\d+) of 151 records/.exec(cut.err)?.[1]);
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(151);

    const rest = await command(['reembed', '--data-dir', database], env);
    expect(rest).toMatchObject({
      code: 0,
      out: `${151 - done} records embedded with ${MODEL}\n`,
    });
    expect(rest.err).toContain(`100 % ${151 - done} of ${151 - done} records\n`);

    const status = await command(['status', '--data-dir', database], env);
    expect(status.code).toBe(0);
    expect(status.out).toMatch(new RegExp(`^serving +${MODEL}: CUE_EMBEDDINGS_MODEL_DIR=`, 'm'));
    expect(status.out.match(/\d+ records by .*/g)?.sort()).toEqual([
      `121 records by ${MODEL}`,
      `30 records by ${MODEL}`,
    ]);
  });
});
