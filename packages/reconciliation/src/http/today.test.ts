import type { LedgerEntry } from '@financing-checkout/contract/back-office';
import type {
  SearchHit,
  SearchResult,
  Today,
  TodayItem,
} from '@financing-checkout/contract/reconciliation';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { problem, settle } from '../companion/companion.fixture.ts';
import { readConfiguration } from '../config/config.ts';
import { run, shareProgram, shopDays, startShop, variablesOf } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

const authorize = (
  id: number,
  order: string,
  days: number,
  change: Partial<LedgerEntry> = {},
): LedgerEntry => ({
  id,
  merchantOrderId: order,
  chargeId: `chg-${order}`,
  type: 'Authorize',
  amount: { value: 20_000, currency: 'USD' },
  merchantTransactionId: `auth-${order}`,
  state: 'accepted',
  occurredAt: ago(days),
  ...change,
});

const shared = shareProgram(async (atEnd) => {
  const shop = await startShop(1, atEnd);
  const of = (order: string) => ({ chargeId: `chg-${order}`, merchantOrderId: order });
  shop.entries.push(
    authorize(3, 'soon', 10),
    authorize(4, 'far', 2),
    authorize(5, 'over', 60),
    authorize(6, 'voided', 12),
    { ...authorize(7, 'voided', 11), type: 'Void', merchantTransactionId: 'void-1' },
    authorize(8, 'part', 13),
    settle(9, 'part', 5_000, { ...of('part'), occurredAt: ago(1) }),
    authorize(10, 'whole', 13),
    settle(11, 'whole', 20_000, { ...of('whole'), occurredAt: ago(1) }),
    authorize(12, 'unsure', 12, { state: 'unknown' }),
    authorize(13, 'kept', 12),
    // A void with an unknown outcome does not end the hold.
    {
      ...authorize(14, 'kept', 11, { state: 'unknown' }),
      type: 'Void',
      merchantTransactionId: 'void-2',
    },
  );
  shop.operations.push({
    id: 'opr_1',
    chargeId: 'chg-A',
    merchantOrderId: 'A-9',
    merchantTransactionId: 'm-1',
    kind: 'refund',
    state: 'unknown',
    reason: 'charge-moved',
    amount: { value: 900_000, currency: 'JPY' },
    createdAt: ago(2),
    updatedAt: ago(2),
  });
  shop.webhooks.push({
    id: 'msg_1',
    checkoutId: 'chk_1',
    state: 'dead',
    tries: 9,
    reason: 'status 500',
    createdAt: ago(3),
  });
  shop.checkouts['application-7'] = [
    {
      checkoutId: 'chk_7',
      revision: 1,
      environment: 'sandbox',
      merchantOrderId: 'A-1',
      status: 'approved',
      amount: { value: 10_001, currency: 'USD' },
      createdAt: ago(2),
      updatedAt: ago(2),
    },
  ];
  return shop;
});

beforeAll(async () => {
  const { program, shop } = shared;
  // An old settle that no lender pays, and an unreadable record.
  shop.entries.push(settle(15, 'late', 70_000, { transactionId: 'txn-late', occurredAt: ago(20) }));
  shop.records.push({ ...wireRecord(90, ago(1)), netAmount: 'much' });
  await program.sync({ from: ago(21).slice(0, 10), to: ago(0).slice(0, 10) });
  await program.sync({ from: ago(21).slice(0, 10), to: ago(0).slice(0, 10) });
});

test('lists the work of the day, largest amounts first', async () => {
  const { program } = shared;
  const today = await program.get<Today>('/today');
  const list = today.items.map(({ kind, merchantOrderId, id }) =>
    [kind, merchantOrderId ?? id].join(' '),
  );
  expect(list).toEqual([
    'unclear-operation A-9',
    'late-funding late',
    'hold kept',
    'hold soon',
    'hold part',
    'exception A-1',
    'dead-webhook msg_1',
    expect.stringContaining('quarantine'),
  ]);
  expect(today.counts).toEqual({
    alarm: 0,
    exception: 1,
    'late-funding': 1,
    hold: 3,
    'unclear-operation': 1,
    'dead-webhook': 1,
    'dead-alert': 0,
    'unproven-day': 0,
    quarantine: 1,
    'ledger-start': 0,
    approval: 0,
  });
  const sum = (kind: TodayItem['kind']) =>
    today.items
      .filter((item) => item.kind === kind)
      .reduce((all, { amount = 0 }) => all + Math.abs(amount), 0);
  const usd = (amount: number) => [{ currency: 'USD', amount }];
  expect(today.amounts).toEqual({
    exception: usd(10_001),
    'late-funding': usd(70_000),
    hold: usd(sum('hold')),
    'unclear-operation': [{ currency: 'JPY', amount: 900_000 }],
  });
  expect(today.unavailable).toEqual([]);
  const part = today.items.find(({ merchantOrderId }) => merchantOrderId === 'part');
  expect(part).toMatchObject({ id: 'chg-part', amount: 15_000, currency: 'USD' });
  expect(Date.parse(part?.endsAt ?? '') - Date.parse(part?.since ?? '')).toBe(14 * DAY_MS);
  expect(today.items[0]).toMatchObject({ code: 'refund', amount: 900_000, reason: 'charge-moved' });
  expect(today.items.find(({ kind }) => kind === 'exception')).toMatchObject({
    code: 'STATUS_DISAGREES',
    lender: 'Northway Credit',
    amount: 10_001,
  });
});

