import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Caller, projectScope, type RecordStore, rowsOf } from '../../src/records/index.js';
import { systemClock } from '../../src/shared/clock.js';
import { isAppError } from '../../src/shared/errors.js';
import { derivedId } from '../../src/shared/ids.js';
import { indexIdOf } from '../../src/when/entry-ids.js';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import type { When } from '../../src/when/service.js';
import { createLibraryRecords, createRowWriter } from '../../src/when/sync.js';
import type { Library } from '../../src/when/types.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { diskRoom } from './disk-room.js';
import {
  AGENT,
  CLI,
  fill,
  INDEX,
  OPERATOR,
  openRoom,
  type Row,
  rowsIn,
  SILENT,
  START_MS,
  storeOf,
  TESTING,
} from './when-room.js';

const clock = { now: () => START_MS };
const FILES = { 'testing.md': TESTING, 'cli.md': CLI };

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(() => database.close());

function libraryOf(index: string, files: Record<string, string>): Library {
  const parsed = Object.entries(files).map(([path, text]) => parseDecisionFile(path, text));
  return buildLibrary(parseIndex(index), parsed);
}

function recordsOn(records: RecordStore, index = '/p/index.md') {
  const indexId = indexIdOf(records.projectId, index);
  return createLibraryRecords({ records, agentId: AGENT, clock, indexId });
}

/** Texts of the rows that are new, changed or gone. */
function changesOf(before: readonly Row[], after: readonly Row[]): string[] {
  const was = new Map(before.map((row) => [row.id, row.revision]));
  const is = new Set(after.map(({ id }) => id));
  return [
    ...after
      .filter(({ id, revision }) => was.get(id) !== revision)
      .map(({ id, text }) => `${was.has(id) ? 'changed' : 'new'}: ${text.split('\n')[0]}`),
    ...before.filter(({ id }) => !is.has(id)).map(({ text }) => `gone: ${text.split('\n')[0]}`),
  ];
}

const AWAY =
  'UNAVAILABLE: the index and its files cannot be read, and what is written now would take the place of what is stored: bring them back, or write them anew in an editor';

/** What a new entry is refused with. */
async function refusal(when: When, file = 'names.md'): Promise<string> {
  const draft = {
    trigger: 'naming new files',
    header: 'File names',
    description: 'kebab case, a noun, no abbreviation',
    file,
    content: 'Kebab case.',
  };
  const error: unknown = await when.remember(draft, OPERATOR).catch((thrown: unknown) => thrown);
  return isAppError(error) ? `${error.code}: ${error.message}` : 'nothing';
}

