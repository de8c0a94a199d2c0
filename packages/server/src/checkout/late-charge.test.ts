import { describe, expect, test } from 'vitest';
import { createCompanion } from '../companion.fixture.ts';
import {
  CHARGE,
  charged,
  created,
  foundCharge,
  foundTransaction,
  gatewayTimeout,
  GET_CHARGE,
  LOOKUP,
  notFound,
} from '../scripted-service.fixture.ts';

const HOUR = 3_600_000;

describe('a charge that appears after it was proved absent', () => {
  /** Sets up a lost confirmation that the service does not have three minutes later. */
  async function absent() {
    const companion = await createCompanion();
    companion.service.on(CHARGE, gatewayTimeout);
    const id = await companion.open();
    await companion.confirm(id);
    companion.clock.advance(190_000);
    await companion.background.runOnce();
    const pass = (hours: number) => companion.pass(hours * HOUR);
    expect(await companion.store.findCheckout(id)).toMatchObject({ retrySafe: true });
    const show = (more: object = {}) =>
      companion.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge(more));
    return { companion, id, pass, show };
  }

  test('is approved, and the shop gets a webhook', async () => {
    const { companion, id, pass, show } = await absent();
    await pass(1);
    show();
    await pass(2);
    expect(companion.webhooks().at(-1)).toMatchObject({
      checkoutId: id,
      status: 'approved',
      chargeId: 'charge-1',
    });
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('is reported once when its order was paid again', async () => {
    const { companion, id, pass, show } = await absent();
    companion.service.on(CHARGE, created({ id: 'charge-2' }));
    const again = await companion.open('key-2');
    expect((await companion.confirm(again, 'token-2')).body.status).toBe('approved');
    show();
    await pass(24);
    expect(companion.counters.read('charge-doubled')).toBe(1);
    expect((await companion.store.findCheckout(id))?.status).toBe('unavailable');
  });

  test('is not mistaken for the charge that another checkout is making', async () => {
    const { companion, id, pass } = await absent();
    const answer = Promise.withResolvers<typeof charged>();
    companion.service.on(CHARGE, () => answer.promise);
    const again = await companion.open('key-2');
    const confirmed = companion.confirm(again, 'token-2');
    await expect.poll(() => companion.service.callsTo(CHARGE).length).toBe(2);
    companion.service
      .on('GET /v2/post-sale/orders/order-1001', { status: 200, body: 'charge-1' })
      .on(GET_CHARGE, foundCharge());
    companion.clock.advance(9_000);
    await companion.store.claimAttention(
      id,
      (await companion.store.findCheckout(id))?.attentionAt ?? 0,
      companion.clock.now(),
    );
    await companion.get(`/checkout/${id}`);
    answer.resolve(charged);
    await confirmed;
    await pass(1);
    expect((await companion.store.findCheckout(id))?.status).toBe('unavailable');
    expect((await companion.store.findCheckout(again))?.status).toBe('approved');
    expect(companion.counters.read('charge-doubled')).toBe(0);
  });

  test.each([
    ['the lookup', LOOKUP],
    ['the charge it finds', GET_CHARGE],
  ])('is looked up again soon when %s got no response', async (_, path) => {
    const { companion, id, show } = await absent();
    show();
    companion.service.on(path, { status: 403, text: '' });
    const lookedAt = async (ms: number) => {
      companion.clock.advance(ms);
      while ((await companion.background.runOnce()) > 0);
      return companion.service.callsTo(path).length;
    };
    const before = await lookedAt(0);
    expect(await lookedAt(180_000)).toBe(before + 1);
    expect(await lookedAt(1_999)).toBe(before + 1);
    expect(await lookedAt(1)).toBe(before + 2);
    expect(await lookedAt(7_999)).toBe(before + 2);
    show();
    await lookedAt(1);
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
  });

  test('is looked up rarely again after a response', async () => {
    const { companion, id } = await absent();
    companion.service.on(LOOKUP, { status: 403, text: '' }, notFound);
    for (const ms of [180_000, 2_000]) {
      companion.clock.advance(ms);
      while ((await companion.background.runOnce()) > 0);
    }
    const checkout = await companion.store.findCheckout(id);
    expect(checkout?.attentionTries).toBe(0);
    expect(checkout?.attentionAt).toBeGreaterThan(companion.clock.now() + 179_999);
  });

  test('is looked up for a week at growing intervals', async () => {
    const { companion, id, pass } = await absent();
    const before = companion.service.callsTo(LOOKUP).length;
    await pass(24 * 20);
    expect(companion.service.callsTo(LOOKUP).length - before).toBeLessThan(20);
    expect((await companion.store.findCheckout(id))?.attentionAt).toBeUndefined();
  });
});

describe('a refused charge that was created after all and not found immediately', () => {
  async function refused() {
    const companion = await createCompanion();
    companion.service.on(CHARGE, { status: 422, body: { errors: [] } });
    const id = await companion.open();
    expect((await companion.confirm(id)).body.status).toBe('failed');
    companion.service.on(CHARGE, created({ id: 'charge-2' }));
    const show = () =>
      companion.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge());
    return { companion, id, show };
  }

  test('is approved when it appears, and the shop gets a webhook', async () => {
    const { companion, id, show } = await refused();
    show();
    companion.clock.advance(179_000);
    while ((await companion.background.runOnce()) > 0);
    expect((await companion.store.findCheckout(id))?.status).toBe('failed');
    companion.clock.advance(2_000);
    while ((await companion.background.runOnce()) > 0);
    expect(companion.webhooks().at(-1)).toMatchObject({
      checkoutId: id,
      status: 'approved',
      chargeId: 'charge-1',
    });
    const page = { environment: 'sandbox', after: 0, limit: 10 } as const;
    const entries = await companion.store.ledgerEntries(page);
    expect(entries.map(({ type, state }) => `${type} ${state}`)).toEqual([
      'Authorize accepted',
      'Settle accepted',
    ]);
  });

  test('is looked up by transaction id before its order is charged again', async () => {
    const { companion, id, show } = await refused();
    const again = await companion.open('key-2');
    show();
    expect(await companion.confirm(again, 'token-2')).toMatchObject({
      status: 409,
      body: { code: 'checkout-not-open' },
    });
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
    expect(await companion.store.findCheckout(id)).toMatchObject({
      status: 'approved',
      chargeId: 'charge-1',
    });
  });

  test('blocks another charge while the order names an unknown charge', async () => {
    const { companion, id } = await refused();
    const again = await companion.open('key-2');
    const order = { status: 200, body: 'charge-1' };
    companion.service.on('GET /v2/post-sale/orders/order-1001', order);
    expect(await companion.confirm(again, 'token-2')).toMatchObject({
      status: 409,
      body: { code: 'checkout-not-open' },
    });
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
    // The order id alone does not prove that the charge belongs to this checkout.
    expect(await companion.store.findCheckout(id)).toMatchObject({ status: 'failed' });
  });

  test('is not mistaken for the charge that another checkout is making', async () => {
    const { companion, id } = await refused();
    const answer = Promise.withResolvers<typeof charged>();
    companion.service.on(CHARGE, () => answer.promise);
    const third = await companion.open('key-3');
    const again = await companion.open('key-2');
    const confirmed = companion.confirm(again, 'token-2');
    await expect.poll(() => companion.service.callsTo(CHARGE).length).toBe(2);
    companion.service
      .on('GET /v2/post-sale/orders/order-1001', { status: 200, body: 'charge-1' })
      .on(GET_CHARGE, foundCharge());
    expect((await companion.confirm(third, 'token-3')).status).toBe(409);
    answer.resolve(charged);
    expect((await confirmed).body.status).toBe('approved');
    expect((await companion.store.findCheckout(id))?.status).toBe('failed');
    expect(companion.counters.read('charge-doubled')).toBe(0);
  });

  test('is reported once when its order was paid again', async () => {
    const { companion, id, show } = await refused();
    const again = await companion.open('key-2');
    expect((await companion.confirm(again, 'token-2')).body.status).toBe('approved');
    show();
    await companion.pass(10 * HOUR);
    expect(companion.counters.read('charge-doubled')).toBe(1);
    expect(await companion.store.findCheckout(id)).toMatchObject({
      status: 'failed',
      attentionAt: undefined,
    });
  });

  test('counts as absent three minutes later', async () => {
    const { companion } = await refused();
    companion.clock.advance(181_000);
    while ((await companion.background.runOnce()) > 0);
    const before = companion.service.callsTo(LOOKUP).length;
    const again = await companion.open('key-2');
    expect((await companion.confirm(again, 'token-2')).body.status).toBe('approved');
    expect(companion.service.callsTo(LOOKUP)).toHaveLength(before);
  });
});
