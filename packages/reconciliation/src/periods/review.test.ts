import type {
  ChartRecord,
  JournalPreview,
  PeriodReview,
} from '@financing-checkout/contract/reconciliation';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { wireRecord } from '../sync/history.fixture.ts';
import { anna, at, type Books, chargeback, openBooks } from './periods.fixture.ts';

const reviewOf = async (books: Books, id: string): Promise<PeriodReview> => {
  const { review } = await books.read(id);
  if (review === undefined) throw new Error(`${id} has no review.`);
  return review;
};

test('reviews cases by exception, beside those of the period closed last', async () => {
  const books = await openBooks();
  books.companion.records.push(wireRecord(3, at(8)));
  await books.sync();
  const one = { count: 1, amount: 10_003 };
  expect(await reviewOf(books, 'P1')).toMatchObject({
    exceptions: [{ code: 'NOT_IN_LEDGER', currency: 'USD', open: one, begun: one }],
  });
  await books.accept('P1', 'cases-decided');
  const closed = await books.close('P1');
  expect(closed).not.toHaveProperty('review');
  books.companion.records.push(wireRecord(4, at(5)), wireRecord(5, at(4)));
  await books.sync();
  const { before, exceptions } = await reviewOf(books, 'P2');
  expect(before).toBe('P1');
  expect(exceptions).toEqual([
    {
      code: 'NOT_IN_LEDGER',
      currency: 'USD',
      open: { count: 3, amount: 30_012 },
      begun: { count: 2, amount: 20_009 },
      begunBefore: one,
    },
  ]);
  // The next period has not ended.
  expect(await books.read('P3')).not.toHaveProperty('review');
});

test('reviews the balance of each account that the journals of both periods have', async () => {
  const books = await openBooks();
  books.companion.records.push(wireRecord(3, at(8)));
  await books.sync();
  const chart = await books.get<ChartRecord>('/journals/chart');
  const journalOf = async (id: string) => {
    const { balances } = await books.get<JournalPreview>(`/periods/${id}/journal?format=csv`);
    return balances.flatMap(({ account, currency, debit, credit }) => {
      const named = chart.accounts.find(({ number }) => number === account.number)?.for;
      return debit === credit ? [] : [[named, currency, debit - credit]];
    });
  };
  const balancesOf = (accounts: PeriodReview['accounts'], of: 'own' | 'before') =>
    accounts.flatMap(({ account, currency, [of]: tally }) =>
      tally?.amount ? [[account, currency, tally.amount]] : [],
    );
  const first = await reviewOf(books, 'P1');
  expect(balancesOf(first.accounts, 'own').sort()).toEqual((await journalOf('P1')).sort());
  expect(first.accounts.find(({ account }) => account === 'revenue')?.own.count).toBe(2);
  // Before the first close, what is in transit from earlier days is the opening balance.
  const later = await reviewOf(books, 'P2');
  expect(balancesOf(later.accounts, 'own').sort()).toEqual((await journalOf('P2')).sort());
  expect(later.accounts.map(({ account }) => account)).toContain('opening');
  await books.accept('P1', 'cases-decided');
  await books.close('P1');
  const { accounts } = await reviewOf(books, 'P2');
  expect(balancesOf(accounts, 'own').sort()).toEqual((await journalOf('P2')).sort());
  expect(balancesOf(accounts, 'before').sort()).toEqual((await journalOf('P1')).sort());
});

test('reviews fundings in no sum by their reason', async () => {
  const books = await openBooks();
  books.companion.records.push({ ...wireRecord(90, at(8)), netAmount: 'much' });
  await books.sync();
  expect(await reviewOf(books, 'P1')).toMatchObject({
    uncounted: [{ reason: 'quarantine', currency: '', count: 1, amount: null }],
  });
  const { checks } = await books.read('P1');
  expect(checks.find(({ check }) => check === 'fundings-counted')).toMatchObject({
    state: 'blocked',
    count: 1,
    orders: { count: 1, first: [{ merchantOrderId: 'A-90' }] },
  });
});

test('counts cases and fundings of an assumed currency, and has their money in no sum of cases', async () => {
  const books = await openBooks({ RECONCILIATION_DEFAULT_CURRENCY: '' });
  books.companion.records.push(wireRecord(3, at(8)));
  await books.sync();
  const assumed = { count: 1, amount: 0, assumedCurrency: 1 };
  expect(await reviewOf(books, 'P1')).toMatchObject({
    exceptions: [{ code: 'NOT_IN_LEDGER', currency: 'USD', open: assumed, begun: assumed }],
    uncounted: [{ reason: 'assumed-currency', currency: 'USD', count: 1, amount: 10_003 }],
  });
});

test('counts what came since the preparation, with the numbers of its entries', async () => {
  const books = await openBooks();
  books.companion.records.push(wireRecord(3, at(8)));
  await books.sync();
  await books.accept('P1', 'cases-decided');
  await books.act('P1', 'preparation', anna);
  expect((await reviewOf(books, 'P1')).since).toEqual({ entries: [], cases: 0 });
  const { period } = await books.read('P1');
  const [open] = await books.cases('state=open');
  await books.work(open?.id, 'note', { note: 'the lender has answered' });
  books.companion.records.push(chargeback);
  await books.sync();
  const { since } = await reviewOf(books, 'P1');
  expect(since?.cases).toBe(1);
  expect(since?.entries).toMatchObject([
    { kind: 'noted', count: 1 },
    { kind: 'sync', count: 1 },
    { kind: 'opened', count: 1 },
  ]);
  const trail = new DatabaseSync(books.store, { readOnly: true });
  for (const { first, kind, last } of since?.entries ?? []) {
    const row = trail.prepare('select kind from trail where seq = ?').get(first);
    expect([row?.kind, last]).toEqual([kind, first]);
    expect(first).toBeGreaterThan(period.prepared?.request ?? Infinity);
  }
  trail.close();
  const query = `from=${period.prepared?.at}&begunTo=${period.to}`;
  expect((await books.cases(query)).map(({ code }) => code)).toEqual(['CHARGEBACK_OPEN']);
});
