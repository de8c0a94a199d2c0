import { describe, expect, test } from 'vitest';
import { deliveriesSchema, webhookSchema } from '@financing-checkout/contract';
import { Webhook } from 'standardwebhooks';
import {
  charged,
  createCompanion,
  gatewayTimeout,
  networkError,
  WEBHOOK_SECRET,
} from '../companion.fixture.ts';
import { Secret } from '../keys/secret.ts';

const NEXT_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

type Companion = Awaited<ReturnType<typeof createCompanion>>;
const list = async (companion: Companion, query = '') =>
  deliveriesSchema.parse((await companion.office(`/webhooks${query}`)).body).deliveries;

/** A companion whose shop did not take the news of an expired checkout for three days. */
async function withDead(change: Parameters<typeof createCompanion>[0] = {}): Promise<Companion> {
  const companion = await createCompanion(change);
  companion.shop.on('POST /webhooks', { status: 500, text: '' });
  await companion.open();
  companion.clock.advance(3_600_000);
  for (let round = 0; round < 90; round++) {
    await companion.background.runOnce();
    companion.clock.advance(3_600_000);
  }
  return companion;
}

describe('messages the shop did not take', () => {
  test('are dead after 83 tries, listed with the reason, and not sent any more', async () => {
    const companion = await withDead();
    expect(companion.shop.calls).toHaveLength(83);
    const [dead] = await list(companion, '?state=dead');
    expect(dead).toMatchObject({ state: 'dead', tries: 83, reason: 'status 500' });
    expect(await list(companion, '?state=waiting')).toEqual([]);
    await companion.background.runOnce();
    expect(companion.shop.calls).toHaveLength(83);
  });

  test('are in the log, each try with the checkout it tells of, and the last one as dead', async () => {
    const companion = await withDead();
    const [{ checkoutId, id: deliveryId } = {}] = await list(companion);
    const tries = companion.log.filter(({ event }) => event === 'webhook-delivery');
    expect(tries).toHaveLength(83);
    const common = { level: 'warn', deliveryId, checkoutId, status: 500, reason: 'status 500' };
    expect(tries[0]).toMatchObject({ ...common, outcome: 'retry', tries: 1 });
    expect(tries.at(-1)).toMatchObject({ ...common, outcome: 'dead', tries: 83 });
    expect(checkoutId).toMatch(/^chk_/);
  });

  test('are sent again when asked to, under the same id, with a fresh signature', async () => {
    let woken = 0;
    const companion = await withDead({ onChange: () => void (woken += 1) });
    const [dead] = await list(companion, '?state=dead');
    companion.shop.on('POST /webhooks', { status: 204, text: '' });
    woken = 0;
    const answer = await companion.officePost(`/webhooks/${dead?.id ?? ''}/replay`);
    expect([answer.status, woken]).toEqual([202, 1]);
    await companion.background.runOnce();
    const call = companion.shop.calls.at(-1);
    expect(call?.headers['webhook-id']).toBe(dead?.id);
    expect(call?.headers['webhook-timestamp']).toBe(String(companion.clock.now() / 1000));
    expect(webhookSchema.parse(call?.body).data.status).toBe('expired');
    expect(await list(companion)).toMatchObject([{ state: 'delivered', tries: 1 }]);
  });

  test('that do not exist cannot', async () => {
    const companion = await createCompanion();
    expect((await companion.officePost('/webhooks/msg_none/replay')).status).toBe(404);
    expect((await companion.office('/webhooks?state=gone')).body.code).toBe('invalid-request');
    expect((await companion.office('/webhooks?after=x')).body.code).toBe('invalid-request');
    const headers = { authorization: 'Bearer wrong' };
    expect((await companion.officePost('/webhooks/msg_none/replay', {}, headers)).status).toBe(401);
  });

  test('are listed in pages, each once', async () => {
    const companion = await createCompanion();
    for (let index = 0; index < 205; index++) {
      await companion.open(`key-${index}`, { merchantOrderId: `order-${index}` });
    }
    companion.clock.advance(3_600_000);
    while ((await companion.store.dueCheckouts('sandbox', companion.clock.now(), 1)).length > 0) {
      await companion.background.runOnce();
    }
    const first = deliveriesSchema.parse((await companion.office('/webhooks')).body);
    expect(first.deliveries).toHaveLength(200);
    const rest = await companion.office(`/webhooks?after=${first.next ?? ''}`);
    const second = deliveriesSchema.parse(rest.body);
    expect([second.deliveries.length, second.next]).toEqual([5, undefined]);
    const ids = [...first.deliveries, ...second.deliveries].map(({ id }) => id);
    expect(new Set(ids).size).toBe(205);
  });
});

