import type {
  CaseRecord,
  OrderExplanation,
  OrderStatusRecord,
  ReconciliationSummary,
  Walk,
} from '@financing-checkout/contract/reconciliation';
import { readXlsx } from 'hucre/xlsx';
import { beforeAll, expect, test } from 'vitest';
import { configure, dayBefore, run, shareProgram, shopDays, startShop } from './program.fixture.ts';
import { settle } from './companion/companion.fixture.ts';
import type { CoverageRecord, FundingDayRecord, StatusRecord, SyncRecord } from './http/schemas.ts';
import { wireRecord } from './sync/history.fixture.ts';

test('includes the fundings of a sync in the first responses after it', async () => {
  const shop = await startShop();
  const program = await run(configure(shop));
  const sync = await program.sync(shopDays());
  expect(sync).toMatchObject({ state: 'complete', records: 6, changed: 6, days: { unproven: 0 } });
  const summary = await program.get<ReconciliationSummary>('/summary');
  expect(summary).toMatchObject({
    complete: true,
    unprovenDays: 0,
    quarantined: 0,
    exceptions: [{ code: 'STATUS_DISAGREES', currency: 'USD', count: 1, open: 1, amount: 10_005 }],
  });
  const { orders } = await program.get<{ orders: OrderStatusRecord[] }>('/orders');
  expect(orders.map(({ headline }) => headline).sort()).toEqual([
    ...['FUNDED', 'FUNDED', 'FUNDED', 'FUNDED', 'FUNDED'],
    'STATUS_DISAGREES',
  ]);
  // The case also exists.
  const { cases } = await program.get<{ cases: CaseRecord[] }>('/cases?state=open');
  expect(cases).toMatchObject([{ merchantOrderId: 'A-5', code: 'STATUS_DISAGREES' }]);
  const walk = await program.get<Walk>('/walk');
  expect(walk).toMatchObject({ complete: true, statements: [{ currency: 'USD', unexplained: 0 }] });
  const { days } = await program.get<{ days: FundingDayRecord[] }>('/days');
  expect(days.map(({ state }) => state)).toEqual(Array(5).fill('complete'));
  expect(days.filter(({ records }) => records > 0)).toMatchObject([
    { records: 6, quarantined: 0, sums: { USD: { count: 6, transaction: '60015' } } },
  ]);
  const coverage = await program.get<CoverageRecord>('/coverage');
  expect(coverage).toMatchObject({ days: 5, unprovenDays: 0, records: 6, last: { id: sync.id } });
  const { syncs } = await program.get<{ syncs: SyncRecord[] }>('/syncs');
  expect(syncs).toEqual([sync]);
  expect(await program.get('/status')).toMatchObject({
    role: 'leader',
    environment: 'sandbox',
    analytics: { state: 'ready' },
    unexplained: 0,
  });
});

test('counts fundings with future dates, although their days are not due', async () => {
  const shop = await startShop(0);
  shop.records.push(wireRecord(7, `${dayBefore(-1)}T00:00:00.000Z`));
  const program = await run(configure(shop));
  await program.sync({ from: dayBefore(4), to: dayBefore(-2) });
  const coverage = await program.get<CoverageRecord>('/coverage');
  expect(coverage).toMatchObject({ to: dayBefore(0), days: 5, unprovenDays: 0, records: 2 });
});

const synced = shareProgram((atEnd) => startShop(1, atEnd));
beforeAll(() => synced.program.sync(shopDays()));

test('explains an order with the companion’s ledger', async () => {
  const { program } = synced;
  const explanation = await program.get<OrderExplanation>('/orders/order%3AA-1');
  expect(explanation.currencies).toMatchObject([
    { status: { headline: 'STATUS_DISAGREES' }, ledger: [{ source: 'companion' }], fundings: [{}] },
  ]);
  expect(explanation.timeline.length).toBeGreaterThan(1);
  const missing = await program.app.request('/orders/A-1');
  expect([missing.status, await missing.json()]).toMatchObject([404, { code: 'order-not-found' }]);
});

