import type {
  ExceptionCode,
  listedExceptionSchema,
  ReconciliationSummary,
} from '@financing-checkout/contract/reconciliation';
import type { z } from 'zod';
import { currencyAssumed } from '../basis/reasons.ts';
import type { DuckDBValue } from '../../platform/duckdb.ts';
import { compareTexts } from '@financing-checkout/reconciliation-rules';
import { merchantOrderIdOf, orderPlaceSql } from '../../platform/order-key.ts';
import { movedWithin } from './order-filter.ts';
import { type QueryContext, reliabilityOf } from '../basis/reliability.ts';
import { type OrderPlace, optional, select, sumOrNull, text, whole, word } from '../basis/rows.ts';
import { exceptionStakes } from '../basis/stakes.ts';
import { exceptionRecord } from './status-records.ts';

export type ListedException = z.infer<typeof listedExceptionSchema>;

export interface ExceptionPlace extends OrderPlace {
  code: string;
}

export interface ExceptionFilter {
  code?: ExceptionCode | undefined;
  currency?: string | undefined;
  /** Only exceptions of orders with a settle, refund or funding at or after `from`. */
  from?: number | undefined;
  /** … and before `to`. Times are milliseconds since 1970. */
  to?: number | undefined;
}

function conditionsOf({ code, currency, from, to }: ExceptionFilter) {
  const conditions: string[] = [];
  const parameters: Record<string, DuckDBValue> = {};
  if (code !== undefined) {
    conditions.push('e.code = $code');
    parameters.code = code;
  }
  if (currency !== undefined) {
    conditions.push('e.currency = $currency');
    parameters.currency = currency;
  }
  if (from !== undefined || to !== undefined) {
    const moved = movedWithin('e', { from, to });
    conditions.push(moved.condition);
    Object.assign(parameters, moved.parameters);
  }
  return { conditions, parameters };
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}

const place = orderPlaceSql('e.order_key', 'e.currency');

/**
 * Returns a page of exceptions with their cases, sorted by key, currency and code, and those of fundings
 * without an order last.
 */
export async function exceptionsPage(
  ctx: QueryContext,
  query: ExceptionFilter & { after?: ExceptionPlace | undefined; limit: number },
): Promise<{ exceptions: ListedException[]; next: ExceptionPlace | undefined }> {
  const { after, limit } = query;
  const filter = conditionsOf(query);
  const conditions = [
    ...filter.conditions,
    ...(after === undefined
      ? []
      : [`(${place}, e.code) > (${orderPlaceSql('$after_key', '$after_currency')}, $after_code)`]),
  ];
  const rows = await ctx.database.read(
    (connection) =>
      select(
        connection,
        `select e.*, c.id as case_id, c.state as case_state
        from order_exceptions e
        left join cases c
          on c.order_key = e.order_key and c.currency = e.currency and c.code = e.code
        ${where(conditions)}
        order by ${place}, e.code limit ${limit + 1}`,
        {
          ...filter.parameters,
          ...(after === undefined
            ? {}
            : {
                after_key: after.orderKey,
                after_currency: after.currency,
                after_code: after.code,
              }),
        },
      ),
    ctx.signal,
  );
  const exceptions = rows.slice(0, limit).map((row): ListedException => {
    const orderKey = text(row.order_key);
    const merchantOrderId = merchantOrderIdOf(orderKey);
    const caseId = optional(row.case_id);
    return {
      orderKey,
      ...(merchantOrderId === undefined ? {} : { merchantOrderId }),
      currency: text(row.currency),
      ...currencyAssumed(row.assumed),
      ...exceptionRecord(row),
      ...(caseId === undefined
        ? {}
        : { case: { id: caseId, state: word('state', row.case_state) } }),
    };
  });
  const last = exceptions.at(-1);
  const next =
    rows.length > limit && last
      ? { orderKey: last.orderKey, currency: last.currency, code: last.code }
      : undefined;
  return { exceptions, next };
}

/** Returns the reconciliation summary, with the exceptions that have the most open cases first. */
export async function summaryOf(
  ctx: QueryContext,
  filter: ExceptionFilter = {},
): Promise<ReconciliationSummary> {
  const { conditions, parameters } = conditionsOf(filter);
  const reliability = await reliabilityOf(ctx);
  const rows = await ctx.database.read(
    (connection) =>
      select(
        connection,
        `select e.code, e.currency, count(*) as count,
          count(*) filter (e.case_state = 'ignored') as ignored,
          count(*) filter (e.assumed) as assumed,
          coalesce(sum(e.at_stake) filter (e.is_open and not e.assumed), 0) as amount,
          count(*) filter (e.is_open) as open
        from (from ${exceptionStakes}) e ${where(conditions)} group by e.code, e.currency`,
        parameters,
      ),
    ctx.signal,
  );
  return {
    ...reliability,
    exceptions: rows
      .map((row) => ({
        code: word('code', row.code),
        currency: text(row.currency),
        open: whole(row.open),
        count: whole(row.count),
        ignored: whole(row.ignored),
        assumed: whole(row.assumed),
        amount: row.currency === '' ? null : sumOrNull(row.amount),
      }))
      .sort(
        (a, b) =>
          b.open - a.open || compareTexts(a.code, b.code) || compareTexts(a.currency, b.currency),
      ),
  };
}
