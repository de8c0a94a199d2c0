import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publishedLink } from '../links/links.fixture.ts';
import { discard, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

const path = '/v2/omni-link/consumer';
const published = publishedLink();
const post = (body: unknown, kind = 'checkout') => test.call('POST', `${path}/${kind}`, { body });
const withCart = (change: object) => ({ ...published, cart: { ...published.cart, ...change } });
const withItem = (change: object) =>
  withCart({ items: published.cart.items.map((item) => ({ ...item, ...change })) });
const withConsumer = (change: object) => ({
  ...published,
  consumer: { ...published.consumer, ...change },
});
const codesOf = (body: Record<string, unknown>) =>
  (body.errors as { code: unknown; description: string }[]).map(({ code }) => code);

describe('POST /v2/omni-link/consumer/checkout', () => {
  it('returns a URL of the hosted page, a QR code and an id', async () => {
    const { status, body, headers } = await post(published);
    expect(status).toBe(201);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual({
      url: `${test.sandbox.hostedUrl}/link/${String(body.linkId)}`,
      qrCode: expect.any(String) as unknown,
      linkId: expect.any(String) as unknown,
    });
  });

  it('returns a QR code that is a complete PNG with its quiet zone', async () => {
    const { body } = await post(published);
    const png = Buffer.from(String(body.qrCode), 'base64');
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect(png.subarray(-8, -4).toString('latin1')).toBe('IEND');
    const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
    expect(width).toBe(height);
    const data = png.indexOf('IDAT');
    const pixels = inflateSync(png.subarray(data + 4, data + 4 + png.readUInt32BE(data - 4)));
    // One bit per pixel, and a filter byte per row.
    expect(pixels.length).toBe(height * (1 + Math.ceil(width / 8)));
    const line = (row: number) =>
      pixels.subarray(row * (1 + Math.ceil(width / 8)) + 1, (row + 1) * (1 + Math.ceil(width / 8)));
    expect([...line(0)].every((byte) => byte === 0)).toBe(true);
    expect([...line(height >> 1)].some((byte) => byte !== 0)).toBe(true);
  });

  it.each([
    ['Url', true, false],
    ['QrCode', false, true],
    ['UrlAndQrCode', true, true],
    [undefined, true, false],
  ])('returns for the format %s: URL %s, QR code %s', async (linkFormat, url, qrCode) => {
    const { body } = await post({ ...published, linkOptions: { linkFormat } });
    expect([body.url !== null, body.qrCode !== null]).toEqual([url, qrCode]);
  });

  it.each<[string, object]>([
    ['without applicationDetails', { ...published, applicationDetails: undefined }],
    ['without a channel', { ...published, applicationDetails: {} }],
    ['without a cart', { ...published, cart: undefined }],
    ['without items', withCart({ items: undefined })],
    ['without the name of an item', withItem({ name: undefined })],
    ['without the sku of an item', withItem({ sku: undefined })],
    ['without a total', withCart({ totalAmount: undefined })],
    ['for Email without an address', withConsumer({ email: undefined })],
    ['for Email without a first name', withConsumer({ firstName: undefined })],
    ['for Email without a last name', withConsumer({ lastName: undefined })],
    ['for Email without a consumer', { ...published, consumer: undefined }],
    [
      'for Sms without a phone',
      { ...withConsumer({ mobilePhoneNumber: undefined }), linkOptions: { deliveryMethod: 'Sms' } },
    ],
    [
      'for Sms without names',
      { ...withConsumer({ firstName: undefined }), linkOptions: { deliveryMethod: 'Sms' } },
    ],
  ])('rejects a link %s with 400 and code 10001', async (_what, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(codesOf(answer.body)).toContain('10001');
    expect(answer.body.requestId).toEqual(expect.any(String));
  });

  it.each<[string, string, object]>([
    ['an empty cart', '10002', withCart({ items: [] })],
    ['a quantity of zero', '10002', withItem({ quantity: 0 })],
    ['a negative price', '10002', withItem({ price: -1 })],
    ['an order id of 101 characters', '10002', withCart({ merchantOrderId: 'A'.repeat(101) })],
    ['a total that is not the sum', '10002', withCart({ totalAmount: 129 })],
    ['a warranty that counts for each piece', '10002', withCart({ totalAmount: 143 })],
    ['more decimals than the currency has', '10002', withItem({ price: 50.001 })],
    ['a discount of nothing', '10002', withCart({ discounts: [{ name: 'x', amount: 0 }] })],
    ['null for an optional text', '10002', withConsumer({ email: null })],
    ['a phone with a sign', '10002', withConsumer({ mobilePhoneNumber: '+15035550142' })],
    ['another channel', '10002', { ...published, applicationDetails: { channel: 'PHONE' } }],
    ['another format', '10002', { ...published, linkOptions: { linkFormat: 'Png' } }],
    ['a redirect that is no web address', '10002', redirecting('javascript:alert(1)')],
    ['a settle without a charge', '10002', { ...published, checkoutOptions: { settle: true } }],
    ['taxAmount', '10000', withCart({ taxAmount: 10 })],
    ['a country in an address', '10000', withAddress({ country: 'US' })],
    ['a name of a state', '10002', withAddress({ state: 'Oregon' })],
    ['an unpublished field', '10000', { ...published, expiresIn: '1h' }],
  ])('rejects %s with 400 and code %s', async (_what, code, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(codesOf(answer.body)).toEqual([code]);
  });

  function redirecting(onSuccessRedirectUrl: string) {
    return { ...published, linkOptions: { onSuccessRedirectUrl } };
  }

  function withAddress(change: object) {
    return withConsumer({
      shippingAddress: { ...published.consumer.shippingAddress, ...change },
    });
  }

  it('accepts an order id of 100 characters, and needs no consumer if there is no delivery', async () => {
    const linkOptions = { deliveryMethod: 'None' };
    const cart = { ...published.cart, merchantOrderId: 'A'.repeat(100) };
    const answer = await post({ ...published, cart, consumer: undefined, linkOptions });
    expect(answer.status).toBe(201);
  });

  it.each([
    ['NotEnabled', '10101'],
    ['OptedOut', '10201'],
  ])('rejects the last name %s with 403 and code %s', async (lastName, code) => {
    const answer = await post(withConsumer({ lastName }));
    expect([answer.status, codesOf(answer.body)]).toEqual([403, [code]]);
  });

  it('includes no value of the request in an error', async () => {
    const { text } = await post({ ...withCart({ totalAmount: 1 }), Ada: 'Quayle' });
    expect(text).not.toMatch(/quayle|ada@example|5035550142|Larch/i);
  });

  it('accepts only application/json', async () => {
    const answer = await test.call('POST', `${path}/checkout`, {
      text: JSON.stringify(published),
      headers: { 'content-type': 'text/json' },
    });
    expect(answer.status).toBe(415);
  });

  it('rejects a body that is not an object with code 10000', async () => {
    const answer = await test.call('POST', `${path}/checkout`, { text: '[]' });
    expect([answer.status, codesOf(answer.body)]).toEqual([400, ['10000']]);
  });
});

describe('POST /v2/omni-link/consumer/application', () => {
  const { cart } = published;
  const application = { ...published, cart: undefined, checkoutOptions: undefined };

  it('creates a link without a cart, and rejects a cart', async () => {
    expect((await post(application, 'application')).status).toBe(201);
    const answer = await post({ ...application, cart }, 'application');
    expect([answer.status, codesOf(answer.body)]).toEqual([400, ['10000']]);
  });

  it('rejects a loan amount of zero', async () => {
    const applicationDetails = { channel: 'IN_STORE', requestedLoanAmount: 0 };
    const answer = await post({ applicationDetails }, 'application');
    expect([answer.status, codesOf(answer.body)]).toEqual([400, ['10002']]);
  });
});
