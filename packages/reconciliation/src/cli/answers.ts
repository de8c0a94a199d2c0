import {
  type DiscountAuditRecord,
  discountAuditSchema,
  type ListedOrder,
  orderStatusesSchema,
  type RadarRecord,
  radarSchema,
  type ShareSum,
  type Walk,
  walkAmounts,
  walkSchema,
} from '@financing-checkout/contract';
import { Calendar } from '@financing-checkout/contract/calendar';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { type Command, Option } from 'commander';
import { type Period, periodText } from '../platform/period.ts';
import { written } from '../queries/reasons.ts';
import { leftOutText } from '../queries/left-out.ts';
import { type Statement, walkSteps } from '../queries/walk-steps.ts';
import { CommandFailure, exitCodes } from './exit.ts';
import { ask, readBytes, readLong } from './api.ts';
import type { Shell } from './shell.ts';
import { type TableColumn, tableLines } from './table.ts';
import { percent, since } from './explanation.ts';
import { sayLeftOut } from './left-out.ts';
import { moneyColumn, orderColumn, readPages, show, sumText } from './orders.ts';
import { Finding, judgeProof, queryOf, readSummary, reconciling, rowCount } from './outcome.ts';
import { decimalOption, refuseUnlessCsv, writeAnswer, writeFileWhole } from './output.ts';

interface Options extends Record<string, unknown> {
  json?: boolean;
  step?: string;
  limit?: number;
  format?: string;
  output?: string;
}

/** `reconcile walk|discounts|radar`: sums over all orders. */
export function registerAnswers(program: Command, shell: Shell): void {
  part('walk', 'show the cash walk from settled to posted amounts, unexplained 0.00')
    .addOption(
      new Option('--step <name>', 'list the orders of this step, with their shares of it').choices(
        walkAmounts,
      ),
    )
    .option('--limit <count>', 'maximum number of orders in a list', rowCount, 50)
    .addOption(
      new Option('--format <format>', 'output format')
        .choices(['table', 'json', 'csv', 'xlsx', 'svg'])
        .default('table'),
    )
    .addOption(decimalOption())
    .option('--bom', 'begin CSV with a byte order mark, for Excel')
    .addOption(new Option('--json', 'same as --format json').conflicts('format'))
    .option('--output <file>', 'output file, written atomically')
    .addHelpText(
      'after',
      `
The steps account for every amount. A rest is "unexplained", and the command then ends with 2.
--step lists the orders of one step; their shares add up to its amount. With --format csv or json it lists
all of them.

Examples:
  financing-reconcile walk --from 2026-11-01 --to 2026-11-30
  financing-reconcile walk --lender "Meadow Credit" --format svg --output walk.svg
  financing-reconcile walk --from 2026-11-01 --to 2026-11-30 --step awaiting`,
    )
    .action(
      reconciling(async (options: Options) => {
        const query = queryOf(options, ofPart);
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
        const walk = await ask(shell, { method: 'GET', path, query, schema: walkSchema });
        if (format === 'xlsx' && options.output !== undefined) {
          const pieces = readBytes(shell, {
            path,
            query: { ...query, format },
            type: WORKBOOK_TYPE,
          });
          await writeFileWhole(options.output, pieces);
        } else if (format === 'csv' || format === 'svg') {
          const type = format === 'csv' ? 'text/csv' : 'image/svg+xml';
          const asked = { ...query, ...queryOf(options, ['decimal', 'bom']), format };
          const pieces = readLong(shell, { path, query: asked, type });
          await writeAnswer(shell, pieces, options.output);
        } else {
          const lines = format === 'json' ? [JSON.stringify(walk)] : walkLines(walk, options);
          await writeAnswer(
            shell,
            lines.map((line) => `${line}\n`),
            options.output,
          );
        }
        sayLeftOut(shell, walk);
        judgeProof(walk);
        const rests = walk.statements.filter(({ unexplained }) => unexplained !== 0);
        if (rests.length > 0) {
          const amounts = rests.map((one) => written(one.unexplained, one.currency)).join(', ');
          throw new Finding(`Unexplained: ${amounts}.`, exitCodes.exceptions);
        }
      }),
    );

  listed('discounts', 'discounts (MDR) kept by lenders, compared with the contracts').action(
    reconciling(async (options: Options) => {
      const audit = await ask(shell, {
        method: 'GET',
        path: '/discounts',
        query: queryOf(options, ofPart),
        schema: discountAuditSchema,
      });
      sayPeriod(shell, audit);
      show(
        shell,
        options,
        audit.rows,
        discountColumns(new Calendar(audit.zone)),
        nothingOf(options),
      );
      sayLeftOut(shell, audit);
      judgeProof(await readSummary(shell));
    }),
  );

  listed('radar', 'where the service’s status and the arithmetic disagree').action(
    reconciling(async (options: Options) => {
      const radar = await ask(shell, {
        method: 'GET',
        path: '/radar',
        query: queryOf(options, ofPart),
        schema: radarSchema,
      });
      sayPeriod(shell, radar);
      show(shell, options, radar.rows, radarColumns, nothingOf(options));
      sayLeftOut(shell, radar);
      judgeProof(await readSummary(shell));
    }),
  );

  function part(name: string, description: string): Command {
    return program
      .command(name)
      .description(description)
      .option('--from <day>', 'first day (2026-01-01); without it from the beginning')
      .option('--to <day>', 'last day, included')
      .option('--zone <zone>', 'zone of --from and --to; default RECONCILIATION_ZONE')
      .option('--lender <name>', 'only this lender, under any of its names')
      .option('--currency <code>', 'only this currency');
  }

  function listed(name: string, description: string): Command {
    return part(name, description).option('--json', 'print rows as JSON, one per line');
  }
}

