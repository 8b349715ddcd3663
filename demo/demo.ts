/**
 * `npm run demo`: a real server, talked to over HTTP like any client would, watched while its
 * triggers fire, killed without warning and started again; then it is about to repeat a mistake
 * (second-act.ts). Every line with ✓ was checked; the first
 * one that does not hold ends the demo with a non-zero exit code.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type ServerProcess, startProcess } from './child.js';
import { at, type ChannelMessage, type Client, createClient } from './client.js';
import { secondAct } from './second-act.js';
import { createTranscript, expect, PATIENCE, StepError, sleep, until } from './transcript.js';

const LIMIT_MS = PATIENCE * 120_000;
const WATER_EVERY_MS = 10_000;
const WATER_REQUEST = 'every 10 seconds tell me to drink water';

const out = createTranscript((line) => console.log(line));
const directory = mkdtempSync(join(tmpdir(), 'cue-demo-'));

async function main(): Promise<void> {
  const port = await freePort();
  let server = await boot(port, 'Start the server, with an empty database');
  try {
    let client = createClient(server.url);
    const agentId = await client.agentId();
    const chat = await client.openChat(agentId, randomUUID());
    const screen = watch(client, chat.channelId);
    let slowestReplyMs = 0;
    const say = async (text: string, ...wanted: RegExp[]) => {
      out.said('You', text);
      const askedAt = performance.now();
      const reply = await chat.say(text);
      await screen.refresh();
      slowestReplyMs = Math.max(slowestReplyMs, performance.now() - askedAt);
      for (const pattern of wanted) {
        expect(pattern.test(reply.text), `the answer to "${text}" does not say ${pattern}`);
      }
      return reply;
    };

    out.heading('A repeating trigger: under five minutes it asks first');
    await say(WATER_REQUEST, /every 10 seconds/i, /\?/);
    expect((await triggersIn(client)).length === 0, 'a trigger exists before anybody agreed to it');
    await say('yes', /every 10 seconds/i);
    const water = await triggerCalled(client, 'water');
    out.kept('asked, agreed, and only then created');

    out.heading('A one-shot');
    // Far enough off that it is still in the list that is asked for below.
    const inSeconds = Math.max(8, Math.ceil((8 * slowestReplyMs) / 1_000));
    await say(`in ${inSeconds} seconds tell me to stretch`, /stretch/i);
    const stretch = await triggerCalled(client, 'stretch');
    out.kept(`created, due at ${clock(numberOf(stretch, 'nextRunAtMs'))}`);

    out.heading('The same again is refused: in chat in words, over REST with 409');
    await say(WATER_REQUEST, /already/i);
    const daily = { instructions: 'summarize my inbox', text: 'every weekday at 9 am' };
    const made = at(await client.ask(201, 'POST', '/cue/triggers', daily), 'trigger');
    const refused = await client.ask(409, 'POST', '/cue/triggers', daily);
    expect(at(at(refused, 'error'), 'code') === 'DUPLICATE', 'the 409 does not say DUPLICATE');
    expect(
      at(at(at(refused, 'error'), 'details'), 'existingId') === at(made, 'id'),
      'the 409 does not name the trigger that exists',
    );
    out.note(
      `POST /cue/triggers → 201 "${String(at(made, 'scheduleText'))}", again → 409 DUPLICATE`,
    );
    expect((await triggersIn(client)).length === 3, 'there are not exactly three triggers');
    out.kept('refused twice, nothing doubled');
    await say('list my reminders', /stretch/i, /water/i);

    out.heading('Pause: the one-shot fires, the paused one stays silent');
    await say('pause the water reminder', /paused/i);
    // On a slow machine it was due before it could be paused: what counts is the next time.
    const ranBefore = (await runsFor(client, idOf(water))).length;
    const skipped = nextOnGrid(numberOf(water, 'nextRunAtMs'), Date.now());
    const untilStretchMs = numberOf(stretch, 'nextRunAtMs') - Date.now();
    await screen.wait(
      'the one-shot',
      untilStretchMs + 15_000,
      (seen) => fired(seen, /stretch/i).length === 1,
    );
    await sleep(skipped + 1_500 - Date.now());
    await screen.refresh();
    const ran = (await runsFor(client, idOf(water))).length;
    const heard = fired(screen.seen(), /water/i).length;
    expect(ran === ranBefore && heard <= ran, 'it fired while it was paused');
    out.kept(`the one-shot answered once; ${clock(skipped)} passed in silence`);

    out.heading('Resume: it fires, again and again, and the answers arrive in the chat');
    await say('resume the water reminder', /resumed/i);
    await screen.wait(
      'the repeating one, twice',
      30_000,
      (seen) => fired(seen, /water/i).length >= heard + 2,
    );
    const dueOf = await dueTimes(client, idOf(water));
    const [first, second] = fired(screen.seen(), /water/i)
      .slice(heard)
      .map(({ triggerRunId }) => dueOf.get(triggerRunId ?? '') ?? Number.NaN);
    const gapMs = (second ?? Number.NaN) - (first ?? Number.NaN);
    // On a slow machine a run may last longer than ten seconds, and the time in it is skipped.
    expect(
      gapMs > 0 && gapMs % WATER_EVERY_MS === 0,
      `the two were due ${gapMs} ms apart, not 10 s`,
    );
    out.kept(`twice, due ${gapMs / 1000} s apart`);

    out.heading('Run history: GET /cue/triggers/:id/runs');
    await printRuns(client, 'stretch', idOf(stretch));
    await printRuns(client, 'water', idOf(water));
    out.kept('each answer has its run in the ledger');

    out.heading('Kill the process hard, with a one-shot about to fall due');
    // Far enough off that it is not due before the process is gone, however slow the machine is.
    const soon = Math.max(6, Math.ceil((4 * slowestReplyMs) / 1_000));
    await say(`in ${soon} seconds remind me to call Ana`, /call Ana/i);
    const call = await triggerCalled(client, 'call Ana');
    const dueAtMs = numberOf(call, 'nextRunAtMs');
    await server.killHard();
    expect(Date.now() < dueAtMs, 'the machine is too slow: the one-shot was due before the kill');
    out.note(`SIGKILL to process ${server.pid}; the one-shot is due at ${clock(dueAtMs)}`);
    const before = screen.seen();
    await sleep(dueAtMs + 2_000 - Date.now());
    out.kept('nobody was there when it fell due');

    server = await boot(port, 'Start it again on the same data');
    client = createClient(server.url);
    const gone = await client.call('GET', `/api/messaging/sessions/${chat.sessionId}`);
    expect(gone.status === 404, 'the session has survived the process');
    out.note('the session died with the process (404); the channel is read from here on');
    screen.use(client);
    await screen.wait('the late one-shot', 20_000, (seen) => fired(seen, /call Ana/i).length === 1);
    const late = fired(screen.seen(), /call Ana/i)[0];
    expect(/was due/.test(late?.text ?? ''), 'the late one-shot does not say when it was due');
    out.kept(`caught up, and it says "${/was due[^)]*/.exec(late?.text ?? '')?.[0]}"`);
    await screen.wait(
      'the repeating one after the restart',
      WATER_EVERY_MS + 5_000,
      (seen) => fired(seen, /water/i).length > fired(before, /water/i).length,
    );
    out.kept('the repeating trigger goes on');

    out.heading('Nothing lost, nothing said twice');
    for (const message of before) {
      expect(
        screen.seen().some((seen) => seen.id === message.id),
        `lost from the channel: "${message.text}"`,
      );
    }
    const ids = [stretch, water, call].map(idOf);
    const delivered = await runsOf(client, ids, 'delivered');
    await screen.refresh();
    const known = await runsOf(client, ids);
    const answers = screen.seen().filter((message) => message.triggerRunId !== null);
    for (const runId of delivered) {
      const said = answers.filter((answer) => answer.triggerRunId === runId).length;
      expect(said === 1, `the answer of run ${runId} is in the channel ${said} times`);
    }
    for (const answer of answers) {
      expect(
        known.includes(answer.triggerRunId ?? ''),
        `no run in the ledger for "${answer.text}"`,
      );
    }
    const distinct = new Set(answers.map((answer) => answer.triggerRunId)).size;
    expect(distinct === answers.length, 'a run has answered twice');
    expect(
      fired(answers, /stretch/i).length === 1,
      'the first one-shot did not answer exactly once',
    );
    expect(
      fired(answers, /call Ana/i).length === 1,
      'the second one-shot did not answer exactly once',
    );
    out.kept(`${delivered.length} delivered runs in the ledger, each exactly once in the channel`);

    await secondAct(client, agentId, out);

    out.heading('Stop');
    const code = await server.stop();
    expect(code === 0, `the server ended with code ${code} on SIGTERM`);
    out.kept('the server stopped cleanly');
  } catch (error) {
    if (error instanceof StepError) out.note(`last lines of the server:\n${tail(server.output())}`);
    throw error;
  }
}

