import {
  discountAuditSchema,
  orderExplanationSchema,
  radarSchema,
  walkSchema,
} from '@financing-checkout/contract';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { START } from '../../companion.fixture.ts';
import { parsePolicy } from '../../reconciliation/policy.ts';
import { DAY_MS, reconciledCompanion } from '../../reconciliation/reconciled.fixture.ts';
import { download, get, iso, withOrders } from './reconciliation.fixture.ts';

describe('answers over all orders', () => {
  test('the cash walk comes to unexplained 0, in each currency and for each lender', async () => {
    const companion = await withOrders();
    const walk = walkSchema.parse(await get(companion, '/walk'));
    expect(walk.statements.map(({ currency }) => currency)).toEqual(['JPY', 'USD']);
    for (const statement of walk.statements) expect(statement.unexplained).toBe(0);
    expect(walk.statements[1]).toMatchObject({
      opening: 0,
      expected: 50_000,
      awaiting: -20_000 - 1_500,
      chargebacks: -4_000,
      other: 10_000,
    });
    const harbor = walkSchema.parse(await get(companion, '/walk?lender=Harbor%20Bank'));
    expect(harbor.statements).toMatchObject([{ currency: 'JPY', unexplained: 0 }]);
  });

  test('sums that cannot be exact are refused with what to ask for instead, and not as a fault', async () => {
    const companion = await reconciledCompanion();
    const amount = 6_000_000_000_000_000;
    for (const back of [10, 20]) {
      const occurredAt = START - back * DAY_MS;
      const fundings = [{ transactionAmount: amount, discountAmount: 0, fundedAt: occurredAt }];
      await companion.put({ order: `A-${back}`, ledger: [{ amount, occurredAt }], fundings });
    }
    const { status, body } = await companion.office('/reconciliation/walk');
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'invalid-request',
      detail: expect.stringContaining('ask for a shorter period') as string,
    });
    const from = new Date(START - 15 * DAY_MS).toISOString().slice(0, 10);
    const walk = walkSchema.parse(await get(companion, `/walk?from=${from}`));
    expect(walk.statements).toMatchObject([{ expected: amount, net: amount, unexplained: 0 }]);
  });

  test.each(['discounts', 'radar'])('so are those of %s', async (answer) => {
    const companion = await reconciledCompanion();
    const amount = 6_000_000_000_000_000;
    for (const order of ['A', 'B']) {
      const fundings = [{ transactionAmount: amount, discountAmount: 0 }];
      await companion.put({ order, ledger: [{ amount }], fundings });
    }
    const { status, body } = await companion.office(`/reconciliation/${answer}`);
    expect([status, body]).toMatchObject([
      400,
      { detail: 'Its sums are too large to be exact: ask for one currency or one lender.' },
    ]);
  });

  test.each(['walk', 'discounts', 'radar'])(
    'an order that cannot be summed any more is not in the sums of the %s, and spoils none',
    async (answer) => {
      const companion = await reconciledCompanion();
      await companion.put({ order: 'A' });
      const before = await get(companion, `/${answer}`);
      await companion.put({ order: 'B' });
      // Its lines have changed, and what stood before stands until it is computed again.
      await companion.db
        .updateTable('fundings')
        .set({ net_amount: Number.MAX_SAFE_INTEGER })
        .where('order_key', '=', 'order:B')
        .execute();
      await companion.db
        .insertInto('fundings')
        .columns([
          'environment',
          'order_key',
          'currency',
          'id',
          'slice_day',
          'status',
          'transaction_type',
          'lender_name',
          'transaction_amount',
          'discount_amount',
          'net_amount',
          'funded_at',
          'updated_at',
          'hash',
          'version',
        ])
        .expression((eb) =>
          eb
            .selectFrom('fundings')
            .select([
              'environment',
              'order_key',
              'currency',
              sql<string>`id || '~2'`.as('id'),
              'slice_day',
              'status',
              'transaction_type',
              'lender_name',
              'transaction_amount',
              'discount_amount',
              'net_amount',
              'funded_at',
              'updated_at',
              'hash',
              'version',
            ])
            .where('order_key', '=', 'order:B'),
        )
        .execute();
      expect(await get(companion, `/${answer}`)).toEqual(before);
    },
  );

  test.each(['from=2026-12-01&to=2026-11-01', 'from=2026-11-01&to=2026-11-01'])(
    'a walk of no day is refused, and not called explained: %s',
    async (query) => {
      const companion = await reconciledCompanion();
      const { status, body } = await companion.office(`/reconciliation/walk?${query}`);
      expect([status, (body as { code?: string }).code]).toEqual([400, 'invalid-request']);
    },
  );

  test('periods follow on each other: what one leaves in transit the next begins with', async () => {
    const companion = await withOrders();
    const day = iso(START - 9 * DAY_MS).slice(0, 10);
    const before = walkSchema.parse(await get(companion, `/walk?to=${day}&currency=USD`));
    const after = walkSchema.parse(await get(companion, `/walk?from=${day}&currency=USD`));
    expect(after.statements[0]?.opening).toBe(-(before.statements[0]?.awaiting ?? 0));
    expect(after.statements[0]?.unexplained).toBe(0);
  });

  test('as CSV, and as a picture that is marked while data is incomplete', async () => {
    const companion = await withOrders();
    const ask = async (format: string) => {
      const path = `/reconciliation/walk?format=${format}&currency=USD`;
      const response = await companion.backOffice.request(path, {
        headers: { authorization: 'Bearer back-office-token-0123456789' },
      });
      return { type: response.headers.get('content-type'), text: await response.text() };
    };
    const csv = await ask('csv');
    expect(csv.type).toBe('text/csv; charset=utf-8');
    expect(csv.text.split('\r\n')[0]).toBe('currency,step,amount,lender,from,to,complete,zone');
    expect(csv.text).toContain('USD,Unexplained,0.00,,,,no,UTC');
    const svg = await ask('svg');
    expect(svg.type).toBe('image/svg+xml');
    expect(svg.text).toContain('unexplained 0.00 USD');
    expect(svg.text).toContain('url(#hatch)');
    await companion.prove();
    expect((await ask('svg')).text).not.toContain('url(#hatch)');
  });

  test('the discount audit compares with the contract, by any name of the lender', async () => {
    const policy = parsePolicy(
      JSON.stringify({
        aliases: { 'Meadow Credit Inc': 'Meadow Credit' },
        contracts: [
          {
            lender: 'Meadow Credit',
            basisPoints: 290,
            returnedOnRefund: true,
            from: '2020-01-01',
          },
        ],
      }),
    );
    const unused = () => Promise.reject(new Error('unused'));
    const reconciliation = { policy, work: [], catchUp: unused, stop: unused };
    const companion = await reconciledCompanion({ reconciliation }, policy);
    await companion.put({ order: 'a' });
    await companion.put({
      order: 'b',
      fundings: [{ discountAmount: 390, lenderName: 'Meadow Credit Inc' }],
    });
    await companion.put({
      order: 'c',
      ledger: [{}, { type: 'Refund' }],
      fundings: [{}, { transactionType: 'Refund', discountAmount: 0, netAmount: 10_000 }],
    });
    for (const lender of ['Meadow%20Credit', 'Meadow%20Credit%20Inc']) {
      const { rows } = discountAuditSchema.parse(
        await get(companion, `/discounts?lender=${lender}`),
      );
      expect(rows).toMatchObject([
        {
          agreedBasisPoints: 290,
          agreedFrom: '2020-01-01T00:00:00.000Z',
          effectiveBasisPoints: 323.33,
          settles: { count: 3, amount: 30_000, discount: 970, variance: 100 },
          refunds: { count: 1, returned: 0, variance: 290, kept: 290 },
        },
      ]);
    }
  });

  test('explains each discount by the contract it goes by', async () => {
    const contract = { lender: 'Meadow Credit', basisPoints: 290, returnedOnRefund: true };
    const contracts = [contract, { ...contract, basisPoints: 310, from: '2020-01-01' }];
    const policy = parsePolicy(JSON.stringify({ contracts }));
    const unused = () => Promise.reject(new Error('unused'));
    const reconciliation = { policy, work: [], catchUp: unused, stop: unused };
    const companion = await reconciledCompanion({ reconciliation }, policy);
    await companion.put({
      order: 'a',
      ledger: [{}, { type: 'Refund' }],
      fundings: [
        {},
        {
          transactionType: 'Refund',
          discountAmount: 310,
          netAmount: 9_690,
          fundedAt: START - DAY_MS,
        },
      ],
    });
    const { currencies } = orderExplanationSchema.parse(await get(companion, '/orders/order:a'));
    const agreed = {
      lender: 'Meadow Credit',
      amount: 10_000,
      agreedBasisPoints: 310,
      agreedFrom: '2020-01-01T00:00:00.000Z',
      agreed: 310,
    };
    expect(currencies.map(({ discounts }) => discounts)).toEqual([
      [
        { ...agreed, kind: 'settle', discount: 290, variance: -20 },
        { ...agreed, kind: 'refund', discount: 310, variance: 0 },
      ],
    ]);
  });

  test('the radar counts what the service calls RECONCILED and is not', async () => {
    const companion = await withOrders();
    await companion.prove();
    const { rows } = radarSchema.parse(await get(companion, '/radar?currency=USD'));
    const reconciled = rows.find(({ status }) => status === 'RECONCILED');
    expect(reconciled).toMatchObject({
      lender: 'Meadow Credit',
      wrong: { count: 1, amount: 8_500 },
    });
  });

  test('fundings without a currency are listed, and in no sum, whatever their order is called', async () => {
    const companion = await withOrders();
    for (const order of ['', 'B-unknown', 'Z-unknown']) {
      await companion.put({ order, currency: '', ledger: [], fundings: [{ id: `id-${order}` }] });
    }
    // As a recompute leaves it: there is no status of a currency that nobody knows.
    await companion.db.deleteFrom('order_statuses').where('currency', '=', '').execute();
    const walk = walkSchema.parse(await get(companion, '/walk'));
    expect(walk.withoutCurrency).toBe(3);
    expect(walk.statements.map(({ currency }) => currency)).toEqual(['JPY', 'USD']);
    const { text } = await download(companion, 'lines');
    expect(text.match(/unknown,order:.-unknown,,funding/g)).toHaveLength(2);
    const path = '/orders/order%3AZ-unknown';
    const { currencies } = orderExplanationSchema.parse(await get(companion, path));
    expect(currencies).toMatchObject([
      { currency: '', reasons: [expect.stringMatching(/^Nobody knows the currency/)] },
    ]);
  });

  test('a walk of a part counts those of its own orders, whatever they are called', async () => {
    const companion = await reconciledCompanion();
    for (const order of ['A', 'C', 'E']) await companion.put({ order });
    // Settled in two currencies, so that nobody knows in which one they are funded.
    for (const order of ['B', 'D', 'F']) {
      for (const currency of ['EUR', 'GBP']) {
        await companion.put({
          order,
          currency,
          ledger: [{ id: `${order}-${currency}` }],
          fundings: [],
        });
      }
      await companion.put({ order, currency: '', ledger: [] });
      await companion.db.deleteFrom('order_statuses').where('currency', '=', '').execute();
    }
    const counted = async (query: string) =>
      walkSchema.parse(await get(companion, `/walk?${query}`)).withoutCurrency;
    expect(await counted('')).toBe(3);
    expect(await counted('currency=GBP')).toBe(3);
    expect(await counted('currency=USD')).toBe(0);
  });

  test('an order of which a record is in no sum is not said to be short', async () => {
    const companion = await reconciledCompanion();
    await companion.prove();
    for (const order of ['A', 'B', 'C']) await companion.put({ order, fundings: [] });
    // As a recompute leaves it: there is no status of a currency that nobody knows.
    await companion.put({ order: 'B', currency: '', ledger: [], fundings: [{}, { id: 'other' }] });
    await companion.db.deleteFrom('order_statuses').where('currency', '=', '').execute();
    await companion.db
      .insertInto('funding_quarantine')
      .values({
        ...{ environment: 'sandbox', id: 'f', slice_day: '2026-11-11', order_key: 'order:C' },
        ...{ reason: 'netAmount: amount-invalid', raw: '{}', seen_at: companion.clock.now() },
      })
      .execute();
    const walk = walkSchema.parse(await get(companion, '/walk'));
    expect(walk.withoutCurrency).toBe(2);
    expect(walk.statements).toMatchObject([
      { expected: 30_000, short: -10_000, awaiting: -20_000 },
    ]);
  });
});
