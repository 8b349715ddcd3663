/** Every text of a hint with where it stands: values, keys of objects, the hint's own names. */
import type { HintMeta, HintValue } from '../schema.js';

export interface Piece {
  /** Steps to the text: `value`, `data`, `list`, 0. Steps are texts of the caller's, too. */
  path: readonly (string | number)[];
  text: string;
  /** Of the property, default or key that holds the text. */
  name?: string;
}

/** How far down where something stands is told. */
const MAX_STEPS = 12;

export interface HintTexts {
  component?: string | undefined;
  key?: string | undefined;
  value: HintValue;
  meta?: HintMeta | undefined;
}

export function piecesOf({ component, key, value, meta }: HintTexts): Piece[] {
  const pieces: Piece[] = [];
  if (component !== undefined) pieces.push({ path: ['component'], text: component });
  if (key !== undefined) pieces.push({ path: ['key'], text: key });
  if (typeof value === 'string') pieces.push(piece(['value'], value, key));
  else if (value.type === 'json') collect(pieces, ['value', 'data'], value.data, key);
  else collect(pieces, ['value'], value, undefined);
  if (meta !== undefined) collect(pieces, ['meta'], meta, undefined);
  return pieces;
}

function piece(path: Piece['path'], text: string, name: string | undefined): Piece {
  return name === undefined ? { path, text } : { path, text, name };
}

/** Depth is the caller's: no recursion. Elements of a list have the name of the list. */
function collect(
  pieces: Piece[],
  path: readonly (string | number)[],
  data: unknown,
  name: string | undefined,
): void {
  const open: [path: readonly (string | number)[], data: unknown, name: string | undefined][] = [
    [path, data, name],
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [at, given, called] = next;
    if (typeof given === 'string') pieces.push(piece(at, given, called));
    else if (typeof given === 'number' && called !== undefined) {
      pieces.push(piece(at, String(given), called));
    } else if (Array.isArray(given)) {
      for (const [index, item] of given.entries()) open.push([step(at, index), item, called]);
    } else if (typeof given === 'object' && given !== null) {
      for (const [key, item] of Object.entries(given)) {
        pieces.push({ path: step(at, '(name)'), text: key });
        open.push([step(at, key), item, key]);
      }
    }
  }
}

function step(path: readonly (string | number)[], next: string | number) {
  return path.length >= MAX_STEPS ? path : [...path, next];
}
