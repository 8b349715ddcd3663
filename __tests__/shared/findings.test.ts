/** What is said of a body that is wrong, on the forms of a hint's value. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { setHintParams } from '../../src/hints/schema.js';
import { judge, parsed } from '../../src/shared/findings.js';

function said(schema: z.ZodType, input: unknown): string[] {
  return (judge(schema, input).findings ?? []).map((one) => Object.values(one).join(': '));
}

function saidOf(more: object): string[] {
  return said(setHintParams, { component: 'api', key: 'build', ...more });
}

it.each<[string, unknown, string[]]>([
  ['missing', undefined, ['value: is required']],
  ['of another type', 3, ['value: must be text or an object']],
  ['without its kind', {}, ['value.type: must be one of command, path, template, json']],
  ['of no kind', { type: 'x' }, ['value.type: must be one of command, path, template, json']],
  ['without a field', { type: 'command' }, ['value.cmd: is required']],
  [
    'with a wrong word',
    { type: 'command', cmd: 'make', shell: 'fish' },
    ['value.shell: must be one of bash, sh, powershell, cmd'],
  ],
  [
    'with a field of another kind',
    { type: 'path', abs: '/a', cmd: 'x' },
    ['value.cmd: unknown field'],
  ],
])('names what is wrong with a value that is %s', (_what, value, said) => {
  expect(saidOf({ value })).toEqual(said);
});

it('says once that a name is empty', () => {
  expect(saidOf({ component: ' ', value: 'x' })).toEqual(['component: must not be empty']);
});

it.each<[string, z.ZodType, unknown, string]>([
  ['no text', z.string(), 3, 'must be text'],
  ['no list', z.array(z.string()), 'a', 'must be a list'],
  ['no object', z.strictObject({}), null, 'must be an object'],
  ['no yes or no', z.boolean(), 'yes', 'must be true or false'],
  ['no number', z.number(), '1', 'must be a number'],
  ['not whole', z.int(), 1.5, 'must be a whole number'],
  ['missing', z.string(), undefined, 'is required'],
  ['missing among words', z.enum(['a', 'b']), undefined, 'is required'],
  ['no such word', z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  ['not the word', z.literal('a'), 'c', 'must be a'],
  ['too large', z.int().max(20_000), 60_000, 'must be at most 20000'],
  ['too small', z.number().min(1), 0, 'must be at least 1'],
  ['not above', z.number().gt(0), 0, 'must be more than 0'],
  ['too long', z.string().max(2), 'abc', 'must have at most 2 characters'],
  ['empty', z.string().min(1), '', 'must not be empty'],
  ['too many', z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
  ['no time', z.iso.datetime(), 'x', 'must be a time as ISO 8601 has it: 2030-01-31T09:00:00Z'],
  [
    'no form',
    z.union([z.string().min(2), z.string().max(0)]),
    'a',
    'has none of the forms that it may have',
  ],
  ['what its schema says itself', z.string({ error: 'must be a name' }), 1, 'must be a name'],
])('says in our words what is %s', (_what, schema, input, message) => {
  expect(said(schema, input)).toEqual([`(body): ${message}`]);
  expect(() => parsed(schema, input)).toThrow(`(body): ${message}`);
});
