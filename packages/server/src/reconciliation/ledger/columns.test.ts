import { expect, test } from 'vitest';
import { parseMapping } from './columns.ts';

test('columns are named by pairs; a name with a comma is quoted', () => {
  expect(parseMapping('order=Order No, amount=Total')).toEqual({
    order: 'Order No',
    amount: 'Total',
  });
  expect(parseMapping('amount="Total, ""gross""",date=When')).toEqual({
    amount: 'Total, "gross"',
    date: 'When',
  });
  expect(parseMapping('')).toEqual({});
});

test.each(['total=Total', 'order', 'order=', 'order=A,order=B', '=A'])(
  'a mapping that cannot be used says what one looks like: %s',
  (text) => {
    expect(() => parseMapping(text)).toThrow(/mapping/);
  },
);
