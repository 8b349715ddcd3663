/**
 * How stored text is shown in chat, in prompts and over MCP. Whoever wrote it is a stranger, and what
 * it says must not pass for markup, for a line of ours or for something that nobody sees. Four
 * strengths, and no other neutraliser:
 *
 * - `safe`: one line that says the same, word for word;
 * - `safeBlock`: the same with its line breaks, for what stands between fences;
 * - `safeJson`: JSON that parses to exactly the same value;
 * - `safePhrase`: a short phrase within a sentence of ours, where nothing has to survive that could
 *   pass for more than words.
 *
 * Pure. Repeating any of them changes nothing.
 */

/** `<` in the forms that models read as one. */
const OPEN = '(?:[<＜﹤]|&(?:amp;)*(?:lt|#0*60|#x0*3c);?)';
/** Marks, blanks and characters without width that may stand before a name, unseen. */
const UNSEEN = '[\\p{M}\\p{Cf}\\u2800]';
/** Between the bracket and the name; `\n` stands for itself in JSON. */
const GAP = `(?:\\\\[nrt]|[\\s\\/／\\\\]|${UNSEEN})*`;
const NAME = '[\\p{L}_][\\p{L}\\p{N}\\p{M}\\p{Cf}_.:-]*';
const CLOSE = '(?:\\s+[\\w:-]+\\s*=[^<>]{0,200})?[\\s\\/]*(?:[>＞﹥]|&gt|&#0*62|&#x0*3e)';
/**
 * Whatever has the form of a tag: a list of names would never be complete. With a gap after the
 * bracket only what is closed is one, so that "i < results.length" stays a comparison.
 */
