import {
  type Action,
  actionsSchema,
  currencies,
  type OrderCharges as OrderChargesAnswer,
  orderChargesSchema,
  orderExplanationSchema,
} from '@financing-checkout/contract';
import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import {
  addCommand,
  CommandFailure,
  count,
  printTable,
  readPages,
  type Register,
  shared,
  type TableColumn,
  value,
  withDefault,
} from '@financing-checkout/kit/cli';
import { z } from 'zod';
import { SLACK_MS } from '../companion/compare-trail.ts';
import { daysQuery } from '../http/queries.ts';
import { decimal } from '../queries/reasons.ts';
import { get, readLines, readPart } from './ask.ts';
import type { Shell } from './shell.ts';
import { businessDays } from './zone.ts';

/** A refund that may have returned a different amount than the person intended. */
export interface AffectedRefund {
  /** ISO 8601, UTC. */
  at: string;
  /** Absent for a refund of another client if the companion does not state who requested it. */
  actor?: string | undefined;
  chargeId: string;
  merchantOrderId?: string | undefined;
  currency: string;
  outcome: string;
  /**
   * The intended amount in major units, with the decimals that the console showed before the
   * upgrade. Absent for a refund of another client, because what that client showed is not
   * recorded.
   */
  meant?: string | undefined;
  /** The amount in major units that the companion requested. */
  done: string;
  reason: 'decimals' | 'currency-assumed' | 'currency-not-checked';
}

/** Lines of an order that may be one line from two imports. Amounts are in major units. */
export interface DoubledLines {
  merchantOrderId: string;
  type: string;
  currency: string;
  /**
   * The content of each line. If one import corrected the other, only one of the lines is right.
   */
  lines: { amount: string; at: string }[];
  /** The amount that counts now. */
  counted: string;
}

const DAY_MS = 86_400_000;
/**
 * Maximum number of orders to query for refunds of other clients; each query costs a call of the
 * service.
 */
const ORDERS_ASKED = 1_000;
const PAGE_SIZE = '200';
/** Outcomes of refunds that may have moved money. */
const moved = new Set(['accepted', 'done', 'unknown', 'recorded', undefined]);

/** Registers `affected`, which lists refunds and lines to check after an upgrade. */
export const registerAffected: Register<Shell> = (program, shell) => {
  const definition = {
    usage: 'affected',
    description: 'list refunds and imported lines that earlier versions may have got wrong',
    options: {
      before: value(
        '<day>',
        'only refunds before this day in RECONCILIATION_ZONE, such as that of the upgrade',
        daysQuery.shape.to,
      ),
      ask: withDefault(
        count(
          '<orders>',
          'maximum number of orders with refunds of other clients to ask the companion about',
        ),
        ORDERS_ASKED,
      ),
      json: shared.json(),
    },
    help: `Refunds in currencies whose decimals in browsers differ from ISO 4217, with the amount that was returned
(DONE) and, if the console made them, the amount that it showed (MEANT); and refunds of charges whose
currency was assumed, or stated with the refund, because the companion has no authorization of the order.
Those of the console and of commands here come from the trail of actions, those of other clients of the
companion, such as its command line and the shop, from its ledger.
The companion is asked about each order of the trail, and about the newest orders of other clients, 1000
unless --ask states another number. If there are more, the command says how many refunds it did not check.
It cannot see refunds of other clients that no sync has read yet, whose outcome is unknown, or whose line
was imported before; what these clients showed; the client of a refund that the companion does not answer
about; nor refunds that were made at the service without the companion.
Orders: lines without an id, of one order, type and currency, within a day of each other. If one import
corrected another one, one of the lines was meant, and all of them count.
Changes nothing.`,
  };
  addCommand(program, definition, async ({ ask: most, before, json }) => {
    const calendar = await businessDays(shell);
    const isWanted = ({ at }: { at: string }) =>
      before === undefined || calendar.dayOf(Date.parse(at)) < before;
    const made = await readRefunds(shell);
    const subjects = new Set(made.map(({ subject }) => subject));
    const { doubled, orderOf, booked } = await readLedger(shell, subjects);
    const charges = new OrderCharges(shell);
    const refunds: AffectedRefund[] = [];
    for (const refund of made.filter(isWanted)) {
      const found = await examine(charges, refund, orderOf.get(refund.subject));
      if (found !== undefined) refunds.push(found);
    }
    const others = await examineOthers(charges, withoutTrail(booked, made).filter(isWanted), most);
    refunds.push(...others.refunds);
    refunds.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
    const { notChecked } = others;
    if (json) shell.print(JSON.stringify({ refunds, orders: doubled, notChecked }));
    else printAffected(shell, refunds, doubled, calendar);
    if (notChecked > 0) {
      shell.say(
        `Not checked: ${notChecked} earlier ${notChecked === 1 ? 'refund' : 'refunds'} of other clients, because the companion is asked about at most ${most} orders. Raise --ask to check all.`,
      );
    }
  });
};

