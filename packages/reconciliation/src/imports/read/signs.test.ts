import { expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';

const rows = (...lines: string[]) => `${lines.join('\n')}\n`;

/** Layouts of a bank, a payment processor and a marketplace, with made-up orders and amounts. */
const negativeDebits = {
  bank: {
    file: rows(
      'Date;Libelle;Reference;Debit;Credit',
      '02/03/2026;VIR RECU;A-1;;100,00',
      '03/03/2026;VIR EMIS;A-1;-30,00;',
      '04/03/2026;VIR EMIS;A-2;-1 200,50;',
    ),
    map: { order: 'Reference', settled: 'Credit', refunded: 'Debit', date: 'Date' },
    notation: { decimal: 'comma', dates: 'dmy' },
  },
  processor: {
    file: rows(
      'order,created,gross in,gross out',
      'A-1,2026-03-02,100.00,0.00',
      'A-1,2026-03-03,0.00,−30.00',
      'A-2,2026-03-04,0.00,–1200.50',
    ),
    map: { order: 'order', settled: 'gross in', refunded: 'gross out', date: 'created' },
    notation: {},
  },
  marketplace: {
    file: rows(
      'Auftrag\tBuchung\tSoll\tHaben',
      'A-1\t2.3.2026\t\t100,00',
      'A-1\t3.3.2026\t30,00-\t',
      'A-2\t4.3.2026\t1.200,50 EUR-\t',
    ),
    map: { order: 'Auftrag', settled: 'Haben', refunded: 'Soll', date: 'Buchung' },
    notation: { decimal: 'comma', dates: 'dmy' },
  },
} as const;

test.each(Object.entries(negativeDebits))(
  'reads an always negative debit column by absolute value: %s',
  async (_, { file, map, notation }) => {
    const { lines, run } = await openLedger();
    const options = { map, units: 'major', currency: 'EUR' } as const;
    expect(await run(file, { ...options, ...notation })).toMatchObject({ added: 3, errors: [] });
    expect((await lines()).map(({ type, amount }) => `${type} ${amount}`)).toEqual([
      'Refund 120050',
      'Refund 3000',
      'Settle 10000',
    ]);
  },
);

test('refuses a debit column with both signs and names a row for each sign', async () => {
  const { lines, run } = await openLedger();
  const file = rows(
    'order,date,in,out',
    'A-1,2026-03-02,100.00,',
    'A-1,2026-03-03,,-30.00',
    'A-2,2026-03-04,,-5.00',
    'A-3,2026-03-05,,20.00',
    'A-4,2026-03-05,,21.00',
  );
  const map = { order: 'order', settled: 'in', refunded: 'out', date: 'date' };
  const report = await run(file, { map, units: 'major', currency: 'EUR' });
  expect(report).toMatchObject({
    applied: false,
    errorCount: 1,
    errors: [
      {
        line: 5,
        field: 'refunded',
        code: 'amount-signs',
        message: expect.stringMatching(/^out .*line 3 .*line 5/) as string,
      },
    ],
  });
  expect(await lines()).toEqual([]);
});

test.each(['-30', '−30', '–30', '30-', '30−', '30–'])(
  'recognizes each minus character in minor units: %s',
  async (amount) => {
    const { lines, run } = await openLedger();
    const file = rows('merchantOrderId,amount,currency,date', `A-1,${amount},EUR,2026-03-02`);
    expect(await run(file, { units: 'minor', type: 'sign' })).toMatchObject({ added: 1 });
    expect(await lines()).toMatchObject([{ type: 'Refund', amount: 30 }]);
  },
);

test('explains how to read a negative settle amount as a refund', async () => {
  const { run } = await openLedger();
  const file = rows('merchantOrderId,type,amount,currency,date', 'A-1,D,-30.00,EUR,2026-03-02');
  const typed = (word: 'settle' | 'sign') =>
    ({ units: 'major', types: { [word]: ['D'] } }) as const;
  expect(await run(file, typed('settle'))).toMatchObject({
    errors: [
      {
        code: 'amount-negative',
        message: expect.stringMatching(/`types` to sign=.*`type` to sign/) as string,
      },
    ],
  });
  expect(await run(file, typed('sign'))).toMatchObject({ added: 1, errors: [] });
});

test.each([
  ["'579,68 USD", 'Settle 57968'],
  ["'544,00 $", 'Settle 54400'],
  ["'USD 9.126,07", 'Settle 912607'],
  ["'-30,00", 'Refund 3000'],
])(
  'reads an amount after the apostrophe that marks text in a spreadsheet: %s',
  async (amount, line) => {
    const { lines, run } = await openLedger();
    const file = rows('merchantOrderId;amount;currency;date', `A-1;${amount};USD;2026-03-02`);
    const options = { units: 'major', decimal: 'comma', type: 'sign' } as const;
    expect(await run(file, options)).toMatchObject({ added: 1, errors: [] });
    expect((await lines()).map(({ type, amount: read }) => `${type} ${read}`)).toEqual([line]);
  },
);

test.each(["''579,68", "'579,68 EUR", "'USD 579,68 USD"])(
  'refuses an amount that is ambiguous after its apostrophe: %s',
  async (amount) => {
    const { run } = await openLedger();
    const file = rows('merchantOrderId;amount;currency;date', `A-1;${amount};USD;2026-03-02`);
    const options = { units: 'major', decimal: 'comma', type: 'sign' } as const;
    expect(await run(file, options)).toMatchObject({ errors: [{ line: 2, field: 'amount' }] });
  },
);
