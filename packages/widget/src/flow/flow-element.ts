import { html } from 'lit';
import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { FinancingStartEvent } from '../events/start-event.ts';
import type { Phase } from '../model/phase.ts';
import { isFenced, isSupported } from '../platform/surroundings.ts';
import { ElementTexts } from '../texts/element-texts.ts';
import type { Spoken, TextSource } from '../texts/texts.ts';
import { announcementFor, fallbackNotice } from '../views/announcement.ts';
import { FinancingElement } from '../views/element.ts';
import { inlineView } from '../views/inline.ts';
import { Shell } from '../views/shell.ts';
import { isElsewhere, isInDialog } from '../views/view.ts';
import type { Notice, View, WholeView } from '../views/view.ts';
import { FlowController } from './controller.ts';
import type { Flow, FlowResult } from './flow.ts';

/**
 * A button, a dialog with the lender's page, and a notice of the outcome.
 *
 * @slot label - Content of the button. Text or an image with a text alternative.
 * @slot resume-label - Content of the button when there is an application to continue.
 *
 * @event {FinancingStartEvent} financing-start - Before a start; cancelable.
 * @event {FinancingApplicationEvent} financing-application - An application was created or decided.
 * @event {FinancingErrorEvent} financing-error - For developers: a mistake in the setup.
 *
 * @csspart button - The button in the page, and the one in the dialog while the lender's page is
 * slow.
 * @csspart second-button - The secondary button: to cancel, keep the order, continue elsewhere, or
 * copy.
 * @csspart outcome - The notice of the outcome.
 * @csspart outcome-title - Its title.
 * @csspart outcome-text - Its text.
 * @csspart other-methods - Contains the slot with that name.
 * @csspart dialog - The dialog.
 * @csspart header - Its header.
 * @csspart title - The title in the header.
 * @csspart amount - The order's amount in the header; empty without an order.
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
export abstract class FlowElement<Result extends FlowResult> extends FinancingElement {
  /** Version of the widget. */
  static readonly version: string = '0.3.0';

  static override readonly properties: PropertyDeclarations = {
    publicKey: { attribute: 'public-key' },
    environment: {},
    companion: {},
    presentation: {},
    returnUrl: { attribute: 'return-url' },
    disabled: { type: Boolean, reflect: true },
    texts: { attribute: false },
    _phase: { state: true },
    _fenced: { state: true },
  };

  protected readonly _texts: ElementTexts;
  protected readonly _controller: FlowController<Result>;
  readonly #shell = new Shell(this, () => isInDialog(this._phase));

  declare protected _phase: Phase;
  /** Whether a disabled fieldset contains the element. */
  declare private _fenced: boolean;

  /** The Public API Key (specification 5.4). Attribute `public-key`. Required. */
  declare publicKey: string;
  /** `uat`, `sandbox` or `production`; must match the companion's. Required. */
  declare environment: string;
  /** Address of the companion. Required. */
  declare companion: string;
  /**
   * `embedded`, `popup`, `redirect` or `sdk`, or several of them in order of preference: if one is
   * blocked, the next one is used. `auto`, the default, means all of them, `sdk` first.
   */
  declare presentation: string;
  /** Address to which a lender's page returns after a redirect. Attribute `return-url`. */
  declare returnUrl: string;
  /** Whether the button is disabled. */
  declare disabled: boolean;
  /** The shop's own wording. Texts that it omits keep their default. */
  declare texts: object;

  constructor(source: TextSource, flow: Flow<Result>) {
    super();
    this._texts = new ElementTexts(
      source,
      () => this._language,
      () => this.texts,
      () => this.requestUpdate(),
    );
    this._controller = new FlowController(this, flow, this._texts, (phase) => {
      this._phase = phase;
      // The amount, the result and the remembered checkout change along with the phase.
      this.requestUpdate();
    });
    this.publicKey = this.environment = this.companion = '';
    this.locale = this.returnUrl = this.presentation = '';
    this.disabled = this._fenced = false;
    this.texts = {};
    this._phase = 'idle';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (!isSupported(this)) return;
    this.#shell.connect();
    this._onContext();
    if (this.hasUpdated) void this._controller.comeBack();
    this._controller.connect();
  }

  /** Called by `moveBefore()` in place of the two other callbacks. Keeps the dialog and the frame. */
  connectedMoveCallback(): void {
    this._onContext();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this._controller.disconnect();
    this.#shell.disconnect();
  }

  protected override createRenderRoot(): ShadowRoot {
    // Also empties a server-rendered root (DOM, "attach a shadow root").
    return this.attachShadow({ mode: 'open' });
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!isSupported(this)) return;
    if (changed.has('locale')) void this._texts.load();
    this._controller.clearOutdated();
    this.#shell.prepare(this.renderOptions);
  }

  protected override updated(changed: PropertyValues): void {
    if (!isSupported(this)) return;
    if (['order', 'companion', 'environment'].some((name) => changed.has(name))) {
      void this._controller.comeBack();
    }
    const { module } = this._controller;
    if (this.shadowRoot) module?.adoptAttemptStyles(this.shadowRoot);
    this.#shell.update(this._texts.current.dialog, changed.has('_phase'), this.#isDisabled, module);
  }

  get #isDisabled(): boolean {
    return this.disabled || this._fenced;
  }

  /** Reads the fieldset and the language around the element. */
  protected override _onContext(): void {
    this._fenced = isFenced(this);
    // The language may differ in the new place. The first update requests the initial one.
    if (this.hasUpdated) void this._texts.load();
  }

  /** Handles the button in the page. */
  protected _act(): void {
    if (this._phase === 'away') this._controller.attempt?.session?.focus();
    else {
      // Safari does not focus a clicked button, but the focus must return to it later.
      this.renderRoot.querySelector<HTMLElement>('#start')?.focus();
      this.start();
    }
  }

  /** Handles the second button in the page. */
  protected _second(): void {
    this.close();
  }

  /**
   * Starts, or continues the checkout or application from before a reload. Does nothing while an
   * attempt is in progress.
   * @throws Error if the element is not in a document.
   */
  start(): void {
    this._begin();
  }

  protected _begin(via?: 'link'): void {
    if (!this.isConnected) throw new Error(`<${this.localName}> must be in a document.`);
    if (!isSupported(this)) return;
    // The first update picks up properties that were set before the tag was defined.
    if (!this.hasUpdated) this.performUpdate();
    this._onContext();
    if (this._controller.isRunning || this.#isDisabled) return;
    // A listener may remove the element.
    if (!this.dispatchEvent(new FinancingStartEvent(this._controller.isResumable))) return;
    if (!this.renderRoot.isConnected) return;
    // Synchronous within the click, because it may open a window, and the second click of a
    // double-click must find an attempt in progress.
    this._controller.start(via);
    this.#shell.show();
  }

  /** Leaves as the shopper would. Has no effect once an offer is confirmed. */
  close(): void {
    if (!isInDialog(this._phase) && !isElsewhere(this._phase)) return;
    this.#shell.show(false);
    this._controller.leave();
  }

  /**
   * Stops an attempt, forgets the checkout or application that could be continued, and shows the
   * button. Cancels nothing at the service.
   */
  reset(): void {
    this._controller.reset();
  }

  /** Returns everything that the templates render. */
  protected _view(texts: Spoken): View<Result> {
    const { amount, attempt, isResumable, phase, result, stale } = this._controller;
    return {
      phase,
      result,
      amount,
      resumable: phase === 'idle' && isResumable,
      stale,
      offline: !navigator.onLine,
      order: '',
      change: attempt?.change,
      session: attempt?.session,
      phone: phase === 'phone' ? attempt?.phone : undefined,
      offersPhone: false,
      texts,
    };
  }

  #notice(view: View<Result>): Notice | undefined {
    const { module } = this._controller;
    if (!module) return view.phase === 'ended' ? fallbackNotice(view) : undefined;
    // All texts are available once the code has loaded.
    const whole = view as WholeView<Result>;
    return view.phone?.notice(whole.texts) ?? module.noticeFor(whole);
  }

  protected override render(): TemplateResult {
    if (!isSupported(this)) return html`<slot></slot>`;
    const texts = this._texts.current;
    const { amount, module } = this._controller;
    const view = this._view(texts);
    // Only one of the two live regions has text, because a modal dialog makes the rest of the page
    // inert.
    const notice = this.#notice(view);
    const announcement = announcementFor(view, notice);
    // The dialog loads on the first click.
    const inDialog = module !== undefined && isInDialog(this._phase);
    const sum = (amount && module?.formatMoney?.(amount, texts.lang)) ?? '';
    return html`<div lang=${texts.lang} dir=${texts.dir}>
      ${inlineView(
        view,
        notice,
        inDialog ? '' : announcement,
        this.#isDisabled && !inDialog,
        () => this._act(),
        () => this._second(),
      )}
      ${module?.dialogView(view, sum, inDialog ? announcement : '', () => this.close())}
    </div>`;
  }
}
