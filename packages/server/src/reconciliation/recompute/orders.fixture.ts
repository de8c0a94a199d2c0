import type {
  FundingLine,
  LedgerLine,
  OrderStatus,
  Policy,
} from '@financing-checkout/reconciliation-rules';
import { reconcileOrder } from '@financing-checkout/reconciliation-rules';
import type { Kysely } from 'kysely';
import type { Schema } from '../../store/schema.ts';

export const environment = 'sandbox';
export const DAY_MS = 86_400_000;
export const NOW = Date.UTC(2026, 2, 31, 12);

/** An order as it is in the tables. */
export interface BookedOrder {
  orderKey: string;
  currency: string;
  ledger: LedgerLine[];
  fundings: FundingLine[];
}

/** Makes the tables hold these orders and no other. */
export async function book(db: Kysely<Schema>, list: readonly BookedOrder[]): Promise<void> {
  await db.deleteFrom('fundings').execute();
  await db.deleteFrom('ledger_lines').execute();
  for (const { orderKey, currency, ledger, fundings } of list) {
    const place = { environment, order_key: orderKey, currency };
    const merchantOrderId = orderKey.startsWith('order:') ? orderKey.slice(6) : null;
    for (const line of ledger) {
      await db
        .insertInto('ledger_lines')
        .values({
          ...place,
          id: line.id,
          merchant_order_id: merchantOrderId ?? '',
          type: line.type,
          amount: line.amount,
          occurred_at: line.occurredAt,
          transaction_id: line.transactionId ?? null,
          merchant_transaction_id: line.merchantTransactionId ?? null,
          lender_reference_id: line.lenderReferenceId ?? null,
          charge_id: null,
          source: 'import',
          created_at: NOW,
        })
        .execute();
    }
    for (const line of fundings) {
      await db
        .insertInto('fundings')
        .values({
          ...place,
          id: line.id,
          slice_day: '2026-03-01',
          merchant_order_id: merchantOrderId,
          status: line.status,
          transaction_type: line.transactionType,
          lender_name: line.lenderName,
          transaction_amount: line.transactionAmount,
          discount_amount: line.discountAmount,
          net_amount: line.netAmount,
          funded_at: line.fundedAt,
          updated_at: line.updatedAt,
          transaction_date: null,
          transaction_id: line.transactionId ?? null,
          merchant_transaction_id: line.merchantTransactionId ?? null,
          charge_id: null,
          lender_reference_id: line.lenderReferenceId ?? null,
          product_type: line.productType ?? null,
          promo_code: line.promoCode ?? null,
          hash: '',
          version: 1,
        })
        .execute();
    }
  }
}

/** Says that lines of these orders have changed. */
export async function mark(db: Kysely<Schema>, keys: Iterable<string>): Promise<void> {
  for (const key of new Set(keys)) {
    await db
      .insertInto('dirty_orders')
      .values({ environment, order_key: key, generation: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['environment', 'order_key'])
          .doUpdateSet((eb) => ({ generation: eb('dirty_orders.generation', '+', 1) })),
      )
      .execute();
  }
}

/** A status as the tables hold it, in the form of the rules. */
export type Standing = Record<string, OrderStatus>;

/** How orders stand in the tables. */
export async function standing(db: Kysely<Schema>): Promise<Standing> {
  const exceptions = await db.selectFrom('order_exceptions').selectAll().execute();
  const statuses = await db.selectFrom('order_statuses').selectAll().execute();
  return Object.fromEntries(
    statuses.map((row) => {
      const own = exceptions.filter(
        (it) => it.order_key === row.order_key && it.currency === row.currency,
      );
      return [
        `${row.currency} ${row.order_key}`,
        {
          funding: row.funding,
          returns: row.returns,
          headline: row.headline,
          expected: { settle: row.expected_settle, refund: row.expected_refund },
          funded: {
            settle: row.funded_settle,
            refund: row.funded_refund,
            chargeback: row.funded_chargeback,
            reversal: row.funded_reversal,
          },
          discount: row.discount,
          net: row.net,
          awaiting: row.awaiting,
          recheckAt: row.recheck_at ?? undefined,
          exceptions: own
            .map(({ code, amount: size, count, since }) => ({ code, amount: size, count, since }))
            .sort((a, b) => (a.code < b.code ? -1 : 1)),
        } as OrderStatus,
      ];
    }),
  );
}

/** How they should, by the rules. */
export function ruled(list: readonly BookedOrder[], policy: Policy): Standing {
  return Object.fromEntries(
    list
      .filter(({ ledger, fundings }) => ledger.length + fundings.length > 0)
      .map(({ orderKey, currency, ledger, fundings }) => {
        const merchantOrderId = orderKey.startsWith('order:') ? orderKey.slice(6) : undefined;
        const status = reconcileOrder({ merchantOrderId, currency, ledger, fundings }, policy);
        const exceptions = [...status.exceptions].sort((a, b) => (a.code < b.code ? -1 : 1));
        return [`${currency} ${orderKey}`, { ...status, exceptions }];
      }),
  );
}