describe('the rows of a library', () => {
  it('are one per file, the index among them, open to the project, with ids that come from what they are', async () => {
    const store = storeOf(database, 'rows');
    const result = await recordsOn(store).write(libraryOf(INDEX, FILES));
    const rows = await rowsIn(database, store);
    expect(result).toBe(3);
    expect(rows.map(({ text }) => text.split('\n')[0])).toEqual([
      'cli.md',
      'testing.md',
      'the /when index',
    ]);
    const again = storeOf(database, 'rows');
    expect(await recordsOn(again).write(libraryOf(INDEX, FILES))).toBe(0);
    const scopes = await rowsOf<{ visibility: string }>(
      database.db,
      sql`select distinct metadata->'scope'->>'visibility' as visibility from memories
        where world_id = ${store.projectId} and type like 'cue_when%'`,
    );
    expect(scopes).toEqual([{ visibility: 'project' }]);
  });

  it('change only where the files did', async () => {
    const store = storeOf(database, 'edits');
    const rows = recordsOn(store);
    await rows.write(libraryOf(INDEX, FILES));
    const first = await rowsIn(database, store);

    const edited = { ...FILES, 'cli.md': CLI.replace('0, 1', 'zero, 1') };
    expect(await rows.write(libraryOf(INDEX, edited))).toBe(1);
    const second = await rowsIn(database, store);
    expect(changesOf(first, second)).toEqual(['changed: cli.md']);

    const index = INDEX.replace('patch where used', 'patch it where used');
    const renamed = { 'testing.md': TESTING, 'commands.md': CLI };
    expect(await rows.write(libraryOf(index, renamed))).toBe(3);
    expect(changesOf(second, await rowsIn(database, store))).toEqual([
      'new: commands.md',
      'changed: the /when index',
      'gone: cli.md',
    ]);
  });

  it('of an earlier version, one for each entry and section, go; its files stay as they are', async () => {
    const store = storeOf(database, 'earlier');
    await recordsOn(store).write(libraryOf(INDEX, FILES));
    const [row] = await rowsIn(database, store);
    const index = String(row?.data.index);
    const scope = projectScope(store.projectId, AGENT);
    const add = (name: `cue_${string}`, data: { index: string }) =>
      store.insert(
        {
          name,
          version: 1,
          schema: z.looseObject({ index: z.string() }),
          upgrades: {},
          text: () => name,
        },
        [{ id: derivedId('row', name, data.index), createdAtMs: START_MS, scope, data }],
      );
    const section = { file: 'cli.md', level: 2, title: 'Exit codes', content: '0, 1', hash: 'h' };
    await add('cue_when_section', { ...section, index });
    await add('cue_when_entry', { index });
    await add('cue_when_entry', { index: 'of another index' });
    const before = await rowsIn(database, store);
    expect(before).toHaveLength(6);
    expect((await recordsOn(store).read())?.files.map(({ path }) => path)).toEqual([
      'cli.md',
      'testing.md',
    ]);
    expect(await recordsOn(store).write(libraryOf(INDEX, FILES))).toBe(1);
    expect(changesOf(before, await rowsIn(database, store))).toEqual([
      'gone: cue_when_entry',
      'gone: cue_when_section',
    ]);
  });

  it('come back when what was removed is written again', async () => {
    const store = storeOf(database, 'back');
    const rows = recordsOn(store);
    await rows.write(libraryOf(INDEX, FILES));
    const before = await rowsIn(database, store);
    expect(await rows.write(libraryOf('', {}))).toBe(3);
    expect(await rowsIn(database, store)).toEqual([]);
    expect(await rows.write(libraryOf(INDEX, FILES))).toBe(3);
    // Revisions go on: nobody takes the new rows for those that were removed.
    const anew = before.map((row) => ({ ...row, revision: 2 }));
    expect(await rowsIn(database, store)).toEqual(anew);
    const changed = libraryOf(INDEX, { ...FILES, 'cli.md': `${FILES['cli.md']}\nMore.` });
    expect(await rows.write(changed)).toBeGreaterThan(0);
  });

  it('hold the new place of a renamed file before the old one goes', async () => {
    const store = storeOf(database, 'rename');
    const seen: boolean[] = [];
    const hasContent = async () =>
      (await rowsIn(database, store)).some(({ data }) => String(data.content).includes('0, 1, 2'));
    const rows = recordsOn({
      ...store,
      insert: async (...args) => {
        const inserted = await store.insert(...args);
        seen.push(await hasContent());
        return inserted;
      },
      remove: async (...args) => {
        const removed = await store.remove(...args);
        seen.push(await hasContent());
        return removed;
      },
    });
    await rows.write(libraryOf(INDEX, FILES));
    const renamed = { 'testing.md': TESTING, 'commands.md': CLI };
    await rows.write(libraryOf(INDEX.replace('cli.md', 'commands.md'), renamed));
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(new Set(seen)).toEqual(new Set([true]));
  });

  it('hold no secrets, neither in texts nor in titles nor in entries', async () => {
    const store = storeOf(database, 'secrets');
    const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const file = `# F\n\n## Use ${token}\n\ntoken: ${token}\n`;
    const index = `## f.md\n\n/when using ${token} | Use ${token} | the token ${token}\n`;
    await recordsOn(store).write(libraryOf(index, { 'f.md': file }));
    const rows = await rowsIn(database, store);
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).toContain('[redacted:');
    const stored = await recordsOn(store).read();
    expect(parseIndex(stored?.index ?? '').entries.map(({ header }) => header)).toEqual([
      stored?.files[0]?.text.match(/^## (.*)$/m)?.[1],
    ]);
  });

  it('are read without the ones that are damaged, which the next write mends', async () => {
    const store = storeOf(database, 'damaged');
    await recordsOn(store).write(libraryOf(INDEX, FILES));
    const before = await rowsIn(database, store);
    await database.db.execute(
      sql`update memories set metadata = jsonb_set(metadata, '{data}', '{"file": 7}')
        where world_id = ${store.projectId} and content->>'text' like ${'testing.md\n%'}`,
    );
    const rows = recordsOn(store);
    expect(await rows.read()).toEqual({ index: INDEX, files: [{ path: 'cli.md', text: CLI }] });
    expect(await rows.write(libraryOf(INDEX, FILES))).toBe(1);
    const mended = await rowsIn(database, store);
    expect(mended.map(({ id, data }) => [id, data.hash])).toEqual(
      before.map(({ id, data }) => [id, data.hash]),
    );
  });

  it('settle when two processes follow the same files', async () => {
    const one = recordsOn(storeOf(database, 'two'));
    const other = recordsOn(storeOf(database, 'two'));
    expect(await one.write(libraryOf(INDEX, FILES))).toBe(3);
    expect(await other.write(libraryOf(INDEX, FILES))).toBe(0);
    const edited = { 'testing.md': TESTING, 'cli.md': CLI.replace('0, 1', 'zero, 1') };
    expect(await one.write(libraryOf(INDEX, edited))).toBe(1);
    // What it knew is out of date: it looks again and finds it done.
    expect(await other.write(libraryOf(INDEX, edited))).toBe(0);
    // One that has not seen the newest edit yet writes what it sees; the newest wins in the end.
    expect(await one.write(libraryOf(INDEX, FILES))).toBe(1);
    expect(await other.write(libraryOf(INDEX, edited))).toBe(0);
    const more = { ...edited, 'more.md': '# M\n\n## More\n\nmore\n' };
    await Promise.all([one.write(libraryOf(INDEX, more)), other.write(libraryOf(INDEX, more))]);
    const third = recordsOn(storeOf(database, 'two'));
    expect(await third.write(libraryOf(INDEX, more))).toBe(0);
  });

  it('of two indexes that share a project are no matter of each other', async () => {
    const store = storeOf(database, 'shared');
    const one = recordsOn(store, '/one/agents/index.md');
    const other = recordsOn(store, '/other/agents/index.md');
    const otherFiles = { 'cli.md': CLI.replace('0, 1', 'zero, 1') };
    expect(await one.write(libraryOf(INDEX, FILES))).toBe(3);
    expect(await other.write(libraryOf(INDEX, otherFiles))).toBe(2);
    expect(await one.write(libraryOf(INDEX, FILES))).toBe(0);
    const texts = async (rows: typeof one) =>
      (await rows.read())?.files.map(({ path, text }) => [path, text]);
    expect(await texts(recordsOn(store, '/other/agents/index.md'))).toEqual([
      ['cli.md', otherFiles['cli.md']],
    ]);
    // A row that says nothing any more may be the other's.
    const [row] = await rowsIn(database, store);
    await database.db.execute(
      sql`update memories set metadata = jsonb_set(metadata, '{data}', '{"file": 7}')
        where id = ${row?.id}`,
    );
    await recordsOn(store, '/third.md').write(libraryOf('', {}));
    expect((await rowsIn(database, store)).map(({ id }) => id)).toContain(row?.id);
    // Nor does what one gives up take anything from the other.
    expect(await recordsOn(store, '/one/agents/index.md').write(libraryOf('', {}))).toBe(
      row?.data.index === indexIdOf(store.projectId, '/one/agents/index.md') ? 2 : 3,
    );
    expect(await texts(recordsOn(store, '/one/agents/index.md'))).toBeUndefined();
    expect(await texts(recordsOn(store, '/other/agents/index.md'))).toHaveLength(1);
  });

  it('leave the event loop a turn between two statements, and end where they are told to', async () => {
    const store = storeOf(database, 'turns');
    let turned = true;
    let held = 0;
    let statements = 0;
    const abort = new AbortController();
    const watched =
      <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
      (...args: Args) => {
        statements += 1;
        if (!turned) held += 1;
        turned = false;
        setImmediate(() => {
          turned = true;
        });
        return work(...args);
      };
    const rows = recordsOn({
      ...store,
      insert: watched(store.insert) as typeof store.insert,
      replace: watched(store.replace) as typeof store.replace,
      remove: watched(store.remove),
    });
    const files = (content: string) =>
      Object.fromEntries(
        Array.from({ length: 60 }, (_, at) => [`${at}.md`, `# A\n\n${content}\n`]),
      );
    await rows.write(libraryOf('', files('one')));
    await rows.write(libraryOf('', files('two')));
    await rows.write(libraryOf('', {}));
    expect([statements, held]).toEqual([3 + 60 + 3, 0]);
    abort.abort();
    await expect(rows.write(libraryOf('', files('one')), abort.signal)).rejects.toThrow('aborted');
    expect(await rowsIn(database, store)).toEqual([]);
  });
});

