import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  cosine,
  embedLexical,
  startTransformer,
  type Transformer,
} from '../../src/embeddings/index.js';
import { constantVector } from '../../src/embeddings/vectors.js';
import { MODEL_DIR, ONNX } from './helpers/hub.js';
import { keepingLog } from './helpers/log.js';

const BAD_WORKER = new URL('./helpers/bad-worker.mjs', import.meta.url);
const log = keepingLog();
let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'cue-transformer-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the real path on the small model', () => {
  let model: Transformer;
  beforeAll(async () => {
    model = await startTransformer({ directory: MODEL_DIR, log });
  });
  afterAll(() => model.stop());

  it('is named by its directory and the checksum of its weights', () => {
    expect(model.id).toBe('static-glove-use-384@179012df');
  });

  it('knows that other words can mean the same', async () => {
    const [a, b, c] = await model.embed([
      'remove the old database tables',
      'delete outdated database tables',
      'paint the kitchen wall',
    ]);
    expect(cosine(a!, b!)).toBeGreaterThan(0.6);
    expect(cosine(a!, c!)).toBeLessThan(0.4);
  });

  it('answers 20 texts in order, each with a unit vector of 384', async () => {
    const texts = Array.from({ length: 20 }, (_, at) => `task number ${at} about caching`);
    const together = await model.embed(texts);
    expect(together.length).toBe(20);
    const [alone] = await model.embed([texts[13]!]);
    expect(cosine(together[13]!, alone!)).toBeCloseTo(1, 4);
    for (const vector of together) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  it('gives an empty text the constant vector and unknown words their lexical one', async () => {
    const vectors = await model.embed(['', '  ', 'zzqxv', 'qqzjk']);
    expect(vectors).toEqual([
      constantVector(),
      constantVector(),
      embedLexical('zzqxv'),
      embedLexical('qqzjk'),
    ]);
  });

  it('leaves the event loop free while it works on long texts', async () => {
    const long = 'the cache of the server is cold after each start '.repeat(160);
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);
    await model.embed(Array.from({ length: 32 }, () => long));
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(2);
  });

  it('refuses after it has been stopped', async () => {
    const other = await startTransformer({ directory: MODEL_DIR, log });
    await other.stop();
    await expect(other.embed(['x'])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('what cannot be loaded', () => {
  it('says that weights of the right size are damaged', async () => {
    const directory = join(scratch, 'damaged');
    cpSync(MODEL_DIR, directory, { recursive: true });
    writeFileSync(join(directory, ONNX), Buffer.alloc(20_000, 9));
    await expect(startTransformer({ directory, log })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(`the embedding model in ${directory} does not load:`),
    });
  });

  it('says that the optional peer is not installed and which command installs it', async () => {
    const source = readFileSync(new URL('../../src/embeddings/worker.ts', import.meta.url), 'utf8');
    const path = join(scratch, 'worker.mjs');
    writeFileSync(path, transformSync(source, { loader: 'ts', format: 'esm' }).code);
    await expect(
      startTransformer({ directory: MODEL_DIR, log, workerUrl: pathToFileURL(path) }),
    ).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { packageMissing: true },
      message: expect.stringContaining('npm install --ignore-scripts @huggingface/transformers'),
    });
  });

  it('says that the worker itself is missing', async () => {
    const workerUrl = pathToFileURL(join(scratch, 'none.mjs'));
    await expect(startTransformer({ directory: MODEL_DIR, log, workerUrl })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('the embedding thread failed'),
    });
  });

  it('stops waiting for a thread that never gets ready', async () => {
    const directory = join(scratch, 'silent');
    cpSync(MODEL_DIR, directory, { recursive: true });
    await expect(
      startTransformer({ directory, log, workerUrl: BAD_WORKER, loadTimeoutMs: 300 }),
    ).rejects.toThrow('did not load within 300 ms');
  });
});

describe('a thread that misbehaves', () => {
  const started: Transformer[] = [];
  afterEach(async () => {
    for (const model of started.splice(0)) await model.stop();
  });
  async function bad(embedTimeoutMs = 60_000): Promise<Transformer> {
    const directory = join(mkdtempSync(join(scratch, 'bad-')), 'model');
    mkdirSync(directory);
    cpSync(MODEL_DIR, directory, { recursive: true });
    const model = await startTransformer({
      directory,
      log,
      workerUrl: BAD_WORKER,
      embedTimeoutMs,
    });
    started.push(model);
    return model;
  }

  it('is started again once when it dies, and the call succeeds', async () => {
    const model = await bad();
    expect((await model.embed(['die once'])).length).toBe(1);
    expect(log.said.at(-1)).toBe('warn: embedding thread ended, started again');
  });

  it('does not outlive a stop that comes while it is started again', async () => {
    const model = await bad();
    const dying = model.embed(['die once']);
    const ended = expect(dying).rejects.toThrow('the embedding model has been stopped');
    await vi.waitFor(() =>
      expect(log.said.at(-1)).toBe('warn: embedding thread ended, started again'),
    );
    await model.stop();
    await ended;
  });

  it('is given up when it dies again, and every call says so', async () => {
    const model = await bad();
    await expect(model.embed(['die'])).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'the embedding thread ended with code 3',
    });
    await expect(model.embed(['fine'])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('is ended when it does not answer in time', async () => {
    const model = await bad(300);
    await expect(model.embed(['hang'])).rejects.toThrow('did not answer within 300 ms');
  });

  it('passes an error on and serves the next call', async () => {
    const model = await bad();
    await expect(model.embed(['fail'])).rejects.toThrow('the embedding model failed: no memory');
    await expect(model.embed(['short'])).rejects.toThrow('answered 5 numbers');
    expect((await model.embed(['fine', 'fine'])).length).toBe(2);
  });

  it('never lets NaN through', async () => {
    const model = await bad();
    expect(await model.embed(['nan'])).toEqual([embedLexical('nan')]);
  });
});
