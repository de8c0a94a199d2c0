import { lenderOf } from '@financing-checkout/reconciliation-rules';
import { select, text, whole, optional, type Row } from '../basis/rows.ts';
import { onceARevision } from '../basis/once-a-revision.ts';
import type { HoldPolicy } from '../../statuses/policy.ts';
import type { QueryContext } from '../basis/reliability.ts';

const DAY_MS = 86_400_000;
/** Number of days before the end of a hold from which the hold needs a person. */
const SOON_DAYS = 5;
/**
 * Number of days after the end of a hold in which the lender may still accept the settle; later,
 * the money is lost.
 */
const ENDED_DAYS = 7;

/**
 * A file may state only the date of a settle, in any time zone, so that the settle seems earlier
 * than its authorization.
 */
const DATE_DAYS = 2;

/** An authorization that is not fully settled. */
export interface Hold {
  chargeId: string;
  orderKey: string;
  currency: string;
  /** Unsettled amount in minor units. */
  amount: number;
  /** Milliseconds since 1970. */
  authorizedAt: number;
  endsAt: number;
  /** Absent until the lender posts a funding of the order. */
  lender: string | undefined;
}

/**
 * Returns the holds that end within five days or ended within the last seven. A settle without the
 * ID of its charge, such as one from a file, counts once: for the oldest unsettled charge of its
 * order that was authorized before the settle.
 */
export async function holdsEndingSoon(
  ctx: QueryContext,
  { days, lenders }: HoldPolicy,
): Promise<Hold[]> {
  const now = ctx.clock.now();
  const lengths = [days, ...Object.values(lenders)];
  // The lender is known only after the query, which therefore uses the widest range.
  const from = now - (Math.max(...lengths) + ENDED_DAYS) * DAY_MS;
  const to = now - (Math.min(...lengths) - SOON_DAYS) * DAY_MS;
  // Whole days, so that the query stays the same for a day.
  const rows = await heldWithin(ctx, startOfDay(from), startOfDay(to) + DAY_MS);
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

const startOfDay = (time: number) => Math.floor(time / DAY_MS) * DAY_MS;

/** Selects the unsettled authorizations of a period, in milliseconds since 1970. */
const heldWithin = onceARevision((ctx: QueryContext, from: number, to: number) =>
  ctx.database.read(
    (connection) =>
      select(
        connection,
        `with recent as (
          select order_key, currency from authorizations
          where charge_id is not null and authorized_at between $from::bigint and $to::bigint),
        held as materialized (
          select a.order_key, a.currency, a.charge_id, a.amount, a.authorized_at,
            a.authorized_at - ${DATE_DAYS * DAY_MS} as since
          from authorizations a
          semi join recent r on r.order_key = a.order_key and r.currency = a.currency
          anti join voids v on v.charge_id = a.charge_id
          where a.charge_id is not null and a.amount > 0),
        settles as materialized (
          select l.order_key, l.currency, l.charge_id, l.amount, l.occurred_at from ledger_lines l
          semi join held h on h.order_key = l.order_key and h.currency = l.currency
          where l.type = 'Settle'),
        rests as (
          select h.*, min(since) over (partition by order_key, currency) as first,
            greatest(h.amount - coalesce(s.amount, 0), 0) as rest
          from held h left join (select charge_id, sum(amount) as amount from settles group by charge_id) s
            on s.charge_id = h.charge_id),
        unnamed as (
          select r.charge_id, coalesce(sum(s.amount) filter (s.occurred_at < r.since), 0) as earlier,
            coalesce(sum(s.amount) filter (s.occurred_at >= r.since), 0) as later
          from rests r join settles s on s.order_key = r.order_key and s.currency = r.currency
            and s.charge_id is null and s.occurred_at >= r.first
          group by r.charge_id),
        older as (
          select r.*, coalesce(u.earlier, 0) as earlier, coalesce(u.later, 0) as later,
            coalesce(sum(r.rest) over (partition by r.order_key, r.currency
              order by r.authorized_at, r.charge_id
              rows between unbounded preceding and 1 preceding), 0) as owed
          from rests r left join unnamed u on u.charge_id = r.charge_id),
        open as materialized (
          select order_key, currency, charge_id, authorized_at,
            (rest - greatest(later - greatest(owed - earlier, 0), 0))::bigint as rest
          from older where authorized_at between $from::bigint and $to::bigint
            and rest > greatest(later - greatest(owed - earlier, 0), 0)),
        named as (
          select f.order_key, arg_max(f.lender_name, f.funded_at) as lender
          from fundings f semi join open o on o.order_key = f.order_key group by f.order_key)
        select o.*, n.lender from open o left join named n on n.order_key = o.order_key`,
        { from: BigInt(from), to: BigInt(to) },
      ),
    ctx.signal,
  ),
);
