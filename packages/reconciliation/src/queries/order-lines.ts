import { listValue, type DuckDBConnection } from '../platform/duckdb.ts';
import { isGuessed } from '../analytics/schema.ts';
import type { FundingLine, LedgerLine } from '@financing-checkout/reconciliation-rules';
import {
  type Columns,
  fundingAt,
  fundingColumns,
  ledgerColumns,
  ledgerLineAt,
} from '../statuses/order-lines.ts';
import { optional, type OrderPlace } from './rows.ts';

export interface SourcedLine extends LedgerLine {
  source: string;
  chargeId?: string;
}

/** All lines of one order in one currency. */
export interface LinesOfOrder extends OrderPlace {
  ledger: SourcedLine[];
  fundings: FundingLine[];
  /** Whether the currency of the fundings is a guess. */
  currencyAssumed: boolean;
}

/** Returns the lines of orders, by order and currency, without records in quarantine. */
export async function linesOfOrders(
  connection: DuckDBConnection,
  orderKeys: readonly string[],
): Promise<LinesOfOrder[]> {
  // DuckDB cannot infer the type of an empty list.
  if (orderKeys.length === 0) return [];
  const parameters = { keys: listValue([...orderKeys]) };
  const of = (alias: string) => `${alias}.order_key in (select unnest($keys::varchar[]))`;
  const fundings = await connection.runAndReadAll(
    `select ${fundingColumns}, ${isGuessed('f')} from fundings f where ${of('f')} and f.problem is null order by f.id`,
    parameters,
  );
  const ledger = await connection.runAndReadAll(
    `select ${ledgerColumns}, l.source, l.charge_id from ledger_lines l where ${of('l')} order by l.id`,
    parameters,
  );
  const byPlace = new Map<string, LinesOfOrder>();
  const at = (columns: Columns, row: number) => {
    const orderKey = String(columns[0]?.[row]);
    const currency = String(columns[1]?.[row]);
    const key = `${currency} ${orderKey}`;
    const lines = byPlace.get(key) ?? {
      orderKey,
      currency,
      ledger: [],
      fundings: [],
      currencyAssumed: false,
    };
    byPlace.set(key, lines);
    return lines;
  };
  const funded = fundings.getColumns();
  const guesses = funded.at(-1) ?? [];
  funded[0]?.forEach((_, row) => {
    const lines = at(funded, row);
    lines.fundings.push(fundingAt(funded, row));
    lines.currencyAssumed ||= guesses[row] === true;
  });
  const booked = ledger.getColumns();
  const [sources = [], charges = []] = booked.slice(-2);
  booked[0]?.forEach((_, row) => {
    const chargeId = optional(charges[row]);
    at(booked, row).ledger.push({
      ...ledgerLineAt(booked, row),
      source: String(sources[row]),
      ...(chargeId === undefined ? {} : { chargeId }),
    });
  });
  return [...byPlace.values()];
}
