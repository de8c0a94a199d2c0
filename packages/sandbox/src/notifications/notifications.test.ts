import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readSession } from '../checkout/session.ts';
import {
  charge,
  details,
  discard,
  prime,
  publishedSession,
  sessionBody,
  startTestSandbox,
  statusOf,
  type TestSandbox,
} from '../sandbox.fixture.ts';
import { runHere } from '../cli/command.fixture.ts';
import { openService } from '../service.ts';
import { destinationSchema } from './destination.ts';
import { RETRY_AFTER } from './outbox.ts';

interface Received {
  authorization: string | undefined;
  contentType: string | undefined;
  text: string;
  body: Record<string, unknown>;
}

let test: TestSandbox;
let merchant: Server;
let received: Received[];
/** The merchant's next responses; 204 when the list is empty. */
let answers: (number | 'reset' | 'redirect')[];
let url: string;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(async () => {
  received = [];
  answers = [];
  merchant = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { authorization, 'content-type': contentType } = request.headers;
      received.push({
        authorization,
        contentType,
        text,
        body: JSON.parse(text) as Record<string, unknown>,
      });
      const answer = answers.shift() ?? 204;
      if (answer === 'reset') request.socket.resetAndDestroy();
      else if (answer === 'redirect') response.writeHead(307, { location: '/other' }).end();
      else response.writeHead(answer).end();
    });
  });
  await new Promise<void>((resolve) => merchant.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(merchant.address() as AddressInfo).port}/notifications`;
});
afterEach(async () => {
  for (const { name } of test.sandbox.environments) {
    await test.control('DELETE', `/notifications/destination/${name}`);
  }
  await test.control('POST', '/reset');
  merchant.closeAllConnections();
  merchant.close();
});

const notify = async (more: object = {}) => {
  const body = { url, authorization: 'Basic b3JkZXI6cGF5', ...more };
  expect((await test.control('POST', '/notifications/destination', body)).status).toBe(200);
};
interface Entry {
  event: string;
  state: string;
  attempts: number;
  delivered: number;
  lastResult: string;
}
const log = async () => (await test.control('GET', '/notifications')).body.notifications as Entry[];
const flush = () => test.control('POST', '/notifications/flush');
const events = () => received.map(({ body }) => String(body.eventType).replace('application.', ''));
/** The events of an approval: each of the four lenders has an offer. */
const approval = [
  'created',
  ...Array<string>(4).fill('prequalified'),
  'approved',
  'checkout-confirmed',
];
/** Waits for a number of notifications. */
const receives = (count: number) => expect.poll(() => received.length).toBe(count);
const checkout = async (lastName = details.lastName, body: object = sessionBody()) => {
  const primed = await prime(test, body);
  await test.form('/checkout/details', { ...primed.visit, ...details, lastName });
  const confirm = { ...primed.visit, offer: 'QUI-999-12', agree: 'yes' };
  const page = await test.form('/checkout/confirm', confirm);
  return { ...primed, page };
};

describe('notifications', () => {
  const createdAt = expect.stringMatching(/^2026-03-06T[\d:]+\.\d{3}Z$/) as unknown;

  it('of an approval have the documented bodies, in order, with the agreed Authorization', async () => {
    await notify();
    const { applicationId, page } = await checkout(details.lastName, publishedSession());
    await receives(7);
    for (const { authorization, contentType } of received) {
      expect(authorization).toBe('Basic b3JkZXI6cGF5');
      expect(contentType).toBe('application/json');
    }
    const body = (eventType: string, more: object = {}) => ({
      eventType: `application.${eventType}`,
      createdAt,
      applicationId,
      correlationId: 'corr-42',
      ...more,
    });
    const lenders = ['tamberley', 'quillmoor', 'halden-wren', 'pennowick'];
    const token = page.outcome?.confirmationToken;
    expect(received.map((one) => one.body)).toEqual([
      body('created'),
      ...lenders.map((lenderId) => body('prequalified', { lenderId, amount: 500 })),
      body('approved', { lenderId: 'quillmoor', amount: 500 }),
      body('checkout-confirmed', { lenderId: 'quillmoor', amount: 129.5, token }),
    ]);
  });

  it.each([
    ['Decline', 'declined', { lenderId: 'tamberley' }],
    ['Pending', 'pending-lender', { lenderId: 'tamberley', reason: 'UnderReview' }],
    [
      'MoreInformation',
      'pending-consumer',
      { lenderId: 'tamberley', reason: 'DocumentUploadRequired' },
    ],
    ['MerchantReview', 'pending-merchant', { lenderId: 'tamberley', reason: 'UnderReview' }],
  ])('of %s are created and %s, without a correlation id', async (lastName, event, more) => {
    await notify();
    const { applicationId } = await checkout(lastName);
    await receives(2);
    expect(received.map(({ body }) => body)).toEqual([
      { eventType: 'application.created', createdAt, applicationId },
      { eventType: `application.${event}`, createdAt, applicationId, ...more },
    ]);
  });

  it('do not include an expiry', async () => {
    await notify();
    await checkout('Expire');
    await flush();
    expect(events()).toEqual(['created']);
  });

  it('name the chosen lender while the application is pending after confirmation', async () => {
    await notify();
    const { applicationId } = await checkout('PendingConfirmDecline');
    await receives(6);
    await test.control('POST', '/outcomes/resolve', { applicationId, decision: 'declined' });
    await receives(7);
    expect(received.slice(5).map(({ body }) => body)).toEqual([
      {
        eventType: 'application.pending-lender',
        createdAt,
        applicationId,
        lenderId: 'quillmoor',
        reason: 'UnderReview',
      },
      { eventType: 'application.declined', createdAt, applicationId, lenderId: 'quillmoor' },
    ]);
  });

  it('include the lender when an application is canceled', async () => {
    await notify();
    const { visit, applicationId } = await prime(test);
    await test.form('/checkout/cancel', visit);
    await receives(2);
    expect(received[1]?.body).toEqual({
      eventType: 'application.cancelled',
      createdAt,
      applicationId,
      lenderId: 'tamberley',
    });
  });

  it('of a decision that becomes due have a token for a charge', async () => {
    await notify();
    await checkout('PendingConfirm');
    await receives(6);
    // No request touches the application; only the passage of time triggers the decision.
    await test.control('POST', '/clock', { advance: '61m' });
    await receives(8);
    expect(events().slice(6)).toEqual(['approved', 'checkout-confirmed']);
    const body = { confirmationToken: received[7]?.body.token };
    expect((await test.call('POST', '/v2/post-sale/charges', { body })).status).toBe(201);
  });

  it('of an application without an order are apply-confirmed, with the account token', async () => {
    await notify();
    const { applicationId } = await checkout(details.lastName, {
      checkoutDetails: { flowType: 'Apply', requestedLoanAmount: 800 },
    });
    await receives(7);
    const { accountToken } = await statusOf(test, applicationId);
    expect(received[6]?.body).toEqual({
      eventType: 'application.apply-confirmed',
      createdAt,
      applicationId,
      lenderId: 'quillmoor',
      amount: 1000,
      token: accountToken,
    });
    expect(accountToken).toMatch(/^[0-9a-f]{24}$/);
  });

  it('of a link include its id, and use the id if there is no correlation id', async () => {
    await notify();
    const { applicationId } = await prime(test, { ...sessionBody(), linkId: 'lnk-1' });
    await receives(1);
    expect(received[0]?.body).toEqual({
      eventType: 'application.created',
      createdAt,
      applicationId,
      correlationId: 'lnk-1',
      linkId: 'lnk-1',
    });
  });

  it('of a charge, a settle and a refund are "accepted" events; a void has none', async () => {
    await notify();
    const id = await charge(test, { body: publishedSession(), settle: true });
    await test.call('POST', `/v2/post-sale/charges/${id}/refunds`, { body: { amount: 20 } });
    await receives(10);
    const applicationId = received[0]?.body.applicationId;
    const accepted = (type: string, amount: number) => ({
      eventType: `postsale.${type}.accepted`,
      createdAt,
      applicationId,
      correlationId: 'corr-42',
      lenderId: 'quillmoor',
      chargeId: id,
      transactionId: expect.any(String) as unknown,
      amount,
    });
    expect(received.slice(7).map(({ body }) => body)).toEqual([
      accepted('authorize', 129.5),
      accepted('settle', 129.5),
      accepted('refund', 20),
    ]);
    received = [];
    const second = await charge(test);
    await test.call('POST', `/v2/post-sale/charges/${second}/voids`);
    await flush();
    expect(events().at(-1)).toBe('postsale.authorize.accepted');
  });

  it('of a pending settle are sent after its completion, and never after a failure', async () => {
    await notify();
    const id = await charge(test);
    for (const end of ['failed', 'completed']) {
      await test.control('POST', '/transaction-outcomes', {
        outcome: 'pending-complete',
        type: 'Settle',
      });
      const settles = `/v2/post-sale/charges/${id}/settles`;
      const { body } = await test.call('POST', settles, { body: {} });
      await flush();
      expect(events()).not.toContain('postsale.settle.accepted');
      const transactionId = body.id;
      await test.control('POST', '/transaction-outcomes/resolve', { transactionId, end });
      await flush();
      expect(events().includes('postsale.settle.accepted')).toBe(end === 'completed');
    }
  });

  it('hold no personal data', async () => {
    await notify({ names: 'both' });
    await checkout('Quayle');
    await receives(12);
    const texts = received.map(({ text }) => text).join('\n');
    expect(texts).not.toMatch(/Ada|Quayle|example\.com|2025550123/);
    const shown = JSON.stringify((await test.control('GET', '/notifications')).body);
    expect(shown).not.toContain(String(received.at(-1)?.body.token));
    expect(shown).not.toContain('b3JkZXI6cGF5');
  });

  it('are not sent for another environment, or without a webhook URL', async () => {
    await notify({ environment: 'uat' });
    await checkout();
    expect(await log()).toEqual([]);
    await test.control('DELETE', '/notifications/destination/uat');
    const { destinations } = (await test.control('GET', '/notifications')).body;
    expect(destinations).toEqual(
      ['uat', 'sandbox', 'production'].map((environment) => ({ environment, url: null })),
    );
  });
});

describe('renamed events', () => {
  const old = (body: Record<string, unknown> | undefined) => String(body?.eventType);

  it('arrive under the old name after the new one, with the old fields', async () => {
    await notify({ names: 'both' });
    const id = await charge(test, { body: publishedSession() });
    await receives(14);
    const applicationId = received[0]?.body.applicationId;
    expect(received.map(({ body }) => old(body))).toEqual([
      'application.created',
      ...Array.from({ length: 4 }).flatMap(() => [
        'application.prequalified',
        'account.prequalified',
      ]),
      'application.approved',
      'account.approved',
      'application.checkout-confirmed',
      'postsale.authorize.accepted',
      'postsale.authorize',
    ]);
    expect(received[10]?.body).toEqual({
      eventType: 'account.approved',
      createdAt: received[9]?.body.createdAt,
      applicationId,
      lenderId: 'quillmoor',
      consumerId: expect.stringMatching(/^[0-9a-f]{24}$/) as unknown,
      amount: 500,
      lenderReferenceId: expect.any(String) as unknown,
      merchantConsumerId: 'shopper-77',
    });
    expect(received[2]?.body).toEqual({
      eventType: 'account.prequalified',
      createdAt: received[1]?.body.createdAt,
      applicationId,
      lenderId: 'tamberley',
      consumerId: received[10]?.body.consumerId,
      amount: 500,
      merchantConsumerId: 'shopper-77',
    });
    expect(received[13]?.body).toEqual({ ...received[12]?.body, eventType: 'postsale.authorize' });
    expect(received[13]?.body.chargeId).toBe(id);
  });

  it.each([
    ['Decline', ['declined', 'account.declined']],
    ['Pending', ['pending-lender', 'account.pending-lender']],
    ['MoreInformation', ['pending-consumer', 'account.pending-consumer']],
    ['MerchantReview', ['pending-merchant']],
  ])('of %s are %j', async (lastName, expected) => {
    await notify({ names: 'both' });
    await checkout(lastName);
    await receives(1 + expected.length);
    expect(events().slice(1)).toEqual(expected);
  });

  it('are set by the command, which rejects other values', async () => {
    const set = (names: string) =>
      runHere('notify', 'set', url, '--names', names, '--control-url', test.sandbox.controlUrl);
    expect((await set('both')).code).toBe(0);
    await checkout('Decline');
    await receives(3);
    expect(events()).toContain('account.declined');
    expect((await set('old')).code).toBe(2);
  });
});

describe('a delivery', () => {
  it.each([500, 404, 'reset', 'redirect'] as const)('is retried after %s', async (answer) => {
    await notify();
    await test.control('POST', '/clock', { frozen: true });
    answers = [answer];
    await prime(test);
    await receives(1);
    await expect.poll(async () => (await log())[0]?.attempts).toBe(1);
    expect((await log())[0]).toMatchObject({ state: 'waiting', delivered: 0 });
    await test.control('POST', '/clock', { advance: '1s' });
    await receives(2);
    await expect.poll(async () => (await log())[0]?.state).toBe('delivered');
    expect(received[1]?.text).toBe(received[0]?.text);
  });

  it('is abandoned after the last attempt', async () => {
    await notify();
    await test.control('POST', '/clock', { frozen: true });
    answers = Array<number>(RETRY_AFTER.length + 1).fill(503);
    await prime(test);
    for (let attempts = 1; attempts <= RETRY_AFTER.length + 1; attempts += 1) {
      await expect.poll(async () => (await log())[0]?.attempts).toBe(attempts);
      await test.control('POST', '/clock', { advance: '1d' });
    }
    expect((await log())[0]).toMatchObject({ state: 'given-up', lastResult: 'status 503' });
    expect(received).toHaveLength(RETRY_AFTER.length + 1);
  });

  it('is retried after a restart', async () => {
    await notify();
    await test.control('POST', '/clock', { frozen: true });
    answers = [503];
    await prime(test);
    await expect.poll(async () => (await log())[0]?.attempts).toBe(1);
    await test.stop();
    test = await startTestSandbox(test.dataDir);
    await flush();
    expect(events()).toEqual(['created', 'created']);
    expect((await log())[0]).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('that fails does not affect the checkout', async () => {
    await notify({ url: 'http://127.0.0.1:9/' });
    const { page } = await checkout();
    expect(page.outcome?.type).toBe('confirmed');
    await expect.poll(async () => (await log()).at(-1)?.attempts).toBeGreaterThan(0);
    expect((await log())[0]).toMatchObject({ state: 'waiting' });
  });
});

describe('disorder', () => {
  const run = async (disorder: object) => {
    await test.control('POST', '/reset');
    await test.control('POST', '/clock', { now: '2027-01-01T00:00:00Z', frozen: true });
    await notify({ disorder });
    received = [];
    for (let count = 0; count < 3; count += 1) await checkout();
    await flush();
    return events();
  };
  const thrice = [...approval, ...approval, ...approval];

  it('none: once each, in order', async () => {
    expect(await run({})).toEqual(thrice);
  });

  it('twice: each event twice, in order', async () => {
    expect(await run({ twice: 1 })).toEqual(thrice.flatMap((event) => [event, event]));
    expect((await log())[0]).toMatchObject({ state: 'delivered', delivered: 2 });
  });

  it('late: not before the delay', async () => {
    await test.control('POST', '/clock', { frozen: true });
    await notify({ disorder: { late: 1, lateBy: '10m' } });
    await prime(test);
    await test.control('POST', '/clock', { advance: '9m' });
    expect((await log())[0]).toMatchObject({ attempts: 0 });
    await test.control('POST', '/clock', { advance: '1m' });
    await receives(1);
  });

  it('shuffled: the same disorder for the same seed', async () => {
    const first = await run({ shuffle: '10s', seed: 7 });
    expect([...first].sort()).toEqual([...thrice].sort());
    expect(first).not.toEqual(thrice);
    expect(await run({ shuffle: '10s', seed: 7 })).toEqual(first);
    expect(await run({ shuffle: '10s', seed: 8 })).not.toEqual(first);
  });
});

describe('the address', () => {
  it.each([
    [{ url: 'http://shop.example/' }, /https address/],
    [{ url: 'ftp://localhost/' }, /https address/],
    [{ url: 'https://user:secret@shop.example/' }, /https address/],
    [{ url: 'nowhere' }, /https address/],
    [{ authorization: 'two\nlines' }, /value of a header/],
    [{ disorder: { twice: 2 } }, /twice/],
    [{ disorder: { lateBy: 'much' } }, /duration/],
    [{ environment: 'staging' }, /environment/],
  ])('refuses %j without repeating a value', async (change, message) => {
    const body = { url, ...change };
    const answer = await test.control('POST', '/notifications/destination', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatch(message);
    expect(answer.body.error).not.toMatch(/secret|two/);
  });

  it('survives a restart and a reset, in a file readable only by the owner', async () => {
    await notify();
    await test.control('POST', '/reset');
    await test.stop();
    test = await startTestSandbox(test.dataDir);
    await prime(test);
    await receives(1);
    expect(received[0]?.authorization).toBe('Basic b3JkZXI6cGF5');
    const { mode } = statSync(join(test.dataDir, 'notifications.json'));
    expect(mode & 0o777).toBe(0o600);
  });
});

it('logs that the state cannot be written, and retries', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const { applications, database, notifier } = openService(dataDir);
  const texts: string[] = [];
  try {
    notifier.destinations.set('sandbox', destinationSchema.parse({ url }));
    notifier.start(applications, ({ message }) => void texts.push(message));
    const { id } = applications.create('sandbox', readSession(publishedSession()));
    database.exec('PRAGMA query_only = ON');
    await expect.poll(() => texts).not.toHaveLength(0);
    expect(texts[0]).toContain('attempt to write a readonly database');
    await expect(notifier.flush()).rejects.toThrow('readonly');
    database.exec('PRAGMA query_only = OFF');
    expect(await notifier.flush()).toBe(1);
    expect(notifier.outbox.list(1)).toMatchObject([{ applicationId: id, state: 'delivered' }]);
  } finally {
    await notifier.stop();
    database.close();
    rmSync(dataDir, { recursive: true });
  }
});
