import type { Step } from '../checkout/attempt.ts';
import type { CheckoutResult, Money } from '../outcome.ts';
import type { Texts } from '../texts/texts.ts';

/** What is on show: nothing going on, an attempt on its way, or how one ended. */
export type Phase = 'idle' | 'ended' | Step;

/** Everything the templates draw from. */
export interface View {
  readonly phase: Phase;
  readonly result: CheckoutResult | undefined;
  readonly amount: Money | undefined;
  /** There is a checkout of before a reload to go on with. */
  readonly resumable: boolean;
  /** The order ticket is too old: only a new page brings another one. */
  readonly stale: boolean;
  readonly offline: boolean;
  readonly texts: Texts;
}

/** Phases that are seen in the dialog; the others are seen in place. */
export function isInDialog(phase: Phase): boolean {
  return phase === 'opening' || phase === 'loading' || phase === 'slow' || phase === 'shown';
}

/** What the shopper is told in place, as the name of its two texts, and by which picture. */
export interface Notice {
  readonly name:
    | 'approved'
    | 'pending'
    | 'declined'
    | 'cancelled'
    | 'confirming'
    | 'expired'
    | 'stale'
    | 'unavailable'
    | 'offline'
    | 'checking'
    | 'failed';
  /** The label of the button that goes on from here; none where there is nothing to press. */
  readonly action?: 'startAgain' | 'tryAgain' | 'reload' | 'checkNow' | 'label';
  /** Whether the shopper may be shown other ways to pay. */
  readonly others: boolean;
}

/** @returns undefined where there is nothing to tell. */
export function noticeOf({ phase, result, stale, offline }: View): Notice | undefined {
  if (phase === 'confirming') return { name: phase, others: false };
  if (phase === 'checking') return { name: phase, action: 'checkNow', others: false };
  if (phase !== 'ended' || !result) return undefined;
  const { outcome: name } = result;
  switch (name) {
    case 'approved':
    case 'pending':
      return { name, others: false };
    case 'cancelled':
      return { name, action: 'label', others: true };
    case 'expired':
      return stale
        ? { name: 'stale', action: 'reload', others: true }
        : { name, action: 'startAgain', others: true };
    case 'unavailable':
      if (!result.retrySafe) return { name: 'checking', action: 'checkNow', others: false };
      return { name: offline ? 'offline' : name, action: 'tryAgain', others: true };
    case 'declined':
    case 'failed':
      return { name, others: true };
  }
}
