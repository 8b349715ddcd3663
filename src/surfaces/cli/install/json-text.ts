/** Changes in a JSON text with comments that leave everything else as it is written. Pure. */
import {
  applyEdits,
  modify,
  type ParseError,
  parse,
  printParseErrorCode,
  visit,
} from 'jsonc-parser';
import { isObject } from '../../../shared/json.js';

export type JsonPath = readonly (string | number)[];
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** The value at a path, parsed; `undefined`: there is none. @throws SyntaxError */
export function valueAt(text: string, path: JsonPath): unknown {
  const errors: ParseError[] = [];
  const document: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    throw new SyntaxError(`${printParseErrorCode(error.error)} at character ${error.offset}`);
  }
  return path.reduce<unknown>(memberOf, document);
}

function memberOf(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return typeof step === 'number' ? value[step] : undefined;
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** All comments, sorted. */
export function commentsIn(text: string): string[] {
  const comments: string[] = [];
  visit(text, {
    onComment: (offset, length) => comments.push(text.slice(offset, offset + length).trim()),
  });
  return comments.sort();
}

/**
 * The text with a member set, or one more item at the end of an array where the path ends in its length.
 * Objects on the way are made.
 */
export function withValue(text: string, path: JsonPath, value: Json): string {
  return modified(text, path, value);
}

/** The text without what is at the path; a path that leads nowhere changes nothing. */
export function withoutValue(text: string, path: JsonPath): string {
  return valueAt(text, path) === undefined ? text : modified(text, path, undefined);
}

function modified(text: string, path: JsonPath, value: Json | undefined): string {
  const indent = /^[^\n]*\{[ \t]*\r?\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 4 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}
