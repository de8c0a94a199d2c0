import type { LedgerImportRecord } from '@financing-checkout/contract/reconciliation';
import type { DuckDBConnection } from '../../platform/duckdb.ts';
import { sqlText } from '../../platform/temporary-files.ts';
import { fileError, type ImportError, LedgerImportError } from '../import-error.ts';
import { CONTENT_OPTIONS } from './lines.ts';
import type { LedgerImportOptions } from '../read/index.ts';

/** A file's line that may duplicate an existing line in another form. */
export type LookAlike = LedgerImportRecord['lookAlikes'][number];

/** How to treat look-alikes. */
export type LookAlikeChoice = 'replace' | 'keep-both' | undefined;

/** Maximum number of look-alikes to report. */
const MAX_LISTED = 100;

/**
 * Distinguishes equal staged lines without an id, such as two refunds of the same amount on the
 * same day: the first keeps its id, and the nth gets the prefix `c<n>:`. Importing the file again
 * gives the same ids.
 * @returns the number of changed ids
 */
export async function setApart(connection: DuckDBConnection): Promise<number> {
  await connection.run(
    `create or replace temp table staged as
     select * exclude (nth)
       replace (case when nth > 1 and starts_with(id, 'c:') then 'c' || nth || substr(id, 2) else id end as id)
     from (select *, row_number() over (partition by id order by number) as nth from staged)`,
  );
  const found = await connection.runAndReadAll(
    `select count(*) from staged where regexp_matches(id, '^c[0-9]+:')`,
  );
  return Number(found.getRows()[0]?.[0]);
}

/**
 * Distinguishes staged lines with the same id and order but different amounts, such as two parts of
 * one transaction, by prefixing the later line's id with its amount.
 * @param always if false, only for lines that an earlier import stored in this form
 */
export async function setAmountsApart(
  connection: DuckDBConnection,
  always: boolean,
): Promise<void> {
  await connection.run(
    `create or replace temp table staged as
     with based as (
       select s.*, left(s.id, 1) || s.amount || substr(s.id, 2) as apart,
         coalesce(b.amount, first_value(s.amount) over (partition by s.id order by s.number)) as base,
         coalesce(b.order_key, s.order_key) = s.order_key and coalesce(b.currency, s.currency) = s.currency as alike
       from staged s left join ledger_lines b on b.id = s.id and not b.own
     )
     select * exclude (apart, base, alike) replace (
       case when alike and amount <> base and substr(id, 2, 1) = ':' and left(id, 1) in ('m', 't')
         and (${always} or apart in (select id from ledger_lines)) then apart else id end as id)
     from based`,
  );
}

/**
 * Finds lines of the table `checked` that look like existing ones, and applies the choice to the
 * table: a line that replaces another is new, and a line that the companion already has is an
 * existing one.
 */
