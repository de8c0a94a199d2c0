import { trailSchema } from '@financing-checkout/contract/reconciliation';
import { beforeAll, expect, test } from 'vitest';
import { shareProgram, shopDays, startShop } from '../program.fixture.ts';
import { ordersOfCharges } from '../queries/orders/order-lines.ts';

const shared = shareProgram((atEnd) => startShop(3, atEnd));

const trail = async (query = '') =>
  trailSchema.parse(await shared.program.get<unknown>(`/trail${query}`));

let one: { id: string; orderKey: string } | undefined;
beforeAll(async () => {
  const { get, post, sync } = shared.program;
  await sync(shopDays());
  [one] = (await get<{ cases: { id: string; orderKey: string }[] }>('/cases')).cases;
  for (const [index, note] of ['first', 'second'].entries()) {
    const headers = { 'idempotency-key': `trail-note-${index}` };
    await post(`/cases/${one?.id}/note`, { note, by: 'Ines' }, headers);
  }
});

test('lists actions and work on cases by time, each with its order, and pages through them', async () => {
  const { entries } = await trail('?by=people');
  expect(entries.slice(0, 2)).toMatchObject([
    { kind: 'noted', subject: one?.id, orderKey: one?.orderKey },
    { kind: 'noted', detail: { note: 'first' } },
  ]);
  const synced = entries.find(({ kind }) => kind === 'sync');
  // The beginning of the sync and its outcome.
  expect(synced?.numbers.length).toBeGreaterThan(1);
  expect(entries.map(({ actor }) => actor)).not.toContain('reconciliation');

  const paged: typeof entries = [];
  let after: string | undefined;
  do {
    const page = await trail(`?by=people&limit=1${after === undefined ? '' : `&after=${after}`}`);
    paged.push(...page.entries);
    after = page.next;
  } while (after !== undefined);
  expect(paged).toEqual(entries);
});

test('filters by a fragment of the person, by subject, by kind and by day', async () => {
  const ofInes = await trail('?actor=INES');
  expect(ofInes.entries.map(({ kind }) => kind)).toEqual(['noted', 'noted']);
  expect((await trail('?actor=%25')).entries).toEqual([]);
  const opened = await trail('?by=program&kind=opened');
  expect(opened.entries.length).toBeGreaterThan(0);
  expect(new Set(opened.entries.map(({ kind }) => kind))).toEqual(new Set(['opened']));
  expect((await trail('?kind=sync')).entries).toHaveLength(1);
  const ofCase = await trail(`?subject=${one?.id}`);
  expect(ofCase.entries.map(({ kind }) => kind)).toEqual(['noted', 'noted', 'opened']);
  expect((await trail('?to=2001-01-01')).entries).toEqual([]);
});

test('numbers each event once', async () => {
  const { entries } = await trail('?limit=1000');
  const numbers = entries.flatMap((entry) => entry.numbers).toSorted((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

test('finds the orders of charges', async () => {
  const { engine } = shared.program;
  const { signal } = new AbortController();
  const context = engine.data.context(signal);
  const [row] = await engine.data.database.read(async (connection) => {
    const reader = await connection.runAndReadAll(
      'select charge_id, order_key from fundings where charge_id is not null limit 1',
    );
    return reader.getRowObjects();
  }, signal);
  const charge = String(row?.charge_id);
  expect([...(await ordersOfCharges(context, [charge, 'none']))]).toEqual([
    [charge, row?.order_key],
  ]);
  expect((await ordersOfCharges(context, [])).size).toBe(0);
});
