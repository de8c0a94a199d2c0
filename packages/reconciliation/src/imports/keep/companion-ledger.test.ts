import type { LedgerEntry } from '@financing-checkout/contract/back-office';
import { describe, expect, test } from 'vitest';
import { NOW, openLedger } from './ledger.fixture.ts';

const entry = (change: Partial<LedgerEntry> = {}): Omit<LedgerEntry, 'id'> => ({
  merchantOrderId: 'A-1001',
  chargeId: 'chg-1',
  type: 'Settle',
  amount: { value: 10_000, currency: 'USD' },
  merchantTransactionId: 'txn_1',
  transactionId: 'T-1',
  state: 'accepted',
  occurredAt: new Date(NOW).toISOString(),
  ...change,
});
const without = (name: keyof LedgerEntry, change: Partial<LedgerEntry> = {}) => {
  const all: Omit<LedgerEntry, 'id'> & { id?: number } = entry(change);
  return Object.fromEntries(Object.entries(all).filter(([key]) => key !== name)) as Omit<
    LedgerEntry,
    'id'
  >;
};

async function open() {
  const ledger = await openLedger();
  return {
    ...ledger,
    storedLines: async () =>
      (await ledger.ask('select id, amount, source, own from ledger_lines order by id')).map(
        ({ id, amount, source, own }) => [id, Number(amount), source, own],
      ),
    /** Returns the marked orders and clears their marks. */
    marks: async () => {
      const marked = await ledger.dirty();
      await ledger.change('delete from dirty_orders');
      return marked;
    },
    file: (...lines: object[]) => {
      const line = { merchantOrderId: 'A-1001', type: 'settle', amount: 10_000, currency: 'USD' };
      return lines.map((it) => JSON.stringify({ ...line, date: '2026-03-30', ...it })).join('\n');
    },
  };
}

