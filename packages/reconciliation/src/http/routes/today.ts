import {
  forecastSchema,
  lagsSchema,
  searchSchema,
  todaySchema,
} from '@financing-checkout/contract';
import { Hono } from 'hono';
import type { Engine } from '../../engine/engine.ts';
import { fundingForecast, lenderLags } from '../../queries/forecast.ts';
import { searchIds } from '../../queries/search.ts';
import { type TodaySources, workOfToday } from '../../queries/today.ts';
import { unprovenDays } from '../../queries/unproven-days.ts';
import { clientSignal } from '../client-signal.ts';
import { noQuery, reading } from '../operation.ts';
import { lagsQuery, searchQuery } from '../queries.ts';
import { type Env, serve } from '../env.ts';
import { checkedSpan } from '../period.ts';
import { answerTagged, answerUnlessUnchanged } from '../tagged.ts';

const MAX_ALERTS = 1_000;

/** Operations for the daily work list. */
export const todayOperations = {
  today: reading('/today', 'The work that needs a person, largest amounts first', todaySchema, {
    description:
      'Open cases, holds that end within five days or have ended, unclear operations and dead messages of the companion, dead alerts, unproven days, and records in quarantine. `unavailable` names a server that did not answer.',
    query: noQuery,
  }),
  search: reading('/search', 'The orders of an ID', searchSchema, {
    description:
      'Order id, charge id, transaction id or merchant transaction id, exact or by its beginning; application id, exact.',
    query: searchQuery,
  }),
  lags: reading('/lags', 'Time from the settle to the funding, by lender', lagsSchema, {
    query: lagsQuery,
  }),
  forecast: reading(
    '/forecast',
    'Amounts that lenders should post in the next 14 days',
    forecastSchema,
    { query: noQuery },
  ),
};

/** Routes for the daily work list: what needs a person, and the order behind an ID. */
export function todayRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  serve(app, todayOperations.today, async (c, input) => {
    input.query();
    const signal = clientSignal(c);
    const { holds } = engine.config.policy;
    const work = await workOfToday(
      engine.data.context(signal),
      todaySources(engine, signal),
      holds,
    );
    return answerTagged(c, work);
  });

  serve(app, todayOperations.search, async (c, input) => {
    const { q } = input.query();
    const signal = clientSignal(c);
    const orders = (applicationId: string) =>
      engine.worklist.ordersOfApplication(applicationId, signal);
    return answerTagged(c, await searchIds(engine.data.context(signal), q, orders));
  });

  serve(app, todayOperations.lags, async (c, input) => {
    const { from, to, currency } = input.query();
    const period = { from, to, zone: engine.config.sync.zone };
    const wanted = { currency, period, span: checkedSpan(period) };
    const context = engine.data.context(clientSignal(c));
    return answerUnlessUnchanged(c, context, () => lenderLags(context, wanted));
  });

  serve(app, todayOperations.forecast, async (c, input) => {
    input.query();
    return answerTagged(c, await fundingForecast(engine.data.context(clientSignal(c))));
  });
  return app;
}

/** Returns the sources of the daily work list outside the analytics database. */
export function todaySources(engine: Engine, signal: AbortSignal): TodaySources {
  const { clock, config, facts, worklist } = engine;
  return {
    unclearOperations: () => worklist.unclearOperations(signal),
    deadWebhooks: () => worklist.deadWebhooks(signal),
    deadAlerts: () => facts.alerts({ state: 'dead', limit: MAX_ALERTS }),
    async unprovenDays() {
      const { zone } = config.sync;
      const [last] = await facts.syncs(1);
      const wanted = { zone, now: clock.now(), firstPlanned: last?.fromDay };
      return { zone, days: unprovenDays(await facts.days(), wanted)?.unproven ?? [] };
    },
  };
}
