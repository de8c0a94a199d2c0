import { expect, onTestFinished, test } from 'vitest';
import { createCompanion as createApis } from './companion.ts';
import { createCompanion } from './companion.fixture.ts';
import { CHARGE, charged, foundCharge, LOOKUP, networkError } from './scripted-service.fixture.ts';
import { Secret } from '@financing-checkout/kit';

const AUTHORIZATION = 'Bearer agreed-in-advance-0123456789';
const lost = networkError('ECONNRESET');

/** Number of concurrent calls in a round. */
const AT_A_TIME = 8;
const names = Array.from({ length: AT_A_TIME + 2 }, (_, index) => `${index + 1}`);

type Companion = Awaited<ReturnType<typeof createCompanion>>;

/** Creates refunds whose outcome is unknown. */
async function manyUnclear(companion: Companion): Promise<string> {
  companion.service.on(LOOKUP, lost);
  for (const id of names.map((name) => `charge-${name}`)) {
    const path = `/v2/post-sale/charges/${id}`;
    const charge = foundCharge({ id, merchantOrderId: id });
    companion.service.on(`GET ${path}`, charge).on(`POST ${path}/refunds`, lost);
    const headers = { 'idempotency-key': id };
    await companion.officePost(`/charges/${id}/refunds`, { amount: 500, currency: 'USD' }, headers);
  }
  return LOOKUP;
}

/** Creates notifications of confirmed offers. */
async function manyConfirmed(companion: Companion): Promise<string> {
  for (const name of names) {
    const id = `application-${name}`;
    const session = { status: 201, body: { id: `session-${name}`, applicationId: id } };
    companion.service.on('POST /v1/checkout/prime', session);
    await companion.open(`key-${name}`, { merchantOrderId: `order-${name}` });
    const body = {
      eventType: 'application.checkout-confirmed',
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
  ['operations', manyUnclear],
  ['notifications', manyConfirmed],
])('a slow lookup does not delay other lookups: %s', async (_, prepare) => {
  const companion = await createCompanion({
    notificationAuthorizations: [new Secret(AUTHORIZATION)],
  });
  const { background, clock, service } = companion;
  const route = await prepare(companion);
  const before = service.callsTo(route).length;
  const held = Promise.withResolvers<undefined>();
  const refused = { status: 403, text: '' };
  service.on(route, () => held.promise.then(() => refused), refused);
  clock.advance(60_000);
  const round = background.runOnce();
  await expect.poll(() => service.callsTo(route).length - before).toBe(names.length);
  held.resolve(undefined);
  await round;
});

test('a failed lookup does not end the round, and the round waits for the others', async () => {
  const companion = await createCompanion({
    notificationAuthorizations: [new Secret(AUTHORIZATION)],
  });
  const { clock, options, service, store } = companion;
  await manyConfirmed(companion);
  service.on(CHARGE, { status: 403, text: '' });
  clock.advance(60_000);
  let asked = 0;
  const background = createApis({
    ...options,
    store: {
      ...store,
      findCheckoutsOfApplication(...parameters) {
        asked += 1;
        if (asked === 1) return Promise.reject(new Error('the first one fails'));
        return store.findCheckoutsOfApplication(...parameters);
      },
    },
  }).background;
  await expect(background.runOnce()).rejects.toThrow('the first one fails');
  const calls = service.callsTo(CHARGE).length;
  expect(calls).toBeGreaterThanOrEqual(AT_A_TIME - 1);
  await background.runOnce();
  expect(service.callsTo(CHARGE)).toHaveLength(names.length - 1);
});

test.each([
  ['operations', manyUnclear],
  ['notifications', manyConfirmed],
])(
  'stop waits for the calls in flight and leaves the others to the next companion: %s',
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
    await expect.poll(() => service.callsTo(route).length - before).toBe(AT_A_TIME);
    const stopped = background.stop();
    held.resolve(undefined);
    await stopped;
    expect(service.callsTo(route).length - before).toBe(AT_A_TIME);

    const next = createApis(options).background;
    onTestFinished(() => next.stop());
    clock.advance(600_000);
    await next.runOnce();
    expect(service.callsTo(route).length - before).toBeGreaterThanOrEqual(names.length);
  },
);
