import { expect, onTestFinished, test } from 'vitest';
import { createBackgroundWork } from './background.ts';
import { charged, createCompanion, networkError } from './companion.fixture.ts';
import { Secret } from './keys/secret.ts';

const LOOKUP = 'GET /v2/post-sale/transactions/lookup';
const CHARGE = 'POST /v2/post-sale/charges';
const AUTHORIZATION = 'Bearer agreed-in-advance-0123456789';
const lost = networkError('ECONNRESET');

type Companion = Awaited<ReturnType<typeof createCompanion>>;

/** Three refunds of which nobody knows what became. */
async function threeUnclear(companion: Companion): Promise<string> {
  companion.service.on(LOOKUP, lost);
  for (const id of ['charge-1', 'charge-2', 'charge-3']) {
    const path = `/v2/post-sale/charges/${id}`;
    const amounts = { totalAmount: 100, settledAmount: 100, refundedAmount: 0 };
    const body = { id, state: 'Settled', currency: 'USD', merchantOrderId: id, ...amounts };
    companion.service.on(`GET ${path}`, { status: 200, body }).on(`POST ${path}/refunds`, lost);
    const headers = { 'idempotency-key': id };
    await companion.officePost(`/charges/${id}/refunds`, { amount: 500 }, headers);
  }
  return LOOKUP;
}

/** Three notifications that shoppers have confirmed. */
async function threeConfirmed(companion: Companion): Promise<string> {
  for (const name of ['1', '2', '3']) {
    const id = `application-${name}`;
    const session = { status: 201, body: { id: `session-${name}`, applicationId: id } };
    companion.service.on('POST /v1/checkout/prime', session);
    await companion.open(`key-${name}`, { merchantOrderId: `order-${name}` });
    const body = {
      event: 'application.checkout-confirmed',
      applicationId: id,
      createdAt: new Date(companion.clock.now()).toISOString(),
      token: `token-${name}`,
    };
    await companion.storefront.request('/notifications', {
      method: 'POST',
      headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }
  return CHARGE;
}

test.each([
  ['operations', threeUnclear],
  ['notifications', threeConfirmed],
])(
  'a stop waits for the call under way, and leaves the others to who comes next: %s',
  async (_, prepare) => {
    const companion = await createCompanion({
      notificationAuthorizations: [new Secret(AUTHORIZATION)],
    });
    const { background, clock, options, service } = companion;
    const route = await prepare(companion);
    const before = service.callsTo(route).length;
    const held = Promise.withResolvers<undefined>();
    const late = { ...charged, body: { ...charged.body, id: 'charge-late' } };
    service.on(route, () => held.promise.then(() => late));
    clock.advance(60_000);
    background.start();
    await expect.poll(() => service.callsTo(route).length - before).toBe(1);
    const stopped = background.stop();
    held.resolve(undefined);
    await stopped;
    expect(service.callsTo(route).length - before).toBe(1);

    const next = createBackgroundWork(options);
    onTestFinished(() => next.stop());
    clock.advance(600_000);
    await next.runOnce();
    expect(service.callsTo(route).length - before).toBeGreaterThanOrEqual(3);
  },
);
