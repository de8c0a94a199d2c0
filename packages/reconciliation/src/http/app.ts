import {
  answerDocument,
  readBody,
  refuseCodings,
  refuseNul,
  refuseOtherMethods,
  refuseRest,
  requireCaller,
  requireEnvironment,
  routesOf,
} from '@financing-checkout/kit/http';
import { type Context, Hono } from 'hono';
import { scopes } from '../config/tokens.ts';
import type { Engine } from '../engine/engine.ts';
import { isoTime } from '@financing-checkout/kit';
import { createApiAccess } from './access.ts';
import { consoleFiles, consoleHeaders } from './console-files.ts';
import { type Env, serve } from './context.ts';
import { createFileAnswers } from './file-answers.ts';
import { apiDocument, documentOperation } from './operations.ts';
import { ProblemError } from '../platform/problem.ts';
import { problemAnswers, requestLog } from './requests.ts';
import { actionRoutes } from './routes/actions.ts';
import { caseSheetRoutes } from './routes/case-sheets.ts';
import { caseRoutes } from './routes/cases.ts';
import { chargeRoutes } from './routes/charges.ts';
import { dayRoutes } from './routes/days.ts';
import { exportRoutes } from './routes/exports.ts';
import { importRoutes } from './routes/imports.ts';
import { metricsRoutes, type RenderMetrics } from './routes/metrics.ts';
import { moneyRoutes } from './routes/money.ts';
import { orderRoutes } from './routes/orders.ts';
import { journalRoutes } from './routes/journals.ts';
import { lakeRoutes } from './routes/lake.ts';
import { periodRoutes } from './routes/periods.ts';
import { healthRoutes, processRoutes } from './routes/process.ts';
import { sessionRoutes } from './routes/session.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { syncRoutes } from './routes/syncs.ts';
import { todayRoutes } from './routes/today.ts';
import { createBrowserSessions } from './sessions.ts';
import { createSignInGuard } from './sign-in-guard.ts';

/**
 * Creates reconciliation's HTTP API.
 * @param metrics renders `GET /metrics`; undefined to answer 404
 */
export function createApp(engine: Engine, version: string, metrics?: RenderMetrics): Hono<Env> {
  const { logger, clock, meter, config } = engine;
  const app = new Hono<Env>();
  app.onError(problemAnswers(logger, config.listener.docsUrl).answerProblem);
  app.use(
    requestLog({ logger, clock, meter }),
    refuseNul,
    requireEnvironment(
      config.environment,
      (detail) => new ProblemError('environment-mismatch', { detail }),
    ),
    refuseCodings,
    readBody,
  );

  app.route('/', healthRoutes(engine));
  serve(
    app,
    documentOperation,
    answerDocument(() => apiDocument(version)),
  );
  const access = createApiAccess(config);
  const { url } = config.listener;
  const guard = createSignInGuard(engine, engine.signInTrail);
  const sessions = createBrowserSessions(engine.sessions, url);
  app.use('/console/*', consoleHeaders(url));
  app.route('/', sessionRoutes(engine, sessions, access, guard));
  app.route('/', signInRoutes(engine, guard, sessions));
  refuseOtherMethods(app);
  app.route('/', consoleFiles());

  const session = async (c: Context<Env>) => {
    const found = await sessions.find(c);
    c.set('person', found?.person);
    c.set('session', found?.id);
    return found?.caller;
  };
  app.use(requireCaller(access, scopes, session));
  // Registered first, because metrics must be available even when the data is not ready.
  app.route('/', metricsRoutes(metrics));
  app.use(async (c, next) => {
    await next();
    // Age of the data, because a standby's database may be slightly behind.
    const judgedAt = c.res.ok ? asOf(engine) : undefined;
    if (judgedAt !== undefined) c.header('financing-as-of', isoTime(judgedAt));
  });
  const routes = [
    orderRoutes,
    caseRoutes,
    caseSheetRoutes,
    moneyRoutes,
    periodRoutes,
    journalRoutes,
    lakeRoutes,
    exportRoutes,
    importRoutes,
    syncRoutes,
  ];
  const more = [dayRoutes, todayRoutes, chargeRoutes, actionRoutes];
  const answerFile = createFileAnswers(engine);
  for (const make of [...routes, ...more]) app.route('/', make(engine, answerFile));
  app.route('/', processRoutes(engine, version));

  routesOf(app);
  refuseOtherMethods(app);
  app.all('*', refuseRest);
  return app;
}

function asOf(engine: Engine): number | undefined {
  return engine.data.status.judgedAt;
}