describe('writing rows in the background', () => {
  it('tries again what failed, says so meanwhile, and ends where it is when it is stopped', async () => {
    const store = storeOf(database, 'retry');
    let failures = 2;
    const records: RecordStore = {
      ...store,
      insert: (...args) =>
        failures-- > 0 ? Promise.reject(new Error('connection lost')) : store.insert(...args),
    };
    const writer = createRowWriter({
      rows: recordsOn(records),
      log: SILENT,
      retryMs: [60_000, 1],
    });
    writer.want(libraryOf(INDEX, FILES));
    await expect
      .poll(() => writer.problem())
      .toBe('the rows are behind the files: connection lost');
    expect(await rowsIn(database, store)).toEqual([]);
    // The look that comes next fails, too; the one after it comes by itself.
    await writer.settled();
    await expect.poll(() => writer.problem()).toBeUndefined();
    expect([writer.problem(), (await rowsIn(database, store)).length]).toEqual([undefined, 3]);
    writer.want(libraryOf('', {}));
    await writer.stop();
    writer.want(libraryOf(INDEX, FILES));
    await writer.settled();
    expect((await rowsIn(database, store)).length).toBe(3);
  });

  it('writes the newest of what is wanted meanwhile, and not what came between', async () => {
    const store = storeOf(database, 'newest');
    const writer = createRowWriter({ rows: recordsOn(store), log: SILENT });
    const texts = ['one', 'two', 'three'];
    for (const text of texts) writer.want(libraryOf('', { [`${text}.md`]: `## ${text}\n` }));
    await writer.settled();
    const rows = await rowsIn(database, store);
    expect(rows.map(({ text }) => text.split('\n')[0])).toEqual(['three.md']);
    await writer.stop();
  });
});

