/** A recall as text, in the format of the seed (`when-recall.md` §1), byte for byte. Pure. */
import type { Answer, Match, Recall, Related } from './types.js';

/** Where notes begin in the seed's lists; longer commands push them on. */
const NOTE_COLUMN = 32;
const LONGEST_QUERY = 80;
/** A file name may have them. */
const BREAKS = /[\r\n\u2028\u2029]+/g;
const NAMED = /^\/\w+ §/;

/**
 * Answers one after the other, then what was not found, then one `Related:` list of all. An exact
 * answer is its title and content as in its file; another says in a line below the title how it was
 * found. A section that two queries gave is printed once, and pointed to. No line break at the end.
 */
export function printRecall(recall: Recall): string {
  const printed = new Set<string>();
  const parts: string[] = [];
  for (const answer of recall.results) {
    const [match] = answer.matches;
    if (answer.found === 'none' || match === undefined) continue;
    const key = JSON.stringify([match.file, match.line, match.header]);
    parts.push(
      printed.has(key)
        ? `(${quoted(answer.query)}: see ${quoted(match.header)} above)`
        : answerText(answer, match),
    );
    printed.add(key);
  }
  for (const answer of recall.results) if (answer.found === 'none') parts.push(missText(answer));
  if (recall.degraded !== undefined) parts.push(`Note: ${recall.degraded.replace(BREAKS, ' ')}`);
  const related = recall.results.flatMap((answer) => answer.related);
  if (related.length > 0) parts.push(`---\n\nRelated:\n${listOf(related)}`);
  return parts.join('\n\n');
}

function answerText(answer: Answer, match: Match): string {
  const how =
    answer.found === 'hybrid'
      ? `closest to ${quoted(answer.query)}, confidence ${answer.confidence.toFixed(2)}`
      : '';
  const remark = [how, answer.message ?? ''].filter((text) => text !== '').join('; ');
  const content = withoutBlankEnds(match.content ?? '');
  return [`# ${match.header}`, remark === '' ? '' : `(${remark})`, content]
    .filter((text) => text !== '')
    .join('\n\n');
}

function missText(answer: Answer): string {
  const { message } = answer;
  const head = message ?? `No entry for ${quoted(answer.query)}.`;
  // Sections and files that are suggested stand in the message.
  const commands = answer.suggestions.filter((one) => message === undefined || !NAMED.test(one));
  if (commands.length === 0) return head;
  const headers = new Map(answer.matches.map((match) => [match.trigger, match.header]));
  const suggestions = commands.map((command) => ({
    command,
    note: headers.get(command.replace(/^\/\w+ /, '')) ?? '',
  }));
  return `${head}\nDid you mean:\n${listOf(suggestions)}`;
}

function listOf(items: readonly Related[]): string {
  const listed = items.map(({ command, note }) => ({
    command: command.replace(BREAKS, ' '),
    note: note.replace(BREAKS, ' '),
  }));
  const longest = Math.max(...listed.map(({ command }) => command.length));
  const column = Math.max(NOTE_COLUMN, longest + 2);
  return listed
    .map(({ command, note }) =>
      note === '' ? `- ${command}` : `- ${command.padEnd(column)}# ${note}`,
    )
    .join('\n');
}

function quoted(query: string): string {
  return `"${query.length > LONGEST_QUERY ? `${query.slice(0, LONGEST_QUERY)}…` : query}"`;
}

/** Blank lines go; the indentation of the first line may be code and stays. */
function withoutBlankEnds(content: string): string {
  const start = content.length - content.trimStart().length;
  const lead = content.slice(0, start);
  const line = Math.max(lead.lastIndexOf('\n'), lead.lastIndexOf('\r')) + 1;
  return content
    .slice(line)
    .trimEnd()
    .replace(/^\ufeff/, '');
}
