import { describe, expect, test } from 'vitest';
import { type ActionEvent, actionHash, type NewAction } from '../facts/actions.ts';
import { GENESIS } from '../facts/chain.ts';
import { sqliteFacts, type TestFacts } from '../facts/facts.fixture.ts';
import type { FactStore } from '../facts/store.ts';
import { openCases } from './cases.fixture.ts';
import { verifyTrails } from './trail-head.ts';

const environment = 'sandbox';
const anchorOf = async (facts: FactStore) =>
  (await verifyTrails({ facts, environment })).trail.anchor ?? '';

/** Records a settle and a refund of two charges, as the routes do. */
async function recordMoney(facts: FactStore): Promise<void> {
  for (const [index, subject] of ['charge-1', 'charge-2', 'charge-1', 'charge-2'].entries()) {
    const kind: NewAction['kind'] = index < 2 ? 'settle' : 'refund';
    const action = { at: index, actor: 'mallory', kind, subject, key: `key-${index}` };
    const begun = await facts.beginAction({ ...action, detail: { amount: 500 } });
    const detail = { operation: `opr_${index}` };
    await facts.endAction(begun ?? 0, { at: index, outcome: 'accepted', detail });
  }
}

const quoted = (value: string | number | undefined) =>
  value === undefined ? 'null' : typeof value === 'number' ? String(value) : `'${value}'`;

/** Replaces the trail of actions with another internally valid chain. */
async function forge(
  { meddle }: Pick<TestFacts, 'meddle'>,
  facts: FactStore,
  change: (events: ActionEvent[]) => ActionEvent[],
): Promise<void> {
  const numbers = new Map<number, number>();
  let previous = GENESIS;
  const statements = ['delete from actions'];
  for (const event of change(await facts.actionEvents(0, 1_000))) {
    const seq = numbers.size + 1;
    numbers.set(event.seq, seq);
    const begun = event.begun === undefined ? undefined : numbers.get(event.begun);
    const forged = { ...event, seq, begun, previous };
    const hash = actionHash(forged);
    previous = hash;
    const { at, actor, kind, subject, detail, outcome, key } = forged;
    const values = [seq, at, actor, kind, subject, detail, begun, outcome, forged.previous];
    statements.push(
      `insert into actions (seq, at, actor, kind, subject, detail, begun, outcome, previous, hash, key)
       values (${[...values, hash, key].map(quoted).join(', ')})`,
    );
  }
  statements.push(`update action_chain set last_seq = ${numbers.size}, last_hash = '${previous}'`);
  await meddle(statements.join(';\n'));
}

describe('the head of both trails', () => {
  const setUp = async () => {
    const all = await openCases(sqliteFacts());
    await all.openCase();
    await recordMoney(all.facts);
    return { ...all, anchor: await anchorOf(all.facts) };
  };

  test('proves an earlier anchor after further events of both trails', async () => {
    const all = await setUp();
    const { facts, anchor } = all;
    expect(anchor).toMatch(/^1:8:[0-9a-f]{64}$/);
    await all.openCase({ orderKey: 'order:later' });
    await facts.beginAction({ at: 9, actor: 'ada', kind: 'sync', subject: 's', detail: {} });
    const later = await verifyTrails({ facts, environment, anchor });
    expect(later).toMatchObject({ valid: true, actions: { valid: true }, trail: { valid: true } });
    expect(later.trail.anchor).toMatch(/^2:9:/);
    expect(await verifyTrails({ facts, environment, anchor: later.trail.anchor })).toEqual(later);
  });

  test('detects a person with a changed name in the store, and one with actions under two names', async () => {
    const { facts, meddle } = await setUp();
    const person = { issuer: 'https://login.example', subject: 'ada' };
    const signIn = (actor: string) =>
      facts.beginAction({ at: 1, actor, person, kind: 'sign-in', subject: actor, detail: {} });
    const trailOf = async () => (await verifyTrails({ facts, environment })).trail;
    await signIn(await facts.nameOfPerson(person, 'Ada'));
    expect(await trailOf()).toMatchObject({ valid: true });
    await meddle(`update people set name = 'Grace'`);
    const wrong = { valid: false, reason: 'has another name than its person' };
    expect(await trailOf()).toEqual(wrong);
    await meddle(`update people set name = 'Ada'`);
    expect(await trailOf()).toMatchObject({ valid: true });
    await signIn('Grace');
    expect(await trailOf()).toEqual(wrong);
  });

  test('finds a trail whose refunds of a charge were removed, the actor renamed and all hashes recomputed', async () => {
    const all = await setUp();
    const { facts, anchor } = all;
    await forge(all, facts, (events) =>
      events
        .filter(({ kind, subject }) => kind !== 'refund' || subject !== 'charge-1')
        .map((event) => ({ ...event, actor: 'ada' })),
    );
    // The forged chain is consistent: only the anchor reveals it.
    const alone = await verifyTrails({ facts, environment });
    expect(alone).toMatchObject({ actions: { valid: true, events: 6 }, trail: { valid: true } });
    expect(await verifyTrails({ facts, environment, anchor })).toMatchObject({
      actions: {
        valid: false,
        broken: { seq: 7, reason: 'is missing: the anchor is after the end' },
      },
      trail: { valid: false },
    });
    // Adds as many events as were removed, so that the anchor lies within the forged chain.
    for (const key of ['later-1', 'later-2', 'later-3']) {
      await facts.beginAction({ at: 9, actor: 'ada', kind: 'sync', subject: key, detail: {} });
    }
    const grown = await verifyTrails({ facts, environment, anchor });
    expect(grown).toMatchObject({
      actions: { valid: true, events: 9 },
      trail: { valid: false, reason: 'differs from the anchor' },
    });
    expect(grown.trail).not.toHaveProperty('anchor');
  });

  test('detects a renamed actor in the part that only the anchor covers', async () => {
    const all = await setUp();
    const { facts, anchor } = all;
    await forge(all, facts, (events) =>
      events.map((event) => ({ ...event, actor: event.seq > 2 ? 'ada' : event.actor })),
    );
    const verified = await verifyTrails({ facts, environment, anchor });
    expect(verified.trail).toEqual({ valid: false, reason: 'differs from the anchor' });
  });

  test('belongs to one environment', async () => {
    const { facts, anchor } = await setUp();
    const other = await verifyTrails({ facts, environment: 'production', anchor });
    expect(other.trail).toEqual({ valid: false, reason: 'differs from the anchor' });
  });
});
