import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { importListOperations, ledgerImportSchema } from '@financing-checkout/contract';
import {
  addCommand,
  addVerb,
  CommandFailure,
  flag,
  type OptionTable,
  type Register,
  shared,
  value,
} from '@financing-checkout/kit/cli';
import { importQuery } from '../http/queries.ts';
import { presetNames } from '../imports/presets.ts';
import { ask, writerOf } from './ask.ts';
import { askUntilClear, type ImportAnswers } from './import-questions.ts';
import { printReport } from './import-report.ts';
import { by, oneOf, sheet } from './options.ts';
import { queryOf } from './outcome.ts';
import { piecesOf, refuseUnreadable } from './sent-file.ts';
import type { Shell } from './shell.ts';
import { verbsOf } from './verbs.ts';

const ifCut =
  'the import was applied completely or not at all. Run the same command again: repeated lines are recognised';

const { shape } = importQuery;
/** Options that are passed on as parameters of the route. */
const parameters = {
  map: value(
    '<columns>',
    'column names, such as "order=Order No,amount=Total"; "settled=…,refunded=…" for two amount columns',
    shape.map,
  ),
  settleAndRefund: flag('read a row with both amounts as a settle and a refund of one date'),
  only: value('<rows>', 'read only these rows, such as "Status=Paid,Status=Done"', shape.only),
  skipRowsWithout: value(
    '<what>',
    'leave out rows without these fields or columns, such as "amount,date,Payout id"',
    shape.skipRowsWithout,
  ),
  extraRows: oneOf(
    '<answer>',
    shape.extraRows,
    'repeated heads, totals and titles: leave them out, or read them as lines',
  ),
  cells: oneOf(
    '<answer>',
    shape.cells,
    'hidden rows and columns, and merged cells: read what the sheet shows, or all that is stored',
  ),
  skipOtherTypes: flag('leave out rows with an undeclared type'),
  units: oneOf('<units>', shape.units, 'unit of amounts; required for CSV'),
  decimal: oneOf('<character>', shape.decimal, 'decimal separator; enables thousands separators'),
  currency: shared.currency('that of lines without one', shape.currency),
  type: oneOf('<type>', shape.type, 'type of lines without one; sign: below 0 is a refund'),
  types: value(
    '<words>',
    'meaning of type words, such as "settle=Invoice,refund=Credit note"; sign=…: below 0 is a refund, skip=…: leave out',
    shape.types,
  ),
  dates: oneOf(
    '<notation>',
    shape.dates,
    'notation of ambiguous dates: 31.12.26 is dmy, 3112 ddmm, 46387 excel',
  ),
  year: value('<year>', 'year of dates without one, with --dates ddmm', shape.year),
  zone: value(
    '<zone>',
    'zone of dates without one, such as Europe/Berlin; default RECONCILIATION_ZONE',
    shape.zone,
  ),
  format: oneOf('<format>', shape.format, 'default: detected'),
  ...sheet,
  of: value(
    '<source>',
    'source of the lines, such as erp; default: the letters of the file name',
    shape.of,
  ),
  period: value(
    '<days>',
    'period that the file states completely, such as 2026-03 or 2026-03-01..2026-03-31; default: its dates',
    shape.period,
  ),
  correction: oneOf(
    '<answer>',
    shape.correction,
    'a file that differs from an earlier one of its source and period: replace the lines of that one, or add to them',
  ),
  replace: flag('lines that look like existing ones replace them'),
  keepBoth: flag('lines that look like existing ones are separate lines'),
  withdraw: flag('withdraw the lines of an erroneous import'),
  dryRun: flag('check everything and store nothing'),
} satisfies OptionTable;

/** Registers `import`, which imports the merchant's ledger, and `imports`, which lists what was imported. */
export const registerImport: Register<Shell> = (program, shell) => {
  addVerb(program, importListOperations.list, verbsOf(shell));
  const definition = {
    usage: 'import <file>',
    description:
      'import lines of the merchant’s ledger, from CSV, JSON or an .xlsx; "-" is the standard input',
    options: {
      preset: value(
        '<name>',
        `notation of a known program (${presetNames.join(', ')}), or your own file: ./mine.json`,
      ),
      ...parameters,
      by,
      json: shared.json(),
    },
    help: `A line is a settle or a refund: merchantOrderId, type (Settle or Refund),
amount, date; and optionally currency, transactionId, merchantTransactionId,
chargeId. All lines are imported or none; all errors are reported at once, each
with its lines. Existing lines are recognised, so the same file may be imported
again. Identical lines of one file without a transaction id count separately,
and are reported: remove those that are there twice by mistake. The companion's
own settles and refunds are in the ledger without an import.
A line that looks like an existing one in another form is reported with its
order: choose --replace or --keep-both. At a terminal the command asks for
--correction, --extra-rows, --cells and this choice; without one, with --json and for the
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
  };
  addCommand(program, definition, async (options, file: string) => {
    if (file !== '-') refuseUnreadable(file);
    const { preset, withdraw } = options;
    const person = withdraw ? await writerOf(shell, options.by) : options.by;
    const send = (answers: ImportAnswers) =>
      ask(shell, {
        method: 'POST',
        path: '/ledger',
        query: {
          ...queryOf({ ...options, ...answers }, Object.keys(parameters)),
          preset: preset === undefined ? undefined : presetText(preset),
          by: person,
          file: file === '-' ? undefined : basename(file).slice(-256),
          source: 'import',
        },
        upload: { pieces: piecesOf(file), ifCut },
        schema: ledgerImportSchema,
      });
    // Standard input can be read only once, and JSON output is for programs.
    const isAsked = file !== '-' && options.json !== true;
    const { report, shown } = isAsked
      ? await askUntilClear(shell, send)
      : { report: await send({}), shown: [] };
    if (options.json) shell.print(JSON.stringify(report));
    else printReport(shell, report, { withdraws: withdraw, shown });
    if (report.errorCount > 0) {
      throw new CommandFailure(
        `${report.errorCount} ${report.errorCount === 1 ? 'error' : 'errors'}: the ledger is unchanged.`,
      );
    }
  });
};

/** Returns the text of a preset file if the value looks like a path and is not a known preset. */
function presetText(preset: string): string {
  if (presetNames.some((name) => name === preset) || !/[./\\]/.test(preset)) return preset;
  refuseUnreadable(preset);
  return readFileSync(preset, 'utf8');
}
