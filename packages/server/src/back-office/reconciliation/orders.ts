import type { ReconciliationSummary } from '@financing-checkout/contract';
import { lenderNames } from '@financing-checkout/reconciliation-rules';
import { Hono } from 'hono';
import { isoTime } from '../../clock/clock.ts';
import { onlyOnes, parseQuery, parseValue } from '../../http/parse.ts';
import type { Env } from '../../http/requests.ts';
import { merchantOrderIdOf, orderKeyOf } from '../../order-key.ts';
import { ProblemError } from '../../problem/problem.ts';
import { countExceptions } from '../../reconciliation/answers/counts.ts';
import { explainOrder } from '../../reconciliation/answers/explanation.ts';
import { orderPage } from '../../reconciliation/answers/orders.ts';
import type { ReconciliationRoutesContext } from './context.ts';
import { cursorOf } from './cursor.ts';
import { exceptionsQuery, ordersQuery } from './queries.ts';
import { answerTagged } from './tagged.ts';

/** Routes of the back office for what reconciliation found. */
export function reconciledOrderRoutes(ctx: ReconciliationRoutesContext): Hono<Env> {
  const { environment, store, clock, policy } = ctx;
  const app = new Hono<Env>();

  app.get('/reconciliation/summary', async (c) => {
    const now = clock.now();
    const summary: ReconciliationSummary = {
      asOf: isoTime(now),
      ...(await store.proof(environment, now)),
      quarantined: await store.quarantined(environment),
      exceptions: await countExceptions(store, environment),
    };
    return answerTagged(c, summary);
  });

  app.get('/reconciliation/orders', async (c) => {
    const { merchantOrderId: ids, ...rest } = c.req.queries();
    const { merchantOrderId, lender, after, ...query } = parseValue(ordersQuery, {
      ...onlyOnes(rest),
      ...(ids === undefined ? {} : { merchantOrderId: ids }),
    });
    const [orderKey = '', currency = ''] = after ?? [];
    const { orders, next } = await orderPage(store, {
      ...query,
      environment,
      orderKeys: merchantOrderId?.map(orderKeyOf),
      lenders: lender === undefined ? undefined : lenderNames(lender, policy),
      after: after === undefined ? undefined : { orderKey, currency },
    });
    return answerTagged(c, {
      orders,
      ...(next === undefined ? {} : { next: cursorOf(next.orderKey, next.currency) }),
    });
  });

  app.get('/reconciliation/orders/:orderKey', async (c) => {
    const orderKey = c.req.param('orderKey');
    const explanation = await explainOrder(store, environment, orderKey, {
      now: clock.now(),
      policy,
    });
    if (explanation === undefined) {
      throw new ProblemError('order-not-found', {
        detail: /^(?:order|funding):/.test(orderKey)
          ? 'No line of the ledger and no funding has named it so far. Is it written as they write it?'
          : 'Name it by its order key: "order:" and the merchant’s id, percent-encoded.',
      });
    }
    return answerTagged(c, explanation);
  });

  app.get('/reconciliation/exceptions', async (c) => {
    const { after, limit, ...query } = parseQuery(c, exceptionsQuery);
    const [orderKey = '', currency = '', code = ''] = after ?? [];
    const rows = await store.listExceptions({
      ...query,
      environment,
      after: after === undefined ? undefined : { orderKey, currency, code },
      // One more than asked for tells whether there is a next page.
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return answerTagged(c, {
      exceptions: page.map((row) => {
        const { amount, count, since } = row;
        const merchantOrderId = merchantOrderIdOf(row.orderKey);
        return {
          orderKey: row.orderKey,
          ...(merchantOrderId === undefined ? {} : { merchantOrderId }),
          currency: row.currency,
          code: row.code,
          amount,
          count,
          since: isoTime(since),
          ...(row.case === undefined ? {} : { case: row.case }),
        };
      }),
      ...(rows.length > limit && last !== undefined
        ? { next: cursorOf(last.orderKey, last.currency, last.code) }
        : {}),
    });
  });
  return app;
}
