/** An agent whose model provider refuses the key, or is not there, as the model plugins report it. */
import { ChannelType, type Content, type Memory, ModelType, type Plugin } from '@elizaos/core';
import { afterEach, describe, expect, it } from 'vitest';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { scriptedModel } from '../helpers/scripted-model.js';

/** As the AI SDK throws them. */
const refused = Object.assign(new Error('Incorrect API key provided: sk-none'), {
  ...{ name: 'AI_APICallError', statusCode: 401, url: 'http://127.0.0.1:9/v1/responses' },
});
const unreachable = Object.assign(new Error('Failed after 3 attempts.'), {
  name: 'AI_RetryError',
  lastError: Object.assign(new Error('Cannot connect to API: '), {
    cause: Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' }),
  }),
});
const REFUSED =
  'I cannot answer that: the model provider "openai" refuses the key: set the right OPENAI_API_KEY in the ' +
  'environment, in a file .env or in "secrets" of the character, and start again.';
const UNREACHABLE =
  'I cannot answer that: the model provider "openai" cannot be reached: look whether it runs, ' +
  'whether this machine has a network and whether OPENAI_BASE_URL is right.';
const PLAN = '<response><thought>x</thought><actions>REPLY</actions><text>Hello.</text></response>';

let agent: Agent;
let call: (params: { stream?: boolean }) => string;
let aheadMs = 0;
const clock = { now: () => Date.now() + aheadMs };
const logged: unknown[][] = [];

async function started(): Promise<void> {
  const large = async (_runtime: unknown, params: object) => call(params);
  const openai: Plugin = {
    name: 'openai',
    description: 'fails',
    models: { [ModelType.TEXT_LARGE]: large, [ModelType.TEXT_SMALL]: large },
    init: async (_config, { logger }) => {
      const { error } = logger;
      logger.error = (...said: unknown[]) => {
        logged.push(said);
        return Reflect.apply(error, logger, said);
      };
    },
  };
  const settings = { OPENAI_API_KEY: 'wrong' };
  agent = await boot({
    slim: true,
    cue: { clock },
    settings,
    brain: { ...scriptedModel(), plugin: openai },
  });
}
afterEach(async () => {
  logged.length = 0;
  await agent.stop();
});

/** Everything the agent says, and what the host is told of the turn. */
async function say(
  text: string,
  how: {
    mentionContext?: Memory['content']['mentionContext'];
    isStreamed?: true;
    isGroup?: true;
  } = {},
): Promise<{ said: string[]; thrown: string | null }> {
  const { runtime } = agent;
  const said: string[] = [];
  const { mentionContext, isStreamed, isGroup } = how;
  const content: Content = { text, source: 'test', ...(mentionContext && { mentionContext }) };
  const seat = await makeChat(runtime, 'ada');
  const room = await runtime.getRoom(seat.roomId);
  if (isGroup && room) await runtime.updateRoom({ ...room, type: ChannelType.GROUP });
  const message = { ...seat, content };
  const heard = async (answer: Content) => {
    if (answer.text) said.push(answer.text);
    return [];
  };
  const options = isStreamed && { onStreamChunk: async () => {} };
  const turn = runtime.messageService?.handleMessage(runtime, message, heard, options);
  const thrown = await Promise.resolve(turn).then(
    () => null,
    (error: Error) => error.message,
  );
  return { said, thrown };
}

describe('a chat with an agent whose model provider fails', () => {
  it.each([
    ['refuses the key', refused, REFUSED],
    ['cannot be reached', unreachable, UNREACHABLE],
  ])('is told once when it %s, and the log has the cause', async (_how, error, words) => {
    call = () => {
      throw error;
    };
    await started();
    expect(await say('hello')).toEqual({ said: [words], thrown: error.message });
    expect(await say('are you there?')).toEqual({ said: [], thrown: error.message });
    const ours = logged.filter(([fields]) => Object(fields).src === 'plugin:cue');
    expect(ours).toHaveLength(1);
    expect(ours[0]?.[0]).toMatchObject({ error: error.message });
    aheadMs += 2 * 3_600_000;
    expect((await say('and now?')).said).toEqual([words]);
  });

  it('is told as well when only the stream of the answer ends without a word', async () => {
    call = ({ stream }) => {
      if (stream === false) throw refused;
      return '';
    };
    await started();
    const how = { isStreamed: true } as const;
    expect(await say('hello', how)).toEqual({ said: [REFUSED], thrown: null });
    expect(await say('hello?', how)).toEqual({ said: [], thrown: null });
  });

  it('is told as well when the host takes a broken stream for the wish not to answer', async () => {
    call = ({ stream }) => {
      if (stream === false) throw unreachable;
      return '';
    };
    await started();
    expect(await say('hello', { isStreamed: true, isGroup: true })).toEqual({
      said: [UNREACHABLE],
      thrown: null,
    });
  });

  it('is answered when the provider is back, and told again when it fails again', async () => {
    call = () => {
      throw unreachable;
    };
    await started();
    await say('hello');
    call = () => PLAN;
    expect((await say('hello')).said).toEqual(['Hello.']);
    call = () => {
      throw unreachable;
    };
    expect((await say('hello')).said).toEqual([UNREACHABLE]);
  });

  it('is told nothing of a model that answers nonsense, nor when others are spoken to', async () => {
    call = () => 'no plan at all';
    await started();
    expect((await say('hello')).said).toEqual([]);
    call = () => {
      throw refused;
    };
    const overheard = { isMention: false, isReply: false, isThread: false };
    expect((await say('lunch, anybody?', { mentionContext: overheard })).said).toEqual([]);
  });
});
