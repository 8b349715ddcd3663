/**
 * Changes in a JSON text that leave everything else as it is written: order and spelling of keys,
 * numbers of any length, blank lines, comments and commas behind the last item. Pure.
 */
import { isObject } from '../../../shared/json.js';

export type JsonPath = readonly (string | number)[];
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

interface Range {
  start: number;
  /** Behind the last character. */
  end: number;
}
interface Node extends Range {
  kind: 'object' | 'array' | 'scalar';
  /** Members or items, in order. */
  parts: Part[];
}
/** `start` is that of the key, where there is one. */
interface Part extends Range {
  key: string | number;
  value: Node;
}

const SPACE = /[ \t\r\n]*/y;
const WORD = /[^\s,\]}]+/y;
const COMMA = /[ \t\r\n]*,/y;
const LINE_END = /^[ \t]*[\r\n]/;
const UNIT = '  ';

/** The value at a path, parsed; `undefined`: there is none. @throws SyntaxError */
export function valueAt(text: string, path: JsonPath): unknown {
  return path.reduce<unknown>(memberOf, JSON.parse(plainJson(text)));
}

function memberOf(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return typeof step === 'number' ? value[step] : undefined;
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** Whether an object or array with nothing in it, not even a comment, is at the path. @throws SyntaxError */
export function isBlankAt(text: string, path: JsonPath): boolean {
  const node = nodeAt(parse(text), path);
  return node !== null && /^[{[]\s*[}\]]$/.test(text.slice(node.start, node.end));
}

/**
 * The text with a member set, or one more item at the end of an array where the path ends in its length.
 * Objects on the way are made. What is in the way and is no object, the caller has refused.
 * @throws SyntaxError
 */
export function withValue(text: string, path: JsonPath, value: Json): string {
  const root = parse(text);
  const there = nodeAt(root, path);
  if (there !== null)
    return spliced(text, there, printed(text, value, indentAt(text, there.start)));
  let depth = path.length - 1;
  while (depth > 0 && nodeAt(root, path.slice(0, depth)) === null) depth -= 1;
  const parent = nodeAt(root, path.slice(0, depth)) ?? root;
  const inner = path.slice(depth + 1).reduceRight<Json>((made, key) => {
    return typeof key === 'number' ? [made] : { [key]: made };
  }, value);
  return inserted(text, parent, path[depth] ?? '', inner);
}

/** The text without what is at the path; a path that leads nowhere changes nothing. @throws SyntaxError */
export function withoutValue(text: string, path: JsonPath): string {
  const parent = nodeAt(parse(text), path.slice(0, -1));
  const at = parent?.parts.findLastIndex(({ key }) => key === path.at(-1)) ?? -1;
  const part = parent?.parts[at];
  if (!parent || !part) return text;
  const before = parent.parts[at - 1];
  const after = parent.parts[at + 1];
  const comma = commaBehind(text, part.end);
  const end = comma === null ? part.end : comma + 1;
  if (after) {
    // A comment in between is about what comes.
    const rest = text.slice(end, after.start);
    const blanks = rest.length - rest.trimStart().length;
    return spliced(text, { start: part.start, end: end + blanks }, '');
  }
  if (before && !hasComment(text.slice(before.end, part.start))) {
    return spliced(text, { start: before.end, end: part.end }, '');
  }
  const inside = { start: parent.start + 1, end: parent.end - 1 };
  const isAlone = !before && !hasComment(text.slice(inside.start, part.start));
  if (isAlone && !hasComment(text.slice(end, inside.end))) return spliced(text, inside, '');
  const start = before?.end ?? inside.start;
  const left = withoutLastComma(text.slice(start, part.start), comma === null && !!before);
  return spliced(text, { start, end }, onItsOwnLine(left, text.slice(end)));
}

/** What stands behind an item up to the next one that goes; its comma goes with it where none followed that. */
function withoutLastComma(between: string, isToGo: boolean): string {
  const comma = isToGo ? commaBehind(between, 0) : null;
  return comma === null ? between : between.slice(0, comma) + between.slice(comma + 1);
}

/** What follows must not become a part of a comment. */
function onItsOwnLine(left: string, rest: string): string {
  return /^[ \t]*\r?\n/.test(rest) ? left.trimEnd() : left.replace(/[ \t]+$/, '');
}

function inserted(text: string, parent: Node, key: string | number, value: Json): string {
  const name = typeof key === 'string' ? `${JSON.stringify(key)}: ` : '';
  const last = parent.parts.at(-1);
  const first = parent.parts[0];
  const eol = eolOf(text);
  if (last && first) {
    const isInLine = !text.slice(parent.start, first.start).includes('\n');
    if (isInLine)
      return spliced(text, { start: last.end, end: last.end }, `, ${name}${compact(value)}`);
    const indent = indentAt(text, first.start);
    const part = `${eol}${indent}${name}${printed(text, value, indent)}`;
    const comma = commaBehind(text, last.end);
    const end = endOfLineComment(text, comma === null ? last.end : comma + 1);
    if (comma !== null) return spliced(text, { start: end, end }, `${part},`);
    return spliced(text, { start: last.end, end }, `,${text.slice(last.end, end)}${part}`);
  }
  const isOneLine = isInOneLine(text);
  const outer = indentAt(text, parent.start);
  const indent = outer + unitOf(text);
  const inside = { start: parent.start + 1, end: parent.end - 1 };
  const comments = text.slice(inside.start, inside.end).trimEnd();
  const body = isOneLine
    ? `${comments}${name}${compact(value)}`
    : `${comments}${eol}${indent}${name}${printed(text, value, indent)}${eol}${outer}`;
  return spliced(text, inside, body);
}

/** A whole document in one line stays one; an empty one is made anew. */
function isInOneLine(text: string): boolean {
  const shown = text.trim();
  return !/[\r\n]/.test(shown) && !/^\{\s*\}$/.test(shown);
}

/** Where the comma of an item that ends here is, whatever stands in between. */
function commaBehind(text: string, end: number): number | null {
  const bare = withoutComments(text);
  COMMA.lastIndex = end;
  return COMMA.test(bare) ? COMMA.lastIndex - 1 : null;
}

/** A comment in the rest of the line is about the item that ends here. */
function endOfLineComment(text: string, end: number): number {
  const start = end + (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0);
  const close = commentEnd(text, start);
  if (close === null) return end;
  const isWhole = !/[\r\n]/.test(text.slice(start, close)) && LINE_END.test(text.slice(close));
  return isWhole ? close : end;
}

/** @param text with no string in it */
function hasComment(text: string): boolean {
  return /\/[/*]/.test(text);
}

function spliced(text: string, { start, end }: Range, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}

function compact(value: Json): string {
  return JSON.stringify(value);
}

/** Lists of plain values stand in one line, as people write them. */
function printed(text: string, value: Json, indent: string): string {
  if (isInOneLine(text)) return compact(value);
  const inner = indent + unitOf(text);
  const eol = eolOf(text);
  const lines = (open: string, parts: string[], close: string) =>
    parts.length === 0
      ? open + close
      : `${open}${eol}${inner}${parts.join(`,${eol}${inner}`)}${eol}${indent}${close}`;
  if (isList(value)) {
    const isPlain = value.every((item) => typeof item !== 'object' || item === null);
    if (isPlain) return `[${value.map(compact).join(', ')}]`;
    return lines(
      '[',
      value.map((item) => printed(text, item, inner)),
      ']',
    );
  }
  if (typeof value !== 'object' || value === null) return compact(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${printed(text, member, inner)}`,
  );
  return lines('{', members, '}');
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Of the line in which a position is. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function unitOf(text: string): string {
  return /^[^\n]*\{[ \t]*\r?\n([ \t]+)\S/.exec(text)?.[1] ?? UNIT;
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Of a key that stands twice the last one counts, as for every reader. */
function nodeAt(root: Node, path: JsonPath): Node | null {
  let node: Node | undefined = root;
  for (const step of path) {
    node = node.parts.findLast(({ key }) => key === step)?.value;
    if (node === undefined) return null;
  }
  return node;
}

function parse(written: string): Node {
  const text = plainJson(written);
  // Says what is wrong; from here on the text is known to be JSON.
  JSON.parse(text);
  let at = 0;
  const take = (pattern: RegExp): void => {
    pattern.lastIndex = at;
    if (pattern.test(text)) at = pattern.lastIndex;
  };
  const parts = (node: Node, close: string): Node => {
    at += 1;
    take(SPACE);
    while (text[at] !== close) {
      const start = at;
      let key: string | number = node.parts.length;
      if (node.kind === 'object') {
        at = stringEnd(text, start);
        key = String(JSON.parse(text.slice(start, at)));
        take(SPACE);
        at += 1;
        take(SPACE);
      }
      const value = read();
      node.parts.push({ key, value, start, end: value.end });
      take(SPACE);
      if (text[at] === ',') at += 1;
      take(SPACE);
    }
    at += 1;
    return { ...node, end: at };
  };
  const read = (): Node => {
    const start = at;
    if (text[at] === '{') return parts({ kind: 'object', start, end: at, parts: [] }, '}');
    if (text[at] === '[') return parts({ kind: 'array', start, end: at, parts: [] }, ']');
    if (text[at] === '"') at = stringEnd(text, at);
    else take(WORD);
    return { kind: 'scalar', start, end: at, parts: [] };
  };
  take(SPACE);
  return read();
}

interface Range {
  start: number;
  /** Behind the last character. */
  end: number;
}

const COMMENT_END = /[\r\n]/g;

interface Found {
  comments: Range[];
  lastCommas: Range[];
}

/** The same text with blanks for comments: all else stays in its place, so do line ends. */
export function withoutComments(text: string): string {
  return blanked(text, found(text).comments);
}

/** The same text as JSON: with blanks for comments and for commas behind a last item. */
export function plainJson(text: string): string {
  const { comments, lastCommas } = found(text);
  const ranges = [...comments, ...lastCommas].sort((one, other) => one.start - other.start);
  return blanked(text, ranges);
}

/** Behind the quote that ends the string which begins at `start`; else the end of the text. */
export function stringEnd(text: string, start: number): number {
  // No regular expression: its stack ends at some millions of characters.
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function found(text: string): Found {
  const comments: Range[] = [];
  const lastCommas: Range[] = [];
  let comma: number | null = null;
  // One that follows nothing is no comma behind an item.
  let isBehindItem = false;
  for (let at = 0; at < text.length; ) {
    const start = at;
    const end = commentEnd(text, at);
    at = end ?? at + 1;
    if (end !== null) {
      comments.push({ start, end });
      continue;
    }
    switch (text[start]) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        continue;
      case ',':
        comma = isBehindItem ? start : null;
        isBehindItem = false;
        continue;
      case ']':
      case '}':
        if (comma !== null) lastCommas.push({ start: comma, end: comma + 1 });
        isBehindItem = true;
        break;
      case '"':
        at = stringEnd(text, start);
        isBehindItem = true;
        break;
      default:
        isBehindItem = text[start] !== '{' && text[start] !== '[';
    }
    comma = null;
  }
  return { comments, lastCommas };
}

/** Behind the comment that begins at `at`, without its line end; `null`: none begins there. */
export function commentEnd(text: string, at: number): number | null {
  if (text[at] !== '/') return null;
  if (text[at + 1] === '/') {
    COMMENT_END.lastIndex = at;
    return COMMENT_END.exec(text)?.index ?? text.length;
  }
  if (text[at + 1] !== '*') return null;
  const close = text.indexOf('*/', at + 2);
  return close < 0 ? null : close + 2;
}

/** @param ranges in order */
function blanked(text: string, ranges: readonly Range[]): string {
  let out = '';
  let at = 0;
  for (const { start, end } of ranges) {
    out += text.slice(at, start) + blank(text.slice(start, end));
    at = end;
  }
  return out + text.slice(at);
}

function blank(part: string): string {
  // No quantifier: over a line of megabytes it can overflow the stack.
  const lines = part.split(/([\r\n])/);
  return lines.map((line, place) => (place % 2 === 0 ? ' '.repeat(line.length) : line)).join('');
}
