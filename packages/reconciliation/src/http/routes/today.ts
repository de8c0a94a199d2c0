import { Hono } from 'hono';
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { fundingForecast, lenderLags } from '../../queries/forecast.ts';
import { searchIds } from '../../queries/search.ts';
import { type TodaySources, workOfToday } from '../../queries/today.ts';
import { unprovenDays } from '../../queries/unproven-days.ts';
import { clientSignal } from '../client-signal.ts';
import { lagsQuery, searchQuery } from '../daily-queries.ts';
import type { Env } from '../env.ts';
import { parseQuery } from '../parse.ts';
import { checkedSpan } from '../period.ts';
import { answerTagged } from '../tagged.ts';

const MAX_ALERTS = 1_000;

/** Routes for the work of a day: what needs a person, and the order behind an ID. */
export function todayRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/today', async (c) => {
    parseQuery(c, z.strictObject({}));
    const signal = clientSignal(c);
    const { holds } = engine.config.policy;
    const work = await workOfToday(
      engine.data.context(signal),
      todaySources(engine, signal),
      holds,
    );
    return answerTagged(c, work);
  });

  app.get('/search', async (c) => {
    const { q } = parseQuery(c, searchQuery);
    const signal = clientSignal(c);
    const orders = (applicationId: string) =>
      engine.worklist.ordersOfApplication(applicationId, signal);
    return answerTagged(c, await searchIds(engine.data.context(signal), q, orders));
  });

  app.get('/lags', async (c) => {
    const { from, to, currency } = parseQuery(c, lagsQuery);
    const period = { from, to, zone: engine.config.sync.zone };
    const wanted = { currency, period, span: checkedSpan(period) };
    return answerTagged(c, await lenderLags(engine.data.context(clientSignal(c)), wanted));
  });

  app.get('/forecast', async (c) => {
    parseQuery(c, z.strictObject({}));
    return answerTagged(c, await fundingForecast(engine.data.context(clientSignal(c))));
  });
  return app;
}

/** Returns the sources of a day's work outside the analytics database. */
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
