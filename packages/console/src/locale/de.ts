import type { CaseSheetRefusalCode } from '@financing-checkout/contract/reconciliation';
import {
  alarmTexts,
  exceptionTexts,
  gapsText,
  type ShownColumn,
} from '@financing-checkout/contract/plain';
import type { Texts } from './en.ts';

const plural = new Intl.PluralRules('de');
/** Returns a noun's form for a count. */
const count = (n: number, one: string, other: string): string =>
  `${n.toLocaleString('de')} ${plural.select(n) === 'one' ? one : other}`;

const columns: Pick<Texts['common'], ShownColumn> = {
  at: 'Zeitpunkt',
  created_at: 'Datum',
  started_at: 'Beginn',
  seen_at: 'Gesehen',
  from: 'Von',
  to: 'Bis',
  day: 'Tag',
  days_unproven: 'Nicht nachgewiesene Tage',
  message: 'Nachricht',
  import: 'Import',
  case: 'Fall',
  record: 'Datensatz',
  order: 'Bestellung',
  lender: 'Kreditgeber',
  currency: 'Währung',
  action: 'Vorgang',
  source: 'Herkunft',
  actor: 'Durch',
  state: 'Status',
  status: 'Status des Dienstes',
  withdrawn: 'Zurückgezogen',
  reason: 'Grund',
  tries: 'Versuche',
  count: 'Anzahl',
  settles: 'Einzüge',
  records: 'Gelesene Datensätze',
  changed: 'Neu oder geändert',
  gone: 'Entfallen',
  quarantined: 'In Quarantäne',
  amount: 'Betrag',
  discount: 'Abschlag',
  net: 'Netto',
  p50_days: 'Median (p50)',
  p95_days: '95 % innerhalb (p95)',
  wrong_count: 'Falsch',
  wrong_percent: 'Anteil falsch',
  wrong_amount: 'Betrag falsch',
};

const common: Texts['common'] = {
  ...columns,
  all: 'Alle',
  sum: 'Summe',
  cancel: 'Abbrechen',
  clear: 'Filter zurücksetzen',
  close: 'Schließen',
  code: 'Abweichung',
  copied: 'Kopiert',
  copy: 'Kopieren',
  period: 'Zeitraum',
  resend: 'Erneut senden',
  date: 'Datum',
  export: 'Export',
  bars: (chart) => `${chart}: Balken`,
  downloadImage: 'Als SVG herunterladen',
  filters: 'Filter',
  keys: {
    title: 'Tasten',
    help: 'Diese Tasten zeigen',
    send: 'Strg+Enter',
    on: 'Einzelne Tasten wirken auf diesem Gerät',
  },
  loading: 'Wird geladen',
  retry: 'Erneut versuchen',
  table: 'Als Tabelle anzeigen',
  unknown: 'unbekannt',
  assumed: 'Währung angenommen',
  assumedHelp:
    'Keine Quelle nennt die Währung dieses Betrags. Er ist in keiner Summe enthalten. Importieren Sie das Hauptbuch der Bestellung, oder setzen Sie RECONCILIATION_DEFAULT_CURRENCY.',
  zone: (zone) => `Tage in ${zone}`,
  dateIncomplete: 'Das ist kein vollständiges Datum.',
  dateImplausible: (from, to) => `Ein Jahr von ${from} bis ${to} angeben.`,
  lendersMeant: (names) => `Mehrere Kreditgeber: ${names.join(', ')}.`,
  since: (day) => `seit ${day}`,
  days: (n) => count(n, 'Tag', 'Tage'),
  rows: (n) => count(n, 'Zeile', 'Zeilen'),
  rowsOf: (n, all) => `${n.toLocaleString('de')} von ${count(all, 'Zeile', 'Zeilen')}`,
  print: 'Drucken',
  notPrinted: (n, missing) =>
    `Das sind die ersten ${count(n, 'Zeile', 'Zeilen')}. ${
      missing === undefined
        ? 'Weitere Zeilen passen'
        : count(missing, 'weitere Zeile passt', 'weitere Zeilen passen')
    } zu den Filtern: Exportieren Sie die Liste als CSV oder Excel, um alle zu erhalten.`,
  asOf: (moment) => `Stand: ${moment}`,
  incomplete: (days) =>
    `${count(days, 'Tag ist', 'Tage sind')} nicht nachgewiesen. Ergebnisse können sich ändern, und bis dahin gilt keine Zahlung eines Kreditgebers als überfällig.`,
  inQuarantine: (n) =>
    `${count(n, 'Datensatz ist', 'Datensätze sind')} in Quarantäne und in keiner Summe enthalten.`,
  partial: 'Der Companion hat nicht geantwortet. Seine Angaben fehlen hier.',
  error: {
    title: 'Das konnte nicht geladen werden',
    request: (id) => `Anfrage ${id}`,
  },
  empty: 'Keine Einträge',
};

const words: Texts['words'] = {
  headlines: {
    PARTIALLY_FUNDED: 'Teilweise ausgezahlt',
    AWAITING_FUNDING: 'Auszahlung steht aus',
    BEFORE_LEDGER: 'Vor Beginn des Hauptbuchs',
    CHARGED_BACK: 'Rückbelastet',
    PARTIALLY_CHARGED_BACK: 'Teilweise rückbelastet',
    REFUNDED: 'Erstattet',
    PARTIALLY_REFUNDED: 'Teilweise erstattet',
    CHARGEBACK_REVERSED: 'Rückbelastung aufgehoben',
    FUNDED: 'Ausgezahlt',
    NOTHING_DUE: 'Nichts fällig',
  },
  caseStates: { open: 'Offen', resolved: 'Gelöst', ignored: 'Ignoriert', closed: 'Geschlossen' },
  syncStates: {
    running: 'Läuft',
    complete: 'Vollständig',
    partial: 'Unvollständig',
    failed: 'Fehlgeschlagen',
  },
};

const shell: Texts['shell'] = {
  product: 'Abstimmung',
  skip: 'Zum Inhalt springen',
  navigation: 'Hauptnavigation',
  today: 'Heute',
  orders: 'Bestellungen',
  cases: 'Fälle',
  money: 'Geld',
  close: 'Abschluss',
  journals: 'Buchungen',
  imports: 'Importe',
  sync: 'Abgleich',
  actions: 'Protokoll',
  help: 'Hilfe',
  menu: 'Menü',
  language: 'Sprache',
  theme: 'Darstellung',
  themes: { auto: 'Automatisch', light: 'Hell', dark: 'Dunkel' },
  signIn: 'Anmelden',
  signInTitle: 'Bei der Abstimmung anmelden',
  signInIntro:
    'Verwenden Sie Ihr Zugangstoken. Ihre Administration hat es in RECONCILIATION_TOKENS angelegt; sein Name erscheint im Protokoll.',
  token: 'Zugangstoken',
  tokenMissing: 'Geben Sie Ihr Zugangstoken ein.',
  tokenInvalid: 'Dieses Token ist nicht gültig. Prüfen Sie, ob Sie es vollständig kopiert haben.',
  unreachable:
    'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung, und versuchen Sie es erneut.',
  signInWith: (name) => `Mit ${name} anmelden`,
  providerIntro: 'Verwenden Sie das Konto Ihrer Organisation.',
  signInInTab: 'Die Anmeldung öffnet sich in einem neuen Tab. Kehren Sie danach hierher zurück.',
  signInOr: 'Oder verwenden Sie ein Zugangstoken:',
  signInFailed: 'Die Anmeldung ist fehlgeschlagen. Versuchen Sie es noch einmal.',
  reference: (id) => `Kennung für Ihre Administration: ${id}`,
  signInFailures: {
    cancelled: 'Die Anmeldung wurde abgebrochen.',
    expired: 'Diese Anmeldung ist nicht mehr gültig. Beginnen Sie von vorn.',
    'no-role':
      'Ihr Konto hat in diesem Programm keine Rolle. Lassen Sie sich von Ihrer Administration eine zuweisen, und melden Sie sich dann erneut an.',
    'too-many-groups':
      'Sie sind in so vielen Gruppen, dass der OpenID-Anbieter sie weglässt. Lassen Sie sich von Ihrer Administration stattdessen eine Rolle dieses Programms zuweisen.',
    'no-name':
      'Ihr Konto hat keinen Namen, der im Protokoll stehen kann. Wenden Sie sich an Ihre Administration.',
    'answer-invalid':
      'Die Antwort des OpenID-Anbieters gehört nicht zu dieser Anmeldung. Beginnen Sie von vorn, und melden Sie es Ihrer Administration, wenn es sich wiederholt.',
    'provider-refused':
      'Der OpenID-Anbieter akzeptiert dieses Programm nicht. Ihre Administration muss die Registrierung prüfen.',
    'provider-unavailable':
      'Der OpenID-Anbieter ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
    'store-unavailable': 'Die Datenbank antwortet nicht. Versuchen Sie es gleich noch einmal.',
    'rate-limited':
      'Zu viele Anmeldungen sind fehlgeschlagen. Warten Sie eine Minute, und versuchen Sie es dann erneut.',
  },
  signOut: 'Abmelden',
  signedInAs: (name) => `Angemeldet als ${name}`,
  sessionEnded: 'Ihre Sitzung ist beendet',
  sessionEndedText:
    'Melden Sie sich erneut an. Sie bleiben auf dieser Seite, und Ihre Eingaben bleiben erhalten.',
  offline:
    'Sie sind offline. Die Anzeige kann veraltet sein; es geht weiter, sobald Sie verbunden sind.',
  serverAway:
    'Der Server antwortet nicht. Die Anzeige kann veraltet sein; es geht weiter, sobald er antwortet.',
  notFound: 'Diese Seite gibt es nicht',
  notFoundText: 'Die Adresse ist möglicherweise veraltet.',
  searchLabel: 'Suchen',
  searchHint: 'Nummer, Betrag, Kreditgeber, Befehl',
  searchNone: 'Keine Nummer, kein Name und kein Betrag enthält dies.',
  searchShort: 'Nichts beginnt so. Bruchstücke brauchen mindestens drei Zeichen.',
  searching: 'Suche läuft …',
  groups: {
    order: 'Bestellungen',
    case: 'Fälle',
    reference: 'Referenzen der Kreditgeber',
    charge: 'Zahlungen',
    transaction: 'Transaktionen',
    application: 'Anträge',
    amount: 'Beträge',
    lender: 'Kreditgeber',
    person: 'Personen',
    import: 'Importe',
  },
  amountOf: {
    expected: 'erwartet',
    funded: 'bezahlt',
    awaiting: 'ausstehend',
    exception: 'Abweichung',
    settle: 'eingezogen',
    refund: 'erstattet',
    posted: 'gebucht',
    net: 'netto',
  },
  commands: {
    heading: 'Befehle',
    recent: 'Zuletzt geöffnet',
    kinds: { order: 'Bestellung', case: 'Fall' },
    open: (page) => `${page} öffnen`,
    importFile: 'Datei importieren',
    exportOrders: 'Bestellungen exportieren',
  },
  environment: { production: 'Produktion', sandbox: 'Sandbox', uat: 'UAT' },
  importStates: {
    waiting: 'wartet',
    sending: 'wird gesendet',
    checking: 'wird geprüft',
    processing: 'wird importiert',
    done: 'importiert',
    failed: 'fehlgeschlagen',
  },
  runningImport: (file, state, more) =>
    `Import von ${file}: ${state}${more === 0 ? '' : `, und ${more} weitere`}`,
  unnamedFile: 'Hauptbuchzeilen',
  standby: 'Dieser Prozess ist in Bereitschaft: Er antwortet und schreibt nicht.',
  rebuilding: 'Die Auswertungsdatenbank wird neu aufgebaut. Antworten folgen in Kürze.',
  unexplained: (n) =>
    n === 1
      ? 'Ein Status hat sich ohne erkennbaren Grund geändert. Informieren Sie Ihre Entwicklung.'
      : `${n} Status haben sich ohne erkennbaren Grund geändert. Informieren Sie Ihre Entwicklung.`,
};

const today: Texts['today'] = {
  none: (kinds: string) => `Keine: ${kinds}.`,
  money: 'Geld',
  kindsLabel: 'Arten von Aufgaben',
  kinds: {
    alarm: 'Alarme',
    exception: 'Abweichungen',
    'late-funding': 'Überfällige Auszahlungen',
    hold: 'Bald ablaufende Reservierungen',
    'unclear-operation': 'Unklare Vorgänge',
    'dead-webhook': 'Nicht zugestellte Webhooks',
    'dead-alert': 'Nicht zugestellte Hinweise',
    'unproven-day': 'Nicht nachgewiesene Tage',
    quarantine: 'In Quarantäne',
    'ledger-start': 'Vor dem Hauptbuch',
    approval: 'Wartende Freigaben',
  },
  approvals: {
    preparation: (period) => `${period} ist vorbereitet und wartet auf die Freigabe`,
    reopening: (period) => `Der Antrag, ${period} wieder zu öffnen, wartet auf die Bestätigung`,
  },
  titles: {
    hold: 'Reserviert, nicht eingezogen',
    'dead-webhook': 'Der Shop hat diese Nachricht nicht erhalten',
    'dead-alert': 'Die Buchhaltung hat diesen Hinweis nicht erhalten',
    quarantine: 'Ein Datensatz ist nicht als Betrag lesbar',
  },
  operations: { settle: 'Einzug', refund: 'Erstattung', void: 'Storno' },
  unclear: (operation) => `${operation}: Ergebnis unklar`,
  unprovenDay: (day) => `${day} ist nicht nachgewiesen`,
  ends: (day) => `läuft ab am ${day}`,
  lapses: (day) => `entfällt am ${day}`,
  nothing: 'Heute ist nichts zu tun',
  nothingHint: 'Alle Bestellungen stimmen. Neue Aufgaben erscheinen hier von selbst.',
  setUp: {
    title: 'Zuerst das Hauptbuch',
    hint: 'Auszahlungen werden gelesen. Solange es kein Hauptbuch gibt, gilt keine als darin fehlend.',
    ledger:
      'Wählen Sie das Hauptbuch: eine Datei aus Shop oder Buchhaltung mit Einzügen und Erstattungen.',
    preview: 'Sehen Sie die Vorschau an: was jede Spalte bedeutet und welche Zeilen zählen.',
    pass: 'Importieren Sie es. Alle Bestellungen werden sofort abgeglichen, und Offenes erscheint hier.',
    companion:
      'Wenn der Companion alle Zahlungen ausführt, beendet sein erster Einzug diesen Schritt ohne Datei.',
    action: 'Hauptbuch wählen',
  },
  alarm: {
    title: 'Den Alarm zur Kenntnis nehmen',
    hint: 'Er verschwindet von dieser Seite, für alle. Das Protokoll behält ihn mit Ihrer Begründung, und er kommt wieder, wenn etwas anderes gefunden wird.',
    reason: 'Was unternommen wurde',
    reasonMissing: 'Schreiben Sie, was unternommen wurde.',
    acknowledge: 'Zur Kenntnis nehmen',
  },
  nothingOfKind: 'Nichts von dieser Art',
  hidden: (n) =>
    `${count(n, 'weitere Aufgabe', 'weitere Aufgaben')} mit kleineren Beträgen: siehe Fälle.`,
  ledgerStart: {
    title: (fundings, lender, day, of) =>
      `${count(fundings, 'Auszahlung', 'Auszahlungen')}${lender === undefined ? '' : ` von ${lender}`} ${
        day === undefined
          ? `${fundings === 1 ? 'hat' : 'haben'} eine Währung ohne Zeile im Hauptbuch`
          : `${fundings === 1 ? 'wurde' : 'wurden'} vor der ersten Zeile ${
              of === 'lender' ? 'des Kreditgebers' : 'der Währung'
            } im Hauptbuch (${day}) gebucht`
      }`,
    question: 'Anderswo erfasst, oder fehlt eine Datei des Hauptbuchs?',
    assumed: (n) => `${count(n, 'Frage', 'Fragen')} mit angenommener Währung in keiner Summe`,
    answer: 'Antworten',
    hint: 'Bis zu Ihrer Antwort wird keine dieser Auszahlungen abgeglichen. Eine ältere Datei des Hauptbuchs beantwortet die Frage von selbst: Importieren Sie sie zuerst, wenn es sie gibt.',
    elsewhere: 'Sie sind anderswo erfasst: keine abgleichen',
    missing: 'Sie gehören ins Hauptbuch: alle abgleichen und Fälle eröffnen',
    reason: 'Grund (freiwillig)',
    answerMissing: 'Wählen Sie, wo diese Auszahlungen erfasst sind.',
  },
  report: 'Ergebnis melden',
  reportTitle: 'Was hat der Dienst getan?',
  reportHint:
    'Sehen Sie die Zahlung im Portal des Dienstes nach. Der Companion fragt den Dienst noch einmal, und dessen Antwort gilt.',
  done: 'Genau dieser Vorgang hat stattgefunden',
  notDone: 'Nichts davon hat stattgefunden',
  note: 'Wo Sie nachgesehen und was Sie gefunden haben',
  outcomeMissing: 'Wählen Sie, was stattgefunden hat.',
  noteMissing: 'Geben Sie an, wo Sie nachgesehen haben: Es bleibt beim Vorgang.',
};

