import {
  actionsSchema,
  currencies,
  orderChargesSchema,
  type Action,
} from '@financing-checkout/contract';
import type { Calendar } from '@financing-checkout/contract/calendar';
import type { Command } from 'commander';
import { z } from 'zod';
import { decimal } from '../queries/reasons.ts';
import { ask, readLong, readPart } from './api.ts';
import { CommandFailure } from './exit.ts';
import { reconciling } from './outcome.ts';
import { linesOf } from './output.ts';
import type { Shell } from './shell.ts';
import { type TableColumn, tableLines } from './table.ts';
import { businessDays } from './zone.ts';

/** A refund of the trail of actions that may have returned another amount than the person meant. */
export interface AffectedRefund {
  /** ISO 8601, UTC. */
  at: string;
  actor: string;
  chargeId: string;
  merchantOrderId?: string | undefined;
  currency: string;
  outcome: string;
  /** The amount in major units, with the decimals that the console showed before the upgrade. */
  meant: string;
  /** The amount in major units that the companion requested. */
  done: string;
  reason: 'decimals' | 'currency-assumed' | 'currency-not-checked';
}

/** Lines of an order that may be one line of two imports. Amounts in major units. */
export interface DoubledLines {
  merchantOrderId: string;
  type: string;
  currency: string;
  /** What each line states; one of them was meant, if an import corrected another one. */
  lines: { amount: string; at: string }[];
  /** What counts now. */
  counted: string;
}

const DAY_MS = 86_400_000;
const PAGE_SIZE = '200';
/** Outcomes of refunds that may have moved money. */
const moved = new Set(['accepted', 'done', 'unknown', 'recorded', undefined]);

/** `reconcile affected`: refunds and lines to check after an upgrade. */
export function registerAffected(program: Command, shell: Shell): void {
  program
    .command('affected')
    .description('list refunds and imported lines that earlier versions may have got wrong')
    .option(
      '--before <day>',
      'only refunds before this day in RECONCILIATION_ZONE, such as that of the upgrade',
    )
    .option('--json', 'print one JSON object: {refunds, orders}')
    .addHelpText(
      'after',
      `
Refunds: those made in the console in currencies whose decimals in browsers differ from ISO 4217, with the
amount that the console showed (MEANT) and the amount that was returned (DONE); and those of charges whose
currency was assumed. The companion is asked about each charge.
Orders: lines without an id, of one order, type and currency, within a day of each other. If one import
corrected another one, one of the lines was meant, and all of them count.
Changes nothing.`,
    )
    .action(
      reconciling(async ({ before, json }: { before?: string; json?: boolean }) => {
        if (before !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(before)) {
          throw new CommandFailure('--before must be a day, such as 2026-12-01.');
        }
        const calendar = await businessDays(shell);
        const made = (await readRefunds(shell)).filter(
          ({ at }) => before === undefined || calendar.dayOf(Date.parse(at)) < before,
        );
        const { doubled, orderOf } = await readLines(
          shell,
          new Set(made.map(({ subject }) => subject)),
        );
        const refunds: AffectedRefund[] = [];
        for (const refund of made) {
          const found = await examine(shell, refund, orderOf.get(refund.subject));
          if (found !== undefined) refunds.push(found);
        }
        if (json) shell.print(JSON.stringify({ refunds, orders: doubled }));
        else printAffected(shell, refunds, doubled, calendar);
      }),
    );
}

/** Reads the refunds that may have moved money, oldest first. */
async function readRefunds(shell: Shell): Promise<Action[]> {
  const refunds: Action[] = [];
  let after: string | undefined;
  do {
    const query = { limit: PAGE_SIZE, ...(after !== undefined && { after }) };
    const page = await ask(shell, {
      method: 'GET',
      path: '/actions',
      query,
      schema: actionsSchema,
    });
    refunds.push(
      ...page.actions.filter(({ kind, outcome }) => kind === 'refund' && moved.has(outcome)),
    );
    after = page.next;
  } while (after !== undefined);
  return refunds.toReversed();
}

const exportedLine = z.object({
  merchantOrderId: z.string().optional(),
  orderKey: z.string(),
  currency: z.string(),
  source: z.enum(['ledger', 'funding']),
  line: z.looseObject({}),
});
const ledgerLine = z.object({
  type: z.string(),
  amount: z.number(),
  occurredAt: z.string(),
  source: z.string(),
  chargeId: z.string().optional(),
  transactionId: z.string().optional(),
  merchantTransactionId: z.string().optional(),
});
type Line = z.infer<typeof ledgerLine>;

/** Reads all ledger lines, order by order. @param charges ids of charges whose orders to find */
async function readLines(shell: Shell, charges: ReadonlySet<string>) {
  const doubled: DoubledLines[] = [];
  const orderOf = new Map<string, string>();
  let current = { place: '', merchantOrderId: '', currency: '', lines: [] as Line[] };
  const path = '/exports/lines';
  const query = { format: 'ndjson' };
  const type = 'application/x-ndjson';
  for await (const text of linesOf(readLong(shell, { path, query, type }))) {
    if (text === '') continue;
    const { currency, line, merchantOrderId, orderKey, source } = readPart(exportedLine, text);
    if (source !== 'ledger' || merchantOrderId === undefined) continue;
    const read = ledgerLine.parse(line);
    if (read.chargeId !== undefined && charges.has(read.chargeId)) {
      orderOf.set(read.chargeId, merchantOrderId);
    }
    if (read.source === 'companion') continue;
    if ((read.transactionId ?? read.merchantTransactionId) !== undefined) continue;
    const place = `${currency} ${orderKey}`;
    if (place !== current.place) {
      doubled.push(...doubledOf(current.merchantOrderId, current.currency, current.lines));
      current = { place, merchantOrderId, currency, lines: [] };
    }
    current.lines.push(read);
  }
  doubled.push(...doubledOf(current.merchantOrderId, current.currency, current.lines));
  return { doubled, orderOf };
}

