import { html, LitElement } from 'lit';
import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import type * as AttemptModule from './checkout/attempt.ts';
import type { Attempt, AttemptOptions } from './checkout/attempt.ts';
import { parse } from './checkout/address.ts';
import { Memory } from './checkout/memory.ts';
import { readTicket } from './checkout/ticket.ts';
import { FinancingOutcomeEvent } from './events/outcome-event.ts';
import { FinancingStartEvent } from './events/start-event.ts';
import type { CheckoutResult, Money } from './outcome.ts';
import type { Returned } from './presentations/return.ts';
import { openWindow } from './presentations/window.ts';
import { report } from './report.ts';
import { english } from './texts/en.ts';
import { loadTexts, reword } from './texts/texts.ts';
import type { TextOverrides, Texts } from './texts/texts.ts';
import { dialogView } from './views/dialog.ts';
import { placeView } from './views/place.ts';
import { quiet } from './views/quiet.ts';
import { Stillness } from './views/stillness.ts';
import { styles } from './views/styles.ts';
import { isInDialog } from './views/view.ts';
import type { Phase, Told, View } from './views/view.ts';

/** An attribute that is taken away, or a framework, sets a property to nothing at all. */
const text = (value: string | null | undefined): string => value ?? '';

/**
 * Pays an order with financing: a button, a dialog with the lender's page, and how it ended.
 * Nothing is requested before the shopper acts, and nothing personal is stored.
 *
 * @summary Pay an order with financing.
 * @tag financing-checkout
 *
 * @slot label - Content of the button. Text or an image with a text alternative.
 * @slot resume-label - Content of the button when there is an application to continue.
 * @slot other-methods - Other ways to pay. Shown after a decline and wherever the shopper may use
 *   them; not while a charge may still be made.
 *
 * @event {FinancingStartEvent} financing-start - Before a checkout starts; cancelable.
 * @event {FinancingOrderChangeEvent} financing-order-change - The order is not the one that was
 *   approved. Nothing was charged.
 * @event {FinancingOutcomeEvent} financing-outcome - A checkout has an outcome.
 * @event {FinancingErrorEvent} financing-error - For developers: what is set up wrongly.
 *
 * @csspart button - The button in the page, and the one in the dialog when the lender's page is slow.
 * @csspart second-button - A quieter one beside it: to cancel, or to keep what was approved.
 * @csspart outcome - The notice of how it ended.
 * @csspart outcome-title - Its title.
 * @csspart outcome-text - Its text.
 * @csspart other-methods - Around the slot of that name.
 * @csspart dialog - The dialog.
 * @csspart header - Its header.
 * @csspart title - The title in it.
 * @csspart amount - The amount in it.
 * @csspart close - The close button in it.
 * @csspart skeleton - What is shown while the lender's page loads.
 * @csspart frame - The frame with the lender's page.
 *
 * @cssproperty --financing-accent - Background of the button.
 * @cssproperty --financing-on-accent - Text on it.
 * @cssproperty --financing-surface - Background of the dialog and of notices.
 * @cssproperty --financing-text - Text.
 * @cssproperty --financing-muted - Secondary text.
 * @cssproperty --financing-line - Lines, and disabled or loading surfaces.
 * @cssproperty --financing-focus - The focus ring.
 * @cssproperty --financing-backdrop - What lies over the page behind the dialog.
 * @cssproperty --financing-radius - Corner radius (10px).
 * @cssproperty --financing-font - Font family (the page's).
 * @cssproperty --financing-dialog-width - Width of the dialog on large screens (34em).
 */
export class FinancingCheckout extends LitElement {
  /** Version of the widget. */
  static readonly version = '0.1.0';

  static override readonly styles = [styles, quiet];

  static override readonly properties: PropertyDeclarations = {
    publicKey: { attribute: 'public-key' },
    environment: {},
    companion: {},
    order: {},
    locale: {},
    presentation: {},
    returnUrl: { attribute: 'return-url' },
    disabled: { type: Boolean, reflect: true },
    texts: { attribute: false },
    _phase: { state: true },
    _texts: { state: true },
  };

  /** The Public API Key (specification 5.4). Attribute `public-key`. Required. */
  declare publicKey: string;
  /** `uat`, `sandbox` or `production`: must be the companion's. Required. */
  declare environment: string;
  /** Address of the companion. Required. */
  declare companion: string;
  /** The order ticket that the shop's backend signed. Required. */
  declare order: string;
  /**
   * `embedded`, `popup`, `redirect` or `sdk`, or several of them, the preferred one first: where one
   * is blocked, the next is taken. `auto`, or nothing, is all of them.
   */
  declare presentation: string;
  /** BCP 47 tag; otherwise the language of the page. */
  declare locale: string;
  /** Where a lender's page that leaves this one comes back to. Attribute `return-url`. */
  declare returnUrl: string;
  /** Whether the button can be used. */
  declare disabled: boolean;
  /** The shop's own wording, where it differs. */
  declare texts: TextOverrides;

