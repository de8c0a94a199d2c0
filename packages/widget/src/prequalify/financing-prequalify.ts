import { html, LitElement } from 'lit';
import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { FinancingStartEvent } from '../events/start-event.ts';
import type { Phase } from '../model/phase.ts';
import { isFenced, isSupported } from '../platform/surroundings.ts';
import { ElementTexts } from '../texts/element-texts.ts';
import { announcementFor } from '../views/announcement.ts';
import { dialogView } from '../views/dialog.ts';
import { inlineView } from '../views/inline.ts';
import { Shell } from '../views/shell.ts';
import { isElsewhere, isInDialog } from '../views/view.ts';
import type { Notice } from '../views/view.ts';
import { PrequalifyController } from './controller.ts';
import type { PrequalifyScenarioName } from './scenario.ts';
import { isPrequalifyWhole, prequalifyTexts } from './texts/texts.ts';
import type { PrequalifyTextOverrides } from './texts/texts.ts';

/**
 * Applies for financing without a cart: a button, a dialog with the lender's page, and a notice of the
 * outcome, which a checkout of the same shop continues. Sends no request before the shopper acts, and
 * stores no personal data.
 *
 * @summary See whether a lender offers financing, before there is an order.
 * @tag financing-prequalify
 *
 * @slot label - Content of the button. Text or an image with a text alternative.
 * @slot resume-label - Content of the button when there is an application to continue.
 * @slot other-methods - Shown after an application without an offer, for example other ways to pay.
 *
 * @event {FinancingStartEvent} financing-start - Before an application starts; cancelable.
 * @event {FinancingPrequalifyOutcomeEvent} financing-prequalify-outcome - It has an outcome.
 * @event {FinancingApplicationEvent} financing-application - An application was created or decided.
 * @event {FinancingErrorEvent} financing-error - For developers: a mistake in the setup.
 *
 * @csspart button - The button in the page, and the one in the dialog when the lender's page is slow.
 * @csspart second-button - The quieter button: to cancel or use the lender's page.
 * @csspart outcome - The notice of the outcome.
 * @csspart outcome-title - Its title.
 * @csspart outcome-text - Its text.
 * @csspart other-methods - Contains the slot of that name.
 * @csspart dialog - The dialog.
 * @csspart header - Its header.
 * @csspart title - The title in the header.
 * @csspart amount - Empty: an application has no amount of an order.
 * @csspart close - The close button in the header.
 * @csspart skeleton - The placeholder while the lender's page loads.
 * @csspart frame - The frame with the lender's page.
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
export class FinancingPrequalify extends LitElement {
  /** Version of the widget. */
  static readonly version = '0.2.0';

  static override readonly properties: PropertyDeclarations = {
    publicKey: { attribute: 'public-key' },
    environment: {},
    companion: {},
    currency: {},
    amount: {},
    locale: {},
    presentation: {},
    returnUrl: { attribute: 'return-url' },
    disabled: { type: Boolean, reflect: true },
    scenario: {},
    texts: { attribute: false },
    _phase: { state: true },
    _fenced: { state: true },
  };

  readonly #texts = new ElementTexts(this, () => this.requestUpdate(), prequalifyTexts);
  readonly #controller = new PrequalifyController(this, this.#texts, (phase) => {
    this._phase = phase;
    // The result and the remembered application change with the phase.
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
  /** ISO 4217 code. Required. */
  declare currency: string;
  /** The amount that the shopper has in mind, in minor units: `129900` for $1,299.00. */
  declare amount: number | string;
  /** As of `<financing-checkout>`; the default is `auto`. */
  declare presentation: string;
  /** BCP 47 tag. The default is the language of the page. */
  declare locale: string;
  /** Address to which a lender's page returns after a redirect. Attribute `return-url`. */
  declare returnUrl: string;
  /** Whether the button is disabled. */
  declare disabled: boolean;
  /** Simulates an application without a companion, a lender or a network. Refused in production. */
  declare scenario: PrequalifyScenarioName | '';
  /** The shop's own wording. Texts it omits keep their default. */
  declare texts: PrequalifyTextOverrides;

  constructor() {
    super();
    this.publicKey = this.environment = this.companion = this.currency = this.amount = '';
    this.locale = this.returnUrl = this.presentation = this.scenario = '';
    this.disabled = this._fenced = false;
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
    this.#shell.prepare(this.renderOptions);
  }

  protected override updated(changed: PropertyValues): void {
    if (!isSupported(this)) return;
    if (changed.has('companion') || changed.has('environment')) void this.#controller.comeBack();
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
    if (this._phase === 'away') this.#controller.attempt?.session?.focus();
    else {
      // Safari does not focus a clicked button, and the focus has to return to it later.
      this.renderRoot.querySelector<HTMLElement>('#start')?.focus();
      this.start();
    }
  }

  /**
   * Starts an application, or continues the one of this shop in this tab. Does nothing while one is in
   * progress.
   * @throws Error when the element is not in a document.
   */
  start(): void {
    if (!this.isConnected) throw new Error('<financing-prequalify> must be in a document.');
    if (!isSupported(this)) return;
    // The first update adopts properties that were set before the tag was defined.
    if (!this.hasUpdated) this.performUpdate();
    this.#readContext();
    if (this.#controller.isRunning || this.#isDisabled) return;
    // A listener may remove the element.
    if (!this.dispatchEvent(new FinancingStartEvent(this.#controller.isResumable))) return;
    if (!this.renderRoot.isConnected) return;
    // Within the click: it may open a window, and a double click must find it running.
    this.#controller.start();
    this.#shell.show();
  }

  /** Leaves the application as the shopper would; it can be continued. */
  close(): void {
    if (!isInDialog(this._phase) && !isElsewhere(this._phase)) return;
    this.#shell.show(false);
    this.#controller.leave();
  }

  /** Stops and forgets the application, and shows the button. Cancels nothing at the service. */
  reset(): void {
    this.#controller.reset();
  }

  #notice(): Notice | undefined {
    const { attempt, module, phase, result } = this.#controller;
    const texts = this.#texts.current;
    if (module && isPrequalifyWhole(texts)) {
      const isFocusable = attempt?.session?.isFocusable ?? false;
      const offline = !navigator.onLine;
      return module.prequalifyNoticeFor({ phase, result, isFocusable, offline, texts });
    }
    if (phase !== 'ended') return undefined;
    // The code with all other notices did not load.
    const { unavailable: text, unavailableTitle: title } = texts;
    return { name: 'unavailable', title, text, action: 'tryAgain', others: true };
  }

  protected override render(): TemplateResult {
    if (!isSupported(this)) return html`<slot></slot>`;
    const texts = this.#texts.current;
    const { attempt, isResumable, phase } = this.#controller;
    const view = {
      phase,
      session: attempt?.session,
      resumable: phase === 'idle' && isResumable,
      offersPhone: false,
      offline: !navigator.onLine,
      texts,
    };
    // Two live regions, of which one is silent: a modal dialog makes the rest of the page inert.
    const notice = this.#notice();
    const announcement = announcementFor(view, notice);
    const inDialog = isInDialog(phase);
    return html`<div lang=${texts.lang} dir=${texts.dir}>
      ${inlineView(
        view,
        notice,
        inDialog ? '' : announcement,
        this.#isDisabled && !inDialog,
        () => this.#act(),
        () => this.close(),
      )}
      ${dialogView(view, '', inDialog ? announcement : '', () => this.close())}
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'financing-prequalify': FinancingPrequalify;
  }
}
