import type { LedgerImportRecord } from '@financing-checkout/contract/reconciliation';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { decimal } from '../queries/basis/reasons.ts';
import type { Shell } from './shell.ts';
import { printable, printTable, type TableColumn } from '@financing-checkout/kit/cli';

const totalColumns: TableColumn<LedgerImportRecord['totals'][number]>[] = [
  { head: 'TYPE', cell: ({ type }) => type },
  { head: 'LINES', cell: ({ count }) => String(count), align: 'right' },
  {
    head: 'AMOUNT',
    cell: ({ amount, currency }) => {
      const sum = Number(amount);
      return Number.isSafeInteger(sum)
        ? `${decimal(sum, currency)} ${currency}`
        : `${amount} minor units of ${currency}`;
    },
    align: 'right',
  },
];

/**
 * Prints the result of an import, or why it failed.
 * @param shown lines that the user has already seen
 */
export function printReport(
  shell: Shell,
  report: LedgerImportRecord,
  { withdraws = false, shown }: { withdraws?: boolean | undefined; shown: readonly string[] },
): void {
  if (report.totals.length > 0) {
    printTable(shell, totalColumns, report.totals);
  }
  for (const { line, message, count, lines } of report.errors) {
    const place = line === undefined ? 'the file' : counted(lines, count);
    shell.print(printable(`${place}: ${message}`));
  }
  const more = unlistedErrors(report);
  if (more > 0) shell.print(`… and ${more} more.`);
  const { added, alike, dryRun, errorCount, lines, repeated, skipped, withdrawn } = report;
  const done = withdraws
    ? `${withdrawn} ${dryRun ? 'would be ' : ''}withdrawn, ${repeated} not in the ledger or stated by the companion`
    : `${added} ${dryRun ? 'would be new' : 'new'}, ${repeated} already present`;
  if (alike > 0) {
    shell.print(
      alike === 1
        ? 'Two identical lines have no ID; both were imported.'
        : `${alike} lines are identical to another line and have no ID; each was imported.`,
    );
  }
  const { replaced } = report;
  const lists = [...asides(report), ...differenceOf(report), ...lookAlikesOf(report)];
  for (const line of lists.filter((text) => !shown.includes(text))) shell.print(printable(line));
  if (replaced > 0) shell.print(`Replaced ledger lines: ${replaced}.`);
  for (const { period, lines: late } of report.closed) {
    shell.print(
      printable(
        `${late} ${late === 1 ? 'line belongs' : 'lines belong'} to ${period}, which is closed: ${dryRun ? 'it would stay' : 'it stays'} as it is, and the open period counts the change.`,
      ),
    );
  }
  if (errorCount === 0) {
    const left = skipped > 0 ? `, ${skipped} left out` : '';
    shell.print(`${lines} ${lines === 1 ? 'line' : 'lines'} read: ${done}${left}.`);
    if (dryRun) shell.print(`Dates without a zone are in ${report.zone}.`);
  }
}

const leftOutTexts: Record<string, string> = {
  type: 'with a type to skip',
  'other-type': 'with an undeclared type',
  'other-row': 'not selected by `only`',
  'without-column': 'without a value in the column',
  'hidden-row': 'that the sheet hides',
  merged: 'with a part of a merged cell in the column',
  'hidden-column': 'with a value in the hidden column',
  stale: 'with a formula that is not computed in the column',
  head: 'that repeat the head',
  total: 'with the sum of rows above',
  label: 'with a title',
};

/** Returns why rows were skipped, as text that follows their number. */
function leftOutText(reason: string): string {
  return leftOutTexts[reason] ?? reason.replace('-', ' ');
}

const where = (lines: readonly number[], count: number) =>
  `line${count === 1 ? '' : 's'} ${lines.join(', ')}${count > lines.length ? ', …' : ''}`;

/** Lists line numbers, with the total if some are omitted. */
const counted = (lines: readonly number[], count: number) =>
  `${where(lines, count)}${count > lines.length ? ` (${count} in all)` : ''}`;

/** Returns the number of errors that the report does not list. */
export function unlistedErrors({ errors, errorCount }: LedgerImportRecord): number {
  return errors.reduce((left, { count }) => left - count, errorCount);
}