describe('waits between the tries of a message', () => {
  /** How long after each of the first tries the next one is, in milliseconds. */
  async function waits(random: number, count: number): Promise<number[]> {
    const companion = await createCompanion({ random: () => random });
    companion.shop.on('POST /webhooks', { status: 500, text: '' });
    await companion.open();
    companion.clock.advance(3_600_000);
    const found = [];
    for (let tries = 0; tries < count; tries++) {
      await companion.background.runOnce();
      expect(companion.shop.calls).toHaveLength(tries + 1);
      const [message] = await list(companion, '?state=waiting');
      const wait = Date.parse(message?.nextTryAt ?? '') - companion.clock.now();
      found.push(wait);
      companion.clock.advance(wait - 1);
      await companion.background.runOnce();
      expect(companion.shop.calls).toHaveLength(tries + 1);
      companion.clock.advance(1);
    }
    return found;
  }

  test('double from one second up to half an hour at least', async () => {
    const seconds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_800, 1_800];
    expect(await waits(0, 13)).toEqual(seconds.map((value) => value * 1_000));
  });

  test('are up to twice as long, at random: shops that come back are not met by everything at once', async () => {
    expect(await waits(0.5, 4)).toEqual([1_500, 3_000, 6_000, 12_000]);
  });
});

test.each([
  ['429', '120', 120],
  ['503', 'Fri, 20 Nov 2026 13:05:00 GMT', 300],
  ['503', '90000', 3_600],
  ['429', '0', 1],
  ['429', 'soon', 1],
])(
  'Standard Webhooks: a shop that answers %s with Retry-After "%s" is asked again in %i seconds',
  async (status, retryAfter, seconds) => {
    const companion = await createCompanion();
    const headers = { 'retry-after': retryAfter };
    companion.shop.on('POST /webhooks', { status: Number(status), text: '', headers });
    await companion.open();
    companion.clock.advance(3_600_000);
    await companion.background.runOnce();
    const [message] = await list(companion);
    const wait = Date.parse(message?.nextTryAt ?? '') - companion.clock.now();
    expect([wait, message?.reason]).toEqual([seconds * 1_000, `status ${status}`]);
  },
);

test('Standard Webhooks: a shop that answers 410 is not asked again until somebody wants it', async () => {
  const companion = await createCompanion();
  companion.shop.on('POST /webhooks', { status: 410, text: '' });
  await companion.open();
  for (let round = 0; round < 3; round++) {
    companion.clock.advance(3_600_000);
    await companion.background.runOnce();
  }
  expect(companion.shop.calls).toHaveLength(1);
  const [dead] = await list(companion, '?state=dead');
  expect(dead).toMatchObject({ state: 'dead', tries: 1, reason: 'status 410' });
  expect(companion.log.filter(({ event }) => event === 'webhook-delivery')).toMatchObject([
    { level: 'warn', outcome: 'dead', status: 410, tries: 1 },
  ]);
  companion.shop.on('POST /webhooks', { status: 204, text: '' });
  await companion.officePost(`/webhooks/${dead?.id ?? ''}/replay`);
  await companion.background.runOnce();
  expect(await list(companion)).toMatchObject([{ id: dead?.id, state: 'delivered' }]);
});

