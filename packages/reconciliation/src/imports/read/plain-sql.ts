import type { Reading } from './options.ts';
import { currencies } from '@financing-checkout/contract/money';
import { hasTwoAmounts } from '@financing-checkout/contract/plain';
import { sqlText } from '../../platform/temporary-files.ts';
import { netColumnOf } from './column-names.ts';
import { type LedgerField, ledgerFields } from './columns.ts';
import { AHEAD_MS, FIRST } from './read-date.ts';
import { changed, MAX_ID, noValue } from './read-id.ts';
import { usualWords } from './read-type.ts';
import { PRECISION } from './row-filter.ts';

/** Positions of the fields in a plain line. */
export type PlainForm =
  | { kind: 'csv'; delimiter: string; header: readonly string[] }
  /** Keys in the order of the lines. */
  | { kind: 'ndjson'; keys: readonly string[] };

/** Fields that a plain line may have. */
const fields = [
  'order',
  'type',
  'amount',
  'currency',
  'date',
  'transaction',
  'merchantTransaction',
  'charge',
] as const satisfies readonly LedgerField[];
type PlainField = (typeof fields)[number];
const ids = ['order', 'transaction', 'merchantTransaction', 'charge'] as const;

/** Fields that every plain line has, so that `skip-rows-without` skips none. */
const neverBlank: readonly string[] = ['order', 'amount', 'date'];

/** Columns that change how a row from this program's exports is read. */
const exported: readonly string[] = ['order_key', 'orderKey', 'utc_offset'];

/** Column names that need no escape in a pattern or a path. */
const simpleName = /^\w(?:[\w -]*\w)?$/;

/**
 * Returns a query on the table `raw` (number, line), with the columns of a staged line. All columns
 * except `number` are null if the reader might report a message or a note, or read a different
 * value. Returns undefined if no line can be plain with these options or columns.
 * @param options.from number of the first line that may be plain
 * @param options.zone time zone of dates without one
 */