export async function findLookAlikes(
  connection: DuckDBConnection,
  choice: LookAlikeChoice,
): Promise<{ count: number; list: LookAlike[] }> {
  const bothNamed = (name: string) => `(c.${name} is not null and b.${name} is not null)`;
  await connection.run(
    `create or replace temp table look_alikes as
     with pairs as (
       select c.number, b.id as book from checked c
       join ledger_lines b on b.order_key = c.order_key and b.type = c.type and b.currency = c.currency
         and b.amount = c.amount and b.id <> c.id
       where c.ordinal = 1 and not c.present and not c.duplicate
         and not ${bothNamed('transaction_id')} and (b.own or not ${bothNamed('merchant_transaction_id')})
         -- Lines that are also in the file are separate lines by the file's own account.
         and b.id not in (select id from staged)
         and b.id not in (select id from gone)
     ),
     amended as (
       select c.number, b.id,
         row_number() over (partition by c.number order by b.id) as nth,
         row_number() over (partition by b.id order by c.number) as of_book
       from checked c join ledger_lines b on b.order_key = c.order_key and b.type = c.type
         and b.currency = c.currency and b.occurred_at = c.occurred_at and b.amount <> c.amount
       where c.ordinal = 1 and not c.present and not c.duplicate and not b.own
         and starts_with(c.id, 'c') and starts_with(b.id, 'c')
         and b.id not in (select id from staged) and b.id not in (select id from gone)
         and c.number not in (select number from pairs)
     ),
     -- Pairs each line with one of several.
     numbers as (
       select number, row_number() over (partition by order_key, type, currency, amount order by number) as nth,
         order_key, type, currency, amount
       from checked where number in (select number from pairs)
     ),
     existing as (
       select *, row_number() over (partition by order_key, type, currency, amount order by own desc, id) as nth
       from ledger_lines where id in (select book from pairs)
     )
     select n.number, case when b.own then 'companion' else 'same-amount' end as kind, b.id
     from numbers n join existing b on b.nth = n.nth and b.order_key = n.order_key and b.type = n.type
       and b.currency = n.currency and b.amount = n.amount
     union all
     select number, 'other-amount', id from amended where nth = of_book
     union all
     select c.number, 'changed', c.id from checked c
     where c.ordinal = 1 and c.conflicts and not c.own and not c.duplicate_conflicts
       and c.id not in (select id from gone)`,
  );
  const found = await connection.runAndReadAll(
    `select l.number, l.kind, c.merchant_order_id, c.type, c.currency, c.amount, b.amount, b.occurred_at
     from look_alikes l join checked c on c.number = l.number join ledger_lines b on b.id = l.id
     order by l.number`,
  );
  if (choice === 'replace') {
    await connection.run(
      `update checked set present = false, conflicts = false
       where number in (select number from look_alikes where kind = 'changed')`,
    );
    await connection.run(
      `update checked set duplicate = true
       where number in (select number from look_alikes where kind = 'companion')`,
    );
  }
  const rows = found.getRows();
  return {
    count: rows.length,
    list: rows
      .slice(0, MAX_LISTED)
      .map(([line, kind, order, type, currency, amount, before, at]) => ({
        line: Number(line),
        kind: kind as LookAlike['kind'],
        merchantOrderId: String(order),
        type: String(type),
        currency: String(currency),
        amount: Number(amount),
        recordedAmount: Number(before),
        recordedDate: Number(at),
      })),
  };
}

/** Writes the lines of `replaced` as a withdrawal's content. @returns the number of lines */
export async function writeReplaced(connection: DuckDBConnection, file: string): Promise<number> {
  const written = await connection.runAndReadAll(
    `copy (select 0 as number, id, order_key, merchant_order_id, currency, type, amount, occurred_at,
       transaction_id, merchant_transaction_id, charge_id, lender_reference_id
       from ledger_lines where id in (select id from replaced))
     to ${sqlText(file)} ${CONTENT_OPTIONS}`,
  );
  return Number(written.getRows()[0]?.[0]);
}

/**
 * Returns the choice. @throws {LedgerImportError} if both are set, or if one is set for a
 * withdrawal
 */
export function choiceOf({ replace, keepBoth, withdraw }: LedgerImportOptions): LookAlikeChoice {
  if (replace === true && keepBoth === true) {
    throw new LedgerImportError('Set `replace` or `keep-both`, not both.');
  }
  if (withdraw === true && (replace === true || keepBoth === true)) {
    throw new LedgerImportError('`replace` and `keep-both` do not apply to a withdrawal.');
  }
  return replace === true ? 'replace' : keepBoth === true ? 'keep-both' : undefined;
}

/**
 * Returns a single error for all look-alikes, except those with an existing id, which have their
 * own errors.
 */
export function refusalOf(alikes: readonly LookAlike[]): ImportError[] {
  const count = alikes.filter(({ kind }) => kind !== 'changed').length;
  if (count === 0) return [];
  const message = `${count === 1 ? 'A line looks' : 'Lines look'} like existing ledger lines in another form: set \`replace\` (the file takes precedence, except over the companion’s own lines) or \`keep-both\``;
  return [fileError('look-alikes', message)];
}
