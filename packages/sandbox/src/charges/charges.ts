import type { Applications } from '../checkout/applications.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import { discountBetween, type Lenders } from '../lenders/terms.ts';
import { errorCodes, invalidFields, ServiceError } from '../platform/service-error.ts';
import type { Behaviors } from '../state/behavior.ts';
import type { SandboxClock } from '../state/clock.ts';
import { inTransaction, nested, type Database } from '../state/database.ts';
import {
  type Charge,
  chargeBack,
  type ChargeBalance,
  refund,
  type Refusal,
  reverse,
  settle,
  type Transaction,
  undo,
  voidCharge,
} from './charge.ts';
import { ChargeStore, type ChargeChange } from './charge-store.ts';
import {
  confirmedApplication,
  newCharge,
  refusesSettle,
  type ChargeRequest,
  type CreatedCharge,
} from './creation.ts';
import type { EndState } from './forced.ts';
import type { NewTransaction, Transactions } from './transactions.ts';

/** The transactions that change a balance: the total that each adds to, and its rule. */
const moves = {
  Settle: { sum: 'settled', apply: settle },
  Refund: { sum: 'refunded', apply: refund },
  Void: { sum: 'voided', apply: voidCharge },
  Chargeback: { sum: 'chargedBack', apply: chargeBack },
  Reversal: { sum: 'reversed', apply: reverse },
} as const;
type MovingType = keyof typeof moves;

type TransactionDetails = Pick<NewTransaction, 'merchantTransactionId' | 'fails' | 'synthetic'>;

/** A transaction that a merchant or a lender requests. */
interface TransactionRequest extends Omit<TransactionDetails, 'fails'> {
  /** In minor units; the remainder by default. */
  amount?: number | undefined;
}

/** Charges and their transactions in the store. Each operation is stored atomically. */
export class Charges {
  readonly #database: Database;
  readonly #store: ChargeStore;
  readonly #clock: SandboxClock;
  readonly #applications: Applications;
  readonly #lenders: Lenders;
  readonly #transactions: Transactions;
  readonly #behaviors: Behaviors;

  constructor(
    database: Database,
    clock: SandboxClock,
    applications: Applications,
    lenders: Lenders,
    transactions: Transactions,
    behaviors: Behaviors,
  ) {
    this.#database = database;
    this.#store = new ChargeStore(database);
    this.#clock = clock;
    this.#applications = applications;
    this.#lenders = lenders;
    this.#transactions = transactions;
    this.#behaviors = behaviors;
  }

