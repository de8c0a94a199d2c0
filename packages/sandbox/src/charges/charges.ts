import { errorCodes, invalidFields, ServiceError } from '../api/errors.ts';
import type { Behaviours } from '../behaviour/behaviour.ts';
import type { Applications } from '../checkout/applications.ts';
import type { SandboxClock } from '../clock/clock.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import { discountBetween } from '../lender/discount.ts';
import type { Lenders } from '../lender/terms.ts';
import { inTransaction, nested, type Database } from '../store/database.ts';
import {
  chargeBack,
  refund,
  reverse,
  settle,
  undo,
  voidCharge,
  type Charge,
  type ChargeBalance,
  type Refusal,
  type Transaction,
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
import type { MadeTransaction, Transactions } from './transactions.ts';

/** The sum of a charge that each type adds to. */
const movedBy = {
  Settle: 'settled',
  Refund: 'refunded',
  Void: 'voided',
  Chargeback: 'chargedBack',
  Reversal: 'reversed',
} as const;
type MovingType = keyof typeof movedBy;

const operations = {
  Settle: settle,
  Refund: refund,
  Void: voidCharge,
  Chargeback: chargeBack,
  Reversal: reverse,
} as const;

/** What a transaction is made with besides its type and its sums. */
type TransactionDetails = Pick<MadeTransaction, 'merchantTransactionId' | 'fails' | 'synthetic'>;

/** A transaction that the merchant books without the lender. */
export interface SyntheticRequest {
  type: MovingType;
  /** Minor units; all that is left when absent. */
  amount?: number | undefined;
  merchantTransactionId?: string | undefined;
  reconciliationId?: string | undefined;
  /** Milliseconds; now when absent. */
  createdAt?: number | undefined;
}

/** Charges and their transactions in the store. Every operation is stored whole or not at all. */
export class Charges {
  readonly #database: Database;
  readonly #store: ChargeStore;
  readonly #clock: SandboxClock;
  readonly #applications: Applications;
  readonly #lenders: Lenders;
  readonly #transactions: Transactions;
  readonly #behaviours: Behaviours;

  constructor(
    database: Database,
    clock: SandboxClock,
    applications: Applications,
    lenders: Lenders,
    transactions: Transactions,
    behaviours: Behaviours,
  ) {
    this.#database = database;
    this.#store = new ChargeStore(database);
    this.#clock = clock;
    this.#applications = applications;
    this.#lenders = lenders;
    this.#transactions = transactions;
    this.#behaviours = behaviours;
  }

  /**
   * Makes a charge of a confirmation token, once. A `merchantTransactionId` that an authorization
   * has already answers the original charge, for any token (reference: Charge API, creation).
   * @throws {ServiceError} an unknown token 404, or 400 code 2004; a used one 400 code 2002
   */
  create(environment: EnvironmentName, request: ChargeRequest, withSettle: boolean): CreatedCharge {
    this.endDue();
    return inTransaction(this.#database, () => {
      const behaviour = this.#behaviours.read();
      const { merchantTransactionId } = request;
      const forgets = behaviour.chargeIdempotency === 'token-only';
      const original = forgets ? undefined : this.#original(environment, merchantTransactionId);
      if (original) return this.#created(original, true);
      const token = request.confirmationToken;
      const application = confirmedApplication(this.#applications, environment, token, behaviour);
      const charge = newCharge(application, request, this.#lenders, this.#clock.now());
      this.#store.insert(charge);
      this.#transactions.record({
        charge,
        type: 'Authorize',
        amount: charge.total,
        discount: 0,
        merchantTransactionId,
        sharesId: forgets,
      });
      this.#applications.authorized(application);
      return this.#created(
        withSettle ? this.#settleWith(charge, refusesSettle(application)) : charge,
        false,
      );
    });
  }

  /**
   * Settles a new charge. The merchant's id is the authorization's: this settle has none. While it is
   * pending, the charge is authorized only (reference: Charge API, creation).
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

  #original(environment: EnvironmentName, merchantTransactionId: string | undefined) {
    if (merchantTransactionId === undefined) return undefined;
    const found = this.#transactions.byMerchantId(environment, merchantTransactionId);
    return found?.type === 'Authorize' ? this.get(environment, found.chargeId) : undefined;
  }

  #created(charge: Charge, isOriginal: boolean): CreatedCharge {
    const made = this.transactionsOf(charge);
    const authorization = made.find(({ type }) => type === 'Authorize');
    if (!authorization) throw new Error('A charge has no authorization.');
    const withIt = made.find(({ id }) => id === charge.settleId);
    return { charge, authorization, settle: withIt, isOriginal };
  }

  /** @throws {ServiceError} 400 code 2001 */
  get(environment: EnvironmentName, id: string): Charge {
    this.endDue();
    const charge = this.#store.byId(id, environment);
    if (!charge) throw chargeNotFound();
    return charge;
  }

  /**
   * The charge of an order that was made last.
   * @throws {ServiceError} 404 for an order without a charge
   */
  ofOrder(environment: EnvironmentName, merchantOrderId: string): Charge {
    this.endDue();
    const charge = this.#store.ofOrder(environment, merchantOrderId);
    if (!charge) throw new ServiceError(404, errorCodes.notFound, 'charge not found');
    return charge;
  }

  /** Changes the order id or the tags of a charge; an absent field stays. */
  update(environment: EnvironmentName, id: string, change: ChargeChange): Charge {
    return this.#store.update(this.get(environment, id), change, this.#clock.now());
  }

  transactionsOf(charge: Charge): Transaction[] {
    return this.#transactions.ofCharge(charge.id);
  }

  transaction(environment: EnvironmentName, id: string): Transaction {
    this.endDue();
    const transaction = this.#transactions.byId(id, environment);
    if (!transaction) throw transactionNotFound();
    return transaction;
  }

  transactionByMerchantId(
    environment: EnvironmentName,
    merchantTransactionId: string,
  ): Transaction {
    this.endDue();
    const transaction = this.#transactions.byMerchantId(environment, merchantTransactionId);
    if (!transaction) throw transactionNotFound();
    return transaction;
  }

  /** Ends the pending transactions whose time has come. */
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
   * Ends a pending transaction now.
   * @returns undefined when it is not pending
   * @throws {ServiceError} 404 for an id that no transaction has
   */
  end(id: string, state: EndState): Transaction | undefined {
    this.endDue();
    const transaction = this.#transactions.byId(id);
    if (!transaction) throw transactionNotFound();
    if (transaction.state !== 'Pending') return undefined;
    return nested(this.#database, () => this.#end(transaction, state, this.#clock.now()));
  }

  #end(transaction: Transaction, state: EndState, at: number): Transaction {
    const charge = this.#store.byId(transaction.chargeId);
    if (!charge) throw chargeNotFound();
    // A charge takes no other transaction while one is pending: what it has settled is of this one.
    const isCounted = transaction.id !== charge.settleId || charge.settled > 0;
    const after = afterEnd(charge, transaction, state, isCounted);
    const ended = after === undefined ? charge : this.#store.write(charge, after, at);
    return this.#transactions.end(transaction, ended, state, at);
  }

  /** @param amount minor units; all that is left when absent */
  settle(
    environment: EnvironmentName,
    id: string,
    amount?: number,
    merchantTransactionId?: string,
  ) {
    return this.#change(environment, id, (charge) =>
      this.#move(charge, settle(charge, amount), 'Settle', { merchantTransactionId }),
    );
  }

  /** @param amount minor units; all that is left when absent */
  refund(
    environment: EnvironmentName,
    id: string,
    amount?: number,
    merchantTransactionId?: string,
  ) {
    return this.#change(environment, id, (charge) =>
      this.#move(charge, refund(charge, amount), 'Refund', { merchantTransactionId }),
    );
  }

  /** The lender's act, not the merchant's. @param amount minor units; all that is left when absent */
  chargeBack(environment: EnvironmentName, id: string, amount?: number) {
    return this.#change(environment, id, (charge) =>
      this.#move(charge, chargeBack(charge, amount), 'Chargeback'),
    );
  }

  /** The lender's act: a chargeback that is undone. @param amount minor units; all when absent */
  reverse(environment: EnvironmentName, id: string, amount?: number) {
    return this.#change(environment, id, (charge) =>
      this.#move(charge, reverse(charge, amount), 'Reversal'),
    );
  }

  /** @param amount minor units; all that is left when absent. A part needs a lender that takes it. */
  void(environment: EnvironmentName, id: string, amount?: number, merchantTransactionId?: string) {
    return this.#change(environment, id, (charge) => {
      const after = voidCharge(charge, amount);
      const isPart = !('refused' in after) && after.state !== 'Voided';
      if (isPart && !this.#lenders.byId(charge.lenderId).partialVoids) {
        throw notPermitted('The lender of this charge voids it as a whole only.');
      }
      return this.#move(charge, after, 'Void', { merchantTransactionId });
    });
  }

  /**
   * Voids the charge that was made of a confirmation token.
   * @returns whether the charge is voided; false for one that cannot be any more
   * @throws {ServiceError} 400 code 2001 when no charge was made of the token
   */
  voidConfirmed(environment: EnvironmentName, confirmationToken: string): boolean {
    const charge = this.#store.ofConfirmation(environment, confirmationToken);
    if (!charge) throw chargeNotFound();
    try {
      this.void(environment, charge.id);
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.code === errorCodes.notPermitted) return false;
      throw error;
    }
  }

  /** Books a transaction without the lender: it ends at once, and no lender funds it. */
  synthetic(environment: EnvironmentName, id: string, request: SyntheticRequest) {
    const { type, amount, merchantTransactionId, reconciliationId, createdAt } = request;
    return this.#change(environment, id, (charge) =>
      this.#move(charge, operations[type](charge, amount), type, {
        merchantTransactionId,
        synthetic: { reconciliationId, createdAt },
      }),
    );
  }

  #change<T>(environment: EnvironmentName, id: string, work: (charge: Charge) => T): T {
    return inTransaction(this.#database, () => {
      const charge = this.get(environment, id);
      if (this.transactionsOf(charge).some(({ state }) => state === 'Pending')) {
        throw notPermitted('A transaction of this charge is pending: it has to end first.');
      }
      return work(charge);
    });
  }

  /**
   * Makes the transaction that leads to the new balance. The lender keeps its discount of what moves
   * money, or gives it back. One that fails at once leaves the balance as it was.
   */
  #move(
    charge: Charge,
    outcome: ChargeBalance | Refusal,
    type: MovingType,
    details: TransactionDetails = {},
  ): { charge: Charge; transaction: Transaction } {
    const after = allowed(outcome);
    const sum = movedBy[type];
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
 * The balance after a pending transaction has ended; undefined where the charge stays as it is.
 * @param isCounted whether the charge shows it while it is pending
 */
function afterEnd(
  charge: Charge,
  transaction: Transaction,
  state: EndState,
  isCounted: boolean,
): ChargeBalance | undefined {
  if (state === 'Failed') return isCounted ? undo(charge, transaction) : undefined;
  return isCounted ? undefined : allowed(settle(charge, transaction.amount));
}

function chargeNotFound(): ServiceError {
  return new ServiceError(400, errorCodes.chargeNotFound, 'charge not found');
}

function transactionNotFound(): ServiceError {
  return new ServiceError(404, errorCodes.notFound, 'No transaction has this id.');
}

function notPermitted(reason: string): ServiceError {
  return new ServiceError(400, errorCodes.notPermitted, reason);
}

/** The balance after an operation. @throws {ServiceError} 400 code 2006, or 422 for the amount */
function allowed(outcome: ChargeBalance | Refusal): ChargeBalance {
  if (!('refused' in outcome)) return outcome;
  if (outcome.refused === 'amount') {
    throw invalidFields([{ field: 'amount', error: outcome.reason }]);
  }
  throw notPermitted(outcome.reason);
}
