import { randomUUID } from 'node:crypto';
import { errorCodes, invalidFields, ServiceError } from '../api/errors.ts';
import type { Application } from '../checkout/application.ts';
import type { Applications } from '../checkout/applications.ts';
import type { SandboxClock } from '../clock/clock.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import { discountBetween } from '../lender/discount.ts';
import { fundingDate } from '../lender/settlement.ts';
import type { Lenders } from '../lender/terms.ts';
import { inTransaction, type Database } from '../store/database.ts';
import {
  chargeBack,
  refund,
  reverse,
  settle,
  voidCharge,
  type Charge,
  type ChargeBalance,
  type Refusal,
  type Transaction,
  type TransactionType,
} from './charge.ts';
import { chargeFromRow, transactionFromRow, type ChargeRow, type TransactionRow } from './rows.ts';

/** What a charge is made from. */
export interface ChargeRequest {
  confirmationToken: string;
  merchantOrderId?: string | undefined;
  merchantTransactionId?: string | undefined;
  tags?: Record<string, string> | undefined;
}

/** Last name on the application with which the settle of `?settle=true` fails: 202. */
const SETTLE_FAILS = 'settlefails';

/** Charges and their transactions in the store. Every operation is stored whole or not at all. */
export class Charges {
  readonly #database: Database;
  readonly #clock: SandboxClock;
  readonly #applications: Applications;
  readonly #lenders: Lenders;

