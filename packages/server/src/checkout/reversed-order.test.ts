/*
 * Responses for an order with an approved charge, before and after the charge was voided or
 * refunded.
 */
import { isPaid, type PaymentRecord } from '@financing-checkout/contract/back-office';
import { checkoutSchema } from '@financing-checkout/contract/storefront';
import { describe, expect, test } from 'vitest';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { createCompanion, order, ORIGIN, PUBLIC_KEY } from '../companion.fixture.ts';
import { charged } from '../scripted-service.fixture.ts';

/** Order total in cents. */
const TOTAL = 27_499;

type Companion = Awaited<ReturnType<typeof createCompanion>>;

/** Creates a companion with an approved checkout. */
async function approved(settled: number) {
  const companion = await createCompanion({ settle: settled > 0 ? 'on-approval' : 'later' });
  const charge = new ChargeAtService(companion.service, { settled });
  companion.service.on('POST /v2/post-sale/charges', () => ({ status: 201, body: charge.wire() }));
  const id = await companion.open();
  expect((await companion.confirm(id)).body.status).toBe('approved');
  await work(companion);
  return { companion, charge, id };
}

async function work(companion: Companion): Promise<void> {
  for (let round = 0; round < 12; round++) {
    companion.clock.advance(30_000);
    while ((await companion.background.runOnce()) > 0);
  }
}

const give = (companion: Companion, path: string, body: object) =>
  companion.officePost(`/charges/charge-1/${path}`, body, { 'idempotency-key': `key-${path}` });

describe('an approved order in another browser', () => {
  test('is reported as financed, without any data from the session that paid it', async () => {
    const { companion, id } = await approved(TOTAL);
    const calls = companion.service.calls.length;
    const answer = await companion.prime('key-2');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id,
      environment: 'sandbox',
      status: 'approved',
      amount: { value: TOTAL, currency: 'USD' },
      merchantOrderId: order.merchantOrderId,
      expiresAt: expect.any(String) as string,
    });
    const row = await companion.store.findCheckout(id);
    const secrets = [row?.sessionToken, row?.applicationId, row?.chargeId, 'Quill', 'example.com'];
    for (const secret of secrets) expect(JSON.stringify(answer.body)).not.toContain(secret);
    expect(companion.service.calls).toHaveLength(calls);
    // The key of the second browser opens nothing.
    const read = await companion.get(`/checkout/${id}`, { 'financing-checkout-secret': 'key-2' });
    expect(read.body.code).toBe('checkout-not-found');
  });

  test('is reported as financed for the ticket that paid it, even if tickets are one-time', async () => {
    const companion = await createCompanion({ oneTimeTickets: true });
    companion.service.on('POST /v2/post-sale/charges', charged);
    const body = { order: await companion.ticket(), environment: 'sandbox' };
    const prime = (key: string) =>
      companion.post('/checkout/prime', body, { 'idempotency-key': key });
    const id = String((await prime('key-1')).body.id);
    expect((await prime('key-2')).body.code).toBe('order-ticket-used');
    expect((await companion.confirm(id)).body.status).toBe('approved');
    const answer = await prime('key-3');
    expect([answer.status, answer.body]).toMatchObject([200, { id, status: 'approved' }]);
  });

  test('starts no checkout from a page without JavaScript', async () => {
    const { companion } = await approved(TOTAL);
    const form = {
      order: await companion.ticket(),
      environment: 'sandbox',
      publicKey: PUBLIC_KEY,
      returnUrl: `${ORIGIN}/orders/7`,
    };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await companion.storefront.request('/checkout/start', {
      method: 'POST',
      headers: companion.headers(type),
      body: new URLSearchParams(form),
    });
    expect(answer.status).toBe(409);
  });
});

describe.each([
  { kind: 'voided', settled: 0, path: 'voids', body: {}, amount: undefined },
  { kind: 'refunded', settled: TOTAL, path: 'refunds', body: { amount: TOTAL }, amount: TOTAL },
  { kind: 'reduced', settled: TOTAL, path: 'refunds', body: { amount: 10_000 }, amount: 10_000 },
])(
  'an approved order that is $kind in the back office',
  ({ kind, settled, path, body, amount }) => {
    const reversal = { kind, ...(amount && { amount: { value: amount, currency: 'USD' } }) };

    test(`is answered as ${kind} to the page that opened it`, async () => {
      const { companion, id } = await approved(settled);
      expect((await companion.get(`/checkout/${id}`)).body).not.toHaveProperty('reversal');
      expect((await give(companion, path, body)).status).toBeLessThan(300);
      await work(companion);
      const answer = checkoutSchema.parse((await companion.get(`/checkout/${id}`)).body);
      expect(answer).toMatchObject({ status: 'approved', reversal });
    });

    test(`is answered as ${kind} to another device, which opens no checkout`, async () => {
      const { companion, id } = await approved(settled);
      await give(companion, path, body);
      await work(companion);
      const calls = companion.service.calls.length;
      const answer = await companion.prime('key-3');
      expect(answer.status).toBe(200);
      expect(checkoutSchema.parse(answer.body)).toMatchObject({ id, status: 'approved', reversal });
      expect(answer.body).not.toHaveProperty('presentation');
      expect(companion.service.calls).toHaveLength(calls);
    });

    test('agrees with isPaid about the webhook to the shop', async () => {
      const { companion } = await approved(settled);
      await give(companion, path, body);
      await work(companion);
      const record = companion.webhooks().at(-1) as unknown as PaymentRecord;
      const order = {
        merchantOrderId: 'order-1001',
        currency: 'USD',
        totalAmount: TOTAL,
        environment: 'sandbox',
      } as const;
      expect(isPaid(record, order)).toBe(kind === 'reduced');
    });
  },
);

test('a second partial refund adds to the first one', async () => {
  const { companion, id } = await approved(TOTAL);
  await give(companion, 'refunds', { amount: 10_000 });
  await work(companion);
  await companion.officePost(
    '/charges/charge-1/refunds',
    { amount: 5_000 },
    { 'idempotency-key': 'key-more' },
  );
  await work(companion);
  expect((await companion.get(`/checkout/${id}`)).body.reversal).toEqual({
    kind: 'reduced',
    amount: { value: 15_000, currency: 'USD' },
  });
});
