import { attendDueCheckouts } from './checkout/attention.ts';
import { type CompanionOptions, resolveOptions } from './options.ts';
import { describeError } from './observe/logger.ts';
import { fetchTransport } from './service/transport.ts';
import { deliverDue } from './webhook/delivery.ts';

/** What a companion does without being asked. */
export interface BackgroundWork {
  /**
   * One round: looks up charges whose outcome is unknown, expires checkouts, tells the shop.
   * @returns how much there was to do; more may be due when it is not 0
   */
  runOnce: () => Promise<number>;
  /** Rounds until it is stopped: at once when woken, otherwise every second. */
  start: () => void;
  /** Something changed: begin a round now. */
  wake: () => void;
  /** Resolves when the round under way has ended. */
  stop: () => Promise<void>;
}

const BATCH = 50;
const PAUSE_MS = 1_000;

/**
 * The background side of the companion. Run it once or in every replica: what is due is claimed in
 * the store, so two do not do the same.
 */
export function createBackgroundWork(options: CompanionOptions): BackgroundWork {
  const ctx = resolveOptions(options);
  const { webhook, random = Math.random } = options;
  const delivery = webhook && {
    store: ctx.store,
    target: webhook,
    transport: options.webhookTransport ?? fetchTransport,
    clock: ctx.clock,
    logger: ctx.logger,
    random,
  };
  let running: Promise<void> | undefined;
  let stopped = false;
  let woken = false;
  let wakeUp: () => void = () => undefined;

  async function runOnce(): Promise<number> {
    const attended = await attendDueCheckouts(ctx, BATCH);
    return attended + (delivery ? await deliverDue(delivery, BATCH) : 0);
  }

  async function rounds(): Promise<void> {
    while (!stopped) {
      woken = false;
      const done = await runOnce().catch((error: unknown) => {
        ctx.logger.log('error', 'background-failed', describeError(error));
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
      const cancel = ctx.clock.after(PAUSE_MS, resolve);
      wakeUp = () => {
        cancel();
        resolve();
      };
    });
  }

  return {
    runOnce,
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
