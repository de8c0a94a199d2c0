import {
  exceptionsSchema,
  orderExplanationSchema,
  orderListOperations,
  orderStatusesSchema,
  reconciliationSummarySchema,
} from '@financing-checkout/contract/reconciliation';
import { type Context, Hono } from 'hono';
import type { Engine } from '../../engine/engine.ts';
import { orderKeyOf } from '../../platform/order-key.ts';
import { exceptionsPage, summaryOf } from '../../queries/orders/exceptions.ts';
import { ordersPage } from '../../queries/orders/orders.ts';
import { cursorOf, paged } from '../cursor.ts';
import { type Env, clientSignal, serve } from '../context.ts';
import { namesOfLender, selectedOf, stepOf } from '../lender.ts';
import { checkedSpan, shownPeriod } from '../period.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { reading, routesOf } from '../operation.ts';
import { exceptionsQuery, ordersQuery, summaryQuery } from '../queries.ts';
import { answerTagged, answerUnlessUnchanged, tagged } from '../tagged.ts';
import { explanationOf } from './explanation-sources.ts';

export const orderOperations = {
  summary: reading('/summary', 'Exceptions, and their reliability', reconciliationSummarySchema, {
    query: summaryQuery,
  }),
  list: reading('/orders', 'Orders with their statuses', orderStatusesSchema, {
    description: paged,
    query: ordersQuery,
  }),
  read: reading(
    '/orders/:orderKey',
    'One order with its lines, reasons and history',
    orderExplanationSchema,
    {
      description: 'The order key is `order:` and the merchant’s order id, percent-encoded.',
      problems: ['order-not-found'],
    },
  ),
  ...routesOf(orderListOperations),
  exceptions: reading('/exceptions', 'Exceptions by order', exceptionsSchema, {
    description: paged,
    query: exceptionsQuery,
  }),
};

export function orderRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const { zone } = engine.config.sync;
  const app = new Hono<Env>();
  const explained = (c: Context<Env>) =>
    explanationOf(engine, c.req.param('orderKey') ?? '', clientSignal(c));

  serve(app, orderOperations.summary, async (c, input) => {
    const context = engine.data.context(clientSignal(c));
    const { from, to, ...query } = input.query();
    const filter = { ...query, ...checkedSpan({ from, to, zone }) };
    return answerUnlessUnchanged(c, context, () => summaryOf(context, filter));
  });

  serve(app, orderOperations.list, async (c, input) => {
    const { merchantOrderId, lender, after, from, to, ...query } = input.query();
    const { step, due, lenderUnknown, claim, verdict, ...more } = query;
    const { discount, productType, promoCode, agreedFrom, ...filter } = more;
    const row = { discount, productType, promoCode, agreedFrom };
    const [orderKey = '', currency = ''] = after ?? [];
    const context = engine.data.context(clientSignal(c));
    const period = { from, to, zone };
    const span = checkedSpan(period);
    return answerUnlessUnchanged(c, context, async () => {
      const { orders, next, shares, count } = await ordersPage(context, {
        ...filter,
        ...span,
        orderKeys: merchantOrderId?.map(orderKeyOf),
        lenders: await namesOfLender(context, lender),
        step: stepOf(context, step, lender),
        selected: await selectedOf(
          context,
          { claim, verdict, due, step, lender, lenderUnknown, ...row },
          span,
        ),
        after: after === undefined ? undefined : { orderKey, currency },
      });
      return {
        orders,
        shares,
        count,
        ...shownPeriod(period),
        next: next && cursorOf(next.orderKey, next.currency),
      };
    });
  });

  serve(app, orderOperations.read, async (c) => answerTagged(c, await explained(c)));

  const tables = { engine, answerFile, rows: Number.MAX_SAFE_INTEGER, respond: tagged };
  serveTable(app, tables, orderOperations.timeline, async (c) => {
    const { merchantOrderId, orderKey, timeline } = await explained(c);
    return { orderKey, merchantOrderId, timeline };
  });

  serveTable(app, tables, orderOperations.discounts, async (c) => {
    const { currencies, merchantOrderId, orderKey } = await explained(c);
    return {
      orderKey,
      merchantOrderId,
      discounts: currencies.flatMap(({ currency, currencyAssumed, discounts }) =>
        discounts.map((one) => ({ ...one, currency, currencyAssumed })),
      ),
    };
  });

  serve(app, orderOperations.exceptions, async (c, input) => {
    const { after, from, to, ...query } = input.query();
    const span = checkedSpan({ from, to, zone });
    const [orderKey = '', currency = '', code = ''] = after ?? [];
    const context = engine.data.context(clientSignal(c));
    return answerUnlessUnchanged(c, context, async () => {
      const { exceptions, next } = await exceptionsPage(context, {
        ...query,
        ...span,
        after: after === undefined ? undefined : { orderKey, currency, code },
      });
      return {
        exceptions,
        next: next && cursorOf(next.orderKey, next.currency, next.code),
      };
    });
  });
  return app;
}
