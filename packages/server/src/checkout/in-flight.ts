import { describeError } from '../platform/logger.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import { findCheckout } from './checkout.ts';
import type { CheckoutContext } from './context.ts';

/** Work that continues after its request was answered. */
export interface InFlight {
  add(work: Promise<unknown>): void;
  /** Resolves when no work is in flight. */
  idle(): Promise<void>;
}

/** Creates an empty {@link InFlight}. */
export function createInFlight(): InFlight {
  const all = new Set<Promise<unknown>>();
  return {
    add(work) {
      const ended = work.then(
        () => undefined,
        () => undefined,
      );
      all.add(ended);
      void ended.then(() => all.delete(ended));
    },
    async idle() {
      while (all.size > 0) await Promise.all(all);
    },
  };
}

/**
 * Waits for the creation of a charge, but no longer than a page waits for an answer: a slow lender
 * takes a minute. After that it returns the `confirming` checkout, the creation continues, and the
 * page polls.
 */
export async function respondInTime(
  ctx: CheckoutContext,
  checkoutId: string,
  creation: Promise<CheckoutRow>,
): Promise<CheckoutRow> {
  ctx.inFlight.add(creation);
  let cancel: () => void = () => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = ctx.clock.after(ctx.timing.responseMs, () => resolve(undefined));
  });
  const ended = await Promise.race([creation, late]).finally(() => cancel());
  if (ended !== undefined) return ended;
  creation.catch((error: unknown) => {
    // The request has been answered, so only the log reports the failure.
    const isKnown = error instanceof ProblemError;
    ctx.logger.log(isKnown ? 'warn' : 'error', 'charge-not-created', {
      checkoutId,
      ...(isKnown ? { code: error.code } : describeError(error)),
    });
  });
  return findCheckout(ctx, checkoutId);
}
