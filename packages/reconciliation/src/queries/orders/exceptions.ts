import {
  exceptionFilters,
  type listedExceptionSchema,
  type ReconciliationSummary,
} from '@financing-checkout/contract/reconciliation';
import type { z } from 'zod';
import { currencyAssumed } from '../basis/reasons.ts';
import {
  type Conditions,
  conditionsOf,
  type FilterSql,
  type Selected,
  whereOf,
} from '../basis/filter.ts';
import {
  afterPlace,
  type Keyset,
  ofOrders,
  orderBy,
  type Place,
  placeOfOrder,
} from '../basis/keyset.ts';
import { compareTexts } from '@financing-checkout/reconciliation-rules';
import { merchantOrderIdOf } from '../../platform/order-key.ts';
import { movedWithin } from './order-filter.ts';
import { type QueryContext, reliabilityOf } from '../basis/reliability.ts';
import { optional, select, sumOrNull, text, whole, word } from '../basis/rows.ts';
import { exceptionStakes } from '../basis/stakes.ts';
import { exceptionRecord } from './status-records.ts';

export type ListedException = z.infer<typeof listedExceptionSchema>;

export type ExceptionFilter = Selected<typeof exceptionFilters>;

const columns: FilterSql = { code: 'e.code', currency: 'e.currency', from: null, to: null };

function exceptionConditions(filter: ExceptionFilter): Conditions {
  const { from, to } = filter;
  const { conditions, parameters } = conditionsOf(exceptionFilters, filter, columns);
  if (from === undefined && to === undefined) return { conditions, parameters };
  const moved = movedWithin('e', { from, to });
  return {
    conditions: [...conditions, moved.condition],
    parameters: { ...parameters, ...moved.parameters },
  };
}

/** The order of exceptions: by order, then by code. */
export const ofExceptions: Keyset = {
  mark: 'exception',
  keys: [...ofOrders('e').keys, { sql: 'e.code', type: 'varchar' }],
};

/**
 * Returns a page of exceptions with their cases, sorted by key, currency and code, and those of fundings
 * without an order last.
 */
export async function exceptionsPage(
  ctx: QueryContext,
  { after, limit, ...filter }: ExceptionFilter & { after?: Place | undefined; limit: number },
): Promise<{ exceptions: ListedException[]; next: Place | undefined }> {
  const { conditions, parameters } = exceptionConditions(filter);
  const later = after && afterPlace(ofExceptions, after);
  const rows = await ctx.database.read(
    (connection) =>
      select(
        connection,
        `select e.*, c.id as case_id, c.state as case_state
        from order_exceptions e
        left join cases c
          on c.order_key = e.order_key and c.currency = e.currency and c.code = e.code
        ${whereOf([...conditions, ...(later === undefined ? [] : [later.condition])])}
        ${orderBy(ofExceptions)} limit ${limit + 1}`,
        { ...parameters, ...later?.parameters },
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
  const next = rows.length > limit && last ? [...placeOfOrder(last), last.code] : undefined;
  return { exceptions, next };
}

/** Returns the reconciliation summary, with the exceptions that have the most open cases first. */
export async function summaryOf(
  ctx: QueryContext,
  filter: ExceptionFilter = {},
): Promise<ReconciliationSummary> {
  const { conditions, parameters } = exceptionConditions(filter);
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
        from (from ${exceptionStakes}) e ${whereOf(conditions)} group by e.code, e.currency`,
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