/** Returns the lines of one order and currency that are within a day of another one of their type. */
export function doubledOf(
  merchantOrderId: string,
  currency: string,
  lines: readonly Line[],
): DoubledLines[] {
  return ['Settle', 'Refund'].flatMap((type) => {
    const own = lines
      .filter((line) => line.type === type)
      .toSorted((one, other) => Date.parse(one.occurredAt) - Date.parse(other.occurredAt));
    const isNear = (one: Line, other: Line | undefined) =>
      other !== undefined &&
      Math.abs(Date.parse(one.occurredAt) - Date.parse(other.occurredAt)) < DAY_MS;
    const near = own.filter(
      (line, index) => isNear(line, own[index - 1]) || isNear(line, own[index + 1]),
    );
    if (near.length === 0) return [];
    const sum = near.reduce((total, { amount }) => total + amount, 0);
    return [
      {
        ...{ merchantOrderId, type, currency },
        lines: near.map(({ amount, occurredAt }) => ({
          amount: decimal(amount, currency),
          at: occurredAt,
        })),
        counted: decimal(sum, currency),
      },
    ];
  });
}

/** Returns whether browsers show a currency with other decimals than ISO 4217. */
export function hasOtherDecimals(currency: string): boolean {
  return currencies.has(currency) && digitsOfBrowsers(currency) !== digitsOf(currency);
}

const digitsOf = (currency: string) => currencies.get(currency)?.digits ?? 2;

function digitsOfBrowsers(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? digitsOf(currency);
}

async function examine(
  shell: Shell,
  { actor, at, detail, outcome = 'running', subject }: Action,
  merchantOrderId: string | undefined,
): Promise<AffectedRefund | undefined> {
  const { amount, currency } = detail;
  if (typeof amount !== 'number') return undefined;
  const code = typeof currency === 'string' ? currency : '';
  const reason = hasOtherDecimals(code)
    ? 'decimals'
    : await currencyReason(shell, subject, merchantOrderId);
  if (reason === undefined) return undefined;
  const isShownOtherwise = reason === 'decimals';
  return {
    ...{ at, actor, chargeId: subject, merchantOrderId, currency: code, outcome, reason },
    meant: isShownOtherwise ? majorOf(amount, digitsOfBrowsers(code)) : decimal(amount, code),
    done: decimal(amount, code),
  };
}

/** Returns minor units of so many decimals as major units. */
function majorOf(minor: number, digits: number): string {
  return digits === 0 ? String(minor) : (minor / 10 ** digits).toFixed(digits);
}

/** Asks the companion whether the currency of a charge is assumed. */
async function currencyReason(
  shell: Shell,
  chargeId: string,
  merchantOrderId: string | undefined,
): Promise<AffectedRefund['reason'] | undefined> {
  if (merchantOrderId === undefined) return 'currency-not-checked';
  const path = `/orders/${encodeURIComponent(`order:${merchantOrderId}`)}/charges`;
  try {
    const { charges } = await ask(shell, { method: 'GET', path, schema: orderChargesSchema });
    const charge = charges.find(({ id }) => id === chargeId);
    if (charge === undefined) return 'currency-not-checked';
    return charge.currencyAssumed === true ? 'currency-assumed' : undefined;
  } catch (error) {
    // The list is of use without the companion, too, and says what it lacks.
    if (error instanceof CommandFailure) return 'currency-not-checked';
    throw error;
  }
}

const reasonTexts = {
  decimals: 'decimals of the currency',
  'currency-assumed': 'assumed currency',
  'currency-not-checked': 'currency not checked: the companion did not answer about the charge',
};

const refundColumns = (calendar: Calendar): TableColumn<AffectedRefund>[] => [
  {
    head: `REFUNDED (${calendar.zone})`,
    cell: ({ at }) => calendar.minuteOf(Date.parse(at)),
  },
  { head: 'ORDER', cell: ({ merchantOrderId }) => merchantOrderId ?? '' },
  { head: 'CHARGE', cell: ({ chargeId }) => chargeId },
  { head: 'MEANT', cell: ({ meant, currency }) => `${meant} ${currency}`, align: 'right' },
  { head: 'DONE', cell: ({ done, currency }) => `${done} ${currency}`, align: 'right' },
  { head: 'OUTCOME', cell: ({ outcome }) => outcome },
  { head: 'BY', cell: ({ actor }) => actor },
  { head: 'REASON', cell: ({ reason }) => reasonTexts[reason] },
];
const doubledColumns: TableColumn<DoubledLines>[] = [
  { head: 'ORDER', cell: ({ merchantOrderId }) => merchantOrderId },
  { head: 'TYPE', cell: ({ type }) => type },
  {
    head: 'MEANT, ONE OF',
    cell: ({ lines, currency }) => `${lines.map(({ amount }) => amount).join(' or ')} ${currency}`,
    align: 'right',
  },
  { head: 'COUNTED', cell: ({ counted, currency }) => `${counted} ${currency}`, align: 'right' },
];

function printAffected(
  shell: Shell,
  refunds: readonly AffectedRefund[],
  orders: readonly DoubledLines[],
  calendar: Calendar,
): void {
  shell.print(`Refunds to check: ${refunds.length}`);
  if (refunds.length > 0) {
    for (const line of tableLines(refundColumns(calendar), refunds)) shell.print(line);
  }
  shell.print(`Orders that two imports may have doubled: ${orders.length}`);
  if (orders.length > 0) {
    for (const line of tableLines(doubledColumns, orders)) shell.print(line);
  }
}
