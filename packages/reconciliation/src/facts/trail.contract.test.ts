import { describe, expect, test } from 'vitest';
import { databases, type TestFacts } from './facts.fixture.ts';
import type { FactStore } from './store.ts';
import { type NewAction, type TrailFilter, verifyChain } from './trail.ts';

const settle = (change: Partial<NewAction> = {}): NewAction => ({
  at: 1_000,
  actor: 'ada',
  kind: 'settle',
  subject: 'charge-1',
  key: 'key-1',
  detail: { amount: 500 },
  ...change,
});

const headOf = async (facts: FactStore) => {
  const { hash, seq } = await facts.trailHead();
  return { seq, hash };
};

const openFacts = async (store: TestFacts) => ({ ...store, facts: await store.open() });

describe.each(databases)('the trail on %s', (_, make) => {
  const openTrail = async () => openFacts(await make());

  test('lists each action with its last outcome, newest first', async () => {
    const { facts, open } = await openTrail();
    const first = (await facts.beginAction(settle())) ?? 0;
    const second = await facts.beginAction(settle({ key: undefined, kind: 'sync', at: 2_000 }));
    await facts.endAction(first, { at: 3_000, outcome: 'unknown' });
    await facts.endAction(first, { at: 4_000, outcome: 'accepted', detail: { operation: 'o-1' } });
    const other = await open();
    const rows = await other.trail(Number.MAX_SAFE_INTEGER, 10);
    expect(rows.map(({ begun, ended }) => [begun.seq, begun.kind, ended?.outcome])).toEqual([
      [second, 'sync', undefined],
      [first, 'settle', 'accepted'],
    ]);
    expect(rows[1]?.ended).toMatchObject({ at: 4_000, detail: '{"operation":"o-1"}' });
    expect((await other.trail(second ?? 0, 10)).map(({ begun }) => begun.seq)).toEqual([first]);
    expect(await other.trail(Number.MAX_SAFE_INTEGER, 1)).toHaveLength(1);
    expect(await verifyChain(other)).toEqual({ head: await headOf(facts) });
    expect((await facts.trailHead()).seq).toBe(4);
  });

  test('records a repeated request once, and refuses its key for a different request', async () => {
    const { facts } = await openTrail();
    const seqs = await Promise.all([1_000, 2_000].map((at) => facts.beginAction(settle({ at }))));
    expect(seqs).toEqual([1, 1]);
    for (let times = 0; times < 2; times++) {
      await facts.endAction(1, { at: 3_000, outcome: 'accepted' });
    }
    expect((await facts.trailHead()).seq).toBe(2);
    const others = [
      { actor: 'tom' },
      { kind: 'refund' as const },
      { subject: 'charge-2' },
      { detail: { amount: 501 } },
    ];
    for (const change of others) expect(await facts.beginAction(settle(change))).toBeUndefined();
    expect((await facts.trailHead()).seq).toBe(2);
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
    expect(await verifyChain(facts)).toEqual({ head: await headOf(facts) });
  });

  test('finds actions by actor, kind and time', async () => {
    const { facts } = await openTrail();
    await facts.beginAction(settle({ actor: 'ada_1', key: 'a' }));
    await facts.beginAction(settle({ actor: 'Ada, for ben', key: 'b', at: 2_000 }));
    await facts.beginAction(settle({ actor: 'ada', key: 'c', kind: 'refund', at: 3_000 }));
    const found = async (filter: TrailFilter) =>
      (await facts.trail(9, 9, filter)).map(({ begun }) => begun.seq);
    expect(await found({ actor: 'ADA' })).toEqual([3, 2, 1]);
    expect(await found({ actor: 'a_1' })).toEqual([1]);
    await facts.beginAction(settle({ actor: 'reconciliation', key: 'd', at: 4_000 }));
    expect(await found({ by: 'people', kinds: ['settle', 'refund'] })).toEqual([3, 2, 1]);
    expect(await found({ by: 'program' })).toEqual([4]);
    expect(await found({ subject: 'charge-2' })).toEqual([]);
    expect(await found({ kinds: ['refund'], from: 3_000 })).toEqual([3]);
    expect(await found({ from: 2_000, to: 3_000 })).toEqual([2]);
    // An outcome is no entry of its own.
    await facts.endAction(3, { at: 5_000, outcome: 'done' });
    expect(await facts.trailCounts({ beyond: 1, by: 'people' })).toEqual([
      { kind: 'settle', count: 1, first: 2, last: 2 },
      { kind: 'refund', count: 1, first: 3, last: 3 },
    ]);
    expect(await facts.trailCounts({ beyond: 1, kinds: ['settle'] })).toEqual([
      { kind: 'settle', count: 2, first: 2, last: 4 },
    ]);
  });
});
