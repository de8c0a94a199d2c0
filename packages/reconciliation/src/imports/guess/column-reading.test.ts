import { expect, it } from 'vitest';
import { columnReading } from './column-reading.ts';

it.each([
  [['1.234,50'], 'comma'],
  [['31070,11'], 'comma'],
  [['1,234.50'], 'point'],
  // Three digits may be decimals or thousands.
  [['1.234'], undefined],
  [['1,234'], undefined],
  [['9.00', '10'], undefined],
  [['1.234', '-9,5 €'], 'comma'],
])('infers the decimal separator of %j as %j', (amounts, decimal) => {
  expect(columnReading(amounts)).toMatchObject({ units: 'major', decimal });
});

it('does not infer a unit from whole numbers', () => {
  expect(columnReading(['1234', '9']).units).toBeUndefined();
});

it.each([
  [['31/12/2026'], 'dmy'],
  [['01/02/2026', '12/31/2026'], 'mdy'],
  [['01/02/2026'], undefined],
  [['01.02.2026'], 'dmy'],
  [['2026-12-31'], undefined],
  [['20261231'], undefined],
  [['3112'], 'ddmm'],
  [['46387'], 'excel'],
  [['1798675200'], 'unix'],
  [['1798675200000'], 'unix-ms'],
  [[], undefined],
])('infers the date format of %j as %j', (dates, notation) => {
  expect(columnReading(dates).dates).toBe(notation);
});

it.each([
  [['01/02/2026'], ['dates', 'zone']],
  [['2026-12-31 10:00:00'], ['zone']],
  [['2026-12-31'], []],
  [['2026-12-31T10:00:00Z', ''], []],
  [['46387'], ['dates', 'zone']],
])('asks for the notation and zone of ambiguous dates %j', (dates, asks) => {
  expect(columnReading(dates).asks.filter((name) => name !== 'types')).toEqual(asks);
});

it('recognizes common words in the type column', () => {
  expect(columnReading(['Einzug', 'ERSTATTUNG', 'Zahlung', ''])).toMatchObject({
    types: { settle: ['Einzug'], refund: ['ERSTATTUNG'] },
    asks: ['zone', 'types'],
  });
  const usual = columnReading(['Settle', 'refund', 'settle']);
  expect([usual.types, usual.asks]).toEqual([undefined, ['zone']]);
});
