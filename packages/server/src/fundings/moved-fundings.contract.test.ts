import { describe, expect, test } from 'vitest';
import { syncPlaces } from './books.fixture.ts';
import type { FundingBooks } from './books.ts';
import { historyService, seeded, wireHistory, wireRecord } from './history.fixture.ts';
import { runSync } from './sync.ts';
import { dirtyKeys, facts, from, held, options, range, to, truth } from './sync.fixture.ts';
import type { FetchPage } from './window.ts';

describe.each(syncPlaces)('on %s', (_, openPlace) => {
  test('MISSING that the service matches later supersedes: it never counts twice', async () => {
    const open = await openPlace();
    const missing = wireRecord(1, `${from}T00:00:00.000Z`, {
      status: 'MISSING',
      transactionId: undefined,
      merchantOrderId: undefined,
      chargeId: undefined,
      merchantTransactionId: undefined,
    });
    const service = historyService([missing]);
    await runSync(options(open, service), { runId: 'run-1', ...range });
    expect((await held(open)).map(({ order_key }) => order_key)).toEqual(['funding:r.LR-1.Settle']);
    await open.db.deleteFrom('dirty_orders').execute();
    service.records = [wireRecord(1, `${from}T00:00:00.000Z`)];
    await runSync(options(open, service), { runId: 'run-2', ...range });
    expect(await held(open)).toMatchObject([
      { order_key: 'order:A-1', status: 'RECONCILED', version: 2 },
    ]);
    expect(await dirtyKeys(open)).toEqual(['funding:r.LR-1.Settle', 'order:A-1']);
  });

  test('a funding that an earlier version has filed under another order is filed anew', async () => {
    const open = await openPlace();
    const service = historyService([wireRecord(1, `${from}T00:00:00.000Z`)]);
    await runSync(options(open, service), { runId: 'run-1', ...range });
    await open.db.updateTable('fundings').set({ order_key: 'order: A-1' }).execute();
    await open.db.deleteFrom('dirty_orders').execute();
    const run = await runSync(options(open, service), { runId: 'run-2', ...range });
    expect(run).toMatchObject({ changed: 1, gone: 0 });
    expect(await held(open)).toMatchObject([{ order_key: 'order:A-1', version: 2 }]);
    expect(await dirtyKeys(open)).toEqual(['order: A-1', 'order:A-1']);
  });

  test('a record without any id is known by its content; two alike are two', async () => {
    const open = await openPlace();
    const bare = wireRecord(1, `${from}T00:00:00.000Z`, {
      status: 'MISSING',
      transactionId: undefined,
      merchantOrderId: undefined,
      chargeId: undefined,
      merchantTransactionId: undefined,
      lenderReferenceId: undefined,
    });
    const service = historyService([bare, { ...bare }]);
    await runSync(options(open, service), { runId: 'run-1', ...range });
    expect(await held(open)).toHaveLength(2);
    service.records = [bare];
    const run = await runSync(options(open, service), { runId: 'run-2', ...range });
    expect(run).toMatchObject({ changed: 0, gone: 1 });
  });

  test('a funding that is re-dated to another day is there once, whichever day is read first', async () => {
    for (const [before, after] of [
      ['2026-03-01', '2026-03-04'],
      ['2026-03-04', '2026-03-01'],
    ] as const) {
      const open = await openPlace();
      const service = historyService([
        ...wireHistory(40, from, 5),
        wireRecord(900, `${before}T00:00:00.000Z`),
      ]);
      await runSync(options(open, service), { runId: 'run-1', ...range });
      // Only its new day is asked for: the old one is read again, or it would be there twice.
      service.records = service.records.map((record) =>
        record.lenderReferenceId === 'LR-900' ? wireRecord(900, `${after}T00:00:00.000Z`) : record,
      );
      const run = await runSync(options(open, service), { runId: 'run-2', from: after, to: after });
      expect(run.state).toBe('complete');
      expect(await facts(open)).toEqual(truth(service.records));
    }
  });

  test.each([
    ['from the first sync on', 3],
    ['the later ones from the second sync on', 1],
  ])(
    'an order paid in parts under one reference is there on each of their days, %s',
    async (_, first) => {
      const open = await openPlace();
      const days = ['2026-03-01', '2026-03-02', '2026-03-04'];
      const parts = days.map((day) => wireRecord(900, `${day}T00:00:00.000Z`));
      // What is in quarantine is read as if it were new each time.
      const others = days.map((day, index) =>
        wireRecord(901 + index, `${day}T00:00:00.000Z`, { transactionAmount: 'much' }),
      );
      const history = wireHistory(40, from, 5);
      const service = historyService([...history, ...others, ...parts.slice(0, first)]);
      await runSync(options(open, service), { runId: 'run-1', ...range });
      service.records = [...history, ...others, ...parts];
      const run = await runSync(options(open, service), { runId: 'run-2', ...range });
      expect(run).toMatchObject({ state: 'complete', slicesUnproven: 0 });
      expect(await facts(open)).toEqual(truth([...history, ...parts]));
      const slices = await open.books.slices(from, to);
      expect(slices.map(({ state }) => state)).toEqual(slices.map(() => 'complete'));
      const again = await runSync(options(open, service), { runId: 'run-3', ...range });
      expect(again).toMatchObject({ state: 'complete', slicesDone: 5, changed: 0, gone: 0 });
    },
  );

  test.each([
    ['before its day was whole', 'before'],
    ['when it was', 'after'],
  ])('one that is re-dated is there once, too, after a sync that died %s', async (_, when) => {
    const open = await openPlace();
    const moving = wireRecord(900, '2026-03-05T00:00:00.000Z');
    const service = historyService([...wireHistory(40, from, 5), moving]);
    await runSync(options(open, service), { runId: 'run-1', ...range });
    const dying: FundingBooks = {
      ...open.books,
      async write(fence, batch) {
        const complete = batch.slice?.state === 'complete' ? batch.slice.day : undefined;
        const isLast = complete === '2026-03-01';
        if (!isLast || when === 'after') await open.books.write(fence, batch);
        if (isLast) throw new Error('The process is gone.');
        // Days are read newest first: the 5th has been written, and is not read again by this run.
        if (complete !== '2026-03-05') return;
        service.records = service.records.map((record) =>
          record === moving ? wireRecord(900, '2026-03-01T00:00:00.000Z') : record,
        );
      },
    };
    const killed = runSync(options({ books: dying }, service, { settings: { parallel: 1 } }), {
      runId: 'run-2',
      ...range,
    });
    await expect(killed).rejects.toThrow('gone');
    const run = await runSync(options(open, service), { runId: 'run-3', ...range });
    expect(run).toMatchObject({ id: 'run-2', state: 'complete', resumed: 1 });
    expect(await facts(open)).toEqual(truth(service.records));
  });

  test('a funding that moves to a day that was read a moment ago is not lost', async () => {
    const open = await openPlace();
    const moving = wireRecord(900, '2026-03-01T00:00:00.000Z');
    const service = historyService([...wireHistory(40, from, 5), moving]);
    await runSync(options(open, service), { runId: 'run-1', ...range });
    let written = 0;
    const run = await runSync(
      options(open, service, {
        settings: { parallel: 1 },
        onProgress: ({ slicesDone }) => {
          // Days are read newest first: the 5th has been written before the 1st is asked for.
          if (slicesDone !== 1 || written++ > 0) return;
          service.records = service.records.map((record) =>
            record === moving ? wireRecord(900, '2026-03-05T00:00:00.000Z') : record,
          );
        },
      }),
      { runId: 'run-2', ...range },
    );
    expect(written).toBe(1);
    expect(run.state).toBe('complete');
    expect(await facts(open)).toEqual(truth(service.records));
  });

  test.each([1, 2, 3])(
    'rows that come and are re-dated during the passes: nothing lost, nothing twice (seed %i)',
    async (seed) => {
      const open = await openPlace();
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
      await runSync(options(open, service), { runId: 'run-1', ...range });
      // What stood still, on days that are proven, is there once.
      const slices = await open.books.slices(from, to);
      const proven = new Set(slices.flatMap(({ day, state }) => (state === 'complete' ? day : [])));
      const stood = ({ reference, day }: { reference: string | null; day: string }) =>
        Number(reference?.slice(3)) < 150 && !moved.has(String(reference)) && proven.has(day);
      expect(proven.size).toBeGreaterThan(1);
      expect((await facts(open)).filter(stood)).toEqual(truth(service.records).filter(stood));
      changes = 0;
      const run = await runSync(options(open, service), { runId: 'run-2', ...range });
      expect(run.state).toBe('complete');
      expect(await facts(open)).toEqual(truth(service.records));
    },
  );

  test('records that come with days they are not of are told with the day, and with the run', async () => {
    const open = await openPlace();
    const posted = wireRecord(1, `${from}T00:00:00.000Z`);
    // As a service does that goes by the date of the transaction.
    const late = wireRecord(2, '2026-05-02T00:00:00.000Z');
    const beside = wireRecord(3, '2026-03-02T00:00:00.000Z');
    const fetchPage: FetchPage = ({ to: last, offset }) => {
      const records = last.startsWith(from) && offset === 0 ? [posted, late, beside] : [];
      const bytes = new TextEncoder().encode(JSON.stringify({ records }));
      return Promise.resolve({ kind: 'page', bytes });
    };
    const ask = (runId: string) => runSync(options(open, { fetchPage }), { runId, ...range });
    const told = 'records came with days that they are not of';
    expect(await ask('run-1')).toMatchObject({ state: 'complete', changed: 2, reason: told });
    const reasons = async () => {
      const slices = await open.books.slices(from, to);
      return slices.map(({ state, reason }) => [state, reason]);
    };
    const others = Array.from({ length: 4 }, () => ['complete', undefined]);
    expect(await reasons()).toEqual([['complete', '1 came that are of other days'], ...others]);
    late.fundedAt = posted.fundedAt;
    expect(await ask('run-2')).toMatchObject({ state: 'complete', changed: 1, reason: undefined });
    expect(await reasons()).toEqual([['complete', undefined], ...others]);
  });
});
