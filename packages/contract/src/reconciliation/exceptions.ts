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
  /** Claim and request for the lender or the service: the debtor, the amount, the reason, the remedy. */
  message: (facts: ExceptionFacts) => readonly [claim: string, request: string];
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
  /** Whether refunds differ and settles do not. Undefined if not known. */
  isRefund?: boolean | undefined;
}

interface ExceptionEntry {
  /** Meaning of `since`: time of posting, of the excess, of the start of a dispute, or due day. */
  since: 'posted' | 'exceeded' | 'opened' | 'due' | 'excess, due';
  /**
   * Default number of days until a case is due; fewer for more severe exceptions. The policy may override
   * it.
   */
  caseDays: number;
  /** Recipient of the message. By default the lender. */
  concerns?: 'service';
  en: ExceptionTexts;
  de: ExceptionTexts;
}

const fundings = (count: number) => (count === 1 ? 'one funding' : `${count} fundings`);
const fundingsInGerman = (count: number) =>
  count === 1 ? 'eine Auszahlung' : `${count} Auszahlungen`;

/**
 * The register of exceptions, most severe first: an order's headline is its most severe exception.
 * All interfaces take their codes and texts from here: the API, the CLI, the console, the README of
 * reconciliation-rules.
 */
export const exceptions = {
  UNKNOWN_TYPE: {
    since: 'posted',
    caseDays: 3,
    concerns: 'service',
    en: {
      happened: ({ count, size }) =>
        `${fundings(count)} of ${size} ${count > 1 ? 'have' : 'has'} an unknown type or status; fundings of an unknown type count neither as paid nor as taken back.`,
      name: 'Unknown type of funding',
      meaning:
        'A funding has a type or status that is not known. With an unknown type it counts neither as paid nor as taken back.',
      todo: 'Ask the service what it means.',
      message: ({ size }) => [
        `Fundings of ${size} have a type or status that your documentation does not name.`,
        'Please tell us what it means, and whether the money was paid or taken back.',
      ],
    },
    de: {
      happened: ({ count, size }) =>
        `${fundingsInGerman(count)} über ${size} ${count > 1 ? 'haben' : 'hat'} eine unbekannte Art oder einen unbekannten Status; Auszahlungen unbekannter Art zählen weder als gezahlt noch als zurückgenommen.`,
      name: 'Unbekannte Buchungsart',
      meaning:
        'Eine Auszahlung hat eine unbekannte Art oder einen unbekannten Status. Bei unbekannter Art zählt sie weder als gezahlt noch als zurückgenommen.',
      todo: 'Fragen Sie den Dienst, was sie bedeutet.',
      message: ({ size }) => [
        `Auszahlungen über ${size} haben eine Art oder einen Status, den Ihre Dokumentation nicht nennt.`,
        'Bitte teilen Sie uns mit, was er bedeutet und ob das Geld gezahlt oder zurückgenommen wurde.',
      ],
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
      message: ({ size }) => [
        `You have paid twice: we hold ${size} that belongs to you.`,
        'Please confirm it, and tell us whether you deduct it from your next payment or we return it.',
      ],
    },
    de: {
      happened: ({ count, size }) =>
        `Ein Kreditgeber hat doppelt gebucht: ${fundingsInGerman(count)}, ${size} zu viel.`,
      name: 'Doppelt ausgezahlt',
      meaning:
        'Ein Kreditgeber hat ungefähr den ganzen Betrag noch einmal gebucht. Teilbeträge, die zusammen den ganzen ergeben, sind keine Dubletten.',
      todo: 'Informieren Sie den Kreditgeber; er fordert den Betrag zurück.',
      message: ({ size }) => [
        `Sie haben doppelt gezahlt: ${size} stehen Ihnen zu und liegen bei uns.`,
        'Bitte bestätigen Sie es, und teilen Sie uns mit, ob Sie den Betrag von Ihrer nächsten Zahlung abziehen oder wir ihn zurückzahlen.',
      ],
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
      message: ({ size }) => [
        `You owe us ${size}: we refunded it, and you also charged it back.`,
        'Please reverse the chargeback.',
      ],
    },
    de: {
      happened: ({ size }) =>
        `Der Kunde bekam eine Erstattung, und der Kreditgeber hat zusätzlich rückbelastet: ${size} wurden zweimal abgezogen.`,
      name: 'Doppelt belastet',
      meaning:
        'Der Kunde bekam eine Erstattung, und der Kreditgeber hat zusätzlich rückbelastet: zusammen mehr, als gezahlt wurde.',
      todo: 'Widersprechen Sie der Rückbelastung beim Kreditgeber, denn die Bestellung ist erstattet.',
      message: ({ size }) => [
        `Sie schulden uns ${size}: Wir haben den Betrag erstattet, und Sie haben ihn zusätzlich rückbelastet.`,
        'Bitte heben Sie die Rückbelastung auf.',
      ],
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
      message: ({ size }) => [
        `You charged back ${size} and have not reversed it.`,
        'Please tell us the reason for the dispute, what you need from us, and by when.',
      ],
    },
    de: {
      happened: ({ size }) => `${size} sind rückbelastet und nicht aufgehoben.`,
      name: 'Rückbelastung',
      meaning:
        'Der Kreditgeber hat nach einer Reklamation Geld zurückgebucht und die Rückbelastung nicht aufgehoben.',
      todo: 'Antworten Sie dem Kreditgeber auf die Reklamation, oder buchen Sie den Verlust aus.',
      message: ({ size }) => [
        `Sie haben ${size} rückbelastet und die Rückbelastung nicht aufgehoben.`,
        'Bitte nennen Sie uns den Grund der Reklamation, was Sie von uns benötigen und bis wann.',
      ],
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
      message: ({ size }) => [
        `You reversed ${size} more than you had charged back: we hold it for you.`,
        'Please tell us which chargeback the amount belongs to, or deduct it from your next payment.',
      ],
    },
    de: {
      happened: ({ size }) =>
        `Kreditgeber haben ${size} mehr aufgehoben, als sie rückbelastet hatten.`,
      name: 'Mehr aufgehoben als rückbelastet',
      meaning: 'Kreditgeber haben mehr Rückbelastungen aufgehoben, als sie gebucht hatten.',
      todo: 'Fragen Sie den Kreditgeber, zu welcher Rückbelastung der Betrag gehört.',
      message: ({ size }) => [
        `Sie haben ${size} mehr aufgehoben, als Sie rückbelastet hatten: Der Betrag steht Ihnen zu.`,
        'Bitte teilen Sie uns mit, zu welcher Rückbelastung er gehört, oder ziehen Sie ihn von Ihrer nächsten Zahlung ab.',
      ],
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
      message: ({ size }) => [
        `You posted ${size} more than we settled: we hold it for you.`,
        'Please tell us what the amount is for, or deduct it from your next payment.',
      ],
    },
    de: {
      happened: ({ size }) => `Kreditgeber haben ${size} mehr gebucht, als eingezogen wurde.`,
      name: 'Zu viel ausgezahlt',
      meaning:
        'Kreditgeber haben mehr gebucht, als eingezogen wurde. Jede einzelne Differenz liegt in der Toleranz, ihre Summe nicht.',
      todo: 'Fragen Sie den Kreditgeber, wofür der Betrag ist.',
      message: ({ size }) => [
        `Sie haben ${size} mehr gebucht, als wir eingezogen haben: Der Betrag steht Ihnen zu.`,
        'Bitte teilen Sie uns mit, wofür er ist, oder ziehen Sie ihn von Ihrer nächsten Zahlung ab.',
      ],
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
      message: ({ size }) => [
        `You posted ${size} under another type than our transactions have.`,
        'Please post it under the type of the transaction with the same ID.',
      ],
    },
    de: {
      happened: ({ count, size }) =>
        `${fundingsInGerman(count)} über ${size} ${count > 1 ? 'haben' : 'hat'} eine andere Art als der Posten des Hauptbuchs mit derselben Nummer.`,
      name: 'Falsche Buchungsart',
      meaning:
        'Ein Posten des Hauptbuchs wurde nur unter einer anderen Art gebucht, etwa ein Einzug als Erstattung.',
      todo: 'Bitten Sie den Kreditgeber um Korrektur der Art, oder korrigieren Sie das Hauptbuch.',
      message: ({ size }) => [
        `Sie haben ${size} unter einer anderen Art gebucht, als unsere Transaktionen haben.`,
        'Bitte buchen Sie den Betrag unter der Art der Transaktion mit derselben Nummer.',
      ],
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
      message: ({ isRefund, less, size }) => [
        `You posted ${size} ${less ? 'less' : 'more'} than our transactions${isRefund === undefined ? '' : isRefund === less ? ': we owe it to you' : ': you owe it to us'}.`,
        'Please post the difference, or tell us the reason for it.',
      ],
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
      message: ({ isRefund, less, size }) => [
        `Sie haben ${size} ${less ? 'weniger' : 'mehr'} gebucht als unsere Transaktionen${isRefund === undefined ? '' : isRefund === less ? ': Wir schulden Ihnen den Betrag' : ': Sie schulden uns den Betrag'}.`,
        'Bitte buchen Sie die Differenz, oder nennen Sie uns den Grund.',
      ],
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
      message: ({ size }) => [
        `You posted ${size} that fits more than one set of our transactions.`,
        'Please tell us the IDs of the transactions that you paid.',
      ],
    },
    de: {
      happened: ({ count, size }) =>
        `${fundingsInGerman(count)} über ${size} ${count > 1 ? 'passen' : 'passt'} zu mehreren Kombinationen von Posten dieser Bestellung: Keiner der Posten gilt als bezahlt.`,
      name: 'Unklar, welcher Posten bezahlt wurde',
      meaning:
        'Eine Auszahlung passt zu mehreren Kombinationen von Posten der Bestellung. Bis das geklärt ist, gilt keiner als bezahlt.',
      todo: 'Fragen Sie den Kreditgeber, welche Transaktionen bezahlt sind, und ergänzen Sie seine Referenz oder Nummer bei den Posten.',
      message: ({ size }) => [
        `Sie haben ${size} gebucht, die zu mehreren Kombinationen unserer Transaktionen passen.`,
        'Bitte nennen Sie uns die Nummern der Transaktionen, die Sie bezahlt haben.',
      ],
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
      message: ({ size }) => [
        `You posted ${size} without a currency, and the order has several.`,
        'Please tell us the currency, and the IDs of the transactions that you paid.',
      ],
    },
    de: {
      happened: ({ count, size }) =>
        `${fundingsInGerman(count)} über ${size} ${count > 1 ? 'gehören' : 'gehört'} zu einer Bestellung in mehreren Währungen, und die eigene Währung ist unbekannt: in keiner Summe enthalten.`,
      name: 'Währung unbekannt',
      meaning:
        'Die Bestellung hat mehrere Währungen, und keine Quelle nennt die der Auszahlung. Sie ist in keiner Summe enthalten.',
      todo: 'Ergänzen Sie Transaktionsnummer oder Referenz des Kreditgebers beim Posten, den sie bezahlt.',
      message: ({ size }) => [
        `Sie haben ${size} ohne Währung gebucht, und die Bestellung hat mehrere.`,
        'Bitte nennen Sie uns die Währung und die Nummern der Transaktionen, die Sie bezahlt haben.',
      ],
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
      message: ({ isNamed, less, size }) => [
        `You ${less ? 'took back' : 'posted'} ${size} ${isNamed ? 'for an order that we do not have' : 'without an order'}.`,
        'Please tell us which order and which transaction it is for.',
      ],
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
      message: ({ isNamed, less, size }) => [
        `Sie haben ${size} ${isNamed ? 'für eine Bestellung, die wir nicht haben,' : 'ohne Bestellung'} ${less ? 'zurückgenommen' : 'gebucht'}.`,
        'Bitte teilen Sie uns mit, zu welcher Bestellung und welcher Transaktion der Betrag gehört.',
      ],
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
      message: ({ size }) => [
        `You posted ${size} for which we have not settled anything.`,
        'Please tell us the ID and the day of the transaction that you paid.',
      ],
    },
    de: {
      happened: ({ count, size }) =>
        `${fundingsInGerman(count)} über ${size} ${count > 1 ? 'gehören' : 'gehört'} zu keinem Posten dieser Bestellung im Hauptbuch.`,
      name: 'Einzug nicht im Hauptbuch',
      meaning:
        'Die Bestellung steht im Hauptbuch, der Einzug jedoch nicht, den der Kreditgeber bezahlt hat.',
      todo: 'Importieren Sie den fehlenden Posten, oder fragen Sie den Kreditgeber nach der Zahlung.',
      message: ({ size }) => [
        `Sie haben ${size} gebucht, für die wir nichts eingezogen haben.`,
        'Bitte nennen Sie uns Nummer und Tag der Transaktion, die Sie bezahlt haben.',
      ],
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
      message: ({ size }) => [
        `You posted ${size} for which the financing service has no transaction.`,
        'Please tell us the ID of the transaction that you posted.',
      ],
    },
    de: {
      happened: ({ count, size }) =>
        `Ein Kreditgeber hat ${size} gebucht (${fundingsInGerman(count)}), und der Dienst hat dazu keine Transaktion.`,
      name: 'Fehlt beim Dienst',
      meaning: 'Ein Kreditgeber hat gebucht, und der Dienst hat dazu keine Transaktion.',
      todo: 'Fragen Sie den Dienst oder den Kreditgeber, um welche Transaktion es geht.',
      message: ({ size }) => [
        `Sie haben ${size} gebucht, zu denen der Finanzierungsdienst keine Transaktion hat.`,
        'Bitte nennen Sie uns die Nummer der Transaktion, die Sie gebucht haben.',
      ],
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
      message: ({ size }) => [
        `You owe us ${size}: you took back more than we refunded.`,
        'Please post it back, or, if it is a dispute, tell us its reason and your reference.',
      ],
    },
    de: {
      happened: ({ size }) =>
        `Kreditgeber haben ${size} mehr zurückgenommen, als das Hauptbuch an Erstattungen enthält.`,
      name: 'Erstattung nicht im Hauptbuch',
      meaning: 'Kreditgeber haben mehr zurückgenommen, als das Hauptbuch an Erstattungen enthält.',
      todo: 'Importieren Sie die Erstattung, oder fragen Sie den Kreditgeber, ob es eine Reklamation ist.',
      message: ({ size }) => [
        `Sie schulden uns ${size}: Sie haben mehr zurückgenommen, als wir erstattet haben.`,
        'Bitte buchen Sie den Betrag zurück, oder nennen Sie uns bei einer Reklamation Grund und Referenz.',
      ],
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
      message: ({ size }) => [
        `We owe you ${size}: we refunded it, and you have not taken it back.`,
        'Please tell us whether the refund has reached you, and when you take the money back.',
      ],
    },
    de: {
      happened: ({ size }) =>
        `${size} wurden erstattet, sind fällig und vom Kreditgeber noch nicht abgezogen.`,
      name: 'Erstattung nicht abgezogen',
      meaning:
        'Eine Erstattung ist überfällig: Der Kreditgeber hat den Betrag noch nicht abgezogen.',
      todo: 'Fragen Sie den Kreditgeber, ob die Erstattung bei ihm angekommen ist.',
      message: ({ size }) => [
        `Wir schulden Ihnen ${size}: Wir haben den Betrag erstattet, und Sie haben ihn nicht abgezogen.`,
        'Bitte teilen Sie uns mit, ob die Erstattung bei Ihnen angekommen ist und wann Sie den Betrag abziehen.',
      ],
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
      message: ({ size }) => [
        `You owe us ${size}: we settled it, and you have not paid it when it was due.`,
        'Please pay it, or tell us the reason and the day on which you pay.',
      ],
    },
    de: {
      happened: ({ count, size }) =>
        count > 1
          ? `${count} Einzüge über ${size} sind überfällig: Keine Auszahlung ist ihnen zugeordnet.`
          : `Ein Einzug über ${size} ist überfällig: Keine Auszahlung ist ihm zugeordnet.`,
      name: 'Vom Kreditgeber nicht bezahlt',
      meaning: 'Ein Einzug ist überfällig: Keine Buchung eines Kreditgebers ist ihm zugeordnet.',
      todo: 'Fragen Sie den Kreditgeber, wann er zahlt.',
      message: ({ size }) => [
        `Sie schulden uns ${size}: Wir haben den Betrag eingezogen, und Sie haben ihn bei Fälligkeit nicht gezahlt.`,
        'Bitte zahlen Sie ihn, oder nennen Sie uns den Grund und den Tag der Zahlung.',
      ],
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
      message: ({ size }) => [
        `In what you posted, gross less discount is not net: ${size} is not explained.`,
        'Please tell us what else you kept or added.',
      ],
    },
    de: {
      happened: ({ count, size }) =>
        `Brutto abzüglich Abschlag ergibt in ${count === 1 ? 'einer Auszahlung' : `${count} Auszahlungen`} nicht das Netto: ${size} sind ungeklärt.`,
      name: 'Nettobetrag geht nicht auf',
      meaning:
        'Brutto abzüglich Abschlag weicht um mehr als eine kleinste Einheit vom Nettobetrag einer Auszahlung ab.',
      todo: 'Fragen Sie den Kreditgeber, was er sonst einbehalten oder hinzugerechnet hat.',
      message: ({ size }) => [
        `In Ihren Buchungen ergibt Brutto abzüglich Abschlag nicht das Netto: ${size} sind ungeklärt.`,
        'Bitte teilen Sie uns mit, was Sie sonst einbehalten oder hinzugerechnet haben.',
      ],
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
      message: ({ cancels, less, size }) =>
        cancels
          ? [
              'Your discounts differ from our contract in single payments; their sum does not.',
              'Please tell us the rates that you applied, and where they are agreed.',
            ]
          : less
            ? [
                `We owe you ${size}: you kept less discount than our contract states.`,
                'Please confirm it, or tell us the rate that you applied and where it is agreed.',
              ]
            : [
                `You owe us ${size}: you kept more discount than our contract allows.`,
                'Please post the difference, or tell us the rate that you applied and where it is agreed.',
              ],
    },
    de: {
      happened: ({ cancels, less, size }) =>
        cancels
          ? 'Einzelne Abschläge weichen vom Vertrag ab, die Summe stimmt.'
          : `Der Kreditgeber hat ${size} ${less ? 'weniger' : 'mehr'} Abschlag einbehalten, als der Vertrag vorsieht.`,
      name: 'Abschlag weicht vom Vertrag ab',
      meaning: 'Der Abschlag des Kreditgebers weicht vom Vertrag ab.',
      todo: 'Vergleichen Sie mit dem Vertrag, und informieren Sie den Kreditgeber.',
      message: ({ cancels, less, size }) =>
        cancels
          ? [
              'Ihre Abschläge weichen in einzelnen Zahlungen von unserem Vertrag ab, in der Summe nicht.',
              'Bitte nennen Sie uns die angewandten Sätze und wo sie vereinbart sind.',
            ]
          : less
            ? [
                `Wir schulden Ihnen ${size}: Sie haben weniger Abschlag einbehalten, als unser Vertrag vorsieht.`,
                'Bitte bestätigen Sie es, oder nennen Sie uns den angewandten Satz und wo er vereinbart ist.',
              ]
            : [
                `Sie schulden uns ${size}: Sie haben mehr Abschlag einbehalten, als unser Vertrag erlaubt.`,
                'Bitte buchen Sie die Differenz nach, oder nennen Sie uns den angewandten Satz und wo er vereinbart ist.',
              ],
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
      message: ({ size }) => [
        `You owe us ${size}: our contract returns the discount of refunds, and you kept it.`,
        'Please post it.',
      ],
    },
    de: {
      happened: ({ size }) =>
        `Der Vertrag sieht vor, dass der Abschlag von Erstattungen zurückgezahlt wird; der Kreditgeber hat ${size} davon behalten.`,
      name: 'Abschlag nicht zurückgezahlt',
      meaning:
        'Der Vertrag sieht vor, dass der Abschlag bei einer Erstattung zurückgezahlt wird; der Kreditgeber hat ihn behalten.',
      todo: 'Fordern Sie ihn beim Kreditgeber ein.',
      message: ({ size }) => [
        `Sie schulden uns ${size}: Unser Vertrag sieht vor, dass der Abschlag von Erstattungen zurückgezahlt wird, und Sie haben ihn behalten.`,
        'Bitte buchen Sie ihn nach.',
      ],
    },
  },
  STATUS_DISAGREES: {
    since: 'posted',
    caseDays: 14,
    concerns: 'service',
    en: {
      happened: ({ count, size }) =>
        `The service's status of ${fundings(count)} (${size}) contradicts the amounts.`,
      name: 'Status disagrees with the amounts',
      meaning:
        'The service’s status of a funding contradicts the amounts, and no other exception says so.',
      todo: 'The amounts here are correct: tell the service.',
      message: ({ size }) => [
        `Your status of fundings of ${size} contradicts their amounts.`,
        'Please correct the status.',
      ],
    },
    de: {
      happened: ({ count, size }) =>
        `Der Status, den der Dienst ${count === 1 ? 'einer Auszahlung' : `${count} Auszahlungen`} gibt (${size}), widerspricht den Beträgen.`,
      name: 'Status widerspricht den Beträgen',
      meaning:
        'Der Status, den der Dienst einer Auszahlung gibt, widerspricht den Beträgen, und keine andere Abweichung nennt es.',
      todo: 'Die Beträge hier stimmen: Informieren Sie den Dienst.',
      message: ({ size }) => [
        `Ihr Status von Auszahlungen über ${size} widerspricht den Beträgen.`,
        'Bitte korrigieren Sie den Status.',
      ],
    },
  },
} satisfies Record<string, ExceptionEntry>;

export type ExceptionCode = keyof typeof exceptions;

/** The codes of exceptions, most severe first. */
export const exceptionCodes = Object.keys(exceptions) as [ExceptionCode, ...ExceptionCode[]];

/** Returns the default number of days until a case of each code is due. */
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
