import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ExpectationIndex,
  indexExpectations,
  joinExpectations,
} from '../order/expectation.ts';
import { LineSets } from './line-sets.ts';
import { matchOpen } from './matching.ts';
import { OpenAmounts } from './open-amounts.ts';
import { funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';
import { type Expectation, type Posting, postingsOf } from '../order/posting.ts';

/** The same rules with a full scan of the lines for each posting. */
class PlainBooks {
  readonly #index: ExpectationIndex;
  readonly #tolerance: number;
  readonly #paid = new Map<Expectation, number>();
  readonly #mistyped = new Set<Expectation>();
  readonly #sets = new LineSets();

  constructor(index: ExpectationIndex, postings: readonly Posting[], tolerance: number) {
    this.#index = index;
    this.#tolerance = tolerance;
    for (const { expectation, amount } of postings) if (expectation) this.#pay(expectation, amount);
  }

  namedBy({ kind, amount: size, ...ids }: Posting): Expectation | undefined {
    const { transactionId, merchantTransactionId } = ids;
    const types = (['settle', 'refund'] as const).filter(
      (type) => kind !== 'none' && type !== kind,
    );
    return types
      .map((type) => {
        const { byTransaction, byMerchantTransaction } = this.#index;
        return (
          byTransaction[type].get(transactionId ?? '') ??
          byMerchantTransaction[type].get(merchantTransactionId ?? '')
        );
      })
      .filter((found) => found !== undefined && !this.#paid.has(found))
      .find(
        (found) =>
          kind !== 'chargeback' || Math.abs((found?.amount ?? 0) - size) <= this.#tolerance,
      );
  }

  excludeMistyped(expectation: Expectation): void {
    this.#mistyped.add(expectation);
  }

  matchExactly(postings: readonly Posting[]): Posting[] {
    return this.#tier(postings, (one, { amount }) => this.#isUnpaid(one) && one.amount === amount);
  }

  matchByAmount(postings: readonly Posting[]): void {
    const tolerance = this.#tolerance;
    const unlessMistaken =
      (fits: (one: Expectation, posting: Posting) => boolean) =>
      (one: Expectation, posting: Posting) =>
        !this.#mistyped.has(one) && fits(one, posting);
    let rest = this.matchExactly(postings).sort((one, other) => other.amount - one.amount);
    const tier = (fits: (one: Expectation, posting: Posting) => boolean) => {
      rest = this.#tier(rest, unlessMistaken(fits));
    };
    const isAnonymous = ({ isMissing, merchantTransactionId, transactionId }: Posting) =>
      transactionId === undefined && merchantTransactionId === undefined && !isMissing;
    const isExactRest = (one: Expectation, { amount }: Posting) =>
      this.#paid.has(one) && amount === one.amount - (this.#paid.get(one) ?? 0);
    rest = rest.filter(
      (posting) => !isAnonymous(posting) || this.#remains(posting, unlessMistaken(isExactRest)),
    );
    if (tolerance > 0) {
      tier((one, { amount }) => this.#isUnpaid(one) && Math.abs(one.amount - amount) <= tolerance);
    }
    rest = this.#giveToSets(rest, 0);
    if (tolerance > 0) rest = this.#giveToSets(rest, tolerance);
    rest = rest.filter(isAnonymous);
    const hasRoom = (one: Expectation, { amount }: Posting) =>
      amount <= one.amount - (this.#paid.get(one) ?? 0) + tolerance;
    rest = rest.filter((posting) =>
      [isExactRest, hasRoom].every((fits) => this.#remains(posting, unlessMistaken(fits))),
    );
    tier((one) => this.#isUnpaid(one) && this.#unpaidOf(one.kind).length === 1);
    tier((one, { amount }) => one.amount === amount);
  }

  /** Sets are covered by line-sets.test.ts. */
  #giveToSets(postings: readonly Posting[], tolerance: number): Posting[] {
    let open: readonly Posting[] = [];
    for (let next = postings; next.length !== open.length;) {
      open = next;
      next = open.filter((posting) => {
        const { kind, amount } = posting;
        const set =
          amount > 0 && (kind === 'settle' || kind === 'refund')
            ? this.#sets.find(this.#unpaidOf(kind), amount, tolerance)
            : undefined;
        posting.isAmbiguous = set === 'several';
        if (set === undefined || set === 'several') return posting.isAmbiguous;
        posting.expectation = joinExpectations(this.#index, set);
        this.#pay(posting.expectation, amount);
        return false;
      });
    }
    return postings.filter(({ expectation, isAmbiguous }) => !expectation && !isAmbiguous);
  }

  /**
   * Assigns a line that fits to the posting, or marks it as ambiguous if different amounts fit.
   * @returns whether no line fits
   */
  #remains(posting: Posting, fits: (one: Expectation, posting: Posting) => boolean): boolean {
    const fitting = this.#index.all.filter(
      (one) => one.kind === posting.kind && fits(one, posting),
    );
    const isPositive = posting.amount > 0;
    posting.isAmbiguous = isPositive && new Set(fitting.map((one) => one.amount)).size > 1;
    if (!posting.isAmbiguous) this.#tier([posting], fits);
    return !posting.expectation && !posting.isAmbiguous;
  }

  #tier(
    postings: readonly Posting[],
    fits: (one: Expectation, posting: Posting) => boolean,
  ): Posting[] {
    return postings.filter((posting) => {
      const { kind, amount } = posting;
      if ((kind !== 'settle' && kind !== 'refund') || amount <= 0) return true;
      const found = this.#index.all.find((one) => one.kind === kind && fits(one, posting));
      if (!found) return true;
      posting.expectation = found;
      this.#pay(found, amount);
      return false;
    });
  }

  #unpaidOf(kind: Expectation['kind']): Expectation[] {
    return this.#index.all.filter(
      (one) => one.kind === kind && this.#isUnpaid(one) && !this.#mistyped.has(one),
    );
  }

  #isUnpaid(expectation: Expectation): boolean {
    return !this.#paid.has(expectation);
  }

  #pay(expectation: Expectation, amount: number): void {
    this.#paid.set(expectation, (this.#paid.get(expectation) ?? 0) + amount);
  }
}

