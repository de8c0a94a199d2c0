import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import getPort from 'get-port';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../bench/postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of PgBouncer. */
    postgresUrl: string;
  }
}

/** Fewer sessions than connections of any program, so that transactions share them. */
const SESSIONS = 2;

/** Vitest's global setup: PgBouncer in transaction mode, in front of a real PostgreSQL. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  findPgBouncer();
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  chmodSync(folder, 0o755);
  const postgres = await startPostgres({ fsync: 'off' });
  const { password, port: serverPort } = new URL(postgres.url);
  const port = await getPort();
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"postgres" "${password}"\n`, { mode: 0o644 });
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${SESSIONS}
max_client_conn = 500
# The tests use one database each.
server_idle_timeout = 5
${process.getuid?.() === 0 ? 'user = postgres' : ''}
`,
    { mode: 0o644 },
  );
  const lines: string[] = [];
  const program = spawn('pgbouncer', [file], {
    env: { PATH: searched().join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('data', (chunk: Buffer) => void lines.push(chunk.toString()));
  }
  const stop = async () => {
    if (program.exitCode === null) {
      program.kill('SIGTERM');
      await once(program, 'exit');
    }
    await postgres.stop();
    rmSync(folder, { recursive: true });
  };
  while (!(await isListening(port))) {
    if (program.exitCode !== null) {
      await stop();
      throw new Error(`PgBouncer did not start:\n${lines.join('')}`);
    }
    await pause(20);
  }
  project.provide('postgresUrl', `postgres://postgres:${password}@127.0.0.1:${port}/postgres`);
  return stop;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Debian installs it for administrators, whose folder is not on every PATH. */
const searched = () => [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
const isInstalled = () => searched().some((path) => existsSync(join(path, 'pgbouncer')));

/**
 * Installs Debian's PgBouncer, unless it is there.
 * @throws {Error} with the command to run, when it cannot be installed
 */
function findPgBouncer(): void {
  if (isInstalled()) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('pgbouncer is missing: trying to install it with apt …');
    for (const args of [
      ['update', '-qq'],
      ['install', '-y', '-qq', '--no-install-recommends', 'pgbouncer'],
    ]) {
      spawnSync('apt-get', args, {
        stdio: 'ignore',
        timeout: 300_000,
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    }
    if (isInstalled()) return;
  }
  throw new Error(
    'These tests need PgBouncer. Install it (Debian, Ubuntu: sudo apt-get install pgbouncer; macOS: brew install pgbouncer).',
  );
}
