/** The texts of an exception in one language. */
export interface ExceptionTexts {
  /** Name for lists: "Funded twice". */
  name: string;
  /** When an order has the exception. */
  meaning: string;
  /** Describes what happened to one order. */
  happened: (facts: ExceptionFacts) => string;
  /** Recommended action. */
  todo: string;
  /** Replaces the recommended action of a funding without an order. */
  todoWithoutOrder?: string;
}

/** The facts of an order's exception, from which its description is generated. */
export interface ExceptionFacts {
  /** The absolute amount with its currency, formatted for people. */
  size: string;
  /** Whether the amount is negative: less than in the ledger or the contract. */
  less: boolean;
  /** Whether the differences cancel out. */
  cancels: boolean;
  /** Number of fundings or lines. */
  count: number;
  /** Whether the exception belongs to an order, rather than to a funding without one. */
  isNamed: boolean;
}

interface ExceptionEntry {
  /** Meaning of `since`: time of posting, of the excess, of the start of a dispute, or due day. */
  since: 'posted' | 'exceeded' | 'opened' | 'due' | 'excess, due';
  /** Days until its case is due, unless the policy states others. Fewer for the more severe. */
  caseDays: number;
  en: ExceptionTexts;
  de: ExceptionTexts;
}

const fundings = (count: number) => (count === 1 ? 'one funding' : `${count} fundings`);
const fundingsInGerman = (count: number) =>
  count === 1 ? 'eine Auszahlung' : `${count} Auszahlungen`;

/**
 * The register of exceptions, most severe first: the first one that an order has is its headline.
 * All interfaces take their codes and texts from here: the API, the CLI, the console, the README of
 * reconciliation-rules.
 */
