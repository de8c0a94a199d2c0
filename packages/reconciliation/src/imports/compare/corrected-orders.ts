import { readFile, rm } from 'node:fs/promises';
import type { CaseSheetMove, CaseSheetRefusalCode } from '@financing-checkout/contract';
import type { DuckDBConnection } from '../../platform/duckdb.ts';
import type { OrderCorrection } from '../../facts/case-facts.ts';
import type { FactStore, ImportOrigin } from '../../facts/store.ts';
import { isoTime } from '@financing-checkout/kit';
import { merchantOrderIdOf, orderKeyOf } from '../../platform/order-key.ts';
import { checkStaged, dropStaged, effects, withContent, writeContent } from './lines.ts';
import { findLookAlikes, setApart, writeReplaced } from './look-alikes.ts';

/** Reason why the order of lines is not corrected; the message follows the row. */
export interface OrderProblem {
  refusal: CaseSheetRefusalCode;
  message: string;
}

/** Maximum number of lines listed per correction. */
const MAX_LISTED = 20;

/**
 * Compares order corrections with the ledger, and creates tables for the accepted ones: `gone` has
 * the lines to withdraw, and `checked` has the same lines with the corrected order.
 * @returns the effect of each correction, or the reason for refusing it
 */
export async function stageCorrections(
  connection: DuckDBConnection,
  corrections: readonly OrderCorrection[],
): Promise<(CaseSheetMove | OrderProblem)[]> {
  const problems = await problemsOf(connection, corrections);
  // A refused correction leaves its lines in place, which may cause another correction to be
  // refused.
  for (;;) {
    const accepted = corrections.map((correction, nth) => ({ ...correction, nth }));
    await stageMoves(
      connection,
      accepted.filter(({ nth }) => !problems.has(nth)),
    );
    const alike = await alikeMoves(connection);
    if (alike.length === 0) break;
    for (const nth of alike) problems.set(nth, linesAlike);
  }
  const moves = await movesOf(connection);
  return corrections.map((_, nth) => {
    const found = problems.get(nth) ?? moves.get(nth);
    if (found === undefined) throw new TypeError('A correction has no result.');
    return found;
  });
}

const linesAlike: OrderProblem = {
  refusal: 'lines-alike',
  message:
    'moves a line to an order that has one of the same amount, which may be the same line: import a corrected file, which asks about it',
};

/** Creates the table `moves` with one row per correction. */
async function writeMoves(
  connection: DuckDBConnection,
  corrections: readonly (OrderCorrection & { nth: number })[],
): Promise<void> {
  const rows = corrections.map(({ code, contentHash, currency, nth, order, orderKey }) => ({
    nth,
    order_key: orderKey,
    currency,
    code,
    content_hash: contentHash,
    target_key: orderKeyOf(order),
    target: order,
  }));
  await connection.run(
    `create or replace temp table moves as
     select unnest(from_json($1, '[{"nth":"BIGINT","order_key":"VARCHAR","currency":"VARCHAR",
       "code":"VARCHAR","content_hash":"VARCHAR","target_key":"VARCHAR","target":"VARCHAR"}]'),
       recursive := true)`,
    [JSON.stringify(rows)],
  );
}

/**
 * SQL for an order key without what a spreadsheet or a person may change: case and leading zeros.
 */
const folded = (key: string) => `regexp_replace(lower(substr(${key}, 7)), '^0+', '')`;

