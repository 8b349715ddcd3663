/** A headless agent without the `SECRET_SALT` that the settings of the stored agent were encrypted with. */
import { createCipheriv, createHash } from 'node:crypto';
import { join } from 'node:path';
import { encryptObjectValues, getSalt } from '@elizaos/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unlockOf } from '../../src/host/directory-lock.js';
import { startHeadless } from '../../src/server/headless/index.js';
import { boot } from '../helpers/boot.js';
import { cleanUp, newDirectory } from '../helpers/children.js';
import { endHeadlessProcesses, startHeadlessProcess } from '../helpers/headless.js';

const dataDir = join(newDirectory(), 'db');
const AGENTS = 'select settings::text as row from agents';
const console_ = { ...globalThis.console };
const { LOG_LEVEL } = process.env;
const SECRETS: Record<string, string> = {
  ...encryptObjectValues(
    {
      CUE_PROJECT: 'the house',
      CUE_TIMEZONE: 'Europe/Berlin',
      CUE_TRIGGERS_ENABLED: 'true',
      CUE_HOT_WINDOW_MS: '60000',
      POSTGRES_URL: 'postgres://somebody@somewhere/cue',
    },
    'the salt of the Eliza server',
  ),
  NUDGE_LOG_LEVEL: chanceText(),
  ...encryptObjectValues({ CUE_OFFERS_PREFIX: 'ours' }, getSalt()),
};

/** One in 256 values decrypts with any salt: to bytes that are no text. */
function chanceText(): string {
  const key = createHash('sha256').update(getSalt()).digest();
  const iv = Buffer.alloc(16, 7);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const bytes = Buffer.concat([cipher.update(Buffer.from([0xff, 0xfe, 0x80])), cipher.final()]);
  return `${iv.toString('hex')}:${bytes.toString('hex')}`;
}

beforeAll(async () => {
  const eliza = await boot({ dataDir, name: 'Eliza' });
  const { agentId } = eliza.runtime;
  const settings = { CUE_DETECTORS: SECRETS.CUE_PROJECT ?? '', secrets: SECRETS };
  await eliza.runtime.updateAgent(agentId, { settings });
  await eliza.stop();
  unlockOf(eliza.runtime);
});
afterAll(async () => {
  Object.assign(globalThis.console, console_);
  process.env.LOG_LEVEL = LOG_LEVEL;
  await endHeadlessProcesses();
  await cleanUp();
});

it('starts and serves, says nothing of what it cannot decrypt, and leaves it stored', async () => {
  const headless = startHeadlessProcess({
    PGLITE_DATA_DIR: dataDir,
    NUDGE_LOG_LEVEL: 'error',
    LOG_LEVEL: 'error',
  });
  await headless.next('ready');
  headless.send({ kind: 'set', key: 'preheat' });
  await headless.next('acknowledged');
  const [stored] = await headless.rows(AGENTS);
  expect(JSON.parse(String(stored?.row))).toMatchObject({ secrets: SECRETS });
  headless.send({ kind: 'close' });
  await headless.ended;
  expect(headless.stderr()).toBe('');
});

it('has those as not set, and the others as they are stored', async () => {
  const env = { PGLITE_DATA_DIR: dataDir, LOG_LEVEL: 'fatal', CUE_HOT_WINDOW_MS: '70000' };
  const agent = await startHeadless({ cwd: '/', env, log: () => {} });
  const { runtime } = agent;
  const unset = ['CUE_PROJECT', 'CUE_TIMEZONE', 'CUE_TRIGGERS_ENABLED', 'POSTGRES_URL'];
  for (const key of [...unset, 'NUDGE_LOG_LEVEL', 'CUE_DETECTORS']) {
    expect([key, runtime.getSetting(key)]).toEqual([key, null]);
  }
  expect(runtime.getSetting('CUE_OFFERS_PREFIX')).toBe('ours');
  expect(runtime.getSetting('CUE_HOT_WINDOW_MS')).toBe('70000');
  await agent.close();
});
