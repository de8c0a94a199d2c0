import { ProblemError } from '../platform/problem.ts';
import { describeError } from '../platform/logger.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

/** Work that goes on after the request that began it was answered. */
export interface UnderWay {
  add(work: Promise<unknown>): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** Creates an {@link UnderWay} with nothing in it. */
export function createUnderWay(): UnderWay {
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
 * Waits for the creation of a charge, and no longer than a page waits for an answer: a slow lender
 * takes a minute. After that it returns the checkout as it is, `confirming`, and the creation goes
 * on; the page asks again.
 */
export async function answerInTime(
  ctx: CheckoutContext,
  checkoutId: string,
  creation: Promise<CheckoutRow>,
): Promise<CheckoutRow> {
  ctx.underWay.add(creation);
  let cancel: () => void = () => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = ctx.clock.after(ctx.waits.answerMs, () => resolve(undefined));
  });
  const ended = await Promise.race([creation, late]).finally(() => cancel());
  if (ended !== undefined) return ended;
  creation.catch((error: unknown) => {
    // The request was answered, so the log alone hears of it.
    const isKnown = error instanceof ProblemError;
    ctx.logger.log(isKnown ? 'warn' : 'error', 'charge-not-created', {
      checkoutId,
      ...(isKnown ? { code: error.code } : describeError(error)),
    });
  });
  const current = await ctx.store.findCheckout(checkoutId);
  if (current === undefined) throw new ProblemError('checkout-not-found');
  return current;
}
