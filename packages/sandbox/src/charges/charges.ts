import { randomUUID } from 'node:crypto';
import { errorCodes, invalidFields, ServiceError } from '../api/errors.ts';
import type { Application } from '../checkout/application.ts';
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
  type TransactionType,
} from './charge.ts';
import type { EndState } from './forced.ts';
import { chargeFromRow, insertCharge, type ChargeRow } from './rows.ts';
import type { Transactions } from './transactions.ts';

/** What a charge is made from. */
export interface ChargeRequest {
  confirmationToken: string;
  merchantOrderId?: string | undefined;
  merchantTransactionId?: string | undefined;
  tags?: Record<string, string> | undefined;
}

/** Last name on the application with which the settle of `?settle=true` fails: 202. */
const SETTLE_FAILS = 'settlefails';

/** The sum of a charge that each type adds to. */
const movedBy = {
  Settle: 'settled',
  Refund: 'refunded',
  Chargeback: 'chargedBack',
  Reversal: 'reversed',
} as const;

/** Charges and their transactions in the store. Every operation is stored whole or not at all. */
export class Charges {
  readonly #database: Database;
  readonly #clock: SandboxClock;
  readonly #applications: Applications;
  readonly #lenders: Lenders;
  readonly #transactions: Transactions;

  constructor(
    database: Database,
    clock: SandboxClock,
    applications: Applications,
    lenders: Lenders,
    transactions: Transactions,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#applications = applications;
    this.#lenders = lenders;
    this.#transactions = transactions;
  }

