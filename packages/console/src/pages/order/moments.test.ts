import { expect, test } from 'vitest';
import type { ChargeRecord, OrderExplanation } from '@financing-checkout/contract';
import { labelled, momentsOf, placesOf } from './moments.ts';

const at = (time: string) => ({ at: `2026-11-${time}:00.000Z`, lane: 'merchant' as const });

test('places moments by time, close ones of a lane apart, and those of other lanes together', () => {
  const other = { ...at('01T10:00'), lane: 'lender' as const };
  const places = placesOf([at('01T10:00'), other, at('01T10:00'), at('06T10:00'), at('11T10:00')]);
  expect(places[0]).toBe(0);
  expect(places[1]).toBe(0);
  expect(places[2]).toBeCloseTo(0.035, 2);
  expect(places[3]).toBeCloseTo(0.52, 1);
  expect(places[4]).toBeCloseTo(1);
});

test('keeps many close moments in order and on the line', () => {
  const minutes = Array.from({ length: 60 }, (_, index) =>
    at(`01T10:${String(index).padStart(2, '0')}`),
  );
  const places = placesOf([...minutes, at('28T10:00')]);
  expect(places.toSorted((one, other) => one - other)).toEqual(places);
  expect(new Set(places).size).toBe(61);
  expect(places.at(-1)).toBeCloseTo(1);
});

test('places a single moment at the beginning', () => {
  expect(placesOf([at('01T10:00')])).toEqual([0]);
});

test('labels only what fits beside the label before', () => {
  expect(labelled([0, 0.1, 0.2, 0.45, 0.5], 0.2)).toEqual([0, 2, 3]);
});

test('adds the checkout, operations that the ledger lacks, and when the awaited payment is due', () => {
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
