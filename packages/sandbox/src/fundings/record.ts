import type { TransactionType } from '../charges/charge.ts';
import { currencyDigits } from '../money/money.ts';
import { statusOf, type Verdict, type Vocabulary } from './verdict.ts';

/**
 * A funding on its way to the wire: what is the same in JSON as in the store comes out of the store
 * as JSON already, the pieces of text below. A page has up to ten thousand records, and no other
 * request is answered meanwhile; so each takes a few microseconds and no object per field.
 */
export interface RecordRow {
  seq: number;
  verdict: Verdict;
  funded_at: number;
  updated_at: number;
  transaction_date: number | null;
  transaction_type: TransactionType;
  amount: number;
  discount: number;
  net: number | null;
  currency: string;
  /** `,"lenderName":…` */
  lender: string;
  /** Transaction, order and charge, those that are known. */
  ids: string;
  /** The four fields that the records operations do not have. */
  report: string;
  person: string;
}

/** The columns of {@link RecordRow}, in SQL. */
export const recordColumns = `seq, verdict, funded_at, updated_at, transaction_date,
  transaction_type, amount, discount, net, currency,
  ',"lenderName":' || json_quote(lender_name) AS lender,
  ${optional('transactionId', 'transaction_id')} || ${optional('merchantOrderId', 'merchant_order_id')} ||
    ${optional('chargeId', 'charge_id')} AS ids,
  ',"productType":' || json_quote(product_type) || ${optional('promoCode', 'promo_code')} ||
    ${optional('lenderReferenceId', 'lender_reference_id')} ||
    ${optional('merchantTransactionId', 'merchant_transaction_id')} AS report,
  ${optional('firstName', 'first_name')} || ${optional('lastName', 'last_name')} ||
    ${optional('email', 'email')} AS person`;

/** An optional field is left out, not sent as null. */
function optional(name: string, column: string): string {
  return `iif(coalesce(${column}, '') = '', '', ',"${name}":' || json_quote(${column}))`;
}

/** The body of a fundings answer. */
export function recordsJson(rows: readonly RecordRow[], vocabulary: Vocabulary): string {
  const date = dateWriter();
  return `{"records":[${rows.map((row) => recordJson(row, vocabulary, date)).join(',')}]}`;
}

/**
 * A funding as the wire has it. The two vocabularies differ in the status (specification 9) and in
 * the four fields that the records operations do not have.
 * Source: docs.chargeafter.com, Funding API.
 */
function recordJson(
  row: RecordRow,
  vocabulary: Vocabulary,
  date: (time: number) => string,
): string {
  // One division of whole numbers up to MAX_MINOR_UNITS gives the double nearest to the decimal, and
  // its shortest text is that decimal: the amount is exact on the wire (fundings/record.test.ts).
  const scale = 10 ** (currencyDigits(row.currency) ?? 2);
  const originalDate = row.transaction_date === null ? 'null' : date(row.transaction_date);
  // Vocabulary words, dates and numbers hold nothing that JSON would escape.
  return (
    `{"status":"${statusOf(row.verdict, vocabulary)}","fundedAt":${date(row.funded_at)}` +
    `,"updatedAt":${date(row.updated_at)}${row.lender}` +
    `,"transactionType":"${row.transaction_type}"` +
    `,"transactionAmount":${row.amount / scale},"discountAmount":${row.discount / scale}` +
    `,"netAmount":${(row.net ?? row.amount - row.discount) / scale}` +
    `,"transactionDate":${originalDate}${row.ids}` +
    `${vocabulary === 'report' ? row.report : ''}${row.person}}`
  );
}

/** Lenders fund at midnight: most times of a page have been written before. */
function dateWriter(): (time: number) => string {
  const written = new Map<number, string>();
  return (time) => {
    let text = written.get(time);
    if (text === undefined) {
      text = `"${new Date(time).toISOString()}"`;
      written.set(time, text);
    }
    return text;
  };
}
