import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type JournalAccount,
  journalAccounts,
  type JournalEntry,
  type JournalFile,
  type JournalFormatName,
  journalKinds,
  type JournalLine,
} from '@financing-checkout/contract/reconciliation';
import { isExact } from '@financing-checkout/contract/money';
import fc from 'fast-check';
import { Chart } from '../../config/chart.ts';
import { TemporaryFiles } from '../../platform/temporary-files.ts';
import { contentOf, type WrittenJournal, writeJournal } from '../format.ts';
import { journalFormatsByName } from './index.ts';

/** A chart of accounts that satisfies the limits of every target. */
export const settings = {
  accounts: { bank: { number: '1090', name: 'Clearing:Lender payouts' } },
  rules: [
    {
      for: 'receivable',
      lender: 'Example Lender',
      number: '1211',
      name: 'Due from Example Lender',
    },
    { for: 'discount', currency: 'JPY', number: '6511', name: 'Merchant discount, Japan' },
  ],
  xero: { taxRate: 'Tax Exempt (0%)' },
  datev: { consultant: 29_098, client: 55_003, currency: 'USD', writesOtherCurrencies: true },
};
export const chart = chartOf({});

/** Returns the chart with changed settings. */
export function chartOf(changes: Record<string, unknown>): Chart {
  return new Chart(JSON.stringify({ ...settings, ...changes }));
}

type Amounts = readonly (readonly [account: JournalAccount, amount: number, lender: string])[];

/** Returns an entry whose lines have these amounts, in minor units. */
export function entryOf(
  about: Omit<JournalEntry, 'lines' | 'period'>,
  amounts: Amounts,
): JournalEntry {
  const { currency } = about;
  const lines = amounts.map(([account, amount, lender]): JournalLine => {
    const posted = { account, lender, currency, productType: undefined };
    return { account: chart.account(posted), amount, lender };
  });
  return { ...about, period: '2026-10', lines };
}

const lender = 'Example Lender';
const other = 'Müller & Söhne, "Kredit"';
const start = '2026-10-01';
const end = '2026-10-31';

export const sale = entryOf({ id: 'FC3-3', date: end, kind: 'sales', currency: 'USD' }, [
  ['receivable', 123_456, lender],
  ['revenue', -123_456, lender],
]);

/** A small journal with three currencies, an adjustment, and the reversal of an amount in transit. */
export const journal: readonly JournalEntry[] = [
  entryOf({ id: 'FC3-1', date: start, kind: 'opening', currency: 'JPY' }, [
    ['in-transit', 12_000, ''],
    ['opening', -12_000, ''],
  ]),
  entryOf({ id: 'FC3-2', date: start, kind: 'reversal', currency: 'USD' }, [
    ['receivable', 45_000, lender],
    ['in-transit', -45_000, lender],
  ]),
  sale,
  entryOf({ id: 'FC3-4', date: end, kind: 'payouts', currency: 'JPY' }, [
    ['bank', 11_640, other],
    ['discount', 360, other],
    ['receivable', -12_000, other],
  ]),
  entryOf({ id: 'FC3-5', date: end, kind: 'payouts', currency: 'KWD' }, [
    ['bank', 98_765, lender],
    ['discount', 1_234, lender],
    ['receivable', -99_999, lender],
  ]),
  entryOf(
    {
      id: 'FC3-6',
      date: end,
      kind: 'payouts',
      belongsTo: '2026-09',
      currency: 'USD',
      orderKey: 'order:R-1001',
      merchantOrderId: 'R-1001',
    },
    [
      ['chargebacks', 20_000, other],
      ['discount', -600, other],
      ['bank', -19_400, lender],
    ],
  ),
  entryOf(
    {
      id: 'FC3-7',
      date: end,
      kind: 'differences',
      belongsTo: '',
      currency: 'USD',
      orderKey: 'funding:F-7',
    },
    [
      ['bank', 5, lender],
      ['suspense', -5, lender],
    ],
  ),
  entryOf({ id: 'FC3-8', date: end, kind: 'in-transit', currency: 'USD' }, [
    ['in-transit', 123_456, lender],
    ['receivable', -123_456, lender],
  ]),
];

async function* streamOf(
  entries: readonly JournalEntry[],
): AsyncGenerator<readonly JournalEntry[]> {
  yield await Promise.resolve(entries);
}

/** Writes entries as a target's files. */
export async function write(
  name: JournalFormatName,
  entries: readonly JournalEntry[] = journal,
  own: Chart = chart,
): Promise<Omit<WrittenJournal, 'files'> & { files: (JournalFile & { content: Uint8Array })[] }> {
  const folder = await TemporaryFiles.open(await mkdtemp(join(tmpdir(), 'journal-')));
  try {
    const written = await writeJournal(streamOf(entries), {
      format: journalFormatsByName[name],
      chart: own,
      period: '2026-10',
      name: 'journal-2026-10',
      at: Date.parse('2026-11-02T08:30:15.123Z'),
      folder,
      paths: [],
    });
    const files = [];
    for (const file of written.files) {
      const pieces: Uint8Array[] = [];
      for await (const piece of contentOf(file)) pieces.push(piece);
      files.push({ ...file, content: Buffer.concat(pieces) });
    }
    return { ...written, files };
  } finally {
    await folder.close();
  }
}

const amount = fc.integer({ min: -9_999_999, max: 9_999_999 }).filter((value) => value !== 0);
const account = fc.constantFrom(...journalAccounts);
const named = fc.constantFrom('', lender, other, 'Ünïon = 1', "O'Brien; Sons");
const orderId = fc.string({ minLength: 1, maxLength: 24 });

const entriesWith = (orders: fc.Arbitrary<string>): fc.Arbitrary<JournalEntry> =>
  fc
    .record({
      kind: fc.constantFrom(...journalKinds),
      currency: fc.constantFrom('USD', 'JPY', 'KWD'),
      date: fc.constantFrom(start, end, '2026-11-01'),
      belongsTo: fc.constantFrom(undefined, '', '2026-09'),
      order: fc.option(orders, { nil: undefined }),
      amounts: fc.array(fc.tuple(account, amount, named), { minLength: 1, maxLength: 5 }),
      last: account,
    })
    .map(({ kind, currency, date, belongsTo, order, amounts, last }) => {
      const about: Omit<JournalEntry, 'lines' | 'period'> = { id: '', kind, currency, date };
      if (belongsTo !== undefined) about.belongsTo = belongsTo;
      if (order !== undefined) {
        about.merchantOrderId = order;
        about.orderKey = `order:${order}`;
      }
      const rest = -amounts.reduce((sum, [, value]) => sum + value, 0);
      const all: Amounts = rest === 0 ? amounts : [...amounts, [last, rest, '']];
      return entryOf(about, all);
    });

/**
 * Generates journals that a target accepts, of balanced entries in currencies with 0, 2 and 3
 * decimals.
 */
export function journalsFor(name: JournalFormatName): fc.Arbitrary<JournalEntry[]> {
  // Only DATEV refuses an order ID that could start a formula; the other formats guard it.
  const orders = name === 'datev' ? orderId.filter(isExact) : orderId;
  return fc
    .array(entriesWith(orders), { minLength: 1, maxLength: 30 })
    .map((entries) => entries.map((entry, index) => ({ ...entry, id: `FC1-${index + 1}` })));
}

/** Returns reproducible sample journals for a seed. */
export function sampleJournals(seed: number, count: number): JournalEntry[][] {
  return fc.sample(journalsFor('csv'), { seed, numRuns: count });
}
