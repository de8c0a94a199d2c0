import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ModelOrder, modelOf } from '../independent-model.fixture.ts';
import type { OrderLines } from '../order/lines.ts';
import { day, funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from './order-status.ts';

/** Few amounts, so that whole amounts, parts and sums of lines collide. */
const amount = fc.constantFrom(100, 100, 50, 200, 1_000, 999);

const namedOrder: fc.Arbitrary<ModelOrder> = fc
  .record({
    settles: fc.array(amount, { minLength: 1, maxLength: 3 }),
    refunds: fc.array(amount, { maxLength: 2 }),
    posted: fc.array(
      fc.record({
        isRefund: fc.constantFrom(false, false, true),
        line: fc.nat(),
        amount: fc.oneof(fc.constant('whole' as const), amount),
        sign: fc.constantFrom(1, 1, 1, 1, -1),
      }),
      { maxLength: 7 },
    ),
    chargebacks: fc.array(amount, { maxLength: 1 }),
    reversals: fc.array(amount, { maxLength: 1 }),
  })
  .map(({ posted, ...rest }) => ({
    ...rest,
    postings: posted.flatMap(({ isRefund, line: at, amount: size, sign }) => {
      const kind = isRefund ? ('refund' as const) : ('settle' as const);
      const lines = isRefund ? rest.refunds : rest.settles;
      const place = at % Math.max(1, lines.length);
      const whole = lines[place];
      if (whole === undefined) return [];
      // The sign of refunds is a convention of the lender: posting.test.ts covers it.
      return [
        { kind, line: place, amount: (size === 'whole' ? whole : size) * (isRefund ? 1 : sign) },
      ];
    }),
  }));

/** Returns the order as lines and fundings, posted on consecutive days. */
function linesOf({ settles, refunds, postings, chargebacks, reversals }: ModelOrder): OrderLines {
  const named = (kind: string, at: number) => ({ transactionId: `${kind}-${at}` });
  return order(
    [
      ...settles.map((size, at) => line('Settle', size, named('settle', at))),
      ...refunds.map((size, at) => line('Refund', size, named('refund', at))),
    ],
    [
      ...postings.map((one, at) =>
        funding(one.kind === 'settle' ? 'Settle' : 'Refund', one.amount, {
          ...named(one.kind, one.line),
          fundedAt: day(12 + at),
        }),
      ),
      ...chargebacks.map((size) => funding('Chargeback', size, { fundedAt: day(40) })),
      ...reversals.map((size) => funding('Reversal', size, { fundedAt: day(41) })),
    ],
  );
}

test('property: fundings that name their lines are summed as by the independent model', () => {
  fc.assert(
    fc.property(namedOrder, (some) => {
      const { funded, funding: axis, returns } = reconcileOrder(linesOf(some), policy);
      expect({ funded, funding: axis, returns }).toEqual(modelOf(some));
    }),
    { numRuns: 25_000 },
  );
});

/** Fundings that name no line, with days to permute for another posting order. */
const unnamedTwice = fc
  .record({
    settles: fc.array(amount, { minLength: 1, maxLength: 4 }),
    fundings: fc.array(amount, { maxLength: 5 }),
  })
  .chain(({ settles, fundings }) =>
    fc.record({
      settles: fc.constant(settles),
      fundings: fc.constant(fundings),
      again: fc.shuffledSubarray(fundings, { minLength: fundings.length }),
    }),
  );

test('property: fundings that name no line have the same sums in any posting order', () => {
  const statusOf = (settles: readonly number[], fundings: readonly number[]) => {
    const lines = order(
      settles.map((size) => line('Settle', size)),
      fundings.map((size, at) =>
        funding('Settle', size, { lenderReferenceId: undefined, fundedAt: day(12 + at) }),
      ),
    );
    const { funded, funding: axis, returns } = reconcileOrder(lines, policy);
    return { funded, funding: axis, returns };
  };
  fc.assert(
    fc.property(unnamedTwice, ({ settles, fundings, again }) => {
      expect(statusOf(settles, again)).toEqual(statusOf(settles, fundings));
    }),
    { numRuns: 25_000 },
  );
});
