import { MAX_MINOR_UNITS } from '@financing-checkout/contract/money';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settle } from '../../companion/companion.fixture.ts';
import { configure, run, type Running, shopDays, startShop } from '../../program.fixture.ts';
import { openLedger } from './ledger.fixture.ts';

const hostileIds = ['A-1', '=1+1', '+49', '-7', '@shop', '|x', 'A;=B', '"q"', "O'Neil"].concat(
  ['Ä, Ö', '00012345', '1e5', '＝1', 'A; "＝B', 'A,-B', '<&>', '_x0041_'],
  // A leading apostrophe in the original id is part of the id.
  ["'=1+2", "A;'=B", "'00123"],
);
/** Both have the local time 01:30 in New York, and differ only in the offset. */
const repeatedHour = ['2025-11-02T05:30:00.000Z', '2025-11-02T06:30:00.000Z'];

const forms = [
  'format=csv',
  'format=csv&decimal=comma',
  'format=csv&bom=true&zone=Europe%2FBerlin',
  'format=csv&times=spreadsheet',
  'format=csv&times=spreadsheet&zone=America%2FNew_York',
  'format=csv&times=spreadsheet&zone=CET&decimal=comma&bom=true',
  'format=ndjson',
  'format=xlsx',
  'format=xlsx&zone=America%2FNew_York',
] as const;

async function post({ app }: Running, type: string, body: string | Uint8Array): Promise<unknown> {
  const init = { method: 'POST', headers: { 'content-type': type }, body };
  return (await app.request('/ledger', init)).json();
}

const importLines = async (program: Running, lines: readonly object[]) =>
  post(program, 'application/x-ndjson', lines.map((line) => JSON.stringify(line)).join('\n'));

/** Exports all lines in a format, and imports the file. */
async function importedAgain(program: Running, form: string): Promise<unknown> {
  const exported = await program.app.request(`/exports/lines?${form}`);
  const type = exported.headers.get('content-type') ?? '';
  return post(program, type, new Uint8Array(await exported.arrayBuffer()));
}

test('recognizes all lines of its own export as repeated', async () => {
  const shop = await startShop(0);
  shop.entries = hostileIds.map((id, at) =>
    settle(at + 1, id, 100_000 + at, {
      merchantTransactionId: `${id}-m`,
      transactionId: `${id}-t`,
    }),
  );
  const program = await run(configure(shop));
  await program.sync(shopDays());
  const lines = hostileIds.map((id, at) => ({
    merchantOrderId: `${id}9`,
    type: 'refund',
    amount: 250 + at,
    currency: 'USD',
    date: new Date(Date.now() - 86_400_000 + at).toISOString(),
  }));
  const once = { merchantOrderId: '00012345', type: 'refund', amount: 1, currency: 'USD' };
  const twice = repeatedHour.map((date) => ({ ...once, date }));
  // Two equal lines count as two, in both directions.
  expect(await importLines(program, [...lines, ...lines.slice(0, 1), ...twice])).toMatchObject({
    added: hostileIds.length + 3,
  });
  for (const form of forms) {
    expect(await importedAgain(program, form), form).toMatchObject({
      errors: [],
      applied: true,
      added: 0,
      repeated: 2 * hostileIds.length + 3,
    });
  }
});

