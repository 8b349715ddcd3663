/**
 * Headings of a markdown text and where their sections begin and end, found by markdown-it's block
 * rules. Its inline rules run on the headings alone: they are most of the cost, and nothing else
 * needs them. Offsets are UTF-16 and point into the text as it stands, so a slice is its own bytes.
 */
import MarkdownIt from 'markdown-it';
import { AppError } from '../../shared/errors.js';

type Token = ReturnType<MarkdownIt['parse']>[number];

/** A heading at the top level: those in lists and quotes bound no section. */
export interface Heading {
  /** 1 to 6. */
  level: number;
  /** As a reader sees it: without markup, entities decoded, one line. */
  title: string;
  /** As written, without the marks that make it a heading. */
  raw: string;
  /** 1-based. */
  line: number;
  /** Where its first line begins. */
  start: number;
  /** Where the line after it begins. */
  bodyStart: number;
  /** Where the next heading of its level or above begins, or the text ends. */
  end: number;
}

export interface Outline {
  headings: Heading[];
  /** Offsets at which lines begin. */
  starts: number[];
  /** 1-based lines in front matter, fenced code, blocks of comments and `<pre>`: shown, but not said. */
  hidden: ReadonlySet<number>;
}

/**
 * Below its limit of nesting markdown-it skips the rest of the text. The default of 100 is reached
 * by a list 50 deep, or a long quoted thread; 400 leaves most of the call stack free.
 */
