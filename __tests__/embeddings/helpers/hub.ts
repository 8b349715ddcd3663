/** A model hub on the loopback that can misbehave, and the small model of the fixtures as "pinned". */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { PinnedModel } from '../../../src/embeddings/index.js';

export const MODEL_DIR = fileURLToPath(
  new URL('../../fixtures/models/static-glove-use-384', import.meta.url),
);

const NAMES = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'onnx/model_quantized.onnx',
] as const;
export const ONNX = 'onnx/model_quantized.onnx';
export const REVISION = 'a'.repeat(40);

function pinOf(name: (typeof NAMES)[number]) {
  const content = readFileSync(`${MODEL_DIR}/${name}`);
  return { sha256: createHash('sha256').update(content).digest('hex'), bytes: content.length };
}

export const SMALL_MODEL: PinnedModel = {
  id: 'test/static-glove-use@q8',
  repo: 'test/static-glove-use',
  revision: REVISION,
  files: {
    'config.json': pinOf('config.json'),
    'tokenizer.json': pinOf('tokenizer.json'),
    'tokenizer_config.json': pinOf('tokenizer_config.json'),
    'onnx/model_quantized.onnx': pinOf('onnx/model_quantized.onnx'),
  },
};

export const TOTAL_BYTES = NAMES.reduce((sum, name) => sum + SMALL_MODEL.files[name].bytes, 0);

type Misbehaviour = (file: string, content: Buffer, response: ServerResponse) => boolean;

export interface Hub {
  url: string;
  /** `file` or `file@from`, in order. */
  requests: string[];
  /** Asked before each answer; true: it has answered (or never will). */
  misbehave: Misbehaviour | null;
  /** Whether Range is honoured. */
  ranges: boolean;
  close(): Promise<void>;
}

export async function startHub(): Promise<Hub> {
  const prefix = `/${SMALL_MODEL.repo}/resolve/${REVISION}/`;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const file = request.url?.startsWith(prefix) ? request.url.slice(prefix.length) : '';
    if (!NAMES.some((name) => name === file)) {
      response.writeHead(404).end();
      return;
    }
    const content = readFileSync(`${MODEL_DIR}/${file}`);
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    hub.requests.push(from > 0 ? `${file}@${from}` : file);
    if (hub.misbehave?.(file, content, response)) return;
    if (from > 0 && hub.ranges) {
      const range = `bytes ${from}-${content.length - 1}/${content.length}`;
      response.writeHead(206, { 'content-range': range });
      response.end(content.subarray(from));
    } else {
      response.writeHead(200, { 'content-length': content.length });
      response.end(content);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const hub: Hub = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    misbehave: null,
    ranges: true,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return hub;
}

/**
 * Sends the first `bytes` of a file and cuts the connection, `times` times: each time once the client has
 * written them to its `part`.
 */
export function cutting(
  name: string,
  bytes: number,
  times: number,
  part: () => string,
): Misbehaviour {
  let left = times;
  return (file, content, response) => {
    if (file !== name || left === 0) return false;
    left--;
    response.writeHead(200, { 'content-length': content.length });
    // What an earlier try has left must not be taken for what comes now.
    if (existsSync(part())) truncateSync(part());
    response.write(content.subarray(0, bytes));
    // What the client has not written when the connection breaks, it does not keep.
    const looking = setInterval(() => {
      if ((statSync(part(), { throwIfNoEntry: false })?.size ?? 0) < bytes) return;
      response.destroy();
    }, 5);
    response.once('close', () => clearInterval(looking));
    return true;
  };
}