const order: Texts['order'] = {
  back: 'Alle Bestellungen',
  notFound: 'Diese Bestellung ist unbekannt',
  notFoundHint:
    'Weder das Hauptbuch noch ein Kreditgeber nennt sie. Tage ohne Nachweis können sie noch bringen.',
  fundingWithoutOrder: 'Zahlung ohne Bestellung',
  copyExplanation: 'Erklärung kopieren',
  currencyUnknown: 'Währung unbekannt',
  changed: (moment) => `Status seit ${moment}`,
  settled: 'Eingezogen',
  funded: 'Gezahlt',
  updating: 'Wird aktualisiert: Neue Zeilen dieser Bestellung sind noch nicht in den Beträgen.',
  stillOpen: 'Noch offen',

  timeline: 'Vom Checkout bis zur Auszahlung',
  timelineSummary: (events, first, last) =>
    `${count(events, 'Ereignis', 'Ereignisse')} vom ${first} bis zum ${last}. Die Liste darunter nennt jedes.`,
  timelineEmpty: 'Noch ist nichts geschehen',
  events: (n) => (n === 1 ? 'Das Ereignis' : `Alle ${count(n, 'Ereignis', 'Ereignisse')}`),
  lanes: { merchant: 'Händler', lender: 'Kreditgeber', case: 'Fälle' },
  moments: {
    primed: 'Checkout begonnen',
    Authorize: 'Autorisiert',
    Settle: 'Einzug',
    Refund: 'Erstattung',
    Void: 'Storno',
    Chargeback: 'Rückbelastung',
    ChargebackReversal: 'Rückbelastung aufgehoben',
    due: 'Zahlung fällig',
  },
  posted: (what) => `${what} gebucht`,
  operationStates: {
    recorded: 'wird gesendet',
    'not-sent': 'nicht gesendet',
    rejected: 'abgelehnt',
    accepted: 'ausgeführt',
    unknown: 'Ausgang unklar',
  },
  fundingStatus: (status) => `Der Dienst sagt ${status}`,
  notSettled: (amount) => `davon ${amount} nicht eingezogen`,

  comparison: 'Erwartet gegen gezahlt',
  expected: 'Erwartet',
  difference: 'Differenz',
  rows: {
    settle: 'Einzüge',
    refund: 'Erstattungen',
    chargeback: 'Rückbelastungen',
    reversal: 'Aufgehobene Rückbelastungen',
    total: 'Brutto',
    discount: 'Abschlag',
    net: 'Netto ausgezahlt',
    awaiting: 'Erwartet, nicht überfällig',
  },
  recheck: (day) => `Ohne neue Daten kann sich der Status am ${day} ändern.`,
  discounts: 'Abschlag gegen Vertrag',
  agreed: 'Vereinbart',
  kept: 'Einbehalten',
  returned: 'Zurückgegeben',
  rate: (percent, fixed) => (fixed === undefined ? percent : `${percent} + ${fixed}`),

  lines: 'Hauptbuch und Zahlungen',
  ledgerLine: 'Hauptbuch',
  fundingLine: 'Zahlung',
  noLines: 'Weder das Hauptbuch noch ein Kreditgeber nennt einen Posten in dieser Währung.',
  source: (name) =>
    (
      { companion: 'vom Companion', import: 'importiert', api: 'über die API' } as Record<
        string,
        string
      >
    )[name] ?? name,
  matchedWith: 'Passt zu',
  why: {
    transactionId: 'gleiche Transaktions-ID',
    merchantTransactionId: 'gleiche Transaktions-ID des Händlers',
    lenderReferenceId: 'gleiche Referenz des Kreditgebers',
    typeAndAmount: 'keine gemeinsame ID; gleiche Art und gleicher Betrag',
  },
  unmatchedLine: 'Noch passt keine einzelne Zahlung.',
  unmatchedFunding: 'Kein einzelner Posten des Hauptbuchs passt.',
  ids: 'IDs',
  transactionId: 'Transaktion',
  merchantTransactionId: 'Transaktion des Händlers',
  lenderReferenceId: 'Referenz des Kreditgebers',
  product: 'Produkt',
  promotion: 'Aktion',

  exceptions: 'Abweichungen',
  noExceptions: 'Nichts zu klären',
  statusReasons: 'Warum dieser Status',
  toCase: 'Fall öffnen',
  noCase: 'Ihr Fall wird mit dem nächsten Abruf eröffnet.',
  suggestions: 'Vielleicht verwandt',
  suggestionsHint:
    'Bestellungen mit dem entgegengesetzten offenen Betrag. Vergleichen Sie, bevor Sie etwas berichtigen.',
  suggestionOpen: (amount) => `${amount} offen`,
  suggestionDays: (days) =>
    days === 0
      ? 'am selben Tag'
      : `${count(Math.abs(days), 'Tag', 'Tage')} ${days < 0 ? 'davor' : 'danach'}`,
  raw: 'Rohdaten',
  rawHint: 'Die Antwort der API, wie Programme sie sehen.',
  explanation: 'Erklärung als Text',
  explain: {
    noStatus: 'kein Status',
    settledRefunded: 'eingezogen, erstattet',
    fundedTakenBack: 'gezahlt, zurückgenommen',
    chargedBackReversed: 'rückbelastet, aufgehoben',
    discountNet: 'Abschlag, netto',
    related: 'vielleicht verwandt',
    agreedWith: (rate, amount, lender, since) =>
      `${rate} von ${amount} vereinbart mit ${lender}${since === '' ? '' : ` seit ${since}`}`,
    keptMore: (amount) => `${amount} zu viel einbehalten`,
    keptLess: (amount) => `${amount} zu wenig einbehalten`,
    case: 'Fall',
  },

  charges: 'Belastungen',
  chargesHint: 'Wie der Dienst sie jetzt angibt, über den Companion.',
  chargeCurrency: 'Währung dieser Belastung',
  chargeCurrencyHint:
    'Der Dienst nennt keine Währung, und der Companion kennt die Bestellung nicht. Wählen Sie die Währung der Belastung, bevor Geld bewegt werden kann.',
  noCharges: 'Der Dienst hat keine Belastung für diese Bestellung.',
  chargesMissing: 'Hier fehlen die Belastungen',
  chargesMissingText:
    'Der Companion antwortet nicht. Alles andere auf dieser Seite kommt aus dem Abgleich und ist vollständig.',
  readOnly: 'Zum Einziehen, Erstatten und Stornieren braucht Ihr Token das Recht „money“.',
  noMoneyToken:
    'Von hier lässt sich kein Geld bewegen: Dem Server fehlt RECONCILIATION_COMPANION_MONEY_TOKEN.',
  chargeStates: {
    Created: 'Angelegt',
    Authorized: 'Autorisiert',
    PartiallySettled: 'Teilweise eingezogen',
    Settled: 'Eingezogen',
    PartiallyRefunded: 'Teilweise erstattet',
    PartiallySettledPartiallyRefunded: 'Teilweise eingezogen, teilweise erstattet',
    SettledPartiallyRefunded: 'Eingezogen, teilweise erstattet',
    PartiallySettledRefunded: 'Teilweise eingezogen, erstattet',
    Refunded: 'Erstattet',
    Voided: 'Storniert',
    ChargedBack: 'Rückbelastet',
  },
  authorized: 'Autorisiert',
  refunded: 'Erstattet',
  toSettle: 'Noch einziehbar',
  toRefund: 'Noch erstattbar',
  orderedDiffers: (amount) =>
    `Die Bestellung beträgt ${amount}: Der Leasinggeber belastet sie ohne ihre Umsatzsteuer.`,
  operations: 'Vorgänge des Companions',
  verbs: { settle: 'Einziehen', refund: 'Erstatten', void: 'Stornieren' },
  dialogs: {
    settle: 'Belastung einziehen',
    refund: 'Dem Kunden erstatten',
    void: 'Belastung stornieren',
  },
  confirm: {
    settle: (amount) => `${amount} einziehen`,
    refund: (amount) => `${amount} erstatten`,
    void: (amount) => `${amount} stornieren`,
  },
  howMuch: 'Wie viel?',
  modes: { whole: 'Alles, was übrig ist', part: 'Ein Teil', items: 'Nach Artikeln' },
  itemsTax: 'Steuer auf diese Artikel',
  amountLabel: (currency) => `Betrag in ${currency}`,
  amountHint: (limit) => `Höchstens ${limit}.`,
  problems: {
    missing: 'Geben Sie einen Betrag ein.',
    unreadable: (example) => `Das ist kein Betrag. Schreiben Sie ihn wie ${example}.`,
    'too-precise': (decimals) =>
      decimals === 0
        ? 'Diese Währung hat keine Nachkommastellen.'
        : `Diese Währung hat höchstens ${count(decimals, 'Nachkommastelle', 'Nachkommastellen')}.`,
    zero: 'Der Betrag muss größer als null sein.',
    exceeds: (limit) => `Es sind nur ${limit} übrig.`,
    noItems: 'Geben Sie die Menge von mindestens einem Artikel ein.',
  },
  quantity: (name) => `Menge von ${name}`,
  ofQuantity: (n) => `von ${n}`,
  preview: 'Was übrig bleibt',
  now: 'Jetzt',
  after: 'Danach',
  voidText:
    'Die Autorisierung endet, und der Kunde schuldet nichts. Das lässt sich nicht rückgängig machen.',
  refundText:
    'Der Kreditgeber gibt den Betrag dem Kunden zurück. Das lässt sich nicht rückgängig machen.',
  settleText: 'Der Kreditgeber zahlt Ihnen den Betrag. Ziehen Sie ein, was Sie versandt haben.',
  done: {
    settle: (amount) => `${amount} eingezogen.`,
    refund: (amount) => `${amount} erstattet.`,
    void: (amount) => `${amount} storniert.`,
  },
  refused: 'Das wurde nicht ausgeführt',
  refusedByService: 'Der Dienst hat es abgelehnt.',
  unclear: 'Der Ausgang ist noch unbekannt',
  unclearText: {
    settle: (amount) =>
      `Ein Einzug von ${amount} wurde gesendet, und es kam keine Antwort. Er kann ausgeführt sein. Fragen Sie erneut: Derselbe Vorgang wird nie zweimal ausgeführt.`,
    refund: (amount) =>
      `Eine Erstattung von ${amount} wurde gesendet, und es kam keine Antwort. Sie kann ausgeführt sein. Fragen Sie erneut: Derselbe Vorgang wird nie zweimal ausgeführt.`,
    void: (amount) =>
      `Ein Storno von ${amount} wurde gesendet, und es kam keine Antwort. Es kann ausgeführt sein. Fragen Sie erneut: Derselbe Vorgang wird nie zweimal ausgeführt.`,
  },
  askAgain: 'Erneut fragen',
};

/** Cash walk steps that have the same name elsewhere. */
const steps = {
  opening: 'Vorher unterwegs',
  expected: 'Eingezogen',
  short: 'Fehlend oder falsch gebucht',
  refunds: 'Erstattungen',
  chargebacks: 'Rückbelastungen',
  reversals: 'Aufhebungen',
  duplicates: 'Doppelt bezahlt',
  other: 'Ohne Posten im Hauptbuch',
  unexplained: 'Ungeklärt',
};

const orders: Texts['orders'] = {
  funded: 'Ausgezahlt',
  share: 'Anteil am Schritt',
  net: 'Netto nach Abschlag',
  changed: 'Geändert',
  none: 'Keine Bestellung passt zu diesen Filtern',
  due: 'Fällig',
  dueOn: (days) => `Fällig ${days}`,
  claimed: 'Buchungen mit dem Status',
  fundings: (n) => count(n, 'Buchung', 'Buchungen'),
  step: (name) => `Schritt der Geldbewegung: ${name}`,
  steps: {
    ...steps,
    awaiting: 'Offen',
    accepted: 'Hingenommen',
    over: 'Zu viel',
    discount: 'Abschlag',
    net: 'Netto',
  },
};

