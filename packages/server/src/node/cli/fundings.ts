import {
  type Funding,
  fundingSchema,
  fundingsSchema,
  type Money,
  toMajorUnits,
} from '@financing-checkout/contract';
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { BrokenJsonError, jsonElements } from './json-elements.ts';
import { CommandFailure } from './exit.ts';
import { readOffice, readPart, strange } from './office.ts';
import type { Shell } from './shell.ts';
import { printable, type TableColumn, tableLines } from './table.ts';

interface Options {
  from?: string;
  to?: string;
  showMissing?: boolean;
  json?: boolean;
  version?: '1' | '2';
}

/** Rows that share the widths of their columns: a report of a million is never whole in memory. */
const TABLE_ROWS = 1_000;
const MAX_RECORD = 1_048_576;

/** `fundings`: what the service reports now, record by record, through a running companion. */
export function registerFundings(program: Command, shell: Shell): void {
  const fundings = program
    .command('fundings')
    .description('what the service reports of fundings now, through a running companion')
    .addHelpText(
      'after',
      `
It asks the service itself and shows its records as they come. Whether orders are paid is for
financing-reconcile, a program of its own. A record that cannot be read is left out and named; then the
command ends with 1.

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
      .option('--show-missing', 'also those that the service has no match for')
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
      // One head, above the first of them.
      for (const line of count === rows.length ? lines : lines.slice(1)) shell.print(line);
      rows = [];
    };
    let rest = '';
    const pieces = readOffice(shell, { path, query });
    for await (const funding of records(pieces, (text) => (rest += text))) {
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
    refuseUnreadable(readPart(fundingsSchema, `${HEAD}[]${rest}`));
    if (count === 0) shell.say('The service reports no funding for this time.');
  }
}

const ASSUMED =
  '?  The currency is assumed: the companion does not know the order, or knows it in several currencies. FINANCING_DEFAULT_CURRENCY says which one is assumed.';

/** @throws {CommandFailure} for what is not among the records, because it cannot be read */
function refuseUnreadable({
  unreadable = [],
  unreadableCount = 0,
}: z.infer<typeof fundingsSchema>): void {
  if (unreadableCount === 0) return;
  const more = unreadableCount - unreadable.length;
  throw new CommandFailure(
    [
      unreadableCount === 1
        ? 'A record of the service cannot be read, and is not among these:'
        : `${unreadableCount} records of the service cannot be read, and are not among these:`,
      ...unreadable.map(({ at, merchantOrderId, reason }) =>
        printable(`  record ${at}, ${merchantOrderId ?? 'no order named'}: ${reason}`),
      ),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  );
}

const HEAD = '{"records":';

/** Records of `{"records":[…]}`, as they come. @param onRest is given what follows them */
async function* records(
  text: AsyncIterable<string>,
  onRest: (text: string) => void,
): AsyncGenerator<Funding> {
  try {
    for await (const { content } of jsonElements(behindHead(text), MAX_RECORD, onRest)) {
      yield readPart(fundingSchema, content);
    }
  } catch (error) {
    throw error instanceof BrokenJsonError ? strange() : error;
  }
}

/** The array, and what follows it. */
async function* behindHead(text: AsyncIterable<string>): AsyncGenerator<string> {
  let begun = '';
  for await (const chunk of text) {
    if (begun.length >= HEAD.length) {
      yield chunk;
      continue;
    }
    begun += chunk;
    if (begun.length < HEAD.length) continue;
    if (!begun.startsWith(HEAD)) throw strange();
    yield begun.slice(HEAD.length);
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
