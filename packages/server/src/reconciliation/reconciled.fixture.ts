import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type FundingLine,
  type LedgerLine,
  reconcileOrder,
} from '@financing-checkout/reconciliation-rules';
import { Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { createCompanion, START, TestClock } from '../companion.fixture.ts';
import { sqliteDialect } from '../node/sqlite.ts';
import { silentLogger } from '../observe/logger.ts';
import type { CompanionOptions } from '../options.ts';
import type { Schema } from '../store/schema.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import { makeStoreFile } from '../store/sqlite.fixture.ts';
import { followExceptions } from './cases/follow.ts';
import { createLedgerImport } from './ledger/ledger-import.ts';
import { defaultPolicy, type JudgingPolicy, type ReconciliationPolicy } from './policy.ts';

const environment = 'sandbox';
export const DAY_MS = 86_400_000;

export interface OrderInBooks {
  /** Of the merchant; undefined: a funding that names no order. */
  order: string | undefined;
  currency?: string;
  ledger?: Partial<LedgerLine>[];
  fundings?: Partial<FundingLine>[];
}

/** A line of the ledger: 100.00 settled ten days ago. */
export function ledgerLine(order: string, change: Partial<LedgerLine> = {}): LedgerLine {
  const type = change.type ?? 'Settle';
  return {
    id: `${order}-${type}`,
    type,
    amount: 10_000,
    occurredAt: START - 10 * DAY_MS,
    transactionId: `t-${order}-${type}`,
    ...change,
  };
}

/** A funding of it: reconciled, less 2.9 %, nine days ago. */
export function fundingLine(order: string, change: Partial<FundingLine> = {}): FundingLine {
  const transactionType = change.transactionType ?? 'Settle';
  const transactionAmount = change.transactionAmount ?? 10_000;
  const discountAmount = change.discountAmount ?? Math.round(transactionAmount * 0.029);
  return {
    id: `2026-11-11:${order}-${transactionType}`,
    status: 'RECONCILED',
    transactionType,
    transactionAmount,
    discountAmount,
    netAmount: transactionAmount - discountAmount,
    fundedAt: START - 9 * DAY_MS,
    updatedAt: START - 9 * DAY_MS,
    lenderName: 'Meadow Credit',
    transactionId: `t-${order}-${transactionType}`,
    ...change,
  };
}

/** Books that are filled by hand, and judged by the rules. */
export function booksOf(
  db: Kysely<Schema>,
  {
    policy = defaultPolicy,
    now = () => START,
  }: { policy?: JudgingPolicy; now?: () => number } = {},
) {
  /** Puts an order in the books, and its status beside it. */
  async function put({ order, currency = 'USD', ledger = [{}], fundings = [{}] }: OrderInBooks) {
    const name = order ?? 'nameless';
    const lines = {
      merchantOrderId: order,
      currency,
      ledger: order === undefined ? [] : ledger.map((line) => ledgerLine(name, line)),
      fundings: fundings.map((line) => fundingLine(name, line)),
    };
    const order_key = order === undefined ? `funding:${name}` : `order:${order}`;
    const place = { environment, order_key, currency };
    for (const table of [
      'ledger_lines',
      'fundings',
      'order_statuses',
      'order_exceptions',
    ] as const) {
      await db
        .deleteFrom(table)
        .where('order_key', '=', order_key)
        .where('currency', '=', currency)
        .execute();
    }
    for (const line of lines.ledger) {
      await db
        .insertInto('ledger_lines')
        .values({
          ...place,
          id: line.id,
          merchant_order_id: name,
          type: line.type,
          amount: line.amount,
          occurred_at: line.occurredAt,
          transaction_id: line.transactionId ?? null,
          merchant_transaction_id: line.merchantTransactionId ?? null,
          source: 'import',
          created_at: line.occurredAt,
        })
        .execute();
    }
    for (const line of lines.fundings) {
      await db
        .insertInto('fundings')
        .values({
          ...place,
          id: line.id,
          slice_day: line.id.slice(0, 10),
          merchant_order_id: order ?? null,
          status: line.status,
          transaction_type: line.transactionType,
          lender_name: line.lenderName,
          transaction_amount: line.transactionAmount,
          discount_amount: line.discountAmount,
          net_amount: line.netAmount,
          funded_at: line.fundedAt,
          updated_at: line.updatedAt,
          transaction_id: line.transactionId ?? null,
          merchant_transaction_id: line.merchantTransactionId ?? null,
          lender_reference_id: line.lenderReferenceId ?? null,
          product_type: line.productType ?? null,
          promo_code: line.promoCode ?? null,
          hash: line.id,
          version: 1,
        })
        .execute();
    }
    const time = now();
    const status = reconcileOrder(lines, { ...policy, now: time, complete: true });
    await db
      .insertInto('order_statuses')
      .values({
        ...place,
        merchant_order_id: order ?? null,
        funding: status.funding,
        returns: status.returns,
        headline: status.headline,
        expected_settle: status.expected.settle,
        expected_refund: status.expected.refund,
        funded_settle: status.funded.settle,
        funded_refund: status.funded.refund,
        funded_chargeback: status.funded.chargeback,
        funded_reversal: status.funded.reversal,
        discount: status.discount,
        net: status.net,
        awaiting: status.awaiting,
        recheck_at: status.recheckAt ?? null,
        lines_hash: '',
        computed_at: time,
        changed_at: time,
      })
      .execute();
    for (const exception of status.exceptions) {
      await db
        .insertInto('order_exceptions')
        .values({ ...place, ...exception, content_hash: JSON.stringify(exception) })
        .execute();
    }
    return status;
  }

  return {
    put,
    /** Marks the days of the last weeks as read to the end. */
    async prove(days = 30) {
      for (let back = 0; back < days; back++) {
        await db
          .insertInto('funding_slices')
          .values({
            environment,
            day: new Date(START - back * DAY_MS).toISOString().slice(0, 10),
            state: 'complete',
            run_id: 'run-1',
            passes: 2,
            pages: 1,
            overlap_rows: 0,
            rows: 0,
            changed: 0,
            gone: 0,
            quarantined: 0,
            sums: '{}',
            hash: '',
            zone: 'UTC',
            synced_at: START,
          })
          .execute();
      }
    },
  };
}

/** A companion with such books. */
export async function reconciledCompanion(
  change: Partial<CompanionOptions> = {},
  policy: ReconciliationPolicy = defaultPolicy,
) {
  const folder = mkdtempSync(join(tmpdir(), 'reconciled-'));
  const file = join(folder, 'companion.db');
  const clock = new TestClock();
  await makeStoreFile(file);
  const store = createKyselyStore({ dialect: sqliteDialect(file) });
  const ledgerImport = createLedgerImport({ environment, store, clock });
  const companion = await createCompanion({ store, clock, ledgerImport, ...change });
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file) });
  onTestFinished(async () => {
    await db.destroy();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const ctx = { environment, store, clock, logger: silentLogger };
  return {
    ...companion,
    clock,
    db,
    ...booksOf(db, { policy, now: () => clock.now() }),
    follow: (complete = true) => followExceptions(ctx, { complete }),
  };
}
