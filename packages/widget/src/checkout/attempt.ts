import type { Checkout } from '../companion/answer.ts';
import { Companion, CompanionError } from '../companion/companion.ts';
import { ConfigurationError, configure, settingsOf } from '../companion/configuration.ts';
import type { Attributes, Configuration, Settings } from '../companion/configuration.ts';
import type { Memory } from '../companion/memory.ts';
import { FinancingConfirmEvent } from '../events/confirm-event.ts';
import type { FlowAttempt, FlowModule, FlowOptions } from '../flow/flow.ts';
import type { Ended, Step } from '../model/phase.ts';
import { aborted } from '../platform/abort.ts';
import { isOpenElsewhere } from '../platform/tabs.ts';
import type { PhoneLink } from '../presentations/phone.ts';
import { BlockedError, loadFile } from '../presentations/presentation.ts';
import type { Ending } from '../presentations/presentation.ts';
import { endOf } from '../presentations/return.ts';
import type { PresentationSession } from '../presentations/session.ts';
import type { Simulation } from '../simulation/simulation.ts';
import { locked } from '../texts/locked.ts';
import { formatMoney } from '../texts/money.ts';
import { adoptAttemptStyles } from '../views/attempt-styles.ts';
import { dialogView } from '../views/dialog.ts';
import { Modal } from '../views/modal.ts';
import { noticeFor } from '../views/notice.ts';
import { currentTicket, memoryOf, primeCheckout } from './opening.ts';
import type { OrderChange } from './order-change.ts';
import { Poller } from './poller.ts';
import { showCheckout } from './showing.ts';
import { isChargedElsewhere, outcomeOf, resultOf, unknownResult } from './result.ts';
import { subjectOf } from './subject.ts';

// The doctor imports these from here, so that shoppers still load a single file.
export { Companion, CompanionError } from '../companion/companion.ts';
export { ConfigurationError, configure, settingsOf } from '../companion/configuration.ts';
export { readTicket } from '../companion/ticket.ts';
export { formatMoney } from '../texts/money.ts';

type AttemptOptions = FlowOptions<HTMLElement & Attributes>;

/** @throws {ConfigurationError} */
async function prepare(options: AttemptOptions): Promise<Attempt> {
  const { element, locale } = options;
  const { scenario } = element;
  const settings = settingsOf(element, locale);
  if (!scenario) return new Attempt(options, settings, undefined);
  // Loaded only by tests and component catalogs, never for a shopper.
  const { simulate, simulatedSettings } = await import('../simulation/simulation.ts');
  const complete = simulatedSettings(settings);
  return new Attempt(options, complete, simulate(scenario, complete));
}

/** Loads code that an uninterrupted checkout never needs. */
const loadDetours = () => import('./detours.ts');

/** A single attempt by one shopper, from the click to an outcome. Runs once. */
class Attempt implements FlowAttempt<Ended> {
  readonly #options: AttemptOptions;
  readonly #life: AbortSignal;
  #leaving: AbortSignal;
  readonly #wake = new EventTarget();
  readonly #settings: Settings;
  readonly #simulation: Simulation | undefined;
  #configuration: Configuration;
  readonly #companion: Companion;
  #memory: Memory;
  readonly #poller: Poller;
  #step: Step = 'opening';
  #via: AttemptOptions['via'];
  /** The presentation in progress, and the link for another device. Only `showing.ts` sets them. */
  declare session: PresentationSession | undefined;
  declare phone: PhoneLink | undefined;
  /** Set from step `changed` on, only by this class. */
  declare change: OrderChange | undefined;
  /**
   * Whether the attempt continues after the element is removed: nothing else can receive the SDK's
   * confirmation token.
   */
  declare detached: boolean | undefined;
  /** The companion's latest response. */
  #seen: Checkout | undefined;

