import { describe, expect, test } from 'vitest';
import { sha256 } from '../platform/digest.ts';
import { ContentError } from './content.ts';
import { databases, fundingDay, NOW, take } from './facts.fixture.ts';
import { type DecisionOutcome, NO_WORK } from './period-decisions.ts';
import type { NewDecision, NewSeal } from './period-facts.ts';
import { type FactStore, LeaseLostError } from './store.ts';
import type { EventDetail, NewAction } from './trail.ts';

const text = (value: string) => new TextEncoder().encode(value);
const seal = (change: Partial<NewSeal> = {}): NewSeal => ({
  period: '2026-10',
  at: NOW,
  body: '{"a":1}',
  flows: text('flows'),
  days: [],
  ...change,
});

/** Begins an action about the period, and returns the data for its outcome. */
async function begin(
  store: FactStore,
  kind: NewAction['kind'],
  { detail = {}, ...who }: Partial<NewAction> = {},
): Promise<Pick<NewDecision, 'action' | 'at' | 'last'>> {
  const action = { at: NOW, actor: 'anna', kind, subject: '2026-10', ...who };
  const begun = (await store.beginAction({ ...action, detail })) ?? 0;
  const last = (await store.periodDecisions()).work.get('2026-10')?.last ?? 0;
  return { action: begun, at: NOW, last };
}

