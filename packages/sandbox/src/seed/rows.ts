import type { Transaction } from '../charges/charge.ts';
import type { Session } from '../checkout/session.ts';
import { toWireAmount } from '../platform/money.ts';
import type { Database } from '../state/database.ts';
import { rowInserter } from '../state/rows.ts';
import type { StagedOrder } from './order.ts';

/**
 * Returns a function that stores seeded orders: the application, the charge, its transactions.
 * `isFunded` returns whether a transaction is already funded.
 */
export function orderInserter(database: Database) {
  const insertApplication = rowInserter(database, 'applications');
  const insertCharge = rowInserter(database, 'charges');
  const insertTransaction = rowInserter(database, 'transactions');
  return (order: StagedOrder, isFunded: (transaction: Transaction) => boolean): void => {
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
    insertApplication({
      id: charge.applicationId,
      environment,
      // The checkout is over, so a token derived from the application's id is good enough.
      sessionToken: `seeded-${charge.applicationId}`,
      state: 'Authorized',
      merchantOrderId,
      currency,
      total,
      session: JSON.stringify(session),
      ...applicant,
      offerCode: lender.offer.code,
      createdAt,
      updatedAt: createdAt,
      expiresAt: createdAt,
    });
    insertCharge({ ...charge, tags: '{}' });
    for (const transaction of transactions) {
      const fundAt = isFunded(transaction) ? null : transaction.fundAt;
      insertTransaction({ ...transaction, fundAt });
    }
  };
}
