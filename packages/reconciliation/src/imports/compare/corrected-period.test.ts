import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';
import type { LedgerImportOptions } from '../read/options.ts';

interface Row {
  order: string;
  amount: string;
  day: string;
  id?: string;
}

const notation = { units: 'major', currency: 'USD', type: 'settle' } as const;
const row = (order: string, amount: string, day: string, id?: string): Row => ({
  order,
  amount,
  day,
  id,
});
/** @param more a column that the reader does not use */
const csv = (rows: readonly Row[], more?: string) =>
  [
    `merchantOrderId,amount,date,transactionId${more === undefined ? '' : `,${more}`}`,
    ...rows.map(
      ({ order, amount, day, id = '' }) =>
        `${order},${amount},${day},${id}${more === undefined ? '' : ',x'}`,
    ),
    '',
  ].join('\n');

/** Opens a ledger with an earlier import. */
async function after(earlier: readonly Row[], options: LedgerImportOptions = {}) {
  const ledger = await openLedger();
  const named = { ...notation, file: 'erp-2026-03.csv', ...options };
  expect(await ledger.run(csv(earlier), named)).toMatchObject({ added: earlier.length });
  const run = (rows: readonly Row[], more: LedgerImportOptions = {}, column?: string) =>
    ledger.run(csv(rows, column), { ...named, file: 'erp-2026-04.csv', ...more });
  const total = async () => {
    const lines = await ledger.lines();
    return lines.reduce((sum, { amount }) => sum + amount, 0);
  };
  return { ...ledger, run, total };
}

const march = [
  row('A-1', '10.00', '2026-03-10', 'T-1'),
  row('A-2', '20.00', '2026-03-12', 'T-2'),
  row('A-3', '30.00', '2026-03-20', 'T-3'),
];
const [one, two, three] = march as [Row, Row, Row];

describe('asks about a corrected file', () => {
  test.each([
    ['moved into an earlier month', [one, two, { ...three, day: '2026-02-20', id: 'T-9' }]],
    ['moved into a later month', [one, two, { ...three, day: '2026-04-20', id: 'T-9' }]],
    [
      'moved from the first to the last day',
      [two, three, { ...one, day: '2026-04-20', id: 'T-9' }],
    ],
    ['moved with its id', [one, two, { ...three, day: '2026-04-20' }]],
  ])('with a row that was %s, and counts the row once', async (_, corrected) => {
    const { run, total, lines } = await after(march);
    const asked = await run(corrected);
    expect(asked).toMatchObject({
      applied: false,
      errorCount: 1,
      errors: [{ code: 'correction' }],
      difference: { added: 0, changed: 1, removed: 0, kept: 0, stay: 2, go: 1 },
    });
    const moved = asked.difference?.list[0];
    expect(moved?.at).not.toBe(moved?.recordedAt);
    expect(await run(corrected, { correction: 'replace' })).toMatchObject({
      applied: true,
      added: 1,
      replaced: 1,
    });
    expect(await total()).toBe(6_000);
    expect(await lines()).toHaveLength(3);
    expect(await run(corrected)).toMatchObject({ errors: [], added: 0, difference: undefined });
  });

  test.each([
    ['of several months', [one, two, row('A-3', '30.00', '2026-04-02', 'T-3')]],
    ['of one month', march],
    ['of a month that begins in another', [row('A-1', '1.00', '2026-02-27'), two, three]],
  ])('that lacks the last day’s row of a file %s', async (_, earlier) => {
    const { run, lines } = await after(earlier);
    const shorter = earlier.slice(0, -1);
    expect(await run(shorter)).toMatchObject({
      errors: [{ code: 'correction' }],
      difference: { removed: 1, changed: 0, added: 0, stay: 2, go: 1, double: 0 },
    });
    await run(shorter, { correction: 'replace' });
    expect(await lines()).toHaveLength(2);
  });

  test.each([
    ['and one row of another day', [one, { ...two, day: '2026-04-02', id: 'T-9' }, three], false],
    ['and ids, which the earlier file lacked', march, true],
  ])('with another name, one more column %s', async (_, corrected, isUnnamed) => {
    const earlier = march.map(({ order, amount, day, id = '' }) =>
      row(order, amount, day, isUnnamed ? undefined : id),
    );
    const { run, total } = await after(earlier);
    const renamed = { file: 'korrektur.csv' };
    expect(await run(corrected, renamed, 'note')).toMatchObject({
      errors: [{ code: 'correction' }],
      difference: { changed: isUnnamed ? 3 : 1, double: isUnnamed ? 3 : 1 },
    });
    await run(corrected, { ...renamed, correction: 'replace' }, 'note');
    expect(await total()).toBe(6_000);
  });

  test('that changes the amount of a row with an id, as one question', async () => {
    const { run, total } = await after(march);
    const corrected = [one, two, { ...three, amount: '31.00' }];
    expect(await run(corrected)).toMatchObject({
      errorCount: 1,
      errors: [{ code: 'correction' }],
      difference: {
        changed: 1,
        go: 1,
        double: 0,
        list: [{ amount: 3_100, recordedAmount: 3_000 }],
      },
    });
    expect(await run(corrected, { correction: 'add' })).toMatchObject({
      errors: [{ code: 'line-contradicts' }],
    });
    await run(corrected, { correction: 'replace' });
    expect(await total()).toBe(6_100);
  });
});

