import { pollDueOperations } from './charges/lookup.ts';
import { pollDueCheckouts, pollDueLinks } from './checkout/poller.ts';
import type { Clock } from '@financing-checkout/kit';
import { handleDueNotifications } from './notifications/handle.ts';
import { type CompanionOptions, resolveOptions } from './options.ts';
import { describeError } from './platform/logger.ts';
import { fetchTransport } from './service/transport.ts';
import { retention } from './store/retention.ts';
import { deliverDue } from './webhook/delivery.ts';

/** The companion's work between requests. */
export interface BackgroundWork {
  /**
   * Runs one round: handles notifications of the service, looks up charges and operations with an
   * unknown outcome, expires checkouts, delivers webhooks.
   * @returns the number of items; if it is not 0, more may be due
   */
  runOnce: () => Promise<number>;
  /** Starts rounds: every second, or at once after `wake`. */
  start: () => void;
  /** Begins a round now, because something has changed. */
  wake: () => void;
  /** Stops, and resolves when the current work has ended. The rest stays due for the next process. */
  stop: () => Promise<void>;
}

const BATCH = 50;
const PAUSE_MS = 1_000;
const PRUNE_EVERY_MS = 3_600_000;
const PRUNE_BATCH = 500;

/**
 * Creates the background work of a companion. Run it in one replica or in all: each item is claimed in
 * the store, so no two replicas process the same item.
 */
export function createBackgroundWork(options: CompanionOptions): BackgroundWork {
  const ctx = resolveOptions(options);
  const { webhook, random = Math.random } = options;
  const delivery = webhook && {
    environment: ctx.environment,
    store: ctx.store,
    target: webhook,
    transport: options.webhookTransport ?? fetchTransport,
    clock: ctx.clock,
    logger: ctx.logger,
    random,
  };
  let nextPrune = 0;
  const ending = new AbortController();
  const { signal } = ending;
  // Separate loops: while the service is slow to answer about one charge, webhooks still go out.
  const parts = [
    () => handleDueNotifications(ctx, BATCH, signal),
    () => pollDueOperations(ctx, BATCH, signal),
    () => pollDueCheckouts(ctx, BATCH, signal),
    () => pollDueLinks(ctx, BATCH, signal),
    ...(delivery ? [() => deliverDue(delivery, BATCH)] : []),
    prune,
  ];
  const loops = parts.map((work) =>
    createLoop(work, ctx.clock, (error) =>
      ctx.logger.log('error', 'background-failed', describeError(error)),
    ),
  );

  async function prune(): Promise<number> {
    const now = ctx.clock.now();
    if (now < nextPrune) return 0;
    const pruned = await ctx.store.prune(retention(now), PRUNE_BATCH);
    if (pruned === 0) nextPrune = now + PRUNE_EVERY_MS;
    return pruned;
  }

  return {
    async runOnce() {
      let done = 0;
      for (const work of parts) done += await work();
      return done;
    },
    start() {
      for (const loop of loops) loop.start();
    },
    wake() {
      for (const loop of loops) loop.wake();
    },
    async stop() {
      ending.abort();
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

interface Loop {
  start: () => void;
  wake: () => void;
  stop: () => Promise<void>;
}

/** Repeats `work`: at once while there is more or after `wake`, else every second. */
function createLoop(
  work: () => Promise<number>,
  clock: Clock,
  onError: (error: unknown) => void,
): Loop {
  let running: Promise<void> | undefined;
  let stopped = false;
  let woken = false;
  let wakeUp: () => void = () => undefined;

  async function rounds(): Promise<void> {
    while (!stopped) {
      woken = false;
      const done = await work().catch((error: unknown) => {
        onError(error);
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
    start() {
      running ??= rounds();
    },
    wake() {
      woken = true;
      wakeUp();
    },
    async stop() {
      stopped = true;
      wakeUp();
      await running;
    },
  };
}
