import { expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';

const csv = (...rows: string[]) => ['merchantOrderId,type,amount,date', ...rows, ''].join('\n');
const options = { units: 'major', currency: 'USD' } as const;

test('skips rows without an amount, order or type if declared, and counts and lists them', async () => {
  const { run } = await openLedger();
  const file = csv(
    'A-1,settle,1.00,2026-01-01',
    ',settle,2.00,2026-01-01',
    'A-2,settle,,2026-01-01',
    'A-3,settle,0.00,2026-01-01',
    'A-4,,3.00,2026-01-01',
    ',,6.00,',
  );
  expect(await run(file, options)).toMatchObject({ applied: false, skipped: 0, leftOut: [] });
  const report = await run(file, { ...options, skipRowsWithout: ['order', 'amount', 'type'] });
  expect(report).toMatchObject({ applied: true, lines: 6, added: 1, skipped: 5 });
  expect(report.leftOut).toEqual([
    { reason: 'without-order', count: 2, lines: [3, 7] },
    { reason: 'without-amount', count: 2, lines: [4, 5] },
    { reason: 'without-type', count: 1, lines: [6] },
  ]);
});

test('skips rows with undeclared type words if declared, and lists the words', async () => {
  const { run } = await openLedger();
  const file = csv(
    'A-1,Sale,1.00,2026-01-01',
    'A-1,Fee,0.10,2026-01-01',
    'A-2,Payout,9,2026-01-01',
  );
  const types = { settle: ['Sale'], skip: ['Payout'] };
  const unknown = await run(file, { ...options, types });
  expect(unknown).toMatchObject({ applied: false, unknownTypes: [{ word: 'Fee', count: 1 }] });
  const report = await run(file, { ...options, types, skipOtherTypes: true });
  expect(report).toMatchObject({ applied: true, added: 1, skipped: 2 });
  expect(report.leftOut).toEqual([
    { reason: 'other-type', word: 'Fee', count: 1, lines: [3] },
    { reason: 'type', word: 'Payout', count: 1, lines: [4] },
  ]);
});

test('reads an array within an object, pretty-printed or on one line', async () => {
  const { run } = await openLedger();
  const line = {
    merchantOrderId: 'A-1',
    type: 'settle',
    amount: 5,
    currency: 'USD',
    date: '2026-01-01',
  };
  const list = {
    object: 'list',
    total: 2,
    data: [line, { ...line, merchantOrderId: 'A-2', amount: 'x' }],
    more: false,
  };
  for (const spaces of [0, 2]) {
    const report = await run(JSON.stringify(list, null, spaces), { dryRun: true });
    expect(report).toMatchObject({
      lines: 2,
      errorCount: 1,
      errors: [{ line: spaces === 0 ? 2 : 12 }],
    });
  }
  const own = { items: [{ sku: 1 }], ...line };
  expect(await run(`${JSON.stringify(own)}\n`, { dryRun: true })).toMatchObject({ added: 1 });
});

test('rejects a repeated JSON key, because it is undefined which one counts', async () => {
  const { run } = await openLedger();
  const text =
    '{"merchantOrderId":"A-1","type":"settle","amount":5,"currency":"USD","date":"2026-01-01","amount":500}';
  for (const file of [text, `[${text}]`]) {
    expect(await run(file)).toMatchObject({
      applied: false,
      errors: [{ line: 1, code: 'key-twice', message: 'has the key "amount" twice' }],
    });
  }
});
