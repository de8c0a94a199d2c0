import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../paths.ts';

const DAY_MS = 86_400_000;
/** The last day is yesterday: the month ends before now, and the lenders pay the rest at the first start. */
const DAYS = 36;
const ORDERS = 400;
/** Two currencies; each order is in one of them. */
const CURRENCIES = 'USD,CAD';

/** Share of the orders for each mistake that the sandbox can plant; 0.25 % is one order. */
const faults = {
  'wrong-amount': 1,
  'wrong-type': 0.5,
  split: 0.5,
  duplicate: 0.75,
  missing: 0.5,
  'original-missing': 0.5,
  orphan: 0.25,
  'never-funded': 1,
  'refund-not-taken': 0.75,
  'discount-kept': 0.75,
  'wrong-discount': 0.75,
  'net-mismatch': 0.5,
  'late-change': 0.5,
  'late-match': 0.5,
  chargeback: 0.75,
  'chargeback-reversed': 0.5,
  dispute: 0.25,
  'double-debit': 0.5,
  'not-in-ledger': 0.5,
  'refund-not-in-ledger': 0.5,
  'not-submitted': 0.25,
  'paid-together': 0.5,
  'two-currencies': 0.5,
};

/** A line of the merchant's ledger as the sandbox writes it. `amount` is minor units, `date` ISO 8601. */
export interface SeededLine {
  merchantOrderId: string;
  type: 'settle' | 'refund';
  amount: number;
  currency: string;
  date: string;
  transactionId: string | null;
  merchantTransactionId: string;
}

/** The truth about an order: the planted mistake or `none`, and the sums of its fundings, in minor units. */
export interface SeededOrder {
  merchantOrderId: string;
  currency: string;
  kind: string;
  funded: { settle: number; reversal: number };
}

/** The seeded month. */
export interface Month {
  /** First day, as 2026-01-01. */
  from: string;
  /** End of the month. ISO 8601. */
  asOf: string;
  ledger: SeededLine[];
  orders: SeededOrder[];
}

/** Folder of everything that belongs to the seeded month, in a stack's data folder. */
export const monthDir = (dataDir: string): string => join(dataDir, 'sandbox', 'seed');
const seeded = (dataDir: string): string => join(monthDir(dataDir), 'sandbox');

/** Returns whether no sandbox has run in a data folder: its first start creates the certificate. */
export function isUnused(dataDir: string): boolean {
  return !existsSync(join(dataDir, 'sandbox', 'ca.pem'));
}

/** Writes the month into the state of a stopped sandbox, with its clock frozen at the month's end. */
export async function seedMonth(dataDir: string, now = Date.now()): Promise<void> {
  const from = new Date(now - DAYS * DAY_MS).toISOString().slice(0, 10);
  const shares = Object.entries(faults).map(([kind, percent]) => `${kind}=${percent}%`);
  await promisify(execFile)(process.execPath, [
    join(root, 'packages/sandbox/dist/main.js'),
    ...['seed', '--orders', String(ORDERS), '--from', from, '--days', String(DAYS)],
    ...['--faults', shares.join(','), '--currencies', CURRENCIES, '--seed', '7'],
    // Without a certificate, an earlier start was interrupted here, so the month is seeded again.
    ...['--replace', '--data-dir', join(dataDir, 'sandbox')],
  ]);
}

/** Returns when the seeded month of a data folder begins and ends; undefined if it has none. */
function readSpan(dataDir: string): Pick<Month, 'from' | 'asOf'> | undefined {
  const file = join(seeded(dataDir), 'summary.json');
  if (!existsSync(file)) return undefined;
  const { from, asOf } = JSON.parse(readFileSync(file, 'utf8')) as Month;
  return { from, asOf };
}

const PERIOD_DAYS = 7;
const PERIODS = 52;
/**
 * Periods begin here: earlier days have an unexplained difference, which no closed period may
 * contain.
 */
const FIRST_PERIOD_DAY = 14;

/**
 * Writes reconciliation's policy for a data folder: the example merchant's rules, and weekly
 * periods, three of which have ended.
 * @returns the file
 */
export function keepPolicy(dataDir: string): string {
  const example = join(root, 'examples/shop/policy.json');
  const span = readSpan(dataDir);
  if (span === undefined) return example;
  const dayAt = (index: number) =>
    new Date(Date.parse(span.from) + (FIRST_PERIOD_DAY + index) * DAY_MS)
      .toISOString()
      .slice(0, 10);
  const periods = Array.from({ length: PERIODS }, (_, index) => ({
    id: `P${String(index + 1).padStart(2, '0')}`,
    from: dayAt(index * PERIOD_DAYS),
    to: dayAt((index + 1) * PERIOD_DAYS - 1),
  }));
  const rules = JSON.parse(readFileSync(example, 'utf8')) as object;
  const file = join(monthDir(dataDir), 'policy.json');
  writeFileSync(file, JSON.stringify({ ...rules, periods }, undefined, 2));
  return file;
}

/** Returns the seeded month of a data folder; undefined if it has none. */
export function readMonth(dataDir: string): Month | undefined {
  const file = (name: string) => join(seeded(dataDir), name);
  const span = readSpan(dataDir);
  if (span === undefined) return undefined;
  const lines = <Line>(name: string) =>
    readFileSync(file(name), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  const orders = lines<SeededOrder>('truth.ndjson').filter((order) => order.merchantOrderId);
  return { ...span, ledger: lines<SeededLine>('ledger.ndjson'), orders };
}

const stepsFile = (dataDir: string): string => join(monthDir(dataDir), 'done');

/** Returns the steps of `loadMonth` that are done in a data folder. */
export function stepsDone(dataDir: string): ReadonlySet<string> {
  const file = stepsFile(dataDir);
  return new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
}

/** Records a step as done. */
export function noteStep(dataDir: string, step: string): void {
  appendFileSync(stepsFile(dataDir), `${step}\n`);
}

/** Returns whether a data folder has no seeded month to complete. */
export function isLoaded(dataDir: string): boolean {
  return readMonth(dataDir) === undefined || stepsDone(dataDir).has('all');
}

/**
 * Returns whether the month still lacks the shop's orders. Their charges are settled later, and in
 * parts.
 */
export function awaitsPurchases(dataDir: string): boolean {
  return readMonth(dataDir) !== undefined && !stepsDone(dataDir).has('purchases');
}
