import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CaseAction } from '@financing-checkout/contract/reconciliation';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databases } from '../facts/facts.fixture.ts';
import { exception, openCases } from './cases.fixture.ts';
import { operateOnCase, operateOnCases, type PartOutcome } from './operations.ts';

const resolve = { kind: 'resolved', reason: 'paid' } as const;

/** Returns a code for a refusal, and the state of a changed case. */
const shown = (outcomes: readonly PartOutcome[]) =>
  outcomes.map((one) => ('fact' in one ? one.fact.state : one.problem.code));

describe.each(databases)('operations on many cases on %s', (_, make) => {
  async function setUp(count: number) {
    const all = await openCases(await make());
    all.source.exceptions = Array.from({ length: count }, (_unused, index) =>
      exception({ orderKey: `order:A-${String(index).padStart(4, '0')}` }),
    );
    await all.follow();
    const cases = await all.find();
    const ids = cases.map(({ id }) => id);
    const act = (key: string, operation: CaseAction, some = ids, by = 'Ines') =>
      operateOnCases(
        all.ctx,
        some.map((caseId) => ({ caseId, operation, by })),
        key,
      );
    return { ...all, cases, ids, act };
  }

  test('changes 1,000 cases in one transaction, and once when the request is repeated', async () => {
    const all = await setUp(1_000);
    const first = await all.act('k1', resolve);
    expect(new Set(shown(first))).toEqual(new Set(['resolved']));
    expect(await all.facts.head()).toBe(2_000);
    // Another process has the answer to a request that another one has lost.
    expect(await all.act('k1', resolve)).toEqual(first);
    expect(await all.facts.head()).toBe(2_000);
    expect(await all.verify()).toMatchObject({ valid: true, events: 2_000 });
  });

  test('refuses another request with the same key, and changes nothing', async () => {
    const all = await setUp(3);
    const [one = '', two = '', three = ''] = all.ids;
    await all.act('k1', resolve, [one, two]);
    const reused = { code: 'idempotency-key-reused' };
    await expect(all.act('k1', resolve, [one, three])).rejects.toMatchObject(reused);
    await expect(all.act('k1', resolve, [three])).rejects.toMatchObject(reused);
    await expect(all.act('k1', resolve, [one, two], 'Tomas')).rejects.toMatchObject(reused);
    const noted = { kind: 'noted', note: 'asked' } as const;
    await expect(all.act('k1', noted, [one, two])).rejects.toMatchObject(reused);
    expect(await all.facts.head()).toBe(5);
    expect(shown(await all.act('k2', resolve, [three]))).toEqual(['resolved']);
  });

  test('answers each refused case with its problem, and changes the others', async () => {
    const all = await setUp(3);
    const [one, two, three] = all.cases;
    if (one === undefined || two === undefined || three === undefined) throw new Error('No cases.');
    await operateOnCase(all.ctx, { caseId: one.id, operation: resolve, by: 'Tomas', key: 'a' });
    const note = { kind: 'noted', note: 'asked' } as const;
    await operateOnCase(all.ctx, { caseId: two.id, operation: note, by: 'Tomas', key: 'b' });
    const requests = [one, two, three, { id: 'case_none', number: 1 }].map(({ id, number }) => ({
      caseId: id,
      operation: resolve,
      by: 'Ines',
      ifRevision: id === one.id ? undefined : number,
    }));
    const answer = await operateOnCases(all.ctx, requests, 'k1');
    expect(answer).toMatchObject([
      {
        caseId: one.id,
        problem: {
          code: 'case-not-permitted',
          extras: { detail: 'The case is resolved already.' },
        },
      },
      {
        caseId: two.id,
        problem: { code: 'case-changed', extras: { parameters: { kind: 'noted', by: 'Tomas' } } },
      },
      { fact: { id: three.id, state: 'resolved', number: 6 }, revision: 6 },
      { caseId: 'case_none', problem: { code: 'case-not-found' } },
    ]);
    const again = await operateOnCases(all.ctx, requests, 'k1');
    expect(again).toEqual(answer);
    // A case that was refused stays as it is when the request is repeated.
    const reopen = { kind: 'reopened', reason: 'look again' } as const;
    await operateOnCase(all.ctx, { caseId: one.id, operation: reopen, by: 'Tomas', key: 'c' });
    const head = await all.facts.head();
    expect(await operateOnCases(all.ctx, requests, 'k1')).toMatchObject([
      { caseId: one.id, problem: { code: 'case-changed' } },
      { caseId: two.id, problem: { code: 'case-changed' } },
      { revision: 6 },
      { caseId: 'case_none', problem: { code: 'case-not-found' } },
    ]);
    expect(await all.facts.head()).toBe(head);
  });

  test('merges, splits and decides in the order of the request, merged cases included', async () => {
    const all = await setUp(4);
    const [main = '', one = '', two = '', three = ''] = all.ids;
    const into = { kind: 'merged', into: main } as const;
    const of = (caseId: string, operation: CaseAction) => ({ caseId, operation, by: 'Ines' });
    const merged = await operateOnCases(
      all.ctx,
      [of(one, into), of(two, into), of(three, { kind: 'merged', into: one }), of(main, resolve)],
      'k1',
    );
    expect(shown(merged)).toEqual(['resolved', 'resolved', 'case-not-permitted', 'resolved']);
    expect(await all.act('k2', { kind: 'merged', into: 'case_none' }, [three])).toMatchObject([
      { problem: { code: 'invalid-request', extras: { errors: [{ path: 'into' }] } } },
    ]);
    const reopened = await operateOnCases(
      all.ctx,
      [
        of(main, { kind: 'reopened', reason: 'look again' }),
        of(one, { kind: 'split' }),
        of(two, { kind: 'noted', note: 'asked' }),
      ],
      'k3',
    );
    expect(shown(reopened)).toEqual(['open', 'open', 'open']);
    expect(await all.verify()).toMatchObject({ valid: true });
  });

  test('changes nothing if the process is killed before the commit, and all when it is repeated', async () => {
    const all = await setUp(3);
    const script = new URL('operate-many.fixture.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [script, all.url, JSON.stringify(all.ctx.fence)]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect(await lines.next()).toMatchObject({ value: 'written' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await all.facts.head()).toBe(3);
    expect(shown(await all.act('k1', resolve))).toEqual(['resolved', 'resolved', 'resolved']);
    expect(await all.facts.head()).toBe(6);
  });
});
