import type { CheckoutResult } from './outcome.ts';

/**
 * An attempt's current step:
 * - `opening`: the companion opens the checkout or finds an existing one.
 * - `loading`: the hosted page was requested; `slow`: the page is taking too long; `shown`: the
 *   page can be used; `silent`: another page replaced it in the frame and has not sent `ready`.
 * - `away`: the checkout is in its own window, or in the dialog of the service's SDK.
 * - `phone`: the shopper continues on another device; the page shows the link.
 * - `leaving`: the shopper left, or the hosted page ended; the companion looks up the outcome.
 * - `confirming`: the shopper confirmed an offer; the companion makes the charge.
 * - `changed`: the order differs from the approved one; the shopper must choose.
 * - `checking`: it is unknown whether a charge exists; the widget polls the companion.
 */
export type Step =
  | 'opening'
  | 'loading'
  | 'slow'
  | 'shown'
  | 'silent'
  | 'away'
  | 'phone'
  | 'leaving'
  | 'confirming'
  | 'changed'
  | 'checking';

/** What an element shows: its button, an attempt in progress, or an attempt's result. */
export type Phase = 'idle' | 'ended' | Step;

/** An attempt's result, and whether a lost network connection caused it. */
export interface Ended extends CheckoutResult {
  readonly offline?: boolean | undefined;
}
