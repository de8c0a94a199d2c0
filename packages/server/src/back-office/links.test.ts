/* Links that staff create, in a store or on the phone. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkRecordSchema, linksSchema } from '@financing-checkout/contract/back-office';
import { describe, expect, onTestFinished, test } from 'vitest';
import { order } from '../companion.fixture.ts';
import { networkError, START } from '../scripted-service.fixture.ts';
import {
  CHARGE,
  CREATE,
  createLinkSubject,
  link,
  LINK_URL,
  madeLink,
  onLink,
  READ,
} from '../checkout/link.fixture.ts';
import { Secret } from '@financing-checkout/kit';
import { sha256 } from '../platform/id.ts';

const DAY = 86_400_000;
const consumer = { firstName: 'Ada', lastName: 'Quill', email: 'ada.quill@example.com' };

/** Returns what a token without permission to open a link sees of the link. */
function withoutAddress(record: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(record).filter(([name]) => name !== 'url' && name !== 'qrCode');
  return Object.fromEntries(fields);
}

test('creates a link with the channel, the store and the point of sale of the order', async () => {
  const { create, service } = await createLinkSubject();
  const { status, body } = await create('key-1', {
    order: {
      ...order,
      channel: 'IN_STORE',
      merchant: { storeId: 'store-7', posId: 'till-3', posType: 'GenericMerchantDevice' },
    },
    deliver: 'email',
    language: 'fr',
  });
  expect(status).toBe(201);
  expect(linkRecordSchema.strict().parse(body)).toEqual({
    checkoutId: expect.stringMatching(/^chk_/) as string,
    environment: 'sandbox',
    merchantOrderId: 'order-1001',
    amount: { value: 27_499, currency: 'USD' },
    status: 'open',
    url: LINK_URL,
    qrCode: 'iVBORw0KGgo=',
    state: 'waiting',
    delivery: 'email',
    createdAt: new Date(START).toISOString(),
    expiresAt: new Date(START + DAY).toISOString(),
  });
  expect(service.callsTo(CREATE)[0]?.body).toMatchObject({
    applicationDetails: { channel: 'IN_STORE', language: 'fr' },
    merchantDetails: { storeId: 'store-7', posId: 'till-3', posType: 'GenericMerchantDevice' },
    linkOptions: { deliveryMethod: 'Email' },
    consumer,
  });
});

describe('one order has one link', () => {
  test('answers 201 to a repeated key and 200 with the same link to a new key, and sends nothing again', async () => {
    const { create, service } = await createLinkSubject();
    const first = await create('key-1', { deliver: 'email' });
    const repeated = await create('key-1', { deliver: 'email' });
    const joined = await create('key-2', { deliver: 'email' });
    expect([first.status, repeated.status, joined.status]).toEqual([201, 201, 200]);
    expect(repeated.body).toEqual(first.body);
    expect(joined.body).toEqual(first.body);
    expect((await create('key-2', { deliver: 'email' })).status).toBe(200);
    expect(service.callsTo(CREATE)).toHaveLength(1);
    expect((await create('key-1')).body.code).toBe('idempotency-key-reused');
  });

  test('answers 200 with the same link above the budget of the order', async () => {
    const { create, service } = await createLinkSubject({ orderBudgets: { primes: 2 } });
    const first = await create('key-1');
    for (const key of ['key-2', 'key-3', 'key-4']) {
      expect(await create(key)).toMatchObject({ status: 200, body: first.body });
    }
    expect(service.callsTo(CREATE)).toHaveLength(1);
  });

  test('a page and the back office share the link of an order', async () => {
    const { create, prime, service } = await createLinkSubject();
    const made = await create();
    const { body } = await prime('page-key');
    expect(body.id).toBe(made.body.checkoutId);
    expect(service.callsTo(CREATE)).toHaveLength(1);
  });

  test('answers 409 when the order is paid, and while its charge is being created', async () => {
    const { companion, create, service } = await createLinkSubject();
    const id = await companion.open();
    let answer: () => void = () => undefined;
    service.on(CHARGE, async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return { status: 504, text: '' };
    });
    const confirming = companion.confirm(id);
    await expect.poll(() => service.callsTo(CHARGE).length).toBe(1);
    expect(await create('key-1')).toMatchObject({
      status: 409,
      body: { code: 'checkout-not-open' },
    });
    answer();
    await companion.patiently(confirming);
    expect((await create('key-2')).status).toBe(409);
    expect(service.callsTo(CREATE)).toEqual([]);
  });
});

