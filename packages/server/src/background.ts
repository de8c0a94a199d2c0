import { pollDueOperations } from './charges/lookup.ts';
import { pollDueCheckouts, pollDueLinks } from './checkout/poller.ts';
import { createLossSearch } from './checkout/lost-charge.ts';
import { handleDueNotifications } from './notifications/handle.ts';
import type { CompanionContext } from './options.ts';
import { describeError } from './platform/logger.ts';
import { fetchTransport } from './service/caller.ts';
import { retention } from './store/retention.ts';
import { deliverDue } from './webhook/delivery.ts';

/** The companion's work between requests. */
export type BackgroundWork = ReturnType<typeof createBackgroundWork>;

const BATCH = 50;
const PAUSE_MS = 1_000;
const PRUNE_EVERY_MS = 3_600_000;
const PRUNE_BATCH = 500;

/**
 * Creates the background work of a companion. Run it in one replica or in all: each item is claimed in
 * the store, so no two replicas process the same item.
 */
export function createBackgroundWork(ctx: CompanionContext) {
  const { webhook, webhookTransport: transport = fetchTransport } = ctx;
  const delivery = webhook && { ...ctx, target: webhook, transport };
  let nextPrune = 0;
  const ending = new AbortController();
  const { signal } = ending;
  // Separate loops: while the service is slow to answer about one charge, webhooks still go out.
  const parts = [
    createLossSearch(ctx),
    () => handleDueNotifications(ctx, BATCH, signal),
    () => pollDueOperations(ctx, BATCH, signal),
    () => pollDueCheckouts(ctx, false, BATCH, signal),
    () => pollDueCheckouts(ctx, true, BATCH, signal),
    () => pollDueLinks(ctx, BATCH, signal),
    ...(delivery ? [() => deliverDue(delivery, BATCH)] : []),
    prune,
  ];
  const loops = parts.map((work) => createLoop(work, ctx));

  async function prune(): Promise<number> {
    const now = ctx.clock.now();
    if (now < nextPrune) return 0;
    const pruned = await ctx.store.prune(retention(now), PRUNE_BATCH);
    if (pruned === 0) nextPrune = now + PRUNE_EVERY_MS;
    return pruned;
  }

  return {
    /**
     * Runs one round: handles notifications from the service, looks up charges and operations with
     * an unknown outcome, expires checkouts, and delivers webhooks.
     * @returns the number of processed items; if it is not 0, more may be due
     */
    async runOnce(): Promise<number> {
      let done = 0;
      for (const work of parts) done += await work();
      return done;
    },
    /** Starts the loop: a round every second, or immediately after `wake`. */
    start(): void {
      for (const loop of loops) loop.start();
    },
    /** Starts a round now, because something has changed. */
    wake(): void {
      for (const loop of loops) loop.wake();
    },
    /**
     * Stops, and resolves when the current work has ended. The remaining items stay due for the
     * next process.
     */
    async stop(): Promise<void> {
      ending.abort();
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** Repeats `work`: immediately while more is due or after `wake`, otherwise every second. */
function createLoop(
  work: () => Promise<number>,
  { clock, logger }: Pick<CompanionContext, 'clock' | 'logger'>,
) {
  let running: Promise<void> | undefined;
  let stopped = false;
  let woken = false;
  let wakeUp: () => void = () => undefined;

  async function rounds(): Promise<void> {
    while (!stopped) {
      woken = false;
      const done = await work().catch((error: unknown) => {
        logger.log('error', 'background-failed', describeError(error));
        return 0;
      });
      if (done === 0) await pause();
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      if (woken || stopped) {
        resolve();
        return;
      }
      const cancel = clock.after(PAUSE_MS, resolve);
      wakeUp = () => {
        cancel();
        resolve();
      };
    });
  }

  return {
    start(): void {
      running ??= rounds();
    },
    wake(): void {
      woken = true;
      wakeUp();
    },
    async stop(): Promise<void> {
      stopped = true;
      wakeUp();
      await running;
    },
  };
}
