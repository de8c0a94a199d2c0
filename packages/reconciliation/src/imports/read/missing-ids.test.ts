import { expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';

const header = 'merchantOrderId,amount,date,transactionId';
const options = { units: 'major', currency: 'USD', type: 'settle' } as const;
const map = { transaction: 'txn' };
const rows = (...lines: string[]) => `${lines.join('\n')}\n`;
const record = (more: object) =>
  JSON.stringify({ merchantOrderId: 'A-1', amount: 1000, date: '2026-01-01', ...more });

test('refuses a row that ends before an id column, and accepts an empty cell', async () => {
  const { run } = await openLedger();
  const cut = rows(header, 'A-1,10.00,2026-01-01,T-1', 'A-2,20.00,2026-01-01');
  expect(await run(cut, options)).toMatchObject({
    applied: false,
    errors: [
      {
        line: 3,
        field: 'transaction',
        code: 'missing',
        message: expect.stringMatching(/^transactionId is not in this row: .*empty/) as string,
      },
    ],
  });
  const empty = rows(header, 'A-1,10.00,2026-01-01,T-1', 'A-2,20.00,2026-01-01,');
  expect(await run(empty, options)).toMatchObject({ applied: true, added: 2 });
  // The row may have been imported before.
  expect(await run(cut, { ...options, withdraw: true })).toMatchObject({ withdrawn: 2 });
});

test('refuses a record without an id key that the mapping names, and accepts null', async () => {
  const { run } = await openLedger();
  const json = { currency: 'USD', type: 'settle', map } as const;
  const lacking = rows(record({ txn: 'T-1' }), record({}));
  for (const text of [lacking, `[${lacking.trim().replace('\n', ',\n')}]`]) {
    expect(await run(text, json)).toMatchObject({
      applied: false,
      errors: [{ line: 2, field: 'transaction', code: 'missing' }],
    });
  }
  expect(await run(rows(record({ txn: 'T-1' }), record({ txn: null })), json)).toMatchObject({
    applied: true,
    added: 2,
  });
  // Id keys are optional without a mapping.
  const usual = rows(record({ transactionId: 'T-2', amount: 7 }), record({ amount: 5 }));
  const other = await openLedger();
  expect(await other.run(usual, { ...json, map: {} })).toMatchObject({
    applied: true,
    added: 2,
  });
});

test.each(['\\N', 'NULL', 'None', 'undefined'])(
  'refuses %s, which databases write for an absent id',
  async (word) => {
    const { run } = await openLedger();
    const dump = rows(header, 'A-1,10.00,2026-01-01,T-1', `A-2,20.00,2026-01-01,${word}`);
    expect(await run(dump, options)).toMatchObject({
      applied: false,
      errors: [
        {
          line: 3,
          field: 'transaction',
          code: 'spreadsheet-value',
          message: expect.stringContaining('empty') as string,
        },
      ],
    });
  },
);
