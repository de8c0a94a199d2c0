import { expect, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { order as sampleOrder } from '../companion.fixture.ts';
import { ScriptedService } from '../scripted-service.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { PRIVATE_KEY } from '../secrecy.fixture.ts';
import { createServiceClient } from './client.ts';

const CREATE = 'POST /v2/omni-link/consumer/checkout';
const READ = 'GET /v2/omni-link/consumer/link-1';
const made = { linkId: 'link-1', url: 'https://links.example/l/1', qrCode: 'iVBORw0KGgo=' };
const plain = { delivery: undefined, language: undefined, returnUrl: undefined } as const;

function createSubject() {
  const service = new ScriptedService().on(CREATE, { status: 201, body: made });
  const client = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport: service.transport,
    clock: new TestClock(),
    random: () => 0,
  });
  return { service, client };
}

test('sends an order in the published form of a link, with shipping tax included in the tax', async () => {
  const { service, client } = createSubject();
  const address = { line1: '12 Larch Lane', city: 'Fernhollow', zipCode: '97999', state: 'OR' };
  const { items, ...rest } = sampleOrder;
  await client.createLink(
    {
      order: {
        ...rest,
        items: items.map((item) => ({
          ...item,
          taxAmount: 100,
          discounts: [{ name: 'Line offer', amount: 200 }],
          warranty: { price: 1_500 },
        })),
        discounts: [
          { name: 'Welcome', amount: 1_000 },
          { name: 'Nothing', amount: 0 },
        ],
        shippingTaxAmount: 50,
        totalAmount: 29_049,
        channel: 'CALL_CENTER',
        merchant: { storeId: 'store-7', posId: 'till-3', posType: 'Kiosk' },
        promoCode: 'SPRING',
        tags: { campaign: 'spring' },
        requestedLoanAmount: 20_000,
        correlationId: 'corr-1',
        consumer: {
          firstName: 'Ada',
          lastName: 'Quill',
          email: 'ada.quill@example.com',
          netMonthlyIncome: 1,
          dateOfBirth: '1990-02-03',
          billingAddress: { ...address, country: 'US' },
          shippingAddress: { ...address, country: 'CA' },
        },
      },
      delivery: 'email',
      language: 'fr',
      returnUrl: 'https://shop.example/back',
    },
    { priority: 'checkout' },
  );
  expect(service.callsTo(CREATE)[0]?.body).toEqual({
    applicationDetails: {
      channel: 'CALL_CENTER',
      currency: 'USD',
      tags: { campaign: 'spring' },
      requestedLoanAmount: 200,
      correlationId: 'corr-1',
      language: 'fr',
    },
    cart: {
      merchantOrderId: 'order-1001',
      items: [
        {
          name: 'Oak chair',
          sku: 'CH-1',
          price: 129.99,
          quantity: 2,
          warranty: { name: 'Warranty', sku: 'CH-1-warranty', price: 15 },
        },
      ],
      discounts: [{ name: 'Welcome', amount: 10 }],
      totalTaxAmount: 20.51,
      shippingAmount: 5,
      totalAmount: 290.49,
    },
    consumer: {
      firstName: 'Ada',
      lastName: 'Quill',
      email: 'ada.quill@example.com',
      billingAddress: address,
    },
    merchantDetails: { storeId: 'store-7', posId: 'till-3' },
    linkOptions: {
      linkFormat: 'UrlAndQrCode',
      deliveryMethod: 'Email',
      onSuccessRedirectUrl: 'https://shop.example/back',
      onFailureRedirectUrl: 'https://shop.example/back',
    },
  });
});

test.each(['GenericMerchantDevice', 'GenericConsumerDevice'] as const)(
  'sends the point of sale %s, which links support',
  async (posType) => {
    const { service, client } = createSubject();
    await client.createLink(
      { order: { ...sampleOrder, merchant: { posType } }, ...plain },
      {
        priority: 'checkout',
      },
    );
    expect(service.callsTo(CREATE)[0]?.body).toMatchObject({ merchantDetails: { posType } });
  },
);

test.each([
  ['no URL', { ...made, url: null }],
  ['a script as its URL', { ...made, url: 'javascript:alert(1)' }],
  ['no id', { ...made, linkId: undefined }],
  ['a string as its body', 'ok'],
])('treats a link with %s as unreadable', async (_, body) => {
  const { service, client } = createSubject();
  service.on(CREATE, { status: 201, body });
  expect(
    await client.createLink({ order: sampleOrder, ...plain }, { priority: 'checkout' }),
  ).toMatchObject({
    kind: 'unknown',
    reason: 'unreadable',
  });
});

test.each([null, undefined, 'not base 64 !'])('omits the invalid QR code %j', async (qrCode) => {
  const { service, client } = createSubject();
  service.on(CREATE, { status: 201, body: { ...made, qrCode } });
  const result = await client.createLink(
    { order: sampleOrder, ...plain },
    { priority: 'checkout' },
  );
  expect(result).toMatchObject({ kind: 'accepted', body: { url: made.url } });
  expect(result.kind === 'accepted' && (result.body.qrCode ?? undefined)).toBeUndefined();
});

test('never sends the request for a link twice when its response is lost', async () => {
  const { service, client } = createSubject();
  service.on(CREATE, { status: 500, body: {} });
  expect(
    await client.createLink({ order: sampleOrder, ...plain }, { priority: 'checkout' }),
  ).toMatchObject({
    kind: 'unknown',
  });
  expect(service.callsTo(CREATE)).toHaveLength(1);
});

test('reads statuses, tokens and timestamps of a link, and passes unknown words through', async () => {
  const { service, client } = createSubject();
  service.on(READ, {
    status: 200,
    body: {
      linkStatus: 'Accessed',
      applications: [
        {
          applicationId: 'application-1',
          applicationStatus: 'Confirmed',
          updatedAt: '2026-11-20T12:00:00.9277886Z',
          checkoutDetails: { lenderId: 'l', lenderName: 'L', confirmationToken: 'token-1' },
        },
        { applicationId: 'application-2', applicationStatus: 'Dreaming', checkoutDetails: null },
      ],
    },
  });
  expect(await client.link('link-1', { priority: 'checkout' })).toMatchObject({
    body: {
      status: 'Accessed',
      applications: [
        {
          applicationId: 'application-1',
          status: 'Confirmed',
          confirmationToken: 'token-1',
          updatedAt: Date.UTC(2026, 10, 20, 12, 0, 0, 927),
        },
        { status: 'Dreaming', confirmationToken: undefined, updatedAt: undefined },
      ],
    },
  });
});

test('treats a response without a link status as unreadable', async () => {
  const { service, client } = createSubject();
  service.on(READ, { status: 200, body: { applications: [] } });
  expect(await client.link('link-1', { priority: 'checkout' })).toMatchObject({
    kind: 'unknown',
    reason: 'unreadable',
  });
});
