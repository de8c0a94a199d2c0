import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { MAX_MINOR_UNITS } from '../money/money.ts';
import {
  type Order,
  orderedItemSchema,
  orderItemSchema,
  orderSchema,
  orderTicketClaimsSchema,
  orderTotal,
} from './order.ts';

const order: Order = {
  merchantOrderId: 'A-1001',
  currency: 'USD',
  items: [
    { name: 'Desk', sku: 'D-1', price: 39_900, quantity: 1 },
    { name: 'Lamp', sku: 'L-7', price: 4_995, quantity: 2, productCategory: 'light' },
  ],
  discounts: [{ name: 'Spring', amount: 1_000 }],
  taxAmount: 3_991,
  shippingAmount: 0,
  totalAmount: 52_881,
  consumer: {
    firstName: 'Ada',
    email: 'ada@example.com',
    mobilePhoneNumber: '15551234567',
    shippingAddress: {
      line1: '1 Main Street',
      city: 'Springfield',
      zipCode: '12345',
      state: 'NY',
      country: 'US',
    },
  },
};

const amount = fc.oneof(
  fc.nat(100_000),
  fc.nat(MAX_MINOR_UNITS),
  fc.constantFrom(0, MAX_MINOR_UNITS),
);
const parts = fc.record({
  items: fc.array(
    fc.record({
      name: fc.constant('Item'),
      sku: fc.constant('SKU'),
      price: amount,
      quantity: fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.constant(1)),
    }),
    { minLength: 1, maxLength: 200 },
  ),
  discounts: fc.array(fc.record({ name: fc.constant('Off'), amount }), { maxLength: 50 }),
  currency: fc.constant('USD'),
  taxAmount: amount,
  shippingAmount: amount,
});

