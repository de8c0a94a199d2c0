import { Kysely } from 'kysely';
import { describe, expect, test } from 'vitest';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { createCompanion } from '../companion.fixture.ts';
import { CHARGE, networkError, ORDER } from '../scripted-service.fixture.ts';
import { type Schema, storeRows } from '../store/schema.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import { migratedMemory } from '../store/sqlite.fixture.ts';

const DAY_MS = 86_400_000;

/** Creates a companion whose database server is on timeline 1. */
async function setUp() {
  const server = { history: { cluster: 'cluster-1', timeline: 1 } };
  const dialect = await migratedMemory();
  const store = createKyselyStore({ dialect, server });
  const db = new Kysely<Schema>({ dialect, plugins: [storeRows] });
  const companion = await createCompanion({ store });
  await companion.background.runOnce();
  return {
    companion,
    service: companion.service,
    store: companion.store,
    /** Removes what a promoted standby may lack: each request, and the checkout. */
    lose: async () => {
      for (const table of ['attempts', 'checkouts', 'orderClaims', 'chargeOperations'] as const) {
        await db.deleteFrom(table).execute();
      }
    },
    promote: () => void (server.history = { cluster: 'cluster-1', timeline: 2 }),
    losses: () => companion.log.filter(({ event }) => event === 'record-lost'),
  };
}

describe('after a promotion', () => {
  test('does not prime an order whose charge only the service has, and names the charge once', async () => {
    const { companion, promote, service, losses, store } = await setUp();
    const { id } = new ChargeAtService(service);
    promote();
    for (const key of ['key-1', 'key-2']) {
      const { status, body } = await companion.prime(key);
      expect([status, body.code]).toEqual([409, 'checkout-not-open']);
    }
    expect(service.callsTo('POST /v1/checkout/prime')).toEqual([]);
    expect(losses()).toMatchObject([{ level: 'error', chargeId: id, reason: 'charge' }]);
    expect(companion.counters.read('record-lost')).toBe(1);
    const foundAt = companion.clock.now();
    expect(await store.lostRecords('sandbox', 0, 10)).toEqual([
      { kind: 'charge', merchantOrderId: 'order-1001', chargeId: id, foundAt },
    ]);
  });

  test('does not charge an order that was primed before, and ends its checkout', async () => {
    const { companion, promote, service, losses } = await setUp();
    const id = await companion.open();
    new ChargeAtService(service);
    promote();
    expect((await companion.confirm(id)).body).toMatchObject({
      status: 'unavailable',
      retrySafe: false,
    });
    expect(service.callsTo(CHARGE)).toEqual([]);
    expect(losses()).toHaveLength(1);
    expect((await companion.confirm(id)).body).toMatchObject({
      status: 'unavailable',
      retrySafe: false,
    });
  });

  test('names the charge of an open checkout without a request, and ends the checkout', async () => {
    const { companion, promote, service, store, losses } = await setUp();
    const id = await companion.open();
    new ChargeAtService(service);
    promote();
    while ((await companion.background.runOnce()) > 0);
    expect(losses()).toHaveLength(1);
    expect(await store.findCheckout(id)).toMatchObject({ status: 'unavailable', retrySafe: false });
  });

  test('sends no charge while the service does not answer, and the confirmation can be repeated', async () => {
    const { companion, promote, service, store } = await setUp();
    const id = await companion.open();
    service.on(ORDER, networkError('ECONNREFUSED'));
    promote();
    expect((await companion.patiently(companion.confirm(id))).body.code).toBe(
      'service-unavailable',
    );
    expect(service.callsTo(CHARGE)).toEqual([]);
    expect(await store.findCheckout(id)).toMatchObject({ status: 'open' });
  });

  test('a charge that was voided or that the store has is no loss', async () => {
    const { companion, promote, service, losses } = await setUp();
    const charge = new ChargeAtService(service);
    service.on(CHARGE, () => ({ status: 201, body: charge.created({}, undefined) }));
    await companion.confirm(await companion.open());
    promote();
    expect((await companion.prime('key-2')).body).toMatchObject({ status: 'approved' });
    expect(losses()).toEqual([]);

    const other = await setUp();
    new ChargeAtService(other.service).voided = true;
    other.promote();
    expect((await other.companion.prime()).status).toBe(201);
    expect(other.losses()).toEqual([]);
  });

  test('names a charge and a refund whose requests are no longer in the store', async () => {
    const { companion, lose, promote, service, store, losses } = await setUp();
    const charge = new ChargeAtService(service);
    service.on(CHARGE, ({ body }) => {
      const { merchantTransactionId } = body as { merchantTransactionId: string };
      charge.settled = charge.total;
      const settleTransactionState = 'Completed';
      return {
        status: 201,
        body: charge.created({ settleTransactionState }, merchantTransactionId),
      };
    });
    await companion.confirm(await companion.open());
    const refund = { amount: 1_000 };
    await companion.officePost('/charges/charge-1/refunds', refund, { 'idempotency-key': 'key-2' });
    await lose();
    promote();
    await companion.background.runOnce();
    expect(losses().map(({ chargeId, reason }) => [reason, chargeId])).toEqual([
      ['charge', 'charge-1'],
      ['refund', 'charge-1'],
    ]);
    expect(await store.isOrderTaken('sandbox', 'order-1001')).toBe(true);
    await companion.background.runOnce();
    expect(losses()).toHaveLength(2);
  });

  test('a lost request that the service has not executed is no loss, and is looked up for 3 minutes', async () => {
    const { companion, lose, promote, service, losses } = await setUp();
    service.on(CHARGE, networkError('ECONNREFUSED'));
    await companion.patiently(companion.confirm(await companion.open()));
    await lose();
    promote();
    const lookups = () => service.callsTo('GET /v2/post-sale/transactions/lookup').length;
    await companion.background.runOnce();
    const first = lookups();
    expect(first).toBeGreaterThan(0);
    companion.clock.advance(180_000);
    await companion.background.runOnce();
    expect(lookups()).toBeGreaterThan(first);
    const last = lookups();
    companion.clock.advance(180_000);
    await companion.background.runOnce();
    expect([lookups(), losses()]).toEqual([last, []]);
  });

  test('looks up orders for 7 days, and none before the promotion', async () => {
    const { companion, promote, service } = await setUp();
    const lookups = () => service.calls.filter(({ path }) => path.includes('/orders/')).length;
    await companion.prime('key-1');
    expect(lookups()).toBe(0);
    promote();
    await companion.prime('key-2');
    companion.clock.advance(7 * DAY_MS - 1);
    await companion.prime('key-3');
    expect(lookups()).toBe(2);
    companion.clock.advance(1);
    await companion.prime('key-4');
    expect(lookups()).toBe(2);
  });
});
