import { describe, expect, test } from 'vitest';
import { type Order, problemSchema } from '@financing-checkout/contract/storefront';
import { createCompanion, keyOf, order } from '../companion.fixture.ts';
import { CHARGE, charged } from '../scripted-service.fixture.ts';
import { createCompanion as createApis } from '../companion.ts';

const [item] = order.items;
if (item === undefined) throw new Error('The order of the tests has an item.');

async function primed(change: Partial<Order> = {}) {
  const companion = await createCompanion();
  companion.service.on(CHARGE, charged);
  const ticket = await companion.ticket(change);
  const { body } = await companion.post(
    '/checkout/prime',
    { order: ticket, environment: 'sandbox' },
    { 'idempotency-key': 'key-1' },
  );
  const id = body.id as string;
  const confirm = (order: string, confirmationToken = 'confirmation-token-1') =>
    companion.post(`/checkout/${id}/confirmation`, { confirmationToken, order });
  return { companion, id, ticket, confirm };
}

describe('an order that changed after its approval', () => {
  test('is not charged; the page gets both amounts and can start again', async () => {
    const { companion, id, confirm } = await primed();
    const more = { items: [{ ...item, quantity: 3 }], totalAmount: 40_498 };
    const { status, body } = await confirm(await companion.ticket(more));
    expect(status).toBe(409);
    expect(problemSchema.parse(body)).toMatchObject({
      code: 'order-changed',
      retrySafe: true,
      amounts: {
        approved: { value: 27_499, currency: 'USD' },
        current: { value: 40_498, currency: 'USD' },
      },
    });
    expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('open');
    expect((await companion.prime('key-2', more)).status).toBe(201);
  });

  test.each([
    ['other things for the same money', { items: [{ ...item, sku: 'CH-2' }] }],
    ['other prices for the same money', { items: [{ ...item, price: 12_998 }], taxAmount: 2_003 }],
    ['other discounts', { discounts: [{ name: 'Other', amount: 1_000 }] }],
    ['another category', { items: [{ ...item, productCategory: 'light' }] }],
    ['a warranty', { items: [{ ...item, warranty: { price: 100 } }], totalAmount: 27_599 }],
    ['tax of a line', { items: [{ ...item, taxAmount: 1 }] }],
    ['discounts of a line', { items: [{ ...item, discounts: [{ name: 'Off', amount: 1 }] }] }],
    ['tax on shipping', { shippingTaxAmount: 1, totalAmount: 27_500 }],
    ['another store', { merchant: { storeId: 'store-2' } }],
    ['another channel', { channel: 'IN_STORE' as const }],
    ['another promotion', { promoCode: 'INST-12' }],
    ['what can be leased', { items: [{ ...item, leasable: true }] }],
    ['the same numbers of another currency', { currency: 'CAD' }],
  ])('with %s is a different order', async (_, change) => {
    const { companion, confirm } = await primed();
    expect((await confirm(await companion.ticket(change))).body.code).toBe('order-changed');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
  });

  test('is recorded as changed once, even during a concurrent write of the checkout', async () => {
    const { companion, id } = await primed();
    const { store } = companion;
    let isFirst = true;
    const late = await createCompanion({
      store: {
        ...store,
        async changeCheckout(change) {
          const { revision, now } = change;
          if (isFirst)
            await store.changeCheckout({ id, revision, now, set: { attentionTries: 1 } });
          isFirst = false;
          return store.changeCheckout(change);
        },
      },
    });
    const other = await companion.ticket({ items: [{ ...item, sku: 'CH-2' }] });
    const confirmation = { confirmationToken: 'confirmation-token-1', order: other };
    for (let again = 0; again < 2; again++) {
      const { body } = await late.post(`/checkout/${id}/confirmation`, confirmation);
      expect(body.code).toBe('order-changed');
      expect(await store.findCheckout(id)).toMatchObject({ orderChanged: true, revision: 3 });
    }
  });

  test('can still be charged when the page reverts the change', async () => {
    const { companion, ticket, confirm } = await primed();
    await confirm(await companion.ticket({ items: [{ ...item, sku: 'CH-2' }] }));
    expect((await confirm(ticket)).body.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });
});

describe('the same order', () => {
  test.each([
    ['in a new ticket', {}],
    ['for another person', { consumer: { firstName: 'Bea' } }],
  ])('with %s is charged', async (_, change) => {
    const { companion, confirm } = await primed();
    expect((await confirm(await companion.ticket(change))).body.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  const two = {
    items: [
      { ...item, quantity: 1 },
      { ...item, name: 'Ash chair', sku: 'CH-2', quantity: 1 },
    ],
    discounts: [
      { name: 'Welcome', amount: 400 },
      { name: 'Autumn', amount: 600 },
    ],
  };

  test('with its lines in a different sequence is charged', async () => {
    const { companion, confirm } = await primed(two);
    const turned = { items: two.items.toReversed(), discounts: two.discounts.toReversed() };
    expect((await confirm(await companion.ticket(turned))).body.status).toBe('approved');
  });

  test('with the same total quantity but different quantities per line is not the same', async () => {
    const of = (...quantities: number[]) => ({
      items: two.items.map((each, at) => ({ ...each, quantity: quantities[at] ?? 0 })),
      totalAmount: 40_498,
    });
    const { companion, confirm } = await primed(of(1, 2));
    expect((await confirm(await companion.ticket(of(2, 1)))).body.code).toBe('order-changed');
  });

  test('in the ticket of its prime is charged even after that ticket expired', async () => {
    const { companion, ticket, confirm } = await primed();
    companion.clock.advance(45 * 60_000);
    expect((await confirm(ticket)).body.status).toBe('approved');
  });

  test('in a different, expired ticket is not charged', async () => {
    const { companion, confirm } = await primed();
    const ticket = await companion.ticket({ consumer: { firstName: 'Bea' } });
    companion.clock.advance(45 * 60_000);
    expect((await confirm(ticket)).body.code).toBe('order-ticket-expired');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
  });
});

test.each([
  [
    'for another order',
    async (c: Awaited<ReturnType<typeof primed>>['companion']) =>
      c.ticket({ merchantOrderId: 'order-2' }),
  ],
  ['that is forged', () => Promise.resolve('a.b.c')],
])('refuses a ticket %s', async (_, ticket) => {
  const { companion, confirm } = await primed();
  const { status, body } = await confirm(await ticket(companion));
  expect([status, body.code]).toEqual([422, 'order-ticket-invalid']);
  expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
});

test('resolveOrder is called again at confirmation, because the order may have changed', async () => {
  const companion = await createCompanion();
  companion.service.on(CHARGE, charged);
  let current = order;
  const rest = { ...companion.options };
  delete rest.tickets;
  const app = createApis({ ...rest, resolveOrder: () => Promise.resolve(current) }).storefront;
  const post = async (path: string, body: unknown) =>
    companion.read(
      await app.request(path, {
        method: 'POST',
        headers: companion.headers({
          'idempotency-key': 'key-1',
          'financing-checkout-secret': keyOf('key-1'),
        }),
        body: JSON.stringify(body),
      }),
    );
  const { body } = await post('/checkout/prime', { order: 'cart-1', environment: 'sandbox' });
  current = { ...order, items: [{ ...item, sku: 'CH-2' }] };
  const confirmation = { confirmationToken: 'token', order: 'cart-1' };
  const answer = await post(`/checkout/${body.id as string}/confirmation`, confirmation);
  expect(answer.body.code).toBe('order-changed');
  expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
});
