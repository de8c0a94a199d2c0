/*
 * The companion accepts exactly the orders that `signOrderTicket` signs, and refuses those that it
 * refuses.
 */
import fc from 'fast-check';
import { type Order, orderTotal } from '@financing-checkout/contract/storefront';
import { signOrderTicket, type SignOrderTicketOptions } from '@financing-checkout/ticket';
import { describe, expect, test } from 'vitest';
import { createCompanion, order, ORIGIN, PUBLIC_KEY, TICKET_SECRET } from '../companion.fixture.ts';
import { START } from '../scripted-service.fixture.ts';
import { longestOrder, scripts, signUnchecked, writeEscaped } from './ticket.fixture.ts';

const options = {
  secret: TICKET_SECRET,
  environment: 'sandbox',
  issuedAt: new Date(START),
};

function claimsOf(stated: unknown) {
  const seconds = START / 1000;
  const times = { iat: seconds, exp: seconds + 600 };
  const ids = { aud: 'financing-companion', env: 'sandbox', jti: 'ticket-of-another' };
  return { ...ids, ...times, order: stated };
}

/** Returns the companion's response to a prime with the ticket. */
async function prime(ticket: string) {
  const companion = await createCompanion();
  const body = { order: ticket, environment: 'sandbox' };
  const answer = await companion.post('/checkout/prime', body, { 'idempotency-key': 'key-1' });
  return { ...answer, companion };
}

const text = (max: number) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.ceil(max / 16) }),
    },
    {
      weight: 1,
      arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: Math.ceil(max / 2) }),
    },
    fc
      .constantFrom(...Object.values(scripts), '"', '\\', '\n')
      .map((one) => one.repeat(Math.ceil(max / 2))),
  );
const amount = fc.integer({ min: 0, max: 1_000_000 });
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.option(arbitrary, { nil: undefined });
const discounts = optional(fc.array(fc.record({ name: text(256), amount }), { maxLength: 3 }));

/** Orders that are mostly valid. */
const plausible = fc.record({
  merchantOrderId: text(256),
  currency: fc.constantFrom('USD', 'JPY', 'KWD'),
  items: fc.array(
    fc.record({
      name: text(256),
      sku: text(128),
      price: amount,
      quantity: fc.integer({ min: 1, max: 100_000 }),
      productCategory: optional(text(128)),
      leasable: optional(fc.boolean()),
      taxAmount: optional(amount),
      warranty: optional(fc.record({ name: text(256), price: amount })),
      discounts,
    }),
    { minLength: 1, maxLength: 20 },
  ),
  discounts,
  taxAmount: amount,
  shippingAmount: fc.integer({ min: 4_000_000, max: 5_000_000 }),
  promoCode: optional(text(128)),
  tags: optional(fc.dictionary(text(64), text(256), { maxKeys: 3 })),
  consumer: optional(fc.record({ firstName: text(300), email: text(20) })),
});

/** Changes of an order that only one side might accept. */
const changes = fc.constantFrom<Record<string, unknown>>(
  ...['.', '..', ' a', 'a ', '', '\0', '\ud800', 'n'.repeat(257), 5].map((merchantOrderId) => ({
    merchantOrderId,
  })),
  ...[-1, 0.5, -0, NaN, Infinity, 2 ** 53, '1', null].map((taxAmount) => ({ taxAmount })),
  { totalAmount: 0 },
  { totalAmount: 1 },
  { currency: 'XXA' },
  { items: [] },
  { consumer: null },
  { consumer: 'Ada' },
  { consumer: [] },
  { merchant: [] },
  { merchant: 'store-1' },
  { tags: [] },
  { discounts: {} },
  { promoCode: ' ' },
  { channel: null },
  { channel: 'TELEPHONE' },
  { tags: { ' ': 'a' } },
  { unknown: 1 },
);

