import { explainException } from './exceptions.ts';
import type { OrderStatusRecord } from './order-status.ts';

/** Verbs for the amounts of an order without exceptions: those due, and those paid. */
type QuietVerbs = Record<
  'settle' | 'refund' | 'chargeback',
  readonly [verb: string, doneVerb: string]
>;

/** Sentences about an order in one language. Amounts and days are formatted text. */
export interface ReasonWords {
  awaiting: (amount: string, whetherDue: string) => string;
  isDueUnknown: string;
  notDueBefore: (day: string, zone: string) => string;
  takenBack: (amount: string) => string;
  allDone: (due: string, verb: string, doneVerb: string) => string;
  partlyDone: (due: string, verb: string, done: string, doneVerb: string) => string;
  nothing: string;
  beforeLedger: (amount: string) => string;
  currencyAssumed: string;
  verbs: QuietVerbs;
}

/** Sentences about orders, in addition to those of {@link explainException}. */
export const reasonWords: Record<'en' | 'de', ReasonWords> = {
  en: {
    awaiting: (amount, whetherDue) => `${amount} is settled and not funded yet; ${whetherDue}`,
    isDueUnknown:
      'whether it is overdue is unknown until every day is proven and every record has a known currency.',
    notDueBefore: (day, zone) => `it is not overdue before ${day} (${zone}).`,
    takenBack: (amount) => `${amount} was taken back before the matching payment was posted.`,
    allDone: (due, verb, doneVerb) => `${due} was ${verb}, and all of it is ${doneVerb}`,
    partlyDone: (due, verb, done, doneVerb) => `${due} was ${verb} and ${done} is ${doneVerb}`,
    nothing: 'No amount is settled or due.',
    beforeLedger: (amount) =>
      `${amount} was funded before the ledger begins, and is not reported as missing from it.`,
    currencyAssumed:
      'The currency is assumed: nothing that was read names the order with a currency. Import the ledger of such orders, or, where all orders are in one currency, set RECONCILIATION_DEFAULT_CURRENCY.',
    verbs: {
      settle: ['settled', 'funded'],
      refund: ['refunded', 'taken back'],
      chargeback: ['charged back', 'given again'],
    },
  },
  de: {
    awaiting: (amount, whetherDue) =>
      `${amount} sind eingezogen und noch nicht ausgezahlt; ${whetherDue}`,
    isDueUnknown:
      'ob der Betrag überfällig ist, steht erst fest, wenn jeder Tag belegt ist und jeder Datensatz eine bekannte Währung hat.',
    notDueBefore: (day, zone) => `der Betrag ist vor dem ${day} (${zone}) nicht überfällig.`,
    takenBack: (amount) =>
      `${amount} wurden zurückgenommen, bevor die passende Zahlung gebucht wurde.`,
    allDone: (due, verb, doneVerb) => `${due} wurden ${verb}, und alles davon ist ${doneVerb}`,
    partlyDone: (due, verb, done, doneVerb) =>
      `${due} wurden ${verb}, und ${done} sind ${doneVerb}`,
    nothing: 'Kein Betrag ist eingezogen oder fällig.',
    beforeLedger: (amount) =>
      `${amount} wurden ausgezahlt, bevor das Hauptbuch beginnt, und gelten nicht als fehlend darin.`,
    currencyAssumed:
      'Die Währung ist angenommen: Nichts, was gelesen wurde, nennt die Bestellung mit einer Währung. Importieren Sie das Hauptbuch solcher Bestellungen, oder setzen Sie RECONCILIATION_DEFAULT_CURRENCY, wenn alle Bestellungen in einer Währung sind.',
    verbs: {
      settle: ['eingezogen', 'ausgezahlt'],
      refund: ['erstattet', 'zurückgenommen'],
      chargeback: ['rückbelastet', 'wieder gutgeschrieben'],
    },
  },
};

/** Formats of amounts and days. */
export interface ReasonFormats {
  money: (minorUnits: number) => string;
  /** @param time in ISO 8601 */
  day: (time: string) => string;
  /** IANA name of the business zone. */
  zone: string;
}

/** Explains an order's status to a finance team, and what to do about exceptions. */
export function statusReasons(
  status: Omit<OrderStatusRecord, 'reasons'>,
  language: 'en' | 'de',
  { day, money, zone }: ReasonFormats,
): string[] {
  const words = reasonWords[language];
  const { funded, awaiting, exceptions, recheckAt } = status;
  const whetherDue =
    recheckAt === undefined ? words.isDueUnknown : words.notDueBefore(day(recheckAt), zone);
  return [
    ...exceptions.map(({ code, amount, count }) => {
      const isNamed = status.merchantOrderId !== undefined;
      const size = money(Math.abs(amount));
      const facts = { size, less: amount < 0, cancels: amount === 0, count, isNamed };
      return explainException(code, facts, language);
    }),
    ...(awaiting > 0 ? [words.awaiting(money(awaiting), whetherDue)] : []),
    // Not an error: the settle is on its way in both cases.
    ...(awaiting > 0 && funded.refund > funded.settle
      ? [words.takenBack(money(funded.refund - funded.settle))]
      : []),
    ...(exceptions.length === 0 && awaiting === 0 ? [quietSentence(status, words, money)] : []),
    ...(status.currencyAssumed === true ? [words.currencyAssumed] : []),
  ];
}

function quietSentence(
  { expected, funded, headline }: Pick<OrderStatusRecord, 'expected' | 'funded' | 'headline'>,
  words: ReasonWords,
  money: (value: number) => string,
): string {
  const { verbs } = words;
  if (headline === 'BEFORE_LEDGER') return words.beforeLedger(money(funded.settle));
  const all = (due: number, done: number, [verb, doneVerb]: readonly [string, string]) =>
    due === done
      ? words.allDone(money(due), verb, doneVerb)
      : words.partlyDone(money(due), verb, money(done), doneVerb);
  const parts = [
    [expected.settle, all(expected.settle, funded.settle, verbs.settle)],
    [expected.refund, all(expected.refund, funded.refund, verbs.refund)],
    [funded.chargeback, all(funded.chargeback, funded.reversal, verbs.chargeback)],
  ] as const;
  const said = parts.flatMap(([amount, sentence]) => (amount === 0 ? [] : [sentence]));
  return said.length === 0 ? words.nothing : `${said.join('; ')}.`;
}
