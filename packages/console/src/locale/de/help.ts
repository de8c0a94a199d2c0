import type { Texts } from '../locale.ts';

export const help: Texts['help'] = {
  title: 'Hilfe',
  contents: 'Auf dieser Seite',
  more: (term) => `${term}: Bedeutung`,
  exceptionsTitle: 'Abweichungen',
  exceptionsIntro:
    'Eine Abweichung ist eine Differenz, von der ein Mensch wissen sollte. Sie nennt die Ursache, nicht die Folgen: Ein falscher Betrag ist nicht zugleich „zu viel ausgezahlt“. Die schwersten stehen zuerst.',
  means: 'Bedeutung',
  todo: 'Was zu tun ist',
  termsTitle: 'Begriffe',
  rightsTitle: 'Rechte',
  rightsIntro:
    'Rechte gehören zum Zugangstoken. Sein Name steht bei jeder Aktion im Protokoll. Ihre Administration legt Token in RECONCILIATION_TOKENS fest.',
  yours: 'Dieses Recht haben Sie',
  notYours: 'Dieses Recht haben Sie nicht',
  rights: {
    view: { name: 'Ansehen', text: 'Alle Seiten sehen und exportieren. Das erlaubt jedes Token.' },
    cases: {
      name: 'cases',
      text: 'Fälle zuweisen, kommentieren, lösen, ignorieren und wieder öffnen sowie Nachrichten an die Finanzabteilung erneut senden.',
    },
    sync: { name: 'sync', text: 'Abgleich starten und einen Tag erneut lesen.' },
    imports: { name: 'imports', text: 'Dateien prüfen, importieren und zurückziehen.' },
    rebuild: { name: 'rebuild', text: 'Auswertungsdatenbank neu aufbauen.' },
    money: {
      name: 'money',
      text: 'Zahlungen einziehen, erstatten und stornieren sowie Vorgänge mit unklarem Ausgang abschließen. Dazu muss auf dem Server RECONCILIATION_COMPANION_MONEY_TOKEN gesetzt sein.',
    },
  },
  keyboardTitle: 'Tastatur',
  keyboardIntro: 'Jede Funktion lässt sich ohne Maus bedienen.',
  keys: [
    ['Tab, Umschalt + Tab', 'Nächstes oder vorheriges Bedienelement'],
    ['Eingabe', 'Folgt einem Link, betätigt eine Schaltfläche, öffnet den gewählten Treffer'],
    ['↑ ↓', 'Wechseln zwischen Treffern der Suche und rollen eine Tabelle, die den Fokus hat'],
    ['← → ↑ ↓', 'Wechseln zwischen den Tagen des Kalenders'],
    ['Leertaste', 'Setzt ein Häkchen, öffnet eine Auswahl'],
    ['Esc', 'Schließt einen Dialog oder die Treffer der Suche'],
  ],
  exceptions: {
    UNKNOWN_TYPE: {
      means:
        'Eine Auszahlung hat eine unbekannte Art oder einen unbekannten Status. Bei unbekannter Art zählt sie weder als gezahlt noch als zurückgenommen.',
      todo: 'Fragen Sie den Dienst, was sie bedeutet.',
    },
    DUPLICATE_FUNDING: {
      means:
        'Ein Kreditgeber hat ungefähr den ganzen Betrag noch einmal gebucht. Teilbeträge, die zusammen den ganzen ergeben, sind keine Dubletten.',
      todo: 'Informieren Sie den Kreditgeber; er fordert den Betrag zurück.',
    },
    DOUBLE_DEBIT: {
      means:
        'Der Kunde bekam eine Erstattung, und der Kreditgeber hat zusätzlich rückbelastet: zusammen mehr, als gezahlt wurde.',
      todo: 'Widersprechen Sie der Rückbelastung beim Kreditgeber, denn die Bestellung ist erstattet.',
    },
    CHARGEBACK_OPEN: {
      means:
        'Der Kreditgeber hat nach einer Reklamation Geld zurückgebucht und die Rückbelastung nicht aufgehoben.',
      todo: 'Antworten Sie dem Kreditgeber auf die Reklamation, oder buchen Sie den Verlust aus.',
    },
    OVER_REVERSED: {
      means: 'Kreditgeber haben mehr Rückbelastungen aufgehoben, als sie gebucht hatten.',
      todo: 'Fragen Sie den Kreditgeber, zu welcher Rückbelastung der Betrag gehört.',
    },
    OVER_FUNDED: {
      means:
        'Kreditgeber haben mehr gebucht, als eingezogen wurde. Jede einzelne Differenz liegt in der Toleranz, ihre Summe nicht.',
      todo: 'Fragen Sie den Kreditgeber, wofür der Betrag ist.',
    },
    TYPE_MISMATCH: {
      means:
        'Ein Posten des Hauptbuchs wurde nur unter einer anderen Art gebucht, etwa ein Einzug als Erstattung.',
      todo: 'Bitten Sie den Kreditgeber um Korrektur der Art, oder korrigieren Sie das Hauptbuch.',
    },
    AMOUNT_MISMATCH: {
      means:
        'Eine Transaktion wurde mit einem anderen Betrag gebucht, als das Hauptbuch erwartet: mit mehr, oder mit weniger und überfällig.',
      todo: 'Vergleichen Sie mit der Abrechnung des Kreditgebers, und korrigieren Sie die falsche Seite.',
    },
    AMBIGUOUS_PAYMENT: {
      means:
        'Eine Auszahlung passt zu mehreren Kombinationen von Posten der Bestellung. Bis das geklärt ist, gilt keiner als bezahlt.',
      todo: 'Fragen Sie den Kreditgeber, welche Transaktionen bezahlt sind, und ergänzen Sie seine Referenz oder Nummer bei den Posten.',
    },
    CURRENCY_UNKNOWN: {
      means:
        'Die Bestellung hat mehrere Währungen, und keine Quelle nennt die der Auszahlung. Sie ist in keiner Summe enthalten.',
      todo: 'Ergänzen Sie Transaktionsnummer oder Referenz des Kreditgebers beim Posten, den sie bezahlt.',
    },
    NOT_IN_LEDGER: {
      means: 'Ein Kreditgeber hat Geld für eine Bestellung gebucht, die nicht im Hauptbuch steht.',
      todo: 'Importieren Sie die Posten der Bestellung, oder fragen Sie den Kreditgeber nach der Herkunft.',
    },
    LINE_NOT_IN_LEDGER: {
      means:
        'Die Bestellung steht im Hauptbuch, der Einzug jedoch nicht, den der Kreditgeber bezahlt hat.',
      todo: 'Importieren Sie den fehlenden Posten, oder fragen Sie den Kreditgeber nach der Zahlung.',
    },
    MISSING_IN_SERVICE: {
      means: 'Ein Kreditgeber hat gebucht, und der Dienst hat dazu keine Transaktion.',
      todo: 'Fragen Sie den Dienst oder den Kreditgeber, um welche Transaktion es geht.',
    },
    REFUND_NOT_IN_LEDGER: {
      means: 'Kreditgeber haben mehr zurückgenommen, als das Hauptbuch an Erstattungen enthält.',
      todo: 'Importieren Sie die Erstattung, oder fragen Sie den Kreditgeber, ob es eine Reklamation ist.',
    },
    REFUND_NOT_TAKEN: {
      means: 'Eine Erstattung ist überfällig: Der Kreditgeber hat den Betrag noch nicht abgezogen.',
      todo: 'Fragen Sie den Kreditgeber, ob die Erstattung bei ihm angekommen ist.',
    },
    MISSING_AT_LENDER: {
      means: 'Ein Einzug ist überfällig: Keine Buchung eines Kreditgebers ist ihm zugeordnet.',
      todo: 'Fragen Sie den Kreditgeber, wann er zahlt.',
    },
    NET_MISMATCH: {
      means: 'Brutto abzüglich Abschlag ergibt nicht den Nettobetrag der Auszahlung.',
      todo: 'Fragen Sie den Kreditgeber, was er sonst einbehalten oder hinzugerechnet hat.',
    },
    MDR_VARIANCE: {
      means: 'Der Abschlag des Kreditgebers weicht vom Vertrag ab.',
      todo: 'Vergleichen Sie mit dem Vertrag, und informieren Sie den Kreditgeber.',
    },
    MDR_NOT_RETURNED: {
      means:
        'Der Vertrag sieht vor, dass der Abschlag bei einer Erstattung zurückgezahlt wird; der Kreditgeber hat ihn behalten.',
      todo: 'Fordern Sie ihn beim Kreditgeber ein.',
    },
    STATUS_DISAGREES: {
      means: 'Der Status, den der Dienst einer Auszahlung gibt, widerspricht den Beträgen.',
      todo: 'Die Beträge hier stimmen: Informieren Sie den Dienst.',
    },
  },
  terms: {
    service: {
      name: 'Dienst',
      text: 'Der Finanzierungsdienst: eine Schnittstelle zu mehreren Kreditgebern.',
    },
    lender: {
      name: 'Kreditgeber',
      text: 'Das Unternehmen, das dem Kunden Kredit gibt und den Händler bezahlt.',
    },
    companion: {
      name: 'Companion',
      text: 'Der Server des Händlers, der den privaten Schlüssel hat und beim Dienst Geld bewegt.',
    },
    charge: { name: 'Zahlung', text: 'Die finanzierte Zahlung einer Bestellung beim Dienst.' },
    application: { name: 'Antrag', text: 'Der Kreditantrag des Kunden beim Dienst.' },
    hold: {
      name: 'Reservierung',
      text: 'Eine autorisierte Zahlung, die noch nicht eingezogen ist. Sie verfällt nach der Frist des Kreditgebers; was bis dahin nicht eingezogen ist, ist verloren.',
    },
    settle: {
      name: 'Einzug',
      text: 'Zieht eine autorisierte Zahlung ganz oder teilweise ein. Ab dann schuldet der Kreditgeber den Betrag.',
    },
    refund: {
      name: 'Erstattung',
      text: 'Gibt eine eingezogene Zahlung ganz oder teilweise zurück.',
    },
    void: { name: 'Storno', text: 'Hebt eine Zahlung auf, die nicht eingezogen ist.' },
    chargeback: {
      name: 'Rückbelastung',
      text: 'Der Kreditgeber bucht Geld zurück, weil der Kunde die Bestellung reklamiert. Wird sie aufgehoben, erhält der Händler das Geld wieder.',
    },
    ledger: {
      name: 'Hauptbuch',
      text: 'Was der Händler erfasst hat: ein Posten je Einzug, Erstattung, Storno und Rückbelastung, vom Companion und aus Importen.',
    },
    funding: {
      name: 'Auszahlung',
      text: 'Ein Datensatz im Bericht des Dienstes: eine Buchung des Kreditgebers.',
    },
    gross: {
      name: 'Brutto, Abschlag, Netto',
      text: 'Der Bruttobetrag einer Auszahlung abzüglich des Abschlags ist der Nettobetrag, der auf dem Bankkonto eingeht.',
    },
    discount: {
      name: 'Abschlag (MDR)',
      text: 'Was ein Kreditgeber von einem Einzug einbehält, laut Vertrag in Prozent und als fester Betrag. Manche Verträge zahlen ihn bei einer Erstattung zurück.',
    },
    expected: {
      name: 'Erwartet und ausgezahlt',
      text: 'Erwartet ist, was Kreditgeber laut Hauptbuch schulden; ausgezahlt ist, was sie gebucht haben. Ausstehend ist, was eingezogen, unbezahlt und nicht überfällig ist.',
    },
    late: {
      name: 'Überfällig',
      text: 'Nach Ablauf der Zahlungsfrist des Kreditgebers laut Ihren Regeln. Solange ein Tag nicht nachgewiesen ist, gilt nichts als überfällig.',
    },
    tolerance: {
      name: 'Toleranz',
      text: 'Differenzen, die Ihre Regeln je Bestellung hinnehmen. Sie werden summiert, und die Summe wird erneut beurteilt.',
    },
    'minor-units': {
      name: 'Kleinste Einheit',
      text: 'Ein Betrag als ganze Zahl in der kleinsten Einheit der Währung: 945,63 USD sind 94563.',
    },
    'funding-day': {
      name: 'Auszahlungstag',
      text: 'Ein Kalendertag von Auszahlungen in der eingestellten Zeitzone. Er wird als Ganzes gelesen und nachgewiesen.',
    },
    proven: {
      name: 'Nachgewiesen',
      text: 'Zwei Durchgänge nacheinander haben für den Tag dieselben Datensätze gelesen. Bis dahin gilt nichts als fehlend.',
    },
    stale: { name: 'Veraltet', text: 'Ein nachgewiesener Tag, der erneut gelesen werden muss.' },
    quarantine: {
      name: 'Quarantäne',
      text: 'Datensätze, die sich nicht als Geld lesen lassen. Sie sind in keiner Summe enthalten, und bei ihren Bestellungen gilt nichts als fehlend.',
    },
    assumed: {
      name: 'Angenommene Währung',
      text: 'Keine Quelle nennt die Währung des Betrags; gezeigt wird die Standardwährung mit Fragezeichen. Der Betrag ist in keiner Summe enthalten.',
    },
    sync: {
      name: 'Abgleich',
      text: 'Liest den Bericht des Dienstes über den Companion, Tag für Tag.',
    },
    import: {
      name: 'Import',
      text: 'Posten des Hauptbuchs aus einer Datei oder über die API, alle oder keiner, mit dem Namen der Person.',
    },
    'look-alike': {
      name: 'Ähnlicher Posten',
      text: 'Eine Zeile einer Datei, die es in anderer Form schon geben könnte: gleicher Betrag für dieselbe Bestellung oder anderer Betrag mit derselben Nummer.',
    },
    'order-status': {
      name: 'Bestellstatus',
      text: 'Das Urteil über eine Bestellung in einer Währung: was gezahlt, was zurückgenommen wurde, und die schwerste Abweichung.',
    },
    exception: {
      name: 'Abweichung',
      text: 'Eine Differenz, von der ein Mensch wissen sollte, mit einem festen Code.',
    },
    case: {
      name: 'Fall',
      text: 'Die Bearbeitung einer Abweichung durch einen Menschen. Er schließt sich von selbst, wenn die Abweichung entfällt.',
    },
    trail: {
      name: 'Protokoll',
      text: 'Alle Aktionen von Menschen, durch Prüfsummen verkettet, sodass eine spätere Änderung auffällt.',
    },
    walk: {
      name: 'Geldfluss',
      text: 'Der Weg von dem, was geschuldet war, zu dem, was gezahlt wurde, Schritt für Schritt.',
    },
    unexplained: {
      name: 'Ungeklärt',
      text: 'Was nach allen Schritten des Geldflusses übrig bleibt: 0,00, außer es floss Geld, das keine Regel erklärt.',
    },
    transit: {
      name: 'Unterwegs',
      text: 'Am Ende eines Zeitraums geschuldet und nicht überfällig. Das ist der Anfangsbestand des nächsten Zeitraums.',
    },
    radar: {
      name: 'Radar',
      text: 'Nennt Kreditgeber, deren Auszahlungen der Dienst falsch kennzeichnet, mit Anzahl und Betrag.',
    },
    suggestion: {
      name: 'Vorschlag',
      text: 'Eine Bestellung mit entgegengesetztem offenem Betrag, zu der eine nicht zugeordnete Auszahlung gehören könnte. Ein Mensch entscheidet.',
    },
    analytics: {
      name: 'Auswertungsdatenbank',
      text: 'Entsteht aus den gespeicherten Daten und dem Hauptbuch des Companion. Sie kann jederzeit gelöscht und neu aufgebaut werden.',
    },
    standby: {
      name: 'Bereitschaft',
      text: 'Ein zweiter Prozess, der antwortet und nicht schreibt. Er übernimmt, wenn der schreibende endet.',
    },
  },
};
