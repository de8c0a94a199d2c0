import type { Funding } from '@financing-checkout/contract';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { record, secrets, testShop } from '../shop.fixture.ts';
import { generatedToken } from './access.ts';
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

test('the back office needs its token, as bearer or as password', async () => {
  const browser = testShop().browser();
  for (const headers of [
    {},
    basic('wrong'),
    { authorization: 'Bearer ' },
    { authorization: 'Basic %' },
  ]) {
    const response = await browser.get('/admin', headers);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Basic');
    expect(await response.text()).not.toContain('Orders');
  }
  expect((await browser.get('/admin', bearer)).status).toBe(200);
  expect((await browser.get('/admin', basic(secrets.admin))).status).toBe(200);
});

test('it lists orders with what the report says of each, found by number or by charge', async () => {
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
  const html = await (await shop.browser().get('/admin', bearer)).text();
  expect(shop.asked.at(-1)?.url).toBe('http://127.0.0.1:4001/fundings/report?showMissing=true');
  expect(html).toMatch(new RegExp(`${first.number}[\\s\\S]*?Harbor Bank`));
  expect(html).toContain('AMOUNT_MISMATCH');
  expect(html).toMatch(/Fundings of no order here[\s\S]*Nobody Knows Inc/);
  expect(html).toContain('$300.00');
  expect(html).toContain('$8.70');
  expect(html).toContain('$291.30');
});

test('without the companion the orders are still listed, and the page says so', async () => {
  const shop = testShop();
  const { number } = await shop.browser().order();
  const response = await shop.browser().get('/admin', bearer);
  expect(response.status).toBe(200);
  const html = await response.text();
  expect(html).toContain(number);
  expect(html).toContain('The companion gave no answer.');
});

test('totals: refunds and chargebacks take, whatever sign they came with; unknown kinds do not count', () => {
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

test('a generated token stays the same and is for its owner only', () => {
  const database = join(mkdtempSync(join(tmpdir(), 'shop-token-')), 'shop.db');
  const first = generatedToken(database);
  expect(generatedToken(database)).toEqual(first);
  expect(first.token.length).toBeGreaterThanOrEqual(32);
  expect(statSync(first.file).mode & 0o777).toBe(0o600);
});
