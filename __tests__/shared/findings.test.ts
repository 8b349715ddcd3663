/** What is said of a body that is wrong, on the forms of a hint's value. */
import { expect, it } from 'vitest';
import { setHintParams } from '../../src/hints/schema.js';
import { findingsOf } from '../../src/shared/findings.js';

function saidOf(more: object): string[] {
  const parsed = setHintParams.safeParse({ component: 'api', key: 'build', ...more });
  return parsed.success ? [] : findingsOf(parsed.error).map((one) => Object.values(one).join(': '));
}

it.each<[string, unknown, string[]]>([
  ['missing', undefined, ['value: is required']],
  ['of another type', 3, ['value: must be string or object']],
  ['without its kind', {}, ['value.type: must be one of command, path, template, json']],
  ['of no kind', { type: 'x' }, ['value.type: must be one of command, path, template, json']],
  ['without a field', { type: 'command' }, ['value.cmd: is required']],
  [
    'with a wrong word',
    { type: 'command', cmd: 'make', shell: 'fish' },
    [expect.stringMatching(/^value\.shell: .*"bash"\|"sh"\|"powershell"\|"cmd"$/) as string],
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