describe('the companion’s ledger', () => {
  test('converts accepted settles and refunds to lines, once', async () => {
    const { companion, storedLines, marks, ask } = await open();
    const read = await companion(
      entry({ type: 'Authorize', merchantTransactionId: 'txn_0' }),
      entry(),
      entry({
        type: 'Refund',
        amount: { value: 500, currency: 'USD' },
        merchantTransactionId: 'txn_2',
      }),
      entry({ type: 'Void', merchantTransactionId: 'txn_3' }),
    );
    expect(read).toEqual({ entries: 4, differing: 0, unreadable: 0 });
    expect(await storedLines()).toEqual([
      ['m:Refund:txn_2', 500, 'companion', true],
      ['m:Settle:txn_1', 10_000, 'companion', true],
    ]);
    expect(await marks()).toEqual(['order:A-1001']);
    expect(await companion()).toEqual({ entries: 0, differing: 0, unreadable: 0 });
    expect(await ask('select order_key, currency from authorizations')).toEqual([
      { order_key: 'order:A-1001', currency: 'USD' },
    ]);
    expect(await ask('select charge_id, amount, authorized_at from authorizations')).toEqual([
      { charge_id: 'chg-1', amount: '10000', authorized_at: String(NOW) },
    ]);
    expect(await ask('from voids')).toEqual([
      { merchant_transaction_id: 'txn_3', charge_id: 'chg-1' },
    ]);
  });

  test('ignores a void that was never executed', async () => {
    const { companion, ask } = await open();
    const voided = { type: 'Void', merchantTransactionId: 'txn_3' } as const;
    await companion(entry(voided));
    await companion(entry({ ...voided, state: 'absent' }));
    expect(await ask('from voids')).toEqual([]);
  });

  test.each(['together', 'one after the other'])(
    'keeps the lender’s reference when a later entry lacks it, read %s',
    async (when) => {
      const { companion, ask } = await open();
      const first = without('transactionId', { lenderReferenceId: 'R-1' });
      if (when === 'together') await companion(first, entry());
      else {
        await companion(first);
        await companion(entry());
      }
      expect(await ask('select transaction_id, lender_reference_id from ledger_lines')).toEqual([
        { transaction_id: 'T-1', lender_reference_id: 'R-1' },
      ]);
    },
  );

  test('uses the last of several entries of a transaction', async () => {
    const { companion, storedLines, marks } = await open();
    await companion(entry({ state: 'unknown' }));
    expect([await storedLines(), await marks()]).toEqual([[], []]);
    await companion(entry());
    expect([(await storedLines()).length, await marks()]).toEqual([1, ['order:A-1001']]);
    await companion(entry({ state: 'absent' }));
    expect([await storedLines(), await marks()]).toEqual([[], ['order:A-1001']]);
    const one = { merchantTransactionId: 'txn_9' };
    await companion(
      entry({ ...one, state: 'unknown' }),
      entry(one),
      entry({ ...one, state: 'absent' }),
    );
    expect([await storedLines(), await marks()]).toEqual([[], []]);
  });

  test('gives the companion’s entry precedence over an import', async () => {
    const { companion, storedLines, run, file } = await open();
    await run(
      file({ merchantTransactionId: 'txn_1' }, { merchantTransactionId: 'txn_2', amount: 1 }),
    );
    const read = await companion(
      without('transactionId'),
      entry({ merchantTransactionId: 'txn_2' }),
    );
    expect(read.differing).toBe(1);
    expect(await storedLines()).toEqual([
      ['m:Settle:txn_1', 10_000, 'import', true],
      ['m:Settle:txn_2', 10_000, 'companion', true],
    ]);
  });

  test('keeps an imported line after the companion removed its entry', async () => {
    const { companion, storedLines, run, file } = await open();
    await run(file({ merchantTransactionId: 'txn_1', transactionId: 'T-1' }));
    await companion(entry());
    await companion(entry({ state: 'absent' }));
    expect(await storedLines()).toEqual([['m:Settle:txn_1', 10_000, 'import', false]]);
  });

  test('keeps a withdrawn line as the companion’s own if the companion has it', async () => {
    const { companion, storedLines, run, file } = await open();
    const lines = file(
      { merchantTransactionId: 'txn_1' },
      { merchantTransactionId: 'txn_2' },
      { merchantTransactionId: 'txn_3' },
    );
    await run(lines);
    await companion(
      entry(),
      entry({ merchantTransactionId: 'txn_2' }),
      entry({ merchantTransactionId: 'txn_2', state: 'absent' }),
      // A different transaction with the same name has no effect.
      entry({ type: 'Refund', merchantTransactionId: 'txn_2' }),
    );
    expect(await run(lines, { withdraw: true })).toMatchObject({ withdrawn: 2, repeated: 1 });
    expect(await storedLines()).toEqual([
      ['m:Refund:txn_2', 10_000, 'companion', true],
      ['m:Settle:txn_1', 10_000, 'companion', true],
    ]);
  });

  test.each(['before', 'after'])(
    'counts a line with only the service’s transaction id once, imported %s',
    async (when) => {
      const { companion, storedLines, marks, run, file } = await open();
      const named = { transactionId: 'T-1' };
      if (when === 'before') await run(file(named));
      await companion(entry());
      await marks();
      const own = [['m:Settle:txn_1', 10_000, 'companion', true]];
      expect(await storedLines()).toEqual(own);
      const expected = { errorCount: 0, added: 0, repeated: 1 };
      expect(await run(file(named), { dryRun: true })).toMatchObject(expected);
      expect(await run(file(named))).toMatchObject(expected);
      expect(await run(file({ ...named, amount: 9_000 }))).toMatchObject({
        applied: false,
        errors: [{ line: 1, code: 'line-contradicts' }],
      });
      expect([await storedLines(), await marks()]).toEqual([own, []]);
    },
  );

  test('adds no line twice when the companion adds the same line during an import', async () => {
    const { companion, facts, storedLines, run, file, replayInto } = await open();
    await run(file({ transactionId: 'T-1' }));
    await companion(entry());
    // Another process reads the ledger first; the import follows.
    const other = await open();
    await other.companion(entry());
    await replayInto(other, facts);
    expect(await other.storedLines()).toEqual(await storedLines());
  });

  describe.each(['before', 'after'])('a settle made with its charge, imported %s', (when) => {
    test.each([
      ['by the service’s name', { transactionId: 'T-1' }],
      ['by no name', {}],
    ])('%s, is counted once', async (_, named) => {
      const { companion, storedLines, marks, run, file } = await open();
      if (when === 'before') await run(file(named));
      // The service has no transaction ID for the settle.
      await companion(without('transactionId', { type: 'Authorize' }), without('transactionId'));
      await marks();
      const own = ['m:Settle:txn_1', 10_000, 'companion', true];
      expect(await storedLines()).toEqual([own]);
      for (const dryRun of [true, false]) {
        const report = await run(file(named), { dryRun });
        expect(report).toMatchObject({ errorCount: 0, added: 0, repeated: 1 });
      }
      expect([await storedLines(), await marks()]).toEqual([[own], []]);
      // All other lines count separately.
      const others = [
        { type: 'refund' },
        { transactionId: 'T-2', amount: 9_999 },
        { transactionId: 'T-3', currency: 'EUR' },
        { transactionId: 'T-4', merchantOrderId: 'A-1002' },
        { merchantTransactionId: 'M-5', transactionId: 'T-5' },
      ].map((other) => ({ ...named, ...other }));
      expect(await run(file(...others), { keepBoth: true })).toMatchObject({
        added: 5,
        repeated: 0,
        lookAlikeCount: 1,
      });
    });
  });

  test('does not replace any other imported line with a settle made with its charge', async () => {
    const { companion, storedLines, run, file } = await open();
    await run(
      file(
        { type: 'refund' },
        { amount: 9_999 },
        { currency: 'EUR' },
        { merchantOrderId: 'A-1002' },
        { merchantTransactionId: 'M-5' },
      ),
    );
    const read = await companion(
      without('transactionId', { type: 'Authorize' }),
      without('transactionId'),
    );
    expect(read.differing).toBe(0);
    expect(await storedLines()).toHaveLength(6);
  });

  test('distinguishes a later partial settle of the same amount', async () => {
    const { companion, run, file } = await open();
    await companion(entry({ type: 'Authorize', merchantTransactionId: 'txn_0' }), entry());
    expect(await run(file({}))).toMatchObject({ applied: false, lookAlikeCount: 1 });
    expect(await run(file({}), { keepBoth: true })).toMatchObject({ added: 1, repeated: 0 });
  });

  test('counts a transaction without an exact amount, but adds no line for it', async () => {
    const { companion, storedLines } = await open();
    expect(await companion(without('amount'))).toMatchObject({ unreadable: 1 });
    expect(await storedLines()).toEqual([]);
  });

  test('reads a long ledger to its end, and only once for two concurrent readers', async () => {
    const { companion, storedLines } = await open();
    const entries = Array.from({ length: 2_450 }, (_unused, n) =>
      entry({ merchantTransactionId: `txn_${n}` }),
    );
    const read = await Promise.all([companion(...entries), companion(), companion()]);
    expect(read.reduce((sum, { entries: count }) => sum + count, 0)).toBe(2_450);
    expect(await storedLines()).toHaveLength(2_450);
  });

  test.each([
    ['and has fewer entries', []],
    ['and gave the ids of lost entries to others', [4, 5, 6]],
  ])(
    'is read from the start after the companion was restored from a backup, %s',
    async (_, later) => {
      const { companion, restoreCompanion, storedLines } = await open();
      const numbered = (n: number) => entry({ merchantTransactionId: `txn_${n}` });
      await companion(...[1, 2, 3].map(numbered));
      restoreCompanion(1);
      await companion(...later.map(numbered));
      const kept = [1, ...later].map((n) => [`m:Settle:txn_${n}`, 10_000, 'companion', true]);
      expect(await storedLines()).toEqual(kept);
      expect(await companion()).toMatchObject({ entries: 0 });
    },
  );
});
