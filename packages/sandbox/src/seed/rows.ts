import type { StatementSync } from 'node:sqlite';
import type { Transaction } from '../charges/charge.ts';
import type { Session } from '../checkout/session.ts';
import { toWireAmount } from '../money/money.ts';
import type { Database } from '../store/database.ts';
import type { StagedOrder } from './order.ts';

/** Writes seeded orders into the store: the application, the charge, its transactions. */
export class OrderRows {
  readonly #application: StatementSync;
  readonly #charge: StatementSync;
  readonly #transaction: StatementSync;

  constructor(database: Database) {
    this.#application = database.prepare(
      `INSERT INTO applications (id, environment, session_token, state, merchant_order_id, currency,
        total, session, first_name, last_name, email, offer_code, created_at, updated_at, expires_at)
       VALUES (?, ?, ?, 'Authorized', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#charge = database.prepare(
      `INSERT INTO charges (id, environment, application_id, merchant_order_id, state, currency,
        total, voided, settled, refunded, charged_back, reversed, lender_id, discount_basis_points,
        product_type, promo_code, tags, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}', ?, ?)`,
    );
    this.#transaction = database.prepare(
      `INSERT INTO transactions (id, environment, charge_id, type, state, amount, discount,
        merchant_transaction_id, created_at, fund_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  /** @param isFunded whether a lender has dealt with a transaction already */
  insert(order: StagedOrder, isFunded: (transaction: Transaction) => boolean): void {
    const { charge, applicant, lender, transactions } = order;
    const { environment, merchantOrderId, currency, total, createdAt } = charge;
    const amount = toWireAmount(total, currency);
    const session: Session = {
      merchantOrderId,
      flowType: 'Checkout',
      currency,
      cart: { items: [{ name: 'Order', price: amount, quantity: 1 }], totalAmount: amount },
      tax: 0,
      shippingTax: 0,
      total,
      consumer: { ...applicant, phone: '' },
    };
    this.#application.run(
      charge.applicationId,
      environment,
      // Its checkout is over: a token that cannot be told apart from the application's id will do.
      `seeded-${charge.applicationId}`,
      merchantOrderId,
      currency,
      total,
      JSON.stringify(session),
      applicant.firstName,
      applicant.lastName,
      applicant.email,
      lender.offer.code,
      createdAt,
      createdAt,
      createdAt,
    );
    this.#charge.run(
      charge.id,
      environment,
      charge.applicationId,
      merchantOrderId,
      charge.state,
      currency,
      total,
      charge.voided,
      charge.settled,
      charge.refunded,
      charge.chargedBack,
      charge.reversed,
      charge.lenderId,
      charge.discountBasisPoints,
      charge.productType,
      charge.promoCode,
      createdAt,
      charge.updatedAt,
    );
    for (const transaction of transactions) {
      this.#transaction.run(
        transaction.id,
        environment,
        charge.id,
        transaction.type,
        transaction.state,
        transaction.amount,
        transaction.discount,
        transaction.merchantTransactionId,
        transaction.createdAt,
        isFunded(transaction) ? null : transaction.fundAt,
      );
    }
  }
}
