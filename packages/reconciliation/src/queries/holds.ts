import { lenderOf } from '@financing-checkout/reconciliation-rules';
import { select, text, whole, optional, type Row } from './rows.ts';
import type { HoldPolicy } from '../statuses/policy.ts';
import type { QueryContext } from './reliability.ts';

const DAY_MS = 86_400_000;
/** Days before its end in which a hold needs a person. */
const SOON_DAYS = 5;
/** Days after its end: the lender may still accept the settle, and later the money is lost. */
const ENDED_DAYS = 7;

/** A file may state only the date of a settle, in any zone: it seems earlier than its authorization. */
const DATE_DAYS = 2;

/** An authorization that is not settled completely. */
export interface Hold {
  chargeId: string;
  orderKey: string;
  currency: string;
  /** Not settled, in minor units. */
  amount: number;
  /** Milliseconds since 1970. */
  authorizedAt: number;
  endsAt: number;
  /** Absent until the lender posts a funding of the order. */
  lender: string | undefined;
}

/**
 * Returns the holds that end within five days or ended within the last seven. A settle without the
 * id of its charge, from a file, counts for the charge of its order.
 */
export async function holdsEndingSoon(
  ctx: QueryContext,
  { days, lenders }: HoldPolicy,
): Promise<Hold[]> {
  const now = ctx.clock.now();
  const lengths = [days, ...Object.values(lenders)];
  // The lender is known after the query, which therefore takes the widest range.
  const from = now - (Math.max(...lengths) + ENDED_DAYS) * DAY_MS;
  const to = now - (Math.min(...lengths) - SOON_DAYS) * DAY_MS;
  const rows = await ctx.database.read(
    (connection) =>
      select(
        connection,
        `with held as materialized (
          select a.order_key, a.currency, a.charge_id, a.amount, a.authorized_at
          from authorizations a anti join voids v on v.charge_id = a.charge_id
          where a.charge_id is not null and a.amount > 0
            and a.authorized_at between $from::bigint and $to::bigint),
        settled as (
          select h.order_key, h.currency, h.charge_id, sum(l.amount) as amount
          from held h join ledger_lines l on l.order_key = h.order_key and l.currency = h.currency
          where l.type = 'Settle' and (l.charge_id is null or l.charge_id = h.charge_id)
            and l.occurred_at >= $settled_from::bigint
          group by all),
        open as materialized (
          select h.*, h.amount - coalesce(s.amount, 0) as rest
          from held h left join settled s on s.order_key = h.order_key
            and s.currency = h.currency and s.charge_id = h.charge_id
          where h.amount > coalesce(s.amount, 0)),
        named as (
          select order_key, arg_max(lender_name, funded_at) as lender from fundings
          where order_key in (select order_key from open) group by order_key)
        select o.*, n.lender from open o left join named n on n.order_key = o.order_key`,
        { from: BigInt(from), to: BigInt(to), settled_from: BigInt(from - DATE_DAYS * DAY_MS) },
      ),
    ctx.signal,
  );
  return rows
    .map(toHold)
    .filter(
      ({ endsAt }) => endsAt <= now + SOON_DAYS * DAY_MS && endsAt > now - ENDED_DAYS * DAY_MS,
    );

  function toHold(row: Row): Hold {
    const name = optional(row.lender);
    const lender = name === undefined ? undefined : lenderOf(name, ctx.policy);
    const own = lender !== undefined && Object.hasOwn(lenders, lender) ? lenders[lender] : days;
    const authorizedAt = whole(row.authorized_at);
    return {
      chargeId: text(row.charge_id),
      orderKey: text(row.order_key),
      currency: text(row.currency),
      amount: whole(row.rest),
      authorizedAt,
      endsAt: authorizedAt + (own ?? days) * DAY_MS,
      lender,
    };
  }
}
