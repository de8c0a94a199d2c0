import {
  currencies,
  explainException,
  minorUnitDigits,
  type OrderStatusRecord,
} from '@financing-checkout/contract';
import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { ASSUMED_CURRENCY } from './assumed.ts';
import { DIGITS_OF_UNKNOWN } from '@financing-checkout/reconciliation-rules';

/** Sentences about an order. Amounts are texts. */
export const sentences = {
  awaiting: (amount: string, whetherDue: string) =>
    `${amount} is settled and not funded yet; ${whetherDue}`,
  isDueUnknown:
    'whether it is overdue is unknown until every day is proven and every record has a known currency.',
  notDueBefore: (day: string, zone: string) => `it is not overdue before ${day} (${zone}).`,
  takenBack: (amount: string) => `${amount} was taken back before the matching payment was posted.`,
  allDone: (due: string, verb: string, doneVerb: string) =>
    `${due} was ${verb}, and all of it is ${doneVerb}`,
  partlyDone: (due: string, verb: string, done: string, doneVerb: string) =>
    `${due} was ${verb} and ${done} is ${doneVerb}`,
  nothing: 'No amount is settled or due.',
} as const;

/** What becomes of the amounts of a quiet order: verbs of what is due, and of what is done. */
export const quietVerbs = {
  settle: ['settled', 'funded'],
  refund: ['refunded', 'taken back'],
  chargeback: ['charged back', 'given again'],
} as const;

/**
 * Explains an order's status to a finance team, and what to do about exceptions.
 * `reasonsSql` writes the same sentences in SQL.
 * @param calendar days of the business zone
 */
export function reasonsOf(
  status: Omit<OrderStatusRecord, 'reasons'>,
  calendar: Calendar,
): string[] {
  const money = (value: number) => written(value, status.currency, status.currencyAssumed);
  const { expected, funded, awaiting, exceptions, recheckAt } = status;
  const whetherDue =
    recheckAt === undefined
      ? sentences.isDueUnknown
      : sentences.notDueBefore(calendar.dayOf(Date.parse(recheckAt)), calendar.zone);
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
    ...(awaiting > 0 ? [sentences.awaiting(money(awaiting), whetherDue)] : []),
    // Not an error: the settle is on its way in both cases.
    ...(awaiting > 0 && funded.refund > funded.settle
      ? [sentences.takenBack(money(funded.refund - funded.settle))]
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
  const all = (due: number, done: number, [verb, doneVerb]: readonly [string, string]) =>
    due === done
      ? sentences.allDone(money(due), verb, doneVerb)
      : sentences.partlyDone(money(due), verb, money(done), doneVerb);
  const parts = [
    [expected.settle, all(expected.settle, funded.settle, quietVerbs.settle)],
    [expected.refund, all(expected.refund, funded.refund, quietVerbs.refund)],
    [funded.chargeback, all(funded.chargeback, funded.reversal, quietVerbs.chargeback)],
  ] as const;
  const said = parts.flatMap(([amount, sentence]) => (amount === 0 ? [] : [sentence]));
  return said.length === 0 ? sentences.nothing : `${said.join('; ')}.`;
}
