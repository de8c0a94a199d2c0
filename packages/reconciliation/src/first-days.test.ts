import type {
  CaseRecord,
  OrderStatusRecord,
  ReconciliationSummary,
  Today,
} from '@financing-checkout/contract';
import { expect, test } from 'vitest';
import { settle, startCompanion } from './companion/companion.fixture.ts';
import type { StatusRecord } from './http/schemas.ts';
import { configure, dayBefore, run, type Running } from './program.fixture.ts';
import { wireRecord } from './sync/history.fixture.ts';

const EACH_DAY = 40;
const DAYS_BEFORE = 5;

/** Adds the fundings of a day, by default of orders with consecutive numbers. */
const fundingsOf = (day: number, change: Record<string, unknown> = {}) =>
  Array.from({ length: EACH_DAY }, (_, index) =>
    wireRecord(day * EACH_DAY + index, `${dayBefore(day)}T00:00:00.000Z`, change),
  );

const lineOf = (index: number, day: number) => ({
  merchantOrderId: `A-${index}`,
  type: 'settle',
  amount: 10_000 + index,
  currency: 'USD',
  date: `${dayBefore(day)}T00:00:00.000Z`,
  transactionId: `txn-${index}`,
});

async function importLines(program: Running, lines: readonly object[], query = '') {
  const response = await program.app.request(`/ledger${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  return response.json();
}

/** Returns the exceptions, with their number and amount, and the number of open cases. */
async function reported(program: Running) {
  const { exceptions } = await program.get<ReconciliationSummary>('/summary');
  const { cases } = await program.get<{ cases: CaseRecord[] }>('/cases?state=open&limit=1000');
  return {
    exceptions: exceptions.map(({ code, count, amount }) => [code, count, amount]),
    cases: cases.length,
  };
}

async function headlinesOf(program: Running) {
  const { orders } = await program.get<{ orders: OrderStatusRecord[] }>('/orders?limit=1000');
  const counts: Record<string, number> = {};
  for (const { headline } of orders) counts[headline] = (counts[headline] ?? 0) + 1;
  return counts;
}

const days = Array.from({ length: DAYS_BEFORE + 3 }, (_, index) => DAYS_BEFORE + 2 - index);

test('opens no case in the first three days, until a ledger exists', async () => {
  const shop = await startCompanion();
  for (const day of days.filter((day) => day >= 3)) shop.records.push(...fundingsOf(day));
  const program = await run(configure(shop, { RECONCILIATION_DEFAULT_CURRENCY: 'USD' }));
  for (const today of [2, 1, 0]) {
    shop.records.push(...fundingsOf(today));
    await program.sync({ from: dayBefore(DAYS_BEFORE + 3), to: dayBefore(today) });
    expect(await reported(program)).toEqual({ exceptions: [], cases: 0 });
  }
  expect(await headlinesOf(program)).toEqual({ BEFORE_LEDGER: days.length * EACH_DAY });
  expect(await program.get<StatusRecord>('/status')).toMatchObject({ ledger: 'set-up' });
  expect(await program.get<Today>('/today')).toMatchObject({ ledger: 'set-up', items: [] });

  // The ledger has all orders except the last one of the first day.
  const all = days.flatMap((day) =>
    Array.from({ length: EACH_DAY }, (_, index) => lineOf(day * EACH_DAY + index, day + 1)),
  );
  const missing = days[0] === undefined ? 0 : (days[0] + 1) * EACH_DAY - 1;
  const lines = all.filter(({ merchantOrderId }) => merchantOrderId !== `A-${missing}`);
  await importLines(program, lines);
  expect(await headlinesOf(program)).toEqual({ FUNDED: lines.length, NOT_IN_LEDGER: 1 });
  expect(await reported(program)).toEqual({
    exceptions: [['NOT_IN_LEDGER', 1, 10_000 + missing]],
    cases: 1,
  });
  expect(await program.get<StatusRecord>('/status')).toMatchObject({ ledger: 'ready' });
  expect(await program.get<Today>('/today')).toMatchObject({ ledger: 'ready' });

  await importLines(program, lines, '?withdraw=true');
  expect(await headlinesOf(program)).toEqual({ NOT_IN_LEDGER: all.length });
  expect(await program.get<StatusRecord>('/status')).toMatchObject({ ledger: 'ready' });
});

test('judges by the companion’s ledger alone, without an import', async () => {
  const shop = await startCompanion();
  shop.records.push(...fundingsOf(1));
  shop.entries.push(
    ...Array.from({ length: EACH_DAY - 1 }, (_, index) =>
      settle(index + 1, `A-${EACH_DAY + index}`, 10_000 + EACH_DAY + index, {
        transactionId: `txn-${EACH_DAY + index}`,
        merchantTransactionId: `mtx-${EACH_DAY + index}`,
        occurredAt: `${dayBefore(2)}T00:00:00.000Z`,
      }),
    ),
  );
  const program = await run(configure(shop));
  await program.sync({ from: dayBefore(3), to: dayBefore(0) });
  expect(await program.get<StatusRecord>('/status')).toMatchObject({ ledger: 'ready' });
  expect(await headlinesOf(program)).toEqual({ FUNDED: EACH_DAY - 1, NOT_IN_LEDGER: 1 });
});

test('does not report fundings from before the first line of their lender or currency', async () => {
  const shop = await startCompanion();
  const euro = { currency: 'EUR' };
  const later = { lenderName: 'Meadow Credit' };
  shop.records.push(...fundingsOf(4), ...fundingsOf(3, later), ...fundingsOf(1, later));
  const program = await run(configure(shop, { RECONCILIATION_DEFAULT_CURRENCY: 'USD' }));
  await program.sync({ from: dayBefore(8), to: dayBefore(0) });
  const numbers = (day: number) =>
    Array.from({ length: EACH_DAY }, (_, index) => day * EACH_DAY + index);
  const ofFirst = numbers(4).slice(1);
  const ofLater = numbers(1).slice(1);
  await importLines(program, [
    ...ofFirst.map((index) => lineOf(index, 5)),
    ...ofLater.map((index) => lineOf(index, 2)),
    { ...lineOf(1_000, 2), ...euro },
  ]);
  // One order of each lender is missing; all orders of day 3 are older than the lender's ledger.
  expect(await headlinesOf(program)).toMatchObject({
    FUNDED: ofFirst.length + ofLater.length,
    NOT_IN_LEDGER: 2,
    BEFORE_LEDGER: EACH_DAY,
  });
  const { orders } = await program.get<{ orders: OrderStatusRecord[] }>(
    `/orders?merchantOrderId=A-${3 * EACH_DAY}`,
  );
  expect(orders[0]?.reasons[0]).toBe(
    '101.20 USD was funded before the ledger begins, and is not reported as missing from it.',
  );
});
