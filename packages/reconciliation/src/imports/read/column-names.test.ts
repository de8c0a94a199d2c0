import { expect, test } from 'vitest';
import { columnNames, proposedColumns } from './column-names.ts';
import { ledgerFieldNames } from './columns.ts';
import { previewLedger } from '../guess/preview.ts';

test.each([
  [['Order', 'Amount', 'Currency', 'Date', 'Type']],
  [['order_id', 'amount', 'currency_code', 'created_at', 'kind']],
  [['Order ID', 'Total', 'CURRENCY', 'Transaction date', 'Transaction type']],
  [['orderNo', 'grossAmount', 'isoCurrency', 'occurredAt', 'lineType']],
  [['Order #', 'Amount (gross)', 'Currency', 'Date (UTC)', 'Type']],
  [['Bestellnummer', 'Betrag', 'Währung', 'Datum', 'Art']],
  [['Bestell-Nr.', 'Betrag [EUR]', 'Waehrung', 'Buchungstag', 'Typ']],
  [['AUFTRAGSNUMMER', 'Bruttobetrag', 'Wahrung', 'Buchungsdatum', 'Buchungsart']],
  [['Commande', 'Montant', 'Devise', 'Date', 'Type']],
  [['Numero de commande', 'Montant TTC', 'devise', 'Date de transaction', 'Type']],
  // An umlaut as a letter and a combining mark, as in file names and some exports.
  [['Bestellung', 'Betrag', 'Wa\u0308hrung', 'Datum', 'Typ']],
])('proposes the columns %j', (columns) => {
  const [order, amount, currency, date, type] = columns;
  expect(proposedColumns(columns)).toEqual({ order, amount, currency, date, type });
});

test('prefers the more specific of two columns for one field', () => {
  expect(proposedColumns(['Order', 'Order ID', 'Gesamtbetrag', 'Betrag'])).toEqual({
    order: 'Order ID',
    amount: 'Betrag',
  });
});

test('proposes two amount columns only together, and only if there is no single one', () => {
  const two = ['Eingezogener Betrag', 'Erstatteter Betrag'];
  expect(proposedColumns(two)).toEqual({ settled: two[0], refunded: two[1] });
  expect(proposedColumns(two.slice(1))).toEqual({});
  expect(proposedColumns(['Amount', ...two])).toEqual({ amount: 'Amount' });
});

test('proposes no column that only resembles a name', () => {
  expect(proposedColumns(['Order status', 'Reorder', 'Customer', 'Amount of items', ''])).toEqual(
    {},
  );
});

test.each([
  ['Order', 'Type', 'Amount', 'Currency', 'Date', 'Time', 'Time zone'],
  ['Bestellung', 'Art', 'Betrag', 'Währung', 'Datum', 'Uhrzeit', 'Zeitzone'],
])(
  'recognizes the labels of the console: %s, …',
  (order, type, amount, currency, date, time, zone) => {
    const ids = ['Transaction ID', 'Own transaction ID', 'Charge ID'];
    const german = ['Transaktionsnummer', 'Eigene Transaktionsnummer', 'Zahlungsnummer'];
    const [transaction, merchantTransaction, charge] = order === 'Order' ? ids : german;
    const fields = { order, type, amount, currency, date, time, zone };
    const all = { ...fields, transaction, merchantTransaction, charge };
    expect(proposedColumns(Object.values(all).map(String))).toEqual(all);
  },
);

test('assigns each name to one field', () => {
  const all = ledgerFieldNames.flatMap((field) => columnNames[field]);
  const wrong = ledgerFieldNames.flatMap((field) =>
    columnNames[field].filter((name) => {
      const fields = Object.keys(proposedColumns([name]));
      return field !== 'settled' && field !== 'refunded' && fields[0] !== field;
    }),
  );
  expect(wrong).toEqual([]);
  expect(new Set(all).size).toBe(all.length);
});

const preview = (text: string, map = {}) => previewLedger(new TextEncoder().encode(text), { map });

test('finds the header row below a wider title, and proposes its columns in a preview', async () => {
  const file =
    'Export;Shop;Filiale;Stand;x\nBestellnummer;Betrag;Währung;Datum\nA;1,00;EUR;1.2.2026\n';
  expect(await preview(file)).toMatchObject({
    columns: ['Bestellnummer', 'Betrag', 'Währung', 'Datum'],
    rows: [['A', '1,00', 'EUR', '1.2.2026']],
    proposal: {
      map: { order: 'Bestellnummer', amount: 'Betrag', currency: 'Währung', date: 'Datum' },
      units: 'major',
      decimal: 'comma',
      dates: 'dmy',
    },
    questions: ['zone', 'type'],
  });
});

test('lets a named column take precedence over a proposal', async () => {
  const file = 'Order,Order ID,Total,Date\nA,1,2.00,2026-02-01\n';
  expect((await preview(file, { order: 'Order', amount: 'Total' })).proposal.map).toEqual({
    order: 'Order',
    amount: 'Total',
    date: 'Date',
  });
});

test('proposes keys of JSON objects', async () => {
  const { proposal } = await preview('[{"order_id":"A","montant":100,"datum":"2026-02-01"}]');
  expect(proposal.map).toEqual({ order: 'order_id', amount: 'montant', date: 'datum' });
});