/** Reads the refunds that may have moved money, oldest first. */
async function readRefunds(shell: Shell): Promise<Action[]> {
  const actions = readPages(async (after) => {
    const query = { limit: PAGE_SIZE, after };
    const page = await get(shell, '/actions', actionsSchema, query);
    return { rows: page.actions, next: page.next };
  });
  const refunds: Action[] = [];
  for await (const action of actions) {
    if (action.kind === 'refund' && moved.has(action.outcome)) refunds.push(action);
  }
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

/** A refund that the companion has booked. */
interface BookedRefund {
  at: string;
  chargeId: string;
  merchantOrderId: string;
  merchantTransactionId: string | undefined;
  amount: number;
  currency: string;
}

/** Reads all ledger lines, order by order. @param charges ids of charges whose orders to find */
async function readLedger(shell: Shell, charges: ReadonlySet<string>) {
  const doubled: DoubledLines[] = [];
  const orderOf = new Map<string, string>();
  const booked: BookedRefund[] = [];
  let current = { place: '', merchantOrderId: '', currency: '', lines: [] as Line[] };
  const path = '/exports/lines';
  const query = { format: 'ndjson' };
  const type = 'application/x-ndjson';
  for await (const text of readLines(shell, { path, query, type })) {
    if (text === '') continue;
    const { currency, line, merchantOrderId, orderKey, source } = readPart(exportedLine, text);
    if (source !== 'ledger' || merchantOrderId === undefined) continue;
    const read = ledgerLine.parse(line);
    if (read.chargeId !== undefined && charges.has(read.chargeId)) {
      orderOf.set(read.chargeId, merchantOrderId);
    }
    if (read.source === 'companion') {
      const { amount, chargeId, merchantTransactionId, occurredAt: at, type: kind } = read;
      if (kind === 'Refund' && chargeId !== undefined) {
        booked.push({ at, chargeId, merchantOrderId, merchantTransactionId, amount, currency });
      }
      continue;
    }
    if ((read.transactionId ?? read.merchantTransactionId) !== undefined) continue;
    const place = `${currency} ${orderKey}`;
    if (place !== current.place) {
      doubled.push(...doubledOf(current.merchantOrderId, current.currency, current.lines));
      current = { place, merchantOrderId, currency, lines: [] };
    }
    current.lines.push(read);
  }
  doubled.push(...doubledOf(current.merchantOrderId, current.currency, current.lines));
  return { doubled, orderOf, booked };
}

/**
 * Returns the refunds that no action of the trail requested, which other clients of the companion
 * requested.
 */
function withoutTrail(booked: readonly BookedRefund[], actions: readonly Action[]): BookedRefund[] {
  const open = Map.groupBy(actions, ({ subject }) => subject);
  return booked.filter(({ amount, at, chargeId }) => {
    const ofCharge = open.get(chargeId) ?? [];
    const own = ofCharge.findIndex(
      (action) =>
        action.detail.amount === amount &&
        Math.abs(Date.parse(action.at) - Date.parse(at)) <= SLACK_MS,
    );
    if (own === -1) return true;
    ofCharge.splice(own, 1);
    return false;
  });
}

/**
 * Returns the lines of one order and currency that are within a day of another line of their type.
 */
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
        merchantOrderId,
        type,
        currency,
        lines: near.map(({ amount, occurredAt }) => ({
          amount: decimal(amount, currency),
          at: occurredAt,
        })),
        counted: decimal(sum, currency),
      },
    ];
  });
}

/** Returns whether browsers format a currency with a different number of decimals than ISO 4217. */
export function hasOtherDecimals(currency: string): boolean {
  return currencies.has(currency) && digitsOfBrowsers(currency) !== digitsOf(currency);
}

const digitsOf = (currency: string) => currencies.get(currency)?.digits ?? 2;

function digitsOfBrowsers(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? digitsOf(currency);
}

async function examine(
  charges: OrderCharges,
  { actor, at, detail, outcome = 'running', subject }: Action,
  merchantOrderId: string | undefined,
): Promise<AffectedRefund | undefined> {
  const { amount, currency } = detail;
  if (typeof amount !== 'number') return undefined;
  const code = typeof currency === 'string' ? currency : '';
  const reason = hasOtherDecimals(code)
    ? 'decimals'
    : await charges.currencyReason(subject, merchantOrderId, code);
  if (reason === undefined) return undefined;
  const isShownOtherwise = reason === 'decimals';
  return {
    at,
    actor,
    chargeId: subject,
    merchantOrderId,
    currency: code,
    outcome,
    meant: isShownOtherwise ? majorOf(amount, digitsOfBrowsers(code)) : decimal(amount, code),
    done: decimal(amount, code),
    reason,
  };
}