const statedOrder = fc
  .tuple(plausible, fc.option(changes, { freq: 2 }))
  .map(([parts, change]) => ({ ...parts, totalAmount: orderTotal(parts as Order), ...change }));

describe('signer and companion agree', () => {
  test('on every order: both accept it or both refuse it', async () => {
    const counts = { taken: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(statedOrder, async (stated) => {
        const signed = await signOrderTicket(stated as Order, options).catch(() => undefined);
        const unchecked = signUnchecked(claimsOf(stated), JSON.stringify);
        const { status, body } = await prime(signed ?? unchecked);
        counts[signed === undefined ? 'refused' : 'taken']++;
        expect([status, body.code]).toEqual(
          signed === undefined
            ? [422, expect.stringMatching(/^order-(?:ticket-invalid|totals-mismatch)$/)]
            : [201, undefined],
        );
      }),
      { numRuns: 40 },
    );
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(3);
  });

  test('on every option of the signer', async () => {
    const stated = fc.record(
      {
        id: fc.string({ unit: 'grapheme', maxLength: 130 }),
        origin: fc.constantFrom(
          ORIGIN,
          `${ORIGIN}/`,
          'HTTPS://Shop.Example:443',
          'shop.example',
          '',
        ),
        lifetimeSeconds: fc.constantFrom(1, 600.5, 86_400, 86_401, 0, -1, NaN, Infinity),
        environment: fc.constantFrom('sandbox', 'staging'),
        audience: fc.constantFrom('financing-companion', ''),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(stated, async (more) => {
        const given = { ...options, ...more } as SignOrderTicketOptions;
        const ticket = await signOrderTicket(order, given).catch(() => undefined);
        if (ticket === undefined) return;
        expect((await prime(ticket)).status).toBe(201);
      }),
      { numRuns: 40 },
    );
  });
});

test('empty arrays, as PHP writes them, are accepted and not sent to the service', async () => {
  const empty = { merchant: [], tags: [], consumer: [] };
  const lines = order.items.map((item) => ({ ...item, warranty: [], discounts: [] }));
  const stated = { ...order, items: lines, ...empty };
  const { status, body, companion } = await prime(signUnchecked(claimsOf(stated), JSON.stringify));
  expect([status, body.code]).toEqual([201, undefined]);
  const [call] = companion.service.callsTo('POST /v1/checkout/prime');
  const sent = JSON.stringify(call);
  for (const name of ['merchantDetails', 'consumerDetails', 'warranty']) {
    expect(sent).not.toContain(name);
  }
});

describe('200 lines of the longest fields', () => {
  test.each(Object.entries(scripts))(
    'in %s are signed and accepted by the companion',
    async (_, character) => {
      const longest = longestOrder(character);
      const { status, body, companion } = await prime(await signOrderTicket(longest, options));
      expect([status, body.code]).toEqual([201, undefined]);
      const order = await signOrderTicket(longest, options);
      const path = `/checkout/${String(body.id)}/confirmation`;
      const confirmed = await companion.post(path, { confirmationToken: 't', order });
      expect(confirmed.status).toBe(200);
      expect(companion.service.callsTo('POST /v2/post-sale/charges')).toHaveLength(1);
    },
  );

  // Six bytes per UTF-16 code unit of every script except Latin.
  const escaped = () => signUnchecked(claimsOf(longestOrder(scripts.Han)), writeEscaped);

  test('are accepted with every character escaped, as PHP writes it', async () => {
    const { status, body } = await prime(escaped());
    expect([status, body.code]).toEqual([201, undefined]);
  });

  test('are accepted from the form of a page without JavaScript', async () => {
    const companion = await createCompanion();
    const response = await companion.storefront.request('/checkout/start', {
      method: 'POST',
      headers: { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        publicKey: PUBLIC_KEY,
        environment: 'sandbox',
        order: escaped(),
        returnUrl: `${ORIGIN}/${'r'.repeat(2_000)}`,
      }).toString(),
    });
    expect(response.status).toBe(303);
  });
});
