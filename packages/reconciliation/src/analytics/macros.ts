import { currencies, MAX_MINOR_UNITS } from '@financing-checkout/contract/money';
import { DIGITS_OF_UNKNOWN } from '@financing-checkout/reconciliation-rules';

const MAX_DIGITS = String(MAX_MINOR_UNITS).length;
/** Maximum number of decimals of any currency; amounts with no more decimals take the fast path. */
const MOST_DECIMALS = DIGITS_OF_UNKNOWN;

function currencyDigits(): string {
  const byDigits = Map.groupBy(currencies.keys(), (code) => currencies.get(code)?.digits);
  const cases = Array.from(
    byDigits,
    // Searching one text is faster than searching a list of very many constants.
    ([digits, codes]) =>
      `when length(currency) = 3 and contains(' ${codes.join(' ')} ', ' ' || currency || ' ') then ${digits}`,
  );
  return `case when currency = '' then ${DIGITS_OF_UNKNOWN} when currency = 'USD' then 2 ${cases.join(' ')} end`;
}

/**
 * Macros of an analytics database, created with its tables, and of each database that reads
 * records.
 *
 * `minor_units(amount, currency)` reads an amount in major units exactly, like the contract's
 * `fromMajorUnits`. It returns a struct of `value`, in minor units, and `problem`, an error code;
 * one of the two is null. An empty currency has four decimals. A statement that reads several
 * amounts of a row uses `units(amount, digits)` with one `currency_digits(currency)`, because
 * DuckDB plans that much faster.
 *
 * `hash_of_key(order_key)` is the value of the columns `key_hash`.
 */
export const macros = `
create macro currency_digits(currency) as ${currencyDigits()};

-- Whole and fraction of a plain decimal with few digits: integers suffice.
create macro plain_units(amount, digits) as (
  case when (amount::decimal(18, ${MOST_DECIMALS}) * ${10 ** MOST_DECIMALS})::bigint % (10 ^ (${MOST_DECIMALS} - digits))::bigint <> 0
    then {value: null::bigint, problem: 'amount-too-precise'}
    else {value: (amount::decimal(18, ${MOST_DECIMALS}) * ${10 ** MOST_DECIMALS})::bigint // (10 ^ (${MOST_DECIMALS} - digits))::bigint, problem: null::varchar} end
);

-- n: sign, digits without leading zeros, and the number of places by which the point moves right.
create macro shifted_units(n) as (
  case when n.figures = '' then {value: 0::bigint, problem: null::varchar}
    when n.places < 0 and trim(right(n.figures, -n.places), '0') <> '' then {value: null::bigint, problem: 'amount-too-precise'}
    when n.places < 0 and length(n.figures) <= -n.places then {value: null::bigint, problem: 'amount-too-precise'}
    when length(n.figures) + n.places > ${MAX_DIGITS} then {value: null::bigint, problem: 'amount-too-large'}
    when n.places < 0 then {value: (n.sign || left(n.figures, length(n.figures) + n.places))::bigint, problem: null::varchar}
    else {value: (n.sign || n.figures || repeat('0', n.places))::bigint, problem: null::varchar} end
);

-- The lambdas compute parts and n once. A macro would repeat their expressions at each use, and DuckDB plan each.
create macro matched_units(parts, digits) as list_transform(
  list_transform([parts], lambda p: {
    sign: p.sign,
    figures: ltrim(p.whole || p.fraction, '0'),
    places: digits - length(p.fraction) + (case when p.exponent = '' then '0' else p.exponent end)::integer
  }),
  lambda n: shifted_units(n)
)[1];

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

create macro hash_of_key(order_key) as (hash(order_key) & ${2 ** 32 - 1})::uinteger;
`;
