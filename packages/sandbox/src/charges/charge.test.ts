import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chargeBack,
  refund,
  reverse,
  settle,
  upperCaseState,
  voidCharge,
  type ChargeBalance,
} from './charge.ts';

const authorized: ChargeBalance = {
  state: 'Authorized',
  total: 1000,
  voided: 0,
  settled: 0,
  refunded: 0,
  chargedBack: 0,
  reversed: 0,
};
const operations = { settle, refund, 'charge back': chargeBack, reverse };
type Operation = keyof typeof operations;

/** Applies steps in sequence; each must be permitted. */
function after(...steps: [operation: Operation, amount: number][]): ChargeBalance {
  return steps.reduce((charge, [operation, amount]) => {
    const next = operations[operation](charge, amount);
    if ('refused' in next) throw new Error(next.reason);
    return next;
  }, authorized);
}

describe('charge states', () => {
  it('are formatted in upper case with underscores, except CHARGEDBACK', () => {
    const published = [
      'CREATED',
      'AUTHORIZED',
      'PARTIALLY_SETTLED',
      'SETTLED',
      'PARTIALLY_REFUNDED',
      'PARTIALLY_SETTLED_PARTIALLY_REFUNDED',
      'SETTLED_PARTIALLY_REFUNDED',
      'REFUNDED',
      'PARTIALLY_SETTLED_REFUNDED',
      'VOIDED',
      'CHARGEDBACK',
    ];
    const states = [
      'Created',
      'Authorized',
      'PartiallySettled',
      'Settled',
      'PartiallyRefunded',
      'PartiallySettledPartiallyRefunded',
      'SettledPartiallyRefunded',
      'Refunded',
      'PartiallySettledRefunded',
      'Voided',
      'ChargedBack',
    ] as const;
    expect(states.map(upperCaseState)).toEqual(published);
  });

  it.each([
    ['Settled', after(['settle', 1000])],
    ['PartiallySettled', after(['settle', 400])],
    ['Settled', after(['settle', 400], ['settle', 600])],
    ['SettledPartiallyRefunded', after(['settle', 1000], ['refund', 1])],
    ['Refunded', after(['settle', 1000], ['refund', 400], ['refund', 600])],
    ['PartiallySettledPartiallyRefunded', after(['settle', 400], ['refund', 399])],
    ['PartiallySettledRefunded', after(['settle', 400], ['refund', 400])],
    ['PartiallySettledPartiallyRefunded', after(['settle', 400], ['refund', 400], ['settle', 1])],
    ['ChargedBack', after(['settle', 1000], ['charge back', 1000])],
    ['ChargedBack', after(['settle', 1000], ['refund', 400], ['charge back', 600])],
    ['ChargedBack', after(['settle', 1000], ['refund', 1000], ['charge back', 1])],
    ['Settled', after(['settle', 1000], ['charge back', 999])],
    ['Settled', after(['settle', 1000], ['charge back', 1000], ['reverse', 1])],
    [
      'SettledPartiallyRefunded',
      after(['settle', 1000], ['refund', 400], ['charge back', 600], ['reverse', 600]),
    ],
  ])('%s', (state, charge) => expect(charge.state).toBe(state));

  it('settle, refund or void the remainder by default', () => {
    expect(settle(after(['settle', 400]))).toMatchObject({ state: 'Settled', settled: 1000 });
    const refunded = refund(after(['settle', 1000], ['refund', 1]));
    expect(refunded).toMatchObject({ state: 'Refunded', refunded: 1000 });
    const part = voidCharge(authorized, 300) as ChargeBalance;
    expect(part).toMatchObject({ state: 'Authorized', voided: 300 });
    expect(voidCharge(part)).toMatchObject({ state: 'Voided', voided: 1000 });
    expect(settle(part)).toMatchObject({ state: 'Settled', settled: 700 });
    expect(settle(part, 701)).toMatchObject({ refused: 'amount' });
    expect(voidCharge(part, 701)).toMatchObject({ refused: 'amount' });
  });

  it('allow no void after a settle, and no operation after a void', () => {
    const voided = voidCharge(authorized) as ChargeBalance;
    expect(voided.state).toBe('Voided');
    for (const refused of [
      voidCharge(after(['settle', 1])),
      voidCharge(voided),
      settle(voided),
      refund(voided, 1),
      refund(authorized, 1),
      settle(after(['settle', 1000])),
      refund(after(['settle', 1000], ['refund', 1000]), 1),
    ]) {
      expect(refused).toMatchObject({ refused: 'stage' });
    }
  });

  it('limit chargebacks to the settled total, and reversals to the chargebacks', () => {
    const taken = after(['settle', 1000], ['charge back', 600]);
    expect(chargeBack(authorized)).toMatchObject({ refused: 'stage' });
    expect(chargeBack(taken, 401)).toMatchObject({ refused: 'amount' });
    expect(chargeBack(taken)).toMatchObject({ state: 'ChargedBack', chargedBack: 1000 });
    expect(chargeBack(after(['settle', 5], ['refund', 5]))).toMatchObject({ refused: 'amount' });
    expect(reverse(after(['settle', 1000]))).toMatchObject({ refused: 'stage' });
    expect(reverse(taken, 601)).toMatchObject({ refused: 'amount' });
    expect(reverse(taken)).toMatchObject({ state: 'Settled', reversed: 600 });
    const lost = after(['settle', 1000], ['charge back', 1000]);
    expect([settle(lost), refund(lost, 1)]).toMatchObject([
      { refused: 'stage' },
      { refused: 'stage' },
    ]);
  });

  it('reject amounts that exceed the remainder', () => {
    expect(settle(after(['settle', 999]), 2)).toMatchObject({ refused: 'amount' });
    expect(refund(after(['settle', 10]), 11)).toMatchObject({ refused: 'amount' });
  });

  it('never allow settling more than authorized or refunding more than settled', () => {
    const step = fc.tuple(
      fc.constantFrom('settle', 'refund', 'charge back', 'reverse', 'void'),
      fc.integer({ min: 1, max: 1200 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let charge = authorized;
        for (const [operation, amount] of steps) {
          const next =
            operation === 'void'
              ? voidCharge(charge, amount)
              : operations[operation](charge, amount);
          if (!('refused' in next)) charge = next;
          expect(charge.settled + charge.voided).toBeLessThanOrEqual(charge.total);
          expect(charge.refunded).toBeLessThanOrEqual(charge.settled);
          expect(charge.reversed).toBeLessThanOrEqual(charge.chargedBack);
          expect(charge.chargedBack - charge.reversed).toBeLessThanOrEqual(charge.settled);
          if (charge.state === 'Voided') expect(charge.settled).toBe(0);
        }
      }),
    );
  });
});