/** Returns the problems of corrections, by position, that can be determined from the ledger. */
async function problemsOf(
  connection: DuckDBConnection,
  corrections: readonly OrderCorrection[],
): Promise<Map<number, OrderProblem>> {
  await writeMoves(
    connection,
    corrections.map((correction, nth) => ({ ...correction, nth })),
  );
  const found = await connection.runAndReadAll(
    `with known as (
       select order_key from ledger_lines union select order_key from fundings
       union select order_key from authorizations
     ),
     spelled as (
       select m.nth, coalesce(bool_or(k.order_key = m.target_key), false) as known,
         coalesce(list(k.order_key order by k.order_key) filter (k.order_key <> m.target_key), []) as others
       from moves m left join known k
         on starts_with(k.order_key, 'order:') and ${folded('k.order_key')} = ${folded('m.target_key')}
       group by m.nth
     ),
     lines as (
       select m.nth, count(b.id) filter (not b.own) as imported, count(b.id) filter (b.own) as own
       from moves m left join ledger_lines b on b.order_key = m.order_key and b.currency = m.currency
       group by m.nth
     )
     select m.nth, s.known, to_json(s.others)::varchar, l.imported, l.own,
       coalesce(e.content_hash = m.content_hash, false)
         and m.order_key not in (select order_key from dirty_orders)
     from moves m join spelled s on s.nth = m.nth join lines l on l.nth = m.nth
     left join order_exceptions e
       on e.order_key = m.order_key and e.currency = m.currency and e.code = m.code`,
  );
  const problems = new Map<number, OrderProblem>();
  for (const [nth, known, others, imported, own, isCurrent] of found.getRows()) {
    const correction = corrections[Number(nth)];
    if (correction === undefined) continue;
    const problem =
      spellingProblem(correction, {
        isKnown: known === true,
        others: (JSON.parse(String(others)) as string[]).toSorted(),
      }) ??
      linesProblem({
        imported: Number(imported),
        own: Number(own),
        isCurrent: isCurrent === true,
      });
    if (problem !== undefined) problems.set(Number(nth), problem);
  }
  return problems;
}

/** @param others order keys in the ledger that differ only in case and leading zeros */
function spellingProblem(
  { isExact, order, orderKey }: OrderCorrection,
  { isKnown, others }: { isKnown: boolean; others: readonly string[] },
): OrderProblem | undefined {
  const written = `"${order}"`;
  const [other] = others.filter((key) => key !== orderKey);
  const hint = other === undefined ? '' : `; the ledger has "${merchantOrderIdOf(other)}"`;
  const exact = `write ${other ?? orderKeyOf(order)}, which a spreadsheet does not change`;
  if (orderKeyOf(order) === orderKey || (!isKnown && others.includes(orderKey))) {
    const same = orderKeyOf(order) === orderKey ? 'the order' : 'another spelling of the order';
    const message = `corrects the order to ${written}, which is ${same} that it has${hint}: leave correct_order empty${other === undefined ? '' : `, or ${exact}`}`;
    return { refusal: 'order-same', message };
  }
  if (!isKnown) {
    const message = `corrects the order to ${written}, of which there is no ledger line, funding or authorization${hint}: ${other === undefined ? 'correct it, or import a corrected file' : exact}`;
    return { refusal: 'order-unknown', message };
  }
  const zeros = others.find((key) => /^0+$/.test(key.slice('order:'.length, -order.length)));
  if (isExact || zeros === undefined || order.startsWith('0')) return undefined;
  const message = `corrects the order to ${written}, and the ledger also has "${merchantOrderIdOf(zeros)}", of which a spreadsheet removes the zeros: write ${orderKeyOf(order)} or ${zeros}`;
  return { refusal: 'order-ambiguous', message };
}

function linesProblem({
  imported,
  own,
  isCurrent,
}: {
  imported: number;
  own: number;
  isCurrent: boolean;
}): OrderProblem | undefined {
  if (imported === 0) {
    const message =
      own > 0
        ? 'corrects the order of lines that the companion states, which no file changes: leave correct_order empty'
        : 'corrects the order of lines, and its order has no line: write the right order into the row of the order in the file, and leave correct_order empty here';
    return { refusal: 'lines-not-imported', message };
  }
  if (isCurrent) return undefined;
  return {
    refusal: 'lines-changed',
    message:
      'corrects an order whose lines or fundings were changed after the export: export the cases again',
  };
}

