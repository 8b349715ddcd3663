/** The commands that ask a server, against a real agent: what they print, and how they end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TriggerSummary } from '../../../../src/triggers/index.js';
import { freePort } from '../../../helpers/free-port.js';
import { type Served, startServed } from '../served.js';

let served: Served;
beforeAll(async () => {
  served = await startServed();
});
afterAll(() => served.stop());

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/g;

/** Without what is of the moment. */
function masked(text: string): string {
  return text
    .replace(/^[0-9a-f]{8}(?= )/gm, '<id>')
    .replace(UUID, '<id>')
    .replace(/mem_[0-9a-f]{8}/g, 'mem_<id>')
    .replace(TIME, '<time>');
}

/** Ends well, with nothing beside the result; the masked result. */
async function done(...argv: string[]): Promise<string> {
  const { code, out, err } = await served.cue(...argv);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return masked(out);
}

async function createdTrigger(...argv: string[]): Promise<TriggerSummary> {
  const { code, document } = await served.json('trigger', 'create', ...argv);
  expect(code).toBe(0);
  return document.trigger as TriggerSummary;
}

/** As a script asks for it. */
async function createdId(...argv: string[]): Promise<TriggerSummary> {
  const { out } = await served.cue('trigger', 'create', ...argv);
  const { id } = JSON.parse(out);
  const { document } = await served.json('trigger', 'show', id);
  return document.trigger as TriggerSummary;
}

