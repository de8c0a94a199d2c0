import type { DuckDBValue } from '../../platform/duckdb.ts';
import type { CsvDecimal } from '@financing-checkout/contract/money';
import { isGuessed } from '../../analytics/schema.ts';
import { caseOrder } from '../cases/case-order.ts';
import { whereOf } from '../basis/filter.ts';
import { type Keyset, ofOrders, orderBy } from '../basis/keyset.ts';
import {
  caseConditions,
  type CaseFilter,
  casesWithDue,
  type CaseTerms,
  listedStake,
  snoozedSql,
} from '../cases/cases.ts';
import { sqlText } from '../../platform/temporary-files.ts';
import { lastLenders } from '../basis/lenders.ts';
import type { ExportTable } from './export-tables.ts';
import { type StatusFilter, statusConditions } from '../orders/order-filter.ts';
import { exceptionStakes } from '../basis/stakes.ts';
import type { CsvTimes } from './zone-offsets.ts';

/** Filter of an export. In `lines`, `from` and `to` apply to the line's own time. */
export type ExportRequest = {
  format: 'csv' | 'ndjson' | 'parquet' | 'xlsx';
  /** Whether CSV starts with a byte order mark, without which Excel does not recognize UTF-8. */
  bom: boolean;
  /** Decimal separator of CSV. */
  decimal: CsvDecimal;
  /** Format of times in CSV. */
  times: CsvTimes;
  /** IANA name of the time zone of times in CSV and XLSX. NDJSON uses UTC, like the API. */
  zone: string;
} & (
  | { table: Exclude<ExportTable, 'cases'>; query: StatusFilter }
  | {
      table: 'cases';
      query: CaseFilter;
      order?: Keyset | undefined;
      /** Language of the texts of exceptions. @default 'en' */
      language?: 'en' | 'de';
    }
);

export function languageOf(request: ExportRequest): 'en' | 'de' {
  return (request.table === 'cases' ? request.language : undefined) ?? 'en';
}

export interface ExportRows {
  rows: string;
  order: string;
  parameters: Record<string, DuckDBValue>;
}

/** A column of the lines, with its SQL for a ledger line `l` and a funding `f`. */
export interface LineColumn {
  name: string;
  ledger: string;
  funding: string;
}

/** Returns SQL for the lender's own name. */
function lenderSql(name: string, { aliases }: Pick<CaseTerms, 'aliases'>): string {
  const own = Object.entries(aliases).map(
    ([alias, lender]) => `when ${sqlText(alias)} then ${sqlText(lender)}`,
  );
  return own.length === 0 ? name : `case ${name} ${own.join(' ')} else ${name} end`;
}

/**
 * Selects and sorts the matching rows of a table.
 * @param more columns of lines in addition to those of spreadsheets
 */
export function rowsOf(
  request: ExportRequest,
  terms: CaseTerms,
  more: readonly LineColumn[] = [],
): ExportRows {
  switch (request.table) {
    case 'orders': {
      const { conditions, parameters, source } = statusConditions(request.query);
      return {
        rows: `select s.* exclude (judged, assumed), s.assumed as currency_assumed,
            coalesce(e.codes, '') as exceptions from ${source}
          left join (select order_key, currency, string_agg(code, ' ' order by code) as codes
            from order_exceptions group by all) e
            on e.order_key = s.order_key and e.currency = s.currency ${conditions}`,
        order: orderBy(ofOrders('r')),
        parameters,
      };
    }
    case 'exceptions': {
      const { conditions, parameters, source } = statusConditions(request.query);
      const code = request.query.exception === undefined ? '' : 'where e.code = $exception';
      return {
        rows: `select e.* exclude (content_hash, assumed, case_id, case_state, is_open)
            replace (case when e.is_open then e.at_stake else 0 end as at_stake),
            e.assumed as currency_assumed from (from ${exceptionStakes}) e
          semi join (select s.order_key, s.currency from ${source} ${conditions}) s
            on s.order_key = e.order_key and s.currency = e.currency ${code}`,
        order: `${orderBy(ofOrders('r'))}, r.code`,
        parameters,
      };
    }
    case 'lines':
      return linesOf(request.query, more);
    case 'cases': {
      const { conditions, parameters } = caseConditions(request.query, terms);
      return {
        rows: `with matching as (from ${casesWithDue(terms)} ${whereOf(conditions)})
          select matching.* exclude (content_hash, open_since, snoozed_content, mentions, is_counted)
            replace (case when ${snoozedSql(terms.now)} then snoozed_until end as snoozed_until)
            rename (number as revision, assumed as currency_assumed),
            ${listedStake(request.query)} as listed_stake,
            ${lenderSql('l.lender', terms)} as lender
          from matching left join (${lastLenders()}) l using (order_key)`,
        order: orderBy(request.order ?? caseOrder('money')),
        parameters,
      };
    }
  }
}

/**
 * Lines of matching orders; includes those of unknown currency unless the filter names a currency.
 */
function linesOf({ from, to, ...query }: StatusFilter, more: readonly LineColumn[]): ExportRows {
  const { conditions, parameters } = statusConditions(query);
  const isOfAll = conditions === '';
  const of = (alias: string) =>
    isOfAll
      ? ''
      : `semi join (select s.order_key, s.currency from order_statuses s ${conditions}) s
        on s.order_key = ${alias}.order_key and (s.currency = ${alias}.currency
          ${query.currency === undefined ? `or ${alias}.currency = ''` : ''})`;
  const within = (moment: string) =>
    [
      ...(from === undefined ? [] : [`${moment} >= ${from}`]),
      ...(to === undefined ? [] : [`${moment} < ${to}`]),
    ].map((condition) => ` and ${condition}`);
  return {
    rows: `
      select l.order_key, l.currency, 'ledger' as source, l.id, l.type, null as status, null as lender,
        l.amount, null::bigint as discount, null::bigint as net, l.occurred_at as at, l.transaction_id,
        l.merchant_transaction_id, null as lender_reference_id, null as product_type, null as promo_code,
        false as currency_assumed${more.map(({ name, ledger }) => `, ${ledger} as ${name}`).join('')}
      from ledger_lines l ${of('l')} where true ${within('l.occurred_at').join('')}
      union all
      select f.order_key, f.currency, 'funding', f.id, f.transaction_type, f.status, f.lender_name,
        f.transaction_amount, f.discount_amount, f.net_amount, f.funded_at, f.transaction_id,
        f.merchant_transaction_id, f.lender_reference_id, f.product_type, f.promo_code,
        ${isGuessed('f')}${more.map(({ funding }) => `, ${funding}`).join('')}
      from fundings f ${of('f')} where f.problem is null ${within('f.funded_at').join('')}`,
    order: `${orderBy(ofOrders('r'))}, r.source desc, r.id`,
    parameters,
  };
}
