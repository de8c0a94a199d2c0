import { html, LitElement } from 'lit';
import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { Course } from './checkout/course.ts';
import { FinancingStartEvent } from './events/start-event.ts';
import type { Scenario, ScenarioName } from './scenario/scenario.ts';
import { first } from './texts/first.ts';
import { complete, isWhole, loadTexts, reword } from './texts/texts.ts';
import type { Spoken, TextOverrides } from './texts/texts.ts';
import { dialogView } from './views/dialog.ts';
import { placeView } from './views/place.ts';
import { sheetFor } from './views/sheet.ts';
import { Stillness } from './views/stillness.ts';
import { styles } from './views/styles.ts';
import { isInDialog } from './views/view.ts';
import type { Phase, Told, View } from './views/view.ts';

const isSetUp = (changed: PropertyValues) =>
  ['order', 'companion', 'environment', 'publicKey'].some((name) => changed.has(name));

/** What elements share, by the document they are in. */
const dressed = new WeakMap<Document, CSSStyleSheet>();

/**
 * What the nearest `lang` says, also where that is around the shadow root an element is in.
 * @param observer is told when one may say something else
 */
function languageAround(element: Element, observer: MutationObserver | undefined): string {
  const root = element.getRootNode();
  observer?.observe(root, { attributeFilter: ['lang', 'disabled'], subtree: true });
  const near = element.closest<HTMLElement>('[lang]')?.lang;
  return near ?? (root instanceof ShadowRoot ? languageAround(root.host, observer) : '');
}

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
 * @event {FinancingApplicationEvent} financing-application - The service created an application, or a
 *   lender decided on it. Presentation `sdk` only.
 * @event {FinancingDataUpdateEvent} financing-data-update - The shopper changed the order's address or
 *   figures in the service's dialog. Presentation `sdk` only.
 * @event {FinancingErrorEvent} financing-error - For developers: what is set up wrongly.
 *
 * @csspart button - The button in the page, and the one in the dialog when the lender's page is slow.
 * @csspart second-button - A quieter one beside either: to cancel, to keep what was approved, or to
 *   go on at the lender's own page.
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
    scenario: {},
    debug: { type: Boolean },
    texts: { attribute: false },
    _phase: { state: true },
    _fenced: { state: true },
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
   * is blocked, the next is taken. `auto`, or nothing, is all of them, `sdk` first.
   */
  declare presentation: string;
  /** BCP 47 tag; otherwise the language of the page. */
  declare locale: string;
  /** Where a lender's page that leaves this one comes back to. Attribute `return-url`. */
  declare returnUrl: string;
  /** Whether the button can be used. */
  declare disabled: boolean;
  /**
   * Plays a checkout without a companion, a lender or a network, for tests and component catalogues:
   * the name of a scenario, or (as a property) one of your own. Refused where `environment` is
   * `production`.
   */
  declare scenario: ScenarioName | '' | Scenario;
  /** Examines how the page is set up, and writes what it finds to the console. */
  declare debug: boolean;
  /** The shop's own wording, where it differs. */
  declare texts: TextOverrides;

  declare private _phase: Phase;
  declare private _texts: Spoken;
  /** Whether a fieldset around the element is disabled. */
  declare private _fenced: boolean;

  readonly #course = new Course(this, {
    locale: () => this.#locale(),
    words: () => this.#words(),
    learn: () => this.#learn(),
    find: (selector) => this.#find(selector),
    onPhase: (phase) => {
      this._phase = phase;
      // The amount, the result and what is remembered change with it.
      this.requestUpdate();
    },
  });
  #page: AbortController | undefined;
  #sized: ResizeObserver | null | undefined;
  #language: MutationObserver | undefined;
  /** What has the focus, or holds it, as an update begins. */
  #focused: Element | null | undefined;
  readonly #stillness = new Stillness();
  /** What this element has drawn, to see whether a tool of the page has taken a part of it out. */
  #drawn: readonly Element[] = [];

  constructor() {
    super();
    this.publicKey = this.environment = this.companion = this.scenario = '';
    this.order = this.locale = this.returnUrl = this.presentation = '';
    this.disabled = this.debug = this._fenced = false;
    this.texts = {};
    this._phase = 'idle';
    this._texts = first;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (!this.#isAlive) return;
    this.#language = new MutationObserver(() => this.#lookAround());
    const { shadowRoot: root, ownerDocument: page } = this;
    const sheet = dressed.get(page) ?? sheetFor(page, styles);
    if (root && sheet) {
      dressed.set(page, sheet);
      // Not at first alone: who takes an element into another document takes its sheet away.
      if (!root.adoptedStyleSheets[0]) root.adoptedStyleSheets = [sheet];
    }
    // Hiding an element, or what it is in, takes its size: a dialog goes and comes with that.
    this.#sized = page.defaultView && new page.defaultView.ResizeObserver(() => this.#showDialog());
    this.#sized?.observe(this);
    this.#lookAround();
    if (this.hasUpdated) void this.#course.comeBack();
    this.#page = new AbortController();
    const restored = ({ persisted }: PageTransitionEvent) => {
      // Out of the back/forward cache: timers and requests of then have come to nothing.
      if (persisted) this.#course.stop();
    };
    const { signal } = this.#page;
    addEventListener('pageshow', restored, { signal });
    const update = () => this.requestUpdate();
    const online = () => {
      // Nobody is told to be offline any more, and what did not come for that comes now.
      if (this._phase === 'slow') this.#course.attempt?.showing?.reload();
      update();
    };
    addEventListener('online', online, { signal });
    // Another element for the same order: what it leaves to be continued can be continued here.
    document.addEventListener('financing-outcome', update, { signal });
  }

  /** Called in place of the two others by `moveBefore()`, which keeps the dialog and the frame. */
  connectedMoveCallback(): void {
    this.#lookAround();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#sized?.disconnect();
    this.#language?.disconnect();
    this.#page?.abort();
    this.#course.stop();
    this.#showDialog(false);
  }

  protected override createRenderRoot(): ShadowRoot {
    // The one that a server has rendered is emptied by this (DOM, "attach a shadow root").
    return this.attachShadow({ mode: 'open' });
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!this.#isAlive) return;
    if (changed.has('locale')) void this.#loadTexts();
    // Another order, or what was missing: how the last one ended is not the point any more.
    if (this._phase === 'ended' && isSetUp(changed) && !this.#course.isFinanced) {
      this.#course.rest();
    }
    const { shadowRoot: root } = this;
    if (!root) return;
    this.#focused = root.activeElement ?? root.querySelector('dialog[open]');
    // The lender's page is not loaded again for it.
    if (this.#drawn.every((part) => root.contains(part)) || root.querySelector('iframe')) return;
    this.#drawn = [];
    // A new place to draw at: Lit draws everything anew.
    root.replaceChildren((this.renderOptions.renderBefore = new Comment()));
  }

  protected override updated(changed: PropertyValues): void {
    if (!this.#isAlive) return;
    if (isSetUp(changed)) void this.#course.comeBack();
    if (changed.has('debug') && this.debug) void this.#examine();
    const root = this.renderRoot;
    if (!this.#drawn[0]) this.#drawn = [...root.querySelectorAll('[part],[role],slot')];
    const frame = root.querySelector('iframe');
    if (frame) frame.title = this.#words().dialog;
    this.#showDialog();
    // The focus stays where the shopper was: on the button, or on what stands in its place.
    const button = this.#find('#start');
    const moves = changed.has('_phase') ? this.#focused : this.#focused === button;
    if (isInDialog(this._phase)) {
      // Nor is it lost in there, where the lender's page or a button is hidden that had it.
      if (this.#focused?.checkVisibility() === false) this.#find('h2')?.focus();
    } else if (moves) (button?.hidden || this.#isDisabled ? this.#find('h3') : button)?.focus();
  }

  /**
   * Starts a checkout, or continues the one of before a reload. Does nothing while one is going on.
   * @throws Error when the element is not in a document.
   */
  start(): void {
    if (!this.isConnected) throw new Error('<financing-checkout> must be in a document.');
    if (!this.#isAlive) return;
    // What was set before the tag was defined is taken over by the first update.
    if (!this.hasUpdated) this.performUpdate();
    // Set in the same tick, not by rendering: the second click of a double click finds it.
    this.#lookAround();
    if (this.#course.isOnItsWay || this.#isDisabled) return;
    const resuming = this.#course.isResumable;
    // Whoever hears of it may take the element out.
    if (!this.dispatchEvent(new FinancingStartEvent(resuming))) return;
    if (!this.renderRoot.isConnected) return;
    // Now, inside the gesture and before anything is awaited.
    this.#course.start();
    this.#showDialog();
  }

  /**
   * Continues the checkout of before a reload.
   * @returns whether it goes on: false when there is none, one is on its way already, or the page
   *   does not let it start.
   */
  resume(): boolean {
    if (this.#course.isOnItsWay || !this.#course.isResumable) return false;
    this.start();
    return this.#course.isOnItsWay;
  }

  /** Leaves the checkout as the shopper would. Once an offer is confirmed, this stops nothing. */
  close(): void {
    if (!isInDialog(this._phase) && this._phase !== 'away') return;
    this.#showDialog(false);
    this.#course.leave();
  }

  /** Back to the start: stops what is going on and forgets it. Cancels nothing at the service. */
  reset(): void {
    this.#course.reset();
  }

  async #examine(): Promise<void> {
    const { examine } = await import('./doctor/doctor.ts');
    await examine(this);
  }

  #act(): void {
    const { _phase } = this;
    const { attempt, stale } = this.#course;
    if (_phase === 'checking') attempt?.hurry();
    else if (_phase === 'away') attempt?.showing?.recall();
    else if (_phase === 'changed') this.#course.startAgain();
    else if (stale && _phase === 'ended') location.reload();
    else {
      // Safari does not focus a button that is clicked: then there would be nothing to return to.
      this.#find('#start')?.focus();
      this.start();
    }
  }

  /** The quieter button: to cancel, or to keep what was approved. */
  #actOtherwise(): void {
    if (this._phase === 'away') this.close();
    else void this.#course.attempt?.keep();
  }

  #showDialog(open = isInDialog(this._phase)): void {
    const dialog = this.shadowRoot?.querySelector('dialog');
    // One that is not drawn would make the page inert, with nothing to see.
    open &&= this.#isDrawn;
    this.#stillness.keep(open, this.ownerDocument);
    if (!dialog || dialog.open === open) return;
    if (open) {
      // By Escape, which a browser may not let a page prevent.
      dialog.onclose = () => dialog.open || this.close();
      dialog.showModal();
      this.#find('h2')?.focus();
    } else {
      // What is hidden for a moment alone may be seen again by then.
      dialog.onclose = () => this.#showDialog();
      dialog.close();
    }
  }

  /**
   * Whether this element can work. A server, jsdom and browsers older than the supported ones lack what
   * it needs: there it shows the content that the shop has put into it, and does nothing.
   */
  get #isAlive(): boolean {
    return 'checkVisibility' in this;
  }

  get #isDisabled(): boolean {
    return this.disabled || this._fenced;
  }

  /** Whether what is in here can be seen. The element itself may have no box of its own. */
  get #isDrawn(): boolean {
    return Boolean(this.#find('div')?.checkVisibility());
  }

  #locale(): string {
    const around = languageAround(this, this.#language);
    return this.locale || around || navigator.language;
  }

  /**
   * What a place says of the element in it. Form association would say the same of a fieldset, and
   * take the focus out of the lender's page where the shop disables that amid a checkout.
   */
  #lookAround(): void {
    this._fenced = this.closest('fieldset:disabled > :not(legend:first-of-type)') !== null;
    // Another place may have another language; the first one is asked for by the first update.
    if (this.hasUpdated) void this.#loadTexts();
  }

  async #loadTexts(): Promise<void> {
    const locale = this.#locale();
    let texts = await loadTexts(locale);
    // Not one after the other: meanwhile there would be no word for what is told.
    if (this.#course.module) texts = await complete(texts);
    if (locale === this.#locale()) this._texts = texts;
  }

  async #learn(): Promise<void> {
    const texts = this._texts;
    const whole = await complete(texts);
    // Another language may have come meanwhile.
    if (this._texts === texts) this._texts = whole;
  }

  #words(): Spoken {
    return reword(this._texts, this.texts);
  }

  /** Finds a part of this element. A tool of the page may have taken it out. */
  #find(selector: string): HTMLElement | null {
    return this.renderRoot.querySelector(selector);
  }

  /** What there is to tell in place. */
  #told(view: View): Told | undefined {
    const { module } = this.#course;
    const { phase, result, texts } = view;
    if (module && isWhole(texts)) return module.tell({ ...view, texts });
    if (phase !== 'ended') return undefined;
    // The part that has the words for everything else did not load.
    const others = Boolean(result?.retrySafe);
    const name = others ? 'unavailable' : 'checking';
    const action = others ? 'tryAgain' : 'checkNow';
    return { name, title: texts[`${name}Title`], text: texts[name], action, others };
  }

  #announcement({ phase, texts, offline }: View, told: Told | undefined): string {
    if (told) return `${told.title}. ${told.text}`;
    if (phase === 'slow' || phase === 'silent')
      return (offline ? texts.offlineTitle : texts.slow) ?? '';
    if (phase === 'shown') return texts.ready ?? '';
    if (phase === 'opening' || phase === 'loading') return texts.loading;
    return phase === 'leaving' || phase === 'away' ? texts.working : '';
  }

  protected override render(): TemplateResult {
    if (!this.#isAlive) return html`<slot></slot><slot name="other-methods"></slot>`;
    const texts = this.#words();
    const { amount, attempt, isResumable, module, result, stale } = this.#course;
    const view: View = {
      phase: this._phase,
      result,
      amount,
      resumable: this._phase === 'idle' && isResumable,
      stale,
      offline: !navigator.onLine,
      order: this.order,
      current: attempt?.current,
      keepable: Boolean(attempt?.keepable),
      recallable: Boolean(attempt?.showing?.recallable),
      further: Boolean(attempt?.showing?.further),
      texts,
    };
    // Each live region is silent while the other one can be heard: a modal dialog makes the rest
    // of the page inert, so neither alone could do.
    const told = this.#told(view);
    const said = this.#announcement(view, told);
    const inDialog = isInDialog(this._phase);
    const sum = (amount && module?.formatMoney(amount, texts.lang)) ?? '';
    return html`<div lang=${texts.lang} dir=${texts.dir}>
      ${placeView(view, told, inDialog ? '' : said, this.#isDisabled && !inDialog, {
        act: () => this.#act(),
        second: () => this.#actOtherwise(),
      })}
      ${dialogView(view, sum, inDialog ? said : '', {
        close: () => this.close(),
        reload: () => this.#course.attempt?.showing?.reload(),
        next: () => this.#course.attempt?.showing?.next(),
      })}
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'financing-checkout': FinancingCheckout;
  }
}
