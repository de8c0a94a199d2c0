import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minorUnitDigits } from '@financing-checkout/contract/money';
import {
  type Account,
  journalFormats,
  type JournalEntry,
  type JournalFormatName,
} from '@financing-checkout/contract/reconciliation';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Chart } from '../../config/chart.ts';
import { columns } from './datev-columns.ts';
import { lenderOf, orderOf } from './entry-text.ts';
import { journalFormatsByName } from './index.ts';
import {
  chart,
  chartOf,
  entryOf,
  journal,
  journalsFor,
  sale,
  settings,
  write,
} from './journal.fixture.ts';
import { datevRows, readLines, type ReadLine, sumsIn, sumsOf } from './read-back.fixture.ts';

const documentation = readFileSync(join(import.meta.dirname, '../../../docs/journals.md'), 'utf8');
const sections = documentation.split('\n## ');

/** Returns the sale with a changed account in its first line. */
function withAccount(changes: Partial<Account>): JournalEntry {
  const [first, ...rest] = sale.lines;
  if (first === undefined) throw new Error('The entry has no line.');
  return { ...sale, lines: [{ ...first, account: { ...first.account, ...changes } }, ...rest] };
}

const withLender = (lender: string): JournalEntry => ({
  ...sale,
  lines: sale.lines.map((line) => ({ ...line, lender })),
});

const withOrder = (merchantOrderId: string): JournalEntry => ({
  ...sale,
  merchantOrderId,
  orderKey: `order:${merchantOrderId}`,
});

/** Returns the sale with an amount in minor units. */
const withAmount = (amount: number): JournalEntry =>
  entryOf({ ...sale }, [
    ['receivable', amount, ''],
    ['revenue', -amount, ''],
  ]);

/** Returns a balanced entry with this number of lines. */
function withLines(count: number): JournalEntry {
  const [debit, credit] = sale.lines;
  if (debit === undefined || credit === undefined) throw new Error('The entry has no lines.');
  const lines = Array.from({ length: count }, () => ({ ...debit, amount: 1 }));
  return { ...sale, lines: [{ ...credit, amount: 1 - count }, ...lines.slice(1)] };
}

/** Returns the example by which a refusal refers to an entry. */
function exampleOf(entry: JournalEntry = sale): string {
  const { id, merchantOrderId: order } = entry;
  return order === undefined ? id : `${id} (order ${order})`;
}

interface Case {
  entries: readonly JournalEntry[];
  chart?: Chart;
  /** Text in the message. */
  says: RegExp;
}

const sameNames = [withAccount({ number: '1' }), withAccount({ number: '2' })];
const formula = [withAccount({ number: '=1', name: '=1' })];
const longText = [withOrder('7'.repeat(4_000))];
const lineBreak = [withLender('Example\nLender')];

