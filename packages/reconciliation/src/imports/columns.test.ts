import { expect, test } from 'vitest';
import { parseMapping, parseTypes } from './columns.ts';

test('parses column pairs, with quotes around a name that contains a comma', () => {
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
  'explains the expected syntax for an invalid mapping: %s',
  (text) => {
    expect(() => parseMapping(text)).toThrow(/mapping/);
  },
);

test('parses pairs of type words, repeated and in any letter case', () => {
  expect([...parseTypes('settle=Invoice,settle=Sale, refund="Credit, note",skip=Fee')]).toEqual([
    ['invoice', 'Settle'],
    ['sale', 'Settle'],
    ['credit, note', 'Refund'],
    ['fee', 'skip'],
  ]);
});

test.each(['void=Storno', 'settle', 'settle=', 'settle=Sale,refund=SALE'])(
  'explains the expected syntax for invalid types: %s',
  (text) => {
    expect(() => parseTypes(text)).toThrow(/types/i);
  },
);
