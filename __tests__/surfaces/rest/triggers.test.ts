/** Creating, listing, changing and previewing over real HTTP, on a real Eliza server. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeChat } from '../../helpers/boot.js';
import { errorOf } from '../../helpers/http.js';
import { hourly, type Row, restClient } from '../../helpers/rest.js';
import { startServer, type TestServer } from '../../helpers/server.js';

const HOUR_MS = 3_600_000;
let server: TestServer;
const rest = restClient(() => server);
const { made, clear } = rest;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
afterEach(clear);

describe('creating', () => {
  it('answers 201 with the whole trigger', async () => {
    const trigger = await made({
      displayName: 'Plants',
      wakeMode: 'next_autonomy_cycle',
      maxRuns: 3,
    });
    expect(trigger).toMatchObject({
      displayName: 'Plants',
      instructions: 'water the plants',
      triggerType: 'interval',
      intervalMs: HOUR_MS,
      wakeMode: 'next_autonomy_cycle',
      maxRuns: 3,
      timezone: 'UTC',
      state: 'resting',
      scheduleText: 'every hour',
    });
    expect(trigger.id).toBe(trigger.triggerId);
  });

  it('keeps the instructions as they are given', async () => {
    const instructions = '  two  spaces,\n a new line ';
    expect(await made({ instructions })).toMatchObject({ instructions });
  });

  it('reads schedule and instructions from one text', async () => {
    const answer = await rest('POST', '/triggers', {
      text: 'every day at 9 water the plants',
      timezone: 'Europe/Vienna',
    });
    expect(answer.status).toBe(201);
    expect(answer.body.trigger).toMatchObject({
      triggerType: 'cron',
      timezone: 'Europe/Vienna',
      instructions: 'water the plants',
    });
  });

  it('lets the instructions beside the text win', async () => {
    const answer = await rest('POST', '/triggers', {
      text: 'every 2 hours',
      instructions: 'stretch',
    });
    expect(answer.status).toBe(201);
    expect(answer.body.trigger).toMatchObject({ instructions: 'stretch', intervalMs: 2 * HOUR_MS });
  });

  it('reads the time of a one-off in the zone of the request', async () => {
    const trigger = await made({
      schedule: { triggerType: 'once', scheduledAtIso: '2099-07-01T09:00:00' },
      timezone: 'America/New_York',
    });
    expect(trigger.nextRunAtMs).toBe(Date.parse('2099-07-01T13:00:00Z'));
  });

  it('keeps right-to-left and emoji names letter by letter', async () => {
    for (const displayName of ['تذكير الصباح', 'שלום עולם', '👩‍👩‍👧‍👦 🌱🇦🇹', '日本語の名前']) {
      const { id } = await made({ displayName, instructions: `do ${displayName}` });
      const { body } = await rest('GET', `/triggers/${id}`);
      expect(body.trigger).toMatchObject({ displayName, instructions: `do ${displayName}` });
    }
  });

  it('answers a second equal one with 409 and the id of the first', async () => {
    const first = await made();
    const again = await rest('POST', '/triggers', {
      instructions: 'Water   THE plants',
      schedule: hourly,
    });
    expect(again.status).toBe(409);
    expect(again.body.error).toMatchObject({
      code: 'DUPLICATE',
      details: { existingId: first.id },
    });
  });

  it('creates one of many equal requests at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        rest('POST', '/triggers', { instructions: 'race', schedule: hourly }),
      ),
    );
    expect(answers.map((one) => one.status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
    expect((await rest('GET', '/triggers')).body.total).toBe(1);
  });

  it('runs at once when asked to', async () => {
    const { id } = await made({ runImmediately: true });
    await server.triggers.settle();
    const { body } = await rest('GET', `/triggers/${id}/runs`);
    expect(body).toMatchObject({ total: 1, runs: [{ cause: 'immediate', status: 'success' }] });
  });

  it('delivers to a room that exists and names the field of one that does not', async () => {
    const { roomId } = await makeChat(server.runtime, 'rest-delivery');
    expect(await made({ deliverTo: { roomId } })).toMatchObject({ deliverTo: { roomId } });
    const missing = await rest('POST', '/triggers', {
      instructions: 'nobody hears it',
      schedule: hourly,
      deliverTo: { roomId: '00000000-0000-4000-8000-00000000dead' },
    });
    expect(missing.status).toBe(400);
    expect(errorOf(missing).fields).toEqual(['deliverTo.roomId']);
    expect((await rest('GET', '/triggers')).body.total).toBe(1);
  });
});

describe('listing', () => {
  it('pages newest first, with a cursor exactly while there is more', async () => {
    for (let n = 0; n < 5; n += 1) await made({ instructions: `page ${n}` });
    const seen: unknown[] = [];
    let cursor: unknown = null;
    const sizes: number[] = [];
    do {
      const next = cursor === null ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
      const { body } = await rest('GET', `/triggers?limit=2${next}`);
      const page = body.triggers as Row[];
      expect(body.total).toBe(5);
      sizes.push(page.length);
      seen.push(...page.map((one) => one.instructions));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(sizes).toEqual([2, 2, 1]);
    expect(seen).toHaveLength(new Set(seen).size);
    expect((await rest('GET', '/triggers?limit=5')).body.nextCursor).toBeNull();
  });

  it('filters by state, words and creator', async () => {
    const creatorEntityId = '0a0a0a0a-0000-4000-8000-000000000001';
    await made({ instructions: 'buy 100% milk', enabled: false });
    await made({ instructions: 'call mother', creatorEntityId });
    const names = async (query: string) =>
      ((await rest('GET', `/triggers?${query}`)).body.triggers as Row[]).map((t) => t.instructions);
    expect(await names('state=disabled')).toEqual(['buy 100% milk']);
    expect(await names('q=100%25')).toEqual(['buy 100% milk']);
    expect(await names('q=MOTHER')).toEqual(['call mother']);
    expect(await names(`creatorEntityId=${creatorEntityId}`)).toEqual(['call mother']);
    expect(await names('state=paused')).toEqual([]);
  });
});

describe('one trigger', () => {
  it('is found by its own id and by the id of its task, in either case', async () => {
    const { id, taskId } = await made();
    for (const name of [id, taskId, id.toUpperCase()]) {
      const answer = await rest('GET', `/triggers/${name}`);
      expect(answer.status).toBe(200);
      expect(answer.body.trigger).toMatchObject({ id, taskId });
    }
  });

  it('is changed field by field', async () => {
    const { id } = await made();
    const renamed = await rest('PUT', `/triggers/${id}`, { displayName: 'Garden', maxRuns: 9 });
    expect(renamed.status).toBe(200);
    expect(renamed.body.trigger).toMatchObject({
      displayName: 'Garden',
      maxRuns: 9,
      intervalMs: HOUR_MS,
    });
    const off = await rest('PUT', `/triggers/${id}`, { enabled: false });
    expect(off.body.trigger).toMatchObject({ state: 'disabled', nextRunAtMs: null });
    const on = await rest('PUT', `/triggers/${id}`, { enabled: true });
    expect(on.body.trigger).toMatchObject({ state: 'resting' });
  });

  it('loses a limit or a policy that is null, and has its default again', async () => {
    const policies = {
      ...{ maxRuns: 9, maxFailures: 2, timeoutMs: 60_000, overlapPolicy: 'queue' },
      missedRunPolicy: { mode: 'all', windowMs: HOUR_MS, max: 3 },
    };
    const { id } = await made(policies);
    const unlimited = await rest('PUT', `/triggers/${id}`, { maxRuns: null });
    expect(unlimited.status).toBe(200);
    const { maxRuns: _taken, ...others } = policies;
    expect(unlimited.body.trigger).toMatchObject(others);
    expect(unlimited.body.trigger).not.toHaveProperty('maxRuns');
    const names = Object.keys(others);
    await rest('PUT', `/triggers/${id}`, Object.fromEntries(names.map((name) => [name, null])));
    const { body } = await rest('GET', `/triggers/${id}`);
    for (const name of Object.keys(policies)) expect(body.trigger).not.toHaveProperty(name);
    expect(body.trigger).toMatchObject({ displayName: expect.any(String), intervalMs: HOUR_MS });
  });

  it('takes a new schedule as text or as data, in its own zone unless told', async () => {
    const { id } = await made({ timezone: 'Europe/Vienna' });
    const byText = await rest('PUT', `/triggers/${id}`, { text: 'every day at 9' });
    expect(byText.body.trigger).toMatchObject({
      triggerType: 'cron',
      timezone: 'Europe/Vienna',
      instructions: 'water the plants',
    });
    const byData = await rest('PUT', `/triggers/${id}`, {
      schedule: { triggerType: 'cron', cronExpression: '30 7 * * 1' },
    });
    expect(byData.body.trigger).toMatchObject({
      cronExpression: '30 7 * * 1',
      timezone: 'Europe/Vienna',
    });
    const moved = await rest('PUT', `/triggers/${id}`, { timezone: 'Asia/Kolkata' });
    expect(moved.body.trigger).toMatchObject({
      cronExpression: '30 7 * * 1',
      timezone: 'Asia/Kolkata',
    });
  });

  it('is snoozed and skipped', async () => {
    const { id, nextRunAtMs } = await made();
    const skipped = await rest('PUT', `/triggers/${id}`, { skipNext: true });
    expect((skipped.body.trigger as Row).nextRunAtMs).toBe(Number(nextRunAtMs) + HOUR_MS);
    const until = new Date(Date.now() + 5 * HOUR_MS).toISOString();
    const snoozed = await rest('PUT', `/triggers/${id}`, { snoozeUntil: until });
    expect((snoozed.body.trigger as Row).nextRunAtMs).toBe(Date.parse(until));
    const { body } = await rest('GET', `/triggers/${id}/runs`);
    expect((body.runs as Row[]).map((run) => run.status)).toEqual(['skipped', 'skipped']);
  });

  it('is not overwritten by who read it before it was changed', async () => {
    const { id, revision } = (await made()) as Row & { revision: number };
    const first = await rest('PUT', `/triggers/${id}`, { displayName: 'Garden', revision });
    expect(first.status).toBe(200);
    const { revision: now } = first.body.trigger as Row & { revision: number };
    for (const change of [{ maxRuns: 9 }, { text: 'every day at 9' }, { timezone: 'Asia/Tokyo' }]) {
      const late = await rest('PUT', `/triggers/${id}`, { ...change, revision });
      expect(late.status).toBe(409);
      expect(late.body.error).toMatchObject({
        code: 'CONFLICT',
        details: { revision: now },
      });
    }
    expect((await rest('PUT', `/triggers/${id}`, { revision })).status).toBe(400);
    const again = { maxRuns: 9, revision: now };
    expect((await rest('PUT', `/triggers/${id}`, again)).status).toBe(200);
  });

  it('cannot be changed into another one', async () => {
    const first = await made();
    const second = await made({ instructions: 'feed the cat' });
    const answer = await rest('PUT', `/triggers/${second.id}`, {
      instructions: 'water the plants',
    });
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({
      code: 'DUPLICATE',
      details: { existingId: first.id },
    });
  });

  it('is deleted once', async () => {
    const { id } = await made();
    const gone = await rest('DELETE', `/triggers/${id}`);
    expect(gone.status).toBe(200);
    expect(gone.body).toEqual({ deleted: true });
    for (const method of ['GET', 'DELETE']) {
      const answer = await rest(method, `/triggers/${id}`);
      expect(answer.status).toBe(404);
      expect(errorOf(answer).code).toBe('NOT_FOUND');
    }
  });

  it('is 404 on every route under an id that nobody has', async () => {
    for (const id of ['00000000-0000-4000-8000-000000000000', 'nope', '%00', 'a.js']) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PUT', '', { displayName: 'x' }],
        ['DELETE', '', undefined],
        ['POST', '/execute', undefined],
        ['GET', '/runs', undefined],
        ['GET', '/why', undefined],
      ] as const) {
        const answer = await rest(method, `/triggers/${id}${path}`, body);
        expect([method, path, answer.status, answer.type]).toEqual([
          method,
          path,
          404,
          'application/json; charset=utf-8',
        ]);
      }
    }
  });
});

describe('asking without storing', () => {
  it('puts a schedule into words with its next five runs', async () => {
    const { status, body } = await rest('POST', '/triggers/preview', {
      schedule: { triggerType: 'cron', cronExpression: '0 9 * * 1-5' },
      timezone: 'Europe/Vienna',
    });
    expect(status).toBe(200);
    expect(body.schedule).toMatchObject({
      cronExpression: '0 9 * * 1-5',
      timezone: 'Europe/Vienna',
    });
    const runs = body.nextRuns as { atMs: number; iso: string; local: string }[];
    expect(runs).toHaveLength(5);
    expect(runs.every((run) => run.local.includes('09:00'))).toBe(true);
    expect((await rest('GET', '/triggers')).body.total).toBe(0);
  });

  it('reads a text', async () => {
    const { body } = await rest('POST', '/triggers/preview', {
      text: 'every 2 hours tell me to stretch',
    });
    expect(body).toMatchObject({
      instructions: 'tell me to stretch',
      schedule: { intervalMs: 2 * HOUR_MS },
    });
  });

  it.each([
    ['call Ada tomorrow', 'At what time?'],
    ['water the plants', /^The sentence says no time that can be read: .*"\.$/],
    ['every 5 seconds say hi', /^The time between two runs .*\.$/],
  ])('says in a sentence for people what is wrong with "%s"', async (text, sentence) => {
    const { status, body } = await rest('POST', '/triggers/preview', { text });
    expect([status, body]).toMatchObject([
      400,
      {
        error: {
          details: {
            findings: [
              {
                field: 'text',
                text: typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
              },
            ],
          },
        },
      },
    ]);
  });
});
