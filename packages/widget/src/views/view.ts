import type { TemplateResult } from 'lit';
import type { Money } from '../model/outcome.ts';
import type { Ended, Phase } from '../model/phase.ts';
import type { Spoken, Texts } from '../texts/texts.ts';

/** Everything the templates render. */
export interface View<Result = Ended> {
  readonly phase: Phase;
  readonly result: Result | undefined;
  readonly amount: Money | undefined;
  /** Whether a checkout from before a reload can be continued. */
  readonly resumable: boolean;
  /** Whether the order ticket has expired: only a reload of the page brings a new one. */
  readonly stale: boolean;
  readonly offline: boolean;
  /** The order ticket that the element has now. */
  readonly order: string;
  /** Set from `changed` on. */
  readonly change:
    | {
        /** The current price of the order. */
        readonly current: Money | undefined;
        /** Whether the shop can restore the approved order. */
        readonly isKeepable: boolean;
      }
    | undefined;
  /** The presentation in progress. */
  readonly session:
    | {
        /** Whether the checkout is in a window that can be brought to the front. */
        readonly isFocusable: boolean;
        /** Whether another presentation is left to try. */
        readonly hasNext: boolean;
        reload(): void;
        next(): void;
      }
    | undefined;
  /** The address for another device. */
  readonly phone: { notice(texts: Texts): Notice } | undefined;
  /** Whether the shopper may choose another device now. */
  readonly offersPhone: boolean;
  readonly texts: Spoken;
}

/** A view whose texts are complete. */
export type WholeView<Result = Ended> = View<Result> & { readonly texts: Texts };

/** The notice in the page: its texts and its buttons. */
export interface Notice {
  /** CSS class. */
  readonly name: string;
  readonly picture?: TemplateResult;
  readonly title: string;
  readonly text: string;
  /** Rendered below the text. */
  readonly body?: TemplateResult;
  /** Text of the main button; absent where there is nothing to press. */
  readonly action?:
    | 'startAgain'
    | 'tryAgain'
    | 'reload'
    | 'checkNow'
    | 'label'
    | 'resume'
    | 'showWindow'
    | undefined;
  /** Label of the second, quieter button. */
  readonly second?: string | undefined;
  /** Whether other ways to pay are shown. */
  readonly others: boolean;
}

/** Returns whether a phase is shown in the dialog; the others are shown in the page. */
export function isInDialog(phase: Phase): boolean {
  return ['opening', 'loading', 'slow', 'shown', 'silent'].includes(phase);
}

/** Returns whether the shopper is in a window of its own or on another device, and can come back. */
export function isElsewhere(phase: Phase): boolean {
  return phase === 'away' || phase === 'phone';
}
