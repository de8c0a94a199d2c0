import { expect, test } from 'vitest';
import { reprice } from '../analytics/pricing.ts';
import { historyService, wireRecord } from './history.fixture.ts';
import type { PageQuery } from './source.ts';
import {
  dirtyKeys,
  from,
  held,
  openDatabase,
  recordsOf,
  type TestDatabase,
  sync,
  truth,
} from './sync.fixture.ts';

const at = `${from}T00:00:00.000Z`;
const day = { from, to: from };
const reasons = async (open: TestDatabase) =>
  (await open.rows('select problem from fundings where problem is not null order by 1')).flat();
const repriceAll = (open: TestDatabase, currency = 'EUR') =>
  open.database.write((connection) => reprice(connection, currency));
/** Returns the content of the day in the record store. */
async function content(open: TestDatabase): Promise<string> {
  return JSON.stringify(await recordsOf(open, await open.facts.content(from)));
}

test('lists a record in quarantine with its reason, neither counting it as 0 nor losing it', async () => {
  const open = await openDatabase();
  const service = historyService([
    wireRecord(1, at),
    wireRecord(2, at, { transactionAmount: 10.005 }),
    wireRecord(3, at, { netAmount: 'n/a' }),
    wireRecord(4, at, { updatedAt: 'yesterday' }),
    wireRecord(5, at, { lenderName: undefined }),
  ]);
  const run = await sync(open, service, 'sync-1', day);
  expect(run).toMatchObject({ state: 'complete', records: 5, quarantined: 4 });
  expect(await reasons(open)).toEqual([
    'lenderName is missing',
    'netAmount: amount-invalid',
    'transactionAmount: amount-too-precise',
    'updatedAt is not a date',
  ]);
  expect(await content(open)).toContain('10.005');
  // The record is not part of any total.
  expect(await open.rows('select count(transaction_amount) from fundings')).toEqual([[1n]]);
  const keys = [1, 2, 3, 4, 5].map((index) => `order:A-${index}`);
  // An order with a record in quarantine has no missing lines.
  expect(await dirtyKeys(open)).toEqual(keys);
  await open.write('delete from dirty_orders');
  // A record that becomes unreadable is removed from the totals.
  service.records = [wireRecord(1, at, { transactionAmount: 1.001 })];
  await sync(open, service, 'sync-2', day);
  expect(await held(open)).toEqual([]);
  expect(await dirtyKeys(open)).toEqual(keys);
  service.records = [wireRecord(1, at)];
  await sync(open, service, 'sync-3', day);
  expect(await held(open)).toEqual(truth(service.records));
  expect(await reasons(open)).toEqual([]);
});

test('lists an element that is not a record, and proves the day', async () => {
  const open = await openDatabase();
  const elements = [wireRecord(1, at), null, 'Ada Quill', 7, null, [{}], {}];
  const fetchPage = ({ to: last, offset, limit }: PageQuery) => {
    const records = last.startsWith(from) ? elements.slice(offset, offset + limit) : [];
    const bytes = new TextEncoder().encode(JSON.stringify({ records }));
    return Promise.resolve({ kind: 'page' as const, bytes });
  };
  const run = await sync(open, { fetchPage }, 'sync-1', day);
  expect(run).toMatchObject({ state: 'complete', records: 7, quarantined: 6 });
  expect(await reasons(open)).toEqual([
    'fundedAt is not a date between the years 2000 and 2999',
    ...Array.from({ length: 5 }, () => 'it is not a record'),
  ]);
  // The element may contain anything, including a name, so nothing of it is stored.
  expect(await content(open)).not.toContain('Quill');
  await repriceAll(open);
  expect(await reasons(open)).toHaveLength(6);
  const again = await sync(open, { fetchPage }, 'sync-2', day);
  expect(again).toMatchObject({ state: 'complete', quarantined: 6, gone: 0, changed: 0 });
});

test.each([
  ['a NUL', 'A\u0000B'],
  ['half a character', 'A\ud800B'],
  ['thousands of characters', 'A'.repeat(20_000)],
])('does not stop for a name with %s in any field', async (_, name) => {
  const open = await openDatabase();
  const fields = ['merchantOrderId', 'lenderReferenceId', 'lenderName', 'promoCode', 'more'];
  const service = historyService([
    wireRecord(0, at),
    ...fields.map((field, index) => wireRecord(index + 1, at, { [field]: name })),
  ]);
  const run = await sync(open, service, 'sync-1', day);
  expect(run).toMatchObject({ state: 'complete', records: 6, quarantined: 4 });
  expect((await held(open)).map(({ reference }) => reference)).toEqual(['LR-0', 'LR-5']);
  expect(await reasons(open)).toEqual(
    fields
      .slice(0, 4)
      .map((field) => `${field} is too long, or contains a NUL or a lone surrogate`)
      .sort(),
  );
  const again = await sync(open, service, 'sync-2', day);
  expect(again).toMatchObject({ state: 'complete', changed: 0, gone: 0 });
  expect(await repriceAll(open, 'USD')).toBe(0);
});

test('does not stop for an order id with too many bytes for a key', async () => {
  const open = await openDatabase();
  const wide = (length: number) =>
    String.fromCharCode(...Array.from({ length }, (_, at) => 0x4e00 + at * 19));
  const service = historyService([
    wireRecord(1, at, { merchantOrderId: wide(1_000) }),
    wireRecord(2, at, { merchantOrderId: wide(682), lenderReferenceId: 'r'.repeat(64) }),
  ]);
  const run = await sync(open, service, 'sync-1', day);
  expect(run).toMatchObject({ state: 'complete', quarantined: 1 });
  expect(await dirtyKeys(open)).toEqual(['funding:r.LR-1.Settle', `order:${wide(682)}`]);
  // The record does not become a funding without an order either.
  await repriceAll(open);
  expect(await reasons(open)).toHaveLength(1);
});

test.each([
  '1970-01-01T00:00:00.000Z',
  '0100-01-01T00:00:00+05:00',
  '9999-12-31T12:00:00.000Z',
  '9999-12-31T23:59:59-05:00',
])('lists a record of %s, which the service returns for another day', async (fundedAt) => {
  const open = await openDatabase();
  const records = [wireRecord(1, at), wireRecord(2, fundedAt)];
  const fetchPage = ({ offset }: PageQuery) =>
    historyService(offset === 0 ? records : []).fetchPage({
      operation: 'report',
      from: '0000-01-01',
      to: '+020000-01-01T00:00:00.000Z',
      offset: 0,
      limit: 20,
    });
  const run = await sync(open, { fetchPage }, 'sync-1', day);
  expect(run).toMatchObject({ state: 'complete', quarantined: 1 });
  expect(await reasons(open)).toEqual(['fundedAt is not a date between the years 2000 and 2999']);
});
