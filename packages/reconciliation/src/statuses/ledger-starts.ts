import type { SetUpState } from '@financing-checkout/contract';
import { ledgerStartKey, type Policy } from '@financing-checkout/reconciliation-rules';
import type { DuckDBConnection } from '../platform/duckdb.ts';

/** Times at which the ledger begins; empty: the ledger is in set-up. */
type LedgerStarts = NonNullable<Policy['ledgerStarts']>;

/** Returns whether a ledger exists. One whose lines have all been withdrawn is not in set-up again. */
export async function readSetUpState(connection: DuckDBConnection): Promise<SetUpState> {
  const found = await connection.runAndReadAll(
    'select exists (from ledger_lines) or exists (from withdrawn_lines)',
  );
  return found.getRows()[0]?.[0] === true ? 'ready' : 'set-up';
}

/**
 * Returns the time of the first ledger line of each currency, and of each lender in it, with their
 * canonical text. A line names no lender: the funding that pays it does. A currency whose lines are
 * all withdrawn has begun at some time, so all its fundings are judged.
 */
export async function readLedgerStarts(
  connection: DuckDBConnection,
): Promise<{ starts: LedgerStarts; text: string }> {
  const found = await connection.runAndReadAll(`
    select currency, null as lender, min(occurred_at) as moment from ledger_lines group by currency
    union all
    select distinct currency, null, 0 from withdrawn_lines
    where currency not in (select currency from ledger_lines)
    union all
    select currency, lender, min(moment) from (
      select currency, lender, settled_at as moment from paid_lines
      union all select currency, lender, moved_at from cash_flows
      where step = 'expected' and lender <> '')
    group by all
    order by all`);
  const starts = new Map(
    found
      .getRows()
      .map(([currency, lender, at]): [string, number] => [
        ledgerStartKey(String(currency), lender === null ? undefined : String(lender)),
        Number(at),
      ]),
  );
  return { starts, text: JSON.stringify([...starts]) };
}
