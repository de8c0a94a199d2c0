import { csvRow, csvSeparators, csvValue } from '@financing-checkout/contract/money';

/** Columns of a DATEV batch, version 13, in order, with the names that DATEV's own files use. */
export const columns: readonly string[] = [
  'Umsatz (ohne Soll/Haben-Kz)',
  'Soll/Haben-Kennzeichen',
  'WKZ Umsatz',
  'Kurs',
  'Basis-Umsatz',
  'WKZ Basis-Umsatz',
  'Konto',
  'Gegenkonto (ohne BU-Schlüssel)',
  'BU-Schlüssel',
  'Belegdatum',
  'Belegfeld 1',
  'Belegfeld 2',
  'Skonto',
  'Buchungstext',
  'Postensperre',
  'Diverse Adressnummer',
  'Geschäftspartnerbank',
  'Sachverhalt',
  'Zinssperre',
  'Beleglink',
  ...numbered(8, 'Beleginfo - Art', 'Beleginfo - Inhalt'),
  'KOST1 - Kostenstelle',
  'KOST2 - Kostenstelle',
  'Kost-Menge',
  'EU-Land u. UStID (Bestimmung)',
  'EU-Steuersatz (Bestimmung)',
  'Abw. Versteuerungsart',
  'Sachverhalt L+L',
  'Funktionsergänzung L+L',
  'BU 49 Hauptfunktionstyp',
  'BU 49 Hauptfunktionsnummer',
  'BU 49 Funktionsergänzung',
  ...numbered(20, 'Zusatzinformation - Art', 'Zusatzinformation- Inhalt'),
  'Stück',
  'Gewicht',
  'Zahlweise',
  'Forderungsart',
  'Veranlagungsjahr',
  'Zugeordnete Fälligkeit',
  'Skontotyp',
  'Auftragsnummer',
  'Buchungstyp',
  'USt-Schlüssel (Anzahlungen)',
  'EU-Land (Anzahlungen)',
  'Sachverhalt L+L (Anzahlungen)',
  'EU-Steuersatz (Anzahlungen)',
  'Erlöskonto (Anzahlungen)',
  'Herkunft-Kz',
  'Buchungs GUID',
  'KOST-Datum',
  'SEPA-Mandatsreferenz',
  'Skontosperre',
  'Gesellschaftername',
  'Beteiligtennummer',
  'Identifikationsnummer',
  'Zeichnernummer',
  'Postensperre bis',
  'Bezeichnung SoBil-Sachverhalt',
  'Kennzeichen SoBil-Buchung',
  'Festschreibung',
  'Leistungsdatum',
  'Datum Zuord. Steuerperiode',
  'Fälligkeit',
  'Generalumkehr (GU)',
  'Steuersatz',
  'Land',
  'Abrechnungsreferenz',
  'BVV-Position',
  'EU-Land u. UStID (Ursprung)',
  'EU-Steuersatz (Ursprung)',
  'Abw. Skontokonto',
];

/** The columns that are written, in order. */
const written = [
  'Umsatz (ohne Soll/Haben-Kz)',
  'Soll/Haben-Kennzeichen',
  'WKZ Umsatz',
  'Konto',
  'Gegenkonto (ohne BU-Schlüssel)',
  'Belegdatum',
  'Belegfeld 1',
  'Buchungstext',
  'Zusatzinformation - Art 1',
  'Zusatzinformation- Inhalt 1',
  'Zusatzinformation - Art 2',
  'Zusatzinformation- Inhalt 2',
  'Festschreibung',
] as const;

/** Columns whose published pattern has quotation marks, including numbered pairs. */
const texts = new Set([
  'Soll/Haben-Kennzeichen',
  'WKZ Umsatz',
  'WKZ Basis-Umsatz',
  'BU-Schlüssel',
  'Belegfeld 1',
  'Belegfeld 2',
  'Buchungstext',
  'Diverse Adressnummer',
  'Beleglink',
  'KOST1 - Kostenstelle',
  'KOST2 - Kostenstelle',
  'EU-Land u. UStID (Bestimmung)',
  'Abw. Versteuerungsart',
  'Forderungsart',
  'Auftragsnummer',
  'Buchungstyp',
  'EU-Land (Anzahlungen)',
  'Herkunft-Kz',
  'Buchungs GUID',
  'SEPA-Mandatsreferenz',
  'Gesellschaftername',
  'Identifikationsnummer',
  'Zeichnernummer',
  'Bezeichnung SoBil-Sachverhalt',
  'Generalumkehr (GU)',
  'Land',
  'Abrechnungsreferenz',
  'EU-Land u. UStID (Ursprung)',
]);

const isText = (name: string) => texts.has(name) || /^(?:Beleginfo|Zusatzinformation)/.test(name);

/** The cell kind of each written column. */
const kinds = written.map((name) => (isText(name) ? 'exact' : 'number'));

/** The empty columns between two written ones, as CSV; undefined if there are none. */
const gaps = written.map((name, index) => {
  const next = written[index + 1];
  const end = next === undefined ? columns.length : columns.indexOf(next);
  const empty = columns
    .slice(columns.indexOf(name) + 1, end)
    .map((one) => (isText(one) ? '""' : ''));
  return empty.length === 0 ? undefined : empty.join(csvSeparators.comma);
});

/** The values of a row's written columns. Numbers have a decimal point. */
export type DatevValues = Readonly<Record<(typeof written)[number], string>>;

/**
 * Returns a row of a batch. Texts are in quotation marks, even if empty; numbers and dates are not.
 * @throws {RangeError} if a text could start a formula
 */
export function datevRow(values: DatevValues): string {
  const cells: string[] = [];
  for (const [index, name] of written.entries()) {
    cells.push(csvValue({ kind: kinds[index] ?? 'exact', value: values[name] }, 'comma'));
    const gap = gaps[index];
    if (gap !== undefined) cells.push(gap);
  }
  return csvRow(cells, 'comma');
}

function numbered(count: number, kind: string, content: string): string[] {
  return Array.from({ length: count }, (_, index) => [
    `${kind} ${index + 1}`,
    `${content} ${index + 1}`,
  ]).flat();
}