const refusals: Record<CaseSheetRefusalCode, string> = {
  'case-unknown':
    'Diesen Fall gibt es nicht. Stellen Sie die Spalte case wieder her, oder laden Sie die Fälle erneut herunter.',
  'case-repeated': 'Eine andere Zeile nennt denselben Fall. Behalten Sie eine davon.',
  'revision-unknown':
    'Diesen Stand des Falls gibt es nicht. Stellen Sie die Spalte revision wieder her, oder laden Sie die Fälle erneut herunter.',
  'case-merged':
    'Der Fall wird mit einem anderen bearbeitet. Entscheiden Sie über den anderen, oder trennen Sie diesen ab.',
  'case-changed':
    'Der Fall wurde nach dem Herunterladen geändert. Laden Sie die Fälle erneut herunter.',
  'row-contradicts':
    'Die Zeile passt nicht zu ihrem Fall: Die Tabellenkalkulation hat einen Wert geändert, oder Zeilen sind vermischt. Stellen Sie den Wert wieder her.',
  'row-unreadable': 'Die Zeile ist nicht lesbar.',
  'person-unknown':
    'Diese Person ist unbekannt. Berichtigen Sie den Namen, oder erlauben Sie neue Personen.',
  'reason-missing': 'Es fehlt ein neuer Grund. Schreiben Sie ihn in die Spalte reason.',
  'reason-without-decision':
    'Ein offener Fall hat keinen Grund. Setzen Sie state auf resolved oder ignored, oder schreiben Sie den Text in die Spalte note.',
  'state-unknown': 'Diesen Status gibt es nicht. Schreiben Sie open, resolved oder ignored.',
  'state-not-permitted':
    'Der Fall ist geschlossen, weil seine Abweichung behoben ist. Nur Notizen sind möglich.',
  'text-invalid': 'Ein Text ist zu lang oder hat ungültige Zeichen. Schreiben Sie ihn neu.',
  'order-edited':
    'Die Bestellung ist bearbeitet. Sollen importierte Zeilen zu einer anderen Bestellung gehören, importieren Sie eine berichtigte Datei: Der Import zeigt die Unterschiede und fragt. Stellen Sie den Wert hier wieder her.',
};

const cases: Texts['cases'] = {
  intro:
    'Ein Fall je Abweichung. Die Abstimmung schließt einen Fall, wenn seine Abweichung behoben ist.',
  age: 'Alter',
  due: 'Entscheiden bis',
  overdue: 'Frist abgelaufen',
  assignee: 'Zugewiesen an',
  unassigned: 'Nicht zugewiesen',
  least: 'Mindestens',
  minimumAge: 'Älter als (Tage)',
  opened: 'Eröffnet',
  views: {
    label: 'Ansichten',
    all: 'Alle offenen',
    mine: 'Meine',
    mentions: 'Erwähnen mich',
    unassigned: 'Nicht zugewiesen',
    overdue: 'Frist abgelaufen',
    old: 'Älter als 7 Tage',
    snoozed: 'Zurückgestellt',
    merged: 'Mit einem anderen Fall bearbeitet',
  },
  matching: (n) => count(n, 'Fall', 'Fälle'),
  empty: 'Kein Fall passt zu diesen Filtern',
  emptyHint: 'Setzen Sie die Filter zurück, um alle offenen Fälle zu sehen.',
  none: 'Kein offener Fall',
  noneHint: 'Alle Abweichungen sind geklärt. Neue erscheinen hier nach dem nächsten Abgleich.',
  readOnly: 'Sie können Fälle ansehen. Um sie zu bearbeiten, braucht Ihr Token das Recht „cases“.',
  aging: {
    title: 'Offene Fälle nach Alter',
    open: 'Offen',
    amount: 'Betroffener Betrag',
    assumed: (n) => `${count(n, 'Fall', 'Fälle')} mit angenommener Währung in keiner Summe`,
    summary: (n, amount, old) =>
      `${count(n, 'offener Fall', 'offene Fälle')} über ${amount}; ${old} älter als 7 Tage.`,
    days: {
      'under 1 day': 'Unter 1 Tag',
      '1–3 days': '1–3 Tage',
      '3–7 days': '3–7 Tage',
      '7–30 days': '7–30 Tage',
      'over 30 days': 'Über 30 Tage',
    },
    money: {
      'under 10': 'Unter 10',
      '10–100': '10–100',
      '100–1,000': '100–1.000',
      'over 1,000': 'Über 1.000',
    },
  },
  under: (amount) => `Unter ${amount}`,
  daysUnder: (days) => `Jünger als ${count(days, 'Tag', 'Tage')}`,
  notAssumed: 'Währung nicht angenommen',
  openedFrom: (moment) => `Eröffnet seit ${moment}`,
  begunTo: (day) => `Begonnen bis ${day}, auch zurückgestellte und zusammengeführte`,
  select: (name) => `${name} auswählen`,
  selectMatching: (n) => `${n} passende Fälle auswählen`,
  selectAll: (n) => `Alle ${n} geladenen auswählen`,
  selected: (n) => count(n, 'Fall ausgewählt', 'Fälle ausgewählt'),
  clearSelection: 'Auswahl aufheben',
  verbs: {
    assign: 'Zuweisen',
    note: 'Notiz hinzufügen',
    resolve: 'Lösen',
    ignore: 'Ignorieren',
    snooze: 'Zurückstellen',
    wake: 'Zurückholen',
    reopen: 'Wieder öffnen',
    merge: 'Zusammenführen',
    split: 'Abtrennen',
  },
  bulk: {
    assign: (n) => `${count(n, 'Fall', 'Fälle')} zuweisen`,
    note: (n) => `Notiz zu ${count(n, 'Fall', 'Fällen')} hinzufügen`,
    resolve: (n) => `${count(n, 'Fall', 'Fälle')} lösen`,
    ignore: (n) => `${count(n, 'Fall', 'Fälle')} ignorieren`,
    snooze: (n) => `${count(n, 'Fall', 'Fälle')} zurückstellen`,
    wake: (n) => `${count(n, 'Fall', 'Fälle')} zurückholen`,
    reopen: (n) => `${count(n, 'Fall', 'Fälle')} wieder öffnen`,
    merge: (n) => `${count(n, 'Fall', 'Fälle')} zusammenführen`,
    mergeHint:
      'Die anderen verlassen die Liste, und eine Entscheidung über den gewählten Fall gilt für alle. Nur offene Fälle derselben Währung.',
    split: (n) => `${count(n, 'Fall', 'Fälle')} abtrennen`,
    refused: (n) =>
      `${count(n, 'Fall ist', 'Fälle sind')} in einem Status, der das nicht zulässt, und ${n === 1 ? 'wird' : 'werden'} abgelehnt.`,
    progress: (done, all) => `${done} von ${all} erledigt`,
    running: 'Die Fälle werden bearbeitet',
    paused: 'Unterbrochen',
    pausedText:
      'Es ist nichts verloren. Fahren Sie fort, sobald Sie verbunden und angemeldet sind: Erledigtes wird nicht wiederholt.',
    complete: 'Erledigt',
    failed: (n) => `${count(n, 'Fall', 'Fälle')} nicht geändert`,
    changed:
      'Der nächste Versuch gilt trotz der Änderung. Um anders zu entscheiden, öffnen Sie den Fall.',
    retry: 'Diese erneut versuchen',
    continue: 'Fortfahren',
    stop: 'Anhalten',
    stopping: 'Hält nach den gesendeten Fällen an',
    stopped: 'Angehalten',
    stoppedText: (n) =>
      `${count(n, 'Fall ist', 'Fälle sind')} wie zuvor. Fahren Sie fort, oder machen Sie das Erledigte rückgängig.`,
  },
  sheet: {
    upload: 'Bearbeitete Fälle hochladen',
    uploadHelp:
      'Laden Sie die Fälle als CSV oder Excel herunter, bearbeiten Sie state, assignee, reason und note, und laden Sie die Datei hoch. Sie sehen die Unterschiede, bevor sie zählen.',
    title: 'Bearbeitete Fälle',
    figures: {
      rows: 'Zeilen',
      unchanged: 'Unveränderte Zeilen',
      differences: 'Unterschiede',
      refused: 'Abgelehnte Zeilen',
    },
    differences: (n) => count(n, 'Unterschied', 'Unterschiede'),
    refusals: (n) =>
      count(n, 'abgelehnte Zeile wird ausgelassen', 'abgelehnte Zeilen werden ausgelassen'),
    before: 'Vorher',
    after: 'Nachher',
    refusal: (code) => refusals[code],
    newPersons: 'Zuweisung an neue Personen erlauben',
    sheetName: 'Blatt mit den Fällen, als Name oder Nummer',
    compareAgain: 'Erneut vergleichen',
    apply: (n) => `${count(n, 'Unterschied', 'Unterschiede')} anwenden`,
    done: (n, all) =>
      `${count(n, 'Unterschied', 'Unterschiede')} an ${count(all, 'Fall', 'Fällen')} angewendet`,
    none: 'Keine Zelle ist bearbeitet',
    allApplied: 'Alle Unterschiede sind schon angewendet',
  },
  fields: {
    assignee: 'Person',
    assigneeHint: 'Leer lassen, um die Zuweisung aufzuheben.',
    note: 'Notiz',
    reasonHint: 'Der Grund bleibt im Protokoll.',
    missing: 'Geben Sie einen Text ein.',
  },
  keys: {
    nextRow: 'Nächster Fall der Liste',
    previousRow: 'Vorheriger Fall der Liste',
    open: 'Fall öffnen',
    select: 'Fall auswählen',
    resolve: 'Lösen: Grund eingeben',
    ignore: 'Ignorieren: Grund eingeben',
    snooze: 'Zurückstellen: Tag wählen',
    merge: 'Zusammenführen: anderen Fall wählen',
    undo: 'Entscheidung rückgängig machen, 10 Sekunden lang',
    undoBulk: 'Aktion an mehreren Fällen rückgängig machen',
    stopBulk: 'Aktion an mehreren Fällen anhalten',
    send: 'Im Text: Begonnenes ausführen',
    leaveField: 'Text verlassen, damit Tasten wieder wirken',
  },
  queue: {
    label: 'Liste der Fälle',
    place: (position, n, hasMore) => `${position} von ${n}${hasMore ? ' +' : ''}`,
    next: 'Nächster Fall',
    previous: 'Vorheriger Fall',
    isDone: 'Das war der letzte Fall: zurück zur Liste',
    opened: (name) => `Nächster Fall: ${name}`,
  },
  done: {
    assign: (name) => (name === '' ? 'Zuweisung aufgehoben.' : `${name} zugewiesen.`),
    note: () => 'Notiz hinzugefügt.',
    resolve: () => 'Fall gelöst.',
    ignore: () => 'Fall ignoriert.',
    snooze: (day) => `Fall bis ${day} zurückgestellt.`,
    wake: () => 'Der Fall ist wieder in der Liste.',
    reopen: () => 'Fall wieder geöffnet.',
    merge: () => 'Der Fall wird mit einem anderen bearbeitet.',
    split: () => 'Der Fall wird wieder für sich bearbeitet.',
  },
  mergedState: 'Zusammengeführt',
  mergedInto: (link) => [
    'Wird bearbeitet mit ',
    link,
    '. Eine Entscheidung dort gilt für beide Fälle.',
  ],
  mainCase: 'einem anderen Fall',
  withOthers: (n) => `mit ${count(n, 'weiterem Fall', 'weiteren Fällen')}`,
  totalAtStake: 'insgesamt betroffen',
  atStake: (amount: unknown) => ['davon ', amount, ' betroffen'],
  restElsewhere: ': den Rest zählen andere Fälle der Bestellung',
  countedWithOthers: (n: number) =>
    `${count(n, 'Fall', 'Fälle')}, deren Betrag ein anderer Fall der Bestellung zählt`,
  mergedTitle: 'Mit diesem Fall bearbeitet',
  mergedHint: 'Eine Entscheidung über diesen Fall gilt auch für diese, mit demselben Grund.',
  mergeInto: 'Zusammenführen mit',
  mergeHint:
    'Der Fall verlässt die Liste, und eine Entscheidung über den anderen gilt für beide. Nur offene Fälle derselben Währung.',
  mergeOther: 'Fallnummer oder Bestellung',
  mergeUnknown: 'Wählen Sie einen der Fälle, oder geben Sie eine Fallnummer ein.',
  snoozedUntil: (day) => `Zurückgestellt bis ${day}`,
  snoozeUntil: 'Zurückstellen bis',
  snoozeHint: 'Der Fall verlässt die Liste bis zu diesem Tag, oder bis sich sein Inhalt ändert.',
  undo: 'Rückgängig',
  undone: 'rückgängig gemacht',
  sends: (key, verb) => [key, ` ${verb}`],
  conflict: {
    title: 'Der Fall hat sich geändert, seit Sie ihn geöffnet haben. Es wurde nichts getan.',
    again: 'Lesen Sie, was sich geändert hat, und entscheiden Sie neu.',
    reopenFirst: 'Um anders zu entscheiden, öffnen Sie den Fall zuerst wieder.',
    merged: 'Entscheiden Sie über den anderen Fall, oder trennen Sie diesen ab.',
    closed: 'Seine Abweichung ist behoben: Es gibt nichts mehr zu entscheiden.',
    already: 'Es bleibt nichts zu tun: Der Fall ist schon, wie Sie ihn haben wollten.',
    kept: 'Ihr Text bleibt erhalten.',
    repeat: (verb: string) => `Trotzdem: ${verb}`,
  },
  hold: 'Ein ignorierter oder gelöster Fall öffnet sich wieder, wenn sich sein Betrag ändert.',
  back: 'Alle Fälle',
  notFound: 'Diesen Fall gibt es nicht',
  work: 'Diesen Fall bearbeiten',
  comment: 'Notiz oder Grund',
  commentHint:
    'Nötig, um den Fall zu lösen, zu ignorieren oder wieder zu öffnen. @Name erwähnt eine Person. Bitte ohne personenbezogene Daten.',
  assignToMe: 'Mir zuweisen',
  unassign: 'Zuweisung aufheben',
  isClosed:
    'Die Abstimmung hat diesen Fall geschlossen: Die Abweichung ist behoben. Notizen sind weiter möglich.',
  facts: 'Angaben',
  since: 'Abweichung seit',
  records: 'Datensätze',
  updated: 'Letzte Änderung',
  alerted: 'Alarm gesendet',
  caseId: 'Fallnummer',
  trailHelp:
    'Jeder Eintrag enthält den Hash des vorigen; die Prüfung findet einen veränderten Eintrag.',
  verify: 'Protokoll prüfen',
  copyText: 'Als Text kopieren',
  whyTitle: 'Warum',
  otherCases: 'Weitere offene Fälle dieser Bestellung',
  mention: 'Erwähnen',
  similar: {
    title: 'Ähnliche Fälle',
    of: (lender) =>
      lender === undefined ? 'Die gleiche Abweichung' : `Die gleiche Abweichung bei ${lender}`,
    all: (n) => (n === 1 ? 'In der Liste zeigen' : `Alle ${n} in der Liste zeigen`),
  },
  copyMessage: 'Nachricht an den Kreditgeber kopieren',
  copyMessageToService: 'Nachricht an den Dienst kopieren',
  copyMessageTo: (lender: string) => `Nachricht an ${lender} kopieren`,
  attachment: 'Anlage dazu',
  message: {
    subject: (order: string, exception: string) => `Bestellung ${order}: ${exception}`,
    subjectOfMany: (n: number) =>
      `${count(n, 'Abweichung', 'Abweichungen')} zwischen unseren und Ihren Büchern`,
    attached:
      'Die angehängte Datei nennt für jede Bestellung, was wir gesendet und was Sie gebucht haben.',
    part: (exception: string, n: number) =>
      `${exception}: ${count(n, 'Bestellung', 'Bestellungen')}`,
    sent: (zone: string) => `Was wir gesendet haben (${zone}):`,
    nothingSent: 'Zu dieser Bestellung haben wir nichts gesendet.',
    posted: (zone: string) => `Was gebucht wurde (${zone}):`,
    nothingPosted: 'Zu dieser Bestellung wurde noch nichts gebucht.',
    unknownAmount: 'Beträge',
  },
  hash: 'Hash',
  kinds: {
    opened: 'hat den Fall eröffnet',
    changed: 'hat eine Änderung des Betrags festgestellt',
    reopened: 'hat den Fall wieder geöffnet',
    closed: 'hat den Fall geschlossen: Die Abweichung ist behoben',
    assigned: 'hat den Fall zugewiesen',
    noted: 'hat eine Notiz hinzugefügt',
    resolved: 'hat den Fall gelöst',
    ignored: 'hat den Fall ignoriert',
    snoozed: 'hat den Fall zurückgestellt',
    woken: 'hat den Fall in die Liste zurückgeholt',
    merged: 'hat den Fall mit einem anderen zusammengeführt',
    split: 'hat den Fall vom anderen abgetrennt',
    gained: 'hat einen anderen Fall mit diesem zusammengeführt',
    lost: 'hat einen anderen Fall von diesem abgetrennt',
    alerted: 'hat einen Alarm gesendet',
  },
  assignedTo: (name) => `hat den Fall ${name} zugewiesen`,
  assignmentRemoved: 'hat die Zuweisung aufgehoben',
  fromTo: (before, after) => `${before} → ${after}`,
  why: {
    'the exception is back': 'Die Abweichung ist wieder da.',
    'its content has changed': 'Ihr Inhalt hat sich geändert.',
    'its main case is open again': 'Der Fall, mit dem er bearbeitet wird, ist wieder offen.',
    'its main case is not open': 'Der Fall, mit dem er bearbeitet wurde, ist nicht offen.',
  },
  cause: {
    amount: 'Der Betrag überschreitet die Schwelle.',
    age: 'Das Alter überschreitet die Schwelle.',
  },
  actions: {
    intro:
      'Was Personen getan haben: Zahlungen, Arbeit an Fällen, Abgleiche, Importe, Exporte, Webhooks, Anmeldungen.',
    numbersHelp:
      'Zahlungen, Abgleiche, Importe und dergleichen haben eine Nummer für ihren Beginn und eine für jedes Ergebnis. Die Nummern dazwischen sind die des Programms, das Fälle eröffnet, ändert und schließt: Filtern Sie nach der Person „reconciliation“.',
    filteredNumbers:
      'Nummern, die nicht aufgeführt sind, gehören zu Einträgen, die die Filter auslassen.',
    noneMatch: 'Kein Eintrag passt zu diesen Filtern',
    caseKinds: {
      opened: 'Fall eröffnet',
      changed: 'Betrag eines Falls geändert',
      reopened: 'Fall wieder geöffnet',
      closed: 'Fall geschlossen',
      assigned: 'Fall zugewiesen',
      noted: 'Notiz zu einem Fall',
      resolved: 'Fall gelöst',
      ignored: 'Fall ignoriert',
      snoozed: 'Fall zurückgestellt',
      woken: 'Fall wieder in der Liste',
      merged: 'Fall zusammengeführt',
      split: 'Fall abgetrennt',
      gained: 'Anderer Fall zusammengeführt',
      lost: 'Anderer Fall abgetrennt',
      alerted: 'Meldung gesendet',
    },
    empty: 'Es wurde noch nichts getan',
    emptyHint:
      'Einzüge, Erstattungen, Stornierungen, Importe, Abgleiche und Wiederholungen von Personen erscheinen hier.',
    at: 'Zeit',
    kind: 'Aktion',
    subject: 'Gegenstand',
    detail: 'Angaben',
    kinds: {
      settle: 'Einzug',
      refund: 'Erstattung',
      void: 'Stornierung',
      resolution: 'Unklarer Vorgang geklärt',
      replay: 'Webhook erneut gesendet',
      sync: 'Abgleich',
      rebuild: 'Neuaufbau',
      import: 'Import',
      withdrawal: 'Rücknahme eines Imports',
      'ledger-start': 'Antwort zum Beginn des Hauptbuchs',
      alarm: 'Alarm',
      acknowledgement: 'Alarm zur Kenntnis genommen',
      acceptance: 'Annahme für den Abschluss',
      'close-preparation': 'Abschluss vorbereitet',
      close: 'Periode abgeschlossen',
      journal: 'Buchungen exportiert',
      reopening: 'Periode wieder geöffnet',
      'request-withdrawal': 'Antrag an eine zweite Person zurückgezogen',
      export: 'Export',
      'sign-in': 'Anmeldung',
      'sign-out': 'Abmeldung',
    },
    fields: {
      money: 'Betrag',
      amount: 'Betrag (kleinste Einheit)',
      operation: 'Vorgang',
      outcome: 'Ergebnis',
      answer: 'Antwort',
      note: 'Notiz',
      reason: 'Grund',
      source: 'Quelle',
      added: 'Hinzugefügt',
      withdrawn: 'Zurückgenommen',
      replaced: 'Ersetzt',
      errorCount: 'Fehler',
      from: 'Von',
      to: 'Bis',
      syncId: 'Abgleich',
      attempts: 'Versuche (mindestens)',
      format: 'Format',
      assignee: 'Person',
      order: 'Bestellung',
      why: 'Grund',
      cause: 'Grund',
      until: 'Bis',
    },
    outcomes: {
      started: 'Begonnen',
      done: 'Erledigt',
      accepted: 'Angenommen',
      unknown: 'Unklar',
      'not-sent': 'Nicht gesendet',
      failed: 'Fehlgeschlagen',
      'token-invalid': 'Token ungültig',
    },
    pending: 'Läuft',
    verify: 'Das ganze Protokoll prüfen',
    verifyText:
      'Berechnet jeden Hash neu. Ein geänderter, entfernter, eingefügter oder verschobener Eintrag bricht die Kette an seiner Stelle.',
    verifyNow: 'Jetzt prüfen',
    anchor: 'Früheres Kettenende, zum Vergleich',
    anchorHint:
      'Optional: ein Kettenende, das Sie früher kopiert haben, oder aus einer Logzeile „trail-anchor“, etwa 17:9f3…; es beweist, dass davor nichts ersetzt wurde.',
    anchorInvalid:
      'Geben Sie das ganze Kettenende mit seinem Doppelpunkt ein, wie Sie es kopiert haben.',
    trail: 'Protokoll',
    valid: 'Unverändert',
    events: (n) => count(n, 'Eintrag', 'Einträge'),
    broken: (seq) => `Gebrochen bei Eintrag ${seq}`,
    reasons: {
      'is missing': 'Dieser Eintrag fehlt.',
      'does not follow the previous event': 'Er folgt nicht auf den vorigen Eintrag.',
      'was changed': 'Er wurde geändert.',
      'is not where the chain ended': 'Er ist nicht der, mit dem die Kette endete.',
      'is after the end of the chain': 'Er steht hinter dem Ende der Kette.',
      'is none that this program writes': 'Einen solchen Eintrag schreibt dieses Programm nicht.',
      'has another name than its person': 'Er hat einen anderen Namen als seine Person.',
      'contradicts the stored case':
        'Der gespeicherte Fall ist nicht der, den seine Einträge ergeben.',
      'is of a case that is missing': 'Sein Fall fehlt.',
      'differs from the anchor':
        'Er oder einer davor weicht von dem Kettenende ab, das Sie eingegeben haben, oder das Kettenende stammt aus einer anderen Umgebung. Vergleichen Sie den Datenspeicher mit einer Sicherung von vorher.',
      'is missing: the anchor is after the end':
        'Er fehlt, obwohl das Kettenende, das Sie eingegeben haben, ihn enthält.',
    },
    compared: {
      title: 'Vergleich mit dem Companion',
      same: 'Kein Unterschied',
      operations: (n) => count(n, 'Vorgang des Companions', 'Vorgänge des Companions'),
      withoutEntry: 'Beim Companion, ohne Eintrag hier:',
      withoutOperation: 'Ein Eintrag hier, ohne Vorgang des Companions:',
      missing: 'Nicht verglichen',
      missingHint: 'Prüfen Sie erneut, wenn der Companion antwortet.',
    },
    head: 'Ende der Kette',
    headHint: 'Bewahren Sie es außerhalb dieses Systems auf, als Anker für später.',
    anchored: 'Sie enthält das Kettenende, das Sie eingegeben haben.',
  },
};