  declare private _phase: Phase;
  declare private _texts: Texts;

  /** What only a shopper who acts needs. */
  #module: typeof AttemptModule | undefined;
  /** There while an attempt is on its way; aborting it stops that. */
  #life: AbortController | undefined;
  #leaving = new AbortController();
  #attempt: Attempt | undefined;
  #result: CheckoutResult | undefined;
  #amount: Money | undefined;
  #current: Money | undefined;
  #restore: (() => Promise<string>) | undefined;
  /** What the click has opened, until an attempt takes it. */
  #window: Window | null | undefined;
  #stale = false;
  #page: AbortController | undefined;
  #focusWasHere = false;
  readonly #stillness = new Stillness();

  constructor() {
    super();
    this.publicKey = this.environment = this.companion = '';
    this.order = this.locale = this.returnUrl = this.presentation = '';
    this.disabled = false;
    this.texts = {};
    this._phase = 'idle';
    this._texts = english;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#page = new AbortController();
    const restored = ({ persisted }: PageTransitionEvent) => {
      // Out of the back/forward cache: timers and requests of then have come to nothing.
      if (persisted) this.#stop();
    };
    const { signal } = this.#page;
    addEventListener('pageshow', restored, { signal });
    // Another element for the same order: what it leaves to be continued can be continued here.
    document.addEventListener('financing-outcome', () => this.requestUpdate(), { signal });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#page?.abort();
    this.#stop();
    this.#showDialog(false);
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('locale')) void this.#loadTexts();
    // Another order: how the last one ended is no longer the point.
    if (this._phase === 'ended' && changed.get('order') && !this.#isFinanced()) this.#rest();
    const { shadowRoot: root } = this;
    this.#focusWasHere = Boolean(root?.activeElement ?? root?.querySelector('dialog')?.open);
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('order') || changed.has('companion')) void this.#comeBack();
    const open = isInDialog(this._phase);
    this.#showDialog(open);
    if (open || !this.#focusWasHere || !changed.has('_phase')) return;
    // The focus stays where the shopper was: on the button, or on what stands in its place.
    const button = this.#find('#start');
    (button.hidden ? this.#find('h3') : button).focus();
  }

  /**
   * Starts a checkout, or continues the one of before a reload. Does nothing while one is going on.
   * @throws Error when the element is not in a document.
   */
  start(): void {
    if (!this.isConnected) throw new Error('<financing-checkout> must be in a document to start.');
    // Set in the same tick, not by rendering: the second click of a double click finds it.
    if (this.#life || this.disabled) return;
    const resuming = this.#isResumable();
    if (!this.dispatchEvent(new FinancingStartEvent(resuming))) return;
    // Now, inside the gesture and before anything is awaited.
    this.#openWindow();
    void this.#run();
    if (!this.hasUpdated) this.performUpdate();
    this.#showDialog(isInDialog(this._phase));
  }

  /**
   * Continues the checkout of before a reload.
   * @returns false when there is none, or one is on its way already.
   */
  resume(): boolean {
    if (this.#life || !this.#isResumable()) return false;
    this.start();
    return true;
  }

  /** Leaves the checkout as the shopper would. Once an offer is confirmed, this stops nothing. */
  close(): void {
    if (!isInDialog(this._phase) && this._phase !== 'away') return;
    this.#enter('leaving');
    this.#showDialog(false);
    this.#leaving.abort();
  }

  /** Back to the start: stops what is going on and forgets it. Cancels nothing at the service. */
  reset(): void {
    this.#stop();
    this.#memory()?.forget();
    this.#rest();
  }

  async #run(returned?: Returned): Promise<void> {
    const life = (this.#life = new AbortController());
    const isGone = () => life.signal.aborted;
    this.#leaving = new AbortController();
    this.#amount = this.#current = this.#result = undefined;
    this.#stale = false;
    this.#enter(returned ? (returned.token ? 'confirming' : 'leaving') : 'opening');
    const module = await this.#load();
    if (isGone()) return;
    let ended: () => void;
    try {
      if (!module) throw new Error('A part of the widget could not be loaded.');
      const attempt = (this.#attempt = new module.Attempt(this.#options(life.signal, returned)));
      const result = await attempt.run();
      ended = () => (result ? this.#end(result) : this.#rest());
    } catch (error) {
      // After an abort this attempt has no say any more, and another one may be going on.
      if (isGone()) return;
      if (module && error instanceof module.ConfigurationError) {
        report(this, error.code, error.message);
        ended = () => this.#end({ outcome: 'failed' });
      } else {
        // Told as an error, and still never a button that does nothing. What became of a checkout
        // of before a reload is as unknown as before.
        report(this, module ? 'internal' : 'script-unreachable', String(error));
        const checkoutId = this.#memory()?.recall()?.id;
        ended = () => this.#end({ outcome: 'unavailable', checkoutId, retrySafe: !checkoutId });
      }
    }
    if (isGone()) return;
    this.#life = this.#attempt = undefined;
    this.#takeWindow()?.close();
    ended();
  }

  async #load() {
    this.#module ??= await import('./checkout/attempt.ts').catch(() => undefined);
    this.requestUpdate();
    return this.#module;
  }

  #options(life: AbortSignal, returned: Returned | undefined): AttemptOptions {
    return {
      settings: {
        publicKey: text(this.publicKey),
        environment: text(this.environment),
        companion: text(this.companion),
        order: text(this.order),
        returnUrl: text(this.returnUrl),
        locale: this.#locale(),
        presentation: text(this.presentation),
      },
      order: () => text(this.order),
      returned,
      life,
      leaving: this.#leaving.signal,
      container: this.#find('.frame'),
      title: this.#words().dialog,
      waiting: this.#words().loading,
      takeWindow: () => this.#takeWindow(),
      onStep: (step, checkout) => {
        this.#amount = checkout?.amount;
        this.#enter(step);
      },
      onReady: (frame) => {
        // Only from where it was put: not away from a shopper who went elsewhere in the dialog.
        if (this.shadowRoot?.activeElement === this.#find('h2')) frame.focus();
      },
      onChanged: (amounts) => {
        this.#amount = amounts?.approved;
        this.#current = amounts?.current;
        this.#restore = undefined;
        const offer = (restore: () => Promise<string>) => (this.#restore = restore);
        const { FinancingOrderChangeEvent: Change } = this.#module ?? {};
        if (Change) this.dispatchEvent(new Change(this.#amount, this.#current, offer));
        this.requestUpdate();
      },
      onUnknown: (result) => this.dispatchEvent(new FinancingOutcomeEvent(result)),
      onError: ({ code, message }) => {
        this.#stale = code === 'order-ticket-expired';
        report(this, code, message);
      },
    };
  }

  #end(result: CheckoutResult): void {
    this.#result = result;
    this.#amount = result.amount;
    this.#enter('ended');
    this.dispatchEvent(new FinancingOutcomeEvent(result));
  }

  #rest(): void {
    this.#result = this.#amount = this.#current = undefined;
    this.#enter('idle');
  }

  /** Stops an attempt on its way; how an earlier one ended stays. */
  #stop(): void {
    if (!this.#life) return;
    this.#life.abort();
    this.#life = this.#attempt = undefined;
    this.#takeWindow()?.close();
    this.#rest();
  }

  #enter(phase: Phase): void {
    // With a window of its own there is nothing to see in the dialog.
    this._phase = phase === 'opening' && this.#window ? 'away' : phase;
    // The amount, the result and what is remembered change with it.
    this.requestUpdate();
  }

  #act(): void {
    if (this._phase === 'checking') this.#attempt?.hurry();
    else if (this._phase === 'away') this.#attempt?.showing?.recall();
    else if (this._phase === 'changed') {
      this.#openWindow();
      this.#attempt?.choose(undefined);
    } else if (this.#stale && this._phase === 'ended') location.reload();
    else {
      // Safari does not focus a button that is clicked: then there would be nothing to return to.
      this.#find('#start').focus();
      this.start();
    }
  }

  /** The quieter button: to cancel, or to keep what was approved. */
  async #actOtherwise(): Promise<void> {
    const { _phase } = this;
    if (_phase === 'away') this.close();
    if (_phase !== 'changed' || !this.#restore) return;
    const [attempt, restore] = [this.#attempt, this.#restore];
    try {
      attempt?.choose(await restore());
    } catch (error) {
      // Then it cannot be kept, and the other choice is left.
      this.#restore = undefined;
      this.requestUpdate();
      report(this, 'order-not-restored', String(error));
    }
  }

  /** Goes on where a redirect left off: the shopper has acted before. */
  async #comeBack(): Promise<void> {
    if (!location.hash.includes('financing-session=')) return;
    const module = await this.#load();
    const memory = this.#memory();
    const returned = memory && !this.#life && this.isConnected && module?.takeReturn(memory);
    if (returned) void this.#run(returned);
  }

  #openWindow(): void {
    if (!/^\s*popup\b/.test(this.presentation)) return;
    const { loading } = this.#words();
    this.#window = openWindow(this.#memory()?.name ?? '', loading);
  }

  #takeWindow(): Window | null | undefined {
    const opened = this.#window;
    this.#window = undefined;
    return opened;
  }

  /** Whether the order of this element has been financed, whatever has become of it since. */
  #isFinanced(): boolean {
    const { outcome, merchantOrderId } = this.#result ?? {};
    return (
      (outcome === 'approved' || outcome === 'pending') &&
      readTicket(this.order)?.merchantOrderId === merchantOrderId
    );
  }

  #showDialog(open: boolean): void {
    const dialog = this.shadowRoot?.querySelector('dialog');
    this.#stillness.keep(open);
    if (!dialog || dialog.open === open) return;
    if (open) {
      dialog.showModal();
      this.#find('h2').focus();
    } else {
      dialog.close();
    }
  }

