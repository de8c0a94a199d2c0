import { currencies } from '@financing-checkout/contract';
import { expect, it } from 'vitest';
import { settle } from '../companion/companion.fixture.ts';
import { readConfiguration } from '../config/config.ts';
import { run, shopDays, startShop, variablesOf } from '../program.fixture.ts';
import { commandLine, commandsOf } from './cli.fixture.ts';
import { hasOtherDecimals } from './affected.ts';

const affected = 'AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK PKR SOS SYP YER'.split(' ');

const action = (seq: number, subject: string, amount: number, currency: string, change = {}) => ({
  seq,
  numbers: [seq],
  at: `2026-11-0${seq}T10:00:00.000Z`,
  actor: 'anna',
  kind: 'refund',
  subject,
  detail: { amount, currency },
  outcome: 'accepted',
  hash: 'h',
  ...change,
});
const line = (order: string, amount: number, occurredAt: string, ids: object = {}) => ({
  orderKey: `order:${order}`,
  merchantOrderId: order,
  currency: 'USD',
  source: 'ledger',
  line: { type: 'Settle', amount, occurredAt, source: 'import', ...ids },
});
const money = (value: number) => ({ value, currency: 'USD' });
const charge = (id: string, isAssumed: boolean) => ({
  id,
  merchantOrderId: 'A',
  state: 'Settled',
  authorized: money(900),
  settled: money(900),
  ...(isAssumed ? { currencyAssumed: true } : {}),
  refunded: money(0),
  left: { toSettle: money(0), toRefund: money(900) },
  operations: [],
});

const coverage = {
  zone: 'Pacific/Kiritimati',
  days: 0,
  unproven: [],
  unprovenDays: 0,
  records: 0,
  quarantined: [],
};

/** A refund in the companion's ledger. */
const booked = (order: string, amount: number, at: string, change: object = {}) => {
  const own = line(order, amount, at, { type: 'Refund', source: 'companion', ...change });
  return { ...own, ...change };
};
const authorized = { at: '2026-10-01T00:00:00.000Z', source: 'ledger', what: 'Authorize' };

interface Answers {
  actions?: object[];
  lines?: object[];
  /** Charges of an order. */
  charges?: Record<string, object[]>;
  /** Currencies of the authorizations that the companion's ledger has for an order. */
  authorizations?: Record<string, string[]>;
}

