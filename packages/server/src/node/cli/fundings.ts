import {
  type Funding,
  fundingSchema,
  fundingsSchema,
} from '@financing-checkout/contract/back-office';
import { type Money, toMajorUnits } from '@financing-checkout/contract/money';
import {
  addCommand,
  addGroup,
  choice,
  CommandFailure,
  flag,
  invalidAnswer,
  type OptionTable,
  printable,
  readLines,
  readPart,
  type Register,
  shared,
  type Shell,
  type TableColumn,
  tableLines,
  withDefault,
} from '@financing-checkout/kit/cli';
import type { z } from 'zod';
import { officeHelp, officeOf, peer } from './office.ts';

interface Options {
  from?: string;
  to?: string;
  showMissing?: boolean;
  json?: boolean;
  version?: '1' | '2';
}

/**
 * Number of rows per table with common column widths: a report of a million rows is never held in
 * memory.
 */
const TABLE_ROWS = 1_000;

const options = {
  from: shared.from('funded at or after, a day, or a day and time (ISO 8601)'),
  to: shared.to('funded at or before'),
  showMissing: flag('also transactions without a match at the service'),
  json: shared.jsonLines(),
} satisfies OptionTable;
const version = withDefault(choice('<version>', ['1', '2'], 'of the operation'), '2');

/** Registers `fundings`, which prints the service's records through a running companion. */
export const registerFundings: Register<Shell> = (program, shell) => {
  const fundings = addGroup(
    program,
    'fundings',
    'show the fundings that the service reports, through a running companion',
    `Reads the service and prints its records as they arrive. Whether orders are paid is a question for
financing-reconcile, a separate program. An unreadable record is left out and reported, and the
command ends with exit code 1.

Examples:
  financing-companion fundings report --from 2026-03-01 --to 2026-03-02 --show-missing
  financing-companion fundings records --version 1 --json | jq .status

${officeHelp}`,
  );
  const report = {
    usage: 'report',
    description: 'the report: mismatches are TYPE_MISMATCH or AMOUNT_MISMATCH',
    options,
  };
  addCommand(fundings, report, (given) => list(shell, '/fundings/report', given));
  const records = {
    usage: 'records',
    description: 'the records (legacy): mismatches are UNRECONCILED',
    options: { ...options, version },
  };
  addCommand(fundings, records, (given) => list(shell, '/fundings/records', given));
};

async function list(shell: Shell, path: string, given: Options): Promise<void> {
  const { from, to, showMissing = false, version: operation, json } = given;
  const query = { from, to, version: operation, showMissing: String(showMissing) };
  let [count, assumed] = [0, 0];
  let rows: Funding[] = [];
  const flush = () => {
    // Print the header row only once, above the first rows.
    const print = (line: string, index: number) => {
      if (index > 0 || count === rows.length) shell.print(line);
    };
    tableLines(columns, rows).forEach(print);
    rows = [];
  };
  let rest = '';
  const lines = readLines(officeOf(shell), { path, query, type: 'application/json' });
  for await (const funding of recordsOf(lines, (text) => (rest = text))) {
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
  refuseUnreadable(readPart(peer, fundingsSchema, `${HEAD}${rest}`));
  if (count === 0) shell.say('The service reports no funding for this time.');
}

const ASSUMED =
  '?  The currency is assumed (FINANCING_DEFAULT_CURRENCY): the companion does not know the order, or knows it in several currencies.';

/** @throws {CommandFailure} if the response lists unreadable records */
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

/**
 * Yields the records of a response, one per line. @param onRest receives the line that follows the
 * records
 */
async function* recordsOf(
  lines: AsyncIterable<string>,
  onRest: (text: string) => void,
): AsyncGenerator<Funding> {
  let isFirst = true;
  for await (const line of lines) {
    if (isFirst && line !== HEAD) throw invalidAnswer(peer);
    if (line.startsWith(']')) onRest(line);
    else if (!isFirst) yield readPart(peer, fundingSchema, line.replace(/,$/, ''));
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
