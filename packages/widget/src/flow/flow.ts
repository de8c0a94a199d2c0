import type { Memory } from '../companion/memory.ts';
import type { Returned } from '../companion/return-fragment.ts';
import type { Money } from '../model/outcome.ts';
import type { Phase, Step } from '../model/phase.ts';
import type { SessionOptions } from '../presentations/session.ts';
import type { adoptAttemptStyles } from '../views/attempt-styles.ts';
import type { dialogView } from '../views/dialog.ts';
import type { Modal } from '../views/modal.ts';
import type { Notice, View, WholeView } from '../views/view.ts';

/** The members of a result that the controller reads. */
export interface FlowResult {
  readonly amount?: Money | undefined;
  readonly retrySafe?: boolean | undefined;
}

/** The members of the element that the controller reads. */
export interface FlowHost extends HTMLElement {
  readonly order?: string | null | undefined;
  readonly presentation?: string | null | undefined;
  /** Resolves when everything has been rendered. */
  readonly updateComplete: Promise<unknown>;
}

/** What an attempt needs from the element's controller. */
export interface FlowOptions<Host = FlowHost> extends SessionOptions {
  /** The element, whose attributes are read whenever they are needed. */
  readonly element: Host;
  readonly locale: string;
  /** The parameters of the redirect that this attempt continues. */
  readonly returned: Returned | undefined;
  /**
   * `link`: the shopper continues on another device. `follow`: the shopper did so, or confirmed an
   * offer, before a reload.
   */
  readonly via: 'link' | 'follow' | undefined;
  readonly onStep: (step: Step, amount?: Money) => void;
  /** Called once, in step `checking`, when it is unknown whether a charge exists. */
  readonly onUnknown: (result: FlowResult) => void;
}

/** A single attempt by one shopper, from the click to a result. Runs once. */
export interface FlowAttempt<Result> extends Partial<Pick<View, 'change' | 'phone'>> {
  readonly session: (View['session'] & { focus(): void }) | undefined;
  /**
   * Whether the attempt continues after the element is removed: nothing else can receive the SDK's
   * confirmation token.
   */
  readonly detached: boolean | undefined;
  /** @returns undefined if there is nothing to show until the shopper acts */
  run(): Promise<Result | undefined>;
  /** After `changed`: starts again with the current order. */
  startAgain?(leaving: AbortSignal): void;
  /** Polls the companion immediately rather than after the delay. */
  pollNow?(): void;
}

/** The code that loads on the first click. */
export interface FlowModule<Result> {
  readonly ConfigurationError: new (...values: never[]) => Error & { readonly code: string };
  readonly adoptAttemptStyles: typeof adoptAttemptStyles;
  readonly dialogView: typeof dialogView;
  readonly Modal: typeof Modal;
  /** Names of texts that a shop cannot change. */
  readonly locked: readonly string[];
  prepare(options: FlowOptions): Promise<FlowAttempt<Result>>;
  noticeFor(view: WholeView<Result>): Notice | undefined;
  formatMoney?(amount: Money, locale: string): string;
  /** Returns a result's subject. When the subject changes, the result no longer applies. */
  subjectOf?(element: FlowHost, isStale: boolean): string;
}

/** How a checkout and an application without a cart differ. */
export interface Flow<Result> {
  /** Type of the event that has the result. */
  readonly outcome: string;
  load(): Promise<FlowModule<Result>>;
  /** @returns undefined while the element lacks required attributes */
  memoryOf(element: FlowHost): Memory | undefined;
  /** Returns the phase in which a return from a redirect is looked up. */
  phaseOf(returned: Returned): Phase;
  eventOf(result: Result): Event;
  /**
   * Returns the result if there was no attempt, or if it threw.
   * @param isMistake whether the cause is a mistake in the page's setup
   * @param id ID of the remembered checkout or application, whose outcome remains unknown
   */
  failure(isMistake: boolean, id: string | undefined): Result;
}
