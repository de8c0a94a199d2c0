import { fromMajorUnits, ledgerSchema, toMajorUnits } from '@financing-checkout/contract';
import {
  createCompanion,
  networkError,
  type Scripted,
  type ScriptedService,
} from '../companion.fixture.ts';

/** How a POST goes wrong: before the service did anything, or after it did. */
export type Fault = 'unauthorized' | 'lost-before' | 'lost-after' | 'denied-after' | undefined;

interface Made {
  id: string;
  chargeId: string;
  type: string;
  state: string;
  merchantTransactionId: string | undefined;
}

/** A charge as the service keeps it: it settles, refunds, voids, and can be asked. USD cents. */
export class ChargeAtService {
  readonly id: string;
  readonly merchantOrderId: string;
  readonly total: number;
  settled = 0;
  refunded = 0;
  voided = false;
  transactions: Made[] = [];
  /** Taken by the next POSTs, one each. */
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
      .on('GET /v2/post-sale/transactions/lookup', ({ query }) => {
        const id = query.get('merchantTransactionId') ?? undefined;
        const body = this.transactions.find((made) => made.merchantTransactionId === id);
        return body === undefined ? notFound : { status: 200, body };
      })
      .on(`GET /v2/post-sale/orders/${this.merchantOrderId}`, {
        status: 200,
        body: { chargeId: this.id },
      })
      .on(`GET ${path}`, () => ({ status: 200, body: this.wire() }))
      .on(`POST ${path}/settles`, ({ body }) => this.#post('Settle', body))
      .on(`POST ${path}/refunds`, ({ body }) => this.#post('Refund', body))
      .on(`POST ${path}/voids`, ({ body }) => this.#post('Void', body));
  }

  get state(): string {
    if (this.voided) return 'Voided';
    if (this.settled === 0) return 'Authorized';
    const whole = this.settled === this.total ? 'Settled' : 'PartiallySettled';
    if (this.refunded === 0) return whole;
    return this.refunded === this.settled ? 'Refunded' : `${whole}PartiallyRefunded`;
  }

  wire() {
    const major = (value: number) => Number(toMajorUnits({ value, currency: 'USD' }));
    return {
      id: this.id,
      merchantOrderId: this.merchantOrderId,
      state: this.state,
      currency: 'USD',
      totalAmount: major(this.total),
      settledAmount: major(this.settled),
      refundedAmount: major(this.refunded),
    };
  }

  #post(type: 'Settle' | 'Refund' | 'Void', body: unknown): Scripted {
    const fault = this.faults.shift();
    if (fault === 'unauthorized') return { status: 401, text: '' };
    if (fault === 'lost-before') return networkError('ECONNRESET');
    const answer = this.#do(type, body as { amount?: number; merchantTransactionId?: string });
    // It was done, and the answer says that it was not.
    if (fault === 'denied-after') return notPermitted;
    return fault === 'lost-after' ? networkError('ECONNRESET') : answer;
  }

  #do(
    type: 'Settle' | 'Refund' | 'Void',
    { amount, merchantTransactionId }: { amount?: number; merchantTransactionId?: string },
  ): Scripted {
    const value = amount === undefined ? 0 : fromMajorUnits(amount, 'USD').value;
    if (this.voided || (type === 'Void' && this.settled > 0)) return notPermitted;
    if (type === 'Settle' && this.settled + value > this.total) return notPermitted;
    if (type === 'Refund' && this.refunded + value > this.settled) return notPermitted;
    if (type === 'Settle') this.settled += value;
    if (type === 'Refund') this.refunded += value;
    if (type === 'Void') this.voided = true;
    const made: Made = {
      id: `transaction-${this.transactions.length + 1}`,
      chargeId: this.id,
      type,
      state: 'Completed',
      merchantTransactionId,
    };
    this.transactions.push(made);
    return { status: 201, body: made };
  }
}

const notFound: Scripted = { status: 404, body: { requestId: 'svc-1', errors: [{ code: 1002 }] } };
const notPermitted: Scripted = {
  status: 400,
  body: { requestId: 'svc-2', errors: [{ code: 2006, description: 'not permitted' }] },
};

/** A companion, a charge of its service, and what the back office does with that. */
export async function setUpCharge(charge: ConstructorParameters<typeof ChargeAtService>[1] = {}) {
  const companion = await createCompanion();
  const atService = new ChargeAtService(companion.service, charge);
  const operate = (operation: string, body: unknown, key: string) =>
    companion.officePost(`/charges/charge-1/${operation}`, body, { 'idempotency-key': key });
  const ledger = async (query = '') =>
    ledgerSchema.parse((await companion.office(`/ledger${query}`)).body).entries;
  return { companion, atService, operate, ledger };
}

/** Time and rounds until everything unknown is known. */
export async function untilKnown({
  background,
  clock,
}: Awaited<ReturnType<typeof createCompanion>>): Promise<void> {
  for (let round = 0; round < 12; round++) {
    clock.advance(30_000);
    while ((await background.runOnce()) > 0);
  }
}
