import { once } from 'node:events';
import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { isUnavailable } from './errors.ts';

test('recognizes a PostgreSQL server that hangs up', async () => {
  const server = createServer((socket) => void socket.end());
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  const client = new pg.Client({ host: '127.0.0.1', port: address.port });
  const error: unknown = await client.connect().catch((failure: unknown) => failure);
  expect(isUnavailable(error)).toBe(true);
});

test('does not take a violated constraint for an unavailable SQLite database', () => {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  database.exec('create table one (id integer primary key) strict; insert into one values (1)');
  let error: unknown;
  try {
    database.exec('insert into one values (1)');
  } catch (failure) {
    error = failure;
  }
  expect(error).toBeInstanceOf(Error);
  expect(isUnavailable(error)).toBe(false);
});
