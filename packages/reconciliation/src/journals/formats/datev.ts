import type { JournalEntry, JournalLine } from '@financing-checkout/contract/reconciliation';
import { csvRow, isExact } from '@financing-checkout/contract/money';
import { isoTime } from '@financing-checkout/kit';
import type { Chart } from '../../config/chart.ts';
import { type FileHead, isWindows1252, type JournalFormat } from '../format.ts';
import { amountText, exactCell, numberCell, textCell } from './cells.ts';
import { columns, datevRow, type DatevValues } from './datev-columns.ts';
import { hasText, lenderOf, orderOf, subjectOf, textOf } from './entry-text.ts';
import { accountLimit, accountTitle, amountLimit, entryLimit } from './limits.ts';

const header = 'https://developer.datev.de/datev/platform/en/dtvf/formate/header';
const batch = 'https://developer.datev.de/datev/platform/de/dtvf/formate/buchungsstapel';
const TEXT = 60;
const INFORMATION = 210;
const decimals = 2;
const control = /\p{Cc}/u;

/**
 * DATEV batches: header 700, format 21, version 13. A row posts an amount to an account and a
 * contra account. Therefore, all lines of an entry are posted against its largest account, whose
 * own lines are implied. A row's date has no year other than the batch's business year, so each
 * batch contains one month.
 */
export const datev: JournalFormat = {
  title: 'DATEV',
  prefix: 'EXTF_',
  ending: 'csv',
  encoding: 'windows-1252',
  decimals,
  maxRows: 99_999,
  limits: [
    entryLimit({ name: 'client', source: header }, (_, { settings: { datev: own } }) =>
      own.consultant === undefined || own.client === undefined
        ? 'DATEV assigns a batch by the numbers of the tax consultant and the client. Write both in the chart of accounts: "datev.consultant" and "datev.client".'
        : undefined,
    ),
    entryLimit({ name: 'currency', source: batch }, ({ currency }, { settings: { datev: own } }) =>
      currency === own.currency || own.writesOtherCurrencies
        ? undefined
        : `DATEV asks for a rate and the amount in ${own.currency} ("datev.currency") for an amount in ${currency}, and the journal has neither. Set "datev.writesOtherCurrencies" in the chart of accounts to write a batch of ${currency} without them, if your consultant agrees.`,
    ),
    accountLimit({ name: 'account-number', source: batch }, (account, { settings }) => {
      const { accountLength } = settings.datev;
      const isOfPerson = account.type === 'asset' || account.type === 'liability';
      const most = isOfPerson ? accountLength + 1 : accountLength;
      const isNumber = /^\d{1,9}$/.test(account.number) && Number(account.number) > 0;
      return isNumber && account.number.length <= most
        ? undefined
        : `The number of account ${accountTitle(account)} must have 1 to ${most} digits ("datev.accountLength" ${accountLength}; one more for an account of a debtor or creditor, which is an asset or a liability). Change it in the chart of accounts.`;
    }),
    amountLimit(10, batch),
    entryLimit({ name: 'entry-id', source: batch }, ({ id }) =>
      /^[a-zA-Z0-9$&%*+\-/]{1,36}$/.test(id)
        ? undefined
        : 'The id of an entry is no Belegfeld 1: 36 letters, digits and $ & % * + - / at most. Export with the format "csv".',
    ),
    entryLimit({ name: 'text', source: batch }, (entry) =>
      subjectOf(entry, 'de').length <= TEXT
        ? undefined
        : `The text of an entry is longer than the ${TEXT} characters of a Buchungstext. Choose shorter ids in "periods" of the policy.`,
    ),
    entryLimit({ name: 'information', source: batch }, (entry) =>
      hasText(entry, (text) => text.length > INFORMATION)
        ? `An order id or the name of a lender is longer than the ${INFORMATION} characters of a Zusatzinformation. Export with the format "csv".`
        : undefined,
    ),
    entryLimit({ name: 'character', source: header }, (entry) =>
      hasText(entry, (text) => control.test(text) || !isWindows1252(text))
        ? 'An order id or the name of a lender has a character that is not in Windows-1252, or a control character. Export with the format "csv".'
        : undefined,
    ),
    entryLimit({ name: 'formula', source: batch }, (entry) => {
      const field = formulaField(entry);
      return field === undefined
        ? undefined
        : `A spreadsheet would read the field "${field}" of an entry as a formula, because its text starts with "=", "+", "-", "@" or a character that has the same effect. DATEV would take over an apostrophe before it. Export with the format "csv", which writes one.`;
    }),
  ],
  fileOf: ({ date, currency }) => `${date.slice(0, 7)}-${currency}`,
  head: (file, chart) => headerLine(file, chart) + csvRow(columns.map(textCell), 'comma'),
  rows: (entry, { settings }) => {
    const pivot = pivotOf(entry.lines).account.number;
    const date = `${entry.date.slice(8)}${entry.date.slice(5, 7)}`;
    const only = lenderOf(entry);
    const locked = settings.datev.isLocked ? '1' : '0';
    return entry.lines
      .filter(({ account }) => Number(account.number) !== Number(pivot))
      .map(({ account, amount, lender }) =>
        datevRow({
          ...textsOf(entry, lender || only),
          'Umsatz (ohne Soll/Haben-Kz)': umsatz(amount, entry.currency),
          'Soll/Haben-Kennzeichen': amount > 0 ? 'S' : 'H',
          Konto: account.number,
          'Gegenkonto (ohne BU-Schlüssel)': pivot,
          Belegdatum: date,
          Festschreibung: locked,
        }),
      );
  },
};

