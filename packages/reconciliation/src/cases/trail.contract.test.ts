import { describe, expect, test } from 'vitest';
import { databases, type TestFacts } from '../facts/facts.fixture.ts';
import type { FactStore } from '../facts/store.ts';
import { forgeTrail } from '../facts/trail.fixture.ts';
import { hashOf, type NewAction, type TrailEvent } from '../facts/trail.ts';
import { type Cases, openCases } from './cases.fixture.ts';
import { operateOnCase } from './operations.ts';
import { verifyTrail } from './trail.ts';

const environment = 'sandbox';

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

describe.each(databases)('the verification of the trail on %s', (_, make) => {
  const setUp = async () => openCases(await make());

  /** A trail of five events: a case that is opened, three notes, and a sign-in. */
  async function trail() {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    for (const [index, note] of ['one', 'two', 'three'].entries()) {
      const operation = { kind: 'noted', note } as const;
      await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: `k${index}` });
    }
    const signIn = { at: 9, actor: 'Ines', kind: 'sign-in', subject: 'Ines' } as const;
    await all.facts.beginAction({ ...signIn, outcome: 'done', detail: { session: 's' } });
    const { anchor = '' } = await all.verify();
    return { ...all, caseId, anchor };
  }
  const setEvent = ({ meddle }: Pick<Cases, 'meddle'>, seq: number, set: string) =>
    meddle(`update trail set ${set} where seq = ${seq}`);
  const setHead = ({ meddle }: Pick<TestFacts, 'meddle'>, event: TrailEvent | undefined) =>
    meddle(`update trail_head set seq = ${event?.seq ?? 0}, hash = '${event?.hash}'`);

  test.each([
    ['a note', `detail = '{"note":"TWO"}'`],
    ['spaces in JSON', `detail = '{"note": "two"}'`],
    ['the actor', `actor = 'Tomas'`],
    ['the person', `person = '["https://login.example","ines"]'`],
    ['the time', 'at = 5'],
    ['the kind', `kind = 'ignored'`],
    ['the case', `subject = 'case_other'`],
    ['the number of the fact', 'number = 77'],
    ['the outcome', `outcome = 'done'`],
    ['the key', 'key = null'],
    ['its own hash', `hash = '${'f'.repeat(64)}'`],
  ])('names the first event after a change of %s', async (_name, set) => {
    const all = await trail();
    expect(await all.verify()).toMatchObject({ valid: true, events: 5 });
    await setEvent(all, 3, set);
    expect(await all.verify()).toMatchObject({
      valid: false,
      events: 2,
      broken: { seq: 3, reason: 'was changed' },
    });
  });

  test('names a removed event, in the middle or at the end', async () => {
    const all = await trail();
    await all.meddle('delete from trail where seq = 5');
    expect((await all.verify()).broken).toEqual({ seq: 5, reason: 'is missing' });
    await all.meddle('delete from trail where seq = 2');
    expect((await all.verify()).broken).toEqual({ seq: 2, reason: 'is missing' });
  });

  test('names the first of two swapped events', async () => {
    const all = await trail();
    await setEvent(all, 2, 'seq = 99');
    await setEvent(all, 3, 'seq = 2');
    await setEvent(all, 99, 'seq = 3');
    expect((await all.verify()).broken).toMatchObject({
      seq: 2,
      reason: 'does not follow the previous event',
    });
  });

  test('names the event after one that was altered with its hash recomputed, or the end', async () => {
    const all = await trail();
    const alter = async (seq: number) => {
      const event = (await all.events())[seq - 1];
      if (event === undefined) throw new Error('There is no such event.');
      await setEvent(all, seq, `actor = 'Tom', hash = '${hashOf({ ...event, actor: 'Tom' })}'`);
    };
    await alter(5);
    const reason = 'is not where the chain ended';
    expect((await all.verify()).broken).toEqual({ seq: 5, reason });
    await alter(2);
    expect((await all.verify()).broken).toMatchObject({
      seq: 3,
      reason: 'does not follow the previous event',
    });
  });

  test('names an approval that was forged beside the trail, and the head of before', async () => {
    const all = await trail();
    const [before, last] = (await all.events()).slice(3);
    if (last === undefined) throw new Error('There is no such event.');
    const values = `7, 'P1', 'close', 'ben', '{}', 'done'`;
    await all.meddle(
      `insert into trail (seq, at, subject, kind, actor, detail, outcome, previous, hash)
       values (6, ${values}, '${last.hash}', '${'a'.repeat(64)}')`,
    );
    const reason = 'is after the end of the chain';
    expect((await all.verify()).broken).toEqual({ seq: 6, reason });
    await all.meddle('delete from trail where seq = 6');
    expect(await all.verify()).toMatchObject({ valid: true });
    await setHead(all, before);
    expect((await all.verify()).broken).toEqual({ seq: 5, reason });
  });

  test('uses an anchor to name the first event of a trail whose end was removed with its head', async () => {
    const all = await trail();
    const [before] = (await all.events()).slice(3);
    await all.meddle('delete from trail where seq = 5');
    await setHead(all, before);
    expect(await all.verify()).toMatchObject({ valid: true, events: 4 });
    const anchored = await verifyTrail({ facts: all.facts, environment, anchor: all.anchor });
    expect(anchored.broken).toEqual({ seq: 5, reason: 'is missing: the anchor is after the end' });
  });

  test.each([
    ['state', `state = 'resolved'`],
    ['order', `order_key = 'order:A-1002'`],
    ['currency', `currency = 'EUR'`],
    ['exception', `code = 'NET_MISMATCH'`],
    ['assignee', `assignee = 'Mallory'`],
    ['alert', 'alerted = 1'],
    ['main case', `merged_into = 'case_other'`],
    ['revision', 'number = 3'],
    ['amount', `body = replace(body, '-1500', '-1')`],
    ['age', `body = replace(body, '"since":1', '"since":2')`],
  ])('detects a case after a change of its %s without an event', async (_name, set) => {
    const all = await trail();
    await all.meddle(`update cases set ${set}`);
    expect((await all.verify()).broken).toEqual({
      seq: 4,
      subject: all.caseId,
      reason: 'contradicts the stored case',
    });
  });

  test('detects a removed case, and compares one that is changed during the check', async () => {
    const all = await trail();
    let hasChanged = false;
    const facts: FactStore = {
      ...all.facts,
      async storedCases(after, limit) {
        const operation = { kind: 'noted', note: 'late' } as const;
        const request = { caseId: all.caseId, operation, by: 'Ines', key: 'late' };
        if (!hasChanged) await operateOnCase(all.ctx, request);
        hasChanged = true;
        return all.facts.storedCases(after, limit);
      },
    };
    expect(await verifyTrail({ facts, environment })).toMatchObject({ valid: true, events: 5 });
    hasChanged = false;
    await all.meddle(`update cases set number = 99`);
    expect(await verifyTrail({ facts, environment })).toMatchObject({ valid: false });
    await all.meddle(`delete from cases where id = '${all.caseId}'`);
    expect((await all.verify()).broken).toEqual({
      seq: 6,
      subject: all.caseId,
      reason: 'is of a case that is missing',
    });
  });

  test('names an event that no version of the program writes', async () => {
    const all = await trail();
    await forgeTrail(all, all.facts, (events) =>
      events.map((event) => (event.seq === 2 ? { ...event, kind: 'opened' } : event)),
    );
    expect((await all.verify()).broken).toEqual({
      seq: 2,
      subject: all.caseId,
      reason: 'is none that this program writes',
    });
  });

  test('is valid when it is empty', async () => {
    const all = await setUp();
    expect(await all.verify()).toMatchObject({ valid: true, events: 0 });
  });

  const withMoney = async () => {
    const all = await setUp();
    await all.openCase();
    await recordMoney(all.facts);
    return { ...all, anchor: (await all.verify()).anchor };
  };

  test('proves an earlier anchor after further events', async () => {
    const all = await withMoney();
    const { facts, anchor } = all;
    expect(anchor).toMatch(/^9:[0-9a-f]{64}$/);
    await all.openCase({ orderKey: 'order:later' });
    await facts.beginAction({ at: 9, actor: 'ada', kind: 'sync', subject: 's', detail: {} });
    const later = await verifyTrail({ facts, environment, anchor });
    expect(later).toMatchObject({ valid: true, events: 11 });
    expect(later.anchor).toMatch(/^11:/);
    expect(await verifyTrail({ facts, environment, anchor: later.anchor })).toEqual(later);
  });

  test('detects a person whose name was changed in the store, and one who acted under two names', async () => {
    const { facts, meddle, verify } = await withMoney();
    const person = { issuer: 'https://login.example', subject: 'ada' };
    const signIn = (actor: string) =>
      facts.beginAction({ at: 1, actor, person, kind: 'sign-in', subject: actor, detail: {} });
    await signIn(await facts.nameOfPerson(person, 'Ada'));
    expect(await verify()).toMatchObject({ valid: true });
    await meddle(`update people set name = 'Grace'`);
    const reason = 'has another name than its person';
    expect((await verify()).broken).toEqual({ seq: 10, reason });
    await meddle(`update people set name = 'Ada'`);
    expect(await verify()).toMatchObject({ valid: true });
    await signIn('Grace');
    expect((await verify()).broken).toEqual({ seq: 11, reason });
  });

  test('finds a trail whose refunds of a charge were removed, the actor renamed and all hashes recomputed', async () => {
    const all = await withMoney();
    const { facts, anchor } = all;
    await forgeTrail(all, facts, (events) =>
      events
        .filter(({ kind, subject }) => kind !== 'refund' || subject !== 'charge-1')
        .map((event) => (event.actor === 'mallory' ? { ...event, actor: 'ada' } : event)),
    );
    // The forged chain is consistent: only the anchor reveals it.
    expect(await all.verify()).toMatchObject({ valid: true, events: 7 });
    expect((await verifyTrail({ facts, environment, anchor })).broken).toEqual({
      seq: 8,
      reason: 'is missing: the anchor is after the end',
    });
    // Adds as many events as were removed, so that the anchor lies within the forged chain.
    for (const key of ['later-1', 'later-2', 'later-3']) {
      await facts.beginAction({ at: 9, actor: 'ada', kind: 'sync', subject: key, detail: {} });
    }
    const grown = await verifyTrail({ facts, environment, anchor });
    const broken = { seq: 9, reason: 'differs from the anchor' };
    expect(grown).toMatchObject({ valid: false, events: 10, broken });
    expect(grown).not.toHaveProperty('anchor');
  });

  test('belongs to one environment', async () => {
    const { facts, anchor } = await withMoney();
    const other = await verifyTrail({ facts, environment: 'production', anchor });
    expect(other.broken).toEqual({ seq: 9, reason: 'differs from the anchor' });
  });
});
