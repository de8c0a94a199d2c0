import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { LakeProblem, LakeVerification } from '@financing-checkout/contract/reconciliation';
import { daysBetween } from '@financing-checkout/contract/money';
import { digestOfTexts } from '../analytics/content.ts';
import { inTransaction } from '../analytics/session.ts';
import type { SealFact } from '../facts/period-facts.ts';
import { bodyOf } from '../periods/seal.ts';
import { sealedStatements } from '../periods/statements.ts';
import { canonicalJson } from '../platform/digest.ts';
import { type DuckDBConnection, openDuckDB } from '../platform/duckdb.ts';
import { sqlText } from '../platform/temporary-files.ts';
import { select, text, whole } from '../queries/basis/rows.ts';
import { errorCodeOf, LakeError, LakeFolder } from './folder.ts';
import { type LakeFile, lakeTables, type Manifest, pathOf, readManifest } from './manifest.ts';
import { dropOrders, fundingPartitions, stageOrders } from './tables.ts';
import type { LakeContext } from './write.ts';

const MEMORY_LIMIT = '256MB';
const READ_BYTES = 1_048_576;

const messages: Record<LakeProblem['code'], string> = {
  'file-missing': 'the file is missing',
  'file-altered': 'the file is not the one that was written',
  'file-unreadable': 'the file cannot be read as Parquet',
  'file-unlisted': 'the manifest does not name the file, so readers of the folder count it twice',
  'rows-differ': 'the file has another number of rows than the manifest states',
  'proof-differs': 'the fundings are not those that were proven',
  'seal-differs': 'the amounts in the lake are not those that were sealed',
};

/**
 * Verifies every file of the lake: its SHA-256 and rows, and the proof of each day. For each closed
 * period, checks whether the statements computed from the files match the seal, and which days have
 * fundings that differ from the sealed ones.
 * @throws {LakeError}
 */
