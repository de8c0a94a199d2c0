import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../scripts/paths.ts';

export const sandboxMain = join(root, 'packages/sandbox/dist/main.js');

/** A seeded history of the sandbox, with the merchant's ledger and the truth. */
export interface History {
  dataDir: string;
  ledger: string;
  truth: string;
  summary: {
    orders: number;
    from: string;
    days: number;
    asOf: string;
    fundings: number;
    ledgerLines: number;
    lenders: { name: string; discountBasisPoints: number; fundingLagDays: number }[];
  };
}

/** Seeds a history, or reuses an existing one. */
export function seedHistory(
  dataDir: string,
  options: { orders: number; days?: number; faults?: string; currencies?: string },
): History {
  const out = join(dataDir, 'seed', 'sandbox');
  if (!existsSync(join(out, 'summary.json'))) {
    const { orders, days = 90, faults = 'default', currencies = 'USD' } = options;
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        sandboxMain,
        'seed',
        ...['--orders', String(orders), '--days', String(days), '--faults', faults],
        ...['--currencies', currencies, '--seed', '7', '--replace', '--json'],
        ...['--data-dir', dataDir],
      ],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`the history could not be seeded: ${stderr}`);
  }
  return {
    dataDir,
    ledger: join(out, 'ledger.ndjson'),
    truth: join(out, 'truth.ndjson'),
    summary: JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')) as History['summary'],
  };
}

/** Exceptions of an order, or of a funding without an order. */
export interface TrueOrder {
  merchantOrderId: string | null;
  currency: string;
  kind: string;
  exceptions: { code: string; amount: number; since: string }[];
  lenderReferenceId?: string;
}

export async function* truthOf(history: History): AsyncGenerator<TrueOrder> {
  for await (const line of createInterface({ input: createReadStream(history.truth) })) {
    yield JSON.parse(line) as TrueOrder;
  }
}

/** Returns the policy of the history: each lender's contract and days to fund. */
export function policyOf({ summary }: History): object {
  return {
    slaDays: {
      default: 1,
      lenders: Object.fromEntries(
        summary.lenders.map(({ name, fundingLagDays }) => [name, fundingLagDays]),
      ),
    },
    contracts: summary.lenders.map(({ name, discountBasisPoints }) => ({
      lender: name,
      basisPoints: discountBasisPoints,
      returnedOnRefund: true,
    })),
  };
}

/** Returns variables that set a program's clock to the end of a history, or later. */
export function clockOf({ summary }: History, aheadMs = 0): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${join(root, 'tests/reconciliation/shifted-clock.mjs')}`,
    TEST_CLOCK_OFFSET_MS: String(Date.parse(summary.asOf) + aheadMs - Date.now()),
  };
}
