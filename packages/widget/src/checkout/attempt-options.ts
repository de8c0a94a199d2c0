import type { Attributes } from '../companion/configuration.ts';
import type { CheckoutResult, Money } from '../model/outcome.ts';
import type { Step } from '../model/phase.ts';
import type { Returned } from '../companion/return-fragment.ts';
import type { SessionOptions } from '../presentations/session.ts';

/** What an attempt needs from the element's controller. */
export interface AttemptOptions extends SessionOptions {
  /** Its attributes are read each time they are needed. */
  readonly element: HTMLElement & Attributes;
  readonly locale: string;
  /** The parameters of a redirect that this attempt continues. */
  readonly returned: Returned | undefined;
  /**
   * `link`: the shopper continues on another device; `follow`: has done so, or has confirmed an offer,
   * before a reload.
   */
  readonly via: 'link' | 'follow' | undefined;
  readonly onStep: (step: Step, amount: Money | undefined) => void;
  /** Called once, with step `checking`: it is unknown whether a charge exists. */
  readonly onUnknown: (result: CheckoutResult) => void;
  /** Reports to the developer of the page. */
  readonly onError: (error: { code: string; message: string }) => void;
}
