import type { OrderExplanation, SearchResult } from '@financing-checkout/contract/reconciliation';
import { expect, test } from 'vitest';
import { commandsOf } from '../cli/cli.fixture.ts';
import { configure, dayBefore, run, shopDays, startShop } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';

async function started() {
  const shop = await startShop(3);
  const program = await run(configure(shop));
  return { ...program, shop };
}

const search = ({ get }: Awaited<ReturnType<typeof started>>, q: string) =>
  get<SearchResult>(`/search?q=${encodeURIComponent(q)}`);
const explain = ({ get }: Awaited<ReturnType<typeof started>>, order: string) =>
  get<OrderExplanation>(`/orders/order:${order}`);

test('states nothing that was not searched when all days are proven and all records are read', async () => {
  const program = await started();
  await program.sync(shopDays());
  expect((await search(program, 'A-1')).notSearched).toEqual([]);
  expect((await explain(program, 'A-1')).notSearched).toEqual([]);
});

test('states unproven days, records in quarantine and a silent companion in searches and explanations', async () => {
  const program = await started();
  const { shop } = program;
  shop.records.push(
    wireRecord(9, new Date(Date.now() - 86_400_000).toISOString(), { transactionAmount: 'x' }),
  );
  await program.sync({ from: dayBefore(2), to: dayBefore(1) });
  await shop.close();
  const gaps = [
    { gap: 'unproven-days', count: 2 },
    { gap: 'quarantined', count: 1 },
    { gap: 'companion', count: 1 },
  ];
  expect((await search(program, 'A-1')).notSearched).toEqual(gaps);
  expect((await explain(program, 'A-1')).notSearched).toEqual(gaps);
  const sentence =
    'Not searched: 2 days that are not proven; 1 record in quarantine; the companion, which did not answer.';
  const missing = await program.app.request('/orders/order:unheard-of');
  expect(((await missing.json()) as { detail: string }).detail).toContain(sentence);
  const told = await commandsOf(program).run('explain', 'A-1');
  expect(told.out).toContain(sentence);
  const unknown = await commandsOf(program).run('explain', 'unheard-of');
  expect(unknown.err).toContain(sentence);
});

test('states the matches beyond the limit of a search', async () => {
  const program = await started();
  const { shop } = program;
  const at = new Date(Date.now() - 86_400_000).toISOString();
  for (let index = 100; index < 201; index++) shop.records.push(wireRecord(index, at));
  await program.sync(shopDays());
  // A slow machine leaves kinds of IDs for later, which is another gap.
  const { notSearched } = await search(program, 'chg-');
  expect(notSearched).toContainEqual({ gap: 'matches', count: 100 });
});
