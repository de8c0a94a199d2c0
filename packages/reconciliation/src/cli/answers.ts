import {
  dailyOperations,
  type ListedOrder,
  moneyOperations,
  orderStatusesSchema,
  shareFilters,
  type ShareSum,
  type Walk,
  walkSchema,
} from '@financing-checkout/contract/reconciliation';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import {
  addCommand,
  addVerb,
  choice,
  CommandFailure,
  type OptionValues,
  type Register,
  shared,
  value,
  type TableColumn,
  tableLines,
  withDefault,
} from '@financing-checkout/kit/cli';
import { walkQuery } from '../http/queries.ts';
import { type Period, periodText } from '../queries/basis/period.ts';
import { written } from '../queries/basis/reasons.ts';
import { countInNoSum, type Statement, walkSteps } from '../queries/money/walk-steps.ts';
import { get, readBytes, readText } from './ask.ts';
import { exits } from './peer.ts';
import { sayLeftOut } from './left-out.ts';
import { csv, limit, oneOf, output, part } from './options.ts';
import { Finding, judgeProof, queryOf, readSummary } from './outcome.ts';
import { refuseUnlessCsv, writeAnswer, writeFileWhole } from './output.ts';
import type { Shell } from './shell.ts';
import { moneyColumn, orderColumn, readRows, sumText } from './tables.ts';
import { provenVerbsOf } from './verbs.ts';

const walkOptions = {
  ...part,
  period: {
    ...value(
      '<name>',
      'a period of the books, such as 2026-10: as sealed, or with adjustments if it is open',
      walkQuery.shape.period,
    ),
    conflicts: ['from', 'to', 'zone', 'step'],
  },
  step: oneOf('<name>', shareFilters.step, 'list the orders of this step, with their shares of it'),
  limit,
  format: withDefault(
    choice('<format>', ['table', 'json', 'csv', 'xlsx'], 'output format'),
    'table',
  ),
  ...csv,
  json: { ...shared.json(), conflicts: ['format'] },
  output,
};
type WalkOptions = OptionValues<typeof walkOptions>;
type Filters = Partial<Record<keyof typeof part, string | undefined>>;

/** Query parameters that restrict the sums. */
const ofPart = Object.keys(part);

/** Registers `walk`, the lists of sums over many orders, and the daily work. */
export const registerAnswers: Register<Shell> = (program, shell) => {
  const walk = {
    usage: 'walk',
    description: 'show the cash walk from settled to posted amounts, unexplained 0.00',
    options: walkOptions,
    help: `The steps account for every amount. A rest is "unexplained", and the command then ends with 2.
--step lists the orders of one step; their shares add up to its amount. With --format csv or json it lists
all of them.

Examples:
  financing-reconcile walk --from 2026-11-01 --to 2026-11-30
  financing-reconcile walk --lender "Meadow Credit" --format xlsx --output walk.xlsx
  financing-reconcile walk --from 2026-11-01 --to 2026-11-30 --step awaiting`,
  };
  addCommand(program, walk, (options) => showWalk(shell, options));

  const verbs = provenVerbsOf(shell);
  const judge = async () => judgeProof(await readSummary(shell));
  const endOfPart = async (found: Period & Parameters<typeof sayLeftOut>[1]) => {
    const posted = periodText(found);
    if (posted !== undefined) shell.say(`Fundings posted ${posted}.`);
    sayLeftOut(shell, found);
    await judge();
  };
  const { discounts, months, radar } = moneyOperations;
  addVerb(program, discounts, verbs, { end: endOfPart });
  addVerb(program, radar, verbs, { end: endOfPart });
  addVerb(program, months, verbs, { end: judge });
  const { forecast, lags, today } = dailyOperations;
  addVerb(program, today, verbs, { end: judge });
  addVerb(program, lags, verbs, { end: judge });
  addVerb(program, forecast, verbs, { end: judge });
};

async function showWalk(shell: Shell, options: WalkOptions): Promise<void> {
  const query = queryOf(options, [...ofPart, 'period']);
  const path = '/walk';
  const format = options.json ? 'json' : options.format;
  refuseUnlessCsv(options, ['decimal', 'bom'], format);
  if (options.step !== undefined) {
    await listShares(shell, options, { ...query, step: options.step }, format);
    judgeProof(await readSummary(shell));
    return;
  }
  if (format === 'xlsx' && options.output === undefined) {
    throw new CommandFailure('XLSX is a binary format: name a file with --output.');
  }
  const walk = await get(shell, path, walkSchema, query);
  if (format === 'xlsx' && options.output !== undefined) {
    const asked = { path, query: { ...query, format }, type: WORKBOOK_TYPE };
    await writeFileWhole(options.output, readBytes(shell, asked));
  } else if (format === 'csv') {
    const asked = { ...query, ...queryOf(options, ['decimal', 'bom']), format };
    const text = readText(shell, { path, query: asked, type: 'text/csv' });
    await writeAnswer(shell, text, options.output);
  } else {
    const lines = format === 'json' ? [JSON.stringify(walk)] : walkLines(walk, options);
    const pieces = lines.map((line) => `${line}\n`);
    await writeAnswer(shell, pieces, options.output);
  }
  const { book } = walk;
  if (book?.isSealed) shell.say(`${book.period} as it was sealed: SHA-256 ${book.seal}.`);
  else if (book !== undefined) {
    const orders = book.adjustments === 1 ? 'order' : 'orders';
    shell.say(
      `${book.period} is open, with ${book.adjustments} adjusted ${orders} of closed periods.`,
    );
  }
  sayLeftOut(shell, walk);
  judgeProof(walk);
  const rests = walk.statements.filter(({ unexplained }) => unexplained !== 0);
  if (rests.length > 0) {
    const amounts = rests.map((one) => written(one.unexplained, one.currency)).join(', ');
    throw new Finding(`Unexplained: ${amounts}.`, exits.exceptions);
  }
}

