/** Memories, offers, autonomy and the state of all, against a real agent. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryView } from '../../../../src/memory/index.js';
import { onPosix } from '../../../helpers/where.js';
import { type Served, startServed } from '../served.js';

let served: Served;
beforeAll(async () => {
  served = await startServed();
});
afterAll(() => served.stop());

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/g;
const masked = (text: string): string =>
  text
    .replace(UUID, '<id>')
    .replace(/mem_[0-9a-f]{8}/g, 'mem_<id>')
    .replace(TIME, '<time>');

const LOGIN = [
  ...['store', '--intent', 'Fix login failing after an hour', '--task-type', 'bug_fix'],
  ...['--reasoning', 'Renew it early', '--edited', 'src/auth.ts', '--failed', 'npm test'],
  ...['--passed', 'npm test -- auth', '--read', 'README.md', '--failure', 'the clocks differ'],
  ...['--learning', 'leave a margin', '--tags', 'auth,jwt', '--importance', '0.8'],
];

describe('cue store', () => {
  it('keeps the short form that flags say, actions in their order', async () => {
    const { code, out, err } = await served.cue(...LOGIN);
    expect({ code, out: masked(out), err }).toEqual({
      code: 0,
      out: '✔ stored mem_<id>\n',
      err: '',
    });
    const [id = ''] = /mem_\w+/.exec(out) ?? [];
    const { memory } = (await served.rest(`/memories/${id}`)) as { memory: MemoryView };
    expect(memory).toMatchObject({
      intent: { goal: 'Fix login failing after an hour', task_type: 'bug_fix' },
      reasoning: { approach_chosen: 'Renew it early' },
      actions: [
        { type: 'file_edit', details: { file_path: 'src/auth.ts' } },
        { type: 'command_run', details: { command: 'npm test' }, result: { success: false } },
        { type: 'command_run', result: { success: true } },
        { type: 'file_read', details: { file_path: 'README.md' } },
      ],
      outcome: {
        success: false,
        failure_reason: 'the clocks differ',
        learnings: ['leave a margin'],
      },
      tags: ['auth', 'jwt'],
      importance: 0.8,
    });
  });

  it('reads JSON from standard input, and prints the answer as it is', async () => {
    const stdin = JSON.stringify({ intent: 'Fix logout', outcome: { success: true } });
    const { code, out } = await served.cueWith({ stdin }, 'store', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      created: true,
      memory: { intent: { goal: 'Fix logout' }, tags: [] },
    });
  });

  it('reads standard input also where the server is named', async () => {
    const stdin = JSON.stringify({ intent: 'Fix logout once more', outcome: { success: true } });
    const named = ['--data-dir', served.root];
    const refused = await served.cueWith({ stdin }, 'store', ...named);
    expect(refused.err).toMatch(/^cue: no server has the database /);
    const fields = ['recall', 'logout', '--json', 'success,content'];
    expect(JSON.parse((await served.cue(...fields)).out)[0]).toEqual({
      success: true,
      content: expect.stringContaining('Fix logout'),
    });
  });

  it('says what was taken out', async () => {
    const { code, err } = await served.cue(
      ...['store', '--intent', 'Rotate ghp_16C7e42F292c6912E7710c838347Ae178B4a', '--success'],
    );
    expect({ code, err }).toEqual({ code: 0, err: 'taken out: github (1)\n' });
  });

  it.each([
    ['no end', ['--intent', 'x'], '', /say how it ended: --success or --failure/],
    ['two ends', ['--intent', 'x', '--success', '--failure'], '', /choose one .* both were given/],
    ['an empty intent', ['--intent', '', '--success'], '', /--intent is empty: say what was to be/],
    ['a blank intent without an end', ['--intent', ' '], '', /--intent is empty/],
    ['no intent', ['--success'], '', /--intent/],
    ['nothing at all', [], '\n', /or JSON on standard input/],
    ['what is no JSON', [], '{', /standard input is not valid JSON/],
    ['a list', [], '[]', /no JSON object/],
    ['what the service refuses', [], '{"intent":"x"}', /outcome/],
  ])('refuses %s', async (_what, argv, stdin, message) => {
    const { code, out, err } = await served.cueWith({ stdin }, 'store', ...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });
});

describe('cue recall', () => {
  it('finds by words', async () => {
    const { code, out } = await served.cue('recall', 'login', 'failing');
    expect(code).toBe(0);
    expect(masked(out)).toMatch(
      /^mem_<id> \(just now; words of "login failing".*\)\n {2}✗ Fix login failing after an hour\n/,
    );
  });

  it('finds by a printed line, and by a reference with options', async () => {
    const { out } = await served.cue('recall', 'recall("file:auth.ts", depth: "reasoning")');
    expect(out).toContain('Approach: Renew it early');
    const { document } = await served.json('recall', 'file:auth.ts', '--depth', 'full');
    expect(document).toMatchObject({ memories: [{ depth: 'full' }], total_matches: 1 });
  });

  it('says that there are more than it shows', async () => {
    const { out, err } = await served.cue('recall', 'query:login logout', '--limit', '1');
    expect(out.match(/^mem_/gm)).toHaveLength(1);
    expect(err).toMatch(/^1 of \d; more: --limit\n$/);
  });

  it('ends with 3 when there is nothing', async () => {
    expect(await served.cue('recall', 'file:nowhere.ts')).toEqual({
      code: 3,
      out: '',
      err: 'nothing is remembered of that\n',
    });
  });

  it('refuses a depth that does not exist', async () => {
    expect((await served.cue('recall', 'x', '--depth', 'abyss')).code).toBe(2);
  });
});

describe('cue offers', () => {
  it('lists, acknowledges and counts what was offered', async () => {
    const happening = { type: 'fileTouched', path: 'src/auth.ts' };
    const port = JSON.parse(served.read('pids/server.pid')).port;
    await fetch(`http://127.0.0.1:${port}/cue/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(happening),
    });
    const { code, out } = await served.cue('offers');
    expect(code).toBe(0);
    expect(masked(out)).toMatch(/^<id>\tfileTouch\tshown\t[\dT:.-]+Z\t\[RUM\] auth\.ts has /);
    expect(masked((await served.cue('offers', 'list', '--kind', 'fileTouch')).out)).toBe(
      masked(out),
    );
    const terminal = { columns: 70, hasColors: true };
    const shown = await served.cueWith({ terminal }, 'offers');
    const [header = '', row = ''] = shown.out.split('\n');
    expect(header.startsWith('\u001b[1mID\u001b[22m ')).toBe(true);
    expect(row).toMatch(/^[0-9a-f]{8} {2}fileTouch +shown +just now +\[RUM\] auth\.ts.*…$/);
    expect(row).toHaveLength(70);
    const id = row.slice(0, 8);
    const whole = (await served.cue('offers', 'show', id)).out;
    expect(masked(whole)).toMatch(
      /^<id> {2}shown {2}fileTouch, just now\n {2}\[RUM\] auth\.ts has /,
    );
    expect(whole.slice(0, 8)).toBe(id);
    const { document } = await served.json('offers', 'ack', id, '--reason', 'good to know');
    expect(document.offer).toMatchObject({ state: 'acknowledged', reason: 'good to know' });
    const stats = await served.cue('offers', 'stats');
    expect(masked(stats.out)).toContain(
      'all: 1 offered, 1 shown, 0 used, 1 acknowledged, 0 dismissed; 100 % of use',
    );
    expect(stats.out).toContain(
      'learned of fileTouch: 0 used, 1 acknowledged, 0 dismissed, 0 left unused\n',
    );
  });

  it('forgets what was learned of a kind', async () => {
    expect(await served.cue('offers', 'reset', '--kind', 'fileTouch')).toMatchObject({
      code: 0,
      out: '✔ fileTouch is offered as if nothing had been learned\n',
    });
    expect((await served.cue('offers', 'stats')).out).not.toContain('learned');
    expect((await served.cue('offers', 'reset', '--kind', 'coffee')).code).toBe(2);
  });

  it('ends with 3 for an offer that is not there', async () => {
    const id = '6754f580-bbc4-090d-835d-a966316fc020';
    expect((await served.cue('offers', 'dismiss', id)).code).toBe(3);
  });

  it.each([
    ['ack', ''],
    ['ack', '..'],
    ['dismiss', '.'],
    ['dismiss', ' '],
  ])('%s asks for the id in place of %j, and asks no server', async (name, id) => {
    const { code, out, err } = await served.cue('offers', name, id, '-p', '1');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^cue: say which offer: .+ \(cue offers list prints them\)\n$/);
  });

  it('says that there are none', async () => {
    expect(await served.cue('offers', 'list', '--state', 'dismissed')).toEqual({
      code: 0,
      out: '',
      err: 'no offers\n',
    });
  });
});

describe('cue autonomy', () => {
  it('says how it stands, and changes it', async () => {
    expect((await served.cue('autonomy')).out).toBe('autonomy: on, loop: off\n');
    expect((await served.cue('autonomy', 'off')).out).toBe('autonomy: off, loop: off\n');
    expect((await served.cue('autonomy', 'run')).code).toBe(1);
    expect((await served.cue('autonomy', 'on', '--interval-ms', '60000', '--loop')).out).toBe(
      'autonomy: on, loop: on, every 60 s\n',
    );
    expect((await served.cue('autonomy', '--no-loop')).out).toBe('autonomy: on, loop: off\n');
    expect(masked((await served.cue('autonomy', 'run')).out)).toMatch(
      /^✔ one cycle: 0 instructions\nautonomy: on/,
    );
  });

  it('refuses what is neither, and a cycle with a change', async () => {
    expect((await served.cue('autonomy', 'maybe')).code).toBe(2);
    expect((await served.cue('autonomy', 'run', '--loop')).code).toBe(2);
  });
});

describe('cue status', () => {
  it('has a line for each room', async () => {
    const { code, out, err } = await served.cue('status');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const heads = out.split('\n').filter((line) => /^\S/.test(line));
    expect(heads.map((line) => line.replace(/\d+/g, 'N'))).toEqual([
      'Eliza server: process N, port N',
      'triggers: N triggers',
      'autonomy: on, loop: off',
      'memory: N memories, index ready, embeddings lexical-vN',
      'offers: on, N pending, N shown',
      '/when: off (CUE_WHEN_INDEX is not set)',
      'hints: N hints of N components',
    ]);
  });

  it.each([
    ['CUE_AGENT', 'nobody'],
    ['CUE_PROJECT', 'nowhere'],
  ])(
    'of a server that has not %s=%s says so once, and ends as for bad input',
    async (name, named) => {
      const env = { [name]: named };
      const { code, out, err } = await served.cueWith({ env }, 'status');
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^cue: CUE_\w+ is "no\w+", but the server [^\n]+\n$/);
      const shown = await served.cueWith({ env }, 'status', '--json');
      expect(shown.code).toBe(2);
      expect(JSON.parse(shown.out)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
    },
  );

  it('with --json has what each route answers', async () => {
    const { document } = await served.json('status');
    expect(document).toEqual({
      server: expect.objectContaining({ name: 'cue', pid: process.pid }),
      triggers: expect.objectContaining(await served.rest('/triggers/health')),
      autonomy: await served.rest('/autonomy'),
      memory: await served.rest('/memories/health'),
      offers: await served.rest('/offers/health'),
      when: await served.rest('/when/health'),
    });
  });
});

/** What is said before anything is deleted. */
const WHERE = /^In .+: agent .+, server process \d+ at http:.+\n/;

