import type { Texts } from '../en.ts';

export const help: Texts['help'] = {
  contents: 'Auf dieser Seite',
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
  terms: {
    service: 'Dienst: Der Finanzierungsdienst: eine Schnittstelle zu mehreren Kreditgebern.',
    lender: 'Kreditgeber: Das Unternehmen, das dem Kunden Kredit gibt und den Händler bezahlt.',
    companion:
      'Companion: Der Server des Händlers, der den privaten Schlüssel hat und beim Dienst Geld bewegt.',
    charge: 'Zahlung: Die finanzierte Zahlung einer Bestellung beim Dienst.',
    application: 'Antrag: Der Kreditantrag des Kunden beim Dienst.',
    hold: 'Reservierung: Eine autorisierte Zahlung, die noch nicht eingezogen ist. Sie verfällt nach der Frist des Kreditgebers; was bis dahin nicht eingezogen ist, ist verloren.',
    settle:
      'Einzug: Zieht eine autorisierte Zahlung ganz oder teilweise ein. Ab dann schuldet der Kreditgeber den Betrag.',
    refund: 'Erstattung: Gibt eine eingezogene Zahlung ganz oder teilweise zurück.',
    void: 'Storno: Hebt eine Zahlung auf, die nicht eingezogen ist.',
    chargeback:
      'Rückbelastung: Der Kreditgeber bucht Geld zurück, weil der Kunde die Bestellung reklamiert. Wird sie aufgehoben, erhält der Händler das Geld wieder.',
    ledger:
      'Hauptbuch: Was der Händler erfasst hat: ein Posten je Einzug, Erstattung, Storno und Rückbelastung, vom Companion und aus Importen.',
    funding: 'Auszahlung: Ein Datensatz im Bericht des Dienstes: eine Buchung des Kreditgebers.',
    gross:
      'Brutto, Abschlag, Netto: Der Bruttobetrag einer Auszahlung abzüglich des Abschlags ist der Nettobetrag, der auf dem Bankkonto eingeht.',
    discount:
      'Abschlag (MDR): Was ein Kreditgeber von einem Einzug einbehält, laut Vertrag in Prozent und als fester Betrag. Manche Verträge zahlen ihn bei einer Erstattung zurück.',
    expected:
      'Erwartet und ausgezahlt: Erwartet ist, was Kreditgeber laut Hauptbuch schulden; ausgezahlt ist, was sie gebucht haben. Ausstehend ist, was eingezogen, unbezahlt und nicht überfällig ist.',
    late: 'Überfällig: Nach Ablauf der Zahlungsfrist des Kreditgebers laut Ihren Regeln. Solange ein Tag nicht nachgewiesen ist, gilt nichts als überfällig.',
    tolerance:
      'Toleranz: Differenzen, die Ihre Regeln je Bestellung hinnehmen. Sie werden summiert, und die Summe wird erneut beurteilt.',
    'minor-units':
      'Kleinste Einheit: Ein Betrag als ganze Zahl in der kleinsten Einheit der Währung: 945,63 USD sind 94563.',
    'funding-day':
      'Auszahlungstag: Ein Kalendertag von Auszahlungen in der eingestellten Zeitzone. Er wird als Ganzes gelesen und nachgewiesen.',
    proven:
      'Nachgewiesen: Zwei Durchgänge nacheinander haben für den Tag dieselben Datensätze gelesen. Bis dahin gilt nichts als fehlend.',
    stale: 'Veraltet: Ein nachgewiesener Tag, der erneut gelesen werden muss.',
    quarantine:
      'Quarantäne: Datensätze, die sich nicht als Geld lesen lassen. Sie sind in keiner Summe enthalten, und bei ihren Bestellungen gilt nichts als fehlend.',
    assumed:
      'Angenommene Währung: Keine Quelle nennt die Währung des Betrags; gezeigt wird die Standardwährung mit Fragezeichen. Der Betrag ist in keiner Summe enthalten.',
    sync: 'Abgleich: Liest den Bericht des Dienstes über den Companion, Tag für Tag.',
    import:
      'Import: Posten des Hauptbuchs aus einer Datei oder über die API, alle oder keiner, mit dem Namen der Person.',
    'look-alike':
      'Ähnlicher Posten: Eine Zeile einer Datei, die es in anderer Form schon geben könnte: gleicher Betrag für dieselbe Bestellung oder anderer Betrag mit derselben Nummer.',
    'order-status':
      'Bestellstatus: Das Urteil über eine Bestellung in einer Währung: was gezahlt, was zurückgenommen wurde, und die schwerste Abweichung.',
    exception:
      'Abweichung: Eine Differenz, von der ein Mensch wissen sollte, mit einem festen Code.',
    case: 'Fall: Die Bearbeitung einer Abweichung durch einen Menschen. Er schließt sich von selbst, wenn die Abweichung entfällt.',
    trail:
      'Protokoll: Alle Aktionen von Menschen, durch Prüfsummen verkettet, sodass eine spätere Änderung auffällt.',
    walk: 'Geldfluss: Der Weg von dem, was geschuldet war, zu dem, was gezahlt wurde, Schritt für Schritt.',
    unexplained:
      'Ungeklärt: Was nach allen Schritten des Geldflusses übrig bleibt: 0,00, außer es floss Geld, das keine Regel erklärt.',
    transit:
      'Unterwegs: Am Ende eines Zeitraums geschuldet und nicht überfällig. Das ist der Anfangsbestand des nächsten Zeitraums.',
    radar:
      'Radar: Nennt Kreditgeber, deren Auszahlungen der Dienst falsch kennzeichnet, mit Anzahl und Betrag.',
    suggestion:
      'Vorschlag: Eine Bestellung mit entgegengesetztem offenem Betrag, zu der eine nicht zugeordnete Auszahlung gehören könnte. Ein Mensch entscheidet.',
    analytics:
      'Auswertungsdatenbank: Entsteht aus den gespeicherten Daten und dem Hauptbuch des Companion. Sie kann jederzeit gelöscht und neu aufgebaut werden.',
    standby:
      'Bereitschaft: Ein zweiter Prozess, der antwortet und nicht schreibt. Er übernimmt, wenn der schreibende endet.',
  },
};
