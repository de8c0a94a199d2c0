import { describe, expect, test } from 'vitest';
import { exceptionRow } from '../places.fixture.ts';
import { defaultPolicy } from '../policy.ts';
import type { BulkConnection } from './bulk.ts';
import { inProcessWorker } from './in-process.ts';
import { book, environment, mark, NOW, ruled, standing } from './orders.fixture.ts';
import { benches, settle, sha256 } from './recompute.fixture.ts';
import { RULES_VERSION } from './recompute.ts';

describe.each(benches)('alarms of a recompute on %s', (_, open) => {
  test('what another policy changes is no alarm, whoever ends what was begun', async () => {
    const { db, recompute, logged } = await open();
    const late = Array.from({ length: 40 }, (_, n) => settle(String(n), { fundings: [] }));
    await book(db, late);
    await recompute().dirty();
    const policy = { ...defaultPolicy, slaDays: { default: 365, lenders: {} } };
    const other = { policy, policyHash: 'two' };
    let looks = 0;
    const ended = await recompute({ ...other, workshop: { stopped: () => ++looks > 2 } }).dirty();
    expect(ended).toMatchObject({ state: 'stopped' });
    // The range it had taken is free again when its lease has ended.
    const result = await recompute({ ...other, now: NOW + 60_000 }).full();
    expect(result).toMatchObject({ state: 'done', full: true, unexplained: 0 });
    expect(result.changed).toBeGreaterThan(0);
    expect(ended.changed + result.changed).toBe(40);
    expect(logged.map(({ event }) => event)).not.toContain('reconciliation-differs');
  });

  test('a status that the lines do not explain raises an alarm, and is put right', async () => {
    const { counters, db, recompute, logged } = await open();
    await book(db, [settle('1'), settle('2')]);
    await recompute().dirty();
    await db
      .updateTable('order_statuses')
      .set({ net: 1 })
      .where('order_key', '=', 'order:2')
      .execute();
    expect(await recompute().full()).toMatchObject({ changed: 1, unexplained: 1 });
    expect(logged).toContainEqual(expect.objectContaining({ event: 'reconciliation-differs' }));
    expect(counters.read('reconciliation-differs')).toBe(1);
    expect((await standing(db))['USD order:2']?.net).toBe(9_710);
    // A change that was announced is none.
    logged.length = 0;
    await book(db, [settle('1'), settle('2', { fundings: [] })]);
    await mark(db, ['order:2']);
    expect(await recompute().full()).toMatchObject({ changed: 1, unexplained: 0 });
    expect(logged.map(({ event }) => event)).not.toContain('reconciliation-differs');
  });

  test('an alarm is raised also when who found it died before it could say so', async () => {
    const { bulk, counters, db, recompute, logged } = await open();
    await book(
      db,
      Array.from({ length: 10 }, (_unused, n) => settle(String(n))),
    );
    await recompute().dirty();
    const changed = db.updateTable('order_statuses').set({ net: 1 });
    await changed.where('order_key', '=', 'order:0').execute();
    let isDead = false;
    const dying: BulkConnection = {
      kind: bulk.kind,
      rows: (sql, parameters) =>
        isDead ? Promise.reject(new Error('killed')) : bulk.rows(sql, parameters),
      async write(work) {
        if (isDead) throw new Error('killed');
        const result = await bulk.write(work);
        // What it found has been put right by that.
        isDead = (await standing(db))['USD order:0']?.net === 9_710;
        return result;
      },
    };
    const { tolerance, slaDays, aliases, contracts } = defaultPolicy;
    const policy = { tolerance, slaDays, aliases, contracts, now: NOW, complete: true };
    const worker = inProcessWorker({
      ...{ bulk: dying, now: () => NOW, hash: sha256, chunkRows: 3, surveyFrom: 1, rangeRows: 5 },
    });
    const rules = `${RULES_VERSION} one`;
    const request = { kind: 'full' as const, environment, policy, rules, holder: 'dies' };
    await expect(worker.run(request)).rejects.toThrow('killed');
    expect(counters.read('reconciliation-differs')).toBe(0);
    const later = { now: NOW + 60_000 };
    expect(await recompute(later).dirty()).toMatchObject({ state: 'done', full: true });
    const alarm = { event: 'reconciliation-differs', fields: { count: 1 } };
    expect(logged.find(({ event }) => event === alarm.event)).toMatchObject(alarm);
    // Once it was said, it is said no more.
    expect(await recompute(later).full()).toMatchObject({ state: 'done', unexplained: 0 });
    expect(counters.read('reconciliation-differs')).toBe(1);
  });

  test('exceptions that nothing explains raise an alarm, also of orders that are paid, and go', async () => {
    const { db, recompute } = await open();
    const list = [settle('1'), settle('2', { fundings: [] }), settle('3')];
    await book(db, list);
    await recompute().dirty();
    const strays = ['order:1', 'order:2', 'order:of nobody'];
    await db
      .insertInto('order_exceptions')
      .values(strays.map((key) => exceptionRow({ order_key: key })))
      .execute();
    expect(await recompute().full()).toMatchObject({ changed: 3, unexplained: 3 });
    expect(await standing(db)).toEqual(ruled(list, { ...defaultPolicy, now: NOW, complete: true }));
    const left = await db.selectFrom('order_exceptions').select('order_key').execute();
    expect(left).toEqual([{ order_key: 'order:2' }]);
    expect(await recompute().full()).toMatchObject({ changed: 0, unexplained: 0 });
  });

  test('lines that change while they are computed leave a mark, and are computed again', async () => {
    const { db, bulk, recompute } = await open();
    await book(db, [settle('1', { fundings: [] })]);
    let changed = false;
    const meddled: BulkConnection = {
      kind: bulk.kind,
      write: (work) => bulk.write(work),
      async rows(sql, parameters) {
        const rows = await bulk.rows(sql, parameters);
        if (!changed && sql.includes('wanted cross join ledger_lines')) {
          changed = true;
          await book(db, [settle('1')]);
          await mark(db, ['order:1']);
        }
        return rows;
      },
    };
    await recompute({ workshop: { bulk: meddled } }).dirty();
    expect(changed).toBe(true);
    expect(await db.selectFrom('dirty_orders').select('order_key').execute()).toHaveLength(1);
    await recompute().dirty();
    expect((await standing(db))['USD order:1']?.headline).toBe('FUNDED');
  });

  test('lines that change while all is checked are no alarm', async () => {
    const { db, bulk, recompute, logged } = await open();
    await book(db, [settle('1'), settle('2', { fundings: [] })]);
    await recompute().dirty();
    let looks = 0;
    const meddled: BulkConnection = {
      kind: bulk.kind,
      write: (work) => bulk.write(work),
      async rows(sql, parameters) {
        const rows = await bulk.rows(sql, parameters);
        // The check has read the marks, after what was known to have changed, and not yet the lines.
        if (sql.includes('d.generation') && ++looks === 2) {
          await book(db, [settle('1', { fundings: [] }), settle('2')]);
          await mark(db, ['order:1', 'order:2']);
        }
        return rows;
      },
    };
    const check = await recompute({ workshop: { bulk: meddled } }).full();
    expect(check).toMatchObject({ full: true, changed: 2, unexplained: 0 });
    expect(logged.map(({ event }) => event)).not.toContain('reconciliation-differs');
  });
});
