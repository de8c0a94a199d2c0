import { orderStatusSchema, syncSchema } from '@financing-checkout/contract/reconciliation';
import type { Funding } from '@financing-checkout/contract/back-office';
import type { FundingSync, OrderStatusRecord } from '@financing-checkout/contract/reconciliation';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { record, secrets, testShop } from '../shop.fixture.ts';
import { keptSecret } from './access.ts';
import { fundingsByOrder } from './fundings.ts';

const usd = (value: number) => ({ value, currency: 'USD' });

function funding(more: Partial<Funding>): Funding {
  return {
    status: 'RECONCILED',
    transactionType: 'Settle',
    lenderName: 'Meadow Credit',
    transactionAmount: usd(10_000),
    discountAmount: usd(290),
    netAmount: usd(9_710),
    fundedAt: '2026-11-21T08:00:00Z',
    updatedAt: '2026-11-21T08:00:00Z',
    ...more,
  };
}

const bearer = { authorization: `Bearer ${secrets.admin}` };
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`me:${password}`).toString('base64')}`,
});

test('requires the back office token, as a bearer token or as a password', async () => {
  const browser = testShop().browser();
  for (const headers of [
    {},
    basic('wrong'),
    { authorization: 'Bearer ' },
    { authorization: 'Basic %' },
    { authorization: `Basic ${Buffer.from(secrets.admin).toString('base64')}` },
  ]) {
    const response = await browser.get('/admin', headers);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Basic');
    expect(await response.text()).not.toContain('Orders');
  }
  expect((await browser.get('/admin', bearer)).status).toBe(200);
  expect((await browser.get('/admin', basic(secrets.admin))).status).toBe(200);
});

test.each([
  ['cancellation', 'Financed after it was cancelled'],
  ['transfer', 'Financed after a transfer was chosen'],
])('shows that an order was financed in one tab after its %s in another', async (step, note) => {
  const shop = testShop(() => Response.json({ records: [] }));
  const browser = shop.browser();
  const order = await browser.order();
  await browser.post(`${order.page}/${step}`);
  const read = async () => (await browser.get('/admin', bearer)).text();
  expect(await read()).not.toContain(note);
  await shop.deliver(record(order.number));
  expect(await read()).toContain(note);
});

test('lists orders with their fundings, matched by order number or by charge', async () => {
  let fundings: Funding[] = [];
  const shop = testShop(() => Response.json({ records: fundings }));
  const first = await shop.browser().order();
  const second = await shop.browser().order();
  await shop.deliver(record(second.number, { chargeId: 'charge-2' }));
  fundings = [
    funding({ merchantOrderId: first.number, lenderName: 'Harbor Bank' }),
    funding({ chargeId: 'charge-2', status: 'AMOUNT_MISMATCH' }),
    funding({ status: 'MISSING', lenderName: 'Nobody Knows Inc' }),
  ];
  const page = await (await shop.browser().get('/admin', bearer)).text();
  const html = page.replaceAll('<wbr />', '');
  expect(shop.asked.map(({ url }) => url)).toContain(
    'http://127.0.0.1:4001/fundings/report?showMissing=true',
  );
  const [ofOrders = '', ofNone = ''] = html.split(/Fundings of no order here([^]*)/);
  // Ends before the next order's number.
  const beside = (number: string) => ofOrders.split(number).at(-1)?.split('NB-')[0];
  expect(beside(first.number)).toContain('Harbor Bank');
  expect(beside(second.number)).toContain('AMOUNT_MISMATCH');
  expect(ofNone).toContain('Nobody Knows Inc');
  expect(html).toContain('$300.00');
  expect(html).toContain('$8.70');
  expect(html).toContain('$291.30');
});

test('opens with the orders that need a person, and keeps fundings of no order closed', async () => {
  const assumed = { currencyAssumed: true, merchantOrderId: 'elsewhere' };
  const shop = testShop(() => Response.json({ records: [funding(assumed)] }));
  const fine = await shop.browser().order();
  const wrong = await shop.browser().order();
  // Two lenders have approved the same order.
  await shop.deliver(record(wrong.number));
  await shop.deliver(record(wrong.number, { checkoutId: 'chk_2', chargeId: 'charge-2' }));
  const html = await (await shop.browser().get('/admin', bearer)).text();
  const places = ['Needs you', wrong.number, 'Other orders', fine.number, 'question mark'];
  const at = places.map((text) => html.indexOf(text));
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(at).not.toContain(-1);
  const closed = html.split('<details>')[1] ?? '';
  expect(closed).toContain('Show 1 funding');
  expect(closed).toContain('elsewhere');
});

test('states that no sum includes unreadable fundings', async () => {
  const unreadable = [{ at: 1, reason: 'netAmount: amount-invalid' }];
  const report = { records: [funding({})], unreadable, unreadableCount: 1 };
  const shop = testShop(() => Response.json(report));
  const html = await (await shop.browser().get('/admin', bearer)).text();
  expect(html.replaceAll(/\s+/g, ' ')).toContain(
    '1 funding of the report could not be read: not listed, and in no sum.',
  );
});

test('lists the orders and a notice when the companion does not answer', async () => {
  const shop = testShop();
  const { number } = await shop.browser().order();
  const response = await shop.browser().get('/admin', bearer);
  expect(response.status).toBe(200);
  const html = await response.text();
  expect(html).toContain(number);
  expect(html).toContain('The companion gave no answer.');
  expect(html).toContain('Reconciliation gave no answer. Whether lenders have paid is not shown.');
  // Unknown fundings must not look like none.
  expect(html).not.toContain('Nothing funded');
  expect(html).not.toContain('Nothing settled');
  expect(html.match(/Not known now/g)).toHaveLength(2);
});

test("shows the companion's own reason for a refusal", async () => {
  const title = 'The answer of the financing service could not be read';
  const problem = {
    type: 'urn:financing-checkout:problem:service-answer-invalid',
    code: 'service-answer-invalid',
    title,
    status: 502,
    requestId: 'req_1',
    retrySafe: true,
  };
  const read = async (body: object) => {
    const shop = testShop(() => Response.json(body, { status: 502 }));
    return (await shop.browser().get('/admin', bearer)).text();
  };
  expect(await read({ ...problem, detail: 'Record 48 <of> it cannot be read.' })).toContain(
    `The companion says: ${title}. Record 48 &lt;of&gt; it cannot be read. (502, req_1)`,
  );
  expect(await read(problem)).toContain(`${title}. (502, req_1)`);
  expect(await read({ title })).toContain('The companion answered 502.');
});

test('subtracts refunds and chargebacks regardless of their sign, and leaves out unknown kinds', () => {
  const { totals, leftOut } = fundingsByOrder(
    [],
    [
      funding({}),
      funding({
        transactionType: 'Refund',
        transactionAmount: usd(-4_000),
        discountAmount: usd(0),
        netAmount: usd(-4_000),
      }),
      funding({
        transactionType: 'Chargeback',
        transactionAmount: usd(1_000),
        discountAmount: usd(0),
        netAmount: usd(1_000),
      }),
      funding({
        transactionType: 'Reversal',
        transactionAmount: usd(1_000),
        discountAmount: usd(0),
        netAmount: usd(1_000),
      }),
      funding({ transactionType: 'Authorize' }),
      funding({ transactionType: 'Bonus' }),
      funding({
        netAmount: { value: 5, currency: 'CAD' },
        transactionAmount: { value: 5, currency: 'CAD' },
        discountAmount: { value: 0, currency: 'CAD' },
      }),
    ],
  );
  expect(totals).toEqual([
    { currency: 'USD', gross: 6_000, discount: 290, net: 5_710 },
    { currency: 'CAD', gross: 5, discount: 0, net: 5 },
  ]);
  expect(leftOut).toBe(1);
});

test('counts fundings with an assumed currency, but adds them to no sum', () => {
  const assumed = funding({ currencyAssumed: true });
  const { totals, assumedCurrency } = fundingsByOrder([], [funding({}), assumed]);
  expect(totals).toEqual(fundingsByOrder([], [funding({})]).totals);
  expect(assumedCurrency).toBe(1);
});

test('keeps a generated token in a file that only its owner can read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-token-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = join(folder, 'shop.db');
  const first = keptSecret(database, 'admin-token');
  expect(keptSecret(database, 'admin-token')).toEqual(first);
  expect(first.token.length).toBeGreaterThanOrEqual(32);
  expect(statSync(first.file).mode & 0o777).toBe(0o600);
});

describe('order-level status', () => {
  const status = (merchantOrderId: string, more: Partial<OrderStatusRecord> = {}) =>
    orderStatusSchema.parse({
      orderKey: `order:${merchantOrderId}`,
      merchantOrderId,
      currency: 'USD',
      headline: 'FUNDED',
      funding: 'FUNDED',
      returns: 'NONE',
      expected: { settle: 178_035, refund: 0 },
      funded: { settle: 178_035, refund: 0, chargeback: 0, reversal: 0 },
      discount: 5_163,
      net: 172_872,
      awaiting: 0,
      exceptions: [],
      reasons: ['1780.35 USD was settled and 1780.35 USD funded.'],
      computedAt: '2026-11-20T10:00:00.000Z',
      changedAt: '2026-11-20T10:00:00.000Z',
      ...more,
    });
  const run = (more: Partial<FundingSync> = {}) =>
    syncSchema.parse({
      id: 'sync_1',
      state: 'complete',
      from: '2026-11-19',
      to: '2026-12-21',
      zone: 'UTC',
      startedAt: '2026-11-20T09:00:00.000Z',
      endedAt: '2026-11-20T09:00:10.000Z',
      resumed: 0,
      days: { planned: 33, done: 33, unproven: 0 },
      records: 2,
      changed: 2,
      gone: 0,
      quarantined: 0,
      ...more,
    });
  /** Creates a shop whose reconciliation gives these answers. */
  function shopWith(books: { statuses?: OrderStatusRecord[]; syncs?: FundingSync[] }) {
    return testShop((request) => {
      const { host, pathname } = new URL(request.url);
      if (host !== '127.0.0.1:4002') return Response.json({ records: [] });
      if (pathname === '/orders') return Response.json({ orders: books.statuses ?? [] });
      if (pathname !== '/syncs') return new Response(null, { status: 404 });
      return request.method === 'POST'
        ? Response.json(run({ state: 'running' }), { status: 202 })
        : Response.json({ syncs: books.syncs ?? [] });
    });
  }

  test('shows the status of each order in words, with its reasons', async () => {
    const books: Parameters<typeof shopWith>[0] = { syncs: [run()] };
    const shop = shopWith(books);
    const first = await shop.browser().order();
    const second = await shop.browser().order();
    const third = await shop.browser().order();
    books.statuses = [
      status(first.number),
      status(second.number, {
        headline: 'MISSING_AT_LENDER',
        reasons: ['A settle of 1780.35 USD is overdue: <nobody> has posted anything for it.'],
        net: 0,
      }),
    ];
    const html = await (await shop.browser().get('/admin', bearer)).text();
    const rowOf = (number: string) => new RegExp(`${number}[\\s\\S]*?</tr>`).exec(html)?.[0] ?? '';
    expect(rowOf(first.number)).toMatch(/badge paid">Funded</);
    expect(html).toContain('<th scope="col">Funded (UTC)</th>');
    expect(rowOf(first.number)).toMatch(/\d\d:\d\d UTC</);
    expect(rowOf(first.number)).toContain('1780.35 USD was settled and 1780.35 USD funded.');
    expect(rowOf(second.number)).toMatch(/badge wrong">Missing at lender</);
    expect(rowOf(second.number)).toContain('&lt;nobody&gt;');
    expect(rowOf(third.number)).toContain('Nothing settled yet');
    expect(html).toContain('2 fundings read to the end, 2026-11-20 09:00 UTC.');
    const asked = shop.asked.find(({ url }) => url.startsWith('http://127.0.0.1:4002/orders'));
    expect(new URL(asked?.url ?? '').searchParams.getAll('merchantOrderId').sort()).toEqual(
      [first.number, second.number, third.number].sort(),
    );
  });

  test('starts a sync from the oldest order on, and follows it', async () => {
    const books: Parameters<typeof shopWith>[0] = {};
    const shop = shopWith(books);
    await shop.browser().order();
    const idle = await shop.browser().get('/admin', bearer);
    const before = await idle.text();
    expect(before).toContain('Fundings have not been read yet.');
    expect(before).not.toMatch(/http-equiv="refresh"|data-under-way/);

    const post = (headers: Record<string, string>) =>
      shop.app.request('http://localhost:3000/admin/sync', { method: 'POST', headers });
    const answer = await post({ ...bearer, origin: 'http://localhost:3000' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/admin']);
    const asked = shop.asked.at(-1);
    expect(await asked?.json()).toEqual({ from: '2026-11-19', to: '2026-12-21' });
    expect(asked?.headers.get('authorization')).toBe(`Bearer ${secrets.reconciliation}`);

    books.syncs = [run({ state: 'running', endedAt: undefined })];
    const page = await shop.browser().get('/admin', bearer);
    const html = await page.text();
    expect(html).toMatch(/Reading fundings[\s\S]*33 of 33\s+days/);
    // A script follows the sync in place. A refresh header would reload the page under the reader.
    expect(html).toMatch(/<noscript>\s*<meta\s+http-equiv="refresh"\s+content="2; url=\/admin"/);
    expect(html).toContain('data-under-way');
    expect(page.headers.get('refresh')).toBeNull();
    expect((await post({ origin: 'http://localhost:3000' })).status).toBe(401);
  });

  test('says which fundings could not be read in a complete sync', async () => {
    const read = async (quarantined: number) =>
      (
        await shopWith({ syncs: [run({ quarantined })] })
          .browser()
          .get('/admin', bearer)
      ).text();
    expect(await read(0)).not.toContain('could not be read');
    expect(await read(1)).toMatch(/1 of them could not be read and is in no\s+status/);
    expect(await read(2)).toMatch(/2 of them could not be read and are in no\s+status/);
  });

  test('says that a sync is incomplete', async () => {
    const shop = shopWith({ syncs: [run({ state: 'partial', reason: 'not every day' })] });
    const html = await (await shop.browser().get('/admin', bearer)).text();
    expect(html).toContain('Fundings were not read to the end (not every day)');
  });
});
