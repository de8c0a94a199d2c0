import { expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';

const csv = (id: string, transaction = '') =>
  `merchantOrderId,type,amount,currency,date,transactionId\n${id},settle,10.00,USD,2026-01-01,${transaction}\n`;
const options = { units: 'major' } as const;

test.each([
  ['"=""00123"""', '00123'],
  ["'00123", '00123'],
  ["'=A-1", '=A-1'],
  ["' A-1 ", 'A-1'],
  ['"="" 00123"""', '00123'],
  ['A\u200b-1', 'A-1'],
  ['\u00adA-1\ufeff', 'A-1'],
  ['"\u00a0A-1 \u200b"', 'A-1'],
])('restores an id that a spreadsheet or web page changed: %j', async (id, order) => {
  const { ask, run } = await openLedger();
  const report = await run(csv(id, id), options);
  expect(report).toMatchObject({ applied: true, errors: [] });
  expect(report.notes).toMatchObject([
    { field: 'order', code: 'id-folded', count: 1, lines: [2] },
    { field: 'transaction', code: 'id-folded', count: 1, lines: [2] },
  ]);
  expect(await ask('select merchant_order_id, transaction_id from ledger_lines')).toEqual([
    { merchant_order_id: order, transaction_id: order },
  ]);
  // The original notation yields the same line.
  expect(await run(csv(order, order), options)).toMatchObject({ repeated: 1, notes: [] });
});

test.each(['1001.0', '"1001,0"', 'nan', 'NaN', 'NULL', 'None', 'N/A', '<NA>'])(
  'rejects a placeholder for a lost id: %s',
  async (id) => {
    const { run } = await openLedger();
    for (const [file, field] of [
      [csv(id), 'order'],
      [csv('A-1', id), 'transaction'],
    ] as const) {
      const report = await run(file, options);
      expect(report).toMatchObject({
        applied: false,
        errors: [{ line: 2, field, code: 'spreadsheet-value' }],
      });
    }
  },
);

test('reports an id that consists only of invisible characters as missing', async () => {
  const { run } = await openLedger();
  expect(await run(csv('\u200b\u00ad'), options)).toMatchObject({
    errors: [{ field: 'order', code: 'missing' }],
  });
});

const exported = (order: string, key: string) =>
  `order,order_key,currency,source,type,amount,at,transaction_id,merchant_transaction_id,zone
A-1,order:A-1,USD,ledger,Settle,1.00,2026-01-01T00:00:00Z,,,UTC
${order},${key},USD,ledger,Settle,10.00,2026-01-01T00:00:00Z,,,UTC
`;

test('refuses a row whose order contradicts its key, and reports the line', async () => {
  const { run } = await openLedger();
  const report = await run(exported('12345', 'order:00012345'));
  expect(report).toMatchObject({
    applied: false,
    errors: [{ line: 3, field: 'order', code: 'row-contradicts' }],
  });
  expect(report.errors[0]?.message).toMatch(/order_key.*leading zeros/);
  expect(JSON.stringify(report.errors)).not.toContain('12345');
});

test.each([
  ['00012345', 'order:00012345'],
  // Keys of other programs say nothing about the order.
  ['12345', 'wc_order_00012345'],
  ['12345', ''],
])('accepts the order %s together with the key %s', async (order, key) => {
  const { run } = await openLedger();
  expect(await run(exported(order, key))).toMatchObject({ errors: [], added: 2 });
});

test('withdraws lines that were imported from rows with contradicting keys', async () => {
  const { run } = await openLedger();
  await run(exported('12345', ''));
  const file = exported('12345', 'order:00012345');
  expect(await run(file, { withdraw: true })).toMatchObject({ errors: [], withdrawn: 2 });
});