/** Parameters of sums. */
const ofPart = ['from', 'to', 'zone', 'lender', 'currency'];

/** Says the period of rows, beside them: rows of JSON have no place for it. */
function sayPeriod(shell: Shell, period: Period): void {
  const written = periodText(period);
  if (written !== undefined) shell.say(`Fundings posted ${written}.`);
}

/** A filtered answer makes no statement about all data. */
function nothingOf({ currency, from, lender, to }: Options): string {
  if (from !== undefined || to !== undefined) return 'No fundings match these filters.';
  if (lender !== undefined) {
    return 'No lender with this name posted fundings: "financing-reconcile radar" lists all lenders.';
  }
  return currency === undefined
    ? 'No lender posted fundings.'
    : 'No lender posted fundings in this currency.';
}

/** Lists the orders of a step of the walk with their shares, and the sums of all shares. */
async function listShares(
  shell: Shell,
  options: Options,
  query: Record<string, string>,
  format: string | undefined,
): Promise<void> {
  if (format === 'svg' || format === 'xlsx') {
    throw new CommandFailure('--step lists orders: use it with the format table, json or csv.');
  }
  if (format === 'csv' || format === 'json') {
    const asked = {
      ...query,
      ...queryOf(options, ['decimal', 'bom']),
      format: format === 'csv' ? 'csv' : 'ndjson',
    };
    const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const pieces = readLong(shell, { path: '/exports/orders', query: asked, type });
    await writeAnswer(shell, pieces, options.output);
    return;
  }
  if (query.zone !== undefined) {
    throw new CommandFailure('--zone with --step requires --format csv or json.');
  }
  let shares: readonly ShareSum[] = [];
  let period: string | undefined;
  const { rows, more } = await readPages(options.limit ?? 50, async (limit, after) => {
    const page = await ask(shell, {
      method: 'GET',
      path: '/orders',
      query: { ...query, ...after, limit: String(limit) },
      schema: orderStatusesSchema,
    });
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

function walkLines(walk: Walk, options: Options): string[] {
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
      ...endsOf(statement, leftOutText(walk)),
    ]),
  ]);
  return [...head, ...tables];
}

interface Step {
  label: string;
  amount: number;
}
const endsOf = ({ net, unexplained }: Statement, leftOut: string | undefined): Step[] => [
  { label: 'Net posted by lenders', amount: net },
  {
    label: leftOut === undefined ? 'Unexplained' : `Unexplained, with ${leftOut}`,
    amount: unexplained,
  },
];
const stepColumns = (currency: string): TableColumn<Step>[] => [
  { head: currency, cell: ({ label }) => label },
  { head: '', cell: ({ amount }) => written(amount, currency), align: 'right' },
];

/** Formats `2.90 %`, or `2.90 % + 0.30 USD` with a fixed amount per settle. */
function agreedTerms(row: DiscountAuditRecord['rows'][number]): string {
  const { agreedBasisPoints, agreedPerSettle, currency } = row;
  const fixed = agreedPerSettle === undefined ? '' : ` + ${written(agreedPerSettle, currency)}`;
  return percent(agreedBasisPoints, agreedBasisPoints) + fixed;
}

const discountColumns = (
  calendar: Calendar,
): TableColumn<DiscountAuditRecord['rows'][number]>[] => [
  { head: 'LENDER', cell: ({ lender }) => lender },
  {
    head: 'PRODUCT',
    cell: ({ productType, promoCode }) =>
      [productType, promoCode].filter((word) => word !== undefined).join(' '),
  },
  {
    head: `SINCE (${calendar.zone})`,
    cell: ({ agreedFrom }) => since(agreedFrom, calendar),
  },
  {
    head: 'AGREED',
    cell: (row) => agreedTerms(row),
    align: 'right',
  },
  {
    head: 'KEPT',
    cell: (row) => percent(row.effectiveBasisPoints, row.agreedBasisPoints),
    align: 'right',
  },
  moneyColumn('SETTLED', ({ settles }) => settles.amount),
  moneyColumn('DISCOUNT', ({ settles }) => settles.discount),
  moneyColumn('TOO MUCH', ({ settles }) => settles.variance),
  moneyColumn('REFUNDED', ({ refunds }) => refunds.amount),
  moneyColumn('GIVEN BACK', ({ refunds }) => refunds.returned),
  moneyColumn('OWED BACK', ({ refunds }) => refunds.variance),
  moneyColumn('KEPT ON REFUNDS', ({ refunds }) => refunds.kept),
];

const radarColumns: TableColumn<RadarRecord['rows'][number]>[] = [
  { head: 'LENDER', cell: ({ lender }) => lender },
  { head: 'STATUS', cell: ({ status }) => status },
  { head: 'FUNDINGS', cell: ({ all }) => String(all.count), align: 'right' },
  moneyColumn('AMOUNT', ({ all }) => all.amount),
  { head: 'WRONGLY', cell: ({ wrong }) => String(wrong.count), align: 'right' },
  moneyColumn('OF THAT', ({ wrong }) => wrong.amount),
];
