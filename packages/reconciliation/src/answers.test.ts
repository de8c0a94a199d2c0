import type {
  CaseRecord,
  OrderStatusRecord,
  ReconciliationSummary,
  Walk,
} from '@financing-checkout/contract/reconciliation';
import type { Problem } from '@financing-checkout/contract/storefront';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandLine, commandsOf } from './cli/cli.fixture.ts';
import { settle, startCompanion, type TestCompanion } from './companion/companion.fixture.ts';
import { type AtEnd, dayBefore, shareProgram, shopDays, startShop } from './program.fixture.ts';
import { wireRecord } from './sync/history.fixture.ts';

const zone = 'America/New_York';
/**
 * A day in New York and the next day. During the first hours of the next day in UTC, it is still
 * the day before in New York.
 */
const [day, next] = [dayBefore(4), dayBefore(3)];
const days = { from: dayBefore(6), to: dayBefore(0) };

async function startLate(atEnd: AtEnd): Promise<TestCompanion> {
  const shop = await startCompanion(atEnd);
  const ids = { transactionId: 'txn-1', merchantTransactionId: 'mtx-1' };
  shop.entries.push(settle(1, 'A-1', 10_001, { ...ids, occurredAt: `${next}T02:00:00.000Z` }));
  shop.records.push(wireRecord(1, `${next}T03:00:00.000Z`));
  return shop;
}

const late = shareProgram(startLate, { RECONCILIATION_ZONE: zone });
beforeAll(() => late.program.sync(days));

describe('a period', () => {
  it('covers whole days of the zone, including the last one, in each response', async () => {
    const { program } = late;
    const period = (of: string) => `from=${of}&to=${of}`;
    const shown = (of: string) => ({ from: of, to: of, zone });
    expect(await program.get<Walk>(`/walk?${period(day)}`)).toMatchObject({
      ...shown(day),
      statements: [{ opening: 0, expected: 10_001, net: 9_851, awaiting: 0, unexplained: 0 }],
    });
    expect(await program.get<Walk>(`/walk?${period(next)}`)).toMatchObject({
      ...shown(next),
      statements: [{ opening: 0, expected: 0, net: 0, awaiting: 0, unexplained: 0 }],
    });
    const ordersOf = (of: string) =>
      program.get<{ orders: OrderStatusRecord[] }>(`/orders?${period(of)}`);
    expect(await ordersOf(day)).toMatchObject({ orders: [{}], period: shown(day) });
    expect(await ordersOf(next)).toEqual({ orders: [], period: shown(next) });
    const moment = await program.get<{ orders: OrderStatusRecord[] }>(
      `/orders?from=${next}T02:30:00Z&to=${next}T03:00:00Z`,
    );
    expect(moment.orders).toEqual([]);
    const lines = async (of: string) =>
      (await (await program.app.request(`/exports/lines?${period(of)}`)).text()).split('\r\n');
    expect(await lines(next)).toHaveLength(2);
    const [, line, ...rest] = await lines(day);
    expect([line, rest.length]).toEqual([expect.stringContaining(`,${zone}`), 2]);
    const migration = await (await program.app.request(`/migration?${period(day)}`)).text();
    expect(JSON.parse(migration.trim().split('\n').at(-1) ?? '')).toMatchObject({
      ...shown(day),
      read: { report: 1 },
    });
    const csv = await (await program.app.request(`/walk?${period(day)}&format=csv`)).text();
    expect(csv).toContain(`,${day},${day},yes,0,${zone}`);
  });

  it('is rejected if it ends before it starts', async () => {
    const { program } = late;
    for (const path of ['/walk?', '/orders?', '/exports/lines?', '/migration?', '/days?']) {
      const answer = await program.app.request(`${path}from=${next}&to=${day}`);
      const { errors } = (await answer.json()) as Problem;
      expect([path, errors]).toEqual([
        path,
        [{ path: 'to', message: 'must not be before "from"' }],
      ]);
    }
  });

  it('is printed by commands', async () => {
    const { run: command } = commandsOf(late.program);
    const shown = `${day} to ${next}, both included (${zone})`;
    for (const words of [['walk'], ['orders'], ['migrate-report']]) {
      const { out } = await command(...words, '--from', day, '--to', next);
      expect([words[0], out]).toEqual([words[0], expect.stringContaining(shown)]);
    }
    const file = await command('export', 'lines', '--from', day, '--to', next);
    expect(file.err).toContain(shown);
    const open = await command('walk', '--from', day);
    expect(open.out).toContain(`from ${day} on (${zone})`);
  });
});

describe('filters of exceptions', () => {
  const shared = shareProgram((atEnd) => startShop(1, atEnd));
  beforeAll(() => shared.program.sync(shopDays()));

  it('apply to sums and the exit code', async () => {
    const { program } = shared;
    const summaryOf = (query: string) => program.get<ReconciliationSummary>(`/summary${query}`);
    expect((await summaryOf('?code=STATUS_DISAGREES')).exceptions).toHaveLength(1);
    expect((await summaryOf('?code=CHARGEBACK_OPEN')).exceptions).toEqual([]);
    expect((await summaryOf('?currency=JPY')).exceptions).toEqual([]);
    const { run: command } = commandsOf(program);
    expect(await command('exceptions', '--code', 'STATUS_DISAGREES')).toMatchObject({ code: 2 });
    const none = await command('exceptions', '--currency', 'JPY');
    expect(none).toMatchObject({ code: 0, out: '', err: 'No matching exceptions.' });
  });

  it('exclude ignored cases from the amount and count them', async () => {
    const { program } = shared;
    const { cases } = await program.get<{ cases: CaseRecord[] }>('/cases');
    const headers = { 'idempotency-key': 'key-1' };
    await program.post(`/cases/${cases[0]?.id}/ignore`, { reason: 'small' }, headers);
    const { exceptions } = await program.get<ReconciliationSummary>('/summary');
    expect(exceptions).toMatchObject([{ open: 0, count: 1, ignored: 1, amount: 0 }]);
  });
});

describe('an unknown filter value', () => {
  it('is rejected with the known values', async () => {
    const { program } = late;
    const known = 'is unknown; known values: Northway Credit';
    for (const path of ['/walk', '/discounts', '/radar', '/orders', '/exports/lines']) {
      const answer = await program.app.request(`${path}?lender=Northway`);
      const { errors } = (await answer.json()) as Problem;
      expect([path, answer.status, errors]).toEqual([
        path,
        400,
        [{ path: 'lender', message: known }],
      ]);
    }
    const code = await program.app.request('/exceptions?code=MISSING');
    expect(((await code.json()) as Problem).errors?.[0]?.message).toMatch(
      /^must be one of .*MISSING_AT_LENDER/,
    );
    const { run: command } = commandsOf(program);
    const lender = await command('walk', '--lender', 'Northway');
    expect(lender).toMatchObject({
      code: 1,
      err: expect.stringContaining(`lender ${known}`) as unknown,
    });
    const misspelled = await command('exceptions', '--code', 'MISSING');
    expect(misspelled).toMatchObject({
      code: 1,
      err: expect.stringContaining('MISSING_AT_LENDER') as unknown,
    });
  });
});

describe('the help of import', () => {
  it('explains --map and sign= with examples', async () => {
    const { out } = await commandLine({}).run('import', '--help');
    expect(out).toMatch(/--map names the columns[^]*order, type, amount, currency, date/);
    expect(out).toMatch(/--map "order=Order No,amount=Total,date=Paid on"/);
    expect(out).toMatch(/sign= is for a word[^]*--types "sign=Transaction,skip=Payout"/);
  });
});
