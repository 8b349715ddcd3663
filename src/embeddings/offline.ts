/**
 * The door for whoever has to start in a few hundredths of a second, the command line: the embedder
 * that needs nothing and what it is measured with, without what loads models.
 */
export { createLexicalEmbedder, LEXICAL_ID } from './lexical.js';
export { calibratedThresholds } from './thresholds.js';
export { DIMENSION } from './types.js';
