/** What a file is called in MIME, by its ending. */
import { extname } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  toml: 'application/toml',
  wasm: 'application/wasm',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

/** Of an ending that nobody knows: what is neither more nor less than text, or bytes. */
export function mimeTypeOf(path: string, isText: boolean): string {
  const ending = extname(path).slice(1).toLowerCase();
  const known = Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined;
  return known ?? (isText ? 'text/plain' : 'application/octet-stream');
}