describe('cue export, import and purge', () => {
  it('carry everything over, in both formats', async () => {
    const lines = (await served.cue('export')).out;
    expect(lines.trimEnd().split('\n')).toHaveLength(3);
    const { document } = await served.json('export', '--format', 'json');
    expect(document).toMatchObject({ version: 1, memories: { length: 3 }, links: [] });
    served.write('memories.jsonl', lines);
    served.write('memories.json', JSON.stringify(document));
    expect(await served.cue('import', 'memories.jsonl')).toEqual({
      code: 0,
      out: '✔ imported 0 records, skipped 3, rejected 0\n',
      err: '',
    });

    const shown = await served.cue('purge', '--all');
    expect({ code: shown.code, err: shown.err.replace(WHERE, '') }).toEqual({
      code: 0,
      err: 'nothing is forgotten yet: say it again with --yes\n',
    });
    expect(shown.out).toMatch(/^would forget 3 memories\n( {2}mem_\w{8}: .+\n){3}$/);
    expect(((await served.json('export', '--format', 'json')).document.memories as []).length).toBe(
      3,
    );
    expect((await served.cue('purge', '--all', '--yes')).out).toMatch(/^✔ forgot 3 memories\n/);
    expect(await served.cue('purge', '--all')).toEqual({
      code: 3,
      out: '',
      err: expect.stringMatching(/^In .+\nnothing matches that: nothing would be forgotten\n$/),
    });
    expect(await served.cue('purge', '--tags', 'nosuch', '--yes')).toEqual({
      code: 3,
      out: '',
      err: expect.stringMatching(/^In .+\nnothing matches that: nothing was forgotten\n$/),
    });

    expect((await served.cue('import', 'memories.json')).out).toBe(
      '✔ imported 3 records, skipped 0, rejected 0\n',
    );
    expect((await served.cue('recall', 'file:auth.ts')).code).toBe(0);
  });

  it('purge takes one by its id, or by conditions', async () => {
    const { out } = await served.cue('recall', 'file:auth.ts');
    const [id = ''] = /mem_\w+/.exec(out) ?? [];
    const { document } = await served.json('purge', '--file', 'auth.ts', '--tags', 'jwt');
    expect(document).toMatchObject({ dry_run: true, total: 1, memories: [{ memory_id: id }] });
    expect((await served.cue('purge', id, '--yes')).code).toBe(0);
    expect((await served.cue('recall', 'file:auth.ts')).code).toBe(3);
    const { code, err } = await served.cue('purge');
    expect(code).toBe(2);
    expect(err).toMatch(/say what to forget/);
  });

  it('import says which lines it has not taken', async () => {
    const good = JSON.stringify({ intent: 'Upgrade node', outcome: { success: true } });
    served.write('some.jsonl', `${good}\nnot json\n`);
    const { code, out, err } = await served.cue('import', 'some.jsonl');
    expect({ code, out }).toEqual({
      code: 2,
      out: '✔ imported 1 record, skipped 0, rejected 1\n',
    });
    expect(err).toMatch(/^2: is no JSON/);
    expect((await served.cue('import', 'nothing.json')).code).toBe(2);
  });

  it.each([
    [
      'hints',
      { components: {} },
      'hints as "nudge export" prints them: nudge import other.json takes it',
    ],
    [
      'hints within their result',
      { payload: { components: {} } },
      'hints as "nudge export" prints them: nudge import other.json takes it',
    ],
    [
      'one memory',
      { intent: 'x', outcome: { success: true } },
      'one memory: cue store takes it on standard input',
    ],
    [
      'something else',
      { name: 'x', version: '1.0.0' },
      'JSON, but no export of memories or triggers',
    ],
  ])('import says once what a file is: %s', async (_what, document, message) => {
    served.write('other.json', JSON.stringify(document, null, 2));
    expect(await served.cue('import', 'other.json')).toEqual({
      code: 2,
      out: '',
      err: `cue: other.json is ${message}\n`,
    });
  });

  it('import says once that a file is no JSON at all', async () => {
    served.write('other.txt', '{\n  "memories": [\n    {\n');
    expect(await served.cue('import', 'other.txt')).toEqual({
      code: 2,
      out: '',
      err: 'cue: other.txt is neither JSON lines nor one JSON document: is it cut off?\n',
    });
  });

  it('import sends a large file in parts, and counts its lines as one', async () => {
    const learnings = Array.from({ length: 8 }, () => 'wort '.repeat(800));
    const line = (at: number) =>
      JSON.stringify({ intent: `Work ${at}`, outcome: { success: true, learnings } });
    const lines = Array.from({ length: 60 }, (_one, at) => line(at));
    lines.splice(55, 0, 'not json');
    const { code, out } = await served.cueWith(
      { stdin: lines.join('\n') },
      'import',
      '-',
      '--json',
    );
    expect({ code, document: JSON.parse(out) }).toMatchObject({
      code: 2,
      document: { imported: 60, skipped: 0, rejected: [{ line: 56 }] },
    });
  });

  it.runIf(onPosix())('import reads a pipe to its end, and no folder', async () => {
    const memory = { intent: 'Rotate the logs', outcome: { success: true } };
    served.write('piped.jsonl', `${JSON.stringify(memory)}\n`);
    execFileSync('mkfifo', [join(served.root, 'pipe')]);
    const writer = spawn('sh', ['-c', 'cat piped.jsonl > pipe'], { cwd: served.root });
    const gone = once(writer, 'close');
    const read = await served.cue('import', 'pipe');
    writer.kill();
    await gone;

    expect(read).toMatchObject({ code: 0, out: '✔ imported 1 record, skipped 0, rejected 0\n' });
    expect(await served.cue('import', 'pids')).toEqual({
      code: 2,
      out: '',
      err: 'cue: pids is a folder, not a file\n',
    });
  });

  it('triggers go the same way', async () => {
    await served.cue('trigger', 'create', 'every friday at 5pm: send the weekly report');
    const { out } = await served.cue('export', '--triggers');
    const { triggers } = JSON.parse(out) as { triggers: { triggerId: string }[] };
    await served.cue('trigger', 'delete', triggers[0]!.triggerId);
    served.write('triggers.json', out);
    expect((await served.cue('import', 'triggers.json')).out).toBe(
      '✔ imported 1 trigger, skipped 0, rejected 0\n',
    );
    expect((await served.cue('import', 'triggers.json')).out).toBe(
      '✔ imported 0 triggers, skipped 1, rejected 0\n',
    );
  });
});
