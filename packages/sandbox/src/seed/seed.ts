import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxClock } from '../state/clock.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { KnownTransaction, LenderStatement } from '../fundings/statement.ts';
import { FundingStore } from '../fundings/store.ts';
import { StatementChanges } from '../fundings/changes.ts';
import { currencyDigits } from '../platform/money.ts';
import { ArgumentError, SandboxError } from '../platform/problem.ts';
import { writeFileAtomically } from '../platform/write-file.ts';
import { emptyDatabase, inTransaction, openDatabase, type Database } from '../state/database.ts';
import { ledgerOf, truthOf } from './ledger.ts';
import { LineFile } from './lines.ts';
import { countsOf, parseShares, spread } from './mismatch.ts';
import { creditors, stageOrder, type Scene, type StagedOrder } from './order.ts';
import { isDue, postOrder } from './postings.ts';
import { Random, seedWords } from './random.ts';
import { orderInserter } from './rows.ts';

const DAY = 86_400_000;
/** Orders stored per batch: limits memory use and reduces disk writes. */
const BATCH = 5000;
/** Days without mismatches at the end, because a mismatch takes days to become visible. */
const QUIET_DAYS = 4;

const seedLimits = { orders: 10_000_000, seed: 999_999_999, days: 3650 } as const;

export interface SeedOptions {
  dataDir: string;
  environment: EnvironmentName;
  orders: number;
  /** The same seed and options give the same history, byte for byte. */
  seed: number;
  /** First day, such as `2026-01-01`. */
  from: string;
  days: number;
  /** Shares of mismatches, in the format of `--faults`. */
  faults: string;
  /** ISO 4217 codes; each order is in one of them. */
  currencies: readonly string[];
  /** Output folder for the ledger and the ground truth. */
  out: string;
  /** Whether to clear the state of all environments first. */
  replace?: boolean;
  /** Called with the number of orders after each batch. */
  onProgress?: (orders: number) => void;
}

/** The summary of a history, also written as `summary.json`. */
export interface SeedSummary {
  environment: EnvironmentName;
  seed: number;
  orders: number;
  from: string;
  days: number;
  currencies: readonly string[];
  /** Time of the ground truth and of the sandbox clock, ISO 8601. */
  asOf: string;
  transactions: number;
  fundings: number;
  ledgerLines: number;
  /** Number of orders by kind of mismatch. */
  kinds: Record<string, number>;
  lenders: { name: string; discountBasisPoints: number; fundingLagDays: number }[];
  files: { ledger: string; truth: string };
}

/**
 * Creates a history: orders, charges, transactions and fundings in the state of a stopped sandbox,
 * and files with the merchant's ledger and the ground truth. Freezes the clock at the end of the
 * history.
 * @throws {ArgumentError} for an option out of range
 * @throws {SandboxError} for a state that is not empty, or in use
 */
export function seedHistory(options: SeedOptions): SeedSummary {
  const { environment, orders, seed, days, currencies } = options;
  const from = checkOptions(options);
  const shares = parseShares(options.faults);
  if (typeof shares === 'string') throw new ArgumentError(`--faults: ${shares}.`);
  // The history ends at noon, so that settles of the last day are in transit.
  const span = (days - 0.5) * DAY;
  const until = from + span;
  const counts = countsOf(shares, orders);
  const words = seedWords(`${seed} ${environment}`);
  const placedAt = (index: number, fraction: number) =>
    from + Math.floor(((index + fraction) / orders) * span);
  const among = Math.floor(orders * (1 - (QUIET_DAYS * DAY) / span));
  if ([...counts.values()].reduce((sum, count) => sum + count, 0) > among) {
    throw new ArgumentError(
      `Orders of the last ${QUIET_DAYS} days have no mismatch, and the others are too few for these shares: give more --days, or smaller shares.`,
    );
  }
  const kindOf = spread(counts, among, new Random(words, orders).word() % Math.max(1, among));
  const scene: Scene = { environment, seed, until, currencies };
  const database = openDatabase(options.dataDir);
  try {
    prepare(database, options);
    mkdirSync(options.out, { recursive: true, mode: 0o700 });
    const ledger = new LineFile(join(options.out, 'ledger.ndjson'));
    const truth = new LineFile(join(options.out, 'truth.ndjson'));
    const insertOrder = orderInserter(database);
    const fundings = new FundingStore(database);
    const changes = new StatementChanges(database, fundings);
    let transactions = 0;
    let posted = 0;
    const one = (index: number) => {
      const random = new Random(words, index);
      const createdAt = placedAt(index, random.fraction());
      const order = stageOrder(scene, index, createdAt, kindOf(index), random);
      const seeded = postOrder(order, scene, random);
      insertOrder(order, (transaction) => isDue(transaction, scene));
      for (const { statement, later } of seeded) {
        const funding = fundings.insertKnown(statement, knownOf(order, statement));
        if (later) changes.schedule(funding, later.at, later.change);
      }
      transactions += order.transactions.length;
      posted += seeded.length;
      const lines = ledgerOf(order);
      for (const line of lines) ledger.write(line);
      for (const line of truthOf(order, lines, seeded, scene)) truth.write(line);
    };
    for (let start = 0; start < orders; start += BATCH) {
      const end = Math.min(orders, start + BATCH);
      inTransaction(database, () => {
        for (let index = start; index < end; index++) one(index);
      });
      options.onProgress?.(end);
    }
    ledger.finish();
    truth.finish();
    new SandboxClock(database).change({ now: until, frozen: true });
    const summary: SeedSummary = {
      environment,
      seed,
      orders,
      from: options.from,
      days,
      currencies,
      asOf: new Date(until).toISOString(),
      transactions,
      fundings: posted,
      ledgerLines: ledger.lines,
      kinds: Object.fromEntries(counts),
      lenders: creditors.map(({ name, discountBasisPoints, fundingLagDays }) => ({
        name,
        discountBasisPoints,
        fundingLagDays,
      })),
      files: { ledger: 'ledger.ndjson', truth: 'truth.ndjson' },
    };
    const text = `${JSON.stringify(summary, null, 2)}\n`;
    writeFileAtomically(join(options.out, 'summary.json'), text, 0o600);
    return summary;
  } catch (error) {
    throw unwritable(error, options) ?? error;
  } finally {
    database.close();
  }
}

