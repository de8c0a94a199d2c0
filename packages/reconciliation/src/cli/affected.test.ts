import { currencies } from '@financing-checkout/contract';
import { expect, it } from 'vitest';
import { commandLine } from './cli.fixture.ts';
import { hasOtherDecimals } from './affected.ts';

const affected = 'AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK PKR SOS SYP YER'.split(' ');

const action = (seq: number, subject: string, amount: number, currency: string, change = {}) => ({
  ...{ seq, at: `2026-11-0${seq}T10:00:00.000Z`, actor: 'anna', kind: 'refund', subject },
  ...{ detail: { amount, currency }, outcome: 'accepted', hash: 'h', ...change },
});
const line = (order: string, amount: number, occurredAt: string, ids: object = {}) => ({
  ...{ orderKey: `order:${order}`, merchantOrderId: order, currency: 'USD', source: 'ledger' },
  line: { type: 'Settle', amount, occurredAt, source: 'import', ...ids },
});
const money = (value: number) => ({ value, currency: 'USD' });
const charge = (id: string, isAssumed: boolean) => ({
  ...{ id, merchantOrderId: 'A', state: 'Settled', authorized: money(900), settled: money(900) },
  ...(isAssumed ? { currencyAssumed: true } : {}),
  ...{ refunded: money(0), left: { toSettle: money(0), toRefund: money(900) }, operations: [] },
});

const coverage = {
  ...{ zone: 'Pacific/Kiritimati', days: 0, unproven: [], unprovenDays: 0, records: 0 },
  quarantined: [],
};

/** Commands against answers of a program with these actions, lines and charges of orders. */
function program(actions: object[], lines: object[], charges: Record<string, object[]>) {
  return commandLine({ RECONCILIATION_URL: 'http://127.0.0.1:9' }, (url) => {
    const { pathname } = new URL(url);
    if (pathname === '/coverage') return Promise.resolve(Response.json(coverage));
    if (pathname === '/actions') return Promise.resolve(Response.json({ actions }));
    if (pathname === '/exports/lines') {
      const headers = { 'content-type': 'application/x-ndjson' };
      const body = lines.map((one) => `${JSON.stringify(one)}\n`).join('');
      return Promise.resolve(new Response(body, { headers }));
    }
    const order = /^\/orders\/order%3A(.+)\/charges$/.exec(pathname)?.[1] ?? '';
    const found = charges[order];
    const missing = { status: 404 };
    return Promise.resolve(
      found === undefined ? new Response('', missing) : Response.json({ charges: found }),
    );
  });
}

it('lists exactly the currencies whose decimals in browsers differ from ISO 4217', () => {
  const current = [...currencies].filter(([, { lastDay }]) => lastDay === undefined);
  expect(
    current
      .map(([code]) => code)
      .filter(hasOtherDecimals)
      .toSorted(),
  ).toEqual(affected);
});

it('lists refunds with what was shown and what was returned, and those in an assumed currency', async () => {
  const actions = [
    action(6, 'c-lost', 700, 'USD'),
    action(5, 'c-refused', 10_000, 'HUF', { outcome: 'amount-exceeds-charge' }),
    action(4, 'c-sure', 500, 'USD'),
    action(3, 'c-assumed', 365_018, 'USD'),
    action(2, 'c-iqd', 10_000, 'IQD'),
    action(1, 'c-huf', 10_000, 'HUF'),
  ];
  const lines = [
    line('A', 900, '2026-11-01T00:00:00.000Z', { chargeId: 'c-assumed', transactionId: 't-1' }),
    line('B', 900, '2026-11-01T00:00:00.000Z', { chargeId: 'c-sure', transactionId: 't-2' }),
  ];
  const { run } = program(actions, lines, {
    A: [charge('c-assumed', true)],
    B: [charge('c-sure', false)],
  });
  const { code, out } = await run('affected', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    refunds: [
      { chargeId: 'c-huf', meant: '10000', done: '100.00', reason: 'decimals' },
      { chargeId: 'c-iqd', meant: '10000', done: '10.000', reason: 'decimals' },
      { chargeId: 'c-assumed', merchantOrderId: 'A', reason: 'currency-assumed' },
      { chargeId: 'c-lost', reason: 'currency-not-checked' },
    ],
    orders: [],
  });
  const printed = (await run('affected', '--before', '2026-11-03')).out;
  expect(printed).toMatch(
    /Refunds to check: 1\nREFUNDED \(Pacific\/Kiritimati\).*\n2026-11-02 00:00 .*c-huf +10000 HUF +100\.00 HUF +accepted +anna/,
  );
});

it('lists orders with lines of one day that have no id', async () => {
  const { run } = program(
    [],
    [
      line('00012', 10_000, '2026-11-01T00:00:00.000Z'),
      line('00012', 11_000, '2026-11-01T04:00:00.000Z'),
      line('B', 500, '2026-11-01T00:00:00.000Z'),
      line('B', 500, '2026-11-02T00:00:00.000Z'),
      line('C', 500, '2026-11-01T00:00:00.000Z', { transactionId: 't-1' }),
      line('C', 500, '2026-11-01T00:00:00.000Z', { transactionId: 't-2' }),
    ],
    {},
  );
  const { out } = await run('affected');
  expect(out).toMatch(
    /may have doubled: 1\n.*\n00012 +Settle +100\.00 or 110\.00 USD +210\.00 USD$/,
  );
});