test('applies a case action once per key, and returns it at once', async () => {
  const { program } = synced;
  const { cases } = await program.get<{ cases: CaseRecord[] }>('/cases');
  const path = `/cases/${cases[0]?.id}/ignore`;
  const headers = { 'idempotency-key': 'key-1' };
  const first = await program.post(path, { reason: 'small', by: 'Ada' }, headers);
  expect(await first.json()).toMatchObject({ state: 'ignored', reason: 'small' });
  expect((await program.post(path, { reason: 'small', by: 'Ada' }, headers)).status).toBe(200);
  const other = await program.post(path, { reason: 'other' }, headers);
  expect(await other.json()).toMatchObject({ code: 'idempotency-key-reused' });
  expect(await program.get('/cases?state=ignored')).toMatchObject({
    cases: [{ state: 'ignored' }],
  });
  const history = await program.get(`/cases/${cases[0]?.id}`);
  expect(history).toMatchObject({
    events: [{ kind: 'opened' }, { kind: 'ignored', actor: 'loopback, for Ada' }],
  });
  expect(await program.get('/trail/verification')).toMatchObject({ valid: true, events: 4 });
  expect(await program.get('/cases/aging')).toMatchObject({ cells: [] });
});

test('imports a ledger file and judges its orders before responding', async () => {
  const shop = await startShop(0);
  shop.entries = [];
  const program = await run(configure(shop));
  await program.sync(shopDays());
  const unmatched = await program.get<{ orders: OrderStatusRecord[] }>('/orders');
  expect(unmatched.orders).toMatchObject([{ headline: 'BEFORE_LEDGER' }]);
  const line = {
    merchantOrderId: 'A-0',
    type: 'settle',
    amount: 10_000,
    currency: 'USD',
    date: new Date(Date.now() - 3 * 86_400_000).toISOString(),
    transactionId: 'txn-0',
  };
  const response = await program.app.request('/ledger', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: `${JSON.stringify(line)}\n`,
  });
  expect(await response.json()).toMatchObject({ applied: true, added: 1 });
  const { orders } = await program.get<{ orders: OrderStatusRecord[] }>('/orders');
  expect(orders).toMatchObject([{ headline: 'FUNDED' }]);
});

test('follows the companion’s ledger without a sync', async () => {
  const shop = await startShop(0);
  const program = await run(configure(shop));
  await program.sync(shopDays());
  shop.entries.push(settle(2, 'B-1', 500));
  await program.engine.leader?.pass({ isLedgerDue: true });
  const { orders } = await program.get<{ orders: OrderStatusRecord[] }>(
    '/orders?merchantOrderId=B-1',
  );
  expect(orders).toMatchObject([{ merchantOrderId: 'B-1', expected: { settle: 500 } }]);
});

test('judges no order while the companion and its ledger are unavailable', async () => {
  const shop = await startShop(1);
  const config = configure(shop);
  const first = await run(config);
  await first.sync(shopDays());
  await first.stop();
  const { cases } = await (async () => {
    const again = await run(config);
    const found = await again.get<{ cases: CaseRecord[] }>('/cases');
    await again.stop();
    return found;
  })();
  // A rebuilt file has no ledger lines until the companion responds.
  shop.before = (_, response) => {
    response.writeHead(502).end();
    return true;
  };
  const program = await run({
    ...config,
    analytics: { ...config.analytics, file: `${config.analytics.file}.new` },
  });
  expect(await program.get<ReconciliationSummary>('/summary')).toMatchObject({
    complete: false,
    exceptions: [],
  });
  expect(await program.get('/cases')).toEqual({ cases });
  shop.before = undefined;
  await program.engine.leader?.pass({ isLedgerDue: true });
  expect(await program.get<ReconciliationSummary>('/summary')).toMatchObject({
    complete: true,
    exceptions: [{ code: 'STATUS_DISAGREES', open: 1 }],
  });
});