describe('the total of an order', () => {
  it('is items minus discounts plus tax and shipping', () => {
    expect(orderTotal(order)).toBe(52_881);
    expect(orderTotal({ ...order, discounts: [] })).toBe(53_881);
    expect(orderTotal({ ...order, discounts: [{ name: 'All', amount: 60_000 }] })).toBe(-6_119);
  });

  it('matches the published example: a warranty counts once per line, and shipping tax counts', () => {
    const published = {
      items: [
        {
          name: 'Sofa',
          sku: 'S-1',
          price: 199_900,
          quantity: 2,
          warranty: { name: 'Cover', sku: 'W-1', price: 10_000 },
        },
      ],
      discounts: [{ name: 'Off', amount: 2_000 }],
      taxAmount: 19_900,
      shippingAmount: 1_900,
      shippingTaxAmount: 190,
    };
    expect(orderTotal(published)).toBe(429_790);
  });

  it('does not depend on the tax and the discounts of a line', () => {
    const items = order.items.map((item) => ({
      ...item,
      taxAmount: 100,
      discounts: [{ name: 'Line offer', amount: 200 }],
    }));
    expect(orderTotal({ ...order, items })).toBe(orderTotal(order));
  });

  it('is exact for every valid order, and not a valid amount beyond that', () => {
    fc.assert(
      fc.property(parts, (parts) => {
        const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n);
        const exact =
          sum(parts.items.map(({ price, quantity }) => BigInt(price) * BigInt(quantity))) -
          sum(parts.discounts.map((discount) => BigInt(discount.amount))) +
          BigInt(parts.taxAmount) +
          BigInt(parts.shippingAmount);
        const size = exact < 0n ? -exact : exact;
        const expected = size > BigInt(MAX_MINOR_UNITS) ? Infinity : Number(exact);
        expect(orderTotal(parts)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('is exact for huge items with huge discounts', () => {
    const items = [{ name: 'Gold', sku: 'AU', price: MAX_MINOR_UNITS, quantity: 50 }];
    const discounts = Array.from({ length: 50 }, () => ({ name: 'Off', amount: MAX_MINOR_UNITS }));
    const total = orderTotal({ ...order, items, discounts, taxAmount: 0, shippingAmount: 1 });
    expect(total).toBe(1);
  });

  it('becomes an invalid total when it overflows', () => {
    const items = Array.from({ length: 200 }, () => ({
      name: 'Gold',
      sku: 'AU',
      price: MAX_MINOR_UNITS,
      quantity: 100_000,
    }));
    const total = orderTotal({ ...order, items });
    expect(total).toBe(Infinity);
    expect(orderSchema.safeParse({ ...order, items, totalAmount: total }).success).toBe(false);
  });
});

describe('an order', () => {
  it('is accepted unchanged', () => {
    expect(orderSchema.parse(order)).toEqual(order);
  });

  test.each(['josé.müller@example.com', 'πάρις@παράδειγμα.ελ', "o'hara+shop@mail.example.co.uk"])(
    'accepts the email address %s',
    (email) => {
      expect(orderSchema.parse({ ...order, consumer: { email } }).consumer).toEqual({ email });
    },
  );

  test.each(['', ' ', null, 'not one', 7, {}])(
    'drops optional consumer data that is %j',
    (value) => {
      const address = order.consumer?.shippingAddress;
      const consumer = {
        email: value,
        mobilePhoneNumber: value,
        dateOfBirth: value,
        shippingAddress: value,
        netMonthlyIncome: value === 7 ? -7 : value,
        lastName: 'Quill',
        billingAddress: { ...address, country: value, line2: '' },
      };
      const parsed = orderSchema.parse({ ...order, consumer }).consumer;
      expect(parsed).toStrictEqual({ lastName: 'Quill' });
    },
  );

  it('keeps an address with a blank optional line, and drops an address without a city', () => {
    const { city, ...rest } = order.consumer?.shippingAddress ?? {};
    const consumer = { shippingAddress: { ...rest, city, line2: null }, billingAddress: rest };
    expect(orderSchema.parse({ ...order, consumer }).consumer).toStrictEqual({
      shippingAddress: { ...rest, city },
    });
  });

  it('treats blank optional strings of the order as absent', () => {
    const blank = { promoCode: '', channel: null, correlationId: ' ', consumer: null };
    expect(orderSchema.parse({ ...order, ...blank })).toEqual({ ...order, consumer: undefined });
  });

  const item = order.items[0];
  test.each<[string, object]>([
    ['', { surprise: 1 }],
    ['items.0', { items: [{ ...item, discount: 1 }] }],
    ['discounts.0', { discounts: [{ name: 'Off', amount: 1, percent: 2 }] }],
    ['consumer', { consumer: { ...order.consumer, ssn: '078051120' } }],
    [
      'consumer.shippingAddress',
      { consumer: { shippingAddress: { ...order.consumer?.shippingAddress, planet: 'Earth' } } },
    ],
  ])('refuses an unknown field at "%s"', (path, change) => {
    const { error } = orderSchema.safeParse({ ...order, ...change });
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
    expect(error?.issues[0]?.code).toBe('unrecognized_keys');
  });

  // The invalid value contains this text, which no message may repeat.
  const canary = 'canary-7f3e';
  test.each<[string, object]>([
    ['merchantOrderId', { merchantOrderId: canary.repeat(30) }],
    ['merchantOrderId', { merchantOrderId: ` ${canary}` }],
    ['merchantOrderId', { merchantOrderId: `${canary}\n` }],
    ['merchantOrderId', { merchantOrderId: '' }],
    ['currency', { currency: canary }],
    ['items', { items: [] }],
    ['items', { items: canary }],
    ['items.0.price', { items: [{ ...item, price: canary }] }],
    ['items.0.price', { items: [{ ...item, price: 1.5 }] }],
    ['items.0.price', { items: [{ ...item, price: -1 }] }],
    ['items.0.quantity', { items: [{ ...item, quantity: 0 }] }],
    ['items.0.leasable', { items: [{ ...item, leasable: canary }] }],
    ['discounts.0.amount', { discounts: [{ name: 'Off', amount: -5 }] }],
    ['taxAmount', { taxAmount: -1 }],
    ['totalAmount', { totalAmount: 0 }],
    ['totalAmount', { totalAmount: MAX_MINOR_UNITS + 1 }],
    ['items.0.warranty.price', { items: [{ ...item, warranty: { price: canary } }] }],
    ['items.0.taxAmount', { items: [{ ...item, taxAmount: null }] }],
    ['items.0.discounts.0.amount', { items: [{ ...item, discounts: [{ name: 'Off' }] }] }],
    ['shippingTaxAmount', { shippingTaxAmount: 1.5 }],
    ['merchant.posType', { merchant: { posType: canary } }],
    ['channel', { channel: canary }],
    ['promoCode', { promoCode: canary.repeat(30) }],
    ['requestedLoanAmount', { requestedLoanAmount: 0 }],
    ['tags', { tags: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`t${i}`, canary])) }],
  ])('reports that %s is wrong without repeating the value', (path, change) => {
    const { error } = orderSchema.safeParse({ ...order, ...change });
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
    expect(JSON.stringify(error?.issues)).not.toContain(canary);
    expect(String(error)).not.toContain(canary);
  });
});

/**
 * Unwraps optional and transforming schemas down to the object or array schema.
 */
function containerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional) return containerOf(schema.unwrap());
  if (schema instanceof z.ZodPipe) return containerOf(schema.in) ?? containerOf(schema.out);
  const isContainer = [z.ZodObject, z.ZodRecord, z.ZodArray].some((type) => schema instanceof type);
  return isContainer ? schema : undefined;
}

