import { describe, expect, test } from 'vitest';
import { createCompanion } from '../companion.fixture.ts';
import { CHARGE, PRIME, primed, type Scripted } from '../scripted-service.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { PRIVATE_KEY } from '../secrecy.fixture.ts';
import { createServiceClient } from '../service/client.ts';

const refusedCharge: Scripted = {
  status: 422,
  body: { requestId: 'svc-1', errors: [{ code: '2002', description: 'Invalid token' }] },
};
const unlimited = { openCheckouts: 0, primes: 0, refusals: 0 };

type Companion = Awaited<ReturnType<typeof createCompanion>>;

/** Opens checkouts of one order and confirms each with a token that the service refuses. */
async function refuse(companion: Companion, count: number): Promise<void> {
  companion.service.on(CHARGE, refusedCharge);
  for (let index = 0; index < count; index++) {
    const id = await companion.open(`refused-${index}`);
    expect((await companion.confirm(id, `garbage-${index}`)).body.status).toBe('failed');
  }
}

describe('refused confirmations of one order', () => {
  test.each([0, 1, 60])(
    'cost at most 5 calls to the service each, after %i earlier refusals',
    async (before) => {
      const companion = await createCompanion({ orderBudgets: unlimited });
      await refuse(companion, before);
      const id = await companion.open('last');
      companion.service.calls.length = 0;
      expect((await companion.confirm(id, 'garbage')).body.status).toBe('failed');
      expect(companion.service.calls.length).toBeLessThanOrEqual(5);
      expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
    },
  );

  test('cost at most 5 calls when the service has a charge of another store', async () => {
    const companion = await createCompanion({ orderBudgets: unlimited });
    companion.service.on(CHARGE, refusedCharge);
    const id = await companion.open();
    companion.service.on('GET /v2/post-sale/orders/order-1001', { status: 200, body: 'charge-9' });
    companion.service.calls.length = 0;
    expect((await companion.confirm(id, 'garbage')).body.status).toBe('unavailable');
    expect(companion.service.calls.length).toBeLessThanOrEqual(5);
  });

  test('are limited to ten in an hour: the next one gets Retry-After and no call is made', async () => {
    const companion = await createCompanion({
      orderBudgets: { openCheckouts: 0, primes: 0 },
    });
    await refuse(companion, 10);
    companion.clock.advance(600_000);
    const id = await companion.open('last');
    companion.service.calls.length = 0;
    const { status, headers, body } = await companion.confirm(id, 'garbage');
    expect([status, body.code, body.retrySafe]).toEqual([429, 'rate-limited', true]);
    expect(headers.get('retry-after')).toBe('3000');
    expect(companion.service.calls).toEqual([]);
    // Another order has its own budget.
    const other = await companion.open('other', { merchantOrderId: 'order-2' });
    expect((await companion.confirm(other, 'garbage')).body.status).toBe('failed');
    companion.clock.advance(3_000_001);
    const later = await companion.open('later');
    expect((await companion.confirm(later, 'garbage')).body.status).toBe('failed');
  });

  test('are not charged again until the service reports whether it has the refused charge', async () => {
    const companion = await createCompanion();
    await refuse(companion, 1);
    const id = await companion.open('again');
    companion.service.on('GET /v2/post-sale/transactions/lookup', { status: 403, text: '' });
    const { status, body } = await companion.confirm(id, 'token-2');
    expect([status, body.code, body.retrySafe]).toEqual([503, 'service-unavailable', true]);
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('do not delay a prime: their lookups have lower priority and at most a quarter of the slots', async () => {
    const first = await createCompanion();
    const held: (() => void)[] = [];
    const hold = (answer: Scripted) => () =>
      new Promise<Scripted>((resolve) => held.push(() => resolve(answer)));
    const companion = await createCompanion({
      orderBudgets: unlimited,
      service: createServiceClient({
        baseUrl: 'https://service.example/',
        keys: [new PrivateKey(PRIVATE_KEY)],
        transport: first.service.transport,
        clock: first.clock,
        concurrency: 4,
        random: () => 0,
      }),
    });
    first.service
      .on(CHARGE, refusedCharge)
      .on('GET /v2/post-sale/transactions/lookup', hold({ status: 404, text: '' }));
    const ids: string[] = [];
    for (let index = 0; index < 8; index++) {
      ids.push(await companion.open(`key-${index}`, { merchantOrderId: `order-${index}` }));
    }
    const flood = ids.map((id, index) => companion.confirm(id, `garbage-${index}`));
    await expect.poll(() => first.service.callsTo(CHARGE).length).toBe(8);
    await expect.poll(() => held.length).toBe(1);
    first.service.on(PRIME, primed);
    expect((await companion.prime('honest', { merchantOrderId: 'honest' })).status).toBe(201);
    expect(held).toHaveLength(1);
    for (let released = 0; released < 8; released++) {
      await expect.poll(() => held.length).toBeGreaterThan(released);
      held[released]?.();
    }
    const answers = await Promise.all(flood);
    expect(answers.map(({ body }) => body.status)).toEqual(Array(8).fill('failed'));
  });
});

describe('primes of one order', () => {
  test('are refused while the order has five open checkouts', async () => {
    const companion = await createCompanion();
    const ids: string[] = [];
    const ticket = await companion.ticket();
    const send = (key: string) =>
      companion.post(
        '/checkout/prime',
        { order: ticket, environment: 'sandbox' },
        { 'idempotency-key': key },
      );
    for (let index = 0; index < 5; index++) {
      ids.push((await send(`key-${index}`)).body.id as string);
    }
    const { status, headers, body } = await companion.prime('key-6');
    expect([status, body.code, body.retrySafe]).toEqual([429, 'rate-limited', true]);
    expect(Number(headers.get('retry-after'))).toBe(600);
    expect(companion.service.callsTo(PRIME)).toHaveLength(5);
    // Checkouts stay open for an hour, longer than the period in which primes count.
    companion.clock.advance(1_200_000);
    expect((await companion.prime('key-7')).body.code).toBe('rate-limited');
    // The same key gets the same checkout again.
    expect((await send('key-0')).body.id).toBe(ids[0]);
    expect((await companion.prime('other', { merchantOrderId: 'order-2' })).status).toBe(201);
    expect((await companion.post(`/checkout/${ids[0]}/cancellation`)).status).toBe(200);
    expect((await companion.prime('key-6')).status).toBe(201);
  });

  test('stay within the budget when sent concurrently', async () => {
    const companion = await createCompanion();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => companion.prime(`key-${index}`)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(companion.service.callsTo(PRIME)).toHaveLength(5);
  });

  test('are limited to twenty in ten minutes, including those that the service refuses', async () => {
    const companion = await createCompanion();
    companion.service.on(PRIME, { status: 422, body: { errors: [] } });
    const consumer = undefined;
    for (let index = 0; index < 20; index++) {
      expect((await companion.prime(`key-${index}`, { consumer })).body.code).toBe(
        'service-rejected',
      );
    }
    companion.clock.advance(60_000);
    const { headers, body } = await companion.prime('key-20', { consumer });
    expect(body.code).toBe('rate-limited');
    expect(headers.get('retry-after')).toBe('540');
    expect(companion.service.callsTo(PRIME)).toHaveLength(20);
    companion.clock.advance(540_001);
    companion.service.on(PRIME, primed);
    expect((await companion.prime('key-20', { consumer })).status).toBe(201);
  });

  test('that were provably not sent do not count', async () => {
    const companion = await createCompanion();
    companion.service.on(PRIME, { status: 401, text: '' });
    for (let index = 0; index < 25; index++) {
      expect((await companion.prime(`key-${index}`)).body.code).toBe('service-key-rejected');
    }
  });
});
