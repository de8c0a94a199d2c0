import { describe, expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';
import type { LedgerImportOptions } from './options.ts';

const csv = (...rows: string[]) => `${rows.join('\r\n')}\r\n`;
const header = 'merchantOrderId;type;amount;currency;date';
const row = ({ amount = '5', currency = 'EUR', date = '2026-01-02' }) =>
  csv(header, `A-1;settle;"${amount}";${currency};"${date}"`);

async function readOne(change: Parameters<typeof row>[0], options: LedgerImportOptions) {
  const { run, lines } = await openLedger();
  const report = await run(row(change), { units: 'major', ...options });
  return { report, line: (await lines())[0] };
}

describe('reads a date in its notation', () => {
  test.each<[string, LedgerImportOptions, string]>([
    ['02.03.26', { dates: 'dmy' }, '2026-03-02T00:00:00.000Z'],
    ['3/2/26 2:05 PM', { dates: 'mdy' }, '2026-03-02T14:05:00.000Z'],
    ['02-Mar-2026', {}, '2026-03-02T00:00:00.000Z'],
    ['2 March 2026 14:03', {}, '2026-03-02T14:03:00.000Z'],
    ['Mar 2, 2026', {}, '2026-03-02T00:00:00.000Z'],
    ['Mar 2, 2026, 2:03:04 PM', {}, '2026-03-02T14:03:04.000Z'],
    ['02-Mar-26', { dates: 'dmy' }, '2026-03-02T00:00:00.000Z'],
    ['20260302', {}, '2026-03-02T00:00:00.000Z'],
    ['2026/03/02', {}, '2026-03-02T00:00:00.000Z'],
    ['2026.3.2', {}, '2026-03-02T00:00:00.000Z'],
    ['0203', { dates: 'ddmm', year: 2026 }, '2026-03-02T00:00:00.000Z'],
    ['203', { dates: 'ddmm', year: 2026 }, '2026-03-02T00:00:00.000Z'],
    ['46083', { dates: 'excel' }, '2026-03-02T00:00:00.000Z'],
    ['46083.75', { dates: 'excel' }, '2026-03-02T18:00:00.000Z'],
    ['46083,75', { dates: 'excel', decimal: 'comma' }, '2026-03-02T18:00:00.000Z'],
    ['44621', { dates: 'excel-1904' }, '2026-03-02T00:00:00.000Z'],
    ['1772460184', { dates: 'unix' }, '2026-03-02T14:03:04.000Z'],
    ['1772460184250', { dates: 'unix-ms' }, '2026-03-02T14:03:04.250Z'],
    ['2026-03-02 14:03:04 UTC', { zone: 'Europe/Berlin' }, '2026-03-02T14:03:04.000Z'],
    ['2026-03-02 14:03:04 +1000', {}, '2026-03-02T04:03:04.000Z'],
    ['2026-03-02 14:03:04 +10', {}, '2026-03-02T04:03:04.000Z'],
    ['2026-03-02T14:03:04.5-08:00', {}, '2026-03-02T22:03:04.500Z'],
    ['2026-03-02 2:03 pm', {}, '2026-03-02T14:03:00.000Z'],
    ['2026-03-02 12:03 AM', {}, '2026-03-02T00:03:00.000Z'],
    ['Oct 31, 2025 11:03:05 PM PDT', {}, '2025-11-01T06:03:05.000Z'],
    ['Oct 31, 2025 11:03:05\u202fp.\u00a0m. PDT', {}, '2025-11-01T06:03:05.000Z'],
    ['31 oct 2025 11:03:05 p. m. UTC', {}, '2025-10-31T23:03:05.000Z'],
    ['31 oct. 2025 23:03:05 GMT+00:00', {}, '2025-10-31T23:03:05.000Z'],
    ['31 oct. 2025 23:03:05 UTC−7', {}, '2025-11-01T06:03:05.000Z'],
    ['1 déc. 2025', {}, '2025-12-01T00:00:00.000Z'],
    ['1er août 2025', {}, '2025-08-01T00:00:00.000Z'],
    ['31 de octubre de 2025', {}, '2025-10-31T00:00:00.000Z'],
    ['2. März 2026 14:03', {}, '2026-03-02T14:03:00.000Z'],
    ['02-Mrz-2026', {}, '2026-03-02T00:00:00.000Z'],
    ['2 mei 2025', {}, '2025-05-02T00:00:00.000Z'],
    ['2 giugno 2025', {}, '2025-06-02T00:00:00.000Z'],
    ['2. desember 2025', {}, '2025-12-02T00:00:00.000Z'],
    ['Fri Oct 31 2025 23:03:05 GMT-0700 (Pacific Daylight Time)', {}, '2025-11-01T06:03:05.000Z'],
    ['Fri, 31 Oct 2025 23:03:05 -0700 (PDT)', {}, '2025-11-01T06:03:05.000Z'],
    ['Fri, 31 Oct 2025 23:03:05 EST', { zone: '-05:00' }, '2025-11-01T04:03:05.000Z'],
    ['mar. 2 déc. 2025', {}, '2025-12-02T00:00:00.000Z'],
    ['2025-07-02 14:03 EST', { zone: 'America/Jamaica' }, '2025-07-02T19:03:00.000Z'],
    ['2025-07-02 14:03 IST', { zone: 'Asia/Kolkata' }, '2025-07-02T08:33:00.000Z'],
    // Clocks are set back at 2:00 on this day.
    ['2025-11-02 01:30 PDT', { zone: 'America/Los_Angeles' }, '2025-11-02T08:30:00.000Z'],
    ['2025-11-02 01:30 PST', { zone: 'America/Los_Angeles' }, '2025-11-02T09:30:00.000Z'],
    ['2026-03-02 14:03 MEZ', {}, '2026-03-02T13:03:00.000Z'],
  ])('%s with %o', async (date, options, at) => {
    expect((await readOne({ date }, options)).line).toMatchObject({ at });
  });

  test('reads a JSON number as a date if its unit was declared', async () => {
    const { run, lines } = await openLedger();
    const line = { merchantOrderId: 'A-1', type: 'settle', amount: 5, currency: 'EUR' };
    const text = JSON.stringify([{ ...line, date: 1_772_460_184 }]);
    expect(await run(text)).toMatchObject({ errors: [{ field: 'date', code: 'date-invalid' }] });
    expect(await run(text, { dates: 'unix' })).toMatchObject({ applied: true });
    expect(await lines()).toMatchObject([{ at: '2026-03-02T14:03:04.000Z' }]);
  });

  test.each<[string, LedgerImportOptions, RegExp]>([
    ['02/03/2026', {}, /dmy.*mdy/],
    ['02.03.26', {}, /dmy.*mdy/],
    ['02-Mar-26', {}, /dmy/],
    ['0203', {}, /ddmm.*year/],
    ['46083', {}, /excel/],
    ['1772460184', {}, /unix/],
    ['2026-02-30', {}, /is not a date/],
    ['30-Feb-2026', {}, /is not a date/],
    ['2026-03-02 13:05 PM', {}, /is not a date/],
    ['2026-03-02 14:03 CST', {}, /"CST", which has several meanings: set `zone`/],
    ['2026-03-02 14:03 IST', {}, /"IST", which has several meanings: set `zone`/],
    ['2025-07-02 14:03 EST', {}, /"EST", which is not in use on this day.*set `zone`/],
    ['2026-01-02 14:03 CEST', {}, /"CEST", which is not in use on this day.*set `zone`/],
    ['2026-03-02 14:03 XYZ', {}, /^date has a time zone, which is not known: set `zone`/],
    ['2026-03-02 14:03 PDT', { zone: 'Europe/Berlin' }, /"PDT", which is not a time of `zone`/],
    ['Mon Oct 31 2025 23:03:05 GMT-0700', {}, /is not a date/],
    ['2 jui 2025', {}, /is not a date/],
    ['30 févr. 2026', {}, /is not a date/],
    ['20261332', {}, /set `dates`/],
    ['3202', { dates: 'ddmm', year: 2026 }, /is not a date/],
    ['60', { dates: 'excel' }, /year/],
  ])('does not guess an ambiguous date: %s with %o', async (date, options, message) => {
    const { report, line } = await readOne({ date }, options);
    expect(line).toBeUndefined();
    expect(report.errors).toMatchObject([{ line: 2, field: 'date' }]);
    expect(report.errors[0]?.message).toMatch(message);
  });

  test('requires a year for dates without one, and rejects a year that is not used', async () => {
    const { run } = await openLedger();
    await expect(run('', { dates: 'ddmm' })).rejects.toThrow(/year/);
    await expect(run('', { year: 2026 })).rejects.toThrow(/ddmm/);
  });
});

describe('reads an amount in its notation', () => {
  const point = { decimal: 'point' } as const;
  const comma = { decimal: 'comma' } as const;
  test.each<[string, string, LedgerImportOptions, number]>([
    ['+31070,11', 'EUR', comma, 3_107_011],
    ['+310.50', 'EUR', {}, 31_050],
    ['.50', 'EUR', {}, 50],
    [',50', 'EUR', comma, 50],
    ['- 12,00', 'EUR', { ...comma, type: 'sign' }, -1_200],
    ['1,23,456.00', 'INR', point, 12_345_600],
    ['$1,234.56', 'USD', point, 123_456],
    ['$12.50', 'AUD', {}, 1_250],
    ['-$12.50', 'USD', { type: 'sign' }, -1_250],
    ['($12.50)', 'USD', { ...point, type: 'sign' }, -1_250],
    ['12,50 €', 'EUR', comma, 1_250],
    ['EUR 12.50', 'EUR', {}, 1_250],
    ['133.80000000000001', 'EUR', {}, 13_380],
    ['133.79999999999998', 'EUR', {}, 13_380],
    ['0.30000000000000004', 'EUR', {}, 30],
  ])('%s %s with %o', async (amount, currency, options, value) => {
    const { run, lines } = await openLedger();
    const text = row({ amount, currency }).replace(/;type|;settle/g, (word) =>
      options.type === undefined
        ? word
        : word.replace(/type|settle/, (it) => (it === 'type' ? 'note' : '')),
    );
    expect(await run(text, { units: 'major', ...options })).toMatchObject({ errors: [] });
    expect(await lines()).toMatchObject([
      { amount: Math.abs(value), type: value < 0 ? 'Refund' : 'Settle' },
    ]);
  });

  test.each<[string, string, LedgerImportOptions]>([
    ['$12.50', 'EUR', {}],
    ['12.50 USD', 'EUR', {}],
    ['31070,11', 'EUR', {}],
    ['1,23,45.00', 'INR', point],
    ['12,34,567,890.00', 'INR', point],
    ['+-5', 'EUR', {}],
    ['(-5)', 'EUR', point],
    ['5 5', 'EUR', {}],
    ['.', 'EUR', {}],
    ['133.80123456789012', 'EUR', {}],
    ['133.805', 'EUR', point],
  ])('rejects an ambiguous or invalid amount: %s %s with %o', async (amount, currency, options) => {
    const { report, line } = await readOne({ amount, currency }, options);
    expect(line).toBeUndefined();
    expect(report.errors).toMatchObject([{ line: 2, field: 'amount' }]);
  });

  test('reports amounts with extra digits from floating-point arithmetic', async () => {
    const { report } = await readOne({ amount: '133.80000000000001' }, {});
    expect(report.notes).toMatchObject([
      { field: 'amount', code: 'float-digits', count: 1, lines: [2] },
    ]);
  });
});

describe('settled and refunded amounts in two columns', () => {
  const map = { order: 'Beleg', settled: 'Soll', refunded: 'Haben', date: 'Datum' };
  const options: LedgerImportOptions = {
    map,
    units: 'major',
    decimal: 'comma',
    dates: 'dmy',
    currency: 'EUR',
  };
  const title = 'Datum;Beleg;Soll;Haben';

  test('determine the type by the column with a value', async () => {
    const { run, lines } = await openLedger();
    const text = csv(
      title,
      '02.03.2026;A-1;12,00;0,00',
      '03.03.2026;A-1;;5,00',
      '04.03.2026;A-2;0;7,50',
    );
    expect(await run(text, options)).toMatchObject({ lines: 3, added: 3, errors: [] });
    expect((await lines()).map(({ type, amount }) => [type, amount])).toEqual([
      ['Refund', 500],
      ['Refund', 750],
      ['Settle', 1200],
    ]);
  });

  test('reject an amount in both, or in neither', async () => {
    const { run } = await openLedger();
    const report = await run(
      csv(title, '02.03.2026;A-1;12,00;5,00', '02.03.2026;A-2;0,00;', '02.03.2026;A-4;x;0,00'),
      options,
    );
    expect(report.errors.map(({ line, code }) => [line, code])).toEqual([
      [2, 'both-amounts'],
      [3, 'amount-zero'],
      [4, 'amount-invalid'],
    ]);
    expect(report.errors[0]?.message).toMatch(/^Soll .*"Haben".*settle-and-refund/);
  });

  test('yield two lines for a row with both amounts, if declared', async () => {
    const { run, lines } = await openLedger();
    const text = csv(title, '02.03.2026;A-1;12,00;5,00', '02.03.2026;A-2;3,00;0,00');
    const both = { ...options, settleAndRefund: true };
    expect(await run(text, both)).toMatchObject({ lines: 2, added: 3, errors: [] });
    expect(await run(text, both)).toMatchObject({ added: 0, repeated: 3 });
    expect(await lines()).toHaveLength(3);
  });

  test('reject a mapping with only one of them, or with an amount column', async () => {
    const { run } = await openLedger();
    await expect(run('', { map: { settled: 'Soll' } })).rejects.toThrow(/refunded/);
    await expect(run('', { map: { ...map, amount: 'Betrag' } })).rejects.toThrow(/amount/);
  });
});

describe('rows and headers from various programs', () => {
  const plain = { units: 'major' } as const;

  test('accept a short row without a note, and a long row with empty cells at its end', async () => {
    const { run } = await openLedger();
    const text = csv(
      'merchantOrderId,type,amount,currency,date,transactionId,note',
      'A-1,settle,1.00,USD,2026-01-01,',
      'A-2,settle,2.00,USD,2026-01-01,T-2,,,',
      'A-3,settle,3.00,USD',
      'A-4,settle,1,234.00,USD,2026-01-01,T-4,',
    );
    const { errors } = await run(text, plain);
    expect(errors.map(({ line, field, code }) => [line, field, code])).toEqual([
      [4, 'date', 'missing'],
      [4, 'transaction', 'missing'],
      [5, undefined, 'columns-differ'],
    ]);
    const right = text.split('\r\n').slice(0, 3).join('\r\n');
    expect(await run(right, plain)).toMatchObject({ added: 2 });
  });

  test('accept a trailing delimiter in each row, with or without one in the header row', async () => {
    const { run } = await openLedger();
    for (const end of ['', ';']) {
      const text = csv(header + end, 'A-1;settle;1.00;EUR;2026-01-01;');
      expect(await run(text, { ...plain, dryRun: true })).toMatchObject({ added: 1, errors: [] });
    }
  });

  test('accept a trailing comma in each row next to dates, ids, quantities and prices', async () => {
    const { run } = await openLedger();
    const columns = 'id,date,amount,qty,price,type,currency';
    const map = { order: 'id' };
    for (const header of [columns, `${columns},`, `${columns},,`]) {
      const text = csv(
        header,
        '4711,2026-01-01,12,1,250.00,settle,USD,',
        '2026-01-02,2026-01-02,120.00,2,60,settle,USD,',
        '4713,2026-01-03,15.50,3,5.17,settle,USD,',
      );
      const report = await run(text, { ...plain, map, dryRun: true });
      expect(report, header).toMatchObject({ added: 3, errors: [] });
    }
  });

  test.each([
    ['id,date,amount,note', 'A-1,2026-01-01,1,234.00,'],
    ['id,date,amount,note', 'A-1,2026-01-01,-$1,234.00,'],
    ['id,date,amount,note', 'A-1,2026-01-01,12,50,'],
    ['id,date,amount,note', 'A-1,2026-01-01,1.234,50,'],
    ['id,date,net,amount,note,more', 'A-1,2026-01-01,1,034.45,1,231.00,,'],
  ])('refuse a row whose amount was split at a comma: %s / %s', async (header, row) => {
    const { run } = await openLedger();
    const map = { order: 'id' };
    const options = { ...plain, map, currency: 'USD', type: 'sign' } as const;
    // The other row shows that rows of the file do not end with a comma.
    for (const text of [csv(header, row), csv(header, row, 'A-2,2026-01-01,5.00,')]) {
      const { errors } = await run(text, options);
      expect(errors[0]).toMatchObject({ line: 2, code: 'columns-differ' });
      expect(errors[0]?.message).toContain('put values with a comma in quotes');
    }
  });

  test('allow lines above the header row, with any separator', async () => {
    const { run } = await openLedger();
    const text = csv(
      '"EXTF",700,21,"Buchungsstapel, November"',
      'Report of the shop, made on 2026-01-03, in EUR',
      '',
      header,
      'A-1;settle;1.00;EUR;2026-01-01',
      'A-2;settle;x;EUR;2026-01-01',
    );
    const report = await run(text, plain);
    expect(report).toMatchObject({ lines: 2, errors: [{ line: 6, code: 'amount-invalid' }] });
  });

  test('explain how to map the columns of a file with different names', async () => {
    const { run } = await openLedger();
    const text = csv('Report', 'Beleg;Art;Betrag;Datum', 'A-1;Rechnung;1,00;01.01.2026');
    const { errors } = await run(text, plain);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toMatch(
      /Line 2 names no column "merchantOrderId".*"Beleg", "Art", "Betrag", "Datum".*map/,
    );
  });

  test('list undeclared type words, unless there are too many', async () => {
    const { run } = await openLedger();
    const rows = (count: number) =>
      csv(
        header,
        ...Array.from({ length: count }, (_, at) => `A-${at};Art ${at % 30};1.00;EUR;2026-01-01`),
      );
    const few = await run(rows(3) + 'A-9;Art 1;2.00;EUR;2026-01-01\r\n', plain);
    expect(few.unknownTypes).toEqual([
      { word: 'Art 1', count: 2 },
      { word: 'Art 0', count: 1 },
      { word: 'Art 2', count: 1 },
    ]);
    // With too many words, the column contains something else, perhaps names.
    expect((await run(rows(40), plain)).unknownTypes).toEqual([]);
  });
});

test('refuses a row whose time zone differs from the declared one, and accepts its abbreviations', async () => {
  const file = (...zones: string[]) =>
    [
      'merchantOrderId,type,amount,currency,date,time,tz',
      ...zones.map((zone, at) => `A-${at},settle,10.00,USD,2026-09-27,18:16:12,${zone}`),
    ].join('\n');
  const map = { time: 'time', zone: 'tz' };
  const options = { map, units: 'major', zone: 'America/Los_Angeles' } as const;
  const { lines, run } = await openLedger();
  const other = await run(file('America/Los_Angeles', 'PDT', 'CET', 'XYZ'), options);
  expect(other).toMatchObject({
    applied: false,
    errors: [
      { line: 4, field: 'zone', code: 'zone-differs' },
      { line: 5, field: 'zone', code: 'zone-differs' },
    ],
  });
  expect(other.errors[0]?.message).toContain('"CET" is not a time of `zone`');
  expect(await run(file('PST', 'PDT', 'Europe/Berlin'), options)).toMatchObject({ added: 3 });
  expect((await lines()).map(({ at }) => at).toSorted()).toEqual([
    '2026-09-27T16:16:12.000Z',
    '2026-09-28T01:16:12.000Z',
    '2026-09-28T01:16:12.000Z',
  ]);
});

describe('reads the time zone names in Square exports', () => {
  const file = (zone: string) =>
    csv(
      'merchantOrderId,type,amount,currency,date,time,Time Zone',
      `A-1,settle,10.00,USD,2026-01-27,21:16:12,${zone}`,
      `A-2,settle,10.00,USD,2026-03-27,21:16:12,${zone}`,
    );
  const options = { units: 'major', map: { time: 'time' } } as const;
  const zoned = { units: 'major', map: { time: 'time', zone: 'Time Zone' } } as const;

  test.each([
    ['Eastern Time (US & Canada)', '2026-01-28T02:16:12.000Z', '2026-03-28T01:16:12.000Z'],
    ['Arizona', '2026-01-28T04:16:12.000Z', '2026-03-28T04:16:12.000Z'],
  ])('%s', async (zone, winter, summer) => {
    for (const extra of [{}, { zone: 'UTC' }, { businessZone: 'Europe/Berlin' }]) {
      const { lines, run } = await openLedger();
      expect(await run(file(zone), { ...zoned, ...extra })).toMatchObject({ added: 2, errors: [] });
      expect((await lines()).map(({ at }) => at).toSorted()).toEqual([winter, summer]);
    }
  });

  test('uses the business time zone if the column is not mapped', async () => {
    const { lines, run } = await openLedger();
    const businessZone = 'America/Chicago';
    const report = await run(file('Eastern Time (US & Canada)'), { ...options, businessZone });
    expect(report).toMatchObject({ added: 2, zone: businessZone });
    expect((await lines()).map(({ at }) => at).toSorted()).toEqual([
      '2026-01-28T03:16:12.000Z',
      '2026-03-28T02:16:12.000Z',
    ]);
  });

  test.each([
    ['Eastern Standard Time', /^Time Zone "Eastern Standard Time" is not a known zone: .*`zone`/],
    // This may be the name of a person.
    ['Ada Example', /^Time Zone is not a known zone: .*`zone`/],
  ])('refuses any other word with advice: %s', async (zone, message) => {
    const { run } = await openLedger();
    const { errors } = await run(file(zone), zoned);
    expect(errors).toMatchObject([{ code: 'zone-unknown', count: 2 }]);
    expect(errors[0]?.message).toMatch(message);
  });
});