const money: Texts['money'] = {
  sections: 'Bereiche',
  tabs: {
    walk: 'Geldfluss',
    months: 'Verlauf',
    discounts: 'Abschläge',
    radar: 'Radar',
    timing: 'Fristen',
    migration: 'Umstellung',
  },
  days: (from, to) => `${from} bis ${to}`,
  previous: 'Voriger Monat',
  next: 'Nächster Monat',
  emptyHint: 'Wählen Sie einen anderen Monat, oder lesen Sie diese Tage beim Dienst: Abgleich.',
  leftOut: (n) =>
    `${count(n, 'Auszahlung', 'Auszahlungen')} von Bestellungen in mehreren Währungen in keiner Summe: Die eigene Währung ist unbekannt.`,
  assumed: (n) =>
    `${count(n, 'Auszahlung', 'Auszahlungen')} mit angenommener Währung in keiner Summe.`,
  walk: {
    intro:
      'Von dem, was geschuldet war, zu dem, was Kreditgeber gebucht haben. Jeder Schritt öffnet seine Bestellungen.',
    empty: 'Keine Einzüge und keine Auszahlungen in diesem Zeitraum',
    step: 'Schritt',
    running: 'Zwischensumme',
    explained: 'Jeder Cent ist erklärt.',
    notExplained:
      'Die Schritte ergeben nicht den Nettobetrag. Öffnen Sie die Bestellungen dieses Schritts.',
    orders: (step) => `Bestellungen: ${step}`,
    chart: (currency) => `Geldfluss in ${currency}`,
    summary: (expected, net, unexplained) =>
      `Eingezogen ${expected}, von Kreditgebern netto gebucht ${net}, ungeklärt ${unexplained}.`,
    book: {
      label: 'Periode der Bücher',
      days: 'Tage, nach heutigem Stand',
      closed: (period) => `${period}, abgeschlossen`,
      open: (period) => `${period}, offen`,
      sealed: (moment, person) => `wie versiegelt am ${moment} von ${person}.`,
      sealedAdjustments: (n) => `Mit ${count(n, 'Nachtrag', 'Nachträgen')} zu früheren Perioden.`,
      leftOut: (n) =>
        `${count(n, 'Auszahlung war', 'Auszahlungen waren')} bei der Versiegelung in keiner Summe.`,
      adjusted: (n) =>
        n === 0
          ? 'offen, ohne Nachträge.'
          : `offen, mit ${count(n, 'Nachtrag', 'Nachträgen')} zu abgeschlossenen Perioden.`,
    },
    steps: {
      ...steps,
      awaiting: 'Offen: noch unterwegs',
      accepted: 'Hingenommen: mit Grund oder in Toleranz',
      over: 'Zu viel gezahlt',
      reversals: 'Rückbuchungen',
      duplicates: 'Doppelt gezahlt',
      other: 'Nicht im Hauptbuch',
      discount: 'Abschlag (MDR)',
      net: 'Netto gebucht',
    },
  },
  months: {
    intro: 'Was in jedem Monat geflossen ist, neben dem Vormonat, und zwei Zeiträume im Vergleich.',
    measure: 'Gezeigter Betrag',
    chart: (step, currency) => `${step} je Monat in ${currency}`,
    summary: (month, amount, before) => `${month}: ${amount}; im Vormonat: ${before}.`,
    month: 'Monat',
    before: 'Vormonat',
    difference: 'Unterschied',
    percent: 'In Prozent',
    unfinished: (day) => `Der jüngste Zeitraum endet am ${day}: Seine Beträge wachsen noch.`,
    compare: 'Zwei Zeiträume',
    periods: 'Verglichene Zeiträume',
    comparisons: {
      month: 'Dieser Monat, Vormonat',
      lastMonth: 'Letzter Monat, Monat davor',
      monthOfLastYear: 'Dieser Monat, gleicher Monat im Vorjahr',
      quarter: 'Dieses Quartal, letztes Quartal',
      quarterOfLastYear: 'Dieses Quartal, gleiches Quartal im Vorjahr',
      year: 'Dieses Jahr, Vorjahr',
    },
    compared: (currency) => `Zwei Zeiträume in ${currency}`,
  },
  discounts: {
    intro: 'Was Kreditgeber als Abschlag (MDR) einbehalten haben, verglichen mit Ihren Verträgen.',
    empty: 'Keine Abschläge in diesem Zeitraum',
    chart: (currency) => `Vereinbarter und einbehaltener Abschlag in ${currency}`,
    summary: (n, variance) =>
      `${count(n, 'Vereinbarung', 'Vereinbarungen')}; ${variance} über die Verträge hinaus einbehalten.`,
    agreement: 'Vereinbarung',
    noContract: 'Kein Vertrag',
    from: (day) => `ab ${day}`,
    perSettle: (amount) => `+ ${amount} je Einzug`,
    settles: 'Einzüge',
    variance: 'Zu viel',
    refunds: 'Erstattungen',
    returned: 'Erstatteter Abschlag',
    notReturned: 'Nicht erstattet',
    excess: 'Über Vertrag einbehalten',
    owed: 'Bei Erstattungen nicht zurückgegeben',
    cases: 'Offene Fälle zu Abschlägen',
  },
  radar: {
    intro:
      'Wie oft der Status, den der Dienst für eine Auszahlung nennt, nach Ihren eigenen Büchern falsch ist.',
    empty: 'Keine Auszahlungen in diesem Zeitraum',
    chart: (currency) => `Status des Dienstes in ${currency}`,
    summary: (wrong, all) => `${wrong} von ${all} Status falsch.`,
    right: 'Richtig',
  },
  calendar: {
    title: 'Geldkalender',
    late: 'Überfällig',
    thisWeek: 'Diese Woche',
    nextWeek: 'Nächste Woche',
    certainty: 'Sicherheit',
    unknownLender: 'Kreditgeber noch nicht genannt',
    all: (currency) => `Alle in ${currency}`,
    settles: (n) => count(n, 'Einzug', 'Einzüge'),
    within: (days, n) =>
      `95 % innerhalb von ${days} ${days === '1' ? 'Tag' : 'Tagen'}, aus ${count(n, 'Einzug', 'Einzügen')}`,
    noHistory: 'keine Erfahrung',
    note: 'Einzüge nach dem Tag, an dem der Kreditgeber sie buchen sollte, vor seinem Abschlag. Was fällig, aber nicht überfällig ist, weil ein Tag nicht nachgewiesen ist oder eine Auszahlung unbekannter Währung es bezahlen kann, wird heute erwartet. Jeder Betrag öffnet seine Bestellungen.',
    more: 'Nach Kreditgeber und Tag',
  },
  timing: {
    intro:
      'Wie lange Kreditgeber vom Einzug bis zur Auszahlung brauchen, und was sie als Nächstes buchen sollten.',
    lags: 'Dauer bis zur Auszahlung je Kreditgeber',
    lagsEmpty: 'Keine bezahlten Einzüge in diesem Zeitraum',
    lagsSummary: (n) =>
      `${count(n, 'Kreditgeber', 'Kreditgeber')}: Median und 95. Perzentil in Tagen.`,
    forecast: 'Erwartet in den nächsten 14 Tagen',
    forecastChart: (currency) => `Erwartete Auszahlungen in ${currency}`,
    forecastSummary: (amount, n) =>
      `${amount} aus ${count(n, 'Einzug', 'Einzügen')} in 14 Tagen erwartet.`,
    forecastEmpty: 'Es wird nichts erwartet',
    forecastHint: 'Jede eingezogene Bestellung ist ausgezahlt.',
    forecastNote: 'Vor dem Abschlag des Kreditgebers, nach der üblichen Dauer jedes Kreditgebers.',
    lateHint: (n) =>
      `${count(n, 'Fall', 'Fälle')} mit Einzügen, die kein Kreditgeber rechtzeitig bezahlt hat`,
  },
  migration: {
    intro:
      'Vergleicht die Auszahlungen des Berichts mit denen der Datensatz-Operationen (Version 1 und 2). So ist belegt, dass der Wechsel nichts ändert, worauf Sie sich verlassen. Beide werden beim Dienst gelesen; das dauert.',
    start: 'Vergleichen',
    stop: 'Anhalten',
    reading: (n) => `Wird gelesen … ${count(n, 'Zeile', 'Zeilen')} bisher`,
    truncated:
      'Die Antwort endet vor ihrer Zusammenfassung: Sie ist unvollständig. Versuchen Sie es mit einem kürzeren Zeitraum.',
    orders: 'Abweichende Bestellungen',
    none: 'Keine Bestellung weicht ab: Beide sagen dasselbe.',
    read: 'Gelesene Auszahlungen',
    unreadable: 'Unlesbar',
    operations: { report: 'Bericht', recordsV1: 'Datensätze v1', recordsV2: 'Datensätze v2' },
    operation: 'Operation',
    becomes: 'Was aus jedem Status wird',
    version: 'Version',
    was: 'In den Datensätzen',
    is: 'Im Bericht',
    missing: 'fehlt',
    amounts: 'Beträge',
    chart: 'Geänderte Status',
    summary: (n) => `${count(n, 'Kombination', 'Kombinationen')} von Status.`,
    differs: 'Abweichende Felder',
    first: (shown, all) => `Die ersten ${shown} von ${all}`,
    unreadableList: 'Unlesbare Datensätze',
    download: 'Alles herunterladen (NDJSON)',
  },
};

