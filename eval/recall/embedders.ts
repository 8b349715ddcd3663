/** The links of the chain that can run on this machine without a download. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  builtInModel,
  createLexicalEmbedder,
  type Embedder,
  startTransformer,
  type Transformer,
} from '../../src/embeddings/index.js';
import { messageOf } from '../../src/shared/errors.js';

const FIXTURE = fileURLToPath(
  new URL('../../__tests__/fixtures/models/static-glove-use-384', import.meta.url),
);
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export interface Chain {
  embedders: Embedder[];
  stop(): Promise<void>;
}

/**
 * @param wanted ids or their beginnings; empty: all
 * @param modelDir a model of the user's; that it cannot be loaded is an error
 * @throws Error when nothing is left to measure
 */
export async function startChain(
  wanted: readonly string[],
  modelDir: string | undefined,
  say: (line: string) => void,
): Promise<Chain> {
  const models: Transformer[] = [];
  if (modelDir !== undefined)
    models.push(await startTransformer({ directory: modelDir, log: SILENT }));
  if (existsSync(FIXTURE)) {
    try {
      models.push(await startTransformer({ directory: FIXTURE, log: SILENT }));
    } catch (error) {
      say(`the small model of the tests is left out: ${messageOf(error)}`);
    }
  }
  const lexical = createLexicalEmbedder();
  const beside = builtInModel();
  const all: Embedder[] = [
    lexical,
    { ...lexical, id: `${lexical.id}+${beside.id}`, beside },
    ...models,
  ];
  const embedders = all.filter(
    ({ id }) => wanted.length === 0 || wanted.some((name) => id.startsWith(name)),
  );
  const stop = async () => {
    for (const model of models) await model.stop();
  };
  if (embedders.length > 0) return { embedders, stop };
  await stop();
  throw new Error(`no such embedder; there are ${all.map(({ id }) => id).join(', ')}`);
}
