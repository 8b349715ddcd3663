/**
 * The two insertions of `/remember` (seed §6). Each puts one piece of text at one place and leaves
 * every other byte as it is.
 */
export { addSection, type SectionDraft } from './add-section.js';
export { insertEntry } from './insert-entry.js';
export type { Edited } from './markdown/insertion.js';
