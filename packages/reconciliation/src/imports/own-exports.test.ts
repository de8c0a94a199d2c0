import { expect, test } from 'vitest';
import { settle } from '../companion/companion.fixture.ts';
import { configure, run, shopDays, startShop } from '../program.fixture.ts';

const ids = ['A-1', '=1+1', '+49', '-7', '@shop', '|x', 'A;=B', '"q"', "O'Neil", 'Ä, Ö'].concat(
  // An apostrophe that is already there is part of the id.
  ['＝1', 'A; "＝B', 'A,-B', "'=1+2", "A;'=B"],
);

test('recognises all lines of its own export as repeated', async () => {
  const shop = await startShop(0);
  shop.entries = ids.map((id, at) =>
    settle(at + 1, id, 100_000 + at, {
      merchantTransactionId: `${id}-m`,
      transactionId: `${id}-t`,
    }),
  );
  const program = await run(configure(shop));
  await program.sync(shopDays());
  const post = async (path: string, type: string, body: string) => {
    const init = { method: 'POST', headers: { 'content-type': type }, body };
    return (await program.app.request(path, init)).json();
  };
  const lines = ids.map((id, at) => ({
    ...{ merchantOrderId: `${id}9`, type: 'refund', amount: 250 + at, currency: 'USD' },
    date: new Date(Date.now() - 86_400_000 + at).toISOString(),
  }));
  // Two equal lines count as two, in both directions.
  const file = [...lines, lines[0]].map((line) => JSON.stringify(line)).join('\n');
  expect(await post('/ledger', 'application/x-ndjson', file)).toMatchObject({
    added: ids.length + 1,
  });
  for (const how of ['', '&decimal=comma', '&bom=true&zone=Europe%2FBerlin']) {
    const exported = await program.app.request(`/exports/lines?format=csv${how}`);
    const report = await post('/ledger', 'text/csv', await exported.text());
    expect(report).toMatchObject({
      errors: [],
      applied: true,
      added: 0,
      repeated: 2 * ids.length + 1,
    });
  }
});

test('finds an order by its id in any spreadsheet form', async () => {
  const shop = await startShop(1);
  const program = await run(configure(shop));
  await program.sync(shopDays());
  for (const id of [' A-1 ', '="A-1"', "'A-1", 'A\u200b-1']) {
    expect(await program.get(`/orders/${encodeURIComponent(`order:${id}`)}`)).toMatchObject({
      orderKey: 'order:A-1',
    });
  }
});
