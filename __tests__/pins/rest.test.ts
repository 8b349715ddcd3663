/** The routes and the keys of every answer, frozen: a change here is a change for clients. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, call } from '../helpers/http.js';
import { startServer, type TestServer } from '../helpers/server.js';

let server: TestServer;
let id: string;

beforeAll(async () => {
  server = await startServer();
  const { body } = await rest('POST', '/triggers', draft);
  id = (body.trigger as { id: string }).id;
});
afterAll(() => server.stop());

const draft = {
  instructions: 'water the plants',
  schedule: { triggerType: 'cron', cronExpression: '0 9 29 2 *', timezone: 'Europe/Vienna' },
};
const rest = (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(method, `${server.baseUrl}/cue${path}`, body === undefined ? {} : { body });
const keys = (value: unknown) => Object.keys(value as object).toSorted();

const TRIGGER = [
  'createdBy',
  'cronExpression',
  'dedupeKey',
  'displayName',
  'enabled',
  'id',
  'instructions',
  'nextRunAtMs',
  'revision',
  'runCount',
  'scheduleText',
  'state',
  'taskId',
  'timezone',
  'timezoneSource',
  'triggerId',
  'triggerType',
  'version',
  'wakeMode',
];
const RUN = [
  'actions',
  'answer',
  'attempt',
  'begunAtMs',
  'cause',
  'delivery',
  'displayName',
  'finishedAt',
  'latencyMs',
  'messageId',
  'modelCalls',
  'open',
  'responded',
  'responseId',
  'roomId',
  'scheduledForMs',
  'startedAt',
  'status',
  'taskId',
  'triggerId',
  'triggerRunId',
  'version',
];

/** In the order in which the host tries them. */
const routes = () =>
  server.runtime.routes
    .filter(({ path }) => path.startsWith('/cue/'))
    .map(({ type, path }) => `${type} ${path}`);

it('asks a route with a word before one with an id that would take the word', () => {
  const hidden = routes().filter((route, place, all) =>
    all.slice(0, place).some((earlier) => {
      const pattern = earlier.replace(/:\w+/g, '[^/]+').replace('*', '.*');
      return !route.includes(':') && new RegExp(`^${pattern}$`).test(route);
    }),
  );
  expect(hidden).toEqual([]);
  expect(routes().at(-1)).toBe('DELETE /cue/*');
});

it('pins the routes', () => {
  expect(routes().toSorted()).toStrictEqual(
    [
      'GET /cue/triggers/health',
      'GET /cue/triggers/export',
      'POST /cue/triggers/import',
      'POST /cue/triggers/preview',
      'POST /cue/triggers/batch',
      'GET /cue/triggers',
      'POST /cue/triggers',
      'GET /cue/triggers/:id',
      'PUT /cue/triggers/:id',
      'DELETE /cue/triggers/:id',
      'POST /cue/triggers/:id/execute',
      'GET /cue/triggers/:id/runs',
      'GET /cue/triggers/:id/why',
      'GET /cue/openapi.json',
      'GET /cue/autonomy',
      'POST /cue/autonomy',
      'GET /cue/memories',
      'POST /cue/memories',
      'GET /cue/memories/health',
      'GET /cue/memories/:id',
      'PATCH /cue/memories/:id',
      'DELETE /cue/memories/:id',
      'GET /cue/memories/:id/trace',
      'POST /cue/recall',
      'POST /cue/forget',
      'POST /cue/links',
      'POST /cue/identity',
      'GET /cue/chapters',
      'POST /cue/chapters',
      'GET /cue/wisdom',
      'POST /cue/wisdom',
      'GET /cue/export',
      'POST /cue/import',
      'GET /cue/offers',
      'GET /cue/offers/stats',
      'POST /cue/offers/reset',
      'GET /cue/offers/health',
      'GET /cue/offers/decisions',
      'GET /cue/offers/stream',
      'GET /cue/offers/:id',
      'POST /cue/offers/:id/acknowledge',
      'POST /cue/offers/:id/dismiss',
      'POST /cue/offers/:id/used',
      'POST /cue/events',
      'GET /cue/when',
      'GET /cue/when/validate',
      'POST /cue/when/remember',
      'GET /cue/when/stats',
      'GET /cue/when/entries',
      'GET /cue/when/health',
      'POST /cue/rpc',
      'POST /cue/mcp',
      'GET /cue/mcp',
      'DELETE /cue/mcp',
      'GET /cue/triggers/upcoming',
      'GET /cue/runs',
      'GET /cue/runs/:id',
      'GET /cue/stream',
      'GET /cue/health',
      'GET /cue/hints',
      'GET /cue/settings',
      'GET /cue/panel',
      'GET /cue/panel/assets/:file',
      // The tab of the host's web UI.
      'GET /cue/../../../../../cue/panel',
      'GET /cue/*',
      'POST /cue/*',
      'PUT /cue/*',
      'PATCH /cue/*',
      'DELETE /cue/*',
    ].toSorted(),
  );
});