test('property: each line of an export is recognized in every format and currency', async () => {
  const id = fc.oneof(
    fc.constantFrom(...hostileIds),
    fc.stringMatching(/^0{1,3}[1-9]\d{0,12}$/),
    fc.stringMatching(/^[=+\-@|;,'"a1][=+\-@|;,'"a1]{0,6}[a1]$/),
    fc.stringMatching(/^['"= \u00a0]{1,4}[a1]{1,2}['" \u00a0]{0,2}$/),
  );
  const line = fc.record(
    {
      merchantOrderId: id,
      type: fc.constantFrom('settle', 'refund'),
      amount: fc.oneof(
        fc.integer({ min: 1, max: 99_999 }),
        fc.integer({ min: 1, max: MAX_MINOR_UNITS }),
      ),
      currency: fc.constantFrom('USD', 'JPY', 'KWD', 'HUF'),
      date: fc
        .integer({ min: Date.UTC(2020, 0), max: Date.UTC(2026, 0) })
        .map((time) => new Date(time).toISOString()),
      transactionId: fc.uuid(),
    },
    { requiredKeys: ['merchantOrderId', 'type', 'amount', 'currency', 'date'] },
  );
  const shop = await startShop(0);
  shop.entries = [];
  const program = await run(configure(shop));
  await fc.assert(
    // Uses many lines per run: an export and an import take as long for 150 lines as for 50.
    fc.asyncProperty(
      fc.array(line, { minLength: 150, maxLength: 150, size: 'max' }),
      async (lines) => {
        const report = await importLines(program, lines);
        expect(report).toMatchObject({ errors: [], applied: true });
        const { added } = report as { added: number };
        for (const form of forms) {
          const report = await importedAgain(program, form);
          expect(report, form).toMatchObject({ errors: [], added: 0, repeated: added });
        }
      },
    ),
    { numRuns: 1, endOnFailure: true },
  );
});

const header =
  'order,order_key,currency,source,type,amount,at,transaction_id,merchant_transaction_id';
const exported = (at: string, offset: string, zone: string) =>
  `${header},utc_offset,zone\nA-1,order:A-1,USD,ledger,Settle,1.00,${at},,,${offset},${zone}\n`;

test.each([
  ['2026-01-15 01:30:00', '', 'America/New_York', '2026-01-15T06:30:00.000Z'],
  ['2025-11-02 01:30:00', 'UTC-04:00', 'America/New_York', '2025-11-02T05:30:00.000Z'],
  ['2025-11-02 01:30:00', 'UTC-05:00', 'America/New_York', '2025-11-02T06:30:00.000Z'],
  ['2026-01-15', 'UTC+01:00', 'CET', '2026-01-14T23:00:00.000Z'],
])('reads the time %s of an export, with %s in %s', async (at, offset, zone, moment) => {
  const { run, lines } = await openLedger();
  expect(await run(exported(at, offset, zone))).toMatchObject({ errors: [], added: 1 });
  expect(await lines()).toMatchObject([{ at: moment }]);
});

test.each([
  ['UTC-04:00', 'America/New_York', 'row-contradicts', 'correct one of the two'],
  ['', '', 'zone-unknown', 'set `zone`'],
  ['UTC-05:00', 'Moon/Sea', 'zone-unknown', 'set `zone`'],
  ['five', 'America/New_York', 'row-contradicts', 'UTC-05:00'],
])('refuses a time of an export with %s in "%s"', async (offset, zone, code, advice) => {
  const { run } = await openLedger();
  const report = await run(exported('2026-01-15 01:30:00', offset, zone));
  expect(report).toMatchObject({ applied: false, errors: [{ line: 2, code }] });
  expect(report.errors[0]?.message).toContain(advice);
});

/**
 * Amounts of an export that a spreadsheet has saved, as displayed or as entered, in each language.
 */
const saved = [
  [',', '1234.5', '1000', '1.234'],
  [',', '1,234.50', '1,000', '1.234'],
  [',', '1234,5', '1000', '1,234'],
  [',', '1.234,50', '1.000', '1,234'],
  [';', '1234.50', '1,000', '1.234'],
  [';', '1,234.50', '1,000', '1.234'],
  [';', '1.234,50', '1.000', '1,234'],
  ['\t', '1234,5', '1.000', '1,234'],
  ['\t', "1'234.50", "1'000", '1.234'],
] as const;

test.each(saved)(
  'reads amounts of its own export with separator "%s": %s USD, %s JPY, %s KWD',
  async (delimiter, ...amounts) => {
    const text = [
      header.split(','),
      ...['USD', 'JPY', 'KWD'].map((currency, at) => [
        ...[`A-${at}`, `order:A-${at}`, currency, 'ledger', 'Settle', amounts[at]],
        ...['2026-01-15 01:30:00', `t-${at}`, '', 'UTC'],
      ]),
    ].map((values, at) => (at === 0 ? [...values, 'zone'] : values));
    const file = text.map((row) => row.map((value) => `"${value}"`).join(delimiter)).join('\n');
    const { run, ask } = await openLedger();
    expect(await run(file)).toMatchObject({ errors: [], added: 3 });
    expect(await ask('select amount::int as amount from ledger_lines order by currency')).toEqual(
      [1_000, 1_234, 123_450].map((amount) => ({ amount })),
    );
  },
);

test.each([
  ['USD', '1.234'],
  ['USD', '1,234'],
  ['JPY', '1,5'],
])('refuses an ambiguous amount in its own export: %s %s', async (currency, amount) => {
  const { run } = await openLedger();
  const file = exported('2026-01-15 01:30:00', '', 'UTC');
  const report = await run(file.replace('USD', currency).replace('1.00', `"${amount}"`));
  expect(report).toMatchObject({ applied: false, errors: [{ line: 2, field: 'amount' }] });
});

test.each([{}, { preset: 'lines' }, { units: 'major' }] as const)(
  'imports its own NDJSON export into an empty ledger, exactly, with options %o',
  async (options) => {
    const program = await run(configure(await startShop(1)));
    await program.sync(shopDays());
    const lines = ['USD', 'JPY', 'KWD'].map((currency, at) => ({
      merchantOrderId: `000${at}`,
      type: 'settle',
      amount: 1_005,
      currency,
      date: '2026-03-01T10:00:00.123Z',
      ...(at === 0 ? {} : { transactionId: `00${at}`, merchantTransactionId: `0${at}E5` }),
    }));
    expect(await importLines(program, lines)).toMatchObject({ added: 3 });
    const text = await (await program.app.request('/exports/lines?format=ndjson')).text();
    const fundings = text.split('\n').filter((line) => line.includes('"source":"funding"'));
    expect(fundings).not.toEqual([]);
    const empty = await openLedger();
    expect(await empty.run(text, options)).toMatchObject({
      errors: [],
      applied: true,
      skipped: fundings.length,
      leftOut: [{ reason: 'other-row' }],
    });
    const read = await empty.ask(
      `select merchant_order_id, currency, type, amount, occurred_at, transaction_id, merchant_transaction_id
       from ledger_lines where starts_with(merchant_order_id, '000') order by 1`,
    );
    expect(read.map((line) => Object.values(line).map(String))).toEqual(
      lines.map(({ merchantOrderId, currency, amount, date, ...ids }) => [
        ...[merchantOrderId, currency, 'Settle', String(amount), String(Date.parse(date))],
        ...[String(ids.transactionId ?? null), String(ids.merchantTransactionId ?? null)],
      ]),
    );
  },
);

test('finds an order by its id in any spreadsheet notation', async () => {
  const shop = await startShop(1);
  const program = await run(configure(shop));
  await program.sync(shopDays());
  for (const id of [' A-1 ', '="A-1"', "'A-1", 'A\u200b-1']) {
    expect(await program.get(`/orders/${encodeURIComponent(`order:${id}`)}`)).toMatchObject({
      orderKey: 'order:A-1',
    });
  }
});
