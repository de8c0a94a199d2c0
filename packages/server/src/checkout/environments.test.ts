import { deliveriesSchema } from '@financing-checkout/contract/back-office';
import { afterEach, expect, test, vi } from 'vitest';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { createCompanion, ORIGIN } from '../companion.fixture.ts';
import { CHARGE, charged, gatewayTimeout } from '../scripted-service.fixture.ts';
import { KeyRing } from '../keys/key-ring.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { Secret } from '@financing-checkout/kit';
import { createMetrics } from '../node/metrics.ts';
import type { CompanionOptions } from '../options.ts';

afterEach(() => void vi.useRealTimers());

const AUTHORIZATION = 'Bearer agreed-in-advance-0123456789';

/** Sets up two companions on one store, each with its own service. */
async function setUp(change: Partial<CompanionOptions> = {}) {
  const notificationAuthorizations = [new Secret(AUTHORIZATION)];
  const options = { notificationAuthorizations, ...change };
  const production = await createCompanion({ environment: 'production', ...options });
  const sandbox = await createCompanion({ store: production.store, ...options });
  const later = async (ms: number, companion: typeof sandbox) => {
    companion.clock.advance(ms);
    while ((await companion.background.runOnce()) > 0);
  };
  const open = async (ticket?: string) => {
    const order = ticket ?? (await production.ticket());
    const body = { order, environment: 'production' };
    const answer = await production.post('/checkout/prime', body, { 'idempotency-key': 'key-1' });
    return answer.body.id as string;
  };
  return { production, sandbox, later, open };
}

test('an unknown outcome is looked up only by a companion of its environment', async () => {
  const { production, sandbox, later, open } = await setUp();
  const charge = new ChargeAtService(production.service, { settled: 27_499 });
  production.service.on(CHARGE, ({ body }) => {
    charge.created({}, (body as { merchantTransactionId: string }).merchantTransactionId);
    return gatewayTimeout;
  });
  const id = await open();
  expect((await production.confirm(id)).body.status).toBe('unavailable');
  await later(600_000, sandbox);
  expect(sandbox.service.calls).toEqual([]);
  await later(600_000, production);
  expect((await production.store.findCheckout(id))?.status).toBe('approved');

  charge.faults = ['lost-after'];
  const refund = () =>
    production.officePost(
      '/charges/charge-1/refunds',
      { amount: 100 },
      { 'idempotency-key': 'refund-1' },
    );
  expect((await refund()).body.code).toBe('outcome-unknown');
  await later(600_000, sandbox);
  expect(sandbox.service.calls).toEqual([]);
  await later(600_000, production);
  expect((await refund()).body.state).toBe('accepted');
  expect(charge.refunded).toBe(100);
});

test('a companion sends webhooks of its own environment only', async () => {
  const { production, sandbox, later, open } = await setUp();
  production.service.on(CHARGE, gatewayTimeout);
  await production.confirm(await open());
  await later(0, sandbox);
  expect(sandbox.webhooks()).toEqual([]);
  await later(0, production);
  expect(production.webhooks().at(-1)).toMatchObject({
    environment: 'production',
    status: 'unavailable',
  });
});

test('answers 404 for a checkout of another environment', async () => {
  const { production, sandbox, open } = await setUp();
  const id = await open();
  const answers = [
    await sandbox.get(`/checkout/${id}`, { origin: ORIGIN }),
    await sandbox.confirm(id),
    await sandbox.post(`/checkout/${id}/cancellation`),
  ];
  expect(answers.map(({ body }) => body.code)).toEqual(answers.map(() => 'checkout-not-found'));
  expect(sandbox.service.calls).toEqual([]);
  expect((await production.get(`/checkout/${id}`)).body.status).toBe('open');
});

test('does not list, count or replay webhooks of another environment', async () => {
  const { production, sandbox, later, open } = await setUp();
  production.shop.on('POST /webhooks', { status: 500, text: '' });
  await open();
  for (let round = 0; round < 90; round++) await later(3_600_000, production);
  const dead = async (companion: typeof sandbox) =>
    deliveriesSchema.parse((await companion.office('/webhooks?state=dead')).body).deliveries;
  const counted = async ({ options, counters, store }: typeof sandbox) => {
    vi.setSystemTime(production.clock.now());
    const keys = new KeyRing([new PrivateKey('sk-0123456789abcdef')], {});
    const { environment } = options;
    const { text } = await createMetrics({
      keys,
      counters,
      store,
      version: '1',
      environment,
    }).render();
    return /^financing_webhook_deliveries_dead (\d)$/m.exec(text)?.[1];
  };
  const [message] = await dead(production);
  expect([message?.state, await counted(production)]).toEqual(['dead', '1']);
  expect([await dead(sandbox), await counted(sandbox)]).toEqual([[], '0']);
  const replay = `/webhooks/${message?.id ?? ''}/replay`;
  expect((await sandbox.officePost(replay)).status).toBe(404);
  expect(await dead(production)).toHaveLength(1);
  expect((await production.officePost(replay)).status).toBe(202);
});

