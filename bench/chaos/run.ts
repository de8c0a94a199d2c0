import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Chance } from '../fuzz/chance.ts';
import { compareBooks, type Verdict } from './books.ts';
import type { Client } from './client.ts';
import type { OlderCompanion } from './companions.ts';
import { disorder, faults, makePlan, pendingRefunds, type Visit } from './plan.ts';
import { startPostgres } from '../postgres.ts';
import { shop } from './shopper.ts';
import { startStack } from './stack.ts';

/**
 * - `kept`: the service answers a repeated `merchantTransactionId` with the original charge, as published.
 * - `token-only`: the service does not recognize repeated requests; a confirmation token makes one charge.
 */
export const chargeIdempotencies = ['kept', 'token-only'] as const;
export type ChargeIdempotency = (typeof chargeIdempotencies)[number];

export interface ChaosOptions {
  checkouts: number;
  kills: number;
  seed: number;
  store: 'sqlite' | 'postgres';
  /** Number of companions; more than one needs PostgreSQL. */
  companions: number;
  /** Number of concurrent shoppers. */
  shoppers: number;
  /** Deadline of one call to the service, in milliseconds; the companion derives its waits from it. */
  deadlineMs: number;
  /** How the service treats a repeated charge request. */
  idempotency: ChargeIdempotency;
  /**
   * Milliseconds without progress after which the run gives up, first while shopping, then while
   * settling.
   */
  patienceMs: number;
  /** Earlier version that serves first, with the other companions later; without kills. */
  older?: OlderCompanion;
  say: (line: string) => void;
}

export interface ChaosResult extends Verdict {
  /** Number of SIGKILLs. */
  kills: number;
  /** Number of requests with a fault. */
  faults: number;
  forgedWebhooks: number;
  /** Orders that one companion primed, and another one confirmed. */
  crossed: number;
}

