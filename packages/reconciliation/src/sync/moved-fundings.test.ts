import { expect, test } from 'vitest';
import { replay } from '../analytics/replay.ts';
import { historyService, seeded, wireHistory, wireRecord } from './history.fixture.ts';
import type { PageQuery } from './source.ts';
import {
  dirtyKeys,
  from,
  held,
  openDatabase,
  type TestDatabase,
  sync,
  to,
  truth,
} from './sync.fixture.ts';

const states = async ({ facts }: TestDatabase) =>
  (await facts.days(from, to)).map(({ state, reason }) => [state, reason]);

test('replaces MISSING when the service finds a match, without double counting', async () => {
  const open = await openDatabase();
  const missing = wireRecord(1, `${from}T00:00:00.000Z`, {
    status: 'MISSING',
    transactionId: undefined,
    merchantOrderId: undefined,
    chargeId: undefined,
    merchantTransactionId: undefined,
  });
  const service = historyService([missing]);
  await sync(open, service, 'sync-1');
  expect(await dirtyKeys(open)).toEqual(['funding:r.LR-1.Settle']);
  await open.write('delete from dirty_orders');
  service.records = [wireRecord(1, `${from}T00:00:00.000Z`)];
  await sync(open, service, 'sync-2');
  expect(await open.rows('select order_key, status from fundings')).toEqual([
    ['order:A-1', 'RECONCILED'],
  ]);
  expect(await dirtyKeys(open)).toEqual(['funding:r.LR-1.Settle', 'order:A-1']);
});

test('identifies a record without ids by its content, and counts equal ones separately', async () => {
  const open = await openDatabase();
  const bare = wireRecord(1, `${from}T00:00:00.000Z`, {
    status: 'MISSING',
    transactionId: undefined,
    merchantOrderId: undefined,
    chargeId: undefined,
    merchantTransactionId: undefined,
    lenderReferenceId: undefined,
  });
  const service = historyService([bare, { ...bare }]);
  await sync(open, service, 'sync-1');
  expect(await open.rows('select count(distinct id) from fundings')).toEqual([[2n]]);
  service.records = [bare];
  expect(await sync(open, service, 'sync-2')).toMatchObject({ changed: 0, gone: 1 });
});

test.each([
  ['2026-03-01', '2026-03-04'],
  ['2026-03-04', '2026-03-01'],
])('stores a funding once when it is re-dated from %s to %s', async (before, after) => {
  const open = await openDatabase();
  const service = historyService([
    ...wireHistory(40, from, 5),
    wireRecord(900, `${before}T00:00:00.000Z`),
  ]);
  await sync(open, service, 'sync-1');
  // Only its new day is requested; the old one is read again, or the funding would exist twice.
  service.records = service.records.map((record) =>
    record.lenderReferenceId === 'LR-900' ? wireRecord(900, `${after}T00:00:00.000Z`) : record,
  );
  const run = await sync(open, service, 'sync-2', { from: after, to: after });
  expect(run.state).toBe('complete');
  expect(await held(open)).toEqual(truth(service.records));
});

test.each([
  ['from the first sync on', 3],
  ['the later ones from the second sync on', 1],
])(
  'stores an order that is paid in parts under one reference on each day, %s',
  async (_, first) => {
    const open = await openDatabase();
    const days = ['2026-03-01', '2026-03-02', '2026-03-04'];
    const parts = days.map((day) => wireRecord(900, `${day}T00:00:00.000Z`));
    const others = days.map((day, index) =>
      wireRecord(901 + index, `${day}T00:00:00.000Z`, { transactionAmount: 'much' }),
    );
    const history = wireHistory(40, from, 5);
    const service = historyService([...history, ...others, ...parts.slice(0, first)]);
    await sync(open, service, 'sync-1');
    service.records = [...history, ...others, ...parts];
    const run = await sync(open, service, 'sync-2');
    expect(run).toMatchObject({ state: 'complete', daysUnproven: 0 });
    expect(await held(open)).toEqual(truth([...history, ...parts]));
    expect(await states(open)).toEqual(days.concat('', '').map(() => ['complete', undefined]));
    const again = await sync(open, service, 'sync-3');
    expect(again).toMatchObject({ state: 'complete', daysDone: 5, changed: 0, gone: 0 });
  },
);

test('reads the days of an order that was paid in parts once more after a rebuild', async () => {
  const open = await openDatabase();
  const parts = ['2026-03-01', '2026-03-04'].map((day) => wireRecord(900, `${day}T00:00:00.000Z`));
  const service = historyService(parts);
  await sync(open, service, 'sync-1');
  await open.database.rebuild('a test asks for it');
  const range = { from: '2026-03-05', to: '2026-03-05' };
  expect(await sync(open, service, 'sync-2', range)).toMatchObject({
    state: 'complete',
    daysDone: 2,
    changed: 0,
  });
  expect(await sync(open, service, 'sync-3', range)).toMatchObject({
    state: 'complete',
    daysDone: 1,
  });
  expect(await held(open)).toEqual(truth(parts));
});

