import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  inWords,
  ledgerImportSchema,
  type LedgerOptions,
  ledgerOptions,
} from '@financing-checkout/contract';
import {
  addCommand,
  CommandFailure,
  InvalidArgumentError,
  optionOf,
  type Register,
  shared,
  value,
} from '@financing-checkout/kit/cli';
import { z } from 'zod';
import { presetNames } from '../imports/presets.ts';
import { ask, writerOf } from './ask.ts';
import { askUntilClear } from './import-questions.ts';
import { printReport } from './import-report.ts';
import { by } from './options.ts';
import { piecesOf, refuseUnreadable } from './sent-file.ts';
import type { Shell } from './shell.ts';

const ifCut =
  'the import was applied completely or not at all. Run the same command again: repeated lines are recognized';

/** How a person writes options with several words, after their descriptions. */
const examples: Readonly<Record<string, string>> = {
  map: 'such as "order=Order No,amount=Total"; "settled=…,refunded=…" for two amount columns',
  only: 'such as "Status=Paid,Status=Done"',
  skipRowsWithout: 'such as "amount,date,Payout id"',
  types:
    'such as "settle=Invoice,refund=Credit note"; sign=…: below 0 is a refund, skip=…: leave out',
};

/** Options that the command line describes itself, or sets. */
const own = ['preset', 'by', 'file', 'source'];

/** Options of the command, from the schema of the route. */
const options = Object.fromEntries(
  Object.entries(ledgerOptions.shape)
    .filter(([name]) => !own.includes(name))
    .map(([name, schema]) => {
      const { description = '', title } = schema.meta() ?? {};
      const text = [description, examples[name] ?? []].flat().join(', ');
      const option = optionOf(schema, `--${name} <${title}>  ${text}`);
      const hasWords = examples[name] !== undefined;
      return [
        name,
        hasWords ? { ...option, read: (typed: string) => wordsIn(schema, typed) } : option,
      ];
    }),
);

/** Parses a list, or pairs of which a name may occur several times if its value is a list. */
function wordsIn(schema: z.ZodType, typed: string): unknown {
  const parts = (typed.match(/(?:"(?:[^"]|"")*"|[^,"])+/g) ?? []).map((part) => part.trim());
  const content = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  const value: unknown =
    content instanceof z.ZodRecord ? pairsIn(content, parts) : parts.map(unquoted);
  const { error } = schema.safeParse(value, { error: inWords });
  if (error === undefined) return value;
  const [{ message } = { message: 'is invalid' }] = error.issues;
  throw new InvalidArgumentError(`It ${message}.`);
}

function pairsIn({ valueType }: z.ZodRecord, parts: readonly string[]): Record<string, unknown> {
  const found = new Map<string, string[]>();
  for (const part of parts) {
    const [, name = '', word = ''] = /^("(?:[^"]|"")*"|[^=]*)=(.*)$/s.exec(part) ?? [];
    const key = unquoted(name.trim());
    found.set(key, [...(found.get(key) ?? []), unquoted(word.trim())]);
  }
  const isList = valueType instanceof z.ZodArray;
  return Object.fromEntries(
    Array.from(found, ([name, words]) => {
      if (!isList && words.length > 1) throw new InvalidArgumentError(`It names ${name} twice.`);
      return [name, isList ? words : words[0]];
    }),
  );
}

/** A name that contains a comma is in double quotes. */
function unquoted(text: string): string {
  return /^".*"$/s.test(text) && text.length > 1 ? text.slice(1, -1).replaceAll('""', '"') : text;
}

/** Registers `import`, which imports the merchant's ledger. */
export const registerImport: Register<Shell> = (program, shell) => {
  const definition = {
    usage: 'import <file>',
    description:
      'import lines of the merchant’s ledger, from CSV, JSON or an .xlsx; "-" is the standard input',
    options: {
      preset: value(
        '<name>',
        `notation of a known program (${presetNames.join(', ')}), or your own file: ./mine.json`,
      ),
      ...options,
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
    // Standard input can be read only once, and JSON output is for programs.
    const isAsked = file !== '-' && json !== true;
    const { report, shown } = isAsked
      ? await askUntilClear(shell, send)
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

/** Returns the text of a preset file if the value looks like a path and is not a known preset. */
function presetText(preset: string): string {
  if (presetNames.some((name) => name === preset) || !/[./\\]/.test(preset)) return preset;
  refuseUnreadable(preset);
  return readFileSync(preset, 'utf8');
}
