import { cpSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  builtInModel,
  cosine,
  createEmbeddings,
  createHostHandler,
  type Embeddings,
  type EmbeddingsDeps,
  embedLexical,
} from '../../src/embeddings/index.js';
import { constantVector } from '../../src/embeddings/vectors.js';
import { type Hub, MODEL_DIR, ONNX, SMALL_MODEL, startHub, TOTAL_BYTES } from './helpers/hub.js';
import { keepingLog, until } from './helpers/log.js';

let scratch: string;
let hub: Hub;
const open: Embeddings[] = [];
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'cue-chain-'));
  hub = await startHub();
});
afterEach(async () => {
  for (const embeddings of open.splice(0)) await embeddings.stop();
  hub.misbehave = null;
  hub.requests.length = 0;
});
afterAll(async () => {
  await hub.close();
  rmSync(scratch, { recursive: true, force: true });
});

const log = keepingLog();
const newDataDir = () => mkdtempSync(join(scratch, 'data-'));

async function start(more: Partial<EmbeddingsDeps> = {}): Promise<Embeddings> {
  const embeddings = await createEmbeddings({
    setting: 'auto',
    download: false,
    dataDir: newDataDir(),
    clock: { now: () => 0 },
    log,
    model: SMALL_MODEL,
    hub: hub.url,
    downloadTries: { retryDelaysMs: [] },
    ...more,
  });
  open.push(embeddings);
  return embeddings;
}

describe('without a model', () => {
  it.each(['auto', 'lexical'] as const)(
    '%s serves the lexical embedder and asks no hub',
    async (setting) => {
      const embeddings = await start({ setting });
      expect(embeddings.current().id).toBe('lexical-v1');
      expect(await embeddings.current().embed(['a task'])).toEqual([embedLexical('a task')]);
      expect(embeddings.status()).toEqual({
        setting,
        serving: { id: 'lexical-v1', dimension: 384, reason: expect.any(String) },
      });
      expect(hub.requests).toEqual([]);
    },
  );

  it('auto has the built-in static model beside the lexical one, lexical has not', async () => {
    const { beside } = await start();
    expect(beside).toBe(builtInModel());
    const auto = await start();
    expect(auto.current().beside).toBe(beside);
    expect(auto.status().serving.reason).toMatch(
      /^with the built-in cue-static@\w{8} beside it; .*npm install .*CUE_EMBEDDINGS_DOWNLOAD=true/,
    );
    const lexical = await start({ setting: 'lexical' });
    expect([lexical.beside, lexical.current().beside]).toEqual([undefined, undefined]);
  });

  it('local names the two settings that would give it a model', async () => {
    await expect(start({ setting: 'local' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/CUE_EMBEDDINGS_MODEL_DIR.*CUE_EMBEDDINGS_DOWNLOAD=true/),
    });
  });
});

describe('with a model directory', () => {
  it('serves the model as soon as it has started', async () => {
    const embeddings = await start({ modelDir: MODEL_DIR });
    expect(embeddings.status()).toEqual({
      setting: 'auto',
      serving: {
        id: 'static-glove-use-384@179012df',
        dimension: 384,
        reason: `CUE_EMBEDDINGS_MODEL_DIR=${MODEL_DIR}`,
      },
    });
    expect(hub.requests).toEqual([]);
  });

  it('does not start with a broken one', async () => {
    const directory = join(scratch, 'broken');
    cpSync(MODEL_DIR, directory, { recursive: true });
    truncateSync(join(directory, ONNX), 0);
    await expect(start({ modelDir: directory })).rejects.toThrow(
      `${ONNX} is empty (copy it again)`,
    );
  });

  it('is not looked at when lexical is asked for', async () => {
    const embeddings = await start({ setting: 'lexical', modelDir: '/nowhere' });
    expect(embeddings.current().id).toBe('lexical-v1');
  });
});

