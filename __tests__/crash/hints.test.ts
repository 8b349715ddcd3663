/** An import that replaces all hints is killed in the middle: then all of them are old, or all new. */
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { StorePayload } from '../../src/hints/index.js';
import { cleanUp, newDirectory, startAgent } from '../helpers/children.js';

const COUNT = 400;
const PER_COMPONENT = 100;
const VALUES = `select metadata->'data'->>'value' as value, count(*)::int as count from memories
  where type = 'cue_hint' group by 1 order by 1`;

/** Half of the keys are the same in all of them, so that some are changed, some made, some removed. */
function payloadOf(name: string): StorePayload {
  const at = '2026-03-02T09:00:00.000Z';
  const hint = { value: `make ${name}`, meta: { ttl: 'P50Y' }, version: 1 };
  const components = Object.fromEntries(
    Array.from({ length: COUNT / PER_COMPONENT }, (_, part) => {
      const hints = Object.fromEntries(
        Array.from({ length: PER_COMPONENT }, (_, n) => [
          n % 2 === 0 ? `both-${n}` : `${name}-${n}`,
          { ...hint, created_at: at, updated_at: at, use_count: 0 },
        ]),
      );
      return [`api-${part}`, { hints }];
    }),
  );
  return { schema_version: '1.0', created_at: at, session_id: name, components };
}

afterAll(cleanUp);

it('leaves all or nothing of it, whenever it is killed', async () => {
  const dataDir = join(newDirectory(), 'db');
  const start = async () => {
    const agent = startAgent({ kind: 'bare', dataDir, slim: true });
    await agent.ready;
    return agent;
  };
  let agent = await start();
  const values = () => agent.call('rows', VALUES);
  await agent.call('importHints', payloadOf('old'), 'replace', null);
  const old = [{ value: 'make old', count: COUNT }];
  expect(await values()).toEqual(old);
  for (const dieAfter of [COUNT / 2 + 20, COUNT - 1]) {
    agent.call('importHints', payloadOf('new'), 'replace', dieAfter).catch(() => {});
    await agent.ended;
    agent = await start();
    expect(await values(), `killed after ${dieAfter}`).toEqual(old);
  }
  await agent.call('importHints', payloadOf('new'), 'replace', null);
  expect(await values()).toEqual([{ value: 'make new', count: COUNT }]);
  await agent.call('exit');
  await agent.ended;
});
