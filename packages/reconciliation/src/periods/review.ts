import {
  exceptionCodes,
  type PeriodReview,
  type Tally,
  trailKinds,
} from '@financing-checkout/contract/reconciliation';
import type { RevisedDatabase } from '../analytics/database.ts';
import type { Preparation } from '../facts/period-decisions.ts';
import type { TrailFacts } from '../facts/trail.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { type Row, select, sumOrNull, text, whole } from '../queries/basis/rows.ts';
import { stakes } from '../queries/basis/stakes.ts';
import { leftOut } from '../queries/money/left-out.ts';
import { accountsOf } from './accounts.ts';
import { type Bounds, closedPeriods } from './flows.ts';

/** Kinds of entries that change nothing of what is approved. */
const idleKinds: readonly string[] = ['export', 'journal', 'sign-in', 'sign-out', 'alerted'];

interface ReviewContext {
  database: Pick<RevisedDatabase, 'read' | 'revision'>;
  facts: Pick<TrailFacts, 'trailCounts'>;
}

/**
 * Returns what the close of a period would take over beside its statements, and what came since the
 * preparation.
 */
export async function reviewPeriod(
  ctx: ReviewContext,
  period: Bounds,
  prepared: Preparation | undefined,
): Promise<PeriodReview> {
  const { id, fromAt, untilAt } = period;
  const kinds = trailKinds.filter((kind) => !idleKinds.includes(kind));
  const entries = prepared && (await ctx.facts.trailCounts({ beyond: prepared.number, kinds }));
  const accounts = await accountsOf(ctx, id, fromAt, untilAt);
  return ctx.database.read(async (connection) => {
    const last = (await closedPeriods(connection)).at(-1);
    return {
      before: last?.id,
      exceptions: await exceptionsOf(connection, period, last),
      uncounted: await uncountedOf(connection),
      accounts,
      since: prepared &&
        entries && { entries, cases: await casesSince(connection, period, prepared) },
    };
  });
}

async function exceptionsOf(
  connection: DuckDBConnection,
  { fromAt, untilAt }: Bounds,
  last: Bounds | undefined,
): Promise<PeriodReview['exceptions']> {
  const groups = {
    open: { condition: `state = 'open' and since < ${untilAt}`, amount: 'at_stake' },
    begun: { condition: `since >= ${fromAt} and since < ${untilAt}`, amount: 'abs(amount)' },
    before: {
      condition: last ? `since >= ${last.fromAt} and since < ${last.untilAt}` : 'false',
      amount: 'abs(amount)',
    },
  };
  const tallies = Object.entries(groups).map(
    ([name, { condition, amount }]) =>
      `count(*) filter (${condition}) as ${name}_count,
      count(*) filter (assumed and ${condition}) as ${name}_assumed,
      sum(${amount}) filter (not assumed and ${condition}) as ${name}_amount`,
  );
  const any = Object.values(groups).map(({ condition }) => `(${condition})`);
  const rows = await select(
    connection,
    `select code, currency, ${tallies.join(', ')} from ${stakes}
    where ${any.join(' or ')} group by code, currency order by currency`,
  );
  return exceptionCodes.flatMap((code) =>
    rows
      .filter((row) => row.code === code)
      .map((row) => ({
        code,
        currency: text(row.currency),
        open: tallyOf(row, 'open'),
        begun: tallyOf(row, 'begun'),
        begunBefore: last && tallyOf(row, 'before'),
      })),
  );
}

function tallyOf(row: Row, name: string): Tally {
  const amount = row.currency === '' ? null : sumOrNull(row[`${name}_amount`]);
  const assumed = whole(row[`${name}_assumed`]);
  return {
    count: whole(row[`${name}_count`]),
    amount,
    ...(assumed === 0 ? {} : { assumedCurrency: assumed }),
  };
}

async function uncountedOf(connection: DuckDBConnection): Promise<PeriodReview['uncounted']> {
  const rows = await select(
    connection,
    `select 'quarantine' as reason, '' as currency, count(*) as _count, null as _amount
      from fundings where problem is not null
    union all
    select case currency when '' then 'no-currency' else 'assumed-currency' end as reason, currency,
      count(*), sum(transaction_amount) from (${leftOut}) group by all
    order by reason desc, currency`,
  );
  return rows
    .filter((row) => whole(row._count) > 0)
    .map((row) => ({
      reason: text(row.reason) as PeriodReview['uncounted'][number]['reason'],
      currency: text(row.currency),
      ...tallyOf(row, ''),
    }));
}

/** Counts the cases of the period that were opened after the preparation. */
async function casesSince(
  connection: DuckDBConnection,
  { untilAt }: Bounds,
  { at }: Preparation,
): Promise<number> {
  const [row] = await select(
    connection,
    `select count(*) as count from cases where opened_at >= ${at} and since < ${untilAt}`,
  );
  return whole(row?.count);
}