export function plainQuery(
  form: PlainForm,
  { from, reading, zone }: { from: number; reading: Reading; zone: string },
): string | undefined {
  const { mapping, skipRowsWithout = [] } = reading;
  const names = form.kind === 'csv' ? form.header : form.keys;
  const isUsual =
    reading.ownExport !== true &&
    !hasTwoAmounts(mapping) &&
    mapping.time === undefined &&
    mapping.zone === undefined &&
    reading.only === undefined &&
    skipRowsWithout.every((name) => neverBlank.includes(name)) &&
    !exported.some((name) => names.includes(name));
  if (!isUsual) return undefined;
  const found = fields.filter((field) => names.includes(mapping[field] ?? ''));
  const isAbsent = (field: PlainField) => !found.includes(field);
  // If a mapped column is missing, each line has an error.
  if (ids.some((field) => isAbsent(field) && mapping[field] !== ledgerFields[field])) {
    return undefined;
  }
  const cells = form.kind === 'csv' ? csvCells(form) : jsonCells(form, found, reading);
  if (cells === undefined) return undefined;
  const valueOf = (field: PlainField) => {
    const at =
      (form.kind === 'csv' ? names.indexOf(mapping[field] ?? '') : found.indexOf(field)) + 1;
    return isAbsent(field) ? 'null::varchar' : `nullif(cells[${at}], '')`;
  };
  const net = form.kind === 'csv' ? netColumnOf(names, mapping.amount) : undefined;
  const netText = net === undefined ? undefined : `trim(cells[${names.indexOf(net) + 1}])`;
  const values = fields.map((field) => `${valueOf(field)} as "${field}_text"`);
  const conditions = [
    `number >= ${from}`,
    ...ids.map((field) => {
      const isId = isPlainId(`"${field}_text"`);
      return field === 'order' ? isId : `("${field}_text" is null or ${isId})`;
    }),
    ...(form.kind === 'csv' ? rowConditions(mapping.order ?? '') : []),
    `("type_text" is null or regexp_full_match("type_text", '[!-~](?:[ -~]*[!-~])?'))`,
    `("currency_text" is null or regexp_full_match("currency_text", '[A-Z]{3}'))`,
    'signed <> 0',
    `occurred between ${FIRST} and ${reading.now + AHEAD_MS}`,
    `meaning in ('Settle', 'Refund', 'sign')`,
    `(meaning <> 'Settle' or signed > 0)`,
    ...(netText === undefined ? [] : [isWithAmount]),
  ];
  return `
    with cut as (select number, ${cells} from raw),
    texts as (select number, ${values.join(', ')}, ${netText ?? "''"} as net_text from cut),
    typed as (
      select number, ${ids.map((field) => `"${field}_text"`).join(', ')},
        "type_text", "currency_text", "amount_text", "date_text", net_text,
        coalesce("currency_text", ${textOrNull(reading.currency)}) as currency,
        ${meaningSql(reading)} as meaning,
        case when regexp_full_match("date_text", ${sqlText(datePattern(zone))})
          then epoch_ms(try_cast("date_text" as timestamp)) end as occurred
      from texts
    ),
    counted as (select *, ${digitsOf}[currency] as digits, (10 ** digits)::bigint as unit from typed),
    valued as (
      select *, ${signedSql(reading)} as signed,
        ${reading.units === 'minor' ? 'signed' : `signed * ${10 ** PRECISION} // unit`} as summed
      from counted
    ),
    judged as (
      select *, coalesce(digits is not null and ${conditions.join('\n and ')}, false) as is_plain,
        case meaning when 'sign' then if(signed < 0, 'Refund', 'Settle') else meaning end as type
      from valued
    )
    select number, ${selected.map(([name, sql]) => `if(is_plain, ${sql}, null) as ${name}`).join(', ')}
    from judged`;
}

/** Columns of a staged line, as `lineId` and `orderKeyOf` write them. */
const selected: readonly (readonly [name: string, sql: string])[] = [
  [
    'id',
    `case when "merchantTransaction_text" is not null then 'm:' || type || ':' || "merchantTransaction_text"
      when "transaction_text" is not null then 't:' || type || ':' || "transaction_text"
      else 'c:' || type || ':' || currency || ':' || abs(signed) || ':' || occurred || ':' || "order_text" end`,
  ],
  ['order_key', `'order:' || "order_text"`],
  ['merchant_order_id', '"order_text"'],
  ['currency', 'currency'],
  ['type', 'type'],
  ['amount', 'abs(signed)'],
  ['occurred_at', 'occurred'],
  ['transaction_id', '"transaction_text"'],
  ['merchant_transaction_id', '"merchantTransaction_text"'],
  ['charge_id', '"charge_text"'],
  ['lender_reference_id', 'null::varchar'],
  ['summed', 'summed'],
];

/**
 * SQL for the decimals of the currencies in use. Not a table, because DuckDB would keep the whole
 * file in memory for the join.
 */
const digitsOf = `map {${[...currencies]
  .filter(([, { lastDay }]) => lastDay === undefined)
  .map(([code, { digits }]) => `${sqlText(code)}: ${digits}`)
  .join(', ')}}`;

const textOrNull = (text: string | undefined) =>
  text === undefined ? 'null::varchar' : sqlText(text);

/** Returns whether an ID is printable ASCII that a spreadsheet cannot have changed. */
function isPlainId(name: string): string {
  return `regexp_full_match(${name}, '[0-9A-Za-z][!-~]*') and strlen(${name}) <= ${MAX_ID}
    and not regexp_matches(${name}, ${sqlText(`(?i)${changed.source}|${noValue.source}`)})`;
}

/** SQL condition: the net amount does not contradict the amount. */
const isWithAmount = `regexp_full_match(net_text, '(?:-?[0-9][0-9.,]*)?')
  and (net_text = '' or starts_with(net_text, '-') = starts_with("amount_text", '-'))`;

/** SQL conditions: a table row is neither a header row, a total nor a title. */
function rowConditions(header: string): string[] {
  return [
    `regexp_matches("order_text", '[0-9]')`,
    `not regexp_matches("order_text", '^[A-Za-z-]+:')`,
    `lower("order_text") <> ${sqlText(header.toLowerCase())}`,
  ];
}

function amountPattern({ decimal, units }: Reading): string {
  if (units === 'minor') return '-?[1-9][0-9]{0,13}';
  const mark = decimal === 'comma' ? ',' : String.raw`\.`;
  return `-?(?:0|[1-9][0-9]{0,9})(?:${mark}[0-9]{1,2})?`;
}

/** SQL for the signed amount in minor units; null if the currency has fewer decimals. */
function signedSql(reading: Reading): string {
  const isPlain = `regexp_full_match("amount_text", ${sqlText(amountPattern(reading))})`;
  if (reading.units === 'minor') return `case when ${isPlain} then "amount_text"::bigint end`;
  const text = `translate("amount_text", ',-', '.')`;
  const fraction = `split_part(${text}, '.', 2)`;
  return `case when ${isPlain} then case when strlen(${fraction}) <= digits then
    (split_part(${text}, '.', 1)::bigint * unit + ('0' || rpad(${fraction}, digits, '0'))::bigint)
    * if(starts_with("amount_text", '-'), -1, 1) end end`;
}

function datePattern(zone: string): string {
  const day = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
  const minute = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
  const time = String.raw`${minute}:[0-5][0-9](?:\.[0-9]{1,3})?`;
  return zone === 'UTC' ? `${day}(?:[T ]${time}Z?)?` : `${day}[T ]${time}Z`;
}

/** SQL for the meaning of the type word, or of its absence. */
function meaningSql({ type, words = usualWords }: Reading): string {
  const usual = type === undefined ? undefined : (usualWords.get(type) ?? type);
  const cases = [...words].map(([word, meant]) => `when ${sqlText(word)} then ${sqlText(meant)}`);
  return `case when "type_text" is null then ${textOrNull(usual)}
    else case lower("type_text") ${cases.join(' ')} end end`;
}

/** SQL for the cells of a row without quotes; null if their number differs. */
function csvCells({ delimiter, header }: PlainForm & { kind: 'csv' }): string {
  return `string_split(line, ${sqlText(delimiter)}) as parts,
    case when len(parts) = ${header.length} and not contains(line, '"') then parts end as cells`;
}

const quoted = String.raw`"[^"\\\x00-\x1f]*"`;
const integer = '0|[1-9][0-9]{0,14}';
const number = String.raw`-?(?:${integer})(?:\.[0-9]{1,15})?`;

