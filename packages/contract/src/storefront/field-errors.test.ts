import { expect, test } from 'vitest';
import { z } from 'zod';
import { settleRequestSchema } from '../back-office/charges.ts';
import { MAX_MINOR_UNITS } from '../money/money.ts';
import { checkFields } from './field-errors.ts';
import { orderTicketClaimsSchema } from './order.ts';
import { primeRequestSchema } from './storefront.ts';

const order = {
  merchantOrderId: 'order-1001',
  currency: 'USD',
  items: [{ name: 'Oak chair', sku: 'CH-1', price: 12_999, quantity: 2 }],
  taxAmount: 2_001,
  shippingAmount: 500,
  totalAmount: 28_499,
};

/** Returns the path and the message of each error. */
function errorsOf(schema: z.ZodType, value: unknown): Record<string, string> {
  const checked = checkFields(schema, value);
  if (checked.success) throw new Error('There is nothing wrong with it.');
  return Object.fromEntries(checked.errors.map(({ path, message }) => [path, message]));
}

const ids = { aud: 'financing-companion', jti: '12345678' };
const claims = { ...ids, exp: 1, iat: 1, order };

test.each<[string, z.ZodType, unknown, Record<string, string>]>([
  [
    'what is missing, empty, not in a list, and unknown',
    primeRequestSchema,
    { order: '', returnUrl: 'javascript:1', locale: '-', more: 1 },
    {
      '': 'has an unknown field: more',
      environment: 'is missing',
      order: 'must not be empty',
      returnUrl: 'must be a web address',
      locale: 'must be a language tag, such as en-US',
    },
  ],
  [
    'what is of another kind, too much and too little',
    orderTicketClaimsSchema,
    {
      ...claims,
      aud: 5,
      exp: '1',
      jti: 'short',
      order: {
        ...order,
        items: [{ ...order.items[0], quantity: 1.5 }],
        currency: 7,
        taxAmount: -1,
        shippingAmount: '5',
        totalAmount: 0,
        discounts: Array.from({ length: 51 }, () => ({ name: 'n', amount: 1 })),
      },
    },
    {
      aud: 'must be a text or a list of texts',
      env: 'is missing: state the environment of the order',
      exp: 'must be a number',
      jti: 'must have at least 8 characters',
      'order.currency': 'must be one text',
      'order.items.0.quantity': 'must be a whole number',
      'order.discounts': 'must have at most 50 entries',
      'order.taxAmount': 'must be at least 0',
      'order.shippingAmount': 'must be a number',
      'order.totalAmount': 'must be at least 1',
    },
  ],
  [
    'a number that is too large',
    settleRequestSchema,
    { amount: 2 ** 53 },
    { amount: `must be at most ${MAX_MINOR_UNITS}` },
  ],
  ['a value that is not an object', settleRequestSchema, [1], { '': 'must be an object' }],
  [
    'a parameter that is there twice',
    z.object({ merchantOrderId: z.string() }),
    { merchantOrderId: ['a', 'b'] },
    { merchantOrderId: 'must be one text' },
  ],
  [
    'words that a schema has itself',
    z.object({ limit: z.string().regex(/[1-9]/, 'must be 1 or more') }),
    { limit: '0' },
    { limit: 'must be 1 or more' },
  ],
])('%s', (_, schema, value, expected) => {
  expect(errorsOf(schema, value)).toEqual(expected);
});
