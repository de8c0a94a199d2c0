import type { CaseState, ExceptionCode, Headline } from '@financing-checkout/contract';
import { exceptionCodes } from '@financing-checkout/contract';
import { sql } from 'kysely';
import type { Database } from '../../store/database.ts';
import { caseState, type ExceptionPlace, type ExceptionRow, toException } from '../cases/rows.ts';
import {
  type LinesRow,
  type OrderPlace,
  type StatusRow,
  toFundingLine,
  toLedgerLine,
  toStatus,
} from './rows.ts';

export interface OrderQuery {
  environment: string;
  /** Only these orders. */
  orderKeys?: readonly string[] | undefined;
  headline?: Headline | undefined;
  exception?: ExceptionCode | undefined;
  /** Only orders with a funding under one of these names. */
  lenders?: readonly string[] | undefined;
  currency?: string | undefined;
  /** Only orders of which something was settled, refunded or funded at or after, and before. */
  from?: number | undefined;
  to?: number | undefined;
  after?: OrderPlace | undefined;
  limit: number;
}

/** An exception with the state of its case. */
export interface ExceptionOfCase extends ExceptionRow {
  case: { id: string; state: CaseState } | undefined;
}

export interface AnswerStore {
  /**
   * Statuses in the order of their place. A filter may leave a page short or empty: a look goes
   * over so many orders and no further, so that it never holds up a checkout. `next` is where to go
   * on, undefined at the end.
   */
  orderStatuses(query: OrderQuery): Promise<{ rows: StatusRow[]; next: OrderPlace | undefined }>;
  exceptionsOfOrders(environment: string, orderKeys: readonly string[]): Promise<ExceptionRow[]>;
  /** With their cases, by place. */
  listExceptions(query: {
    environment: string;
    code?: ExceptionCode | undefined;
    currency?: string | undefined;
    after?: ExceptionPlace | undefined;
    limit: number;
  }): Promise<ExceptionOfCase[]>;
  /**
   * Orders of which between `least` and `most` minor units are open, expected less funded; both on
   * one side of zero. Those come first whose last line of what is open is nearest to a time.
   */
  openOrders(query: {
    environment: string;
    currency: string;
    least: number;
    most: number;
    /** Milliseconds since 1970. */
    near: number;
    limit: number;
  }): Promise<StatusRow[]>;
  /** Of these orders; or of all orders from the first key to the last, which is faster. */
  linesOfOrders(
    environment: string,
    orderKeys: readonly string[] | { first: string; last: string },
  ): Promise<LinesRow[]>;
  /** Orders, after a key and up to another one, with a funding whose currency nobody knows. */
  ordersWithoutCurrency(
    environment: string,
    range: { after: string; upTo: string | undefined },
    limit: number,
  ): Promise<string[]>;
  /** Orders from the first key to the last of which a record is in quarantine. */
  quarantinedOrders(environment: string, first: string, last: string): Promise<string[]>;
}

/** Orders a filter looks at in one go. */
const WINDOW = 2_000;