/**
 * Examines refunds of other clients, newest first. @param most maximum number of orders to query
 */
async function examineOthers(
  charges: OrderCharges,
  others: readonly BookedRefund[],
  most: number,
): Promise<{ refunds: AffectedRefund[]; notChecked: number }> {
  const refunds: AffectedRefund[] = [];
  const asked = new Set<string>();
  let notChecked = 0;
  for (const refund of others.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))) {
    const { at, amount, chargeId, currency, merchantOrderId, merchantTransactionId } = refund;
    const isAsked = asked.has(merchantOrderId) || asked.size < most;
    if (isAsked) asked.add(merchantOrderId);
    const isShownOtherwise = hasOtherDecimals(currency);
    if (!isAsked && !isShownOtherwise) {
      notChecked += 1;
      continue;
    }
    const reason = isShownOtherwise
      ? 'decimals'
      : await charges.currencyReason(chargeId, merchantOrderId, currency);
    if (reason === undefined) continue;
    const answer = isAsked ? await charges.ofOrder(merchantOrderId) : undefined;
    const operation = answer?.charges
      .flatMap(({ operations }) => operations)
      .find((one) => one.merchantTransactionId === merchantTransactionId);
    refunds.push({
      at,
      actor: operation?.actor,
      chargeId,
      merchantOrderId,
      currency,
      outcome: 'accepted',
      done: decimal(amount, currency),
      reason,
    });
  }
  return { refunds, notChecked };
}

/** Converts minor units with this number of decimals to major units. */
function majorOf(minor: number, digits: number): string {
  return digits === 0 ? String(minor) : (minor / 10 ** digits).toFixed(digits);
}

/** The charges of orders as the companion reports them. Each order is read once. */
class OrderCharges {
  readonly #shell: Shell;
  readonly #read = new Map<string, Promise<OrderChargesAnswer | undefined>>();

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  /** Returns the charges of an order; undefined if the companion does not respond. */
  ofOrder(merchantOrderId: string): Promise<OrderChargesAnswer | undefined> {
    const path = `${pathOf(merchantOrderId)}/charges`;
    const read =
      this.#read.get(merchantOrderId) ?? askOrNothing(this.#shell, path, orderChargesSchema);
    this.#read.set(merchantOrderId, read);
    return read;
  }

  /** Returns whether the currency of a refund was assumed, or cannot be checked. */
  async currencyReason(
    chargeId: string,
    merchantOrderId: string | undefined,
    currency: string,
  ): Promise<AffectedRefund['reason'] | undefined> {
    if (merchantOrderId === undefined) return 'currency-not-checked';
    const answer = await this.ofOrder(merchantOrderId);
    const charge = answer?.charges.find(({ id }) => id === chargeId);
    if (charge === undefined) return 'currency-not-checked';
    if (charge.currencyAssumed === true) return 'currency-assumed';
    if (answer?.primedAt !== undefined) return undefined;
    // The companion assumes that an order has the currency of its booked refund: only an
    // authorization confirms that currency.
    const order = await askOrNothing(this.#shell, pathOf(merchantOrderId), orderExplanationSchema);
    if (order === undefined) return 'currency-not-checked';
    const isAuthorized = order.timeline.some(
      (moment) => moment.what === 'Authorize' && moment.currency === currency,
    );
    return isAuthorized ? undefined : 'currency-assumed';
  }
}

const pathOf = (merchantOrderId: string) =>
  `/orders/${encodeURIComponent(`order:${merchantOrderId}`)}`;

/** Returns the response, or undefined on failure, because the list is useful without it. */
async function askOrNothing<Answer>(
  shell: Shell,
  path: string,
  schema: z.ZodType<Answer>,
): Promise<Answer | undefined> {
  try {
    return await get(shell, path, schema);
  } catch (error) {
    if (error instanceof CommandFailure) return undefined;
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
  {
    head: 'MEANT',
    cell: ({ meant, currency }) => (meant === undefined ? 'not recorded' : `${meant} ${currency}`),
    align: 'right',
  },
  { head: 'DONE', cell: ({ done, currency }) => `${done} ${currency}`, align: 'right' },
  { head: 'OUTCOME', cell: ({ outcome }) => outcome },
  { head: 'BY', cell: ({ actor }) => actor ?? '' },
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
  if (refunds.length > 0) printTable(shell, refundColumns(calendar), refunds);
  shell.print(`Orders that two imports may have doubled: ${orders.length}`);
  if (orders.length > 0) printTable(shell, doubledColumns, orders);
}
