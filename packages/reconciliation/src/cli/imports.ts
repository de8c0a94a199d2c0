import {
  accessSync,
  constants,
  createReadStream,
  existsSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { type LedgerImportRecord, ledgerImportSchema } from '@financing-checkout/contract';
import { type Command, Option } from 'commander';
import { decimal } from '../queries/reasons.ts';
import { CommandFailure, reasonOf } from './exit.ts';
import { dateNotations } from '../imports/dates.ts';
import { presetNames } from '../imports/presets.ts';
import { ask, writerOf } from './api.ts';
import type { Shell } from './shell.ts';
import { printable, type TableColumn, tableLines } from './table.ts';
import { queryOf, reconciling } from './outcome.ts';

interface Options extends Record<string, unknown> {
  json?: boolean;
  dryRun?: boolean;
  withdraw?: boolean;
  by?: string;
  preset?: string;
}

/** `reconcile import`: the merchant's ledger. */
export function registerImport(program: Command, shell: Shell): void {
  program
    .command('import <file>')
    .description('lines of the merchant’s ledger, from CSV or JSON; "-" is the standard input')
    .option(
      '--preset <name>',
      `how a file is read that is known by name (${presetNames.join(', ')}), or a file of yours: ./mine.json`,
    )
    .option(
      '--map <columns>',
      'names of columns, such as "order=Order No,amount=Total"; "settled=…,refunded=…" for amounts in two',
    )
    .option('--settle-and-refund', 'a row with both amounts is a settle and a refund of one date')
    .option('--only <rows>', 'rows to read, such as "Status=Paid,Status=Done"')
    .option('--skip-rows-without <what>', 'leave out rows without amount, order or type')
    .option('--skip-other-types', 'leave out rows whose type is none of those said')
    .addOption(
      new Option('--units <units>', 'what amounts are counted in; must be said for CSV').choices([
        'minor',
        'major',
      ]),
    )
    .addOption(
      new Option(
        '--decimal <character>',
        'before the decimals; said, thousands may be set apart',
      ).choices(['point', 'comma']),
    )
    .option('--currency <code>', 'of lines that name none')
    .addOption(
      new Option('--type <type>', 'of lines that name none; sign: below 0 is a refund').choices([
        'settle',
        'refund',
        'sign',
      ]),
    )
    .option(
      '--types <words>',
      'of the type column, such as "settle=Invoice,refund=Credit note"; sign=… where below 0 is a refund, skip=… for lines to leave out',
    )
    .addOption(
      new Option(
        '--dates <notation>',
        'of dates that could be of several days: 31.12.26 is dmy, 3112 ddmm, 46387 excel',
      ).choices(dateNotations),
    )
    .option('--year <year>', 'of dates that have none, with --dates ddmm')
    .option('--zone <zone>', 'of dates that have none, such as Europe/Berlin; UTC otherwise')
    .addOption(
      new Option('--format <format>', 'told by the file itself otherwise').choices([
        'csv',
        'json',
        'ndjson',
      ]),
    )
    .option('--delimiter <character>', 'between two values of CSV')
    .option(
      '--encoding <name>',
      'such as windows-1252; UTF-8 otherwise, and what a mark in the file says',
    )
    .option('--replace', 'lines that look like lines of the books take their place')
    .option('--keep-both', 'lines that look like lines of the books are others')
    .option('--withdraw', 'take the lines out of the books again: an import that was a mistake')
    .option('--by <name>', 'who takes them out; default RECONCILIATION_USER, or who is logged in')
    .option('--dry-run', 'check everything and keep nothing')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
A line is a settle or a refund: merchantOrderId, type (Settle or Refund),
amount, date; and currency, transactionId, merchantTransactionId, chargeId where
there are any. All lines are taken or none: what is wrong is told at once, line
by line. A line that is there already is recognised, so the same file may be
imported again. Lines of one file that say the same and have neither of the two
transaction ids are as many as there are of them, and are told: take out what is
there twice by mistake. What the companion itself has settled and refunded is in
the books anyway.
A line that looks like one of the books, written another way, is named with its
order: say --replace or --keep-both. What may be several days or amounts is asked
for: --dates, --decimal.
An import that was a mistake is undone with the same file, the same options and
--withdraw. Lines of it that an earlier import had put in leave the books, too:
import that file again.

--map names the columns of a file, where they are not called so: order, type, amount, currency, date,
transaction, merchantTransaction, charge. A name with a comma in it is put in double quotes.
  --map "order=Order No,amount=Total,date=Paid on"
--types says what words of the type column mean: settle=, refund= and skip=. sign= is for a word that
means both: below 0, or in brackets, it is a refund, else a settle. --type sign: no column says it.
  --types "sign=Transaction,skip=Payout"
  --map "order=Order No,amount=Total,date=Paid on" --type sign

Examples:
  financing-reconcile import november.csv --units major --dry-run
  financing-reconcile import orders.csv --preset shopify --dry-run
  financing-reconcile import erp.csv --units major --currency USD \\
    --map "order=Order No,amount=Total"
  financing-reconcile import sap.csv --units major --decimal comma \\
    --map "order=Auftrag,type=Art,amount=Betrag,date=Datum" --dates dmy \\
    --types "settle=Rechnung,refund=Gutschrift,skip=Zahlung" \\
    --zone Europe/Berlin --currency EUR --encoding windows-1252`,
    )
    .action(
      reconciling(async (file: string, options: Options) => {
        if (file !== '-') refuseUnreadable(file);
        const names = [
          'map',
          'units',
          'decimal',
          'currency',
          'type',
          'types',
          'dates',
          'year',
          'settleAndRefund',
          'only',
          'skipRowsWithout',
          'skipOtherTypes',
          'zone',
          'format',
          'delimiter',
          'encoding',
          'replace',
          'keepBoth',
          'withdraw',
          'dryRun',
        ];
        const by = options.withdraw ? await writerOf(shell, options.by) : options.by;
        const report = await ask(shell, {
          method: 'POST',
          path: '/ledger',
          query: {
            ...queryOf(options, names),
            ...(options.preset === undefined ? {} : { preset: presetText(options.preset) }),
            ...(by === undefined ? {} : { by }),
            source: 'import',
          },
          upload: piecesOf(file),
          schema: ledgerImportSchema,
        });
        if (options.json) shell.print(JSON.stringify(report));
        else printReport(shell, report, options.withdraw);
        if (report.errorCount > 0) {
          throw new CommandFailure(
            `${report.errorCount} ${report.errorCount === 1 ? 'thing is' : 'things are'} wrong: the books are as they were.`,
          );
        }
      }),
    );
}

/** Checked before the request: an error while sending looks like a broken connection. */
function refuseUnreadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new CommandFailure(
      existsSync(file) ? `The file cannot be read: ${reasonOf(error)}` : 'There is no such file.',
    );
  }
  if (statSync(file).isDirectory())
    throw new CommandFailure('This is a folder: name a file in it.');
}

/** A name with a path or an existing file, and no known preset, is a preset file. */
function presetText(preset: string): string {
  if (presetNames.some((name) => name === preset) || !/[./\\]/.test(preset)) return preset;
  refuseUnreadable(preset);
  return readFileSync(preset, 'utf8');
}

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

function printReport(shell: Shell, report: LedgerImportRecord, withdraws = false): void {
  if (report.totals.length > 0) {
    for (const line of tableLines(totalColumns, report.totals)) shell.print(line);
  }
  for (const { line, message } of report.errors) {
    shell.print(printable(`${line === undefined ? 'the file' : `line ${line}`}: ${message}`));
  }
  if (report.errorCount > report.errors.length) {
    shell.print(`… and ${report.errorCount - report.errors.length} more.`);
  }
  const { added, alike, dryRun, errorCount, lines, repeated, withdrawn } = report;
  const done = withdraws
    ? `${withdrawn} ${dryRun ? 'would be ' : ''}taken out, ${repeated} not in the books or the companion’s own`
    : `${added} ${dryRun ? 'would be new' : 'new'}, ${repeated} there already`;
  if (alike > 0) {
    shell.print(
      alike === 1
        ? 'One line says the same as another one, and neither has an id: both count.'
        : `${alike} lines say the same as another one, and have no ids: each counts.`,
    );
  }
  for (const line of [...asides(report), ...lookAlikesOf(report)]) shell.print(printable(line));
  if (errorCount === 0) {
    shell.print(`${lines} ${lines === 1 ? 'line' : 'lines'} read: ${done}.`);
  }
}

const leftOutTexts: Record<string, string> = {
  type: 'of a type to skip',
  'other-type': 'of another type',
  'other-row': 'of other rows than those to read',
  'without-amount': 'without an amount',
  'without-order': 'without an order',
  'without-type': 'without a type',
};

/** Lists left-out lines, converted values, and unknown type words. */
function asides({ leftOut, notes, unknownTypes }: LedgerImportRecord): string[] {
  const where = (lines: readonly number[], count: number) =>
    `line${count === 1 ? '' : 's'} ${lines.join(', ')}${count > lines.length ? ', …' : ''}`;
  const left = leftOut.map(({ reason, word, count, lines }) => {
    const named = word === undefined ? '' : ` "${word}"`;
    return `left out: ${count} ${leftOutTexts[reason] ?? reason}${named} (${where(lines, count)})`;
  });
  const read = notes.map(({ count, lines, message }) => `${where(lines, count)}: ${message}`);
  const words = unknownTypes.map(({ word, count }) => `"${word}" (${count})`).join(', ');
  const example = unknownTypes[0]?.word;
  return [
    ...left,
    ...read,
    ...(example === undefined
      ? []
      : [
          `Words of the type column without a meaning: ${words}. Say --types "settle=${example}", refund=, sign= or skip=; or --skip-other-types.`,
        ]),
  ];
}

const lookAlikeTexts = {
  changed: 'the books have this id with',
  companion: 'the companion itself states',
  'same-amount': 'the books have, by another name or at another time,',
};

/** Lists lines that may duplicate existing ones, with their orders. */
function lookAlikesOf({ lookAlikes, lookAlikeCount, replaced }: LedgerImportRecord): string[] {
  const rows = lookAlikes.map(
    ({ line, kind, merchantOrderId, type, currency, amount, amountInBooks, dateInBooks }) =>
      `line ${line}: order ${merchantOrderId}, ${type} ${decimal(amount, currency)} ${currency}: ` +
      `${lookAlikeTexts[kind]} ${decimal(amountInBooks, currency)} of ${new Date(dateInBooks).toISOString().slice(0, 10)}`,
  );
  const more = lookAlikeCount - lookAlikes.length;
  return [
    ...rows,
    ...(more > 0 ? [`… and ${more} more look-alikes.`] : []),
    ...(replaced > 0 ? [`Lines of the books that are replaced: ${replaced}.`] : []),
  ];
}

/** Opens the file on first use. */
async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  yield* file === '-' ? process.stdin : createReadStream(file);
}
