import { chargeStates } from '@financing-checkout/contract/back-office';
import { expect, test } from 'vitest';
import { readChargeState, readTransactionWord } from './vocabulary.ts';

const screaming = (word: string) => word.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

test.each(chargeStates)('reads %s in both published vocabularies', (state) => {
  expect(readChargeState(state)).toBe(state);
  expect(readChargeState(screaming(state))).toBe(state);
});

test.each([
  ['CHARGEDBACK', 'ChargedBack'],
  ['CHARGEBACK', 'ChargedBack'],
  ['Refund', 'Refunded'],
  ['FULLY_REFUNDED', 'Refunded'],
])('reads %s as %s', (word, state) => {
  expect(readChargeState(word)).toBe(state);
});

test('keeps an unknown state', () => {
  expect(readChargeState('ON_HOLD')).toBe('ON_HOLD');
});

test.each([
  ['SETTLE', 'Settle'],
  ['CHARGEBACK', 'Chargeback'],
  ['PendingMerchant', 'PendingMerchant'],
  ['FAILED', 'Failed'],
  ['Adjustment', 'Adjustment'],
])('reads the transaction word %s as %s', (word, read) => {
  expect(readTransactionWord(word)).toBe(read);
});
