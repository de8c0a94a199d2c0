import { describe, expect, it } from 'vitest';
import type { OrderLines } from './lines.ts';
import { funding, line, order, policy } from './order.fixture.ts';
import { mergeRadars, sweepClaims, type ClaimRadar } from './radar.ts';

const settle = line('Settle', 10_000, { transactionId: 'T1' });
const paid = (amount = 10_000, other: Parameters<typeof funding>[2] = {}) =>
  funding('Settle', amount, { transactionId: 'T1', ...other });

const radarOf = (orders: readonly OrderLines[]): ClaimRadar => {
  const radar: ClaimRadar = new Map();
  for (const lines of orders) sweepClaims(radar, lines, policy);
  return radar;
};

describe('the radar', () => {
  const orders = [
    order([settle], [paid()]),
    order([settle], [paid(), paid()]),
    order([settle], [paid(9_000)]),
    order([], [paid(700)]),
    order([settle], [paid(10_000, { status: 'AMOUNT_MISMATCH' })]),
    order(
      [settle],
      [paid(5_000, { status: 'AMOUNT_MISMATCH' }), paid(5_000, { status: 'AMOUNT_MISMATCH' })],
    ),
    order([settle], [paid(10_000, { lenderName: 'Tamberley', status: 'UNRECONCILED' })]),
  ];

  it('counts each RECONCILED that is not, and each mismatch that is none, by lender', () => {
    expect([...radarOf(orders).values()]).toEqual([
      {
        currency: 'USD',
        lender: 'Quillmoor',
        status: 'RECONCILED',
        all: { count: 5, amount: 39_700 },
        wrong: { count: 3, amount: 19_700 },
      },
      {
        currency: 'USD',
        lender: 'Quillmoor',
        status: 'AMOUNT_MISMATCH',
        all: { count: 3, amount: 20_000 },
        wrong: { count: 1, amount: 10_000 },
      },
      {
        currency: 'USD',
        lender: 'Tamberley',
        status: 'UNRECONCILED',
        all: { count: 1, amount: 10_000 },
        wrong: { count: 0, amount: 0 },
      },
    ]);
  });

  it('lets pass what the tolerance lets pass, also where no line of the ledger is for it', () => {
    const tolerance = { minorUnits: 50, basisPoints: 0 };
    const wrongOf = (amount: number) => {
      const extra = paid(amount, { transactionId: 'T2' });
      const radar = sweepClaims(new Map(), order([settle], [paid(), extra]), {
        ...policy,
        tolerance,
      });
      return [...radar.values()].map(({ wrong }) => wrong);
    };
    expect(wrongOf(50)).toEqual([{ count: 0, amount: 0 }]);
    expect(wrongOf(51)).toEqual([{ count: 1, amount: 51 }]);
  });

  it('is the same however its orders are sliced and merged', () => {
    for (let cut = 0; cut <= orders.length; cut++) {
      const merged = mergeRadars(radarOf(orders.slice(cut)), radarOf(orders.slice(0, cut)));
      expect(merged).toEqual(radarOf(orders));
    }
  });
});
