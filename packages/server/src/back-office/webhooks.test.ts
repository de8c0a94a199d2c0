import { describe, expect, test } from 'vitest';
import { deliveriesSchema, webhookSchema } from '@financing-checkout/contract/back-office';
import { Webhook } from 'standardwebhooks';
import { createCompanion, WEBHOOK_SECRET } from '../companion.fixture.ts';
import { charged, gatewayTimeout, networkError } from '../scripted-service.fixture.ts';
import { Secret } from '@financing-checkout/kit';

const NEXT_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

type Companion = Awaited<ReturnType<typeof createCompanion>>;
const list = async (companion: Companion, query = '') =>
  deliveriesSchema.parse((await companion.office(`/webhooks${query}`)).body).deliveries;

/** Creates a companion whose shop rejected a webhook about an expired checkout for three days. */
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

describe('messages that the shop did not accept', () => {
  test('are dead after 83 attempts, listed with the reason, and not sent again', async () => {
    const companion = await withDead();
    expect(companion.shop.calls).toHaveLength(83);
    const [dead] = await list(companion, '?state=dead');
    expect(dead).toMatchObject({ state: 'dead', tries: 83, reason: 'status 500' });
    expect(await list(companion, '?state=waiting')).toEqual([]);
    await companion.background.runOnce();
    expect(companion.shop.calls).toHaveLength(83);
  });

  test('are logged on each attempt with the checkout id, and finally as dead', async () => {
    const companion = await withDead();
    const [{ checkoutId, id: deliveryId } = {}] = await list(companion);
    const tries = companion.log.filter(({ event }) => event === 'webhook-delivery');
    expect(tries).toHaveLength(83);
    const common = { level: 'warn', deliveryId, checkoutId, status: 500, reason: 'status 500' };
    expect(tries[0]).toMatchObject({ ...common, outcome: 'retry', tries: 1 });
    expect(tries.at(-1)).toMatchObject({ ...common, outcome: 'dead', tries: 83 });
    expect(checkoutId).toMatch(/^chk_/);
  });

  test('are sent again on request, with the same id and a new signature', async () => {
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

  test('cannot be sent again if they do not exist', async () => {
    const companion = await createCompanion();
    expect((await companion.officePost('/webhooks/msg_none/replay')).status).toBe(404);
    expect((await companion.office('/webhooks?state=gone')).body.code).toBe('invalid-request');
    expect((await companion.office('/webhooks?after=x')).body.code).toBe('invalid-request');
    const headers = { authorization: 'Bearer wrong' };
    expect((await companion.officePost('/webhooks/msg_none/replay', {}, headers)).status).toBe(401);
  });

  test('are listed in pages, each message once', async () => {
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

describe('the delay between attempts of a message', () => {
  /** Returns the delays after the first attempts, in milliseconds. */
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

  test('doubles from one second to at least half an hour', async () => {
    const seconds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_800, 1_800];
    expect(await waits(0, 13)).toEqual(seconds.map((value) => value * 1_000));
  });

  test('has random jitter of up to 100 percent, so that a recovering shop does not get all messages at once', async () => {
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
  'Standard Webhooks: retries a shop that answers %s with Retry-After "%s" in %i seconds',
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

test('names the clock of a receiver that refuses a message, in the list and in the log', async () => {
  const companion = await createCompanion();
  const date = new Date(companion.clock.now() + 4_200_000).toUTCString();
  companion.shop.on('POST /webhooks', { status: 401, text: '', headers: { date } });
  await companion.open();
  companion.clock.advance(3_600_000);
  await companion.background.runOnce();
  const reason = "status 401; its clock is 600 s ahead of this machine's: synchronize both (NTP)";
  expect(await list(companion)).toMatchObject([{ state: 'waiting', reason }]);
  expect(companion.log).toContainEqual(
    expect.objectContaining({ event: 'webhook-delivery', status: 401, reason }),
  );
});

test('Standard Webhooks: stops after 410 until an operator replays the message', async () => {
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

test('waits for the shop as long as configured, 15 seconds by default', async () => {
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

test('Standard Webhooks: sends and signs a timestamp in whole seconds', async () => {
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

test('a message contains the time of its event, however late it is delivered', async () => {
  const companion = await createCompanion();
  companion.shop.on('POST /webhooks', { status: 500, text: '' }, { status: 204, text: '' });
  await companion.open();
  companion.clock.advance(3_600_000);
  const expiredAt = new Date(companion.clock.now()).toISOString();
  await companion.background.runOnce();
  companion.clock.advance(60_000);
  await companion.background.runOnce();
  const webhook = { timestamp: expiredAt, data: { status: 'expired', updatedAt: expiredAt } };
  expect(companion.shop.calls.map(({ body }) => body)).toMatchObject([webhook, webhook]);
});

test('logs a delivered message without a reason and clears its deadline', async () => {
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

test('counts the delay from the moment the connection failed', async () => {
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

test('reads only the start of an endless response and uses its status', async () => {
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
  // A short response is read to its end, so that its connection can be reused.
  expect(pulled).toBeGreaterThan(4);
});

test('counts a message as delivered when the shop breaks off after the response headers', async () => {
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

test.each([300, 307])(
  'does not follow a %i, because the message is for the shop only',
  async (status) => {
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
  },
);

test('two companions do not send one message at the same time', async () => {
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

test('another companion sends the message of a dead companion after two deadlines', async () => {
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

const replaced = new Secret(WEBHOOK_SECRET);
replaced.replace(NEXT_SECRET);
test.each([
  ['rotates', { secret: new Secret(NEXT_SECRET), previousSecret: new Secret(WEBHOOK_SECRET) }],
  ['was replaced in its file', { secret: replaced }],
])('Standard Webhooks: sends two valid signatures while the secret %s', async (_, secrets) => {
  const companion = await createCompanion({
    webhook: { url: 'https://shop.example/webhooks', ...secrets },
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

test('notifies the shop when an unknown charge is proved absent and its order is free again', async () => {
  const companion = await createCompanion();
  companion.service.on('POST /v2/post-sale/charges', gatewayTimeout, charged);
  const id = await companion.open();
  await companion.confirm(id);
  companion.clock.advance(181_000);
  while ((await companion.background.runOnce()) > 0);
  const outcomes = companion.webhooks().map(({ status, retrySafe }) => [status, retrySafe]);
  expect(outcomes).toContainEqual(['unavailable', false]);
  expect(outcomes.at(-1)).toEqual(['unavailable', true]);
  const { body } = await companion.office('/checkouts?merchantOrderId=order-1001');
  expect(body.checkouts).toMatchObject([{ status: 'unavailable', retrySafe: true }]);
});