/** Creates `staged`, `gone` and `checked` for the accepted corrections. */
async function stageMoves(
  connection: DuckDBConnection,
  accepted: readonly (OrderCorrection & { nth: number })[],
): Promise<void> {
  await writeMoves(connection, accepted);
  // If an order has several exceptions, each one carries the order's correction.
  await connection.run(
    `create or replace temp table moving as
     select row_number() over (order by m.nth, b.occurred_at, b.id) as number, m.nth, b.id as before, b.*,
       m.target_key, m.target
     from ledger_lines b join (
       select min(nth) as nth, order_key, currency, any_value(target_key) as target_key,
         any_value(target) as target
       from moves group by order_key, currency
     ) m on m.order_key = b.order_key and m.currency = b.currency
     where not b.own`,
  );
  // The id of a line without a transaction contains its order.
  await connection.run(
    `create or replace temp table staged as
     select number,
       case when regexp_matches(id, '^c[0-9]*:')
         then concat_ws(':', 'c', type, currency, amount, occurred_at, target) else id end as id,
       target_key as order_key, target as merchant_order_id, currency, type, amount, occurred_at,
       transaction_id, merchant_transaction_id, charge_id, lender_reference_id
     from moving`,
  );
  await setApart(connection);
  await connection.run('create or replace temp table gone as select before as id from moving');
  await connection.run(checkStaged);
  await connection.run('create or replace temp view compared as from checked');
  await connection.run(
    'update checked set present = false, conflicts = false where id in (select id from gone)',
  );
}

/** Returns the corrections that move a line to an order that may already have it. */
async function alikeMoves(connection: DuckDBConnection): Promise<number[]> {
  await findLookAlikes(connection, undefined);
  const found = await connection.runAndReadAll(
    `select distinct m.nth from moving m join checked c on c.number = m.number
     where c.present or c.duplicate_conflicts
       or c.number in (select number from look_alikes where kind in ('same-amount', 'companion'))`,
  );
  await connection.run('drop table look_alikes');
  return found.getRows().map(([nth]) => Number(nth));
}

/** Returns the effect of each staged correction. */
async function movesOf(connection: DuckDBConnection): Promise<Map<number, CaseSheetMove>> {
  const sum = (type: string) => `coalesce(sum(v.amount) filter (v.type = '${type}'), 0)::double`;
  const found = await connection.runAndReadAll(
    `with signed as (
       select order_key, currency, if(type = 'Settle', amount, -amount) as amount, 'before' as which
       from ledger_lines
       where order_key in (select order_key from moves union select target_key from moves)
       union all
       select order_key, currency, if(type = 'Settle', -amount, amount), 'change' from moving
       union all
       select order_key, currency, if(type = 'Settle', amount, -amount), 'change' ${effects.add.content}
     ),
     sums as (
       select order_key, currency, coalesce(sum(amount) filter (which = 'before'), 0)::double as before,
         sum(amount)::double as after
       from signed group by order_key, currency
     ),
     -- Fundings of an order without a currency get that of its first line.
     posted as (
       select m.nth, s.order_key,
         round(sum((funded_settle - funded_refund - funded_chargeback + funded_reversal)
           * power(10, currency_digits(m.currency) - currency_digits(s.currency)))) as posted
       from moves m join order_statuses s on s.order_key in (m.order_key, m.target_key)
         and (s.currency = m.currency or s.order_key not in (select order_key from order_currencies))
       group by m.nth, s.order_key
     )
     select m.nth, m.order_key, m.target_key, count(v.id)::double, ${sum('Settle')}, ${sum('Refund')},
       (count(*) filter (c.duplicate))::double,
       (select count(*) from ledger_lines b
        where b.order_key = m.order_key and b.currency = m.currency and b.own)::double,
       to_json(list({'type': v.type, 'amount': v.amount, 'at': v.occurred_at} order by v.number)[:${MAX_LISTED}])::varchar,
       coalesce(any_value(f.before), 0), coalesce(any_value(f.after), 0), coalesce(any_value(fp.posted), 0),
       coalesce(any_value(t.before), 0), coalesce(any_value(t.after), 0), coalesce(any_value(tp.posted), 0)
     from moves m join moving v on v.order_key = m.order_key and v.currency = m.currency
     join checked c on c.number = v.number
     left join sums f on f.order_key = m.order_key and f.currency = m.currency
     left join sums t on t.order_key = m.target_key and t.currency = m.currency
     left join posted fp on fp.nth = m.nth and fp.order_key = m.order_key
     left join posted tp on tp.nth = m.nth and tp.order_key = m.target_key
     group by m.nth, m.order_key, m.target_key, m.currency`,
  );
  return new Map(
    found.getRows().map((row) => {
      const [nth, from, to, count, settled, refunded, repeated, staying, listed, ...sums] = row;
      const lines = JSON.parse(String(listed)) as Listed[];
      const [before = 0, after = 0, posted = 0, ...others] = sums.map(Number);
      const [otherBefore = 0, otherAfter = 0, otherPosted = 0] = others;
      return [
        Number(nth),
        {
          count: Number(count),
          lines: lines.map(({ amount, at, type }) => ({ type, amount, occurredAt: isoTime(at) })),
          settled: Number(settled),
          refunded: Number(refunded),
          repeated: Number(repeated),
          staying: Number(staying),
          orders: [
            { orderKey: String(from), before, after, posted },
            { orderKey: String(to), before: otherBefore, after: otherAfter, posted: otherPosted },
          ],
        },
      ];
    }),
  );
}

