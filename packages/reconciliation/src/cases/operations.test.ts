import type { CaseAction } from '@financing-checkout/contract/reconciliation';
import { describe, expect, test } from 'vitest';
import { sqliteFacts } from '../facts/facts.fixture.ts';
import { alertCases } from './alerts.ts';
import { DAY_MS, exception, openCases } from './cases.fixture.ts';
import { operateOnCase } from './operations.ts';
import { snoozeEnd } from '@financing-checkout/reconciliation-rules';

describe('operations on cases', () => {
  const setUp = () => openCases(sqliteFacts());

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
    const by = { subject: caseId, actor: 'finance, for Ines' };
    expect(events).toMatchObject([
      { ...by, kind: 'assigned', detail: '{"assignee":"Tomas"}', at: first + 1_000 },
      { ...by, kind: 'noted', detail: '{"note":"asked the lender"}', at: first + 2_000 },
      { ...by, kind: 'resolved', detail: '{"reason":"they pay tomorrow"}', at: first + 3_000 },
    ]);
  });

  test('lets a person change and revert a decision, without keeping the old reason or name', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    const states: unknown[] = [];
    const operations = [
      { kind: 'assigned', assignee: 'Tomas' },
      { kind: 'ignored', reason: 'small' },
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
      ['open', undefined, 'Tomas'],
      ['open', undefined, 'Tomas'],
      ['open', undefined, undefined],
      ['resolved', 'paid now', undefined],
      ['open', undefined, undefined],
    ]);
    expect(await all.verify()).toMatchObject({ valid: true, events: 8 });
  });

  test('rejects an action on a case that a colleague changed, and says who did what and when', async () => {
    const all = await setUp();
    const { id: caseId, number: ifRevision } = await all.openCase();
    const request = (by: string, key: string, operation: CaseAction, revision = ifRevision) =>
      operateOnCase(all.ctx, { caseId, operation, by, key, ifRevision: revision });
    const note = { kind: 'noted', note: 'asked the lender' } as const;
    const decision = { kind: 'resolved', reason: 'paid' } as const;
    const noted = await request('finance, for Tomas', 'k1', note);
    const { number } = noted.fact;
    expect(noted.events).toMatchObject([{ kind: 'noted', number }]);
    expect(number).toBeGreaterThan(ifRevision);
    // The repetition of a request that took effect is no conflict with itself.
    expect(await request('finance, for Tomas', 'k1', note)).toEqual(noted);
    const at = new Date(all.clock.now()).toISOString();
    await expect(request('Ines', 'k2', decision)).rejects.toMatchObject({
      code: 'case-changed',
      extras: {
        parameters: { kind: 'noted', by: 'finance, for Tomas', at },
        detail: `The case was noted by finance, for Tomas at ${at}. Nothing was done: read the case again, and repeat the action with its revision if it still applies.`,
      },
    });
    await expect(request('Ines', 'k2', decision, number + 1)).rejects.toMatchObject({
      code: 'case-changed',
    });
    const decided = await request('Ines', 'k2', decision, number);
    expect(decided.fact).toMatchObject({ state: 'resolved' });
    expect(await all.kinds()).toEqual(['opened', 'noted', 'resolved']);
  });

  test('snoozes an open case until a date or until its content changes, and wakes it', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    const request = (key: string, operation: CaseAction) =>
      operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key });
    const end = all.clock.now() + DAY_MS;
    const snooze = { kind: 'snoozed', until: new Date(end).toISOString() } as const;
    const endNow = async () => {
      const [row] = await all.find();
      return row && snoozeEnd(row, all.clock.now());
    };
    await expect(request('k0', { kind: 'woken' })).rejects.toMatchObject({
      code: 'case-not-permitted',
      extras: { parameters: { state: 'open', action: 'woken' } },
    });
    await request('k1', snooze);
    expect(await endNow()).toBe(end);
    // An undone decision leaves the case snoozed.
    await request('k2', { kind: 'resolved', reason: 'paid' });
    expect(await endNow()).toBeUndefined();
    await expect(request('k3', snooze)).rejects.toMatchObject({ code: 'case-not-permitted' });
    await request('k4', { kind: 'reopened', reason: 'undone' });
    expect(await endNow()).toBe(end);
    await request('k5', { kind: 'woken' });
    expect(await endNow()).toBeUndefined();
    await request('k6', snooze);
    all.source.exceptions = [exception({ contentHash: 'content-2' })];
    await all.follow();
    expect(await endNow()).toBeUndefined();
    await request('k7', { kind: 'snoozed', until: snooze.until.replace('Z', '+00:00') });
    expect(await endNow()).toBe(end);
    expect(await all.verify()).toMatchObject({ valid: true });
    all.clock.advance(DAY_MS);
    expect(await endNow()).toBeUndefined();
    await all.meddle(
      `update cases set body = replace(body, '"snoozedUntil":1', '"snoozedUntil":2')`,
    );
    expect(await all.verify()).toMatchObject({ valid: false });
  });

  test('permits an action on a case whose only change is an alert to finance', async () => {
    const all = await setUp();
    const { id: caseId, number: ifRevision } = await all.openCase();
    const policy = { amount: { default: 1, currencies: {} }, days: undefined };
    await alertCases({ ...all.ctx, environment: 'sandbox' }, all.source, policy);
    expect(await all.kinds()).toEqual(['opened', 'alerted']);
    const operation = { kind: 'resolved', reason: 'paid' } as const;
    const request = { caseId, operation, by: 'Ines', key: 'k1', ifRevision };
    expect((await operateOnCase(all.ctx, request)).fact).toMatchObject({ state: 'resolved' });
  });

  test.each([
    ['resolved', 'ignored'],
    ['ignored', 'resolved'],
  ] as const)('requires a %s case to be reopened before it is %s', async (first, second) => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    const decide = (kind: 'resolved' | 'ignored' | 'reopened', key: string) =>
      operateOnCase(all.ctx, { caseId, operation: { kind, reason: 'paid' }, by: 'Ines', key });
    await decide(first, 'k1');
    await expect(decide(second, 'k2')).rejects.toMatchObject({
      code: 'case-not-permitted',
      extras: { detail: `The case is ${first}: reopen it before it can be ${second}.` },
    });
    await decide('reopened', 'k3');
    expect((await decide(second, 'k4')).fact).toMatchObject({ state: second });
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
});
