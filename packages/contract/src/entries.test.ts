import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { fundingSchema } from './back-office/fundings.ts';
import * as backOffice from './back-office/index.ts';
import * as money from './money/index.ts';
import * as reconciliation from './reconciliation/index.ts';
import * as storefront from './storefront/index.ts';

const entries = { money, storefront, 'back-office': backOffice, reconciliation };
const contract = { ...storefront, ...backOffice };

const schemas = Object.values(entries)
  .flatMap(Object.entries<unknown>)
  .flatMap(([name, value]) => (value instanceof z.ZodType ? [[name, value] as const] : []));

/** Returns the names of all fields at any depth, before and after the transformation of values. */
function fields(schema: z.ZodType): string[] {
  const found = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === 'properties') for (const name of Object.keys(value as object)) found.add(name);
      walk(value);
    }
  };
  for (const io of ['input', 'output'] as const) {
    walk(z.toJSONSchema(schema, { unrepresentable: 'any', io }));
  }
  return [...found];
}

test('gives a name to one thing in all entries', () => {
  const things = Object.values(entries).flatMap(Object.entries<unknown>);
  const first = new Map(things.toReversed());
  expect(things.filter(([name, thing]) => first.get(name) !== thing)).toEqual([]);
});

describe('specification 5.6: no schema has a field for a private key', () => {
  test.each(schemas)('%s', (_, schema) => {
    // An orderKey is not a secret: it names an order, or a funding without an order.
    const secrets = /(?<!^order)key|secret|password|credential/i;
    expect(fields(schema).filter((name) => secrets.test(name))).toEqual([]);
  });

  it('control: detects a field for a key', () => {
    expect(schemas.length).toBeGreaterThan(15);
    expect(fields(z.object({ a: z.array(z.object({ privateKey: z.string() })) }))).toEqual([
      'a',
      'privateKey',
    ]);
  });
});

describe('consumer names and e-mail addresses', () => {
  const personal = /^(first|last|full)?name$|email|phone|address/i;

  test.each([
    ['checkoutSchema', contract.checkoutSchema],
    ['checkoutRecordSchema', contract.checkoutRecordSchema],
    ['webhookSchema', contract.webhookSchema],
    ['problemSchema', contract.problemSchema],
    ['fundingSchema', fundingSchema],
  ])('do not occur in %s', (_, schema) => {
    expect(fields(schema).filter((name) => personal.test(name))).toEqual([]);
  });

  it('are dropped from the service’s fundings', () => {
    const funding = {
      status: 'RECONCILED',
      transactionType: 'Settle',
      lenderName: 'Lender',
      transactionAmount: { value: 10_000, currency: 'USD' },
      discountAmount: { value: 300, currency: 'USD' },
      netAmount: { value: 9_700, currency: 'USD' },
      fundedAt: '2026-11-20T00:00:00Z',
      updatedAt: '2026-11-20T00:00:00Z',
    };
    const sent = { ...funding, firstName: 'Ada', lastName: 'L', email: 'ada@example.com' };
    expect(fundingSchema.parse(sent)).toEqual(funding);
  });

  it('control: are detected', () => {
    expect(fields(contract.consumerSchema).filter((name) => personal.test(name))).toEqual(
      expect.arrayContaining(['firstName', 'lastName', 'email', 'shippingAddress']),
    );
  });
});
