import { describe, expect, test } from 'vitest';
import { type ActionEvent, actionHash, type NewAction } from './actions.ts';
import { verifyChain } from './chain.ts';
import { databases, sqliteFacts, type TestFacts } from './facts.fixture.ts';
import type { FactStore } from './store.ts';
import type { TrailFilter } from './trail-filter.ts';

const settle = (change: Partial<NewAction> = {}): NewAction => ({
  at: 1_000,
  actor: 'ada',
  kind: 'settle',
  subject: 'charge-1',
  key: 'key-1',
  detail: { amount: 500 },
  ...change,
});

const check = async (facts: FactStore) =>
  verifyChain<ActionEvent>({
    end: await facts.actionChain(),
    after: (seq) => facts.actionEvents(seq, 2),
    hashOf: actionHash,
  });

const openFacts = async (store: TestFacts) => ({ ...store, facts: await store.open() });

describe.each(databases)('the action trail on %s', (_, make) => {
  const openTrail = async () => openFacts(await make());

  test('lists each action with its last outcome, newest first', async () => {
    const { facts, open } = await openTrail();
    const first = (await facts.beginAction(settle())) ?? 0;
    const second = await facts.beginAction(settle({ key: undefined, kind: 'sync', at: 2_000 }));
    await facts.endAction(first, { at: 3_000, outcome: 'unknown' });
    await facts.endAction(first, { at: 4_000, outcome: 'accepted', detail: { operation: 'o-1' } });
    const other = await open();
    const rows = await other.actions(Number.MAX_SAFE_INTEGER, 10);
    expect(rows.map(({ begun, ended }) => [begun.seq, begun.kind, ended?.outcome])).toEqual([
      [second, 'sync', undefined],
      [first, 'settle', 'accepted'],
    ]);
    expect(rows[1]?.ended).toMatchObject({ at: 4_000, detail: '{"operation":"o-1"}' });
    expect((await other.actions(second ?? 0, 10)).map(({ begun }) => begun.seq)).toEqual([first]);
    expect(await other.actions(Number.MAX_SAFE_INTEGER, 1)).toHaveLength(1);
    expect(await check(other)).toEqual({ head: await facts.actionChain() });
    expect((await facts.actionChain()).seq).toBe(4);
  });

  test('records a repeated request once, and refuses its key for a different request', async () => {
    const { facts } = await openTrail();
    const seqs = await Promise.all([1_000, 2_000].map((at) => facts.beginAction(settle({ at }))));
    expect(seqs).toEqual([1, 1]);
    for (let times = 0; times < 2; times++) {
      await facts.endAction(1, { at: 3_000, outcome: 'accepted' });
    }
    expect((await facts.actionChain()).seq).toBe(2);
    const others = [
      { actor: 'tom' },
      { kind: 'refund' as const },
      { subject: 'charge-2' },
      { detail: { amount: 501 } },
    ];
    for (const change of others) expect(await facts.beginAction(settle(change))).toBeUndefined();
    expect((await facts.actionChain()).seq).toBe(2);
  });

  test('stays one chain when two processes write to it concurrently', async () => {
    const { facts, open } = await openTrail();
    const stores = [facts, await open()];
    const writes = Array.from({ length: 20 }, async (_, index) =>
      stores[index % 2]?.beginAction(settle({ key: `key-${index}` })),
    );
    expect((await Promise.all(writes)).sort((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    expect(await check(facts)).toEqual({ head: await facts.actionChain() });
  });

  test('finds actions by actor, kind and time', async () => {
    const { facts } = await openTrail();
    await facts.beginAction(settle({ actor: 'ada_1', key: 'a' }));
    await facts.beginAction(settle({ actor: 'Ada, for ben', key: 'b', at: 2_000 }));
    await facts.beginAction(settle({ actor: 'ada', key: 'c', kind: 'refund', at: 3_000 }));
    const found = async (filter: TrailFilter) =>
      (await facts.actions(9, 9, filter)).map(({ begun }) => begun.seq);
    expect(await found({ actor: 'ADA' })).toEqual([3, 2, 1]);
    expect(await found({ actor: 'a_1' })).toEqual([1]);
    expect(await found({ except: 'ada', kinds: ['settle', 'refund'] })).toEqual([2, 1]);
    expect(await found({ kinds: ['refund'], from: 3_000 })).toEqual([3]);
    expect(await found({ from: 2_000, to: 3_000 })).toEqual([2]);
  });
});

describe('the verification of the action trail', () => {
  test.each([
    ['the actor', `update actions set actor = 'tom' where seq = 2`, 2, 'was changed'],
    ['the outcome', `update actions set outcome = 'rejected' where seq = 4`, 4, 'was changed'],
    ['the key', `update actions set key = null where seq = 2`, 2, 'was changed'],
    ['the amount', `update actions set detail = '{"amount":5}' where seq = 2`, 2, 'was changed'],
    ['a removed event', 'delete from actions where seq = 3', 3, 'is missing'],
    ['a removed end', 'delete from actions where seq = 4', 4, 'is missing'],
  ])('detects %s', async (_name, statement, seq, reason) => {
    const { facts, meddle } = await openFacts(sqliteFacts());
    for (const key of ['a', 'b', 'c']) await facts.beginAction(settle({ key }));
    await facts.endAction(1, { at: 2_000, outcome: 'accepted' });
    expect((await check(facts)).broken).toBeUndefined();
    await meddle(statement);
    expect((await check(facts)).broken).toMatchObject({ seq, reason });
  });
});
