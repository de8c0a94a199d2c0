import type { Memory } from '../companion/memory.ts';
import type { Returned } from '../companion/return-fragment.ts';
import type { Money } from '../model/outcome.ts';
import type { Phase, Step } from '../model/phase.ts';
import type { SessionOptions } from '../presentations/session.ts';
import type { Notice, View, WholeView } from '../views/view.ts';

/** What the controller reads of a result. */
export interface FlowResult {
  readonly amount?: Money | undefined;
  readonly retrySafe?: boolean | undefined;
}

/** What the controller reads of the element. */
export interface FlowHost extends HTMLElement {
  readonly order?: string | null | undefined;
  readonly presentation?: string | null | undefined;
}

/** What an attempt needs from the element's controller. */
export interface FlowOptions<Host = FlowHost> extends SessionOptions {
  /** Its attributes are read each time they are needed. */
  readonly element: Host;
  readonly locale: string;
  /** The parameters of a redirect that this attempt continues. */
  readonly returned: Returned | undefined;
  /**
   * `link`: the shopper continues on another device; `follow`: has done so, or has confirmed an offer,
   * before a reload.
   */
  readonly via: 'link' | 'follow' | undefined;
  readonly onStep: (step: Step, amount?: Money) => void;
  /** Called once, with step `checking`: it is unknown whether a charge exists. */
  readonly onUnknown: (result: FlowResult) => void;
}

/** One attempt of one shopper, from the click to a result. Runs once. */
export interface FlowAttempt<Result> extends Partial<Pick<View, 'change' | 'phone'>> {
  readonly session: (View['session'] & { focus(): void }) | undefined;
  /** Whether it continues without the element: only it can receive the SDK's confirmation token. */
  readonly detached: boolean | undefined;
  /** @returns undefined when there is nothing to show without the shopper's act */
  run(): Promise<Result | undefined>;
  /** After `changed`: starts again with the current order. */
  startAgain?(leaving: AbortSignal): void;
  /** After `changed`: keeps the approved order. */
  keep?(): Promise<void>;
  /** Polls the companion now instead of after the wait. */
  pollNow?(): void;
}

/** The code that loads on the first click. */
export interface FlowModule<Result> {
  readonly ConfigurationError: new (...values: never[]) => Error & { readonly code: string };
  /** Adopts the styles of what an attempt shows. */
  adoptAttemptStyles(root: ShadowRoot): void;
  /** Names of texts that a shop cannot change. */
  readonly locked: readonly string[];
  prepare(options: FlowOptions): Promise<FlowAttempt<Result>>;
  noticeFor(view: WholeView<Result>): Notice | undefined;
  formatMoney?(amount: Money, locale: string): string;
  /** Returns what a result is for: with another subject it no longer applies. */
  subjectOf?(element: FlowHost, isStale: boolean): string;
}

/** What a checkout and an application without a cart do differently. */
export interface Flow<Result> {
  /** Type of the event with the result. */
  readonly outcome: string;
  load(): Promise<FlowModule<Result>>;
  /** @returns undefined where the element has not enough attributes yet */
  memoryOf(element: FlowHost): Memory | undefined;
  /** Returns the phase in which a return from a redirect is looked up. */
  phaseOf(returned: Returned): Phase;
  eventOf(result: Result): Event;
  /**
   * Returns the result when there was no attempt, or it threw.
   * @param isMistake whether the page is set up wrong
   * @param id of what the element remembers, whose outcome stays unknown
   */
  failure(isMistake: boolean, id: string | undefined): Result;
}
