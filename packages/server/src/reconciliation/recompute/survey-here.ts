import { fixedOf, type Policy, WHOLE_PPM } from '@financing-checkout/reconciliation-rules';
import type { BulkConnection } from './bulk.ts';
import { AgreedRates } from './contract-rate.ts';
import { type PaidOrder, returnsOf } from './paid-order.ts';
import { from, type Scope } from './scope.ts';
import type { OrderPlace, Survey } from './survey.ts';

/** Between two values of a text. A value that holds it is found out by their number. */
const BETWEEN = '\u0002';
/** Between the parts of a value. It sorts before what makes one order's key longer than another's. */
const WITHIN = '\u0001';

/**
 * Of one settle, two, or one and its refund, each funded once: decided here. Rows would be several
 * objects for each line, so that a table comes as one text, in which a line and the funding that
 * pays it read the same. What is not so plain is read again, whole.
 */
export async function surveyHere(
  bulk: BulkConnection,
  scope: Scope,
  policy: Policy,
): Promise<Survey> {
  const judge = new PlainJudge(policy);
  const ledger = await read(bulk, 'ledger_lines', [expectation, ...judge.moment], scope);
  const fundings = await read(bulk, 'fundings', [...paid, ...judge.terms], scope);
  const statuses = await read(bulk, 'order_statuses', [standing], scope);
  const survey: Survey = { paid: [], others: [] };
  for (;;) {
    const place = least(ledger.place, fundings.place, statuses.place);
    if (place === undefined) break;
    const isMet = ledger.place === place && fundings.place === place;
    const stood = statuses.place === place;
    const order = isMet ? judge.paidInFull(place, ledger, fundings, stood) : undefined;
    if (!order) survey.others.push(placeOf(place));
    else if (!stood || statuses.value(0, 1) !== standingOf(order)) survey.paid.push(order);
    if (ledger.place === place) ledger.next();
    if (fundings.place === place) fundings.next();
    if (statuses.place === place) statuses.next();
  }
  const isSound = ledger.isSound && fundings.isSound && statuses.isSound;
  return isSound ? survey : { paid: [], others: await allPlaces(bulk, scope) };
}

/** What the books expect, of a line; as {@link paid} has it of a funding. */
const expectation = `concat(t.type, ' ', t.amount, ' ', t.transaction_id)`;

/** What a funding pays, if there is nothing else to be said of it; else empty. And its discount. */
const paid = [
  `case when t.status = 'RECONCILED' and t.transaction_type in ('Settle', 'Refund')
    and t.transaction_amount > 0 and t.transaction_id > ''
    and t.transaction_amount - t.discount_amount = t.net_amount
    then concat(t.transaction_type, ' ', t.transaction_amount, ' ', t.transaction_id) else '' end`,
  't.discount_amount',
];
const [CLAIM, DISCOUNT, TERMS] = [1, 2, 3] as const;
/** Of a line of the books, where it matters when an order was settled. */
const MOMENT = 2;
/** Length of the type in front of the amount, with the space between: they are of one length. */
const TYPE = 'Settle '.length;

/** How an order that is paid in full stands; empty for all others. As {@link standingOf} has it. */
const standing = `case when t.funded_settle = t.expected_settle
  and t.funded_refund = t.expected_refund and t.funded_chargeback = 0 and t.funded_reversal = 0
  and t.awaiting = 0 and t.recheck_at is null and t.lines_hash = '' and t.funding = 'FUNDED'
  and t.headline = case t.returns when 'NONE' then 'FUNDED' else t.returns end
  then concat(t.returns, ' ', t.expected_settle, ' ', t.expected_refund, ' ', t.discount, ' ', t.net)
  else '' end`;

function standingOf(order: PaidOrder): string {
  const { settle, refund, discount, net } = order;
  return `${returnsOf(order)} ${settle} ${refund} ${discount} ${net}`;
}

/** Lines of a table that are in memory at once; more are read order by order. */
const MOST_LINES = 20_000;

async function read(
  bulk: BulkConnection,
  table: string,
  values: readonly string[],
  scope: Scope,
): Promise<Lines> {
  const { sql, parameters } = linesIn(table, scope);
  const all = [`t.order_key, '${WITHIN}', t.currency`, ...values];
  // One text at once: a chain of `||` makes one for each of its parts.
  const line = `concat(${all.join(`, '${BETWEEN}', `)})`;
  const [row] = await bulk.rows(
    `select count(*), group_concat(line, '${BETWEEN}')
    from (select ${line} as line ${sql} limit ${MOST_LINES + 1})`,
    parameters,
  );
  const count = Number(row?.[0]);
  return new Lines(count, count > MOST_LINES ? '' : String(row?.[1] ?? ''), all.length);
}

/** Fundings whose currency is not known are in no order. */
function linesIn(table: string, scope: Scope): ReturnType<typeof from> {
  const { sql, parameters } = from(table, 't', scope);
  return { sql: table === 'fundings' ? `${sql} and t.currency <> ''` : sql, parameters };
}

/** For texts that cannot be taken apart, or are in another order than this process would sort. */
async function allPlaces(bulk: BulkConnection, scope: Scope): Promise<OrderPlace[]> {
  const tables = ['ledger_lines', 'fundings', 'order_statuses'];
  const parts = tables.map((table) => linesIn(table, scope));
  const rows = await bulk.rows(
    parts.map(({ sql }) => `select t.order_key, t.currency ${sql}`).join(' union '),
    parts.flatMap(({ parameters }) => parameters),
  );
  return rows.map(([orderKey, currency]) => ({
    orderKey: String(orderKey),
    currency: String(currency),
  }));
}

