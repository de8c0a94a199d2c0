import { chargesOfOrder } from '../routes/charges.ts';
import { explanationOf } from '../routes/explanation-sources.ts';
import {
  type ListContext,
  type ListFilter,
  type ListSources,
  orderOf,
  percentOf,
  yesNo,
} from './list.ts';

const explained = ({ engine, signal }: ListContext, { orderKey = '' }: ListFilter) =>
  explanationOf(engine, orderKey, signal);

async function chargesOf({ engine, signal }: ListContext, { currency, orderKey = '' }: ListFilter) {
  const { charges } = await chargesOfOrder(engine, orderKey, currency, signal);
  return charges.map((charge) => ({
    charge,
    order: orderOf({ orderKey, merchantOrderId: charge.merchantOrderId }),
  }));
}

/** The lists of one order. */
export const orderLists: ListSources<'timeline' | 'order-discounts' | 'charges' | 'operations'> = {
  async *timeline(ctx, filter) {
    const explanation = await explained(ctx, filter);
    yield explanation.timeline.map((one) => ({
      ...orderOf(explanation),
      currency: one.currency,
      at: one.at,
      source: one.source,
      event: one.what,
      amount: one.amount,
      lender: one.lender,
      status: one.status,
      by: one.by,
      id: one.id,
      currency_assumed: yesNo(one.currencyAssumed),
    }));
  },

  async *'order-discounts'(ctx, filter) {
    const explanation = await explained(ctx, filter);
    yield explanation.currencies.flatMap(({ currency, currencyAssumed, discounts }) =>
      discounts.map((one) => ({
        ...orderOf(explanation),
        currency,
        lender: one.lender,
        kind: one.kind,
        product_type: one.productType,
        promo_code: one.promoCode,
        amount: one.amount,
        agreed_percent: percentOf(one.agreedBasisPoints),
        agreed_per_settle: one.agreedPerSettle,
        agreed: one.agreed,
        discount: one.discount,
        variance: one.variance,
        currency_assumed: yesNo(currencyAssumed),
      })),
    );
  },

  async *charges(ctx, filter) {
    yield (await chargesOf(ctx, filter)).map(({ charge, order }) => ({
      ...order,
      currency: charge.authorized.currency,
      charge: charge.id,
      state: charge.state,
      authorized: charge.authorized.value,
      settled: charge.settled.value,
      refunded: charge.refunded.value,
      left_to_settle: charge.left.toSettle.value,
      left_to_refund: charge.left.toRefund.value,
      currency_assumed: yesNo(charge.currencyAssumed),
    }));
  },

  async *operations(ctx, filter) {
    yield (await chargesOf(ctx, filter)).flatMap(({ charge, order }) =>
      charge.operations.map((one) => ({
        ...order,
        currency: (one.amount ?? charge.authorized).currency,
        charge: charge.id,
        operation: one.id,
        kind: one.kind,
        state: one.state,
        amount: one.amount?.value,
        created_at: one.createdAt,
        actor: one.actor,
        reason: one.reason,
        resolved_by: one.resolution?.by,
        note: one.resolution?.note,
        transaction_id: one.transactionId,
        merchant_transaction_id: one.merchantTransactionId,
        lender_reference_id: one.lenderReferenceId,
      })),
    );
  },
};
