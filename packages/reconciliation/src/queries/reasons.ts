import {
  currencies,
  explainException,
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
    ...exceptions.map(({ code, amount, count }) =>
      explainException(code, {
        size: money(Math.abs(amount)),
        less: amount < 0,
        cancels: amount === 0,
        count,
        isNamed: status.merchantOrderId !== undefined,
      }),
    ),
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
 * Formats an amount or sum as an exact decimal. Without a known currency, it has the digits stated
 * in its file and no trailing zeros, which would claim decimals that nobody knows.
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

/** Returns the number of decimals of a currency, or of amounts without one. */
export function digitsOf(currency: string): number {
  return currencies.has(currency) ? minorUnitDigits(currency) : DIGITS_OF_UNKNOWN;
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
