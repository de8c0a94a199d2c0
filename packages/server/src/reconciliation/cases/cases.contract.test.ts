import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { Secret } from '../../keys/secret.ts';
import { TestClock, WEBHOOK_SECRET } from '../../companion.fixture.ts';
import { silentLogger } from '../../observe/logger.ts';
import { deliverDue } from '../../webhook/delivery.ts';
import { exceptionRow, type OpenPlace, places } from '../places.fixture.ts';
import { defaultPolicy } from '../policy.ts';
import { booksOf } from '../reconciled.fixture.ts';
import { alertCases } from './alerts.ts';
import { followExceptions } from './follow.ts';
import { operateOnCase } from './operations.ts';
import type { CaseQuery } from './store.ts';
import { verifyTrail } from './trail.ts';

const environment = 'sandbox';
const DAY_MS = 86_400_000;

describe.each(places)('cases on %s', (_, open) => {
  async function setUp() {
    const place = await open();
    const clock = new TestClock();
    const ctx = { environment, store: place.store, clock, logger: silentLogger };
    return {
      ...place,
      clock,
      ctx,
      follow: (complete = true) => followExceptions(ctx, { complete }),
      find: () => place.store.findCases({ environment, limit: 1_000 }),
      events: () => place.store.caseEvents({ environment, after: 0, limit: 1_000 }),
      verify: () => verifyTrail(place.store, environment),
      async find1(change: Parameters<typeof exceptionRow>[0] = {}) {
        await add(place, change);
        await followExceptions(ctx, { complete: true });
        const [row] = await place.store.findCases({ environment, limit: 1 });
        if (row === undefined) throw new Error('no case was opened');
        return row;
      },
    };
  }
  const add = ({ db }: Pick<OpenPlace, 'db'>, change: Parameters<typeof exceptionRow>[0] = {}) =>
    db.insertInto('order_exceptions').values(exceptionRow(change)).execute();
  const change = ({ db }: Pick<OpenPlace, 'db'>, contentHash: string, amount = -1_500) =>
    db.updateTable('order_exceptions').set({ content_hash: contentHash, amount }).execute();
  const remove = ({ db }: Pick<OpenPlace, 'db'>) => db.deleteFrom('order_exceptions').execute();
  const kinds = async (from: { events: () => Promise<{ kind: string }[]> }) =>
    (await from.events()).map(({ kind }) => kind);

  test('an exception opens one case, however often it is looked at', async () => {
    const all = await setUp();
    await add(all);
    expect(await all.follow()).toMatchObject({ opened: 1 });
    expect(await all.follow()).toEqual({ opened: 0, changed: 0, reopened: 0, closed: 0 });
    expect(await all.find()).toMatchObject([
      { orderKey: 'order:A-1001', currency: 'USD', amount: -1_500, state: 'open' },
    ]);
  });

  test('more exceptions than one transaction takes each have their case', async () => {
    const all = await setUp();
    const rows = Array.from({ length: 450 }, (_, index) =>
      exceptionRow({
        order_key: `order:${index % 150}`,
        code: index % 2 ? 'AMOUNT_MISMATCH' : 'NET_MISMATCH',
        currency: `X${Math.floor(index / 150)}${index % 3}`,
      }),
    );
    await all.db.insertInto('order_exceptions').values(rows).execute();
    expect((await all.follow()).opened).toBe(450);
    expect((await all.follow()).opened).toBe(0);
    expect(await all.find()).toHaveLength(450);
    expect(await all.verify()).toMatchObject({ valid: true, events: 450 });
  });

  test('a case is found by what it is about, and by nothing else', async () => {
    const all = await setUp();
    const since = Date.UTC(2026, 10, 19);
    const other = { order_key: 'order:B', currency: 'JPY', code: 'NET_MISMATCH', amount: 1_600 };
    await add(all);
    await add(all, { ...other, since });
    await all.follow();
    const found = async (query: Partial<CaseQuery>) =>
      (await all.store.findCases({ environment, limit: 9, ...query })).map((row) => row.orderKey);
    for (const query of [
      { currency: 'JPY' },
      { code: 'NET_MISMATCH' as const },
      { orderKey: 'order:B' },
      { least: 1_600 },
    ]) {
      expect(await found(query)).toEqual(['order:B']);
    }
    expect(await found({ before: since })).toEqual(['order:A-1001']);
    expect(await found({ least: 1_500 })).toHaveLength(2);
    expect(await found({ assignee: 'Ines' })).toEqual([]);
    expect(await found({ environment: 'production' })).toEqual([]);
  });

  test('an ignored case stays ignored while its content is what was ignored', async () => {
    const all = await setUp();
    const { id: caseId } = await all.find1();
    const operation = { kind: 'ignored' as const, reason: 'a rounding of the lender' };
    await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: 'k1' });
    await all.follow();
    expect(await all.find()).toMatchObject([
      { state: 'ignored', reason: 'a rounding of the lender' },
    ]);
    await change(all, 'content-2', -90_000);
    expect(await all.follow()).toMatchObject({ reopened: 1 });
    expect(await all.find()).toMatchObject([{ state: 'open', amount: -90_000, reason: undefined }]);
    expect(await kinds(all)).toEqual(['opened', 'ignored', 'reopened']);
  });

  test('a case closes when its exception is gone, and opens again when it is back', async () => {
    const all = await setUp();
    await all.find1();
    await remove(all);
    expect(await all.follow()).toMatchObject({ closed: 1 });
    expect(await all.find()).toMatchObject([{ state: 'closed' }]);
    await add(all);
    expect(await all.follow()).toMatchObject({ reopened: 1, opened: 0 });
    expect(await kinds(all)).toEqual(['opened', 'closed', 'reopened']);
  });

  test('an exception that goes while it is followed opens nothing again that another one has closed', async () => {
    const all = await setUp();
    await all.find1();
    const other = { ...all.ctx, store: all.another() };
    const read = all.store.exceptions.bind(all.store);
    let reads = 0;
    vi.spyOn(all.store, 'exceptions').mockImplementation(async (...place) => {
      const page = await read(...place);
      if (++reads === 1) {
        await remove(all);
        expect(await followExceptions(other, { complete: true })).toMatchObject({ closed: 1 });
      }
      return page;
    });
    expect(await all.follow()).toMatchObject({ reopened: 0 });
    expect(await all.find()).toMatchObject([{ state: 'closed' }]);
    expect(await kinds(all)).toEqual(['opened', 'closed']);
  });

  test('while data is incomplete nothing closes: what is not seen may only not be read yet', async () => {
    const all = await setUp();
    await all.find1();
    await remove(all);
    expect(await all.follow(false)).toMatchObject({ closed: 0 });
    expect(await all.find()).toMatchObject([{ state: 'open' }]);
  });

  test.each([
    ['of data of which some is missing', { complete: 0, state: 'complete' }],
    ['being computed anew', { complete: 1, state: 'running' }],
  ])('nothing closes while statuses are %s, whatever was known before', async (_is, run) => {
    const all = await setUp();
    await all.find1();
    await remove(all);
    const now = all.clock.now();
    await all.db
      .insertInto('recomputes')
      .values({ environment, run: 'r', rules: '', ...run, now, started_at: now, is_check: 0 })
      .execute();
    expect(await all.follow()).toMatchObject({ closed: 0 });
    await all.db.updateTable('recomputes').set({ complete: 1, state: 'complete' }).execute();
    expect(await all.follow()).toMatchObject({ closed: 1 });
  });

  test('what an open case is about is told anew once all data is there, and not before', async () => {
    const all = await setUp();
    await all.find1();
    // Of the same lines another part is known to be late.
    await change(all, 'content-1', 500);
    expect(await all.follow(false)).toMatchObject({ changed: 0 });
    expect(await all.find()).toMatchObject([{ amount: -1_500 }]);
    expect(await all.follow()).toMatchObject({ changed: 1 });
    expect(await all.follow()).toMatchObject({ changed: 0 });
    expect(await all.find()).toMatchObject([{ state: 'open', amount: 500 }]);
    expect(await all.verify()).toMatchObject({ valid: true, events: 2 });
  });

  test('nothing closes of an order that is to be judged again, or of which a record is in no sum', async () => {
    const all = await setUp();
    await all.find1();
    await remove(all);
    const order = { environment, order_key: 'order:A-1001' };
    const expectOpen = async () => {
      expect(await all.follow()).toMatchObject({ closed: 0 });
      expect(await all.find()).toMatchObject([{ state: 'open' }]);
    };
    await all.db
      .insertInto('dirty_orders')
      .values({ ...order, generation: 1 })
      .execute();
    await expectOpen();
    await all.db.deleteFrom('dirty_orders').execute();
    const unread = { slice_day: '2026-11-18', reason: 'fundedAt is missing', raw: '{}' };
    await all.db
      .insertInto('funding_quarantine')
      .values({ ...order, ...unread, id: '2026-11-18:r.1.Settle', seen_at: 0 })
      .execute();
    await expectOpen();
    await all.db.deleteFrom('funding_quarantine').execute();
    expect(await all.follow()).toMatchObject({ closed: 1 });
  });

  test('nothing closes of an order that cannot be judged: it has lines, and no status', async () => {
    const all = await setUp();
    await all.find1();
    await remove(all);
    const books = booksOf(all.db);
    const { headline } = await books.put({ order: 'A-1001', fundings: [] });
    expect(headline).toBe('MISSING_AT_LENDER');
    await remove(all);
    await all.db.deleteFrom('order_statuses').execute();
    expect(await all.follow()).toMatchObject({ closed: 0 });
    await books.put({ order: 'A-1001' });
    expect(await all.follow()).toMatchObject({ closed: 1 });
  });

  test('a person assigns, notes and resolves; the trail says who, what and when', async () => {
    const all = await setUp();
    const { id: caseId } = await all.find1();
    const by = 'Ines';
    await operateOnCase(all.ctx, {
      caseId,
      operation: { kind: 'assigned', assignee: 'Tomas' },
      by,
      key: 'k1',
    });
    await operateOnCase(all.ctx, {
      caseId,
      operation: { kind: 'noted', note: 'asked the lender' },
      by,
      key: 'k2',
    });
    await operateOnCase(all.ctx, {
      caseId,
      operation: { kind: 'resolved', reason: 'they pay tomorrow' },
      by,
      key: 'k3',
    });
    expect(await all.find()).toMatchObject([{ state: 'resolved', assignee: 'Tomas' }]);
    expect(await all.events()).toMatchObject([
      { kind: 'opened', actor: 'reconciliation' },
      { kind: 'assigned', actor: by, detail: '{"assignee":"Tomas"}' },
      { kind: 'noted', actor: by, detail: '{"note":"asked the lender"}' },
      { kind: 'resolved', actor: by, detail: '{"reason":"they pay tomorrow"}' },
    ]);
  });

  test('the same Idempotency-Key does it once, and is refused for something else', async () => {
    const all = await setUp();
    const { id: caseId } = await all.find1();
    const operation = { kind: 'noted' as const, note: 'asked the lender' };
    const request = { caseId, operation, by: 'Ines', key: 'k1' };
    const [first, second] = await Promise.all([
      operateOnCase(all.ctx, request),
      operateOnCase(all.ctx, request),
    ]);
    expect(second).toEqual(first);
    expect(await kinds(all)).toEqual(['opened', 'noted']);
    const decision = {
      ...request,
      operation: { kind: 'ignored', reason: 'small' },
      key: 'k2',
    } as const;
    await operateOnCase(all.ctx, decision);
    await all.find1({ order_key: 'order:another' });
    const another = (await all.find()).find(({ id }) => id !== caseId);
    for (const other of [
      { ...request, by: 'Tomas' },
      { ...request, caseId: another?.id ?? '' },
      { ...request, operation: { ...operation, note: 'asked again' } },
      { ...decision, operation: { kind: 'resolved', reason: 'small' } } as const,
    ]) {
      await expect(operateOnCase(all.ctx, other)).rejects.toMatchObject({
        code: 'idempotency-key-reused',
      });
    }
    expect(await kinds(all)).toEqual(['opened', 'noted', 'ignored', 'opened']);
  });

  test('a person decides otherwise, takes a decision back, and leaves no reason or name of before', async () => {
    const all = await setUp();
    const { id: caseId } = await all.find1();
    const states: unknown[] = [];
    const operations = [
      { kind: 'assigned', assignee: 'Tomas' },
      { kind: 'ignored', reason: 'small' },
      { kind: 'resolved', reason: 'paid' },
      { kind: 'ignored', reason: 'not paid' },
      { kind: 'reopened', reason: 'look again' },
      { kind: 'noted', note: 'asked the lender' },
      { kind: 'assigned', assignee: null },
      { kind: 'resolved', reason: 'paid now' },
      { kind: 'reopened', reason: 'it was not' },
    ] as const;
    for (const [at, operation] of operations.entries()) {
      all.clock.advance(1_000);
      await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: `k${at}` });
      const [{ state, reason, assignee, updatedAt } = {}] = await all.find();
      expect(updatedAt).toBe(all.clock.now());
      states.push([state, reason, assignee]);
    }
    expect(states).toEqual([
      ['open', undefined, 'Tomas'],
      ['ignored', 'small', 'Tomas'],
      ['resolved', 'paid', 'Tomas'],
      ['ignored', 'not paid', 'Tomas'],
      ['open', undefined, 'Tomas'],
      ['open', undefined, 'Tomas'],
      ['open', undefined, undefined],
      ['resolved', 'paid now', undefined],
      ['open', undefined, undefined],
    ]);
  });

  test.each(['resolved', 'ignored'] as const)(
    'what is %s is not so once more, and neither is what is closed',
    async (kind) => {
      const all = await setUp();
      const { id: caseId } = await all.find1();
      const decide = (key: string) =>
        operateOnCase(all.ctx, {
          ...{ caseId, operation: { kind, reason: 'paid' }, by: 'Ines', key },
        });
      await decide('k1');
      await expect(decide('k2')).rejects.toMatchObject({ code: 'case-not-permitted' });
      await remove(all);
      await all.follow();
      await expect(decide('k3')).rejects.toMatchObject({ code: 'case-not-permitted' });
    },
  );

  test('what the arithmetic closed no person opens; an open one cannot be reopened', async () => {
    const all = await setUp();
    const { id: caseId } = await all.find1();
    const operation = { kind: 'reopened' as const, reason: 'look again' };
    const reopen = () => operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: 'k' });
    await expect(reopen()).rejects.toMatchObject({ code: 'case-not-permitted' });
    await remove(all);
    await all.follow();
    await expect(reopen()).rejects.toMatchObject({ code: 'case-not-permitted' });
    const missing = { caseId: 'case_none', operation, by: 'Ines', key: 'k' };
    await expect(operateOnCase(all.ctx, missing)).rejects.toMatchObject({ code: 'case-not-found' });
  });

  test('companions and persons at once leave one chain without a gap', async () => {
    const all = await setUp();
    for (let index = 0; index < 12; index++) await add(all, { order_key: `order:${index}` });
    const other = { ...all.ctx, store: all.another() };
    await Promise.all([all.follow(), followExceptions(other, { complete: true }), all.follow()]);
    const cases = await all.find();
    expect(cases).toHaveLength(12);
    await Promise.all(
      cases.map(({ id: caseId }, index) =>
        operateOnCase(index % 2 ? all.ctx : other, {
          caseId,
          operation: { kind: 'noted', note: 'seen' },
          by: 'Ines',
          key: `k${index}`,
        }),
      ),
    );
    expect(await all.verify()).toMatchObject({ valid: true, events: 24, head: { seq: 24 } });
  });

  test('of many at once each is done', async () => {
    const all = await setUp();
    const { id: caseId } = await all.find1();
    const other = { ...all.ctx, store: all.another() };
    const note = (index: number) =>
      operateOnCase(index % 4 ? all.ctx : other, {
        caseId,
        operation: { kind: 'noted', note: `note ${index}` },
        by: 'Ines',
        key: `k${index}`,
      });
    await Promise.all(Array.from({ length: 60 }, (_unused, index) => note(index)));
    expect(await all.verify()).toMatchObject({ valid: true, events: 61 });
  });

  describe('the audit trail', () => {
    async function trail() {
      const all = await setUp();
      const { id: caseId } = await all.find1();
      for (const [index, note] of ['one', 'two', 'three'].entries()) {
        const operation = { kind: 'noted' as const, note };
        await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: `k${index}` });
      }
      const { head } = await all.verify();
      return { ...all, caseId, head };
    }
    const event = (all: Pick<OpenPlace, 'db'>, seq: number) =>
      all.db.updateTable('case_events').where('seq', '=', seq);

    test.each([
      ['a note', { detail: '{"note":"TWO"}' }],
      ['spaces in JSON', { detail: '{"note": "two"}' }],
      ['who did it', { actor: 'Tomas' }],
      ['when', { at: 5 }],
      ['the kind', { kind: 'ignored' }],
      ['the case', { case_id: 'case_other' }],
      ['the key', { key: null }],
      ['its own hash', { hash: 'f'.repeat(64) }],
    ])('names the first event of which %s was changed', async (_, set) => {
      const all = await trail();
      expect(await all.verify()).toMatchObject({ valid: true, events: 4 });
      await event(all, 3).set(set).execute();
      expect(await all.verify()).toMatchObject({
        valid: false,
        events: 2,
        broken: { seq: 3, reason: 'is not as it was written' },
      });
    });

    test('names an event that was taken out, in the middle or at the end', async () => {
      const all = await trail();
      await all.db.deleteFrom('case_events').where('seq', '=', 2).execute();
      expect((await all.verify()).broken).toEqual({ seq: 2, reason: 'is missing' });
      const other = await trail();
      await other.db.deleteFrom('case_events').where('seq', '=', 4).execute();
      expect((await other.verify()).broken).toEqual({ seq: 4, reason: 'is missing' });
    });

    test('two events that changed places are found', async () => {
      const all = await trail();
      await event(all, 2).set({ seq: 99 }).execute();
      await event(all, 3).set({ seq: 2 }).execute();
      await event(all, 99).set({ seq: 3 }).execute();
      expect((await all.verify()).broken).toMatchObject({
        seq: 2,
        reason: 'does not follow the event before it',
      });
    });

    test('a trail that was cut off and given a new end is found by the end that was kept', async () => {
      const all = await trail();
      await all.db.deleteFrom('case_events').where('seq', '=', 4).execute();
      const [last] = (await all.events()).slice(-1);
      await all.db
        .updateTable('case_chains')
        .set({ last_seq: 3, last_hash: last?.hash ?? '' })
        .execute();
      expect(await all.verify()).toMatchObject({ valid: true, events: 3 });
      const kept = await verifyTrail(all.store, environment, all.head);
      expect(kept).toMatchObject({ valid: false, broken: { seq: 4 } });
      const forged = await verifyTrail(all.store, environment, { seq: 2, hash: 'f'.repeat(64) });
      expect(forged.broken).toMatchObject({ seq: 2, reason: 'differs from the anchor' });
    });

    test.each([
      ['state', { state: 'resolved' }],
      ['content', { content_hash: 'content-0' }],
      ['assignee', { assignee: 'Mallory' }],
      ['amount', { amount: -1 }],
      ['reason', { reason: 'agreed with the lender' }],
      ['order', { order_key: 'order:A-1002' }],
      ['currency', { currency: 'EUR' }],
      ['kind', { code: 'NET_MISMATCH' }],
      ['count', { count: 7 }],
    ])('a case whose %s was changed without an event is found', async (_, set) => {
      const all = await trail();
      await all.db.updateTable('cases').set(set).execute();
      expect((await all.verify()).broken).toEqual({
        seq: 4,
        caseId: all.caseId,
        reason: 'is not how the case stands',
      });
    });

    test('a case that was taken away is found, and one opened meanwhile is none', async () => {
      const all = await trail();
      await add(all, { order_key: 'order:later' });
      await all.follow();
      expect(await all.verify()).toMatchObject({ valid: true, events: 5 });
      await all.db.deleteFrom('cases').where('id', '=', all.caseId).execute();
      const broken = { seq: 1, caseId: all.caseId, reason: 'opened a case that is gone' };
      expect((await all.verify()).broken).toEqual(broken);
      const { store, ctx } = all;
      // Read before the case was opened, the end of the trail knows nothing of it.
      const chain = () => Promise.resolve({ seq: 4, hash: all.head.hash });
      const found = await verifyTrail({ ...store, caseChain: chain }, ctx.environment);
      expect(found.broken).toEqual(broken);
    });

    test('an empty one is valid', async () => {
      const all = await setUp();
      expect(await all.verify()).toMatchObject({ valid: true, events: 0 });
    });
  });

  describe('alerts', () => {
    const policy = (amount: number | undefined, days?: number) => ({
      ...defaultPolicy.alerts,
      amount: { default: amount, currencies: amount === undefined ? {} : { JPY: 100_000 } },
      days,
    });

    test('tell of a case once, by amount or by age, and again only after it had ended', async () => {
      const all = await setUp();
      await add(all, { amount: -20_000 });
      await add(all, { order_key: 'order:small', amount: 5 });
      await add(all, { order_key: 'order:yen', currency: 'JPY', amount: 20_000 });
      await all.follow();
      expect(await alertCases(all.ctx, policy(20_001))).toBe(0);
      expect(await alertCases(all.ctx, policy(20_000))).toBe(1);
      expect(await alertCases(all.ctx, policy(10_000))).toBe(0);
      await all.db
        .updateTable('order_exceptions')
        .set({ content_hash: 'content-2' })
        .where('order_key', '=', 'order:A-1001')
        .execute();
      await all.follow();
      expect(await alertCases(all.ctx, policy(10_000))).toBe(0);
      const since = (await all.find())[0]?.since ?? NaN;
      all.clock.advance(since + 10 * DAY_MS - all.clock.now() - 1);
      expect(await alertCases(all.ctx, policy(undefined, 10))).toBe(0);
      all.clock.advance(1);
      expect(await alertCases(all.ctx, policy(undefined, 10))).toBe(2);
      await remove(all);
      await all.follow();
      await add(all, { amount: -20_000 });
      await all.follow();
      expect(await alertCases(all.ctx, policy(10_000))).toBe(1);
      expect((await kinds(all)).filter((kind) => kind === 'alerted')).toHaveLength(4);
    });

    test('are sent to finance and never to the shop, signed, with nothing personal', async () => {
      const all = await setUp();
      await add(all, { amount: -20_000 });
      await all.follow();
      await alertCases(all.ctx, policy(1));
      const sent: { url: string; body: string }[] = [];
      const delivery = {
        ...all.ctx,
        environment: 'sandbox' as const,
        target: { url: 'https://finance.example/alerts', secret: new Secret(WEBHOOK_SECRET) },
        transport: (url: string, { body = '' }: { body?: string | undefined }) => {
          sent.push({ url, body });
          return Promise.resolve(new Response(null, { status: 204 }));
        },
        random: () => 0,
      };
      expect(await deliverDue(delivery, 10)).toBe(0);
      expect(await deliverDue({ ...delivery, reader: 'finance' }, 10)).toBe(1);
      expect(sent.map(({ url }) => url)).toEqual(['https://finance.example/alerts']);
      const [row] = await all.find();
      expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
        type: 'reconciliation.case.alert',
        timestamp: new Date(all.clock.now()).toISOString(),
        data: {
          environment,
          caseId: row?.id,
          code: 'AMOUNT_MISMATCH',
          merchantOrderId: 'A-1001',
          currency: 'USD',
          amount: -20_000,
          count: 1,
          since: '2026-11-18T00:00:00.000Z',
          cause: 'amount',
        },
      });
    });
  });
});