describe('refuses before anything is sent', () => {
  test.each([
    ['email', { consumer: undefined }, ['email', 'firstName', 'lastName']],
    ['email', { consumer: { ...consumer, email: '' } }, ['email']],
    ['sms', { consumer }, ['mobilePhoneNumber']],
    ['sms', { consumer: { mobilePhoneNumber: '5035550142' } }, ['firstName', 'lastName']],
  ])(
    'a link to be sent by %s without the required recipient (%#)',
    async (deliver, change, fields) => {
      const { create, service } = await createLinkSubject();
      const { status, body } = await create('key-1', { deliver, order: { ...order, ...change } });
      expect([status, body.code]).toEqual([400, 'invalid-request']);
      expect((body.errors as { path: string }[]).map(({ path }) => path)).toEqual(
        fields.map((field) => `order.consumer.${field}`),
      );
      expect(JSON.stringify(body)).not.toContain('Quill');
      expect(service.calls).toEqual([]);
    },
  );

  test.each([
    ['an order whose parts do not add up', { order: { ...order, totalAmount: 1 } }, 422],
    [
      'an order number that is too long',
      { order: { ...order, merchantOrderId: 'x'.repeat(101) } },
      400,
    ],
  ])('%s', async (_, body, status) => {
    const { create, service } = await createLinkSubject();
    expect((await create('key-1', body)).status).toBe(status);
    expect(service.calls).toEqual([]);
  });
});

describe('a token', () => {
  const tokens = [
    { name: 'till', scopes: ['links'] as const, secret: new Secret('till-token-0123456789') },
    { name: 'shop', scopes: [] as const, secret: new Secret('shop-token-0123456789') },
    { name: 'money', scopes: ['money'] as const, secret: new Secret('money-token-012345678') },
  ];
  const as = (name: string, key = 'key-1') => ({
    authorization: `Bearer ${tokens.find((token) => token.name === name)?.secret.reveal() ?? ''}`,
    'idempotency-key': key,
  });

  test('without the scope "links" reads a link without its address', async () => {
    const { companion } = await createLinkSubject({ backOfficeTokens: tokens });
    const made = await companion.officePost('/links', { order }, as('till'));
    const paths = [`/links/${String(made.body.checkoutId)}`, '/links?merchantOrderId=order-1001'];
    for (const path of paths) {
      for (const name of ['shop', 'money']) {
        const { status, body } = await companion.office(path, as(name));
        expect(status).toBe(200);
        expect(body).toEqual(
          path.includes('?') ? { links: [withoutAddress(made.body)] } : withoutAddress(made.body),
        );
      }
      const { body } = await companion.office(path, as('till'));
      expect(body).toEqual(path.includes('?') ? { links: [made.body] } : made.body);
    }
  });

  test('that reads an address is named in the log, with the checkout and without the address', async () => {
    const { companion } = await createLinkSubject({ backOfficeTokens: tokens });
    const made = await companion.officePost('/links', { order }, as('till'));
    const checkoutId = String(made.body.checkoutId);
    const readings = () => companion.log.filter(({ event }) => event === 'link-address-read');
    const line = {
      level: 'info',
      event: 'link-address-read',
      actor: 'till',
      checkoutId,
      requestId: expect.stringMatching(/^req_/) as string,
    };
    expect(readings()).toEqual([line]);
    await companion.office(`/links/${checkoutId}`, as('shop'));
    expect(readings()).toEqual([line]);
    await companion.office(`/links/${checkoutId}`, as('till'));
    await companion.office('/links?merchantOrderId=order-1001', as('till'));
    expect(readings()).toEqual([line, line, line]);
    expect(JSON.stringify(companion.log)).not.toContain('links.example');
  });
});