test('shows lines that stay and lines that count twice with each answer', async () => {
  const { run, total } = await after(march);
  // The file repeats one day of three, and changes it.
  const next = [
    { ...three, amount: '33.00', id: 'T-9' },
    row('A-4', '4.00', '2026-04-02', 'T-4'),
    row('A-5', '5.00', '2026-04-03', 'T-5'),
  ];
  expect(await run(next)).toMatchObject({
    difference: {
      added: 2,
      changed: 1,
      removed: 0,
      kept: 2,
      stay: 2,
      go: 1,
      double: 1,
      list: [
        { kind: 'changed', merchantOrderId: 'A-3', doubles: true },
        { kind: 'added', merchantOrderId: 'A-4' },
        { kind: 'added', merchantOrderId: 'A-5' },
        { kind: 'kept', merchantOrderId: 'A-1', recordedAmount: 1_000 },
        { kind: 'kept', merchantOrderId: 'A-2', recordedAmount: 2_000 },
      ],
    },
  });
  await run(next, { correction: 'add' });
  expect(await total()).toBe(6_000 + 3_300 + 900);
});

describe('asks nothing about', () => {
  test.each([
    [
      'the next month of the source, with the same orders and amounts',
      march.map(({ order, amount, day, id = '' }) =>
        row(order, amount, day.replace('-03-', '-04-'), `${id}0`),
      ),
      3,
    ],
    ['an appended export', [...march, row('A-4', '4.00', '2026-04-02', 'T-4')], 1],
    [
      'an overlap of one day',
      [three, row('A-4', '4.00', '2026-04-02', 'T-4'), row('A-5', '5.00', '2026-04-03', 'T-5')],
      2,
    ],
    ['an overlap of one day in the month', [three, row('A-4', '4.00', '2026-03-21', 'T-4')], 1],
    [
      'an overlap of most days',
      [
        two,
        three,
        row('A-4', '4.00', '2026-04-02', 'T-4'),
        row('A-5', '5.00', '2026-04-03', 'T-5'),
      ],
      2,
    ],
    ['earlier days with an overlap', [row('A-0', '4.00', '2026-02-02', 'T-0'), one], 1],
    ['the next day', [row('A-4', '4.00', '2026-03-21', 'T-4')], 1],
    ['the same file', march, 0],
  ])('%s', async (_, rows, added) => {
    const { run } = await after(march);
    expect(await run(rows)).toMatchObject({
      errors: [],
      added,
      replaced: 0,
      difference: undefined,
    });
  });

  test.each(['kasse.csv', 'erp-2026-03.csv'])(
    'a file of the same day from another system, named %s',
    async (file) => {
      const { run } = await after(march);
      const other = [
        row('B-1', '9.00', '2026-03-10', 'X-1'),
        row('B-2', '8.00', '2026-03-12', 'X-2'),
      ];
      expect(await run(other, { file }, 'till')).toMatchObject({ errors: [], added: 2 });
    },
  );

  test('another system that has an order of the earlier file', async () => {
    const { run } = await after(march);
    const other = [
      row('A-1', '9.00', '2026-03-10', 'X-1'),
      row('B-2', '8.00', '2026-03-12', 'X-2'),
    ];
    expect(await run(other, { file: 'kasse.csv' }, 'till')).toMatchObject({ errors: [], added: 2 });
  });

  test('days outside the period that the person stated', async () => {
    const { run } = await after(march);
    const rest = { period: '2026-03-12..2026-03-31' };
    expect(await run([two, three], rest)).toMatchObject({ errors: [], added: 0, repeated: 2 });
  });
});

