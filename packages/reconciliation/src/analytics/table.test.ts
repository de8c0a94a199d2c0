import {
  bytes,
  choice,
  flag,
  json,
  migrationStatements,
  moment,
  real,
  table,
  text,
  whole,
} from '@financing-checkout/kit/sql';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openDuckDB } from '../platform/duckdb.ts';

const fundings = table('newFundings', {
  id: text(),
  hash: text().as({ duckdb: 'uuid' }),
  keyHash: whole().as({ duckdb: 'uinteger' }),
  state: choice(['complete', 'failed']),
  isAssumed: flag(),
  amount: whole().optional(),
  basisPoints: real().optional(),
  names: json(z.array(z.string())),
  content: bytes(),
  fundedAt: moment().optional(),
});

test('creates, writes and reads a table in DuckDB from its definition', async () => {
  const options = { memoryLimit: '100MB', threads: 1, folders: [] };
  const { instance, connection } = await openDuckDB(options);
  onTestFinished(() => instance.closeSync());
  for (const statement of migrationStatements({ fundings }, 'duckdb')) {
    await connection.run(statement);
  }
  const described = await connection.runAndReadAll(
    `select column_name, column_type, "null" from (describe new_fundings)`,
  );
  expect(described.getRowsJS()).toEqual([
    ['id', 'VARCHAR', 'NO'],
    ['hash', 'UUID', 'NO'],
    ['key_hash', 'UINTEGER', 'NO'],
    ['state', 'VARCHAR', 'NO'],
    ['is_assumed', 'BOOLEAN', 'NO'],
    ['amount', 'BIGINT', 'YES'],
    ['basis_points', 'DOUBLE', 'YES'],
    ['names', 'VARCHAR', 'NO'],
    ['content', 'BLOB', 'NO'],
    ['funded_at', 'BIGINT', 'YES'],
  ]);
  const row = {
    id: '2026-11-20:f-1',
    hash: 'c0ffee00-0000-4000-8000-000000000001',
    keyHash: 4_294_967_295,
    state: 'complete' as const,
    isAssumed: true,
    amount: Number.MAX_SAFE_INTEGER,
    basisPoints: 287.5,
    names: ['Ines'],
    content: new Uint8Array([0, 255]),
  };
  const { content, ...written } = fundings.write(row);
  const columns = Object.values(written);
  const statement = await connection.prepare(
    `insert into new_fundings select $1, $2, $3, $4, $5, $6, $7, $8, from_hex('00FF'), $9`,
  );
  statement.bind(columns);
  await statement.run();
  expect(content).toBe(row.content);
  const names = Object.keys(fundings.columns).map(
    (name) => `${name.replaceAll(/[A-Z]/g, '_$&')} as "${name}"`,
  );
  const found = await connection.runAndReadAll(`select ${names.join(', ')} from new_fundings`);
  const [selected] = found.getRowObjectsJS();
  const read = fundings.read(selected as Parameters<typeof fundings.read>[0]);
  expect({ ...read, content: new Uint8Array(read.content) }).toEqual(row);
});