export const exceptions = {
  UNKNOWN_TYPE: {
    since: 'posted',
    caseDays: 3,
    en: {
      happened: ({ count, size }) =>
        `${fundings(count)} of ${size} ${count > 1 ? 'have' : 'has'} an unknown type or status; fundings of an unknown type count neither as paid nor as taken back.`,
      name: 'Unknown type of funding',
      meaning:
        'A funding has a type or status that is not known. With an unknown type it counts neither as paid nor as taken back.',
      todo: 'Ask the service what it means.',
    },
    de: {
      happened: ({ count, size }) =>
        `${fundingsInGerman(count)} über ${size} ${count > 1 ? 'haben' : 'hat'} eine unbekannte Art oder einen unbekannten Status; Auszahlungen unbekannter Art zählen weder als gezahlt noch als zurückgenommen.`,
      name: 'Unbekannte Buchungsart',
      meaning:
        'Eine Auszahlung hat eine unbekannte Art oder einen unbekannten Status. Bei unbekannter Art zählt sie weder als gezahlt noch als zurückgenommen.',
      todo: 'Fragen Sie den Dienst, was sie bedeutet.',
    },
  },
  DUPLICATE_FUNDING: {
    since: 'posted',
    caseDays: 3,
    en: {
      happened: ({ count, size }) =>
        `A lender posted duplicates: ${fundings(count)}, ${size} too much.`,
      name: 'Funded twice',
      meaning:
        'A lender posted about the whole amount again. Parts that add up to the whole are no duplicates.',
      todo: 'Tell the lender, which will reclaim it.',
    },
    de: {
      happened: ({ count, size }) =>
        `Ein Kreditgeber hat doppelt gebucht: ${fundingsInGerman(count)}, ${size} zu viel.`,
      name: 'Doppelt ausgezahlt',
      meaning:
        'Ein Kreditgeber hat ungefähr den ganzen Betrag noch einmal gebucht. Teilbeträge, die zusammen den ganzen ergeben, sind keine Dubletten.',
      todo: 'Informieren Sie den Kreditgeber; er fordert den Betrag zurück.',
    },
  },
  DOUBLE_DEBIT: {
    since: 'exceeded',
    caseDays: 3,
    en: {
      happened: ({ size }) =>
        `The shopper was refunded and the lender also charged back: ${size} was taken twice.`,
      name: 'Debited twice',
      meaning:
        'The shopper was refunded and the lender also charged back: together more than was paid.',
      todo: 'Dispute the chargeback at the lender, because the order is refunded.',
    },
    de: {
      happened: ({ size }) =>
        `Der Kunde bekam eine Erstattung, und der Kreditgeber hat zusätzlich rückbelastet: ${size} wurden zweimal abgezogen.`,
      name: 'Doppelt belastet',
      meaning:
        'Der Kunde bekam eine Erstattung, und der Kreditgeber hat zusätzlich rückbelastet: zusammen mehr, als gezahlt wurde.',
      todo: 'Widersprechen Sie der Rückbelastung beim Kreditgeber, denn die Bestellung ist erstattet.',
    },
  },
  CHARGEBACK_OPEN: {
    since: 'opened',
    caseDays: 3,
    en: {
      happened: ({ size }) => `${size} is charged back and not reversed.`,
      name: 'Chargeback',
      meaning: 'The lender took money back in a dispute and has not reversed it.',
      todo: 'Answer the dispute at the lender, or accept the loss.',
    },
    de: {
      happened: ({ size }) => `${size} sind rückbelastet und nicht aufgehoben.`,
      name: 'Rückbelastung',
      meaning:
        'Der Kreditgeber hat nach einer Reklamation Geld zurückgebucht und die Rückbelastung nicht aufgehoben.',
      todo: 'Antworten Sie dem Kreditgeber auf die Reklamation, oder buchen Sie den Verlust aus.',
    },
  },
  OVER_REVERSED: {
    since: 'exceeded',
    caseDays: 5,
    en: {
      happened: ({ size }) => `Lenders reversed ${size} more than they charged back.`,
      name: 'Reversed too much',
      meaning: 'Lenders reversed more than they had charged back.',
      todo: 'Ask the lender which chargeback the amount belongs to.',
    },
    de: {
      happened: ({ size }) =>
        `Kreditgeber haben ${size} mehr aufgehoben, als sie rückbelastet hatten.`,
      name: 'Mehr aufgehoben als rückbelastet',
      meaning: 'Kreditgeber haben mehr Rückbelastungen aufgehoben, als sie gebucht hatten.',
      todo: 'Fragen Sie den Kreditgeber, zu welcher Rückbelastung der Betrag gehört.',
    },
  },
  OVER_FUNDED: {
    since: 'posted',
    caseDays: 5,
    en: {
      happened: ({ size }) => `Lenders posted ${size} more than was settled.`,
      name: 'Funded too much',
      meaning:
        'Lenders posted more than was settled. Each single difference is within tolerance, their sum is not.',
      todo: 'Ask the lender what the amount is for.',
    },
    de: {
      happened: ({ size }) => `Kreditgeber haben ${size} mehr gebucht, als eingezogen wurde.`,
      name: 'Zu viel ausgezahlt',
      meaning:
        'Kreditgeber haben mehr gebucht, als eingezogen wurde. Jede einzelne Differenz liegt in der Toleranz, ihre Summe nicht.',
      todo: 'Fragen Sie den Kreditgeber, wofür der Betrag ist.',
    },
  },
  TYPE_MISMATCH: {
    since: 'posted',
    caseDays: 5,
    en: {
      happened: ({ count, size }) =>
        `${fundings(count)} of ${size} have another type than the ledger line with the same id.`,
      name: 'Wrong type of funding',
      meaning: 'A ledger line is only funded under another type, such as a settle as a refund.',
      todo: 'Ask the lender to correct the type, or correct the ledger.',
    },
    de: {
      happened: ({ count, size }) =>
        `${fundingsInGerman(count)} über ${size} ${count > 1 ? 'haben' : 'hat'} eine andere Art als der Posten des Hauptbuchs mit derselben Nummer.`,
      name: 'Falsche Buchungsart',
      meaning:
        'Ein Posten des Hauptbuchs wurde nur unter einer anderen Art gebucht, etwa ein Einzug als Erstattung.',
      todo: 'Bitten Sie den Kreditgeber um Korrektur der Art, oder korrigieren Sie das Hauptbuch.',
    },
  },
  AMOUNT_MISMATCH: {
    since: 'excess, due',
    caseDays: 5,
    en: {
      happened: ({ less, count, size }) =>
        count > 1
          ? `Transactions were funded with ${size} ${less ? 'less' : 'more'} than the ledger expects; differences in the other direction are not subtracted.`
          : `A transaction was funded with ${size} ${less ? 'less' : 'more'} than the ledger expects.`,
      name: 'Wrong amount',
      meaning:
        'A transaction was funded with another amount than the ledger expects: more, or less and late.',
      todo: 'Compare with the lender’s statement, and correct the wrong side.',
    },
    de: {
      happened: ({ less, count, size }) => {
        const difference = `${size} ${less ? 'weniger' : 'mehr'} ausgezahlt, als das Hauptbuch erwartet`;
        return count > 1
          ? `Transaktionen wurden mit ${difference}; Differenzen in der anderen Richtung sind nicht abgezogen.`
          : `Eine Transaktion wurde mit ${difference}.`;
      },
      name: 'Falscher Betrag',
      meaning:
        'Eine Transaktion wurde mit einem anderen Betrag gebucht, als das Hauptbuch erwartet: mit mehr, oder mit weniger und überfällig.',
      todo: 'Vergleichen Sie mit der Abrechnung des Kreditgebers, und korrigieren Sie die falsche Seite.',
    },
  },
  AMBIGUOUS_PAYMENT: {
    since: 'posted',
    caseDays: 5,
    en: {
      happened: ({ count, size }) =>
        `${fundings(count)} of ${size} match more than one set of lines of this order: none of the lines counts as paid.`,
      name: 'Unclear which line was paid',
      meaning:
        'A funding fits more than one set of lines of the order. It pays none of them until it is clear which.',
      todo: 'Ask the lender which transactions it pays, and add its reference or ID to their lines.',
    },
    de: {
      happened: ({ count, size }) =>
        `${fundingsInGerman(count)} über ${size} ${count > 1 ? 'passen' : 'passt'} zu mehreren Kombinationen von Posten dieser Bestellung: Keiner der Posten gilt als bezahlt.`,
      name: 'Unklar, welcher Posten bezahlt wurde',
      meaning:
        'Eine Auszahlung passt zu mehreren Kombinationen von Posten der Bestellung. Bis das geklärt ist, gilt keiner als bezahlt.',
      todo: 'Fragen Sie den Kreditgeber, welche Transaktionen bezahlt sind, und ergänzen Sie seine Referenz oder Nummer bei den Posten.',
    },
  },
  CURRENCY_UNKNOWN: {
    since: 'posted',
    caseDays: 5,
    en: {
      happened: ({ count, size }) =>
        `${fundings(count)} of ${size} belong${count > 1 ? '' : 's'} to an order in several currencies, and the funding’s own currency is unknown: excluded from sums.`,
      name: 'Currency unknown',
      meaning:
        'The order has several currencies, and no source states that of the funding. It is in no sum.',
      todo: 'Add the transaction ID or the lender’s reference to the ledger line that it pays.',
    },
    de: {
      happened: ({ count, size }) =>
        `${fundingsInGerman(count)} über ${size} ${count > 1 ? 'gehören' : 'gehört'} zu einer Bestellung in mehreren Währungen, und die eigene Währung ist unbekannt: in keiner Summe enthalten.`,
      name: 'Währung unbekannt',
      meaning:
        'Die Bestellung hat mehrere Währungen, und keine Quelle nennt die der Auszahlung. Sie ist in keiner Summe enthalten.',
      todo: 'Ergänzen Sie Transaktionsnummer oder Referenz des Kreditgebers beim Posten, den sie bezahlt.',
    },
  },
  NOT_IN_LEDGER: {
    since: 'posted',
    caseDays: 7,
    en: {
      happened: ({ isNamed, less, size }) => {
        const what = `Lenders ${less ? 'took back' : 'posted'} ${size}`;
        return isNamed
          ? `${what} for an order that the ledger does not have.`
          : `${what} without an order id.`;
      },
      todoWithoutOrder: 'Ask the service or the lender which order it is for.',
      name: 'Order not in the ledger',
      meaning: 'A lender posted money for an order that the ledger does not have.',
      todo: 'Import the lines of the order, or ask the lender where the money comes from.',
    },
    de: {
      happened: ({ isNamed, less, size }) => {
        const what = less ? 'zurückgenommen' : 'gebucht';
        return isNamed
          ? `Kreditgeber haben ${size} für eine Bestellung ${what}, die nicht im Hauptbuch steht.`
          : `Kreditgeber haben ${size} ohne Bestellnummer ${what}.`;
      },
      todoWithoutOrder:
        'Fragen Sie den Dienst oder den Kreditgeber, zu welcher Bestellung es gehört.',
      name: 'Bestellung nicht im Hauptbuch',
      meaning:
        'Ein Kreditgeber hat Geld für eine Bestellung gebucht, die nicht im Hauptbuch steht.',
      todo: 'Importieren Sie die Posten der Bestellung, oder fragen Sie den Kreditgeber nach der Herkunft.',
    },
  },
  LINE_NOT_IN_LEDGER: {
    since: 'posted',
    caseDays: 7,
    en: {
      happened: ({ count, size }) =>
        `${fundings(count)} of ${size} belong${count > 1 ? '' : 's'} to no ledger line of this order.`,
      name: 'Settle not in the ledger',
      meaning: 'The ledger has the order, but not the settle that the lender paid.',
      todo: 'Import the missing line, or ask the lender about the payment.',
    },
    de: {
      happened: ({ count, size }) =>
        `${fundingsInGerman(count)} über ${size} ${count > 1 ? 'gehören' : 'gehört'} zu keinem Posten dieser Bestellung im Hauptbuch.`,
      name: 'Einzug nicht im Hauptbuch',
      meaning:
        'Die Bestellung steht im Hauptbuch, der Einzug jedoch nicht, den der Kreditgeber bezahlt hat.',
      todo: 'Importieren Sie den fehlenden Posten, oder fragen Sie den Kreditgeber nach der Zahlung.',
    },
  },
  MISSING_IN_SERVICE: {
    since: 'posted',
    caseDays: 7,
    en: {
      happened: ({ count, size }) =>
        `A lender posted ${size} (${fundings(count)}) for which the service has no transaction.`,
      name: 'Missing at the service',
      meaning: 'A lender posted it, and the service has no transaction for it.',
      todo: 'Ask the service or the lender which transaction it is.',
    },
    de: {
      happened: ({ count, size }) =>
        `Ein Kreditgeber hat ${size} gebucht (${fundingsInGerman(count)}), und der Dienst hat dazu keine Transaktion.`,
      name: 'Fehlt beim Dienst',
      meaning: 'Ein Kreditgeber hat gebucht, und der Dienst hat dazu keine Transaktion.',
      todo: 'Fragen Sie den Dienst oder den Kreditgeber, um welche Transaktion es geht.',
    },
  },
  REFUND_NOT_IN_LEDGER: {
    since: 'posted',
    caseDays: 7,
    en: {
      happened: ({ size }) => `Lenders took back ${size} more than the ledger has refunds for.`,
      name: 'Refund not in the ledger',
      meaning: 'Lenders took back more than the ledger has refunds for.',
      todo: 'Import the refund, or ask the lender whether it is a dispute.',
    },
    de: {
      happened: ({ size }) =>
        `Kreditgeber haben ${size} mehr zurückgenommen, als das Hauptbuch an Erstattungen enthält.`,
      name: 'Erstattung nicht im Hauptbuch',
      meaning: 'Kreditgeber haben mehr zurückgenommen, als das Hauptbuch an Erstattungen enthält.',
      todo: 'Importieren Sie die Erstattung, oder fragen Sie den Kreditgeber, ob es eine Reklamation ist.',
    },
  },
  REFUND_NOT_TAKEN: {
    since: 'due',
    caseDays: 7,
    en: {
      happened: ({ size }) =>
        `${size} was refunded, is due, and was not taken back by the lender yet.`,
      name: 'Refund not taken',
      meaning: 'A refund is overdue: the lender has not taken the money back.',
      todo: 'Ask the lender whether the refund has reached it.',
    },
    de: {
      happened: ({ size }) =>
        `${size} wurden erstattet, sind fällig und vom Kreditgeber noch nicht abgezogen.`,
      name: 'Erstattung nicht abgezogen',
      meaning:
        'Eine Erstattung ist überfällig: Der Kreditgeber hat den Betrag noch nicht abgezogen.',
      todo: 'Fragen Sie den Kreditgeber, ob die Erstattung bei ihm angekommen ist.',
    },
  },
  MISSING_AT_LENDER: {
    since: 'due',
    caseDays: 7,
    en: {
      happened: ({ count, size }) =>
        `${count > 1 ? `${count} settles` : 'A settle'} of ${size} ${count > 1 ? 'are' : 'is'} overdue: no funding is known to pay ${count > 1 ? 'them' : 'it'}.`,
      name: 'Not paid by the lender',
      meaning: 'A settle is overdue: no funding is known to pay it.',
      todo: 'Ask the lender when it pays.',
    },
    de: {
      happened: ({ count, size }) =>
        count > 1
          ? `${count} Einzüge über ${size} sind überfällig: Keine Auszahlung ist ihnen zugeordnet.`
          : `Ein Einzug über ${size} ist überfällig: Keine Auszahlung ist ihm zugeordnet.`,
      name: 'Vom Kreditgeber nicht bezahlt',
      meaning: 'Ein Einzug ist überfällig: Keine Buchung eines Kreditgebers ist ihm zugeordnet.',
      todo: 'Fragen Sie den Kreditgeber, wann er zahlt.',
    },
  },
  NET_MISMATCH: {
    since: 'posted',
    caseDays: 14,
    en: {
      happened: ({ count, size }) =>
        `Gross less discount is not net in ${fundings(count)}: ${size} is not explained.`,
      name: 'Net amount does not add up',
      meaning:
        'Gross less discount differs from the net amount of a funding by more than one minor unit.',
      todo: 'Ask the lender what else it kept or added.',
    },
    de: {
      happened: ({ count, size }) =>
        `Brutto abzüglich Abschlag ergibt in ${count === 1 ? 'einer Auszahlung' : `${count} Auszahlungen`} nicht das Netto: ${size} sind ungeklärt.`,
      name: 'Nettobetrag geht nicht auf',
      meaning:
        'Brutto abzüglich Abschlag weicht um mehr als eine kleinste Einheit vom Nettobetrag einer Auszahlung ab.',
      todo: 'Fragen Sie den Kreditgeber, was er sonst einbehalten oder hinzugerechnet hat.',
    },
  },
  MDR_VARIANCE: {
    since: 'posted',
    caseDays: 14,
    en: {
      happened: ({ cancels, less, size }) =>
        cancels
          ? 'Individual discounts differ from the contract, but the total matches.'
          : `The lender kept ${size} ${less ? 'less' : 'more'} discount than the contract allows.`,
      name: 'Discount differs from the contract',
      meaning: 'The lender’s discount differs from the contract.',
      todo: 'Compare with the contract, and tell the lender.',
    },
    de: {
      happened: ({ cancels, less, size }) =>
        cancels
          ? 'Einzelne Abschläge weichen vom Vertrag ab, die Summe stimmt.'
          : `Der Kreditgeber hat ${size} ${less ? 'weniger' : 'mehr'} Abschlag einbehalten, als der Vertrag vorsieht.`,
      name: 'Abschlag weicht vom Vertrag ab',
      meaning: 'Der Abschlag des Kreditgebers weicht vom Vertrag ab.',
      todo: 'Vergleichen Sie mit dem Vertrag, und informieren Sie den Kreditgeber.',
    },
  },
  MDR_NOT_RETURNED: {
    since: 'posted',
    caseDays: 14,
    en: {
      happened: ({ size }) =>
        `The contract returns the discount of refunds; the lender kept ${size} of it.`,
      name: 'Discount not returned',
      meaning: 'The contract returns the discount of a refund, and the lender kept it.',
      todo: 'Claim it from the lender.',
    },
    de: {
      happened: ({ size }) =>
        `Der Vertrag sieht vor, dass der Abschlag von Erstattungen zurückgezahlt wird; der Kreditgeber hat ${size} davon behalten.`,
      name: 'Abschlag nicht zurückgezahlt',
      meaning:
        'Der Vertrag sieht vor, dass der Abschlag bei einer Erstattung zurückgezahlt wird; der Kreditgeber hat ihn behalten.',
      todo: 'Fordern Sie ihn beim Kreditgeber ein.',
    },
  },
  STATUS_DISAGREES: {
    since: 'posted',
    caseDays: 14,
    en: {
      happened: ({ count, size }) =>
        `The service's status of ${fundings(count)} (${size}) contradicts the amounts.`,
      name: 'Status disagrees with the amounts',
      meaning:
        'The service’s status of a funding contradicts the amounts, and no other exception says so.',
      todo: 'The amounts here are correct: tell the service.',
    },
    de: {
      happened: ({ count, size }) =>
        `Der Status, den der Dienst ${count === 1 ? 'einer Auszahlung' : `${count} Auszahlungen`} gibt (${size}), widerspricht den Beträgen.`,
      name: 'Status widerspricht den Beträgen',
      meaning:
        'Der Status, den der Dienst einer Auszahlung gibt, widerspricht den Beträgen, und keine andere Abweichung nennt es.',
      todo: 'Die Beträge hier stimmen: Informieren Sie den Dienst.',
    },
  },
} satisfies Record<string, ExceptionEntry>;

