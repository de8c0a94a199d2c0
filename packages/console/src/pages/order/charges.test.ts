import type { ChargeRecord } from '@financing-checkout/contract/back-office';
import { render } from 'lit';
import { expect, test } from 'vitest';
import type { Session } from '../../api/session.ts';
import { chargeView } from './charges.ts';

const money = (value: number) => ({ value, currency: 'CAD' });
const charge: ChargeRecord = {
  id: 'charge-1',
  merchantOrderId: 'A-1',
  state: 'Settled',
  authorized: money(12_345),
  settled: money(12_345),
  refunded: money(0),
  left: { toSettle: money(0), toRefund: money(12_345) },
  operations: [],
};
const session = { name: 'anna', canMoveMoney: true } as Session;

/**
 * Renders a charge.
 * @returns the names of its buttons, its currency field, and the chosen currencies
 */
function show(change: Partial<ChargeRecord>, stated?: string) {
  const chosen: string[] = [];
  const actions = { session, open: () => undefined, isBusy: false };
  const state = (currency: string) => void chosen.push(currency);
  const page = document.createElement('div');
  document.body.replaceChildren(page);
  render(chargeView({ ...charge, ...change }, { ...actions, stated, state }), page);
  const buttons = [...document.querySelectorAll('wa-button')].map((one) => one.textContent.trim());
  return { buttons, select: document.querySelector('select'), chosen };
}

test('offers a refund of a charge whose currency is known', () => {
  expect(show({})).toMatchObject({ buttons: ['Refund …'], select: null });
});

test('offers no money operation until the user has chosen the currency of the charge', () => {
  const { buttons, select, chosen } = show({ currencyAssumed: true });
  expect(buttons).toEqual([]);
  expect(document.body.textContent).toContain('assumed');
  if (select === null) throw new Error('There is no choice of a currency.');
  const codes = [...select.options].map(({ value }) => value);
  expect(codes).toEqual(codes.toSorted());
  select.value = 'HUF';
  select.dispatchEvent(new Event('change'));
  expect(chosen).toEqual(['HUF']);
  // Until the charge is reloaded in the chosen currency, its amounts are in another currency.
  expect(show({ currencyAssumed: true }, 'HUF').buttons).toEqual([]);
  expect(show({ currencyAssumed: true }, 'CAD').buttons).toEqual(['Refund …']);
});