describe('cue trigger', () => {
  it('creates one from a text', async () => {
    expect(await done('trigger', 'create', 'every friday at 5pm: send the weekly report')).toBe(
      '✔ created trigger "send the weekly report" (active)\n' +
        '  every Friday at 17:00 (UTC), next <time>\n  <id>\n',
    );
  });

  it('says of a second one like it that it is there, and ends well', async () => {
    const words = ['every', 'friday', 'at', '5pm:', 'send', 'the', 'weekly', 'report'];
    expect(await done('trigger', 'create', ...words)).toBe(
      'already there: trigger "send the weekly report" (active)\n' +
        '  every Friday at 17:00 (UTC), next <time>\n  <id>\n',
    );
    const { code, document } = await served.json('trigger', 'create', ...words);
    expect({ code, document }).toMatchObject({
      code: 0,
      document: { created: false, trigger: { displayName: 'send the weekly report' } },
    });
  });

  it('sends every flag', async () => {
    const room = '6754f580-bbc4-090d-835d-a966316fc020';
    const { code, document } = await served.json(
      ...['trigger', 'create', '--cron', '0 9 * * 1-5', '--timezone', 'Europe/Vienna'],
      ...['summarize', 'my', 'inbox', '--name', 'Inbox', '--disable', '--max-runs', '24'],
      ...['--wake', 'next_autonomy_cycle', '--missed', 'skip', '--overlap', 'queue'],
      ...['--timeout-ms', '60000', '--max-failures', '3', '--now'],
    );
    expect(code).toBe(0);
    expect(document.trigger).toMatchObject({
      instructions: 'summarize my inbox',
      displayName: 'Inbox',
      enabled: false,
      triggerType: 'cron',
      cronExpression: '0 9 * * 1-5',
      timezone: 'Europe/Vienna',
      maxRuns: 24,
      wakeMode: 'next_autonomy_cycle',
      missedRunPolicy: { mode: 'skip' },
      overlapPolicy: 'queue',
      timeoutMs: 60_000,
      maxFailures: 3,
    });
    const { err } = await served.cue(
      'trigger',
      'create',
      '--deliver-to',
      room,
      'every day at 9 feed the cat',
    );
    expect(err).toBe('cue: --deliver-to: the agent knows no room with this id\n');
  });

  const terminal = { columns: 120, hasColors: false };

  it('lists them soonest first, in columns under a header', async () => {
    const { out } = await served.cueWith({ terminal }, 'trigger', 'list');
    const lines = masked(out).trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'NAME', 'SCHEDULE', 'STATE', 'NEXT', 'LAST'],
      [
        ...['<id>', 'send the weekly report', 'every Friday at 17:00 (UTC)', 'active'],
        ...[expect.stringMatching(/^in \d+[mhd]$/), '-'],
      ],
      ['<id>', 'Inbox', 'every weekday at 09:00 (Europe/Vienna)', 'disabled', '-', '-'],
    ]);
    const [header = '', first = ''] = out.split('\n');
    expect(first.indexOf('active')).toBe(header.indexOf('STATE'));
  });

  it('lists them for another program: values between tabs, whole ids, exact times, no header', async () => {
    const lines = (await done('trigger', 'list')).split('\n').slice(0, -1);
    expect(lines.map((line) => line.split('\t'))).toEqual([
      [
        ...['<id>', 'send the weekly report', 'every Friday at 17:00 (UTC)', 'active'],
        ...[expect.stringMatching(/^\d{4}-\d\d-\d\dT17:00:00\.000Z$/), ''],
      ],
      ['<id>', 'Inbox', 'every weekday at 09:00 (Europe/Vienna)', 'disabled', '', ''],
    ]);
    expect(await done('trigger', 'list', '--state', 'disabled')).toMatch(/^<id>\tInbox\t.*\n$/);
  });

  it('gives the fields that are asked for, and names them where there is no such one', async () => {
    const first = { displayName: 'send the weekly report', enabled: true };
    const second = { displayName: 'Inbox', enabled: false };
    for (const words of [
      ['trigger', 'list', '--json', 'displayName,enabled'],
      ['trigger', '--json', 'displayName,enabled', 'list'],
      ['--json=displayName,enabled', 'trigger', 'list'],
    ]) {
      expect(JSON.parse(await done(...words))).toEqual([first, second]);
    }
    const one = await done('trigger', 'list', '--json', 'state', '--state', 'disabled');
    expect(JSON.parse(one)).toEqual([{ state: 'disabled' }]);
    expect(JSON.parse(await done('trigger', 'show', '--json=enabled', 'Inbox'))).toEqual({
      enabled: false,
    });
    const whole = JSON.parse(await done('trigger', 'show', '--json', 'Inbox'));
    expect(whole.trigger).toMatchObject(second);
    const { code, out, err } = await served.cue('trigger', 'list', '--json', 'name,state');
    expect({ code, out }).toMatchObject({ code: 2 });
    expect(JSON.parse(out).error.message).toMatch(/^--json: no field "name": there are id, disp/);
    expect(err).toBe('');
  });

  it('takes one field behind what a command is of, and a word of several as a name', async () => {
    const weekly = ['send', 'the', 'weekly', 'report'];
    for (const [words, answer] of [
      [['trigger', 'show', 'Inbox', '--json', 'enabled'], { enabled: false }],
      [['trigger', 'show', ...weekly, '--json', 'enabled'], { enabled: true }],
      [['trigger', 'show', '--json', ...weekly], undefined],
      [['trigger', 'show', 'send', 'the', '--json', 'weekly', 'report'], undefined],
      [['trigger', 'runs', '--limit', '5', 'Inbox', '--json', 'status'], []],
      [['trigger', 'explain', 'Inbox', '--json', 'lastRuns'], { lastRuns: [] }],
      [['trigger', 'preview', 'every 2 hours', '--json', 'scheduleText'], expect.anything()],
      [['trigger', 'update', 'Inbox', '--max-runs', '25', '--json', 'maxRuns'], { maxRuns: 25 }],
      [['trigger', 'update', 'Inbox', '--max-runs', '24', '--json', 'maxRuns'], { maxRuns: 24 }],
    ] as const) {
      const printed = JSON.parse((await served.cue(...words)).out);
      expect([words, answer === undefined ? printed.trigger.displayName : printed]).toEqual([
        words,
        answer ?? 'send the weekly report',
      ]);
    }
    expect(JSON.parse(await done('autonomy', '--json', 'enabled'))).toEqual({ enabled: true });
    expect(JSON.parse(await done('autonomy', '--json', 'on'))).toMatchObject({ loop: false });
    const none = await served.cue('purge', '--tags', 'nowhere', '--json', 'total');
    expect(none).toMatchObject({ code: 3, out: expect.stringMatching(/^\{\s*"total": 0\s*\}\n$/) });
    const made = await createdId('every day at 7: count the swans', '--json', 'id');
    expect(made).toMatchObject({ instructions: 'count the swans' });
    const deleted = await served.cue('trigger', 'delete', made.id, '--json', 'deleted');
    expect(JSON.parse(deleted.out)).toEqual({ deleted: true });
    const { code, out } = await served.cue('recall', 'login', '--json', 'bug');
    expect({ code, ...JSON.parse(out) }).toMatchObject({
      ...{ code: 2, error: { message: expect.stringMatching(/^--json: no field "bug"/) } },
    });
  });

  it('refuses a field that there is not before anything is made', async () => {
    const created = await served.cue(
      ...['trigger', 'create', 'every day at 6: feed the cat', '--json=unheard'],
    );
    expect(created.code).toBe(2);
    expect(await done('trigger', 'list', '--search', 'feed the cat').catch(() => '')).toBe('');
  });

  it('says where a list goes on, beside it', async () => {
    const { code, out, err } = await served.cue('trigger', 'list', '--limit', '1');
    expect({ code, lines: out.trimEnd().split('\n').length }).toEqual({ code: 0, lines: 1 });
    const cursor = /^1 of 2; more: --cursor (\S+)\n$/.exec(err)?.[1] ?? '';
    expect(await done('trigger', 'list', '--limit', '1', '--cursor', cursor)).toContain('Inbox');
    const fields = await served.cue('trigger', 'list', '--limit', '1', '--json', 'id');
    expect(fields.err).toBe(err);
  });

  it('takes a trigger by the id that chat prints, and by its name', async () => {
    const { id } = await createdTrigger('every 7 hours', 'check the news');
    const all = await done('trigger', 'show', id);
    expect(all).toContain('check the news');
    expect(await done('trigger', 'show', id.slice(0, 8))).toBe(all);
    expect(await done('trigger', 'show', `[${id.slice(0, 8)}]`)).toBe(all);
    expect(await done('trigger', 'show', 'Check the news')).toBe(all);
    const { code, out } = await served.cue('trigger', 'run', 'check the news');
    expect({ code, out: masked(out) }).toMatchObject({
      code: 0,
      out: expect.stringContaining('success'),
    });
    const { id: second } = await createdTrigger(
      ...['every 8 hours', 'look at the headlines', '--name', 'check the news'],
    );
    const asked = await served.cue('trigger', 'delete', 'check the news');
    expect(asked.code).toBe(2);
    expect(asked.err).toContain('several triggers are called "check the news"');
    expect(asked.err).toContain(id);
    expect(asked.err).toContain(second);
    for (const one of [id, second]) await served.cue('trigger', 'delete', one);
  });

  it('takes a name that is a word of another route, and one without quotes', async () => {
    for (const name of ['health', 'export', 'water both plants']) {
      const { id } = await createdTrigger('every 7 hours', 'do it', name, '--name', name);
      const all = await done('trigger', 'show', id);
      expect(await done('trigger', 'show', ...name.split(' '))).toBe(all);
      expect(await done('trigger', 'explain', ...name.split(' '))).not.toBe('');
      expect((await served.cue('trigger', 'delete', ...name.split(' '))).code).toBe(0);
    }
  });

  it('takes the options of all commands in front of the command, too', async () => {
    const { port } = JSON.parse(served.read('pids/server.pid'));
    const behind = await served.cue('trigger', 'list', '--json');
    for (const lead of [
      ['--json'],
      ['-p', port, '--json'],
      [`--port=${port}`, '--json'],
      [`-p${port}`, '--json'],
    ])
      expect(await served.cue(...lead, 'trigger', 'list')).toEqual(behind);
    const closed = String(await freePort());
    const refused = await served.cue('-p', closed, 'recall', 'anything');
    expect(refused).toEqual(await served.cue('recall', '-p', closed, 'anything'));
    expect(refused.code).toBe(1);
    const wrong = await served.cue('-p', 'many', 'trigger', 'list');
    expect(wrong).toEqual(await served.cue('trigger', '-p', 'many', 'list'));
    const elsewhere = ['--data-dir', '/nowhere/at/all'];
    expect(await served.cue(...elsewhere, 'status')).toEqual(
      await served.cue('status', ...elsewhere),
    );
  });

  it('says how often one has failed that keeps failing', async () => {
    const { id } = await createdTrigger('every 9 hours', 'water the cactus');
    const { onLarge } = served.agent.brain;
    served.agent.brain.onLarge = () => {
      throw new Error('no model today');
    };
    for (let run = 0; run < 2; run += 1) await served.cue('trigger', 'run', id);
    expect(await done('trigger', 'list')).toMatch(/water the cactus\t.*\tfailed 2 times$/m);
    served.agent.brain.onLarge = onLarge;
    await served.cue('trigger', 'delete', id);
  });

  it('shows, changes, runs, explains and deletes one', async () => {
    const { id } = await createdTrigger('every 2 hours water the plants');
    expect(await done('trigger', 'show', id)).toBe(
      'water the plants (active)\n  id: <id>\n  when: every 2 hours, next <time>\n' +
        '  time zone: UTC\n  runs: 0\n  instructions:\n    water the plants\n',
    );
    const { out: ran } = await served.cue('trigger', 'run', id);
    expect(masked(ran)).toMatch(/^<time> {2}success \(\d+\.\d s\), manual {2}<id>\n {2}\| done\n$/);
    expect(masked((await served.cue('trigger', 'runs', id)).out)).toMatch(
      /^<id>\tsuccess\t[\dT:.-]+Z\t\d+\.\d s\tmanual\tdone\n$/,
    );
    const { out: shown } = await served.cueWith({ terminal }, 'trigger', 'runs', id);
    expect(masked(shown)).toMatch(
      /^ID .*RESULT\n<id> {2}success {3}just now {3}\d\.\d s {4}manual {5}done\n$/,
    );
    const { out: listed } = await served.cue('runs', '--limit', '1', '--json', 'triggerRunId');
    const [triggerRunId = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(listed) ?? [];
    for (const named of [triggerRunId, triggerRunId.slice(0, 8)]) {
      expect(await done('runs', 'show', named)).toMatch(
        /^water the plants \(success\)\n {2}id: <id>\n {2}due: <time>, started <time>\n {2}cause: manual, attempt 1, took \d+\.\d s\n {2}instructions:\n {4}water the plants\n {2}answer:\n {2}\| done\n {2}model calls:\n(?: {4}\w+ of [\w-]+: \d+ in \d+\.\d s\n)+$/,
      );
    }
    expect(await served.cue('runs', 'show', '00000000')).toMatchObject({ code: 3, out: '' });
    expect((await served.cue('__complete', '--', 'runs', 'show', '')).out).toContain(
      `${triggerRunId.slice(0, 8)}\tsuccess: water the plants\n`,
    );
    expect(await done('trigger', 'run', id, '--no-wait')).toBe('✔ began run <id>\n');
    expect(await done('trigger', 'explain', id)).toMatch(
      /^It runs every 2 hours; the next run is /,
    );
    expect(await done('trigger', 'update', id, 'every 3 hours', '--name', 'Plants')).toBe(
      '✔ changed trigger "Plants" (active)\n  every 3 hours, next <time>\n  <id>\n',
    );
    expect(await done('trigger', 'update', id, '--max-runs', '9')).toContain('changed');
    expect(await done('trigger', 'show', id)).toContain(' of 9');
    expect(await done('trigger', 'update', id, '--no-max-runs')).toContain('changed');
    expect(await done('trigger', 'show', id)).not.toContain(' of 9');
    expect(await done('trigger', 'update', id, '--disable')).toContain('(disabled)');
    expect(await done('trigger', 'update', id, '--enable')).toContain('(active)');
    expect(await done('trigger', 'update', id, '--skip-next')).toContain('next <time>');
    const { out, err } = await served.cue('trigger', 'delete', id);
    expect(masked(out)).toBe('✔ deleted trigger <id>\n');
    expect(err).toMatch(
      /^In a database server, or a memory that is not kept: agent .+, server process \d+ at http:.+\n$/,
    );
    expect((await served.cue('trigger', 'show', id)).code).toBe(3);
  });

  it('ends with 1 when the run has failed', async () => {
    const { id } = await createdTrigger('every 5 hours feed the cat');
    served.agent.brain.onLarge = () => {
      throw new Error('no model today');
    };
    const { code, out } = await served.cue('trigger', 'run', id);
    expect(code).toBe(1);
    expect(out).toMatch(/failed/);
    await served.cue('trigger', 'delete', id);
  });

  it.each([
    [['--max-runs', '0'], '--max-runs: must be at least 1'],
    [['--timezone', 'Mars/Base'], /^--timezone: /],
    [['--deliver-to', 'x'], /^--deliver-to: /],
    [['--name', ' '], /^--name: /],
  ])('names the flag that is wrong: %j', async (flags, message) => {
    const { code, err } = await served.cue('trigger', 'create', 'every day at 9: x', ...flags);
    expect(code).toBe(2);
    expect(err.replace(/^cue: /, '').trimEnd()).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });

  it('waits for a run no longer than a server does', async () => {
    const { code, err } = await served.cue('trigger', 'run', 'x', '--wait', '500');
    expect({ code, err }).toEqual({
      code: 2,
      err: 'cue: --wait is 0 to 20 seconds, not 500\n',
    });
  });

  it('asks nothing that only a conversation could answer', async () => {
    const { code, err } = await served.cue('trigger', 'create', 'call Ada tomorrow');
    expect({ code, err }).toEqual({
      code: 2,
      err:
        'cue: text: At what time? Nobody can answer here: ' +
        'say the time alone, and what to do as --instructions, or use other words\n',
    });
  });

  it('previews without storing', async () => {
    const out = await done('trigger', 'preview', 'every', 'friday', 'at', '5pm');
    expect(out).toMatch(/^every Friday at 17:00 \(UTC\)\n( {2}Fri \d+ \w+ \d{4}, 17:00 UTC\n){5}$/);
    expect(await done('trigger', 'preview', '--cron', '*/5 * * * *')).toMatch(/^every 5 minutes/);
  });

  it.each([
    ['two schedules', ['create', '--cron', '0 9 * * *', '--at', '2031-01-01T00:00:00Z', 'x']],
    ['nothing to create', ['create']],
    ['nothing to change', ['update', 'x']],
    ['two ways to say what to do', ['create', '--cron', '0 9 * * *', 'x', '--instructions', 'y']],
    ['a text without a time', ['create', 'every blue moon']],
    ['a state that does not exist', ['list', '--state', 'tired']],
    ['a limit that is no number', ['list', '--limit', 'many']],
    ['both enabled and disabled', ['update', 'x', '--enable', '--disable']],
  ])('refuses %s', async (_what, argv) => {
    const { code, out, err } = await served.cue('trigger', ...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^cue: /);
  });
});

