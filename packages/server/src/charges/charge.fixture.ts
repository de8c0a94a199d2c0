import { ledgerSchema } from '@financing-checkout/contract/back-office';
import { fromMajorUnits, toMajorUnits } from '@financing-checkout/contract/money';
import { createCompanion } from '../companion.fixture.ts';
import { networkError, type Scripted, type ScriptedService } from '../scripted-service.fixture.ts';

/** How a POST fails: before or after the service acted. */
export type Fault = 'unauthorized' | 'lost-before' | 'lost-after' | 'denied-after' | undefined;

/** A transaction in the form of a lookup (reference: Charge API, TransactionDto). */
export interface Made {
  lenderId: string;
  merchantId: string;
  id: string;
  chargeId: string;
  type: 'Authorize' | 'Settle' | 'Refund' | 'Void';
  state: string;
  createdAt: string;
  amount: number;
  merchantTransactionId: string | undefined;
}

const MOVED_AT = '2026-11-20T12:00:00.9277886Z';

/** Returns a transaction of a charge, completed unless `change` overrides it. */
export function transactionOf(change: Partial<Made> & Pick<Made, 'type'>): Made {
  return {
    lenderId: 'lender-1',
    merchantId: 'merchant-1',
    id: 'transaction-1',
    chargeId: 'charge-1',
    state: 'Completed',
    createdAt: MOVED_AT,
    amount: 5,
    merchantTransactionId: undefined,
    ...change,
  };
}

/** Returns the response to the settle, refund or void that created a transaction. */
export function madeAnswer(made: Made, status = 'Authorized') {
  const { amount, chargeId, createdAt, id, lenderId, merchantId, state, type } = made;
  return {
    status,
    id,
    chargeId,
    merchantOrderId: 'order-1001',
    lenderId,
    amount,
    merchantId,
    createdAt,
    updatedAt: MOVED_AT,
    lenderReferenceId: `lender-ref-${id}`,
    transactionState: state,
    // Uppercase here, PascalCase in a lookup.
    type: type.toUpperCase(),
  };
}

const screaming = (word: string) =>
  word === 'ChargedBack' ? 'CHARGEDBACK' : word.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

/**
 * Stub of a charge at the service that supports settle, refund, void and lookup. Each response has
 * the published form (reference: Charge API). Amounts are USD cents.
 */
export class ChargeAtService {
  readonly id: string;
  readonly merchantOrderId: string;
  readonly total: number;
  settled = 0;
  refunded = 0;
  voided = false;
  transactions: Made[] = [];
  /** Faults to inject into the next POSTs, one per POST. */
  faults: Fault[] = [];

