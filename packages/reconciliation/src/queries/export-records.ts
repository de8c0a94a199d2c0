import type { DuckDBConnection } from '../platform/duckdb.ts';
import { exceptionCodes } from '@financing-checkout/contract';
import { calendarOf } from '@financing-checkout/reconciliation-rules';
import { merchantOrderIdSql } from '../platform/order-key.ts';
import { sqlTexts } from '../platform/temporary-files.ts';
import type { CaseTerms } from './cases.ts';
import { copyLines } from './copy-lines.ts';
import { type ExportRequest, type ExportRows, type LineColumn, rowsOf } from './export-rows.ts';
import { type JsonMember, jsonObject, jsonText, jsonTime, jsonWord } from './json-sql.ts';
import { hasShares, type StatusFilter, statusConditions } from './order-filter.ts';
import { explainedExceptions, reasonsSql } from './reasons-sql.ts';
import type { QueryContext } from './reliability.ts';
import { select, text, whole } from './rows.ts';
import { zonedSql } from './zone-offsets.ts';

/** Writes an export as NDJSON: rows in the API's format. */
export async function writeRecords(
  connection: DuckDBConnection,
  path: string,
  request: ExportRequest,
  { policy, terms }: Pick<QueryContext, 'policy'> & { terms: CaseTerms },
): Promise<void> {
  const { rows, line } =
    request.table === 'orders'
      ? await orderRecords(connection, request.query, policy)
      : { rows: rowsOf(request, terms, lineColumns), line: recordOf(request.table, terms.now) };
  await copyLines(connection, path, request, sorted(request, rows), { line, end: '\\n' });
}

/** Sorts the exceptions of an order as the API does: most severe first. */
function sorted({ table }: ExportRequest, rows: ExportRows): ExportRows {
  if (table !== 'exceptions') return rows;
  const rank = `list_position(${sqlTexts(exceptionCodes)}, r.code)`;
  return { ...rows, order: `order by r.order_key, r.currency, ${rank}` };
}

const member = (name: string, sql: string): JsonMember => ({ name, sql });
const optional = (name: string, sql: string): JsonMember => ({ name, sql, optional: true });
const word = (name: string) => member(name, jsonWord(`r.${name}`));
const number = (name: string) => member(name, `r.${name}`);
const time = (name: string, column: string) => member(name, jsonTime(`r.${column}`));

/** The order of a row, in the API's format. */
function placeMembers(assumed: string): JsonMember[] {
  return [
    member('orderKey', jsonText('r.order_key')),
    optional('merchantOrderId', jsonText(merchantOrderIdSql('r.order_key'))),
    member('currency', jsonText('r.currency')),
    optional('currencyAssumed', `case when ${assumed} then 'true' end`),
  ];
}

async function orderRecords(
  connection: DuckDBConnection,
  query: StatusFilter,
  policy: QueryContext['policy'],
): Promise<{ rows: ExportRows; line: string }> {
  const [range] = await select(
    connection,
    `select min(recheck_at) as first, max(recheck_at) as last from order_statuses`,
  );
  const used = await select(connection, 'select distinct currency from order_statuses');
  const currencies = used.map(({ currency }) => text(currency));
  const { zone } = calendarOf(policy.slaDays);
  const { day } = zonedSql(zone, whole(range?.first), whole(range?.last));
  const { conditions, parameters, source } = statusConditions(query);
  const line = jsonObject([
    ...placeMembers('r.assumed'),
    ...['headline', 'funding', 'returns'].map(word),
    member(
      'expected',
      jsonObject([member('settle', 'r.expected_settle'), member('refund', 'r.expected_refund')]),
    ),
    member(
      'funded',
      jsonObject(
        ['settle', 'refund', 'chargeback', 'reversal'].map((name) =>
          member(name, `r.funded_${name}`),
        ),
      ),
    ),
    ...['discount', 'net', 'awaiting'].map(number),
    member('exceptions', `concat('[', r.exceptions, ']')`),
    optional('recheckAt', jsonTime('r.recheck_at')),
    time('computedAt', 'computed_at'),
    time('changedAt', 'changed_at'),
    ...(hasShares(query) ? [number('share')] : []),
    member('reasons', reasonsSql({ currencies, day, zone })),
  ]);
  return {
    rows: {
      rows: `select s.*, e.exceptions, e.reasons from ${source}
        left join (${explainedExceptions(currencies)}) e
          on e.order_key = s.order_key and e.currency = s.currency ${conditions}`,
      order: 'order by r.order_key, r.currency',
      parameters,
    },
    line,
  };
}