test('property: whatever happens to exceptions and cases, the states agree and the chain holds', async () => {
  const [, open] = places[0] ?? [];
  if (open === undefined) throw new Error('no database');
  const step = fc.constantFrom('appear', 'vanish', 'change', 'ignore', 'resolve', 'follow');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const { store, db } = await open();
      const ctx = { environment, store, clock: new TestClock(), logger: silentLogger };
      let version = 0;
      for (const [index, what] of steps.entries()) {
        const [row] = await store.findCases({ environment, limit: 1 });
        if (what === 'appear') {
          await db
            .insertInto('order_exceptions')
            .values(exceptionRow({ content_hash: `v${version}` }))
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        } else if (what === 'vanish') {
          await db.deleteFrom('order_exceptions').execute();
        } else if (what === 'change') {
          await db
            .updateTable('order_exceptions')
            .set({ content_hash: `v${++version}` })
            .execute();
        } else if (what === 'follow') {
          await followExceptions(ctx, { complete: true });
        } else if (row?.state === 'open') {
          const kind = what === 'ignore' ? ('ignored' as const) : ('resolved' as const);
          const operation = { kind, reason: 'known' };
          await operateOnCase(ctx, { caseId: row.id, operation, by: 'Ines', key: `k${index}` });
        }
      }
      await followExceptions(ctx, { complete: true });
      const [exception] = await store.exceptions(environment, undefined, 2);
      const [row] = await store.findCases({ environment, limit: 2 });
      if (exception === undefined) expect([undefined, 'closed']).toContain(row?.state);
      else {
        expect(row?.contentHash).toBe(exception.contentHash);
        expect(row?.state).not.toBe('closed');
      }
      expect((await verifyTrail(store, environment)).valid).toBe(true);
    }),
    { numRuns: 15 },
  );
});