const OPTIONS = { html: true, maxNesting: 400 };
const markdown = new MarkdownIt(OPTIONS);
/** A heading longer than this is a paragraph somebody underlined; its markup stays. */
const MAX_TITLE = 300;
const MARKUP = /[\\`*_&<[\]!~]/;
/** Elements that stand in a line of text; anything else in angle brackets is meant as written. */
const INLINE_ELEMENT =
  /^<(?:!--|\/?(?:a|abbr|b|bdi|bdo|br|cite|code|data|del|dfn|em|font|i|img|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|tt|u|var|wbr)(?![\w-]))/i;
/** Raw blocks that hide what is in them; others, such as `<details>`, show it. */
const HIDING_BLOCK = /^\s*<(?:!--|pre|script|style|textarea)/i;

/**
 * Headings, lines and what is hidden. Never throws, whatever the text. `part`: the text is a piece
 * of a file, so that `---` at its beginning is a rule and no front matter.
 */
export function outlineOf(text: string, part = false): Outline {
  const starts = lineStarts(text);
  const front = part ? 0 : frontMatterLines(text, starts);
  const tokens: Token[] = [];
  const env = {};
  markdown.block.parse(parsable(text, starts, front), markdown, env, tokens);

  const hidden = new Set<number>();
  for (let line = 1; line <= front; line += 1) hidden.add(line);
  const headings: Heading[] = [];
  tokens.forEach((token, index) => {
    hide(token, hidden);
    if (token.type !== 'heading_open' || token.level !== 0 || token.map === null) return;
    const [first, next] = token.map;
    const raw = tokens[index + 1]?.content.trim() ?? '';
    headings.push({
      level: Number(token.tag.slice(1)),
      title: plain(raw, env),
      raw,
      line: first + 1,
      start: first === 0 && text.startsWith('\ufeff') ? 1 : (starts[first] ?? text.length),
      bodyStart: starts[next] ?? text.length,
      end: text.length,
    });
  });
  close(headings);
  return { headings, starts, hidden };
}

/** A piece of inline markdown as a reader sees it: `` `a` [b](c) &amp; **d** `` is `a b & d`. */
export function plainText(inline: string): string {
  return plain(inline, {});
}

/** Where links of a piece of inline markdown lead, decoded, in order. */
export function linksOf(inline: string): string[] {
  if (!inline.includes('](') && !inline.includes('<')) return [];
  const links: string[] = [];
  for (const token of inlineTokens(inline.slice(0, MAX_TITLE), {})) {
    const href = token.type === 'link_open' ? token.attrGet('href') : null;
    if (href !== null) links.push(decoded(href));
  }
  return links;
}

/** What markdown-it gets: the same number of lines, LF, no byte order mark, front matter emptied. */
function parsable(text: string, starts: readonly number[], front: number): string {
  const body = front === 0 ? text.replace(/^\ufeff/, '') : text.slice(starts[front] ?? text.length);
  return '\n'.repeat(front) + body.replaceAll('\r\n', '\n').replaceAll('\0', '\ufffd');
}

/**
 * Lines of YAML front matter, 0 without. The line after the first `---` must not be blank: that
 * would be a rule, and what stands up to the next rule would be lost.
 */
function frontMatterLines(text: string, starts: readonly number[]): number {
  if (!/^\ufeff?---[ \t]*[\r\n]/.test(text) || /^\s*$/.test(lineAt(text, starts, 1))) return 0;
  for (let index = 1; index < starts.length; index += 1) {
    if (/^(?:---|\.\.\.)[ \t]*$/.test(lineAt(text, starts, index))) return index + 1;
  }
  return 0;
}

/** Each heading ends where the next of its level or above begins. */
function close(headings: readonly Heading[]): void {
  const open: Heading[] = [];
  for (const heading of headings) {
    for (let last = open.at(-1); last && last.level >= heading.level; last = open.at(-1)) {
      last.end = heading.start;
      open.pop();
    }
    open.push(heading);
  }
}

function hide(token: Token, hidden: Set<number>): void {
  if (token.map === null) return;
  const [first, next] = token.map;
  if (token.type === 'fence' || (token.type === 'html_block' && HIDING_BLOCK.test(token.content)))
    for (let index = first; index < next; index += 1) hidden.add(index + 1);
}

function plain(inline: string, env: object): string {
  if (inline.length > MAX_TITLE || !MARKUP.test(inline)) return oneLine(inline);
  return oneLine(textOf(inlineTokens(inline, env)));
}

function inlineTokens(inline: string, env: object): Token[] {
  const tokens: Token[] = [];
  markdown.inline.parse(inline, markdown, env, tokens);
  return tokens;
}

function textOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'softbreak' || token.type === 'hardbreak') return ' ';
      if (token.type === 'image') return textOf(token.children ?? []);
      if (token.type === 'html_inline' && INLINE_ELEMENT.test(token.content)) return '';
      return token.content;
    })
    .join('');
}

function decoded(href: string): string {
  try {
    return decodeURI(href);
  } catch {
    return href;
  }
}

/**
 * Offsets at which lines begin; the first is 0. What follows the last break is a line only if there
 * is something: `a\n` has one line.
 */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const found of text.matchAll(/\n/g)) starts.push(found.index + 1);
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
  return starts;
}

/** The line without its break. */
export function lineAt(text: string, starts: readonly number[], index: number): string {
  const end = starts[index + 1] ?? text.length;
  return text.slice(starts[index] ?? text.length, end).replace(/[\r\n]+$/, '');
}

/** The break that most lines of the text end with; LF when there is none. */
export function lineBreakOf(text: string): '\n' | '\r\n' {
  const breaks = text.match(/\r?\n/g) ?? [];
  return 2 * breaks.filter((one) => one !== '\n').length > breaks.length ? '\r\n' : '\n';
}

/** The text on one line, without white space around it or doubled in it. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A text with something inserted; `line` (1-based) is that of the entry or of the heading. */
export interface Edited {
  text: string;
  line: number;
}

/**
 * Lines of their own, below the last text above line `boundary` (one past the last line: the end),
 * with one blank line around them where text is; every other byte stays. `line` is that of the first.
 */
export function insertBlock(
  text: string,
  { starts }: Outline,
  boundary: number,
  lines: readonly string[],
): Edited {
  let last = boundary - 1;
  while (last > 0 && isBlank(lineAt(text, starts, last - 1))) last -= 1;
  const offset = Math.max(text.startsWith('\ufeff') ? 1 : 0, starts[last] ?? text.length);
  const before = last === 0 ? [] : [''];
  const after = isBlank(lineAt(text, starts, last)) ? [] : [''];
  const lineBreak = lineBreakOf(text);
  const block = [...before, ...lines, ...after];
  const isOpen = last > 0 && !/[\r\n]$/.test(text.slice(0, offset));
  const inserted = isOpen
    ? lineBreak + block.join(lineBreak)
    : block.map((line) => line + lineBreak).join('');
  return {
    text: text.slice(0, offset) + inserted + text.slice(offset),
    line: last + 1 + before.length,
  };
}

/** 1-based line that begins at the offset; one past the last for the end of the text. */
export function lineOfOffset(outline: Outline, offset: number): number {
  let [low, high] = [0, outline.starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((outline.starts[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

/** What was inserted is not read back, since a block above it goes on to the end of the text. */
export function unclosed(where: string, line: number): AppError {
  return new AppError(
    'CONFLICT',
    `${where} has a code fence, comment or tag that is never closed before line ${line}`,
    { line },
  );
}

export function isBlank(line: string): boolean {
  return /^\s*$/.test(line);
}