test('lists the open money of an order once despite a payment that fits several of its settles', async () => {
  const shop = await startShop(0);
  for (const part of [1, 2, 3, 4]) {
    shop.entries.push(
      settle(10 + part, 'parts', 164_793, {
        transactionId: `txn-part-${part}`,
        merchantTransactionId: `mtx-part-${part}`,
        occurredAt: ago(20),
      }),
    );
  }
  // Three of the four are paid in one sum, and nothing shows which three.
  shop.records.push({
    ...wireRecord(90, ago(18)),
    merchantOrderId: 'parts',
    transactionId: 'sum',
    merchantTransactionId: 'sum',
    lenderReferenceId: 'sum',
    chargeId: null,
    transactionAmount: 4_943.79,
    discountAmount: 0,
    netAmount: 4_943.79,
  });
  const program = await run(readConfiguration(variablesOf(shop), () => ''));
  await program.sync({ from: ago(21).slice(0, 10), to: ago(0).slice(0, 10) });
  const { items, counts } = await program.get<Today>('/today');
  const own = items.filter(({ merchantOrderId }) => merchantOrderId === 'parts');
  expect(own.map(({ code, amount }) => [code, amount])).toEqual([['MISSING_AT_LENDER', 164_793]]);
  expect([counts['late-funding'], counts.exception]).toEqual([
    1,
    items.filter(({ kind }) => kind === 'exception').length,
  ]);
});

test('reports that the companion is unavailable, and lists the rest', async () => {
  const { program, shop } = shared;
  onTestFinished(() => void (shop.before = undefined));
  shop.before = (_, response) => {
    problem(response, 500, 'internal');
    return true;
  };
  const today = await program.get<Today>('/today');
  expect(today.unavailable).toEqual(['companion']);
  expect(today.counts).not.toHaveProperty('dead-webhook');
  expect(today.items.map(({ kind }) => kind)).toContain('hold');
  const found = await program.get<SearchResult>('/search?q=A-1');
  expect(found.unavailable).toEqual(['companion']);
  expect(found.matches[0]).toMatchObject({ kind: 'order', value: 'A-1' });
});

test('uses the hold period of the lender from the policy', async () => {
  const shop = await startShop(1);
  const of = { chargeId: 'chg-1', merchantOrderId: 'A-0' };
  // The lender of A-0 is known from its funding.
  shop.entries.push(authorize(3, 'A-0', 2, of), authorize(4, 'B', 2));
  const policy = '{"holds": {"days": 30, "lenders": {"Northway Credit": 4}}}';
  const variables = variablesOf(shop, { RECONCILIATION_POLICY_FILE: '/policy.json' });
  const program = await run(readConfiguration(variables, () => policy));
  await program.sync(shopDays());
  const today = await program.get<Today>('/today');
  expect(today.items.filter(({ kind }) => kind === 'hold')).toMatchObject([
    { id: 'chg-1', lender: 'Northway Credit', amount: 10_000 },
  ]);
});

test.each([
  ['A-1', 'order', 'A-1', 'A-1'],
  [' ="A-1" ', 'order', 'A-1', 'A-1'],
  ['chg-par', 'charge', 'chg-part', 'part'],
  ['txn-lat', 'transaction', 'txn-late', 'late'],
  ['auth-soon', 'transaction', 'auth-soon', 'soon'],
  ['application-7', 'application', 'application-7', 'A-1'],
])('finds the order of %s', async (q, kind, value, merchantOrderId) => {
  const { matches } = await shared.program.get<SearchResult>(`/search?q=${encodeURIComponent(q)}`);
  expect(matches[0]).toEqual({
    kind,
    value,
    merchantOrderId,
    orderKey: `order:${merchantOrderId}`,
  });
});

