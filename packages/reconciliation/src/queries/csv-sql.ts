import { sqlText } from '../platform/temporary-files.ts';
import type { Decimal } from './csv.ts';
import { digitsOf } from './reasons.ts';

/** Characters that begin a formula in a spreadsheet: see `csv.ts`. */
const sign = '[=+@\\t\\r\\n＝＋－＠|\\-]';
const begins = `(^|[;\\t\\r\\n])(${sign})`;

/** Returns SQL for the cell of a text, like `csvLine`. */
export function textCell(sql: string): string {
  const value = `coalesce(${sql}, '')`;
  // The first pass finds only the first of two consecutive signs.
  const once = (text: string) =>
    `regexp_replace(${text}, e'${begins.replaceAll('\\', '\\\\')}', e'\\\\1''\\\\2', 'g')`;
  const harmless = once(once(value));
  const quoted = `'"' || replace(${harmless}, '"', '""') || '"'`;
  return `case when not regexp_matches(${value}, e'[";,\\\\t\\\\r\\\\n=+@＝＋－＠|\\\\-]') then ${value}
    when ${harmless} <> ${value} or regexp_matches(${value}, e'[";,\\\\r\\\\n]') then ${quoted}
    else ${value} end`;
}

/** Returns SQL for the cell of an amount in minor units of a currency. */
export function moneyCell(
  amount: string,
  {
    currency,
    currencies,
    decimal,
  }: { currency: string; currencies: readonly string[]; decimal: Decimal },
): string {
  const point = decimal === 'comma' ? ',' : '.';
  const byDigits = Map.groupBy(currencies, digitsOf);
  const cases = [...byDigits].map(([digits, codes]) => {
    const list = codes.map(sqlText).join(', ');
    const unit = 10 ** digits;
    const written =
      digits === 0
        ? `${amount}::varchar`
        : `case when ${amount} < 0 then '-' else '' end || (abs(${amount}) // ${unit})::varchar
          || '${point}' || lpad((abs(${amount}) % ${unit})::varchar, ${digits}, '0')`;
    return `when ${currency} in (${list}) then ${written}`;
  });
  const value =
    cases.length === 0
      ? `${amount}::varchar`
      : `case ${cases.join(' ')} else ${amount}::varchar end`;
  return `coalesce(${value}, '')`;
}
