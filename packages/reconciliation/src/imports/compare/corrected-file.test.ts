import { expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';

const csv = (...rows: string[]) => ['merchantOrderId,amount,date', ...rows, ''].join('\n');
const options = { units: 'major', currency: 'USD', type: 'settle', file: 'march.csv' } as const;
const first = csv('A-1,100.00,2026-03-01', 'A-2,50.00,2026-03-02', 'A-3,7.00,2026-03-03');
const corrected = csv('A-1,110.00,2026-03-01', 'A-3,7.00,2026-03-03', 'A-4,1.00,2026-03-03');

test('reports the differences of a corrected file, and replaces the earlier import after confirmation', async () => {
  const { dirty, facts, lines, run } = await openLedger();
  expect(await run(first, options)).toMatchObject({ added: 3, difference: undefined });
  for (const dryRun of [true, false]) {
    const asked = await run(corrected, { ...options, dryRun });
    expect(asked).toMatchObject({
      applied: false,
      added: 0,
      errorCount: 1,
      lookAlikeCount: 0,
      errors: [{ code: 'correction' }],
      difference: {
        from: '2026-03-01',
        to: '2026-03-31',
        added: 1,
        changed: 1,
        removed: 1,
        list: [
          { kind: 'changed', merchantOrderId: 'A-1', amount: 11_000, recordedAmount: 10_000 },
          { kind: 'removed', merchantOrderId: 'A-2', recordedAmount: 5_000 },
          { kind: 'added', merchantOrderId: 'A-4', amount: 100 },
        ],
      },
    });
    expect(asked.errors[0]?.message).toMatch(/`correction` to replace .* or add/);
  }
  const report = await run(corrected, { ...options, correction: 'replace' });
  expect(report).toMatchObject({ applied: true, added: 2, replaced: 2, repeated: 1 });
  expect((await lines()).map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual([
    100, 700, 11_000,
  ]);
  expect(await dirty()).toContain('order:A-2');
  expect(facts.map(({ fact }) => fact.action)).toEqual(['add', 'withdraw', 'add']);
  // From now on, the corrected file determines the period.
  expect(await run(corrected, options)).toMatchObject({ added: 0, repeated: 3, errors: [] });
});

test('adds the lines of a differing file if it is declared as an addition', async () => {
  const { lines, run } = await openLedger();
  await run(first, options);
  expect(await run(corrected, { ...options, correction: 'add' })).toMatchObject({
    applied: true,
    added: 2,
    replaced: 0,
  });
  expect(await lines()).toHaveLength(5);
});

test('withdraws a row that was only deleted', async () => {
  const { lines, run } = await openLedger();
  await run(first, options);
  const shorter = csv('A-2,50.00,2026-03-02', 'A-3,7.00,2026-03-03');
  expect(await run(shorter, options)).toMatchObject({ difference: { removed: 1, changed: 0 } });
  expect(await run(shorter, { ...options, correction: 'replace' })).toMatchObject({
    applied: true,
    added: 0,
    replaced: 1,
  });
  expect(await lines()).toHaveLength(2);
});

test('requires no confirmation for a file that only has more lines, or another period or source', async () => {
  const { run } = await openLedger();
  await run(first, options);
  const more = `${first}A-9,9.00,2026-03-04\n`;
  expect(await run(more, options)).toMatchObject({ applied: true, added: 1 });
  const april = csv('A-1,5.00,2026-04-01');
  expect(await run(april, options)).toMatchObject({ applied: true, added: 1 });
  const other = csv('B-1,5.00,2026-03-01', 'B-2,6.00,2026-03-02');
  expect(await run(other, { ...options, file: 'berlin.csv' })).toMatchObject({ added: 2 });
});

test('recognizes the source of a renamed file by its columns and orders, and an explicit source by its name', async () => {
  const { run } = await openLedger();
  await run(first, options);
  const renamed = { ...options, file: 'fixed.csv' };
  expect(await run(corrected, renamed)).toMatchObject({ difference: { changed: 1, removed: 1 } });
  const stated = { ...options, file: undefined, of: 'erp' };
  const march = csv('C-1,5.00,2026-03-05');
  expect(await run(march, stated)).toMatchObject({ applied: true });
  const next = csv('C-2,5.00,2026-03-05');
  expect(await run(next, stated)).toMatchObject({ difference: { added: 1, removed: 1 } });
  expect(await run(next, { ...stated, period: '2026-03-06..2026-03-31' })).toMatchObject({
    applied: true,
  });
});

test('treats another amount for the same order and date without ids as a look-alike', async () => {
  const { lines, run } = await openLedger();
  const bare = { ...options, file: undefined };
  await run(csv('A-1,100.00,2026-03-01'), bare);
  const other = csv('A-1,110.00,2026-03-01');
  expect(await run(other, bare)).toMatchObject({
    applied: false,
    lookAlikeCount: 1,
    errors: [{ code: 'look-alikes' }],
    lookAlikes: [{ kind: 'other-amount', amount: 11_000, recordedAmount: 10_000 }],
  });
  expect(await run(other, { ...bare, replace: true })).toMatchObject({ added: 1, replaced: 1 });
  expect(await lines()).toMatchObject([{ amount: 11_000 }]);
});