/** Returns the message for an empty result. If filtered, it proves nothing about the remaining data. */
function nothingOf({ currency, from, lender, to }: Filters): string {
  if (from !== undefined || to !== undefined) return 'No fundings match these filters.';
  if (lender !== undefined) {
    return 'No lender with this name posted fundings: "financing-reconcile radar" lists all lenders.';
  }
  return currency === undefined
    ? 'No lender posted fundings.'
    : 'No lender posted fundings in this currency.';
}

/** Lists the orders behind a step of the walk with their shares, and the total of all shares. */
async function listShares(
  shell: Shell,
  options: WalkOptions,
  query: Record<string, string>,
  format: string | undefined,
): Promise<void> {
  if (format === 'xlsx') {
    throw new CommandFailure('--step lists orders: use it with the format table, json or csv.');
  }
  if (format === 'csv' || format === 'json') {
    const asked = {
      ...query,
      ...queryOf(options, ['decimal', 'bom']),
      format: format === 'csv' ? 'csv' : 'ndjson',
    };
    const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const pieces = readText(shell, { path: '/exports/orders', query: asked, type });
    await writeAnswer(shell, pieces, options.output);
    return;
  }
  if (query.zone !== undefined) {
    throw new CommandFailure('--zone with --step requires --format csv or json.');
  }
  let shares: readonly ShareSum[] = [];
  let period: string | undefined;
  const { rows, more } = await readRows(options.limit, async (paging) => {
    const page = await get(shell, '/orders', orderStatusesSchema, { ...query, ...paging });
    shares = page.shares ?? shares;
    period = page.period && periodText(page.period);
    return { rows: page.orders, next: page.next };
  });
  const lines = period === undefined ? [] : [period];
  if (rows.length === 0) lines.push('No order has a share of this step.');
  else {
    lines.push(...tableLines(shareColumns, rows));
    for (const { amount, count, currency } of shares) {
      const orders = count === 1 ? '1 order' : `${count} orders`;
      lines.push(`Sum of ${orders}: ${sumText(amount, currency)}.`);
    }
  }
  await writeAnswer(
    shell,
    lines.map((line) => `${line}\n`),
    options.output,
  );
  if (more) shell.say('There are more: raise --limit, or use --format csv for all.');
}

const shareColumns: TableColumn<ListedOrder>[] = [
  orderColumn,
  { head: 'STATUS', cell: ({ headline }) => headline },
  moneyColumn('SHARE', ({ share }) => share ?? 0),
];

function walkLines(walk: Walk, options: Filters): string[] {
  const period = periodText(walk);
  const head = period === undefined ? [] : [period, ''];
  if (walk.statements.length === 0) {
    const { currency, from, lender, to } = options;
    if (lender !== undefined && from === undefined && to === undefined) return [nothingOf(options)];
    const isPart = [currency, from, lender, to].some((said) => said !== undefined);
    return [...head, `No settles and no fundings${isPart ? ' match these filters' : ''}.`];
  }
  const tables = walk.statements.flatMap((statement, index) => [
    ...(index === 0 ? [] : ['']),
    ...tableLines(stepColumns(statement.currency), [
      ...walkSteps
        .filter(({ name }) => statement[name] !== 0 || name === 'expected')
        .map(({ label, name }) => ({ label, amount: statement[name] })),
      ...endsOf(statement, countInNoSum(walk)),
    ]),
  ]);
  return [...head, ...tables];
}

interface Step {
  label: string;
  amount: number;
}
const endsOf = ({ net, unexplained }: Statement, leftOut: number): Step[] => [
  { label: 'Net posted by lenders', amount: net },
  {
    label:
      leftOut === 0
        ? 'Unexplained'
        : `Unexplained, with ${leftOut} ${leftOut === 1 ? 'funding' : 'fundings'} in no sum`,
    amount: unexplained,
  },
];
const stepColumns = (currency: string): TableColumn<Step>[] => [
  { head: currency, cell: ({ label }) => label },
  { head: '', cell: ({ amount }) => written(amount, currency), align: 'right' },
];
