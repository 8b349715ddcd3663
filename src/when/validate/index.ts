export { arrange, targetsOf } from './arrange.js';
export { MAX_WORDS, MIN_WORDS, wordCount } from './entries.js';
export { type Fixed, fixIndex } from './fix.js';
export { validate } from './validate.js';
