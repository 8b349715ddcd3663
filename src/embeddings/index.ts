/** The door of the room: texts → vectors, and what a similarity may and may not decide. */
export {
  createEmbeddings,
  createHostHandler,
  type EmbeddingsDeps,
  HOST_HANDLER_PRIORITY,
} from './chain.js';
export {
  type DownloadDeps,
  type DownloadProgress,
  downloadModel,
  MINILM,
  modelDirectory,
  type PinnedModel,
  problemOfDownload,
  verifyModelFiles,
} from './download.js';
export * from './embedder.js';
export { calibratedThresholds, isCalibrated } from './embedder.js';
export { createLexicalEmbedder, embedLexical, LEXICAL_ID } from './lexical.js';
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
export { startTransformer, type Transformer } from './transformer.js';
export { cosine, cosinesWith } from './vectors.js';
export { type Veto, vetoOf } from './veto.js';
