import { expect, test } from 'vitest';
import { tableLines } from './table.ts';

test.each([
  ['a letter with a sign', 'e\u0301', 1],
  ['half-width katakana', '\uff76', 1],
  ['one of East Asia', '\u6ce8', 2],
  ['one of East Asia beyond the first plane, as in names', '\u{20bb7}', 2],
  ['an emoji', '\u{1f600}', 2],
  ['a sign that is an emoji by itself', '\u2705', 2],
  ['a sign that is made one', '\u26a0\ufe0f', 2],
  ['a family of emoji', '\u{1f469}\u200d\u{1f467}', 2],
  ['a flag', '\u{1f1e9}\u{1f1ea}', 2],
])('aligns the column after %s', (_, text, width) => {
  const columns = [
    { head: 'ORDER', cell: (order: string) => order },
    { head: 'NEXT', cell: () => 'x' },
  ];
  expect(tableLines(columns, [text])[1]).toBe(`${text}${' '.repeat(5 - width)}  x`);
});
