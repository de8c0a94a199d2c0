import type { DuckDBConnection } from '../../platform/duckdb.ts';
import { exceptionCodes } from '@financing-checkout/contract/reconciliation';
import { merchantOrderIdSql } from '../../platform/order-key.ts';
import { sqlText, sqlTexts } from '../../platform/temporary-files.ts';
import type { CaseTerms } from '../cases/cases.ts';
import { type ExportRequest, type ExportRows, type LineColumn, rowsOf } from './export-rows.ts';
import { ofOrders, orderBy } from '../basis/keyset.ts';
import { hasShares, statusConditions } from '../orders/order-filter.ts';

/** SQL of each field of a record, for a row `r`. A nested shape is an object. */
interface Shape {
  readonly [field: string]: string | Shape;
}

/**
 * Writes an export as NDJSON with the API's fields except sentences. Every record has all fields;
 * omitted ones are null.
 */
export async function writeRecords(
  connection: DuckDBConnection,
  path: string,
  request: ExportRequest,
  terms: CaseTerms,
): Promise<void> {
  const { rows, order, parameters } = recordRows(request, terms);
  const fields = Object.entries(shapeOf(request, terms)).map(
    ([name, field]) => `${valueOf(field)} as "${name}"`,
  );
  await connection.run(
    `copy (select ${fields.join(', ')} from (${rows}) r ${order}) to ${sqlText(path)}
      (format json, use_tmp_file false)`,
    parameters,
  );
}

function valueOf(field: string | Shape): string {
  if (typeof field === 'string') return field;
  const parts = Object.entries(field).map(([name, part]) => `'${name}': ${valueOf(part)}`);
  return `{${parts.join(', ')}}`;
}

/** Most severe exceptions first, as the API sorts them. */
const rank = (code: string) => `list_position(${sqlTexts(exceptionCodes)}, ${code})`;

function recordRows(request: ExportRequest, terms: CaseTerms): ExportRows {
  if (request.table === 'orders') {
    const { conditions, parameters, source } = statusConditions(request.query);
    return {
      rows: `select s.*, s.assumed as currency_assumed, coalesce(e.exceptions, []) as exceptions
        from ${source} left join (
          select r.order_key, r.currency,
            list(${valueOf(exceptionShape)} order by ${rank('r.code')}) as exceptions
          from order_exceptions r group by all) e
        on e.order_key = s.order_key and e.currency = s.currency ${conditions}`,
      order: orderBy(ofOrders('r')),
      parameters,
    };
  }
  const rows = rowsOf(request, terms, lineColumns);
  if (request.table !== 'exceptions') return rows;
  return { ...rows, order: `${orderBy(ofOrders('r'))}, ${rank('r.code')}` };
}

/** Columns that only this format has, with their SQL for a ledger line and for a funding. */
const lineColumns: readonly LineColumn[] = [
  { name: 'stated_by', ledger: 'l.source', funding: 'null' },
  { name: 'charge_id', ledger: 'l.charge_id', funding: 'null' },
  { name: 'reference_id', ledger: 'l.lender_reference_id', funding: 'f.lender_reference_id' },
  { name: 'updated_at', ledger: 'null::bigint', funding: 'f.updated_at' },
];

/** Returns SQL for a time as the API writes it. */
const time = (column: string) =>
  `strftime(make_timestamp(r.${column} * 1000), '%Y-%m-%dT%H:%M:%S.%gZ')`;

const exceptionShape: Shape = {
  code: 'r.code',
  amount: 'r.amount',
  count: 'r.count',
  since: time('since'),
};

/** The order of a row. */
const orderShape: Shape = {
  orderKey: 'r.order_key',
  merchantOrderId: merchantOrderIdSql('r.order_key'),
  currency: 'r.currency',
  currencyAssumed: 'r.currency_assumed',
};

const ids: Shape = {
  transactionId: 'r.transaction_id',
  merchantTransactionId: 'r.merchant_transaction_id',
  lenderReferenceId: 'r.reference_id',
};

const ledgerLine: Shape = {
  id: 'r.id',
  type: 'r.type',
  amount: 'r.amount',
  occurredAt: time('at'),
  ...ids,
  source: 'r.stated_by',
  chargeId: 'r.charge_id',
};

const funding: Shape = {
  id: 'r.id',
  status: 'r.status',
  transactionType: 'r.type',
  transactionAmount: 'r.amount',
  discountAmount: 'r.discount',
  netAmount: 'r.net',
  fundedAt: time('at'),
  updatedAt: time('updated_at'),
  lenderName: 'r.lender',
  ...ids,
  productType: 'r.product_type',
  promoCode: 'r.promo_code',
};

function shapeOf(request: ExportRequest, { now }: CaseTerms): Shape {
  switch (request.table) {
    case 'orders':
      return {
        ...orderShape,
        headline: 'r.headline',
        funding: 'r.funding',
        returns: 'r.returns',
        expected: { settle: 'r.expected_settle', refund: 'r.expected_refund' },
        funded: {
          settle: 'r.funded_settle',
          refund: 'r.funded_refund',
          chargeback: 'r.funded_chargeback',
          reversal: 'r.funded_reversal',
        },
        discount: 'r.discount',
        net: 'r.net',
        awaiting: 'r.awaiting',
        exceptions: 'r.exceptions',
        recheckAt: time('recheck_at'),
        computedAt: time('computed_at'),
        changedAt: time('changed_at'),
        ...(hasShares(request.query) ? { share: 'r.share' } : {}),
      };
    case 'exceptions':
      return { ...orderShape, ...exceptionShape };
    case 'cases':
      return {
        id: 'r.id',
        revision: 'r.revision',
        ...orderShape,
        code: 'r.code',
        state: 'r.state',
        amount: 'r.amount',
        atStake: 'case when r.at_stake <> abs(r.amount) then r.at_stake end',
        count: 'r.count',
        since: time('since'),
        ageDays: `greatest(0, (${now} - r.since) // 86400000)`,
        dueAt: time('due_at'),
        snoozedUntil: time('snoozed_until'),
        mergedInto: 'r.merged_into',
        together: `case when r.merged_count > 0 then ${valueOf({
          count: 'r.merged_count',
          assumedCurrency: 'r.merged_assumed',
          amount: `case when r.currency <> '' and r.stake <= ${Number.MAX_SAFE_INTEGER} then r.stake end`,
        })} end`,
        assignee: 'r.assignee',
        reason: 'r.reason',
        openedAt: time('opened_at'),
        updatedAt: time('updated_at'),
        alertedAt: time('alerted_at'),
      };
    case 'lines':
      return {
        ...orderShape,
        source: 'r.source',
        line: `case r.source when 'ledger' then to_json(${valueOf(ledgerLine)})
          else to_json(${valueOf(funding)}) end`,
      };
  }
}
