import type { CaseRecord, CaseSummary, Today } from '@financing-checkout/contract/reconciliation';
import { expect, test } from 'vitest';
import { shareProgram, shopDays, startShop } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';

/** Opens a shop with three cases: one partly paid order, and two orders without a ledger line. */
const openShop: Parameters<typeof shareProgram>[0] = async (atEnd) => {
  const shop = await startShop(1, atEnd);
  const at = new Date(Date.now() - 2 * 86_400_000).toISOString();
  shop.records.push(wireRecord(7, at), wireRecord(8, at));
  return shop;
};
const shared = shareProgram(openShop, { RECONCILIATION_DEFAULT_CURRENCY: 'USD' });
/** A shop in which the currency of two orders is assumed. */
const assuming = shareProgram(openShop);

interface Answer {
  status: number;
  body: Partial<CaseRecord> & { code?: string; detail?: string };
}

async function act(
  id: string,
  verb: string,
  body: object = {},
  { program } = shared,
): Promise<Answer> {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const response = await program.post(`/cases/${id}/${verb}`, body, headers);
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

test('counts the money of merged cases with their main case, and lists them on request', async () => {
  const { program } = shared;
  await program.sync(shopDays());
  const list = async (query: string) =>
    (await program.get<{ cases: CaseRecord[] }>(`/cases?${query}`)).cases;
  const queue = 'state=open&snoozed=false&merged=false';
  const [first, second, main] = await list(queue);
  if (first === undefined || second === undefined || main === undefined) {
    throw new Error('The shop has no three cases.');
  }
  const total = [first, second, main].reduce((sum, { amount }) => sum + Math.abs(amount), 0);
  const figures = async () => {
    const { amounts, counts } = await program.get<Today>('/today');
    const { cells } = await program.get<{ cells: { count: number; amount: number }[] }>(
      '/cases/aging',
    );
    const summary = await program.get<CaseSummary>(`/cases/summary?${queue}`);
    const sumOf = (list: readonly { amount: number | null }[] = []) =>
      list.reduce((sum, { amount }) => sum + (amount ?? 0), 0);
    return {
      queue: [summary.count, sumOf(summary.amounts)],
      aging: [cells.reduce((sum, { count }) => sum + count, 0), sumOf(cells)],
      today: [
        (counts.exception ?? 0) + (counts['late-funding'] ?? 0),
        sumOf(amounts.exception) + sumOf(amounts['late-funding']),
      ],
    };
  };
  const all = [3, total];
  expect(await figures()).toEqual({ queue: all, aging: all, today: all });

  for (const { id, revision } of [first, second]) {
    const body = { into: main.id, note: 'one outage', ifRevision: revision };
    expect(await act(id, 'merge', body)).toMatchObject({
      status: 200,
      body: { id, state: 'open', mergedInto: main.id },
    });
  }
  const together = { count: 2, assumedCurrency: 0, amount: total };
  const one = [1, total];
  expect(await figures()).toEqual({ queue: one, aging: one, today: one });
  expect(await list(queue)).toMatchObject([{ id: main.id, together }]);
  expect(await list(`${queue}&least=${total}`)).toHaveLength(1);
  const ids = [first.id, second.id].sort();
  for (const query of ['merged=true', `mergedInto=${main.id}`]) {
    expect((await list(query)).map(({ id }) => id).sort()).toEqual(ids);
  }
  const summary = await program.get<CaseSummary>('/cases/summary?state=open');
  expect(summary).toMatchObject({ count: 3, amounts: [{ amount: total }] });
  const { items } = await program.get<Today>('/today');
  expect(items.filter(({ id }) => ids.includes(id))).toEqual([]);
  const csv = await (await program.app.request('/exports/cases')).text();
  expect(csv.split('\n')[0]).toContain('snoozed_until,merged_into,');
  expect(csv.split('\n').filter((line) => line.includes(`,${main.id},`))).toHaveLength(3);

  expect(await act(first.id, 'resolve', { reason: 'paid' })).toMatchObject({
    status: 409,
    body: {
      code: 'case-not-permitted',
      detail: `The case is handled with ${main.id}: use that case, or split this one from it first.`,
    },
  });
  expect(await act(first.id, 'merge', { into: 'none' })).toMatchObject({ status: 409 });
  expect(await act(main.id, 'merge', { into: 'none' })).toMatchObject({ status: 400 });
  expect(await act(main.id, 'resolve', { reason: 'paid' })).toMatchObject({
    status: 200,
    body: { state: 'resolved', together },
  });
  expect(await list('state=resolved')).toHaveLength(3);
  expect(await act(main.id, 'reopen', { reason: 'it was not' })).toMatchObject({ status: 200 });
  for (const id of ids) {
    const { status, body } = await act(id, 'split', { note: 'another cause' });
    expect([status, body.mergedInto]).toEqual([200, undefined]);
  }
  expect(await figures()).toEqual({ queue: all, aging: all, today: all });
  expect(await list(queue)).toHaveLength(3);
});

test('adds no amount of an assumed currency to the total of a case', async () => {
  const { program } = assuming;
  await program.sync(shopDays());
  const list = async () => (await program.get<{ cases: CaseRecord[] }>('/cases')).cases;
  const summary = () => program.get<CaseSummary>('/cases/summary?state=open&merged=false');
  const isAssumed = ({ currencyAssumed }: CaseRecord) => currencyAssumed === true;
  const assumed = (await list()).filter(isAssumed);
  const main = (await list()).find((one) => !isAssumed(one));
  if (main === undefined) throw new Error('The shop has no case of a known currency.');
  expect(assumed).toHaveLength(2);
  const { amounts } = await summary();
  for (const { id } of assumed) {
    expect(await act(id, 'merge', { into: main.id }, assuming)).toMatchObject({ status: 200 });
  }
  expect(await summary()).toEqual({ count: 1, assumedCurrency: 0, countedWithOthers: 0, amounts });
  const together = { count: 2, assumedCurrency: 2, amount: Math.abs(main.amount) };
  expect((await list()).find(({ id }) => id === main.id)).toMatchObject({ together });
});
