import { expect, it } from 'vitest';
import type { LedgerPreview } from '@financing-checkout/contract/reconciliation';
import { isUnitMissing, meaningOf, missingFields, sentOptions, withMeaning } from './options.ts';

const preview: LedgerPreview = {
  format: 'csv',
  columns: ['Beleg', 'Betrag', 'Datum'],
  readings: [{ asks: [] }, { asks: [] }, { asks: [] }],
  rows: [],
  proposal: {},
  questions: [],
  known: [],
};

it('sends no option that is incomplete, or that the API refuses in combination with others', () => {
  const sent = sentOptions({
    map: { order: 'Order, No', settled: '' },
    types: { refund: ['Gutschrift'], settle: [] },
    only: { State: [] },
    skipRowsWithout: [],
    units: 'minor',
    decimal: 'comma',
    year: 2026,
  });
  expect(sent).toEqual({
    map: { order: 'Order, No' },
    types: { refund: ['Gutschrift'] },
    units: 'minor',
    source: 'import',
  });
});

it('maps each word of the type column to exactly one type', () => {
  const types = { settle: ['Rechnung'], refund: ['Storno'] };
  expect([meaningOf(types, 'Storno'), meaningOf(types, 'Zahlung')]).toEqual(['refund', undefined]);
  expect(withMeaning(types, 'Storno', 'skip')).toEqual({
    settle: ['Rechnung'],
    refund: [],
    skip: ['Storno'],
  });
  expect(withMeaning(types, 'Storno', undefined)).toEqual({ settle: ['Rechnung'], refund: [] });
});

it('lists what must be specified before the dry run', () => {
  const options = { map: { order: 'Beleg', amount: 'Betrag', date: 'Datum' } };
  expect(missingFields(options)).toEqual(['type']);
  expect(missingFields({ ...options, type: 'sign' })).toEqual([]);
  const two = { map: { order: 'Beleg', settled: 'Betrag', refunded: '' } };
  expect(missingFields(two)).toEqual(['refunded', 'date']);
  expect(isUnitMissing(preview, {})).toBe(true);
  expect(isUnitMissing(preview, { units: 'major' })).toBe(false);
  expect(isUnitMissing({ ...preview, known: ['units'] }, {})).toBe(false);
});