/** Commands against a program with these responses. */
function program({ actions = [], lines = [], charges = {}, authorizations = {} }: Answers) {
  return commandLine({ RECONCILIATION_URL: 'http://127.0.0.1:9' }, (url) => {
    const { pathname } = new URL(url);
    if (pathname === '/coverage') return Promise.resolve(Response.json(coverage));
    if (pathname === '/actions') return Promise.resolve(Response.json({ actions }));
    if (pathname === '/exports/lines') {
      const headers = { 'content-type': 'application/x-ndjson' };
      const body = lines.map((one) => `${JSON.stringify(one)}\n`).join('');
      return Promise.resolve(new Response(body, { headers }));
    }
    const [, order = '', part] = /^\/orders\/order%3A([^/]+)(\/charges)?$/.exec(pathname) ?? [];
    const found = charges[order];
    const missing = { status: 404 };
    if (found === undefined) return Promise.resolve(new Response('', missing));
    const timeline = (authorizations[order] ?? []).map((currency) => ({
      ...authorized,
      currency,
      id: `auth-${currency}`,
    }));
    return Promise.resolve(
      Response.json(
        part === undefined
          ? { orderKey: `order:${order}`, currencies: [], cases: [], timeline }
          : { charges: found },
      ),
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

it('lists refunds in affected or assumed currencies, with the displayed and the returned amount', async () => {
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
  const { run } = program({
    actions,
    lines,
    authorizations: { B: ['USD'] },
    charges: { A: [charge('c-assumed', true)], B: [charge('c-sure', false)] },
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

it('lists orders with lines of the same day that have no ID', async () => {
  const { run } = program({
    lines: [
      line('00012', 10_000, '2026-11-01T00:00:00.000Z'),
      line('00012', 11_000, '2026-11-01T04:00:00.000Z'),
      line('B', 500, '2026-11-01T00:00:00.000Z'),
      line('B', 500, '2026-11-02T00:00:00.000Z'),
      line('C', 500, '2026-11-01T00:00:00.000Z', { transactionId: 't-1' }),
      line('C', 500, '2026-11-01T00:00:00.000Z', { transactionId: 't-2' }),
    ],
  });
  const { out } = await run('affected');
  expect(out).toMatch(
    /may have doubled: 1\n.*\n00012 +Settle +100\.00 or 110\.00 USD +210\.00 USD$/,
  );
});

it('lists a refund whose assumed currency the companion reports as that of the order', async () => {
  const actions = [action(2, 'c-2', 100, 'USD'), action(1, 'c-1', 100, 'USD')];
  const lines = ['1', '2'].map((id) =>
    booked(`O${id}`, 100, `2026-11-0${id}T10:00:00.500Z`, { chargeId: `c-${id}` }),
  );
  const { run } = program({
    actions,
    lines,
    authorizations: { O1: ['EUR'], O2: ['USD'] },
    charges: { O1: [charge('c-1', false)], O2: [charge('c-2', false)] },
  });
  const { refunds } = JSON.parse((await run('affected', '--json')).out) as { refunds: object[] };
  expect(refunds).toMatchObject([{ chargeId: 'c-1', reason: 'currency-assumed' }]);
  expect(refunds).toHaveLength(1);
});

it('lists refunds of other clients of the companion, which have no entry in the trail', async () => {
  const day = (count: number) => `2026-11-0${count}T10:00:00.000Z`;
  const ids = (id: string) => ({ chargeId: `c-${id}`, merchantTransactionId: `m-${id}` });
  const lines = [
    booked('A', 10_000, day(1), { ...ids('huf'), currency: 'HUF' }),
    booked('B', 700, day(2), ids('assumed')),
    booked('C', 800, day(3), ids('sure')),
    booked('D', 900, day(4), ids('lost')),
    // One of the two matches the refund in the trail.
    booked('E', 500, day(5), { ...ids('own'), currency: 'HUF' }),
    booked('E', 500, '2026-11-05T12:00:00.000Z', { ...ids('own'), currency: 'HUF' }),
  ];
  const operation = (id: string, actor: string) => ({
    ...ids(id),
    id: `opr_${id}`,
    kind: 'refund',
    state: 'accepted',
    actor,
    createdAt: day(2),
    updatedAt: day(2),
  });
  const { run } = program({
    actions: [action(5, 'c-own', 500, 'HUF')],
    lines,
    authorizations: { C: ['USD'] },
    charges: {
      A: [{ ...charge('c-huf', false), operations: [operation('huf', 'shop')] }],
      B: [{ ...charge('c-assumed', false), operations: [operation('assumed', 'till')] }],
      C: [charge('c-sure', false)],
    },
  });
  const { out, err } = await run('affected', '--json');
  const { refunds, notChecked } = JSON.parse(out) as { refunds: object[]; notChecked: number };
  expect(refunds).toEqual([
    {
      at: day(1),
      actor: 'shop',
      chargeId: 'c-huf',
      merchantOrderId: 'A',
      currency: 'HUF',
      outcome: 'accepted',
      done: '100.00',
      reason: 'decimals',
    },
    expect.objectContaining({ actor: 'till', chargeId: 'c-assumed', reason: 'currency-assumed' }),
    expect.objectContaining({ chargeId: 'c-lost', reason: 'currency-not-checked', done: '9.00' }),
    expect.objectContaining({ at: day(5), actor: 'anna', meant: '500' }),
    expect.objectContaining({ at: '2026-11-05T12:00:00.000Z', chargeId: 'c-own', done: '5.00' }),
  ]);
  expect(refunds.filter((one) => 'meant' in one)).toHaveLength(1);
  expect([notChecked, err]).toEqual([0, '']);
  expect((await run('affected', '--before', '2026-11-03')).out).toMatch(
    /Refunds to check: 1\n.*\n.*c-huf +not recorded +100\.00 HUF +accepted +shop/,
  );
});

it('finds the refunds of other clients in the companion’s ledger', async () => {
  const shop = await startShop(1);
  const occurredAt = new Date().toISOString();
  const ids = { chargeId: 'c-1', merchantTransactionId: 'm-1', transactionId: 't-1' };
  shop.entries.push({
    ...settle(9, 'A-9', 10_000, { type: 'Refund', occurredAt, ...ids }),
    amount: { value: 10_000, currency: 'HUF' },
  });
  const running = await run(readConfiguration(variablesOf(shop), () => ''));
  await running.sync(shopDays());
  const { out } = await commandsOf(running).run('affected', '--json');
  expect(JSON.parse(out)).toMatchObject({
    refunds: [{ chargeId: 'c-1', merchantOrderId: 'A-9', done: '100.00', reason: 'decimals' }],
    notChecked: 0,
  });
});

it('reports how many refunds of other clients were not checked, and how to check them', async () => {
  const lines = ['1', '2', '3'].map((id) =>
    booked(`O${id}`, 100, `2026-11-0${id}T10:00:00.000Z`, { chargeId: `c-${id}` }),
  );
  const { run } = program({ lines });
  const { out, err } = await run('affected', '--ask', '2');
  expect(out).toMatch(/^Refunds to check: 2\n/);
  expect(out).not.toContain('c-1 ');
  expect(err).toBe(
    'Not checked: 1 earlier refund of other clients, because the companion is asked about at most 2 orders. Raise --ask to check all.',
  );
  const { notChecked } = JSON.parse((await run('affected', '--json', '--ask', '1')).out) as {
    notChecked: number;
  };
  expect(notChecked).toBe(2);
  expect((await run('affected', '--ask', '3')).err).toBe('');
  expect(await run('affected', '--ask', 'all')).toMatchObject({ code: 1, out: '' });
});