/** What reconciliation found, to be read. Every statement reads a bounded part by an index. */
export function answerStore({ db }: Database): AnswerStore {
  /** Places of candidates, in order; `order_exceptions` where only those with one can match. */
  function places(query: OrderQuery) {
    const { environment, orderKeys, exception, after } = query;
    const byException =
      exception ?? (exceptionCodes as readonly string[]).find((code) => code === query.headline);
    const candidates =
      byException === undefined
        ? db
            .selectFrom('order_statuses')
            .select(['order_key', 'currency'])
            .where('environment', '=', environment)
            .as('candidate')
        : db
            .selectFrom('order_exceptions')
            .select(['order_key', 'currency'])
            .where('environment', '=', environment)
            .where('code', '=', byException)
            .as('candidate');
    let keys = db.selectFrom(candidates).select(['order_key', 'currency']);
    if (orderKeys !== undefined) keys = keys.where('order_key', 'in', orderKeys);
    if (after !== undefined) {
      keys = keys.where((eb) =>
        eb(eb.refTuple('order_key', 'currency'), '>', eb.tuple(after.orderKey, after.currency)),
      );
    }
    return keys.orderBy('order_key').orderBy('currency');
  }

  return {
    async orderStatuses(query) {
      const { environment, headline, lenders, currency, from, to, limit } = query;
      const filtered = [headline, lenders, currency, from, to].some(
        (filter) => filter !== undefined,
      );
      const look = filtered ? Math.max(WINDOW, limit) : limit;
      let matching = db
        .selectFrom(places(query).limit(look).as('place'))
        .innerJoin('order_statuses', (join) =>
          join
            .onRef('order_statuses.order_key', '=', 'place.order_key')
            .onRef('order_statuses.currency', '=', 'place.currency')
            .on('order_statuses.environment', '=', environment),
        )
        .selectAll('order_statuses');
      if (headline !== undefined) matching = matching.where('headline', '=', headline);
      if (currency !== undefined)
        matching = matching.where('order_statuses.currency', '=', currency);
      if (lenders !== undefined) {
        matching = matching.where((eb) =>
          eb.exists(
            eb
              .selectFrom('fundings')
              .select('fundings.id')
              .where('fundings.environment', '=', environment)
              .whereRef('fundings.order_key', '=', 'order_statuses.order_key')
              .whereRef('fundings.currency', '=', 'order_statuses.currency')
              .where('fundings.lender_name', 'in', lenders),
          ),
        );
      }
      if (from !== undefined || to !== undefined) {
        const start = from ?? Number.MIN_SAFE_INTEGER;
        const end = to ?? Number.MAX_SAFE_INTEGER;
        matching = matching.where((eb) =>
          eb.or([
            eb.exists(
              eb
                .selectFrom('fundings')
                .select('fundings.id')
                .where('fundings.environment', '=', environment)
                .whereRef('fundings.order_key', '=', 'order_statuses.order_key')
                // Whose currency nobody knows belongs to each.
                .where('fundings.currency', 'in', [sql.ref<string>('order_statuses.currency'), ''])
                .where('fundings.funded_at', '>=', start)
                .where('fundings.funded_at', '<', end),
            ),
            eb.exists(
              eb
                .selectFrom('ledger_lines')
                .select('ledger_lines.id')
                .where('ledger_lines.environment', '=', environment)
                .whereRef('ledger_lines.order_key', '=', 'order_statuses.order_key')
                .whereRef('ledger_lines.currency', '=', 'order_statuses.currency')
                .where('ledger_lines.occurred_at', '>=', start)
                .where('ledger_lines.occurred_at', '<', end),
            ),
          ]),
        );
      }
      const found = await matching
        .orderBy('order_statuses.order_key')
        .orderBy('order_statuses.currency')
        .limit(limit)
        .execute();
      const rows = found.map(toStatus);
      const last = rows.at(-1);
      if (rows.length === limit && last !== undefined) {
        return { rows, next: { orderKey: last.orderKey, currency: last.currency } };
      }
      // The page is not full: what was looked at ends where the window does.
      const end = await places(query)
        .offset(look - 1)
        .limit(1)
        .executeTakeFirst();
      return { rows, next: end && { orderKey: end.order_key, currency: end.currency } };
    },

    async exceptionsOfOrders(environment, orderKeys) {
      if (orderKeys.length === 0) return [];
      const rows = await db
        .selectFrom('order_exceptions')
        .selectAll()
        .where('environment', '=', environment)
        .where('order_key', 'in', orderKeys)
        .execute();
      return rows.map(toException);
    },

    async listExceptions({ environment, code, currency, after, limit }) {
      let query = db
        .selectFrom('order_exceptions')
        .leftJoin('cases', (join) =>
          join
            .onRef('cases.environment', '=', 'order_exceptions.environment')
            .onRef('cases.order_key', '=', 'order_exceptions.order_key')
            .onRef('cases.currency', '=', 'order_exceptions.currency')
            .onRef('cases.code', '=', 'order_exceptions.code'),
        )
        .selectAll('order_exceptions')
        .select(['cases.id as case_id', 'cases.state as case_state'])
        .where('order_exceptions.environment', '=', environment);
      if (code !== undefined) query = query.where('order_exceptions.code', '=', code);
      if (currency !== undefined) query = query.where('order_exceptions.currency', '=', currency);
      if (after !== undefined) {
        query = query.where((eb) =>
          eb(
            eb.refTuple(
              'order_exceptions.order_key',
              'order_exceptions.currency',
              'order_exceptions.code',
            ),
            '>',
            eb.tuple(after.orderKey, after.currency, after.code),
          ),
        );
      }
      const rows = await query
        .orderBy('order_exceptions.order_key')
        .orderBy('order_exceptions.currency')
        .orderBy('order_exceptions.code')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        ...toException(row),
        case:
          row.case_id === null
            ? undefined
            : { id: row.case_id, state: caseState.parse(row.case_state) },
      }));
    },

    async openOrders({ environment, currency, least, most, near, limit }) {
      // As the index has it.
      const open = sql<number>`(expected_settle - funded_settle)`;
      const ofOrder = sql`environment = s.environment and order_key = s.order_key
        and currency = s.currency`;
      const last =
        most > 0
          ? sql<number>`(select max(occurred_at) from ledger_lines where ${ofOrder} and type = 'Settle')`
          : sql<number>`(select max(funded_at) from fundings where ${ofOrder})`;
      const rows = await db
        .selectFrom('order_statuses as s')
        .selectAll()
        .where('environment', '=', environment)
        .where('currency', '=', currency)
        .whereRef('expected_settle', '<>', 'funded_settle')
        .where(open, '>=', least)
        .where(open, '<=', most)
        .orderBy(sql`abs(coalesce(${last}, 0) - cast(${near} as bigint))`)
        .limit(limit)
        .execute();
      return rows.map(toStatus);
    },

    async linesOfOrders(environment, orderKeys) {
      const byPlace = new Map<string, LinesRow>();
      const at = (orderKey: string, currency: string) => {
        const key = JSON.stringify([orderKey, currency]);
        const lines = byPlace.get(key) ?? { orderKey, currency, ledger: [], fundings: [] };
        byPlace.set(key, lines);
        return lines;
      };
      let fundings = db.selectFrom('fundings').selectAll().where('environment', '=', environment);
      let ledger = db.selectFrom('ledger_lines').selectAll().where('environment', '=', environment);
      if ('first' in orderKeys) {
        const { first, last } = orderKeys;
        fundings = fundings.where('order_key', '>=', first).where('order_key', '<=', last);
        ledger = ledger.where('order_key', '>=', first).where('order_key', '<=', last);
      } else {
        if (orderKeys.length === 0) return [];
        fundings = fundings.where('order_key', 'in', orderKeys);
        ledger = ledger.where('order_key', 'in', orderKeys);
      }
      // What is as it was is answered as it was, whatever order a database finds it in.
      for (const row of await fundings.orderBy('order_key').orderBy('id').execute()) {
        at(row.order_key, row.currency).fundings.push(toFundingLine(row));
      }
      for (const row of await ledger.orderBy('order_key').orderBy('id').execute()) {
        at(row.order_key, row.currency).ledger.push(toLedgerLine(row));
      }
      return [...byPlace.values()];
    },

    async ordersWithoutCurrency(environment, { after, upTo }, limit) {
      let query = db
        .selectFrom('fundings')
        .select('order_key')
        .distinct()
        .where('environment', '=', environment)
        .where('order_key', '>', after)
        .where('currency', '=', '');
      if (upTo !== undefined) query = query.where('order_key', '<=', upTo);
      const rows = await query.orderBy('order_key').limit(limit).execute();
      return rows.map(({ order_key: orderKey }) => orderKey);
    },

    async quarantinedOrders(environment, first, last) {
      const rows = await db
        .selectFrom('funding_quarantine')
        .select('order_key')
        .where('environment', '=', environment)
        .where('order_key', '>=', first)
        .where('order_key', '<=', last)
        .execute();
      return rows.flatMap(({ order_key: orderKey }) => orderKey ?? []);
    },
  };
}