describe('one trigger', () => {
  it('pins creating, reading and changing', async () => {
    const created = await rest('POST', '/triggers', { ...draft, instructions: 'feed the cat' });
    expect([created.status, keys(created.body), keys(created.body.trigger)]).toStrictEqual([
      201,
      ['trigger'],
      TRIGGER,
    ]);
    expect(created.body.trigger).toMatchObject({
      version: 1,
      displayName: 'feed the cat',
      instructions: 'feed the cat',
      triggerType: 'cron',
      enabled: true,
      wakeMode: 'inject_now',
      createdBy: 'user',
      timezone: 'Europe/Vienna',
      cronExpression: '0 9 29 2 *',
      runCount: 0,
      revision: 0,
      state: 'resting',
    });
    const { id: other } = created.body.trigger as { id: string };
    const read = await rest('GET', `/triggers/${other}`);
    expect([read.status, keys(read.body), keys(read.body.trigger)]).toStrictEqual([
      200,
      ['trigger'],
      TRIGGER,
    ]);
    const changed = await rest('PUT', `/triggers/${other}`, { displayName: 'Cat' });
    expect([changed.status, keys(changed.body), keys(changed.body.trigger)]).toStrictEqual([
      200,
      ['trigger'],
      TRIGGER,
    ]);
    const gone = await rest('DELETE', `/triggers/${other}`);
    expect([gone.status, gone.body]).toStrictEqual([200, { deleted: true }]);
  });

  it('pins a run, its list and the explanation', async () => {
    const started = await rest('POST', `/triggers/${id}/execute`);
    expect([started.status, keys(started.body)]).toStrictEqual([202, ['runId']]);
    await server.triggers.settle();
    const waited = await rest('POST', `/triggers/${id}/execute?waitMs=15000`);
    expect([waited.status, keys(waited.body)]).toStrictEqual([200, ['run', 'trigger']]);
    expect(keys(waited.body.run)).toStrictEqual(RUN);
    expect(keys(waited.body.trigger)).toStrictEqual(
      [...TRIGGER, 'failureCount', 'lastRunAtIso', 'lastStatus'].toSorted(),
    );
    await server.triggers.settle();
    const runs = await rest('GET', `/triggers/${id}/runs`);
    expect([runs.status, keys(runs.body)]).toStrictEqual([200, ['nextCursor', 'runs', 'total']]);
    expect((runs.body.runs as object[]).map(keys)).toStrictEqual([RUN, RUN]);
    const why = await rest('GET', `/triggers/${id}/why`);
    expect([why.status, keys(why.body)]).toStrictEqual([200, ['lastRuns', 'reasons', 'trigger']]);
    expect((why.body.lastRuns as object[]).map(keys)).toStrictEqual([RUN, RUN]);
  });
});

describe('many triggers', () => {
  it('pins the list', async () => {
    const list = await rest('GET', '/triggers');
    expect([list.status, keys(list.body)]).toStrictEqual([
      200,
      ['nextCursor', 'total', 'triggers'],
    ]);
  });

  it('pins a batch', async () => {
    const batch = await rest('POST', '/triggers/batch', {
      triggers: [{ ...draft, instructions: 'call mother' }, draft, {}],
    });
    expect([batch.status, keys(batch.body)]).toStrictEqual([
      201,
      ['counts', 'created', 'duplicates', 'rejected'],
    ]);
    expect(keys((batch.body.created as object[])[0])).toStrictEqual([
      'id',
      'index',
      'nextRunAtMs',
      'taskId',
    ]);
    expect(batch.body.duplicates).toStrictEqual([{ index: 1, existingId: id }]);
    expect(batch.body.rejected).toStrictEqual([
      {
        index: 2,
        findings: [
          { field: 'text', message: 'is required: say when, such as "every weekday at 9"' },
        ],
      },
    ]);
    expect(batch.body.counts).toStrictEqual({ created: 1, duplicates: 1, rejected: 1 });
  });

  it('pins export and import', async () => {
    const exported = await rest('GET', '/triggers/export');
    expect([exported.status, keys(exported.body), exported.body.version]).toStrictEqual([
      200,
      ['exportedAtIso', 'triggers', 'version'],
      1,
    ]);
    const imported = await rest('POST', '/triggers/import', exported.body);
    expect([imported.status, keys(imported.body)]).toStrictEqual([
      200,
      ['counts', 'created', 'duplicates', 'rejected'],
    ]);
  });

  it('pins a preview', async () => {
    const preview = await rest('POST', '/triggers/preview', {
      text: 'every day at 9 tell me to call mother',
    });
    expect([preview.status, keys(preview.body)]).toStrictEqual([
      200,
      ['instructions', 'nextRuns', 'schedule', 'scheduleText'],
    ]);
    expect((preview.body.nextRuns as object[]).map(keys)).toStrictEqual(
      Array(5).fill(['atMs', 'iso', 'local']),
    );
  });
});

