import { fork } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type DownloadDeps,
  downloadModel,
  MINILM,
  modelDirectory,
  problemOfDownload,
} from '../../src/embeddings/index.js';
import { AppError } from '../../src/shared/errors.js';
import { programOf } from '../helpers/programs.js';
import {
  cutting,
  type Hub,
  ONNX,
  REVISION,
  SMALL_MODEL,
  startHub,
  TOTAL_BYTES,
} from './helpers/hub.js';

const NOW = Date.UTC(2026, 2, 1);
let hub: Hub;
let dataDir: string;

beforeEach(async () => {
  hub = await startHub();
  dataDir = mkdtempSync(join(tmpdir(), 'cue-model-'));
});
afterEach(async () => {
  await hub.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const directory = () => modelDirectory(dataDir, SMALL_MODEL);
const partPath = () => join(directory(), `${ONNX}.part`);
const names = () => readdirSync(directory(), { recursive: true }).map(String).sort();

function download(more: Partial<DownloadDeps> = {}): Promise<string> {
  return downloadModel({
    model: SMALL_MODEL,
    dataDir,
    hub: hub.url,
    clock: { now: () => NOW },
    retryDelaysMs: [1, 1],
    ...more,
  });
}

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error(`no AppError: ${String(error)}`);
  return error;
}

describe('fetching the model', () => {
  it('puts the four verified files under repository and revision and reports up to the total', async () => {
    const seen: number[] = [];
    const path = await download({ onProgress: (progress) => seen.push(progress.loadedBytes) });
    expect(path).toBe(join(dataDir, 'models', 'test', 'static-glove-use', REVISION));
    expect(names()).toEqual(
      ['config.json', 'onnx', ONNX, 'tokenizer.json', 'tokenizer_config.json'].sort(),
    );
    expect(seen.at(-1)).toBe(TOTAL_BYTES);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(await problemOfDownload(dataDir, SMALL_MODEL)).toBeNull();
    expect(existsSync(`${path}.cue-lock`)).toBe(false);
  });

  it('asks the hub for nothing when every file is there and right', async () => {
    await download();
    hub.requests.length = 0;
    await download();
    expect(hub.requests).toEqual([]);
  });

  it('continues a cut file where it ended', async () => {
    hub.misbehave = cutting(ONNX, 1_000_000, 1, partPath);
    await download();
    const asked = hub.requests.filter((request) => request.startsWith(ONNX));
    expect(asked).toEqual([ONNX, `${ONNX}@1000000`]);
    expect(await problemOfDownload(dataDir, SMALL_MODEL)).toBeNull();
  });

  it('begins a cut file anew at a server that does not know ranges', async () => {
    hub.ranges = false;
    hub.misbehave = cutting(ONNX, 1_000_000, 1, partPath);
    await download();
    expect(await problemOfDownload(dataDir, SMALL_MODEL)).toBeNull();
  });

  it('gives up after its tries, keeps the finished files and the part, and completes next time', async () => {
    hub.misbehave = cutting(ONNX, 500_000, 3, partPath);
    const error = await failureOf(download());
    expect(error.code).toBe('UNAVAILABLE');
    expect(error.message).toMatch(
      /^the embedding model test\/static-glove-use could not be fetched/,
    );
    expect(names()).toEqual(
      ['config.json', 'onnx', `${ONNX}.part`, 'tokenizer.json', 'tokenizer_config.json'].sort(),
    );
    hub.requests.length = 0;
    await download();
    expect(hub.requests).toEqual([`${ONNX}@500000`]);
  });

  it('tries again after a 503 and not after a 404', async () => {
    let refusals = 1;
    hub.misbehave = (_file, _content, response) => {
      if (refusals-- <= 0) return false;
      response.writeHead(503).end('later');
      return true;
    };
    await download();
    const other = { ...SMALL_MODEL, revision: 'b'.repeat(40) };
    hub.requests.length = 0;
    const error = await failureOf(download({ model: other }));
    expect(error.details).toEqual({ file: 'config.json', status: 404 });
    expect(hub.requests).toEqual([]);
  });

  it('throws a file with a wrong checksum away and says so', async () => {
    hub.misbehave = (file, content, response) => {
      if (file !== ONNX) return false;
      response.end(Buffer.alloc(content.length, 7));
      return true;
    };
    const error = await failureOf(download());
    expect(error.message).toBe(
      `${ONNX} came with another checksum than the published model: it was thrown away`,
    );
    expect(names().filter((name) => name.startsWith('onnx/'))).toEqual([]);
  });

  it('throws a file away that is longer than published', async () => {
    hub.misbehave = (file, content, response) => {
      if (file !== 'config.json') return false;
      response.end(Buffer.concat([content, content]));
      return true;
    };
    expect((await failureOf(download())).details).toEqual({ file: 'config.json' });
    expect(names()).toEqual([]);
  });

  it('recognises a Git LFS pointer sent instead of the weights', async () => {
    hub.misbehave = (file, _content, response) => {
      if (file !== ONNX) return false;
      response.end(`version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\n`);
      return true;
    };
    const error = await failureOf(download());
    expect(error.message).toBe(`the hub sent a Git LFS pointer instead of ${ONNX}`);
    expect(existsSync(partPath())).toBe(false);
  });

  it('starts over when a continued part turns out to be damaged', async () => {
    mkdirSync(join(directory(), 'onnx'), { recursive: true });
    writeFileSync(partPath(), Buffer.alloc(1_000, 1));
    await download();
    const asked = hub.requests.filter((request) => request.startsWith(ONNX));
    expect(asked).toEqual([`${ONNX}@1000`, ONNX]);
    expect(await problemOfDownload(dataDir, SMALL_MODEL)).toBeNull();
  });

  it('stops waiting for a hub that sends nothing', async () => {
    hub.misbehave = () => true;
    const error = await failureOf(download({ stallMs: 50, retryDelaysMs: [] }));
    expect(error.message).toBe(
      'the embedding model test/static-glove-use could not be fetched: the hub sent nothing for 50 ms',
    );
  });

  it('names the reason when the hub cannot be reached', async () => {
    await hub.close();
    const error = await failureOf(download());
    expect(error.code).toBe('UNAVAILABLE');
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('ends when it is called off', async () => {
    const stop = new AbortController();
    hub.misbehave = () => {
      stop.abort();
      return true;
    };
    expect((await failureOf(download({ signal: stop.signal }))).code).toBe('UNAVAILABLE');
  });

  it('refuses a second download of the same directory while one runs', async () => {
    const first = download();
    const error = await failureOf(download());
    expect(error.details).toEqual({ busy: true });
    expect(error.message).toBe('the model is already being fetched by this process');
    await first;
  });

  it('removes parts that are unknown or a week old and keeps a young one', async () => {
    mkdirSync(join(directory(), 'onnx'), { recursive: true });
    const old = join(directory(), 'tokenizer.json.part');
    const unknown = join(directory(), 'onnx', 'other.onnx.part');
    for (const path of [old, unknown, partPath()]) writeFileSync(path, '');
    utimesSync(old, NOW / 1_000 - 8 * 86_400, NOW / 1_000 - 8 * 86_400);
    utimesSync(partPath(), NOW / 1_000 - 86_400, NOW / 1_000 - 86_400);
    hub.misbehave = (_file, _content, response) => {
      response.writeHead(403).end();
      return true;
    };
    await failureOf(download());
    expect(names()).toEqual(['onnx', `${ONNX}.part`]);
  });

  it('is completed by the next process after a kill in the middle of a file', async () => {
    hub.misbehave = (file, content, response) => {
      if (file !== ONNX || hub.requests.filter((one) => one.startsWith(ONNX)).length > 1)
        return false;
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 800_000));
      return true;
    };
    const child = fork(programOf('__tests__/embeddings/helpers/download-child'), [
      hub.url,
      dataDir,
    ]);
    const ended = new Promise((resolve) => child.on('exit', resolve));
    await new Promise<void>((resolve) => {
      const small = TOTAL_BYTES - SMALL_MODEL.files[ONNX].bytes;
      child.on('message', (message: { loadedBytes: number }) => {
        if (message.loadedBytes >= small + 800_000) resolve();
      });
    });
    child.kill('SIGKILL');
    await ended;
    expect(await problemOfDownload(dataDir, SMALL_MODEL)).toContain(`${ONNX} is missing`);
    expect(statSync(partPath()).size).toBe(800_000);
    await download();
    expect(hub.requests.at(-1)).toBe(`${ONNX}@800000`);
    expect(await problemOfDownload(dataDir, SMALL_MODEL)).toBeNull();
  });
});

describe('the pinned model', () => {
  it('names a full commit and a checksum for every file', () => {
    expect(MINILM.revision).toMatch(/^[0-9a-f]{40}$/);
    expect(Object.values(MINILM.files).map((file) => file.sha256.length)).toEqual([64, 64, 64, 64]);
    expect(Object.values(MINILM.files).reduce((sum, file) => sum + file.bytes, 0)).toBe(23_685_047);
  });
});
