import { currencyDigits } from '../platform/money.ts';
import { statusOf, type Verdict, type Vocabulary } from './verdict.ts';

/**
 * A funding to be written as JSON. SQLite renders the values that need no conversion as the string
 * members. A page may have more than ten thousand records, and blocks other requests while it is
 * written, so a record must take only a few microseconds: no object per record and none per field.
 */
export type RecordRow = [
  seq: number,
  fundedAt: number,
  updatedAt: number,
  transactionDate: number | null,
  verdict: Verdict,
  currency: string,
  amount: number,
  discount: number,
  net: number,
  /** `,"lenderName":…,"transactionType":…` */
  head: string,
  /** Known ids of transaction, order and charge; the report-only fields; names and email address. */
  tail: string,
];

/** Returns the columns of {@link RecordRow}, in SQL. */
export function recordColumns(vocabulary: Vocabulary): string {
  const tail = [
    optional('transactionId', 'transaction_id'),
    optional('merchantOrderId', 'merchant_order_id'),
    optional('chargeId', 'charge_id'),
    ...(vocabulary === 'report' ? reportAlone : []),
    optional('firstName', 'first_name'),
    optional('lastName', 'last_name'),
    optional('email', 'email'),
  ];
  return `seq, funded_at, updated_at, transaction_date, verdict, currency,
    amount, discount, coalesce(net, amount - discount),
    concat(',"lenderName":', json_quote(lender_name), ',"transactionType":"', transaction_type, '"'),
    concat(${tail.join(', ')})`;
}

/** The four report-only fields. */
const reportAlone = [
  `',"productType":', json_quote(product_type)`,
  optional('promoCode', 'promo_code'),
  optional('lenderReferenceId', 'lender_reference_id'),
  optional('merchantTransactionId', 'merchant_transaction_id'),
];

/** Renders an optional field; a missing value omits the field. */
function optional(name: string, column: string): string {
  return `iif(coalesce(${column}, '') = '', '', ',"${name}":' || json_quote(${column}))`;
}

/** Records per string: a page size is unlimited, but a string is limited to 512 MB. */
const BATCH = 10_000;
const encoder = new TextEncoder();

/** Returns the body of a fundings response as bytes. */
export function recordsBytes(
  rows: readonly RecordRow[],
  vocabulary: Vocabulary,
): Uint8Array<ArrayBuffer> {
  if (rows.length <= BATCH) return encoder.encode(recordsJson(rows, vocabulary));
  const parts: Uint8Array[] = [];
  for (let start = 0; start < rows.length; start += BATCH) {
    const records = recordsText(rows.slice(start, start + BATCH), vocabulary);
    parts.push(encoder.encode(start === 0 ? `{"records":[${records}` : `,${records}`));
  }
  parts.push(encoder.encode(']}'));
  return new Uint8Array(Buffer.concat(parts));
}

/** Returns the body of a fundings response. */
export function recordsJson(rows: readonly RecordRow[], vocabulary: Vocabulary): string {
  return `{"records":[${recordsText(rows, vocabulary)}]}`;
}

/** Returns comma-separated records. */
function recordsText(rows: readonly RecordRow[], vocabulary: Vocabulary): string {
  const date = memo((time: number) => `"${new Date(time).toISOString()}"`);
  // Dividing an integer up to MAX_MINOR_UNITS once gives the double nearest to the decimal, whose
  // shortest string is that decimal: the amount is exact on the wire (fundings/record.test.ts).
  const scale = memo((currency: string) => 10 ** (currencyDigits(currency) ?? 2));
  const status = memo((verdict: Verdict) => statusOf(verdict, vocabulary));
  // Vocabulary words, dates and numbers need no escaping in JSON.
  const records = rows.map(
    ([, funded, updated, made, verdict, currency, amount, discount, net, head, tail]) =>
      `{"status":"${status(verdict)}","fundedAt":${date(funded)},"updatedAt":${date(updated)}` +
      `${head},"transactionAmount":${amount / scale(currency)}` +
      `,"discountAmount":${discount / scale(currency)},"netAmount":${net / scale(currency)}` +
      `,"transactionDate":${made === null ? 'null' : date(made)}${tail}}`,
  );
  return records.join(',');
}

/** Memoizes a conversion: most fundings of a page have the same midnight and currency. */
function memo<Value, Written>(write: (value: Value) => Written): (value: Value) => Written {
  const known = new Map<Value, Written>();
  return (value) => {
    let written = known.get(value);
    if (written === undefined) {
      written = write(value);
      known.set(value, written);
    }
    return written;
  };
}
