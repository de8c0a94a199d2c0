import type { FieldError, Order } from '@financing-checkout/contract/storefront';
import { expect, test } from 'vitest';
import { order, TICKET_SECRET } from './order.fixture.ts';
import { signOrderTicket, type SignOrderTicketOptions } from './sign.ts';
import { OrderSigningError } from './signing-error.ts';

const options = { secret: TICKET_SECRET, environment: 'sandbox' };
const [item] = order.items;

/** Returns the reason why an order is not signed. */
async function signingError(
  stated: unknown,
  more: Partial<Record<keyof SignOrderTicketOptions, unknown>> = {},
): Promise<OrderSigningError> {
  const given = { ...options, ...more } as SignOrderTicketOptions;
  const error: unknown = await signOrderTicket(stated as Order, given).catch(
    (reason: unknown) => reason,
  );
  if (error instanceof OrderSigningError) return error;
  throw new Error('It is signed, or the error is another one.', { cause: error });
}

test.each<[string, unknown, string, FieldError[]]>([
  [
    'each field that is wrong',
    {
      ...order,
      currency: 'XXA',
      items: [{ ...item, price: 12.5, sku: undefined }],
      shippingAmount: '5',
    },
    'order-invalid',
    [
      { path: 'order.currency', message: 'must be an ISO 4217 currency code in use, such as USD' },
      { path: 'order.items.0.sku', message: 'is missing' },
      { path: 'order.items.0.price', message: 'must be a whole number' },
      { path: 'order.shippingAmount', message: 'must be a number' },
    ],
  ],
  ['no order', undefined, 'order-invalid', [{ path: 'order', message: 'is missing' }]],
  [
    'a total that the parts do not have',
    { ...order, totalAmount: 1 },
    'order-totals-mismatch',
    [
      {
        path: 'order.totalAmount',
        message: "must be the sum of the order's parts, which is 27499 minor units",
      },
    ],
  ],
  [
    'a name of an order that is a step in an address',
    { ...order, merchantOrderId: '..' },
    'order-invalid',
    [{ path: 'order.merchantOrderId', message: 'must not be "." or ".."' }],
  ],
  [
    'a name of an order that a database does not keep',
    { ...order, merchantOrderId: 'A\0' },
    'order-invalid',
    [
      {
        path: 'order.merchantOrderId',
        message: 'must not have U+0000 or a surrogate without its pair',
      },
    ],
  ],
])('reports %s with the reason', async (_, stated, code, errors) => {
  const error = await signingError(stated);
  expect([error.code, error.errors]).toEqual([code, errors]);
  for (const { path, message } of errors) expect(error.message).toContain(`${path} ${message}`);
});

test.each<[keyof SignOrderTicketOptions, unknown, RegExp]>([
  ['secret', 'x'.repeat(31), /32 bytes or more/],
  ['secret', undefined, /is missing/],
  ['environment', 'staging', /one of uat, sandbox, production/],
  ['environment', undefined, /is missing/],
  ['audience', '', /not be empty/],
  ['id', '1234567', /at least 8 characters/],
  ['origin', 'https://shop.example/checkout', /origin without a path/],
  ['origin', 'shop.example', /origin without a path/],
  ['lifetimeSeconds', 0, /at least 1/],
  ['lifetimeSeconds', NaN, /a number/],
  ['lifetimeSeconds', 86_401, /at most maxLifetimeSeconds/],
  ['issuedAt', new Date(NaN), /valid date/],
])('reports the option %s when it is %j', async (name, value, reason) => {
  const { code, errors, message } = await signingError(order, { [name]: value });
  expect([code, errors.map(({ path }) => path)]).toEqual(['options-invalid', [`options.${name}`]]);
  expect(errors[0]?.message).toMatch(reason);
  expect(message).toMatch(reason);
});

test('rejects a ticket that is too long for a companion and says what to do', async () => {
  const discounts = Array.from({ length: 50 }, () => ({ name: '椅'.repeat(256), amount: 1 }));
  const items = Array.from({ length: 200 }, () => ({ ...item, quantity: 1, discounts }));
  const stated = { ...order, items, totalAmount: 200 * 12_999 + 1_501 };
  const { code, errors, message } = await signingError(stated);
  expect([code, errors.map(({ path }) => path)]).toEqual(['ticket-too-long', ['order']]);
  expect(message).toMatch(/order results in a ticket of \d{7,} characters, .* 2500000: shorten/);
});

test('names five fields in the message and all fields in errors', async () => {
  const items = Array.from({ length: 8 }, () => ({ ...item, quantity: 0 }));
  const { errors, message } = await signingError({ ...order, items });
  expect(errors).toHaveLength(8);
  expect(message).toContain('order.items.4.quantity must be at least 1; and 3 more.');
});

test('does not repeat any text of the order or the secret', async () => {
  const error = await signingError({ ...order, channel: 'Quill', currency: 'Quill' });
  const short = await signingError(order, { secret: 'Quill' });
  for (const { message, errors, stack } of [error, short]) {
    expect(JSON.stringify([message, errors, stack])).not.toContain('Quill');
  }
});

test('signs an origin in the form that browsers send', async () => {
  const ticket = await signOrderTicket(order, { ...options, origin: 'HTTPS://Shop.example:443/' });
  const claims: unknown = JSON.parse(
    Buffer.from(ticket.split('.')[1] ?? '', 'base64url').toString(),
  );
  expect(claims).toMatchObject({ origin: 'https://shop.example' });
});

test('signs a longer lifetime when maxLifetimeSeconds allows it', async () => {
  const longer = { ...options, lifetimeSeconds: 200_000, maxLifetimeSeconds: 604_800 };
  expect(await signOrderTicket(order, longer)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
});
