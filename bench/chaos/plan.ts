import { Chance } from '../fuzz/chance.ts';

/** What one shopper is going to do. */
export interface Visit {
  merchantOrderId: string;
  /** Minor units. */
  total: number;
  /** Tabs in which the order is paid for at once; it must be charged once. */
  tabs: 1 | 2;
  /** Goes away right after sending the confirmation, and never asks what became of it. */
  leaves: boolean;
  /** Minor units that the shop refunds once it is paid; 0 is nothing. */
  refund: number;
  seed: number;
}

/** A SIGKILL. Moments are counted in events, so that they fall into work and not into a pause. */
export interface Kill {
  /** After so many milestones: an order primed, its confirmation answered, the shop told. */
  event: number;
  /** And so many milliseconds, for moments between two events. */
  delayMs: number;
  /** Which companion, of those there are. */
  target: number;
}

export interface Plan {
  seed: number;
  visits: Visit[];
  kills: Kill[];
}

/** The whole run, from one seed. */
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
  // Each checkout makes three events at the very least: primed, confirmed, and told to the shop.
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

/** Charges and refunds: a refusal after they were made is the worst a service can say. */
const MONEY = ['charges.create', 'charges.refund'];
/** By which an outcome that is not known is looked up. */
const LOOKUPS = ['orders.get', 'transactions.lookup'];

/**
 * The service's weather, as wire faults of the sandbox: it resets, delays and lies. `after` is the
 * lie that matters: the charge is made, and the answer says otherwise or does not come. It also
 * refuses what it has done, and does not find what it has.
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

/** The first refunds: the service takes them, and of each two gives up on one later. */
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

/** How notifications go wrong on their way: twice, late, and in another order. */
export const disorder = { twice: 0.3, late: 0.2, lateBy: '2s', shuffle: '1s' };