describe.each(databases)('periods on %s', (_, make) => {
  const setUp = async () => {
    const facts = await make();
    const store = await facts.open();
    const fence = await take(store);
    const decide = async (kind: NewAction['kind'], of?: Partial<NewAction>) => {
      const begun = await begin(store, kind, of);
      return (outcome: DecisionOutcome, detail: EventDetail = {}) =>
        store.decide(fence, outcome, { ...begun, period: '2026-10', detail });
    };
    const work = async () => (await store.periodDecisions()).work.get('2026-10');
    return { facts, store, fence, decide, work };
  };

  test('keeps a seal with its amounts and the decisions before it', async () => {
    const { store, fence, decide, work } = await setUp();
    const person = { issuer: 'https://login.example', subject: 'ada' };
    const prepare = await decide('close-preparation', { actor: 'Ada', person });
    expect(await prepare('done', { statements: 'b'.repeat(64) })).toBe(true);
    const prepared = { actor: 'Ada', person, at: NOW, number: 1, statements: 'b'.repeat(64) };
    expect(await work()).toMatchObject({ prepared, accepted: {}, last: 2 });
    const close = await begin(store, 'close', { actor: 'ben' });
    const written = await store.writeSeal(fence, seal(), await store.head(), close);
    expect(written).toMatchObject({ seq: 1, number: 1, period: '2026-10' });
    expect(await store.seals()).toEqual([written]);
    expect(await store.sealsAfter(0, 10)).toEqual([written]);
    expect(Buffer.from(await store.sealFlows(1)).toString()).toBe('flows');
    expect(await work()).toEqual({ ...NO_WORK, last: 4 });
    const { closings } = await store.periodDecisions();
    expect(closings.get(1)).toMatchObject({
      actor: 'ben',
      hash: sha256('{"a":1}'),
      work: { prepared },
    });
  });

  test('folds decisions in order, except those of failed actions', async () => {
    const { decide, work } = await setUp();
    const accepted = { check: 'cases-decided', reason: 'known', digest: 'c'.repeat(64) };
    const accept = await decide('acceptance', { detail: accepted });
    const prepare = await decide('close-preparation');
    await accept('done');
    expect(await work()).toMatchObject({ accepted: { 'cases-decided': { reason: 'known' } } });
    // The decision is based on a state that the acceptance has changed.
    expect(await prepare('done', { statements: 'b' })).toBe(false);
    const again = await decide('close-preparation');
    await again('done', { statements: 'b' });
    const withdraw = await decide('request-withdrawal', { detail: { of: 'preparation' } });
    await withdraw('done', { request: 2 });
    expect(await work()).toMatchObject({ prepared: undefined, accepted: { 'cases-decided': {} } });
    const third = await decide('close-preparation');
    await third('done', { statements: 'b' });
    expect(await work()).toMatchObject({ prepared: { statements: 'b' } });
  });

  test('ignores events of earlier versions without a digest or statements', async () => {
    const { store, work } = await setUp();
    for (const kind of ['acceptance', 'close-preparation'] as const) {
      const { action } = await begin(store, kind, {
        detail: { check: 'cases-decided', reason: 'x' },
      });
      await store.endAction(action, { at: NOW, outcome: 'done' });
    }
    expect(await work()).toEqual({ ...NO_WORK, last: 4 });
  });

  test('refuses a seal that misses facts or decisions, or without a lease', async () => {
    const { store, fence, decide, work } = await setUp();
    const close = await begin(store, 'close');
    const head = await store.head();
    await store.writeDay(fence, fundingDay('2026-10-31'));
    expect(await store.writeSeal(fence, seal(), head, close)).toBeUndefined();
    expect([await store.seals(), await store.head()]).toEqual([[], 1]);
    const lost = { ...fence, number: fence.number + 1 };
    await expect(store.writeSeal(lost, seal(), 1, close)).rejects.toThrow(LeaseLostError);
    const prepare = await decide('close-preparation');
    await prepare('done', { statements: 'b' });
    expect(await store.writeSeal(fence, seal(), 1, close)).toBeUndefined();
    expect(await work()).toMatchObject({ prepared: { statements: 'b' } });
    const based = { ...close, last: (await work())?.last ?? 0 };
    expect(await store.writeSeal(fence, seal(), 1, based)).toMatchObject({ seq: 1, number: 2 });
  });

  test('leaves the period open if the close fails after its first statement', async () => {
    const { facts, store, fence } = await setUp();
    await facts.meddle(`insert into seals (seq, number, period, at, body)
      values (7, 1, '2026-09', 1, '')`);
    const close = await begin(store, 'close');
    await expect(store.writeSeal(fence, seal(), 0, close)).rejects.toThrow();
    expect(await store.head()).toBe(0);
    expect(await store.seals()).toHaveLength(1);
    expect((await store.periodDecisions()).closings.size).toBe(0);
    await expect(store.sealFlows(8)).rejects.toThrow();
  });

  test('keeps only contents that a seal covers', async () => {
    const facts = await make();
    const store = await facts.open();
    const fence = await take(store);
    const write = (content: string) =>
      store.writeDay(fence, fundingDay('2026-10-31'), { content: text(content) });
    await write('first');
    await write('sealed');
    const checksum = sha256(text('sealed'));
    expect(await store.contentChecksums()).toEqual(new Map([['2026-10-31', checksum]]));
    const days = [{ day: '2026-10-31', checksum }];
    await store.writeSeal(fence, seal({ days }), await store.head(), await begin(store, 'close'));
    await write('third');
    await write('fourth');
    const found = await store.sealedContent('2026-10-31', checksum);
    expect(Buffer.from(found ?? []).toString()).toBe('sealed');
    expect(await store.sealedContent('2026-10-31', sha256(text('first')))).toBeUndefined();
    expect(await facts.ask('select count(*) as count from sealed_contents')).toEqual([
      { count: 1 },
    ]);
  });

  test('reopens a seal, and records that in the trail and as a fact', async () => {
    const { store, fence, decide } = await setUp();
    await store.writeSeal(fence, seal(), 0, await begin(store, 'close'));
    const ask = await decide('reopening', { detail: { reason: 'the bank differs' } });
    await ask('asked');
    const approval = await begin(store, 'reopening', { actor: 'ben', detail: { reason: null } });
    const decision = { ...approval, period: '2026-10', detail: { request: 3 } };
    const stale = { ...decision, last: decision.last - 1 };
    expect(await store.reopenSeal(fence, 1, stale)).toBeUndefined();
    expect(await store.reopenSeal(fence, 1, decision)).toBe(2);
    const reopened = { actor: 'anna', reason: 'the bank differs', approved: { actor: 'ben' } };
    expect(await store.seals()).toMatchObject([{ seq: 1, number: 2, reopened, body: '{"a":1}' }]);
    const next = seal({ body: '{"b":1}' });
    expect(await store.writeSeal(fence, next, 2, await begin(store, 'close'))).toMatchObject({
      seq: 2,
      reopened: undefined,
    });
  });

  test('keeps exports of journals with their files, ordered by position', async () => {
    const facts = await make();
    const store = await facts.open();
    const fence = await take(store);
    const journal = { seq: 1, period: '2026-10', format: 'csv', at: NOW, body: '{}', chart: '{}' };
    const contents = { file: Buffer.from('zip'), postings: Buffer.from('parquet') };
    expect(await store.writeJournal(fence, { ...journal, ...contents })).toBe(true);
    // Another process has taken the position.
    expect(await store.writeJournal(fence, { ...journal, ...contents })).toBe(false);
    expect(await store.writeJournal(fence, { ...journal, ...contents, seq: 2 })).toBe(true);
    expect((await store.journals()).map(({ seq }) => seq)).toEqual([2, 1]);
    expect(Buffer.from(await store.journalContent(1, 'file')).toString()).toBe('zip');
    await facts.meddle(`update journal_contents set checksum = 'x' where part = 'postings'`);
    await expect(store.journalContent(1, 'postings')).rejects.toThrow(ContentError);
    const lost = { ...fence, number: fence.number + 1 };
    await expect(store.writeJournal(lost, { ...journal, ...contents, seq: 3 })).rejects.toThrow(
      LeaseLostError,
    );
  });

  test('refuses altered amounts', async () => {
    const facts = await make();
    const store = await facts.open();
    await store.writeSeal(await take(store), seal(), 0, await begin(store, 'close'));
    await facts.meddle(`update seal_flows set checksum = 'x'`);
    await expect(store.sealFlows(1)).rejects.toThrow('A stored content is corrupt.');
  });
});
