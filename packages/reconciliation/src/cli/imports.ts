import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  importListOperations,
  ledgerImportSchema,
  type LedgerOptions,
  ledgerOptions,
  ledgerPreviewSchema,
} from '@financing-checkout/contract/reconciliation';
import { ledgerPresetNames, WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import {
  addCommand,
  addVerb,
  CommandFailure,
  type Register,
  shared,
  value,
} from '@financing-checkout/kit/cli';
import { ask, writerOf } from './ask.ts';
import { importOptions } from './import-options.ts';
import { askUntilClear } from './import-questions.ts';
import { printReport } from './import-report.ts';
import { by } from './options.ts';
import { piecesOf, refuseUnreadable } from './sent-file.ts';
import type { Shell } from './shell.ts';
import { verbsOf } from './verbs.ts';

/** Number of initial bytes of a text from which the program proposes how to read it. */
const PREVIEW_BYTES = 256_000;
const NOTHING = 'nothing was imported';
const ifCut =
  'the import was applied completely or not at all. Run the same command again: repeated lines are recognized';

/** Registers `import`, which imports the merchant's ledger, and `imports`, which lists the imports. */
export const registerImport: Register<Shell> = (program, shell) => {
  addVerb(program, importListOperations.list, verbsOf(shell));
  const definition = {
    usage: 'import <file>',
    description:
      'import lines of the merchant’s ledger, from CSV, JSON or an .xlsx; "-" is the standard input',
    options: {
      preset: value(
        '<name>',
        `notation of a known program (${ledgerPresetNames.join(', ')}), or your own file: ./mine.json`,
      ),
      ...importOptions,
      by,
      json: shared.json(),
    },
    help: `A line is a settle or a refund: merchantOrderId, type (Settle or Refund),
amount, date; and optionally currency, transactionId, merchantTransactionId,
chargeId. All lines are imported or none; all errors are reported at once, each
with its lines. Existing lines are recognized, so the same file may be imported
again. Identical lines of one file without a transaction id count separately,
and are reported: remove those that are there twice by mistake. The companion's
own settles and refunds are in the ledger without an import.
A line that looks like an existing one in another form is reported with its
order: choose --replace or --keep-both. At a terminal the command asks for
--correction, --extra-rows, --cells and this choice, and proposes how to read a
file whose columns or units are not stated; without a terminal, with --json and
for the standard input, it refuses the file and names the option. Ambiguous
dates and amounts need --dates or --decimal.
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
  addCommand(program, definition, async ({ json, ...given }, file: string) => {
    if (file !== '-') refuseUnreadable(file);
    const { by: named, preset } = given;
    const stated: LedgerOptions = ledgerOptions.parse({
      ...given,
      preset: preset === undefined ? undefined : presetText(preset),
      file: file === '-' ? undefined : basename(file).slice(-256),
      source: 'import',
    });
    const { withdraw } = stated;
    if (withdraw) stated.by = await writerOf(shell, named);
    const send = (answers: LedgerOptions) =>
      ask(shell, {
        method: 'POST',
        path: '/ledger',
        query: { options: JSON.stringify({ ...stated, ...answers }) },
        upload: { pieces: piecesOf(file), ifCut },
        schema: ledgerImportSchema,
      });
    const preview = async (answers: LedgerOptions) => {
      // Other commands do not need the reader.
      const { kindOf } = await import('../imports/read/index.ts');
      const isWorkbook = (await kindOf(file)) === 'xlsx';
      return ask(shell, {
        method: 'POST',
        path: isWorkbook ? '/ledger/preview/workbook' : '/ledger/preview',
        query: { options: JSON.stringify({ ...stated, ...answers }) },
        upload: {
          pieces: piecesOf(file, isWorkbook ? undefined : PREVIEW_BYTES),
          type: isWorkbook ? WORKBOOK_TYPE : undefined,
          ifCut: NOTHING,
        },
        schema: ledgerPreviewSchema,
      });
    };
    // Standard input can be read only once, and JSON output is for programs, so neither allows
    // questions.
    const isAsked = file !== '-' && json !== true;
    const { report, shown } = isAsked
      ? await askUntilClear(shell, { preview, send, stated })
      : { report: await send({}), shown: [] };
    if (json) shell.print(JSON.stringify(report));
    else printReport(shell, report, { withdraws: withdraw, shown });
    if (report.errorCount > 0) {
      throw new CommandFailure(
        `${report.errorCount} ${report.errorCount === 1 ? 'error' : 'errors'}: the ledger is unchanged.`,
      );
    }
  });
};

/** Returns the content of a preset file if the value looks like a path and is not a known preset. */
function presetText(preset: string): string {
  if (ledgerPresetNames.some((name) => name === preset) || !/[./\\]/.test(preset)) return preset;
  refuseUnreadable(preset);
  return readFileSync(preset, 'utf8');
}