export type ExceptionCode = keyof typeof exceptions;

/** The codes of exceptions, most severe first. */
export const exceptionCodes = Object.keys(exceptions) as [ExceptionCode, ...ExceptionCode[]];

/** Returns the days until a case of each code is due where the policy states none. */
export function usualCaseDays(): Record<ExceptionCode, number> {
  const entries = exceptionCodes.map((code) => [code, exceptions[code].caseDays]);
  return Object.fromEntries(entries) as Record<ExceptionCode, number>;
}

/** Returns the texts of all exceptions in a language, most severe first. */
export function exceptionTexts(language: 'en' | 'de'): Record<ExceptionCode, ExceptionTexts> {
  const entries = exceptionCodes.map((code) => [code, exceptions[code][language]]);
  return Object.fromEntries(entries) as Record<ExceptionCode, ExceptionTexts>;
}

/** Returns a sentence about what happened, followed by the recommended action. */
export function explainException(
  code: ExceptionCode,
  facts: ExceptionFacts,
  language: 'en' | 'de' = 'en',
): string {
  const { happened, todo, todoWithoutOrder }: ExceptionTexts = exceptions[code][language];
  const sentence = happened(facts);
  const next = facts.isNamed ? todo : (todoWithoutOrder ?? todo);
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)} ${next}`;
}
