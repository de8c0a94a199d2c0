import { html, nothing } from 'lit';
import type { PropertyDeclarations, TemplateResult } from 'lit';
import { FinancingMessageShownEvent, SHOWN } from '../events/message-shown-event.ts';
import { FinancingElement } from '../views/element.ts';
import { catalogOf } from './catalog.ts';
import type { Catalog } from './catalog.ts';
import { contentOf } from './content.ts';
import type { Content } from './content.ts';
import type { MessageDialog } from './dialog.ts';
import { amountIn, servedFor } from './programmes.ts';
import { adoptMessageStyles } from './styles.ts';
import { messageView } from './view.ts';

/** False on a server, in jsdom and in old browsers, where the element renders nothing. */
const isSupported = () => 'IntersectionObserver' in globalThis && 'querySelectorAll' in document;

/**
 * Elements that the page contained before the tag was defined, which the browser may have painted.
 */
const early = new WeakSet<Element>(
  isSupported() ? document.querySelectorAll('financing-message') : [],
);

/**
 * Shows what a purchase costs with financing, in the lender's own words, on product, category and
 * cart pages. The programmes come from the companion: one request for all elements on a page.
 *
 * @summary What a purchase costs with financing.
 * @tag financing-message
 *
 * @slot qualify - Label of the button "See if you qualify".
 *
 * @attr {string} prequalify - ID of the `<financing-prequalify>` to start; by default the first
 * one.
 * @attr {string} qualify-href - Address of a page where shoppers see if they qualify.
 * @attr {string} sku - With `service`: SKU of the product, or `cart_sku`.
 * @attr {string} widget-type - With `service`: kind of the widget.
 * @attr {string} profile-id - With `service`: profile of the widget.
 * @attr {string} financing-page-url - With `service`: the shop's page about financing.
 * @attr {string} sdk-url - With `service`: address of the service's script.
 * @attr {string} public-key - With `service`: the Public API Key.
 *
 * @event {FinancingMessageShownEvent} financing-message-shown - The message has been visible.
 * @event {FinancingMessageOpenEvent} financing-message-open - The shopper opened the dialog.
 * @event {FinancingQualifyEvent} financing-qualify - "See if you qualify" was pressed; cancelable.
 *
 * @csspart message - The message.
 * @csspart text - The lender's text.
 * @csspart last-payment - The last payment, if it differs and the text does not mention it.
 * @csspart disclosure - The lender's disclosure: a link or a text.
 * @csspart learn-more - The button that opens the dialog.
 * @csspart dialog - The dialog.
 * @csspart header - Its header.
 * @csspart title - The title in the header.
 * @csspart amount - The amount in the header.
 * @csspart close - The close button in the header.
 * @csspart details - The content of the dialog.
 * @csspart table - The table of programmes.
 * @csspart qualify - The button or link "See if you qualify".
 *
 * @cssproperty --financing-message-lines - Lines that the message reserves (1 to 5, by its width).
 * @cssproperty --financing-accent - Color of the button in the page, and background of the one in
 * the dialog.
 * @cssproperty --financing-on-accent - Text on the dialog's button.
 * @cssproperty --financing-surface - Background of the dialog.
 * @cssproperty --financing-text - Text.
 * @cssproperty --financing-muted - Secondary text, and the disclosure.
 * @cssproperty --financing-line - Lines.
 * @cssproperty --financing-focus - The focus ring.
 * @cssproperty --financing-backdrop - The backdrop of the dialog.
 * @cssproperty --financing-radius - Corner radius (10px).
 * @cssproperty --financing-font - Font family (the page's).
 * @cssproperty --financing-dialog-width - Width of the dialog on large screens (44em).
 */
export class FinancingMessage extends FinancingElement {
  static override readonly properties: PropertyDeclarations = {
    amount: {},
    currency: {},
    companion: {},
    category: {},
    source: {},
  };

  /** Price in integer minor units, with or without tax as the shop shows it. Required. */
  declare amount: number | string | null | undefined;
  /** ISO 4217 code of the price. Required. */
  declare currency: string | null | undefined;
  /** Address of the companion. Required, except with `source="service"`. */
  declare companion: string | null | undefined;
  /** Product category, for programmes that are limited to some categories. */
  declare category: string | null | undefined;
  /** `service` shows the service's own promotional widget instead of the companion's programmes. */
  declare source: string | null | undefined;

  #catalog: Catalog | undefined;
  #content: Content | undefined;
  #dialog: MessageDialog | undefined;
  #visibility: IntersectionObserver | undefined;
  #isVisible = false;
  readonly #shown = new Set<string>();
  /**
   * Whether the message's reserved space may have been painted, so that removing it would shift the
   * layout.
   */
  #isHeld = false;
  /** Whether the message is still the server's, because the element cannot render its own yet. */
  #isServed = false;

