import { attendDueOperations } from './charges/lookup.ts';
import { attendDueCheckouts } from './checkout/attention.ts';
import type { Clock } from './platform/clock.ts';
import { handleDueNotifications } from './notifications/handle.ts';
import { type CompanionOptions, resolveOptions } from './options.ts';
import { describeError } from './platform/logger.ts';
import { fetchTransport } from './service/transport.ts';
import { retention } from './store/retention.ts';
import { deliverDue } from './webhook/delivery.ts';

/** What a companion does without being asked. */
export interface BackgroundWork {
  /**
   * One round: acts on notifications of the service, looks up charges and operations whose outcome is
   * unknown, expires checkouts, tells the shop.
   * @returns how much there was to do; more may be due when it is not 0
   */
  runOnce: () => Promise<number>;
  /** Rounds until it is stopped: at once when woken, otherwise every second. */
  start: () => void;
  /** Something changed: begin a round now. */
  wake: () => void;
  /** Resolves when what is under way has ended. What else was due is left to whoever comes next. */
  stop: () => Promise<void>;
}

const BATCH = 50;
const PAUSE_MS = 1_000;
const PRUNE_EVERY_MS = 3_600_000;
const PRUNE_BATCH = 500;

/**
 * The background side of the companion. Run it once or in every replica: what is due is claimed in
 * the store, so two do not do the same.
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
  // Each on its own: while the service is slow to say what became of a charge, the shop still hears
  // of the others.
  const parts = [
    () => handleDueNotifications(ctx, BATCH, signal),
    () => attendDueOperations(ctx, BATCH, signal),
    () => attendDueCheckouts(ctx, BATCH, signal),
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

/** Does `work` again and again: at once while there is more, or when woken, else every second. */
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