test('a shop has as long as it was given, and a quarter of a minute by default', async () => {
  const given = { url: 'https://shop.example/webhooks', secret: new Secret(WEBHOOK_SECRET) };
  for (const [deadlineMs, expected] of [
    [undefined, 15_000],
    [2_000, 2_000],
  ] as const) {
    let asked: AbortSignal | undefined;
    const companion = await createCompanion({
      webhook: { ...given, ...(deadlineMs === undefined ? {} : { deadlineMs }) },
      webhookTransport: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          asked = signal;
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    });
    await companion.open();
    companion.clock.advance(3_600_000);
    const round = companion.background.runOnce();
    await expect.poll(() => asked).toBeDefined();
    companion.clock.advance(expected - 1);
    expect(asked?.aborted).toBe(false);
    companion.clock.advance(1);
    await round;
    expect(await list(companion)).toMatchObject([{ state: 'waiting', reason: 'timeout' }]);
  }
});

test('Standard Webhooks: the timestamp is of whole seconds, in the header and under the signature', async () => {
  const companion = await createCompanion();
  await companion.open();
  companion.clock.advance(3_600_999);
  await companion.background.runOnce();
  const [call] = companion.shop.calls;
  const seconds = Math.floor(companion.clock.now() / 1000);
  const { 'webhook-id': id = '', ...headers } = call?.headers ?? {};
  expect(headers['webhook-timestamp']).toBe(String(seconds));
  expect(headers['content-type']).toBe('application/json');
  const body = JSON.stringify(call?.body);
  const signed = new Webhook(WEBHOOK_SECRET).sign(id, new Date(seconds * 1000), body);
  expect(headers['webhook-signature']).toBe(signed);
});

test('a message says when what it tells of happened, however late it is taken', async () => {
  const companion = await createCompanion();
  companion.shop.on('POST /webhooks', { status: 500, text: '' }, { status: 204, text: '' });
  await companion.open();
  companion.clock.advance(3_600_000);
  const expiredAt = new Date(companion.clock.now()).toISOString();
  await companion.background.runOnce();
  companion.clock.advance(60_000);
  await companion.background.runOnce();
  const told = { timestamp: expiredAt, data: { status: 'expired', updatedAt: expiredAt } };
  expect(companion.shop.calls.map(({ body }) => body)).toMatchObject([told, told]);
});

test('one that was taken is in the log without a reason, and its deadline is over with it', async () => {
  let asked: AbortSignal | undefined;
  const companion = await createCompanion({
    webhookTransport: (_, { signal }) => {
      asked = signal;
      return Promise.resolve(new Response('thanks', { status: 299 }));
    },
  });
  await companion.open();
  companion.clock.advance(3_600_000);
  await companion.background.runOnce();
  const [line] = companion.log.filter(({ event }) => event === 'webhook-delivery');
  expect(line).toMatchObject({ level: 'info', outcome: 'delivered', status: 299 });
  expect(line).not.toHaveProperty('reason');
  companion.clock.advance(15_000);
  expect(asked?.aborted).toBe(false);
});

test('a shop that cannot be reached is waited for from when that was known', async () => {
  const companion = await createCompanion({
    webhookTransport: () => {
      companion.clock.advance(5_000);
      return Promise.reject(networkError('ECONNREFUSED'));
    },
  });
  await companion.open();
  companion.clock.advance(3_600_000);
  await companion.background.runOnce();
  const [message] = await list(companion);
  expect(message).toMatchObject({ state: 'waiting', reason: 'unreachable' });
  expect(Date.parse(message?.nextTryAt ?? '') - companion.clock.now()).toBe(1_000);
  expect(companion.log).toContainEqual(
    expect.objectContaining({ event: 'webhook-delivery', durationMs: 5_000 }),
  );
});

test('of an endless answer no more is read than a bit, and its status counts', async () => {
  let pulled = 0;
  const companion = await createCompanion({
    webhookTransport: () => {
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          pulled += 1;
          if (pulled > 1_000) controller.close();
          else controller.enqueue(new Uint8Array(16_384));
        },
      });
      return Promise.resolve(new Response(body, { status: 200 }));
    },
  });
  await companion.open();
  companion.clock.advance(3_600_000);
  await companion.background.runOnce();
  expect(await list(companion)).toMatchObject([{ state: 'delivered' }]);
  expect(pulled).toBeLessThan(10);
  // A short one is read to its end, so that its connection can be used again.
  expect(pulled).toBeGreaterThan(4);
});

