import type { TemplateResult } from 'lit';
import type { Money } from '../model/outcome.ts';
import type { Ended, Phase } from '../model/phase.ts';
import type { Spoken, Texts } from '../texts/texts.ts';

/** Everything that the templates render. */
export interface View<Result = Ended> {
  readonly phase: Phase;
  readonly result: Result | undefined;
  readonly amount: Money | undefined;
  /** Whether a checkout from before a reload can be continued. */
  readonly resumable: boolean;
  /** Whether the order ticket has expired. Only reloading the page provides a new ticket. */
  readonly stale: boolean;
  readonly offline: boolean;
  /** The element's current order ticket. */
  readonly order: string;
  /** Set from step `changed` on. */
  readonly change:
    | {
        /** The order's current price. */
        readonly current: Money | undefined;
        /** Whether the shop can restore the approved order. */
        readonly isKeepable: boolean;
        /** Keeps the approved order. */
        keep(): Promise<void>;
      }
    | undefined;
  /** The presentation in progress. */
  readonly session:
    | {
        /** Whether the checkout is in a window that can be brought to the front. */
        readonly isFocusable: boolean;
        /** Whether another presentation can still be tried. */
        readonly hasNext: boolean;
        reload(): void;
        next(): void;
      }
    | undefined;
  /** The link for another device. */
  readonly phone: { notice(texts: Texts): Notice } | undefined;
  /** Whether the shopper may choose another device now. */
  readonly offersPhone: boolean;
  readonly texts: Spoken;
}

/** A view whose texts are complete. */
export type WholeView<Result = Ended> = View<Result> & { readonly texts: Texts };

/** The notice in the page, with its texts and buttons. */
export interface Notice {
  /** CSS class. */
  readonly name: string;
  readonly picture?: TemplateResult;
  readonly title: string;
  readonly text: string;
  /** Rendered below the text. */
  readonly body?: TemplateResult;
  /** Text of the primary button; absent if there is nothing to press. */
  readonly action?:
    | 'startAgain'
    | 'tryAgain'
    | 'reload'
    | 'checkNow'
    | 'label'
    | 'resume'
    | 'showWindow'
    | undefined;
  /** Label of the secondary button. */
  readonly second?: string | undefined;
  /** Whether other ways to pay are shown. */
  readonly others: boolean;
}

/** Returns whether a phase is shown in the dialog; other phases are shown in the page. */
export function isInDialog(phase: Phase): boolean {
  return ['opening', 'loading', 'slow', 'shown', 'silent'].includes(phase);
}

/** Returns whether the shopper is in a separate window or on another device, and can come back. */
export function isElsewhere(phase: Phase): boolean {
  return phase === 'away' || phase === 'phone';
}