/**
 * SQL for the values of an object with one value per key, without escapes; null for any other
 * object. No key can occur twice.
 */
function jsonCells(
  { keys }: PlainForm & { kind: 'ndjson' },
  found: readonly PlainField[],
  { mapping }: Reading,
): string | undefined {
  if (!keys.every((key) => simpleName.test(key))) return undefined;
  const fieldOf = (key: string) => found.find((field) => mapping[field] === key);
  const members = keys.map((key) => {
    const field = fieldOf(key);
    const value =
      field === undefined
        ? `${quoted}|${number}|null|true|false`
        : `${quoted}|${field === 'amount' ? number : integer}|null`;
    return { text: `"${key}": ?(?:${value})`, isOptional: isOptional(key, field) };
  });
  const [first, ...rest] = members;
  if (first === undefined || first.isOptional) return undefined;
  const others = rest.map(({ isOptional, text }) =>
    isOptional ? `(?:, ?${text})?` : `, ?${text}`,
  );
  const shape = `\\{${first.text}${others.join('')}\\}\\r?`;
  const any = `(?:${members.map(({ text }) => text).join('|')})`;
  // Keys in another order are rare, so they are compared only where an ID is optional.
  const isComplete = ids.every((field) => mapping[field] === ledgerFields[field]);
  const anyShape = sqlText(`\\{${any}(?:, ?${any})*\\}\\r?`);
  const paths = found.map((field) => sqlText(`$."${mapping[field]}"`));
  const values = `json_extract_string(line, [${paths.join(', ')}])`;
  const otherOrder = `when regexp_full_match(line, ${anyShape})
    then case when list_unique(json_keys(line)) = len(json_keys(line)) then ${values} end`;
  return `case when regexp_full_match(line, ${sqlText(shape)}) then ${values}
    ${isComplete ? otherOrder : ''} end as cells`;
}

/** Without an explicit mapping, an ID may be absent. */
function isOptional(key: string, field: PlainField | undefined): boolean {
  if (field === undefined || field === 'order' || !ids.some((id) => id === field)) return false;
  return key === ledgerFields[field];
}