it('pins health', async () => {
  const health = await rest('GET', '/triggers/health');
  expect([health.status, keys(health.body)]).toStrictEqual([
    200,
    [
      'active',
      'autonomyPresent',
      'blocked',
      'deferred',
      'deferredBy',
      'deliveryUnknown',
      'disabled',
      'dispatchPaused',
      'enabled',
      'failuresLastHour',
      'invalid',
      'lastError',
      'oldestDueLagMs',
      'paused',
      'queued',
      'resting',
      'retrying',
      'running',
      'setAside',
      'taskServicePresent',
      'undelivered',
      'workerRegistered',
      'workerTakenBy',
    ],
  ]);
});

it('pins autonomy', async () => {
  const STATUS = [
    'blocked',
    'busyRooms',
    'cycling',
    'delegated',
    'enabled',
    'intervalMs',
    'lastCycleAtMs',
    'lastCycleError',
    'loop',
  ];
  const status = await rest('GET', '/autonomy');
  expect([status.status, keys(status.body)]).toStrictEqual([200, STATUS]);
  const changed = await rest('POST', '/autonomy', { intervalMs: 60_000 });
  expect([changed.status, keys(changed.body)]).toStrictEqual([200, STATUS]);
  const cycled = await rest('POST', '/autonomy', { runCycle: true });
  expect([cycled.status, keys(cycled.body)]).toStrictEqual([200, ['cycle', ...STATUS].toSorted()]);
});

it('pins the shape of errors', async () => {
  const wrong = await rest('POST', '/triggers', { ...draft, maxRuns: 0, nope: 1 });
  expect([wrong.status, wrong.body]).toStrictEqual([
    400,
    {
      error: {
        code: 'INVALID_INPUT',
        message: 'maxRuns: must be at least 1; nope: unknown field',
        details: {
          findings: [
            { field: 'maxRuns', message: 'must be at least 1' },
            { field: 'nope', message: 'unknown field' },
          ],
        },
      },
    },
  ]);
  const duplicate = await rest('POST', '/triggers', draft);
  expect([duplicate.status, duplicate.body]).toStrictEqual([
    409,
    {
      error: {
        code: 'DUPLICATE',
        message: 'this trigger exists already: "water the plants"',
        details: { existingId: id },
      },
    },
  ]);
  const missing = await rest('GET', '/triggers/7');
  expect([missing.status, missing.body]).toStrictEqual([
    404,
    {
      error: {
        code: 'NOT_FOUND',
        message: 'no trigger with id "7"',
        details: { what: 'trigger', id: '7' },
      },
    },
  ]);
});

