import { type LedgerField, ledgerFieldNames, ledgerFields } from './columns.ts';

/**
 * Names that shops and accounting programs give to each field's columns, the most specific first.
 * Includes the console's labels in each language. Letter case, separators, accents and units in
 * brackets are ignored.
 */
export const columnNames: Readonly<Record<LedgerField, readonly string[]>> = {
  order: [
    'merchant order id',
    'order id',
    'order number',
    'order no',
    'order nr',
    'order ref',
    'order reference',
    'order name',
    'order',
    'Bestellnummer',
    'Bestell-Nr.',
    'Bestell-ID',
    'Bestellkennung',
    'Bestellung',
    'Auftragsnummer',
    'Auftrags-Nr.',
    'Auftrag',
    'Numéro de commande',
    'N° de commande',
    'Commande',
    'Número de pedido',
    'Pedido',
    'Numero ordine',
    'Ordine',
    'Bestelnummer',
  ],
  type: [
    'type',
    'transaction type',
    'line type',
    'kind',
    'Art',
    'Typ',
    'Vorgangsart',
    'Buchungsart',
    'Transaktionsart',
    'Transaktionstyp',
    'Type de transaction',
    'Tipo',
  ],
  amount: [
    'amount',
    'gross amount',
    'total amount',
    'order total',
    'total',
    'gross',
    'Betrag',
    'Bruttobetrag',
    'Gesamtbetrag',
    'Gesamtsumme',
    'Summe',
    'Umsatz',
    'Montant',
    'Montant total',
    'Montant TTC',
    'Importe',
    'Importo',
    'Bedrag',
  ],
  settled: [
    'settled amount',
    'settled',
    'captured amount',
    'captured',
    'Eingezogener Betrag',
    'Eingezogen',
    'Montant encaissé',
  ],
  refunded: [
    'refunded amount',
    'refund amount',
    'refunded',
    'Erstatteter Betrag',
    'Erstattungsbetrag',
    'Erstattet',
    'Montant remboursé',
  ],
  currency: [
    'currency',
    'currency code',
    'iso currency',
    'Währung',
    'Währungscode',
    'Währungskennzeichen',
    'Devise',
    'Moneda',
    'Divisa',
    'Valuta',
  ],
  date: [
    'occurred at',
    'transaction date',
    'booking date',
    'posting date',
    'order date',
    'created at',
    'date',
    'Buchungsdatum',
    'Buchungstag',
    'Transaktionsdatum',
    'Belegdatum',
    'Bestelldatum',
    'Datum',
    'Date de transaction',
    'Date de la commande',
    'Fecha',
  ],
  time: ['time', 'time of day', 'Uhrzeit', 'Zeit', 'Heure', 'Hora', 'Ora'],
  zone: ['time zone', 'timezone', 'tz', 'Zeitzone', 'Fuseau horaire'],
  transaction: [
    'transaction id',
    'transaction number',
    'transaction no',
    'txn id',
    'Transaktionsnummer',
    'Transaktions-ID',
    'Transaktions-Nr.',
    'Identifiant de transaction',
  ],
  merchantTransaction: [
    'merchant transaction id',
    'own transaction id',
    'Eigene Transaktionsnummer',
    'Eigene Transaktions-ID',
  ],
  charge: ['charge id', 'Zahlungsnummer', 'Zahlungs-ID'],
};

/** Names of columns that repeat a row's amount with its fees, the most specific first. */
const netNames = [
  'net amount',
  'net total',
  'net',
  'Nettobetrag',
  'Netto',
  'Montant net',
  'Importe neto',
  'Neto',
  'Importo netto',
  'Nettobedrag',
  'total',
  'Gesamt',
  'Totale',
  'Totaal',
];

/**
 * Reduces a column name to letters and digits, with German umlauts as two letters. Names in capital
 * letters give the same result, despite SS for ß and the Turkish I and İ.
 */
function folded(name: string): string {
  const umlauts = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', ı: 'i' };
  const lower = name.normalize('NFC').toLowerCase();
  return bare(
    Object.entries(umlauts).reduce((text, [one, two]) => text.replaceAll(one, two), lower),
  );
}

/** Removes units in brackets, accents and everything except letters and digits. */
function bare(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/\([^)]*\)|\[[^\]]*\]/g, '')
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Field and rank of each known name. Includes umlauts without dots, such as Wahrung. */
const known = new Map<string, { field: LedgerField; rank: number }>(
  ledgerFieldNames.flatMap((field) =>
    [ledgerFields[field], ...columnNames[field]]
      .flatMap((name) => name ?? [])
      .map((name, rank) => [name, { field, rank }] as const)
      .toReversed()
      .flatMap(([name, entry]) => [[bare(name), entry] as const, [folded(name), entry] as const]),
  ),
);

/**
 * Proposes a column for each field by column name. Proposes two amount columns only together, and
 * only if there is no single one.
 */
export function proposedColumns(columns: readonly string[]): Partial<Record<LedgerField, string>> {
  const best = new Map<LedgerField, { name: string; rank: number }>();
  for (const name of columns) {
    const found = known.get(folded(name));
    if (found === undefined) continue;
    const { field, rank } = found;
    if (rank < (best.get(field)?.rank ?? Infinity)) best.set(field, { name, rank });
  }
  if (best.has('amount') || !best.has('settled') || !best.has('refunded')) {
    best.delete('settled');
    best.delete('refunded');
  }
  return Object.fromEntries([...best].map(([field, { name }]) => [field, name]));
}

const netColumns = new WeakMap<readonly string[], string | undefined>();

/**
 * Returns a file's net amount column if another column has the amounts.
 * @param header the same array for each row of a file
 */
export function netColumnOf(
  header: readonly string[],
  amount: string | undefined,
): string | undefined {
  if (!netColumns.has(header)) {
    const columns = new Map(header.map((name) => [folded(name), name]));
    const found = netNames.flatMap((name) => columns.get(folded(name)) ?? []);
    netColumns.set(header, found[0]);
  }
  const net = netColumns.get(header);
  return net === amount ? undefined : net;
}

/** Returns whether a cell contains the name of a column, in any letter case of any language. */
export function isSameName(cell: string, name: string): boolean {
  const reduced = folded(name);
  return cell === name || (reduced !== '' && folded(cell) === reduced);
}
