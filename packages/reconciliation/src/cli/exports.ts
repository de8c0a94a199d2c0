import {
  exceptionCodes,
  headlines,
  type MigrationLine,
  migrationLineSchema,
} from '@financing-checkout/contract';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { Argument, type Command, Option } from 'commander';
import { periodText } from '../platform/period.ts';
import { written } from '../queries/reasons.ts';
import { exportQueries, listQueries } from '../http/queries.ts';
import { exportTables } from '../queries/export-tables.ts';
import { listTables } from '../queries/list-tables.ts';
import { CommandFailure, exitCodes } from './exit.ts';
import { readBytes, readLong, readPart } from './api.ts';
import type { Shell } from './shell.ts';
import { printable, type TableColumn, tableLines } from './table.ts';
import { show, sumText } from './orders.ts';
import { Finding, judgeProof, queryOf, readSummary, reconciling, wholeNumber } from './outcome.ts';
import { decimalOption, linesOf, refuseUnlessCsv, writeAnswer, writeFileWhole } from './output.ts';
import { businessDays } from './zone.ts';

interface Options extends Record<string, unknown> {
  json?: boolean;
  format?: string;
  output?: string;
}

const binary = {
  parquet: { name: 'Parquet', type: 'application/vnd.apache.parquet' },
  xlsx: { name: 'XLSX', type: WORKBOOK_TYPE },
} as const;

/** A comparison reads each day three times and sends nothing for days without differences. */
const COMPARISON_MS = 3_600_000;

/**
 * `reconcile export
 * migrate-report`: responses too long for one page.
 */
export function registerExports(program: Command, shell: Shell): void {
  program
    .command('export')
    .description(
      'export a table as CSV, NDJSON or XLSX; orders, exceptions, cases and lines also as Parquet',
    )
    .addArgument(new Argument('<table>', 'of what').choices([...exportTables, ...listTables]))
    .addOption(
      new Option('--format <format>').choices(['csv', 'ndjson', 'parquet', 'xlsx']).default('csv'),
    )
    .option(
      '--zone <zone>',
      'zone of times in CSV and XLSX, and of --from and --to; default RECONCILIATION_ZONE',
    )
    .option('--bom', 'begin CSV with a byte order mark, for Excel')
    .addOption(decimalOption())
    .addOption(
      new Option(
        '--times <form>',
        'times of CSV: ISO 8601 with offset, or local times that a spreadsheet reads as dates',
      ).choices(['iso', 'spreadsheet']),
    )
    .option('--output <file>', 'output file, written atomically')
    .addOption(
      new Option('--headline <headline>', 'only orders with this headline').choices(headlines),
    )
    .addOption(
      new Option('--exception <code>', 'only orders with this exception').choices(exceptionCodes),
    )
    .option('--lender <name>', 'only orders funded by this lender, under any of its names')
    .option('--from <day>', 'lines from this day on; orders with such a line')
    .option('--to <day>', '… until this day, included')
    .option('--currency <code>', 'only this currency')
    .option('--order-key <key>', 'only this order: order: and its number')
    .option('--case-id <id>', 'only the trail of this case')
    .option('--kind <kind>', 'only work of this kind')
    .addOption(new Option('--state <state>', 'only cases, messages or days in this state'))
    .addOption(new Option('--code <code>', 'cases only').choices(exceptionCodes))
    .option('--assignee <name>', 'cases only')
    .option('--least <minor-units>', 'cases only: minimum amount', wholeNumber)
    .option('--days <count>', 'cases only: minimum age in days', wholeNumber)
    .addHelpText(
      'after',
      `
No cell of the CSV is a formula: a text that begins like a formula gets an apostrophe. Amounts have the
decimals of their currency.

Example:
  financing-reconcile export lines --zone Europe/Berlin --output november.csv \\
    --from 2026-11-01 --to 2026-11-30`,
    )
    .action(
      reconciling(async (table: string, options: Options) => {
        refuseOthers(table, options);
        refuseUnlessCsv(options, ['decimal', 'bom', 'times'], options.format);
        const { output, ...rest } = options;
        const query = queryOf(rest, Object.keys(rest));
        const path = `/exports/${encodeURIComponent(table)}`;
        if (options.format === 'parquet' || options.format === 'xlsx') {
          const { name, type } = binary[options.format];
          if (output === undefined) {
            throw new CommandFailure(`${name} is a binary format: name a file with --output.`);
          }
          await writeFileWhole(output, readBytes(shell, { path, query, type }));
        } else {
          const type = options.format === 'ndjson' ? 'application/x-ndjson' : 'text/csv';
          await writeAnswer(shell, readLong(shell, { path, query, type }), output);
        }
        const { from, to } = query;
        if (from !== undefined || to !== undefined) {
          const zone = query.zone ?? (await businessDays(shell)).zone;
          shell.say(`Period: ${periodText({ from, to, zone })}.`);
        }
        judgeProof(await readSummary(shell));
      }),
    );

  program
    .command('migrate-report')
    .description('compare report and records: how UNRECONCILED changes')
    .requiredOption('--from <day>', 'first day (2026-11-01), in RECONCILIATION_ZONE')
    .requiredOption('--to <day>', 'last day, included')
    .option('--orders', 'also print each order with differences')
    .option('--json', 'print the response unchanged')
    .addHelpText(
      'after',
      `
Reads the service three times: the report, and the records operations v1 and v2, all with missing
transactions. It changes nothing.

Example:
  financing-reconcile migrate-report --from 2026-11-01 --to 2026-11-07 --orders`,
    )
    .action(
      reconciling(async (options: Options & { orders?: boolean }) => {
        const query = queryOf(options, ['from', 'to']);
        const pieces = readLong(shell, {
          path: '/migration',
          query,
          type: 'application/x-ndjson',
          silenceMs: COMPARISON_MS,
        });
        let summary: Summary | undefined;
        for await (const text of linesOf(pieces)) {
          const line = readPart(migrationLineSchema, text);
          if (options.json) shell.print(text);
          else if (line.kind === 'order' && options.orders) {
            show(shell, {}, rowsOf(line), orderColumns, '');
            shell.print('');
          } else if (line.kind === 'unreadable' && options.orders) {
            shell.print(printable(unreadable(line)));
            shell.print('');
          }
          if (line.kind === 'summary') summary = line;
        }
        if (summary === undefined) {
          throw new CommandFailure('The response was truncated: see the log of the program.');
        }
        if (!options.json) printSummary(shell, summary);
        const { report, recordsV1, recordsV2 } = summary.unreadable;
        if (report + recordsV1 + recordsV2 > 0) {
          throw new Finding(
            `Unreadable records, not counted: ${report} of the report, ${recordsV1} of records v1, ${recordsV2} of records v2. --orders shows them.`,
            exitCodes.incomplete,
          );
        }
      }),
    );
}