/** For each format and limit, a journal that violates only this limit. */
const cases: Readonly<Record<JournalFormatName, Readonly<Record<string, Case>>>> = {
  beancount: {
    'account-name': { entries: [withAccount({ name: 'Asset:「」' })], says: /chart of accounts/ },
    'account-twice': { entries: sameNames, says: /another name in the chart of accounts/ },
    'control-character': { entries: lineBreak, says: /format "csv"/ },
  },
  hledger: {
    'account-name': { entries: [withAccount({ name: 'Two  blanks' })], says: /chart of accounts/ },
    'account-twice': { entries: sameNames, says: /another name in the chart of accounts/ },
    'control-character': { entries: lineBreak, says: /format "csv"/ },
    'posting-date': {
      entries: [
        entryOf({ ...sale }, [
          ['bank', 5, 'Lender [2026-01-01]'],
          ['suspense', -5, 'Example Lender'],
        ]),
      ],
      says: /format "csv" or "beancount"/,
    },
  },
  quickbooks: {
    'entry-id': { entries: [{ ...sale, id: 'FC1234567890-123456789' }], says: /detail "summary"/ },
    'account-name': { entries: [withAccount({ name: 'The "fund"' })], says: /chart of accounts/ },
    'account-twice': { entries: sameNames, says: /the same number/ },
    formula: { entries: [withAccount({ name: '=1' })], says: /chart of accounts/ },
    lender: { entries: [withLender('L'.repeat(101))], says: /format "csv"/ },
    description: { entries: longText, says: /detail "summary"/ },
    amount: { entries: [withAmount(10_000_000_000_000)], says: /detail "orders"/ },
    'entry-lines': { entries: [withLines(1_001)], says: /"rules" of the chart of accounts/ },
  },
  xero: {
    currency: {
      entries: [sale],
      chart: chartOf({ xero: { currency: 'EUR' } }),
      says: /"xero.currency"/,
    },
    'account-code': { entries: [withAccount({ number: '12345678901' })], says: /Xero's code/ },
    formula: { entries: formula, says: /chart of accounts/ },
    'tax-rate': {
      entries: [sale],
      chart: chartOf({ xero: { taxRate: '@5%' } }),
      says: /"xero.taxRate"/,
    },
    'entry-lines': { entries: [withLines(301)], says: /"rules" of the chart of accounts/ },
  },
  netsuite: {
    'two-lines': { entries: [{ ...sale, lines: sale.lines.slice(1) }], says: /Report it/ },
    'entry-lines': { entries: [withLines(201)], says: /"rules" of the chart of accounts/ },
    amount: { entries: [withAmount(1_000_000_000_000)], says: /detail "orders"/ },
    memo: { entries: longText, says: /detail "summary"/ },
    'account-twice': {
      entries: sameNames,
      chart: chartOf({ netsuite: { accounts: 'name' } }),
      says: /the same number/,
    },
    formula: { entries: formula, says: /chart of accounts/ },
    subsidiary: {
      entries: [sale],
      chart: chartOf({ netsuite: { subsidiary: '+Parent' } }),
      says: /"netsuite.subsidiary"/,
    },
  },
  datev: {
    client: {
      entries: [sale],
      chart: chartOf({ datev: { ...settings.datev, client: undefined } }),
      says: /"datev.consultant" and "datev.client"/,
    },
    currency: {
      entries: [sale],
      chart: chartOf({
        datev: { ...settings.datev, currency: 'EUR', writesOtherCurrencies: false },
      }),
      says: /"datev.writesOtherCurrencies"/,
    },
    'account-number': { entries: [withAccount({ number: '12A' })], says: /"datev.accountLength"/ },
    amount: { entries: [withAmount(1_000_000_000_000)], says: /detail "orders"/ },
    'entry-id': { entries: [{ ...sale, id: 'FC 1' }], says: /format "csv"/ },
    text: { entries: [{ ...sale, period: 'P'.repeat(60) }], says: /"periods" of the policy/ },
    information: { entries: [withOrder('7'.repeat(211))], says: /format "csv"/ },
    character: { entries: [withLender('Łódź')], says: /format "csv"/ },
    formula: { entries: [withLender('=1+1')], says: /"Zusatzinformation- Inhalt 1".*format "csv"/ },
  },
  csv: {
    formula: { entries: formula, says: /chart of accounts/ },
    constant: {
      entries: [sale],
      chart: chartOf({ csv: { columns: [{ head: 'Company', value: '-1' }] } }),
      says: /"csv.columns"/,
    },
  },
};

describe.each(journalFormats)('%s', (name) => {
  const format = journalFormatsByName[name];
  const limits = [...new Set(format.limits.map((limit) => limit.name))];

  test('has a test for each limit, and documents each limit with its source', () => {
    expect(Object.keys(cases[name]).toSorted()).toEqual(limits.toSorted());
    const section = sections.find((text) => text.startsWith(format.title.split(',', 1)[0] ?? ''));
    for (const limit of format.limits) {
      expect(section).toContain(`\`${limit.name}\``);
      expect(section).toContain(`(${limit.source})`);
    }
  });

  test.each(limits)('refuses what breaks the limit %s, and says what to do', async (limit) => {
    const found = cases[name][limit];
    if (found === undefined) throw new Error('The limit has no case.');
    const { entries, chart: own = chart, says } = found;
    const { refusals, files } = await write(name, entries, own);
    expect(refusals.map((one) => one.limit)).toContain(limit);
    const [refusal] = refusals.filter((one) => one.limit === limit);
    expect(refusal?.message).toMatch(says);
    expect(refusal?.examples).toContain(exampleOf(entries.at(-1)));
    expect(files).toEqual([]);
  });

  test('can be read back as the same entries, in files within the row limit', async () => {
    await fc.assert(
      fc.asyncProperty(journalsFor(name), async (entries) => {
        const { files, balances, refusals } = await write(name, entries);
        expect(refusals).toEqual([]);
        const lines = files.flatMap((file) => readLines(name, file));
        expect(sumsOf(lines)).toEqual(sumsIn(name, balances));
        for (const { rows } of files) expect(rows).toBeLessThanOrEqual(format.maxRows);
        for (const entry of entries) expectWhole(entry, lines);
      }),
      { numRuns: 60 },
    );
  });
});

/** Checks that an entry balances, is in one file, and has all its texts. */
function expectWhole(entry: JournalEntry, all: readonly ReadLine[]): void {
  const lines = all.filter((line) => line.entry === entry.id);
  // In some targets, an entry below half a unit, or with only one account, has no effect.
  if (lines.length === 0) return;
  expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
  expect(new Set(lines.map(({ file }) => file)).size).toBe(1);
  const text = lines.map((line) => line.text).join('\n');
  const order = orderOf(entry) ?? '';
  expect(text).toContain(order);
  // Targets with two decimals omit lines below half a unit.
  const isKept = (amount: number) => minorUnitDigits(entry.currency) < 3 || Math.abs(amount) >= 5;
  const kept = entry.lines.filter(({ amount }) => isKept(amount));
  expect(text).toContain(lenderOf({ ...entry, lines: kept }));
  expect(text).toMatch(/2026-10/);
  if (entry.belongsTo !== undefined) expect(text).toMatch(/adjustment|Anpassung/);
}

/** Patterns that DATEV publishes for the columns that are written, without quotation marks. */
const datevPatterns: Readonly<Record<string, RegExp>> = {
  'Umsatz (ohne Soll/Haben-Kz)': /^(?!0{1,10},00)\d{1,10},\d{2}$/,
  'Soll/Haben-Kennzeichen': /^"(S|H)"$/,
  'WKZ Umsatz': /^"([A-Z]{3})"$/,
  Konto: /^(\d{1,9})$/,
  'Gegenkonto (ohne BU-Schlüssel)': /^(\d{1,9})$/,
  Belegdatum: /^(\d{4})$/,
  'Belegfeld 1': /^"[a-zA-Z0-9$&%*+\-/]{0,36}"$/,
  Buchungstext: /^".{0,60}"$/,
  Festschreibung: /^(0|1)$/,
  'Zusatzinformation - Art 1': /^".{0,20}"$/,
  'Zusatzinformation- Inhalt 1': /^".{0,210}"$/,
  'Zusatzinformation - Art 2': /^".{0,20}"$/,
  'Zusatzinformation- Inhalt 2': /^".{0,210}"$/,
};

/** Patterns of the 31 fields of the header. */
const headerPatterns = [
  /^"EXTF"$/,
  /^700$/,
  /^21$/,
  /^"Buchungsstapel"$/,
  /^13$/,
  /^20\d{15}$/,
  /^$/,
  /^"\w{0,2}"$/,
  /^"\w{0,25}"$/,
  /^"\w{0,25}"$/,
  /^(\d{4,6}|\d{7})$/,
  /^\d{1,5}$/,
  /^20\d{4}01$/,
  /^[4-8]$/,
  /^20\d{6}$/,
  /^20\d{6}$/,
  /^"[\w./ -]{0,30}"$/,
  /^"([A-Z]{2}){0,2}"$/,
  /^[1-2]$/,
  /^(0|30|40|50|64)$/,
  /^(0|1)$/,
  /^"([A-Z]{3})"$/,
  /^$/,
  /^""$/,
  /^$/,
  /^$/,
  /^"(\d{2}){0,2}"$/,
  /^\d{0,4}$/,
  /^$/,
  /^""$/,
  /^".{0,16}"$/,
];

/** Returns the fields of a line with their quotation marks. */
const fieldsOf = (line: string) => line.match(/(?<=^|;)(?:"(?:[^"]|"")*"|[^;]*)(?=;|$)/g) ?? [];

describe('datev', () => {
  test('writes each field according to its published pattern', async () => {
    expect(columns).toHaveLength(125);
    await fc.assert(
      fc.asyncProperty(journalsFor('datev'), async (entries) => {
        const { files } = await write('datev', entries);
        for (const { content } of files) {
          const lines = new TextDecoder('windows-1252').decode(content).split('\r\n');
          expect(lines.pop()).toBe('');
          const [header = '', heads = '', ...rows] = lines;
          expect(fieldsOf(header)).toHaveLength(31);
          fieldsOf(header).forEach((field, at) =>
            expect(field).toMatch(headerPatterns[at] ?? /^$/),
          );
          expect(heads.split(';')).toEqual(columns);
          for (const row of rows) {
            const fields = fieldsOf(row);
            expect(fields).toHaveLength(125);
            fields.forEach((field, at) => {
              // The length excludes the doubling of quotation marks within a text.
              const plain = field.replaceAll(/(?<=.)""(?=.)/g, '"');
              expect(plain).toMatch(datevPatterns[columns[at] ?? ''] ?? /^(?:"")?$/);
            });
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    '=HYPERLINK("http://a.example","Pay")',
    '+1',
    '-2+3',
    '@SUM(A1)',
    '|calc',
    ' =1',
    '\u00a0=1',
    '"=1',
    "'=1",
    'A-1;=1',
    'A-1,@x',
    '\t=1',
    '\r=1',
    '\tA-1',
  ])(
    'refuses a text that starts a formula or a new cell, with its field and order: %j',
    async (text) => {
      const ordered = (await write('datev', [sale, withOrder(text)])).refusals;
      const named = (await write('datev', [withLender(text)])).refusals;
      const limit = /^[\t\r]/.test(text) ? 'character' : 'formula';
      expect(ordered.map((one) => [one.limit, one.count, one.examples])).toContainEqual([
        limit,
        1,
        [`FC3-3 (order ${text})`],
      ]);
      expect(named.map((one) => one.limit)).toContain(limit);
      if (limit === 'formula') {
        expect(ordered[0]?.message).toContain('"Zusatzinformation- Inhalt 2"');
        expect(named[0]?.message).toContain('"Zusatzinformation- Inhalt 1"');
      }
    },
  );

  test('writes no cell that a spreadsheet would execute, in any locale and with any names', async () => {
    const piece = fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      '|',
      '"',
      "'",
      ';',
      ',',
      ' ',
      '\u00a0',
      'A',
      '1',
    );
    const text = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
    let [refused, accepted] = [0, 0];
    await fc.assert(
      fc.asyncProperty(text, text, async (order, lender) => {
        const { lines } = withLender(lender);
        const { files, refusals } = await write('datev', [{ ...withOrder(order), lines }]);
        if (files.length === 0) {
          refused += 1;
          expect(refusals.map((one) => one.limit)).toEqual(['formula']);
          return;
        }
        accepted += 1;
        for (const row of datevRows(decode(files[0]?.content))) {
          const texts = Object.values(row).flatMap((cell) => cell.split(/[,;\t\r\n]/));
          for (const cell of texts) expect(cell.replace(/^[\s"']+/, '')).not.toMatch(/^[=+\-@|]/);
        }
      }),
      { numRuns: 500 },
    );
    expect(Math.min(refused, accepted)).toBeGreaterThan(20);
  });

  test('writes a batch for each month and currency, with the business year of its dates', async () => {
    const own = chartOf({ datev: { ...settings.datev, yearStart: '10-01' } });
    const entries = [{ ...sale, date: '2026-09-30' }, sale];
    const { files } = await write('datev', entries, own);
    const starts = files.map(
      ({ content }) => fieldsOf(decode(content).split('\r\n', 1)[0] ?? '')[12],
    );
    expect(files.map(({ name }) => name)).toEqual([
      'EXTF_journal-2026-10-2026-09-USD.csv',
      'EXTF_journal-2026-10-2026-10-USD.csv',
    ]);
    expect(starts).toEqual(['20251001', '20261001']);
  });

  test('writes the lender and the order as information when the text is too long', async () => {
    const order = '7'.repeat(60);
    const [file] = (await write('datev', [withOrder(order)])).files;
    const [row] = datevRows(decode(file?.content));
    expect(row?.Buchungstext).toBe('Finanzierte Umsätze 2026-10');
    expect(row?.['Zusatzinformation- Inhalt 1']).toBe('Example Lender');
    expect(row?.['Zusatzinformation- Inhalt 2']).toBe(order);
  });

  test('refuses a business year that begins within a month', () => {
    expect(() => chartOf({ datev: { yearStart: '02-15' } })).toThrow(/first day of a month/);
  });

  test('marks a batch as locked if the chart says so', async () => {
    const own = chartOf({ datev: { ...settings.datev, isLocked: true } });
    const [file] = (await write('datev', [sale], own)).files;
    const text = decode(file?.content);
    expect(fieldsOf(text.split('\r\n', 1)[0] ?? '')[20]).toBe('1');
    expect(datevRows(text)[0]?.Festschreibung).toBe('1');
  });
});

const decode = (content?: Uint8Array) => new TextDecoder('windows-1252').decode(content);

describe('files', () => {
  test('number the files, and never split an entry', async () => {
    const entries = Array.from({ length: 250 }, (_, index) => ({
      ...withLines(3),
      id: `FC1-${index + 1}`,
    }));
    const { files } = await write('xero', entries);
    expect(files.map(({ name, rows }) => [name, rows])).toEqual([
      ['journal-2026-10-USD-1.csv', 300],
      ['journal-2026-10-USD-2.csv', 300],
      ['journal-2026-10-USD-3.csv', 150],
    ]);
    const lines = files.flatMap((file) => readLines('xero', file));
    for (const { id } of entries) {
      const own = lines.filter(({ entry }) => entry === id);
      expect(new Set(own.map(({ file }) => file)).size).toBe(1);
      expect(own).toHaveLength(3);
    }
  });

  test('use separate accounts for a withdrawn currency', () => {
    const kuna = { for: 'receivable', currency: 'HRK', number: '1212', name: 'Due in kuna' };
    const posted = { lender: 'Other', currency: 'HRK', productType: undefined };
    const account = chartOf({ rules: [kuna] }).account({ ...posted, account: 'receivable' });
    expect(account.number).toBe('1212');
  });

  test('round a currency with more decimals by at most half a unit per line', async () => {
    const entry = entryOf({ ...sale, currency: 'KWD' }, [
      ['bank', 1_005, ''],
      ['discount', 1_005, ''],
      ['receivable', -2_010, ''],
    ]);
    const { files, balances } = await write('netsuite', [entry]);
    const lines = files.flatMap((file) => readLines('netsuite', file));
    expect(lines.map(({ account, amount }) => [account, amount])).toEqual([
      ['1090 Clearing:Lender payouts', 1_010],
      ['6510 Merchant discount', 1_010],
      ['1210 Receivable from financing lenders', -2_010],
      ['6595 Rounding', -10],
    ]);
    expect(sumsOf(lines)).toEqual(sumsIn('netsuite', balances));
  });

  test('omit an entry below half a unit or with only one account', async () => {
    const tiny = entryOf({ ...sale, currency: 'KWD' }, [
      ['bank', 4, ''],
      ['receivable', -4, ''],
    ]);
    const same = entryOf({ ...sale }, [
      ['bank', 4, 'Example Lender'],
      ['bank', -4, ''],
    ]);
    for (const name of ['quickbooks', 'xero', 'netsuite', 'datev'] as const) {
      expect(await write(name, [tiny])).toMatchObject({ files: [], refusals: [], entries: 1 });
    }
    expect((await write('datev', [same])).files).toEqual([]);
  });

  test('report all refusals of a journal, with five examples each', async () => {
    const entries = Array.from({ length: 7 }, (_, index) => ({
      ...withAccount({ number: `1234567890${index % 2}` }),
      id: `FC1-${index + 1}`,
    }));
    const { refusals } = await write('xero', entries);
    expect(refusals.map(({ limit, count, examples }) => [limit, count, examples.length])).toEqual([
      ['account-code', 4, 4],
      ['account-code', 3, 3],
    ]);
    const [refusal] = (await write('xero', [...entries, ...entries])).refusals;
    expect([refusal?.count, refusal?.examples.length]).toEqual([8, 5]);
  });
});

describe('csv', () => {
  test('uses the columns, dates and separator of the chart', async () => {
    const own = chartOf({
      csv: {
        separator: ';',
        date: 'DD.MM.YYYY',
        columns: [
          { head: 'Company code', value: '1000' },
          { head: 'Posting date', field: 'date' },
          { head: 'G/L account', field: 'account-number' },
          { head: 'D/C', field: 'side' },
          { head: 'Amount', field: 'amount' },
        ],
      },
    });
    const [file] = (await write('csv', [sale], own)).files;
    expect(new TextDecoder().decode(file?.content)).toBe(
      [
        'Company code;Posting date;G/L account;D/C;Amount\r\n',
        '1000;31.10.2026;1211;debit;1234,56\r\n',
        '1000;31.10.2026;4090;credit;-1234,56\r\n',
      ].join(''),
    );
  });
});

test('every target accepts the charts in the documentation', async () => {
  const charts = Array.from(documentation.matchAll(/^```json\n([^]*?)^```$/gm), ([, json]) => json);
  expect(charts).toHaveLength(2);
  const [general, sap] = charts.map((json) => new Chart(json));
  const dollars = journal.filter(({ currency }) => currency === 'USD');
  for (const name of journalFormats.filter((one) => one !== 'datev')) {
    expect((await write(name, dollars, general)).refusals).toEqual([]);
  }
  const euros = dollars.map((entry) => ({ ...entry, currency: 'EUR' }));
  expect((await write('datev', euros, general)).refusals).toEqual([]);
  expect((await write('csv', journal, sap)).refusals).toEqual([]);
});