export async function verifyLake(ctx: LakeContext, signal: AbortSignal): Promise<LakeVerification> {
  const { folder, environment } = ctx;
  const lake = await LakeFolder.open(folder);
  const manifest = await readManifest(folder, environment);
  if (manifest === undefined) {
    throw new LakeError('lake-unavailable', 'The lake has not been written yet.');
  }
  const { instance, connection } = await openDuckDB({
    memoryLimit: MEMORY_LIMIT,
    threads: 1,
    folders: [folder],
  });
  try {
    return await new Verification(ctx, { lake, manifest, connection, signal }).run();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

interface Reading {
  lake: LakeFolder;
  manifest: Manifest;
  /** Connection to a database without tables that can read only the lake. */
  connection: DuckDBConnection;
  signal: AbortSignal;
}

class Verification {
  readonly #ctx: LakeContext;
  readonly #reading: Reading;
  readonly #problems: LakeProblem[] = [];
  /** Files that match the manifest. */
  readonly #intact: LakeFile[] = [];

  constructor(ctx: LakeContext, reading: Reading) {
    this.#ctx = ctx;
    this.#reading = reading;
  }

  async run(): Promise<LakeVerification> {
    const { manifest, signal } = this.#reading;
    let [rows, bytes] = [0, 0];
    for (const file of manifest.files) {
      signal.throwIfAborted();
      const code = await this.#check(file);
      if (code === undefined) this.#intact.push(file);
      else this.#report(code, file.path);
      rows += file.rows;
      bytes += file.bytes;
    }
    await this.#findUnlisted();
    const { outdated, periods } = await this.#compareWithStore();
    const { writtenAt, files } = manifest;
    const problems = this.#problems;
    const isIntact = problems.length === 0;
    return { isIntact, writtenAt, files: files.length, rows, bytes, outdated, periods, problems };
  }

  #report(code: LakeProblem['code'], subject: string): void {
    this.#problems.push({ code, subject, message: messages[code] });
  }

  async #check(file: LakeFile): Promise<LakeProblem['code'] | undefined> {
    const { lake, connection } = this.#reading;
    const path = lake.absolute(file.path);
    const sha256 = await hashOf(path);
    if (sha256 === undefined) return 'file-missing';
    if (sha256 !== file.sha256) return 'file-altered';
    const proven = file.table === 'fundings' ? file.proof.digest : '';
    const digest = proven === '' ? `''` : provenDigest;
    try {
      const [row] = await select(
        connection,
        `select count(*) as count, ${digest} as digest from read_parquet(${sqlText(path)})`,
      );
      if (whole(row?.count) !== file.rows) return 'rows-differ';
      return text(row?.digest) === proven ? undefined : 'proof-differs';
    } catch {
      return 'file-unreadable';
    }
  }

  async #findUnlisted(): Promise<void> {
    const { lake, manifest } = this.#reading;
    const listed = new Set(manifest.files.map(({ path }) => path));
    for (const table of lakeTables) {
      for (const path of await lake.list(`${table}/environment=${manifest.environment}`)) {
        if (!listed.has(path)) this.#report('file-unlisted', path);
      }
    }
  }

  /** Compares the closed periods in force with their seals, and counts later changes. */
  async #compareWithStore(): Promise<Pick<LakeVerification, 'outdated' | 'periods'>> {
    const { manifest } = this.#reading;
    const seals = await this.#ctx.facts.seals();
    const inForce = seals.filter(({ reopened }) => reopened === undefined);
    const wanted = await this.#partitionsNow();
    for (const { period, hash } of inForce) {
      wanted.set(pathOf({ table: 'closed_amounts', period }, manifest.environment), hash);
    }
    const stated = new Map(
      manifest.files.map((file) => [pathOf(file, manifest.environment), file.digest] as const),
    );
    const outdated = [...new Set([...wanted.keys(), ...stated.keys()])].filter(
      (path) => wanted.get(path) !== stated.get(path),
    ).length;
    const periods: LakeVerification['periods'] = [];
    for (const seal of inForce) {
      const { period, hash } = seal;
      const isEqual = await this.#isEqual(seal, inForce);
      const changedDays = this.#changedDays(seal, seals);
      periods.push({ period, seal: hash, isEqual, changedDays });
    }
    return { outdated, periods };
  }

  /** Returns the digest of each partition's current rows. */
  #partitionsNow(): Promise<Map<string, string>> {
    const { database, zone, environment } = this.#ctx;
    return database.read(async (connection) => {
      try {
        const rows = await inTransaction(connection, async () => ({
          fundings: await fundingPartitions(connection),
          orders: await stageOrders(connection, zone),
        }));
        return new Map(
          (['fundings', 'orders'] as const).flatMap((table) =>
            rows[table].map(({ day, digest }) => [pathOf({ table, day }, environment), digest]),
          ),
        );
      } finally {
        await dropOrders(connection);
      }
    }, this.#reading.signal);
  }

  /** Returns whether the statements computed from the lake's files match those of a seal. */
  async #isEqual(seal: SealFact, inForce: readonly SealFact[]): Promise<boolean> {
    const until = inForce.slice(0, inForce.indexOf(seal) + 1).map((own) => this.#fileOf(own));
    if (until.includes(undefined)) return false;
    const body = bodyOf(seal);
    const { connection } = this.#reading;
    const flows = this.#sealed(until);
    const statements = await sealedStatements(connection, seal.seq, undefined, flows);
    const isSealed =
      until.at(-1)?.sha256 === body.flows.sha256 &&
      canonicalJson(statements) === canonicalJson(body.statements);
    if (!isSealed) this.#report('seal-differs', seal.period);
    return isSealed;
  }

  /** Returns a period's days with proven records that no seal up to its own covers. */
  #changedDays({ seq, body }: SealFact, seals: readonly SealFact[]): string[] {
    const covered = new Set(
      seals
        .filter((seal) => seal.seq <= seq)
        .flatMap((seal) => bodyOf(seal).facts.days.map(({ day, digest }) => `${day} ${digest}`)),
    );
    const digests = new Map(
      this.#intact.flatMap((file) =>
        file.table === 'fundings' ? [[file.day, file.proof.digest] as const] : [],
      ),
    );
    const { from, to } = bodyOf({ body }).period;
    return daysBetween(from, to).filter((day) => !covered.has(`${day} ${digests.get(day) ?? ''}`));
  }

  /** Returns the intact file with a seal's amounts. */
  #fileOf({ seq, hash }: SealFact): LakeFile | undefined {
    return this.#intact.find(
      ({ table, proof }) => table === 'closed_amounts' && proof.seq === seq && proof.seal === hash,
    );
  }

  /** Selects the sealed amounts from lake files, with the columns of `sealed_flows`. */
  #sealed(files: readonly (LakeFile | undefined)[]): string {
    const rows = files.flatMap((file) =>
      file?.table === 'closed_amounts'
        ? `select ${file.proof.seq} as seq, *
          from read_parquet(${sqlText(this.#reading.lake.absolute(file.path))}, hive_partitioning = false)`
        : [],
    );
    return `(${rows.join(' union all by name ')})`;
  }
}

/** Digest of a day's proven records, from its file. */
const provenDigest = digestOfTexts(`concat(record_hash, '.', record_ordinal)`);

/** Returns a file's SHA-256; undefined if it does not exist. */
async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path, { highWaterMark: READ_BYTES }), hash);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw LakeError.of(error);
  }
  return hash.digest('hex');
}
