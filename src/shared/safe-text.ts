/**
 * How the texts of memories are repeated in chat and in prompts: byte for byte, but for what could
 * pass for the markup of the host's prompts and answers, for characters that nobody sees, and for
 * line breaks. What is taken away is only the bracket that makes a tag of a word. Pure.
 */

/** Words that the host, or a model's own format, reads as tags. */
const TAG_NAMES = [
  'response|responses|thoughts?|thinking|think|actions?|providers?|text|evaluators?|evaluations?',
  'simple|reasoning|messages?|names?|params?|parameters|arguments|keys|title|template',
  'tasks?|instructions?|output|input|system|assistant|user|human|agent|developer|role|prompts?',
  'tools?|tool_calls?|tool_results?|function|function_calls?|function_results?|invoke|results?',
  'reflection|facts?|relationships?|entity|entities|examples?|context|content|conversation',
  'decision|final|answer|is_?finish|skip|rules?|important|sys|inst|memory|memories',
].join('|');
/** `<` in the forms that models read as one. */
const OPEN = '(?:[<＜﹤]|&lt;?|&#0*60;?|&#x0*3c;?)';
const SLASH = '[\\/／\\\\]*';
/** Between the bracket and the word; `\n` stands for itself in JSON. */
const GAP = '(?:\\\\[nrt]|[\\s\\/／\\\\])*';
const NAME = `(?:[a-z][\\w-]*:)?(?:${TAG_NAMES})(?![a-z0-9])`;
const CLOSE = '(?:\\s+[\\w:-]+\\s*=[^<>]{0,200})?[\\s\\/]*(?:[>＞﹥]|&gt|&#0*62|&#x0*3e)';
const TAG = new RegExp(
  // With a gap only what is closed, so that "i < results.length" stays a comparison.
  `${OPEN}(?=${SLASH}${NAME}|${GAP}${NAME}${CLOSE}|${GAP}!\\[CDATA\\[|\\|[a-z_]{1,40}\\|)`,
  'giu',
);
/** `Promise<Response>`, `Array<Text>`: a type of a programming language. */
const TYPE_ARGUMENT = /^<[A-Z][a-z][a-zA-Z]*\s*[>,|&<[]/;
const TEMPLATE = /\{(?=\{)/g;
const BRACKETED = /\[(?=\/?(?:INST|SYSTEM)\])/gi;

/**
 * Controls, line and paragraph separators, directions, zero widths, tag characters, and the variation
 * selectors that can carry bytes.
 */
const INVISIBLE =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;
const BREAKS = /[\r\n\u2028\u2029]+/g;

const PLAIN = { tag: () => '‹', brace: '{ ', bracket: '(' };

const HIDDEN_IN_LINE = new RegExp(`(?!\\t)(?:${INVISIBLE.source})`, 'u');

/** Whether a line has characters that nobody sees, or that show it in another order. */
export function hidesCharacters(line: string): boolean {
  return HIDDEN_IN_LINE.test(line);
}

/** A text of a memory as one line; at most `max` characters when given. */
export function safe(text: string, max?: number): string {
  const line = text.replace(BREAKS, ' ').replace(INVISIBLE, ' ').trim();
  const shown = neutral(line, PLAIN);
  if (max === undefined) return shown;
  const characters = [...shown];
  if (characters.length <= max) return shown;
  // Once more: of `<systematic` the cut may leave `<system`.
  return neutral(`${characters.slice(0, max - 1).join('')}…`, PLAIN);
}

/** What a terminal reads as colours, and what nobody sees; tabs and line breaks are code. */
const ESC = '\u001b';
const TERMINAL = new RegExp(`${ESC}\\[[0-?]*[ -/]*[@-~]`, 'g');
const UNSEEN_IN_LINES = new RegExp(`(?![\\t\\n])(?:${INVISIBLE.source})`, 'gu');
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
/** A line that a model may take for the next turn of a conversation. */
const SPEAKER = /^([^\S\n]*(?:Human|Assistant|System|User))(?=:)/gim;

/**
 * A text of several lines, which stay lines: as `safe`, but code in it can still be read. Stands
 * between fences (`fenced`) or is a message of its own, because of its headings, lists and links
 * nothing is taken away.
 */
export function safeBlock(text: string): string {
  const lines = text.replace(TERMINAL, '').replace(LINE_ENDS, '\n').replace(UNSEEN_IN_LINES, '');
  return neutral(lines, PLAIN).replace(SPEAKER, '$1 ');
}

/** Between fences that the text cannot close. */
export function fenced(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}text\n${text}\n${fence}`;
}

/** As `safe`, between quotation marks. */
export function safeQuoted(text: string, max?: number): string {
  return `"${safe(text, max)}"`;
}

/** JSON that says exactly the same and holds no markup: what could be some is escaped. */
export function safeJson(json: string): string {
  const visible = json.replace(INVISIBLE, escapeAll).replace(/`/g, escapeAll);
  return neutral(visible, {
    tag: (found) => escapeAll(found.charAt(0)) + found.slice(1),
    brace: escapeAll('{'),
    bracket: escapeAll('['),
  });
}

function neutral(
  text: string,
  by: { tag: (found: string) => string; brace: string; bracket: string },
): string {
  return text
    .replace(TAG, (found: string, offset: number) => {
      const isType =
        /\w/.test(text.charAt(offset - 1)) && TYPE_ARGUMENT.test(text.slice(offset, offset + 80));
      return isType ? found : by.tag(found);
    })
    .replace(TEMPLATE, by.brace)
    .replace(BRACKETED, by.bracket);
}

function escapeAll(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
