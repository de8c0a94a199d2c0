import { expect, test } from 'vitest';
import { dayBefore } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';
import { anna, at, chargeback, openBooks, periods } from './periods.fixture.ts';

test('names the orders of open cases, and lists exactly these cases by a filter', async () => {
  const books = await openBooks();
  books.companion.records.push(
    wireRecord(3, at(8)),
    wireRecord(4, at(8)),
    chargeback,
    // Began in the next period.
    wireRecord(5, at(4)),
  );
  await books.sync();
  const of = (order: string) => books.cases(`merchantOrderId=${order}`);
  const [[one], [two]] = [await of('A-3'), await of('A-4')];
  await books.work(one?.id, 'snooze', { until: dayBefore(-5) });
  await books.work(two?.id, 'merge', { into: (await of('A-0'))[0]?.id });
  const { checks } = await books.read('P1');
  expect(checks.find(({ check }) => check === 'cases-decided')).toMatchObject({
    count: 3,
    orders: {
      count: 3,
      first: [{ merchantOrderId: 'A-4' }, { merchantOrderId: 'A-3' }, { merchantOrderId: 'A-0' }],
    },
  });
  const filter = `state=open&begunTo=${periods[0]?.to}`;
  const listed = await books.cases(filter);
  expect(listed.map(({ merchantOrderId, code }) => [merchantOrderId, code]).sort()).toEqual([
    ['A-0', 'CHARGEBACK_OPEN'],
    ['A-3', 'NOT_IN_LEDGER'],
    ['A-4', 'NOT_IN_LEDGER'],
  ]);
  expect(await books.get(`/cases/summary?${filter}`)).toMatchObject({ count: 3 });
  const exported = await books.program.app.request(`/exports/cases?${filter}`, { headers: anna });
  expect((await exported.text()).trim().split('\n')).toHaveLength(4);
});
