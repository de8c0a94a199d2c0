import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  details,
  discard,
  prime,
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

type Primed = Awaited<ReturnType<typeof prime>>;

const objectId = expect.stringMatching(/^[0-9a-f]{24}$/) as unknown;
const { cartDetails } = publishedSession();
const apply = ({ visit }: Primed, lastName = details.lastName) =>
  test.form('/checkout/details', { ...visit, ...details, lastName });
const confirm = ({ visit }: Primed, offer = 'QUI-999-12') =>
  test.form('/checkout/confirm', { ...visit, offer, agree: 'yes' });

/** The documented status of a new application. */
const started = {
  sessionStatus: 'NOT COMPLETED',
  confirmationToken: null,
  accountToken: null,
  loanId: null,
  consumerId: null,
  flowType: 'Checkout',
  storeId: 'store1',
  cartDetails,
  applicationStatus: null,
  account: null,
  confirmedOffer: null,
  offers: null,
  merchantConsumerId: 'shopper-77',
  linkId: null,
};
const quillmoorOffer = {
  code: 'QUI-999-12',
  financialProductType: 'Installments',
  amount: 500,
  defaultAPR: 9.99,
  promoSettings: { numberOfPeriods: 12, periodicPayment: 11.38, periodType: 'Month', apr: 9.99 },
  description: 'Quillmoor Finance: 12 months',
};
const quillmoorAccount = (applicationStatus: string, applicationStatusReason: string | null) => ({
  lenderName: 'Quillmoor Finance',
  lenderId: 'quillmoor',
  creditInfo: { availableCredit: 500, maxAmount: 500 },
  applicationStatus,
  applicationStatusReason,
  accountStatus: null,
  accountStatusReason: null,
  lenderReferenceId: null,
});

