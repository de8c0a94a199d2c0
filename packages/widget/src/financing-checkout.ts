import { html, LitElement } from 'lit';
import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import type { Attempt, AttemptOptions } from './checkout/attempt.ts';
import { parse } from './checkout/address.ts';
import { Memory } from './checkout/memory.ts';
import { FinancingOutcomeEvent } from './events/outcome-event.ts';
import { FinancingStartEvent } from './events/start-event.ts';
import type { CheckoutResult, Money } from './outcome.ts';
import { report } from './report.ts';
import { english } from './texts/en.ts';
import { hasTexts, loadTexts } from './texts/texts.ts';
import type { TextOverrides, Texts } from './texts/texts.ts';
import { dialogView } from './views/dialog.ts';
import { placeView, textOf } from './views/place.ts';
import { Stillness } from './views/stillness.ts';
import { styles } from './views/styles.ts';
import { isInDialog, noticeOf } from './views/view.ts';
import type { Phase, View } from './views/view.ts';

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
 * @event {FinancingOutcomeEvent} financing-outcome - A checkout has an outcome.
 * @event {FinancingErrorEvent} financing-error - For developers: what is set up wrongly.
 *
 * @csspart button - The button in the page, and the one in the dialog when the lender's page is slow.
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

  static override readonly styles = styles;

  static override readonly properties: PropertyDeclarations = {
    publicKey: { attribute: 'public-key' },
    environment: {},
    companion: {},
    order: {},
    locale: {},
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

  /** There while an attempt is on its way; aborting it stops that. */
  #life: AbortController | undefined;
  #leaving = new AbortController();
  #attempt: Attempt | undefined;
  #result: CheckoutResult | undefined;
  #amount: Money | undefined;
  #stale = false;
  #page: AbortController | undefined;
  #focusWasHere = false;
  readonly #stillness = new Stillness();

  constructor() {
    super();
    this.publicKey = this.environment = this.companion = '';
    this.order = this.locale = this.returnUrl = '';
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
    addEventListener('pageshow', restored, { signal: this.#page.signal });
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
    if (this._phase === 'ended' && changed.get('order')) this.#rest();
    const { shadowRoot: root } = this;
    this.#focusWasHere = Boolean(root?.activeElement ?? root?.querySelector('dialog')?.open);
  }

  protected override updated(changed: PropertyValues): void {
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
    const life = (this.#life = new AbortController());
    this.#leaving = new AbortController();
    this.#amount = this.#result = undefined;
    this.#enter('opening');
    // Now, inside the gesture and before anything is awaited.
    if (!this.hasUpdated) this.performUpdate();
    this.#showDialog(true);
    void this.#run(life);
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
    if (!isInDialog(this._phase)) return;
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

  async #run(life: AbortController): Promise<void> {
    const isGone = () => life.signal.aborted;
    this.#stale = false;
    // What only a shopper who acts needs is loaded only then.
    const module = await import('./checkout/attempt.ts').catch(() => undefined);
    if (isGone()) return;
    let ended: () => void;
    try {
      if (!module) throw new Error('A part of the widget could not be loaded.');
      const attempt = (this.#attempt = new module.Attempt(this.#options(life.signal)));
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
    ended();
  }

  #options(life: AbortSignal): AttemptOptions {
    return {
      settings: {
        publicKey: text(this.publicKey),
        environment: text(this.environment),
        companion: text(this.companion),
        order: text(this.order),
        returnUrl: text(this.returnUrl),
        locale: this.#locale(),
      },
      life,
      leaving: this.#leaving.signal,
      container: this.#find('.frame'),
      title: this.#words().dialog,
      onStep: (step, checkout) => {
        this.#amount = checkout?.amount;
        this.#enter(step);
      },
      onReady: (frame) => {
        // Only from where it was put: not away from a shopper who went elsewhere in the dialog.
        if (this.shadowRoot?.activeElement === this.#find('h2')) frame.focus();
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
    this.#result = this.#amount = undefined;
    this.#enter('idle');
  }

  /** Stops an attempt on its way; how an earlier one ended stays. */
  #stop(): void {
    if (!this.#life) return;
    this.#life.abort();
    this.#life = this.#attempt = undefined;
    this.#rest();
  }

  #enter(phase: Phase): void {
    this._phase = phase;
    // The amount, the result and what is remembered change with it.
    this.requestUpdate();
  }

  #act(): void {
    if (this._phase === 'checking') this.#attempt?.hurry();
    else if (this.#stale && this._phase === 'ended') location.reload();
    else {
      // Safari does not focus a button that is clicked: then there would be nothing to return to.
      this.#find('#start').focus();
      this.start();
    }
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
    if (!hasTexts(locale)) return;
    const texts = await loadTexts(locale);
    if (locale === this.#locale()) this._texts = texts;
  }

  #words(): Texts {
    const { checkingTitle, checking } = this._texts;
    return { ...this._texts, ...this.texts, checkingTitle, checking };
  }

  #find(selector: string): HTMLElement {
    const found = this.renderRoot.querySelector<HTMLElement>(selector);
    if (!found) throw new Error(`${selector} is in the template.`);
    return found;
  }

  #announcement(view: View): string {
    const { phase, texts } = view;
    if (phase === 'opening' || phase === 'loading') return texts.loading;
    if (phase === 'slow') return texts.slow;
    if (phase === 'shown') return texts.ready;
    if (phase === 'leaving') return texts.working;
    const notice = noticeOf(view);
    return notice ? `${texts[`${notice.name}Title`]}. ${textOf(notice.name, view)}` : '';
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
      texts,
    };
    // Each live region is silent while the other one can be heard: a modal dialog makes the rest
    // of the page inert, so neither alone could do.
    const said = this.#announcement(view);
    const inDialog = isInDialog(this._phase);
    return html`<div lang=${texts.lang} dir=${texts.dir}>
      ${placeView(view, inDialog ? '' : said, this.disabled, () => this.#act())}
      ${dialogView(view, inDialog ? said : '', {
        close: () => this.close(),
        // Also by Escape, which a browser may not let a page prevent.
        closed: () => {
          if (this.shadowRoot?.querySelector('dialog')?.open === false) this.close();
        },
        reload: () => this.#attempt?.reload(),
      })}
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'financing-checkout': FinancingCheckout;
  }
}
