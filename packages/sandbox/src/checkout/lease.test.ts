import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runHere } from '../cli/command.fixture.ts';
import {
  charge,
  details,
  discard,
  prime,
  publishedSession,
  records,
  sessionBody,
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

const LEASE = 'PEN-LTO-18';
const lease = (more: object = {}) =>
  charge(test, { body: publishedSession(), offer: LEASE, ...more });
const totalOf = async (id: string) =>
  (await test.call('GET', `/v2/post-sale/charges/${id}`)).body.totalAmount;
const leaveOut = (taxLeftOut: string) =>
  test.control('POST', '/lenders', { lenderId: 'pennowick', taxLeftOut });
const offerCodes = async (body: object) => {
  const { visit, applicationId } = await prime(test, body);
  await test.form('/checkout/details', { ...visit, ...details });
  const { offers } = await statusOf(test, applicationId);
  return (offers as { code: string }[]).map(({ code }) => code);
};

describe('a lease to own', () => {
  it('excludes the sales tax of the order from its charge', async () => {
    // 129.50 minus the tax of 10.00, but including the shipping tax of 1.50.
    expect(await totalOf(await lease())).toBe(119.5);
  });

  it.each([
    ['tax-and-shipping-tax', 118],
    ['tax', 119.5],
    ['none', 129.5],
  ])('excludes %s: the charge has %d', async (taxLeftOut, total) => {
    await leaveOut(taxLeftOut);
    expect(await totalOf(await lease())).toBe(total);
  });

  it('excludes the tax that the command sets', async () => {
    const url = ['--control-url', test.sandbox.controlUrl];
    const set = ['lender', 'set', 'pennowick', '--leaves-out', 'tax-and-shipping-tax'];
    const { code, stdout } = await runHere(...set, ...url);
    expect([code, stdout]).toEqual([0, expect.stringContaining('leaves out tax-and-shipping-tax')]);
    expect(await totalOf(await lease())).toBe(118);
  });

  it('keeps the terms of its offer when the lender changes them before the charge', async () => {
    const { visit } = await prime(test, publishedSession());
    await test.form('/checkout/details', { ...visit, ...details });
    const { outcome } = await test.form('/checkout/confirm', {
      ...visit,
      offer: LEASE,
      agree: 'yes',
    });
    await leaveOut('none');
    const body = { confirmationToken: outcome?.confirmationToken };
    const { body: made } = await test.call('POST', '/v2/post-sale/charges', { body });
    expect(made.totalAmount).toBe(119.5);
  });

  it('is a lease in the application status, with the complete order', async () => {
    const { visit, applicationId } = await prime(test, publishedSession());
    await test.form('/checkout/details', { ...visit, ...details });
    await test.form('/checkout/confirm', { ...visit, offer: LEASE, agree: 'yes' });
    expect(await statusOf(test, applicationId)).toMatchObject({
      cartDetails: { totalAmount: 129.5, taxAmount: 10 },
      confirmedOffer: {
        code: LEASE,
        financialProductType: 'LeaseToOwn',
        amount: 500,
        defaultAPR: 0,
        // 119.50 plus 45%: 173.28 (rounded half up) in 18 payments.
        promoSettings: { numberOfPeriods: 18, periodicPayment: 9.62, periodType: 'Month', apr: 0 },
      },
    });
  });

  it('is settled, refunded, discounted and funded with its lower total', async () => {
    const id = await lease({ settle: true });
    await test.call('POST', `/v2/post-sale/charges/${id}/refunds`, { body: { amount: 19.5 } });
    await test.control('POST', '/clock', { advance: '1d' });
    const funded = await records(test);
    const byAmount = funded.toSorted((a, b) => Number(b.netAmount) - Number(a.netAmount));
    expect(byAmount).toMatchObject([
      {
        transactionType: 'Settle',
        lenderName: 'Pennowick Leasing',
        productType: 'LeaseToOwn',
        transactionAmount: 119.5,
        discountAmount: 3.82,
        netAmount: 115.68,
      },
      { transactionType: 'Refund', transactionAmount: 19.5, discountAmount: 0.62 },
    ]);
  });

  it('is offered after the loans, with a price and without an annual rate', async () => {
    const { visit } = await prime(test, publishedSession());
    const { html } = await test.form('/checkout/details', { ...visit, ...details });
    const shown = html.slice(html.indexOf(`value="${LEASE}"`));
    expect(html.indexOf('value="HAL-1499-24"')).toBeLessThan(html.indexOf(`value="${LEASE}"`));
    for (const word of ['Lease to own', 'Cost of the lease', '$53.78', '$173.28', 'sales tax']) {
      expect(shown).toContain(word);
    }
    expect(shown).not.toContain('APR');
  });
});

describe('the lessor', () => {
  const withLeasable = (leasable: boolean | null | undefined) => {
    const body = publishedSession();
    const [item] = body.cartDetails.items;
    const second = { name: 'Gift card', price: 20, quantity: 1, leasable };
    const cartDetails = { ...body.cartDetails, items: [item, second], totalAmount: 149.5 };
    return { ...body, cartDetails };
  };

  it.each([
    [false, false],
    [true, true],
    [null, true],
    [undefined, true],
  ])('for an item with leasable %s: %s', async (leasable, offered) => {
    expect((await offerCodes(withLeasable(leasable))).includes(LEASE)).toBe(offered);
  });

  it('offers no lease for an order that is all tax', async () => {
    const { cartDetails, ...rest } = sessionBody();
    const taxed = { ...cartDetails, items: [], taxAmount: 9, totalAmount: 9 };
    expect(await offerCodes({ ...rest, cartDetails: taxed })).toEqual([
      'TAM-0-6',
      'QUI-999-12',
      'HAL-1499-24',
    ]);
  });
});
