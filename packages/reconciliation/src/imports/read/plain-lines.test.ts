import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '../../platform/duckdb.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW } from '../keep/ledger.fixture.ts';
import { linesIn } from '../compare/lines.ts';
import type { LedgerImportOptions } from './options.ts';
import { readPlainLines } from './plain-lines.ts';
import { readLedgerFile } from './read-file.ts';

let folder: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let files = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plain-lines-'));
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

/** Reads a file twice: with the reader alone, and with SQL and the reader. */
async function readBothWays(content: string | Uint8Array, options: LedgerImportOptions) {
  files += 1;
  const from = join(folder, `${files}`);
  const [lines, plainFile, others] = ['lines', 'plain', 'others'].map((name) => `${from}.${name}`);
  if (!lines || !plainFile || !others) throw new TypeError('A file has no name.');
  await writeFile(from, content);
  const request = { from, options, now: NOW, maxBytes: Infinity };
  const reading = await readLedgerFile({ ...request, to: lines });
  const plain = await readPlainLines({ ...request, to: plainFile });
  if (plain === undefined) return undefined;
  const mixed = await readLedgerFile({ ...request, to: others, plain });
  const parts = mixed.read > plain.count ? [plainFile, others] : [plainFile];
  return {
    plain,
    alone: { reading, lines: await rowsOf([lines]) },
    mixed: { reading: mixed, lines: await rowsOf(parts) },
  };
}

function expectSame(read: Awaited<ReturnType<typeof readBothWays>>): void {
  if (read === undefined) return;
  expect(read.mixed.reading).toEqual(read.alone.reading);
  for (const [at, line] of read.alone.lines.entries()) expect(read.mixed.lines[at]).toEqual(line);
  expect(read.mixed.lines).toHaveLength(read.alone.lines.length);
}

async function rowsOf(parts: readonly string[]) {
  const names = `number, id, order_key, merchant_order_id, currency, type, amount, occurred_at,
    transaction_id, merchant_transaction_id, charge_id, lender_reference_id`;
  const sources = await Promise.all(parts.map(linesIn));
  const selected = sources.map((lines) => `select ${names} from ${lines} where id is not null`);
  const rows = await connection.runAndReadAll(
    `${selected.join(' union all ')} order by number, type`,
  );
  return rows.getRowObjectsJson();
}

const orders = ['A-1001', '1001', 'S7-00000001', 'a/b:c#9'];
const oddOrders = [
  ...[
    'Total',
    'TOTAL-1001',
    'Total:5',
    'order',
    'ORDER9',
    '1E+05',
    '1001.0',
    '1001,00',
    'NULL',
    'n/a',
  ],
  ...[
    "'5",
    ' A 1',
    'A 1',
    'Ä-1',
    `X${'1'.repeat(256)}`,
    `X${'1'.repeat(255)}`,
    '',
    '#N/A',
    '00',
    '=1',
    'nan',
  ],
  ...['\u200bA-1', 'none', 'A\u00a0', String.raw`A\1`, '-1', '1001.5'],
];
const amounts = {
  minor: ['27499', '1', '99999999999999'],
  major: ['274.99', '1', '0.5', '9999999999.99'],
};
const oddAmounts = [
  ...[
    '0',
    '-5',
    '-5.00',
    '-0.5',
    '1.500',
    '1,50',
    '1.234,50',
    '12.345',
    '1e3',
    '€5',
    '',
    '1234567890123456',
    '007',
  ],
  ...[
    '5.',
    '.5',
    '5-',
    '(5)',
    '+5',
    "'5",
    ' 5',
    '5 ',
    '133.80000000000001',
    '0.00',
    '100000000000000',
    'x',
  ],
];
const currencies = ['USD', 'EUR'];
const oddCurrencies = ['usd', 'XXX', 'HRK', '', 'KWD', 'JPY', 'US', ' USD', 'ZWL'];
const dates = ['2026-03-01T10:00:00.000Z', '2026-01-31T23:59:59Z', '2026-03-01T10:00:00.5Z'];
const oddDates = [
  ...[
    '2026-03-01',
    '2026-03-01 10:00',
    '2026-03-01T10:00:00',
    '2026-03-29T02:30:00',
    '2026-03-29 02:30:00',
  ],
  ...[
    '2026-02-30T10:00:00Z',
    '1999-12-31T23:59:59Z',
    '2000-01-01T00:00:00Z',
    '2030-01-01T00:00:00Z',
  ],
  ...[
    '2027-04-01T12:00:00.001Z',
    '2027-04-01T12:00:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T10:00:60Z',
  ],
  ...[
    '2026-03-01T10:00:00.123456Z',
    '2026-03-01T10:00:00+02:00',
    '31.12.2025',
    '',
    '1/2/2026',
    'infinity',
  ],
  ...[
    '2026-3-1',
    '20260301',
    '1767225600',
    '2026-03-01t10:00:00z',
    '0026-03-01T10:00:00Z',
    ' 2026-03-01T10:00:00Z',
  ],
];
const types = ['settle', 'refund', 'Settle', 'REFUND'];
const oddTypes = ['Invoice', 'Credit', 'Payment', '', 'x', ' settle', 'Größe', 'refunds'];
const ids = ['M-1', '019b76da-cfb3-7003-9d98-4bd91bc622f9', '123456'];

