import { describe, expect, test } from 'vitest';
import { SignJWT } from 'jose';
import type { Order } from '@financing-checkout/contract';
import { createCompanion, order, START, TICKET_SECRET } from '../companion.fixture.ts';

const line = { name: 'Oak chair', sku: 'CH-1', price: 1, quantity: 1 };

/** Signed without the checks of `signOrderTicket`, as another language's JWT library does. */
function sign(stated: object): Promise<string> {
  return new SignJWT({ order: stated })
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

/** An order of so many lines of one cent, with discounts of a cent. */
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

describe('limits of an order: the last that is taken, the first that is not', () => {
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

  // What lines may hold together is bounded by the ticket, below the most that each may hold.
  test.each([
    [400, 'invalid-request', 120],
    [413, 'request-too-large', 256],
  ])(
    'a ticket over 32,768 characters, whatever is in it: %i %s',
    async (expected, code, length) => {
      const { status, body, calls } = await prime(ofLines(200, 0, { name: 'n'.repeat(length) }));
      expect([status, body.code, calls]).toEqual([expected, code, 0]);
    },
  );
});
