import { describe, expect, test } from 'vitest';
import { syncPlaces } from './books.fixture.ts';
import { Calendar } from './calendar.ts';
import { historyService, wireRecord } from './history.fixture.ts';
import { repriceAll } from './reprice.ts';
import { runSync } from './sync.ts';
import { dirtyKeys, facts, from, held, options, truth } from './sync.fixture.ts';
import type { FetchPage } from './window.ts';

describe.each(syncPlaces)('on %s', (_, openPlace) => {
  test('what cannot be held is listed with its reason, never 0, never lost', async () => {
    const open = await openPlace();
    const at = `${from}T00:00:00.000Z`;
    const service = historyService([
      wireRecord(1, at),
      wireRecord(2, at, { transactionAmount: 10.005 }),
      wireRecord(3, at, { netAmount: 'n/a' }),
      wireRecord(4, at, { updatedAt: 'yesterday' }),
      wireRecord(5, at, { lenderName: undefined }),
    ]);
    const run = await runSync(options(open, service), { runId: 'run-1', from, to: from });
    expect(run).toMatchObject({ state: 'complete', rows: 5, changed: 1, quarantined: 4 });
    const listed = await open.db.selectFrom('funding_quarantine').selectAll().execute();
    expect(listed.map(({ reason }) => reason).sort()).toEqual([
      'lenderName is missing',
      'netAmount: amount-invalid',
      'transactionAmount: amount-too-precise',
      'updatedAt is not a date',
    ]);
    expect(listed.map(({ raw }) => raw).join()).toContain('10.005');
    expect(await open.db.selectFrom('funding_records').selectAll().execute()).toHaveLength(1);
    // What is missing of an order is not said while a record of it is there that cannot be held.
    expect(await dirtyKeys(open)).toEqual([
      'order:A-1',
      'order:A-2',
      'order:A-3',
      'order:A-4',
      'order:A-5',
    ]);
    await open.db.deleteFrom('dirty_orders').execute();
    // Held before, and not any more: it leaves the sums.
    service.records = [wireRecord(1, at, { transactionAmount: 1.001 })];
    await runSync(options(open, service), { runId: 'run-2', from, to: from });
    expect(await facts(open)).toEqual([]);
    expect(await dirtyKeys(open)).toEqual([
      'order:A-1',
      'order:A-2',
      'order:A-3',
      'order:A-4',
      'order:A-5',
    ]);
    service.records = [wireRecord(1, at)];
    await runSync(options(open, service), { runId: 'run-3', from, to: from });
    expect(await facts(open)).toEqual(truth(service.records));
    expect(await open.db.selectFrom('funding_quarantine').selectAll().execute()).toEqual([]);
  });

  test('what is no record at all is listed as such, and does not stop the day', async () => {
    const open = await openPlace();
    const elements = [wireRecord(1, `${from}T00:00:00.000Z`), null, 'Ada Quill', 7, null, [{}]];
    const fetchPage: FetchPage = ({ to: last, offset, limit }) => {
      const isAsked = last.startsWith(from);
      const records = isAsked ? elements.slice(offset, offset + limit) : [];
      const bytes = new TextEncoder().encode(JSON.stringify({ records }));
      return Promise.resolve({ kind: 'page', bytes });
    };
    const run = await runSync(options(open, { fetchPage }), { runId: 'run-1', from, to: from });
    expect(run).toMatchObject({ state: 'complete', rows: 6, changed: 1, quarantined: 5 });
    const listed = await open.db.selectFrom('funding_quarantine').selectAll().execute();
    expect(new Set(listed.map(({ reason }) => reason))).toEqual(new Set(['it is no record']));
    // Nobody knows what is in it.
    expect(listed.map(({ raw }) => raw).join()).not.toContain('Quill');
    const calendar = new Calendar('UTC');
    const ctx = { books: open.books, calendar, defaultCurrency: 'EUR', now: () => 1 };
    expect(await repriceAll(ctx)).toBe(0);
    expect(await open.db.selectFrom('funding_quarantine').selectAll().execute()).toHaveLength(5);
    const again = await runSync(options(open, { fetchPage }), { runId: 'run-2', from, to: from });
    expect(again).toMatchObject({ state: 'complete', quarantined: 5, gone: 0 });
  });

  test.each([
    ['a NUL', 'A\u0000B'],
    ['half a character', 'A\ud800B'],
    ['thousands of characters', 'A'.repeat(20_000)],
  ])('a name with %s, wherever it stands, does not stop the sync', async (_, name) => {
    const open = await openPlace();
    const at = `${from}T00:00:00.000Z`;
    const fields = ['merchantOrderId', 'lenderReferenceId', 'lenderName', 'promoCode', 'more'];
    const service = historyService([
      wireRecord(0, at),
      ...fields.map((field, index) => wireRecord(index + 1, at, { [field]: name })),
    ]);
    const run = await runSync(options(open, service), { runId: 'run-1', from, to: from });
    expect(run).toMatchObject({ state: 'complete', rows: 6, changed: 2, quarantined: 4 });
    expect((await held(open)).map(({ reference }) => reference)).toEqual(['LR-0', 'LR-5']);
    const again = await runSync(options(open, service), { runId: 'run-2', from, to: from });
    expect(again).toMatchObject({ state: 'complete', changed: 0, gone: 0 });
    const calendar = new Calendar('UTC');
    const ctx = { books: open.books, calendar, defaultCurrency: 'USD', now: () => 1 };
    expect(await repriceAll(ctx)).toBe(0);
  });

  test('an order whose name is too long for a key, in bytes, does not stop the sync', async () => {
    const open = await openPlace();
    const at = `${from}T00:00:00.000Z`;
    // No two characters alike: PostgreSQL would press them into fewer bytes.
    const wide = (length: number) =>
      String.fromCharCode(...Array.from({ length }, (_, at) => 0x4e00 + at * 19));
    const service = historyService([
      wireRecord(1, at, { merchantOrderId: wide(1_000) }),
      wireRecord(2, at, { merchantOrderId: wide(682), lenderReferenceId: 'r'.repeat(64) }),
    ]);
    const run = await runSync(options(open, service), { runId: 'run-1', from, to: from });
    expect(run).toMatchObject({ state: 'complete', changed: 1, quarantined: 1 });
    expect(await dirtyKeys(open)).toEqual(['funding:r.LR-1.Settle', `order:${wide(682)}`]);
    const calendar = new Calendar('UTC');
    const ctx = { books: open.books, calendar, defaultCurrency: 'EUR', now: () => 1 };
    // Nor does it come back as a funding of no order.
    await repriceAll(ctx);
    expect(await open.db.selectFrom('funding_quarantine').selectAll().execute()).toHaveLength(1);
  });

  test.each([
    '1970-01-01T00:00:00.000Z',
    '0100-01-01T00:00:00+05:00',
    '9999-12-31T12:00:00.000Z',
    '9999-12-31T23:59:59-05:00',
  ])('a record of %s, which the service gives of another day, is told', async (fundedAt) => {
    const open = await openPlace();
    const records = [wireRecord(1, `${from}T00:00:00.000Z`), wireRecord(2, fundedAt)];
    const fetchPage: FetchPage = ({ offset }) =>
      historyService(offset === 0 ? records : []).fetchPage({
        from: '0000-01-01',
        to: '+020000-01-01T00:00:00.000Z',
        offset: 0,
        limit: 20,
      });
    const run = await runSync(options(open, { fetchPage }), { runId: 'run-1', from, to: from });
    expect(run).toMatchObject({ state: 'complete', changed: 1, quarantined: 1 });
    const listed = await open.db.selectFrom('funding_quarantine').select('reason').execute();
    expect(listed).toEqual([
      { reason: 'fundedAt is not a date, or not of the years 2000 to 2999' },
    ]);
  });
});
