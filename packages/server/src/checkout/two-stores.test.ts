import { describe, expect, test } from 'vitest';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { createCompanion } from '../companion.fixture.ts';
import { CHARGE } from '../scripted-service.fixture.ts';

/**
 * Sets up two stores on one merchant account: each has its own companion and database, and both use
 * the same order numbers. The first store has charged its order. The service holds one charge for
 * that order number and refuses a confirmation token that it did not issue.
 */
async function setUp(charge: { total?: number; isRefunded?: boolean } = {}) {
  const first = await createCompanion();
  const second = await createCompanion({ service: first.options.service, clock: first.clock });
  const { service } = first;
  const total = charge.total ?? 27_499;
  const atService = new ChargeAtService(service, { total });
  service.on(CHARGE, ({ body }) => {
    const sent = body as { confirmationToken: string; merchantTransactionId: string };
    if (sent.confirmationToken !== 'token-of-the-service') {
      return { status: 422, body: { requestId: 'svc-1', errors: [{ code: '2002' }] } };
    }
    const made = atService.created(
      { settleTransactionState: 'Completed' },
      sent.merchantTransactionId,
    );
    atService.settled = total;
    return { status: 201, body: made };
  });
  const change = { items: [{ name: 'Chair', sku: 'CH-1', price: total, quantity: 1 }] };
  const paid = await first.open('key-1', {
    ...change,
    discounts: [],
    taxAmount: 0,
    shippingAmount: 0,
    totalAmount: total,
  });
  expect((await first.confirm(paid, 'token-of-the-service')).body.status).toBe('approved');
  if (charge.isRefunded === true) atService.refunded = total;
  return { first, second, service, atService, paid };
}

describe('two stores on one merchant account', () => {
  test.each([
    ['the same amount', {}],
    ['another amount', { total: 1_000 }],
    ['the same amount, already refunded', { isRefunded: true }],
  ])(
    'neither adopt nor reverse the charge of the other store: %s',
    async (_, charge: Parameters<typeof setUp>[0]) => {
      const { first, second, service, atService, paid } = await setUp(charge);
      const before = { settled: atService.settled, refunded: atService.refunded };
      const id = await second.open('key-1');
      expect((await second.confirm(id, 'garbage')).body.status).not.toBe('approved');
      for (let hour = 0; hour < 48; hour++) {
        // Both companions use the clock of the first.
        first.clock.advance(3_600_000);
        while ((await second.background.runOnce()) > 0);
        await second.get(`/checkout/${id}`);
      }

      expect(second.webhooks().map(({ status }) => status)).not.toContain('approved');
      expect(await second.store.findCheckout(id)).toMatchObject({
        status: 'unavailable',
        retrySafe: false,
        chargeId: undefined,
      });
      const again = { order: await first.ticket(), environment: 'sandbox' };
      const key = { 'idempotency-key': 'key-2' };
      expect((await second.post('/checkout/prime', again, key)).body.code).toBe(
        'checkout-not-open',
      );
      expect(second.log.filter(({ security }) => security === true)).toMatchObject([
        { level: 'error', event: 'charge-not-ours', checkoutId: id },
      ]);
      const moves = service.calls.filter(
        ({ method, path }) => method === 'POST' && /\/(?:settles|refunds|voids)$/.test(path),
      );
      expect(moves).toEqual([]);
      expect(service.callsTo(CHARGE)).toHaveLength(2);
      expect(atService).toMatchObject({ ...before, voided: false });
      expect(await first.store.findCheckout(paid)).toMatchObject({ status: 'approved' });
      const page = { environment: 'sandbox', after: 0, limit: 10 } as const;
      const entries = await second.store.ledgerEntries(page);
      expect(entries.filter(({ state }) => state === 'accepted')).toEqual([]);
    },
  );
});
