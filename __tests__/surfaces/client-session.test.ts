/** What a client may call its own session. */
import { expect, it } from 'vitest';
import { clientSessionOf } from '../../src/surfaces/mcp-client.js';

it.each([
  ['an id', '0b7c-1', '0b7c-1'],
  ['the longest', 'x'.repeat(200), 'x'.repeat(200)],
  ['space around it', ' a b\n', 'a b'],
  ['one too long', 'x'.repeat(201), undefined],
  ['a line break within', 'a\nb', undefined],
  ['a NUL', 'a\u0000', undefined],
  ['what no header carries', 'sitzung-ü-✓', undefined],
  ['nothing but space', '  ', undefined],
  ['none', undefined, undefined],
])('%s', (_name, text, id) => {
  expect(clientSessionOf(text)).toBe(id);
});
