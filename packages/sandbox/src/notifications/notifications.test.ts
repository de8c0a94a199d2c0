import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSession } from '../checkout/session.ts';
import {
  details,
  discard,
  prime,
  sessionBody,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';
import { openService } from '../service.ts';
import { destinationSchema } from './destination.ts';
import { RETRY_AFTER } from './outbox.ts';

interface Heard {
  authorization: string | undefined;
  contentType: string | undefined;
  text: string;
  body: Record<string, unknown>;
}

let test: TestSandbox;
let merchant: Server;
let heard: Heard[];
/** Statuses the merchant answers next; 204 when there are none. */
let answers: (number | 'reset' | 'redirect')[];
let url: string;
beforeEach(async () => {
  test = await startTestSandbox();
  heard = [];
  answers = [];
  merchant = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { authorization, 'content-type': contentType } = request.headers;
      heard.push({
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
  await discard(test);
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
const events = () => heard.map(({ body }) => String(body.event).replace('application.', ''));
/** Waits until this much was heard. */
const hears = (count: number) => expect.poll(() => heard.length).toBe(count);
const checkout = async (lastName = details.lastName, body: object = sessionBody()) => {
  const primed = await prime(test, body);
  await test.form('/checkout/details', { ...primed.visit, ...details, lastName });
  const confirm = { ...primed.visit, offer: 'QUI-999-12', agree: 'yes' };
  const page = await test.form('/checkout/confirm', confirm);
  return { ...primed, page };
};

describe('what a merchant is told', () => {
  it('of an approval: the events in order, with the agreed Authorization', async () => {
    await notify();
    const session = sessionBody();
    const { applicationId, page } = await checkout(details.lastName, {
      ...session,
      checkoutDetails: { currency: 'USD', correlationId: 'corr-7' },
    });
    await hears(4);
    expect(events()).toEqual(['created', 'prequalified', 'approved', 'checkout-confirmed']);
    for (const { authorization, contentType, body } of heard) {
      expect(authorization).toBe('Basic b3JkZXI6cGF5');
      expect(contentType).toBe('application/json');
      expect(body).toMatchObject({ applicationId, correlationId: 'corr-7' });
    }
    expect(heard[3]?.body).toEqual({
      event: 'application.checkout-confirmed',
      applicationId,
      lenderId: 'quillmoor',
      amount: 1015.11,
      token: page.outcome?.confirmationToken,
      correlationId: 'corr-7',
      createdAt: expect.stringMatching(/^2026-03-06T/) as unknown,
    });
  });

  it.each([
    ['Decline', ['created', 'declined']],
    ['Pending', ['created', 'pending-lender']],
    ['MoreInformation', ['created', 'pending-consumer']],
    ['MerchantReview', ['created', 'pending-merchant']],
    ['Expire', ['created']],
    ['PendingConfirm', ['created', 'prequalified', 'pending-lender']],
  ])('of %s: %j', async (lastName, expected) => {
    await notify();
    await checkout(lastName);
    await hears(expected.length);
    expect(events()).toEqual(expected);
  });

  it('of a shopper who left', async () => {
    await notify();
    const { visit } = await prime(test);
    await test.form('/checkout/cancel', visit);
    await hears(2);
    expect(events()).toEqual(['created', 'cancelled']);
  });

  it('of a decision that falls when its time has come, with a token that makes a charge', async () => {
    await notify();
    await checkout('PendingConfirm');
    await hears(3);
    // Nobody asks for the application: time alone does it.
    await test.control('POST', '/clock', { advance: '61m' });
    await hears(5);
    expect(events().slice(3)).toEqual(['approved', 'checkout-confirmed']);
    const body = { confirmationToken: heard[4]?.body.token };
    expect((await test.call('POST', '/v2/post-sale/charges', { body })).status).toBe(201);
  });

  it('nothing personal', async () => {
    await notify();
    await checkout('Quayle');
    await hears(4);
    const said = heard.map(({ text }) => text).join('\n');
    expect(said).not.toMatch(/Ada|Quayle|example\.com|2025550123/);
    const shown = JSON.stringify((await test.control('GET', '/notifications')).body);
    expect(shown).not.toContain(String(heard[3]?.body.token));
    expect(shown).not.toContain('b3JkZXI6cGF5');
  });

  it('nothing of another environment, and nothing without an address', async () => {
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

describe('at least once', () => {
  it.each([500, 404, 'reset', 'redirect'] as const)('again after %s', async (answer) => {
    await notify();
    await test.control('POST', '/clock', { frozen: true });
    answers = [answer];
    await prime(test);
    await hears(1);
    await expect.poll(async () => (await log())[0]?.attempts).toBe(1);
    expect((await log())[0]).toMatchObject({ state: 'waiting', delivered: 0 });
    await test.control('POST', '/clock', { advance: '1s' });
    await hears(2);
    await expect.poll(async () => (await log())[0]?.state).toBe('delivered');
    expect(heard[1]?.text).toBe(heard[0]?.text);
  });

  it('is given up after the last attempt', async () => {
    await notify();
    await test.control('POST', '/clock', { frozen: true });
    answers = Array<number>(RETRY_AFTER.length + 1).fill(503);
    await prime(test);
    for (let attempts = 1; attempts <= RETRY_AFTER.length + 1; attempts += 1) {
      await expect.poll(async () => (await log())[0]?.attempts).toBe(attempts);
      await test.control('POST', '/clock', { advance: '1d' });
    }
    expect((await log())[0]).toMatchObject({ state: 'given-up', lastResult: 'status 503' });
    expect(heard).toHaveLength(RETRY_AFTER.length + 1);
  });

  it('after a restart, what was not delivered', async () => {
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

  it('a merchant that cannot be reached is no trouble to the checkout', async () => {
    await notify({ url: 'http://127.0.0.1:9/' });
    const { page } = await checkout();
    expect(page.outcome?.type).toBe('confirmed');
    await expect.poll(async () => (await log()).at(-1)?.attempts).toBeGreaterThan(0);
    expect((await log())[0]).toMatchObject({ state: 'waiting' });
  });
});

describe('disorder on demand', () => {
  const run = async (disorder: object) => {
    await test.control('POST', '/reset');
    await test.control('POST', '/clock', { now: '2027-01-01T00:00:00Z', frozen: true });
    await notify({ disorder });
    heard = [];
    for (let count = 0; count < 3; count += 1) await checkout();
    await flush();
    return events();
  };
  const orderly = ['created', 'prequalified', 'approved', 'checkout-confirmed'];
  const thrice = [...orderly, ...orderly, ...orderly];

  it('none: once each, in order', async () => {
    expect(await run({})).toEqual(thrice);
  });

  it('twice', async () => {
    expect(await run({ twice: 1 })).toEqual(thrice.flatMap((event) => [event, event]));
    expect((await log())[0]).toMatchObject({ state: 'delivered', delivered: 2 });
  });

  it('late: not before its time', async () => {
    await test.control('POST', '/clock', { frozen: true });
    await notify({ disorder: { late: 1, lateBy: '10m' } });
    await prime(test);
    await test.control('POST', '/clock', { advance: '9m' });
    expect((await log())[0]).toMatchObject({ attempts: 0 });
    await test.control('POST', '/clock', { advance: '1m' });
    await hears(1);
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
  ])('%j is refused, and no value is repeated', async (change, message) => {
    const body = { url, ...change };
    const answer = await test.control('POST', '/notifications/destination', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatch(message);
    expect(answer.body.error).not.toMatch(/secret|two/);
  });

  it('survives restart and reset, readable by the owner only', async () => {
    await notify();
    await test.control('POST', '/reset');
    await test.stop();
    test = await startTestSandbox(test.dataDir);
    await prime(test);
    await hears(1);
    expect(heard[0]?.authorization).toBe('Basic b3JkZXI6cGF5');
    const { mode } = statSync(join(test.dataDir, 'notifications.json'));
    expect(mode & 0o777).toBe(0o600);
  });
});

it('waits while the state cannot be written, and says so: the sandbox goes on', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const { applications, database, notifier } = openService(dataDir);
  const said: string[] = [];
  try {
    notifier.destinations.set('sandbox', destinationSchema.parse({ url }));
    notifier.start(applications, ({ message }) => void said.push(message));
    const { id } = applications.create('sandbox', readSession(sessionBody()));
    database.exec('PRAGMA query_only = ON');
    await expect.poll(() => said).not.toHaveLength(0);
    expect(said[0]).toContain('attempt to write a readonly database');
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