describe('an id that the path of a request would lose', () => {
  it.each([
    ['show', ''],
    ['show', '.'],
    ['runs', ''],
    ['explain', '\t'],
    ['update', '..'],
    ['delete', ''],
    ['delete', '..'],
    ['run', ''],
    ['run', '..'],
  ])('trigger %s %j is bad input, and no server is asked', async (name, id) => {
    const words = name === 'update' ? ['every 3 hours'] : [];
    const { code, out, err } = await served.cue('trigger', name, id, ...words, '-p', '1');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^cue: say which trigger: .+ \(cue trigger list prints them\)\n$/);
  });

  it('may hold dots besides, and slashes', async () => {
    for (const id of ['...', '../x', 'a.b']) {
      expect((await served.cue('trigger', 'show', id)).code).toBe(3);
    }
  });
});

describe('where nothing serves', () => {
  it.each([
    [['trigger', 'list']],
    [['recall', 'x']],
    [['store', '--intent', 'x', '--success']],
    [['offers']],
    [['autonomy']],
    [['status']],
    [['export']],
    [['purge', '--all']],
  ])('%s says how to start a server', async (argv) => {
    const port = await freePort();
    const { code, out, err } = await served.cue(...argv, '-p', String(port));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe(
      `cue: nothing listens at http://127.0.0.1:${port}: ` +
        'start a server with "nudge serve", or say its port with -p PORT\n',
    );
  });

  it('is told as a document where one was asked for', async () => {
    const { code, document } = await served.json('offers', '-p', String(await freePort()));
    expect({ code, document }).toMatchObject({
      code: 1,
      document: { error: { code: 'UNAVAILABLE', details: { met: 'nobody' } } },
    });
  });
});
