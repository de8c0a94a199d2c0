import type { Checkout } from '../companion/answer.ts';
import type { Attributes, Configuration } from '../companion/configuration.ts';
import type { EndReason } from '../model/outcome.ts';

/** The end of a presentation: the shopper confirmed an offer, or there is no confirmation. */
export type End =
  | {
      readonly type: 'confirmed';
      readonly confirmationToken: string;
      /** Settles when the lender’s page closes, if the page stays open after the confirmation. */
      readonly closed?: Promise<unknown>;
    }
  | {
      readonly type: 'ended';
      /** `unavailable`: the shopper confirmed nothing and may try again. */
      readonly reason: EndReason | 'unavailable';
      /** Whether the reason takes precedence if the companion only knows that the shopper left. */
      readonly firm?: boolean;
    };

/** A presentation's end, as reported by the presentation, the companion or the shop. */
export type Ending =
  | End
  | { readonly type: 'settled'; readonly checkout: Checkout }
  /** The shop signed another order while the lender's page was open. */
  | { readonly type: 'updated'; readonly order: string };

/** A hosted checkout that the shopper sees, in any presentation. */
export interface Shown {
  /** Settles once. Rejects when the signal is aborted, or with a BlockedError. */
  readonly end: Promise<Ending>;
  /**
   * Whether the presentation lives outside the element, so that a token arrives even if the element
   * is removed.
   */
  readonly detached?: boolean;
  /** Asks the page to end as canceled. The page may not respond. */
  askToClose?: (() => void) | undefined;
  /** Reloads a page that did not arrive. */
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
  /** Called when the frame can be used. */
  readonly onReady: (frame: HTMLElement) => void;
  /** Called when a page has loaded in the frame without sending `ready`. The page may still send it. */
  readonly onSilent: () => void;
  /**
   * Must be called before the service's script shows its own modal. Resolves once the element's
   * dialog is closed.
   */
  readonly onModal: () => Promise<void>;
}

/** What the service's SDK needs in addition. */
export interface SdkContext {
  /** The element whose `order` receives a new ticket and that fires the SDK's events. */
  readonly element: HTMLElement & Attributes;
  readonly configuration: Pick<
    Configuration,
    /** `order` is the ticket with which the checkout was primed. */
    'publicKey' | 'order' | 'companion' | 'environment'
  >;
  /** Reports a problem to the page's developer. */
  readonly onError: (error: { code: string; message: string }) => void;
}

/** Thrown when the browser or the page blocks a presentation, so that the next one is tried. */
export class BlockedError extends Error {
  /** Set if the page's developer can fix the problem. */
  declare readonly code: string | undefined;

  constructor(code?: string, message?: string) {
    super(message);
    this.code = code;
  }
}

/** Loads a file that only some shoppers need. @throws {BlockedError} if it does not load */
export function loadFile<T>(coming: Promise<T>): Promise<T> {
  return coming.catch(() => {
    throw new BlockedError('script-unreachable', 'A file did not load.');
  });
}