test.each([
  ['before its day was whole', 'before'],
  ['when it was', 'after'],
])('stores a re-dated funding once after a sync that died %s', async (_, when) => {
  const open = await openDatabase();
  const moving = wireRecord(900, '2026-03-05T00:00:00.000Z');
  const service = historyService([...wireHistory(40, from, 5), moving]);
  await sync(open, service, 'sync-1');
  const { writeDay } = open.facts;
  open.facts.writeDay = async (...args) => {
    const { day } = args[1];
    const isLast = day === '2026-03-01';
    if (isLast && when === 'before') throw new Error('The process is gone.');
    const number = await writeDay(...args);
    if (isLast) throw new Error('The process is gone.');
    // Days are read newest first: the 5th is written and not read again by this sync.
    if (day === '2026-03-05') {
      service.records = service.records.map((record) =>
        record === moving ? wireRecord(900, '2026-03-01T00:00:00.000Z') : record,
      );
    }
    return number;
  };
  await expect(sync(open, service, 'sync-2', { settings: { parallel: 1 } })).rejects.toThrow(
    'gone',
  );
  open.facts.writeDay = writeDay;
  const run = await sync(open, service, 'sync-3');
  expect(run).toMatchObject({ id: 'sync-2', state: 'complete', resumed: 1 });
  expect(await held(open)).toEqual(truth(service.records));
});

test('keeps a funding that moves to a day that was just read', async () => {
  const open = await openDatabase();
  const moving = wireRecord(900, '2026-03-01T00:00:00.000Z');
  const service = historyService([...wireHistory(40, from, 5), moving]);
  await sync(open, service, 'sync-1');
  let written = 0;
  const run = await sync(open, service, 'sync-2', {
    settings: { parallel: 1 },
    onProgress: ({ daysDone }) => {
      // Days are read newest first: the 5th is written before the 1st is requested.
      if (daysDone !== 1 || written++ > 0) return;
      service.records = service.records.map((record) =>
        record === moving ? wireRecord(900, '2026-03-05T00:00:00.000Z') : record,
      );
    },
  });
  expect(written).toBe(1);
  expect(run.state).toBe('complete');
  expect(await held(open)).toEqual(truth(service.records));
});

test.each([1, 2])(
  'neither loses nor duplicates rows that appear and move during the passes (seed %i)',
  async (seed) => {
    const open = await openDatabase();
    const random = seeded(seed);
    const service = historyService(wireHistory(150, from, 5, seed));
    const moved = new Set<string>();
    let next = 1_000;
    let changes = 60;
    service.before = () => {
      if (changes <= 0 || random() > 0.2) return undefined;
      changes -= 1;
      const day = `2026-03-0${1 + Math.floor(random() * 5)}T00:00:00.000Z`;
      if (random() < 0.5) {
        service.records = [...service.records, wireRecord(next++, day)];
      } else {
        const index = Math.floor(random() * service.records.length);
        const record = service.records[index];
        if (!record) return undefined;
        moved.add(String(record.lenderReferenceId));
        service.records = service.records.with(index, { ...record, fundedAt: day });
      }
      return undefined;
    };
    await sync(open, service, 'sync-1');
    // A record that did not move, on a proven day, is stored once.
    const days = await open.facts.days(from, to);
    const proven = new Set(days.flatMap(({ day, state }) => (state === 'complete' ? day : [])));
    const isStill = ({ reference, day }: { reference: string; day: string }) =>
      Number(reference.slice(3)) < 150 && !moved.has(reference) && proven.has(day);
    expect(proven.size).toBeGreaterThan(1);
    expect((await held(open)).filter(isStill)).toEqual(truth(service.records).filter(isStill));
    changes = 0;
    const run = await sync(open, service, 'sync-2');
    expect(run.state).toBe('complete');
    expect(await held(open)).toEqual(truth(service.records));
  },
);

test('reports records that were returned for another day, both for the day and for the sync', async () => {
  const open = await openDatabase();
  const posted = wireRecord(1, `${from}T00:00:00.000Z`);
  // Simulates a service that filters by the transaction date.
  const late = wireRecord(2, '2026-05-02T00:00:00.000Z');
  const beside = wireRecord(3, '2026-03-02T00:00:00.000Z');
  const fetchPage = ({ to: last, offset }: PageQuery) => {
    const records = last.startsWith(from) && offset === 0 ? [posted, late, beside] : [];
    const bytes = new TextEncoder().encode(JSON.stringify({ records }));
    return Promise.resolve({ kind: 'page' as const, bytes });
  };
  const reason = 'some records came with the wrong day';
  expect(await sync(open, { fetchPage }, 'sync-1')).toMatchObject({
    state: 'complete',
    changed: 2,
    reason,
  });
  const others = Array.from({ length: 4 }, () => ['complete', undefined]);
  expect(await states(open)).toEqual([['complete', '1 records belong to other days'], ...others]);
  late.fundedAt = posted.fundedAt;
  const run = await sync(open, { fetchPage }, 'sync-2');
  expect(run).toMatchObject({ state: 'complete', changed: 1, reason: undefined });
  expect(await states(open)).toEqual([['complete', undefined], ...others]);
});

test('produces the same rows from the facts of another process', async () => {
  const open = await openDatabase();
  const standby = await openDatabase({ facts: open.facts });
  const service = historyService(wireHistory(60, from, 5));
  const follow = () => replay({ ...standby, defaultCurrency: 'USD' });
  await sync(open, service, 'sync-1');
  await follow();
  service.records = service.records.slice(10).map((record) => ({ ...record, netAmount: 1 }));
  await sync(open, service, 'sync-2');
  const numbers = (await open.facts.days()).map(({ number }) => number);
  expect(await follow()).toBe(Math.max(...numbers));
  const rows = 'select * exclude (since) from fundings order by id';
  expect(await standby.rows(rows)).toEqual(await open.rows(rows));
  expect(await held(standby)).toEqual(truth(service.records));
});
