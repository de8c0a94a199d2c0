import { expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';

const rows = (...lines: string[]) => `${lines.join('\n')}\n`;
const options = { units: 'major', currency: 'USD', type: 'settle' } as const;
const numbers = Array.from({ length: 226 }, (_, index) => index);
const first = numbers.slice(0, 20).map((index) => index + 2);

test('reports an error in 226 rows once, with its count and first line numbers', async () => {
  const { run } = await openLedger();
  const file = rows(
    'merchantOrderId,amount,date',
    ...numbers.map((index) => `A-${index},10.00,soon`),
    'A-1,x,2026-01-01',
  );
  const report = await run(file, options);
  expect(report).toMatchObject({ applied: false, errorCount: 227 });
  expect(report.errors).toEqual([
    {
      line: 2,
      field: 'date',
      code: 'date-invalid',
      count: 226,
      lines: first,
      message: expect.stringMatching(/^date /) as string,
    },
    {
      line: 228,
      field: 'amount',
      code: 'amount-invalid',
      count: 1,
      lines: [228],
      message: expect.stringMatching(/^amount /) as string,
    },
  ]);
});

test('reports once that 226 lines contradict the ledger, and each other', async () => {
  const { run } = await openLedger();
  const header = 'merchantOrderId,transactionId,amount,date';
  const line = (index: number, amount: number) => `A-${index},T-${index},${amount},2026-01-01`;
  await run(rows(header, ...numbers.map((index) => line(index, 10))), options);
  const again = await run(rows(header, ...numbers.map((index) => line(index, 11))), options);
  expect(again).toMatchObject({
    applied: false,
    errorCount: 226,
    errors: [{ line: 2, code: 'line-contradicts', count: 226, lines: first }],
  });
  expect(again.errors).toHaveLength(1);
  const twice = await run(
    rows(header, line(900, 10), line(901, 10), line(901, 11), line(900, 11), line(901, 12)),
    options,
  );
  expect(twice).toMatchObject({
    errorCount: 3,
    errors: [
      { line: 4, count: 2, lines: [4, 6], message: expect.stringContaining('line 3 ') as string },
      { line: 5, count: 1, lines: [5], message: expect.stringContaining('line 2 ') as string },
    ],
  });
});

test('counts all errors of a file with more kinds of errors than are listed', async () => {
  const { run } = await openLedger();
  const header = 'merchantOrderId,transactionId,amount,date';
  const pairs = Array.from({ length: 1_001 }, (_, index) => index);
  const line = (index: number, amount: number) => `A-${index},T-${index},${amount},2026-01-01`;
  const file = rows(header, ...pairs.flatMap((index) => [line(index, 1), line(index, 2)]));
  const { errors, errorCount } = await run(file, options);
  expect([errors.length, errorCount]).toEqual([1_000, 1_001]);
});
