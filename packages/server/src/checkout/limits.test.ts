import { describe, expect, test } from 'vitest';
import { SignJWT } from 'jose';
import type { Order } from '@financing-checkout/contract/storefront';
import { createCompanion, order, TICKET_SECRET } from '../companion.fixture.ts';
import { START } from '../scripted-service.fixture.ts';

const line = { name: 'Oak chair', sku: 'CH-1', price: 1, quantity: 1 };

/** Signs without the validation of `signOrderTicket`, like a JWT library in another language. */
function sign(stated: object): Promise<string> {
  return new SignJWT({ env: 'sandbox', order: stated })
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience('financing-companion')
    .setIssuedAt(START / 1000)
    .setExpirationTime(START / 1000 + 600)
    .setJti('ticket-of-limits')
    .sign(new TextEncoder().encode(TICKET_SECRET));
}

async function prime(stated: Order) {
  const companion = await createCompanion();
  const body = { order: await sign(stated), environment: 'sandbox' };
  const answer = await companion.post('/checkout/prime', body, { 'idempotency-key': 'key-1' });
  return { ...answer, calls: companion.service.calls.length };
}

/** Returns an order with the given number of lines and discounts of one cent each. */
function ofLines(items: number, discounts: number, change: Partial<typeof line> = {}): Order {
  return {
    ...order,
    items: Array.from({ length: items }, () => ({ ...line, ...change })),
    discounts: Array.from({ length: discounts }, () => ({ name: 'Off', amount: 1 })),
    taxAmount: 0,
    shippingAmount: 1_000,
    totalAmount: items * (change.quantity ?? 1) - discounts + 1_000,
  };
}

describe('the limits of an order: the last accepted and the first refused value', () => {
  test.each([
    ['200 lines', ofLines(200, 0), ofLines(201, 0), 'order.items'],
    ['50 discounts', ofLines(1, 50), ofLines(1, 51), 'order.discounts'],
    [
      'a name of 256',
      ofLines(1, 0, { name: 'n'.repeat(256) }),
      ofLines(1, 0, { name: 'n'.repeat(257) }),
      'order.items.0.name',
    ],
    [
      'a SKU of 128',
      ofLines(1, 0, { sku: 's'.repeat(128) }),
      ofLines(1, 0, { sku: 's'.repeat(129) }),
      'order.items.0.sku',
    ],
    [
      '100,000 of one',
      ofLines(1, 0, { quantity: 100_000 }),
      ofLines(1, 0, { quantity: 100_001 }),
      'order.items.0.quantity',
    ],
    [
      'an order id of 256',
      { ...order, merchantOrderId: 'o'.repeat(256) },
      { ...order, merchantOrderId: 'o'.repeat(257) },
      'order.merchantOrderId',
    ],
  ] as [string, Order, Order, string][])('%s', async (_, last, first, path) => {
    expect((await prime(last)).status).toBe(201);
    const { status, body, calls } = await prime(first);
    expect([status, body.code, calls]).toEqual([422, 'order-ticket-invalid', 0]);
    expect(body.errors).toMatchObject([{ path }]);
  });

  // The ticket's length limit keeps all lines together below the sum of their individual maximums.
  test('refuses any ticket over 2,500,000 characters', async () => {
    const discounts = Array.from({ length: 50 }, () => ({ name: 'n'.repeat(256), amount: 1 }));
    const lines = ofLines(200, 0);
    const long = { ...lines, items: lines.items.map((item) => ({ ...item, discounts })) };
    expect(await prime(long)).toMatchObject({ status: 413, body: { code: 'request-too-large' } });
    const companion = await createCompanion();
    const ends: [number, object][] = [
      [2_500_000, { code: 'order-ticket-invalid' }],
      [2_500_001, { code: 'invalid-request', errors: [{ path: 'order' }] }],
    ];
    for (const [length, expected] of ends) {
      const body = { order: 'x'.repeat(length), environment: 'sandbox' };
      const answer = await companion.post('/checkout/prime', body, { 'idempotency-key': 'key-1' });
      expect(answer.body).toMatchObject(expected);
    }
    expect(companion.service.calls).toEqual([]);
  });
});