test('rejects a companion and a record store of another environment', async () => {
  const shop = await startShop(0);
  const config = configure(shop);
  const program = await run(config);
  shop.environment = 'production';
  const sync = await program.sync(shopDays());
  expect(sync).toMatchObject({
    state: 'failed',
    reason: 'the service is unavailable: it uses another environment of the service',
  });
  await program.stop();
  await expect(run({ ...config, environment: 'production' })).rejects.toThrow(
    'The record store holds facts of "sandbox"',
  );
});

test('rejects a second command with the URL of the lease holder', async () => {
  const shop = await startShop(0);
  const config = configure(shop);
  const first = await run(config, { mode: 'serve', address: 'http://first.example:4002' });
  await first.engine.facts.leaseHolder();
  const other = {
    ...config,
    analytics: { ...config.analytics, file: `${config.analytics.file}.2` },
  };
  await expect(run(other)).rejects.toMatchObject({ address: 'http://first.example:4002' });
});

test('exports each format', async () => {
  const { program } = synced;
  const csv = await program.app.request('/exports/orders?bom=true&decimal=comma');
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(await csv.text()).toMatch(
    /order;order_key;currency[^]*A-0;order:A-0;USD;FUNDED[^]*100,00/,
  );
  const walk = await program.app.request('/walk?format=csv&bom=true&zone=Asia%2FTokyo');
  expect(Buffer.from(await walk.arrayBuffer()).toString()).toMatch(
    /^\uFEFFcurrency,[^]*,Asia\/Tokyo,20[^,]*Z,,\r\n/,
  );
  const book = await program.app.request('/walk?format=xlsx');
  const { sheets } = await readXlsx(new Uint8Array(await book.arrayBuffer()));
  const stated = await program.app.request('/walk?format=csv');
  const lines = (await stated.text()).trim().split('\r\n');
  expect(sheets[0]?.rows.map((row) => row[1])).toEqual(lines.map((line) => line.split(',')[1]));
  expect(sheets[0]?.rows.slice(1).map((row) => row[2])).toEqual(
    lines.slice(1).map((line) => Number(line.split(',')[2])),
  );
  const ndjson = await (await program.app.request('/exports/lines?format=ndjson')).text();
  expect(ndjson.trim().split('\n')).toHaveLength(4);
  const parquet = await program.app.request('/exports/exceptions?format=parquet');
  expect(
    Buffer.from(await parquet.arrayBuffer())
      .subarray(0, 4)
      .toString(),
  ).toBe('PAR1');
});

test('compares the report and both records operations through the companion', async () => {
  const { shop, program } = synced;
  const { from, to } = shopDays();
  const answer = await program.app.request(`/migration?from=${from}&to=${to}`);
  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines.at(-1)).toMatchObject({
    kind: 'summary',
    read: { report: 2, recordsV1: 2, recordsV2: 2 },
    orders: 0,
  });
  shop.before = (_, response) => {
    response.writeHead(401).end();
    return true;
  };
  const refused = await program.app.request(`/migration?from=${from}&to=${to}`);
  shop.before = undefined;
  expect(await refused.json()).toMatchObject({ code: 'companion-unavailable' });
});

test('returns the same responses after a rebuild', async () => {
  const { program } = synced;
  const ask = () =>
    Promise.all(['/orders', '/cases', '/walk', '/days'].map((path) => program.get(path)));
  const before = await ask();
  expect(await (await program.post('/rebuild', {})).json()).toMatchObject({
    analytics: { state: 'ready', reason: 'requested' },
  });
  const strip = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value, (key, member: unknown) =>
        /^(?:asOf|computedAt|changedAt)$/.test(key) ? undefined : member,
      ),
    ) as unknown;
  expect(strip(await ask())).toEqual(strip(before));
  expect(await program.get<StatusRecord>('/status')).toMatchObject({ role: 'leader' });
});
