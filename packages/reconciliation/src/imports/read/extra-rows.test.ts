import { expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';

const rows = (...lines: string[]) => `${lines.join('\n')}\n`;
const options = { units: 'major', currency: 'USD', type: 'settle' } as const;
const header = 'merchantOrderId,amount,date';

const withTotals = rows(
  header,
  'A-1,10.00,2026-01-01',
  'Subtotal,10.00,2026-01-01',
  'A-2,20.00,2026-01-01',
  'Grand Total,30.00,2026-01-01',
);

test('asks about rows with the sum of the rows above, skips them after confirmation, and counts them', async () => {
  const { lines, run } = await openLedger();
  const asked = await run(withTotals, options);
  expect(asked).toMatchObject({
    applied: false,
    added: 0,
    lines: 4,
    skipped: 0,
    errorCount: 1,
    extraRows: [{ reason: 'total', count: 2, lines: [3, 5] }],
    errors: [{ line: 3, code: 'extra-rows' }],
    totals: [{ count: 2, amount: '3000' }],
  });
  expect(asked.errors[0]?.message).toMatch(/`extra-rows` to skip .* or keep/);
  expect(await run(withTotals, { ...options, extraRows: 'skip' })).toMatchObject({
    applied: true,
    added: 2,
    lines: 4,
    skipped: 2,
    extraRows: [],
    leftOut: [{ reason: 'total', count: 2, lines: [3, 5] }],
  });
  expect((await lines()).map(({ amount }) => amount)).toEqual([1000, 2000]);
});

test('reads total rows as lines if declared, and in a withdrawal without a declaration', async () => {
  const { lines, run } = await openLedger();
  const kept = await run(withTotals, { ...options, extraRows: 'keep' });
  expect(kept).toMatchObject({ applied: true, added: 4 });
  expect(await run(withTotals, { ...options, withdraw: true })).toMatchObject({ withdrawn: 4 });
  expect(await lines()).toEqual([]);
});

/** The layout of a payout report: a title, a header row and a total for each payout. */
const payouts = rows(
  'Payout of 1 March,,,',
  'order,date,gross,reference',
  'A-1,2026-03-01,10.00,r1',
  'A-2,2026-03-01,15.50,r2',
  ',,25.50,',
  'Payout of 2 March,,,',
  'order,date,gross,reference',
  'A-3,2026-03-02,7.00,r3',
  ',,7.00,',
  ',,32.50,Total of both',
);
const map = { order: 'order', date: 'date', amount: 'gross', merchantTransaction: 'reference' };

test('recognizes titles, header rows and totals in a file with a header row per section', async () => {
  const { run } = await openLedger();
  expect(await run(payouts, { ...options, map })).toMatchObject({
    errorCount: 1,
    extraRows: [
      { reason: 'total', count: 3, lines: [5, 9, 10] },
      { reason: 'label', count: 1, lines: [6] },
      { reason: 'header', count: 1, lines: [7] },
    ],
  });
  expect(await run(payouts, { ...options, map, extraRows: 'skip' })).toMatchObject({
    applied: true,
    added: 3,
    skipped: 5,
    totals: [{ count: 3, amount: '3250' }],
  });
});

test('does not mistake orders with the same amount, or a line without an order, for totals', async () => {
  const { run } = await openLedger();
  const same = rows(header, 'A-1,10.00,2026-01-01', 'A-2,10.00,2026-01-01', 'A-3,20.00,2026-01-01');
  expect(await run(same, options)).toMatchObject({ added: 3, extraRows: [], errors: [] });
  const named = rows(header, 'anna,10.00,2026-01-01', 'bea,10.00,2026-01-01');
  expect(await run(named, options)).toMatchObject({ added: 2, extraRows: [], errors: [] });
  const lacking = rows(header, 'A-1,10.00,2026-01-01', ',10.00,2026-01-01');
  expect(await run(lacking, options)).toMatchObject({ errors: [{ line: 3, code: 'missing' }] });
});

test('skips rows in which any declared field or column is empty', async () => {
  const { run } = await openLedger();
  const file = rows(
    'merchantOrderId,amount,date,Payout id',
    'A-1,1.00,2026-01-01,P-1',
    'A-2,2.00,,P-1',
    'A-3,3.00,2026-01-01,',
  );
  const report = await run(file, { ...options, skipRowsWithout: ['date', 'Payout id'] });
  expect(report).toMatchObject({ applied: true, added: 1, skipped: 2 });
  expect(report.leftOut).toEqual([
    { reason: 'without-date', count: 1, lines: [3] },
    { reason: 'without-column', word: 'Payout id', count: 1, lines: [4] },
  ]);
  expect(await run(file, { ...options, skipRowsWithout: ['Payout'] })).toMatchObject({
    applied: false,
    errors: [{ message: expect.stringContaining('names no column "Payout"') as string }],
  });
});

test('counts a line once in the totals, regardless of how often the file repeats it', async () => {
  const { run } = await openLedger();
  const file = rows(
    `${header},transactionId,merchantTransactionId`,
    'A-1,10.00,2026-01-01,T-1,',
    'A-1,10.00,2026-01-01,T-1,',
    'A-1,10.00,2026-01-01,T-1,M-1',
    'A-2,5.00,2026-01-01,T-2,',
  );
  expect(await run(file, options)).toMatchObject({
    added: 2,
    repeated: 2,
    totals: [{ count: 2, amount: '1500' }],
  });
});

test('reads one kind of row from a file with sections, and lists the others', async () => {
  const { lines, run } = await openLedger();
  const file = rows(
    'Kind,Sold on,Order,Gross,Currency',
    'Sale,2026-03-01,A-1,10.00,NOK',
    'Payout,Unit,Account,Fee,Refund',
    'Payout,Shop,4711,8.00,2.00',
    'Kind,Sold on,Order,Gross,Currency',
    'Sale,2026-03-02,A-2,7.00,NOK',
  );
  const mapped = {
    ...options,
    currency: undefined,
    extraRows: 'skip' as const,
    map: { order: 'Order', amount: 'Gross', date: 'Sold on', currency: 'Currency' },
  };
  // "Refund" and 2.00 are in the currency column of sales, and "Fee" looks like a currency.
  expect(await run(file, mapped)).toMatchObject({
    applied: false,
    errors: [
      { lines: [3, 4], code: 'currency-unknown' },
      { lines: [3, 4], code: 'date-invalid' },
    ],
  });
  const only = { Kind: ['Sale'] };
  expect(await run(file, { ...mapped, only })).toMatchObject({ applied: true, added: 2 });
  expect((await lines()).map(({ amount }) => amount)).toEqual([1000, 700]);
});

test.each([
  ['Opening balance', { dates: 'dmy' }],
  ['Solde au 31/01/2026', { dates: 'dmy' }],
  ['Opening balance', {}],
] as const)('treats a balance in the date column as a title: %s', async (title, notation) => {
  const { run } = await openLedger();
  const statement = rows(
    'Date;Operation;Label;Debit;Credit',
    '2026-03-02;op1;Transfer;;100.00',
    '2026-03-03;op2;Card;-30.00;',
    `${title};;;;500.00`,
  );
  const mapped = {
    ...options,
    type: undefined,
    ...notation,
    map: { order: 'Operation', settled: 'Credit', refunded: 'Debit', date: 'Date' },
  };
  expect(await run(statement, mapped)).toMatchObject({
    extraRows: [{ reason: 'label', count: 1, lines: [4] }],
    errors: [{ line: 4, code: 'extra-rows' }],
  });
  expect(await run(statement, { ...mapped, extraRows: 'skip' })).toMatchObject({ added: 2 });
});

test.each(['31-Mar-26', '03/31/2026 2:05 PM', '2026-03-31T14:05:00Z'])(
  'does not mistake a row with a date and an amount for a title: %s',
  async (date) => {
    const { run } = await openLedger();
    const file = rows(header, 'A-1,10.00,2026-01-01', `,5.00,${date}`);
    const { errors, extraRows } = await run(file, options);
    expect(extraRows).toEqual([]);
    expect(errors[0]).toMatchObject({ line: 3, field: 'order', code: 'missing' });
  },
);

test('does not mistake a row with an amount for a title, and skips it if a declared column is empty', async () => {
  const { run } = await openLedger();
  // The layout of a payment service report with a row outside any payment.
  const file = rows(
    'entity_id,type,debit,credit,currency,fee,payment_id,created_at',
    'pay_1,payment,0,965.78,INR,29.00,pay_1,2026-03-02T09:00:00Z',
    'trf_1,transfer,100.00,0,INR,0,,2026-03-02T12:00:00Z',
    'adj_1,adjustment,0,5.00,INR,0,,',
  );
  const mapped = {
    units: 'major' as const,
    map: {
      order: 'payment_id',
      settled: 'credit',
      refunded: 'debit',
      currency: 'currency',
      date: 'created_at',
    },
    types: { settle: ['payment'], skip: ['transfer'] },
  };
  const asked = await run(file, mapped);
  expect(asked).toMatchObject({ extraRows: [], leftOut: [{ reason: 'type', lines: [3] }] });
  expect(asked.errors).toMatchObject([
    { line: 4, field: 'order', code: 'missing' },
    { line: 4, field: 'type', code: 'type-unknown' },
    { line: 4, field: 'date', code: 'missing' },
  ]);
  expect(asked.errors[0]?.message).toContain('payment_id is missing: set `skip-rows-without`');
  for (const lacking of ['order', 'payment_id']) {
    const report = await run(file, { ...mapped, skipRowsWithout: [lacking], dryRun: true });
    expect(report).toMatchObject({ errors: [], added: 1, skipped: 2, extraRows: [] });
  }
});

test.each([
  // The amounts above this row are in several currencies.
  ['TOTAL,2207.68,0.00,', 'total'],
  ['Carried forward,2207.68,0.00,', 'label'],
])('recognizes a row with the text of a total but no order or date: %s', async (row, reason) => {
  const { run } = await openLedger();
  const file = rows(
    'ref,text,debit,credit,date',
    'A-1,transfer,,5.00,2026-03-02',
    'A-2,transfer,7.00,,2026-03-02',
    `,${row}`,
  );
  const map = { order: 'ref', settled: 'credit', refunded: 'debit', date: 'date' };
  const report = await run(file, { ...options, type: undefined, map });
  expect(report).toMatchObject({
    errors: [{ line: 4, code: 'extra-rows' }],
    extraRows: [{ reason, count: 1, lines: [4] }],
  });
});

test.each([
  ['a word in any language', 'Итого,31.00,2026-01-01'],
  ['a word with a number', 'Итого 2026,31.00,2026-01-01'],
  ['a word of another script', '合計,31.00,2026-01-01'],
  ['a word that is no total', 'Übertrag,-1.00,2026-01-01'],
])('asks about a row with %s as its order and a wrong sum', async (_, row) => {
  const { run } = await openLedger();
  const file = rows(header, 'A-1,10.00,2026-01-01', 'A-2,20.00,2026-01-01', row);
  expect(await run(file, { ...options, type: 'sign' })).toMatchObject({
    applied: false,
    errors: [{ line: 4, code: 'extra-rows' }],
    extraRows: [{ reason: 'total', count: 1, lines: [4] }],
  });
});

test.each([['Итого,30.00,2026-01-01'], ['Итого,31.00,2026-01-01']])(
  'asks about a total above the lines, and skips it after confirmation: %s',
  async (row) => {
    const { lines, run } = await openLedger();
    const file = rows(header, row, 'A-1,10.00,2026-01-01', 'A-2,20.00,2026-01-01');
    expect(await run(file, options)).toMatchObject({
      applied: false,
      lines: 3,
      extraRows: [{ reason: 'total', count: 1, lines: [2] }],
    });
    const report = await run(file, { ...options, extraRows: 'skip' });
    expect(report).toMatchObject({ applied: true, added: 2, skipped: 1 });
    expect((await lines()).map(({ amount }) => amount)).toEqual([1000, 2000]);
  },
);

test('reads an order named Total if such rows are kept, and names among orders without numbers', async () => {
  const { run } = await openLedger();
  const total = rows(header, 'A-1,10.00,2026-01-01', 'Total,5.00,2026-01-01');
  expect(await run(total, { ...options, extraRows: 'keep', dryRun: true })).toMatchObject({
    added: 2,
    errors: [],
  });
  const named = rows(header, 'anna,10.00,2026-01-01', 'bea,11.00,2026-01-02');
  expect(await run(named, { ...options, dryRun: true })).toMatchObject({ added: 2, errors: [] });
  const one = rows(header, 'anna,10.00,2026-01-01');
  expect(await run(one, { ...options, dryRun: true })).toMatchObject({ added: 1, errors: [] });
});

test('does not mistake orders of one form for totals, with letters before their numbers', async () => {
  const { run } = await openLedger();
  for (const form of ['SHOP:', 'Order ', 'SHOP-']) {
    const lines = Array.from({ length: 60 }, (_, nth) => `${form}${nth},10.00,2026-01-01`);
    const report = await run(rows(header, ...lines), { ...options, dryRun: true });
    expect(report, form).toMatchObject({ added: 60, errors: [], extraRows: [] });
  }
});

test('does not import a file that consists of totals', async () => {
  const { run } = await openLedger();
  const file = rows(header, 'Total,10.00,2026-01-01', 'Total,20.00,2026-01-02');
  expect(await run(file, options)).toMatchObject({
    applied: false,
    extraRows: [{ reason: 'total', count: 2 }],
  });
});

test('asks about each of 1,000 subtotals in a table, with right and wrong sums', async () => {
  const { run } = await openLedger();
  const blocks = Array.from({ length: 1_000 }, (_, nth) => [
    `A-${nth},10.00,2026-01-01`,
    `B-${nth},5.00,2026-01-01`,
    `Всего,${nth % 2 === 0 ? '15.00' : '16.00'},2026-01-01`,
  ]).flat();
  const file = rows(header, ...blocks);
  expect(await run(file, options)).toMatchObject({
    applied: false,
    extraRows: [{ reason: 'total', count: 1_000 }],
  });
  expect(await run(file, { ...options, extraRows: 'skip', dryRun: true })).toMatchObject({
    errors: [],
    added: 2_000,
  });
});

test('does not import lines without an order if half of the rows have none', async () => {
  const { run } = await openLedger();
  const lines = Array.from(
    { length: 40 },
    (_, nth) => `${nth % 2 === 0 ? `A-${nth}` : ''},10.00,2026-01-01`,
  );
  const report = await run(rows(header, ...lines), options);
  expect(report.applied).toBe(false);
  expect(report.errors).toContainEqual(
    expect.objectContaining({ field: 'order', code: 'missing', line: 3, count: 20 }),
  );
});

test.each([
  ['Straße,Betrag,Groesse,Datum', 'STRASSE,BETRAG,GROESSE,DATUM'],
  ['Sipariş,Tutarı,İşlem,Tarih', 'SİPARİŞ,TUTARI,İŞLEM,TARİH'],
  ['Αριθμός,Ποσό,Είδος,Ημέρα', 'ΑΡΙΘΜΟΣ,ΠΟΣΟ,ΕΙΔΟΣ,ΗΜΕΡΑ'],
])('recognizes a repeated header row in capital letters: %s', async (names, capitals) => {
  const { run } = await openLedger();
  const [order = '', amount = '', , date = ''] = names.split(',');
  const file = rows(names, 'A-1,10.00,x,2026-01-01', capitals, 'A-2,20.00,x,2026-01-01');
  expect(await run(file, { ...options, map: { order, amount, date } })).toMatchObject({
    extraRows: [{ reason: 'header', count: 1, lines: [3] }],
  });
});
