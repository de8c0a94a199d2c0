import { describe, expect, test } from 'vitest';
import { exception, openCases } from '../cases/cases.fixture.ts';
import { operateOnCase } from '../cases/operations.ts';
import { databases, MINUTE_MS, take } from './facts.fixture.ts';
import { LeaseLostError } from './store.ts';

describe.each(databases)('cases on %s', (_, make) => {
  const setUp = async () => openCases(await make());

  test('writes each change of a case as a numbered fact that the mirror can read', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    await all.openCase({ orderKey: 'order:B' });
    expect((await all.facts.casesAfter(0, 10)).map(({ number }) => number)).toEqual([1, 2]);
    const operation = { kind: 'noted', note: 'asked the lender' } as const;
    await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: 'k1' });
    expect(await all.facts.head()).toBe(3);
    expect(await all.facts.casesAfter(0, 1)).toMatchObject([{ number: 2, orderKey: 'order:B' }]);
    expect(await all.facts.casesAfter(2, 10)).toMatchObject([{ number: 3, id: caseId }]);
    expect(await all.facts.casesAfter(3, 10)).toEqual([]);
  });

  test('finds cases by state, order, ID and page', async () => {
    const all = await setUp();
    all.source.exceptions = ['A', 'B', 'C'].map((key) => exception({ orderKey: `order:${key}` }));
    await all.follow();
    const cases = await all.find();
    const ids = cases.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
    const [first = '', second = ''] = ids;
    const operation = { kind: 'resolved', reason: 'paid' } as const;
    await operateOnCase(all.ctx, { caseId: second, operation, by: 'Ines', key: 'k1' });
    const found = await all.facts.findCases({ state: 'resolved', limit: 9 });
    expect(found.map(({ id }) => id)).toEqual([second]);
    const page = await all.facts.findCases({ after: first, limit: 1 });
    expect(page.map(({ id }) => id)).toEqual([second]);
    const ofOrder = await all.facts.casesOfOrders(['order:C', 'order:none']);
    expect(ofOrder.map(({ orderKey }) => orderKey)).toEqual(['order:C']);
    expect(await all.facts.casesOfOrders([])).toEqual([]);
    expect(await all.facts.findCase(first)).toEqual(cases[0]);
    expect(await all.facts.findCase('case_none')).toBeUndefined();
  });

  test('finds merged cases', async () => {
    const all = await setUp();
    all.source.exceptions = ['A', 'B'].map((key) => exception({ orderKey: `order:${key}` }));
    await all.follow();
    const [one, main] = await all.find();
    if (one === undefined || main === undefined) throw new Error('There are no two cases.');
    const operation = { kind: 'merged', into: main.id } as const;
    await operateOnCase(all.ctx, { caseId: one.id, operation, by: 'Ines', key: 'k1' });
    const merged = [{ id: one.id, state: 'open', mergedInto: main.id }];
    expect(await all.facts.casesMergedInto([main.id])).toMatchObject(merged);
    expect(await all.facts.casesMergedInto([one.id])).toEqual([]);
  });

  test('finds events by case, and the people with cases', async () => {
    const all = await setUp();
    const { id } = await all.openCase();
    const { id: other } = await all.openCase({ orderKey: 'order:B' });
    all.clock.advance(1_000);
    const operation = { kind: 'assigned', assignee: 'Tomas' } as const;
    await operateOnCase(all.ctx, { caseId: id, operation, by: 'finance, for Ines', key: 'k1' });
    const found = await all.facts.caseEvents([id]);
    expect(found.map(({ seq, subject }) => [subject, seq])).toEqual([
      [id, 1],
      [id, 3],
    ]);
    expect(await all.facts.findCases({ ids: [other], limit: 9 })).toMatchObject([{ id: other }]);
    expect(await all.facts.assignees()).toEqual(['Tomas']);
  });

  test('makes the cases of the trail again if they were dropped, removed, or made by another version', async () => {
    const all = await setUp();
    all.source.exceptions = ['A', 'B'].map((key) => exception({ orderKey: `order:${key}` }));
    await all.follow();
    const [caseId = '', into = ''] = (await all.find()).map(({ id }) => id);
    const note = { kind: 'noted', note: '@Tomas' } as const;
    const until = new Date(all.clock.now() + 9_000_000).toISOString();
    const operations = [note, { kind: 'snoozed', until }, { kind: 'merged', into }] as const;
    for (const [index, operation] of operations.entries()) {
      const request = { caseId, operation, by: 'Ines', key: `k${index}`, mentions: ['Tomas'] };
      await operateOnCase(all.ctx, request);
    }
    const cases = await all.find();
    expect(cases).toMatchObject([{ mentions: ['Tomas'], mergedInto: into }, { id: into }]);
    for (const damage of [
      'drop table cases',
      'delete from cases',
      `update cases set body = '{}'; update trail_head set folded = 0`,
    ]) {
      await all.meddle(damage);
      const facts = await all.open();
      expect(await facts.findCases({ limit: 9 })).toEqual(cases);
      expect(await all.verify()).toMatchObject({ valid: true });
    }
  });

  test('opens a case for each exception, even if there are more than fit into one transaction', async () => {
    const all = await setUp();
    all.source.exceptions = Array.from({ length: 630 }, (_unused, index) =>
      exception({
        orderKey: `order:${index % 210}`,
        code: index % 2 ? 'AMOUNT_MISMATCH' : 'NET_MISMATCH',
        currency: `X${Math.floor(index / 210)}X`,
      }),
    );
    expect((await all.follow()).opened).toBe(630);
    expect((await all.follow()).opened).toBe(0);
    expect(await all.find()).toHaveLength(630);
    expect(await all.verify()).toMatchObject({ valid: true, events: 630 });
  });

  test('changes no case after another process took the lease', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    await take(all.facts, 'two', all.clock.now() + MINUTE_MS);
    all.source.exceptions = [];
    await expect(all.follow()).rejects.toThrow(LeaseLostError);
    const operation = { kind: 'noted', note: 'late' } as const;
    const noted = operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: 'k1' });
    await expect(noted).rejects.toThrow(LeaseLostError);
    expect(await all.kinds()).toEqual(['opened']);
  });

  test('applies a repeated Idempotency-Key once, and rejects it for another request', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    const operation = { kind: 'noted', note: 'asked the lender' } as const;
    const request = { caseId, operation, by: 'Ines', key: 'k1' };
    const [first, second] = await Promise.all([
      operateOnCase(all.ctx, request),
      operateOnCase(all.ctx, request),
    ]);
    expect(second).toEqual(first);
    expect(await all.kinds()).toEqual(['opened', 'noted']);
    const decision = {
      ...request,
      operation: { kind: 'ignored', reason: 'small' },
      key: 'k2',
    } as const;
    await operateOnCase(all.ctx, decision);
    await all.openCase({ orderKey: 'order:another' });
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
    expect(await all.kinds()).toEqual(['opened', 'noted', 'ignored', 'opened']);
  });

  test('keeps one chain without gaps when passes and people write concurrently', async () => {
    const all = await setUp();
    await all.openCase({ orderKey: 'order:0' });
    for (let index = 1; index < 12; index++) {
      all.source.exceptions.push(exception({ orderKey: `order:${index}` }));
    }
    await Promise.all([all.follow(), all.follow(), all.follow()]);
    const cases = await all.find();
    expect(cases).toHaveLength(12);
    await Promise.all(
      Array.from({ length: 48 }, (_unused, index) =>
        operateOnCase(all.ctx, {
          caseId: cases[index % 12]?.id ?? '',
          operation: { kind: 'noted', note: `note ${index}` },
          by: 'Ines',
          key: `k${index}`,
        }),
      ),
    );
    expect(await all.verify()).toMatchObject({ valid: true, events: 60, head: { seq: 60 } });
    expect(await all.facts.head()).toBe(60);
  });
});
