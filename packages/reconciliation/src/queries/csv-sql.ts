import { currencies as known } from '@financing-checkout/contract';
import { type CsvDecimal, csvGuard } from '@financing-checkout/contract/csv';
import { DIGITS_OF_UNKNOWN } from '@financing-checkout/reconciliation-rules';
import { sqlText } from '../platform/temporary-files.ts';
import { digitsOf } from './reasons.ts';

const { border, first, lead, quoted, sign } = csvGuard;
const formulas = sqlText(`(^|${border})(${lead}*)(${sign})`);
const unprotected = sqlText(`^('*${first})`);
const unsafe = sqlText(`^${lead}*${sign}|${quoted}`);

/** Returns SQL for a text cell, formatted as `csvLine` formats it. */
export function textCell(sql: string): string {
  const value = `coalesce(${sql}, '')`;
  const guarded = `regexp_replace(${value}, ${formulas}, '\\1\\2''\\3', 'g')`;
  const harmless = `regexp_replace(${guarded}, ${unprotected}, '''\\1')`;
  return `case when regexp_matches(${value}, ${unsafe})
    then '"' || replace(${harmless}, '"', '""') || '"' else ${value} end`;
}

/** Returns SQL for a cell with minor units of a currency, formatted as `decimal` formats it. */
export function moneyCell(
  amount: string,
  {
    currency,
    currencies,
    decimal,
  }: { currency: string; currencies: readonly string[]; decimal: CsvDecimal },
): string {
  const point = decimal === 'comma' ? ',' : '.';
  const padded = (digits: number) => {
    if (digits === 0) return `${amount}::varchar`;
    const unit = 10 ** digits;
    // A decimal of 18 digits is one integer, and written in a third of the time.
    const short = `(try_cast(${amount} as decimal(${18 - digits}, 0)) * ${(1 / unit).toFixed(digits)}::decimal(${digits}, ${digits}))::varchar`;
    const long = `case when ${amount} < 0 then '-' else '' end || (abs(${amount}) // ${unit})::varchar
      || '.' || lpad((abs(${amount}) % ${unit})::varchar, ${digits}, '0')`;
    const value = `coalesce(${short}, ${long})`;
    return point === '.' ? value : `replace(${value}, '.', '${point}')`;
  };
  const byDigits = Map.groupBy(
    currencies.filter((code) => known.has(code)),
    digitsOf,
  );
  const cases = [...byDigits].map(
    ([digits, codes]) =>
      `when ${currency} in (${codes.map(sqlText).join(', ')}) then ${padded(digits)}`,
  );
  const unknown = `rtrim(rtrim(${padded(DIGITS_OF_UNKNOWN)}, '0'), '${point}')`;
  const value = cases.length === 0 ? unknown : `case ${cases.join(' ')} else ${unknown} end`;
  return `coalesce(${value}, '')`;
}
