import { adjustmentsOfPeriod, ordersOfPeriod } from '../../periods/lists.ts';
import { type ListContext, type ListSources, orderOf, yesNo } from './list.ts';

/** Rows of each read, which sums the orders of the period again. */
const ROWS = 50_000;

const periodsOf = ({ engine, signal }: ListContext) => engine.periods(signal);

/** Lists of the periods of the books. */
export const periodLists: ListSources<'adjustments' | 'period-orders'> = {
  async *adjustments(ctx, { period = '' }) {
    for (let offset = 0, count = 1; offset < count; offset += ROWS) {
      const found = await adjustmentsOfPeriod(periodsOf(ctx), period, { limit: ROWS, offset });
      const sealed = yesNo(found.isSealed);
      ({ count } = found);
      yield found.adjustments.map(({ amounts, ...one }) => ({
        period,
        sealed,
        belongs_to: one.belongsTo,
        ...orderOf(one),
        currency: one.currency,
        lender: one.lender,
        reason: one.reason,
        in_transit: one.inTransit,
        ...amounts,
      }));
    }
  },

  async *'period-orders'(ctx, { period = '', step = 'net', currency, lender }) {
    for (let offset = 0, count = 1; offset < count; offset += ROWS) {
      const range = { limit: ROWS, offset };
      const asked = { id: period, step, currency, lender };
      const found = await ordersOfPeriod(periodsOf(ctx), asked, range);
      const sealed = yesNo(found.isSealed);
      ({ count } = found);
      yield found.orders.map((one) => ({
        period,
        sealed,
        step,
        ...orderOf(one),
        currency: one.currency,
        lender: one.lender,
        amount: one.amount,
      }));
    }
  },
};