const journals: Texts['journals'] = {
  intro:
    'Die Beträge einer Periode als Buchungen für Ihre Buchhaltung. Jede Buchung geht auf und führt zu ihren Bestellungen zurück.',
  needsRight: 'Für den Export brauchen Sie das Recht „periods“.',
  journal: 'Buchungen für',
  format: 'Ziel',
  formats: {
    beancount: 'Beancount',
    hledger: 'hledger, ledger',
    quickbooks: 'QuickBooks Online',
    xero: 'Xero',
    netsuite: 'NetSuite',
    datev: 'DATEV (EXTF)',
    csv: 'CSV',
  },
  detail: 'Genauigkeit',
  details: { summary: 'Nach Kreditgeber', orders: 'Nach Bestellung' },
  export: 'Exportieren',
  isDraft:
    'Die Periode ist offen: Dies ist ein Entwurf, der nach dem Abschluss exportiert werden kann.',
  nothingNew: (seq) => `Seit Export FC${seq} gibt es nichts Neues.`,
  since: (seq) => `Nur was seit Export FC${seq} neu ist.`,
  otherDetail: (seq) =>
    `Export FC${seq} hat Buchungen desselben Geldes in der anderen Genauigkeit: Importieren Sie nur einen von beiden.`,
  size: (entries, lines) =>
    `${count(entries, 'Buchung', 'Buchungen')}, ${count(lines, 'Zeile', 'Zeilen')}.`,
  refused:
    'Das Ziel würde dies ablehnen oder kürzen. Bis das behoben ist, kann nichts exportiert werden:',
  times: (n, examples) => `(${n}-mal: ${examples.join(', ')})`,
  done: (seq) => `Als FC${seq} exportiert. Der Download hat begonnen.`,
  files: (files) => `Dateien: ${files.join(', ')}`,
  file: (name, rows) => `${name} (${count(rows, 'Zeile', 'Zeilen')})`,
  first: (n) => `Die ersten ${n} werden gezeigt.`,
  entry: 'Buchung',
  entries: 'Buchungen',
  account: 'Konto',
  debit: 'Soll',
  credit: 'Haben',
  balance: 'Saldo',
  balances: 'Summen und Salden',
  exports: 'Exporte',
  none: 'Es wurde noch nichts exportiert.',
  number: 'Export',
  exported: 'Exportiert',
  correction: 'neu seit einem früheren Export',
  copyHash: (seq) => `Hash von Export FC${seq} kopieren`,
  zip: 'Dateien',
  zipFile: 'ZIP',
  download: (seq) => `Dateien von Export FC${seq} herunterladen`,
  traceOf: (seq, part) =>
    part === '' ? `Export FC${seq}` : `Bestellungen hinter ${part} von Export FC${seq}`,
  purpose: 'Zweck',
  chart: 'Kontenplan',
  chartText: 'Aus der Datei von RECONCILIATION_CHART_FILE. Es gilt die erste passende Zeile.',
  isDefaultChart:
    'Das sind die voreingestellten Konten. RECONCILIATION_CHART_FILE nennt Ihre eigenen.',
  type: 'Art',
  types: {
    asset: 'Aktiva',
    liability: 'Verbindlichkeiten',
    equity: 'Eigenkapital',
    income: 'Erträge',
    expense: 'Aufwand',
  },
  only: 'Nur für',
  kinds: {
    opening: 'Anfangsbestand',
    reversal: 'Auflösung des Betrags unterwegs',
    sales: 'Umsätze',
    payouts: 'Auszahlungen',
    differences: 'Differenzen',
    'in-transit': 'Unterwegs',
  },
  accounts: {
    receivable: 'Forderung an Kreditgeber',
    'in-transit': 'Unterwegs',
    disputed: 'Strittig mit Kreditgebern',
    bank: 'Auszahlungen der Kreditgeber',
    revenue: 'Finanzierte Umsätze',
    refunds: 'Erstattungen',
    discount: 'Händlerabschlag',
    chargebacks: 'Rückbelastungen',
    reversals: 'Zurückgenommene Rückbelastungen',
    overpaid: 'Zu viel gezahlt',
    duplicates: 'Doppelt gezahlt',
    suspense: 'Auszahlungen ohne Posten im Hauptbuch',
    differences: 'Angenommene Differenzen',
    opening: 'Anfangsbestand',
    rounding: 'Rundung',
    unexplained: 'Ungeklärt',
  },
};

const close: Texts['close'] = {
  intro:
    'Eine abgeschlossene Periode bleibt, wie sie berichtet wurde. Was später eintrifft, ist ein Nachtrag in der dann offenen Periode.',
  list: 'Perioden',
  period: 'Periode',
  none: 'Noch keine Periode',
  noneHint: 'Perioden beginnen mit der ältesten Bestellung oder Auszahlung.',
  notFound: 'Diese Periode gibt es nicht',
  notFoundHint: 'Wählen Sie eine Periode aus der Liste.',
  next: 'wird als Nächste abgeschlossen',
  states: {
    closed: 'Abgeschlossen',
    'in-review': 'In Prüfung',
    open: 'Offen',
    future: 'Später',
  },
  stateHints: {
    closed: 'Versiegelt. Die Aufstellungen unten sind die berichteten.',
    'in-review': 'Vorbereitet. Eine Person mit dem Recht „periods“ gibt sie frei.',
    open: 'Erledigen Sie, was die Checkliste nennt, und bereiten Sie den Abschluss dann vor.',
    future: 'Sie ist nicht zu Ende, oder eine Periode davor ist nicht abgeschlossen.',
  },
  prepared: 'Vorbereitet',
  approved: 'Freigegeben',
  byAt: (person, moment) => `${person}, ${moment}`,
  askedAndApproved: (person, second) => `${person}, bestätigt von ${second}`,
  seal: 'Siegel',
  sealNumber: (seq) => `Siegel ${seq}`,
  hash: 'Hash (SHA-256)',
  sealedAt: 'Versiegelt',
  copyHash: (period) => `Hash von ${period} kopieren`,
  onePerson: 'Nicht von einer zweiten Person freigegeben',
  reopened: 'Wieder geöffnet',
  keep: 'Bewahren Sie die Datei oder den Hash anderswo auf: Eine Kopie zeigt, ob Siegel ersetzt wurden.',
  files: 'Herunterladen',
  statementsFile: 'Aufstellungen (JSON)',
  amountsFile: 'Beträge je Bestellung (Parquet)',
  needsRight: 'Vorbereiten, Freigeben und Wiederöffnen brauchen das Recht „periods“.',
  prepare: 'Vorbereiten',
  prepareAgain: 'Erneut vorbereiten',
  approve: 'Freigeben und abschließen',
  reopen: 'Wieder öffnen',
  confirmReopening: 'Wiederöffnen bestätigen',
  withdraw: 'Zurückziehen',
  lapses: (moment) => `Ohne eine zweite Person entfällt es: ${moment}.`,
  blocked: (n) =>
    `${count(n, 'Voraussetzung ist', 'Voraussetzungen sind')} offen: siehe Checkliste.`,
  preparedByYou:
    'Sie haben sie vorbereitet. Haben zwei Personen das Recht, gibt die andere sie frei.',
  askedByYou: 'Sie haben es beantragt. Eine andere Person mit dem Recht bestätigt es.',
  askedToReopen: (person, moment) =>
    `${person} hat beantragt, diese Periode wieder zu öffnen, ${moment}.`,
  done: {
    accept: 'Angenommen.',
    prepare: 'Vorbereitet. Eine andere Person kann sie jetzt freigeben.',
    close: 'Abgeschlossen und versiegelt.',
    reopen: 'Festgehalten. Eine andere Person kann es jetzt bestätigen.',
    reopened: 'Die Periode ist wieder offen.',
    withdraw: 'Zurückgezogen.',
  },
  closing: (period) => `${period} wird abgeschlossen`,
  steps: {
    checking: 'Alle Bestellungen werden noch einmal nach allen Daten beurteilt.',
    summing: 'Die Beträge jeder Bestellung werden summiert.',
    hashing: 'Das Siegel wird berechnet.',
    writing: 'Das Siegel wird geschrieben.',
  },
  dialogs: {
    accept: (check) => `Annehmen: ${check}`,
    acceptHint:
      'Gilt genau für das, was gefunden wurde, und entfällt, wenn sich das ändert. Der Grund wird mit versiegelt.',
    close: (period) => `${period} freigeben und abschließen`,
    closeHint:
      'Sie bestätigen, dass diese Aufstellungen stimmen. Sie werden mit Ihrem Namen versiegelt.',
    reopen: (period) => `${period} wieder öffnen`,
    reopenHint:
      'Haben zwei Personen das Recht, muss eine zweite es bestätigen. Das Siegel bleibt lesbar.',
    confirmHint: 'Die Periode ist sofort wieder offen. Das Siegel bleibt lesbar.',
    reasonMissing: 'Geben Sie einen Grund an.',
  },
  checklist: 'Checkliste',
  checkStates: { done: 'Erledigt', blocked: 'Offen', accepted: 'Angenommen' },
  accept: 'Annehmen',
  acceptedBy: (person, moment) => `Angenommen von ${person}, ${moment}`,
  more: (n) => `und ${n.toLocaleString('de')} weitere`,
  orders: (n) => `${count(n, 'Bestellung', 'Bestellungen')}:`,
  review: {
    title: 'Was freigegeben wird',
    hint: (before) =>
      `Mit den Aufstellungen übernommen, neben ${before}, der zuletzt abgeschlossenen Periode.`,
    isFirst:
      'Mit den Aufstellungen übernommen. Noch ist keine Periode abgeschlossen, mit der verglichen werden könnte.',
    open: 'Offen',
    begun: (period) => `Neu in ${period}`,
    exceptions: 'Fälle nach Abweichung',
    noExceptions: 'Kein Fall ist offen, und keiner begann in dieser Periode.',
    cases: (n) => count(n, 'Fall', 'Fälle'),
    orders: (n) => count(n, 'Bestellung', 'Bestellungen'),
    uncounted: 'Auszahlungen in keiner Summe',
    uncountedOf: {
      quarantine: (n) => `${count(n, 'Auszahlung', 'Auszahlungen')} in Quarantäne`,
      'no-currency': (n) => `${count(n, 'Auszahlung', 'Auszahlungen')} mit unbekannter Währung`,
      'assumed-currency': (n) =>
        `${count(n, 'Auszahlung', 'Auszahlungen')} mit angenommener Währung:`,
    },
    accounts: 'Salden nach Konto',
    nothingAccepted: 'Nichts wurde angenommen: Jede Voraussetzung ist erledigt.',
    since: 'Seit der Vorbereitung',
    sinceNone: 'Seitdem ist nichts dazugekommen.',
    newCases: (n) => count(n, 'neuer Fall', 'neue Fälle'),
    numbers: (first, last) =>
      first === last
        ? `(Nummer ${first} im Protokoll)`
        : `(Nummern ${first} bis ${last} im Protokoll)`,
  },
  checks: {
    'period-ended': {
      name: 'Die Periode ist zu Ende',
      text: 'Ihr letzter Tag ist in der Zeitzone des Unternehmens zu Ende.',
    },
    'earlier-closed': {
      name: 'Die Periode davor ist abgeschlossen',
      text: 'Perioden werden der Reihe nach abgeschlossen.',
    },
    'days-proven': {
      name: 'Jeder Tag ist nachgewiesen',
      text: 'Jeder Tag wurde nach seinem Ende vollständig gelesen.',
    },
    'imports-present': {
      name: 'Jede Datei des Hauptbuchs ist da',
      text: 'Jede Quelle mit einer Datei für die letzte Periode hat eine für diese.',
    },
    'cases-decided': {
      name: 'Jeder Fall ist entschieden',
      text: 'Kein Fall, der vor dem Ende der Periode begann, ist offen.',
    },
    'fundings-counted': {
      name: 'Jede Auszahlung ist in einer Summe',
      text: 'Keine Auszahlung ist in Quarantäne oder hat eine unbekannte oder angenommene Währung.',
    },
    'unexplained-zero': {
      name: 'Nichts ist ungeklärt',
      text: 'Der Geldfluss erklärt jeden Betrag.',
    },
    'operations-clear': {
      name: 'Kein Vorgang ist unklar',
      text: 'Jeder Vorgang des Companion hat einen bekannten Ausgang.',
    },
  },
  places: {
    'days-proven': 'Tage lesen: Abgleich',
    'imports-present': 'Dateien importieren: Importe',
    'cases-decided': 'Fälle entscheiden: Fälle',
    'fundings-counted': 'Quarantäne ansehen: Abgleich',
    'unexplained-zero': 'Geldfluss verfolgen: Geld',
    'operations-clear': 'Ausgang melden: Heute',
  },
  assumedOrders: 'Bestellungen mit angenommener Währung',
  failures: {
    'companion-unavailable':
      'Der Companion antwortet nicht, seine Vorgänge sind deshalb unbekannt.',
  },
  unexplainedOrders: (currency) => `Bestellungen in ${currency}`,
  statements: 'Aufstellungen',
  statementsSealed: 'Wie versiegelt.',
  sinceSeal: {
    title: 'Seit der Versiegelung',
    text: 'Stand von jetzt. Die versiegelten Zahlen oben enthalten ihn nicht.',
    nothing: 'Nichts hat sich geändert.',
    orders: (n) =>
      `${count(n, 'Bestellung hat sich geändert; das zählt', 'Bestellungen haben sich geändert; das zählt')} in`,
    sealed: (n) => `Bei der Versiegelung: ${n.toLocaleString('de')}`,
  },
  statementsOpen: 'Wie sie jetzt versiegelt würden, mit den Nachträgen abgeschlossener Perioden.',
  asWalk: 'Als Geldfluss: Geld',
  ordersOf: (step, currency) => `Bestellungen zu „${step}“ in ${currency}`,
  orderCount: (n) => `Bestellungen: ${n}`,
  noOrders: 'Keine Bestellung hat diesen Betrag',
  noOrdersHint: 'Wählen Sie einen Betrag der Aufstellungen.',
  allAmounts: 'Liste schließen',
  noStatements: 'In dieser Periode wurde kein Geld bewegt',
  inMoney: 'Nach heutigem Stand: Geld',
  adjustments: 'Was sich seitdem geändert hat',
  adjustmentsText: (n) =>
    `${count(n, 'Nachtrag', 'Nachträge')} zu abgeschlossenen Perioden, die in dieser zählen.`,
  adjustmentsNone: 'In abgeschlossenen Perioden hat sich nichts geändert.',
  largest: (n) => `Aufgeführt sind die ${n.toLocaleString('de')} größten.`,
  belongsTo: 'Gehört zu',
  beforeFirst: 'vor dem ersten Abschluss',
  change: 'Änderung',
  inTransit: 'Unterwegs',
  reasons: {
    'funding-changed': 'Ein Kreditgeber hat eine Auszahlung gebucht, geändert oder zurückgenommen.',
    'ledger-changed':
      'Ein Posten des Hauptbuchs wurde spät importiert, zurückgezogen oder eingezogen.',
    'case-decided': 'Eine Differenz wurde hingenommen, oder sie wird es nicht mehr.',
    'policy-changed': 'Ihre Regeln beurteilen die Bestellung anders.',
    'rules-changed': 'Eine neuere Version des Programms beurteilt die Bestellung anders.',
  },
  verify: 'Siegel prüfen',
  verifyText:
    'Berechnet jeden Hash neu aus den Daten, die das Siegel umfasst, und nennt, was verändert wurde.',
  verifyNow: 'Prüfen',
  verified: 'Jedes Siegel ist unversehrt',
  altered: 'Etwas wurde verändert',
  trailAltered: 'Das Protokoll, das sagt, wer entschieden hat, wurde verändert.',
  noSeals: 'Es gibt noch kein Siegel.',
  intact: (seal) => `${seal}: unversehrt`,
  problemsOf: (seal, n) => `${seal}: ${count(n, 'Problem', 'Probleme')}`,
  sealProblems: {
    'statements-altered': () => 'Seine Aufstellungen wurden verändert.',
    'statements-unreadable': () => 'Seine Aufstellungen sind nicht lesbar.',
    'not-in-trail': () => 'Im Protokoll steht kein Abschluss dazu.',
    'trail-altered': () => 'Das Protokoll ist nicht das seines Abschlusses.',
    'preparer-altered': () => 'Laut Protokoll hat es eine andere Person vorbereitet.',
    'approver-altered': () => 'Laut Protokoll hat es eine andere Person freigegeben.',
    'acceptance-altered': (check) => `${check} wurde laut Protokoll nicht so angenommen.`,
    'seal-missing': () => 'Das Siegel fehlt.',
    'flows-altered': () => 'Seine Beträge je Bestellung wurden verändert.',
    'day-altered': (day) => `Der Inhalt vom ${day} wurde verändert.`,
    'day-missing': (day) => `Der Inhalt vom ${day} fehlt oder wurde verändert.`,
    'import-altered': (id) => `Der Import ${id} wurde verändert.`,
    'import-missing': (id) => `Der Import ${id} fehlt oder wurde verändert.`,
  },
  recomputed: (n, size) => `${count(n, 'Inhalt', 'Inhalte')} neu berechnet, ${size}.`,
  bytes: (kilobytes) => `${kilobytes} kB`,
};

