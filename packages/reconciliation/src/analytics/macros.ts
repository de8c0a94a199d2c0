import { isCurrency, MAX_MINOR_UNITS, minorUnitDigits } from '@financing-checkout/contract/plain';
import { DIGITS_OF_UNKNOWN } from '@financing-checkout/reconciliation-rules';

const MAX_DIGITS = String(MAX_MINOR_UNITS).length;
/** As many decimals as any currency has: what has at most these takes the short way. */
const MOST_DECIMALS = DIGITS_OF_UNKNOWN;

/** All currencies of the contract, by their count of decimals. */
function currenciesByDigits(): Map<number, string[]> {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap((one) =>
    letters.flatMap((two) => letters.map((three) => one + two + three)),
  );
  return Map.groupBy(codes.filter(isCurrency), minorUnitDigits);
}

function currencyDigits(): string {
  const cases = Array.from(
    currenciesByDigits(),
    // A text is searched faster than a list of very many constants.
    ([digits, codes]) =>
      `when length(currency) = 3 and contains(' ${codes.join(' ')} ', ' ' || currency || ' ') then ${digits}`,
  );
  return `case when currency = '' then ${DIGITS_OF_UNKNOWN} when currency = 'USD' then 2 ${cases.join(' ')} end`;
}

/**
 * Macros of an analytics database, made with its tables, and of each database that reads records.
 *
 * `minor_units(amount, currency)` reads the text of an amount in the major unit exactly, as
 * `fromMajorUnits` of the contract does: a struct of `value`, minor units, and `problem`, the code of
 * what is wrong, one of which is null. An empty currency has four decimals. A statement that reads several
 * amounts of a row takes `units(amount, digits)`, and `currency_digits(currency)` once: that is planned
 * much faster.
 */
export const macros = `
create macro currency_digits(currency) as ${currencyDigits()};

-- Whole and fraction of a plain decimal of few digits: integers alone.
create macro plain_units(amount, digits) as (
  case when (amount::decimal(18, ${MOST_DECIMALS}) * ${10 ** MOST_DECIMALS})::bigint % (10 ^ (${MOST_DECIMALS} - digits))::bigint <> 0
    then {value: null::bigint, problem: 'amount-too-precise'}
    else {value: (amount::decimal(18, ${MOST_DECIMALS}) * ${10 ** MOST_DECIMALS})::bigint // (10 ^ (${MOST_DECIMALS} - digits))::bigint, problem: null::varchar} end
);

-- Digits without leading zeros, and how many places the point is moved to the right.
create macro shifted_units(sign, figures, places) as (
  case when figures = '' then {value: 0::bigint, problem: null::varchar}
    when places < 0 and trim(right(figures, -places), '0') <> '' then {value: null::bigint, problem: 'amount-too-precise'}
    when places < 0 and length(figures) <= -places then {value: null::bigint, problem: 'amount-too-precise'}
    when length(figures) + places > ${MAX_DIGITS} then {value: null::bigint, problem: 'amount-too-large'}
    when places < 0 then {value: (sign || left(figures, length(figures) + places))::bigint, problem: null::varchar}
    else {value: (sign || figures || repeat('0', places))::bigint, problem: null::varchar} end
);

create macro matched_units(parts, digits) as shifted_units(
  parts.sign, ltrim(parts.whole || parts.fraction, '0'),
  digits - length(parts.fraction) + (case when parts.exponent = '' then '0' else parts.exponent end)::integer
);

create macro units(amount, digits) as (
  case when digits is null then {value: null::bigint, problem: 'currency-unknown'}
    when amount is null then {value: null::bigint, problem: 'amount-invalid'}
    when regexp_full_match(amount, '-?[0-9]{1,10}(\\.[0-9]{1,${MOST_DECIMALS}})?') then plain_units(amount, digits)
    when regexp_full_match(amount, '-?[0-9]{1,30}(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?') then matched_units(
      regexp_extract(amount, '^(-?)([0-9]+)(?:\\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$', ['sign', 'whole', 'fraction', 'exponent']),
      digits)
    else {value: null::bigint, problem: 'amount-invalid'} end
);

create macro minor_units(amount, currency) as units(amount, currency_digits(currency));
`;