/** Generates a usually plain value. */
const mostly = (plain: readonly string[], odd: readonly string[]) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...plain), weight: 30 },
    { arbitrary: fc.constantFrom(...odd), weight: 1 },
  );
const idOf = fc.option(mostly(ids, oddOrders), { nil: '', freq: 4 });
const lineOf = (units: 'minor' | 'major') =>
  fc.record({
    merchantOrderId: mostly(orders, oddOrders),
    type: mostly(types, oddTypes),
    amount: mostly(amounts[units], oddAmounts),
    currency: mostly(currencies, oddCurrencies),
    date: mostly(dates, oddDates),
    transactionId: idOf,
    merchantTransactionId: idOf,
    chargeId: idOf,
    note: mostly(['', 'a note'], ['Müller', 'a "quoted" note', 'a\\b', '\u2028']),
  });
type Line = Record<string, string>;

const optionsOf = fc.record(
  {
    currency: fc.constantFrom('USD', 'JPY', 'KWD'),
    zone: fc.constantFrom('UTC', 'Europe/Berlin'),
    decimal: fc.constantFrom('point', 'comma'),
    type: fc.constantFrom('sign', 'settle', 'refund'),
    types: fc.constantFrom(
      { settle: ['Settle', 'Invoice'], refund: ['Refund', 'Credit'], skip: ['Payment'] },
      { sign: ['settle'], refund: ['refund'], settle: ['Größe'] },
    ),
    dates: fc.constantFrom('dmy', 'mdy', 'unix'),
    extraRows: fc.constantFrom('skip', 'keep'),
    skipRowsWithout: fc.constantFrom(['amount'], ['order', 'date'], ['transaction'], ['note']),
    skipOtherTypes: fc.constant(true),
    withdraw: fc.constant(true),
    only: fc.constantFrom({ currency: ['USD'] }),
    map: fc.constantFrom({ charge: 'note' }, { order: 'chargeId' }, { time: 'note' }),
  },
  { requiredKeys: [] },
);
/** Generates options of a file: usually few, and no decimal separator for minor units. */
const statedOptions = (units: 'minor' | 'major'): fc.Arbitrary<LedgerImportOptions> =>
  fc.tuple(optionsOf, fc.nat(), fc.nat({ max: 3 })).map(([all, start, count]) => {
    const stated = Object.entries(all).filter(([name]) => name !== 'decimal' || units === 'major');
    const first = start % Math.max(1, stated.length);
    return Object.fromEntries([...stated, ...stated].slice(first, first + count));
  });

const fileOf = <Kind extends string>(...kinds: Kind[]) =>
  fc.constantFrom('minor' as const, 'major' as const).chain((units) =>
    fc.record({
      units: fc.constant(units),
      options: statedOptions(units),
      lines: fc.array(lineOf(units), { minLength: 80, maxLength: 120 }),
      /** Lines that replace another one, by position. */
      odd: fc.array(fc.tuple(fc.nat(119), fc.constantFrom(...kinds)), { maxLength: 4 }),
      newline: fc.constantFrom('\n', '\n', '\r\n'),
      isEnded: fc.boolean(),
      mark: fc.constantFrom('', '', '\uFEFF'),
    }),
  );

