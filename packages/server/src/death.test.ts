import { expect, test } from 'vitest';
import {
  NOTIFICATION_AUTHORIZATION,
  type Companion,
  CompanionRun,
  World,
  type WorldOptions,
} from './death.fixture.ts';

// A companion crashes after each of its steps and another one continues: every effect happens once,
// and the service, the ledger and the shop agree. A crash before a step leaves the same state as a
// crash after the previous step.

const ALL = 27_499;
const OTHER = 20_000;

interface Case {
  world?: WorldOptions;
  /** Runs before the crash. */
  before?: (companion: Companion, id: string) => Promise<unknown>;
  /** The request during which the companion crashes; it is repeated to the survivor. */
  request: (companion: Companion, id: string) => Promise<unknown>;
  /** Whether the request is repeated, which a closed page would not do. @default true */
  isRepeated?: boolean;
  status: string;
  charge: { settled: number; refunded: number; voided: boolean };
  ledger: Record<string, number>;
}

/** The shopper leaves the page after confirming an offer: the checkout is pending. */
const leave = (companion: Companion, id: string) => companion.post(`/checkout/${id}/cancellation`);
const confirm = (companion: Companion, id: string) => companion.confirm(id);
const operate = (operation: string, body: object) => (companion: Companion) =>
  companion.officePost(`/charges/charge-1/${operation}`, body, { 'idempotency-key': 'key-1' });
const notify = (companion: Companion) => {
  const data = { applicationId: 'application-1', token: 'confirmation-token-1' };
  const body = { eventType: 'application.checkout-confirmed', ...data };
  return companion.post('/notifications', body, { authorization: NOTIFICATION_AUTHORIZATION });
};
const later = { settle: false };

const paid = {
  status: 'approved',
  charge: { settled: ALL, refunded: 0, voided: false },
  ledger: { Authorize: ALL, Settle: ALL },
};

const cases: [string, Case][] = [
  [
    'a confirmation whose page is gone',
    { request: confirm, isRepeated: false, before: leave, ...paid },
  ],
  [
    'a confirmation whose page is gone, at a service without idempotency',
    {
      world: { idempotency: 'token-only' },
      request: confirm,
      isRepeated: false,
      before: leave,
      ...paid,
    },
  ],
  [
    'a confirmation, at a service without idempotency',
    { world: { idempotency: 'token-only' }, request: confirm, ...paid },
  ],
  [
    'a confirmation',
    {
      request: confirm,
      status: 'approved',
      charge: { settled: ALL, refunded: 0, voided: false },
      ledger: { Authorize: ALL, Settle: ALL },
    },
  ],
  [
    'a notification',
    {
      request: notify,
      status: 'approved',
      charge: { settled: ALL, refunded: 0, voided: false },
      ledger: { Authorize: ALL, Settle: ALL },
    },
  ],
  [
    'a charge of the wrong amount, which is refunded',
    {
      world: { total: OTHER },
      request: confirm,
      status: 'failed',
      charge: { settled: OTHER, refunded: OTHER, voided: false },
      ledger: { Authorize: OTHER, Settle: OTHER, Refund: OTHER },
    },
  ],
  [
    'a charge of the wrong amount, which is voided',
    {
      world: { total: OTHER, settle: false },
      request: confirm,
      status: 'failed',
      charge: { settled: 0, refunded: 0, voided: true },
      ledger: { Authorize: OTHER, Void: OTHER },
    },
  ],
  [
    'a settle',
    {
      world: later,
      before: confirm,
      request: operate('settles', { amount: 5_000 }),
      status: 'approved',
      charge: { settled: 5_000, refunded: 0, voided: false },
      ledger: { Authorize: ALL, Settle: 5_000 },
    },
  ],
  [
    'a refund',
    {
      before: confirm,
      request: operate('refunds', { amount: 5_000 }),
      status: 'approved',
      charge: { settled: ALL, refunded: 5_000, voided: false },
      ledger: { Authorize: ALL, Settle: ALL, Refund: 5_000 },
    },
  ],
  [
    'a void',
    {
      world: later,
      before: confirm,
      request: operate('voids', {}),
      status: 'approved',
      charge: { settled: 0, refunded: 0, voided: true },
      ledger: { Authorize: ALL, Void: ALL },
    },
  ],
];

/**
 * Runs a case with a companion that crashes and a survivor. @returns the step of the crash, if any
 */
async function runCase(
  { world: of, before, request, isRepeated = true, ...expected }: Case,
  lastStep: number,
) {
  const world = await World.create(of);
  const survivor = await world.companion(new CompanionRun());
  const id = await survivor.open();
  await before?.(survivor, id);
  while ((await survivor.background.runOnce()) > 0);

  const run = new CompanionRun(lastStep);
  const mortal = await world.companion(run);
  await run.untilDeath(request(mortal, id));
  // Notification processing first gives the page time to confirm.
  world.clock.advance(10_001);
  await run.untilDeath(mortal.background.runOnce());

  // Long enough for leases, lookups, the grace period and the retries after it.
  for (const seconds of [0, 31, 3, 91, 185, 91, 185, 31, 31, 31]) {
    world.clock.advance(seconds * 1_000);
    if (isRepeated) await request(survivor, id);
    while ((await survivor.background.runOnce()) > 0);
  }
  const step = run.steps[lastStep];
  const where = `after step ${lastStep}, ${step ?? 'none'}`;
  const checkout = await world.store.findCheckout(id);
  const { status, retrySafe, chargeState } = checkout ?? {};
  expect(status, where).toBe(expected.status);
  expect(checkout?.attentionAt, where).toBeUndefined();
  expect(world.charges, where).toMatchObject([expected.charge]);
  expect(await world.ledgerSums(), where).toEqual(expected.ledger);
  expect(world.webhooks.get(id), where).toMatchObject({ status, chargeState });
  expect(world.webhooks.get(id)?.retrySafe, where).toBe(retrySafe);
  expect(await world.store.isOrderTaken('sandbox', 'order-1001'), where).toBe(
    status === 'approved',
  );
  await world.store.close();
  return step;
}

test.each(cases)('completes %s exactly once after a crash at any step', async (_, of) => {
  let step = 0;
  while ((await runCase(of, step)) !== undefined) step += 1;
  expect(step).toBeGreaterThan(5);
});