const TAG = new RegExp(
  [
    `${OPEN}(?=${UNSEEN}*[\\p{L}_]`,
    `(?:\\s|${UNSEEN})*[\\/／\\\\]${GAP}[\\p{L}_]`,
    `${GAP}${NAME}${CLOSE}`,
    `${GAP}[!?]${GAP}(?:-|\\[|\\p{L})`,
    '[|｜][\\w▁ ]{1,40}[|｜])',
  ].join('|'),
  'giu',
);
/** `Promise<Response>`, `Array<string>`: a type of a programming language, right after a word. */
const TYPE_ARGUMENT =
  /^<(?:[A-Z](?:[a-z][a-zA-Z]*)?|string|number|boolean|void|unknown|any|never|null|undefined|object|int|long|byte|char|float|double|bool|str|[iuf](?:8|16|32|64))(?:\[\])?\s*[>,|&<[]/;
const TEMPLATE = /\{(?=\{)/g;
/** What a line of ours or of a model's format begins with. */
const LABEL = /[[［][\s/／]*(?:RUM|ＲＵＭ|INST|SYS(?:TEM)?)\s*[\]］]/giu;
/** Any other label of capitals that stands by itself; `[12]` is a reference. */
const CAPITALS =
  /(?<=^|[\s"]|\\[nrt])[[［](?![\p{N}\s]+[\]］])\s*(?:[\p{Lu}\p{N}][\p{M}\p{Cf}\s]*){2,24}[\]］](?=[\s:.,]|$)/gu;
/** A look-up as it is printed to be given back. */
const RECALL =
  /(?<![\p{L}\p{N}])(?:recall|ｒｅｃａｌｌ)\s*[(（](?=\s*(?:[\\"'“”„‘’«`＂＇]|&quot;))/giu;

const ESC = '\u001b';
const CSI = '\u009b';
const BELL = '\u0007';
/** Terminal sequences: colours and titles, whole. */
const ANSI = new RegExp(
  `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]|${ESC}\\][^${BELL}${ESC}]{0,200}(?:${BELL}|${ESC}\\\\)|${ESC}.`,
  'g',
);
/**
 * Directions, zero widths, tag characters, and the variation selectors that can carry bytes; joiners
 * have a use between letters of some scripts and between emoji only.
 */
const NO_WIDTH =
  '[\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}\\u{e0100}-\\u{e01ef}]|' +
  '(?<=[\\0-\\x7f])[\\u034f\\u200c\\u200d]+|[\\u034f\\u200c\\u200d]+(?=[\\0-\\x7f])';
const CONTROL = '[\\p{Cc}\\p{Zl}\\p{Zp}]';
const WITHOUT_WIDTH = new RegExp(NO_WIDTH, 'gu');
const CONTROLS = new RegExp(CONTROL, 'gu');
const CONTROLS_IN_LINES = new RegExp(`(?![\\t\\n])${CONTROL}`, 'gu');
const INVISIBLE = new RegExp(`${CONTROL}|${NO_WIDTH}`, 'gu');
const HIDDEN_IN_LINE = new RegExp(`(?!\\t)(?:${INVISIBLE.source})`, 'u');

/** Whether a line has characters that nobody sees, or that show it in another order. */
export function hidesCharacters(line: string): boolean {
  return HIDDEN_IN_LINE.test(line);
}

const SEEN = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether there is something to be seen: not only spaces and characters of no width or no ink. */
export function isVisible(text: string): boolean {
  return SEEN.test(text);
}

const BREAKS = /[\r\n\u2028\u2029]+/g;

/** A stored text as one line; at most `max` characters when given. */
export function safe(text: string, max?: number): string {
  const line = text
    .replace(ANSI, '')
    .replace(WITHOUT_WIDTH, '')
    .replace(BREAKS, ' ')
    .replace(CONTROLS, ' ')
    .trim();
  const shown = neutral(line, PLAIN);
  if (max === undefined) return shown;
  const characters = [...shown];
  if (characters.length <= max) return shown;
  // Once more: what a cut leaves may be closed by nothing and still read as a tag.
  return neutral(`${characters.slice(0, max - 1).join('')}…`, PLAIN);
}

/** As `safe`, between quotation marks. */
export function safeQuoted(text: string, max?: number): string {
  return `"${safe(text, max)}"`;
}

const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
/** A line that a model may take for the next turn of a conversation. */
const SPEAKER = /^([^\S\n]*(?:Human|Assistant|System|User))(?=:)/gim;

/**
 * A stored text of several lines, which stay lines: as `safe`, but code in it can still be read. It
 * stands between fences (`fenced`) or is a message of its own, so that headings, lists and links stay.
 */
export function safeBlock(text: string): string {
  const lines = text
    .replace(ANSI, '')
    .replace(LINE_ENDS, '\n')
    .replace(WITHOUT_WIDTH, '')
    .replace(CONTROLS_IN_LINES, '');
  return neutral(lines, PLAIN).replace(SPEAKER, '$1 ');
}

/** Between fences that the text cannot close. */
export function fenced(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}text\n${text}\n${fence}`;
}

/** JSON that says exactly the same and holds no markup: what could be some is escaped. */
export function safeJson(json: string): string {
  const visible = json.replace(INVISIBLE, escapeAll).replace(/`/g, escapeAll);
  return neutral(visible, {
    tag: (found) => escapeAll(found.charAt(0)) + found.slice(1),
    brace: escapeAll('{'),
    label: (found) => escapeAll(found.charAt(0)) + found.slice(1),
    recall: (found) => found.slice(0, -1) + escapeAll(found.slice(-1)),
  });
}

/** What stands for what was found. */
interface Replacements {
  /** The bracket of a tag. */
  tag(found: string): string;
  brace: string;
  /** With its brackets. */
  label(found: string): string;
  /** Up to the bracket. */
  recall(found: string): string;
}

const PLAIN: Replacements = {
  tag: () => '‹',
  brace: '{ ',
  label: (found) => `(${found.slice(1, -1)})`,
  recall: (found) => `${found.slice(0, -1).trimEnd()}: `,
};

function neutral(text: string, by: Replacements): string {
  return text
    .replace(TAG, (found: string, offset: number) => {
      const isType =
        /\w/.test(text.charAt(offset - 1)) && TYPE_ARGUMENT.test(text.slice(offset, offset + 80));
      return isType ? found : by.tag(found);
    })
    .replace(TEMPLATE, by.brace)
    .replace(LABEL, by.label)
    .replace(CAPITALS, by.label)
    .replace(RECALL, by.recall);
}

function escapeAll(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A phrase shows a few hundred characters at most; the rest need not be cleaned. */
const MOST_CHARACTERS = 600;
/**
 * What takes no width, whatever it is for, and variation selectors, private use and halves of
 * characters: unseen by a reader, read by a model.
 */
const HIDDEN =
  /\u034f|[\ufe00-\ufe0f]|[\p{Cf}\p{Co}\p{Cs}\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu;
/** ASCII in disguise: full width, small forms, mathematical letters. */
const DISGUISED = /[\uff01-\uff5e\ufe50-\ufe6b\u{1d400}-\u{1d7ff}]/gu;
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;
const ALL_BREAKS = /[\r\n\u0085\u2028\u2029]+/;
/** What makes a heading, a list, a quotation, a table or a rule of a line. */
const LINE_MARKS = /^(?:\s*(?:[#>*+=~|•-]+(?=\s|$)|-{3,}|={3,}|_{3,}|\*{3,}|~{3,}))+\s*/;

/** Brackets that stay: an index, an empty pair, the `[id]` of a path. Others read as a label or link. */
const BRACKETS =
  /(?<=[\w/.)])\[[\w.$-]{0,30}\](?![([:])|\[\d*\](?![([:])|\[[\w.-]{1,30}\](?=\.[a-z]{1,5}\b)|[[\]]/g;

const REPLACED: readonly (readonly [RegExp, string])[] = [
  // The bracket of a tag, also as an entity or an escape, however often it was escaped.
  [/&(?:amp;)*(?:lt|#0*60|#x0*3c);?|\\u00?3c|\\x3c|%3c|</gi, '‹'],
  [/&(?=(?:amp;)*#x?[0-9a-f]{1,8};?)/gi, '& '],
  [/[【〔〖〘〚⟦❲⦗]/g, '('],
  [/[】〕〗〙〛⟧❳⦘]/g, ')'],
  // The end of a quotation of ours, and the quotes of JSON.
  [/["“”„‟«»]/g, "'"],
  // Fences and headings.
  [/`/g, "'"],
  [/~{3,}/g, '~~'],
  [/#{2,}/g, '#'],
  [/\{(?=%)/g, '{ '],
  // What our own lines are made of.
  [/[→⇒⟶➔➙-➾⮕⇨↦↪►▶]/gu, '->'],
  [/[•‣◦⁃∙●▪▸]/gu, '-'],
  [/⚠/gu, '!'],
  [/[—–―]/g, '-'],
  [/\brecall\s*\(/gi, 'recall: '],
  [/\b(mem|chap|wis|offer)_(?=[0-9a-f-]{8})/gi, '$1 '],
  [/\s+/g, ' '],
];

/**
 * A stored text as a phrase of a line of ours: without anything that a prompt, a renderer or a reader
 * could take for more than words, a few hundred characters at most. May be empty.
 */
export function safePhrase(text: string): string {
  const seen = text.replace(ANSI, '').replace(HIDDEN, '');
  const plain = seen
    .replace(DISGUISED, (found) => found.normalize('NFKC'))
    .replace(STACKED_MARKS, '$1')
    .split(ALL_BREAKS)
    .map((line) => line.replace(LINE_MARKS, ''))
    .join(' ');
  let line = safe(firstOf(plain.trim(), MOST_CHARACTERS)).replace(BRACKETS, (found) =>
    found === '[' ? '(' : found === ']' ? ')' : found,
  );
  for (const [pattern, by] of REPLACED) line = line.replace(pattern, by);
  return line.replace(LINE_MARKS, '').trim();
}

function firstOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
