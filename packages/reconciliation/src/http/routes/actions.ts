import { trailOperations } from '@financing-checkout/contract/reconciliation';
import { isoTime } from '@financing-checkout/kit';
import { Hono } from 'hono';
import type { Engine } from '../../engine/engine.ts';
import type { AlertRow } from '../../facts/schema.ts';
import { type Env, clientSignal } from '../context.ts';
import { eventAfter, nextEvent, nextOf, pageOf, placeAfter } from '../cursor.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { routesOf } from '../operation.ts';
import { trailPage } from '../trail-page.ts';
import type { Keyset } from '../../queries/basis/keyset.ts';
import { checkedSpan, within } from '../period.ts';

/** Operations on the trail of people's and programs' actions. */
export const actionOperations = routesOf(trailOperations);

/** The order of alerts. */
const ofAlerts: Keyset = { mark: 'alert', keys: [{ sql: 'id', type: 'varchar' }] };

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
      after: eventAfter(after) ?? Number.MAX_SAFE_INTEGER,
    });
    return { entries, next: nextEvent(next) };
  });
  serveTable(app, tables, actionOperations.alerts, async (_, { after, limit, state, ...part }) => {
    const isWithin = within(part, part.zone ?? own);
    const [start] = placeAfter(after, ofAlerts) ?? [];
    const rows = await engine.facts.alerts({
      limit: limit + 1,
      ...(state && { state }),
      ...(typeof start === 'string' && { after: start }),
    });
    const { page, last } = pageOf(rows, limit);
    return {
      deliveries: page.map(alertRecord).filter(({ createdAt }) => isWithin(createdAt)),
      next: nextOf(ofAlerts, last && [last.id]),
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