  constructor(
    database: Database,
    clock: SandboxClock,
    applications: Applications,
    lenders: Lenders,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#applications = applications;
    this.#lenders = lenders;
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
      this.#record(charge, 'Authorize', charge.total, 0, settles ? undefined : merchantId);
      this.#applications.authorized(application);
      if (!settles) return { charge, settleFailed: withSettle };
      return { charge: this.#settle(charge, undefined, merchantId).charge, settleFailed: false };
    });
  }

  get(environment: EnvironmentName, id: string): Charge {
    const row = this.#database
      .prepare('SELECT * FROM charges WHERE id = ? AND environment = ?')
      .get(id, environment) as ChargeRow | undefined;
    if (!row) throw chargeNotFound();
    return chargeFromRow(row);
  }

  /** The newest charge of an order. */
  ofOrder(environment: EnvironmentName, merchantOrderId: string): Charge {
    const row = this.#database
      .prepare(
        `SELECT * FROM charges WHERE environment = ? AND merchant_order_id = ?
         ORDER BY created_at DESC, rowid DESC LIMIT 1`,
      )
      .get(environment, merchantOrderId) as ChargeRow | undefined;
    if (!row) throw chargeNotFound();
    return chargeFromRow(row);
  }

  transactionsOf(charge: Charge): Transaction[] {
    const rows = this.#database
      .prepare('SELECT * FROM transactions WHERE charge_id = ? ORDER BY seq')
      .all(charge.id) as unknown[];
    return rows.map((row) => transactionFromRow(row as TransactionRow));
  }

  transaction(environment: EnvironmentName, id: string): Transaction {
    const row = this.#database
      .prepare('SELECT * FROM transactions WHERE id = ? AND environment = ?')
      .get(id, environment) as TransactionRow | undefined;
    if (!row) throw transactionNotFound();
    return transactionFromRow(row);
  }

  transactionByMerchantId(
    environment: EnvironmentName,
    merchantTransactionId: string,
  ): Transaction {
    const transaction = this.#byMerchantId(environment, merchantTransactionId);
    if (!transaction) throw transactionNotFound();
    return transaction;
  }

  /** @param amount minor units; all that is left when absent */
  settle(
    environment: EnvironmentName,
    id: string,
    amount?: number,
    merchantTransactionId?: string,
  ) {
    return this.#change(environment, id, (charge) =>
      this.#settle(charge, amount, merchantTransactionId),
    );
  }

  /** @param amount minor units */
  refund(environment: EnvironmentName, id: string, amount: number, merchantTransactionId?: string) {
    return this.#change(environment, id, (charge) => {
      const after = allowed(refund(charge, amount));
      const rate = charge.discountBasisPoints;
      // The lender gives the discount of the refunded part back.
      const discount = discountBetween(charge.refunded, after.refunded, rate);
      return this.#apply(charge, after, 'Refund', amount, discount, merchantTransactionId);
    });
  }

  /** The lender's act, not the merchant's. @param amount minor units; all that is left when absent */
  chargeBack(environment: EnvironmentName, id: string, amount?: number) {
    return this.#change(environment, id, (charge) => {
      const after = allowed(chargeBack(charge, amount));
      const rate = charge.discountBasisPoints;
      const taken = after.chargedBack - charge.chargedBack;
      const discount = discountBetween(charge.chargedBack, after.chargedBack, rate);
      return this.#apply(charge, after, 'Chargeback', taken, discount, undefined);
    });
  }

  /** The lender's act: a chargeback that is undone. @param amount minor units; all when absent */
  reverse(environment: EnvironmentName, id: string, amount?: number) {
    return this.#change(environment, id, (charge) => {
      const after = allowed(reverse(charge, amount));
      const rate = charge.discountBasisPoints;
      const given = after.reversed - charge.reversed;
      const discount = discountBetween(charge.reversed, after.reversed, rate);
      return this.#apply(charge, after, 'Reversal', given, discount, undefined);
    });
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
    return inTransaction(this.#database, () => work(this.get(environment, id)));
  }

  #settle(charge: Charge, amount: number | undefined, merchantTransactionId: string | undefined) {
    const after = allowed(settle(charge, amount));
    const rate = charge.discountBasisPoints;
    const discount = discountBetween(charge.settled, after.settled, rate);
    const settled = after.settled - charge.settled;
    return this.#apply(charge, after, 'Settle', settled, discount, merchantTransactionId);
  }

  #apply(
    charge: Charge,
    after: ChargeBalance,
    type: TransactionType,
    amount: number,
    discount: number,
    merchantTransactionId: string | undefined,
  ): { charge: Charge; transaction: Transaction } {
    const { state, settled, refunded, chargedBack, reversed } = after;
    const changed = { ...charge, ...after, updatedAt: this.#clock.now() };
    this.#database
      .prepare(
        `UPDATE charges SET state = ?, settled = ?, refunded = ?, charged_back = ?, reversed = ?,
          updated_at = ? WHERE id = ?`,
      )
      .run(state, settled, refunded, chargedBack, reversed, changed.updatedAt, charge.id);
    const transaction = this.#record(changed, type, amount, discount, merchantTransactionId);
    return { charge: changed, transaction };
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
      total: application.session.total,
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
    this.#database
      .prepare(
        `INSERT INTO charges (id, environment, application_id, merchant_order_id, state, currency,
          total, lender_id, discount_basis_points, product_type, promo_code, tags, created_at,
          updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        charge.id,
        charge.environment,
        charge.applicationId,
        charge.merchantOrderId,
        charge.state,
        charge.currency,
        charge.total,
        charge.lenderId,
        charge.discountBasisPoints,
        charge.productType,
        charge.promoCode,
        JSON.stringify(charge.tags),
        now,
        now,
      );
    return charge;
  }

  #record(
    charge: Charge,
    type: TransactionType,
    amount: number,
    discount: number,
    merchantTransactionId: string | undefined,
  ): Transaction {
    if (
      merchantTransactionId !== undefined &&
      this.#byMerchantId(charge.environment, merchantTransactionId)
    ) {
      const field = 'merchantTransactionId';
      throw invalidFields([{ field, error: 'must be unique: another transaction has this id' }]);
    }
    const now = this.#clock.now();
    const movesMoney = type !== 'Authorize' && type !== 'Void';
    const transaction: Transaction = {
      id: randomUUID(),
      environment: charge.environment,
      chargeId: charge.id,
      type,
      state: 'Completed',
      amount,
      discount,
      merchantTransactionId: merchantTransactionId ?? null,
      createdAt: now,
      fundAt: movesMoney ? fundingDate(now, this.#lenders.byId(charge.lenderId)) : null,
    };
    this.#database
      .prepare(
        `INSERT INTO transactions (id, environment, charge_id, type, state, amount, discount,
          merchant_transaction_id, created_at, fund_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        transaction.id,
        transaction.environment,
        transaction.chargeId,
        type,
        transaction.state,
        amount,
        discount,
        transaction.merchantTransactionId,
        now,
        transaction.fundAt,
      );
    return transaction;
  }

  #byMerchantId(environment: EnvironmentName, id: string): Transaction | undefined {
    const row = this.#database
      .prepare('SELECT * FROM transactions WHERE environment = ? AND merchant_transaction_id = ?')
      .get(environment, id) as TransactionRow | undefined;
    return row && transactionFromRow(row);
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
