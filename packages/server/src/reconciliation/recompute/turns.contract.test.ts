import { describe, expect, test } from 'vitest';
import { fundingsLease } from '../../fundings/books.ts';
import { defaultPolicy } from '../policy.ts';
import type { BulkConnection } from './bulk.ts';
import { type ChunkTask, examineChunk, writeFindings } from './chunk.ts';
import { LeaseLostError } from './lease.ts';
import { book, DAY_MS, environment, mark, NOW, ruled, standing } from './orders.fixture.ts';
import { claimRange, readRun } from './ranges.ts';
import { benches, settle, sha256 } from './recompute.fixture.ts';
import { RULES_VERSION } from './recompute.ts';

describe.each(benches)('recomputes that take turns on %s', (_, open) => {
  test('two at a time: one leads, the other one helps or goes away, and all is computed once', async () => {
    const { db, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0')));
    await book(db, list);
    const results = await Promise.all([
      recompute().full(),
      recompute().full(),
      recompute().dirty(),
    ]);
    expect(results.map(({ state }) => state)).toContain('done');
    expect(results.reduce((sum, { changed }) => sum + changed, 0)).toBe(40);
    expect(await standing(db)).toEqual(ruled(list, { ...defaultPolicy, now: NOW, complete: true }));
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
  });

  test('who leads waits for the orders that another one has taken on, and keeps its lease', async () => {
    const { db, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0')));
    await book(db, list);
    const at = { now: NOW };
    const heldFor: number[] = [];
    const others = db.updateTable('recompute_ranges').where('state', '=', 'open');
    async function pause(milliseconds: number): Promise<void> {
      if (milliseconds === 0 && heldFor.length === 0) {
        await others
          .where('holder', 'is', null)
          .set({ holder: 'another', until: NOW + DAY_MS })
          .execute();
      }
      if (milliseconds === 0) return;
      const lease = await db.selectFrom('leases').select('until').executeTakeFirstOrThrow();
      heldFor.push(Number(lease.until) - at.now);
      at.now += 20_000;
      // It dies, and what it had taken on is free.
      if (heldFor.length === 3) await others.set({ until: 0 }).execute();
    }
    const result = await recompute({ workshop: { now: () => at.now, pause } }).full();
    expect(result).toMatchObject({ state: 'done', changed: 40 });
    expect(heldFor).toHaveLength(3);
    expect(Math.min(...heldFor)).toBeGreaterThan(0);
    expect(Object.keys(await standing(db))).toHaveLength(40);
  });

  test('who leads keeps its lease while it works, however long all orders take', async () => {
    const { db, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0')));
    await book(db, list);
    const at = { now: NOW };
    const heldFor: number[] = [];
    async function pause(): Promise<void> {
      const lease = await db.selectFrom('leases').select('until').executeTakeFirstOrThrow();
      heldFor.push(Number(lease.until) - at.now);
      at.now += 10_000;
    }
    const result = await recompute({ workshop: { now: () => at.now, pause } }).full();
    expect(result).toMatchObject({ state: 'done', changed: 40 });
    expect(heldFor.length).toBeGreaterThan(10);
    expect(Math.min(...heldFor)).toBeGreaterThan(0);
  });

  test('orders that one has taken on are no other one’s until its lease ends', async () => {
    const { db, bulk, recompute } = await open();
    await book(db, [settle('1')]);
    await recompute().full();
    await db.updateTable('recompute_ranges').set({ state: 'open', until: 0 }).execute();
    const run = await readRun(bulk, environment);
    if (!run) throw new Error('a run');
    const claim = (name: string, now: number) =>
      claimRange(bulk, { environment, name }, run, now).then((range) => range?.ordinal);
    expect(await claim('one', NOW)).toBe(0);
    expect(await claim('the other', NOW + 30_000)).toBeUndefined();
    expect(await claim('the other', NOW + 30_001)).toBe(0);
  });

  test('who comes while another one is at what changed goes away, and has done nothing', async () => {
    const { db, recompute } = await open();
    await book(db, [settle('1')]);
    await recompute().full();
    const lease = { name: `recompute:${environment}`, holder: 'another', until: NOW + 30_000 };
    await db.insertInto('leases').values(lease).execute();
    await mark(db, ['order:1']);
    expect(await recompute().dirty()).toMatchObject({ state: 'busy', judged: 0 });
    expect(await db.selectFrom('dirty_orders').selectAll().execute()).toHaveLength(1);
  });

  test('who judges by other rules than the one who leads helps it with nothing', async () => {
    const { db, recompute } = await open();
    await book(
      db,
      Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0'))),
    );
    let chunks = 0;
    const stopping = recompute({ workshop: { stopped: () => ++chunks >= 4 } });
    expect(await stopping.full()).toMatchObject({ state: 'stopped' });
    const lease = { name: `recompute:${environment}`, holder: 'another', until: NOW + 30_000 };
    await db.insertInto('leases').values(lease).execute();
    const before = await standing(db);
    const other = recompute({ policyHash: 'two' });
    expect(await other.dirty()).toMatchObject({ state: 'busy', full: false, judged: 0 });
    expect(await standing(db)).toEqual(before);
    expect(await recompute().dirty()).toMatchObject({ state: 'helped' });
    expect(Object.keys(await standing(db)).length).toBeGreaterThan(Object.keys(before).length);
  });

  test('what is in the tables of another environment changes nothing, and is left as it is', async () => {
    const { db, recompute } = await open();
    await book(db, [settle('1'), settle('2', { fundings: [] })]);
    await recompute({ complete: false }).full();
    const other = { environment: 'production' };
    for (const table of ['fundings', 'ledger_lines', 'order_statuses'] as const) {
      const rows = await db.selectFrom(table).selectAll().execute();
      for (const row of rows)
        await db
          .insertInto(table)
          .values({ ...row, ...other })
          .execute();
    }
    await db
      .updateTable('order_statuses')
      .set({ headline: 'OTHER' })
      .where('environment', '=', 'production')
      .execute();
    await db
      .updateTable('fundings')
      .set({ id: 'another' })
      .where('environment', '=', 'production')
      .execute();
    const record = { ...other, id: '1', slice_day: '2026-03-01', order_key: 'order:2' };
    await db
      .insertInto('funding_quarantine')
      .values({ ...record, reason: 'no', raw: '{}', seen_at: 1 })
      .execute();
    await db
      .insertInto('dirty_orders')
      .values({ ...other, order_key: 'order:1', generation: 1 })
      .execute();
    const stands = () =>
      db
        .selectFrom('order_statuses')
        .select(['environment', 'order_key', 'headline'])
        .orderBy('environment')
        .orderBy('order_key')
        .execute();
    const theirs = ['1', '2'].map((key) => ({
      ...other,
      order_key: `order:${key}`,
      headline: 'OTHER',
    }));
    const mine = [
      { environment, order_key: 'order:1', headline: 'FUNDED' },
      { environment, order_key: 'order:2', headline: 'MISSING_AT_LENDER' },
    ];
    expect(await recompute().dirty()).toMatchObject({ changed: 1 });
    expect(await stands()).toEqual([...theirs, ...mine]);
    await mark(db, ['order:1', 'order:2']);
    expect(await recompute({ workshop: { surveyFrom: 9 } }).dirty()).toMatchObject({ changed: 0 });
    expect(await recompute().full()).toMatchObject({ changed: 0, unexplained: 0 });
    expect(await stands()).toEqual([...theirs, ...mine]);
    const marks = await db
      .selectFrom('dirty_orders')
      .select(['environment', 'order_key'])
      .execute();
    expect(marks).toEqual([{ ...other, order_key: 'order:1' }]);
  });

  test('while fundings are read, changes wait for the end after a pass, not before the first one', async () => {
    const { db, bulk, recompute } = await open();
    const until = NOW + 30_000;
    await db
      .insertInto('leases')
      .values({ name: fundingsLease(environment), holder: 'a sync', until })
      .execute();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n)));
    await book(db, list);
    let helped = 0;
    const helper = (task: ChunkTask) => {
      helped += 1;
      return examineChunk({ bulk, hash: sha256 }, task);
    };
    const job = recompute({ workshop: { helper } });
    expect(await job.dirty()).toMatchObject({ state: 'done', changed: 40 });
    expect(helped).toBe(0);
    await mark(db, ['order:1']);
    const marked = () => db.selectFrom('dirty_orders').selectAll().execute();
    expect(await job.dirty()).toMatchObject({ state: 'busy' });
    expect(await marked()).toHaveLength(1);
    const ends = [
      // As one that died leaves it, and as one that ended.
      () => db.updateTable('leases').set({ until: NOW }).where('holder', '=', 'a sync').execute(),
      () => db.deleteFrom('leases').where('holder', '=', 'a sync').execute(),
    ];
    for (const end of ends) {
      await end();
      await mark(db, ['order:1']);
      expect(await job.dirty()).toMatchObject({ state: 'done' });
      expect(await marked()).toEqual([]);
    }
  });

  test('chunks that a helper takes count as if this worker had done them', async () => {
    const { db, bulk, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0')));
    await book(db, list);
    const tasks: ChunkTask[] = [];
    const helper = (task: ChunkTask) => {
      tasks.push(structuredClone(task));
      return examineChunk({ bulk, hash: sha256 }, task).then(structuredClone);
    };
    const result = await recompute({ workshop: { helper } }).full();
    expect(result).toMatchObject({ state: 'done', changed: 40, judged: 40 });
    expect(tasks.length).toBeGreaterThan(2);
    expect(await standing(db)).toEqual(ruled(list, { ...defaultPolicy, now: NOW, complete: true }));
    await mark(
      db,
      list.map(({ orderKey }) => orderKey),
    );
    const before = tasks.length;
    expect(await recompute({ workshop: { helper } }).dirty()).toMatchObject({ changed: 0 });
    expect(tasks.length).toBeGreaterThan(before);
    expect(await db.selectFrom('dirty_orders').selectAll().execute()).toEqual([]);
  });

  test('what a helper fails at fails the pass, and is done by the next one', async () => {
    const { db, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0')));
    await book(db, list);
    const broken = recompute({
      workshop: { helper: () => Promise.reject(new Error('the disk is full')) },
    });
    await expect(broken.full()).rejects.toThrow('the disk is full');
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
    expect(await recompute({ now: NOW + 60_000 }).dirty()).toMatchObject({ state: 'done' });
    expect(Object.keys(await standing(db))).toHaveLength(40);
  });

  test('a full pass that was given up is carried on by whoever comes next', async () => {
    const { db, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0')));
    await book(db, list);
    let chunks = 0;
    const stopping = recompute({ workshop: { stopped: () => ++chunks >= 4 } });
    expect(await stopping.full()).toMatchObject({ state: 'stopped' });
    const done = Object.keys(await standing(db)).length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(40);
    // What changed meanwhile of those that are done is not left to yet another one.
    await book(db, [settle('000', { fundings: [] }), ...list.slice(1)]);
    await mark(db, ['order:000']);
    // The range it had taken is free again when its time is up.
    const later = NOW + 60_000;
    expect(await recompute({ now: later }).dirty()).toMatchObject({ state: 'done', full: true });
    expect(Object.keys(await standing(db))).toHaveLength(40);
    expect(await db.selectFrom('dirty_orders').selectAll().execute()).toEqual([]);
  });

  test('what is carried on is judged as of the moment it was begun, and with the data of then', async () => {
    const { db, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => {
      const order = settle(String(n).padStart(3, '0'), { fundings: [] });
      // Every other one is late only later.
      const occurredAt = NOW - (n % 2 === 0 ? 10 : 1) * DAY_MS;
      return { ...order, ledger: order.ledger.map((line) => ({ ...line, occurredAt })) };
    });
    await book(db, list);
    let chunks = 0;
    const stopping = recompute({ workshop: { stopped: () => ++chunks >= 4 } });
    expect(await stopping.full()).toMatchObject({ state: 'stopped' });
    const later = recompute({ now: NOW + 9 * DAY_MS, complete: false });
    expect(await later.full()).toMatchObject({ state: 'done', full: true });
    expect(await standing(db)).toEqual(ruled(list, { ...defaultPolicy, now: NOW, complete: true }));
  });

  test.each([
    ['all orders', false],
    ['some of them', true],
  ])('who was taken for dead and comes back writes nothing of %s', async (_of, isLater) => {
    const { db, bulk, recompute } = await open();
    if (isLater) await recompute().full();
    await book(db, [settle('1', { fundings: [] })]);
    await mark(db, ['order:1']);
    let taken = false;
    const slow: BulkConnection = {
      kind: bulk.kind,
      write: (work) => bulk.write(work),
      async rows(sql, parameters) {
        const rows = await bulk.rows(sql, parameters);
        if (!taken && sql.includes('wanted cross join ledger_lines')) {
          taken = true;
          await book(db, [settle('1')]);
          await mark(db, ['order:1']);
          await recompute({ now: NOW + 60_000 }).dirty();
        }
        return rows;
      },
    };
    expect(await recompute({ workshop: { bulk: slow } }).dirty()).toMatchObject({ state: 'busy' });
    expect((await standing(db))['USD order:1']?.headline).toBe('FUNDED');
  });

  test('who was taken for dead before it had begun leaves what another one has done', async () => {
    const { db, bulk, recompute } = await open();
    await book(db, [settle('1')]);
    const stands = async () => [
      await db.selectFrom('recomputes').selectAll().execute(),
      await db.selectFrom('recompute_ranges').selectAll().execute(),
    ];
    const done = Promise.withResolvers<unknown>();
    let taken = false;
    const slow: BulkConnection = {
      kind: bulk.kind,
      write: (work) => bulk.write(work),
      async rows(sql, parameters) {
        const rows = await bulk.rows(sql, parameters);
        if (!taken && sql.includes('from recomputes')) {
          taken = true;
          await recompute({ now: NOW + 60_000 }).full();
          done.resolve(await stands());
        }
        return rows;
      },
    };
    expect(await recompute({ workshop: { bulk: slow } }).full()).toMatchObject({ state: 'busy' });
    expect(await stands()).toEqual(await done.promise);
  });

  test('who helps with orders that another one has taken on by now writes nothing', async () => {
    const { db, bulk } = await open();
    await book(db, [settle('1')]);
    const place = { run: 'a run', ordinal: 1 };
    const row = { after_key: '', last_key: null, holder: 'the other', until: NOW, state: 'open' };
    const done = { orders: 0, changed: 0 };
    await db
      .insertInto('recompute_ranges')
      .values({ environment, ...place, ...row, ...done })
      .execute();
    const range = { ...place, after: '', last: undefined };
    const scope = { environment, kind: 'all' as const, after: '', last: undefined };
    const policy = { ...defaultPolicy, now: NOW, complete: true };
    const by = (name: string) => {
      const holder = { environment, name };
      return { scope, policy, holder, leads: false, range, isSurveyed: true };
    };
    const findings = await examineChunk({ bulk, hash: sha256 }, by('one'));
    const write = (name: string) =>
      writeFindings({ bulk, now: () => NOW }, by(name), findings, false);
    await expect(write('one')).rejects.toThrow(LeaseLostError);
    expect(await standing(db)).toEqual({});
    await write('the other');
    expect(Object.keys(await standing(db))).toEqual(['USD order:1']);
    // Nor of those that are done.
    await db.updateTable('recompute_ranges').set({ state: 'done' }).execute();
    await expect(write('the other')).rejects.toThrow(LeaseLostError);
  });

  test('what a newer version has just judged by its rules is left to it, and not for ever', async () => {
    const { db, recompute } = await open();
    const list = [settle('1'), settle('2', { fundings: [] })];
    await book(db, list);
    await recompute().dirty();
    const newer = `${RULES_VERSION + 1} one`;
    await db.updateTable('recomputes').set({ rules: newer }).execute();
    // By rules that nobody here knows.
    await db.updateTable('order_statuses').set({ headline: 'TYPE_MISMATCH' }).execute();
    const judged = await standing(db);
    await mark(db, ['order:1']);
    for (const minute of [0, 59]) {
      const soon = recompute({ now: NOW + minute * 60_000 });
      expect(await soon.dirty()).toMatchObject({ state: 'busy', judged: 0 });
      expect(await soon.full()).toMatchObject({ state: 'busy', judged: 0 });
    }
    expect(await standing(db)).toEqual(judged);
    expect(await db.selectFrom('dirty_orders').selectAll().execute()).toHaveLength(1);
    const later = NOW + 60 * 60_000;
    expect(await recompute({ now: later }).dirty()).toMatchObject({ state: 'done', full: true });
    const policy = { ...defaultPolicy, now: later, complete: true };
    expect(await standing(db)).toEqual(ruled(list, policy));
  });
});
