import { createHmac } from 'node:crypto';
import { MAX_MINOR_UNITS } from '@financing-checkout/contract/money';
import { type Order, orderTotal } from '@financing-checkout/contract/storefront';
import { TICKET_SECRET } from '../companion.fixture.ts';

/** Signs claims without any validation, like a JWT library in another language. */
export function signUnchecked(claims: object, write: (value: object) => string): string {
  const part = (text: string) => Buffer.from(text).toString('base64url');
  const input = `${part('{"typ":"JWT","alg":"HS256"}')}.${part(write(claims))}`;
  return `${input}.${createHmac('sha256', TICKET_SECRET).update(input).digest('base64url')}`;
}

/** Writes JSON like PHP's `json_encode` by default: in ASCII, with escaped slashes. */
export function writeEscaped(value: object): string {
  return JSON.stringify(value)
    .replaceAll('/', String.raw`\/`)
    .replace(
      /[^\0-\x7f]/g,
      (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}

/**
 * Characters from several scripts, with one to four UTF-8 bytes and one or two UTF-16 code units.
 */
export const scripts = {
  Latin: 'a',
  Cyrillic: 'ж',
  Han: '椅',
  'emoji beyond the basic plane': '🪑',
};

/** Returns an order of 200 lines with fields of maximum length and one discount per line. */
export function longestOrder(character: string): Order {
  const text = (length: number) => character.repeat(length / character.length);
  const warranty = { name: text(256), sku: text(128), price: 99_999 };
  const line = {
    name: text(256),
    sku: text(128),
    price: 9_999_999,
    quantity: 1_000,
    productCategory: text(128),
    leasable: false,
    warranty,
    taxAmount: MAX_MINOR_UNITS,
    discounts: [{ name: text(256), amount: MAX_MINOR_UNITS }],
  };
  const address = {
    line1: text(256),
    line2: text(256),
    city: text(128),
    zipCode: text(32),
    state: text(64),
    country: 'US',
  };
  const order: Order = {
    merchantOrderId: text(256),
    currency: 'USD',
    items: Array.from({ length: 200 }, () => line),
    discounts: Array.from({ length: 50 }, () => ({ name: text(256), amount: 1_000_000 })),
    taxAmount: 99_999_999,
    shippingAmount: 99_999_999,
    shippingTaxAmount: 99_999_999,
    totalAmount: 1,
    merchant: { storeId: text(128), posId: text(128), posType: 'GenericConsumerDevice' },
    channel: 'CALL_CENTER',
    promoCode: text(128),
    merchantPromoCode: text(128),
    tags: Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${text(62)}${index + 10}`, text(256)]),
    ),
    correlationId: text(256),
    requestedLoanAmount: MAX_MINOR_UNITS,
    consumer: {
      firstName: text(128),
      lastName: text(128),
      merchantConsumerId: text(256),
      mobilePhoneNumber: '123456789012345',
      email: `${'a'.repeat(240)}@example.com`,
      dateOfBirth: '1990-02-03',
      netMonthlyIncome: MAX_MINOR_UNITS,
      shippingAddress: address,
      billingAddress: address,
    },
  };
  return { ...order, totalAmount: orderTotal(order) };
}
