import { describe, expect, test } from 'vitest';
import type { CaseReader } from '../facts/case-facts.ts';
import { sqliteFacts } from '../facts/facts.fixture.ts';
import { type Cases, openCases } from './cases.fixture.ts';
import { operateOnCase } from './operations.ts';
import { verifyTrail } from './trail.ts';

describe('the audit trail', () => {
  const setUp = () => openCases(sqliteFacts());

  async function trail() {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    for (const [index, note] of ['one', 'two', 'three'].entries()) {
      const operation = { kind: 'noted', note } as const;
      await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: `k${index}` });
    }
    const { head } = await all.verify();
    return { ...all, caseId, head };
  }
  const setEvent = ({ meddle }: Pick<Cases, 'meddle'>, seq: number, set: string) =>
    meddle(`update case_events set ${set} where seq = ${seq}`);

  test.each([
    ['a note', `detail = '{"note":"TWO"}'`],
    ['spaces in JSON', `detail = '{"note": "two"}'`],
    ['the actor', `actor = 'Tomas'`],
    ['the time', 'at = 5'],
    ['the kind', `kind = 'ignored'`],
    ['the case', `case_id = 'case_other'`],
    ['the key', 'key = null'],
    ['its own hash', `hash = '${'f'.repeat(64)}'`],
  ])('names the first event after a change of %s', async (_name, set) => {
    const all = await trail();
    expect(await all.verify()).toMatchObject({ valid: true, events: 4 });
    await setEvent(all, 3, set);
    expect(await all.verify()).toMatchObject({
      valid: false,
      events: 2,
      broken: { seq: 3, reason: 'was changed' },
    });
  });

  test('names a removed event, in the middle or at the end', async () => {
    const all = await trail();
    await all.meddle('delete from case_events where seq = 4');
    expect((await all.verify()).broken).toEqual({ seq: 4, reason: 'is missing' });
    await all.meddle('delete from case_events where seq = 2');
    expect((await all.verify()).broken).toEqual({ seq: 2, reason: 'is missing' });
  });

  test('detects two swapped events', async () => {
    const all = await trail();
    await setEvent(all, 2, 'seq = 99');
    await setEvent(all, 3, 'seq = 2');
    await setEvent(all, 99, 'seq = 3');
    expect((await all.verify()).broken).toMatchObject({
      seq: 2,
      reason: 'does not follow the previous event',
    });
  });

  test('uses the position of an anchor to detect a truncated trail with a new end', async () => {
    const all = await trail();
    const last = (await all.events()).at(2);
    await all.meddle('delete from case_events where seq = 4');
    await all.meddle(`update case_chain set last_seq = 3, last_hash = '${last?.hash}'`);
    const reason = 'contradicts the stored case';
    expect((await all.verify()).broken).toMatchObject({ seq: 3, reason });
    const anchored = await verifyTrail(all.facts, all.head.seq);
    expect(anchored).toMatchObject({ valid: false, broken: { seq: 4 } });
  });

  test.each([
    ['state', `state = 'resolved'`],
    ['content', `content_hash = 'content-0'`],
    ['assignee', `assignee = 'Mallory'`],
    ['amount', 'amount = -1'],
    ['reason', `reason = 'agreed with the lender'`],
    ['order', `order_key = 'order:A-1002'`],
    ['currency', `currency = 'EUR'`],
    ['kind', `code = 'NET_MISMATCH'`],
    ['count', 'count = 7'],
  ])('detects a case after a change of its %s without an event', async (_name, set) => {
    const all = await trail();
    await all.meddle(`update cases set ${set}`);
    expect((await all.verify()).broken).toEqual({
      seq: 4,
      caseId: all.caseId,
      reason: 'contradicts the stored case',
    });
  });

  test('detects a removed case, and ignores a case that is opened during the check', async () => {
    const all = await trail();
    await all.openCase({ orderKey: 'order:later' });
    expect(await all.verify()).toMatchObject({ valid: true, events: 5 });
    await all.meddle(`delete from cases where id = '${all.caseId}'`);
    const broken = { seq: 1, caseId: all.caseId, reason: 'opened a case that is missing' };
    expect((await all.verify()).broken).toEqual(broken);
    // The end of the trail is read before the later case is opened.
    const caseChain = () => Promise.resolve({ seq: 4, hash: all.head.hash });
    const reader: CaseReader = { ...all.facts, caseChain };
    expect((await verifyTrail(reader)).broken).toEqual(broken);
  });

  test('is valid when it is empty', async () => {
    const all = await setUp();
    expect(await all.verify()).toMatchObject({ valid: true, events: 0 });
  });
});
