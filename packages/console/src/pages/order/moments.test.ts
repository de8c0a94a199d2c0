import { expect, test } from 'vitest';
import type { ChargeRecord } from '@financing-checkout/contract/back-office';
import type { OrderExplanation } from '@financing-checkout/contract/reconciliation';
import { labeled, momentsOf, placesOf } from './moments.ts';

const at = (time: string) => ({ at: `2026-11-${time}:00.000Z`, lane: 'merchant' as const });

test('positions events by time, with a minimum distance within a lane but not across lanes', () => {
  const other = { ...at('01T10:00'), lane: 'lender' as const };
  const places = placesOf([at('01T10:00'), other, at('01T10:00'), at('06T10:00'), at('11T10:00')]);
  expect(places[0]).toBe(0);
  expect(places[1]).toBe(0);
  expect(places[2]).toBeCloseTo(0.035, 2);
  expect(places[3]).toBeCloseTo(0.52, 1);
  expect(places[4]).toBeCloseTo(1);
});

test('keeps many close events in order and on the line', () => {
  const minutes = Array.from({ length: 60 }, (_, index) =>
    at(`01T10:${String(index).padStart(2, '0')}`),
  );
  const places = placesOf([...minutes, at('28T10:00')]);
  expect(places.toSorted((one, other) => one - other)).toEqual(places);
  expect(new Set(places).size).toBe(61);
  expect(places.at(-1)).toBeCloseTo(1);
});

test('positions a single event at the start', () => {
  expect(placesOf([at('01T10:00')])).toEqual([0]);
});

test('labels only events that do not overlap the previous label', () => {
  expect(labeled([0, 0.1, 0.2, 0.45, 0.5], 0.2)).toEqual([0, 2, 3]);
});

test('adds the checkout, operations missing from the ledger, and the due date of the awaited payment', () => {
  const order = {
    currencies: [
      {
        currency: 'USD',
        status: { awaiting: 500, recheckAt: '2026-11-29T00:00:00.000Z' },
        ledger: [{ merchantTransactionId: 'm1' }],
      },
    ],
    timeline: [
      { at: at('02T10:00').at, source: 'ledger', what: 'Settle', amount: 500, currency: 'USD' },
    ],
  } as unknown as OrderExplanation;
  const operation = { kind: 'settle', state: 'accepted', amount: { value: 500, currency: 'USD' } };
  const charge = {
    operations: [
      { ...operation, merchantTransactionId: 'm1', createdAt: '2026-11-02T10:00:00.000Z' },
      {
        ...operation,
        kind: 'void',
        state: 'unknown',
        merchantTransactionId: 'm2',
        createdAt: '2026-11-01T10:00:00.000Z',
      },
    ],
  } as unknown as ChargeRecord;

  const primedAt = '2026-10-31T10:00:00.000Z';
  expect(momentsOf(order, { charges: [charge], primedAt })).toMatchObject([
    { lane: 'merchant', what: 'primed', at: primedAt },
    { lane: 'merchant', what: 'Void', status: 'unknown' },
    { lane: 'merchant', what: 'Settle', amount: 500 },
    { lane: 'lender', what: 'due', amount: 500, isExpected: true },
  ]);
});
