import type { ExceptionCode } from '@financing-checkout/contract/reconciliation';
import { sqlText } from '../../platform/temporary-files.ts';

/**
 * Pairs of exceptions about the same money. The second one counts only its excess over the first, which
 * is more severe.
 */
const pairs = [
  // The refunded part of a chargeback is the double debit.
  ['DOUBLE_DEBIT', 'CHARGEBACK_OPEN'],
  // Fundings without a ledger line may also be unknown to the service.
  ['NOT_IN_LEDGER', 'MISSING_IN_SERVICE'],
] as const satisfies readonly (readonly [ExceptionCode, ExceptionCode])[];

/** Exceptions for unpaid lines, each with SQL for the amount that lenders have not posted. */
const unpaid = [
  ['MISSING_AT_LENDER', 'expected_settle - s.funded_settle'],
  ['REFUND_NOT_TAKEN', 'expected_refund - s.funded_refund'],
] as const satisfies readonly (readonly [ExceptionCode, string])[];

const UNCLEAR = 'AMBIGUOUS_PAYMENT' satisfies ExceptionCode;

/** SQL for whether the exceptions `one` and `other` of an order are one of the {@link pairs}. */
const isPair = pairs
  .map(([one, other]) => `(one.code = ${sqlText(one)} and other.code = ${sqlText(other)})`)
  .join(' or ');

const codes = [UNCLEAR, ...pairs.flat(), ...unpaid.map(([code]) => code)];

const notPosted = unpaid
  .map(([code, difference]) => `when ${sqlText(code)} then s.${difference}`)
  .join(' ');

/**
 * SQL for the cases with the money at stake of their orders, named `cases`. All sums, counts and
 * sorts of money at stake read it, so that each amount of an order counts once:
 *
 * - `at_stake`: the absolute amount of the case, without the part counted in another open case of the order.
 *   A payment that fits several sets of lines pays none of them, so all of them appear missing; at
 * stake is the amount that lenders have not posted, or else the payment.
 * - `stake`: the same, including the merged cases, except those with an assumed currency.
 *   `merged_count` and `merged_assumed` are their numbers.
 * - `is_counted`: whether other open cases of the order count all of its money.
 * - `assumed`: whether its currency is assumed, so that no sum may include it.
 */
export const stakes = stakesAmong('cases');

/**
 * Returns SQL for {@link stakes} of a part of the cases, which has all cases of its orders.
 * @param source of the part: with the columns of `cases`
 */
export function stakesAmong(source: string): string {
  return `(
  with telling as materialized (
    select id, order_key, currency, code, abs(amount) as amount from ${source} c
    where state = 'open' and code in (${codes.map(sqlText).join(', ')})),
  unclear as (from telling where code = ${sqlText(UNCLEAR)}),
  orders as materialized (
    select order_key, currency, expected_settle, funded_settle, expected_refund, funded_refund
    from order_statuses where rowid in (select rowid from order_statuses
      where key_hash in (select hash_of_key(order_key) from unclear))),
  rests as materialized (
    select t.id, u.id as unclear_id, greatest(0, case t.code ${notPosted} end) as rest
    from telling t
    join unclear u on u.order_key = t.order_key and u.currency = t.currency
    join orders s on s.order_key = t.order_key and s.currency = t.currency
    where t.amount > case t.code ${notPosted} end),
  netted as materialized (
    select id, rest as at_stake from rests
    union all
    select unclear_id, 0 from rests group by unclear_id having sum(rest) > 0
    union all
    select other.id, greatest(0, other.amount - one.amount)
    from telling other join telling one
      on one.order_key = other.order_key and one.currency = other.currency and (${isPair})),
  guesses as materialized (select order_key, currency from order_statuses where assumed),
  merged as (
    select c.merged_into as main_id, count(*) as merged_count, count(g.order_key) as merged_assumed,
      coalesce(sum(coalesce(n.at_stake, abs(c.amount))) filter (g.order_key is null), 0) as amount
    from ${source} c left join netted n on n.id = c.id
    left join guesses g on g.order_key = c.order_key and g.currency = c.currency
    where c.merged_into is not null and c.state <> 'closed' group by all)
  select c.*, coalesce(m.merged_count, 0) as merged_count,
    coalesce(m.merged_assumed, 0) as merged_assumed,
    coalesce(n.at_stake, abs(c.amount))::bigint as at_stake,
    coalesce(n.at_stake, abs(c.amount)) + coalesce(m.amount, 0) as stake,
    coalesce(n.at_stake = 0 and c.amount <> 0 and m.amount is null, false) as is_counted,
    g.order_key is not null and c.state <> 'closed' as assumed
  from ${source} c left join netted n on n.id = c.id left join merged m on m.main_id = c.id
  left join guesses g on g.order_key = c.order_key and g.currency = c.currency) cases`;
}

/**
 * SQL for the exceptions with the money at stake of their cases, named `exceptions`. An exception is
 * open unless its case is decided; this includes one whose case the current pass has not opened yet.
 */
export const exceptionStakes = `(
  select e.*, c.id as case_id, c.state as case_state, coalesce(c.state, 'open') = 'open' as is_open,
    coalesce(c.at_stake, abs(e.amount)) as at_stake
  from order_exceptions e left join (from ${stakes}) c
    on c.order_key = e.order_key and c.currency = e.currency and c.code = e.code) exceptions`;
