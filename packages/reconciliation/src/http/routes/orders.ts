import { Hono } from 'hono';
import type { Engine } from '../../engine/engine.ts';
import { orderKeyOf } from '../../platform/order-key.ts';
import { exceptionsPage, summaryOf } from '../../queries/exceptions.ts';
import { ordersPage } from '../../queries/orders.ts';
import { cursorOf } from '../cursor.ts';
import { clientSignal } from '../client-signal.ts';
import type { Env } from '../env.ts';
import { namesOfLender, stepOf } from '../lender.ts';
import { onlyOnes, parseQuery, parseValue } from '../parse.ts';
import { checkedSpan, shownPeriod } from '../period.ts';
import { exceptionsQuery, ordersQuery, summaryQuery } from '../queries.ts';
import { answerTagged } from '../tagged.ts';
import { explanationOf } from './explanation-sources.ts';

/** Routes for orders and exceptions. */
export function orderRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/summary', async (c) => {
    const filter = parseQuery(c, summaryQuery);
    return answerTagged(c, await summaryOf(engine.data.context(clientSignal(c)), filter));
  });

  app.get('/orders', async (c) => {
    const { merchantOrderId: ids, ...rest } = c.req.queries();
    const { merchantOrderId, lender, after, from, to, step, ...query } = parseValue(ordersQuery, {
      ...onlyOnes(rest),
      ...(ids === undefined ? {} : { merchantOrderId: ids }),
    });
    const [orderKey = '', currency = ''] = after ?? [];
    const context = engine.data.context(clientSignal(c));
    const period = { from, to, zone: engine.config.sync.zone };
    const { orders, next, shares } = await ordersPage(context, {
      ...query,
      ...checkedSpan(period),
      orderKeys: merchantOrderId?.map(orderKeyOf),
      lenders: await namesOfLender(context, lender),
      step: stepOf(context, step, lender),
      after: after === undefined ? undefined : { orderKey, currency },
    });
    return answerTagged(c, {
      orders,
      shares,
      ...shownPeriod(period),
      ...(next === undefined ? {} : { next: cursorOf(next.orderKey, next.currency) }),
    });
  });

  app.get('/orders/:orderKey', async (c) => {
    const orderKey = c.req.param('orderKey');
    return answerTagged(c, await explanationOf(engine, orderKey, clientSignal(c)));
  });

  app.get('/exceptions', async (c) => {
    const { after, ...query } = parseQuery(c, exceptionsQuery);
    const [orderKey = '', currency = '', code = ''] = after ?? [];
    const { exceptions, next } = await exceptionsPage(engine.data.context(clientSignal(c)), {
      ...query,
      after: after === undefined ? undefined : { orderKey, currency, code },
    });
    return answerTagged(c, {
      exceptions,
      ...(next === undefined ? {} : { next: cursorOf(next.orderKey, next.currency, next.code) }),
    });
  });
  return app;
}