const imports: Texts['imports'] = {
  intro:
    'Einzüge und Erstattungen, die nicht über den Companion liefen, aus einer Datei Ihres Shops oder Ihrer Buchhaltung.',
  notPermitted:
    'Zum Importieren und Zurückziehen brauchen Sie das Recht „imports“. Die Liste unten können Sie lesen.',
  drop: 'Hauptbuchdateien hier ablegen',
  choose: 'Dateien auswählen',
  queue: 'Dateien',
  continueWith: (file) => `Weiter mit ${file}`,
  waiting: 'Der Import beginnt, wenn der vorige beendet ist.',
  toAssign: 'Spalten noch zuzuordnen',
  toImport: 'Geprüft',
  unusable: 'Kann nicht importiert werden',
  kinds:
    'CSV, JSON oder NDJSON in beliebiger Größe, oder eine Excel-Arbeitsmappe (.xlsx) bis 32 MB. Exporte von Shopify, Adyen, PayPal und Stripe werden erkannt. Gespeichert wird erst, wenn Sie die Prüfung gesehen haben.',
  otherKinds: {
    xlsb: 'Das ist eine binäre Excel-Arbeitsmappe (.xlsb): Öffnen Sie sie in Excel, und speichern Sie sie als .xlsx.',
    xls: 'Das ist eine Arbeitsmappe eines alten Excel (.xls) oder eine mit Kennwort: Öffnen Sie sie in Excel, entfernen Sie das Kennwort, und speichern Sie sie als .xlsx.',
    'xml-workbook':
      'Das ist eine Arbeitsmappe von Excel 2003 (XML): Öffnen Sie sie in Excel, und speichern Sie sie als .xlsx.',
    ods: 'Das ist eine LibreOffice-Tabelle (.ods oder .fods): Öffnen Sie sie in LibreOffice, und speichern Sie sie als .xlsx.',
    numbers: 'Das ist eine Tabelle von Apple Numbers: Exportieren Sie sie als .xlsx oder CSV.',
    html: 'Das ist eine Webseite, auch wenn der Name auf .xls endet: Öffnen Sie sie in einer Tabellenkalkulation, und speichern Sie sie als .xlsx. Zeigt sie eine Anmeldung oder einen Fehler, exportieren Sie die Datei erneut.',
    document:
      'Das ist ein Dokument, zum Beispiel ein PDF. Beträge lassen sich daraus nicht zuverlässig lesen: Exportieren Sie dieselben Daten als CSV oder JSON.',
    camt: 'Das ist ein Kontoauszug in XML (camt.052, 053 oder 054): Exportieren Sie die Umsätze des Kontos als CSV, und ordnen Sie die Spalten zu.',
    mt940:
      'Das ist ein Kontoauszug in MT940: Exportieren Sie die Umsätze des Kontos als CSV, und ordnen Sie die Spalten zu.',
    ofx: 'Das ist ein Kontoauszug in OFX (.ofx oder .qfx): Exportieren Sie die Umsätze des Kontos als CSV, und ordnen Sie die Spalten zu.',
    qif: 'Das ist ein Kontoauszug in QIF: Exportieren Sie die Umsätze des Kontos als CSV, und ordnen Sie die Spalten zu.',
    xml: 'Das ist eine XML-Datei: Exportieren Sie dieselben Daten als CSV oder JSON.',
    parquet:
      'Das ist eine Parquet-Datei: Exportieren Sie die Tabelle als CSV. Von den Exporten dieses Programms wird „lines“ als CSV wieder eingelesen.',
    archive:
      'Das ist ein Archiv, zum Beispiel ein ZIP: Entpacken Sie es, und importieren Sie die Dateien darin nacheinander.',
  },
  empty: 'Die Datei ist leer.',
  fileGone: 'Die Datei wurde geändert oder ist nicht mehr lesbar. Wählen Sie sie erneut aus.',
  steps: { assign: 'Spalten zuordnen', check: 'Prüfen', done: 'Importieren' },
  stepsLabel: 'Schritte des Imports',
  otherFile: 'Andere Datei wählen',
  reading: 'Der Anfang der Datei wird gelesen.',
  recognized: (name) => `Erkannt als ${name}. Die Spalten sind bereits zugeordnet.`,
  sheet: 'Blatt',
  sheetHelp: 'Welches Blatt der Arbeitsmappe wird importiert?',
  preset: 'Vorlage',
  noPreset: 'Keine',
  presets: {
    lines: 'eigener Export der Posten',
    shopify: 'Shopify-Bestellexport',
    'shopify-payouts': 'Shopify-Auszahlungen mit Einzelposten',
    adyen: 'Adyen Settlement Details',
    paypal: 'PayPal-Abrechnung',
    stripe: 'Stripe-Saldenbericht mit Einzelposten',
    square: 'Square-Transaktionen',
    razorpay: 'Razorpay Settlement Recon',
    'razorpay-api': 'Razorpay Settlement Recon aus der API',
    vipps: 'Vipps-Abrechnung',
    'vipps-transactions': 'Vipps-Abrechnung mit Zeilen TransactionInfo',
    'amazon-in': 'Amazon-Transaktionen, amazon.in',
    'amazon-us': 'Amazon-Transaktionen, amazon.com',
    'amazon-de': 'Amazon-Transaktionen, amazon.de',
    'amazon-fr': 'Amazon-Transaktionen, amazon.fr',
  },
  columns: 'Spalten',
  columnOf: (field) => `Spalte für ${field}`,
  noColumn: 'Keine Spalte',
  required: 'erforderlich',
  samples: (values) => `z. B. ${values}`,
  proposedColumns:
    'Vorgeschlagen nach den Namen der Spalten. Vergleichen Sie die Beispiele, bevor Sie prüfen.',
  moreFields: 'Weitere Spalten',
  fields: {
    order: 'Bestellung',
    type: 'Art',
    amount: 'Betrag',
    settled: 'Eingezogener Betrag',
    refunded: 'Erstatteter Betrag',
    currency: 'Währung',
    date: 'Datum',
    time: 'Uhrzeit',
    zone: 'Zeitzone',
    transaction: 'Transaktionsnummer',
    merchantTransaction: 'Eigene Transaktionsnummer',
    charge: 'Zahlungsnummer',
  },
  amounts: 'Beträge stehen in',
  oneAmount: 'einer Spalte',
  twoAmounts: 'zwei Spalten: eingezogen und erstattet',
  preview: 'Erste Zeilen der Datei',
  reads: (field) => `wird gelesen als ${field}`,
  notation: 'Schreibweise der Werte',
  units: 'Einheit der Beträge',
  unitChoices: { major: '945,63 bedeutet 945,63', minor: '94563 bedeutet 945,63' },
  pick: 'Bitte wählen',
  decimal: 'Dezimaltrennzeichen',
  decimals: { point: 'Punkt: 1,234.50', comma: 'Komma: 1.234,50' },
  dates: 'Datumsformat',
  dateChoices: {
    dmy: 'Tag zuerst: 31.12.2026',
    mdy: 'Monat zuerst: 12/31/2026',
    ddmm: 'Tag und Monat: 3112',
    excel: 'Excel-Zahl: 46387',
    'excel-1904': 'Excel-Zahl seit 1904',
    unix: 'Sekunden seit 1970',
    'unix-ms': 'Millisekunden seit 1970',
  },
  year: 'Jahr',
  currency: 'Währung aller Posten',
  zone: 'Zeitzone für Zeiten ohne Angabe',
  type: 'Posten ohne Art sind',
  typeChoices: {
    settle: 'Einzüge',
    refund: 'Erstattungen',
    sign: 'Einzüge, unter 0 Erstattungen',
  },
  types: 'Wörter der Spalte „Art“',
  typesHelp: 'Jedes Wort braucht eine Bedeutung. Die Prüfung kann weitere Wörter finden.',
  meaning: (word) => `Bedeutung von ${word}`,
  meanings: {
    settle: 'Einzug',
    refund: 'Erstattung',
    sign: 'Nach Vorzeichen',
    skip: 'Auslassen',
  },
  both: 'Eine Zeile mit beiden Beträgen ist ein Einzug und eine Erstattung vom selben Tag',
  rows: 'Ausgelassene Zeilen',
  without: (field) => `Zeilen ohne ${field}`,
  withoutColumn: (column) => `Zeilen ohne Wert in „${column}“`,
  switches: { skipOtherTypes: 'Zeilen mit anderen Arten' },
  onlyColumn: 'Nur Zeilen lesen, in denen diese Spalte …',
  onlyValues: '… einen dieser Werte hat (durch Kommas getrennt)',
  fileForm: 'Dateiformat',
  delimiter: 'Feldtrennzeichen',
  delimiters: {
    ',': 'Komma',
    ';': 'Semikolon',
    '\t': 'Tabulator',
    '|': 'Senkrechter Strich',
  },
  encoding: 'Zeichenkodierung',
  detect: 'Automatisch erkennen',
  check: 'Datei prüfen',
  missing: (fields) => `Ordnen Sie zuerst zu: ${fields}.`,
  sending: (percent) => `Die Datei wird übertragen: ${percent}`,
  checking: 'Der Server liest jede Zeile und vergleicht sie mit dem Hauptbuch.',
  importing:
    'Der Server speichert die Posten und bewertet ihre Bestellungen neu. Bei großen Dateien dauert das eine Minute.',
  cancelled: 'Abgebrochen. Datei und Auswahl bleiben erhalten.',
  uncertain:
    'Die Verbindung endete vor der Antwort. Senden Sie die Datei noch einmal: Bereits angekommene Posten werden erkannt und nicht doppelt gespeichert.',
  busy: 'Ein anderer Import läuft. Versuchen Sie es danach erneut; Ihre Datei bleibt erhalten.',
  change: 'Spalten und Optionen ändern',
  clean: 'Keine Fehler',
  errors: (n) => count(n, 'Fehler', 'Fehler'),
  errorsHelp:
    'Solange es Fehler gibt, wird nichts importiert. Korrigieren Sie die Datei, oder ändern Sie Spalten und Optionen.',
  firstErrors: (n) => `Davon ${n === 1 ? 'ist' : 'sind'} ${n} aufgeführt.`,
  wholeFile: 'ganze Datei',
  line: 'Zeile',
  field: 'Spalte',
  value: 'Wert',
  problem: 'Problem',
  encodingWrong:
    'Die Datei hat andere Schriftzeichen. Wählen Sie unter „Zeichenkodierung“ die richtigen, oder speichern Sie sie als UTF-8.',
  otherError:
    'Die Datei ist mit diesen Spalten und Optionen nicht lesbar. Ändern Sie sie, oder exportieren Sie die Datei erneut.',
  errorTexts: {
    missing:
      'Die Zelle ist leer. Füllen Sie sie aus, oder lassen Sie solche Zeilen unter „Ausgelassene Zeilen“ aus.',
    'missing currency':
      'Die Währung fehlt. Ordnen Sie ihre Spalte zu, oder füllen Sie „Währung aller Posten“ aus.',
    'missing transaction':
      'Die Zeile endet vor dieser Spalte. Exportieren Sie sie mit allen Spalten erneut.',
    'missing merchantTransaction':
      'Die Zeile endet vor dieser Spalte. Exportieren Sie sie mit allen Spalten erneut.',
    'missing charge':
      'Die Zeile endet vor dieser Spalte. Exportieren Sie sie mit allen Spalten erneut.',
    'not-text': 'Der Wert ist kein Text.',
    'too-long':
      'Der Wert ist für diese Spalte zu lang. Prüfen Sie, ob die richtige zugeordnet ist.',
    'control-character': 'Der Wert enthält ein unsichtbares Steuerzeichen. Entfernen Sie es.',
    'spreadsheet-value':
      'Eine Tabellenkalkulation oder ein Programm hat diesen Wert verändert. Formatieren Sie die Spalte als Text, und exportieren Sie erneut.',
    'amount-invalid':
      'Das ist kein Betrag in der gewählten Schreibweise. Prüfen Sie „Einheit der Beträge“ und „Dezimaltrennzeichen“.',
    'amount-too-precise':
      'Der Betrag hat mehr Nachkommastellen als seine Währung. Trennt der Punkt Tausender, wählen Sie das Komma als „Dezimaltrennzeichen“.',
    'amount-zero':
      'Der Betrag ist 0. Korrigieren Sie ihn, oder lassen Sie solche Zeilen unter „Ausgelassene Zeilen“ aus.',
    'formula-zero':
      'Der Betrag ist 0 durch eine Formel, die vielleicht nicht berechnet ist. Öffnen und speichern Sie die Arbeitsmappe in einer Tabellenkalkulation, und wählen Sie sie erneut.',
    'formula-uncomputed':
      'Das ist eine Formel ohne berechneten Wert. Öffnen und speichern Sie die Arbeitsmappe in einer Tabellenkalkulation, und wählen Sie sie erneut.',
    'cell-hidden':
      'Das Blatt blendet diese Spalte aus. Blenden Sie sie ein, oder wählen Sie „Wie gespeichert“.',
    'cell-merged':
      'Die Zelle ist Teil einer verbundenen. Wählen Sie „Wie angezeigt“, um deren Text zu lesen.',
    'amount-merged':
      'Die Zelle ist Teil einer verbundenen, deren Betrag in der ersten Zeile zählt. Lassen Sie die anderen Zeilen unter „Ausgelassene Zeilen“ aus.',
    'amount-negative':
      'Ein Einzug ist kleiner als 0. Ist es eine Erstattung, wählen Sie „Nach Vorzeichen“ für seine Art oder für Posten ohne Art.',
    'both-amounts':
      'Beide Beträge sind ausgefüllt. Sind es ein Einzug und eine Erstattung vom selben Tag, wählen Sie „Eine Zeile mit beiden Beträgen“.',
    'amount-signs':
      'Diese Spalte hat Beträge über und unter 0. Verschieben Sie die Korrekturen in die andere Spalte, oder nutzen Sie eine einzige.',
    'amount-contradicts':
      'Der Nettobetrag dieser Zeile hat ein anderes Vorzeichen. Korrigieren Sie die Zeile, oder geben Sie ihrem Wort unter „Wörter der Spalte ‚Art‘“ eine Bedeutung.',
    'date-invalid':
      'Das ist kein Datum in der gewählten Schreibweise. Wählen Sie sie unter „Datumsformat“.',
    'date-implausible':
      'Das Datum liegt vor dem Jahr 2000 oder mehr als ein Jahr in der Zukunft. Prüfen Sie das Jahr.',
    'currency-unknown': 'Das ist kein Währungscode, wie EUR, der am Datum des Postens gültig war.',
    'type-unknown':
      'Dieses Wort hat noch keine Bedeutung. Wählen Sie eine unter „Wörter der Spalte ‚Art‘“, oder lassen Sie solche Zeilen aus.',
    'type-differs': 'Die Art widerspricht der Spalte, in der der Betrag steht.',
    'zone-unknown':
      'Die Zeitzone fehlt, ist unbekannt, mehrdeutig oder gilt an diesem Tag nicht. Schreiben Sie Europe/Berlin, oder ordnen Sie keine Spalte zu und füllen „Zeitzone für Zeiten ohne Angabe“ aus.',
    'zone-differs':
      'Die Zeitzone weicht von „Zeitzone für Zeiten ohne Angabe“ ab. Schreiben Sie Europe/Berlin, oder ordnen Sie keine Spalte zu.',
    'row-contradicts':
      'Eine andere Spalte dieser Zeile widerspricht dem, wie nach dem Entfernen von Nullen. Exportieren Sie die Datei erneut, mit dieser Spalte als Text.',
    'columns-differ':
      'Die Zeile hat mehr Werte, als es Spalten gibt. Setzen Sie Werte mit dem Feldtrennzeichen in Anführungszeichen.',
    'not-json': 'Das ist kein JSON-Objekt.',
    'key-twice': 'Das JSON-Objekt hat einen Schlüssel zweimal.',
    'line-contradicts':
      'Eine andere Zeile mit derselben Nummer hat eine andere Bestellung, Währung oder Transaktion oder einen anderen Betrag.',
  },
  noteTexts: {
    'id-folded': 'Unsichtbare Zeichen und Textmarken einer Tabellenkalkulation wurden entfernt',
    'float-digits': 'Ziffern eines Rundungsfehlers wurden entfernt, wie in 133.80000000000001',
  },
  figures: {
    lines: 'Gelesene Zeilen',
    added: 'Neu',
    repeated: 'Bereits im Hauptbuch',
    replaced: 'Ersetzt',
    skipped: 'Ausgelassen',
  },
  totals: 'Summen',
  closedPeriods: (period: string, lines: number) =>
    `${lines === 1 ? 'Eine Zeile gehört' : `${lines} Zeilen gehören`} zu ${period}; die Periode ist abgeschlossen. Sie bleibt, wie sie gemeldet wurde, und die offene Periode zählt die Änderung.`,
  lines: (n) => count(n, 'Zeile', 'Zeilen'),
  typesOf: { Settle: 'Einzüge', Refund: 'Erstattungen' },
  alike: (n) =>
    `${count(n, 'Zeile gleicht', 'Zeilen gleichen')} einer anderen und ${n === 1 ? 'hat' : 'haben'} keine Nummer. Alle zählen.`,
  leftOutReasons: {
    type: 'Art soll ausgelassen werden',
    'other-type': 'andere Art',
    'other-row': 'nicht unter den gewählten Zeilen',
    'without-column': 'ohne Wert in der Spalte',
    'hidden-row': 'im Blatt ausgeblendet',
    merged: 'Teil einer verbundenen Zelle in der Spalte',
    'hidden-column': 'Wert in der ausgeblendeten Spalte',
    stale: 'nicht berechnete Formel in der Spalte',
    header: 'Kopfzeile noch einmal',
    total: 'Summe der Zeilen darüber',
    label: 'Überschrift',
  },
  leftOutWithout: (field) => `ohne ${field}`,
  sheetCells: (n) =>
    count(
      n,
      'Zeile oder Zelle wird anders angezeigt als gespeichert',
      'Zeilen oder Zellen werden anders angezeigt als gespeichert',
    ),
  sheetCellChoices: {
    shown:
      'Wie angezeigt: ausgeblendete Zeilen und Spalten entfallen, und der Text einer verbundenen Zelle gilt in jeder ihrer Zeilen',
    stored:
      'Wie gespeichert: alle Zeilen und Spalten zählen, und eine verbundene Zelle nur in ihrer ersten Zeile',
  },
  unseen: 'In der Arbeitsmappe nicht zu sehen',
  unseenKinds: {
    'hidden-sheet': (n) => count(n, 'ausgeblendetes Blatt', 'ausgeblendete Blätter'),
    'other-sheet': (n) => count(n, 'Blatt ohne Zeilen', 'Blätter ohne Zeilen'),
    'hidden-row': (n) => count(n, 'ausgeblendete Zeile', 'ausgeblendete Zeilen'),
    'filtered-row': (n) =>
      count(n, 'durch einen Filter ausgeblendete Zeile', 'durch einen Filter ausgeblendete Zeilen'),
    'hidden-column': (n) => count(n, 'ausgeblendete Spalte', 'ausgeblendete Spalten'),
    merged: (n) => count(n, 'Zeile mit verbundener Zelle', 'Zeilen mit verbundenen Zellen'),
    uncomputed: (n) => count(n, 'Zeile mit Formel ohne Wert', 'Zeilen mit Formeln ohne Wert'),
    stale: (n) =>
      count(n, 'Zeile mit nicht berechneter Formel', 'Zeilen mit nicht berechneten Formeln'),
  },
  extraRows: (n) =>
    count(n, 'Zeile ist vermutlich kein Posten', 'Zeilen sind vermutlich keine Posten'),
  extraRowChoices: { skip: 'Auslassen', keep: 'Als Posten lesen' },
  atLines: (lines, isMore) =>
    `${lines.length === 1 && !isMore ? 'Zeile' : 'Zeilen'} ${lines.join(', ')}${isMore ? ' …' : ''}`,
  notes: 'Anders gelesen als geschrieben',
  unknownTypes: 'Wörter ohne Bedeutung',
  difference: (n) => `${count(n, 'Zeile weicht', 'Zeilen weichen')} von einem früheren Import ab`,
  differenceFrom: (source, from, to) =>
    `Die Datei wiederholt Posten oder Tage eines früheren Imports der Quelle „${source}“. Verglichen: ${from} bis ${to}.`,
  differenceKind: 'Art',
  differenceKinds: {
    added: 'Hinzugefügt',
    changed: 'Geändert',
    removed: 'Entfernt',
    kept: 'Bleibt',
  },
  correctionChoices: {
    replace:
      'Ersetzen: die Datei berichtigt den früheren Import, dessen geänderte und entfernte Posten zurückgezogen werden',
    add: 'Hinzufügen: die Posten beider Dateien zählen',
  },
  correctionOutcome: ({ stay, go, double }) =>
    [
      count(stay, 'früherer Posten bleibt', 'frühere Posten bleiben'),
      ...(go > 0 ? [count(go, 'entfällt', 'entfallen')] : []),
      ...(double > 0 ? [count(double, 'zählt doppelt', 'zählen doppelt')] : []),
    ].join(', '),
  lookAlikes: (n) => `${count(n, 'Zeile ähnelt', 'Zeilen ähneln')} vorhandenen Posten`,
  decideOnce: 'Entscheiden Sie einmal für alle; die Datei wird dann erneut geprüft.',
  firstLookAlikes: (n) => `Aufgeführt sind die ersten ${n}.`,
  lookAlikeKinds: {
    changed: 'gleiche Nummer, anderer Betrag',
    companion: 'vom Companion gemeldet',
    'same-amount': 'gleiche Bestellung und gleicher Betrag, andere Nummer oder Zeit',
    'other-amount': 'gleiche Bestellung und gleiches Datum, anderer Betrag, keine ID',
  },
  replace: 'Ersetzen: Die Zeile der Datei hat Vorrang',
  replaceHelp: 'Posten, die der Companion selbst meldet, bleiben.',
  keepBoth: 'Beide behalten: Es sind getrennte Posten',
  keepBothHelp: 'Für Teile einer Transaktion.',
  amountInFile: 'In der Datei',
  amountInLedger: 'Im Hauptbuch',
  inLedgerSince: 'Datum im Hauptbuch',
  importLines: (n) => `${count(n, 'Posten', 'Posten')} importieren`,
  nothingNew: 'Alle Posten sind bereits im Hauptbuch. Es gibt nichts zu importieren.',
  doneTitle: 'Importiert',
  doneText: (added) =>
    `${count(added, 'Posten ist', 'Posten sind')} im Hauptbuch, und die Bestellungen sind bewertet.`,
  seeOrders: 'Bestellungen ansehen',
  another: 'Weitere Datei importieren',
  list: 'Bisherige Importe',
  listEmpty: 'Bisher wurde keine Datei importiert',
  actions: { add: 'Import', withdraw: 'Rücknahme' },
  sources: { import: 'Datei', api: 'API' },
  count: 'Posten',
  inForce: 'Im Hauptbuch',
  withdraw: 'Zurückziehen',
  withdrawOf: (moment) => `Import vom ${moment} zurückziehen`,
  withdrawTitle: 'Diesen Import zurückziehen?',
  withdrawText: (n, moment) =>
    `${count(n, 'Posten', 'Posten')} vom ${moment} ${n === 1 ? 'verlässt' : 'verlassen'} das Hauptbuch, und die Bestellungen werden neu bewertet. Posten, die der Companion meldet, bleiben. Sie können die Datei erneut importieren.`,
  withdrawReason: 'Grund, für das Protokoll',
  reasonMissing: 'Geben Sie den Grund an.',
  withdrawalDone: (withdrawn, kept) =>
    `${count(withdrawn, 'Posten ist', 'Posten sind')} zurückgezogen${kept === 0 ? '' : `, ${kept} ${kept === 1 ? 'bleibt' : 'bleiben'}`}.`,
};

