import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sqliteFacts } from '../facts/facts.fixture.ts';
import { DAY_MS, exception, openCases } from './cases.fixture.ts';
import type { SourceState } from './exception-source.ts';
import { followExceptions } from './follow.ts';
import { operateOnCase } from './operations.ts';

const nothing = { opened: 0, changed: 0, reopened: 0, closed: 0 };

describe('cases', () => {
  const setUp = () => openCases(sqliteFacts());

  test('opens one case per exception, even if followed repeatedly', async () => {
    const all = await setUp();
    all.source.exceptions = [exception()];
    expect(await all.follow()).toEqual({ ...nothing, opened: 1 });
    expect(await all.follow()).toEqual(nothing);
    expect(await all.find()).toMatchObject([
      { orderKey: 'order:A-1001', currency: 'USD', amount: -1_500, state: 'open' },
    ]);
  });

  test('keeps a case ignored until its content changes', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    const operation = { kind: 'ignored', reason: 'a rounding of the lender' } as const;
    await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: 'k1' });
    await all.follow();
    expect(await all.find()).toMatchObject([
      { state: 'ignored', reason: 'a rounding of the lender' },
    ]);
    // A different part of the same lines is now late.
    all.source.exceptions = [exception({ amount: -1_400 })];
    expect(await all.follow()).toEqual(nothing);
    all.source.exceptions = [exception({ contentHash: 'content-2', amount: -90_000 })];
    expect(await all.follow()).toEqual({ ...nothing, reopened: 1 });
    const [reopened] = await all.find();
    expect(reopened).toMatchObject({ state: 'open', amount: -90_000 });
    expect(reopened).not.toHaveProperty('reason');
    expect(await all.kinds()).toEqual(['opened', 'ignored', 'reopened']);
  });

  test('closes a case when its exception is gone, and reopens the case when the exception is back', async () => {
    const all = await setUp();
    const { openedAt } = await all.openCase();
    all.source.exceptions = [];
    expect(await all.follow()).toEqual({ ...nothing, closed: 1 });
    expect(await all.find()).toMatchObject([{ state: 'closed', openSince: openedAt }]);
    all.source.exceptions = [exception()];
    all.clock.advance(DAY_MS);
    expect(await all.follow()).toEqual({ ...nothing, reopened: 1 });
    expect(await all.find()).toMatchObject([{ openedAt, openSince: openedAt + DAY_MS }]);
    expect(await all.kinds()).toEqual(['opened', 'closed', 'reopened']);
  });

  test('closes only the case of the exception that is gone', async () => {
    const all = await setUp();
    all.source.exceptions = [
      exception(),
      exception({ code: 'NET_MISMATCH' }),
      exception({ currency: 'EUR' }),
    ];
    await all.follow();
    all.source.exceptions.splice(1, 1);
    expect(await all.follow()).toEqual({ ...nothing, closed: 1 });
    expect((await all.find()).find(({ state }) => state === 'closed')?.code).toBe('NET_MISMATCH');
  });

  test('does not reopen a closed case for an exception that ended in the meantime', async () => {
    const all = await setUp();
    await all.openCase();
    all.source.exceptions = [exception({ contentHash: 'content-2' })];
    const { source } = all;
    let passes = 0;
    const changedOrders = source.changedOrders.bind(source);
    source.changedOrders = async function* (): AsyncGenerator<string[]> {
      for await (const orderKeys of changedOrders()) {
        if (++passes === 1) {
          source.exceptions = [];
          expect(await all.follow()).toEqual({ ...nothing, closed: 1 });
        }
        yield orderKeys;
      }
    };
    expect(await all.follow()).toEqual(nothing);
    expect(await all.find()).toMatchObject([{ state: 'closed' }]);
    expect(await all.kinds()).toEqual(['opened', 'closed']);
  });

  test('changes no case while the analytics database is rebuilt', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    await all.openCase({ orderKey: 'order:ignored' });
    const operation = { kind: 'ignored', reason: 'small' } as const;
    await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: 'k1' });
    const before = await all.find();
    for (const exceptions of [
      [],
      [exception({ contentHash: 'content-2' }), exception({ orderKey: 'order:new' })],
    ]) {
      all.source.exceptions = exceptions;
      all.source.current = 'rebuilding';
      expect(await all.follow()).toEqual(nothing);
      // The exceptions were found before the rebuild began.
      const { source } = all;
      let asked = 0;
      const late = {
        state: () => Promise.resolve<SourceState>(asked++ === 0 ? 'complete' : 'rebuilding'),
        changedOrders: () => source.changedOrders(),
        judged: (orderKeys: readonly string[]) => source.judged(orderKeys),
      };
      expect(await followExceptions(all.ctx, late)).toEqual(nothing);
      expect(asked).toBe(2);
    }
    expect(await all.find()).toEqual(before);
    all.source.current = 'complete';
    expect(await all.follow()).toEqual({ opened: 1, changed: 0, reopened: 1, closed: 1 });
  });

  test('opens and changes cases while a day is unproven, without closing or reducing any', async () => {
    const all = await setUp();
    const { id: ignored } = await all.openCase({ orderKey: 'order:ignored' });
    await all.openCase({ orderKey: 'order:gone' });
    await all.openCase({ orderKey: 'order:less', amount: 700 });
    const operation = { kind: 'ignored', reason: 'small' } as const;
    await operateOnCase(all.ctx, { caseId: ignored, operation, by: 'Ines', key: 'k1' });
    all.source.current = 'incomplete';
    all.source.exceptions = [
      exception({ orderKey: 'order:ignored', contentHash: 'content-2' }),
      exception({ orderKey: 'order:less', amount: 500 }),
      exception({ orderKey: 'order:new' }),
    ];
    expect(await all.follow()).toEqual({ opened: 1, changed: 0, reopened: 1, closed: 0 });
    expect(await all.follow()).toEqual(nothing);
    all.source.current = 'complete';
    expect(await all.follow()).toEqual({ opened: 0, changed: 1, reopened: 0, closed: 1 });
  });

  test('updates the amount of an open case, even with unchanged content', async () => {
    const all = await setUp();
    await all.openCase();
    all.source.exceptions = [exception({ amount: 500, count: 2 })];
    expect(await all.follow()).toEqual({ ...nothing, changed: 1 });
    expect(await all.follow()).toEqual(nothing);
    expect(await all.find()).toMatchObject([{ state: 'open', amount: 500, count: 2 }]);
    expect(await all.verify()).toMatchObject({ valid: true, events: 2 });
  });

  test('leaves a case unchanged while its order is waiting to be judged', async () => {
    const all = await setUp();
    await all.openCase();
    all.source.dirty.add('order:A-1001').add('order:new');
    for (const exceptions of [[], [exception({ contentHash: 'content-2' })]]) {
      all.source.exceptions = [...exceptions, exception({ orderKey: 'order:new' })];
      expect(await all.follow()).toEqual(nothing);
    }
    all.source.dirty.clear();
    expect(await all.follow()).toEqual({ ...nothing, opened: 1, changed: 1 });
  });

  test('closes no case of an order with incomplete data', async () => {
    const all = await setUp();
    await all.openCase();
    all.source.partial.add('order:A-1001');
    all.source.exceptions = [exception({ code: 'NET_MISMATCH' })];
    expect(await all.follow()).toEqual({ ...nothing, opened: 1 });
    all.source.partial.clear();
    expect(await all.follow()).toEqual({ ...nothing, closed: 1 });
  });

  test('ends a pass between two transactions and continues in the next', async () => {
    const all = await setUp();
    const length = 300;
    all.source.exceptions = Array.from({ length }, (_unused, index) =>
      exception({ orderKey: `order:${index}` }),
    );
    const ending = new AbortController();
    const { source } = all;
    const judged = source.judged.bind(source);
    source.judged = (orderKeys) => {
      ending.abort();
      return judged(orderKeys);
    };
    const ended = await followExceptions({ ...all.ctx, signal: ending.signal }, source);
    expect(ended.opened).toBe(100);
    expect((await all.follow()).opened).toBe(200);
    expect(await all.verify()).toMatchObject({ valid: true, events: length });
  });
});

