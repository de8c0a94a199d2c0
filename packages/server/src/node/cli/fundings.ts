import {
  type Funding,
  fundingSchema,
  fundingsSchema,
  type Money,
  toMajorUnits,
} from '@financing-checkout/contract';
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { CommandFailure } from './exit.ts';
import { invalidAnswer, readLines, readPart } from './office.ts';
import type { Shell } from './shell.ts';
import { printable, type TableColumn, tableLines } from './table.ts';

interface Options {
  from?: string;
  to?: string;
  showMissing?: boolean;
  json?: boolean;
  version?: '1' | '2';
}

/** Rows that share column widths: a report of a million rows is never complete in memory. */
const TABLE_ROWS = 1_000;

/** Registers `fundings`, which prints the service's records through a running companion. */
export function registerFundings(program: Command, shell: Shell): void {
  const fundings = program
    .command('fundings')
    .description('show the fundings that the service reports, through a running companion')
    .addHelpText(
      'after',
      `
Reads the service and prints its records as they arrive. Whether orders are paid is a question for
financing-reconcile, a separate program. An unreadable record is left out and reported, and the
command ends with exit code 1.

Examples:
  financing-companion fundings report --from 2026-03-01 --to 2026-03-02 --show-missing
  financing-companion fundings records --version 1 --json | jq .status

Asks the back office at COMPANION_BACK_OFFICE_URL (http://127.0.0.1:4001) with
COMPANION_BACK_OFFICE_TOKEN, or the file COMPANION_BACK_OFFICE_TOKEN_FILE.`,
    );

  common('report', 'the report: mismatches are TYPE_MISMATCH or AMOUNT_MISMATCH').action(
    (options: Options) => list('/fundings/report', options),
  );
  common('records', 'the records (legacy): mismatches are UNRECONCILED')
    .addOption(
      new Option('--version <version>', 'of the operation').choices(['1', '2']).default('2'),
    )
    .action((options: Options) => list('/fundings/records', options));

  function common(name: string, description: string): Command {
    return fundings
      .command(name)
      .description(description)
      .option('--from <time>', 'funded at or after: a date, or a date and time (ISO 8601)')
      .option('--to <time>', 'funded at or before')
      .option('--show-missing', 'also transactions without a match at the service')
      .option('--json', 'print each record as JSON, one a line');
  }

  async function list(path: string, options: Options): Promise<void> {
    const { from, to, showMissing, version, json } = options;
    const query = {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(version === undefined ? {} : { version }),
      showMissing: String(showMissing ?? false),
    };
    let [count, assumed] = [0, 0];
    let rows: Funding[] = [];
    const flush = () => {
      const lines = tableLines(columns, rows);
      // Only one head, above the first rows.
      for (const line of count === rows.length ? lines : lines.slice(1)) shell.print(line);
      rows = [];
    };
    let rest = '';
    const lines = readLines(shell, { path, query });
    for await (const funding of records(lines, (text) => (rest = text))) {
      count += 1;
      if (json) {
        shell.print(JSON.stringify(funding));
        continue;
      }
      if (funding.currencyAssumed === true) assumed += 1;
      rows.push(funding);
      if (rows.length === TABLE_ROWS) flush();
    }
    if (rows.length > 0) flush();
    if (assumed > 0) shell.say(ASSUMED);
    refuseUnreadable(readPart(fundingsSchema, `${HEAD}${rest}`));
    if (count === 0) shell.say('The service reports no funding for this time.');
  }
}

const ASSUMED =
  '?  The currency is assumed (FINANCING_DEFAULT_CURRENCY): the companion does not know the order, or knows it in several currencies.';

/** @throws {CommandFailure} if the answer lists unreadable records */
function refuseUnreadable({
  unreadable = [],
  unreadableCount = 0,
}: z.infer<typeof fundingsSchema>): void {
  if (unreadableCount === 0) return;
  const more = unreadableCount - unreadable.length;
  throw new CommandFailure(
    [
      unreadableCount === 1
        ? 'One record of the service cannot be read and was left out:'
        : `${unreadableCount} records of the service cannot be read and were left out:`,
      ...unreadable.map(({ at, merchantOrderId, reason }) =>
        printable(`  record ${at}, ${merchantOrderId ?? 'no order named'}: ${reason}`),
      ),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  );
}

const HEAD = '{"records":[';

/** Yields the records of an answer, one per line. @param onRest receives the line after them */
async function* records(
  lines: AsyncIterable<string>,
  onRest: (text: string) => void,
): AsyncGenerator<Funding> {
  let isFirst = true;
  for await (const line of lines) {
    if (isFirst && line !== HEAD) throw invalidAnswer();
    if (line.startsWith(']')) onRest(line);
    else if (!isFirst) yield readPart(fundingSchema, line.replace(/,$/, ''));
    isFirst = false;
  }
}

const amount = (money: Money) => toMajorUnits(money);

const columns: readonly TableColumn<Funding>[] = [
  { head: 'funded', cell: ({ fundedAt }) => fundedAt },
  { head: 'status', cell: ({ status }) => status },
  { head: 'type', cell: ({ transactionType }) => transactionType },
  { head: 'amount', cell: (row) => amount(row.transactionAmount), align: 'right' },
  { head: 'discount', cell: (row) => amount(row.discountAmount), align: 'right' },
  { head: 'net', cell: (row) => amount(row.netAmount), align: 'right' },
  {
    head: '',
    cell: ({ currencyAssumed, transactionAmount: { currency } }) =>
      currencyAssumed === true ? `${currency}?` : currency,
  },
  { head: 'lender', cell: ({ lenderName }) => lenderName },
  { head: 'order', cell: ({ merchantOrderId }) => merchantOrderId ?? '' },
  { head: 'transaction', cell: ({ transactionId }) => transactionId ?? '' },
];
