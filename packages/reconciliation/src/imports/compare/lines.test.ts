import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';
import { dropStaged, stageLines } from './lines.ts';

/** A line with the columns of an import's content. */
const line = (number: number, id: string, order: string, transaction?: string) => ({
  number,
  id,
  order_key: `order:${order}`,
  merchant_order_id: order,
  currency: 'EUR',
  type: 'Settle',
  amount: 100,
  occurred_at: 1_772_359_200_000,
  transaction_id: transaction,
});

/** Returns the numbers of the lines that are compared with others. */
async function stagedOf(
  { analytics, scratch }: Awaited<ReturnType<typeof openLedger>>,
  lines: readonly object[],
): Promise<number[]> {
  const file = join(scratch, 'lines');
  await writeFile(file, lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
  return analytics.write(async (connection) => {
    await stageLines(connection, file);
    const staged = await connection.runAndReadAll('select number from staged order by number');
    await dropStaged(connection);
    return staged.getRows().map(([number]) => Number(number));
  });
}

test('compares only lines with an ID or order that is in the ledger, or twice in the file', async () => {
  const ledger = await openLedger();
  const { change, run } = ledger;
  await run(
    `${JSON.stringify({
      merchantOrderId: 'A-known',
      type: 'settle',
      amount: 100,
      currency: 'EUR',
      date: '2026-03-01T10:00:00.000Z',
      merchantTransactionId: 'M-known',
    })}\n`,
  );
  await change(
    `insert into authorizations values ('order:A-authorized', 'EUR', 'M-a', null, 100, 0)`,
  );
  const lines = [
    line(1, 'm:Settle:M-1', 'A-1', 'T-1'),
    line(2, 't:Settle:T-2', 'A-2', 'T-2'),
    line(3, 'm:Settle:M-twice', 'A-3'),
    line(4, 'm:Settle:M-twice', 'A-4'),
    line(5, 'm:Settle:M-5', 'A-both', 'T-5'),
    line(6, 't:Settle:T-5', 'A-both', 'T-5'),
    line(7, 'm:Settle:M-known', 'A-7'),
    line(8, 'm:Settle:M-8', 'A-known'),
    line(9, 'c:Settle:9', 'A-authorized'),
    line(10, 'm:Settle:M-10', 'A-1'),
    line(11, 'c:Settle:11', 'A-1'),
  ];
  expect(await stagedOf(ledger, lines)).toEqual([3, 4, 5, 6, 7, 8, 9]);
});
