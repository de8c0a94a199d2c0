import { exceptionsSchema, orderExplanationSchema } from '@financing-checkout/contract';
import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { START } from '../../companion.fixture.ts';
import { plainAmount } from '../../reconciliation/ledger/notation.ts';
import { DAY_MS, reconciledCompanion } from '../../reconciliation/reconciled.fixture.ts';
import { cases, download, get, orders, withOrders } from './reconciliation.fixture.ts';

describe('exports', () => {
  test('CSV has the order’s number first, decimals of the currency, and the zone', async () => {
    const companion = await withOrders();
    const { response, text } = await download(companion, 'orders?zone=America/New_York');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="orders.csv"');
    const [head = '', ...lines] = text.trimEnd().split('\r\n');
    expect(head.split(',').slice(0, 4)).toEqual(['order', 'order_key', 'currency', 'headline']);
    expect(lines).toHaveLength(7);
    expect(lines[2]).toBe(
      'B-short,order:B-short,USD,AMOUNT_MISMATCH,PARTIALLY_FUNDED,NONE,AMOUNT_MISMATCH,100.00,0.00,85.00,0.00,0.00,0.00,2.47,82.53,0.00,2026-11-20T07:00:00-05:00,2026-11-20T07:00:00-05:00,America/New_York',
    );
    expect(lines[5]).toContain(',JPY,FUNDED,FUNDED,NONE,,10000,0,');
  });

  test.each([
    '=HYPERLINK("http://evil.example","x")',
    '+1',
    '-2+3',
    '@SUM(A1)',
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    '＝1',
    '|calc',
    // Where lists are separated by semicolons, quotes in the middle of a line hide nothing.
    ['A;=1+1', "A;'=1+1"],
    ['A\n@SUM(A1)', "A\n'@SUM(A1)"],
  ])('no cell is a formula, whatever an order is called: %j', async (name) => {
    const [order = '', written = `'${order}`] = [name].flat();
    const companion = await reconciledCompanion();
    await companion.put({ order });
    for (const table of ['orders', 'lines', 'orders?decimal=comma', 'lines?decimal=comma']) {
      const { text } = await download(companion, table);
      expect(text).toContain(`"${written.replaceAll('"', '""')}"`);
      expect(text).not.toMatch(/(?:^|[;\n,]|,")[=+@＝|]/);
    }
  });

  test('with a decimal comma it is the same table, and its amounts are read again as they were', async () => {
    const companion = await withOrders();
    await companion.put({ order: 'A;B, "C"' });
    for (const path of ['orders', 'exceptions', 'cases', 'lines']) {
      const { text } = await download(companion, path);
      const { text: other } = await download(companion, `${path}?decimal=comma`);
      const cells = (csv: string, delimiter: string) => parse(csv, { delimiter });
      const written = cells(other, ';').map((row) =>
        row.map((cell) => (/^-?\d+,\d+$/.test(cell) ? cell.replace(',', '.') : cell)),
      );
      expect(written).toEqual(cells(text, ','));
    }
    const { text } = await download(companion, 'lines?decimal=comma');
    const amounts = text.match(/(?<=;)-?\d+,\d+(?=;)/g) ?? [];
    expect(amounts.length).toBeGreaterThan(10);
    for (const amount of amounts) {
      expect(plainAmount(amount, { decimal: 'comma' })).toBe(amount.replace(',', '.'));
    }
    const walk = await companion.backOffice.request(
      '/reconciliation/walk?format=csv&decimal=comma',
      { headers: { authorization: 'Bearer back-office-token-0123456789' } },
    );
    expect(await walk.text()).toMatch(/^currency;step;amount;(?:.*\r\n)*USD;Settled;600,00;/);
  });

  test('NDJSON is a record of the API a line; every table has every row', async () => {
    const companion = await withOrders();
    await companion.follow();
    const lines = async (path: string) =>
      (await download(companion, path)).text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(await lines('orders?format=ndjson')).toEqual((await orders(companion)).orders);
    expect(await lines('cases?format=ndjson')).toEqual(await cases(companion));
    const { exceptions } = exceptionsSchema.parse(await get(companion, '/exceptions'));
    expect(exceptions).toMatchObject(await lines('exceptions?format=ndjson'));
    const all = await lines('lines?format=ndjson');
    expect(all).toHaveLength(12);
    const { currencies } = orderExplanationSchema.parse(
      await get(companion, '/orders/order:B-short'),
    );
    const [{ ledger, fundings } = { ledger: [], fundings: [] }] = currencies;
    const place = { orderKey: 'order:B-short', merchantOrderId: 'B-short', currency: 'USD' };
    expect(all.filter(({ orderKey }) => orderKey === 'order:B-short')).toEqual([
      ...ledger.map((line) => ({ ...place, source: 'ledger', line })),
      ...fundings.map((line) => ({ ...place, source: 'funding', line })),
    ]);
  });

  test('filters hold in exports too; an empty one has its head', async () => {
    const companion = await withOrders();
    const { text } = await download(companion, 'exceptions?exception=CHARGEBACK_OPEN');
    expect(text.trimEnd().split('\r\n')).toHaveLength(2);
    expect(text).toContain('F-charged-back,order:F-charged-back,USD,CHARGEBACK_OPEN,40.00');
    const none = await download(companion, 'cases?state=resolved');
    expect(none.text.trimEnd().split('\r\n')).toHaveLength(1);
  });

  test('of lines, the days of the zone say which; of an order there may be some only', async () => {
    const companion = await reconciledCompanion();
    const at = (iso: string) => Date.parse(iso);
    await companion.put({
      order: 'A-1',
      ledger: [{ occurredAt: at('2026-10-31T22:59:59Z') }],
      fundings: [{ fundedAt: at('2026-10-31T23:00:00Z') }],
    });
    const rows = async (query: string) =>
      (await download(companion, `lines?zone=Europe/Berlin&${query}`)).text
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[3]);
    expect(await rows('from=2026-11-01&to=2026-12-01')).toEqual(['funding']);
    expect(await rows('from=2026-10-31&to=2026-11-01')).toEqual(['ledger']);
    expect(await rows('to=2026-11-01T00:00:01')).toEqual(['ledger', 'funding']);
    expect(await rows('from=2026-10-31T23:00:00Z&to=2026-10-31T23:00:01Z')).toEqual(['funding']);
    expect(await rows('from=2026-11-02')).toEqual([]);
  });

  test('lines come order by order, funded or not', async () => {
    const companion = await reconciledCompanion();
    for (const order of ['C', 'A']) await companion.put({ order, fundings: [] });
    await companion.put({ order: 'B' });
    const { text } = await download(companion, 'lines');
    const rows = text.trimEnd().split('\r\n').slice(1);
    expect(rows.map((row) => row.slice(0, 1)).join('')).toBe('ABBC');
  });

  test('lines whose currency nobody knows are there, too, in their month', async () => {
    const companion = await reconciledCompanion();
    await companion.put({ order: 'A', fundings: [], ledger: [{ occurredAt: START }] });
    const fundedAt = START + 30 * DAY_MS;
    await companion.put({ order: 'A', currency: '', ledger: [], fundings: [{ fundedAt }] });
    await companion.db.deleteFrom('order_statuses').where('currency', '=', '').execute();
    const rows = async (query: string) =>
      (await download(companion, `lines?${query}`)).text.trimEnd().split('\r\n').slice(1);
    const [funding = '', ...others] = await rows('from=2026-12-01');
    expect(others).toEqual([]);
    expect(funding).toMatch(/^A,order:A,,funding,Settle,RECONCILED,Meadow Credit,10000,290,9710,/);
    expect(await rows('')).toHaveLength(2);
    expect(await rows('currency=USD')).toHaveLength(1);
    expect(await rows('headline=AWAITING_FUNDING')).toHaveLength(2);
  });

  test('so are those of orders of which nothing else is known, each once', async () => {
    const companion = await reconciledCompanion();
    const { db } = companion;
    await companion.put({ order: 'B', ledger: [{ occurredAt: START }], fundings: [] });
    // More orders of another month than are looked at in one go.
    await sql`
      with recursive numbers (n) as (select 10000 union all select n + 1 from numbers where n < 12500),
      others as (select * from order_statuses)
      insert into order_statuses
      select environment, 'order:C-' || n, currency, merchant_order_id, funding, returns, headline,
        expected_settle, expected_refund, funded_settle, funded_refund, funded_chargeback,
        funded_reversal, discount, net, awaiting, recheck_at, lines_hash, computed_at, changed_at
      from others cross join numbers`.execute(db);
    for (const order of ['A', 'C-11000', 'D']) {
      const fundings = [START, START + 30 * DAY_MS].map((fundedAt, n) => ({
        id: `${order}-${n}`,
        fundedAt,
      }));
      await companion.put({ order, currency: '', ledger: [], fundings });
    }
    await db.deleteFrom('order_statuses').where('currency', '=', '').execute();
    const orders = async (query: string) =>
      (await download(companion, `lines?${query}`)).text
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((row) => row.split(',')[0]);
    expect((await orders('from=2026-12-01')).sort()).toEqual(['A', 'C-11000', 'D']);
    expect((await orders('to=2026-12-01')).sort()).toEqual(['A', 'B', 'C-11000', 'D']);
    expect(await orders('')).toHaveLength(7);
    expect(await orders('currency=USD')).toEqual(['B']);
  });

  test.each([
    ['orders?bom=true', '\uFEFForder,order_key'],
    ['orders?bom=true&decimal=comma', '\uFEFForder;order_key'],
    ['orders', 'order,order_key'],
    ['lines?bom=true&format=ndjson', '{'],
  ])('%s begins with %j', async (path, beginning) => {
    const companion = await withOrders();
    const response = await companion.backOffice.request(`/reconciliation/exports/${path}`, {
      headers: { authorization: 'Bearer back-office-token-0123456789' },
    });
    const text = Buffer.from(await response.arrayBuffer()).toString('utf8');
    expect(text.startsWith(beginning)).toBe(true);
    expect(text.lastIndexOf('\uFEFF')).toBe(beginning.indexOf('\uFEFF'));
  });

  test.each([
    ['secrets', 404],
    ['orders?zone=Moon/Sea', 400],
    ['lines?from=yesterday', 400],
    ['lines?from=2026-11-02&to=2026-11-02', 400],
    // A filter that a table does not have would be taken for one that holds.
    ['lines?state=open', 400],
    ['cases?from=2026-11-01', 400],
  ])('%s is %i', async (path, status) => {
    const companion = await reconciledCompanion();
    expect((await download(companion, path)).response.status).toBe(status);
  });
});
