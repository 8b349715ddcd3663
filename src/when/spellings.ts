/** Pieces of patterns that several files of this room have: how commands and lists are written. */

/** The slash commands; `/how` is the same in other words. */
export const SLASH = '\\/(?:when|how)';
/** What people and agents put in front of a line of a list. */
export const MARK = '(?:[-*+•]|\\d{1,3}[.)])';
/** In front of a line of the index: what markdown takes for a bullet, or only a little space. */
export const INDEX_BULLET = ' {0,3}(?:[-*+][ \\t]+)?';
