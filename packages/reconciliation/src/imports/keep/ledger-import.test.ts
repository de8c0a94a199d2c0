import { readdirSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytes, NOW, openLedger, upload } from './ledger.fixture.ts';
import { ImportBusyError, LedgerImportError } from '../import-error.ts';
import type { LedgerImportOptions } from '../read/options.ts';

const line = (change: Record<string, unknown> = {}) => ({
  merchantOrderId: 'A-1001',
  type: 'settle',
  amount: 27_499,
  currency: 'USD',
  date: '2026-03-01T10:00:00.000Z',
  transactionId: 'txn-1',
  merchantTransactionId: 'M-1',
  chargeId: 'chg-1',
  ...change,
});
const ndjson = (...lines: object[]) => lines.map((it) => `${JSON.stringify(it)}\n`).join('');

describe('ledger import', () => {
  test('reads the sandbox’s ledger without a mapping, and marks its orders as changed', async () => {
    const { lines: stored, dirty, run } = await openLedger();
    const report = await run(
      ndjson(line(), line({ type: 'refund', amount: 99, merchantTransactionId: 'M-2' })),
    );
    expect(report).toEqual({
      zone: 'UTC',
      dryRun: false,
      closed: [],
      applied: true,
      lines: 2,
      added: 2,
      withdrawn: 0,
      repeated: 0,
      skipped: 0,
      leftOut: [],
      extraRows: [],
      sheetCells: [],
      notes: [],
      unknownTypes: [],
      alike: 0,
      replaced: 0,
      lookAlikeCount: 0,
      lookAlikes: [],
      difference: undefined,
      totals: [
        { currency: 'USD', type: 'Settle', count: 1, amount: '27499' },
        { currency: 'USD', type: 'Refund', count: 1, amount: '99' },
      ],
      errorCount: 0,
      errors: [],
    });
    expect(await stored()).toEqual([
      { id: 'm:Refund:M-2', amount: 99, currency: 'USD', type: 'Refund', at: line().date },
      { id: 'm:Settle:M-1', amount: 27_499, currency: 'USD', type: 'Settle', at: line().date },
    ]);
    expect(await dirty()).toEqual(['order:A-1001']);
  });

  test('reads CSV with custom columns, major units, and a declared time zone and currency', async () => {
    const { ask, scratch, lines: stored, run } = await openLedger();
    const csv =
      '\uFEFF"Order No";Kind;"Total, gross";When;Customer\r\n' +
      'A-1;Settle;12.34;2026-03-29 01:30;"Ada; Ashby"\r\n\r\n' +
      'A-2;REFUND;-0.5;2026-03-29 03:30;"a ""quoted""\nname"\r\n';
    const report = await run(csv, {
      map: { order: 'Order No', type: 'Kind', amount: 'Total, gross', date: 'When' },
      units: 'major',
      zone: 'Europe/Berlin',
      currency: 'EUR',
    });
    expect(report).toMatchObject({ applied: true, added: 2 });
    // Clocks were set forward at two o’clock.
    expect(await stored()).toMatchObject([
      { amount: 50, currency: 'EUR', type: 'Refund', at: '2026-03-29T01:30:00.000Z' },
      { amount: 1234, currency: 'EUR', type: 'Settle', at: '2026-03-29T00:30:00.000Z' },
    ]);
    expect(JSON.stringify(await ask('select * from ledger_lines'))).not.toContain('Ashby');
    expect(readdirSync(scratch).filter((file) => file.startsWith('import-'))).toEqual([]);
  });

  test('reads a file from a German accounting program, with German type words, dates and amounts', async () => {
    const { lines: stored, imports, run } = await openLedger();
    const csv =
      'sep=;\r\nAuftrag;Art;Betrag;Datum;Käufer\r\n' +
      'A-1;Rechnung;1.234,50;29.3.2026 03:30;Müller\r\n' +
      'A-1;GUTSCHRIFT;34,5-;1.4.2026;Müller\r\n';
    const options: LedgerImportOptions = {
      map: { order: 'Auftrag', type: 'Art', amount: 'Betrag', date: 'Datum' },
      types: { settle: ['Rechnung'], refund: ['Gutschrift'] },
      units: 'major',
      decimal: 'comma',
      dates: 'dmy',
      zone: 'Europe/Berlin',
      currency: 'EUR',
    };
    // Each letter is a single byte in Windows-1252 as well.
    const windows = Uint8Array.from(csv, (letter) => letter.codePointAt(0) ?? 0);
    expect(await run(windows, options)).toMatchObject({
      applied: false,
      errors: [{ message: expect.stringContaining('windows-1252') as string }],
    });
    expect(await run(windows, { ...options, encoding: 'windows-1252' })).toMatchObject({
      applied: true,
      added: 2,
    });
    expect(await stored()).toMatchObject([
      { amount: 3450, currency: 'EUR', type: 'Refund', at: '2026-03-31T22:00:00.000Z' },
      { amount: 123_450, currency: 'EUR', type: 'Settle', at: '2026-03-29T01:30:00.000Z' },
    ]);
    // The same lines in another encoding are repeated lines.
    for (const bigEndian of [false, true]) {
      const utf16 = new DataView(new ArrayBuffer(2 * csv.length + 2));
      utf16.setUint16(0, 0xfeff, !bigEndian);
      for (let at = 0; at < csv.length; at++) {
        utf16.setUint16(2 * at + 2, csv.charCodeAt(at), !bigEndian);
      }
      expect(await run(new Uint8Array(utf16.buffer), options)).toMatchObject({ repeated: 2 });
    }
    // A byte order mark takes precedence over the declared encoding.
    const marked = `\uFEFF${csv}`.replaceAll('A-1', 'Ä-1');
    for (const size of [1, 2, 3, 100]) {
      const read = await imports.run(upload(bytes(marked, size)), {
        ...options,
        encoding: 'windows-1252',
      });
      expect(read).toMatchObject({ errors: [] });
    }
    const orders = (await stored()).map(({ id }) => id.split(':').at(-1));
    expect(orders.toSorted()).toEqual(['A-1', 'A-1', 'Ä-1', 'Ä-1']);
  });

  test.each([';', '|', ',', '\t'])('reads a file that declares its separator: %j', async (by) => {
    const { run } = await openLedger();
    const rows = ['merchantOrderId,type,amount,currency,date', 'A-1,settle,1,USD,2026-01-01'];
    const csv = [`sep=${by}`, ...rows.map((row) => row.replaceAll(',', by))].join('\r\n');
    expect(await run(csv, { units: 'minor' })).toMatchObject({ added: 1, errors: [] });
  });

  test('uses a declared type or the sign if there is no type column', async () => {
    const { lines: stored, run } = await openLedger();
    const csv = (...amounts: string[]) =>
      'merchantOrderId,amount,date,currency\n' +
      amounts.map((amount, at) => `A-${at},${amount},2026-01-0${at + 1},USD\n`).join('');
    expect(await run(csv('1', '-2'), { units: 'minor' })).toMatchObject({
      errors: [{ message: expect.stringContaining('names no column "type"') as string }],
    });
    expect(await run(csv('1', '-2'), { units: 'minor', type: 'settle' })).toMatchObject({
      errors: [{ line: 3, field: 'amount', code: 'amount-negative' }],
    });
    expect(await run(csv('1', '-2', 'x'), { units: 'minor', type: 'sign' })).toMatchObject({
      errors: [{ line: 4, field: 'amount', code: 'amount-invalid' }],
    });
    expect(await run(csv('1', '-2'), { units: 'minor', type: 'sign' })).toMatchObject({ added: 2 });
    const refunds = { units: 'minor', type: 'refund', keepBoth: true } as const;
    expect(await run(csv('30', '-40'), refunds)).toMatchObject({
      added: 2,
    });
    const lines = await stored();
    expect(lines.map(({ type, amount }) => `${type} ${amount}`).toSorted()).toEqual([
      'Refund 2',
      'Refund 30',
      'Refund 40',
      'Settle 1',
    ]);
    // A line with its own type keeps it.
    const said = ndjson(line({ type: 'refund', amount: 5 }), line({ type: '', amount: 6 }));
    expect(await run(said, { type: 'settle', dryRun: true })).toMatchObject({
      totals: [
        { type: 'Refund', amount: '5' },
        { type: 'Settle', amount: '6' },
      ],
    });
    const some = ndjson(
      line({ type: 'PAYMENT', amount: 'of what is no amount' }),
      line({ type: 'sale', amount: 7 }),
    );
    const types = { settle: ['Sale'], skip: ['Payment'] };
    expect(await run(some, { types, dryRun: true })).toMatchObject({
      lines: 2,
      skipped: 1,
      added: 1,
      errorCount: 0,
      totals: [{ type: 'Settle', amount: '7' }],
    });
    const unknown = await run(ndjson(line({ type: 'Rechnung' })), { types: {} });
    expect(unknown.errors).toMatchObject([{ field: 'type', code: 'type-unknown' }]);
  });

  test('reads JSON numbers with a decimal point, regardless of the notation of strings', async () => {
    const { lines: stored, run } = await openLedger();
    const lines = [1.234, '1.234', '1,23'].map((amount, at) =>
      line({ amount, currency: 'KWD', merchantTransactionId: `M-${at}` }),
    );
    expect(await run(ndjson(...lines), { units: 'major', decimal: 'comma' })).toMatchObject({
      added: 3,
    });
    expect((await stored()).map(({ amount }) => amount)).toEqual([1_234, 1_234_000, 1_230]);
  });

  test('reports all errors at once, with lines and column, without the values', async () => {
    const { dirty, lines: stored, run } = await openLedger();
    const csv =
      'merchantOrderId,type,amount,currency,date\n' +
      'A-1,settle,10.00,USD,2026-01-01\n' +
      'Ada Ashby,charge,ada@example.com,USX,yesterday\n' +
      ',settle,0,USD,2026-02-30\n' +
      'A-3,settle,1.005,USD,2026-01-01,ada@example.com\n' +
      'A-4,settle,-3,USD,2026-01-01\n' +
      'A-5,settle,1.005,USD,2026-01-01\n' +
      'A-6,settle,99999999999999999,JPY,2026-01-01T24:00:00Z\n';
    const report = await run(csv, { units: 'major' });
    expect(report).toMatchObject({ applied: false, lines: 7, added: 0, errorCount: 11 });
    expect(report.errors.map(({ lines, field, code }) => [lines, field, code])).toEqual([
      [[3], 'type', 'type-unknown'],
      [[3], 'currency', 'currency-unknown'],
      [[3, 4, 8], 'date', 'date-invalid'],
      [[4], 'order', 'missing'],
      [[4], 'amount', 'amount-zero'],
      [[5], undefined, 'columns-differ'],
      [[6], 'amount', 'amount-negative'],
      [[7], 'amount', 'amount-too-precise'],
      [[8], 'amount', 'amount-too-large'],
    ]);
    expect(JSON.stringify(report)).not.toMatch(/ada/i);
    expect(await stored()).toEqual([]);
    expect(await dirty()).toEqual([]);
  });

  test.each(['\n', '\r\n', '\r'])(
    'numbers lines like an editor, with line breaks %j',
    async (end) => {
      const { run } = await openLedger();
      const rows = [
        'merchantOrderId,type,amount,date,currency,note',
        '',
        '',
        'A-1,settle,wrong,2026-01-01,USD,one',
        `A-2,settle,1,2026-01-01,USD,"two${end}lines${end}${end}and more"`,
        '',
        'A-3,settle,wrong,2026-01-01,USD,three',
      ];
      const options = { units: 'minor', dryRun: true } as const;
      const { errors } = await run(rows.join(end), options);
      expect(errors.map(({ lines }) => lines)).toEqual([[4, 10]]);
      const broken = await run(
        [...rows, '', 'A-4,settle,1"0,2026-01-01,USD,four'].join(end),
        options,
      );
      expect(broken.errors.at(-1)?.message).toMatch(/^Line 12 cannot be read as CSV/);
    },
  );

  test('counts a repeated line and rejects a contradicting one', async () => {
    const { lines: stored, run } = await openLedger();
    await run(ndjson(line()));
    const again = await run(ndjson(line(), line({ merchantTransactionId: 'M-9' }), line()));
    expect(again).toMatchObject({ applied: true, lines: 3, added: 1, repeated: 2 });
    const before = await stored();
    const other = await run(
      ndjson(
        line({ merchantTransactionId: 'M-3' }),
        line({ amount: 1 }),
        line({ merchantTransactionId: 'M-3', currency: 'EUR' }),
      ),
    );
    expect(other).toMatchObject({ applied: false, errorCount: 2 });
    expect(other.errors.map(({ line: number, message }) => [number, message])).toEqual([
      [2, expect.stringContaining('an existing ledger line')],
      [3, expect.stringContaining('line 1 of the file')],
    ]);
    for (const change of [{ transactionId: 'txn-2' }, { merchantOrderId: 'A-1002' }]) {
      expect(await run(ndjson(line(change)))).toMatchObject({ applied: false, errorCount: 1 });
    }
    expect(await stored()).toEqual(before);
  });

  test.each(['before', 'in the same file', 'after'])(
    'recognizes a line with fewer ids of its transaction, %s',
    async (when) => {
      const { lines: stored, run } = await openLedger();
      const fewer = line({ merchantTransactionId: undefined });
      const refund = line({ type: 'refund', amount: 1 });
      const files = {
        before: [ndjson(fewer), ndjson(line(), refund)],
        'in the same file': [ndjson(line(), fewer, refund)],
        after: [ndjson(line(), refund), ndjson(fewer)],
      }[when];
      for (const file of files ?? []) {
        expect(await run(file, { dryRun: true })).toMatchObject({ errorCount: 0 });
        expect(await run(file)).toMatchObject({ applied: true });
      }
      const amounts = (await stored()).map(({ amount, type }) => [type, amount]);
      expect(amounts).toEqual([
        ['Refund', 1],
        ['Settle', 27_499],
      ]);
      const otherwise = line({ merchantTransactionId: 'M-7', amount: 1 });
      const refused = await run(ndjson(otherwise, { ...fewer, amount: 1 }));
      expect(refused).toMatchObject({ applied: false });
      // The same file withdraws the lines that it added.
      for (const file of files ?? []) await run(file, { withdraw: true });
      expect(await stored()).toEqual([]);
    },
  );

  test('rejects a line that contradicts one with fewer ids of its transaction', async () => {
    const { lines: stored, run } = await openLedger();
    const fewer = line({ merchantTransactionId: undefined });
    const together = await run(ndjson(line({ amount: 5 }), fewer));
    expect(together).toMatchObject({ applied: false, errorCount: 1 });
    expect(together.errors[0]).toMatchObject({ line: 1, code: 'line-contradicts' });
    expect(together.errors[0]?.message).toContain('line 2 of the file');
    await run(ndjson(fewer));
    const later = await run(ndjson(line({ amount: 5 }), line({ currency: 'EUR' })));
    expect(later.errors.map(({ line: number, message }) => [number, message])).toEqual([
      [1, expect.stringContaining('an existing ledger line')],
      [2, expect.stringContaining('line 1 of the file')],
    ]);
    expect(await stored()).toHaveLength(1);
  });

  test('distinguishes lines without an id by their content', async () => {
    const { run } = await openLedger();
    const bare = { transactionId: null, merchantTransactionId: undefined };
    const report = await run(ndjson(line(bare), line({ ...bare, amount: 5 })));
    expect(report).toMatchObject({ added: 2, repeated: 0, alike: 0 });
    expect(await run(ndjson(line(bare)))).toMatchObject({ added: 0, repeated: 1 });
  });

  test('counts two refunds with the same amount and day and no ids as two, and recognizes the repeated file', async () => {
    const { lines: stored, run } = await openLedger();
    const bare = { transactionId: null, merchantTransactionId: undefined };
    const refund = line({ ...bare, type: 'refund', amount: 2_000 });
    // An order id may look like a line id.
    const odd = line({ ...bare, type: 'refund', amount: 2_000, merchantOrderId: '2:A-1001' });
    const lines = [refund, line(), odd, refund, line(bare), refund, odd];
    const file = ndjson(...lines);
    const wouldBe = await run(file, { dryRun: true });
    expect(wouldBe).toMatchObject({ added: 7, repeated: 0, alike: 3, errorCount: 0 });
    expect(await run(file)).toMatchObject({ applied: true, added: 7, repeated: 0, alike: 3 });
    expect(await run(JSON.stringify(lines))).toMatchObject({ added: 0, repeated: 7, alike: 3 });
    expect((await stored()).filter(({ amount }) => amount === 2_000)).toHaveLength(5);
    expect(await run(file, { withdraw: true })).toMatchObject({ withdrawn: 7, alike: 3 });
    expect(await stored()).toEqual([]);
  });

  test('distinguishes very many equal lines, page by page', async () => {
    const { run } = await openLedger();
    const bare = { transactionId: null, merchantTransactionId: undefined };
    const lines = Array.from({ length: 4_000 }, (_unused, at) =>
      line({ ...bare, amount: at < 2_500 ? 7 : 1_000 + Math.floor(at / 2) }),
    );
    const text = JSON.stringify(lines);
    const file = text.replaceAll('},', '},\n');
    expect(await run(file)).toMatchObject({ added: 4_000, repeated: 0, alike: 2_499 + 750 });
    expect(await run(text)).toMatchObject({ added: 0, repeated: 4_000 });
  });

  test('stores nothing in a dry run, and reports the effect', async () => {
    const { lines: stored, run } = await openLedger();
    await run(ndjson(line()));
    const report = await run(ndjson(line(), line({ merchantTransactionId: 'M-2' })), {
      dryRun: true,
    });
    expect(report).toMatchObject({ dryRun: true, applied: false, added: 1, repeated: 1 });
    expect(await stored()).toHaveLength(1);
  });

  test('reads a JSON array element by element, and rejects a truncated one', async () => {
    const { lines: stored, run } = await openLedger();
    const text = JSON.stringify([line(), line({ merchantTransactionId: 'M-2', note: '],[{"\\"' })]);
    expect(await run(` ${text}\n`)).toMatchObject({ applied: true, lines: 2 });
    expect(await run('[]')).toMatchObject({ applied: true, lines: 0 });
    for (const broken of [text.slice(0, -1), `${text} x`, `${text.slice(0, -1)},]`]) {
      const report = await run(broken);
      expect(report).toMatchObject({ applied: false, errorCount: 1 });
    }
    expect(await run('[1,{"a":,}]')).toMatchObject({ applied: false, errorCount: 2 });
    expect(await stored()).toHaveLength(2);
  });

  test('reads a JSON array on one line, even with repeated elements', async () => {
    const { lines: stored, run } = await openLedger();
    const twice = [line(), line({ merchantTransactionId: 'M-2' }), line()];
    const report = await run(JSON.stringify(twice));
    expect(report).toMatchObject({ applied: true, added: 2, repeated: 1 });
    const other = line({ merchantTransactionId: 'M-3', amount: 5 });
    const contradicting = await run(JSON.stringify([line(), other, { ...other, amount: 6 }, {}]));
    expect(contradicting.errors.map(({ line: at, code }) => [at, code])).toEqual([
      [3, 'line-contradicts'],
      ...Array.from({ length: 5 }, () => [4, 'missing']),
    ]);
    expect(await stored()).toHaveLength(2);
  });

  test.each<[string, string | Uint8Array, LedgerImportOptions, RegExp]>([
    ['CSV without units', 'merchantOrderId,type,amount,date\n', {}, /`units` to major/],
    ['a missing column', 'order,type,amount,date\n', { units: 'minor' }, /"merchantOrderId"/],
    [
      'a column twice',
      'merchantOrderId,type,amount,date,currency,currency\nA,settle,10,2026-01-01,USD,JPY\n',
      { units: 'major' },
      /"currency" twice/,
    ],
    [
      'a named column that is missing',
      'merchantOrderId,type,amount,date,Cur\nA,settle,1000,2026-01-01,JPY\n',
      { units: 'major', currency: 'USD', map: { currency: 'Curr' } },
      /no column "Curr"/,
    ],
    ['an open quote', 'merchantOrderId,type,amount,date\n"A,', { units: 'minor' }, /never closed/],
    ['bytes that are no text', Uint8Array.of(0x7b, 0xff), {}, /UTF-8/],
    ['a line without an end', `{"a":"${'x'.repeat(70_000)}`, {}, /longer than/],
    ['nothing', '', { format: 'csv', units: 'minor' }, /empty/],
  ])('explains why a file cannot be read: %s', async (name, text, options, message) => {
    const { run } = await openLedger();
    const report = await run(text, options);
    expect(name && report).toMatchObject({ applied: false, errors: [{ line: undefined }] });
    expect(report.errors[0]?.message).toMatch(message);
  });

  test('skips empty rows of a spreadsheet and keeps line numbers', async () => {
    const { run } = await openLedger();
    const csv =
      'merchantOrderId,type,amount,currency,date,\r\n' +
      ',,,,,\r\n' +
      'A-1,settle,10.00,USD,2026-01-01,\r\n' +
      ', ,,,,\r\n,,,\r\n' +
      ',,,,2026-01-01,\r\n' +
      'A-2,settle,x,USD,2026-01-01,\r\n,,,,,\r\n';
    const report = await run(csv, { units: 'major' });
    expect(report).toMatchObject({ lines: 3, errorCount: 5 });
    const numbers = new Set(report.errors.map(({ line: number }) => number));
    expect([...numbers]).toEqual([6, 7]);
  });

  test.each(['1.23457E+15', '1,23457E+15', '5E+12', '#N/A', '#REF!', '########'])(
    'rejects a spreadsheet’s replacement of an id: %s',
    async (id) => {
      const { lines: stored, run } = await openLedger();
      const csv = (order: string, transaction: string) =>
        'merchantOrderId,type,amount,currency,date,transactionId\n' +
        `"${order}",settle,10.00,USD,2026-01-01,"${transaction}"\n`;
      for (const [order, transaction, field] of [
        [id, 'T-1', 'order'],
        ['A-1', id, 'transaction'],
      ] as const) {
        const { applied, errors } = await run(csv(order, transaction), { units: 'major' });
        expect(applied).toBe(false);
        expect(errors).toMatchObject([{ line: 2, field, code: 'spreadsheet-value' }]);
      }
      expect(await stored()).toEqual([]);
      // A wrong id from an earlier import can be withdrawn.
      expect(await run(csv(id, id), { units: 'major', withdraw: true, by: 'Ines' })).toMatchObject({
        applied: true,
        errors: [],
      });
      expect(await run(csv('#1001', '12E4'), { units: 'major' })).toMatchObject({ applied: true });
    },
  );

  test('rejects a lone surrogate, which only one of the databases would keep', async () => {
    const { run, lines: stored } = await openLedger();
    const report = await run(ndjson(line({ merchantOrderId: 'A\ud800' })));
    expect(report.errors).toMatchObject([{ line: 1, field: 'order', code: 'not-text' }]);
    expect(await stored()).toEqual([]);
  });

  test.each(['minor', 'major'] as const)(
    'rejects an id that is a JSON number above the safe integer range, in %s units',
    async (units) => {
      const { run } = await openLedger();
      const numbered = ndjson(line()).replace('"A-1001"', '12345678901234567890');
      const { applied, errors } = await run(numbered, { units });
      expect(applied).toBe(false);
      expect(errors).toMatchObject([{ line: 1, field: 'order', code: 'not-text' }]);
    },
  );

  test.each(['0206-01-31', '1900-01-01', '1970-01-01', '2062-01-01'])(
    'rejects a date that would leave days unproven or never be due: %s',
    async (date) => {
      const { run, lines: stored } = await openLedger();
      const report = await run(ndjson(line({ date })));
      expect(report.errors).toMatchObject([{ line: 1, field: 'date', code: 'date-implausible' }]);
      expect(await stored()).toEqual([]);
      expect(await run(ndjson(line({ date: '2026-12-31' })))).toMatchObject({ applied: true });
    },
  );

  test('reports the original error of a failed input stream, and stores nothing', async () => {
    const { imports } = await openLedger();
    const gone = new TypeError('The sender is gone.');
    async function* broken() {
      yield* bytes(ndjson(line()));
      throw gone;
    }
    await expect(imports.run(upload(broken()))).rejects.toBe(gone);
  });

  test('rejects unusable options', async () => {
    const { run } = await openLedger();
    await expect(run('', { zone: 'Berlin' })).rejects.toThrow(LedgerImportError);
    await expect(run('', { currency: 'BITCOIN' })).rejects.toThrow(LedgerImportError);
    await expect(run('', { encoding: 'latin-99' })).rejects.toThrow(LedgerImportError);
    await expect(run('', { decimal: 'comma' })).rejects.toThrow(LedgerImportError);
  });

  test('imports other files during an upload, but none while another import is running', async () => {
    const { analytics, imports, run, lines: stored, scratch } = await openLedger();
    const rest = Promise.withResolvers<undefined>();
    let asked = 0;
    async function* slow() {
      yield* bytes(ndjson(line()));
      await rest.promise;
    }
    async function* counted() {
      asked += 1;
      yield* bytes(ndjson(line()));
    }
    const late = imports.run(upload(slow()));
    expect(await run(ndjson(line()))).toMatchObject({ applied: true, added: 1 });

    const gate = Promise.withResolvers<undefined>();
    const held = analytics.write(() => gate.promise);
    const first = run(ndjson(line()));
    await expect
      .poll(() => readdirSync(scratch).filter((name) => name.endsWith('.ndjson')))
      .not.toEqual([]);
    const others = Array.from({ length: 100 }, () => imports.run(upload(counted())));
    for (const other of others) await expect(other).rejects.toThrow(ImportBusyError);
    expect(asked).toBe(0);
    // This file arrives while another one is being imported, and does not wait for its turn.
    rest.resolve(undefined);
    await expect(late).rejects.toThrow(ImportBusyError);
    gate.resolve(undefined);
    await held;
    expect(await first).toMatchObject({ repeated: 1 });
    expect(await stored()).toHaveLength(1);
    expect(readdirSync(scratch).filter((file) => file.startsWith('import-'))).toEqual([]);
  });

  test('stops writing lines when the disk is full', async () => {
    const { disk, lines: stored, run, scratch } = await openLedger();
    const small = Array.from({ length: 20 }, (_, at) => line({ merchantTransactionId: `M-${at}` }));
    // The disk reserve plus a small amount.
    disk.freeBytes = 512 * 1_048_576 + 1_000;
    expect(await run(ndjson(...small))).toMatchObject({
      applied: false,
      errors: [{ message: expect.stringContaining('do not fit on the disk') as string }],
    });
    expect(await stored()).toEqual([]);
    expect(readdirSync(scratch).filter((file) => file.startsWith('import-'))).toEqual([]);
    disk.freeBytes = Infinity;
    expect(await run(ndjson(...small))).toMatchObject({ applied: true, added: 20 });
  });

  test('stores lines as a fact, with the name of the importing person and the digest of the file', async () => {
    const { contentOf, facts, run } = await openLedger();
    await run(ndjson(line(), line()), { by: 'Ines' });
    expect(facts).toMatchObject([
      { fact: { action: 'add', source: 'import', actor: 'Ines', count: 1, at: NOW } },
    ]);
    expect(facts[0]?.fact.digest).toMatch(/^[0-9a-f]{64}$/);
    const content = facts[0]?.content ?? new Uint8Array();
    expect(await contentOf(content)).toMatchObject([{ id: 'm:Settle:M-1', amount: '27499' }]);
    // An import that changes nothing is not a fact.
    await run(ndjson(line()));
    expect(facts).toHaveLength(1);
  });

  test('withdraws the content of an import, and applies it again', async () => {
    const {
      analytics,
      facts,
      imports,
      lines: stored,
      replayInto,
      run,
      scratch,
    } = await openLedger();
    await run(ndjson(line(), line({ merchantTransactionId: 'M-2' })));
    const [{ content, fact } = expect.fail()] = facts;
    const before = await stored();
    expect(before).toHaveLength(2);
    expect(await imports.withdraw(fact, content, 'Ines')).toBe(2);
    expect(await stored()).toEqual([]);
    await replayInto({ analytics, scratch }, [{ fact: { ...fact, id: 'imp_again' }, content }]);
    expect(await stored()).toEqual(before);
  });

  test.each([1, 2_000])(
    'stores the content of %i lines, and its withdrawal, as compressed NDJSON',
    async (count) => {
      const { facts, imports, run } = await openLedger();
      const lines = Array.from({ length: count }, (_, nth) =>
        line({
          merchantOrderId: `A-${nth}`,
          merchantTransactionId: `M-${nth}`,
          transactionId: null,
        }),
      );
      await run(ndjson(...lines), { file: 'ledger.ndjson' });
      const [{ content, fact } = expect.fail()] = facts;
      await imports.withdraw(fact, content, 'Ines');
      expect(facts).toHaveLength(2);
      for (const {
        content: written,
        fact: { count: own },
      } of facts) {
        const rows = zstdDecompressSync(written).toString().trimEnd().split('\n');
        expect(rows).toHaveLength(own);
        expect(Object.entries(JSON.parse(rows[0] ?? '') as object)).toEqual([
          ['number', expect.any(Number)],
          ['id', expect.stringMatching(/^m:Settle:M-/)],
          ['order_key', expect.stringMatching(/^order:A-/)],
          ['merchant_order_id', expect.stringMatching(/^A-/)],
          ['currency', 'USD'],
          ['type', 'Settle'],
          ['amount', 27_499],
          ['occurred_at', expect.any(Number)],
          ['transaction_id', null],
          ['merchant_transaction_id', expect.stringMatching(/^M-/)],
          ['charge_id', 'chg-1'],
          ['lender_reference_id', null],
        ]);
      }
    },
  );

  test('reads plain lines of a large file with SQL, and the others one by one', async () => {
    const { contentOf, facts, lines: stored, run } = await openLedger();
    const large = Array.from({ length: 2_000 }, (_, nth) =>
      line({
        merchantOrderId: `A-${nth}`,
        transactionId: `txn-${nth}`,
        merchantTransactionId: `M-${nth}`,
        customer: 'Ada Ashby',
      }),
    );
    const other = line({ merchantOrderId: "'00123", merchantTransactionId: 'M-other' });
    const report = await run(ndjson(...large, other), { file: 'ledger.ndjson' });
    expect(report).toMatchObject({
      applied: true,
      lines: 2_001,
      added: 2_001,
      notes: [{ field: 'order', code: 'id-folded', lines: [2_001] }],
      totals: [{ currency: 'USD', type: 'Settle', count: 2_001, amount: String(27_499 * 2_001) }],
    });
    expect(await stored()).toHaveLength(2_001);
    const content = await contentOf(facts[0]?.content ?? new Uint8Array());
    expect(content).toHaveLength(2_001);
    expect(Object.keys(content[0] ?? {})).not.toContain('customer');
    expect(content.at(-1)).toMatchObject({ number: '2001', merchant_order_id: '00123' });
    expect(await run(ndjson(...large, other))).toMatchObject({ added: 0, repeated: 2_001 });
    // A file that contains only new lines is applied unchanged.
    const more = large.map((one, nth) => ({
      ...one,
      merchantOrderId: `B-${nth}`,
      transactionId: null,
      merchantTransactionId: `N-${nth}`,
    }));
    expect(await run(ndjson(...more))).toMatchObject({ applied: true, added: 2_000 });
    expect(await contentOf(facts[1]?.content ?? new Uint8Array())).toHaveLength(2_000);
    expect(await run(ndjson(...more, line({ amount: 0 })))).toMatchObject({
      applied: false,
      errors: [{ line: 2_001, code: 'amount-zero' }],
    });
  });

  describe('withdrawing', () => {
    const file = ndjson(
      line(),
      line({ merchantTransactionId: 'M-2', amount: 100 }),
      line({ merchantTransactionId: 'M-3', merchantOrderId: 'A-1002' }),
    );
    const withdraw = { withdraw: true, by: 'Ines' };

    test('removes the lines that the file added, and keeps the others', async () => {
      const { ask, change, dirty, lines: stored, run } = await openLedger();
      await run(ndjson(line({ merchantTransactionId: 'M-0' })));
      await run(file);
      await change('delete from dirty_orders');
      const wouldBe = { applied: false, lines: 3, added: 0, withdrawn: 3, repeated: 0 };
      expect(await run(file, { ...withdraw, dryRun: true })).toMatchObject(wouldBe);
      expect(await stored()).toHaveLength(4);
      const done = { applied: true, lines: 3, added: 0, withdrawn: 3, repeated: 0 };
      expect(await run(file, withdraw)).toMatchObject(done);
      expect((await stored()).map(({ id }) => id)).toEqual(['m:Settle:M-0']);
      expect(await dirty()).toEqual(['order:A-1001', 'order:A-1002']);
      const nothing = { applied: true, withdrawn: 0, repeated: 3 };
      expect(await run(file, withdraw)).toMatchObject(nothing);
      // The file may be added and withdrawn again, and each action is recorded.
      expect(await run(file)).toMatchObject({ added: 3, withdrawn: 0 });
      expect(await run(file, withdraw)).toMatchObject({ withdrawn: 3 });
      const kept = await ask('select * from withdrawn_lines order by id');
      expect(kept).toHaveLength(6);
      expect(kept[2]).toMatchObject({ id: 'm:Settle:M-2', amount: '100', actor: 'Ines' });
    });

    test('rejects a line with other content, or with two contradicting statements', async () => {
      const { lines: stored, run } = await openLedger();
      await run(file);
      const other = ndjson(
        line({ amount: 1 }),
        line({ merchantTransactionId: 'M-2', amount: 100 }),
        line({ merchantTransactionId: 'M-9' }),
        line({ merchantTransactionId: 'M-9', amount: 2 }),
      );
      expect(await run(other, withdraw)).toMatchObject({
        applied: false,
        withdrawn: 0,
        errors: [
          { line: 1, code: 'line-contradicts' },
          { line: 4, code: 'line-contradicts' },
        ],
      });
      expect(await stored()).toHaveLength(3);
      const twice = file + ndjson(line());
      expect(await run(twice, withdraw)).toMatchObject({ withdrawn: 3, repeated: 1 });
    });
  });
});

test('converts any amount in major units exactly', async () => {
  const { readLine } = await import('../read/read-line.ts');
  const { readingOf } = await import('../read/options.ts');
  const { toMajorUnits } = await import('@financing-checkout/contract/money');
  const options = readingOf({ units: 'major' }, NOW);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 99_999_999_999_999 }),
      fc.constantFrom('USD', 'JPY', 'KWD'),
      fc.boolean(),
      (value, currency, asNumber) => {
        const text = toMajorUnits({ value, currency });
        const read = readLine(line({ amount: asNumber ? Number(text) : text, currency }), options);
        expect(read).toMatchObject({ lines: [{ amount: value, currency }] });
      },
    ),
  );
});