describe('GET /v2/checkout/applications/{applicationId}/status', () => {
  it('names no lender before the application reaches one', async () => {
    const primed = await prime(test, publishedSession());
    expect(await statusOf(test, primed.applicationId)).toEqual(started);
    await test.hosted(primed.visit);
    expect(await statusOf(test, primed.applicationId)).toEqual(started);
  });

  it('has null for missing values of the session', async () => {
    const { applicationId } = await prime(test, {
      cartDetails: { items: [{ price: 129.5, quantity: 1 }], totalAmount: 129.5 },
      checkoutDetails: {},
    });
    expect(await statusOf(test, applicationId)).toEqual({
      ...started,
      storeId: null,
      merchantConsumerId: null,
      cartDetails: {
        merchantOrderId: null,
        items: [
          {
            name: null,
            price: 129.5,
            sku: null,
            quantity: 1,
            leasable: null,
            productCategory: null,
            warranty: null,
            taxAmount: null,
            discounts: null,
          },
        ],
        discounts: null,
        taxAmount: 0,
        shippingTaxAmount: null,
        shippingAmount: null,
        totalAmount: 129.5,
      },
    });
  });

  it('has the offers and no account while no lender is chosen', async () => {
    const primed = await prime(test, publishedSession());
    await apply(primed);
    const status = await statusOf(test, primed.applicationId);
    expect(status).toEqual({
      ...started,
      consumerId: objectId,
      applicationStatus: 'Prequalified',
      offers: expect.arrayContaining([quillmoorOffer]) as unknown,
    });
    const products = (status.offers as { financialProductType: string }[]).map(
      (offer) => offer.financialProductType,
    );
    expect(products).toEqual(['Installments', 'Installments', 'LineOfCredit', 'LeaseToOwn']);
  });

  it('has the token, the account and the offer after confirmation', async () => {
    const primed = await prime(test, publishedSession());
    await apply(primed);
    const { outcome } = await confirm(primed);
    const approved = {
      ...started,
      sessionStatus: 'COMPLETED',
      confirmationToken: outcome?.confirmationToken,
      loanId: objectId,
      consumerId: objectId,
      applicationStatus: 'Approved',
      account: quillmoorAccount('Approved', null),
      confirmedOffer: quillmoorOffer,
      offers: expect.any(Array) as unknown,
    };
    expect(await statusOf(test, primed.applicationId)).toEqual(approved);
    const body = { confirmationToken: outcome?.confirmationToken };
    expect((await test.call('POST', '/v2/post-sale/charges', { body })).status).toBe(201);
    expect(await statusOf(test, primed.applicationId)).toEqual({
      ...approved,
      applicationStatus: 'Authorized',
      account: quillmoorAccount('Authorized', null),
    });
  });

  it('has an account token for a line of credit, which allows several charges', async () => {
    const primed = await prime(test, publishedSession());
    await apply(primed);
    const { outcome } = await confirm(primed, 'HAL-1499-24');
    expect(await statusOf(test, primed.applicationId)).toMatchObject({
      confirmationToken: outcome?.confirmationToken,
      accountToken: objectId,
      confirmedOffer: { financialProductType: 'LineOfCredit' },
    });
  });

  it('has the reason, but no token, while the chosen lender decides', async () => {
    const primed = await prime(test, publishedSession());
    await apply(primed, 'PendingConfirm');
    await confirm(primed);
    expect(await statusOf(test, primed.applicationId)).toEqual({
      ...started,
      consumerId: objectId,
      applicationStatus: 'PendingLender',
      account: quillmoorAccount('PendingLender', 'UnderReview'),
      offers: expect.any(Array) as unknown,
    });
  });

  it.each([
    ['Pending', 'PendingLender', 'UnderReview'],
    ['MoreInformation', 'PendingConsumer', 'DocumentUploadRequired'],
    ['MerchantReview', 'PendingMerchant', 'UnderReview'],
  ])('of %s is %s with the reason %s', async (lastName, applicationStatus, reason) => {
    const primed = await prime(test, publishedSession());
    await apply(primed, lastName);
    expect(await statusOf(test, primed.applicationId)).toEqual({
      ...started,
      consumerId: objectId,
      applicationStatus,
      account: {
        ...quillmoorAccount(applicationStatus, reason),
        lenderName: 'Tamberley Credit',
        lenderId: 'tamberley',
        creditInfo: null,
      },
    });
  });

  it('of a decline has no account', async () => {
    const primed = await prime(test, publishedSession());
    await apply(primed, 'Decline');
    const declined = { ...started, consumerId: objectId, applicationStatus: 'Declined' };
    expect(await statusOf(test, primed.applicationId)).toEqual(declined);
  });

  it('of an application without an order has an account token, but no confirmation token', async () => {
    const primed = await prime(test, {
      checkoutDetails: { flowType: 'Apply', requestedLoanAmount: 800 },
    });
    await apply(primed);
    const page = await confirm(primed);
    expect(page.outcome).toEqual({ type: 'applied' });
    expect(page.html).toContain('lends you up to $1,000.00');
    const status = await statusOf(test, primed.applicationId);
    expect(status).toMatchObject({
      sessionStatus: 'COMPLETED',
      confirmationToken: null,
      accountToken: objectId,
      flowType: 'Apply',
      cartDetails: null,
      applicationStatus: 'Approved',
      account: { creditInfo: { availableCredit: 1000, maxAmount: 1000 } },
    });
    const body = { confirmationToken: status.accountToken };
    expect((await test.call('POST', '/v2/post-sale/charges', { body })).status).not.toBe(201);
  });

  it('holds no personal data', async () => {
    const primed = await prime(test, publishedSession());
    await apply(primed);
    await confirm(primed);
    const text = JSON.stringify(await statusOf(test, primed.applicationId));
    expect(text).not.toMatch(/Ada|Example|Quayle|example\.com|shop\.example|5035550142|Larch/);
  });
});

describe('GET /v2/checkout/applications/{applicationId}/token', () => {
  const token = async ({ applicationId }: Primed) =>
    (await test.call('GET', `/v2/checkout/applications/${applicationId}/token`)).body;

  it('returns the token that continues an open session', async () => {
    const primed = await prime(test, publishedSession());
    expect(await token(primed)).toEqual({ sessionToken: primed.visit.session });
    await apply(primed, 'Pending');
    expect(await token(primed)).toEqual({ sessionToken: primed.visit.session });
  });

  it('returns null for a closed session', async () => {
    const primed = await prime(test, publishedSession());
    await apply(primed, 'Decline');
    expect(await token(primed)).toEqual({ sessionToken: null });
  });
});

describe('an unknown application', () => {
  it.each(['status', 'token'])(
    'returns 400 with a message for %s, because no 404 is documented',
    async (operation) => {
      const answer = await test.call('GET', `/v2/checkout/applications/unknown/${operation}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({
        requestId: expect.any(String) as unknown,
        message: 'The application was not found.',
      });
    },
  );

  it('includes applications of another environment', async () => {
    const { applicationId } = await prime(test, publishedSession());
    const uat = test.environment('uat');
    const path = `/v2/checkout/applications/${applicationId}/status`;
    const answer = await test.call('GET', path, {
      baseUrl: uat.baseUrl,
      authorization: `Bearer ${uat.privateKey}`,
    });
    expect(answer.status).toBe(400);
  });
});
