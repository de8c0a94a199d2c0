import type { Policy } from '@financing-checkout/reconciliation';
import type { BulkConnection, Value, ValueRow } from './bulk.ts';
import { contractFinder } from './contract-rate.ts';
import { from, type Scope } from './scope.ts';
import type { OrderPlace, PaidOrder, Survey } from './survey.ts';

const [NEITHER, SETTLE, REFUND] = [0, 1, 2] as const;
/** Columns of a line of the ledger: key, currency, which, amount, transaction. */
const [L_WHICH, L_AMOUNT, L_TRANSACTION] = [2, 3, 4] as const;
/** Columns of a funding: key, currency, which, amount, discount, net, transaction, and its terms. */
const [F_WHICH, F_AMOUNT, F_DISCOUNT, F_NET, F_TRANSACTION] = [2, 3, 4, 5, 6] as const;
const [F_LENDER, F_PRODUCT, F_PROMO] = [7, 8, 9] as const;
/** Columns of a status: key, currency, sums, and how it stands. */
const [S_SETTLE, S_REFUND, S_DISCOUNT, S_NET, S_STANDS] = [2, 3, 4, 5, 6] as const;

/** An order in one currency, as it is read; of an order with several there are several. */
interface Sheet extends OrderPlace {
  ledger: ValueRow[];
  fundings: ValueRow[];
  status: ValueRow | undefined;
}

/**
 * Of one settle, two, or one and its refund, each funded once: decided here. Of each line only what
 * that takes is read; what is not so plain is read again, whole.
 */
export async function surveyHere(
  bulk: BulkConnection,
  scope: Scope,
  policy: Policy,
): Promise<Survey> {
  const sheets = new Sheets();
  for (const row of await read(bulk, 'ledger_lines', ledgerColumns, scope)) {
    sheets.of(row).ledger.push(row);
  }
  const terms = policy.contracts.length > 0 ? `, t.lender_name, t.product_type, t.promo_code` : '';
  for (const row of await read(bulk, 'fundings', fundingColumns + terms, scope)) {
    if (row[1] !== '') sheets.of(row).fundings.push(row);
  }
  for (const row of await read(bulk, 'order_statuses', statusColumns, scope)) {
    sheets.of(row).status = row;
  }
  const judge = new PlainJudge(policy);
  const survey: Survey = { paid: [], others: [], gone: [] };
  for (const sheet of sheets.all()) {
    if (sheet.fundings.length === 0 && sheet.ledger.length === 0) {
      survey.gone.push(placeOf(sheet));
      continue;
    }
    const paid = judge.paidInFull(sheet);
    if (!paid) survey.others.push(placeOf(sheet));
    else if (!sheet.status) survey.paid.push(paid);
    else if (!stands(sheet.status, paid)) survey.others.push(placeOf(sheet));
  }
  return survey;
}

const ledgerColumns = `t.order_key, t.currency,
  case t.type when 'Settle' then ${SETTLE} else ${REFUND} end, t.amount, t.transaction_id`;

// An open set of words as a number: texts are what reading takes longest for.
const fundingColumns = `t.order_key, t.currency, case when t.status <> 'RECONCILED' then ${NEITHER}
    when t.transaction_type = 'Settle' then ${SETTLE}
    when t.transaction_type = 'Refund' then ${REFUND} else ${NEITHER} end,
  t.transaction_amount, t.discount_amount, t.net_amount, t.transaction_id`;

/** The last one: how an order that is paid in full stands, by what was refunded of it; else 0. */
const statusColumns = `t.order_key, t.currency, t.expected_settle, t.expected_refund, t.discount,
  t.net, case when t.funded_settle = t.expected_settle and t.funded_refund = t.expected_refund
    and t.funded_chargeback = 0 and t.funded_reversal = 0 and t.awaiting = 0
    and t.recheck_at is null and t.lines_hash = '' and t.funding = 'FUNDED'
    and t.headline = case t.returns when 'NONE' then 'FUNDED' else t.returns end
    then case t.returns when 'NONE' then 1 when 'PARTIALLY_REFUNDED' then 2
      when 'REFUNDED' then 3 else 0 end
    else 0 end`;

function read(
  bulk: BulkConnection,
  table: string,
  columns: string,
  scope: Scope,
): Promise<ValueRow[]> {
  const { sql, parameters } = from(table, 't', scope);
  return bulk.rows(`select ${columns} ${sql}`, parameters);
}

function stands(status: ValueRow, paid: PaidOrder): boolean {
  return (
    status[S_STANDS] === (paid.refund === 0 ? 1 : paid.refund < paid.settle ? 2 : 3) &&
    status[S_SETTLE] === paid.settle &&
    status[S_REFUND] === paid.refund &&
    status[S_DISCOUNT] === paid.discount &&
    status[S_NET] === paid.net
  );
}