describe('with a download', () => {
  it('serves lexically until the model is there, says so, and then tells its listeners', async () => {
    const dataDir = newDataDir();
    let letGo = () => {};
    hub.misbehave = (file, content, response) => {
      if (file !== ONNX) return false;
      letGo = () => response.end(content);
      return true;
    };
    const embeddings = await start({ download: true, dataDir });
    const heard: string[] = [];
    embeddings.onChange((embedder) => heard.push(embedder.id));
    await until(() => hub.requests.includes(ONNX));
    const { serving, preparing } = embeddings.status();
    expect(serving).toMatchObject({
      id: 'lexical-v1',
      reason: `serves until ${SMALL_MODEL.id} is ready`,
    });
    expect(preparing).toMatchObject({
      id: SMALL_MODEL.id,
      phase: 'downloading',
      totalBytes: TOTAL_BYTES,
    });
    letGo();
    await until(() => heard.length > 0);
    expect(heard).toEqual([SMALL_MODEL.id]);
    expect(embeddings.status().preparing).toBeUndefined();
    expect((await embeddings.current().embed(['a task']))[0]?.length).toBe(384);

    hub.requests.length = 0;
    hub.misbehave = (_file, _content, response) => {
      response.destroy();
      return true;
    };
    const warm = await start({ download: true, dataDir });
    await until(() => warm.current().id === SMALL_MODEL.id);
    expect(warm.current().id).toBe(SMALL_MODEL.id);
    expect(hub.requests).toEqual([]);
  });

  it('says what is wrong while the hub is dead, serves lexically, and tries again later', async () => {
    hub.misbehave = (_file, _content, response) => {
      response.destroy();
      return true;
    };
    const embeddings = await start({ download: true, retryMs: 30 });
    await until(() => embeddings.status().degraded !== undefined);
    expect(embeddings.status().degraded).toContain(
      `${SMALL_MODEL.id} is not available: the embedding model`,
    );
    expect(await embeddings.current().embed(['x'])).toEqual([embedLexical('x')]);
    hub.misbehave = null;
    await until(() => embeddings.current().id === SMALL_MODEL.id);
    expect(embeddings.status()).toMatchObject({ serving: { id: SMALL_MODEL.id } });
    expect(embeddings.status().degraded).toBeUndefined();
  });

  it('can be stopped in the middle', async () => {
    hub.misbehave = () => true;
    const embeddings = await start({ download: true });
    await until(() => hub.requests.length > 0);
    await embeddings.stop();
    expect(embeddings.current().id).toBe('lexical-v1');
  });
});

describe("with the host's provider", () => {
  const long = (seed: number) => Array.from({ length: 1_536 }, (_, at) => Math.sin(seed + at));
  let answer: (text: string) => unknown = () => long(1);
  const runtimeModel = { name: 'openai', embed: async (text: string) => answer(text) };

  it('serves its vectors at 384 numbers', async () => {
    answer = (text) => long(text.length);
    const embeddings = await start({ setting: 'runtime', runtimeModel });
    await until(() => embeddings.current().id !== 'lexical-v1');
    expect(embeddings.current().id).toBe('runtime:openai:1536');
    const [a, b, empty] = await embeddings.current().embed(['one', 'four', '']);
    expect(Math.hypot(...a!)).toBeCloseTo(1, 5);
    expect(a).not.toEqual(b);
    expect(empty).toEqual(constantVector());
  });

  it.each<[string, () => unknown]>([
    ['NaN', () => [Number.NaN, ...long(1).slice(1)]],
    ['zeros', () => new Array(1_536).fill(0)],
    ['another length', () => [1, 2, 3]],
    ['no vector', () => null],
    [
      'an exception',
      () => {
        throw new Error('quota exceeded');
      },
    ],
  ])('gives up after three answers of %s, serves lexically, and returns', async (_name, wrong) => {
    answer = () => long(1);
    const embeddings = await start({ setting: 'runtime', runtimeModel, retryMs: 30 });
    await until(() => embeddings.current().id !== 'lexical-v1');
    const served = embeddings.current();
    answer = wrong;
    for (let call = 0; call < 3; call++) {
      await expect(served.embed(['text'])).rejects.toThrow();
    }
    expect(embeddings.status().serving.id).toBe('lexical-v1');
    expect(embeddings.status().degraded).toMatch(/^runtime:openai:1536 failed 3 times: /);
    answer = () => long(1);
    await until(() => embeddings.current().id !== 'lexical-v1');
    expect(embeddings.status().degraded).toBeUndefined();
  });

  it('serves lexically with a reason when it never answered', async () => {
    answer = () => [];
    const embeddings = await start({ setting: 'runtime', runtimeModel });
    await until(() => embeddings.status().degraded !== undefined);
    expect(embeddings.status()).toMatchObject({
      serving: { id: 'lexical-v1' },
      degraded: "runtime:openai is not available: the host's embedding model answered 0 numbers",
    });
  });
});

describe("the handler for the host's TEXT_EMBEDDING", () => {
  it.each([[null], [undefined], [''], [{ text: '' }], [{ text: '  ' }], [{}], [7]])(
    'answers the probe %j with a constant unit vector and asks no model',
    async (probe) => {
      const handler = createHostHandler(() => {
        throw new Error('asked');
      });
      expect(await handler(probe)).toEqual(Array.from(constantVector()));
    },
  );

  it('answers text and { text } from the chain', async () => {
    const embeddings = await start();
    const handler = createHostHandler(() => embeddings);
    const expected = Array.from(embedLexical('a task'));
    expect(await handler('a task')).toEqual(expected);
    expect(await handler({ text: 'a task', user: 'Ann', stream: false })).toEqual(expected);
  });

  it('does not ask itself in circles when the chain asks the host', async () => {
    const embeddings: Embeddings = await start({
      setting: 'runtime',
      runtimeModel: { name: 'cue', embed: (text) => handler({ text }) },
      retryMs: 30,
    });
    const handler = createHostHandler(() => embeddings);
    await until(() => embeddings.current().id !== 'lexical-v1');
    expect(embeddings.current().id).toBe('runtime:cue:384');
    const [vector] = await embeddings.current().embed(['a task']);
    expect(cosine(vector!, embedLexical('a task'))).toBeCloseTo(1, 6);
  });
});
