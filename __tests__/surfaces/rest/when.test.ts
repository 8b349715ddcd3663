/** `/when` over the real HTTP server: recalling, checking, writing. */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from '../../helpers/http.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';
import { type RestClient, restClient } from '../../helpers/rest.js';
import { startServer, type TestServer } from '../../helpers/server.js';
import { type KnowledgeFolder, knowledgeFolder, whenOf } from '../../helpers/when.js';

import { runCue } from '../cli/cue.js';

let folder: KnowledgeFolder;
let server: TestServer;
const rest: RestClient = restClient(() => server);

beforeAll(async () => {
  folder = knowledgeFolder();
  server = await startServer({ settings: folder.settings });
  await memoryOf(server.runtime);
  await offersOf(server.runtime);
  await whenOf(server.runtime);
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

interface Result {
  query: string;
  found: string;
  confidence: number;
  matches: { header: string; content?: string }[];
}
const asked = async (...queries: string[]) => {
  const words = queries.map((one) => `q=${encodeURIComponent(one)}`).join('&');
  const { status, body } = await rest('GET', `/when?${words}`);
  return { status, results: body.results as Result[] };
};

describe('cue when -p', () => {
  const cue = (...argv: string[]) =>
    runCue(argv, { cwd: tmpdir(), nowMs: Date.now, env: { NUDGE_PID_DIR: tmpdir() } });
  const port = () => new URL(server.baseUrl).port;

  it('recalls from the index of the server, wherever it is called', async () => {
    const { code, out } = await cue('when', '-p', port(), 'writing mock tests');
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('Patch where the object is used.'),
    });
    const json = await cue(
      'when',
      '--port',
      port(),
      '--json',
      'writing mock tests',
      'no such thing',
    );
    expect(json.code).toBe(3);
    expect(JSON.parse(json.out).results).toHaveLength(2);
  });

  it('is refused by what works on files', async () => {
    const { code, err } = await cue('when', 'validate', '-p', port());
    expect({ code, err }).toEqual({
      code: 2,
      err: 'cue: cue when validate works on the files of the project: leave -p out\n',
    });
  });
});

describe('GET /cue/when', () => {
  it('answers a trigger with its section and what leads on', async () => {
    const { status, results } = await asked('splitting modules');
    expect([status, results]).toEqual([
      200,
      [
        {
          query: 'splitting modules',
          found: 'exact',
          confidence: 1,
          matches: expect.any(Array),
          related: [{ command: '/when § modules.md', note: 'Full modules.md file' }],
          suggestions: [],
        },
      ],
    ]);
    expect(results[0]?.matches[0]).toEqual({
      rank: 1,
      header: 'Module Split',
      file: 'modules.md',
      line: 3,
      trigger: 'splitting modules',
      description: 'one reason to change for each module of the system',
      confidence: 1,
      content: '\nSplit by reason to change.\n',
    });
  });

  it('takes a list in one query, and several queries, as one batch', async () => {
    const listed = await asked('/when\n- writing mock tests\n- § modules.md');
    const several = await asked('writing mock tests', '/when § modules.md');
    expect(listed.results.map(({ query }) => query)).toEqual([
      'writing mock tests',
      '§ modules.md',
    ]);
    expect(several.results).toEqual(listed.results);
  });

  it('finds nothing without guessing', async () => {
    const { status, results } = await asked('baking sourdough bread');
    expect([status, results[0]?.found, results[0]?.confidence]).toEqual([200, 'none', 0]);
    expect(results[0]?.matches.every(({ content }) => content === undefined)).toBe(true);
  });

  it.each([
    ['no q', '', 'q: is required'],
    ['an empty one', '?q=', 'q.0: must not be empty'],
    ['a blank one among others', '?q=a&q=%20', 'q.1: must not be empty'],
    ['an object', '?q[x]=1', 'q: is required; q[x]: unknown field'],
    ['more than twenty', `?${'q=a&'.repeat(21)}`, 'q: must not be given more than 20 times'],
    ['NUL', '?q=%00', 'q.0: must not contain NUL characters'],
    ['one that is endless', `?q=${'a'.repeat(12_001)}`, 'q.0: must have at most 12000 characters'],
  ])('refuses %s', async (_name, query, message) => {
    const answer = await rest('GET', `/when${query}`);
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'INVALID_INPUT']);
    expect(errorOf(answer).message).toBe(message);
  });

  it('refuses a field it does not know', async () => {
    const answer = await rest('GET', '/when?q=a&limit=3');
    expect([answer.status, errorOf(answer).fields]).toEqual([400, ['limit']]);
  });

  it('says per request what is too long for one', async () => {
    const { status, results } = await asked('a'.repeat(600));
    expect([status, results[0]?.found]).toEqual([200, 'none']);
  });
});

