import {
  ageingSchema,
  caseHistorySchema,
  casesSchema,
  exceptionsSchema,
  reconciliationSummarySchema,
  trailVerificationSchema,
} from '@financing-checkout/contract';
import { describe, expect, test } from 'vitest';
import { reconciledCompanion } from '../../reconciliation/reconciled.fixture.ts';
import { type Companion, cases, get, withOrders } from './reconciliation.fixture.ts';

describe('cases', () => {
  const post = (companion: Companion, path: string, body: unknown, key?: string) =>
    companion.officePost(
      `/reconciliation/cases/${path}`,
      body,
      key === undefined ? {} : { 'idempotency-key': key },
    );

  test('are listed with their age, filtered, and paged', async () => {
    const companion = await withOrders();
    await companion.follow();
    const all = await cases(companion);
    expect(new Set(all.map(({ code }) => code))).toContain('MISSING_AT_LENDER');
    const missing = await cases(companion, '?code=MISSING_AT_LENDER');
    expect(missing).toMatchObject([{ merchantOrderId: 'C-missing', state: 'open' }]);
    expect(await cases(companion, '?state=closed')).toEqual([]);
    expect((await cases(companion, '?least=10001')).length).toBeLessThan(all.length);
    const ids: string[] = [];
    let after = '';
    for (;;) {
      const page = casesSchema.parse(await get(companion, `/cases?limit=2${after}`));
      ids.push(...page.cases.map(({ id }) => id));
      if (page.next === undefined) break;
      after = `&after=${page.next}`;
    }
    expect(ids).toEqual(all.map(({ id }) => id));
    const ageing = ageingSchema.parse(await get(companion, '/cases/ageing'));
    expect(ageing.cells.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
  });

  test('are assigned, noted, ignored and opened again, each once by its key', async () => {
    const companion = await withOrders();
    await companion.follow();
    const [row] = await cases(companion, '?code=AMOUNT_MISMATCH');
    const id = row?.id ?? '';
    const assign = { by: 'Ines', assignee: 'Tomas' };
    expect((await post(companion, `${id}/assign`, assign, 'k1')).body).toMatchObject({
      assignee: 'Tomas',
    });
    expect((await post(companion, `${id}/assign`, assign, 'k1')).status).toBe(200);
    expect((await post(companion, `${id}/note`, { by: 'Ines', note: 'x' }, 'k1')).body.code).toBe(
      'idempotency-key-reused',
    );
    expect((await post(companion, `${id}/note`, { by: 'Ines', note: 'x' })).body.code).toBe(
      'idempotency-key-missing',
    );
    const ignored = await post(companion, `${id}/ignore`, { by: 'Ines', reason: 'small' }, 'k2');
    expect(ignored.body).toMatchObject({ state: 'ignored', reason: 'small' });
    await companion.put({ order: 'B-short', fundings: [{ transactionAmount: 8_400 }] });
    await companion.follow();
    const history = caseHistorySchema.parse(await get(companion, `/cases/${id}`));
    expect(history.case).toMatchObject({ state: 'open', amount: -1_600, assignee: 'Tomas' });
    expect(history.events.map(({ kind, actor }) => `${kind} ${actor}`)).toEqual([
      'opened reconciliation',
      'assigned back-office, for Ines',
      'ignored back-office, for Ines',
      'reopened reconciliation',
    ]);
  });

  test('show their trail page by page, to its end', async () => {
    const companion = await withOrders();
    await companion.follow();
    const [row] = await cases(companion, '?code=AMOUNT_MISMATCH');
    const path = `/cases/${row?.id ?? ''}`;
    for (const note of ['1', '2', '3', '4']) {
      await post(companion, `${row?.id ?? ''}/note`, { by: 'Ines', note }, `k${note}`);
    }
    const whole = caseHistorySchema.parse(await get(companion, path));
    expect([whole.events.length, whole.next]).toEqual([5, undefined]);
    const events: unknown[] = [];
    const lengths: number[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const page = caseHistorySchema.parse(await get(companion, `${path}?limit=2${after}`));
      expect(page.case.id).toBe(row?.id);
      events.push(...page.events);
      lengths.push(page.events.length);
      after = page.next === undefined ? undefined : `&after=${page.next}`;
    }
    expect([events, lengths]).toEqual([whole.events, [2, 2, 1]]);
    for (const query of ['after=WyJ4Il0', 'limit=0', 'page=2']) {
      expect((await companion.office(`/reconciliation${path}?${query}`)).status).toBe(400);
    }
  });

  test.each([
    ['note', {}],
    ['note', { by: 'Ines', note: '' }],
    ['note', { by: 'Ines', note: 'x'.repeat(4_001) }],
    // A text that was cut in the middle of a sign comes back as another one, and the trail would not hold.
    ['note', { by: 'Ines\ud83d', note: 'x' }],
    ['assign', { by: 'Ines', assignee: 'a\u0000' }],
    ['assign', { by: 'Ines' }],
    ['resolve', { by: 'Ines', reason: '  ' }],
    ['resolve', { by: 'Ines', reason: 'x', state: 'open' }],
  ])('%s with %j is refused', async (verb, body) => {
    const companion = await reconciledCompanion();
    const answer = await post(companion, `case_1/${verb}`, body, 'k');
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid-request']);
  });

  test.each([
    '/cases?assignee=a%00',
    '/cases/case_1%00',
    '/orders/order%3AA%00',
    `/cases?after=${Buffer.from('["a\\u0000"]').toString('base64url')}`,
  ])('an address with a NUL in it is no question: %s', async (path) => {
    const companion = await reconciledCompanion();
    const { status, body } = await companion.office(`/reconciliation${path}`);
    expect([status, (body as { code?: string }).code]).toEqual([400, 'invalid-request']);
  });

  test('the trail is verified; tampering is found and named', async () => {
    const companion = await withOrders();
    await companion.follow();
    const verify = async (query = '') =>
      trailVerificationSchema.parse(await get(companion, `/cases/verification${query}`));
    const { head, valid } = await verify();
    expect(valid).toBe(true);
    const anchor = `?anchor=${head.seq}:${head.hash}`;
    expect((await verify(anchor)).valid).toBe(true);
    expect((await verify(`?anchor=1:${'0'.repeat(64)}`)).broken).toMatchObject({ seq: 1 });
    await companion.db
      .updateTable('case_events')
      .set({ actor: 'Mallory' })
      .where('seq', '=', 2)
      .execute();
    expect((await verify()).broken).toMatchObject({ seq: 2, reason: 'is not as it was written' });
  });

  test('exceptions name their case; the summary counts what is open', async () => {
    const companion = await withOrders();
    await companion.prove();
    await companion.follow();
    const { exceptions } = exceptionsSchema.parse(
      await get(companion, '/exceptions?code=MISSING_AT_LENDER'),
    );
    expect(exceptions).toMatchObject([
      { merchantOrderId: 'C-missing', amount: 10_000, case: { state: 'open' } },
    ]);
    const id = exceptions[0]?.case?.id ?? '';
    const counts = async () => {
      const summary = reconciliationSummarySchema.parse(await get(companion, '/summary'));
      expect([summary.complete, summary.unprovenDays]).toEqual([true, 0]);
      return summary.exceptions.find(({ code }) => code === 'MISSING_AT_LENDER');
    };
    expect(await counts()).toMatchObject({ open: 1, count: 1, amount: 10_000 });
    await post(companion, `${id}/resolve`, { by: 'Ines', reason: 'paid by cheque' }, 'k1');
    expect(await counts()).toMatchObject({ open: 0, count: 1 });
  });

  test('days that are not proved are counted: nothing is complete that nobody has read', async () => {
    const companion = await withOrders();
    expect(await get(companion, '/summary')).toMatchObject({ complete: false, unprovenDays: 11 });
    await companion.prove(4);
    expect(await get(companion, '/summary')).toMatchObject({ complete: false, unprovenDays: 7 });
  });
});