function jsonOf(line: Line, kind: string): string {
  const { amount = '', merchantOrderId = '', ...rest } = line;
  const values = {
    merchantOrderId,
    amount: /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(amount) ? Number(amount) : amount,
    ...rest,
  };
  const whole = JSON.stringify(values);
  if (kind === 'keys-reordered')
    return JSON.stringify(Object.fromEntries(Object.entries(values).toReversed()));
  if (kind === 'key-twice') return whole.replace('{', '{"note":"1",');
  if (kind === 'key-missing') return JSON.stringify(rest);
  if (kind === 'id-missing') return JSON.stringify({ ...values, transactionId: undefined });
  if (kind === 'null')
    return JSON.stringify({ ...values, transactionId: null, chargeId: null, note: null });
  if (kind === 'spaces') return whole.replaceAll('":', '": ').replaceAll(',"', ', "');
  if (kind === 'numbers')
    return JSON.stringify({ ...values, merchantOrderId: 1001, transactionId: 5, chargeId: 1.5 });
  if (kind === 'long-number') return whole.replace('{', '{"more":12345678901234567890,');
  if (kind === 'trailing-zero')
    return JSON.stringify({ ...values, amount: 5 }).replace('"amount":5', '"amount":5.0');
  if (kind === 'nested') return JSON.stringify({ ...values, note: { note: 1 } });
  if (kind === 'more-keys') return JSON.stringify({ ...values, more: true });
  if (kind === 'boolean') return JSON.stringify({ ...values, chargeId: true });
  if (kind === 'escape') return whole.replace('"merchantOrderId":"', '"merchantOrderId":"\\u0041');
  if (kind === 'not-json') return whole.slice(0, -2);
  if (kind === 'array') return `[${whole}]`;
  if (kind === 'blank') return ' ';
  return whole;
}

const jsonKinds = [
  ...[
    'keys-reordered',
    'key-twice',
    'key-missing',
    'id-missing',
    'null',
    'spaces',
    'numbers',
    'long-number',
  ],
  ...['trailing-zero', 'nested', 'more-keys', 'boolean', 'escape', 'not-json', 'array', 'blank'],
];

test('property: SQL and the reader read each NDJSON file like the reader alone', async () => {
  let plainLines = 0;
  await fc.assert(
    fc.asyncProperty(
      fileOf(...jsonKinds),
      async ({ isEnded, lines, mark, newline, odd, options, units }) => {
        const kinds = new Map(odd);
        const text = lines.map((line, at) => jsonOf(line, kinds.get(at) ?? '')).join(newline);
        const read = await readBothWays(mark + text + (isEnded ? newline : ''), {
          units,
          ...options,
        });
        expectSame(read);
        plainLines += read?.plain.count ?? 0;
      },
    ),
    { numRuns: 80 },
  );
  expect(plainLines).toBeGreaterThan(1_000);
});

const headers = [
  'merchantOrderId',
  'type',
  'amount',
  'currency',
  'date',
  'transactionId',
  'merchantTransactionId',
  'chargeId',
  'note',
];

