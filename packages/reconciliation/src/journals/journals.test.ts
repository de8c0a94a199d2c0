import { createHash } from 'node:crypto';
import type {
  JournalEntry,
  JournalExport,
  JournalPreview,
  JournalTrace,
  WalkStatement,
} from '@financing-checkout/contract/reconciliation';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { anna, at, ben, type Books, openBooks, periods } from '../periods/periods.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';

const preview = async (books: Books, id: string, query = 'format=csv') => {
  const path = `/periods/${id}/journal?${query}`;
  const response = await books.program.app.request(path, { headers: anna });
  return (await response.json()) as JournalPreview;
};
const write = async (books: Books, id: string, body: object = { format: 'csv' }) => {
  const response = await books.program.post(`/periods/${id}/journal`, body, ben);
  return { status: response.status, body: (await response.json()) as JournalExport };
};
const trace = async (books: Books, seq: number, query: string) => {
  const path = `/journals/${seq}/orders?${query}`;
  return (await (await books.program.app.request(path, { headers: anna })).json()) as JournalTrace;
};
const file = async (books: Books, seq: number) => {
  const response = await books.program.app.request(`/journals/${seq}/file`, { headers: anna });
  return new Uint8Array(await response.arrayBuffer());
};
/** Formats all lines of entries of a kind as account and amount. */
const linesOf = (entries: readonly JournalEntry[], kind: string) =>
  entries
    .filter((entry) => entry.kind === kind)
    .flatMap(({ lines }) => lines.map(({ account, amount }) => [account.number, amount]));
const balance = ({ balances }: Pick<JournalPreview, 'balances'>, number: string) =>
  balances
    .filter(({ account }) => account.number === number)
    .reduce((sum, { debit, credit }) => sum + debit - credit, 0);

/** Checks the balances against the statement of the walk. */
function expectWalk(found: JournalPreview, statement: WalkStatement | undefined): void {
  if (statement === undefined) throw new Error('There is no statement.');
  const expected = {
    '1210': 0,
    '1090': statement.net,
    '4090': -statement.expected,
    '4190': -statement.refunds,
    '6510': -statement.discount,
    '6530': -statement.chargebacks,
    '6535': -statement.reversals,
    '2390': -statement.over,
    '2391': -statement.duplicates,
    '2399': -statement.other,
    '1218': -statement.short,
    '6590': -statement.accepted,
    '2398': 0,
  };
  for (const [account, amount] of Object.entries(expected)) {
    expect([account, balance(found, account)]).toEqual([account, 0 + amount]);
  }
  // The change of the amount in transit; the opening amount is reversed.
  const opening = found.entries.some(({ kind }) => kind === 'reversal') ? statement.opening : 0;
  expect(balance(found, '1215')).toBe(0 - statement.awaiting - opening);
  for (const { lines } of found.entries) {
    expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
  }
}

test('posts the steps of the walk, and reverses the amount in transit', async () => {
  const books = await openBooks();
  const draft = await preview(books, 'P1');
  expect(draft).toMatchObject({ isSealed: false, refusals: [] });
  const closed = await books.close('P1');
  const first = await preview(books, 'P1');
  expect(first).toMatchObject({ isSealed: true, balances: draft.balances });
  expectWalk(first, closed.statements[0]);
  expect(linesOf(first.entries, 'in-transit')).toEqual([
    ['1215', 10_001],
    ['1210', -10_001],
  ]);
  const second = await preview(books, 'P2');
  expect(linesOf(second.entries, 'reversal')).toEqual([
    ['1210', 10_001],
    ['1215', -10_001],
  ]);
  expect(second.entries[0]).toMatchObject({ date: periods[1]?.from, kind: 'reversal' });
  expectWalk(second, (await books.read('P2')).statements[0]);
});

test('opens the first period with the amount in transit before it', async () => {
  const books = await openBooks();
  const closed = await books.close('P2');
  const found = await preview(books, 'P2');
  expect(linesOf(found.entries, 'opening')).toEqual([
    ['1210', 10_001],
    ['3900', -10_001],
  ]);
  expectWalk(found, closed.statements[0]);
});

test('exports a closed period once, with files that never change', async () => {
  const books = await openBooks();
  expect(await write(books, 'P1')).toMatchObject({
    status: 409,
    body: { code: 'period-not-permitted' },
  });
  await books.close('P1');
  const { status, body } = await write(books, 'P1');
  expect(status).toBe(201);
  expect(body).toMatchObject({ seq: 1, period: 'P1', by: 'ben', isCorrection: false });
  const content = await file(books, 1);
  expect(createHash('sha256').update(content).digest('hex')).toBe(body.sha256);
  const files = unzipSync(content);
  expect(Object.keys(files)).toEqual([...body.files.map(({ name }) => name), 'journal.json']);
  for (const { name, sha256 } of body.files) {
    expect(
      createHash('sha256')
        .update(files[name] ?? '')
        .digest('hex'),
    ).toBe(sha256);
  }
  expect(await write(books, 'P1')).toEqual({ status: 200, body });
  expect(await preview(books, 'P1')).toMatchObject({ since: 1, count: 0 });
  // For another target, the export contains all entries.
  expect(await write(books, 'P1', { format: 'beancount' })).toMatchObject({
    status: 201,
    body: { seq: 2, isCorrection: false, entries: body.entries },
  });
});