test('property: keeps states and exceptions consistent and the chain valid after any changes', async () => {
  const step = fc.constantFrom('appear', 'vanish', 'change', 'ignore', 'resolve', 'follow');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const { ctx, source, follow, find, verify } = await openCases(sqliteFacts());
      let version = 0;
      for (const [index, name] of steps.entries()) {
        const [row] = await find();
        if (name === 'appear') {
          if (source.exceptions.length === 0) {
            source.exceptions = [exception({ contentHash: `v${version}` })];
          }
        } else if (name === 'vanish') source.exceptions = [];
        else if (name === 'change') {
          version += 1;
          source.exceptions = source.exceptions.map((known) => ({
            ...known,
            contentHash: `v${version}`,
          }));
        } else if (name === 'follow') await follow();
        else if (row?.state === 'open') {
          const kind = name === 'ignore' ? ('ignored' as const) : ('resolved' as const);
          const operation = { kind, reason: 'known' };
          await operateOnCase(ctx, { caseId: row.id, operation, by: 'Ines', key: `k${index}` });
        }
      }
      await follow();
      const [found] = source.exceptions;
      const [row] = await find();
      if (found === undefined) expect([undefined, 'closed']).toContain(row?.state);
      else {
        expect(row?.contentHash).toBe(found.contentHash);
        expect(row?.state).not.toBe('closed');
      }
      expect((await verify()).valid).toBe(true);
      await ctx.facts.close();
    }),
    { numRuns: 15 },
  );
});
