import { minorUnitDigits, withoutGuard } from '@financing-checkout/contract/money';
import {
  type Account,
  type AccountBalance,
  type JournalFormatName,
} from '@financing-checkout/contract/reconciliation';
import { parse } from 'csv-parse/sync';
import { journalFormatsByName } from './index.ts';

/** A line of an entry, parsed from a target's file. */
export interface ReadLine {
  file: string;
  entry: string;
  account: string;
  currency: string;
  /** In minor units. */
  amount: number;
  /** All texts of the line or its entry. */
  text: string;
}

interface File {
  name: string;
  content: Uint8Array;
}

type Row = Record<string, string>;

/** Reads the lines of a target's file. */
export function readLines(format: JournalFormatName, { name, content }: File): ReadLine[] {
  const text = new TextDecoder(journalFormatsByName[format].encoding).decode(content);
  // QuickBooks and Xero files state their currency only in the file name.
  const [, currency = ''] = /-([A-Z]{3})(?:-\d+)?\.csv$/.exec(name) ?? [];
  const line = (row: Row, own: Omit<ReadLine, 'file' | 'text'>): ReadLine => ({
    file: name,
    text: Object.values(row)
      .map((value) => (format === 'datev' ? value : withoutGuard(value)))
      .join('\n'),
    ...own,
  });
  switch (format) {
    case 'beancount':
      return textLines(name, text).map((own) => ({
        ...own,
        text: own.text.replaceAll(/\\(["\\])/g, '$1'),
      }));
    case 'hledger':
      return textLines(name, text);
    case 'datev':
      return datevRows(text).flatMap((row) => {
        const { 'WKZ Umsatz': own = '', 'Belegfeld 1': entry = '', Konto: account = '' } = row;
        const size = units((row['Umsatz (ohne Soll/Haben-Kz)'] ?? '').replace(',', '.'), own);
        const amount = row['Soll/Haben-Kennzeichen'] === 'S' ? size : -size;
        const contra = row['Gegenkonto (ohne BU-Schlüssel)'] ?? '';
        return [
          line(row, { entry, account, currency: own, amount }),
          line(row, { entry, account: contra, currency: own, amount: -amount }),
        ];
      });
    case 'quickbooks':
      return rowsOf(text).map((row) => {
        const { JournalNo: entry = '', AccountName: account = '', Debits, Credits } = row;
        return line(row, { entry, account, currency, amount: sided(Debits, Credits, currency) });
      });
    case 'xero':
      return rowsOf(text).map((row) => {
        const { Narration = '', AccountCode: account = '', Amount = '' } = row;
        const [, entry = ''] = /\((\S+)\)$/.exec(Narration) ?? [];
        return line(row, { entry, account, currency, amount: units(Amount, currency) });
      });
    case 'netsuite':
      return rowsOf(text).map((row) => {
        const { 'External ID': entry = '', Currency: own = '' } = row;
        const side = (head: string) => row[`Journal Entry - Line: ${head}`] ?? '';
        const amount = sided(side('Debit'), side('Credit'), own);
        return line(row, { entry, account: side('Account'), currency: own, amount });
      });
    case 'csv':
      return rowsOf(text).map((row) => {
        const { entry = '', currency: own = '', 'account-number': account = '', amount = '' } = row;
        return line(row, { entry, account, currency: own, amount: units(amount, own) });
      });
  }
}

/** Returns the records of a DATEV batch, keyed by column name. */
export function datevRows(text: string): Row[] {
  return rowsOf(text.slice(text.indexOf('\n') + 1), ';');
}

function rowsOf(text: string, delimiter = ','): Row[] {
  return parse<Row>(text, { columns: true, delimiter });
}

const posting = /^ {2,}([A-Z][^;]*?) {2}(-?[\d.]+) ([A-Z]{3})(?: |$)/;

/** Reads the entries of plain-text accounting. */
function textLines(file: string, text: string): ReadLine[] {
  const entries = text.split('\n\n').filter((block) => /^\d/.test(block));
  return entries.flatMap((block) => {
    const [, entry = ''] = /(?:\^|\()(FC\S+?)\)?(?:\s|$)/.exec(block) ?? [];
    return block.split('\n').flatMap((row): ReadLine[] => {
      const [, account, amount, currency] = posting.exec(row) ?? [];
      if (account === undefined || amount === undefined || currency === undefined) return [];
      return [{ file, entry, account, currency, amount: units(amount, currency), text: block }];
    });
  });
}

/** Converts decimal text to minor units. Fails if the currency has fewer decimals. */
export function units(text: string, currency: string): number {
  const found = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (found === null) throw new Error(`not an amount: ${text}`);
  const [, sign = '', whole = '', fraction = ''] = found;
  const digits = minorUnitDigits(currency);
  if (/[1-9]/.test(fraction.slice(digits))) throw new Error(`too many decimals: ${text}`);
  const value = Number(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  return sign === '' ? value : 0 - value;
}

function sided(debit = '', credit = '', currency: string): number {
  if (debit !== '' && credit !== '') throw new Error('a line has a debit and a credit');
  return debit === '' ? -units(credit, currency) : units(debit, currency);
}

/** Returns the nonzero sums by account and currency, in minor units. */
export function sumsOf(
  lines: Iterable<{ account: string; currency: string; amount: number }>,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { account, currency, amount } of lines) {
    const key = `${account} ${currency}`;
    sums.set(key, (sums.get(key) ?? 0) + amount);
  }
  return new Map([...sums].filter(([, sum]) => sum !== 0).toSorted());
}

const roots = {
  asset: 'Assets',
  liability: 'Liabilities',
  equity: 'Equity',
  income: 'Income',
  expense: 'Expenses',
};

/** Returns a target's name for an account in the chart. */
export function accountIn(format: JournalFormatName, { number, name, type }: Account): string {
  switch (format) {
    case 'beancount':
      return `${roots[type]}:${name.replaceAll(/[^A-Za-z0-9:]+/g, '-')}`;
    case 'hledger':
      return `${roots[type]}:${name}`;
    case 'quickbooks':
      return name;
    case 'netsuite':
      return `${number} ${name}`;
    case 'xero':
    case 'datev':
    case 'csv':
      return number;
  }
}

/** Returns the balances that a target's files should have. */
export function sumsIn(
  format: JournalFormatName,
  balances: readonly AccountBalance[],
): Map<string, number> {
  return sumsOf(
    balances.map(({ account, currency, debit, credit }) => ({
      account: accountIn(format, account),
      currency,
      amount: debit - credit,
    })),
  );
}