/** Columns that only this format has: of a ledger line, and of a funding. */
const lineColumns: readonly LineColumn[] = [
  { name: 'stated_by', ledger: 'l.source', funding: 'null' },
  { name: 'charge_id', ledger: 'l.charge_id', funding: 'null' },
  { name: 'reference_id', ledger: 'l.lender_reference_id', funding: 'f.lender_reference_id' },
  { name: 'updated_at', ledger: 'null::bigint', funding: 'f.updated_at' },
];

/** Returns SQL for a row `r` of a table in the API's format. */
function recordOf(table: 'exceptions' | 'lines' | 'cases', now: number): string {
  const id = (name: string, column: string) => optional(name, jsonText(`r.${column}`));
  switch (table) {
    case 'exceptions':
      return jsonObject([
        ...placeMembers('r.currency_assumed'),
        word('code'),
        number('amount'),
        number('count'),
        time('since', 'since'),
      ]);
    case 'cases':
      return jsonObject([
        member('id', jsonText('r.id')),
        number('revision'),
        ...placeMembers('r.currency_assumed'),
        word('code'),
        word('state'),
        number('amount'),
        optional('atStake', 'case when r.at_stake <> abs(r.amount) then r.at_stake end'),
        number('count'),
        time('since', 'since'),
        member('ageDays', `greatest(0, (${now} - r.since) // 86400000)`),
        time('dueAt', 'due_at'),
        optional('snoozedUntil', jsonTime('r.snoozed_until')),
        id('mergedInto', 'merged_into'),
        optional(
          'together',
          `case when r.merged_count > 0 then ${jsonObject([
            member('count', 'r.merged_count'),
            member('assumedCurrency', 'r.merged_assumed'),
            member(
              'amount',
              `case when r.currency = '' or r.stake > ${Number.MAX_SAFE_INTEGER} then 'null' else r.stake::varchar end`,
            ),
          ])} end`,
        ),
        id('assignee', 'assignee'),
        id('reason', 'reason'),
        time('openedAt', 'opened_at'),
        time('updatedAt', 'updated_at'),
        optional('alertedAt', jsonTime('r.alerted_at')),
      ]);
    case 'lines': {
      const ids = [
        id('transactionId', 'transaction_id'),
        id('merchantTransactionId', 'merchant_transaction_id'),
        id('lenderReferenceId', 'reference_id'),
      ];
      const ledger = jsonObject([
        member('id', jsonText('r.id')),
        word('type'),
        number('amount'),
        time('occurredAt', 'at'),
        ...ids,
        member('source', jsonWord('r.stated_by')),
        id('chargeId', 'charge_id'),
      ]);
      const funding = jsonObject([
        member('id', jsonText('r.id')),
        id('status', 'status'),
        id('transactionType', 'type'),
        optional('transactionAmount', 'r.amount'),
        optional('discountAmount', 'r.discount'),
        optional('netAmount', 'r.net'),
        optional('fundedAt', jsonTime('r.at')),
        optional('updatedAt', jsonTime('r.updated_at')),
        id('lenderName', 'lender'),
        ...ids,
        id('productType', 'product_type'),
        id('promoCode', 'promo_code'),
      ]);
      return jsonObject([
        ...placeMembers('r.currency_assumed'),
        word('source'),
        member('line', `case r.source when 'ledger' then ${ledger} else ${funding} end`),
      ]);
    }
  }
}