/** The lines of a table, order by order. */
class Lines {
  /** Of the order at hand; undefined at the end. */
  place: string | undefined;
  /** How many lines it has. */
  count = 0;
  /** False where the text cannot be relied on. */
  isSound: boolean;
  readonly #values: readonly string[];
  readonly #width: number;
  #at = 0;

  constructor(count: number, text: string, width: number) {
    this.#values = count === 0 ? [] : text.split(BETWEEN);
    this.#width = width;
    this.isSound = this.#values.length === count * width;
    this.#take();
  }

  /** A value of one of its lines. */
  value(line: number, column: number): string {
    return this.#values[this.#at + line * this.#width + column] ?? '';
  }

  next(): void {
    const before = this.place ?? '';
    this.#at += this.count * this.#width;
    this.#take();
    // Each order once: else it would be judged by a part of its lines.
    if (this.place !== undefined && this.place <= before) this.isSound = false;
  }

  #take(): void {
    this.place = this.#values[this.#at];
    let end = this.#at + this.#width;
    while (end < this.#values.length && this.#values[end] === this.place) end += this.#width;
    this.count = (end - this.#at) / this.#width;
  }
}

function least(
  one: string | undefined,
  other: string | undefined,
  third: string | undefined,
): string | undefined {
  let first = one;
  for (const next of [other, third]) {
    if (next !== undefined && (first === undefined || next < first)) first = next;
  }
  return first;
}

function placeOf(place: string): OrderPlace {
  const at = place.lastIndexOf(WITHIN);
  return { orderKey: place.slice(0, at), currency: place.slice(at + 1) };
}

class PlainJudge {
  /** What a funding's contract is found by, if there are any. */
  readonly terms: readonly string[];
  /** When a line of the books was, if it matters. */
  readonly moment: readonly string[];
  readonly #rates: AgreedRates;
  readonly #hasTolerance: boolean;

  constructor(policy: Policy) {
    this.#rates = new AgreedRates(policy, WITHIN);
    const columns = this.#rates.columns.map((column) => `t.${column}`);
    this.terms = columns.length > 0 ? [columns.join(`, '${WITHIN}', `)] : [];
    this.moment = this.#rates.isDated ? ['t.occurred_at'] : [];
    const { minorUnits, basisPoints } = policy.tolerance;
    this.#hasTolerance = minorUnits > 0 || basisPoints > 0;
  }

  /** Undefined for an order that is not so plain. */
  paidInFull(place: string, ledger: Lines, fundings: Lines, stood: boolean): PaidOrder | undefined {
    const { count } = fundings;
    if (count !== ledger.count || count > 2 || !this.#areMet(ledger, fundings)) return undefined;
    const { orderKey, currency } = placeOf(place);
    const agreedAt = this.#rates.isDated ? firstSettled(ledger) : 0;
    let [settle, refund, discount] = [0, 0, 0];
    for (let at = 0; at < count; at++) {
      const claim = fundings.value(at, CLAIM);
      const amount = Number(claim.slice(TYPE, claim.indexOf(' ', TYPE)));
      const kept = Number(fundings.value(at, DISCOUNT));
      const isRefund = claim.startsWith('Refund');
      const rate =
        this.terms.length > 0 ? this.#rates.of(fundings.value(at, TERMS), agreedAt) : undefined;
      if (rate) {
        const kind = isRefund ? 'refund' : 'settle';
        const { contract } = rate;
        const fixed = contract ? fixedOf(kind, contract, currency, amount) : 0;
        if (!isAgreed(rate[kind], amount, kept - fixed, isRefund)) return undefined;
      }
      if (isRefund) refund += amount;
      else settle += amount;
      discount += isRefund ? -kept : kept;
    }
    const net = settle - refund - discount;
    if (settle === 0 || refund > settle) return undefined;
    if (!isExact(settle) || !isExact(refund) || !isExact(discount) || !isExact(net)) {
      return undefined;
    }
    return { orderKey, currency, settle, refund, discount, net, stood };
  }

  /** Whether each line is paid by a funding of its own. */
  #areMet(ledger: Lines, fundings: Lines): boolean {
    const [line, funding] = [ledger.value(0, CLAIM), fundings.value(0, CLAIM)];
    if (fundings.count === 1) return line === funding;
    // What is let pass may change where an order of two lines stands.
    if (this.#hasTolerance) return false;
    const [otherLine, otherFunding] = [ledger.value(1, CLAIM), fundings.value(1, CLAIM)];
    return (
      transactionOf(funding) !== transactionOf(otherFunding) &&
      ((line === funding && otherLine === otherFunding) ||
        (line === otherFunding && otherLine === funding))
    );
  }
}

/** As `agreedAt` of the rules, of an order that has a settle. */
function firstSettled(ledger: Lines): number {
  let first = Infinity;
  for (let at = 0; at < ledger.count; at++) {
    const isSettle = ledger.value(at, CLAIM).startsWith('Settle');
    if (isSettle) first = Math.min(first, Number(ledger.value(at, MOMENT)));
  }
  return first;
}

const isExact = Number.isSafeInteger;

function transactionOf(claim: string): string {
  return claim.slice(claim.indexOf(' ', TYPE) + 1);
}

/** Less than a unit away from the exact share; and nothing given back is no rounding of a unit. */
function isAgreed(ppm: number, amount: number, discount: number, isRefund: boolean): boolean {
  const [exact, kept] = [amount * ppm, discount * WHOLE_PPM];
  if (!Number.isSafeInteger(exact) || !Number.isSafeInteger(kept)) return false;
  if (Math.abs(kept - exact) >= WHOLE_PPM) return false;
  return !isRefund || discount !== 0 || exact < WHOLE_PPM / 2;
}