const sync: Texts['sync'] = {
  intro:
    'Der Abgleich liest jeden Tag des Berichts, bis zwei Durchgänge übereinstimmen. Erst dann ist der Tag nachgewiesen.',
  start: 'Jetzt abgleichen',
  startRange: 'Zeitraum erneut lesen',
  startHelp: 'Ohne Zeitraum werden die Tage gelesen, die nach ihrem Alter fällig sind.',
  needsRight: 'Für den Abgleich brauchen Sie das Recht „sync“.',
  rangeWrong: 'Geben Sie beide Tage an; der erste darf nicht nach dem letzten liegen.',
  busy: 'Es läuft bereits ein Abgleich. Sein Fortschritt steht hier.',
  companionAway:
    'Der Companion ist nicht erreichbar. Prüfen Sie, ob er läuft; der nächste Abgleich setzt dort fort, wo dieser endete.',
  running: (from, to) => `${from} bis ${to} wird gelesen`,
  progress: (done, planned) => `${done} von ${count(planned, 'Tag', 'Tagen')} gelesen`,
  judging: 'Alle Tage sind gelesen. Die geänderten Bestellungen werden bewertet.',
  reconnecting: 'Die Anzeige des Fortschritts ist unterbrochen; der Abgleich selbst läuft weiter.',
  ended: {
    complete: 'Der Abgleich ist vollständig',
    partial: 'Der Abgleich endete mit nicht nachgewiesenen Tagen',
    failed: 'Der Abgleich ist fehlgeschlagen',
  },
  changes: 'Änderungen',
  proven: 'Nachgewiesene Tage',
  ofDays: (proven, all) => `${proven} von ${all}`,
  noCoverage: 'Noch kein Tag wurde gelesen',
  noCoverageHint:
    'Starten Sie einen Abgleich: Er liest den Bericht des Dienstes und weist jeden Tag nach.',
  calendar: 'Kalender der Tage',
  calendarHelp: 'Wählen Sie einen Tag, um ihn zu sehen. Pfeiltasten wechseln zwischen Tagen.',
  earlier: 'Frühere Monate',
  later: 'Spätere Monate',
  states: {
    complete: 'Nachgewiesen',
    writing: 'Wird geschrieben',
    unproven: 'Nicht nachgewiesen',
    failed: 'Fehlgeschlagen',
    stale: 'Veraltet',
    'never read': 'Nie gelesen',
    outside: 'Außerhalb des Zeitraums',
  },
  passes: 'Durchgänge',
  pages: 'Seiten',
  provenAt: 'Nachgewiesen am',
  assumed: 'Ohne bekannte Währung',
  transactions: 'Brutto',
  readAgain: 'Diesen Tag erneut lesen',
  unprovenList: 'Nicht nachgewiesene Tage',
  unprovenMore: (n) => `Aufgeführt sind die neuesten ${n}.`,
  allProven: 'Jeder Tag ist nachgewiesen',
  quarantine: 'Datensätze in Quarantäne',
  quarantineHelp: 'Sie lassen sich nicht als Geld lesen und sind in keiner Summe enthalten.',
  history: 'Bisherige Abgleiche',
  historyEmpty: 'Noch kein Abgleich',
  days: 'Tage',
  alerts: 'Nachrichten an die Finanzabteilung',
  alertsHelp: 'Jeder neue Fall wird an die eingerichtete Adresse gesendet.',
  alertsEmpty: 'Es wurde keine Nachricht gesendet',
  alertStates: { waiting: 'Wartet', delivered: 'Zugestellt', dead: 'Aufgegeben' },
  resendOf: (id) => `Nachricht ${id} erneut senden`,
  resent: 'Die Nachricht wird erneut gesendet.',
  maintenance: 'Wartung',
  rebuild: 'Auswertungsdatenbank neu aufbauen',
  rebuildTitle: 'Auswertungsdatenbank neu aufbauen?',
  rebuildText:
    'Sie entsteht neu aus den gespeicherten Daten und dem Hauptbuch des Companion. Es geht nichts verloren, und beim Dienst wird nichts abgefragt. Bis dahin melden die Seiten, dass die Daten geladen werden; bei Millionen Datensätzen dauert das Minuten.',
  rebuildConfirm: 'Neu aufbauen',
  rebuildRunning: 'Die Auswertungsdatenbank wird neu aufgebaut.',
  rebuilt: 'Die Auswertungsdatenbank ist neu aufgebaut.',
};

