import {
  currencies,
  type ExceptionCode,
  minorUnitDigits,
  type OrderStatusRecord,
} from '@financing-checkout/contract';
import type { Calendar } from '@financing-checkout/contract/calendar';
import { ASSUMED_CURRENCY } from './assumed.ts';
import { DIGITS_OF_UNKNOWN } from '@financing-checkout/reconciliation-rules';

/**
 * Explains an order's status to a finance team, and what to do about exceptions.
 * @param calendar days of the business zone
 */
export function reasonsOf(
  status: Omit<OrderStatusRecord, 'reasons'>,
  calendar: Calendar,
): string[] {
  const money = (value: number) => written(value, status.currency, status.currencyAssumed);
  const { expected, funded, awaiting, exceptions } = status;
  return [
    ...exceptions.map(({ code, amount, count }) => {
      const size = money(Math.abs(amount));
      const sign = { less: amount < 0, cancels: amount === 0 };
      const isNamed = status.merchantOrderId !== undefined;
      const why = exceptionSentences[code]({ size, ...sign, many: count > 1, count, isNamed });
      const next = code === 'NOT_IN_LEDGER' && !isNamed ? OF_NO_ORDER : nextSteps[code];
      return `${why.charAt(0).toUpperCase()}${why.slice(1)} ${next}`;
    }),
    ...(awaiting > 0
      ? [
          `${money(awaiting)} is settled and not funded yet; ${
            status.recheckAt === undefined
              ? 'whether it is overdue is unknown until every day is proven and every record has a known currency.'
              : `it is not overdue before ${calendar.dayOf(Date.parse(status.recheckAt))} (${calendar.zone}).`
          }`,
        ]
      : []),
    // Not an error: the settle is on its way in both cases.
    ...(awaiting > 0 && funded.refund > funded.settle
      ? [
          `${money(funded.refund - funded.settle)} was taken back before the matching payment was posted.`,
        ]
      : []),
    ...(exceptions.length === 0 && awaiting === 0 ? [quietSentence(expected, funded, money)] : []),
    ...(status.currencyAssumed === true ? [ASSUMED_CURRENCY] : []),
  ];
}

/** Formats an amount for people; an assumed currency gets a question mark. */
export function written(value: number, currency: string, isAssumed = false): string {
  const text = decimal(value, currency).replace('-', '−');
  if (currencies.has(currency)) return `${text} ${currency}${isAssumed ? '?' : ''}`;
  return `${text} (currency not known)`;
}

/**
 * Formats an amount or sum as an exact decimal. Without a known currency it has the digits that its
 * file stated, and no zeros behind them: they would claim decimals that nobody knows.
 */
export function decimal(value: number | bigint, currency: string): string {
  const digits = digitsOf(currency);
  const sign = value < 0 ? '-' : '';
  const text = String(value)
    .replace('-', '')
    .padStart(digits + 1, '0');
  if (digits === 0) return sign + text;
  const padded = `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return currencies.has(currency) ? padded : padded.replace(/\.?0+$/, '');
}

/** Returns the decimals of a currency, or of amounts without one. */
export function digitsOf(currency: string): number {
  return currencies.has(currency) ? minorUnitDigits(currency) : DIGITS_OF_UNKNOWN;
}

interface Exception {
  size: string;
  less: boolean;
  /** Differences that cancel out. */
  cancels: boolean;
  many: boolean;
  count: number;
  /** Returns whether the key names an order, rather than a funding without one. */
  isNamed: boolean;
}

const exceptionSentences: Record<ExceptionCode, (exception: Exception) => string> = {
  UNKNOWN_TYPE: ({ count, size }) =>
    `${fundings(count)} of ${size} ${count > 1 ? 'have' : 'has'} an unknown type or status; fundings of an unknown type count neither as paid nor as taken back.`,
  DUPLICATE_FUNDING: ({ count, size }) =>
    `A lender posted duplicates: ${fundings(count)}, ${size} too much.`,
  DOUBLE_DEBIT: ({ size }) =>
    `The shopper was refunded and the lender also charged back: ${size} was taken twice.`,
  CHARGEBACK_OPEN: ({ size }) => `${size} is charged back and not reversed.`,
  OVER_REVERSED: ({ size }) => `Lenders reversed ${size} more than they charged back.`,
  OVER_FUNDED: ({ size }) => `Lenders posted ${size} more than was settled.`,
  TYPE_MISMATCH: ({ count, size }) =>
    `${fundings(count)} of ${size} have another type than the ledger line with the same id.`,
  AMOUNT_MISMATCH: ({ less, many, size }) =>
    many
      ? `Transactions were funded with ${size} ${less ? 'less' : 'more'} than the ledger expects; differences in the other direction are not subtracted.`
      : `A transaction was funded with ${size} ${less ? 'less' : 'more'} than the ledger expects.`,
  AMBIGUOUS_PAYMENT: ({ count, size }) =>
    `${fundings(count)} of ${size} match more than one set of lines of this order: none of the lines counts as paid.`,
  CURRENCY_UNKNOWN: ({ count, size }) =>
    `${fundings(count)} of ${size} belong${count > 1 ? '' : 's'} to an order in several currencies, and the funding’s own currency is unknown: excluded from sums.`,
  NOT_IN_LEDGER: ({ isNamed, less, size }) => {
    const what = `Lenders ${less ? 'took back' : 'posted'} ${size}`;
    return isNamed
      ? `${what} for an order that the ledger does not have.`
      : `${what} without an order id.`;
  },
  LINE_NOT_IN_LEDGER: ({ count, size }) =>
    `${fundings(count)} of ${size} belong${count > 1 ? '' : 's'} to no ledger line of this order.`,
  MISSING_IN_SERVICE: ({ count, size }) =>
    `A lender posted ${size} (${fundings(count)}) for which the service has no transaction.`,
  REFUND_NOT_IN_LEDGER: ({ size }) =>
    `Lenders took back ${size} more than the ledger has refunds for.`,
  REFUND_NOT_TAKEN: ({ size }) =>
    `${size} was refunded, is due, and was not taken back by the lender yet.`,
  MISSING_AT_LENDER: ({ count, size }) =>
    `${count > 1 ? `${count} settles` : 'A settle'} of ${size} ${count > 1 ? 'are' : 'is'} overdue: no funding is known to pay ${count > 1 ? 'them' : 'it'}.`,
  NET_MISMATCH: ({ count, size }) =>
    `Gross less discount is not net in ${fundings(count)}: ${size} is not explained.`,
  MDR_VARIANCE: ({ cancels, less, size }) =>
    cancels
      ? 'Individual discounts differ from the contract, but the total matches.'
      : `The lender kept ${size} ${less ? 'less' : 'more'} discount than the contract allows.`,
  MDR_NOT_RETURNED: ({ size }) =>
    `The contract returns the discount of refunds; the lender kept ${size} of it.`,
  STATUS_DISAGREES: ({ count, size }) =>
    `The service's status of ${fundings(count)} (${size}) contradicts the amounts.`,
};