async function boot(port: number, heading: string): Promise<ServerProcess> {
  out.heading(heading);
  const startedAt = performance.now();
  const server = await startProcess(directory, port);
  const took = ((performance.now() - startedAt) / 1000).toFixed(1);
  out.kept(`ready on ${server.url} after ${took} s (process ${server.pid}, offline model)`);
  return server;
}

/** Follows a channel: prints what is new in it, and waits for what should come. */
function watch(first: Client, channelId: string) {
  let client = first;
  let messages: ChannelMessage[] = [];
  const printed = new Set<string>();
  const refresh = async () => {
    messages = await client.messagesOf(channelId);
    for (const message of messages) {
      if (printed.has(message.id)) continue;
      printed.add(message.id);
      if (message.fromAgent) out.said(message.triggerRunId ? 'Cue ⏰' : 'Cue', message.text);
    }
    return messages;
  };
  return {
    use: (next: Client) => {
      client = next;
    },
    seen: () => messages,
    refresh,
    wait: (what: string, deadlineMs: number, enough: (seen: ChannelMessage[]) => boolean) =>
      until(what, deadlineMs, async () => enough(await refresh())),
  };
}

/** The first time after `nowMs` at which the repeating trigger is due. */
function nextOnGrid(dueAtMs: number, nowMs: number): number {
  const missed = Math.max(0, Math.ceil((nowMs - dueAtMs) / WATER_EVERY_MS));
  return dueAtMs + missed * WATER_EVERY_MS;
}

