import type { FundingSync } from '@financing-checkout/contract';
import { Hono } from 'hono';
import type { Log } from '../log.ts';
import type { Order } from '../orders/order.ts';
import type { Orders } from '../orders/store.ts';
import type { Pages } from '../page/pages.ts';
import { CompanionError } from '../payment/companion.ts';
import type { Companion } from '../payment/companion.ts';
import type { ShopEnv } from '../visitor.ts';
import { access } from './access.ts';
import { backOfficePage } from './views.ts';

export interface BackOfficeRoutes {
  pages: Pages;
  orders: Orders;
  companion: Companion;
  token: string;
  log: Log;
  now: () => Date;
}

/** How many orders the page lists, newest first. */
const LISTED = 200;

/** What the shop's own people see. */
export function backOfficeRoutes(options: BackOfficeRoutes): Hono<ShopEnv> {
  const { pages, orders, companion, log, now } = options;
  const routes = new Hono<ShopEnv>();
  routes.use(access(options.token));

  routes.get('/', async (c) => {
    const listed = orders.latest(LISTED);
    const [report, reconciliation] = await Promise.all([
      answered('fundings report', () => companion.fundings()),
      answered('reconciliation', async () => ({
        statuses: await companion.reconciled(listed.map(({ number }) => number)),
        last: await companion.lastSync(),
      })),
    ]);
    const underWay = 'last' in reconciliation && isUnderWay(reconciliation.last, now());
    return pages.show(c, backOfficePage({ orders: listed, report, reconciliation, underWay }));
  });

  routes.post('/sync', async (c) => {
    const days = daysOf(orders.latest(LISTED), now());
    await answered('sync', () => companion.sync(days.from, days.to));
    return c.redirect('/admin', 303);
  });
  return routes;

  /** What the companion answered, or in words why it did not. */
  async function answered<Answer>(
    what: string,
    ask: () => Promise<Answer>,
  ): Promise<Answer | { unavailable: string }> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CompanionError)) throw error;
      log('warn', `${what} not read`, { reason: error.code });
      return { unavailable: error.message };
    }
  }
}

const DAY_MS = 86_400_000;
/** The statuses follow within a second of the end of a sync. */
const SETTLED_MS = 4_000;

function isUnderWay(last: FundingSync | undefined, now: Date): boolean {
  if (last === undefined) return false;
  return (
    last.state === 'running' ||
    (last.endedAt !== undefined && now.getTime() - Date.parse(last.endedAt) < SETTLED_MS)
  );
}

/**
 * Since the oldest order listed, and a month ahead: lenders date ahead, and the clock of the sandbox
 * may be moved on.
 */
function daysOf(listed: readonly Order[], now: Date): { from: string; to: string } {
  const oldest = Math.min(now.getTime(), ...listed.map((order) => Date.parse(order.createdAt)));
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { from: day(oldest - DAY_MS), to: day(now.getTime() + 31 * DAY_MS) };
}
