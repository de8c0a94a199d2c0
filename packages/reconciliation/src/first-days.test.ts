import type {
  CaseRecord,
  OrderStatusRecord,
  ReconciliationSummary,
  Today,
  TrailEntry,
} from '@financing-checkout/contract/reconciliation';
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

  await importLines(program, lines, '?options={"withdraw":true}');
  expect(await headlinesOf(program)).toEqual({ NOT_IN_LEDGER: all.length });
  expect(await program.get<StatusRecord>('/status')).toMatchObject({ ledger: 'ready' });
});

test('judges with the companion’s ledger alone, without an import', async () => {
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

const answered = (program: Running, body: object, key: string) =>
  program.post('/ledger-starts', body, { 'idempotency-key': key });

/** Returns the `ledger-start` items of today. */
async function questionsOf(program: Running) {
  const { amounts, counts, items } = await program.get<Today>('/today');
  const asked = items.filter(({ kind }) => kind === 'ledger-start');
  expect(counts['ledger-start']).toBe(asked.length);
  return { asked, amounts: amounts['ledger-start'] };
}

const amountOf = (indexes: readonly number[]) =>
  indexes.reduce((sum, index) => sum + 10_000 + index, 0);
const numbersOf = (day: number) =>
  Array.from({ length: EACH_DAY }, (_, index) => day * EACH_DAY + index);

/** Runs a shop whose ledger begins after fundings of a second lender, and after all of a third. */
async function runLateLenders(
  variables: Record<string, string> = { RECONCILIATION_DEFAULT_CURRENCY: 'USD' },
) {
  const shop = await startCompanion();
  const later = { lenderName: 'Meadow Credit' };
  const equal = { transactionAmount: '100.00', discountAmount: '0.00', netAmount: '100.00' };
  shop.records.push(
    ...fundingsOf(6, { lenderName: 'Quillmoor', ...equal }),
    ...fundingsOf(4),
    ...fundingsOf(3, later),
    ...fundingsOf(1, later),
  );
  const program = await run(configure(shop, variables));
  await program.sync({ from: dayBefore(8), to: dayBefore(0) });
  expect(await questionsOf(program)).toEqual({ asked: [], amounts: undefined });
  await importLines(program, [
    ...numbersOf(4).map((index) => lineOf(index, 5)),
    ...numbersOf(1).map((index) => lineOf(index, 2)),
  ]);
  return program;
}

test('asks about fundings from before the first line of their lender or currency, until answered', async () => {
  const program = await runLateLenders();
  const meadow = {
    kind: 'ledger-start',
    id: 'USD Meadow Credit',
    code: 'lender',
    count: EACH_DAY,
    amount: amountOf(numbersOf(3)),
    currency: 'USD',
    lender: 'Meadow Credit',
    day: dayBefore(2),
    since: `${dayBefore(3)}T00:00:00.000Z`,
  };
  const { asked, amounts } = await questionsOf(program);
  const quillmoor = EACH_DAY * 10_000;
  expect(asked).toEqual([
    meadow,
    {
      ...meadow,
      id: 'USD Quillmoor',
      code: 'currency',
      amount: quillmoor,
      lender: 'Quillmoor',
      day: dayBefore(5),
      since: `${dayBefore(6)}T00:00:00.000Z`,
    },
  ]);
  expect(amounts).toEqual([{ currency: 'USD', amount: quillmoor + amountOf(numbersOf(3)) }]);

  const elsewhere = { currency: 'USD', lender: 'Quillmoor', answer: 'elsewhere', by: 'Anna' };
  const missing = { currency: 'USD', lender: 'Meadow Credit', answer: 'missing', reason: 'A file' };
  expect((await answered(program, elsewhere, 'one')).status).toBe(200);
  expect(await questionsOf(program)).toMatchObject({ asked: [meadow] });
  expect(await reported(program)).toEqual({ exceptions: [], cases: 0 });
  expect((await answered(program, missing, 'two')).status).toBe(200);
  const judged = {
    exceptions: [['NOT_IN_LEDGER', EACH_DAY, amountOf(numbersOf(3))]],
    cases: EACH_DAY,
  };
  expect(await questionsOf(program)).toMatchObject({ asked: [] });
  expect(await reported(program)).toEqual(judged);

  const path = '/trail?kind=ledger-start';
  const { entries } = await program.get<{ entries: TrailEntry[] }>(path);
  expect(entries).toMatchObject([
    {
      subject: 'USD Meadow Credit',
      detail: { answer: 'missing', reason: 'A file' },
      outcome: 'done',
    },
    { subject: 'USD Quillmoor', detail: { answer: 'elsewhere' }, outcome: 'done' },
  ]);
  expect(entries.find(({ subject }) => subject === 'USD Quillmoor')?.actor).toContain('Anna');

  // The answers are facts: a new analytics database, and another process, know them.
  expect((await program.post('/rebuild', {})).status).toBe(200);
  expect(await reported(program)).toEqual(judged);
  await program.stop();
  const next = await run(program.config);
  expect(await questionsOf(next)).toMatchObject({ asked: [] });
  expect(await reported(next)).toEqual(judged);

  // The last answer counts.
  expect((await answered(next, { ...missing, answer: 'elsewhere' }, 'three')).status).toBe(200);
  expect(await questionsOf(next)).toMatchObject({ asked: [] });
  expect((await reported(next)).exceptions).toEqual([]);
});

test('an import of older lines answers the question about a lender’s first line', async () => {
  const program = await runLateLenders();
  const [missing = 0, ...recorded] = numbersOf(3);
  await importLines(
    program,
    recorded.map((index) => lineOf(index, 4)),
  );
  const { asked } = await questionsOf(program);
  expect(asked).toMatchObject([{ id: 'USD Quillmoor' }]);
  expect(await reported(program)).toEqual({
    exceptions: [['NOT_IN_LEDGER', 1, amountOf([missing])]],
    cases: 1,
  });
});

test('asks about a currency without a ledger line', async () => {
  const program = await runLateLenders({ RECONCILIATION_DEFAULT_CURRENCY: 'EUR' });
  const { asked } = await questionsOf(program);
  expect(asked.map(({ code, day, id }) => [id, code, day])).toEqual([
    ['EUR Meadow Credit', 'none', undefined],
    ['EUR Quillmoor', 'none', undefined],
  ]);
});

test('adds no amount of an assumed currency to the sum of the questions', async () => {
  const program = await runLateLenders({});
  const { asked, amounts } = await questionsOf(program);
  expect(asked.map(({ currencyAssumed }) => currencyAssumed)).toEqual([true, true]);
  expect(amounts).toBeUndefined();
  const { assumed } = await program.get<Today>('/today');
  expect(assumed['ledger-start']).toBe(2);
});

test('refuses an answer about a lender without fundings in the currency', async () => {
  const program = await runLateLenders();
  const body = { currency: 'EUR', lender: 'Meadow Credit', answer: 'missing' };
  expect((await answered(program, body, 'one')).status).toBe(404);
  const path = '/trail?kind=ledger-start';
  expect((await program.get<{ entries: TrailEntry[] }>(path)).entries).toEqual([]);
});
