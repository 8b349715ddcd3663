/** An agent whose model plugin is installed and has no key, as one who has just begun leaves it. */
import { type Content, ModelType, type Plugin } from '@elizaos/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { scriptedModel } from '../helpers/scripted-model.js';

const refused = async () => Promise.reject(new Error('401'));
/** Registers its models as the real one does, and fails at each call as that does without a key. */
const openai: Plugin = {
  name: 'openai',
  description: 'has no key',
  models: { [ModelType.TEXT_LARGE]: refused, [ModelType.TEXT_SMALL]: refused },
};

let agent: Agent;
async function started(settings: Record<string, string>): Promise<Agent> {
  vi.stubEnv('OPENAI_API_KEY', '');
  vi.stubEnv('OPENAI_BASE_URL', '');
  agent = await boot({ slim: true, settings, brain: { ...scriptedModel(), plugin: openai } });
  return agent;
}
afterEach(async () => {
  vi.unstubAllEnvs();
  await agent.stop();
});

async function answerTo(text: string): Promise<string> {
  const { runtime } = agent;
  const said: string[] = [];
  const message = { ...(await makeChat(runtime, 'ada')), content: { text, source: 'test' } };
  await runtime.messageService?.handleMessage(runtime, message, async (content: Content) => {
    said.push(content.text ?? '');
    return [];
  });
  return said.join('\n');
}

describe('an agent whose model plugin has no key', () => {
  it('says in chat which one to set, where the host would give no answer', async () => {
    const { autonomy } = await started({});
    expect(await answerTo('hello')).toBe(
      'I cannot answer that: the model plugin "openai" has no key: set OPENAI_API_KEY in the ' +
        'environment, in a file .env or in "secrets" of the character, and start again.',
    );
    expect(await autonomy.unavailable()).toContain('OPENAI_API_KEY');
  });

  it.each<Record<string, string>>([
    { OPENAI_API_KEY: 'anything' },
    // A server of one's own needs no key.
    { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
  ])('is left to its model with %o', async (settings) => {
    const { autonomy } = await started(settings);
    expect(await autonomy.unavailable()).toBeNull();
    await expect(answerTo('hello')).rejects.toThrow('401');
  });
});