  /**
   * Makes a charge of a confirmation token, once.
   * @throws {ServiceError} 404 code 2004 unknown token; 400 code 2002 used token
   * @returns the charge and whether the settle that was asked for failed
   */
  create(
    environment: EnvironmentName,
    request: ChargeRequest,
    withSettle: boolean,
  ): { charge: Charge; settleFailed: boolean } {
    return inTransaction(this.#database, () => {
      const application = this.#confirmed(environment, request.confirmationToken);
      const charge = this.#insert(application, request);
      const fails = application.applicant.lastName.trim().toLowerCase() === SETTLE_FAILS;
      const settles = withSettle && !fails;
      // One request, two transactions: the merchant's id goes with the one that moves the money.
      const merchantId = request.merchantTransactionId;
      this.#transactions.record({
        charge,
        type: 'Authorize',
        amount: charge.total,
        discount: 0,
        merchantTransactionId: settles ? undefined : merchantId,
      });
      this.#applications.authorized(application);
      if (!settles) return { charge, settleFailed: withSettle };
      const settled = this.#move(charge, settle(charge), 'Settle', merchantId);
      return { charge: settled.charge, settleFailed: false };
    });
  }

  get(environment: EnvironmentName, id: string): Charge {
    this.endDue();
    const row = this.#database
      .prepare('SELECT * FROM charges WHERE id = ? AND environment = ?')
      .get(id, environment) as ChargeRow | undefined;
    if (!row) throw chargeNotFound();
    return chargeFromRow(row);
  }

  /** The charge of an order that was made last: by its row, for the clock may have been put back. */
  ofOrder(environment: EnvironmentName, merchantOrderId: string): Charge {
    this.endDue();
    const row = this.#database
      .prepare(
        `SELECT * FROM charges WHERE environment = ? AND merchant_order_id = ?
         ORDER BY rowid DESC LIMIT 1`,
      )
      .get(environment, merchantOrderId) as ChargeRow | undefined;
    if (!row) throw chargeNotFound();
    return chargeFromRow(row);
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
    const row = this.#database
      .prepare('SELECT * FROM charges WHERE id = ?')
      .get(transaction.chargeId) as ChargeRow | undefined;
    if (!row) throw chargeNotFound();
    const charge = chargeFromRow(row);
    if (state === 'Failed') this.#write(charge, undo(charge, transaction), at);
    return this.#transactions.end(transaction, charge, state, at);
  }

  /** @param amount minor units; all that is left when absent */
  settle(
    environment: EnvironmentName,
    id: string,
    amount?: number,
    merchantTransactionId?: string,
  ) {
    return this.#change(environment, id, (charge) =>
      this.#move(charge, settle(charge, amount), 'Settle', merchantTransactionId),
    );
  }

  /** @param amount minor units */
  refund(environment: EnvironmentName, id: string, amount: number, merchantTransactionId?: string) {
    return this.#change(environment, id, (charge) =>
      this.#move(charge, refund(charge, amount), 'Refund', merchantTransactionId),
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

  void(environment: EnvironmentName, id: string, merchantTransactionId?: string) {
    return this.#change(environment, id, (charge) =>
      this.#apply(
        charge,
        allowed(voidCharge(charge)),
        'Void',
        charge.total,
        0,
        merchantTransactionId,
      ),
    );
  }

  #change<T>(environment: EnvironmentName, id: string, work: (charge: Charge) => T): T {
    return inTransaction(this.#database, () => {
      const charge = this.get(environment, id);
      if (this.transactionsOf(charge).some(({ state }) => state === 'Pending')) {
        const reason = 'A transaction of this charge is pending: it has to end first.';
        throw new ServiceError(400, errorCodes.notPermitted, reason);
      }
      return work(charge);
    });
  }

  /** What moves money. The lender keeps its discount of that part, or gives it back. */
  #move(
    charge: Charge,
    outcome: ChargeBalance | Refusal,
    type: keyof typeof movedBy,
    merchantTransactionId?: string,
  ) {
    const after = allowed(outcome);
    const sum = movedBy[type];
    const amount = after[sum] - charge[sum];
    const discount = discountBetween(charge[sum], after[sum], charge.discountBasisPoints);
    return this.#apply(charge, after, type, amount, discount, merchantTransactionId);
  }

  #apply(
    charge: Charge,
    after: ChargeBalance,
    type: TransactionType,
    amount: number,
    discount: number,
    merchantTransactionId: string | undefined,
  ): { charge: Charge; transaction: Transaction } {
    const changed = this.#write(charge, after, this.#clock.now());
    const made = { charge: changed, type, amount, discount, merchantTransactionId };
    return { charge: changed, transaction: this.#transactions.record(made) };
  }

  #write(charge: Charge, after: ChargeBalance, at: number): Charge {
    const { state, settled, refunded, chargedBack, reversed } = after;
    this.#database
      .prepare(
        `UPDATE charges SET state = ?, settled = ?, refunded = ?, charged_back = ?, reversed = ?,
          updated_at = ? WHERE id = ?`,
      )
      .run(state, settled, refunded, chargedBack, reversed, at, charge.id);
    return { ...charge, ...after, updatedAt: at };
  }

  #confirmed(environment: EnvironmentName, token: string): Application {
    const application = this.#applications.byConfirmationToken(environment, token);
    if (!application) {
      throw new ServiceError(
        404,
        errorCodes.confirmationNotFound,
        'The confirmation was not found.',
      );
    }
    if (application.state === 'Authorized') {
      throw new ServiceError(
        400,
        errorCodes.alreadyConfirmed,
        'The confirmation has already been used for a charge.',
      );
    }
    return application;
  }

  #insert(application: Application, request: ChargeRequest): Charge {
    const offer = application.offers.find(({ code }) => code === application.offerCode);
    if (!offer) throw new Error('A confirmed application has no offer.');
    const now = this.#clock.now();
    const charge: Charge = {
      id: randomUUID(),
      environment: application.environment,
      applicationId: application.id,
      merchantOrderId: request.merchantOrderId ?? application.session.merchantOrderId,
      state: 'Authorized',
      currency: application.session.currency,
      // Of a lease, less than the order.
      total: offer.amount,
      settled: 0,
      refunded: 0,
      chargedBack: 0,
      reversed: 0,
      lenderId: offer.lenderId,
      discountBasisPoints: this.#lenders.byId(offer.lenderId).discountBasisPoints,
      productType: offer.productType,
      promoCode: application.session.promoCode ?? null,
      tags: request.tags ?? {},
      createdAt: now,
      updatedAt: now,
    };
    insertCharge(this.#database, charge);
    return charge;
  }
}

function chargeNotFound(): ServiceError {
  return new ServiceError(404, errorCodes.chargeNotFound, 'The charge was not found.');
}

function transactionNotFound(): ServiceError {
  return new ServiceError(404, errorCodes.notFound, 'No transaction has this id.');
}

/** The balance after an operation. @throws {ServiceError} 400 code 2006, or 422 for the amount */
function allowed(outcome: ChargeBalance | Refusal): ChargeBalance {
  if (!('refused' in outcome)) return outcome;
  if (outcome.refused === 'amount') {
    throw invalidFields([{ field: 'amount', error: outcome.reason }]);
  }
  throw new ServiceError(400, errorCodes.notPermitted, outcome.reason);
}