test('handles a notification only in the environment that received it', async () => {
  const { production, sandbox, later, open } = await setUp();
  production.service.on(CHARGE, charged);
  const id = await open();
  const notify = async ({ storefront }: typeof sandbox) => {
    const answer = await storefront.request('/notifications', {
      method: 'POST',
      headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
      body: JSON.stringify({
        eventType: 'application.checkout-confirmed',
        applicationId: 'application-1',
        token: 'confirmation-token-1',
      }),
    });
    return answer.json();
  };
  // Applications of two environments may share an id, so equal content is no duplicate.
  expect(await notify(sandbox)).toEqual({ received: 'kept' });
  expect(await notify(production)).toEqual({ received: 'kept' });
  for (let round = 0; round < 10; round++) await later(60_000, sandbox);
  await later(60_000, production);
  expect((await production.store.findCheckout(id))?.status).toBe('approved');
  expect(sandbox.service.calls).toEqual([]);
});

test('the same Idempotency-Key in two environments primes in each of them', async () => {
  const { production, sandbox, open } = await setUp();
  const ticket = await production.ticket();
  const id = await open(ticket);
  const body = { order: await sandbox.ticket(), environment: 'sandbox' };
  const prime = () => sandbox.post('/checkout/prime', body, { 'idempotency-key': 'key-1' });
  const first = await prime();
  expect([first.status, first.body.environment]).toEqual([201, 'sandbox']);
  expect(first.body.id).not.toBe(id);
  expect((await prime()).body.id).toBe(first.body.id);
  expect(await open(ticket)).toBe(id);
  expect([production.service.calls.length, sandbox.service.calls.length]).toEqual([1, 1]);
});

test('lists the checkouts of an order in its own environment only', async () => {
  const { production, sandbox, open } = await setUp();
  const id = await open();
  const ask = async (companion: typeof sandbox) =>
    (await companion.office('/checkouts?merchantOrderId=order-1001')).body.checkouts;
  expect(await ask(production)).toMatchObject([{ checkoutId: id, environment: 'production' }]);
  expect(await ask(sandbox)).toEqual([]);
});

test('the same Idempotency-Key in two environments creates two operations', async () => {
  const { production, sandbox } = await setUp();
  for (const { service } of [production, sandbox])
    new ChargeAtService(service, { settled: 27_499 });
  const refund = (companion: typeof sandbox, amount: number) =>
    companion.officePost(
      '/charges/charge-1/refunds',
      { amount, currency: 'USD' },
      { 'idempotency-key': 'refund-1' },
    );
  const first = await refund(sandbox, 100);
  const second = await refund(production, 100);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body.id).not.toBe(first.body.id);
  // Each environment sends one request, and each key still belongs to its request.
  expect((await refund(sandbox, 100)).body).toEqual(first.body);
  expect((await refund(production, 100)).body).toEqual(second.body);
  for (const companion of [production, sandbox]) {
    expect((await refund(companion, 200)).body.code).toBe('idempotency-key-reused');
    const path = 'POST /v2/post-sale/charges/charge-1/refunds';
    expect(companion.service.callsTo(path)).toHaveLength(1);
  }
});

test('one-time tickets with the same id open a checkout in each environment', async () => {
  const { production, sandbox } = await setUp({ oneTimeTickets: true });
  const prime = async (companion: typeof sandbox, environment: string, key: string) => {
    const order = await companion.ticket({}, { id: 'ticket-0001' });
    const headers = { 'idempotency-key': key };
    return (await companion.post('/checkout/prime', { order, environment }, headers)).status;
  };
  expect(await prime(sandbox, 'sandbox', 'key-1')).toBe(201);
  expect(await prime(production, 'production', 'key-1')).toBe(201);
  expect(await prime(production, 'production', 'key-2')).toBe(409);
});
