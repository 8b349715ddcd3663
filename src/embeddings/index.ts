/** The door of the room: texts → vectors, and what a similarity may and may not decide. */
export { createEmbeddings, type EmbeddingsDeps } from './chain.js';
export {
  type DownloadDeps,
  type DownloadProgress,
  downloadModel,
  MINILM,
  modelDirectory,
  type PinnedModel,
  problemOfDownload,
} from './download.js';
export { createHostHandler, HOST_HANDLER_PRIORITY } from './host-handler.js';
export { createLexicalEmbedder, embedLexical, LEXICAL_ID } from './lexical.js';
export { verifyModelFiles } from './model-files.js';
export {
  createReembedder,
  type Reembedder,
  type ReembedderDeps,
  type ReembedProgress,
  type ReembedResult,
  withWaiting,
} from './reembed.js';
export type { RuntimeModel } from './runtime-model.js';
export { builtInModel, loadStaticModel, type StaticModel } from './static.js';
export { calibratedThresholds, isCalibrated } from './thresholds.js';
export { startTransformer, type Transformer } from './transformer.js';
export * from './types.js';
export { cosine } from './vectors.js';
export { type Veto, vetoOf } from './veto.js';
