import {
  caseFilters,
  type MigrationLine,
  migrationLineSchema,
  orderFilters,
} from '@financing-checkout/contract/reconciliation';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import {
  addCommand,
  CommandFailure,
  flag,
  type OptionValues,
  printable,
  printTable,
  type Register,
  required,
  shared,
  type TableColumn,
  value,
  withDefault,
} from '@financing-checkout/kit/cli';
import { exportQueries, exportQuery, exportTable, migrationQuery } from '../http/queries.ts';
import { periodText } from '../queries/basis/period.ts';
import { written } from '../queries/basis/reasons.ts';
import { businessDays, readBytes, readLines, readPart, readText } from './ask.ts';
import { exits } from './peer.ts';
import { csv, oneOf, optionsOf, output, times, zone } from './options.ts';
import { Finding, judgeProof, queryOf, readSummary } from './outcome.ts';
import { refuseUnlessCsv, writeAnswer, writeFileWhole } from './output.ts';
import type { Shell } from './shell.ts';
import { show, sumText } from './tables.ts';

const binary = {
  parquet: { name: 'Parquet', type: 'application/vnd.apache.parquet' },
  xlsx: { name: 'XLSX', type: WORKBOOK_TYPE },
} as const;

/**
 * Timeout of a comparison, which reads each day three times and sends nothing for a day without
 * differences.
 */
const COMPARISON_MS = 3_600_000;

const { shape } = exportQuery;
const exportOptions = {
  format: withDefault(oneOf('<format>', shape.format, 'format of the file'), 'csv'),
  zone,
  ...csv,
  times,
  output,
  ...optionsOf(caseFilters),
  ...optionsOf(orderFilters),
  from: shared.from(
    'rows from this day on; orders with a line from this day on; cases that were opened',
    shape.from,
  ),
  orderKey: value('<key>', 'only this order: order: and its number', shape.orderKey),
  step: oneOf('<step>', shape.step, 'only orders of this amount of the walk'),
  sort: oneOf('<order>', shape.sort, 'order of cases, by default the most money first'),
  language: oneOf('<language>', shape.language, 'language of the texts'),
  direction: oneOf('<direction>', shape.direction, 'direction of the order of cases'),
};
type ExportOptions = OptionValues<typeof exportOptions>;

/** Registers `export` and `migrate-report`, whose responses are too long for one page. */
export const registerExports: Register<Shell> = (program, shell) => {
  const definition = {
    usage: 'export <table>',
    words: [{ text: 'of what', choices: exportTable.options }],
    description: 'export orders, exceptions, cases or lines as CSV, NDJSON, XLSX or Parquet',
    options: exportOptions,
    help: `No cell of the CSV is a formula: a text that begins like a formula gets an apostrophe. Amounts have the
decimals of their currency.

Example:
  financing-reconcile export lines --zone Europe/Berlin --output november.csv \\
    --from 2026-11-01 --to 2026-11-30`,
  };
  addCommand(program, definition, (options, table: string) => exportTo(shell, options, table));

  const report = {
    usage: 'migrate-report',
    description: 'compare report and records: how UNRECONCILED changes',
    options: {
      from: required(
        shared.from(
          'first day, such as 2026-11-01, in RECONCILIATION_ZONE',
          migrationQuery.shape.from,
        ),
      ),
      to: required(shared.to('last day', migrationQuery.shape.to)),
      orders: flag('also print each order with differences'),
      json: shared.jsonLines(),
    },
    help: `Reads the service three times: the report, and the records operations v1 and v2, all with missing
transactions. It changes nothing.

Example:
  financing-reconcile migrate-report --from 2026-11-01 --to 2026-11-07 --orders`,
  };
  addCommand(program, report, async ({ from, to, orders, json }) => {
    const lines = readLines(shell, {
      path: '/migration',
      query: { from, to },
      type: 'application/x-ndjson',
      silenceMs: COMPARISON_MS,
    });
    let summary: Summary | undefined;
    for await (const text of lines) {
      const line = readPart(migrationLineSchema, text);
      if (json) shell.print(text);
      else if (line.kind === 'order' && orders) {
        show(shell, {}, rowsOf(line), orderColumns, '');
        shell.print('');
      } else if (line.kind === 'unreadable' && orders) {
        shell.print(printable(unreadable(line)));
        shell.print('');
      }
      if (line.kind === 'summary') summary = line;
    }
    if (summary === undefined) {
      throw new CommandFailure('The answer broke off: see the log of the program.');
    }
    if (!json) printSummary(shell, summary);
    const { report: ofReport, recordsV1, recordsV2 } = summary.unreadable;
    if (ofReport + recordsV1 + recordsV2 > 0) {
      throw new Finding(
        `Unreadable records, not counted: ${ofReport} of the report, ${recordsV1} of records v1, ${recordsV2} of records v2. --orders shows them.`,
        exits.incomplete,
      );
    }
  });
};

async function exportTo(shell: Shell, options: ExportOptions, table: string): Promise<void> {
  refuseOthers(table, options);
  refuseUnlessCsv(options, ['decimal', 'bom', 'times'], options.format);
  const { format, output: file } = options;
  const query = queryOf(
    options,
    Object.keys(options).filter((name) => name !== 'output'),
  );
  const path = `/exports/${encodeURIComponent(table)}`;
  if (format === 'parquet' || format === 'xlsx') {
    const { name, type } = binary[format];
    if (file === undefined) {
      throw new CommandFailure(`${name} is a binary format: name a file with --output.`);
    }
    await writeFileWhole(file, readBytes(shell, { path, query, type }));
  } else {
    const type = format === 'ndjson' ? 'application/x-ndjson' : 'text/csv';
    await writeAnswer(shell, readText(shell, { path, query, type }), file);
  }
  const { from, to } = query;
  if (from !== undefined || to !== undefined) {
    const zone = query.zone ?? (await businessDays(shell)).zone;
    shell.say(`Period: ${periodText({ from, to, zone })}.`);
  }
  judgeProof(await readSummary(shell));
}

/** @throws {CommandFailure} for an option that does not apply to the table */
function refuseOthers(table: string, options: ExportOptions): void {
  const queries: Readonly<Record<string, { shape: object }>> = exportQueries;
  const applies = (name: string, of: string) => name in (queries[of]?.shape ?? {});
  const wrong = Object.keys(options).find(
    (name) =>
      name !== 'output' &&
      options[name as keyof ExportOptions] !== undefined &&
      !applies(name, table),
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
  printTable(shell, becomesColumns, becomes);
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
