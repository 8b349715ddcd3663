/**
 * The second act of the demo: an agent with a past. It is about to repeat what failed and is warned,
 * acknowledges, is not warned again, looks up what the project knows, and begins a new session with
 * its unfinished work before it.
 */
import { randomUUID } from 'node:crypto';
import { at, type Client } from './client.js';
import { expect, type Transcript, until } from './transcript.js';

const REQUEST = 'please add caching to src/auth.ts';
const REASON = 'race condition with concurrent requests';
const OFFERS_MS = 10_000;
const MOST_TURNS = 4;

/** @throws StepError at the first promise that is not kept */
export async function secondAct(client: Client, agentId: string, out: Transcript): Promise<void> {
  out.heading('Second act: an agent with a past. Its work is told: POST /cue/memories');
  const failed = await remember(client, {
    intent: 'Add caching to auth.ts',
    actions: [{ file: 'src/auth.ts', operation: 'edit' }],
    outcome: { success: false, failure_reason: REASON, failure_category: 'race_condition' },
    tags: ['auth'],
  });
  const redis = await remember(client, {
    intent: 'Redis setup',
    outcome: { success: false, failure_reason: 'the cluster has no storage left' },
    tags: ['infra'],
  });
  await remember(client, {
    intent: 'Implement rate limiting',
    outcome: {
      success: false,
      failure_reason: 'there is no Redis to count in',
      follow_up_needed: ['Implement rate limiting'],
    },
    links: { blocked_by: redis },
    tags: ['api'],
  });
  await remember(client, {
    intent: 'Stop the login form from taking the page down',
    outcome: { success: true, learning: 'Auth module needs error boundaries' },
    tags: ['auth'],
  });
  out.kept('a failure, unfinished work and what it waits for, a learning');

  out.heading('It is about to repeat the failure, and is warned before it does');
  const chat = await client.openChat(agentId, randomUUID());
  const say = async (text: string) => {
    out.said('You', text);
    const reply = await chat.say(text);
    out.said('Cue', reply.text);
    return reply.text;
  };
  await say('hello');
  let warned = await say(REQUEST);
  let when = 'in the turn in which it was asked';
  for (let turn = 2; turn <= MOST_TURNS && !/careful/i.test(warned); turn++) {
    // A turn waits 30 ms for its offers; what a busy machine finds later comes with the next turn.
    out.note('the machine was too busy to find it in time: asked again');
    warned = await say(REQUEST);
    when = `in turn ${turn}: the machine is busy`;
  }
  expect(/careful/i.test(warned), `it was not warned: "${warned}"`);
  expect(/race condition/i.test(warned), 'the warning does not say why it failed');
  const shown = await until('a warning that counts as shown', OFFERS_MS, () =>
    warningAbout(client, failed, 'shown'),
  );
  out.note(`GET /cue/offers → ${sentence(shown)}`);
  out.kept(`warned with the reason, ${when}`);

  out.heading('Acknowledged, it stays down');
  const heeded = await say('acknowledge the warning: we use a lock this time');
  expect(/acknowledged/i.test(heeded), `it was not acknowledged: "${heeded}"`);
  const closed = await until('an acknowledged warning', OFFERS_MS, () =>
    warningAbout(client, failed, 'acknowledged'),
  );
  expect(/lock/.test(String(at(closed, 'reason'))), 'the reason given was not kept');
  const again = await say(REQUEST);
  expect(!/careful|race condition/i.test(again), `it was warned again: "${again}"`);
  out.kept(`asked again, not warned again; kept with it: "${String(at(closed, 'reason'))}"`);
  await explain(client, closed, out);

  out.heading('What the project knows is asked for by what one is about to do');
  const known = await say('/when writing mock tests');
  expect(/# Mock Patching Pattern/.test(known), `the section is not there: "${known}"`);
  expect(/\/when organizing test files/.test(known), 'it does not lead on to its sibling');
  out.kept('the section, where it stands, and what is beside it');

  out.heading('A new session begins with the work that is left: POST /cue/events');
  let text = await startOf(client);
  for (let turn = 2; turn <= MOST_TURNS && text === ''; turn++) {
    out.note('the machine was too busy to look it up in time: another session');
    text = await startOf(client);
  }
  out.note(text);
  expect(text.includes('Implement rate limiting'), 'the unfinished work is not there');
  expect(/blocked by .*redis/i.test(text), 'it does not say what the work waits for');
  expect(text.includes('error boundaries'), 'the learning is not there');
  out.kept('unfinished work, what blocks it, and what was learned');
}

/** What a session that begins now is told. */
async function startOf(client: Client): Promise<string> {
  const body = { type: 'session_start', session_id: `demo-${randomUUID()}` };
  const answer = at(await client.ask(201, 'POST', '/cue/events', body), 'text');
  return typeof answer === 'string' ? answer : '';
}

async function remember(client: Client, memory: object): Promise<string> {
  const stored = await client.ask(201, 'POST', '/cue/memories', memory);
  return String(at(stored, 'memory_id'));
}

/** The offer that warns of this memory, if it is in that state. */
async function warningAbout(client: Client, memoryId: string, state: string): Promise<unknown> {
  const path = `/cue/offers?kind=conflictWarning&state=${state}`;
  const offers = at(await client.ask(200, 'GET', path), 'offers');
  expect(Array.isArray(offers), 'GET /cue/offers answered no list');
  return offers.find((offer: unknown) => {
    const sources = at(offer, 'sources');
    return (
      Array.isArray(sources) &&
      sources.some((source: unknown) => String(at(source, 'memoryId')) === memoryId)
    );
  });
}

/** Why the offer exists, and the numbers that it left. */
async function explain(client: Client, offer: unknown, out: Transcript): Promise<void> {
  const one = at(await client.ask(200, 'GET', `/cue/offers/${String(at(offer, 'id'))}`), 'offer');
  const why = at(one, 'why');
  const evidence = at(why, 'evidence');
  expect(at(why, 'detector') === 'conflictWarning', 'the offer does not say who made it');
  expect(Array.isArray(evidence) && evidence.length > 0, 'the offer does not say why it exists');
  out.note(`why: ${evidence.join('; ')}`);
  const stats = await client.ask(200, 'GET', '/cue/offers/stats');
  const warnings = at(at(stats, 'byKind'), 'conflictWarning');
  const [shown, acknowledged, precision] = ['shown', 'acknowledged', 'precision'].map((name) =>
    at(warnings, name),
  );
  expect(shown === 1 && acknowledged === 1, 'the warning was not counted exactly once');
  out.note(`stats: warnings shown ${shown}, acknowledged ${acknowledged}, precision ${precision}`);
  out.kept('it says why it was made, and was counted once');
}

function sentence(offer: unknown): string {
  return `${String(at(offer, 'kind'))}, ${String(at(offer, 'state'))}, ${String(at(offer, 'tokens'))} tokens`;
}
