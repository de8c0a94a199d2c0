/* The message's own types match the contract, and its payments are exact. */
import type * as contract from '@financing-checkout/contract/storefront';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { contentOf } from './content.ts';
import type { Programme, Programmes, ShownMessage } from './index.ts';
import { programme } from './programmes.fixture.ts';
import { offersFor } from './programmes.ts';

it('has the same types as the contract', () => {
  expectTypeOf<contract.Programme>().toExtend<Programme>();
  expectTypeOf<contract.Programmes>().toExtend<Programmes>();
  expectTypeOf<ShownMessage>().toEqualTypeOf<Readonly<contract.ShownMessage>>();
  expectTypeOf<keyof Programme>().toEqualTypeOf<keyof contract.Programme>();
});

describe('every amount of a programme', () => {
  it('has payments that add up exactly to the total', () => {
    const terms = programme({ apr: '9.99', amount: { min: 1, max: 99_999_999_999_999 } });
    for (let amount = 7; amount < 90_000_000_000_000; amount = amount * 3 + 1) {
      const [offer] = offersFor([terms], { amount, currency: 'USD' });
      if (!offer) continue;
      const { interest, lastPayment, payment, total } = offer.repayment;
      expect(payment * 23 + lastPayment).toBe(total);
      expect(total - interest).toBe(amount);
    }
  });

  it('is formatted the same way each time, from the same computed payments', () => {
    const purchase = { amount: '89000', currency: 'USD' };
    const [one, two] = [0, 1].map(() => contentOf([programme()], purchase, 'en'));
    expect(two).toEqual(one);
    expect(two?.offers[0].repayment).toBe(one?.offers[0].repayment);
  });
});