function placeOf({ orderKey, currency }: OrderPlace): OrderPlace {
  return { orderKey, currency };
}

/** Sheets by order; nearly all orders have one currency. */
class Sheets {
  readonly #first = new Map<Value, Sheet>();
  readonly #more = new Map<string, Sheet>();

  of(row: ValueRow): Sheet {
    const [orderKey = null, currency] = row;
    const first = this.#first.get(orderKey);
    if (first && first.currency === currency) return first;
    if (!first) return this.#add(row, (sheet) => this.#first.set(orderKey, sheet));
    const key = `${String(currency)} ${String(orderKey)}`;
    return this.#more.get(key) ?? this.#add(row, (sheet) => this.#more.set(key, sheet));
  }

  *all(): Generator<Sheet> {
    yield* this.#first.values();
    yield* this.#more.values();
  }

  #add([orderKey, currency]: ValueRow, keep: (sheet: Sheet) => void): Sheet {
    const sheet: Sheet = {
      orderKey: String(orderKey),
      currency: String(currency),
      ledger: [],
      fundings: [],
      status: undefined,
    };
    keep(sheet);
    return sheet;
  }
}

class PlainJudge {
  readonly #contractOf: ReturnType<typeof contractFinder>;
  readonly #hasContracts: boolean;
  readonly #hasTolerance: boolean;

  constructor(policy: Policy) {
    this.#contractOf = contractFinder(policy);
    this.#hasContracts = policy.contracts.length > 0;
    const { minorUnits, basisPoints } = policy.tolerance;
    this.#hasTolerance = minorUnits > 0 || basisPoints > 0;
  }

  /** Undefined for an order that is not so plain. */
  paidInFull(sheet: Sheet): PaidOrder | undefined {
    const { ledger, fundings, orderKey, currency } = sheet;
    const count = fundings.length;
    if (count !== ledger.length || count === 0 || count > 2) return undefined;
    const [one, two] = fundings;
    // What is let pass may change where an order of two lines stands.
    if (two && (this.#hasTolerance || one?.[F_TRANSACTION] === two[F_TRANSACTION])) {
      return undefined;
    }
    let [settle, refund, discount, net] = [0, 0, 0, 0];
    for (const funding of fundings) {
      if (!this.#isPaid(funding, ledger)) return undefined;
      const sign = funding[F_WHICH] === SETTLE ? 1 : -1;
      if (sign === 1) settle += Number(funding[F_AMOUNT]);
      else refund += Number(funding[F_AMOUNT]);
      discount += sign * Number(funding[F_DISCOUNT]);
      net += sign * Number(funding[F_NET]);
    }
    if (settle === 0 || refund > settle) return undefined;
    const named = orderKey.startsWith('order:');
    const merchantOrderId = named ? orderKey.slice('order:'.length) : null;
    return { orderKey, currency, merchantOrderId, settle, refund, discount, net };
  }

  #isPaid(funding: ValueRow, ledger: readonly ValueRow[]): boolean {
    const transaction = funding[F_TRANSACTION];
    const amount = Number(funding[F_AMOUNT]);
    const discount = Number(funding[F_DISCOUNT]);
    const which = funding[F_WHICH];
    if (which === NEITHER || !transaction || amount <= 0) return false;
    if (amount - discount !== funding[F_NET]) return false;
    const line = ledger.find((candidate) => candidate[L_TRANSACTION] === transaction);
    if (!line || line[L_WHICH] !== which || line[L_AMOUNT] !== amount) return false;
    return !this.#hasContracts || this.#isAgreed(funding, which, amount, discount);
  }

  /** Less than a unit away from the exact share; and nothing given back is no rounding of a unit. */
  #isAgreed(
    funding: ValueRow,
    which: Value | undefined,
    amount: number,
    discount: number,
  ): boolean {
    const contract = this.#contractOf(
      String(funding[F_LENDER]),
      funding[F_PRODUCT] as string | null,
      funding[F_PROMO] as string | null,
    );
    if (!contract) return true;
    const isRefund = which === REFUND;
    const rate = isRefund && !contract.returnedOnRefund ? 0 : contract.basisPoints;
    const [exact, kept] = [amount * rate, discount * 10_000];
    if (!Number.isSafeInteger(exact) || !Number.isSafeInteger(kept)) return false;
    if (Math.abs(kept - exact) >= 10_000) return false;
    return !isRefund || discount !== 0 || exact < 5_000;
  }
}