interface Listed {
  type: 'Settle' | 'Refund';
  amount: number;
  at: number;
}

/** Lines that a correction adds from one source. */
export interface CorrectedLines {
  /** Origin of the import that contained the lines; undefined if no later file could correct it. */
  origin: ImportOrigin | undefined;
  count: number;
  content: Uint8Array;
}

/**
 * Writes the staged corrections as import contents. The lines keep the source and period of the
 * import that contained them, so that importing the same file again finds them.
 */
export async function contentsOfCorrections(
  connection: DuckDBConnection,
  facts: Pick<FactStore, 'importsInPeriod' | 'importContent'>,
  files: { content: string; replaced: string; earlier: string },
): Promise<{ withdrawn: { count: number; content: Uint8Array }; added: CorrectedLines[] }> {
  await connection.run('create or replace temp table replaced as select id from gone');
  const count = await writeReplaced(connection, files.replaced);
  const withdrawn = { count, content: await readFile(files.replaced) };
  const origins = await originsOfMoving(connection, facts, files.earlier);
  const added: CorrectedLines[] = [];
  for (const [nth, origin] of [undefined, ...origins].entries()) {
    const selected = `${effects.add.content} and number in
      (select number from origin_of where origin = ${nth})`;
    const lines = await writeContent(connection, selected, files.content);
    if (lines > 0) added.push({ origin, count: lines, content: await readFile(files.content) });
    await rm(files.content, { force: true });
  }
  return { withdrawn, added };
}

/**
 * Creates `origin_of`: for each moved line, the 1-based position of the source and period of the
 * last import that contains the line, or 0 if there is none.
 */
async function originsOfMoving(
  connection: DuckDBConnection,
  facts: Pick<FactStore, 'importsInPeriod' | 'importContent'>,
  file: string,
): Promise<ImportOrigin[]> {
  await connection.run(
    `create or replace temp table origin_of as select number, before, occurred_at, 0 as origin from moving`,
  );
  const period = await connection.runAndReadAll(
    'select min(occurred_at)::double, max(occurred_at)::double from moving',
  );
  const [from, to] = period.getRows()[0] ?? [];
  const origins: ImportOrigin[] = [];
  for (const { id, origin } of await facts.importsInPeriod(Number(from), Number(to))) {
    const text = JSON.stringify(origin);
    const known = origins.findIndex((one) => JSON.stringify(one) === text);
    if (known < 0) origins.push(origin);
    await withContent(facts, id, file, (lines) =>
      connection.run(
        `update origin_of set origin = ${known < 0 ? origins.length : known + 1}
         where before in (select id from ${lines})`,
      ),
    );
  }
  return origins;
}

/** Drops the tables of {@link stageCorrections} and {@link contentsOfCorrections}. */
export async function dropCorrections(connection: DuckDBConnection): Promise<void> {
  await dropStaged(connection);
  for (const table of ['moves', 'moving', 'gone', 'replaced', 'origin_of']) {
    await connection.run(`drop table if exists ${table}`);
  }
}
