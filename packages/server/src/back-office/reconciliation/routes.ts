import { Hono } from 'hono';
import type { Env } from '../../http/requests.ts';
import { answerRoutes } from './answers.ts';
import { caseRoutes } from './cases.ts';
import type { ReconciliationRoutesContext } from './context.ts';
import { importRoutes } from './imports.ts';
import { reconciledOrderRoutes } from './orders.ts';

/** Routes of the back office for reconciliation: orders, cases, sums and exports. */
export function reconciliationRoutes(ctx: ReconciliationRoutesContext): Hono<Env> {
  const app = new Hono<Env>();
  for (const routes of [reconciledOrderRoutes, caseRoutes, answerRoutes, importRoutes]) {
    app.route('/', routes(ctx));
  }
  return app;
}
