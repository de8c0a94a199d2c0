import type { Texts } from '../en.ts';
import { count } from './common.ts';

export const order: Texts['order'] = {
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
  net: 'Netto',
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
    discount: 'Abzug',
    net: 'Netto ausgezahlt',
    awaiting: 'Erwartet, nicht überfällig',
  },
  recheck: (day) => `Ohne neue Daten kann sich der Status am ${day} ändern.`,
  discounts: 'Abzug gegen Vertrag',
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
      ({ companion: 'vom Companion', import: 'importiert', api: 'über die API' }) as Record<
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
  recordId: 'Datensatz',

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
    discountNet: 'Abzug, netto',
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