/** Answers of trigger runs that say this. */
function fired(messages: ChannelMessage[], pattern: RegExp): ChannelMessage[] {
  return messages.filter((message) => message.triggerRunId !== null && pattern.test(message.text));
}

async function triggersIn(client: Client): Promise<unknown[]> {
  const list = at(await client.ask(200, 'GET', '/cue/triggers'), 'triggers');
  expect(Array.isArray(list), 'GET /cue/triggers answered no list');
  return list;
}

async function triggerCalled(client: Client, word: string): Promise<unknown> {
  return until(`a trigger about "${word}"`, 5_000, async () =>
    (await triggersIn(client)).find((one) => String(at(one, 'instructions')).includes(word)),
  );
}

async function runsFor(client: Client, triggerId: string): Promise<unknown[]> {
  const runs = at(await client.ask(200, 'GET', `/cue/triggers/${triggerId}/runs`), 'runs');
  expect(Array.isArray(runs), 'the run history is no list');
  return runs;
}

/** When each run was due, by its id. */
async function dueTimes(client: Client, triggerId: string): Promise<Map<string, number>> {
  const runs = await runsFor(client, triggerId);
  return new Map(
    runs.map((run) => [String(at(run, 'triggerRunId')), numberOf(run, 'scheduledForMs')]),
  );
}

/** Ids of the runs of these triggers, of all or of those whose answer has this delivery state. */
async function runsOf(client: Client, triggerIds: string[], delivery?: string): Promise<string[]> {
  const runs = (await Promise.all(triggerIds.map((id) => runsFor(client, id)))).flat();
  return runs
    .filter((run) => delivery === undefined || at(at(run, 'delivery'), 'state') === delivery)
    .map((run) => String(at(run, 'triggerRunId')));
}

async function printRuns(client: Client, name: string, triggerId: string): Promise<void> {
  const runs = await until(`a finished run of ${name}`, 5_000, async () => {
    const found = await runsFor(client, triggerId);
    const done = (run: unknown) => at(run, 'status') === 'success';
    return found.length > 0 && found.every(done) ? found : undefined;
  });
  for (const run of runs.toReversed()) {
    const took = numberOf(run, 'finishedAt') - numberOf(run, 'startedAt');
    const lag = numberOf(run, 'startedAt') - numberOf(run, 'scheduledForMs');
    out.note(
      `${name.padEnd(8)}due ${clock(numberOf(run, 'scheduledForMs'))}  started ${lag} ms later, ` +
        `took ${took} ms  ${String(at(run, 'status'))}, ${String(at(at(run, 'delivery'), 'state'))}`,
    );
  }
}

function idOf(trigger: unknown): string {
  return String(at(trigger, 'id'));
}

function numberOf(value: unknown, key: string): number {
  const number = at(value, key);
  expect(typeof number === 'number', `${key} is no number`);
  return number;
}

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

function tail(text: string): string {
  return text.trim().split('\n').slice(-15).join('\n');
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));

const limit = setTimeout(() => {
  out.broken(`the demo is not through after ${LIMIT_MS / 1000} s`);
  process.exit(1);
}, LIMIT_MS);

console.log('Cue: a real Eliza server with fixed rules for a model, driven over its REST API.');
try {
  await main();
  clearTimeout(limit);
  console.log(`\nAll of it happened, in ${(out.elapsedMs() / 1000).toFixed(0)} s.`);
  process.exit(0);
} catch (error) {
  out.broken(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
