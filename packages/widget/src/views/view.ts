import type { TemplateResult } from 'lit';
import type { Step } from '../checkout/attempt.ts';
import type { CheckoutResult, Money } from '../outcome.ts';
import type { Spoken, Texts } from '../texts/texts.ts';

/** What is on show: nothing going on, an attempt on its way, or how one ended. */
export type Phase = 'idle' | 'ended' | Step;

/** How one ended, and whether for want of a network. */
export interface Ended extends CheckoutResult {
  readonly offline?: boolean | undefined;
}

/** Everything the templates draw from. */
export interface View {
  readonly phase: Phase;
  readonly result: Ended | undefined;
  readonly amount: Money | undefined;
  /** There is a checkout of before a reload to go on with. */
  readonly resumable: boolean;
  /** The order ticket is too old: only a new page brings another one. */
  readonly stale: boolean;
  readonly offline: boolean;
  /** The order ticket as the page has it now. */
  readonly order: string;
  /** With `changed`: what the order costs now. */
  readonly current: Money | undefined;
  /** The shop can bring back the order that was approved. */
  readonly keepable: boolean;
  /** There is a window to show. */
  readonly recallable: boolean;
  /** There is another way to show the lender's page. */
  readonly further: boolean;
  readonly texts: Spoken;
}

/** The same, with every word there is. */
export type WholeView = View & { readonly texts: Texts };

/** What the shopper is told in place, in words. */
export interface Told {
  /** For style sheets. */
  readonly name: string;
  readonly picture?: TemplateResult;
  readonly title: string;
  readonly text: string;
  /** The label of the button that goes on from here; none where there is nothing to press. */
  readonly action?:
    'startAgain' | 'tryAgain' | 'reload' | 'checkNow' | 'label' | 'showWindow' | undefined;
  /** Label of a second, quieter button. */
  readonly second?: string | undefined;
  /** Whether the shopper may be shown other ways to pay. */
  readonly others: boolean;
}

/** Phases that are seen in the dialog; the others are seen in place. */
export function isInDialog(phase: Phase): boolean {
  return ['opening', 'loading', 'slow', 'shown', 'silent'].includes(phase);
}
