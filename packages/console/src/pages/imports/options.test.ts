import { describe, expect, it } from 'vitest';
import type { LedgerPreview } from '@financing-checkout/contract';
import {
  type Choices,
  datesOf,
  decimalOf,
  isUnitMissing,
  missingFields,
  noChoices,
  proposed,
  optionsOf,
} from './options.ts';

const preview: LedgerPreview = {
  format: 'csv',
  delimiter: ';',
  encoding: 'windows-1252',
  columns: ['Beleg', 'Betrag', 'Datum'],
  rows: [
    ['R-1', '1.234,50', '31.12.2026'],
    ['R-2', '9,00', '01.12.2026'],
  ],
  mapping: { order: 'Beleg', amount: 'Betrag', date: 'Datum' },
};

describe('optionsOf', () => {
  it('states columns, words by their meaning, and the values of rows to read', () => {
    const choices: Choices = {
      ...noChoices,
      mapping: { order: 'Order, No', amount: 'Say "total"', settled: '' },
      types: { 'Gutschrift, neu': 'refund', Rechnung: 'settle', Storno: '' },
      onlyColumn: 'State, old',
      onlyValues: 'Paid, Done',
    };
    expect(optionsOf(choices)).toMatchObject({
      map: { order: 'Order, No', amount: 'Say "total"' },
      types: { refund: ['Gutschrift, neu'], settle: ['Rechnung'] },
      only: { 'State, old': ['Paid', 'Done'] },
    });
  });

  it('omits options that the API would refuse in combination with others', () => {
    const query = optionsOf({ ...noChoices, units: 'minor', decimal: 'comma', year: '2026' });
    expect(query.decimal).toBeUndefined();
    expect(query.year).toBeUndefined();
    expect(query.replace).toBeUndefined();
  });

  it('sends one of the two choices about look-alikes', () => {
    expect(optionsOf({ ...noChoices, lookAlikes: 'replace' })).toMatchObject({ replace: true });
    const both = optionsOf({ ...noChoices, lookAlikes: 'keepBoth' });
    expect([both.replace, both.keepBoth]).toEqual([undefined, true]);
  });
});

describe('proposed', () => {
  it('takes columns, encoding and delimiter from the preview, and infers the number and date formats', () => {
    expect(proposed(preview, noChoices)).toMatchObject({
      delimiter: ';',
      encoding: 'windows-1252',
      units: 'major',
      decimal: 'comma',
      dates: 'dmy',
      mapping: preview.mapping,
    });
  });

  it('takes the meaning of words of the type column that every file has', () => {
    const columns = ['Order', 'Art'];
    const rows = ['Einzug', 'ERSTATTUNG', 'Zahlung', ''].map((word) => ['A', word]);
    const typed = { ...preview, columns, rows, mapping: { order: 'Order', type: 'Art' } };
    expect(proposed(typed, noChoices).types).toEqual({ Einzug: 'settle', ERSTATTUNG: 'refund' });
  });

  it('uses a preset, and prefers the user’s choice to the detected one', () => {
    const known = { ...preview, preset: 'stripe' };
    expect(proposed(known, noChoices)).toMatchObject({ preset: 'stripe', units: '', dates: '' });
    expect(proposed(known, { ...noChoices, preset: 'adyen' }).preset).toBe('adyen');
  });
});

it.each([
  [['1.234,50'], 'comma'],
  [['31070,11'], 'comma'],
  [['1,234.50'], 'point'],
  // Three digits may be decimals or thousands.
  [['1.234'], ''],
  [['1,234'], ''],
  [['9.00', '10'], ''],
  [['1.234', '-9,5 €'], 'comma'],
])('infers the decimal separator of %j as %j', (amounts, decimal) => {
  expect(decimalOf(amounts)).toBe(decimal);
});

it.each([
  [['31/12/2026'], 'dmy'],
  [['01/02/2026', '12/31/2026'], 'mdy'],
  [['01/02/2026'], ''],
  [['01.02.2026'], 'dmy'],
  [['2026-12-31'], ''],
  [['20261231'], ''],
  [['3112'], 'ddmm'],
  [['46387'], 'excel'],
  [['1798675200'], 'unix'],
  [['1798675200000'], 'unix-ms'],
  [[], ''],
])('infers the date format of %j as %j', (dates, notation) => {
  expect(datesOf(dates)).toBe(notation);
});

it('lists what must be specified before the dry run', () => {
  const choices = proposed(preview, noChoices);
  expect(missingFields(choices)).toEqual(['type']);
  expect(missingFields({ ...choices, type: 'sign' })).toEqual([]);
  const two = { ...choices, mapping: { order: 'Beleg', settled: 'Betrag', refunded: '' } };
  expect(missingFields(two)).toEqual(['refunded', 'date']);
  expect(isUnitMissing(preview, noChoices)).toBe(true);
  expect(isUnitMissing(preview, choices)).toBe(false);
});