  /**
   * Creates the charge for a confirmation token, once. A `merchantTransactionId` that an
   * authorization already has returns the original charge, for any token (reference: Charge API,
   * creation).
   * @throws {ServiceError} 404, or 400 code 2004, for an unknown token; 400 code 2002 for a used
   * one
   */
  create(environment: EnvironmentName, request: ChargeRequest, withSettle: boolean): CreatedCharge {
    this.endDue();
    // Runs nested when the confirmation of a link creates the charge.
    return nested(this.#database, () => {
      const behavior = this.#behaviors.read();
      const { merchantTransactionId } = request;
      const original = this.original(environment, merchantTransactionId);
      if (original) return original;
      const token = request.confirmationToken;
      const application = confirmedApplication(this.#applications, environment, token, behavior);
      const charge = newCharge(application, request, this.#lenders, this.#clock.now());
      this.#store.insert(charge);
      this.#transactions.record({
        charge,
        type: 'Authorize',
        amount: charge.total,
        discount: 0,
        merchantTransactionId,
        sharesId: behavior.chargeIdempotency === 'token-only',
      });
      this.#applications.authorized(application);
      return this.#created(
        withSettle ? this.#settleWith(charge, refusesSettle(application)) : charge,
        false,
      );
    });
  }

  /**
   * Settles a new charge. The merchant's id belongs to the authorization, so this settle has none.
   * While it is pending, the charge is only authorized (reference: Charge API, creation).
   */
  #settleWith(charge: Charge, fails: boolean): Charge {
    const settled = this.#move(charge, settle(charge), 'Settle', { fails });
    const { transaction } = settled;
    const shown =
      transaction.state === 'Pending'
        ? this.#store.write(settled.charge, undo(settled.charge, transaction), this.#clock.now())
        : settled.charge;
    return this.#store.markSettle(shown, transaction.id);
  }

  /**
   * Returns the charge whose authorization has a merchant's id, unless a behavior ignores the id.
   */
  original(
    environment: EnvironmentName,
    merchantTransactionId: string | undefined,
  ): CreatedCharge | undefined {
    const ignoresId = this.#behaviors.read().chargeIdempotency === 'token-only';
    if (merchantTransactionId === undefined || ignoresId) return undefined;
    const found = this.#transactions.byMerchantId(environment, merchantTransactionId);
    if (found?.type !== 'Authorize') return undefined;
    return this.#created(this.get(environment, found.chargeId), true);
  }

  #created(charge: Charge, isOriginal: boolean): CreatedCharge {
    const transactions = this.transactionsOf(charge);
    const authorization = transactions.find(({ type }) => type === 'Authorize');
    if (!authorization) throw new Error('A charge has no authorization.');
    const settleOfCreation = transactions.find(({ id }) => id === charge.settleId);
    return { charge, authorization, settle: settleOfCreation, isOriginal };
  }

  /** @throws {ServiceError} 400 code 2001 */
  get(environment: EnvironmentName, id: string): Charge {
    this.endDue();
    const charge = this.#store.byId(id, environment);
    if (!charge) throw chargeNotFound();
    return charge;
  }

  /** Returns an order's newest charge. @throws {ServiceError} 404 for an order without a charge */
  ofOrder(environment: EnvironmentName, merchantOrderId: string): Charge {
    this.endDue();
    const charge = this.#store.ofOrder(environment, merchantOrderId);
    if (!charge) throw new ServiceError(404, errorCodes.notFound, 'charge not found');
    return charge;
  }

  /** Changes the order id or the tags of a charge; absent fields keep their values. */
  update(environment: EnvironmentName, id: string, change: ChargeChange): Charge {
    return this.#store.update(this.get(environment, id), change, this.#clock.now());
  }

  transactionsOf(charge: Charge): Transaction[] {
    return this.#transactions.ofCharge(charge.id);
  }

  /** @throws {ServiceError} 404 */
  transaction(environment: EnvironmentName, id: string): Transaction {
    this.endDue();
    return existing(this.#transactions.byId(id, environment));
  }

  /** @throws {ServiceError} 404 */
  transactionByMerchantId(environment: EnvironmentName, id: string): Transaction {
    this.endDue();
    return existing(this.#transactions.byMerchantId(environment, id));
  }

  /** Completes or fails the pending transactions that are due. */
  endDue(): void {
    const due = this.#transactions.due();
    if (due.length === 0) return;
    nested(this.#database, () => {
      for (const { transaction, state, at } of due) {
        this.#end(transaction, state, at);
      }
    });
  }

  /**
   * Completes or fails a pending transaction now.
   * @returns undefined when it is not pending
   * @throws {ServiceError} 404 for an unknown id
   */
  end(id: string, state: EndState): Transaction | undefined {
    this.endDue();
    const transaction = existing(this.#transactions.byId(id));
    if (transaction.state !== 'Pending') return undefined;
    return nested(this.#database, () => this.#end(transaction, state, this.#clock.now()));
  }

  #end(transaction: Transaction, state: EndState, at: number): Transaction {
    const charge = this.#store.byId(transaction.chargeId);
    if (!charge) throw chargeNotFound();
    // A charge accepts no other transaction while one is pending, so its settled total comes from
    // this one.
    const isCounted = transaction.id !== charge.settleId || charge.settled > 0;
    const after = afterEnd(charge, transaction, state, isCounted);
    const ended = after === undefined ? charge : this.#store.write(charge, after, at);
    return this.#transactions.end(transaction, ended, state, at);
  }

  /**
   * Adds a transaction to a charge. Chargebacks and reversals come from the lender, the others from
   * the merchant. A synthetic transaction completes immediately, and no lender funds it.
   * @throws {ServiceError} 400 code 2006 when the charge does not permit it; 422 for the amount
   */
  addTransaction(
    environment: EnvironmentName,
    id: string,
    type: MovingType,
    { amount, ...details }: TransactionRequest = {},
  ): { charge: Charge; transaction: Transaction } {
    return inTransaction(this.#database, () => {
      const charge = this.get(environment, id);
      if (this.transactionsOf(charge).some(({ state }) => state === 'Pending')) {
        throw notPermitted('A transaction of this charge is pending: wait until it has ended.');
      }
      const after = moves[type].apply(charge, amount);
      const isPartialVoid = type === 'Void' && !('refused' in after) && after.state !== 'Voided';
      if (
        isPartialVoid &&
        !details.synthetic &&
        !this.#lenders.byId(charge.lenderId).partialVoids
      ) {
        throw notPermitted('The lender of this charge voids only whole charges.');
      }
      return this.#move(charge, after, type, details);
    });
  }

  /**
   * Voids the charge that was created with a confirmation token.
   * @returns whether the charge is voided; false when it can no longer be voided
   * @throws {ServiceError} 400 code 2001 when no charge was created with the token
   */
  voidConfirmed(environment: EnvironmentName, confirmationToken: string): boolean {
    const charge = this.#store.ofConfirmation(environment, confirmationToken);
    if (!charge) throw chargeNotFound();
    try {
      this.addTransaction(environment, charge.id, 'Void');
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.code === errorCodes.notPermitted) return false;
      throw error;
    }
  }

  /**
   * Records the transaction that leads to the new balance. The lender keeps or returns its discount
   * on the amount. A transaction that fails immediately leaves the balance unchanged.
   */
  #move(
    charge: Charge,
    outcome: ChargeBalance | Refusal,
    type: MovingType,
    details: TransactionDetails = {},
  ): { charge: Charge; transaction: Transaction } {
    const after = permitted(outcome);
    const { sum } = moves[type];
    const amount = after[sum] - charge[sum];
    const discount =
      type === 'Void' ? 0 : discountBetween(charge[sum], after[sum], charge.discountBasisPoints);
    const now = this.#clock.now();
    const changed = this.#store.write(charge, after, now);
    const made = { ...details, charge: changed, type, amount, discount };
    const transaction = this.#transactions.record(made);
    if (transaction.state !== 'Failed') return { charge: changed, transaction };
    return { charge: this.#store.write(changed, undo(changed, transaction), now), transaction };
  }
}

