import {
  orderExplanationSchema,
  orderListOperations,
  ordersOperations,
} from '@financing-checkout/contract/reconciliation';
import { type Context, Hono } from 'hono';
import type { Engine } from '../../engine/engine.ts';
import { orderKeyOf } from '../../platform/order-key.ts';
import { exceptionsPage, ofExceptions, summaryOf } from '../../queries/orders/exceptions.ts';
import { ofOrders } from '../../queries/basis/keyset.ts';
import { ordersPage } from '../../queries/orders/orders.ts';
import { nextOf, placeAfter } from '../cursor.ts';
import { type Env, clientSignal, serve } from '../context.ts';
import { ordersBy, selectedBy } from '../lender.ts';
import { checkedSpan, shownPeriod } from '../period.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { reading, routesOf } from '../operation.ts';
import { answerTagged, answerUnlessUnchanged, tagged } from '../tagged.ts';
import { explanationOf } from './explanation-sources.ts';

const orderList = ofOrders('s');

export const orderOperations = {
  read: reading(
    '/orders/:orderKey',
    'One order with its lines, reasons and history',
    orderExplanationSchema,
    {
      description: 'The order key is `order:` and the merchant’s order id, percent-encoded.',
      problems: ['order-not-found'],
    },
  ),
  ...routesOf(ordersOperations),
  ...routesOf(orderListOperations),
};

/** Routes for orders and exceptions. An empty period is refused even if nothing has changed. */
export function orderRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const { zone } = engine.config.sync;
  const app = new Hono<Env>();
  const explained = (c: Context<Env>) =>
    explanationOf(engine, c.req.param('orderKey') ?? '', clientSignal(c));

  serve(app, orderOperations.summary, async (c, input) => {
    const query = input.query();
    checkedSpan({ ...query, zone });
    const context = engine.data.context(clientSignal(c));
    return answerUnlessUnchanged(c, context, async () =>
      summaryOf(context, await selectedBy(context, query, zone)),
    );
  });

  serve(app, orderOperations.list, async (c, input) => {
    const { merchantOrderId, after, limit, ...query } = input.query();
    const { from, to } = query;
    const context = engine.data.context(clientSignal(c));
    const period = { from, to, zone };
    const page = { after: placeAfter(after, orderList), limit };
    checkedSpan(period);
    return answerUnlessUnchanged(c, context, async () => {
      const { orders, next, shares, count } = await ordersPage(context, {
        ...(await ordersBy(context, query, zone)),
        ...page,
        orderKeys: merchantOrderId?.map(orderKeyOf),
      });
      return { orders, shares, count, ...shownPeriod(period), next: nextOf(orderList, next) };
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
    const { after, limit, ...query } = input.query();
    const page = { after: placeAfter(after, ofExceptions), limit };
    checkedSpan({ ...query, zone });
    const context = engine.data.context(clientSignal(c));
    return answerUnlessUnchanged(c, context, async () => {
      const filter = await selectedBy(context, query, zone);
      const { exceptions, next } = await exceptionsPage(context, { ...filter, ...page });
      return { exceptions, next: nextOf(ofExceptions, next) };
    });
  });
  return app;
}
