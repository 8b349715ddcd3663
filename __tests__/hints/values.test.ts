import { expect, it } from 'vitest';
import { type HintValue, hintValueSchema } from '../../src/hints/schema.js';
import { checkName } from '../../src/hints/scope.js';
import { checkTraversal, checkValue } from '../../src/hints/validate.js';

type Os = ('linux' | 'darwin' | 'windows')[];
const path = (abs: string, os?: Os): HintValue => ({ type: 'path', abs, ...(os && { os }) });
const messages = (value: HintValue): string[] =>
  checkValue(value).map(({ field, message }) => `${field} ${message}`);

it.each<[string, Os | undefined]>([
  ['/srv/api', undefined],
  ['/srv/api', ['linux', 'darwin']],
  ['C:\\code', undefined],
  ['c:/code', ['windows']],
  ['\\\\server\\share', ['windows']],
  ['//server/share', ['windows']],
  ['\\\\?\\C:\\long', ['windows']],
  ['/srv/a..b/...', ['linux']],
])('lets %s be a path (on %j)', (abs, os) => {
  expect(messages(path(abs, os))).toEqual([]);
});

it.each<[string, Os | undefined, string]>([
  ['work/api', undefined, 'value.abs must be absolute'],
  ['./api', undefined, 'value.abs must be absolute'],
  ['~/api', undefined, 'value.abs must be absolute'],
  ['C:code', undefined, 'value.abs must be absolute'],
  ['\\code', undefined, 'value.abs must be absolute'],
  ['file:///srv', undefined, 'value.abs must be absolute'],
  ['/srv', ['windows'], 'value.abs is not absolute on windows'],
  ['C:\\code', ['linux', 'darwin'], 'value.abs is not absolute on linux, darwin'],
  ['C:\\code', ['linux', 'windows'], 'value.abs is not absolute on linux'],
  ['/srv/a\u0001b', undefined, 'value.abs must not contain control characters'],
  ['/srv', [], 'value.os must name a system or be left out'],
])('refuses %j as a path (on %j)', (abs, os, message) => {
  expect(messages(path(abs, os))).toEqual([message]);
});

it('takes a text for what it is, path or not', () => {
  expect(messages('c:\\code\\..\\http-proxy')).toEqual([]);
});

it('keeps 16,384 bytes of a text as it is and of other values as JSON, not one more', () => {
  expect(messages('a'.repeat(16_384))).toEqual([]);
  expect(messages('"'.repeat(16_384))).toEqual([]);
  expect(messages('a'.repeat(16_385))).toEqual(['value has 16385 bytes, at most 16384 are kept']);
  expect(messages('ä'.repeat(8_193))).toEqual(['value has 16386 bytes, at most 16384 are kept']);
});

it('keeps JSON of 64 levels, and looks at far deeper ones without exhausting the stack', () => {
  const nested = (levels: number): HintValue => {
    let data: HintValue extends infer V ? (V extends { data: infer D } ? D : never) : never = [];
    for (let level = 1; level < levels; level += 1) data = level % 2 === 0 ? [data] : { in: data };
    return { type: 'json', data };
  };
  expect(messages(nested(64))).toEqual([]);
  expect(messages(nested(65))).toEqual(['value.data is nested over 64 deep']);
  expect(messages(nested(100_000))).toEqual(['value.data is nested over 64 deep']);
});

it('refuses the names that objects have of themselves', () => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    expect(checkName(name, 'key')).toEqual([{ field: 'key', message: `must not be "${name}"` }]);
  }
  expect(['proto', 'toString'].flatMap((name) => checkName(name, 'key'))).toEqual([]);
});

it('refuses them in the defaults of a template', () => {
  const defaults: Record<string, string> = JSON.parse(
    '{"a":"1","__proto__":"x","constructor":"y"}',
  );
  const value: HintValue = { type: 'template', format: 'jinja', body: '{{ a }}', defaults };
  expect(messages(value)).toEqual([
    'value.defaults.__proto__ must not be "__proto__"',
    'value.defaults.constructor must not be "constructor"',
  ]);
});

it('leaves them alone inside of JSON, where they reach no prototype', () => {
  const text =
    '{"type":"json","data":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}';
  const value: HintValue = JSON.parse(text);
  expect(messages(value)).toEqual([]);
  expect(messages(hintValueSchema.parse(JSON.parse(text)))).toEqual([]);
  expect(Reflect.get({}, 'polluted')).toBe(undefined);
});

it.each(['/srv/../etc', 'C:\\code\\..\\x', '/..'])('knows that %j leads up', (abs) => {
  expect(checkTraversal({ type: 'path', abs })).toEqual([
    { field: 'value.abs', message: 'must not contain ".."' },
  ]);
  expect(checkTraversal({ type: 'path', abs: abs.replaceAll('..', '...') })).toEqual([]);
});