  override connectedCallback(): void {
    super.connectedCallback();
    if (!isSupported()) return;
    this.#isHeld =
      early.has(this) &&
      !this.hasAttribute('collapsed') &&
      performance.getEntriesByType('paint').length > 0;
    early.delete(this);
    this.#visibility = new IntersectionObserver(
      (entries) => {
        this.#isVisible = (entries.at(-1)?.intersectionRatio ?? 0) >= 0.5;
        this.#reportShown();
      },
      { threshold: 0.5 },
    );
    // The language or the document may differ in the new place.
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#catalog?.delete(this);
    this.#catalog = undefined;
    this.#visibility?.disconnect();
    this.#dialog?.disconnect();
    this.#dialog = undefined;
    this.#isVisible = false;
  }

  protected override _onContext(): void {
    this.requestUpdate();
  }

  protected override createRenderRoot(): ShadowRoot {
    this.#isServed = this.shadowRoot !== null;
    return this.shadowRoot ?? this.attachShadow({ mode: 'open' });
  }

  /**
   * Delays the first update until it can replace the server-rendered message. Until then, a message
   * that the server rendered for other attributes is hidden but keeps its space.
   */
  protected override shouldUpdate(): boolean {
    if (!isSupported() || !this.isConnected) return false;
    const catalog = this.source === 'service' ? undefined : catalogOf(this.companion);
    if (catalog !== this.#catalog) {
      this.#catalog?.delete(this);
      this.#catalog = catalog;
      catalog?.add(this);
    }
    if (this.#isServed) {
      const isCurrent = this.getAttribute('rendered') === servedFor(this);
      const message = this.shadowRoot?.querySelector('p');
      if (message) message.style.visibility = isCurrent ? 'visible' : 'hidden';
      if (catalog && !catalog.programmes) return false;
      this.#isHeld ||= !this.hasAttribute('collapsed');
      this.#isServed = false;
      this.shadowRoot?.replaceChildren();
    }
    return true;
  }

  protected override willUpdate(): void {
    const { amount, category, currency } = this;
    const programmes = this.#catalog?.programmes;
    const isService = this.source === 'service';
    this.#content =
      programmes && contentOf(programmes, { amount, category, currency }, this._language);
    const isShown = this.#content ?? (isService && amountIn(amount));
    // A missing amount may still be set later. An amount that is not a number or fits no programme
    // needs no space.
    const isMissing = amount === undefined || amount === null;
    this.#isHeld ||= Boolean(isShown) || isMissing || !(programmes ?? isService);
    this.toggleAttribute('collapsed', !this.#isHeld);
  }

  protected override updated(): void {
    const root = this.shadowRoot;
    const message = root?.querySelector('p');
    if (!root || !message) return;
    adoptMessageStyles(root);
    this.#visibility?.observe(message);
    if (this.source === 'service') {
      void import('./service.ts').then(({ place }) => place(this)).catch(() => undefined);
    }
    this.#dialog?.update(this._language);
    this.#reportShown();
  }

  /** Opens the dialog with all programmes for the amount. Does nothing if none fits. */
  async open(): Promise<void> {
    if (!this.#content) return;
    // Safari does not focus a clicked button, but the focus must return to it.
    this.shadowRoot?.querySelector('button')?.focus();
    const module = await import('./dialog.ts').catch(() => undefined);
    if (!module || !this.isConnected) return;
    this.#dialog ??= new module.MessageDialog(this);
    await this.#dialog.open(this._language, this.#content);
  }

  /** Closes the dialog. */
  close(): void {
    this.#dialog?.close();
  }

  /** Reports the message if it is visible. The companion receives the last message shown in the tab. */
  #reportShown(): void {
    if (!this.#content || !this.#isVisible) return;
    const { lender, offers } = this.#content;
    const [{ amount, programme }] = offers;
    const { id: textId, sha256 } = lender.source;
    const { currency, id: programmeId } = programme;
    const message = { programmeId, textId, sha256, amount, currency };
    const shown = { ...message, shownAt: new Date().toISOString() };
    try {
      sessionStorage.setItem(SHOWN, JSON.stringify(shown));
    } catch {
      // If storage is blocked or full, the order has no evidence of a message.
    }
    const key = `${textId} ${sha256} ${amount}`;
    if (this.#shown.has(key)) return;
    this.#shown.add(key);
    this.dispatchEvent(new FinancingMessageShownEvent(shown));
  }

  protected override render(): TemplateResult {
    const content = this.#content;
    return html`<p part="message" lang=${content?.lang ?? nothing} dir=${content?.dir ?? nothing}>
        ${
          this.source === 'service'
            ? amountIn(this.amount) && html`<slot></slot>`
            : content && messageView(content, () => void this.open())
        }
      </p>
      ${content && this.#dialog?.render(content)}`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'financing-message': FinancingMessage;
  }
}
