import type { Checkout } from '../companion/answer.ts';
import type { Attributes, Configuration } from '../companion/configuration.ts';
import type { EndReason } from '../model/outcome.ts';

/** The end of a presentation: the shopper confirmed an offer, or there is none. */
export type End =
  | {
      readonly type: 'confirmed';
      readonly confirmationToken: string;
      /** Settles when the lender’s page closes, where it stays open after the confirmation. */
      readonly closed?: Promise<unknown>;
    }
  | {
      readonly type: 'ended';
      /** `unavailable`: the shopper confirmed nothing and may try again. */
      readonly reason: EndReason | 'unavailable';
      /** Whether the reason stands where the companion only knows that the shopper left. */
      readonly firm?: boolean;
    };

/** The end of a presentation as reported by itself, by the companion or by the shop. */
export type Ending =
  | End
  | { readonly type: 'settled'; readonly checkout: Checkout }
  /** The shop signed another order while the lender’s page was open. */
  | { readonly type: 'updated'; readonly order: string };

/** A hosted checkout that the shopper sees, in any presentation. */
export interface Shown {
  /** Settles once; rejects when the signal is aborted, and with BlockedError. */
  readonly end: Promise<Ending>;
  /** Whether it lives outside the element: a token arrives even if the element is removed. */
  readonly detached?: boolean;
  /** Asks the page to end as cancelled. It may not answer. */
  askToClose?: (() => void) | undefined;
  /** Loads the page again after it did not arrive. */
  reload?(): void;
  /** Brings the window to the front. */
  focus?(): void;
  /** Called after the signal is aborted. */
  remove?(): void;
}

/** What every presentation needs. */
export interface Stage {
  readonly sessionToken: string;
  /** Aborted when the presentation is over, or the element is removed. */
  readonly signal: AbortSignal;
  /** The frame can be used. */
  readonly onReady: (frame: HTMLElement) => void;
  /** A page loaded in the frame without sending `ready`. It may still send it. */
  readonly onSilent: () => void;
  /** Call it before the service's script shows its own modal: resolves once the element's is closed. */
  readonly onModal: () => Promise<void>;
}

/** What the service’s SDK needs in addition. */
export interface SdkContext {
  /** Its `order` receives a new ticket; it fires the SDK’s events. */
  readonly element: HTMLElement & Attributes;
  readonly configuration: Pick<
    Configuration,
    /** The order is the ticket that the checkout was primed with. */
    'publicKey' | 'order' | 'companion' | 'environment'
  >;
  /** Reports to the developer of the page. */
  readonly onError: (error: { code: string; message: string }) => void;
}

/** The browser or the page blocks a presentation; the next one is tried. */
export class BlockedError extends Error {
  /** Set where the developer of the page can fix it. */
  declare readonly code: string | undefined;

  constructor(code?: string, message?: string) {
    super(message);
    this.code = code;
  }
}

/** Loads a file that only some shoppers need. @throws {BlockedError} when it does not load */
export function loadFile<T>(coming: Promise<T>): Promise<T> {
  return coming.catch(() => {
    throw new BlockedError('script-unreachable', 'A file did not load.');
  });
}
