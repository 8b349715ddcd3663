/** An agent whose character names no model plugin, on a real server. */
import { type Content, type Memory, ModelType, type Plugin, stringToUuid } from '@elizaos/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../demo/client.js';
import { type RestClient, restClient } from '../helpers/rest.js';
import { scriptedModel } from '../helpers/scripted-model.js';
import { startServer, type TestServer } from '../helpers/server.js';
import { OPERATOR } from '../helpers/triggers.js';
import { knowledgeFolder } from '../helpers/when.js';

const NO_MODEL = 'no language model is configured: install a model plugin, for example with';

const knowledge = knowledgeFolder();
let server: TestServer;
let rest: RestClient;
const warnings: unknown[] = [];
/** Listens to the log before anything is said. */
const listener: Plugin = {
  name: 'listener',
  description: 'keeps the warnings',
  init: async (_config, { logger }) => {
    const { warn } = logger;
    logger.warn = (...said: unknown[]) => {
      warnings.push(said.at(-1));
      return Reflect.apply(warn, logger, said);
    };
  },
};

beforeAll(async () => {
  const brain = scriptedModel();
  server = await startServer({
    settings: knowledge.settings,
    plugins: [listener],
    brain: { ...brain, plugin: { name: 'no-model', description: 'brings no model' } },
  });
  rest = restClient(() => server);
});
afterAll(async () => {
  await server.stop();
  knowledge.remove();
});

describe('the start', () => {
  it('warns once and names what to install', () => {
    expect(warnings.filter((one) => String(one).startsWith(NO_MODEL))).toHaveLength(1);
  });
});

describe('a chat', () => {
  it('is told what is missing, and is answered by /when', async () => {
    const chat = await createClient(server.baseUrl).openChat(
      server.agentId,
      stringToUuid('ada-without-model'),
    );
    // Comes while the services still start.
    const found = await chat.say('/when writing mock tests');
    expect(found.text).toContain('Patch where the object is used.');
    expect(found.text).not.toContain(NO_MODEL);
    const told = await chat.say('in 10 seconds tell me to stretch');
    expect(told.text).toContain(`I cannot answer that: ${NO_MODEL}`);
    expect(told.text).toContain('Commands of /when I can answer.');
  });

  it('among other people is told only when the agent is meant', async () => {
    const said = async (text: string, isMention: boolean) => {
      const heard: string[] = [];
      const { runtime } = server;
      const seat = { entityId: stringToUuid('bob'), roomId: stringToUuid('hall') };
      await runtime.ensureConnection({
        ...seat,
        ...{ worldId: stringToUuid('world'), userName: 'bob', name: 'bob', source: 'discord' },
        ...{ channelId: seat.roomId, messageServerId: stringToUuid('world') },
      });
      const mentionContext = { isMention, isReply: false, isThread: false };
      const message: Memory = {
        id: stringToUuid(text),
        ...seat,
        content: { text, source: 'discord', mentionContext },
      };
      await runtime.messageService?.handleMessage(runtime, message, async (content: Content) => {
        heard.push(content.text ?? '');
        return [];
      });
      return heard;
    };
    expect(await said('lunch, anybody?', false)).toEqual([]);
    expect(await said('@agent lunch?', true)).toEqual([expect.stringContaining(NO_MODEL)]);
    expect(await said('/when splitting modules', false)).toEqual([
      expect.stringContaining('Split by reason to change.'),
    ]);
  });
});

describe('triggers', () => {
  it('wait with the reason, which health and why say, too', async () => {
    const { body: health } = await rest('GET', '/triggers/health');
    expect(JSON.stringify(health)).toContain(NO_MODEL);
    const { id } = await rest.made();
    const { run } = await server.triggers.run(id, OPERATOR);
    expect(run).toMatchObject({ status: 'deferred', reason: expect.stringContaining(NO_MODEL) });
    const { reasons } = await server.triggers.why(id, OPERATOR);
    expect(reasons[0]).toContain(`Nothing runs right now: ${NO_MODEL}`);
    expect((await server.autonomy.status()).blocked).toContain(NO_MODEL);
  });

  it('fail with the reason when another plugin injects an instruction', async () => {
    const done = await server.autonomy.injectAutonomousInstruction({
      ...{ text: 'do it', source: 'trigger', triggerId: 'x', triggerRunId: 'x' },
      wakeMode: 'inject_now',
    });
    expect(done).toMatchObject({ status: 'failed', error: expect.stringContaining(NO_MODEL) });
  });
});

describe('other calls of a model', () => {
  it('fail with the reason, and a model that comes later answers', async () => {
    const { runtime } = server;
    const call = () => runtime.useModel(ModelType.TEXT_LARGE, { prompt: 'Summarize: a, b' });
    await expect(call()).rejects.toThrow(NO_MODEL);
    const late = vi.fn(async () => 'a and b');
    runtime.registerModel(ModelType.TEXT_LARGE, late, 'late', 0);
    expect(await call()).toBe('a and b');
    expect(await server.autonomy.unavailable()).toBeNull();
  });
});
