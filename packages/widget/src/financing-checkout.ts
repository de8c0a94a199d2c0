import { html, LitElement } from 'lit';
import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { CheckoutController } from './checkout/controller.ts';
import { noticeOf, viewOf } from './checkout/view.ts';
import { FinancingStartEvent } from './events/start-event.ts';
import type { Phase } from './model/phase.ts';
import { isFenced, isSupported } from './platform/surroundings.ts';
import type { Scenario, ScenarioName } from './scenario/scenario.ts';
import { ElementTexts } from './texts/element-texts.ts';
import type { TextOverrides } from './texts/texts.ts';
import { announcementFor } from './views/announcement.ts';
import { dialogView } from './views/dialog.ts';
import { inlineView } from './views/inline.ts';
import { Shell } from './views/shell.ts';
import { isElsewhere, isInDialog } from './views/view.ts';

/**
 * Pays an order with financing: a button, a dialog with the lender's page, and a notice of the outcome.
 * Sends no request before the shopper acts, and stores no personal data.
 *
 * @summary Pay an order with financing.
 * @tag financing-checkout
 *
 * @slot label - Content of the button. Text or an image with a text alternative.
 * @slot resume-label - Content of the button when there is an application to continue.
 * @slot other-methods - Other ways to pay. Hidden while a charge may still be made.
 *
 * @event {FinancingStartEvent} financing-start - Before a checkout starts; cancelable.
 * @event {FinancingConfirmEvent} financing-confirm - The shopper confirmed an offer; nothing is charged yet.
 * @event {FinancingOrderChangeEvent} financing-order-change - The order differs from the approved one.
 * @event {FinancingOutcomeEvent} financing-outcome - A checkout has an outcome.
 * @event {FinancingApplicationEvent} financing-application - An application was created or decided.
 * @event {FinancingDataUpdateEvent} financing-data-update - The shopper changed the order's address.
 * @event {FinancingErrorEvent} financing-error - For developers: a mistake in the setup.
 *
 * @csspart button - The button in the page, and the one in the dialog when the lender's page is slow.
 * @csspart second-button - The quieter button: to cancel, keep the order, go on elsewhere, or copy.
 * @csspart outcome - The notice of the outcome.
 * @csspart outcome-title - Its title.
 * @csspart outcome-text - Its text.
 * @csspart other-methods - Contains the slot of that name.
 * @csspart dialog - The dialog.
 * @csspart header - Its header.
 * @csspart title - The title in the header.
 * @csspart amount - The amount in the header.
 * @csspart close - The close button in the header.
 * @csspart skeleton - The placeholder while the lender's page loads.
 * @csspart frame - The frame with the lender's page.
 * @csspart qr-code - The code with the address for a phone.
 * @csspart address - The address.
 * @csspart link - The link that opens it on this device.
 *
 * @cssproperty --financing-accent - Background of the button.
 * @cssproperty --financing-on-accent - Text on the button.
 * @cssproperty --financing-surface - Background of the dialog and of notices.
 * @cssproperty --financing-text - Text.
 * @cssproperty --financing-muted - Secondary text.
 * @cssproperty --financing-line - Lines, and disabled or loading surfaces.
 * @cssproperty --financing-focus - The focus ring.
 * @cssproperty --financing-backdrop - The backdrop of the dialog.
 * @cssproperty --financing-radius - Corner radius (10px).
 * @cssproperty --financing-font - Font family (the page's).
 * @cssproperty --financing-dialog-width - Width of the dialog on large screens (34em).
 */
export class FinancingCheckout extends LitElement {
  /** Version of the widget. */
  static readonly version = '0.2.0';

  static override readonly properties: PropertyDeclarations = {
    publicKey: { attribute: 'public-key' },
    environment: {},
    companion: {},
    order: {},
    locale: {},
    presentation: {},
    returnUrl: { attribute: 'return-url' },
    disabled: { type: Boolean, reflect: true },
    phone: { type: Boolean },
    scenario: {},
    debug: { type: Boolean },
    texts: { attribute: false },
    _phase: { state: true },
    _fenced: { state: true },
  };

