import { trailOperations } from '@financing-checkout/contract/reconciliation';
import { isoTime } from '@financing-checkout/kit';
import { Hono } from 'hono';
import type { Engine } from '../../engine/engine.ts';
import type { AlertRow } from '../../facts/case-facts.ts';
import { type Env, clientSignal } from '../context.ts';
import { cursorOf, cursorSchema, pageOf, positionOf } from '../cursor.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { routesOf } from '../operation.ts';
import { trailPage } from '../trail-page.ts';
import { checkedSpan, within } from '../period.ts';
import { afterEvent } from '../queries.ts';

/** Operations on the trail of people's and programs' actions. */
export const actionOperations = routesOf(trailOperations);

/** Routes for the trail and for the alerts that the process sends. */
export function actionRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const app = new Hono<Env>();
  const tables = { engine, answerFile, rows: 500 };
  const { zone: own } = engine.config.sync;
  serveTable(app, tables, actionOperations.trail, async (c, { after, kind, ...wanted }) => {
    const { from, to, zone = own, ...part } = wanted;
    const { entries, next } = await trailPage(engine, clientSignal(c), {
      ...part,
      ...checkedSpan({ from, to, zone }),
      kinds: kind && [kind],
      after: positionOf(after, afterEvent) ?? Number.MAX_SAFE_INTEGER,
    });
    return { entries, next: next && cursorOf(String(next)) };
  });
  serveTable(app, tables, actionOperations.alerts, async (_, { after, limit, state, ...part }) => {
    const isWithin = within(part, part.zone ?? own);
    const [start] = positionOf(after, cursorSchema(1)) ?? [];
    const rows = await engine.facts.alerts({
      limit: limit + 1,
      ...(state && { state }),
      ...(start && { after: start }),
    });
    const { page, last } = pageOf(rows, limit);
    return {
      deliveries: page.map(alertRecord).filter(({ createdAt }) => isWithin(createdAt)),
      next: last && cursorOf(last.id),
    };
  });
  return app;
}

/** Returns an alert in the API's format. */
function alertRecord(row: AlertRow) {
  const { id, caseId, tries, reason, nextAttemptAt, deliveredAt } = row;
  const state =
    deliveredAt !== undefined ? 'delivered' : nextAttemptAt === undefined ? 'dead' : 'waiting';
  return {
    id,
    state,
    tries,
    createdAt: isoTime(row.createdAt),
    ...(caseId === '' ? {} : { caseId }),
    reason,
    ...(nextAttemptAt === undefined ? {} : { nextTryAt: isoTime(nextAttemptAt) }),
    ...(deliveredAt === undefined ? {} : { deliveredAt: isoTime(deliveredAt) }),
  };
}
