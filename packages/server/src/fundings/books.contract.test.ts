import { describe, expect, test } from 'vitest';
import { bookPlaces, type OpenBooks } from './books.fixture.ts';
import { type FundingBatch, fundingsLease, type RunRow } from './books.ts';
import type { HeldFunding } from './record.ts';
import { emptySlice } from './slice.ts';

const environment = 'sandbox';
const day = '2026-03-01';
const lease = fundingsLease(environment);
const fence = { lease, holder: 'one' };

const nothing: FundingBatch = { now: 1, changed: [], gone: [] };

function funding(order: string, currency: string): HeldFunding {
  return {
    id: `${day}:r.${order}.Settle`,
    orderKey: `order:${order}`,
    currency,
    sliceDay: day,
    merchantOrderId: order,
    status: 'RECONCILED',
    transactionType: 'Settle',
    lenderName: 'Lender',
    transactionAmount: 100,
    discountAmount: 3,
    netAmount: 97,
    fundedAt: 1,
    updatedAt: 1,
    transactionDate: null,
    transactionId: null,
    merchantTransactionId: null,
    chargeId: null,
    lenderReferenceId: order,
    productType: null,
    promoCode: null,
    hash: order,
  };
}

function run(id: string, startedAt: number, state: RunRow['state'] = 'running'): RunRow {
  return {
    ...{ id, state, startedAt, reason: undefined, endedAt: undefined },
    ...{ fromDay: day, toDay: day, zone: 'UTC', tiers: true, resumed: 0 },
    ...{ slicesPlanned: 0, slicesDone: 0, slicesUnproven: 0 },
    ...{ rows: 0, changed: 0, gone: 0, quarantined: 0 },
  };
}

