import { expect, test } from 'vitest';
import { BACK_OFFICE_TOKEN } from '../../companion.fixture.ts';
import { reconciledCompanion } from '../../reconciliation/reconciled.fixture.ts';
import { get, withOrders } from './reconciliation.fixture.ts';

test('a file that breaks off is no fault of the companion, and nothing of it is taken', async () => {
  const companion = await withOrders();
  const before = await get(companion, '/summary');
  const pieces = ['merchantOrderId,type,amount,date\n', 'X-1,Settle,1.00,2026-11-01\n'].values();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value } = pieces.next();
      if (value === undefined) controller.error(new Error('The connection was reset.'));
      else controller.enqueue(new TextEncoder().encode(value));
    },
  });
  const answer = await companion.backOffice.request('/reconciliation/ledger?units=major', {
    method: 'POST',
    headers: { authorization: `Bearer ${BACK_OFFICE_TOKEN}`, 'content-type': 'text/csv' },
    body,
    duplex: 'half',
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { code: 'invalid-request', detail: 'The body did not arrive whole.' },
  ]);
  expect(companion.log.some(({ event }) => event === 'request-failed')).toBe(false);
  await companion.follow();
  expect(await get(companion, '/summary')).toEqual(before);
});

test('a second import is refused while one is under way, and may be sent again', async () => {
  const companion = await reconciledCompanion();
  const other = { environment: 'sandbox' as const, id: 'other' };
  const now = companion.clock.now();
  const begin = { action: 'add', source: 'import' } as const;
  expect(await companion.store.beginImport(other, begin, now, now + 60_000)).toBe(true);
  const answer = await companion.backOffice.request('/reconciliation/ledger', {
    method: 'POST',
    headers: { authorization: `Bearer ${BACK_OFFICE_TOKEN}`, 'content-type': 'text/csv' },
    body: 'merchantOrderId,type,amount,currency,date\n',
  });
  expect(answer.status).toBe(409);
  expect(await answer.json()).toMatchObject({ code: 'import-busy', retrySafe: true });
});
