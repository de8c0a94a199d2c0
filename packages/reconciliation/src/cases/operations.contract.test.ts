import { describe, expect, test } from 'vitest';
import { databases } from '../facts/facts.fixture.ts';
import { exception, openCases } from './cases.fixture.ts';
import { operateOnCase } from './operations.ts';

describe.each(databases)('operations on cases on %s', (_, make) => {
  const setUp = async () => openCases(await make());

  test('lets a person assign, note and resolve, and records actor, operation and time', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    const operations = [
      { kind: 'assigned', assignee: 'Tomas' },
      { kind: 'noted', note: 'asked the lender' },
      { kind: 'resolved', reason: 'they pay tomorrow' },
    ] as const;
    for (const [index, operation] of operations.entries()) {
      all.clock.advance(1_000);
      await operateOnCase(all.ctx, {
        caseId,
        operation,
        by: 'finance, for Ines',
        key: `k${index}`,
      });
    }
    expect(await all.find()).toMatchObject([{ state: 'resolved', assignee: 'Tomas' }]);
    const [opened, ...events] = await all.events();
    expect(opened).toMatchObject({ kind: 'opened', actor: 'reconciliation' });
    const first = opened?.at ?? NaN;
    const by = { caseId, actor: 'finance, for Ines' };
    expect(events).toMatchObject([
      { ...by, kind: 'assigned', detail: '{"assignee":"Tomas"}', at: first + 1_000 },
      { ...by, kind: 'noted', detail: '{"note":"asked the lender"}', at: first + 2_000 },
      { ...by, kind: 'resolved', detail: '{"reason":"they pay tomorrow"}', at: first + 3_000 },
    ]);
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

  test('lets a person change and revert a decision, without a trace of the old reason or name', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    const states: unknown[] = [];
    const operations = [
      { kind: 'assigned', assignee: 'Tomas' },
      { kind: 'ignored', reason: 'small' },
      { kind: 'resolved', reason: 'paid' },
      { kind: 'ignored', reason: 'not paid' },
      { kind: 'reopened', reason: 'look again' },
      { kind: 'noted', note: 'asked the lender' },
      { kind: 'assigned', assignee: null },
      { kind: 'resolved', reason: 'paid now' },
      { kind: 'reopened', reason: 'it was not' },
    ] as const;
    for (const [at, operation] of operations.entries()) {
      all.clock.advance(1_000);
      await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: `k${at}` });
      const [{ state, reason, assignee, updatedAt } = {}] = await all.find();
      expect(updatedAt).toBe(all.clock.now());
      states.push([state, reason, assignee]);
    }
    expect(states).toEqual([
      ['open', undefined, 'Tomas'],
      ['ignored', 'small', 'Tomas'],
      ['resolved', 'paid', 'Tomas'],
      ['ignored', 'not paid', 'Tomas'],
      ['open', undefined, 'Tomas'],
      ['open', undefined, 'Tomas'],
      ['open', undefined, undefined],
      ['resolved', 'paid now', undefined],
      ['open', undefined, undefined],
    ]);
    expect(await all.verify()).toMatchObject({ valid: true, events: 10 });
  });

  test.each(['resolved', 'ignored'] as const)(
    'rejects the same state for a case that is %s, and any state for a closed case',
    async (kind) => {
      const all = await setUp();
      const { id: caseId } = await all.openCase();
      const operation = { kind, reason: 'paid' };
      const decide = (key: string) =>
        operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key });
      await decide('k1');
      await expect(decide('k2')).rejects.toMatchObject({ code: 'case-not-permitted' });
      all.source.exceptions = [];
      await all.follow();
      await expect(decide('k3')).rejects.toMatchObject({ code: 'case-not-permitted' });
    },
  );

  test('rejects reopening an open case, or one that was closed automatically', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    const operation = { kind: 'reopened', reason: 'look again' } as const;
    const reopen = () => operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: 'k' });
    await expect(reopen()).rejects.toMatchObject({ code: 'case-not-permitted' });
    all.source.exceptions = [];
    await all.follow();
    await expect(reopen()).rejects.toMatchObject({ code: 'case-not-permitted' });
    const missing = { caseId: 'case_none', operation, by: 'Ines', key: 'k' };
    await expect(operateOnCase(all.ctx, missing)).rejects.toMatchObject({ code: 'case-not-found' });
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