/**
 * Returns the balance after a pending transaction has ended; undefined if the charge is unchanged.
 * @param isCounted whether the balance includes the transaction while it is pending
 */
function afterEnd(
  charge: Charge,
  transaction: Transaction,
  state: EndState,
  isCounted: boolean,
): ChargeBalance | undefined {
  if (state === 'Failed') return isCounted ? undo(charge, transaction) : undefined;
  return isCounted ? undefined : permitted(settle(charge, transaction.amount));
}

function chargeNotFound(): ServiceError {
  return new ServiceError(400, errorCodes.chargeNotFound, 'charge not found');
}

export function notPermitted(reason: string): ServiceError {
  return new ServiceError(400, errorCodes.notPermitted, reason);
}

/** Returns the transaction that a lookup found. @throws {ServiceError} 404 if it found none */
function existing(transaction: Transaction | undefined): Transaction {
  if (transaction) return transaction;
  throw new ServiceError(404, errorCodes.notFound, 'No transaction has this id.');
}

/** Returns the balance after an operation. @throws {ServiceError} 400 code 2006, or 422 */
export function permitted(outcome: ChargeBalance | Refusal): ChargeBalance {
  if (!('refused' in outcome)) return outcome;
  if (outcome.refused === 'amount') {
    throw invalidFields([{ field: 'amount', error: outcome.reason }]);
  }
  throw notPermitted(outcome.reason);
}