function rowOf(line: Line, kind: string, by: string): string {
  const cells = headers.map((name) => (line[name] ?? '').replaceAll(/[,;\t"]/g, ''));
  if (kind === 'header') return headers.join(by);
  if (kind === 'total') return ['Total', '', line.amount].join(by);
  if (kind === 'sum') return ['', '', '27499'].join(by);
  if (kind === 'label') return ['March 2026', '', ''].join(by);
  if (kind === 'short') return cells.slice(0, 5).join(by);
  if (kind === 'long') return [...cells, 'more'].join(by);
  if (kind === 'longer-blank') return [...cells, ''].join(by);
  if (kind === 'separators') return by.repeat(headers.length - 1);
  if (kind === 'blank') return ' ';
  return cells.join(by);
}
const rowKinds = [
  'header',
  'total',
  'sum',
  'label',
  'short',
  'long',
  'longer-blank',
  'separators',
  'blank',
];

test('property: SQL and the reader read each table like the reader alone', async () => {
  let plainLines = 0;
  await fc.assert(
    fc.asyncProperty(
      fileOf(...rowKinds),
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('', 'Ledger of March\n', 'sep'),
      async ({ isEnded, lines, mark, newline, odd, options, units }, by, above) => {
        const kinds = new Map(odd);
        const rows = [
          headers.join(by),
          ...lines.map((line, at) => rowOf(line, kinds.get(at) ?? '', by)),
        ];
        const title = above === 'sep' ? `sep=${by}${newline}` : above.replace('\n', newline);
        const text = mark + title + rows.join(newline) + (isEnded ? newline : '');
        const read = await readBothWays(text, { units, ...options });
        expectSame(read);
        plainLines += read?.plain.count ?? 0;
      },
    ),
    { numRuns: 80 },
  );
  expect(plainLines).toBeGreaterThan(1_000);
});

const usual = (nth: number): Line => ({
  merchantOrderId: `A-${nth}`,
  type: 'settle',
  amount: '5',
  currency: 'EUR',
  date: '2026-03-01T10:00:00.000Z',
  transactionId: '',
  merchantTransactionId: `M-${nth}`,
  chargeId: '',
  note: '',
});
const ofLines = (...more: string[]) =>
  [...Array.from({ length: 100 }, (_, nth) => jsonOf(usual(nth), '')), ...more, ''].join('\n');

test('reads a file of plain lines without the reader', async () => {
  const read = await readBothWays(ofLines(), {});
  expect(read?.plain).toMatchObject({ count: 100, others: [] });
  expectSame(read);
});

test.each([
  ['a blank line', ofLines('', jsonOf(usual(101), ''))],
  ['a line that ends with a carriage return', ofLines(`${jsonOf(usual(101), '')}\r`)],
  ['a line that is too long', ofLines(jsonOf({ ...usual(101), note: 'x'.repeat(70_000) }, ''))],
  ['a control character', ofLines('a\x1fb')],
  ['another encoding', Buffer.from(ofLines(), 'utf16le')],
  ['bytes that are not UTF-8', Buffer.concat([Buffer.from(ofLines()), Buffer.of(0xff, 0x0a)])],
  [
    'a table with quotes',
    [headers.join(), ...Array.from({ length: 99 }, () => `"A${','.repeat(8)}`)].join('\n'),
  ],
  ['mostly lines with errors', ofLines(...Array.from({ length: 50 }, () => '{}'))],
])('reads a file with %s with the reader', async (_, content) => {
  expect((await readBothWays(content, { units: 'minor' }))?.plain.count).toBeUndefined();
});

test('reads rows of a table with the reader if their net amount has another sign or form', async () => {
  const row = (nth: number, net: string) => `A-${nth},settle,5,EUR,2026-03-01T10:00:00.000Z,${net}`;
  const nets = ['-5', '(5)', '-4', '5-', '4', ''];
  const read = await readBothWays(
    [
      'merchantOrderId,type,amount,currency,date,Netto',
      ...Array.from({ length: 80 }, (_, nth) => row(nth, '4')),
      ...nets.map((net, nth) => row(80 + nth, net)),
    ].join('\n'),
    { units: 'major' },
  );
  expectSame(read);
  expect(read?.plain.others).toEqual([82, 83, 84, 85]);
  expect(read?.mixed.reading.errors).toMatchObject([
    { line: 82, code: 'amount-contradicts', count: 3 },
  ]);
});

test('reads a table of many lines without the reader, in bounded memory', async () => {
  const from = join(folder, 'many');
  const line = (at: number) =>
    `A-${at},settle,${at}.50,USD,2026-03-01T00:00:00.000Z,txn-${at},m-${at},shop\n`;
  const header =
    'merchantOrderId,type,amount,currency,date,transactionId,merchantTransactionId,note\n';
  const many = 400_000;
  await writeFile(from, header + Array.from({ length: many }, (_, at) => line(at)).join(''));
  const request = { from, options: { units: 'major' }, now: NOW, maxBytes: Infinity } as const;
  const plain = await readPlainLines({ ...request, to: `${from}.plain` });
  // The reader learns from the first rows how the others may be split.
  expect(plain).toMatchObject({ count: many - 50, others: [] });
});