/** Recommended actions. */
const nextSteps: Record<ExceptionCode, string> = {
  UNKNOWN_TYPE: 'Ask the service what it means.',
  DUPLICATE_FUNDING: 'Tell the lender, which will reclaim it.',
  DOUBLE_DEBIT: 'Dispute the chargeback at the lender, because the order is refunded.',
  CHARGEBACK_OPEN: 'Answer the dispute at the lender, or accept the loss.',
  OVER_REVERSED: 'Ask the lender which chargeback it belongs to.',
  OVER_FUNDED: 'Ask the lender what it is for.',
  TYPE_MISMATCH: 'Ask the lender to correct the type, or correct the ledger.',
  AMOUNT_MISMATCH: 'Compare with the lender’s statement, and correct the wrong side.',
  AMBIGUOUS_PAYMENT:
    'Ask the lender which transactions it pays, and add its reference or id to their lines.',
  CURRENCY_UNKNOWN:
    'Add the transaction id or the lender’s reference to the ledger line that it pays.',
  NOT_IN_LEDGER: 'Import its lines, or ask the lender where it comes from.',
  LINE_NOT_IN_LEDGER: 'Import the missing line, or ask the lender about the payment.',
  MISSING_IN_SERVICE: 'Ask the service, or the lender, which transaction it is.',
  REFUND_NOT_IN_LEDGER: 'Import the refund, or ask the lender whether it is a dispute.',
  REFUND_NOT_TAKEN: 'Ask the lender whether the refund has reached it.',
  MISSING_AT_LENDER: 'Ask the lender when it pays.',
  NET_MISMATCH: 'Ask the lender what else it kept or added.',
  MDR_VARIANCE: 'Compare with the contract, and tell the lender.',
  MDR_NOT_RETURNED: 'Claim it from the lender.',
  STATUS_DISAGREES: 'The amounts here are correct: tell the service.',
};

const OF_NO_ORDER = 'Ask the service, or the lender, which order it is for.';

function fundings(count: number): string {
  return count === 1 ? 'one funding' : `${count} fundings`;
}

function quietSentence(
  expected: OrderStatusRecord['expected'],
  funded: OrderStatusRecord['funded'],
  money: (value: number) => string,
): string {
  const all = (due: number, done: number, sentence: string, verb: string) =>
    due === done
      ? `${money(due)} was ${sentence}, and all of it is ${verb}`
      : `${money(due)} was ${sentence} and ${money(done)} is ${verb}`;
  const parts = [
    [expected.settle, all(expected.settle, funded.settle, 'settled', 'funded')],
    [expected.refund, all(expected.refund, funded.refund, 'refunded', 'taken back')],
    [funded.chargeback, all(funded.chargeback, funded.reversal, 'charged back', 'given again')],
  ] as const;
  const said = parts.flatMap(([amount, sentence]) => (amount === 0 ? [] : [sentence]));
  return said.length === 0 ? 'No amount is settled or due.' : `${said.join('; ')}.`;
}