const id = fc.constantFrom(undefined, undefined, undefined, 'T1', 'T2', 'T3', 'T4');
const amount = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constantFrom(10, 20, 20, 30));
const lines = fc.array(
  fc.record({
    type: fc.constantFrom('Settle' as const, 'Settle' as const, 'Refund' as const),
    amount,
    transactionId: id,
    merchantTransactionId: id,
  }),
  { maxLength: 24 },
);
const fundings = fc.array(
  fc.record({
    transactionType: fc.constantFrom('Settle', 'Settle', 'Refund', 'Chargeback'),
    transactionAmount: fc.tuple(amount, fc.constantFrom(1, 1, 1, 1, -1)).map(([a, b]) => a * b),
    status: fc.constantFrom('RECONCILED', 'RECONCILED', 'MISSING'),
    transactionId: id,
    merchantTransactionId: id,
  }),
  { maxLength: 30 },
);

test('property: assigns each posting the same line as a full scan', () => {
  fc.assert(
    fc.property(
      lines,
      fundings,
      fc.constantFrom(0, 0, 1, 5, 40),
      fc.array(fc.nat(40), { maxLength: 6 }),
      (someLines, someFundings, tolerance, paid) => {
        const ledger = someLines.map(({ type, amount: size, ...rest }) => line(type, size, rest));
        const posted = someFundings.map(({ transactionType, transactionAmount, ...rest }) =>
          funding(transactionType, transactionAmount, rest),
        );
        const outcome = (open: typeof OpenAmounts | typeof PlainBooks) => {
          // Matching joins jointly paid lines in the index, so each implementation gets its own
          // index.
          const index = indexExpectations(ledger);
          const postings = postingsOf(posted);
          // Some are already matched by id.
          for (const [at, place] of paid.entries()) {
            const posting = postings[at * 3];
            const expectation = index.all[place];
            if (posting && expectation?.kind === posting.kind) posting.expectation = expectation;
          }
          const rest = postings.filter(({ expectation }) => !expectation);
          matchOpen(new open(index, postings, tolerance), rest);
          return postings.map(({ expectation, isMistyped, isAmbiguous }) => [
            expectation?.lines.map(({ id: lineId }) => lineId),
            ...[isMistyped, isAmbiguous],
          ]);
        };
        expect(outcome(OpenAmounts)).toEqual(outcome(PlainBooks));
      },
    ),
    { numRuns: 2_000 },
  );
});

test.each(['exact', 'within tolerance', 'in parts', 'more than is expected'])(
  'takes no longer per posting for an order with very many lines without ids: %s',
  (how) => {
    const count = 40_000;
    const size = {
      exact: 0,
      'within tolerance': 1,
      'in parts': -500,
      'more than is expected': 900_000,
    };
    const off = size[how as keyof typeof size];
    const ledger = Array.from({ length: count }, (_, at) => line('Settle', 1_000 + 3 * at));
    const posted = ledger.map((one) => funding('Settle', one.amount + off));
    // A full scan for each posting would exceed the test's timeout.
    const terms = { ...policy, tolerance: { minorUnits: 1, basisPoints: 0 } };
    const { funded } = reconcileOrder(order(ledger, posted), terms);
    expect(funded.settle).toBeGreaterThan(0);
  },
);

test('takes no longer per posting for an order with very many partly paid lines', () => {
  const count = 40_000;
  const ledger = Array.from({ length: count }, (_, at) =>
    line('Settle', 1_000, { transactionId: `T${at}` }),
  );
  const parts = ledger.map(({ transactionId }) => funding('Settle', 600, { transactionId }));
  const rests = ledger.map(() => funding('Settle', 400));
  const { funded } = reconcileOrder(order(ledger, [...parts, ...rests]), policy);
  expect(funded.settle).toBe(1_000 * count);
});