test('keeps a line that the file contains under another ID of its transaction', async () => {
  const ledger = await openLedger();
  const options = { ...notation, of: 'erp' };
  const header = 'merchantOrderId,amount,date,transactionId';
  const parts = (amount: string) =>
    `${header},merchantTransactionId\nA-1,${amount},2026-03-10,T-1,M-1\nA-2,20.00,2026-03-12,T-2,M-2\n`;
  await ledger.run(`${header}\nA-1,10.00,2026-03-10,T-1\nA-2,20.00,2026-03-12,T-2\n`, options);
  expect(await ledger.run(parts('10.00'), options)).toMatchObject({
    errors: [],
    difference: undefined,
    added: 0,
  });
  expect(await ledger.run(parts('11.00'), options)).toMatchObject({
    errors: [{ code: 'correction' }],
    difference: { changed: 1, go: 1, stay: 1 },
  });
  await ledger.run(parts('11.00'), { ...options, correction: 'replace' });
  expect((await ledger.lines()).map(({ id, amount }) => [id, amount])).toEqual([
    ['m:Settle:M-1', 1_100],
    ['t:Settle:T-2', 2_000],
  ]);
});

test('replaces the lines of a correction that is corrected itself, and restores the first file', async () => {
  const { run, total, lines } = await after(march);
  const first = await lines();
  const moved = [one, two, { ...three, day: '2026-04-20', id: 'T-9' }];
  await run(moved, { correction: 'replace' });
  const again = [one, two, { ...three, day: '2026-02-20', id: 'T-10', amount: '35.00' }];
  expect(await run(again)).toMatchObject({
    difference: { changed: 1, added: 0, removed: 0, list: [{ recordedAmount: 3_000 }] },
  });
  await run(again, { correction: 'replace' });
  expect(await total()).toBe(6_500);
  expect(await run(march)).toMatchObject({ difference: { changed: 1, stay: 2 } });
  await run(march, { correction: 'replace' });
  expect(await lines()).toEqual(first);
});