  readonly #texts = new ElementTexts(this, () => this.requestUpdate());
  readonly #controller = new CheckoutController(this, this.#texts, (phase) => {
    this._phase = phase;
    // The amount, the result and the remembered checkout change with the phase.
    this.requestUpdate();
  });
  readonly #shell = new Shell(this, () => isInDialog(this._phase));

  declare private _phase: Phase;
  /** Whether a fieldset around the element is disabled. */
  declare private _fenced: boolean;

  /** The Public API Key (specification 5.4). Attribute `public-key`. Required. */
  declare publicKey: string;
  /** `uat`, `sandbox` or `production`: must be the companion's. Required. */
  declare environment: string;
  /** Address of the companion. Required. */
  declare companion: string;
  /** The order ticket that the shop's backend signed. Required. */
  declare order: string;
  /**
   * `embedded`, `popup`, `redirect` or `sdk`, or several of them in order of preference: if one is
   * blocked, the next is used. `auto`, the default, is all of them, `sdk` first.
   */
  declare presentation: string;
  /** BCP 47 tag. The default is the language of the page. */
  declare locale: string;
  /** Address to which a lender's page returns after a redirect. Attribute `return-url`. */
  declare returnUrl: string;
  /** Whether the button is disabled. */
  declare disabled: boolean;
  /**
   * Whether the page offers to continue on a phone, by an address and a QR code. Without it, this is
   * the last way when all presentations are blocked.
   */
  declare phone: boolean;
  /**
   * Simulates a checkout without a companion, a lender or a network, for tests and component
   * catalogues: the name of a scenario, or (as a property) one of your own. Refused where
   * `environment` is `production`.
   */
  declare scenario: ScenarioName | '' | Scenario;
  /** Examines the setup of the page, and writes the findings to the console. */
  declare debug: boolean;
  /** The shop's own wording. Texts it omits keep their default. */
  declare texts: TextOverrides;

  constructor() {
    super();
    this.publicKey = this.environment = this.companion = this.scenario = '';
    this.order = this.locale = this.returnUrl = this.presentation = '';
    this.disabled = this.phone = this.debug = this._fenced = false;
    this.texts = {};
    this._phase = 'idle';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (!isSupported(this)) return;
    this.#texts.observer = new MutationObserver(() => this.#readContext());
    this.#shell.connect();
    this.#readContext();
    if (this.hasUpdated) void this.#controller.comeBack();
    this.#controller.connect();
  }

  /** Called by `moveBefore()` instead of the two other callbacks; it keeps the dialog and the frame. */
  connectedMoveCallback(): void {
    this.#readContext();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#texts.observer?.disconnect();
    this.#controller.disconnect();
    this.#shell.disconnect();
  }

  protected override createRenderRoot(): ShadowRoot {
    // Empties a root that a server has rendered (DOM, "attach a shadow root").
    return this.attachShadow({ mode: 'open' });
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!isSupported(this)) return;
    if (changed.has('locale')) void this.#texts.load();
    this.#controller.clearOutdated();
    this.#shell.prepare(this.renderOptions);
  }

  protected override updated(changed: PropertyValues): void {
    if (!isSupported(this)) return;
    if (['order', 'companion', 'environment'].some((name) => changed.has(name))) {
      void this.#controller.comeBack();
    }
    if (changed.has('debug') && this.debug) {
      void import('./doctor/doctor.ts').then(({ examine }) => examine(this, this.#texts));
    }
    this.#shell.update(this.#texts.current.dialog, changed.has('_phase'), this.#isDisabled);
  }

  get #isDisabled(): boolean {
    return this.disabled || this._fenced;
  }

  /** Reads the fieldset and the language around the element. */
  #readContext(): void {
    this._fenced = isFenced(this);
    // The language may differ here; the first update requests the first one.
    if (this.hasUpdated) void this.#texts.load();
  }

  #act(): void {
    const { _phase } = this;
    const { attempt, stale } = this.#controller;
    if (_phase === 'checking') attempt?.pollNow();
    else if (_phase === 'away') attempt?.session?.focus();
    else if (_phase === 'changed') this.#controller.startAgain();
    else if (stale && _phase === 'ended') location.reload();
    else {
      // Safari does not focus a clicked button, and the focus has to return to it later.
      this.renderRoot.querySelector<HTMLElement>('#start')?.focus();
      this.start();
    }
  }

  /** Handles the second button: cancels, keeps the approved order, or starts on another device. */
  #actSecond(): void {
    if (isElsewhere(this._phase)) this.close();
    else if (this._phase === 'changed') void this.#controller.attempt?.keep();
    else this.#begin('link');
  }

  /**
   * Starts a checkout, or continues the one from before a reload. Does nothing while one is in progress.
   * @throws Error when the element is not in a document.
   */
  start(): void {
    this.#begin();
  }

  #begin(via?: 'link'): void {
    if (!this.isConnected) throw new Error('<financing-checkout> must be in a document.');
    if (!isSupported(this)) return;
    // The first update adopts properties that were set before the tag was defined.
    if (!this.hasUpdated) this.performUpdate();
    this.#readContext();
    if (this.#controller.isRunning || this.#isDisabled) return;
    // A listener may remove the element.
    if (!this.dispatchEvent(new FinancingStartEvent(this.#controller.isResumable))) return;
    if (!this.renderRoot.isConnected) return;
    // Within the click: it may open a window, and a double click must find it running.
    this.#controller.start(via);
    this.#shell.show();
  }

  /**
   * Continues the checkout from before a reload.
   * @returns whether it continues: false when there is none, one is already in progress, or the page
   *   prevents the start.
   */
  resume(): boolean {
    if (this.#controller.isRunning || !this.#controller.isResumable) return false;
    this.start();
    return this.#controller.isRunning;
  }

  /** Leaves the checkout as the shopper would. Has no effect once an offer is confirmed. */
  close(): void {
    if (!isInDialog(this._phase) && !isElsewhere(this._phase)) return;
    this.#shell.show(false);
    this.#controller.leave();
  }

  /** Stops and forgets the checkout, and shows the button. Cancels nothing at the service. */
  reset(): void {
    this.#controller.reset();
  }

  protected override render(): TemplateResult {
    if (!isSupported(this)) return html`<slot></slot><slot name="other-methods"></slot>`;
    const texts = this.#texts.current;
    const { amount, module } = this.#controller;
    const view = viewOf(this.#controller, this, texts);
    // Two live regions, of which one is silent: a modal dialog makes the rest of the page inert.
    const notice = noticeOf(this.#controller, view);
    const announcement = announcementFor(view, notice);
    const inDialog = isInDialog(this._phase);
    const sum = (amount && module?.formatMoney(amount, texts.lang)) ?? '';
    return html`<div lang=${texts.lang} dir=${texts.dir}>
      ${inlineView(
        view,
        notice,
        inDialog ? '' : announcement,
        this.#isDisabled && !inDialog,
        () => this.#act(),
        () => this.#actSecond(),
      )}
      ${dialogView(view, sum, inDialog ? announcement : '', () => this.close())}
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'financing-checkout': FinancingCheckout;
  }
}
