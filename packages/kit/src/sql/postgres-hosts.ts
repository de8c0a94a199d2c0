import type pg from 'pg';
import { reasonsOf } from './errors.ts';
import { hostName, type PostgresHost } from './postgres-url.ts';

/** SQLSTATE read_only_sql_transaction: how a standby responds to every write. */
export const READ_ONLY = '25006';

/** A server that must not be used: a standby, a read-only server or a former primary. */
export class UnsuitableServerError extends Error {
  override readonly name = 'UnsuitableServerError';
  readonly code = READ_ONLY;
}

/** SQLSTATE sqlclient_unable_to_establish_sqlconnection. */
const NOT_CONNECTED = '08001';

/** An error with the name of the server that caused it. */
class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: string;

  constructor(host: PostgresHost, cause: unknown) {
    super(`${hostName(host)}: ${reasonsOf(cause).join(', ')}`);
    this.code = codeOf(cause) ?? NOT_CONNECTED;
  }
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) {
    return error.errors.map(codeOf).find((code) => code !== undefined);
  }
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The state of a server at the start of a connection. */
export interface ServerState {
  /** Process ID of the server's session. */
  pid: number;
  isStandby: boolean;
  isReadOnly: boolean;
  history: ServerHistory | undefined;
}

/**
 * The lineage of a server's data. Each promotion begins a timeline with a higher number, so a
 * former primary that was restarted has a lower one than its successor.
 */
export interface ServerHistory {
  /** Identifier of the database cluster, which standbys share with their primary. */
  cluster: string;
  timeline: number;
}

const STATE = `pg_backend_pid() as pid, pg_is_in_recovery() as is_standby,
  current_setting('transaction_read_only') = 'on' as is_read_only`;
/** The name of a WAL file begins with its timeline. `pg_control_checkpoint` lags after a promotion. */
const HISTORY = `(select system_identifier::text from pg_control_system()) as cluster,
  case when pg_is_in_recovery() then null
    else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`;

interface StateRow {
  pid: number;
  is_standby: boolean;
  is_read_only: boolean;
  cluster?: string;
  timeline?: string | null;
}

/** Reads the state of the server at the other end of a connection. */
export async function readServer(client: pg.ClientBase): Promise<ServerState> {
  const { rows } = await client
    .query<StateRow>(`select ${STATE}, ${HISTORY}`)
    // Some hosted databases have no such functions, or do not permit them.
    .catch((error: unknown) => {
      if (!/^(?:0A|42|55)/.test(codeOf(error) ?? '')) throw error;
      return client.query<StateRow>(`select ${STATE}`);
    });
  const [row] = rows;
  if (row === undefined) throw new Error('The server did not return its state.');
  const { cluster, timeline } = row;
  return {
    pid: row.pid,
    isStandby: row.is_standby,
    isReadOnly: row.is_read_only,
    history:
      cluster !== undefined && typeof timeline === 'string'
        ? { cluster, timeline: Number.parseInt(timeline, 16) }
        : undefined,
  };
}

/** How long the failure to find a primary is reported again without a new search, in milliseconds. */
const SEARCH_PAUSE_MS = 200;

/** Chooses the server to connect to: the primary with the newest timeline. */
export class PostgresHosts {
  readonly #hosts: readonly PostgresHost[];
  readonly #probe: (host: PostgresHost) => Promise<ServerState>;
  #current: PostgresHost;
  #newest: ServerHistory | undefined;
  #search: Promise<void> | undefined;

  /**
   * @param probe connects to a server to read its state
   * @param before the servers of the previous address; their newest primary is remembered
   */
  constructor(
    hosts: readonly [PostgresHost, ...PostgresHost[]],
    probe: (host: PostgresHost) => Promise<ServerState>,
    before?: PostgresHosts,
  ) {
    this.#hosts = hosts;
    this.#probe = probe;
    this.#newest = before === undefined ? undefined : before.#newest;
    [this.#current] = hosts;
  }

  /** The server for new connections. */
  get current(): PostgresHost {
    return this.#current;
  }

  /** The database cluster of the newest primary; undefined while it is unknown. */
  get cluster(): string | undefined {
    return this.#newest?.cluster;
  }

  get isSeveral(): boolean {
    return this.#hosts.length > 1;
  }

  /**
   * Admits a connection to the current server. With several servers, {@link find} comes first: even
   * the server of the last connection may be a former primary by now, and accept writes again.
   * @throws {UnsuitableServerError} when the server must not be written to
   */
  admit(host: PostgresHost, state: ServerState): void {
    this.#judge(host, state);
    const { host: name, port } = this.#current;
    if (host.host !== name || host.port !== port) {
      throw new UnsuitableServerError(`${hostName(host)} is not the primary`);
    }
  }

  /** Accepts a server, and remembers its history. @throws {UnsuitableServerError} */
  #judge(host: PostgresHost, state: ServerState): void {
    const { history, isReadOnly, isStandby } = state;
    if (isStandby) throw new UnsuitableServerError(`${hostName(host)} is a read-only standby`);
    if (isReadOnly) throw new UnsuitableServerError(`${hostName(host)} is read-only`);
    if (this.isSuperseded(state)) {
      throw new UnsuitableServerError(
        `${hostName(host)} is a former primary: it is on timeline ${history?.timeline}, and a server on timeline ${this.#newest?.timeline} has replaced it`,
      );
    }
    if (history !== undefined) this.#newest = history;
  }

  /** Returns whether a promoted server has replaced the server of a connection. */
  isSuperseded({ history }: ServerState): boolean {
    return (
      history !== undefined &&
      this.#newest?.cluster === history.cluster &&
      history.timeline < this.#newest.timeline
    );
  }

  /**
   * Asks all servers at once, and makes the best one current. Concurrent callers share one search.
   * @throws {AggregateError} with the reason for each server
   */
  find(): Promise<void> {
    this.#search ??= this.#find().then(
      () => {
        this.#search = undefined;
      },
      (error: unknown) => {
        setTimeout(() => (this.#search = undefined), SEARCH_PAUSE_MS).unref();
        throw error;
      },
    );
    return this.#search;
  }

  async #find(): Promise<void> {
    const asked = await Promise.allSettled(
      this.#hosts.map(async (host) => ({ host, state: await this.#probe(host) })),
    );
    const found = asked
      .flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      .toSorted((one, other) => timelineOf(other.state) - timelineOf(one.state));
    const clusters = new Set(found.flatMap(({ state }) => state.history?.cluster ?? []));
    if (clusters.size > 1) {
      const names = found.map(({ host }) => hostName(host)).join(' and ');
      throw new UnsuitableServerError(`${names} are not servers of one database`);
    }
    const errors: unknown[] = asked.flatMap((result, index) => {
      const host = this.#hosts[index];
      return result.status === 'rejected' && host ? [new ServerError(host, result.reason)] : [];
    });
    for (const { host, state } of found) {
      try {
        this.#judge(host, state);
        this.#current = host;
        return;
      } catch (error) {
        errors.push(error);
      }
    }
    throw new AggregateError(errors, 'No server of the database can be used');
  }
}

const timelineOf = ({ history }: ServerState) => history?.timeline ?? 0;