describe('messages of the service', () => {
  const tokens = ['till', 'other'].map((name) => ({
    name,
    scopes: ['links'] as const,
    secret: new Secret(`${name}-token-0123456789`),
  }));

  /**
   * Returns a companion and a function that sends the link of an order with a made-up order number.
   */
  async function createSender(
    change: Parameters<typeof createLinkSubject>[0] = {},
    setup: Parameters<typeof createLinkSubject>[1] = {},
  ) {
    const subject = await createLinkSubject({ backOfficeTokens: tokens, ...change }, setup);
    let number = 0;
    const send = (to: object, deliver: 'sms' | 'email' | 'none' = 'sms', token = 'till') => {
      const name = `${++number}-${subject.companion.clock.now()}`;
      const invented = {
        ...order,
        merchantOrderId: `invented-${name}`,
        consumer: { ...consumer, ...to },
      };
      return subject.companion.officePost(
        '/links',
        { order: invented, ...(deliver === 'none' ? {} : { deliver }) },
        { authorization: `Bearer ${token}-token-0123456789`, 'idempotency-key': `key-${name}` },
      );
    };
    return { ...subject, send };
  }
  const phone = { mobilePhoneNumber: '5035550142' };
  const HOUR = 3_600_000;

  test('go to one phone at most five times a day, regardless of order number and token', async () => {
    const { companion, send, service } = await createSender();
    const statuses: number[] = [];
    for (let index = 0; index < 60; index++) {
      const { status } = await send(phone, 'sms', index % 2 === 0 ? 'till' : 'other');
      statuses.push(status);
    }
    expect(statuses).toEqual([...Array<number>(5).fill(201), ...Array<number>(55).fill(429)]);
    expect(service.callsTo(CREATE)).toHaveLength(5);
    const refused = await send(phone);
    expect(refused.body).toMatchObject({ code: 'rate-limited', retrySafe: true });
    expect(refused.body.detail).toContain('this recipient');
    expect(refused.headers.get('retry-after')).toBe(String(24 * 3_600));
    expect(JSON.stringify(refused.body)).not.toContain('5035550142');
    expect(companion.counters.read('link-messages-spent')).toBe(56);
    // A link without a message, or to another recipient, is still created.
    expect((await send(phone, 'none')).status).toBe(201);
    expect((await send({ mobilePhoneNumber: '5035550143' })).status).toBe(201);
    companion.clock.advance(24 * HOUR + 1);
    expect((await send(phone)).status).toBe(201);
  });

  test.each([
    ['sms', 'mobilePhoneNumber', ['5035550142', '15035550142', '0015035550142']],
    ['email', 'email', ['ada@example.com', 'ADA@Example.com', 'ada+2@example.com']],
  ] as const)(
    'count as one recipient regardless of how the %s address is written',
    async (how, field, written) => {
      const { send, service } = await createSender({ linkMessageBudgets: { perRecipient: 1 } });
      const answers: number[] = [];
      for (const to of written) answers.push((await send({ [field]: to }, how)).status);
      expect(answers).toEqual([201, 429, 429]);
      expect(service.callsTo(CREATE)).toHaveLength(1);
    },
  );

  test('have a separate budget for each token', async () => {
    const { companion, send } = await createSender({ linkMessageBudgets: { perToken: 3 } });
    const to = (index: number) => ({ mobilePhoneNumber: `503555${1000 + index}` });
    for (let index = 0; index < 3; index++) expect((await send(to(index))).status).toBe(201);
    const refused = await send(to(4));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
    expect(refused.body.detail).toContain('this token');
    expect((await send(to(5), 'sms', 'other')).status).toBe(201);
    companion.clock.advance(HOUR + 1);
    expect((await send(to(6))).status).toBe(201);
  });

  test('that the service has refused do not count', async () => {
    const { send, service } = await createSender({ linkMessageBudgets: { perRecipient: 1 } });
    service.on(CREATE, { status: 403, body: { errors: [{ code: '10101' }] } });
    expect((await send(phone)).status).toBe(502);
    service.on(CREATE, madeLink());
    expect((await send(phone)).status).toBe(201);
    expect((await send(phone)).status).toBe(429);
  });

  test('are counted in the store: a restart gives no new budget, and no phone number is stored', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'messages-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'companion.db');
    const change = { linkMessageBudgets: { perRecipient: 1 } };
    const first = await createSender(change, { file });
    expect((await first.send(phone)).status).toBe(201);
    await first.companion.store.close();
    const bytes = readFileSync(file, 'latin1');
    expect(bytes).toContain('invented-1');
    expect(bytes).not.toContain('5035550142');
    expect(bytes).not.toContain(await sha256('sms 5035550142'));
    const next = await createSender(change, { file });
    next.companion.clock.advance(1);
    expect((await next.send(phone)).status).toBe(429);
    await next.companion.store.close();
  });

  test('are unlimited if the budget is 0', async () => {
    const { send } = await createSender({ linkMessageBudgets: { perRecipient: 0, perToken: 0 } });
    for (let index = 0; index < 10; index++) expect((await send(phone)).status).toBe(201);
  });
});

