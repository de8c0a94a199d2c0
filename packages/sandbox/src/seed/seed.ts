import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxClock } from '../clock/clock.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { KnownTransaction, LenderStatement } from '../fundings/statement.ts';
import { FundingStore } from '../fundings/store.ts';
import { StatementChanges } from '../lender/changes.ts';
import { currencyDigits } from '../money/money.ts';
import { ArgumentError, SandboxError } from '../problem.ts';
import { emptyDatabase, inTransaction, openDatabase, type Database } from '../store/database.ts';
import { ledgerOf, truthOf } from './books.ts';
import { LineFile } from './lines.ts';
import { countsOf, parseShares, spread } from './mismatch.ts';
import { creditors, stageOrder, type Scene, type StagedOrder } from './order.ts';
import { isDue, postOrder } from './postings.ts';
import { Random, seedWords } from './random.ts';
import { OrderRows } from './rows.ts';

const DAY = 86_400_000;
/** Orders stored in one step: bounds memory, and spares the disk. */
const BATCH = 5000;
/** Orders of the last days are healthy: what is wrong with an order takes days to show. */
const QUIET_DAYS = 4;

const seedLimits = { orders: 10_000_000, seed: 999_999_999, days: 3650 } as const;

export interface SeedOptions {
  dataDir: string;
  environment: EnvironmentName;
  orders: number;
  /** The same seed and options give the same history, byte for byte. */
  seed: number;
  /** First day, as `2026-01-01`. */
  from: string;
  days: number;
  /** Shares of mismatches, as `--faults` takes them. */
  faults: string;
  /** ISO 4217 codes; each order is in one of them. */
  currencies: readonly string[];
  /** Where ledger and truth are written. */
  out: string;
  /** Empties the state first, of all environments. */
  replace?: boolean;
  /** Hears how many orders there are, now and then. */
  onProgress?: (orders: number) => void;
}

/** What was made. It is written as `summary.json`, too. */
export interface SeedSummary {
  environment: EnvironmentName;
  seed: number;
  orders: number;
  from: string;
  days: number;
  currencies: readonly string[];
  /** The moment all of it is true at, and the sandbox clock stands at. ISO 8601. */
  asOf: string;
  transactions: number;
  fundings: number;
  ledgerLines: number;
  /** Orders by what is wrong with them. */
  kinds: Record<string, number>;
  /** What each lender has agreed to. */
  lenders: { name: string; discountBasisPoints: number; fundingLagDays: number }[];
  files: { ledger: string; truth: string };
}

/**
 * Makes a history: orders, charges, transactions and fundings in the state of a sandbox that is not
 * running, and beside it the merchant's ledger and the truth. Leaves the clock frozen at its end.
 * @throws {ArgumentError} for an option out of range
 * @throws {SandboxError} for a state that is not empty, or in use
 */
export function seedHistory(options: SeedOptions): SeedSummary {
  const { environment, orders, seed, days, currencies } = options;
  const from = checkOptions(options);
  const shares = parseShares(options.faults);
  if (typeof shares === 'string') throw new ArgumentError(`--faults: ${shares}.`);
  // At noon: what was settled on the last day is on its way to be funded.
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
    const rows = new OrderRows(database);
    const fundings = new FundingStore(database);
    const changes = new StatementChanges(database, fundings);
    let transactions = 0;
    let posted = 0;
    const one = (index: number) => {
      const random = new Random(words, index);
      const createdAt = placedAt(index, random.fraction());
      const order = stageOrder(scene, index, createdAt, kindOf(index), random);
      const seeded = postOrder(order, scene, random);
      rows.insert(order, (transaction) => isDue(transaction, scene));
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
    writeFileSync(join(options.out, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
    return summary;
  } catch (error) {
    throw unwritable(error, options) ?? error;
  } finally {
    database.close();
  }
}

/** A folder that cannot be written, a disk that is full: what a person can mend. */
function unwritable(error: unknown, { dataDir, out }: SeedOptions): SandboxError | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const full = code === 'ENOSPC' || error.message.includes('disk is full');
  if (full) {
    return new SandboxError(
      `The disk is full: a million orders take 2.5 GB. What there is of the history is not whole: start again with --replace.`,
    );
  }
  if (!/^(EACCES|EPERM|EROFS|ENOTDIR|EEXIST|EISDIR)$/.test(code)) return undefined;
  return new SandboxError(`${out} or ${dataDir} cannot be written (${code}): name other folders.`);
}

/** @returns the first moment, in milliseconds since 1970 */
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
  // Pages in memory while writing, in KiB.
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

/** What the service knows of the charge and transaction that a statement names. */
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