type Path = (string | number)[];
/**
 * Returns the paths of all optional objects, maps and arrays of a schema. Index 0 stands for the
 * elements of an array.
 */
function optionalContainers(schema: z.core.$ZodType, path: Path = []): [Path, isList: boolean][] {
  const container = containerOf(schema);
  if (container instanceof z.ZodArray) return optionalContainers(container.element, [...path, 0]);
  if (!(container instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(container.shape).flatMap(([name, field]) => {
    const found = containerOf(field);
    if (found === undefined) return [];
    const own: Path = [...path, name];
    const inner = optionalContainers(field, own);
    return field.safeParse(undefined).success
      ? [[own, found instanceof z.ZodArray], ...inner]
      : inner;
  });
}

it('reads stored items unchanged, whatever limits new orders have', () => {
  const stored = { name: 'n'.repeat(300), sku: '', price: 100, quantity: 200_000, taxAmount: 99 };
  expect(orderedItemSchema.parse(stored)).toEqual(stored);
  expect(orderItemSchema.safeParse(stored).success).toBe(false);
});

describe('an optional field of an order', () => {
  const containers = optionalContainers(orderSchema);

  it('control: is found in the schema at each depth', () => {
    expect(containers.map(([path]) => path.join('.'))).toEqual(
      expect.arrayContaining([
        ...['items.0.warranty', 'items.0.discounts', 'discounts', 'merchant', 'tags'],
        ...['consumer', 'consumer.shippingAddress', 'consumer.billingAddress'],
      ]),
    );
  });

  const empty = [[], {}, null, '', ' '];
  test.each(
    containers.flatMap(([path, isList]) =>
      empty.map((value) => [path.join('.'), value, path, isList] as const),
    ),
  )('is absent at %s if it is %j', (_, value, path, isList) => {
    const sent = structuredClone<unknown>({ ...order, consumer: { lastName: 'Quill' } });
    const parent = path
      .slice(0, -1)
      .reduce((object, key) => Reflect.get(object as object, key), sent);
    Reflect.set(parent as object, path.at(-1) ?? '', value);
    const read = path.reduce<unknown>(
      (object, key) => Reflect.get(object as object, key),
      orderSchema.parse(sent),
    );
    // An empty array is not absent: the hash of an open checkout includes it.
    expect(read).toEqual(isList && Array.isArray(value) ? [] : undefined);
  });

  test.each([[7], ['Ada'], [true], [[1]]])(
    'drops a consumer and an address that is %j',
    (value) => {
      expect(orderSchema.parse({ ...order, consumer: value }).consumer).toBeUndefined();
      const consumer = { lastName: 'Quill', shippingAddress: value };
      expect(orderSchema.parse({ ...order, consumer }).consumer).toEqual({ lastName: 'Quill' });
    },
  );

  test.each([7, 'Ada', [1]])('is rejected if it is not a consumer but %j', (value) => {
    for (const change of [
      { merchant: value },
      { tags: value },
      { items: [{ ...order.items[0], warranty: value }] },
    ]) {
      expect(orderSchema.safeParse({ ...order, ...change }).success).toBe(false);
    }
  });
});

describe('the claims of an order ticket', () => {
  const ids = { aud: 'financing-companion', env: 'sandbox' };
  const claims = { ...ids, exp: 2_000_000_000, iat: 1_999_999_000, order };

  it('may include unknown claims: JWT libraries add their own', () => {
    const ticket = { ...claims, jti: 'ticket-0001', nbf: 1_999_999_000 };
    expect(orderTicketClaimsSchema.parse(ticket)).toEqual({ ...claims, jti: 'ticket-0001' });
  });

  it('may include several audiences and fractional seconds (RFC 7519)', () => {
    const forms = { aud: ['other', 'financing-companion'], exp: 2e9 + 0.5, iat: 1_999_999_000.25 };
    const ticket = { ...claims, ...forms, jti: 'ticket-0001' };
    expect(orderTicketClaimsSchema.parse(ticket)).toEqual(ticket);
  });

  test.each<[string, object]>([
    ['jti', {}],
    ['jti', { jti: 'short' }],
    ['env', { jti: 'ticket-0001', env: undefined }],
    ['env', { jti: 'ticket-0001', env: 'live' }],
    ['exp', { jti: 'ticket-0001', exp: '2000000000' }],
    ['iat', { jti: 'ticket-0001', iat: '1.5' }],
    ['aud', { jti: 'ticket-0001', aud: ['financing-companion', 1] }],
    ['order.totalAmount', { jti: 'ticket-0001', order: { ...order, totalAmount: '52881' } }],
  ])('require %s', (path, change) => {
    const { error } = orderTicketClaimsSchema.safeParse({ ...claims, ...change });
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });
});
