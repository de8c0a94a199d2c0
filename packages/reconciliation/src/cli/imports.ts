import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ledgerImportSchema } from '@financing-checkout/contract';
import { type Command, Option } from 'commander';
import { CommandFailure } from './exit.ts';
import { dateNotations } from '../imports/dates.ts';
import { presetNames } from '../imports/presets.ts';
import { ask, writerOf } from './api.ts';
import { askUntilClear, type ImportAnswers } from './import-questions.ts';
import { printReport } from './import-report.ts';
import { piecesOf, refuseUnreadable } from './sent-file.ts';
import type { Shell } from './shell.ts';
import { queryOf, reconciling } from './outcome.ts';

interface Options extends Record<string, unknown> {
  json?: boolean;
  dryRun?: boolean;
  withdraw?: boolean;
  by?: string;
  preset?: string;
}

const ifCut =
  'the import was applied completely or not at all. Run the same command again: repeated lines are recognised';

/** `reconcile import`: the merchant's ledger. */
export function registerImport(program: Command, shell: Shell): void {
  program
    .command('import <file>')
    .description(
      'import lines of the merchant’s ledger, from CSV, JSON or an .xlsx; "-" is the standard input',
    )
    .option(
      '--preset <name>',
      `notation of a known program (${presetNames.join(', ')}), or your own file: ./mine.json`,
    )
    .option(
      '--map <columns>',
      'column names, such as "order=Order No,amount=Total"; "settled=…,refunded=…" for two amount columns',
    )
    .option(
      '--settle-and-refund',
      'read a row with both amounts as a settle and a refund of one date',
    )
    .option('--only <rows>', 'read only these rows, such as "Status=Paid,Status=Done"')
    .option(
      '--skip-rows-without <what>',
      'leave out rows without these fields or columns, such as "amount,date,Payout id"',
    )
    .addOption(
      new Option(
        '--extra-rows <answer>',
        'repeated heads, totals and titles: leave them out, or read them as lines',
      ).choices(['skip', 'keep']),
    )
    .option('--skip-other-types', 'leave out rows with an undeclared type')
    .addOption(
      new Option('--units <units>', 'unit of amounts; required for CSV').choices([
        'minor',
        'major',
      ]),
    )
    .addOption(
      new Option(
        '--decimal <character>',
        'decimal separator; enables thousands separators',
      ).choices(['point', 'comma']),
    )
    .option('--currency <code>', 'currency of lines without one')
    .addOption(
      new Option('--type <type>', 'type of lines without one; sign: below 0 is a refund').choices([
        'settle',
        'refund',
        'sign',
      ]),
    )
    .option(
      '--types <words>',
      'meaning of type words, such as "settle=Invoice,refund=Credit note"; sign=…: below 0 is a refund, skip=…: leave out',
    )
    .addOption(
      new Option(
        '--dates <notation>',
        'notation of ambiguous dates: 31.12.26 is dmy, 3112 ddmm, 46387 excel',
      ).choices(dateNotations),
    )
    .option('--year <year>', 'year of dates without one, with --dates ddmm')
    .option(
      '--zone <zone>',
      'zone of dates without one, such as Europe/Berlin; default RECONCILIATION_ZONE',
    )
    .addOption(
      new Option('--format <format>', 'default: detected').choices(['csv', 'json', 'ndjson']),
    )
    .option('--sheet <name>', 'sheet of an .xlsx: its name, or its number from 1')
    .option('--delimiter <character>', 'separator of CSV values')
    .option(
      '--encoding <name>',
      'such as windows-1252; default UTF-8; a byte order mark takes precedence',
    )
    .option(
      '--of <source>',
      'source of the lines, such as erp; default: the letters of the file name',
    )
    .option(
      '--period <days>',
      'period that the file states completely, such as 2026-03 or 2026-03-01..2026-03-31; default: its dates',
    )
    .addOption(
      new Option(
        '--correction <answer>',
        'a file that differs from an earlier one of its source and period: replace the lines of that one, or add to them',
      ).choices(['replace', 'add']),
    )
    .option('--replace', 'lines that look like existing ones replace them')
    .option('--keep-both', 'lines that look like existing ones are separate lines')
    .option('--withdraw', 'withdraw the lines of an erroneous import')
    .option(
      '--by <name>',
      'person who withdraws; default RECONCILIATION_USER, or the logged-in user',
    )
    .option('--dry-run', 'check everything and store nothing')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
A line is a settle or a refund: merchantOrderId, type (Settle or Refund),
amount, date; and optionally currency, transactionId, merchantTransactionId,
chargeId. All lines are imported or none; all errors are reported at once, each
with its lines. Existing lines are recognised, so the same file may be imported
again. Identical lines of one file without a transaction id count separately,
and are reported: remove those that are there twice by mistake. The companion's
own settles and refunds are in the ledger without an import.
A line that looks like an existing one in another form is reported with its
order: choose --replace or --keep-both. At a terminal the command asks for
--correction, --extra-rows and this choice; without one, with --json and for the
standard input, it refuses the file and names the option. Ambiguous dates and
amounts need --dates or --decimal.
To undo an import, run it with the same file, the same options and --withdraw.
This also removes lines of the file that an earlier import had added: import
that file again.

--map names the columns that differ from: order, type, amount, currency, date,
transaction, merchantTransaction, charge. Put a name with a comma in double quotes.
  --map "order=Order No,amount=Total,date=Paid on"
--types declares words of the type column: settle=, refund= and skip=. sign= is for a word with
both meanings: below 0 or in brackets it is a refund, else a settle. Without a type column use --type sign.
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
          'extraRows',
          'skipOtherTypes',
          'zone',
          'format',
          'sheet',
          'delimiter',
          'encoding',
          'of',
          'period',
          'correction',
          'replace',
          'keepBoth',
          'withdraw',
          'dryRun',
        ];
        const by = options.withdraw ? await writerOf(shell, options.by) : options.by;
        const send = (answers: ImportAnswers) =>
          ask(shell, {
            method: 'POST',
            path: '/ledger',
            query: {
              ...queryOf({ ...options, ...answers }, names),
              ...(options.preset === undefined ? {} : { preset: presetText(options.preset) }),
              ...(by === undefined ? {} : { by }),
              ...(file === '-' ? {} : { file: basename(file).slice(-256) }),
              source: 'import',
            },
            upload: { pieces: piecesOf(file), ifCut },
            schema: ledgerImportSchema,
          });
        // The standard input can be read once, and JSON is for programs.
        const isAsked = file !== '-' && options.json !== true;
        const { report, shown } = isAsked
          ? await askUntilClear(shell, send)
          : { report: await send({}), shown: [] };
        if (options.json) shell.print(JSON.stringify(report));
        else printReport(shell, report, { withdraws: options.withdraw, shown });
        if (report.errorCount > 0) {
          throw new CommandFailure(
            `${report.errorCount} ${report.errorCount === 1 ? 'error' : 'errors'}: the ledger is unchanged.`,
          );
        }
      }),
    );
}

/** A name with a path or an existing file, and no known preset, is a preset file. */
function presetText(preset: string): string {
  if (presetNames.some((name) => name === preset) || !/[./\\]/.test(preset)) return preset;
  refuseUnreadable(preset);
  return readFileSync(preset, 'utf8');
}