describe('POST /cue/when/remember', () => {
  const draft = {
    trigger: 'retrying requests',
    header: 'Retry With Jitter',
    description: 'wait longer each time and add jitter between attempts',
    file: 'network.md',
    content: 'Wait longer each time.',
  };

  it('writes entry and section, once, and they are found at once', async () => {
    const made = await rest('POST', '/when/remember', draft);
    expect([made.status, made.body]).toEqual([
      201,
      {
        remembered: {
          entry:
            '/when retrying requests | Retry With Jitter | wait longer each time and add jitter between attempts',
          line: expect.any(Number),
          file: 'network.md',
          header: 'Retry With Jitter',
          sectionAdded: true,
          changed: true,
        },
      },
    ]);
    expect(readFileSync(join(folder.decisions, 'network.md'), 'utf8')).toContain(draft.content);
    expect((await asked('retrying requests')).results[0]?.found).toBe('exact');
    const again = await rest('POST', '/when/remember', draft);
    expect([again.status, again.body.remembered]).toMatchObject([200, { changed: false }]);
  });

  it.each([
    ['nothing', {}, ['trigger', 'header', 'description']],
    ['a number for a trigger', { ...draft, trigger: 7 }, ['trigger']],
    ['a field it does not know', { ...draft, title: 'x' }, ['title']],
    ['another prefix', { ...draft, prefix: 'why' }, ['prefix']],
    ['a path out of the folder', { ...draft, trigger: 'x y', file: '../x.md' }, ['file']],
    ['too few words', { trigger: 'a', header: 'b', description: 'c' }, ['description']],
  ])('refuses %s and writes nothing', async (_name, body, fields) => {
    const before = readFileSync(folder.index, 'utf8');
    const answer = await rest('POST', '/when/remember', body);
    expect([answer.status, errorOf(answer).code, errorOf(answer).fields]).toEqual([
      400,
      'INVALID_INPUT',
      fields,
    ]);
    expect(readFileSync(folder.index, 'utf8')).toBe(before);
  });

  it('says of what is missing that it is required', async () => {
    const answer = await rest('POST', '/when/remember', { trigger: 'a', description: 'c' });
    expect(errorOf(answer).message).toBe('header: is required');
  });

  it.each([
    [
      'a trigger that leads elsewhere',
      { ...draft, trigger: 'splitting modules', header: 'Another' },
      409,
      'DUPLICATE',
    ],
    [
      'a section that is not there',
      { ...draft, trigger: 'naming branches', header: 'Branches', content: undefined },
      404,
      'NOT_FOUND',
    ],
    [
      'a secret',
      {
        ...draft,
        trigger: 'x y',
        header: 'Key',
        content: `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`,
      },
      422,
      'SECRET_REJECTED',
    ],
    [
      'content that is too large',
      { ...draft, trigger: 'x y', header: 'Large', content: 'x'.repeat(300_000) },
      413,
      'TOO_LARGE',
    ],
  ])('refuses %s', async (_name, body, status, code) => {
    const answer = await rest('POST', '/when/remember', body);
    expect([answer.status, errorOf(answer).code]).toEqual([status, code]);
  });
});

it('GET /cue/when/validate names what is wrong, as it stands on the disk now', async () => {
  const fine = await rest('GET', '/when/validate');
  expect(fine.status).toBe(200);
  folder.write(
    'memory-index.md',
    `${readFileSync(folder.index, 'utf8')}\n/when going nowhere | No Such Header | words that lead to no section at all\n`,
  );
  const { status, body } = await rest('GET', '/when/validate');
  expect([status, body.ok]).toEqual([200, false]);
  const messages = (body.problems as { message: string }[]).map(({ message }) => message);
  expect(messages.join('\n')).toContain('No Such Header');
});

it('GET /cue/when/stats does not count what was asked here as the agent’s', async () => {
  for (const session of ['first', 'second', 'second']) {
    await rest('GET', `/when?q=splitting%20modules&sessionId=${session}`);
  }
  const { status, body } = await rest('GET', '/when/stats');
  expect([status, body.sessions, body.rate]).toEqual([200, 0, null]);
  expect(body).toMatchObject({ target: 0.1, last30: { over_target: null } });
});

it('GET /cue/when/entries lists the entries with how often each was given', async () => {
  const given = async (command: string) => {
    const { body } = await rest('GET', '/when/entries');
    const found = body.entries as { command: string; use: Record<string, unknown> }[];
    return found.find((entry) => entry.command === command)?.use;
  };
  const before = Number((await given('/when splitting modules'))?.recalled);
  await rest('GET', '/when?q=splitting%20modules');
  expect(await given('/when splitting modules')).toEqual({
    ...{ offered: 0, recalled: before + 1 },
    last_at: expect.any(String),
  });
});

it('GET /cue/when/health says what it reads', async () => {
  const { status, body } = await rest('GET', '/when/health');
  expect([status, body]).toMatchObject([
    200,
    { state: 'ready', index: folder.index, decisions: folder.decisions, files: 3 },
  ]);
});