test('finds at most twenty orders, exact matches first, and no application by a prefix', async () => {
  const { program } = shared;
  const { matches } = await program.get<SearchResult>('/search?q=auth-kept');
  expect(matches).toHaveLength(1);
  const some = await program.get<SearchResult>('/search?q=application-');
  expect(some.matches).toEqual([]);
  expect((await program.app.request('/search?q=')).status).toBe(400);
  expect((await program.app.request(`/search?q=${'a'.repeat(257)}`)).status).toBe(400);
  const many = await program.get<SearchResult>('/search?q=a');
  expect(many.matches.length).toBeLessThanOrEqual(20);
});

/** Returns the results of a search by kind, and the kinds that were not searched in time. */
async function found(q: string): Promise<Record<string, SearchHit[]>> {
  const { program } = shared;
  const path = `/search?q=${encodeURIComponent(q)}`;
  const first = await program.get<SearchResult>(path);
  const groups = [...first.groups];
  for (const kind of first.unsearched) {
    groups.push(...(await program.get<SearchResult>(`${path}&fragments=${kind}`)).groups);
  }
  return Object.fromEntries(groups.map(({ kind, hits }) => [kind, hits]));
}

const valuesOf = (hits: readonly SearchHit[] = []) => hits.map(({ value }) => value);

test.each([
  ['TXN-LAT', 'transaction', 'txn-late'],
  ['xn-la', 'transaction', 'txn-late'],
  ['HG-PAR', 'charge', 'chg-part'],
  ['a-1', 'order', 'A-1'],
  ['r-1', 'reference', 'LR-1'],
  ['way cre', 'lender', 'Northway Credit'],
  ['application-7', 'application', 'application-7'],
])('finds the fragment %s in any letter case, as %s', async (q, kind, value) => {
  expect(valuesOf((await found(q))[kind])).toContain(value);
});

test.each(['$700.00', '700', '70000', '700,00 $', 'USD 700.00', '-700.0'])(
  'finds the order and the exception with the amount %s',
  async (q) => {
    const { amount } = await found(q);
    expect(amount).toMatchObject([
      {
        merchantOrderId: 'late',
        amount: 70_000,
        currency: 'USD',
        of: 'exception',
        code: 'MISSING_AT_LENDER',
      },
    ]);
  },
);

test('finds a case by its id and by its order, and the person to whom it is assigned', async () => {
  const { program } = shared;
  const { cases } = await program.get<{ cases: { id: string }[] }>('/cases?code=MISSING_AT_LENDER');
  const [{ id } = { id: '' }] = cases;
  await program.post(
    `/cases/${id}/assign`,
    { by: 'Ada', assignee: 'Grace Hopper' },
    { 'idempotency-key': 'search-1' },
  );
  expect((await found(id.slice(-10).toUpperCase())).case).toMatchObject([
    { value: id, merchantOrderId: 'late', code: 'MISSING_AT_LENDER', state: 'open', exact: false },
  ]);
  expect(valuesOf((await found('late')).case)).toEqual([id]);
  expect(valuesOf((await found('hopp')).person)).toEqual(['Grace Hopper']);
});

test('finds an import by its id and its source', async () => {
  const { program } = shared;
  const file =
    'merchantOrderId,id,type,amount,currency,date\nI-1,i-1,settle,5.00,USD,2026-03-01T00:00:00Z\n';
  const answer = await program.app.request('/ledger?options={"units":"major","of":"Shop South"}', {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: file,
  });
  expect(await answer.text()).toContain('"added":1');
  const [hit] = (await found('p sou')).import ?? [];
  expect(hit).toMatchObject({ kind: 'import', name: 'Shop South' });
  expect(valuesOf((await found(hit?.value ?? '')).import)).toEqual([hit?.value]);
});

test('searches the kinds of IDs for a fragment that the client names', async () => {
  const { program } = shared;
  const { groups } = await program.get<SearchResult>('/search?q=late&fragments=transaction');
  expect(groups.map(({ kind }) => kind)).toEqual(['transaction']);
  expect((await program.app.request('/search?q=late&fragments=case')).status).toBe(400);
});

test('finds IDs only by their beginning if the text has fewer than three characters', async () => {
  expect((await found('at')).order).toBeUndefined();
  expect(valuesOf((await found('la')).order)).toEqual(['late']);
});
