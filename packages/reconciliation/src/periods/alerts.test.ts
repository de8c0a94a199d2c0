import { approvalAlertSchema, type Today } from '@financing-checkout/contract/reconciliation';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { wireRecord } from '../sync/history.fixture.ts';
import { anna, at, ben, openBooks } from './periods.fixture.ts';

test('lists a request that waits for a second person today, and alerts finance once', async () => {
  const books = await openBooks({
    RECONCILIATION_ALERT_URL: 'http://127.0.0.1:9/alerts',
    RECONCILIATION_ALERT_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  });
  const approvals = async () => {
    const { counts, items } = await books.get<Today>('/today?kind=approval');
    expect(counts.approval).toBe(items.length);
    return items;
  };
  // A case whose money is less than that of a whole period.
  books.companion.records.push(wireRecord(3, at(8)));
  await books.sync();
  await books.accept('P1', 'cases-decided');
  const queued = () => {
    const store = new DatabaseSync(books.store, { readOnly: true });
    const rows = store.prepare('select body from alerts order by created_at').all();
    store.close();
    return rows.map(({ body }) => approvalAlertSchema.parse(JSON.parse(String(body))).data);
  };
  expect(await approvals()).toEqual([]);
  await books.act('P1', 'preparation', anna);
  const { prepared } = (await books.read('P1')).period;
  const asked = { kind: 'approval', id: 'P1', actor: 'anna' };
  expect(await approvals()).toEqual([
    { ...asked, code: 'preparation', since: prepared?.at, endsAt: prepared?.lapsesAt },
  ]);
  const { items } = await books.get<Today>('/today');
  expect(items.map(({ kind }) => kind)).toEqual(['approval', 'exception']);
  await books.program.engine.leader?.pass();
  const first = {
    environment: 'sandbox',
    period: 'P1',
    of: 'preparation',
    request: prepared?.request,
    at: prepared?.at,
    lapsesAt: prepared?.lapsesAt,
  };
  expect(queued()).toEqual([first]);

  await books.act('P1', 'close', ben);
  expect(await approvals()).toEqual([]);
  await books.act('P1', 'reopening', anna, { reason: 'the bank differs' });
  expect(await approvals()).toMatchObject([
    { ...asked, code: 'reopening', reason: 'the bank differs' },
  ]);
  expect(queued()).toMatchObject([first, { period: 'P1', of: 'reopening' }]);
  await books.act('P1', 'withdrawal', ben, { of: 'reopening' });
  expect(await approvals()).toEqual([]);
});
