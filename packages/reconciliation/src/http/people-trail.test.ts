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

test('lists actions and work on cases by time, each with its order, and pages through both', async () => {
  const { entries } = await trail();
  expect(entries.slice(0, 2)).toMatchObject([
    { chain: 'cases', kind: 'noted', subject: one?.id, orderKey: one?.orderKey },
    { chain: 'cases', kind: 'noted', detail: { note: 'first' } },
  ]);
  const synced = entries.find(({ kind }) => kind === 'sync');
  expect(synced).toMatchObject({ chain: 'actions' });
  // One event for the start of the sync, and one for its outcome.
  expect(synced?.numbers.length).toBeGreaterThan(1);
  expect(entries.map(({ actor }) => actor)).not.toContain('reconciliation');

  const paged: typeof entries = [];
  let after: string | undefined;
  do {
    const page = await trail(`?limit=1${after === undefined ? '' : `&after=${after}`}`);
    paged.push(...page.entries);
    after = page.next;
  } while (after !== undefined);
  expect(paged).toEqual(entries);
});

test('filters by a fragment of the person, by kind and by day', async () => {
  const ofInes = await trail('?actor=INES');
  expect(ofInes.entries.map(({ kind }) => kind)).toEqual(['noted', 'noted']);
  expect((await trail('?actor=%25')).entries).toEqual([]);
  const opened = await trail('?actor=reconciliation&kind=opened');
  expect(opened.entries.length).toBeGreaterThan(0);
  expect(new Set(opened.entries.map(({ kind }) => kind))).toEqual(new Set(['opened']));
  expect((await trail('?kind=sync')).entries).toHaveLength(1);
  expect((await trail('?to=2001-01-01')).entries).toEqual([]);
});

test('returns the number of each event of an action once', async () => {
  const { entries } = await trail('?limit=1000');
  const numbers = entries
    .filter(({ chain }) => chain === 'actions')
    .flatMap((entry) => entry.numbers)
    .toSorted((a, b) => a - b);
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
