import { Chance } from '../fuzz/chance.ts';

/** Plan of one shopper. */
export interface Visit {
  merchantOrderId: string;
  /** Minor units. */
  total: number;
  /** Number of tabs that pay the order at the same time; it must be charged once. */
  tabs: 1 | 2;
  /** Whether the shopper leaves right after sending the confirmation, without reading the answer. */
  leaves: boolean;
  /** Minor units that the shop refunds after the payment; 0 for no refund. */
  refund: number;
  seed: number;
}

/** A SIGKILL, timed by a number of events, so that it interrupts work rather than a pause. */
export interface Kill {
  /** Number of milestones before it: an order primed, its confirmation answered, its webhook delivered. */
  event: number;
  /** Further delay in milliseconds, for moments between two events. */
  delayMs: number;
  /** Index of the companion, modulo their number. */
  target: number;
}

export interface Plan {
  seed: number;
  visits: Visit[];
  kills: Kill[];
}

/** Returns the plan of a run for a seed. */
export function makePlan(options: { checkouts: number; kills: number; seed: number }): Plan {
  const { checkouts, kills, seed } = options;
  const visits = Array.from({ length: checkouts }, (_, index): Visit => {
    const chance = new Chance(seed, 1, index);
    const total = chance.whole(1_000, 250_000);
    const leaves = chance.yes(0.05);
    return {
      merchantOrderId: `chaos-${seed}-${index}`,
      total,
      tabs: !leaves && chance.yes(0.05) ? 2 : 1,
      leaves,
      refund: !leaves && chance.yes(0.15) ? chance.whole(100, total) : 0,
      seed: chance.whole(1, 2 ** 30),
    };
  });
  const chance = new Chance(seed, 2);
  // Each checkout makes at least three events: primed, confirmed, webhook delivered.
  const events = Math.floor(checkouts * 2.8);
  const moments = Array.from({ length: kills }, () => ({
    event: chance.whole(5, Math.max(5, events)),
    delayMs: chance.whole(0, 25),
    target: chance.whole(0, 1_000_000),
  }));
  return { seed, visits, kills: moments.sort((a, b) => a.event - b.event) };
}

const POSTS = ['charges.create', 'checkout.prime', 'charges.refund'];
const READS = ['charges.get', 'orders.get', 'transactions.lookup', 'checkout.application-status'];

/** Charges and refunds: refusing one that was made is the worst fault that a service can have. */
const MONEY = ['charges.create', 'charges.refund'];
/** Operations that look up an unknown outcome. */
const LOOKUPS = ['orders.get', 'transactions.lookup'];

/**
 * Returns the sandbox's faults: resets, delays and false answers. The ones with `after` matter
 * most: the charge is made, but the answer is false or missing. Other faults refuse an operation
 * after it was carried out, or do not find an existing charge.
 */
export function faults(seed: number): object[] {
  const some = (probability: number, fault: object, operations: string[], index: number) => ({
    ...fault,
    operations,
    probability,
    seed: (seed * 100 + index) % 2 ** 31,
  });
  const of = (operations: string[], scale: number, first: number) =>
    [
      [0.03, { kind: 'reset', when: 'before' }],
      [0.04, { kind: 'reset', when: 'after' }],
      [0.02, { kind: 'hang', when: 'after' }],
      [0.02, { kind: 'half-body' }],
      [0.02, { kind: 'wrong-json', when: 'after' }],
      [0.02, { kind: 'html', when: 'after', status: 200 }],
      [0.02, { kind: 'status', when: 'before', status: 503 }],
      [0.02, { kind: 'status', when: 'after', status: 500 }],
      [0.02, { kind: 'status', when: 'before', status: 429, retryAfter: 1 }],
      [0.02, { kind: 'redirect', when: 'after' }],
      [0.01, { kind: 'empty-body' }],
      [0.05, { kind: 'latency', delay: '300ms' }],
    ].map(([probability, fault], index) =>
      some((probability as number) * scale, fault as object, operations, first + index),
    );
  return [
    ...of(POSTS, 1, 0),
    ...of(READS, 0.5, 20),
    some(0.03, { kind: 'status', when: 'after', status: 422 }, MONEY, 40),
    some(0.02, { kind: 'status', when: 'after', status: 400 }, MONEY, 41),
    some(0.05, { kind: 'status', when: 'before', status: 404 }, LOOKUPS, 42),
    { kind: 'dropped', probability: 0.02, seed: (seed * 100 + 99) % 2 ** 31 },
  ];
}

/** Outcomes of the first refunds: the service accepts them, and half of them fail later. */
export function pendingRefunds(visits: readonly Visit[]): object[] {
  const some = Math.ceil(visits.filter(({ refund }) => refund > 0).length / 4);
  if (some === 0) return [];
  return ['pending-fail', 'pending-complete'].map((outcome) => ({
    outcome,
    type: 'Refund',
    next: some,
    after: '1s',
  }));
}

/** Notification faults: duplicates, delays and a changed order. */
export const disorder = { twice: 0.3, late: 0.2, lateBy: '2s', shuffle: '1s' };
