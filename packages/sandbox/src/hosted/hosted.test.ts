import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  details,
  discard,
  prime,
  sessionBody,
  SHOP,
  publishedSession,
  startTestSandbox,
  statusOf,
  type TestSandbox,
} from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

const apply = async (lastName: string) => {
  const { visit, applicationId } = await prime(test);
  const page = await test.form('/checkout/details', { ...visit, ...details, lastName });
  const state = async () => (await statusOf(test, applicationId)).applicationStatus;
  return { visit, page, state };
};

describe('opening the page', () => {
  it.each([
    ['a made-up public key', () => ({ key: 'made-up' }), 401],
    ['the private key', () => ({ key: test.environment('sandbox').privateKey }), 401],
    [
      'the public key of another environment',
      () => ({ key: test.environment('uat').publicKey }),
      401,
    ],
    ['an unknown session', () => ({ session: 'unknown' }), 404],
  ])('fails with %s: an explanation, and the outcome failed', async (_name, change, status) => {
    const { visit } = await prime(test);
    const page = await test.hosted({ ...visit, ...change() });
    expect(page.status).toBe(status);
    expect(page.outcome).toEqual({ type: 'ended', reason: 'failed' });
    expect(page.html).not.toContain('Walnut desk');
  });

  it.each<Record<string, string>>([
    { origin: 'javascript:alert(1)' },
    { origin: 'http://localhost:3000/path' },
    { origin: '*' },
    { origin: `${SHOP} https://evil.example` },
    { origin: '' },
    { return: 'https://evil.example/' },
    { return: 'javascript:alert(1)' },
    { return: 'http://user:password@localhost:3000/' },
  ])('fails with %j: no message, no frame', async (change) => {
    const { visit } = await prime(test);
    const page = await test.hosted({ ...visit, ...change });
    expect(page.status).toBe(400);
    expect(page.outcome).toBeUndefined();
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('does not present the amount of an application without an order as an order', async () => {
    const body = { checkoutDetails: { flowType: 'Apply', requestedLoanAmount: 800 } };
    const { visit } = await prime(test, body);
    const { html } = await test.hosted(visit);
    expect(html).toContain('No order yet');
    expect(html).toMatch(/Offers are shown for<\/dt>\s*<dd>\$800\.00/);
    expect(html).not.toContain('Your order');
  });

  it('presents an amount that the shop did not state as an example', async () => {
    const { visit } = await prime(test, { checkoutDetails: { flowType: 'Apply' } });
    const { html } = await test.hosted(visit);
    expect(html).toMatch(/Offers are examples for<\/dt>\s*<dd>\$2,000\.00/);
  });

  it('allows framing only by the shop, and nothing inline', async () => {
    const { visit } = await prime(test);
    const policy = (await test.hosted(visit)).headers.get('content-security-policy');
    expect(policy).toContain(`frame-ancestors ${SHOP}`);
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  it('rejects a form from another site', async () => {
    const { visit } = await prime(test);
    const response = await fetch(`${test.sandbox.hostedUrl}/checkout/cancel`, {
      method: 'POST',
      body: new URLSearchParams(visit),
      headers: { origin: 'https://evil.example' },
    });
    expect(response.status).toBe(400);
    expect((await test.hosted(visit)).outcome).toBeUndefined();
  });
});

describe('the order and the details', () => {
  it('shows the order in its currency and the known details of the shopper', async () => {
    const { visit } = await prime(test, sessionBody(12_500, 'ORD-¥', 'JPY'));
    const { html } = await test.hosted(visit);
    expect(html).toContain('¥12,500');
    expect(html).toContain('value="ada@example.com"');
  });

  it('shows a line with its price times its quantity', async () => {
    const body = sessionBody(37.5);
    body.cartDetails.items = [{ name: 'Walnut stool', price: 12.5, sku: 'S-1', quantity: 3 }];
    const { visit } = await prime(test, body);
    expect((await test.hosted(visit)).html.match(/\$37\.50/g)?.length).toBeGreaterThan(1);
  });

  it('shows a warranty once per line, and the tax on shipping, so that the amounts add up', async () => {
    const { visit } = await prime(test, publishedSession());
    const { html } = await test.hosted(visit);
    const figures = [...html.matchAll(/<span class="figure">([^<]+)<|<dd>([^<]+)</g)].map(
      ([, line, sum]) => line ?? sum,
    );
    // 2 × 50, 15 − 5 + 8 + 1.50 + 10 = 129.50.
    expect(figures).toEqual(['$100.00', '$15.00', '-$5.00', '$8.00', '$1.50', '$10.00', '$129.50']);
  });

  it('shows an order without item names and without a number', async () => {
    const { visit } = await prime(test, {
      cartDetails: { items: [{ price: 129.5, quantity: 1 }], totalAmount: 129.5 },
      checkoutDetails: {},
    });
    const { html } = await test.hosted(visit);
    expect(html).toContain('Item');
    expect(html).not.toContain('class="reference"');
  });

  it('shows markup in an order as text', async () => {
    const body = sessionBody();
    body.cartDetails.items = [
      { name: '<script>x</script>', price: 1015.11, sku: 'x', quantity: 1 },
    ];
    const { visit } = await prime(test, body);
    const { html } = await test.hosted({ ...visit, locale: '"><script>' });
    expect(html).toContain('&lt;script&gt;x');
    expect(html).not.toContain('<script>');
  });

  it.each([
    ['firstName', ''],
    ['lastName', ' '],
    ['email', 'ada@'],
    ['phone', '12'],
    ['birthDate', '1990-02-31'],
    ['birthDate', '2008-03-07'],
    ['birthDate', '1850-01-01'],
    ['income', 'plenty'],
    ['consent', ''],
  ])('shows a message at %s for %j', async (field, value) => {
    const { visit } = await prime(test);
    const page = await test.form('/checkout/details', { ...visit, ...details, [field]: value });
    expect(page.status).toBe(422);
    expect(page.html).toContain(`href="#${field}"`);
    expect(page.html).toMatch(new RegExp(`aria-describedby="[^"]*${field}-error"`));
    expect(page.html).toContain('value="Ada"'.slice(0, field === 'firstName' ? 6 : undefined));
  });

  it.each(['josé.müller@example.com', 'πάρις@παράδειγμα.ελ'])(
    'accepts the email address %s',
    async (email) => {
      const { consumerDetails, ...body } = sessionBody();
      const { visit } = await prime(test, {
        ...body,
        consumerDetails: { ...consumerDetails, email },
      });
      expect((await test.hosted(visit)).html).toContain(`value="${email}"`);
      const page = await test.form('/checkout/details', { ...visit, ...details, email });
      expect(page.status).toBe(200);
      expect(page.html).toContain('name="offer"');
    },
  );

  it('accepts an 18th birthday today', async () => {
    const { visit } = await prime(test);
    const page = await test.form('/checkout/details', {
      ...visit,
      ...details,
      birthDate: '2008-03-06',
    });
    expect(page.status).toBe(200);
    expect(page.html).toContain('name="offer"');
  });
});

describe('offers', () => {
  it('come from each lender, with payment, term, APR and total that add up', async () => {
    const { page } = await apply('Quayle');
    expect(page.html.match(/name="offer"/g)).toHaveLength(4);
    // 0% over 6 months: 5 × 169.18 + 169.21 = 1015.11.
    for (const figure of ['$169.18', '$169.21', '0%', '9.99%', '14.99%', '$1,015.11']) {
      expect(page.html).toContain(figure);
    }
  });

  it('need a selection and consent', async () => {
    const { visit } = await apply('Quayle');
    const neither = await test.form('/checkout/confirm', visit);
    expect(neither.status).toBe(422);
    expect(neither.html).toContain('Choose one of the offers');
    const unknown = await test.form('/checkout/confirm', { ...visit, offer: 'X', agree: 'yes' });
    expect(unknown.status).toBe(422);
    expect(unknown.outcome).toBeUndefined();
  });

  it('return one token when confirmed, the same after a reload or a second click', async () => {
    const { visit, state } = await apply('Quayle');
    const fields = { ...visit, offer: 'TAM-0-6', agree: 'yes' };
    const first = await test.form('/checkout/confirm', fields);
    expect(first.outcome).toEqual({
      type: 'confirmed',
      confirmationToken: expect.stringMatching(/^[\w-]{43}$/) as unknown,
    });
    const again = await test.form('/checkout/confirm', { ...fields, offer: 'QUI-999-12' });
    expect(again.outcome).toEqual(first.outcome);
    expect((await test.hosted(visit)).outcome).toEqual(first.outcome);
    expect(await state()).toBe('Approved');
  });
});

describe('outcomes by last name', () => {
  it.each([
    ['Decline', 'declined', 'Declined'],
    ['decline', 'declined', 'Declined'],
    ['Pending', 'pending', 'PendingLender'],
    ['PendingDecline', 'pending', 'PendingLender'],
    ['MoreInformation', 'pending', 'PendingConsumer'],
    ['MerchantReview', 'pending', 'PendingMerchant'],
    ['Expire', 'expired', 'Expired'],
  ])('%s ends %s', async (lastName, reason, expected) => {
    const { page, state } = await apply(lastName);
    expect(page.outcome).toEqual({ type: 'ended', reason });
    expect(await state()).toBe(expected);
  });

  it.each([
    ['Pending', 'Prequalified'],
    ['PendingDecline', 'Declined'],
  ])('%s is decided after an hour: %s', async (lastName, expected) => {
    const { state } = await apply(lastName);
    await test.control('POST', '/clock', { advance: '59m' });
    expect(await state()).toBe('PendingLender');
    await test.control('POST', '/clock', { advance: '2m' });
    expect(await state()).toBe(expected);
  });

  it('a session expires with an explanation', async () => {
    const { visit } = await prime(test);
    await test.hosted(visit);
    await test.control('POST', '/clock', { advance: '61m' });
    expect((await test.hosted(visit)).outcome).toEqual({ type: 'ended', reason: 'expired' });
  });
});

describe('cancelling', () => {
  it('ends the session permanently', async () => {
    const { visit, state } = await apply('Quayle');
    expect((await test.form('/checkout/cancel', visit)).outcome).toEqual({
      type: 'ended',
      reason: 'cancelled',
    });
    expect(await state()).toBe('Cancelled');
    const late = await test.form('/checkout/confirm', { ...visit, offer: 'TAM-0-6', agree: 'yes' });
    expect(late.outcome).toEqual({ type: 'ended', reason: 'cancelled' });
  });

  it('returns the token after confirmation', async () => {
    const { visit } = await apply('Quayle');
    const { outcome } = await test.form('/checkout/confirm', {
      ...visit,
      offer: 'TAM-0-6',
      agree: 'yes',
    });
    const response = await fetch(`${test.sandbox.hostedUrl}/checkout/cancel`, {
      method: 'POST',
      body: new URLSearchParams(visit),
      headers: { accept: 'application/json' },
    });
    expect(await response.json()).toEqual({ outcome });
  });
});

describe('the return URL of a redirect', () => {
  it.each([
    ['/order?step=2', '#'],
    ['/#/payment', '?'],
    ['/shop#/payment?step=2', '&'],
  ])('%s gets session and outcome in its fragment, which no server sees', async (path, mark) => {
    const { visit } = await prime(test);
    const back = { ...visit, return: SHOP + path };
    const page = await test.form('/checkout/details', { ...back, ...details, lastName: 'Decline' });
    const outcome = `financing-session=${visit.session}&financing-ended=declined`;
    const href = (SHOP + path + mark + outcome).replaceAll('&', '&amp;');
    expect(page.html).toContain(`href="${href}"`);
  });
});