/** Lists rows that are probably not ledger lines. */
export function extraRowsOf({ extraRows }: LedgerImportRecord): string[] {
  return extraRows.map(
    ({ reason, count, lines }) =>
      `no lines? ${count} ${leftOutText(reason)} (${where(lines, count)})`,
  );
}

/** Lists rows and cells of a sheet whose shown value differs from the stored one. */
export function sheetCellsOf({ sheetCells }: LedgerImportRecord): string[] {
  return sheetCells.map(({ reason, word, count, lines }) => {
    const named = word === undefined ? '' : ` "${word}"`;
    return `shown otherwise: ${count} ${leftOutText(reason)}${named} (${where(lines, count)})`;
  });
}

/**
 * Lists skipped lines, rows that are probably not ledger lines, converted values, and unknown type
 * words.
 */
function asides(report: LedgerImportRecord): string[] {
  const { leftOut, notes, unknownTypes } = report;
  const left = leftOut.map(({ reason, word, count, lines }) => {
    const named = word === undefined ? '' : ` "${word}"`;
    return `left out: ${count} ${leftOutText(reason)}${named} (${where(lines, count)})`;
  });
  const read = notes.map(({ count, lines, message }) => `${counted(lines, count)}: ${message}`);
  const words = unknownTypes.map(({ word, count }) => `"${word}" (${count})`).join(', ');
  const example = unknownTypes[0]?.word;
  return [
    ...left,
    ...sheetCellsOf(report),
    ...extraRowsOf(report),
    ...read,
    ...(example === undefined
      ? []
      : [
          `Undeclared words of the type column: ${words}. Add --types "settle=${example}", refund=, sign= or skip=; or --skip-other-types.`,
        ]),
  ];
}

/**
 * Lists the lines in which a file differs from its source's earlier imports, and for each answer
 * the number of remaining, removed and doubled lines.
 */
export function differenceOf({ difference, zone }: LedgerImportRecord): string[] {
  if (difference === undefined) return [];
  const calendar = new Calendar(zone);
  const { added, changed, double, from, go, kept, list, removed, source, stay, to } = difference;
  const rows = list.map(
    ({ kind, merchantOrderId, type, currency, amount, recordedAmount, ...line }) => {
      const { at, recordedAt = at, doubles } = line;
      const [day, dayInBooks] = [calendar.dayOf(at), calendar.dayOf(recordedAt)];
      const written = (sum: number | undefined) =>
        sum === undefined ? 'nothing' : decimal(sum, currency);
      const after = `${written(amount)} ${currency}${day === dayInBooks ? '' : ` of ${day}`}`;
      const change =
        kind === 'kept'
          ? `${written(recordedAmount)} ${currency} is not in the file and stays`
          : `${written(recordedAmount)} becomes ${after}${doubles ? '; with add both count' : ''}`;
      return `${kind}: order ${merchantOrderId}, ${type} of ${dayInBooks}: ${change}`;
    },
  );
  const more = added + changed + removed + kept - list.length;
  return [
    `Against earlier imports of "${source}", ${from} to ${to} (${zone}): ${added} added, ${changed} changed, ${removed} removed.`,
    ...rows,
    ...(more > 0 ? [`… and ${more} more.`] : []),
    `With replace, earlier lines that stay: ${stay}, that go: ${go}. With add, all ${stay + go} stay; counted twice: ${double}.`,
  ];
}

const lookAlikeTexts = {
  changed: 'the ledger has this id with',
  companion: 'the companion states',
  'other-amount': 'the ledger has, without an id,',
  'same-amount': 'the ledger has, under another id or at another time,',
};

/** Lists lines that may duplicate existing ones, with their orders. */
export function lookAlikesOf({ lookAlikes, lookAlikeCount, zone }: LedgerImportRecord): string[] {
  const calendar = new Calendar(zone);
  const rows = lookAlikes.map(
    ({ line, kind, merchantOrderId, type, currency, amount, recordedAmount, recordedDate }) =>
      `line ${line}: order ${merchantOrderId}, ${type} ${decimal(amount, currency)} ${currency}: ` +
      `${lookAlikeTexts[kind]} ${decimal(recordedAmount, currency)} of ${calendar.dayOf(recordedDate)} (${zone})`,
  );
  const more = lookAlikeCount - lookAlikes.length;
  return [...rows, ...(more > 0 ? [`… and ${more} more look-alikes.`] : [])];
}
