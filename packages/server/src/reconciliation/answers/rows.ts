import type { FundingAxis, Headline, ReturnsAxis } from '@financing-checkout/contract';
import { fundingAxis, headlines, returnsAxis } from '@financing-checkout/contract';
import type { FundingLine, LedgerLine } from '@financing-checkout/reconciliation-rules';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { FundingsTable, LedgerLinesTable, OrderStatusesTable } from '../../store/schema.ts';

/** An order in one currency: where reading goes on. */
export interface OrderPlace {
  orderKey: string;
  currency: string;
}

/** A status as a recompute wrote it. Amounts are minor units, times milliseconds since 1970. */
export interface StatusRow extends OrderPlace {
  merchantOrderId: string | undefined;
  funding: FundingAxis;
  returns: ReturnsAxis;
  headline: Headline;
  expected: { settle: number; refund: number };
  funded: { settle: number; refund: number; chargeback: number; reversal: number };
  discount: number;
  net: number;
  awaiting: number;
  recheckAt: number | undefined;
  computedAt: number;
  changedAt: number;
}

export interface LedgerLineRow extends LedgerLine {
  source: string;
}

/** All lines of one order in one currency. */
export interface LinesRow extends OrderPlace {
  ledger: LedgerLineRow[];
  fundings: FundingLine[];
}

const headline = z.enum(headlines);
const funding = z.enum(fundingAxis);
const returns = z.enum(returnsAxis);

export function toStatus(row: Selectable<OrderStatusesTable>): StatusRow {
  return {
    orderKey: row.order_key,
    currency: row.currency,
    merchantOrderId: row.merchant_order_id ?? undefined,
    headline: headline.parse(row.headline),
    funding: funding.parse(row.funding),
    returns: returns.parse(row.returns),
    expected: { settle: Number(row.expected_settle), refund: Number(row.expected_refund) },
    funded: {
      settle: Number(row.funded_settle),
      refund: Number(row.funded_refund),
      chargeback: Number(row.funded_chargeback),
      reversal: Number(row.funded_reversal),
    },
    discount: Number(row.discount),
    net: Number(row.net),
    awaiting: Number(row.awaiting),
    recheckAt: row.recheck_at === null ? undefined : Number(row.recheck_at),
    computedAt: Number(row.computed_at),
    changedAt: Number(row.changed_at),
  };
}

export function toLedgerLine(row: Selectable<LedgerLinesTable>): LedgerLineRow {
  return {
    id: row.id,
    type: row.type === 'Refund' ? 'Refund' : 'Settle',
    amount: Number(row.amount),
    occurredAt: Number(row.occurred_at),
    transactionId: row.transaction_id ?? undefined,
    merchantTransactionId: row.merchant_transaction_id ?? undefined,
    source: row.source,
  };
}

export function toFundingLine(row: Selectable<FundingsTable>): FundingLine {
  return {
    id: row.id,
    status: row.status,
    transactionType: row.transaction_type,
    transactionAmount: Number(row.transaction_amount),
    discountAmount: Number(row.discount_amount),
    netAmount: Number(row.net_amount),
    fundedAt: Number(row.funded_at),
    updatedAt: Number(row.updated_at),
    lenderName: row.lender_name,
    transactionId: row.transaction_id ?? undefined,
    merchantTransactionId: row.merchant_transaction_id ?? undefined,
    lenderReferenceId: row.lender_reference_id ?? undefined,
    productType: row.product_type ?? undefined,
    promoCode: row.promo_code ?? undefined,
  };
}