describe.each(bookPlaces)('books on %s', (_, openPlace) => {
  async function openWritten(...batches: FundingBatch[]): Promise<OpenBooks> {
    const place = await openPlace();
    await place.books.takeLease(fence, 1, 2);
    for (const batch of batches) await place.books.write(fence, batch);
    return place;
  }

  test('who holds a lease has it until it runs out; nobody else makes it longer or gives it back', async () => {
    const { books } = await openPlace();
    const other = { lease, holder: 'two' };
    expect(await books.takeLease(fence, 100, 200)).toBe(true);
    expect(await books.takeLease(other, 199, 300)).toBe(false);
    expect(await books.takeLease(fence, 150, 250)).toBe(true);
    expect(await books.renewLease(other, 1_000)).toBe(false);
    await books.releaseLease(other);
    expect(await books.takeLease(other, 249, 300)).toBe(false);
    expect(await books.renewLease(fence, 260)).toBe(true);
    expect(await books.takeLease(other, 259, 300)).toBe(false);
    expect(await books.takeLease(other, 260, 300)).toBe(true);
    await books.releaseLease(other);
    expect(await books.takeLease(fence, 261, 262)).toBe(true);
  });

  // A pass takes away the marks that it has read, by their generation.
  test('an order that changes again has another mark', async () => {
    const changed = [{ funding: funding('A-1', 'USD'), stored: undefined }];
    const { id, orderKey, hash } = funding('A-1', 'USD');
    const gone = [{ stored: { id, orderKey, hash, currency: 'USD' }, reason: 'gone' as const }];
    const { db } = await openWritten({ ...nothing, changed }, { ...nothing, gone });
    const marks = await db.selectFrom('dirty_orders').selectAll().execute();
    expect(marks).toMatchObject([{ order_key: 'order:A-1', generation: 2 }]);
  });

  test('a record that comes otherwise than it was written ahead is what came last', async () => {
    const records = (raw: string) => ({ ...nothing, records: [{ id: `${day}:r.1.Settle`, raw }] });
    const { db } = await openWritten(records('{"a":1}'), records('{"a":2}'));
    const rows = await db.selectFrom('funding_records').select('raw').execute();
    expect(rows).toEqual([{ raw: '{"a":2}' }]);
  });

  test('records are taken away that no funding of the same environment has, and of no other one', async () => {
    const [mine, theirs] = [funding('A-1', 'USD'), funding('A-2', 'USD')];
    const { books, db } = await openWritten({
      ...nothing,
      changed: [mine, theirs].map((held) => ({ funding: held, stored: undefined })),
      records: [mine, theirs].map(({ id }) => ({ id, raw: '{}' })),
    });
    const other = { environment: 'production' };
    await db.updateTable('fundings').set(other).where('id', '=', theirs.id).execute();
    const alone = { ...other, id: funding('A-3', 'USD').id, raw: '{}' };
    await db.insertInto('funding_records').values(alone).execute();
    await books.write(fence, { ...nothing, sweep: day });
    const rows = await db.selectFrom('funding_records').select('id').orderBy('id').execute();
    expect(rows).toEqual([{ id: mine.id }, { id: alone.id }]);
  });

  test('slices are listed oldest first, and of runs under way the last one', async () => {
    const days = ['2026-03-03', '2026-03-01', '2026-03-02'];
    const { books } = await openWritten(
      ...days.map((of) => ({ ...nothing, slice: emptySlice(of, 'UTC') })),
      { ...nothing, run: run('run-1', 1) },
      { ...nothing, run: run('run-3', 2) },
      { ...nothing, run: run('run-2', 2) },
      { ...nothing, run: run('run-4', 3, 'partial') },
    );
    const listed = await books.slices('2026-03-01', '2026-03-03');
    expect(listed.map((slice) => slice.day)).toEqual([...days].sort());
    expect(await books.findRunning()).toMatchObject({ id: 'run-3' });
  });

  test('orders of which a record is in quarantine are told once; a record may name none', async () => {
    const held = (id: string) => ({ id, day, orderKey: 'order:A-1', reason: 'no', raw: '{}' });
    const quarantine = { day, records: [held('1'), held('2'), held('3')] };
    const { books, db } = await openWritten({ ...nothing, quarantine });
    // As it was kept before records named their orders.
    await db
      .updateTable('funding_quarantine')
      .set({ order_key: null })
      .where('id', '=', '3')
      .execute();
    expect(await books.quarantinedOrders()).toEqual(['order:A-1']);
  });

  test('priced otherwise is what the lines say otherwise, each of them, or no longer say', async () => {
    // Of each order: what its funding is in, its lines, and those that were withdrawn.
    const orders: [
      order: string,
      funded: string | undefined,
      lines: string[],
      withdrawn: string[],
    ][] = [
      ['F-other', 'USD', ['EUR'], []],
      ['E-first-of-two', 'EUR', ['EUR', 'USD'], []],
      ['D-last-of-two', 'USD', ['EUR', 'USD'], []],
      ['C-withdrawn', 'USD', [], ['USD']],
      ['B-withdrawn-other', 'EUR', [], ['USD']],
      ['A-both', 'USD', ['USD'], ['USD', 'EUR']],
      ['G-same', 'USD', ['USD'], []],
      ['H-none', 'USD', [], []],
      ['I-unfunded', undefined, ['EUR', 'USD'], []],
      ['J-unfunded-withdrawn', undefined, [], ['USD']],
    ];
    const changed = orders.flatMap(([order, currency]) =>
      currency === undefined ? [] : [{ funding: funding(order, currency), stored: undefined }],
    );
    const { books, db } = await openWritten({ ...nothing, changed });
    const line = (order: string, currency: string) => ({
      ...{ environment, order_key: `order:${order}`, currency, id: `${order}-${currency}` },
      ...{ merchant_order_id: order, type: 'Settle', amount: 1, occurred_at: 1 },
      ...{ source: 'import', created_at: 1 },
    });
    for (const [order, , lines, withdrawn] of orders) {
      for (const currency of lines) {
        await db.insertInto('ledger_lines').values(line(order, currency)).execute();
      }
      for (const currency of withdrawn) {
        const gone = { withdrawn_at: 2, import_id: 'import-1' };
        await db
          .insertInto('withdrawn_lines')
          .values({ ...line(order, currency), ...gone })
          .execute();
      }
    }
    const all = ['C-withdrawn', 'D-last-of-two', 'E-first-of-two', 'F-other'];
    const keys = all.map((order) => `order:${order}`);
    expect(await books.mispriced('', 10)).toEqual(keys);
    expect(await books.mispriced('', 2)).toEqual(keys.slice(0, 2));
    expect(await books.mispriced(keys[1] ?? '', 10)).toEqual(keys.slice(2));
  });
});
