import type { JournalAccount, PeriodReview } from '@financing-checkout/contract/reconciliation';
import type { RevisedDatabase } from '../analytics/database.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { onceARevision } from '../queries/basis/once-a-revision.ts';
import { select, sumOrNull, text, whole } from '../queries/basis/rows.ts';
import { BEFORE, type Bounds, type ClosedPeriod, closedPeriods, closingFlows } from './flows.ts';

/** The part of {@link sealedAmounts} that is still in transit. */
export const inTransit = 'expected - funded - written_off';
/** Accepted differences of net amounts; the remaining ones are accepted shortfalls. */
const acceptedNet = 'accepted + written_off + short';
/** The steps of the walk from the funded to the net amount. */
const ofPayout = `funded + over + refunds + chargebacks + reversals + duplicates + other + discount
  + ${acceptedNet}`;

/**
 * Postings of each kind of entry, in amounts of a sealed row; positive is a debit. The amounts of each
 * kind add up to zero for every row, because the steps of the walk add up to its net amount.
 */
export const posted: Record<
  'sales' | 'payouts' | 'differences',
  Partial<Record<JournalAccount, string>>
> = {
  sales: { receivable: 'expected', revenue: '-expected' },
  payouts: {
    bank: 'net',
    discount: '-discount',
    refunds: '-refunds',
    chargebacks: '-chargebacks',
    reversals: '-reversals',
    overpaid: '-over',
    duplicates: '-duplicates',
    suspense: '-other',
    differences: `-(${acceptedNet})`,
    receivable: '-funded',
    unexplained: `-(net - (${ofPayout}))`,
  },
  differences: {
    disputed: '-short',
    differences: 'written_off + short',
    receivable: '-written_off',
  },
};

/**
 * Debits minus credits of each account in a journal. The amount in transit leaves the receivable at the
 * end of a period, so that only its account has a balance.
 */
const balances = new Map<JournalAccount, string[]>([['opening', []]]);
for (const accounts of Object.values(posted)) {
  for (const [name, amount] of Object.entries(accounts)) {
    const account = name === 'receivable' ? 'in-transit' : (name as JournalAccount);
    balances.set(account, [...(balances.get(account) ?? []), amount]);
  }
}

/** Returns SQL for the balance of an account in a row, which has moved in the period or is its opening. */
function balanceOf(account: JournalAccount, amounts: readonly string[]): string {
  if (account === 'in-transit') return amounts.join(' + ');
  if (account === 'opening') return `case when moved then 0 else -(${inTransit}) end`;
  return `case when moved then ${amounts.join(' + ')} else 0 end`;
}

/**
 * Returns the balances of the accounts in the journal of the period to close, and in that of the last
 * one. Counting the orders of an account reads all of them: 1 s for 200,000 orders.
 */
export const accountsOf = onceARevision(
  (
    { database }: { database: Pick<RevisedDatabase, 'read' | 'revision'> },
    id: string,
    fromAt: number,
    untilAt: number,
  ) =>
    database.read(async (connection) =>
      readAccounts(connection, await closedPeriods(connection), { id, fromAt, untilAt }),
    ),
);

async function readAccounts(
  connection: DuckDBConnection,
  closed: readonly ClosedPeriod[],
  closing: Bounds,
): Promise<PeriodReview['accounts']> {
  const last = closed.at(-1);
  const flowsOf = (isOwn: boolean, isFirst: boolean, flows: string) =>
    `select ${isOwn} as own, ${isFirst ? `period <> '${BEFORE}'` : 'true'} as moved, * from (${flows})`;
  const sources = [
    flowsOf(true, last === undefined, await closingFlows(connection, closed, closing)),
    ...(last === undefined
      ? []
      : [
          flowsOf(
            false,
            closed.length === 1,
            `select * exclude (seq) from sealed_flows where seq = ${last.seq}`,
          ),
        ]),
  ];
  const names = [...balances.keys()];
  const sums = [...balances].map(
    ([account, amounts]) => `sum(${balanceOf(account, amounts)}) as "${account}"`,
  );
  const totals = names.map(
    (name) => `sum("${name}") as "${name}", count(*) filter ("${name}" <> 0) as "${name} orders"`,
  );
  const rows = await select(
    connection,
    `select own, currency, ${totals.join(', ')}
    from (select own, order_key, currency, ${sums.join(', ')}
      from (${sources.join(' union all by name ')}) group by all)
    group by all order by currency`,
  );
  const currencies = [...new Set(rows.map((row) => text(row.currency)))];
  return currencies.flatMap((currency) =>
    names.flatMap((account) => {
      const tallyOf = (isOwn: boolean) => {
        const row = rows.find((one) => one.own === isOwn && one.currency === currency);
        return { count: whole(row?.[`${account} orders`]), amount: sumOrNull(row?.[account] ?? 0) };
      };
      const [own, before] = [tallyOf(true), last && tallyOf(false)];
      return own.count + (before?.count ?? 0) === 0 ? [] : [{ account, currency, own, before }];
    }),
  );
}
