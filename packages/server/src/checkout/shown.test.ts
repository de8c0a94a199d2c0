import { createHash } from 'node:crypto';
import { checkoutRecordSchema, webhookSchema } from '@financing-checkout/contract/back-office';
import { keptMessageSchema } from '@financing-checkout/contract/storefront';
import { expect, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { createCompanion } from '../companion.fixture.ts';
import { charged, START } from '../scripted-service.fixture.ts';
import { isoTime } from '@financing-checkout/kit';
import { programmeOf } from '../programmes/programmes.fixture.ts';
import { PublishedProgrammes } from '../programmes/published.ts';

const TEXT = '  {payment} a month for {count} months, {apr} APR.\nTotal {total}.';
const DISCLOSURE = 'Subject to credit approval.';
const sha256 = createHash('sha256').update(`${TEXT}\n${DISCLOSURE}`).digest('hex');
const shown = {
  programmeId: 'halden-0-24',
  textId: 'halden-en-1',
  sha256,
  amount: 27_499,
  currency: 'USD',
  shownAt: isoTime(START - 60_000),
};

async function setUp() {
  const clock = new TestClock();
  const programmes = new PublishedProgrammes({ clock });
  const text = { id: 'halden-en-1', language: 'en', text: TEXT, disclosure: { text: DISCLOSURE } };
  await programmes.replace({ programmes: [programmeOf('halden-0-24', { texts: [text] })] });
  const companion = await createCompanion({ clock, programmes });
  async function prime(message: unknown, key = 'key-1', order?: string) {
    const body = {
      order: order ?? (await companion.ticket()),
      environment: 'sandbox',
      shown: message,
    };
    return companion.post('/checkout/prime', body, { 'idempotency-key': key });
  }
  async function records() {
    const { body } = await companion.office('/checkouts?merchantOrderId=order-1001');
    return (body.checkouts as unknown[]).map((record) => checkoutRecordSchema.parse(record));
  }
  return { companion, prime, records };
}

test('stores a reported message with the published text, verbatim', async () => {
  const { prime, records } = await setUp();
  expect((await prime(shown)).status).toBe(201);
  const [record] = await records();
  expect(record?.shown).toEqual({
    ...shown,
    isPublished: true,
    language: 'en',
    text: TEXT,
    disclosure: { text: DISCLOSURE },
    programme: {
      id: 'halden-0-24',
      lenderId: 'halden-wren',
      lenderName: 'Halden & Wren',
      productType: 'LineOfCredit',
      currency: 'USD',
      amount: { min: 50_000, max: 1_000_000 },
      apr: '0',
      payments: { count: 24, period: 'Month', rounding: 'half-up' },
    },
  });
});

test('stores an unpublished message without its text, and does not block the purchase', async () => {
  const { prime, records } = await setUp();
  const invented = { ...shown, sha256: 'f'.repeat(64) };
  expect((await prime(invented)).status).toBe(201);
  const [record] = await records();
  expect(record?.shown).toEqual({ ...invented, isPublished: false });
});

test.each([
  ['with words of the page', { ...shown, text: 'Free money' }],
  ['without a hash', { ...shown, sha256: undefined }],
  ['with an amount that is no number', { ...shown, amount: '274.99' }],
  ['that is no object', 'Free money'],
])('a message %s is omitted and logged, and blocks no purchase', async (_, message) => {
  const { companion, prime, records } = await setUp();
  expect((await prime(message)).status).toBe(201);
  expect((await records())[0]).not.toHaveProperty('shown');
  const refusals = companion.log.filter(({ event }) => event === 'shown-message-refused');
  expect(refusals).toMatchObject([{ level: 'warn', requestId: expect.any(String) as string }]);
  expect(JSON.stringify(companion.log)).not.toContain('Free money');
});

test('a repeated prime with another message gets the same checkout, with the first message', async () => {
  const { companion, prime, records } = await setUp();
  const order = await companion.ticket();
  const first = await prime(shown, 'key-1', order);
  const again = await prime({ ...shown, amount: 1 }, 'key-1', order);
  expect([again.status, again.body.id]).toEqual([201, first.body.id]);
  const without = await prime(undefined, 'key-1', order);
  expect([without.status, without.body.id]).toEqual([201, first.body.id]);
  expect((await records()).map((record) => record.shown?.amount)).toEqual([27_499]);
});

test('the message is kept after the charge, and is not included in webhooks to the shop', async () => {
  const { companion, prime, records } = await setUp();
  companion.service.on('POST /v2/post-sale/charges', charged);
  const { body } = await prime(shown);
  await companion.confirm(body.id as string);
  await companion.background.runOnce();
  const [record] = await records();
  expect(record?.status).toBe('approved');
  expect(keptMessageSchema.parse(record?.shown).text).toBe(TEXT);
  expect(companion.shop.calls.length).toBeGreaterThan(0);
  for (const { body: message } of companion.shop.calls) {
    expect(webhookSchema.parse(message).data).not.toHaveProperty('shown');
  }
});