test('staff see state and amount of a link, and nothing about the applicant', async () => {
  const { companion, create, service, work } = await createLinkSubject();
  const { body } = await create('key-1', { deliver: 'email' });
  const id = String(body.checkoutId);
  const applicant = { consumerId: 'consumer-of-the-applicant', lenderName: 'Quillmoor' };
  service.on(READ, link('Accessed', onLink('Prequalified', undefined, applicant)));
  companion.clock.advance(300_000);
  // The read performs the lookup that is due.
  const opened = await companion.office(`/links/${id}`);
  expect(opened.body).toMatchObject({ state: 'opened', status: 'open' });
  service.on(READ, link('Expired', onLink('Confirmed', 1, applicant)));
  await work(300_000);
  const listed = await companion.office('/links?merchantOrderId=order-1001');
  const { links } = linksSchema.strict().parse(listed.body);
  expect(links).toMatchObject([{ checkoutId: id, state: 'expired', status: 'approved' }]);
  const text = JSON.stringify([opened.body, listed.body]);
  for (const word of ['Ada', 'Quill', '@example', 'consumer-of', 'token-1', 'application-1']) {
    expect(text).not.toContain(word);
  }
  expect((await companion.office('/links?merchantOrderId=none')).body).toEqual({ links: [] });
});

describe('the URL of a link is returned while its checkout is open', () => {
  test('but not after the shopper has confirmed', async () => {
    const { companion, create, service, work } = await createLinkSubject();
    const { body } = await create();
    service.on(READ, link('Expired', onLink('Confirmed', 1)));
    await work(300_000);
    const again = [await companion.office(`/links/${String(body.checkoutId)}`), await create()];
    for (const answer of again) {
      expect(answer.body).toEqual({
        ...withoutAddress(body),
        state: 'expired',
        status: 'approved',
      });
    }
  });

  test('but not after the link has expired, before its checkout is closed', async () => {
    const { companion, create } = await createLinkSubject();
    const { body } = await create();
    companion.clock.advance(DAY);
    const listed = await companion.office('/links?merchantOrderId=order-1001');
    expect(listed.body).toEqual({ links: [withoutAddress(body)] });
  });
});

test.each(['chk_none', 'none'])('answers checkout-not-found for the link %s', async (id) => {
  const { companion } = await createLinkSubject();
  expect((await companion.office(`/links/${id}`)).body.code).toBe('checkout-not-found');
});

test('answers checkout-not-found for a checkout without a link', async () => {
  const { companion } = await createLinkSubject();
  const id = await companion.open();
  expect((await companion.office(`/links/${id}`)).body.code).toBe('checkout-not-found');
});

test('a page cannot read the checkout of staff with the key of their request', async () => {
  const { companion, create } = await createLinkSubject();
  const { body } = await create('k'.repeat(40));
  const path = `/checkout/${String(body.checkoutId)}`;
  for (const secret of ['k'.repeat(40), `links ${'k'.repeat(40)}`]) {
    const answer = await companion.get(path, { 'financing-checkout-secret': secret });
    expect(answer.status).toBe(404);
  }
});

describe('a link that the service may have sent although its response was lost', () => {
  async function lose() {
    const subject = await createLinkSubject();
    subject.service.on(CREATE, networkError('ECONNRESET'), madeLink());
    const answer = await subject.create('key-1', { deliver: 'email' });
    expect(answer).toMatchObject({ status: 504, body: { code: 'outcome-unknown' } });
    return subject;
  }

  test('is not sent a second time, by any key, until a day has passed', async () => {
    const { create, prime, service, work } = await lose();
    for (const key of ['key-1', 'key-2']) {
      expect((await create(key, { deliver: 'email' })).body.code).toBe('outcome-unknown');
    }
    expect((await prime('page-key')).body.code).toBe('outcome-unknown');
    expect(service.callsTo(CREATE)).toHaveLength(1);
    await work(DAY);
    expect((await create('key-3', { deliver: 'email' })).status).toBe(201);
  });

  test('is listed without a URL', async () => {
    const { companion } = await lose();
    const { body } = await companion.office('/links?merchantOrderId=order-1001');
    const { links } = linksSchema.parse(body);
    expect(links).toMatchObject([{ status: 'open', state: 'waiting', delivery: 'email' }]);
    expect(links[0]).not.toHaveProperty('url');
    expect(links[0]?.addressLost).toBe(true);
  });
});

test('stores nothing about the consumer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'links-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'companion.db');
  const { companion, create } = await createLinkSubject({}, { file });
  expect((await create('key-1', { deliver: 'email' })).status).toBe(201);
  await companion.store.close();
  const bytes = [file, `${file}-wal`]
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'latin1'))
    .join('');
  expect(bytes).toContain(LINK_URL);
  for (const value of Object.values(consumer)) expect(bytes).not.toContain(value);
});
