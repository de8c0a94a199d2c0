import {
  currencies as known,
  exceptionCodes,
  explainException,
  reasonWords,
} from '@financing-checkout/contract';
import { sqlText } from '../platform/temporary-files.ts';
import { moneyCell } from './csv-sql.ts';
import { jsonObject, jsonSentence, jsonTime, jsonWord } from './json-sql.ts';

/** An amount in minor units, with its currency, in SQL. */
interface SqlMoney {
  amount: string;
  currency: string;
  /** SQL for whether the currency is assumed. */
  assumed: string;
  /** All currencies of the rows. */
  currencies: readonly string[];
}

/** Returns SQL for an amount, formatted as `written` formats it. */
function writtenSql({ amount, currency, assumed, currencies }: SqlMoney): string {
  const value = moneyCell(amount, { currency, currencies, decimal: 'point' });
  const codes = currencies.filter((code) => known.has(code)).map(sqlText);
  const unknown = `' (currency not known)'`;
  const unit =
    codes.length === 0
      ? unknown
      : `case when ${currency} in (${codes.join(', ')})
        then concat(' ', ${currency}, case when ${assumed} then '?' end) else ${unknown} end`;
  return `replace(${value}, '-', '−') || ${unit}`;
}

const sentences = reasonWords.en;

/** A placeholder count that no exception has, and whose digits occur nowhere else in a sentence. */
const MANY = 987_654_321_012_345;

/**
 * Selects the sentences of {@link explainException}, with `{0}` for the size and `{1}` for the
 * count, by code, sign of the amount, count up to 2, and whether the order is named; `rank` is the
 * severity of the code.
 */
function explanations(): string {
  const rows = exceptionCodes.flatMap((code, rank) =>
    [-1, 0, 1].flatMap((sign) =>
      [0, 1, MANY].flatMap((count) =>
        [true, false].map((isNamed) => {
          const facts = { size: '{0}', less: sign < 0, cancels: sign === 0, count, isNamed };
          const sentence = explainException(code, facts).replaceAll(String(MANY), '{1}');
          return `(${sqlText(code)}, ${rank}, ${sign}, ${Math.min(count, 2)}, ${isNamed}, ${sqlText(JSON.stringify(sentence))})`;
        }),
      ),
    ),
  );
  return `(values ${rows.join(', ')}) w (code, rank, sign, count, is_named, sentence)`;
}

/**
 * Selects the exceptions and their explanations of each order, most severe first, as the elements
 * of two JSON arrays.
 */
export function explainedExceptions(currencies: readonly string[]): string {
  const size = writtenSql({
    amount: 'abs(e.amount)',
    currency: 'e.currency',
    assumed: 'e.assumed',
    currencies,
  });
  const sentence = `replace(replace(w.sentence, '{1}', e.count::varchar), '{0}', ${size})`;
  return `select e.order_key, e.currency,
      string_agg(${exceptionJson('e')}, ',' order by w.rank) as exceptions,
      string_agg(${sentence}, ',' order by w.rank) as reasons
    from order_exceptions e join ${explanations()}
      on w.code = e.code and w.sign = sign(e.amount) and w.count = least(e.count, 2)
        and w.is_named = starts_with(e.order_key, 'order:')
    group by e.order_key, e.currency`;
}

/** Returns SQL for an exception in the API's format. */
function exceptionJson(row: string): string {
  return jsonObject([
    { name: 'code', sql: jsonWord(`${row}.code`) },
    { name: 'amount', sql: `${row}.amount` },
    { name: 'count', sql: `${row}.count` },
    { name: 'since', sql: jsonTime(`${row}.since`) },
  ]);
}

/**
 * Returns SQL for the JSON array of the reasons of an order `r`, which has the `reasons` of
 * {@link explainedExceptions}.
 * @param day writes the day of a time in the business zone, in SQL
 */
export function reasonsSql({
  currencies,
  day,
  zone,
}: {
  currencies: readonly string[];
  day: (moment: string) => string;
  zone: string;
}): string {
  const money = (amount: string) =>
    writtenSql({ amount, currency: 'r.currency', assumed: 'r.assumed', currencies });
  const waits = (whetherDue: (date: string) => string) =>
    jsonSentence(
      (amount: string, date: string) => sentences.awaiting(amount, whetherDue(date)),
      ...[money('r.awaiting'), day('r.recheck_at')],
    );
  const takenBack = money('(r.funded_refund - r.funded_settle)');
  const quiet = [
    ['r.expected_settle', 'r.funded_settle', sentences.verbs.settle],
    ['r.expected_refund', 'r.funded_refund', sentences.verbs.refund],
    ['r.funded_chargeback', 'r.funded_reversal', sentences.verbs.chargeback],
  ] as const;
  const quietParts = quiet.map(([due, done, [verb, doneVerb]]) => {
    const all = jsonSentence((amount) => sentences.allDone(amount, verb, doneVerb), money(due));
    const partly = jsonSentence(
      (amount, doneAmount) => sentences.partlyDone(amount, verb, doneAmount, doneVerb),
      ...[money(due), money(done)],
    );
    return `case when ${due} <> 0 then case when ${due} = ${done} then ${all} else ${partly} end end`;
  });
  const isNothing = quiet.map(([due]) => `${due} = 0`).join(' and ');
  const parts = [
    `case when r.awaiting > 0 then case when r.recheck_at is null
      then ${waits(() => sentences.isDueUnknown)}
      else ${waits((date) => sentences.notDueBefore(date, zone))} end end`,
    `case when r.awaiting > 0 and r.funded_refund > r.funded_settle
      then ${jsonSentence(sentences.takenBack, takenBack)} end`,
    `case when r.reasons is not null or r.awaiting <> 0 then null
      when r.headline = 'BEFORE_LEDGER'
      then ${jsonSentence(sentences.beforeLedger, money('r.funded_settle'))}
      when ${isNothing} then ${jsonSentence(() => sentences.nothing)}
      else concat(concat_ws('; ', ${quietParts.join(', ')}), '.') end`,
    `case when r.assumed then ${jsonSentence(() => sentences.currencyAssumed)} end`,
  ];
  return `concat('[', concat_ws(',', r.reasons, ${parts.map(jsonWord).join(', ')}), ']')`;
}