  /** @throws {ConfigurationError} */
  constructor(options: AttemptOptions, settings: Settings, simulation: Simulation | undefined) {
    this.#options = options;
    this.#life = options.life;
    this.#leaving = options.leaving;
    this.#via = options.via;
    this.#settings = settings;
    this.#simulation = simulation;
    this.#configuration = configure(settings);
    const { complaint } = this.#configuration;
    if (complaint) options.onError(complaint);
    this.#companion = new Companion(this.#configuration, simulation?.fetch);
    this.#memory = memoryOf(this.#configuration);
    this.#poller = new Poller({
      companion: this.#companion,
      life: this.#life,
      wake: this.#wake,
      onSeen: (checkout) => {
        this.#seen = checkout;
        const { status } = checkout;
        this.phone?.update(checkout);
        if (status === 'confirming' && this.#step !== status && this.#step !== 'checking') {
          this.#enter(status);
        }
      },
      onUnknown: (checkoutId) => this.#reportUnknown(checkoutId),
      onError: options.onError,
    });
  }

  /**
   * @returns the result; undefined if the checkout turns out to be open or gone before the shopper
   * has acted, so that they can still continue
   * @throws {ConfigurationError}
   * @throws the abort reason when `life` is aborted
   */
  async run(): Promise<Ended | undefined> {
    let checkout: Checkout | undefined;
    try {
      checkout = await this.#complete();
    } catch (error) {
      this.#life.throwIfAborted();
      if (this.#leaving.aborted && error === this.#leaving.reason) {
        return { outcome: 'cancelled' };
      }
      if (error instanceof BlockedError) {
        const { code, message } = error;
        if (code) this.#options.onError({ code, message });
        // Nothing was shown, so nothing was confirmed; the open checkout can be continued.
        return { outcome: 'unavailable', checkoutId: this.#seen?.id, retrySafe: true };
      }
      if (!(error instanceof CompanionError)) throw error;
      this.#options.onError(error);
      // The charge belongs to a different checkout than the remembered one.
      if (isChargedElsewhere(error.code)) this.#memory.forget();
      const checkoutId = this.#memory.recall()?.id;
      return { ...outcomeOf(error), checkoutId, offline: this.#simulation?.offline };
    }
    const result = checkout && resultOf(checkout);
    if (!result) return undefined;
    // An actual or possible charge stays remembered, because a reload must not invite the shopper
    // to pay twice.
    const { outcome } = result;
    const isFinanced = outcome === 'approved' || outcome === 'pending';
    if (isFinanced) return { ...result, restored: this.#remember(outcome) };
    this.#memory.forget();
    return result;
  }

  /** Polls the companion immediately rather than after the delay. */
  pollNow(): void {
    this.#wake.dispatchEvent(new Event('wake'));
  }

  /**
   * After `changed`: starts again with the current order.
   * @param leaving replaces the signal that was aborted if the shopper left while the confirmation
   *   arrived
   */
  startAgain(leaving: AbortSignal): void {
    this.#leaving = leaving;
    this.change?.startAgain();
  }

  #enter(step: Step, amount = this.#seen?.amount): void {
    this.#step = step;
    this.#options.onStep(step, amount);
  }

  /** @throws the reason of `leaving` when the shopper left before a checkout existed */
  async #complete(): Promise<Checkout | undefined> {
    const { returned } = this.#options;
    const { id, key } = this.#memory.recall() ?? {};
    this.#companion.key = key;
    let checkout: Checkout | undefined;
    if (returned && id) checkout = await this.#finish(id, endOf(returned.token, returned.reason));
    else if (id) {
      const { continueCheckout } = await loadDetours();
      checkout = await continueCheckout(id, {
        ...this.#opening(),
        follows: this.#via === 'follow',
        onLeaving: () => this.#enter('leaving'),
      });
    } else checkout = await this.#prime();
    while (checkout) {
      this.#life.throwIfAborted();
      // The lookup found an open checkout while the shopper was seeing another notice, so they can
      // continue it.
      if (checkout.status !== 'open' || this.#step !== 'opening') return checkout;
      if (this.#leaving.aborted) {
        this.#enter('leaving');
        return this.#cancel(checkout.id, { ...checkout, status: 'cancelled' });
      }
      const ending = await this.#show(checkout);
      if (!ending) {
        // Last resort: another device.
        this.#via = 'link';
        this.#enter('opening');
        if (this.#currentTicket) this.#readOrder();
        const { moveToPhone } = await loadFile(loadDetours());
        checkout = await moveToPhone(checkout, this.#opening());
        continue;
      }
      checkout = await this.#finish(checkout.id, ending, checkout);
    }
    return undefined;
  }

  /** Cancels a checkout. If the code for it does not load, the claim is used. */
  async #cancel(id: string, claim?: Checkout): Promise<Checkout> {
    const detours = await loadDetours().catch(() => undefined);
    return (
      detours?.cancelCheckout(id, this.#opening(), claim) ??
      claim ??
      this.#poller.follow(id, this.#life)
    );
  }

  #prime(): Promise<Checkout> {
    return primeCheckout(this.#opening());
  }

  #opening() {
    return {
      companion: this.#companion,
      memory: this.#memory,
      poller: this.#poller,
      order: this.#configuration.order,
      via: this.#via && ('link' as const),
      life: this.#life,
      leaving: this.#leaving,
      onError: this.#options.onError,
      isOpenElsewhere,
      prime: () => this.#prime(),
    };
  }

  /** @returns undefined if every presentation is blocked and another device has not been tried yet */
  async #show(checkout: Checkout): Promise<Ending | undefined> {
    this.#seen = checkout;
    try {
      return await showCheckout(checkout, this, {
        ...this.#options,
        leaving: this.#leaving,
        configuration: this.#configuration,
        memory: this.#memory,
        simulation: this.#simulation,
        poller: this.#poller,
        onStep: (step) => this.#enter(step),
      });
    } catch (error) {
      if (this.#via || !(error instanceof BlockedError)) throw error;
      return undefined;
    }
  }

  /** @returns an open checkout, at step `opening`, if the shopper chose to start again */
  async #finish(id: string, ending: Ending, opened?: Checkout): Promise<Checkout> {
    if (ending.type === 'settled') {
      this.#seen = ending.checkout;
      return this.#poller.settle(ending.checkout, this.#life);
    }
    if (ending.type === 'updated') return this.#reopen(id);
    if (ending.type === 'ended') {
      this.#enter('leaving');
      const { reason, firm = reason === 'failed' || reason === 'expired' } = ending;
      // The shopper left, so whatever reason the page gives after being asked to close does not count.
      const status = this.#leaving.aborted ? 'cancelled' : reason;
      const claim = { status, retrySafe: status === 'unavailable' || undefined };
      const ended = await this.#cancel(id, opened && { ...opened, ...claim });
      // The service cannot distinguish between a page that failed and one that the shopper left.
      return ended.status === 'cancelled' && firm ? { ...ended, ...claim } : ended;
    }
    const { confirmationToken, closed } = ending;
    let order = this.#currentTicket;
    this.#remember('confirming');
    this.#options.element.dispatchEvent(new FinancingConfirmEvent(id, this.#seen?.amount));
    for (;;) {
      this.#enter('confirming');
      try {
        const charged = await this.#poller.follow(id, this.#life, { confirmationToken, order });
        // The charge happens immediately; the result is shown after the lender's last page closes.
        await closed;
        return charged;
      } catch (error) {
        if (!(error instanceof CompanionError) || error.code !== 'order-changed') throw error;
        const { settleOrderChange } = await loadDetours();
        this.#life.throwIfAborted();
        const choice = settleOrderChange(error.amounts, this.#options, (change, approved) => {
          this.change = change;
          this.#enter('changed', approved);
        });
        order = await Promise.race([choice, aborted(this.#life)]);
        if (order === undefined) return this.#reopen(id);
      }
    }
  }

  /** Cancels the approved, uncharged checkout and opens one for the current order. */
  async #reopen(id: string): Promise<Checkout> {
    this.#enter('opening');
    const ended = await this.#cancel(id);
    // The service keeps an approved application waiting for a charge that the companion has
    // permanently refused. If another page has made the charge since, that charge is the result.
    if (ended.status === 'approved') return ended;
    this.#memory.forget();
    this.#readOrder();
    this.#seen = undefined;
    return this.#prime();
  }

  /** The page's current ticket, if it is for this attempt's order. */
  get #currentTicket(): string | undefined {
    return currentTicket(this.#options.element.order, this.#configuration);
  }

  /** Reads the page's current ticket, to use it in the next prime. */
  #readOrder(): void {
    const { order } = this.#options.element;
    this.#configuration = configure(order ? { ...this.#settings, order } : this.#settings);
    // The poller shares this client, which will hold the next prime's key.
    this.#companion.configuration = this.#configuration;
    this.#memory = memoryOf(this.#configuration);
  }

  /**
   * Stores the checkout's outcome so that it survives a reload. @returns whether the outcome was
   * already known
   */
  #remember(outcome: string): boolean {
    const known = this.#memory.recall();
    if (known) this.#memory.remember({ ...known, outcome });
    return known?.outcome === outcome;
  }

  #reportUnknown(checkoutId: string): void {
    if (this.#step === 'checking') return;
    this.#enter('checking');
    this.#options.onUnknown(unknownResult(checkoutId, this.#seen));
  }
}

/** The code of a checkout. A single export, because bundlers list each export in a file of its own. */
export const flowModule: FlowModule<Ended> = {
  ConfigurationError,
  Modal,
  adoptAttemptStyles,
  dialogView,
  formatMoney,
  locked,
  noticeFor,
  prepare,
  subjectOf,
};
