import { statedRoutes, isoTime } from '@financing-checkout/kit';
import { type Context, Hono } from 'hono';
import { except } from 'hono/combine';
import type { Engine } from '../engine/engine.ts';
import { ProblemError } from '../platform/problem.ts';
import { createApiAccess, requireAccess } from './access.ts';
import { consoleFiles, consoleHeaders } from './console-files.ts';
import type { Env } from './env.ts';
import { openApiDocument } from './openapi.ts';
import { MAX_BODY_BYTES, operationFinder, routeOf } from './operation.ts';
import { operations } from './operations.ts';
import { problemAnswers, readBody, refuseNul, refuseOtherMethods, requestLog } from './requests.ts';
import { actionRoutes } from './routes/actions.ts';
import { CASE_SHEET_PATH, caseSheetRoutes } from './routes/case-sheets.ts';
import { caseRoutes } from './routes/cases.ts';
import { chargeRoutes } from './routes/charges.ts';
import { dayRoutes } from './routes/days.ts';
import { exportRoutes } from './routes/exports.ts';
import {
  IMPORT_PATH,
  importRoutes,
  limitPreview,
  limitWorkbook,
  PREVIEW_PATH,
  WORKBOOK_PATH,
} from './routes/imports.ts';
import { moneyRoutes } from './routes/money.ts';
import { orderRoutes } from './routes/orders.ts';
import { healthRoutes, processRoutes } from './routes/process.ts';
import { sessionRoutes } from './routes/session.ts';
import { syncRoutes } from './routes/syncs.ts';
import { todayRoutes } from './routes/today.ts';
import { createSessions } from './sessions.ts';

/** The HTTP API of reconciliation. */
export function createApp(engine: Engine, version: string): Hono<Env> {
  const { logger, clock, config } = engine;
  const app = new Hono<Env>();
  const operationOf = operationFinder(operations);
  const maxBytesOf = (c: Context<Env>) => {
    const route = routeOf(c);
    const maxBytes = route && operationOf(route)?.maxBodyBytes;
    // A request without a route is refused with 404 or 405. Files have limits of their own.
    return typeof maxBytes === 'number' ? maxBytes : MAX_BODY_BYTES;
  };
  app.onError(problemAnswers(logger));
  app.use(
    requestLog(logger, clock),
    refuseNul,
    // A ledger may be large; the import receives it in a file.
    except([IMPORT_PATH, PREVIEW_PATH, WORKBOOK_PATH, CASE_SHEET_PATH], readBody(maxBytesOf)),
  );
  app.use(PREVIEW_PATH, limitPreview);
  app.use(WORKBOOK_PATH, limitWorkbook);

  app.route('/', healthRoutes(engine));
  const document = JSON.stringify(openApiDocument(operations, version));
  app.get('/openapi.json', (c) => c.body(document, 200, { 'content-type': 'application/json' }));
  const access = createApiAccess(config);
  const sessions = createSessions(config, clock, () => engine.facts);
  app.use('/console/*', consoleHeaders);
  app.route('/', sessionRoutes(engine, sessions, access));
  refuseOtherMethods(app);
  app.route('/', consoleFiles());

  app.use(requireAccess({ access, sessions, operations }), async (c, next) => {
    await next();
    // Age of the data: a standby's database may be slightly behind.
    const judgedAt = c.res.ok ? asOf(engine) : undefined;
    if (judgedAt !== undefined) c.header('financing-as-of', isoTime(judgedAt));
  });
  const routes = [
    orderRoutes,
    caseRoutes,
    caseSheetRoutes,
    moneyRoutes,
    exportRoutes,
    importRoutes,
    syncRoutes,
  ];
  const more = [dayRoutes, todayRoutes, chargeRoutes, actionRoutes];
  for (const make of [...routes, ...more]) app.route('/', make(engine));
  app.route('/', processRoutes(engine, version));

  statedRoutes(app.routes, operationOf);
  refuseOtherMethods(app);
  app.all('*', () => {
    throw new ProblemError('not-found');
  });
  return app;
}

function asOf(engine: Engine): number | undefined {
  return engine.data.status.judgedAt;
}