  #memory(): Memory | undefined {
    const companion = this.companion && parse(this.companion);
    return companion && this.order
      ? new Memory(companion, this.environment, this.order)
      : undefined;
  }

  #isResumable(): boolean {
    return this.#memory()?.recall()?.id !== undefined;
  }

  #locale(): string {
    const near = this.closest<HTMLElement>('[lang]')?.lang;
    const said = [this.locale, near, document.documentElement.lang].find(Boolean);
    return said ?? navigator.language;
  }

  async #loadTexts(): Promise<void> {
    const locale = this.#locale();
    const texts = await loadTexts(locale);
    if (locale === this.#locale()) this._texts = texts;
  }

  #words(): Texts {
    return reword(this._texts, this.texts);
  }

  #find(selector: string): HTMLElement {
    const found = this.renderRoot.querySelector<HTMLElement>(selector);
    if (!found) throw new Error(`${selector} is in the template.`);
    return found;
  }

  /** What there is to tell in place. */
  #told(view: View): Told | undefined {
    const { phase, offline, result, texts } = view;
    if (this.#module) return this.#module.tell(view);
    if (phase !== 'ended') return undefined;
    // The part that has the words for everything else did not load.
    const name = !result?.retrySafe ? 'checking' : offline ? 'offline' : 'unavailable';
    const others = name !== 'checking';
    const action = others ? 'tryAgain' : 'checkNow';
    return { name, title: texts[`${name}Title`], text: texts[name], action, others };
  }

  #announcement({ phase, texts }: View, told: Told | undefined): string {
    if (phase === 'opening' || phase === 'loading') return texts.loading;
    if (phase === 'slow') return texts.slow;
    if (phase === 'shown') return texts.ready;
    if (phase === 'leaving') return texts.working;
    return told ? `${told.title}. ${told.text}` : phase === 'away' ? texts.working : '';
  }

  protected override render(): TemplateResult {
    const texts = this.#words();
    const view: View = {
      phase: this._phase,
      result: this.#result,
      amount: this.#amount,
      resumable: this._phase === 'idle' && this.#isResumable(),
      stale: this.#stale,
      offline: !navigator.onLine,
      order: text(this.order),
      current: this.#current,
      keepable: Boolean(this.#restore),
      recallable: Boolean(this.#attempt?.showing?.recallable),
      further: Boolean(this.#attempt?.showing?.further),
      texts,
    };
    // Each live region is silent while the other one can be heard: a modal dialog makes the rest
    // of the page inert, so neither alone could do.
    const told = this.#told(view);
    const said = this.#announcement(view, told);
    const inDialog = isInDialog(this._phase);
    const amount = (view.amount && this.#module?.formatMoney(view.amount, texts.lang)) ?? '';
    return html`<div lang=${texts.lang} dir=${texts.dir}>
      ${placeView(view, told, inDialog ? '' : said, this.disabled, {
        act: () => this.#act(),
        second: () => void this.#actOtherwise(),
      })}
      ${dialogView(view, amount, inDialog ? said : '', {
        close: () => this.close(),
        // Also by Escape, which a browser may not let a page prevent. Where we closed it, the
        // phase is another one by now.
        closed: () => {
          const { open } = this.shadowRoot?.querySelector('dialog') ?? {};
          if (open === false && isInDialog(this._phase)) this.close();
        },
        reload: () => this.#attempt?.showing?.reload(),
        next: () => this.#attempt?.showing?.next(),
      })}
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'financing-checkout': FinancingCheckout;
  }
}