const help: Texts['help'] = {
  contents: 'Auf dieser Seite',
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
    periods: {
      name: 'periods',
      text: 'Den Abschluss einer Periode vorbereiten, freigeben und wieder öffnen. Haben es zwei Personen, sind beide nötig.',
    },
    money: {
      name: 'money',
      text: 'Zahlungen einziehen, erstatten und stornieren sowie Vorgänge mit unklarem Ausgang abschließen. Dazu muss auf dem Server RECONCILIATION_COMPANION_MONEY_TOKEN gesetzt sein.',
    },
  },
  keyboardTitle: 'Tastatur',
  keyboardIntro: 'Jede Funktion lässt sich ohne Maus bedienen.',
  keys: [
    ['Tab, Umschalt + Tab', 'Nächstes oder vorheriges Bedienelement'],
    [
      'Eingabe',
      'Folgt einem Link, betätigt eine Schaltfläche, öffnet den gewählten Treffer oder die Einträge eines Balkens',
    ],
    ['↑ ↓', 'Wechseln zwischen Treffern der Suche und rollen eine Tabelle, die den Fokus hat'],
    [
      '← → ↑ ↓',
      'Wechseln zwischen den Tagen des Kalenders und zwischen den Balken eines Diagramms',
    ],
    ['Pos1, Ende', 'Erster oder letzter Balken eines Diagramms'],
    ['Leertaste', 'Setzt ein Häkchen, öffnet eine Auswahl'],
    ['?', 'Listet die Tasten der Fälle und eines Falls'],
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
    close:
      'Abschluss: Versiegelt, was eine Periode berichtet hat. Was später eintrifft, ist ein Nachtrag in der dann offenen Periode.',
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

/** Refusals of merges, splits and actions on merged cases, by cause. */
const mergeRefusals: Readonly<Record<string, (use: string) => string>> = {
  merged: (use) =>
    `Der Fall wird mit ${use} bearbeitet: Öffnen Sie jenen Fall, oder trennen Sie diesen zuerst ab.`,
  'not-merged': () => 'Der Fall ist mit keinem anderen zusammengeführt.',
  'has-merged': () =>
    'Mit diesem Fall werden andere bearbeitet: Führen Sie den anderen mit diesem zusammen, oder trennen Sie sie zuerst ab.',
  'into-itself': () => 'Ein Fall kann nicht mit sich selbst zusammengeführt werden.',
  'main-merged': (use) => `Der gewählte Fall wird mit ${use} bearbeitet: Wählen Sie jenen.`,
  'main-not-open': () => 'Der gewählte Fall ist nicht offen: Wählen Sie einen offenen.',
  'other-currency': () =>
    'Der gewählte Fall hat eine andere Währung: Wählen Sie einen derselben, damit beide eine Summe haben.',
};

const changedBy: Texts['changedBy'] = (person, kind, moment) => {
  const actor = person === 'reconciliation' ? shell.product : person;
  return `${actor} ${(cases.kinds as Readonly<Record<string, string>>)[kind] ?? kind} (${moment}).`;
};

const refusal: Texts['refusal'] = (code, parameters) => {
  const { action = '', at, by, cause = '', kind = '', state = '', use = '' } = parameters;
  if (code === 'case-changed' && at !== undefined && by !== undefined) {
    return `${changedBy(by, kind, at)} Es wurde nichts getan: Sehen Sie sich den Fall an, und entscheiden Sie neu.`;
  }
  if (code !== 'case-not-permitted') return undefined;
  const ofMerge = mergeRefusals[cause];
  if (ofMerge !== undefined) return ofMerge(use);
  if (action === 'woken') return 'Der Fall ist nicht zurückgestellt.';
  if (state === 'closed') return 'Der Fall ist geschlossen: Seine Abweichung ist behoben.';
  if (action === 'reopened') return 'Der Fall ist schon offen.';
  const word = (words.caseStates as Readonly<Record<string, string>>)[state]?.toLowerCase();
  if (word === undefined) return undefined;
  if (state === action) return `Der Fall ist schon ${word}.`;
  return `Der Fall ist ${word}: Öffnen Sie ihn wieder, bevor Sie anders entscheiden.`;
};

const problems: Texts['problems'] = {
  offline: 'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung; es geht nichts verloren.',
  'own-offline':
    'Sie sind offline. Verbinden Sie sich mit dem Netz und versuchen Sie es erneut; es geht nichts verloren.',
  'answer-unreadable': 'Die Antwort war unvollständig. Versuchen Sie es erneut.',
  'invalid-request': 'Der Server nimmt diese Eingabe nicht an.',
  'idempotency-key-missing': 'Diese Seite ist veraltet. Laden Sie sie neu.',
  'token-invalid': 'Das Zugriffstoken fehlt oder ist falsch.',
  'session-ended': 'Ihre Sitzung ist beendet. Melden Sie sich erneut an, um fortzufahren.',
  'token-not-permitted': 'Ihre Rechte umfassen das nicht.',
  'origin-not-allowed': 'Die Anfrage kam nicht von dieser Konsole. Laden Sie die Seite neu.',
  'not-found': 'Diese Adresse gibt es nicht. Sie ist möglicherweise veraltet.',
  'order-not-found': 'Zu dieser Bestellung gibt es keine Daten.',
  'case-not-found': 'Diesen Fall gibt es nicht.',
  'charge-not-found': 'Diese Belastung gibt es nicht.',
  'method-not-allowed': 'Diese Seite ist veraltet. Laden Sie sie neu.',
  'idempotency-in-flight':
    'Diese Aktion läuft noch. Warten Sie einen Moment und versuchen Sie es erneut.',
  'environment-mismatch': 'Der Companion verwendet eine andere Umgebung als dieser Server.',
  'charge-busy':
    'Ein anderer Vorgang zu dieser Belastung läuft. Warten Sie sein Ende ab und versuchen Sie es erneut.',
  'charge-currency-unclear': 'Die Währung der Belastung steht nicht fest: Wählen Sie sie zuerst.',
  'charge-not-permitted': 'Der Status der Belastung lässt das nicht zu.',
  'operation-not-permitted': 'Der Status des Vorgangs lässt das nicht zu.',
  'amount-exceeds-charge': 'Der Betrag ist höher als der Rest der Belastung.',
  'sync-busy': 'Ein anderer Abgleich läuft. Warten Sie sein Ende ab und versuchen Sie es erneut.',
  'import-busy': 'Ein anderer Import läuft. Warten Sie sein Ende ab und versuchen Sie es erneut.',
  'period-not-found': 'Diese Periode gibt es nicht.',
  'period-not-ready':
    'Die Periode lässt sich noch nicht abschließen: Die Checkliste nennt, was offen ist.',
  'period-changed':
    'Die Aufstellungen oder der Befund einer Prüfung haben sich seit der Vorbereitung geändert, oder seit sie angezeigt wurden. Nichts wurde festgehalten: Sehen Sie die Periode noch einmal an.',
  'period-not-permitted':
    'Der Zustand der Periode erlaubt das nicht. Er kann sich gerade geändert haben.',
  'journal-not-found': 'Diesen Export oder diese Buchung gibt es nicht.',
  'journal-empty': 'In dieser Periode hat sich nichts bewegt.',
  'journal-refused': 'Das Ziel würde etwas ablehnen oder kürzen. Es wurde nichts exportiert.',
  'second-person-required':
    'Das muss eine zweite Person tun, die das Recht „periods“ hat und sich selbst anmeldet.',
  'case-sheet-changed':
    'Die Datei oder ihre Fälle haben sich seither geändert; nichts wurde angewendet. Vergleichen Sie erneut.',
  'case-changed':
    'Jemand oder das Programm hat den Fall inzwischen geändert. Es wurde nichts getan: Sehen Sie sich den Fall an, und entscheiden Sie neu.',
  'case-not-permitted': 'Der Status des Falls lässt das nicht zu. Laden Sie den Fall neu.',
  'request-too-large': 'Die Datei oder der Text ist zu groß.',
  'media-type-unsupported': 'Diese Art von Datei wird nicht unterstützt.',
  'idempotency-key-reused':
    'Diese Aktion wurde bereits in anderer Form angefragt. Laden Sie die Seite neu.',
  'rate-limited': 'Zu viele Anfragen. Warten Sie einen Moment und versuchen Sie es erneut.',
  'service-rejected': 'Der Finanzierungsdienst hat die Anfrage nicht angenommen.',
  'service-answer-invalid': 'Die Antwort des Finanzierungsdienstes war nicht lesbar.',
  'service-key-rejected':
    'Der Finanzierungsdienst nimmt den Schlüssel des Companions nicht an. Informieren Sie dessen Betreiber.',
  'service-unavailable':
    'Der Finanzierungsdienst ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  'outcome-unknown':
    'Der Finanzierungsdienst hat nicht rechtzeitig geantwortet. Die Aktion kann ausgeführt sein.',
  'store-unavailable': 'Die Datenbank antwortet nicht. Versuchen Sie es gleich noch einmal.',
  'companion-unavailable':
    'Der Companion antwortet nicht. Versuchen Sie es erneut: dieselbe Aktion wird nie zweimal ausgeführt.',
  'provider-unavailable':
    'Der OpenID-Anbieter antwortet nicht. Versuchen Sie es gleich noch einmal.',
  'not-ready': 'Die Auswertungsdatenbank wird neu aufgebaut. Das dauert einen Moment.',
  standby:
    'Dieser Prozess ist in Bereitschaft und schreibt nicht. Ein anderer übernimmt in wenigen Sekunden; versuchen Sie es erneut.',
  overloaded: 'Der Server ist gerade überlastet. Versuchen Sie es gleich noch einmal.',
  'storage-full': 'Auf dem Server ist zu wenig Speicherplatz frei. Sagen Sie es dem Betrieb.',
  internal: 'Auf dem Server ist ein Fehler aufgetreten.',
};

/** German strings: see `en.ts`. */
export const de: Texts = {
  common,
  words,
  exceptions: exceptionTexts('de'),
  alarms: alarmTexts.de,
  gaps: (gaps) => gapsText(gaps, 'de'),
  shell,
  today,
  order,
  orders,
  cases,
  money,
  close,
  journals,
  imports,
  sync,
  help,
  problems,
  refusal,
  changedBy,
};
