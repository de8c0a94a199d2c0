import { fetch } from 'undici';
import { z } from 'zod';
import { createdLink } from '../published/links.ts';
import { details, type TestSandbox } from '../sandbox.fixture.ts';

/** Returns a link request with every documented field; the total follows the documented rule. */
export function publishedLink() {
  const address = {
    state: 'US-OR',
    city: 'Fernhollow',
    line1: '12 Larch Lane',
    line2: 'Unit 4',
    zipCode: '97999',
  };
  return {
    applicationDetails: {
      channel: 'IN_STORE',
      tags: { campaign: 'spring' },
      requestedLoanAmount: 500,
      currency: 'USD',
      creditTiers: ['Prime', 'NearPrime'],
      correlationId: 'corr-42',
      language: 'en',
    },
    consumer: {
      merchantConsumerId: 'shopper-77',
      firstName: 'Ada',
      lastName: 'Quayle',
      email: 'ada@example.com',
      mobilePhoneNumber: '5035550142',
      billingAddress: address,
      shippingAddress: address,
    },
    merchantDetails: {
      storeId: 'store1',
      posId: 'till-1',
      posType: 'GenericMerchantDevice',
      externalUserId: 'clerk-7',
    },
    linkOptions: { linkFormat: 'UrlAndQrCode', deliveryMethod: 'Email' },
    cart: {
      merchantOrderId: 'ORDER-1001',
      items: [
        {
          name: 'Walnut Desk',
          sku: 'DESK-W',
          price: 50,
          quantity: 2,
          leasable: true,
          productCategory: 'Furniture',
          warranty: { name: '2-year cover', sku: 'COV-2', price: 15 },
        },
      ],
      discounts: [{ name: 'Welcome', amount: 5 }],
      totalTaxAmount: 10,
      shippingAmount: 8,
      totalAmount: 128,
    },
    checkoutOptions: {},
  };
}

/** The documented response; these tests create links that have a URL. */
const created = createdLink.extend({ url: z.url(), linkId: z.string() });

/** Creates a link to a checkout, or to an application. */
export async function createLink(
  test: TestSandbox,
  change: object = {},
  kind: 'checkout' | 'application' = 'checkout',
): Promise<z.infer<typeof created>> {
  const { cart, checkoutOptions, ...parts } = publishedLink();
  const body = { ...parts, ...(kind === 'checkout' && { cart, checkoutOptions }), ...change };
  const answer = await test.call('POST', `/v2/omni-link/consumer/${kind}`, { body });
  return created.parse(answer.body);
}

export async function readLink(test: TestSandbox, linkId: string) {
  return (await test.call('GET', `/v2/omni-link/consumer/${linkId}`)).body;
}

/** One opening of a link, by a browser with the given cookie. */
export interface Opening {
  status: number;
  html: string;
  /** Cookie for the next opening. */
  cookie: string;
  /** URL parameters of the checkout page that the link redirects to. */
  visit: Record<string, string>;
}

export async function openLink(url: string, cookie = ''): Promise<Opening> {
  const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
  const to = new URL(response.headers.get('location') ?? '/', url);
  return {
    status: response.status,
    html: await response.text(),
    cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '',
    visit: Object.fromEntries(to.searchParams),
  };
}

/** Submits the application, and confirms an offer if there is one. @returns the last page */
export async function finish(
  test: TestSandbox,
  visit: Record<string, string>,
  lastName: string = details.lastName,
) {
  const page = await test.form('/checkout/details', { ...visit, ...details, lastName });
  if (page.outcome) return page;
  return test.form('/checkout/confirm', { ...visit, offer: 'HAL-1499-24', agree: 'yes' });
}
