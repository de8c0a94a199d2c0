/* Faults of links on a real connection, with bodies in the published shapes (OmniLink). */
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLinkSubject } from '../../src/checkout/link.fixture.ts';
import { TestClock } from '@financing-checkout/kit/testing';
import { PRIVATE_KEY } from '../../src/companion.fixture.ts';
import { PrivateKey } from '../../src/keys/private-key.ts';
import { httpsServer } from '../../src/node/https.fixture.ts';
import { createNodeTransport } from '@financing-checkout/kit/outgoing';
import type { Clock } from '@financing-checkout/kit';
import { createServiceClient } from '../../src/service/client.ts';

/**
 * Step of the clock in milliseconds. Small, because requests take real time and must not appear to
 * time out.
 */
const STEP_MS = 1;

type Handler = (response: ServerResponse) => void;

const json = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};
const empty = (status: number) => (response: ServerResponse) => {
  response.writeHead(status);
  response.end();
};
const refusal = (status: number, code: string, description: string) =>
  json(status, { requestId: 'svc-1', errors: [{ code, description }] });
const made = json(201, {
  url: 'https://links.example/l/1',
  qrCode: 'iVBORw0KGgo=',
  linkId: 'link-1',
});
const read = (linkStatus: string, ...applications: object[]) =>
  json(200, {
    createdAt: '2026-11-20T12:00:00.9277886Z',
    updatedAt: '2026-11-20T12:00:00.9277886Z',
    linkType: 'ConsumerCheckout',
    linkStatus,
    applicationDetails: { channel: 'E_COMMERCE', currency: 'USD' },
    merchantDetails: { posType: 'GenericConsumerDevice' },
    applications,
  });

let server: Awaited<ReturnType<typeof httpsServer>>;
let create: Handler;
let look: Handler;
let posts: number;

beforeEach(async () => {
  create = made;
  look = read('New');
  posts = 0;
  server = await httpsServer((request, response) => {
    const isLook = request.method === 'GET';
    if (!isLook) posts++;
    (isLook ? look : create)(response);
  });
});
afterEach(async () => {
  await server.close();
  server.remove();
});

async function withSubject(
  use: (subject: Awaited<ReturnType<typeof createLinkSubject>>) => Promise<void>,
): Promise<void> {
  // The clock of the companion, which is created after its client.
  let current: Clock = new TestClock();
  const clock: Clock = {
    now: () => current.now(),
    after: (ms, callback) => current.after(ms, callback),
  };
  const { transport, close } = createNodeTransport({ caFile: server.caFile });
  const service = createServiceClient({
    baseUrl: server.url,
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport,
    clock,
    random: () => 0,
  });
  try {
    const subject = await createLinkSubject({ service });
    current = subject.companion.clock;
    await use(subject);
  } finally {
    await close();
  }
}

describe('a request for a link', () => {
  test.each<[string, Handler, number, string]>([
    ['is reset after it was sent', ({ socket }) => socket?.destroy(), 504, 'outcome-unknown'],
    ['is never answered', () => undefined, 504, 'outcome-unknown'],
    ['gets half an answer', (response) => halfAnswer(response), 504, 'outcome-unknown'],
    ['gets other JSON', json(201, ['link-1']), 502, 'service-answer-invalid'],
    ['gets no JSON', (response) => response.end('<html>'), 502, 'service-answer-invalid'],
    ['gets 401', empty(401), 503, 'service-key-rejected'],
    ['gets 403 and 10101', refusal(403, '10101', 'x'), 502, 'service-rejected'],
    ['gets 403 and 10201', refusal(403, '10201', 'x'), 502, 'service-rejected'],
    ['gets 400 and 10000', refusal(400, '10000', 'x'), 502, 'service-rejected'],
    ['gets 500', refusal(500, '1', 'x'), 504, 'outcome-unknown'],
  ])('that %s is sent once under its key', async (what, answer, status, code) => {
    await withSubject(async ({ companion, create: send }) => {
      create = answer;
      for (let time = 0; time < 2; time++) {
        const wait = what === 'is never answered' ? 50 : STEP_MS;
        const answered = await companion.patiently(send('key-1', { deliver: 'email' }), wait);
        expect([answered.status, answered.body.code]).toEqual([status, code]);
        expect(JSON.stringify(answered.body)).not.toMatch(/Quill|links\.example/);
      }
      // A 401 proves that nothing was done, so its key may send again.
      expect(posts).toBe(what === 'gets 401' ? 2 : 1);
    });
  });

  test('that finds no listener leaves nothing behind', async () => {
    await withSubject(async ({ companion, create: send }) => {
      await server.close();
      const answered = await companion.patiently(send('key-1', { deliver: 'email' }), STEP_MS);
      expect([answered.status, answered.body.code]).toEqual([503, 'service-unavailable']);
      expect((await companion.office('/links?merchantOrderId=order-1001')).body).toEqual({
        links: [],
      });
    });
  });
});

test.each<[string, Handler]>([
  ['404 without a body', empty(404)],
  ['403 without a body', empty(403)],
  ['a reset', ({ socket }) => socket?.destroy()],
  ['text that is not JSON', (response) => response.end('<html>')],
])('a link that gets %s stays open and is read again', async (_, answer) => {
  await withSubject(async ({ companion, create: send, work }) => {
    const { body } = await send();
    look = answer;
    await companion.patiently(work(10_000), STEP_MS);
    const path = `/links/${String(body.checkoutId)}`;
    expect((await companion.patiently(companion.office(path), STEP_MS)).body).toMatchObject({
      status: 'open',
      state: 'waiting',
    });
    look = read('Accessed', { applicationId: 'application-1', applicationStatus: 'Prequalified' });
    await companion.patiently(work(300_000), STEP_MS);
    expect((await companion.office(path)).body).toMatchObject({ status: 'open', state: 'opened' });
  });
});

function halfAnswer(response: ServerResponse): void {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': '500' });
  response.write('{"url":"https://links.example');
  response.socket?.end();
}
