/**
 * `/when` commands in what an agent writes, as far as is needed to see which of those that it was
 * offered it took up. Where a command ends in the middle of a sentence only the index knows, so what
 * is read goes on to the end of the line. Pure, linear in the length.
 */

const MOST_CHARACTERS = 20_000;
const MOST_COMMANDS = 50;
const COMMAND_CHARACTERS = 200;
/** Not in a path or an address: `src/when ready`, `https://x.org/when`. */
const START = /(?<![\p{L}\p{N}_./:~-])\/(?:when|how)(?![\p{L}\p{N}_/-])/giu;
const ITEM = /^\s{0,8}(?:[-*•]|\d{1,3}[.)])\s+(\S.*)$/u;

/**
 * Each as {@link foldedCommand} writes it, with the rest of its line; the lines of a batch (`/when`,
 * then `- writing mock tests`) one by one.
 */
export function commandsIn(text: string): string[] {
  const found: string[] = [];
  let isBatch = false;
  for (const line of text.slice(0, MOST_CHARACTERS).split(/\r?\n/)) {
    const starts = [...line.matchAll(START)];
    const item = isBatch && starts.length === 0 ? ITEM.exec(line)?.[1] : undefined;
    if (item !== undefined) found.push(foldedCommand(`/when ${item}`));
    else isBatch = false;
    for (const [nth, { 0: word, index }] of starts.entries()) {
      const rest = line.slice(index + word.length, starts[nth + 1]?.index);
      if (/[\p{L}\p{N}]/u.test(rest)) found.push(foldedCommand(`/when ${rest}`));
      else isBatch = true;
    }
    if (found.length >= MOST_COMMANDS) break;
  }
  return [...new Set(found)].slice(0, MOST_COMMANDS);
}

/** One spelling: lower case, single spaces, `/when` for `/how`; at most 200 characters. */
export function foldedCommand(command: string): string {
  return command
    .slice(0, COMMAND_CHARACTERS * 2)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\/how /, '/when ')
    .slice(0, COMMAND_CHARACTERS);
}

/** Whether what was written begins with the command; both folded. */
export function beginsWith(written: string, command: string): boolean {
  return (
    written.startsWith(command) &&
    !/^[\p{L}\p{N}_]|^-[\p{L}\p{N}]/u.test(written.slice(command.length))
  );
}