/** Returns a row's texts, in the order in which they are checked. */
function textsOf(entry: JournalEntry, lender: string) {
  const order = orderOf(entry) ?? '';
  const kind = entry.merchantOrderId === undefined ? 'Zahlung' : 'Auftrag';
  return {
    'Zusatzinformation - Art 1': lender === '' ? '' : 'Kreditgeber',
    'Zusatzinformation- Inhalt 1': lender,
    'Zusatzinformation - Art 2': order === '' ? '' : kind,
    'Zusatzinformation- Inhalt 2': order,
    'WKZ Umsatz': entry.currency,
    'Belegfeld 1': entry.id,
    Buchungstext: buchungstext(entry, lender),
  } satisfies Partial<DatevValues>;
}

/** Returns the first field of an entry whose text could start a formula. */
function formulaField(entry: JournalEntry): string | undefined {
  const only = lenderOf(entry);
  const lenders = new Set(entry.lines.map(({ lender }) => lender || only));
  for (const lender of lenders) {
    const found = Object.entries(textsOf(entry, lender)).find(([, text]) => !isExact(text));
    if (found !== undefined) return found[0];
  }
  return undefined;
}

/** Returns the line whose account the other lines are posted against. */
function pivotOf(lines: readonly JournalLine[]): JournalLine {
  return lines.reduce((most, line) =>
    Math.abs(line.amount) > Math.abs(most.amount) ? line : most,
  );
}

/** If the lender and the order do not fit, they move to the additional information. */
function buchungstext(entry: JournalEntry, lender: string): string {
  const text = textOf(entry, lender, 'de');
  return text.length <= TEXT ? text : subjectOf(entry, 'de');
}

/** Returns an amount without a sign and with two decimals: `1234.50`. */
function umsatz(amount: number, currency: string): string {
  const [whole, fraction = ''] = amountText(Math.abs(amount), currency, decimals).split('.');
  return `${whole}.${fraction.padEnd(decimals, '0')}`;
}

/** Returns a batch header of 31 fields, of which those without a value are reserved or optional. */
function headerLine({ from, to, at, part }: FileHead, { settings }: Chart): string {
  const { consultant, client, accountLength, yearStart, isLocked, currency } = settings.datev;
  const year = Number(from.slice(0, 4));
  const start = from.slice(5) < yearStart ? `${year - 1}-${yearStart}` : `${year}-${yearStart}`;
  const digits = (text: string) => numberCell(text.replaceAll(/\D/g, ''));
  return csvRow(
    [
      exactCell('EXTF'),
      numberCell('700'),
      numberCell('21'),
      exactCell('Buchungsstapel'),
      numberCell('13'),
      digits(isoTime(at)),
      numberCell(''),
      exactCell('FC'),
      exactCell(''),
      exactCell(''),
      numberCell(String(consultant)),
      numberCell(String(client)),
      digits(start),
      numberCell(String(accountLength)),
      digits(from),
      digits(to),
      exactCell(`Finanzierungen ${part}`),
      exactCell(''),
      numberCell('1'),
      numberCell('0'),
      numberCell(isLocked ? '1' : '0'),
      exactCell(currency),
      numberCell(''),
      exactCell(''),
      numberCell(''),
      numberCell(''),
      exactCell(''),
      numberCell(''),
      numberCell(''),
      exactCell(''),
      exactCell(''),
    ],
    'comma',
  );
}
