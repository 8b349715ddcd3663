/** Whether something that was done is what a hint says: equal, or the value as a part of it. Pure. */

/** A shorter value ("1", "on") stands in very many commands: only the whole of one is it. */
const LEAST_PART = 4;

/** Space apart: `cd api && docker compose build` carries out `docker compose build`, not `build`er. */
export function carriesOut(action: string, value: string): boolean {
  const done = squeezed(action);
  const wanted = squeezed(value);
  if (wanted === '') return false;
  if (done === wanted) return true;
  if (wanted.length < LEAST_PART) return false;
  for (let at = done.indexOf(wanted); at >= 0; at = done.indexOf(wanted, at + 1)) {
    const before = done.charAt(at - 1);
    const after = done.charAt(at + wanted.length);
    if (!isWord(before) && !isWord(after)) return true;
  }
  return false;
}

const squeezed = (text: string): string => text.trim().replace(/\s+/g, ' ');
const isWord = (character: string): boolean => /[\p{L}\p{N}_./\\-]/u.test(character);
