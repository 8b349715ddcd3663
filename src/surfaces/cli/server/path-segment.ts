/** An id as one part of a request's path. */
import { badInput } from '../exit-codes.js';

/** Of these the path of a URL keeps nothing, also when they are encoded. */
const NO_SEGMENT = /^(?:\s*|\.\.?)$/;

/**
 * @param what whose id it is: `trigger`
 * @param list the command that prints ids
 * @throws AppError INVALID_INPUT for what would vanish from the path: another route would answer
 */
export function pathSegment(id: string, { what, list }: { what: string; list: string }): string {
  // The first letter is encoded as well, because a name may be a word of another route ("health").
  if (!NO_SEGMENT.test(id)) return encodeURIComponent(id).replace(/^[a-z]/i, hexOf);
  const is = id.trim() === '' ? 'its id is empty' : `"${id}" is no id`;
  throw badInput(`say which ${what}: ${is} (${list} prints them)`, { what });
}

function hexOf(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`;
}
