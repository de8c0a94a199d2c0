import { type DuckDBConnection, type DuckDBValue, listValue } from '../../platform/duckdb.ts';
import { isOfOrders } from '../../analytics/key-hash.ts';
import { isGuessed } from '../../analytics/schema.ts';
import type { FundingLine, LedgerLine } from '@financing-checkout/reconciliation-rules';
import {
  type Columns,
  fundingAt,
  fundingColumns,
  ledgerColumns,
  ledgerLineAt,
} from '../../statuses/order-lines.ts';
import type { QueryContext } from '../basis/reliability.ts';
import { chunksOf, optional, select, text } from '../basis/rows.ts';

export interface SourcedLine extends LedgerLine {
  source: string;
  chargeId?: string;
}

/** All lines of one order in one currency. */
export interface LinesOfOrder {
  orderKey: string;
  currency: string;
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
  const ofFundings = isOfOrders({ table: 'fundings', alias: 'f' }, orderKeys);
  const ofLedger = isOfOrders({ table: 'ledger_lines', alias: 'l' }, orderKeys);
  const fundings = await columnsOf(
    connection,
    `select ${fundingColumns}, ${isGuessed('f')} from fundings f
    where ${ofFundings.condition} and f.problem is null order by f.id`,
    ofFundings.parameters,
  );
  const ledger = await columnsOf(
    connection,
    `select ${ledgerColumns}, l.source, l.charge_id from ledger_lines l
    where ${ofLedger.condition} order by l.id`,
    ofLedger.parameters,
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
  const guesses = fundings.at(-1) ?? [];
  fundings[0]?.forEach((_, row) => {
    const lines = at(fundings, row);
    lines.fundings.push(fundingAt(fundings, row));
    lines.currencyAssumed ||= guesses[row] === true;
  });
  const [sources = [], charges = []] = ledger.slice(-2);
  ledger[0]?.forEach((_, row) => {
    const chargeId = optional(charges[row]);
    at(ledger, row).ledger.push({
      ...ledgerLineAt(ledger, row),
      source: String(sources[row]),
      ...(chargeId === undefined ? {} : { chargeId }),
    });
  });
  return [...byPlace.values()];
}

/** Returns the currency of the ledger lines of an order; undefined if there is none, or several. */
export async function currencyInLedger(
  { database, signal }: Pick<QueryContext, 'database' | 'signal'>,
  orderKey: string,
): Promise<string | undefined> {
  const own = isOfOrders({ table: 'ledger_lines' }, [orderKey]);
  const rows = await database.read(
    (connection) =>
      select(
        connection,
        `select distinct currency from ledger_lines where ${own.condition}`,
        own.parameters,
      ),
    signal,
  );
  return rows.length === 1 ? optional(rows[0]?.currency) : undefined;
}

/** Runs a query and returns its columns. */
async function columnsOf(...query: Parameters<typeof chunksOf>): Promise<DuckDBValue[][]> {
  const { names, chunks } = await chunksOf(...query);
  return names.map((_, index) => chunks.flatMap((chunk) => chunk.getColumnValues(index)));
}

/** Returns the keys of the orders of charges, by charge id. Other ids have none. */
export async function ordersOfCharges(
  { database, signal }: Pick<QueryContext, 'database' | 'signal'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const rows = await database.read(
    (connection) =>
      select(
        connection,
        `select charge_id, min(order_key) as order_key from (
          select charge_id, order_key from ledger_lines
          where charge_id in (select unnest($ids::varchar[]))
          union all
          select charge_id, order_key from authorizations
          where charge_id in (select unnest($ids::varchar[]))
          union all
          select charge_id, order_key from fundings
          where charge_id in (select unnest($ids::varchar[])))
        where order_key is not null group by charge_id`,
        { ids: listValue(wanted) },
      ),
    signal,
  );
  return new Map(rows.map((row) => [text(row.charge_id), text(row.order_key)]));
}
