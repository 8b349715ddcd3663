/** `--watch`, against a server that says what the one of an agent says, when the test wants it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Caller, makeCaller } from './served.js';

const TRIGGER = 'b81f8690-a35e-4fcf-bea3-161f30ba6e12';
const OTHER = '0f5a8e0c-8a3c-4c0e-9b0f-5d3f1c8e7a21';

interface Run {
  triggerRunId: string;
  triggerId: string;
  displayName: string;
  status: string;
  startedAt: number;
  attempt: number;
  cause: string;
}

const run = (digit: number, change: Partial<Run> = {}): Run => ({
  triggerRunId: `${String(digit).repeat(8)}-0000-4000-8000-000000000000`,
  ...{ triggerId: TRIGGER, displayName: 'water the plants', status: 'success' },
  ...{ startedAt: Date.now(), attempt: 1, cause: 'schedule', ...change },
});

let caller: Caller;
let stop: AbortController;
let runs: Run[];
let hasStream: boolean;
let streams: { request: IncomingMessage; response: ServerResponse }[];
let server: ReturnType<typeof createServer>;
let printed: string;

beforeEach(async () => {
  caller = makeCaller();
  stop = new AbortController();
  runs = [run(1)];
  hasStream = true;
  streams = [];
  printed = '';
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (pathname === '/cue/stream' && hasStream) {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(': cue\n\n');
      streams.push({ request, response });
    } else if (pathname.endsWith('/runs'))
      answer(200, { runs, total: runs.length, nextCursor: null });
    else if (pathname === `/cue/triggers/%77ater` || pathname === `/cue/triggers/water`) {
      answer(200, { trigger: { id: TRIGGER } });
    } else {
      const details = { what: 'route' };
      answer(404, { error: { code: 'NOT_FOUND', message: 'no such route', details } });
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  caller.serves({ port: Object(server.address()).port });
});
afterEach(() => {
  stop.abort();
  server.closeAllConnections();
  server.close();
  caller.remove();
});

const watching = (...argv: string[]) =>
  caller.cueWith(
    {
      interrupted: stop.signal,
      heard: (text) => {
        printed += text;
      },
    },
    ...argv,
    '--watch',
  );

const lines = () => printed.split('\n').filter((line) => line !== '');
const ids = () =>
  lines()
    .map((line) => line.slice(0, 1))
    .join('');

function tell(event: string, data: object, id: string, at = -1): void {
  streams.at(at)?.response.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
}

it('prints what there is, then each run as it comes and changes, and ends well on Ctrl-C', async () => {
  runs = [run(2), run(1)];
  const ended = watching('runs');
  await expect.poll(() => streams.length).toBe(1);
  expect(streams[0]?.request.url).toContain('types=run');
  expect(ids()).toBe('12');
  tell('run', { run: run(3, { status: 'running' }) }, 'a-1');
  tell('trigger', { trigger: {} }, 'a-2');
  tell('run', { run: run(3) }, 'a-3');
  tell('run', { run: run(3) }, 'a-4');
  await expect.poll(ids).toBe('1233');
  expect(lines().at(-2)).toContain('\trunning\t');
  stop.abort();
  expect(await ended).toMatchObject({ code: 0, err: '' });
});

it('goes on behind the last event when the connection breaks, and asks anew where that is too old', async () => {
  const ended = watching('runs');
  await expect.poll(() => streams.length).toBe(1);
  tell('run', { run: run(2) }, 'a-7');
  await expect.poll(ids).toBe('12');
  streams[0]?.response.destroy();
  await expect.poll(() => streams.length, { timeout: 5_000 }).toBe(2);
  expect(streams[1]?.request.headers['last-event-id']).toBe('a-7');
  runs = [run(4), run(3), run(2), run(1)];
  tell('reset', {}, 'b-1');
  await expect.poll(ids).toBe('1234');
  tell('run', { run: run(5) }, 'b-2');
  await expect.poll(ids).toBe('12345');
  stop.abort();
  expect((await ended).code).toBe(0);
});

it('of one trigger prints its runs only, and of a status those', async () => {
  const ended = watching('trigger', 'runs', 'water');
  await expect.poll(() => streams.length).toBe(1);
  tell('run', { run: run(2, { triggerId: OTHER }) }, 'a-1');
  tell('run', { run: run(3) }, 'a-2');
  await expect.poll(ids).toBe('13');
  expect(printed).not.toContain('water the plants');
  stop.abort();
  await ended;
});

it('of a status prints those, as lines of JSON with the fields that are asked for', async () => {
  runs = [];
  const ended = watching('runs', '--status', 'failed', '--json', 'status,displayName');
  await expect.poll(() => streams.length).toBe(1);
  tell('run', { run: run(2) }, 'a-1');
  tell('run', { run: run(3, { status: 'failed' }) }, 'a-2');
  await expect.poll(lines).toEqual(['{"status":"failed","displayName":"water the plants"}']);
  stop.abort();
  await ended;
});

it('says where the server is too old for it, and where none is', async () => {
  hasStream = false;
  expect(await watching('runs')).toMatchObject({
    code: 1,
    err: expect.stringContaining('does not know GET /cue/stream: it is an older version'),
  });
  expect(await watching('runs', '-p', '1')).toMatchObject({
    code: 1,
    err: expect.stringContaining('nothing listens'),
  });
  expect((await watching('runs', '--json', 'unheard,of')).code).toBe(2);
});
