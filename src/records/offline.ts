/** The door for whoever needs the word index without the database. */
export { BlockPool } from './catalog/packed-lists.js';
export { Words } from './catalog/words.js';