test('applies one of two corrections at the same time, and compares the other with it', async () => {
  const { run, total } = await after(march);
  const answer = { correction: 'replace' } as const;
  const corrections = ['31.00', '32.00'].map((amount) => [one, two, { ...three, amount }]);
  const results = await Promise.allSettled(corrections.map((rows) => run(rows, answer)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const left = corrections.filter((_, at) => results[at]?.status === 'rejected');
  for (const rows of left) {
    expect(await run(rows)).toMatchObject({ difference: { changed: 1, stay: 2 } });
    await run(rows, answer);
  }
  expect([6_100, 6_200]).toContain(await total());
});

test('names closed periods whose lines a correction adds or withdraws', async () => {
  const { change, run } = await after(march);
  const [from, until] = [Date.UTC(2026, 2, 1), Date.UTC(2026, 3, 1)];
  await change(`insert into seals values (1, '2026-03', 1, ${from}, ${until})`);
  const moved = [one, two, { ...three, day: '2026-04-20', id: 'T-9' }];
  const answer = { correction: 'replace' } as const;
  const closed = [{ period: '2026-03', lines: 1 }];
  expect(await run(moved, { ...answer, dryRun: true })).toMatchObject({ closed });
  expect(await run(moved, answer)).toMatchObject({ applied: true, replaced: 1, closed });
  await run(march, answer);
  expect(await run([one, two], { ...answer, dryRun: true })).toMatchObject({ added: 0, closed });
});

const day = fc
  .integer({ min: 0, max: 60 })
  .map((days) => new Date(Date.UTC(2026, 1, 1 + days)).toISOString().slice(0, 10));
const amount = fc.integer({ min: 1, max: 3 }).map((major) => `${major}.00`);
const order = fc.integer({ min: 1, max: 4 }).map((number) => `A-${number}`);
const id = fc.integer({ min: 1, max: 12 }).map((number) => `T-${number}`);
const rows = (minLength: number) =>
  fc.uniqueArray(fc.record({ order, amount, day, id }), {
    minLength,
    maxLength: 6,
    selector: (one) => one.id,
  });

/** Imports files in runs of a property, each with its own source and IDs. */
async function openRuns() {
  const ledger = await openLedger();
  let runs = 0;
  return () => {
    runs += 1;
    const mark = `.${runs}`;
    return {
      run: (file: readonly Row[], more: LedgerImportOptions = {}) => {
        const own = file.map((one) => ({
          ...one,
          order: one.order + mark,
          id: `${one.id}${mark}`,
        }));
        return ledger.run(csv(own), { ...notation, of: `erp${mark}`, ...more });
      },
      /** Returns the lines of this run, like {@link linesOf}. */
      lines: async () => {
        const found = await ledger.lines();
        return found
          .filter(({ id }) => id.endsWith(mark))
          .map(({ id, amount, at }) => {
            const [transaction = ''] = id.slice('t:Settle:'.length).split(mark);
            return [transaction, amount, at.slice(0, 10)].join();
          })
          .toSorted();
      },
    };
  };
}

const linesOf = (file: readonly Row[]) =>
  file.map(({ id, amount, day }) => [id, Number(amount) * 100, day].join()).toSorted();
const few = { numRuns: 25 };

test('counts each line of two files once, and lists every line that it removes', async () => {
  const open = await openRuns();
  await fc.assert(
    fc.asyncProperty(rows(1), rows(1), async (earlier, later) => {
      const { lines, run } = open();
      await run(earlier);
      const { difference } = await run(later, { dryRun: true });
      const report = await run(later, difference ? { correction: 'replace' } : {});
      const found = await lines();
      const ids = found.map((line) => line.split(',')[0]);
      expect(new Set(ids).size).toBe(ids.length);
      if (report.errorCount > 0) {
        // An ID in the later file contradicts a line outside the correction.
        expect(report.errors.map(({ code }) => code)).toEqual(['line-contradicts']);
        expect(found).toEqual(linesOf(earlier));
        return;
      }
      for (const one of later) expect(ids).toContain(one.id);
      const lost = earlier.filter((one) => !ids.includes(one.id));
      const listed = (difference?.list ?? [])
        .filter(({ kind }) => kind === 'changed' || kind === 'removed')
        .map((line) => [line.recordedAmount, line.recordedAt].join());
      for (const one of lost) {
        expect(listed).toContain([Number(one.amount) * 100, Date.parse(one.day)].join());
      }
    }),
    few,
  );
});

test('ends with the lines of the corrected file, whichever field of a row is corrected', async () => {
  const open = await openRuns();
  const change = fc.oneof(
    fc.record({ amount: fc.constant('7.00') }),
    fc.record({ day }),
    fc.record({ day, id: fc.constant('T-99') }),
    fc.record({ day, id: fc.constant('T-99'), amount: fc.constant('7.00') }),
    fc.record({ order: fc.constant('A-9'), id: fc.constant('T-99') }),
    fc.constant(undefined),
  );
  await fc.assert(
    fc.asyncProperty(rows(2), fc.nat(), change, async (earlier, nth, changed) => {
      const { lines, run } = open();
      await run(earlier);
      const at = nth % earlier.length;
      const corrected = earlier.flatMap((one, place) =>
        place === at ? (changed === undefined ? [] : [{ ...one, ...changed }]) : [one],
      );
      const { difference } = await run(corrected);
      if (difference) await run(corrected, { correction: 'replace' });
      expect(await lines()).toEqual(linesOf(corrected));
    }),
    few,
  );
});
