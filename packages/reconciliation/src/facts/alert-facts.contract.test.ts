import { describe, expect, test } from 'vitest';
import { alertCases } from '../cases/alerts.ts';
import { exception, openCases } from '../cases/cases.fixture.ts';
import { databases, MINUTE_MS, take } from './facts.fixture.ts';
import { LeaseLostError } from './store.ts';

describe.each(databases)('alerts on %s', (_, make) => {
  async function setUp() {
    const all = await openCases(await make());
    const policy = { amount: { default: 1, currencies: {} }, days: undefined };
    const alert = () => alertCases({ ...all.ctx, environment: 'sandbox' }, all.source, policy);
    return { ...all, alert };
  }

  test('are claimed for a limited time, and again after the claiming process died', async () => {
    const all = await setUp();
    await all.openCase({ amount: -20_000 });
    await all.alert();
    const now = all.clock.now();
    const { facts, fence } = all.ctx;
    const [claimed] = await facts.claimAlerts(fence, now, now + 30_000, 10);
    expect(await facts.claimAlerts(fence, now + 29_999, now + 60_000, 10)).toEqual([]);
    const next = await take(facts, 'next', now + MINUTE_MS);
    await expect(facts.claimAlerts(fence, now + 30_000, now + 60_000, 10)).rejects.toThrow(
      LeaseLostError,
    );
    const [again] = await facts.claimAlerts(next, now + 30_000, now + 60_000, 10);
    expect(again).toMatchObject({ id: claimed?.id, tries: 2 });
    // The result of the first attempt arrives late, during the second.
    if (claimed) await facts.finishAlert(next, claimed, { kind: 'dead', reason: 'late' }, now);
    expect(await facts.alerts({ state: 'waiting', limit: 9 })).toHaveLength(1);
  });

  test('are listed in pages, oldest first', async () => {
    const all = await setUp();
    for (const key of ['one', 'two', 'three']) {
      all.source.exceptions.push(exception({ orderKey: `order:${key}`, amount: 9_000 }));
      await all.follow();
      await all.alert();
      all.clock.advance(1_000);
    }
    const alerts = await all.facts.alerts({ limit: 9 });
    expect(alerts).toHaveLength(3);
    const [first] = alerts;
    expect(await all.facts.alerts({ limit: 1, after: first?.id ?? '' })).toEqual([alerts[1]]);
  });

  test('are delivered, retried, given up and sent again', async () => {
    const { facts, ctx, clock } = await setUp();
    const now = clock.now();
    const ids = ['msg-1', 'msg-2', 'msg-3'];
    for (const id of [...ids, 'msg-1']) {
      await facts.queueAlert(ctx.fence, { id, caseId: '', body: `body of ${id}` }, now);
    }
    const [first, second, third] = (await facts.claimAlerts(ctx.fence, now, now + 30_000, 9)).sort(
      (one, other) => one.id.localeCompare(other.id),
    );
    expect(second).toEqual({ id: 'msg-2', caseId: '', body: 'body of msg-2', tries: 1 });
    if (!first || !second || !third) throw new Error('There are no three alerts.');
    await facts.finishAlert(ctx.fence, first, { kind: 'delivered' }, now + 1);
    await facts.finishAlert(ctx.fence, second, { kind: 'dead', reason: 'status 410' }, now + 1);
    const retry = { kind: 'retry', at: now + 9, reason: 'status 500' } as const;
    await facts.finishAlert(ctx.fence, third, retry, now + 1);
    const inState = (state: 'waiting' | 'delivered' | 'dead') => facts.alerts({ state, limit: 9 });
    const none = { nextAttemptAt: undefined, deliveredAt: undefined, reason: undefined };
    const sent = { caseId: '', createdAt: now, tries: 1, ...none };
    expect(await inState('delivered')).toEqual([{ ...sent, id: 'msg-1', deliveredAt: now + 1 }]);
    expect(await inState('dead')).toEqual([{ ...sent, id: 'msg-2', reason: 'status 410' }]);
    const waiting = { ...sent, id: 'msg-3', nextAttemptAt: now + 9, reason: 'status 500' };
    expect(await inState('waiting')).toEqual([waiting]);
    expect(await facts.replayAlert(ctx.fence, 'msg-2', now + 2)).toBe(true);
    expect(await facts.replayAlert(ctx.fence, 'msg_none', now + 2)).toBe(false);
    expect(await inState('waiting')).toEqual([
      { ...sent, id: 'msg-2', tries: 0, nextAttemptAt: now + 2 },
      waiting,
    ]);
  });
});
