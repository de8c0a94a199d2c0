import type { Checkout } from '../checkout/answer.ts';
import type { Attributes, Configuration } from '../checkout/configuration.ts';
import type { EndReason } from './frame.ts';

/** How a presentation ended: the shopper confirmed an offer, or it is over without one. */
export type End =
  | {
      readonly type: 'confirmed';
      readonly confirmationToken: string;
      /** Settles once the lender’s page is gone, where it stays after the confirmation. */
      readonly closed?: Promise<unknown>;
    }
  | {
      readonly type: 'ended';
      /** `unavailable`: nothing was confirmed, and the shopper may try again. */
      readonly reason: EndReason | 'unavailable';
      /** Whether the reason holds where the companion only knows that the shopper left. */
      readonly firm?: boolean;
    };

/** How a presentation ended, by its own word, the companion’s, or the shop’s. */
export type Ending =
  | End
  | { readonly type: 'settled'; readonly checkout: Checkout }
  /** The shop signed another order while the lender’s page was open. */
  | { readonly type: 'updated'; readonly order: string };

/** A hosted checkout on show, whatever shows it. */
export interface Shown {
  /** Settles once; rejects when the signal is aborted, and with BlockedError. */
  readonly end: Promise<Ending>;
  /** It is not in the element: that can be moved or removed, and a token still arrives. */
  readonly held?: boolean;
  /** Asks it to end as cancelled, where it can be asked. It may not answer. */
  askToClose?(): void;
  /** Loads it again, where it is waited for and nothing came. */
  reload?(): void;
  /** Brings it to the shopper again, where it can get lost. */
  recall?(): void;
  /** Called after the signal is aborted. */
  remove?(): void;
}

/** What every presentation needs. */
export interface Stage {
  readonly sessionToken: string;
  /** Aborted when it is over, or the element goes away. */
  readonly signal: AbortSignal;
  /** The frame can be used. */
  readonly onReady: (frame: HTMLElement) => void;
  /** A page has come into the frame that has not said that it can be used. It may yet. */
  readonly onSilent: () => void;
}

/** What the service’s SDK needs besides. */
export interface SdkSurroundings {
  /** Its `order` becomes the ticket of now; its events say what happens. */
  readonly element: HTMLElement & Attributes;
  readonly configuration: Pick<
    Configuration,
    /** The order is the ticket that the checkout was primed with. */
    'publicKey' | 'order'
  >;
  /** For the developer of the page. */
  readonly onError: (error: { code: string; message: string }) => void;
}

/** A presentation that this browser, or this page, does not let through: the next one is tried. */
export class BlockedError extends Error {
  /** For the developer of the page, where it is for them to mend. */
  declare readonly code: string | undefined;

  constructor(code?: string, message?: string) {
    super(message);
    this.code = code;
  }
}

/** @returns a promise that rejects with the signal's reason, once that is aborted. */
export function aborted(signal: AbortSignal, until = new AbortController().signal): Promise<never> {
  return new Promise((_, reject) => {
    const tell = () => reject(signal.reason as Error);
    if (signal.aborted) tell();
    signal.addEventListener('abort', tell, { signal: until });
  });
}