/** Each combination of earlier exports of a period and the detail asked for. */
const details = ['summary', 'orders'] as const;
const combinations = details.flatMap((detail) =>
  [[], ['summary'], ['orders'], ['summary', 'orders'], ['orders', 'summary']].map(
    (earlier) => [earlier.join(' and ') || 'nothing', detail, earlier] as const,
  ),
);

test.each(combinations)(
  'after %s was exported, exports %s in full, once',
  async (_, detail, earlier) => {
    const books = await openBooks();
    await books.close('P1');
    for (const own of earlier) {
      expect(await write(books, 'P1', { format: 'csv', detail: own })).toMatchObject({
        status: 201,
      });
    }
    const own = earlier.indexOf(detail) + 1;
    const other = earlier.findIndex((one) => one !== detail) + 1;
    const draft = await preview(books, 'P1', `format=csv&detail=${detail}`);
    expect([draft.since, draft.otherDetail]).toEqual([own || undefined, other || undefined]);
    const { status, body } = await write(books, 'P1', { format: 'csv', detail });
    expect([status, body.seq, body.detail, body.isCorrection]).toEqual([
      own > 0 ? 200 : 201,
      own > 0 ? own : earlier.length + 1,
      detail,
      false,
    ]);
    if (own === 0) expect(body.otherDetail).toBe(other || undefined);
    // As for a target without any export.
    const { balances, count } = await preview(books, 'P1', `format=beancount&detail=${detail}`);
    expect([body.balances, body.entries]).toEqual([balances, count]);
  },
);

test('exports the differences of a reopened period in the detail of each earlier export', async () => {
  const books = await openBooks();
  await books.close('P1');
  for (const detail of details) await write(books, 'P1', { format: 'csv', detail });
  await books.act('P1', 'reopening', anna, { reason: 'a line is missing' });
  await books.act('P1', 'reopening', ben);
  books.order(2, 8);
  await books.sync();
  await books.close('P1');
  for (const [index, detail] of details.entries()) {
    const { status, body } = await write(books, 'P1', { format: 'csv', detail });
    expect([status, body]).toMatchObject([201, { isCorrection: true, detail, seq: index + 3 }]);
    expect(balance(body, '4090')).toBe(-10_002);
  }
});

test('exports only the differences of a reopened period', async () => {
  const books = await openBooks();
  await books.close('P1');
  const body = { format: 'csv', detail: 'orders' };
  await write(books, 'P1', body);
  await books.act('P1', 'reopening', anna, { reason: 'a line is missing' });
  await books.act('P1', 'reopening', ben);
  books.order(2, 8);
  await books.sync();
  await books.close('P1');
  const found = await preview(books, 'P1', 'format=csv&detail=orders');
  expect(found.since).toBe(1);
  expect(found.entries.map(({ kind, merchantOrderId }) => [kind, merchantOrderId])).toEqual([
    ['sales', 'A-2'],
    ['in-transit', 'A-2'],
  ]);
  expect(await write(books, 'P1', body)).toMatchObject({
    status: 201,
    body: { isCorrection: true },
  });
});

test('posts an adjustment in the open period, with the period to which it belongs', async () => {
  const books = await openBooks();
  await books.close('P1');
  books.order(2, 8);
  books.companion.records[0] = wireRecord(0, at(9), { discountAmount: 2.5, netAmount: 97.5 });
  await books.sync();
  const found = await preview(books, 'P2', 'format=csv&detail=orders');
  const adjusted = found.entries.filter(({ belongsTo }) => belongsTo === 'P1');
  expect(adjusted.map(({ kind, merchantOrderId, date }) => [kind, merchantOrderId, date])).toEqual([
    ['sales', 'A-2', periods[1]?.to],
    ['payouts', 'A-0', periods[1]?.to],
  ]);
  expectWalk(found, (await books.read('P2')).statements[0]);
});

test('creates no entry for an order whose lender became known', async () => {
  const books = await openBooks();
  books.order(2, 8);
  await books.sync();
  await books.close('P1');
  books.companion.records.push(wireRecord(2, at(4)));
  await books.sync();
  const byOrder = await preview(books, 'P2', 'format=csv&detail=orders');
  expect(byOrder.entries.filter(({ belongsTo }) => belongsTo !== undefined)).toEqual([]);
  expectWalk(byOrder, (await books.read('P2')).statements[0]);
});

describe('traces', () => {
  test('an entry and an account to their orders', async () => {
    const books = await openBooks();
    await books.close('P1');
    const { body } = await write(books, 'P1');
    const { entries } = await preview(books, 'P1', 'format=beancount');
    for (const { id, lines } of entries) {
      const number = id.split('-')[1] ?? '';
      const found = await trace(books, 1, `entry=${number}`);
      expect(found.entry?.lines).toEqual(lines);
      expect(found.orders.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
    }
    for (const { account, currency, debit, credit } of body.balances) {
      const found = await trace(books, 1, `account=${account.number}&currency=${currency}`);
      const sum = found.orders.reduce((all, { amount }) => all + amount, 0);
      expect([account.number, sum]).toEqual([account.number, debit - credit]);
      expect(found.totals.reduce((all, { amount }) => all + amount, 0)).toBe(sum);
    }
    expect(await trace(books, 1, 'entry=999')).toMatchObject({ code: 'journal-not-found' });
    expect(await trace(books, 7, '')).toMatchObject({ code: 'journal-not-found' });
  });
});
