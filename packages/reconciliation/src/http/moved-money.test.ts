import type { OrderExplanation } from '@financing-checkout/contract/reconciliation';
import { expect, onTestFinished, test } from 'vitest';
import { COMPANION_TOKEN, settle } from '../companion/companion.fixture.ts';
import { configure, run, startShop, until } from '../program.fixture.ts';
import { ofPage, signIn, TOKENS } from './session.fixture.ts';

/** A program whose companion accepts refunds: the entry is in its ledger when it responds. */
async function setUp(options: { moneyWaitMs?: number } = {}) {
  const shop = await startShop(1);
  let release: (() => void) | undefined;
  const held: Promise<void>[] = [];
  shop.before = async ({ method, url = '' }, response) => {
    if (url.endsWith('&limit=1000') && url.startsWith('/ledger?after')) await Promise.all(held);
    if (method !== 'POST') return false;
    shop.entries.push(
      settle(90, 'A-0', 2_500, {
        type: 'Refund',
        merchantTransactionId: 'mtx-back',
        transactionId: 'txn-back',
        occurredAt: new Date().toISOString(),
      }),
    );
    response.writeHead(201, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 'opr_1',
        chargeId: 'c-1',
        kind: 'refund',
        state: 'accepted',
        amount: { value: 2_500, currency: 'USD' },
        merchantTransactionId: 'mtx-back',
        createdAt: '2026-01-01T00:00:00Z',
        updatedAt: '2026-01-01T00:00:00Z',
      }),
    );
    return true;
  };
  const program = await run(
    configure(shop, {
      RECONCILIATION_TOKENS: TOKENS,
      RECONCILIATION_COMPANION_MONEY_TOKEN: COMPANION_TOKEN,
    }),
    options,
  );
  const headers = { ...ofPage, ...(await signIn(program.app, 'payer')) };
  const order = async () => {
    const response = await program.app.request('/orders/order%3AA-0', { headers });
    return (await response.json()) as OrderExplanation;
  };
  return {
    shop,
    order,
    refund: () =>
      program.app.request('/charges/c-1/refunds', {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': 'key-1' },
        body: JSON.stringify({ amount: 2_500 }),
      }),
    /** Blocks the companion's ledger until the returned function is called. */
    hold: () => {
      held.push(new Promise((resolve) => void (release = resolve)));
      onTestFinished(() => release?.());
      return () => release?.();
    },
  };
}

test('an order shows moved money in its figures as soon as the response arrives', async () => {
  const { order, refund } = await setUp();
  expect((await order()).currencies[0]?.status?.expected).toEqual({ settle: 10_000, refund: 0 });
  expect((await refund()).status).toBe(201);
  const after = await order();
  expect(after.updating).toBeUndefined();
  expect(after.currencies[0]?.status?.expected).toEqual({ settle: 10_000, refund: 2_500 });
});

test('an order reports that its figures are updating while the companion’s ledger is slow', async () => {
  const { order, refund, hold } = await setUp({ moneyWaitMs: 50 });
  const release = hold();
  expect((await refund()).status).toBe(201);
  const before = await order();
  expect(before.updating).toBe(true);
  expect(before.currencies[0]?.status?.expected).toEqual({ settle: 10_000, refund: 0 });
  release();
  // The pass continues without another request.
  await until(async () => (await order()).updating === undefined);
  expect((await order()).currencies[0]?.status?.expected).toEqual({
    settle: 10_000,
    refund: 2_500,
  });
});
