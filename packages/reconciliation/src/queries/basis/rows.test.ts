import { DuckDBInstance } from '../../platform/duckdb.ts';
import { expect, test } from 'vitest';
import { stream } from './rows.ts';

test('streams rows in small pages, and yields to the event loop between pages', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  let turns = 0;
  let handle: NodeJS.Immediate | undefined;
  const turn = () => {
    turns += 1;
    handle = setImmediate(turn);
  };
  turn();
  const seen: number[] = [];
  let next = 0;
  for await (const page of stream(connection, 'select range as number from range(4000)')) {
    expect(page.length).toBeLessThanOrEqual(256);
    for (const row of page) expect(row.number).toBe(next++);
    seen.push(turns);
  }
  clearImmediate(handle);
  expect(next).toBe(4_000);
  // Another request can be served in each turn.
  expect(new Set(seen).size).toBe(seen.length);
});