/** @throws {CommandFailure} for an option that does not apply to the table */
function refuseOthers(table: string, options: Options): void {
  const queries: Readonly<Record<string, { shape: object }>> = { ...exportQueries, ...listQueries };
  const applies = (name: string, of: string) => name in (queries[of]?.shape ?? {});
  const wrong = Object.keys(options).find(
    (name) => name !== 'output' && options[name] !== undefined && !applies(name, table),
  );
  if (wrong === undefined) return;
  const option = wrong.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
  const tables = Object.keys(queries).filter((of) => applies(wrong, of));
  throw new CommandFailure(
    `--${option} does not apply to ${table}: remove it. It applies to ${tables.join(', ')}.`,
  );
}

type Summary = Extract<MigrationLine, { kind: 'summary' }>;
type OrderLine = Extract<MigrationLine, { kind: 'order' }>;
type UnreadableLine = Extract<MigrationLine, { kind: 'unreadable' }>;
type Row = OrderLine['fundings'][number] & { order: string };

function rowsOf({ fundings, merchantOrderId }: OrderLine): Row[] {
  return fundings.map((funding) => ({ ...funding, order: merchantOrderId ?? 'no order id' }));
}

const operationNames = { report: 'report', recordsV1: 'records v1', recordsV2: 'records v2' };

function unreadable({ operation, day, merchantOrderId, reason }: UnreadableLine): string {
  const order = merchantOrderId === undefined ? 'without an order id' : `of ${merchantOrderId}`;
  return `${day}, ${operationNames[operation]}: a record ${order} cannot be read: ${reason}.`;
}

const orderColumns: TableColumn<Row>[] = [
  { head: 'ORDER', cell: ({ order }) => order },
  { head: 'TYPE', cell: ({ transactionType }) => transactionType },
  {
    head: 'AMOUNT',
    cell: ({ amount, currency, currencyAssumed }) => written(amount, currency, currencyAssumed),
    align: 'right',
  },
  { head: 'RECORDS V1', cell: ({ recordsV1 }) => recordsV1 ?? '—' },
  { head: 'RECORDS V2', cell: ({ recordsV2 }) => recordsV2 ?? '—' },
  { head: 'REPORT', cell: ({ report }) => report ?? '—' },
  { head: 'DIFFERS', cell: ({ differs }) => differs.join(' ') },
];

const becomesColumns: TableColumn<Summary['becomes'][number]>[] = [
  { head: 'RECORDS', cell: ({ records, version }) => `v${version} ${records ?? '(not in it)'}` },
  { head: 'REPORT', cell: ({ report }) => report ?? '(not in it)' },
  { head: 'FUNDINGS', cell: ({ count }) => String(count), align: 'right' },
  {
    head: 'AMOUNT',
    cell: ({ amounts, assumedCurrency }) =>
      [
        ...Object.entries(amounts).map(([currency, amount]) => sumText(amount, currency)),
        ...(assumedCurrency > 0 ? [`${assumedCurrency} with an assumed currency`] : []),
      ].join(', '),
    align: 'right',
  },
];

function printSummary(shell: Shell, summary: Summary): void {
  shell.print(`${periodText(summary)}\n`);
  const { becomes, differs, orders, read } = summary;
  for (const line of tableLines(becomesColumns, becomes)) shell.print(line);
  shell.print('');
  shell.print(
    `${read.report} ${read.report === 1 ? 'funding' : 'fundings'} in the report, ${read.recordsV1} in records v1, ${read.recordsV2} in records v2; ${orders} ${orders === 1 ? 'order' : 'orders'} with differences.`,
  );
  const fields = Object.entries(differs);
  shell.print(
    fields.length === 0
      ? 'No field differs except the status.'
      : `Other differing fields: ${fields.map(([field, count]) => `${field} ${count === 1 ? 'once' : `${count} times`}`).join(', ')}.`,
  );
}
