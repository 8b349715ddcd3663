import { expect, it } from 'vitest';
import { createMemo } from '../../src/when/memo.js';

it('a memo forgets what is no longer around once that may be most of it', () => {
  const memo = createMemo<number>();
  const texts = Array.from({ length: 300 }, (_, at) => `text ${at}`);
  for (const [at, text] of texts.entries()) memo.set(text, at);
  let asked = 0;
  const around = () => {
    asked += 1;
    return texts.slice(0, 40);
  };
  memo.tidy(60, around);
  expect([asked, memo.get('text 299')]).toEqual([0, 299]);
  memo.tidy(40, around);
  expect([asked, memo.get('text 39'), memo.get('text 40')]).toEqual([1, 39, undefined]);
});
