import type { LakeRecord } from '@financing-checkout/contract/reconciliation';
import type { Environment } from '@financing-checkout/contract/storefront';
import { isoTime } from '@financing-checkout/kit';
import { StrangersFolderError } from '@financing-checkout/kit/files';
import { meta } from '../analytics/database.ts';
import { metaKeys } from '../analytics/schema.ts';
import type { Fence, FactStore } from '../facts/store.ts';
import { inTransaction } from '../analytics/session.ts';
import { bodyOf } from '../periods/seal.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import type { TemporaryFiles } from '../platform/temporary-files.ts';
import {
  type QueryContext,
  type Reliability,
  reliabilityOf,
} from '../queries/basis/reliability.ts';
import { type ReconciliationPolicy, policyHash } from '../statuses/policy.ts';
import { rulesVersion } from '../statuses/rules-version.ts';
import { LakeError, LakeFolder } from './folder.ts';
import {
  LAKE_VERSION,
  type LakeFile,
  type LakePartition,
  lakeTables,
  type Manifest,
  manifestName,
  pathOf,
  readManifest,
} from './manifest.ts';
import {
  copyFundings,
  copyOrders,
  dropOrders,
  fundingPartitions,
  type Partition,
  stageOrders,
} from './tables.ts';

export interface LakeContext {
  /** Absolute path of the lake. */
  folder: string;
  environment: Environment;
  zone: string;
  facts: Pick<FactStore, 'id' | 'seals' | 'sealFlows' | 'days'>;
  database: QueryContext['database'];
  files: TemporaryFiles;
  policy: ReconciliationPolicy;
  clock: QueryContext['clock'];
}

export interface LakeWriteContext extends LakeContext {
  fence: Fence;
  /** Stops the write between two files, leaving the lake unchanged. */
  stop: AbortSignal;
}

/**
 * Updates the lake: writes a file for each day whose fundings or orders have changed and
 * for each closed period, then replaces the manifest, and then removes the files that it no longer
 * names. A reader of the manifest sees either the new or the former version of a day. If the write is
 * interrupted, the former manifest and its files remain.
 * @throws {LakeError}, and the reason of `stop`
 */
export async function writeLake(ctx: LakeWriteContext): Promise<LakeRecord> {
  try {
    return await new LakeWrite(ctx, await LakeFolder.open(ctx.folder)).run();
  } catch (error) {
    ctx.stop.throwIfAborted();
    throw isOfFiles(error) ? LakeError.of(error) : error;
  }
}

type Rows = Pick<Partition, 'rows' | 'digest'>;
type WrittenFile = Pick<LakeFile, 'path' | 'sha256' | 'bytes' | 'rows' | 'digest'>;

/** Returns whether an error comes from the file system, DuckDB's files or the lake. */
function isOfFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof LakeError || error instanceof StrangersFolderError) return true;
  return 'syscall' in error || error.message.startsWith('IO Error');
}

class LakeWrite {
  readonly #ctx: LakeWriteContext;
  readonly #lake: LakeFolder;
  readonly #listed: LakeFile[] = [];
  #known = new Map<string, LakeFile>();
  #written = 0;

  constructor(ctx: LakeWriteContext, lake: LakeFolder) {
    this.#ctx = ctx;
    this.#lake = lake;
  }

  async run(): Promise<LakeRecord> {
    const { facts, policy, clock, environment, fence, zone, stop, folder } = this.#ctx;
    const former = await this.#former();
    this.#known = new Map(former?.files.map((file) => [pathOf(file, environment), file]));
    await this.#writeFundings();
    const { complete, unprovenDays, asOf } = await this.#writeOrders();
    await this.#writeClosed();
    stop.throwIfAborted();
    // A process that unknowingly lost its lease must not replace its successor's manifest.
    const now = await readManifest(folder, environment);
    if (now !== undefined && now.fence > fence.number) {
      throw new LakeError('lake-unavailable', 'Another process writes the lake.');
    }
    const manifest: Manifest = {
      version: LAKE_VERSION,
      environment,
      store: facts.id,
      zone,
      writtenAt: isoTime(clock.now()),
      fence: fence.number,
      complete,
      unprovenDays,
      judgedAt: asOf,
      rules: rulesVersion(),
      policy: policyHash(policy),
      files: this.#listed,
    };
    await this.#lake.replace(manifestName(environment), `${JSON.stringify(manifest, null, 1)}\n`);
    const removed = await this.#removeOthers();
    const sumOf = (name: 'rows' | 'bytes') =>
      this.#listed.reduce((sum, file) => sum + file[name], 0);
    return {
      writtenAt: manifest.writtenAt,
      files: this.#listed.length,
      rows: sumOf('rows'),
      bytes: sumOf('bytes'),
      written: this.#written,
      removed,
      complete,
    };
  }