/**
 * Pays orders while it kills companions and the service fails, then compares the records of sandbox,
 * companion and shop.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { seed, say } = options;
  const plan = makePlan(options);
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  const cleanups: (() => Promise<void> | void)[] = [
    () => rmSync(folder, { recursive: true, force: true }),
  ];
  try {
    const seen = new Set<string>();
    const hooks: { event: () => void } = { event: () => undefined };
    // Counts each milestone once: retries would use up the kills without progress.
    const milestone = (name: string) => {
      if (seen.has(name)) return;
      seen.add(name);
      hooks.event();
    };
    let store = `sqlite:${join(folder, 'companion.db')}`;
    if (options.store === 'postgres') {
      const postgres = await startPostgres();
      cleanups.push(postgres.stop);
      store = postgres.url;
    }
    const stack = await startStack({
      folder,
      seed,
      store,
      companions: options.companions,
      kills: plan.kills,
      older: options.older,
      deadlineMs: options.deadlineMs,
      onMessage: ({ merchantOrderId, status }) => {
        if (status === 'approved') milestone(`${merchantOrderId} approved`);
      },
    });
    cleanups.push(stack.stop);
    const { client, companions, office, sandbox, secrets, shop: theShop } = stack;
    hooks.event = () => companions.event();
    await sandbox.control('POST', '/behavior', { chargeIdempotency: options.idempotency });
    for (const fault of faults(seed)) await sandbox.control('POST', '/faults', fault);
    for (const outcome of pendingRefunds(plan.visits)) {
      await sandbox.control('POST', '/transaction-outcomes', outcome);
    }
    await sandbox.control('POST', '/notifications/destination', {
      environment: 'sandbox',
      url: `${companions.addresses.at(-1)?.storefront}/notifications`,
      authorization: secrets.notification,
      disorder: { ...disorder, seed },
    });

    const primedAt = new Map<string, string>();
    const confirmedAt = new Map<string, string>();
    let done = 0;
    const shopping = idleTimeout(options.patienceMs);
    const under = new Map<string, 'paying' | 'refunding'>();
    const pay = async (visit: Visit) => {
      under.set(visit.merchantOrderId, 'paying');
      const paid = theShop.paid(visit.merchantOrderId);
      await shop({
        visit,
        client: client('storefront', new Chance(visit.seed, 5), (path, url) => {
          if (path.endsWith('prime')) primedAt.set(visit.merchantOrderId, url);
          else if (path.endsWith('confirmation')) confirmedAt.set(visit.merchantOrderId, url);
          const what = path.endsWith('confirmation') ? 'confirmed' : 'primed';
          milestone(`${visit.merchantOrderId} ${what}`);
        }),
        ticketSecret: secrets.ticket,
        paid,
      });
      if (visit.refund > 0) {
        await paid;
        under.set(visit.merchantOrderId, 'refunding');
        await refund(client('backOffice', new Chance(visit.seed, 6)), visit);
      }
      under.delete(visit.merchantOrderId);
      shopping.moved();
      if (++done % Math.ceil(options.checkouts / 10) === 0) {
        say(`${done} of ${options.checkouts} shoppers are done, ${companions.kills} kills`);
      }
    };
    const queue = plan.visits.values();
    const workers = Array.from({ length: options.shoppers }, async () => {
      for (const visit of queue) await pay(visit);
    });
    await Promise.race([Promise.all(workers), shopping.over]);
    const givenUp = [...under].map(([order, what]) => `${order}: not done in time, ${what}`);
    const unbegun = options.checkouts - done - under.size;
    if (unbegun > 0) givenUp.push(`${unbegun} shoppers did not come to their turn`);
    for (const line of givenUp) say(line);

    // From here on the run only waits: leases, lookups and webhooks must settle every order.
    const settling = idleTimeout(options.patienceMs);
    let fewest = Infinity;
    let verdict: Verdict;
    for (;;) {
      verdict = await compareBooks({
        visits: plan.visits,
        sandboxState: await sandbox.state(join(folder, 'sandbox-state.db')),
        office,
        messages: theShop.checkouts,
      });
      const open = verdict.stuck.length + verdict.lost.length;
      if (open === 0 || verdict.doubled.length > 0 || settling.isOver()) break;
      if (open < fewest) settling.moved();
      fewest = Math.min(fewest, open);
      say(
        `waiting for ${open} entries to settle, the first: ${verdict.stuck[0] ?? verdict.lost[0]}`,
      );
      await pause(2_000);
    }
    verdict.stuck.push(...givenUp);
    const { faults: set } = (await sandbox.control('GET', '/faults')) as {
      faults: { struck: number }[];
    };
    return {
      ...verdict,
      kills: companions.kills,
      faults: set.reduce((sum, { struck }) => sum + struck, 0),
      forgedWebhooks: theShop.forged,
      crossed: Array.from(confirmedAt).filter(([order, url]) => primedAt.get(order) !== url).length,
    };
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
}

/**
 * Refunds a part of an order. It repeats the request with one Idempotency-Key until the outcome is known,
 * and uses a new key when an accepted refund fails later.
 */
async function refund(office: Client, visit: Visit): Promise<void> {
  const { body } = await office.until('GET', `/checkouts?merchantOrderId=${visit.merchantOrderId}`);
  const checkouts = body.checkouts as { chargeId?: string; status: string }[];
  const charge = checkouts.find(({ status }) => status === 'approved')?.chargeId;
  if (charge === undefined) throw new Error(`${visit.merchantOrderId} is paid without a charge.`);
  for (let attempt = 1; ;) {
    const answer = await office.until(
      'POST',
      `/charges/${charge}/refunds`,
      { amount: visit.refund },
      { 'idempotency-key': `refund-${visit.merchantOrderId}-${attempt}` },
    );
    const { state, reason, code } = answer.body;
    if (state === 'accepted' && reason !== 'pending') return;
    if (code === 'service-rejected') attempt += 1;
    await office.rest();
  }
}

/** Returns a timeout that any progress restarts. */
function idleTimeout(milliseconds: number) {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), milliseconds).unref();
  const over = once(ending.signal, 'abort');
  return { over, isOver: () => ending.signal.aborted, moved: () => void timer.refresh() };
}