/** Explains an error that the user can fix: an unwritable folder, a full disk. */
function unwritable(error: unknown, { dataDir, out }: SeedOptions): SandboxError | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const full = code === 'ENOSPC' || error.message.includes('disk is full');
  if (full) {
    return new SandboxError(
      `The disk is full: a million orders take 2.5 GB. The history is incomplete: start again with --replace.`,
    );
  }
  if (!/^(EACCES|EPERM|EROFS|ENOTDIR|EEXIST|EISDIR)$/.test(code)) return undefined;
  return new SandboxError(`${out} or ${dataDir} cannot be written (${code}): name other folders.`);
}

/** @returns the start of the history, in milliseconds since 1970 */
function checkOptions({ orders, seed, from, days, currencies }: SeedOptions): number {
  const whole = (name: string, value: number, least: number, most: number) => {
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new ArgumentError(`${name} must be a whole number from ${least} to ${most}.`);
    }
  };
  whole('--orders', orders, 1, seedLimits.orders);
  whole('--seed', seed, 0, seedLimits.seed);
  whole('--days', days, QUIET_DAYS + 1, seedLimits.days);
  const time = /^\d{4}-\d{2}-\d{2}$/.test(from) ? Date.parse(`${from}T00:00:00Z`) : Number.NaN;
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(from);
  if (!isDay || time < Date.parse('2000-01-01') || time > Date.parse('2090-01-01')) {
    throw new ArgumentError('--from must be a day from 2000-01-01 to 2090-01-01.');
  }
  for (const currency of currencies) {
    if (currencyDigits(currency) === undefined) {
      throw new ArgumentError('--currencies must be ISO 4217 codes in use, separated by commas.');
    }
  }
  if (currencies.length === 0 || new Set(currencies).size !== currencies.length) {
    throw new ArgumentError('--currencies must name each currency once.');
  }
  return time;
}

function prepare(database: Database, { dataDir, replace, environment }: SeedOptions): void {
  // Page cache size while writing, in KiB (a negative value means KiB).
  database.exec('PRAGMA cache_size = -65536');
  if (replace) emptyDatabase(database);
  const used = database
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM charges WHERE environment = :environment)
         OR EXISTS (SELECT 1 FROM fundings WHERE environment = :environment) AS used`,
    )
    .get({ environment });
  if (used?.used !== 0) {
    throw new SandboxError(
      `${dataDir} already holds charges of ${environment}: name another folder, or give --replace to empty it first.`,
    );
  }
}

/** Returns the charge and the transaction that a statement names. */
function knownOf(order: StagedOrder, statement: LenderStatement): KnownTransaction | undefined {
  const { charge, applicant } = order;
  if (statement.transactionId === null && statement.merchantOrderId === null) return undefined;
  const transaction = order.transactions.find(({ id }) => id === statement.transactionId);
  return {
    transaction: transaction ?? null,
    chargeId: charge.id,
    merchantOrderId: charge.merchantOrderId,
    productType: charge.productType,
    promoCode: charge.promoCode,
    ...applicant,
  };
}