  /** Returns the existing manifest. @throws {LakeError} if another store wrote it */
  async #former(): Promise<Manifest | undefined> {
    const { folder, environment, facts } = this.#ctx;
    const manifest = await readManifest(folder, environment);
    if (manifest !== undefined && manifest.store !== facts.id) {
      throw new LakeError(
        'lake-unavailable',
        'The lake was written from another record store. Use another folder, or remove the manifest: the next write makes all files anew.',
      );
    }
    return manifest;
  }

  async #writeFundings(): Promise<void> {
    const { database, stop } = this.#ctx;
    const read = <Result>(work: (connection: DuckDBConnection) => Promise<Result>) =>
      database.read((connection) => inTransaction(connection, work), stop);
    for (const found of await read((connection) => fundingPartitions(connection))) {
      const { day, proof } = found;
      const table = 'fundings';
      const kept = await this.#kept({ table, day }, found);
      if (kept !== undefined) {
        this.#listed.push({ ...kept, table, day, proof });
        continue;
      }
      await this.#withFile(async (path) => {
        // The day may have changed since the query.
        const [now = found] = await read(async (connection) => {
          await copyFundings(connection, day, path);
          return fundingPartitions(connection, day);
        });
        const placed = await this.#place(path, { table, day }, now);
        this.#listed.push({ ...placed, table, day, proof: now.proof });
      });
    }
  }

  async #writeOrders(): Promise<Reliability> {
    const { database, facts, policy, clock, zone, stop } = this.#ctx;
    const revision = database.revision();
    const reliability = await reliabilityOf({ database, facts, policy, clock, signal: stop });
    const { listed, ...orders } = await database.read(async (connection) => {
      const listed: LakeFile[] = [];
      try {
        const { partitions, fact } = await inTransaction(connection, async () => ({
          partitions: await stageOrders(connection, zone),
          fact: Number(await meta(connection, metaKeys.applied)),
        }));
        const isSame = database.revision() === revision;
        const complete = reliability.complete && isSame;
        for (const found of partitions) {
          stop.throwIfAborted();
          const { day } = found;
          const table = 'orders';
          const kept = await this.#kept({ table, day }, found);
          if (kept !== undefined) {
            listed.push({ ...kept, table, day, proof: { fact, complete } });
            continue;
          }
          await this.#withFile(async (path) => {
            await copyOrders(connection, day, path);
            const placed = await this.#place(path, { table, day }, found);
            listed.push({ ...placed, table, day, proof: { fact, complete } });
          });
        }
        return { ...reliability, complete, listed };
      } finally {
        await dropOrders(connection);
      }
    }, stop);
    this.#listed.push(...listed);
    return orders;
  }

  /** Writes the sealed amounts of each closed period in force, byte for byte. */
  async #writeClosed(): Promise<void> {
    const { facts, files, stop } = this.#ctx;
    const table = 'closed_amounts';
    for (const { seq, period, hash, body, reopened } of await facts.seals()) {
      stop.throwIfAborted();
      if (reopened !== undefined) continue;
      const found = { rows: bodyOf({ body }).flows.rows, digest: hash };
      const proof = { seq, seal: hash };
      const kept = await this.#kept({ table, period }, found);
      if (kept !== undefined) {
        this.#listed.push({ ...kept, table, period, proof });
        continue;
      }
      const content = await facts.sealFlows(seq);
      await files.with([{ name: 'lake', content, ending: '.parquet' }], async ([path = '']) => {
        const placed = await this.#place(path, { table, period }, found);
        this.#listed.push({ ...placed, table, period, proof });
      });
    }
  }

  /** Returns the existing file if its rows are unchanged. */
  async #kept(partition: LakePartition, { digest, rows }: Rows): Promise<WrittenFile | undefined> {
    this.#ctx.stop.throwIfAborted();
    const known = this.#known.get(pathOf(partition, this.#ctx.environment));
    if (known?.digest !== digest || known.rows !== rows) return undefined;
    if (!(await this.#lake.has(known))) return undefined;
    const { path, sha256, bytes } = known;
    return { path, sha256, bytes, rows, digest };
  }

  async #place(
    source: string,
    partition: LakePartition,
    { digest, rows }: Rows,
  ): Promise<WrittenFile> {
    const placed = await this.#lake.place(source, pathOf(partition, this.#ctx.environment));
    this.#written += 1;
    return { ...placed, rows, digest };
  }

  async #withFile(task: (path: string) => Promise<void>): Promise<void> {
    const { files } = this.#ctx;
    const path = files.path('lake', '.parquet');
    try {
      await task(path);
    } finally {
      await files.remove([path]);
    }
  }

  /**
   * Removes files that no manifest names, because readers of the folders would count their days
   * twice.
   */
  async #removeOthers(): Promise<number> {
    const listed = new Set(this.#listed.map(({ path }) => path));
    let removed = 0;
    for (const table of lakeTables) {
      const folder = `${table}/environment=${this.#ctx.environment}`;
      removed += await this.#lake.removeOthers(folder, listed);
    }
    return removed;
  }
}