test('a shop that breaks off behind the head of its answer has the message', async () => {
  let sent = 0;
  const companion = await createCompanion({
    webhookTransport: () => {
      sent += 1;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.error(new Error('reset')),
      });
      return Promise.resolve(new Response(body, { status: 200 }));
    },
  });
  await companion.open();
  for (let round = 0; round < 3; round++) {
    companion.clock.advance(3_600_000);
    await companion.background.runOnce();
  }
  expect(await list(companion)).toMatchObject([{ state: 'delivered', tries: 1 }]);
  expect(sent).toBe(1);
});

test.each([300, 307])('a %i is not followed: the message is for the shop alone', async (status) => {
  const asked: (string | undefined)[] = [];
  const companion = await createCompanion({
    webhookTransport: (_, { redirect }) => {
      asked.push(redirect);
      const headers = { location: 'https://elsewhere.example/' };
      return Promise.resolve(new Response(null, { status, headers }));
    },
  });
  await companion.open();
  companion.clock.advance(3_600_000);
  await companion.background.runOnce();
  expect(await list(companion)).toMatchObject([{ state: 'waiting', reason: `status ${status}` }]);
  expect(asked).toEqual(['manual']);
});

test('a message that is being sent is not sent by another companion meanwhile', async () => {
  let sent = 0;
  const companion = await createCompanion({
    webhookTransport: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        sent += 1;
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  });
  await companion.open();
  companion.clock.advance(3_600_000);
  const round = companion.background.runOnce();
  await expect.poll(() => sent).toBe(1);
  const other = await createCompanion({ store: companion.store, clock: companion.clock });
  await other.background.runOnce();
  expect(other.shop.calls).toEqual([]);
  companion.clock.advance(15_000);
  await round;
  expect(await list(companion)).toMatchObject([{ state: 'waiting', reason: 'timeout' }]);
});

test('a message of a companion that died is sent by another one, after two deadlines', async () => {
  const companion = await createCompanion({ webhookTransport: () => new Promise(() => undefined) });
  await companion.open();
  companion.clock.advance(3_600_000);
  void companion.background.runOnce();
  const other = await createCompanion({ store: companion.store });
  await expect.poll(async () => (await list(other))[0]?.tries).toBe(1);
  other.clock.advance(3_600_000 + 29_999);
  await other.background.runOnce();
  expect(other.shop.calls).toEqual([]);
  other.clock.advance(1);
  await other.background.runOnce();
  expect(other.shop.calls).toHaveLength(1);
});

test('Standard Webhooks: while the secret is changed there are two signatures, either verifies', async () => {
  const companion = await createCompanion({
    webhook: {
      url: 'https://shop.example/webhooks',
      secret: new Secret(NEXT_SECRET),
      previousSecret: new Secret(WEBHOOK_SECRET),
    },
  });
  await companion.open();
  companion.clock.advance(3_600_000);
  await companion.background.runOnce();
  const [call] = companion.shop.calls;
  expect(call?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  const body = JSON.stringify(call?.body);
  for (const secret of [NEXT_SECRET, WEBHOOK_SECRET]) {
    const signed = new Webhook(secret).sign(
      call?.headers['webhook-id'] ?? '',
      new Date(companion.clock.now()),
      body,
    );
    expect(call?.headers['webhook-signature']?.split(' ')).toContain(signed);
  }
});

test('an unknown charge that is proved absent is told: the order is free again', async () => {
  const companion = await createCompanion();
  companion.service.on('POST /v2/post-sale/charges', gatewayTimeout, charged);
  const id = await companion.open();
  await companion.confirm(id);
  companion.clock.advance(181_000);
  while ((await companion.background.runOnce()) > 0);
  const told = companion.told().map(({ status, retrySafe }) => [status, retrySafe]);
  expect(told).toContainEqual(['unavailable', false]);
  expect(told.at(-1)).toEqual(['unavailable', true]);
  const { body } = await companion.office('/checkouts?merchantOrderId=order-1001');
  expect(body.checkouts).toMatchObject([{ status: 'unavailable', retrySafe: true }]);
});
