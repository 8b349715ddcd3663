/**
 * The door for whoever has to start in a few hundredths of a second, the command line: the built-in
 * model, without what loads other models.
 */
export { builtInModel, type StaticModel } from './static.js';
export { cosine } from './vectors.js';