describe('work memory', () => {
  const MEMORY = [
    'access_count',
    'actions',
    'agent_id',
    'created_at',
    'files',
    'id',
    'importance',
    'intent',
    'last_accessed',
    'links',
    'links_total',
    'memory_id',
    'origin',
    'outcome',
    'perception',
    'reasoning',
    'remind_when',
    'revision',
    'tags',
    'visibility',
  ];

  it('pins storing, reading, listing, recalling and tracing', async () => {
    const stored = await rest('POST', '/memories', {
      intent: 'Fix JWT expiry bug',
      actions: [{ file: 'auth.ts', operation: 'edit' }],
      outcome: { success: true, learning: 'Need retry on 401' },
    });
    expect([stored.status, keys(stored.body), keys(stored.body.memory)]).toStrictEqual([
      201,
      ['created', 'links', 'memory', 'memory_id'],
      MEMORY,
    ]);
    const { memory_id: name } = stored.body.memory as { memory_id: string };
    const read = await rest('GET', `/memories/${name}`);
    expect([keys(read.body), keys(read.body.memory)]).toStrictEqual([['memory'], MEMORY]);
    const list = await rest('GET', '/memories');
    expect(keys(list.body)).toStrictEqual(['memories', 'nextCursor', 'total']);
    const recalled = await rest('POST', '/recall', { ref: 'file:auth.ts' });
    expect(keys(recalled.body)).toStrictEqual([
      'memories',
      'stages',
      'token_count',
      'total_matches',
    ]);
    const [found] = recalled.body.memories as object[];
    expect(keys(found)).toStrictEqual([
      'confidence',
      'content',
      'created_at',
      'depth',
      'fuzzy',
      'memory_id',
      'origin',
      'stage',
      'success',
      'why',
    ]);
    const health = await rest('GET', '/memories/health');
    expect([keys(health.body), health.body.memories, health.body.degraded]).toStrictEqual([
      ['catalog', 'degraded', 'embeddings', 'memories', 'project_id', 'set_aside'],
      1,
      [],
    ]);
    const trace = await rest('GET', `/memories/${name}/trace`);
    expect(keys(trace.body)).toStrictEqual([
      'direction',
      'memory_id',
      'token_count',
      'trace',
      'truncated',
    ]);
  });
});

describe('offers', () => {
  const OFFER = [
    'createdAt',
    'expiresAt',
    'groupId',
    'id',
    'kind',
    'requiresAcknowledgment',
    'shownAt',
    'shownBy',
    'sources',
    'state',
    'subject',
    'target',
    'text',
    'tokens',
    'why',
  ];
  const NUMBERS = [
    'acknowledged',
    'dismissed',
    'expired',
    'falseAlarms',
    'falseAlarmsPer100Turns',
    'offers',
    'pending',
    'precision',
    'recallRate',
    'shown',
    'tokens',
    'used',
  ];

  it('pins a happening, its offer, the list and the numbers', async () => {
    await rest('POST', '/memories', {
      intent: 'Shard the ledger table',
      actions: [{ file: 'src/ledger.ts', operation: 'edit' }],
      outcome: { success: true, learning: 'split by year' },
    });
    const happened = await rest('POST', '/events', {
      type: 'file_touch',
      filePath: 'src/ledger.ts',
    });
    expect([happened.status, keys(happened.body)]).toStrictEqual([
      201,
      ['degraded', 'offers', 'suppressed', 'text', 'tokens', 'warning'],
    ]);
    const [offer] = happened.body.offers as { id: string; why: object; sources: object[] }[];
    expect(keys(offer)).toStrictEqual(OFFER);
    expect(keys(offer?.sources[0])).toStrictEqual([
      'files',
      'id',
      'memoryId',
      'reasons',
      'revision',
      'score',
    ]);
    expect(keys(offer?.why)).toStrictEqual(['detector', 'evidence', 'strength', 'suppressed']);
    const read = await rest('GET', `/offers/${offer?.id}`);
    expect([keys(read.body), keys(read.body.offer)]).toStrictEqual([['offer'], OFFER]);
    const list = await rest('GET', '/offers');
    expect(keys(list.body)).toStrictEqual(['nextCursor', 'offers', 'total']);
    const used = await rest('POST', `/offers/${offer?.id}/used`, { reason: 'it named the key' });
    expect([used.status, keys(used.body), keys(used.body.offer)]).toStrictEqual([
      200,
      ['offer'],
      [...OFFER, 'usedAt', 'usedHow'].toSorted(),
    ]);
    const stats = await rest('GET', '/offers/stats');
    expect(keys(stats.body)).toStrictEqual([
      'byDay',
      'byKind',
      'learned',
      'sinceMs',
      'total',
      'turns',
      'untilMs',
    ]);
    expect(keys(stats.body.total)).toStrictEqual(NUMBERS);
    expect((stats.body.byDay as object[]).map(keys)).toStrictEqual([
      ['byKind', 'day', ...NUMBERS, 'turns'].toSorted(),
    ]);
  });

  it('pins health and decisions', async () => {
    const health = await rest('GET', '/offers/health');
    expect([health.status, keys(health.body)]).toStrictEqual([
      200,
      ['degraded', 'detectors', 'dropped', 'enabled', 'open', 'subscribers'],
    ]);
    const decided = await rest('GET', '/offers/decisions');
    expect(keys(decided.body)).toStrictEqual(['decisions', 'nextCursor', 'total']);
    expect(keys((decided.body.decisions as object[])[0])).toStrictEqual([
      'atMs',
      'detectors',
      'happening',
      'offerIds',
      'suppressed',
    ]);
  });
});
