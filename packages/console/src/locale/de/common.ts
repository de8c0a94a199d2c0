import type { Texts } from '../en.ts';

const plural = new Intl.PluralRules('de');
/** Returns the form of a noun for a count. */
export const count = (n: number, one: string, other: string): string =>
  `${n.toLocaleString('de')} ${plural.select(n) === 'one' ? one : other}`;

export const common: Texts['common'] = {
  all: 'Alle',
  sum: 'Summe',
  amount: 'Betrag',
  cancel: 'Abbrechen',
  clear: 'Filter zurücksetzen',
  close: 'Schließen',
  code: 'Abweichung',
  copied: 'Kopiert',
  copy: 'Kopieren',
  currency: 'Währung',
  day: 'Tag',
  settles: 'Einzüge',
  period: 'Zeitraum',
  resend: 'Erneut senden',
  date: 'Datum',
  export: 'Export',
  downloadPng: 'Als PNG herunterladen',
  filters: 'Filter',
  from: 'Von',
  to: 'Bis',
  lender: 'Kreditgeber',
  loading: 'Wird geladen',
  order: 'Bestellung',
  reason: 'Grund',
  retry: 'Erneut versuchen',
  state: 'Status',
  table: 'Als Tabelle anzeigen',
  unknown: 'unbekannt',
  assumed: 'Währung angenommen',
  assumedHelp:
    'Keine Quelle nennt die Währung dieses Betrags. Er ist in keiner Summe enthalten. Importieren Sie das Hauptbuch der Bestellung, oder setzen Sie RECONCILIATION_DEFAULT_CURRENCY.',
  zone: (zone) => `Tage in ${zone}`,
  since: (day) => `seit ${day}`,
  days: (n) => count(n, 'Tag', 'Tage'),
  rows: (n) => count(n, 'Zeile', 'Zeilen'),
  asOf: (moment) => `Stand: ${moment}`,
  incomplete: (days) =>
    `${count(days, 'Tag ist', 'Tage sind')} nicht nachgewiesen. Ergebnisse können sich ändern, und bis dahin gilt keine Zahlung eines Kreditgebers als überfällig.`,
  quarantined: (n) =>
    `${count(n, 'Datensatz ist', 'Datensätze sind')} in Quarantäne und in keiner Summe enthalten.`,
  partial: 'Der Companion hat nicht geantwortet. Seine Angaben fehlen hier.',
  error: {
    title: 'Das konnte nicht geladen werden',
    request: (id) => `Anfrage ${id}`,
  },
  empty: 'Keine Einträge',
};