describe('an index that is followed', () => {
  // What is lost is believed after a while, which the machine's clock measures.
  const fast = { watching: { settleMs: 60, debounceMs: 5, clock: systemClock } };
  const given = async (when: Awaited<ReturnType<typeof openRoom>>, query: string) => {
    const { results } = await when.recall(query, OPERATOR);
    return results.map(({ found, matches: [best] }) =>
      found === 'exact' ? best?.content?.trim() : found,
    );
  };

  it('answers with what an editor saves, by itself, and stores it', async () => {
    const room = fill(diskRoom());
    const store = storeOf(database, 'followed');
    const when = await openRoom(store, room, fast);
    expect(when.health()).toMatchObject({ state: 'ready', entries: 3, sections: 4, files: 2 });
    room.put('cli.md', CLI.replace('0, 1', 'zero, 1'));
    await expect.poll(() => given(when, 'choosing exit codes')).toEqual(['zero, 1, 2 and 3.']);
    await when.settled();
    const stored = await rowsIn(database, store);
    expect(stored.find(({ data }) => data.file === 'cli.md')?.data.content).toContain('zero, 1');
    expect(await when.settled().then(() => when.health().degraded)).toBeUndefined();
    await when.stop();
  });

  it('answers from what was stored while the files are away, and from the files once they are back', async () => {
    const room = fill(diskRoom());
    const store = storeOf(database, 'away');
    const away = `${room.root}/agents-away`;
    const agents = `${room.root}/agents`;
    let when = await openRoom(store, room, fast);
    await when.settled();
    const before = await rowsIn(database, store);

    renameSync(agents, away);
    await expect.poll(() => when.health().state).toBe('stored');
    expect(when.health().degraded).toBe(
      'the index and its files cannot be read; what was known before answers',
    );
    const asked = ['/when choosing exit codes', '/when writing mock tests'];
    const known = await given(when, asked.join('\n'));
    expect(known).toEqual(['0, 1, 2 and 3.', 'Patch where the object is used.']);
    expect(await refusal(when)).toBe(AWAY);
    // A folder made here could not be moved back to.
    expect(existsSync(agents)).toBe(false);
    await when.stop();

    when = await openRoom(store, room, fast);
    expect([when.health().state, when.health().entries]).toEqual(['stored', 3]);
    expect(await given(when, asked.join('\n'))).toEqual(known);
    expect(await refusal(when)).toBe(AWAY);
    const [file] = (await when.recall('§ testing.md', OPERATOR)).results;
    expect([file?.found, file?.matches[0]?.content?.trim()]).toEqual(['exact', TESTING.trim()]);
    await when.settled();
    expect(await rowsIn(database, store)).toEqual(before);

    renameSync(away, agents);
    await expect.poll(() => when.health().state).toBe('ready');
    room.put('cli.md', CLI.replace('0, 1', 'zero, 1'));
    await when.settled();
    expect(await given(when, 'choosing exit codes')).toEqual(['zero, 1, 2 and 3.']);
    expect(when.health().degraded).toBeUndefined();
    await when.stop();
  });

  it('makes no file anew that is away, before and after it is believed to be', async () => {
    const room = fill(diskRoom());
    room.put('plain.md', '# Plain\n');
    const when = await openRoom(storeOf(database, 'one away'), room, fast);
    await when.settled();
    rmSync(room.at('cli.md'));
    rmSync(room.at('plain.md'));
    const away = /^UNAVAILABLE: cli\.md is not there, and entries of the index lead to it /;
    // At once: what was known of it is still stored.
    expect(await refusal(when, 'plain.md')).toBe(
      'UNAVAILABLE: plain.md was there and is not now: bring it back first',
    );
    expect(await refusal(when, 'cli.md')).toMatch(away);
    await expect.poll(() => when.health().files).toBe(1);
    expect(await refusal(when, 'cli.md')).toMatch(away);
    expect(existsSync(room.at('cli.md'))).toBe(false);
    expect(await refusal(when, 'plain.md')).toBe('nothing');
    await when.stop();
  });

  it('keeps the sections when only their folder is away, and the entries when only the index is', async () => {
    const room = fill(diskRoom());
    const store = storeOf(database, 'half away');
    const when = await openRoom(store, room, fast);
    await when.settled();
    rmSync(room.paths.decisions, { recursive: true });
    await expect.poll(() => when.health().state).toBe('stored');
    expect(when.health().degraded).toBe('its files cannot be read; what was known before answers');
    expect(await given(when, 'choosing exit codes')).toEqual(['0, 1, 2 and 3.']);
    expect((await when.validate()).problems.map(({ code }) => code)).toContain('no_folder');
    room.put('testing.md', TESTING);
    room.put('cli.md', CLI);
    await when.settled();
    expect(when.health().state).toBe('ready');
    rmSync(room.paths.index);
    // At once: nobody has seen yet that it is gone.
    expect(await refusal(when)).toBe(AWAY.replace('the index and its files', 'the index'));
    expect(existsSync(room.paths.index)).toBe(false);
    await expect.poll(() => when.health().state).toBe('stored');
    expect(when.health().degraded).toBe('the index cannot be read; what was known before answers');
    expect(await when.validate()).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([
        expect.objectContaining({
          code: 'no_index',
          severity: 'error',
          path: room.paths.index,
        }),
      ]),
    });
    expect(await given(when, 'choosing exit codes')).toEqual(['0, 1, 2 and 3.']);
    expect(await rowsIn(database, store)).toHaveLength(3);
    // Who wants it forgotten says so.
    room.putIndex('# Memory Index\n');
    await expect.poll(() => when.health().entries).toBe(0);
    await when.settled();
    expect(await rowsIn(database, store)).toHaveLength(3);
    await when.stop();
  });

  it('finds what a file says while it is renamed, before and after the index follows', async () => {
    const room = fill(diskRoom());
    const store = storeOf(database, 'renamed');
    const when = await openRoom(store, room, fast);
    renameSync(room.at('cli.md'), room.at('commands.md'));
    await when.settled();
    const [between] = (await when.recall('choosing exit codes', OPERATOR)).results;
    expect([between?.found, between?.matches[0]?.file, between?.matches[0]?.content]).toEqual([
      ...['hybrid', 'commands.md', '\n0, 1, 2 and 3.\n'],
    ]);
    room.putIndex(INDEX.replace('cli.md', 'commands.md'));
    await when.settled();
    expect(await given(when, 'choosing exit codes')).toEqual(['0, 1, 2 and 3.']);
    expect(await rowsIn(database, store)).toHaveLength(3);
    await when.stop();
  });

  it('keeps a file that can no longer be read, also after a start, and says so', async () => {
    const room = fill(diskRoom());
    const store = storeOf(database, 'unread');
    const first = await openRoom(store, room, fast);
    await first.settled();
    const before = await rowsIn(database, store);
    room.put('cli.md', 'caf\xe9\0');
    await expect
      .poll(() => first.health().degraded)
      .toBe('cli.md cannot be read; what was known before answers');
    // Longer than a loss has to last to be believed.
    await sleep(150);
    await first.settled();
    expect(await given(first, 'choosing exit codes')).toEqual(['0, 1, 2 and 3.']);
    expect((await first.validate()).problems.map(({ code }) => code)).toContain('not_text');
    await first.stop();

    const second = await openRoom(store, room, fast);
    await second.settled();
    expect(await given(second, 'choosing exit codes')).toEqual(['0, 1, 2 and 3.']);
    expect(second.health()).toMatchObject({ state: 'ready', files: 2 });
    expect(changesOf(before, await rowsIn(database, store))).toEqual([]);
    room.put('cli.md', CLI.replace('0, 1', 'zero, 1'));
    await second.settled();
    expect(await given(second, 'choosing exit codes')).toEqual(['zero, 1, 2 and 3.']);
    expect(second.health().degraded).toBeUndefined();
    await second.stop();
  });

  it('is followed by two agents of one project without a fight', async () => {
    const room = fill(diskRoom());
    const agents = [
      await openRoom(storeOf(database, 'both'), room, fast),
      await openRoom(storeOf(database, 'both'), room, fast),
    ];
    const settled = () => Promise.all(agents.map((when) => when.settled()));
    await settled();
    const before = await rowsIn(database, storeOf(database, 'both'));
    room.put('cli.md', CLI.replace('0, 1', 'zero, 1'));
    await settled();
    const after = await rowsIn(database, storeOf(database, 'both'));
    expect(changesOf(before, after)).toEqual(['changed: cli.md']);
    expect(after.map(({ revision }) => revision).filter((revision) => revision > 1)).toEqual([2]);
    expect(agents.map((when) => when.health().degraded)).toEqual([undefined, undefined]);
    for (const when of agents) expect(await given(when, 'choosing exit codes')).toHaveLength(1);
    await Promise.all(agents.map((when) => when.stop()));
  });

  it('counts in the same session what is shown in a room and asked for there', async () => {
    const room = fill(diskRoom());
    const usagePath = `${room.root}/data/usage.jsonl`;
    const used: unknown[] = [];
    const when = await openRoom(storeOf(database, 'usage'), room, {
      usagePath,
      onRecalled: (use) => used.push(use),
    });
    const [entry] = await when.relevant({ text: 'choosing exit codes', files: [] }, 1);
    const roomId = derivedId('room', 'a');
    const caller: Caller = {
      ...{ kind: 'entity', roomId, entityId: derivedId('person', 'ada'), private: true },
    };
    when.offered([entry?.id ?? AGENT, AGENT], { roomId });
    await when.recall('choosing exit codes\n§ .Mock Patching', caller);
    expect(used).toEqual([{ ids: [entry?.id], caller }]);
    expect(await when.stats()).toMatchObject({
      ...{ sessions: 1, opportunities: 2, offered: 1, answered_offers: 1, spontaneous: 1 },
    });
    // A journal that cannot be written is no reason to know nothing.
    rmSync(usagePath);
    mkdirSync(usagePath);
    expect(await given(when, 'choosing exit codes')).toEqual(['0, 1, 2 and 3.']);
    await when.stop();
  });

  it('loses nothing to a file that is written in halves', async () => {
    const room = fill(diskRoom());
    const store = storeOf(database, 'halves');
    const when = await openRoom(store, room, { watching: { settleMs: 60_000, debounceMs: 5 } });
    await when.settled();
    const before = await rowsIn(database, store);
    for (const end of [0, 20, 60]) {
      room.put('testing.md', TESTING.slice(0, end));
      room.putIndex(INDEX.slice(0, end));
      await when.settled();
      expect(await given(when, 'writing mock tests')).toEqual(['Patch where the object is used.']);
    }
    fill(room);
    await when.settled();
    expect(await rowsIn(database, store)).toEqual(before);
    await when.stop();
  });

  it('stores what the database would not take before, without another edit', async () => {
    const room = fill(diskRoom());
    const store = storeOf(database, 'lost connection');
    let isLost = true;
    const records: RecordStore = {
      ...store,
      insert: (...args) =>
        isLost ? Promise.reject(new Error('connection lost')) : store.insert(...args),
    };
    const when = await openRoom(records, room, fast);
    await when.settled();
    expect(when.health()).toMatchObject({
      state: 'ready',
      degraded: 'the rows are behind the files: connection lost',
    });
    expect(await given(when, 'choosing exit codes')).toEqual(['0, 1, 2 and 3.']);
    isLost = false;
    await when.settled();
    expect(when.health().degraded).toBeUndefined();
    expect(await rowsIn(database, store)).toHaveLength(3);
    await when.stop();
  });

  it('forgets nothing when files and database are away together', async () => {
    const room = fill(diskRoom());
    const store = storeOf(database, 'both away');
    const first = await openRoom(store, room, fast);
    await first.settled();
    await first.stop();
    renameSync(room.paths.index, `${room.paths.index}.away`);
    let isLost = true;
    const records: RecordStore = {
      ...store,
      scan: (...args) => {
        if (isLost) throw new Error('connection lost');
        return store.scan(...args);
      },
    };
    const when = await openRoom(records, room, fast);
    expect(when.health()).toMatchObject({
      state: 'loading',
      degraded: 'files are away, and what was stored cannot be read: connection lost',
    });
    expect(await refusal(when)).toBe(
      'UNAVAILABLE: the /when index is still being read: ask again in a moment',
    );
    isLost = false;
    await when.settled();
    expect(when.health().state).toBe('stored');
    expect(await given(when, 'choosing exit codes')).toEqual(['0, 1, 2 and 3.']);
    expect(await rowsIn(database, store)).toHaveLength(3);
    await when.stop();
  });

  it('opens before everything is read, and says that it is still being read', async () => {
    const room = fill(diskRoom());
    renameSync(room.paths.index, `${room.paths.index}.away`);
    const store = storeOf(database, 'slow');
    let goOn = () => {};
    const slow = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const records: RecordStore = {
      ...store,
      async *scan(...args) {
        await slow;
        yield* store.scan(...args);
      },
    };
    const when = await openRoom(records, room, { waitMs: { open: 1, ask: 1 } });
    expect(when.health().state).toBe('loading');
    const [early] = (await when.recall('choosing exit codes', OPERATOR)).results;
    expect([early?.found, early?.message]).toEqual([
      'none',
      'the /when index is still being read: ask again in a moment',
    ]);
    expect(await when.relevant({ text: 'choosing exit codes', files: [] }, 3)).toEqual([]);
    renameSync(`${room.paths.index}.away`, room.paths.index);
    goOn();
    await when.settled();
    expect(when.health().state).toBe('ready');
    expect(await given(when, 'choosing exit codes')).toEqual(['0, 1, 2 and 3.']);
    await when.stop();
  });
});
