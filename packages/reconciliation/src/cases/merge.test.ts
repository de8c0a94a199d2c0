import type { CaseAction } from '@financing-checkout/contract/reconciliation';
import { describe, expect, test } from 'vitest';
import { sqliteFacts } from '../facts/facts.fixture.ts';
import { alertCases } from './alerts.ts';
import { DAY_MS, exception, openCases } from './cases.fixture.ts';
import { operateOnCase } from './operations.ts';
import { snoozeEnd } from '@financing-checkout/reconciliation-rules';

describe('merged cases', () => {
  /** Opens cases of the orders `A`, `B` and `C`. */
  async function setUp() {
    const all = await openCases(sqliteFacts());
    all.source.exceptions = ['A', 'B', 'C'].map((order) =>
      exception({ orderKey: `order:${order}` }),
    );
    await all.follow();
    const ids = new Map((await all.find()).map(({ id, orderKey }) => [orderKey, id]));
    const idOf = (order: string) => ids.get(`order:${order}`) ?? '';
    const of = async (order: string) => {
      const row = await all.facts.findCase(idOf(order));
      if (row === undefined) throw new Error('There is no such case.');
      return row;
    };
    let keys = 0;
    return {
      ...all,
      idOf,
      of,
      act(order: string, operation: CaseAction, ifRevision?: number) {
        const [caseId, key] = [idOf(order), `k${(keys += 1)}`];
        return operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key, ifRevision });
      },
      merge(order: string, into: string, ifRevision?: number) {
        return this.act(order, { kind: 'merged', into: idOf(into) }, ifRevision);
      },
      async states() {
        const rows = await Promise.all(['A', 'B', 'C'].map(of));
        return rows.map(({ mergedInto, state }) => [state, mergedInto !== undefined]);
      },
      async lastOf(order: string) {
        const [event] = (await all.facts.caseEvents([idOf(order)])).reverse();
        return event && { ...event, detail: JSON.parse(event.detail) as unknown };
      },
    };
  }

  test('decides and reopens merged cases with their main case, each with its own entry', async () => {
    const all = await setUp();
    await all.act('A', { kind: 'merged', into: all.idOf('C'), note: 'one outage' });
    await all.merge('B', 'C');
    const entry = { kind: 'merged', actor: 'Ines', detail: { into: all.idOf('C') } };
    expect(await all.lastOf('A')).toMatchObject({ ...entry, detail: { note: 'one outage' } });
    expect(await all.lastOf('B')).toMatchObject(entry);
    expect(await all.lastOf('C')).toMatchObject({
      kind: 'gained',
      actor: 'Ines',
      detail: { case: all.idOf('B') },
    });
    for (const kind of ['resolved', 'ignored'] as const) {
      await all.act('C', { kind, reason: 'paid' });
      expect(await all.states()).toEqual([
        [kind, true],
        [kind, true],
        [kind, false],
      ]);
      expect(await all.lastOf('A')).toMatchObject({
        kind,
        actor: 'Ines',
        detail: { reason: 'paid', with: all.idOf('C') },
      });
      expect(await all.of('B')).toMatchObject({ reason: 'paid' });
      await all.act('C', { kind: 'reopened', reason: 'it was not' });
      expect(await all.lastOf('B')).toMatchObject({ kind: 'reopened', actor: 'Ines' });
      expect(await all.of('B')).not.toHaveProperty('reason');
    }
    expect(await all.verify()).toMatchObject({ valid: true });
    await all.meddle(`update cases set number = number + 100 where id = '${all.idOf('A')}'`);
    expect(await all.verify()).toMatchObject({ valid: false, broken: { subject: all.idOf('A') } });
  });

  test('splits a case, which keeps its state and no longer follows its main case', async () => {
    const all = await setUp();
    await all.merge('A', 'C');
    await all.act('A', { kind: 'split', note: 'another cause' });
    expect(await all.lastOf('A')).toMatchObject({
      kind: 'split',
      detail: { note: 'another cause' },
    });
    expect(await all.lastOf('C')).toMatchObject({ kind: 'lost', detail: { case: all.idOf('A') } });
    await all.merge('B', 'C');
    await all.act('C', { kind: 'resolved', reason: 'paid' });
    await all.act('B', { kind: 'split' });
    await all.act('C', { kind: 'reopened', reason: 'it was not' });
    expect(await all.states()).toEqual([
      ['open', false],
      ['resolved', false],
      ['open', false],
    ]);
    await expect(all.act('A', { kind: 'split' })).rejects.toMatchObject({
      code: 'case-not-permitted',
      extras: { parameters: { state: 'open', action: 'split', cause: 'not-merged' } },
    });
    expect(await all.verify()).toMatchObject({ valid: true });
  });

  test('rejects a merge into the case itself, a merged, decided or unknown one, or another currency', async () => {
    const all = await setUp();
    const refusedAs = (cause: string, more: object = {}) => ({
      code: 'case-not-permitted',
      extras: { parameters: { action: 'merged', cause, ...more } },
    });
    await expect(all.merge('A', 'A')).rejects.toMatchObject(refusedAs('into-itself'));
    await expect(all.act('A', { kind: 'merged', into: 'case_none' })).rejects.toMatchObject({
      code: 'invalid-request',
      extras: { errors: [{ path: 'into' }] },
    });
    await all.merge('B', 'C');
    const use = all.idOf('C');
    await expect(all.merge('A', 'B')).rejects.toMatchObject(refusedAs('main-merged', { use }));
    await expect(all.merge('B', 'A')).rejects.toMatchObject(refusedAs('merged', { use }));
    await expect(all.merge('C', 'A')).rejects.toMatchObject(refusedAs('has-merged'));
    await all.act('B', { kind: 'split' });
    await all.act('B', { kind: 'resolved', reason: 'paid' });
    await expect(all.merge('A', 'B')).rejects.toMatchObject(refusedAs('main-not-open'));
    await expect(all.merge('B', 'A')).rejects.toMatchObject({
      extras: { parameters: { state: 'resolved', action: 'merged' } },
    });
    all.source.exceptions.push(exception({ orderKey: 'order:E', currency: 'EUR' }));
    await all.follow();
    const euro = (await all.find()).find(({ currency }) => currency === 'EUR');
    await expect(all.act('A', { kind: 'merged', into: euro?.id ?? '' })).rejects.toMatchObject(
      refusedAs('other-currency'),
    );
    expect((await all.events()).filter(({ kind }) => kind === 'merged')).toHaveLength(1);
  });

  test('rejects decisions on a merged case, and names its main case', async () => {
    const all = await setUp();
    await all.merge('A', 'C');
    const until = new Date(all.clock.now() + DAY_MS).toISOString();
    const operations = [
      { kind: 'resolved', reason: 'paid' },
      { kind: 'ignored', reason: 'small' },
      { kind: 'snoozed', until },
    ] as const;
    for (const operation of operations) {
      await expect(all.act('A', operation)).rejects.toMatchObject({
        code: 'case-not-permitted',
        extras: { parameters: { cause: 'merged', use: all.idOf('C') } },
      });
    }
    await all.act('A', { kind: 'noted', note: 'asked the lender' });
    await all.act('A', { kind: 'assigned', assignee: 'Tomas' });
    expect(await all.of('A')).toMatchObject({ assignee: 'Tomas', mergedInto: all.idOf('C') });
  });

  test('rejects stale merges, and stale decisions that would apply to an unseen case', async () => {
    const all = await setUp();
    const { number } = await all.of('A');
    const { number: ofMain } = await all.of('C');
    await all.act('A', { kind: 'noted', note: 'asked the lender' });
    const changed = { code: 'case-changed' };
    await expect(all.merge('A', 'C', number)).rejects.toMatchObject(changed);
    const { number: seen } = await all.of('A');
    await all.merge('A', 'C', seen);
    const decision = { kind: 'resolved', reason: 'paid' } as const;
    await expect(all.act('C', decision, ofMain)).rejects.toMatchObject({
      ...changed,
      extras: { parameters: { kind: 'gained', by: 'Ines' } },
    });
    await expect(all.act('A', { kind: 'split' }, seen)).rejects.toMatchObject(changed);
    expect(await all.states()).toEqual([
      ['open', true],
      ['open', false],
      ['open', false],
    ]);
  });

  test('merges once for a repeated Idempotency-Key', async () => {
    const all = await setUp();
    const operation = { kind: 'merged', into: all.idOf('C') } as const;
    const request = { caseId: all.idOf('A'), operation, by: 'Ines', key: 'once' };
    const { fact: first } = await operateOnCase(all.ctx, request);
    expect((await operateOnCase(all.ctx, request)).fact).toEqual(first);
    expect((await all.kinds()).slice(3)).toEqual(['merged', 'gained']);
    const split = { ...request, operation: { kind: 'split' }, key: 'twice' } as const;
    const { fact: second } = await operateOnCase(all.ctx, split);
    expect((await operateOnCase(all.ctx, split)).fact).toEqual(second);
  });

  test('closes a merged case, but not its main case, when its exception is gone', async () => {
    const all = await setUp();
    await all.merge('A', 'C');
    all.source.exceptions = all.source.exceptions.slice(1);
    await all.follow();
    expect(await all.states()).toEqual([
      ['closed', true],
      ['open', false],
      ['open', false],
    ]);
    await all.act('C', { kind: 'resolved', reason: 'paid' });
    expect(await all.of('A')).not.toHaveProperty('reason');
    // Its main case is decided, so the exception that is back is a case of its own.
    all.source.exceptions.unshift(exception({ orderKey: 'order:A' }));
    await all.follow();
    expect(await all.states()).toEqual([
      ['open', false],
      ['open', false],
      ['resolved', false],
    ]);
    expect(await all.verify()).toMatchObject({ valid: true });
  });

  test('splits the merged cases of a case whose exception is gone, even in the same pass', async () => {
    const all = await setUp();
    await all.merge('A', 'C');
    await all.merge('B', 'C');
    all.source.exceptions = all.source.exceptions.slice(1, 2);
    await all.follow();
    expect(await all.states()).toEqual([
      ['closed', true],
      ['open', false],
      ['closed', false],
    ]);
    expect(await all.lastOf('B')).toMatchObject({
      kind: 'split',
      actor: 'reconciliation',
      detail: { from: all.idOf('C'), why: 'its main case is not open' },
    });
    expect(await all.verify()).toMatchObject({ valid: true });
  });

  test('reopens merged cases when the content of their main case changes', async () => {
    const all = await setUp();
    await all.merge('A', 'C');
    await all.act('C', { kind: 'ignored', reason: 'small' });
    all.source.exceptions[2] = exception({ orderKey: 'order:C', contentHash: 'content-2' });
    await all.follow();
    expect(await all.states()).toEqual([
      ['open', true],
      ['open', false],
      ['open', false],
    ]);
    expect(await all.lastOf('A')).toMatchObject({
      kind: 'reopened',
      actor: 'reconciliation',
      detail: { was: 'ignored', with: all.idOf('C') },
    });
  });

  test('restores a case when its merge is undone, and sends no alert for merged cases', async () => {
    const all = await setUp();
    const end = all.clock.now() + DAY_MS;
    await all.act('A', { kind: 'snoozed', until: new Date(end).toISOString() });
    await all.merge('A', 'C');
    expect(snoozeEnd(await all.of('A'), all.clock.now())).toBeUndefined();
    await expect(all.act('A', { kind: 'woken' })).rejects.toMatchObject({
      code: 'case-not-permitted',
    });
    await all.act('A', { kind: 'split' });
    expect(snoozeEnd(await all.of('A'), all.clock.now())).toBe(end);
    await all.merge('B', 'C');
    const policy = { amount: { default: 1, currencies: {} }, days: undefined };
    await alertCases({ ...all.ctx, environment: 'sandbox' }, all.source, policy);
    const alerted = (await all.events()).filter(({ kind }) => kind === 'alerted');
    expect(alerted.map(({ subject }) => subject)).toEqual([all.idOf('C')]);
  });
});