  constructor(
    service: ScriptedService,
    charge: { id?: string; merchantOrderId?: string; total?: number; settled?: number } = {},
  ) {
    this.id = charge.id ?? 'charge-1';
    this.merchantOrderId = charge.merchantOrderId ?? 'order-1001';
    this.total = charge.total ?? 27_499;
    this.settled = charge.settled ?? 0;
    const path = `/v2/post-sale/charges/${this.id}`;
    service
      .on('GET /v2/post-sale/transactions/lookup', ({ query }) =>
        this.lookUp(query.get('merchantTransactionId')),
      )
      .on(`GET /v2/post-sale/orders/${this.merchantOrderId}`, { status: 200, body: this.id })
      .on(`GET ${path}`, () => ({ status: 200, body: this.wire() }))
      .on(`POST ${path}/settles`, ({ body }) => this.#post('Settle', body))
      .on(`POST ${path}/refunds`, ({ body }) => this.#post('Refund', body))
      .on(`POST ${path}/voids`, ({ body }) => this.#post('Void', body));
  }

  /** Returns the state in the vocabulary of a POST response. */
  get state(): string {
    if (this.voided) return 'Voided';
    if (this.settled === 0) return 'Authorized';
    const isWhole = this.settled === this.total;
    const settled = isWhole ? 'Settled' : 'PartiallySettled';
    if (this.refunded === 0) return settled;
    if (this.refunded < this.settled) return `${settled}PartiallyRefunded`;
    return isWhole ? 'Refunded' : 'PartiallySettledRefunded';
  }

  /** Returns the response to a GET of the charge. */
  wire() {
    return {
      id: this.id,
      merchantOrderId: this.merchantOrderId,
      totalAmount: major(this.total),
      settledAmount: major(this.settled),
      refundedAmount: major(this.refunded),
      lender: { id: 'lender-1', name: 'Quillmoor Finance' },
      paymentPlan: { creditAmount: major(this.total) },
      state: screaming(this.state),
      consumerId: 'consumer-1',
      createdAt: MOVED_AT,
      updatedAt: MOVED_AT,
      channel: 'E_COMMERCE',
      applicationId: 'application-1',
    };
  }

  /**
   * Returns the response to the creation of the charge: authorized, with the state of the settle
   * that was requested with it. The authorization can be looked up by the id of that request.
   */
  created(
    { settleTransactionState }: { settleTransactionState?: string } = {},
    merchantTransactionId?: string,
  ) {
    if (merchantTransactionId !== undefined) {
      this.transactions.push(
        transactionOf({
          id: `authorize-${this.id}`,
          chargeId: this.id,
          type: 'Authorize',
          amount: major(this.total),
          merchantTransactionId,
        }),
      );
    }
    return {
      id: this.id,
      orderReferenceId: 'reference-1',
      totalAmount: major(this.total),
      merchantOrderId: this.merchantOrderId,
      offer: { lender: { id: 'lender-1', name: 'Quillmoor Finance' } },
      transactionsData: {
        lenderAuthorizeReferenceId: `lender-auth-${this.id}`,
        ...(settleTransactionState === undefined
          ? {}
          : { lenderSettleReferenceId: `lender-settle-${this.id}` }),
      },
      state: 'Authorized',
      consumerId: 'consumer-1',
      createdAt: MOVED_AT,
      updatedAt: MOVED_AT,
      channel: 'E_COMMERCE',
      applicationId: 'application-1',
      transactionState: 'Completed',
      settleTransactionState,
    };
  }

  /** Returns the response to a lookup by transaction id: a transaction, or a 404 with no body. */
  lookUp(merchantTransactionId: string | null): Scripted {
    const made = this.transactions.find(
      (each) => each.merchantTransactionId === merchantTransactionId,
    );
    return made === undefined ? notFound : { status: 200, body: made };
  }

  #post(type: Made['type'], body: unknown): Scripted {
    const fault = this.faults.shift();
    if (fault === 'unauthorized') return { status: 401, text: '' };
    if (fault === 'lost-before') return networkError('ECONNRESET');
    const answer = this.#do(type, body as { amount?: number; merchantTransactionId?: string });
    // The service acts and responds with a refusal.
    if (fault === 'denied-after') return notPermitted;
    return fault === 'lost-after' ? networkError('ECONNRESET') : answer;
  }

  #do(
    type: Made['type'],
    { amount, merchantTransactionId }: { amount?: number; merchantTransactionId?: string },
  ): Scripted {
    const value = amount === undefined ? 0 : fromMajorUnits(amount, 'USD').value;
    if (this.voided || (type === 'Void' && this.settled > 0)) return notPermitted;
    if (type === 'Settle' && this.settled + value > this.total) return notPermitted;
    if (type === 'Refund' && this.refunded + value > this.settled) return notPermitted;
    if (type === 'Settle') this.settled += value;
    if (type === 'Refund') this.refunded += value;
    if (type === 'Void') this.voided = true;
    const made = transactionOf({
      id: `transaction-${this.transactions.length + 1}`,
      chargeId: this.id,
      type,
      amount: amount ?? major(this.total),
      merchantTransactionId,
    });
    this.transactions.push(made);
    return { status: 201, body: madeAnswer(made, this.state) };
  }
}

const major = (value: number) => Number(toMajorUnits({ value, currency: 'USD' }));
export const notFound: Scripted = { status: 404, text: '' };
/** The response for a charge that the service does not have. */
export const chargeNotFound: Scripted = {
  status: 400,
  body: { requestId: 'svc-1', errors: [{ code: '2001', description: 'Charge not found' }] },
};
const notPermitted: Scripted = {
  status: 400,
  body: { requestId: 'svc-2', errors: [{ code: '2006', description: 'not permitted' }] },
};

/**
 * Records that orders are in USD, as if the companion had opened their checkouts. For any other
 * charge, it moves money only in a stated currency.
 */
export function knowOrders({ store }: Pick<Awaited<ReturnType<typeof createCompanion>>, 'store'>) {
  store.currenciesOfOrders = (_, ids) => Promise.resolve(new Map(ids.map((id) => [id, 'USD'])));
}

/**
 * Sets up a companion that knows the order of a charge at its service, and the back-office requests
 * for that charge.
 */
export async function setUpCharge(charge: ConstructorParameters<typeof ChargeAtService>[1] = {}) {
  const companion = await createCompanion();
  knowOrders(companion);
  const atService = new ChargeAtService(companion.service, charge);
  const operate = (operation: string, body: unknown, key: string) =>
    companion.officePost(`/charges/charge-1/${operation}`, body, { 'idempotency-key': key });
  const ledger = async (query = '') =>
    ledgerSchema.parse((await companion.office(`/ledger${query}`)).body).entries;
  return { companion, atService, operate, ledger };
}

/** Advances the clock and runs background rounds until no outcome is unknown. */
export async function untilKnown({
  background,
  clock,
}: Awaited<ReturnType<typeof createCompanion>>): Promise<void> {
  for (let round = 0; round < 12; round++) {
    clock.advance(30_000);
    while ((await background.runOnce()) > 0);
  }
}
