import type { TemplateResult } from 'lit';
import { FinancingMessageOpenEvent } from '../events/message-open-event.ts';
import { FinancingQualifyEvent } from '../events/qualify-event.ts';
import { parse } from '../platform/address.ts';
import { Modal } from '../views/modal.ts';
import { sheetAdopter } from '../views/sheet.ts';
import { styles } from '../views/styles.ts';
import type { Content } from './content.ts';
import { detailsStyles } from './dialog-styles.ts';
import { dialogView } from './dialog-view.ts';
import type { MessageHost } from './host.ts';
import { englishMessage, loadMessageTexts } from '../texts/message-texts.ts';

/** An element that a message can start, such as `<financing-prequalify>`. */
type Starter = Element & { start?: () => unknown };

/**
 * The dialog's styles come first so that the message's own styles override them: the message must
 * not change when the dialog opens.
 */
const adoptDialogStyles = sheetAdopter(styles + detailsStyles, true);

/** A message's dialog: all programmes for the amount, an example, FAQ answers and disclosures. */
export class MessageDialog {
  isOpen = false;
  readonly #element: MessageHost;
  readonly #modal: Modal;
  #spoken = englishMessage;
  /** The locale for which the texts were loaded. */
  #locale = '';

  constructor(element: MessageHost) {
    this.#element = element;
    this.#modal = new Modal(element, () => this.isOpen);
  }

  disconnect(): void {
    this.#modal.disconnect();
  }

  /** Opens the dialog once its texts have loaded. */
  async open(locale: string, content: Content | undefined): Promise<void> {
    await this.#load(locale);
    const [offer] = content?.offers ?? [];
    // During the load, the dialog may have been opened again or the element removed.
    if (!offer || this.isOpen || !this.#element.isConnected) return;
    this.isOpen = true;
    this.#element.requestUpdate();
    await this.#element.updateComplete;
    const { amount, programme } = offer;
    this.#element.dispatchEvent(new FinancingMessageOpenEvent(amount, programme.currency));
  }

  close(): void {
    this.isOpen = false;
    this.#modal.update();
  }

  async #load(locale: string): Promise<void> {
    this.#locale = locale;
    const spoken = await loadMessageTexts(locale);
    // The language may have changed during the load.
    if (locale === this.#locale) this.#spoken = spoken;
  }

  /** Opens or closes the rendered dialog. Must be called after an update. */
  update(locale: string): void {
    const root = this.#element.shadowRoot;
    if (!root) return;
    adoptDialogStyles(root);
    // Without a matching programme there is nothing to show.
    this.isOpen &&= root.querySelector('dialog') !== null;
    this.#modal.update();
    if (this.isOpen && locale !== this.#locale) {
      void this.#load(locale).then(() => this.#element.requestUpdate());
    }
  }

  render(content: Content): TemplateResult {
    const href = this.#element.getAttribute('qualify-href');
    const link = href ? parse(href) : undefined;
    const isLink = link && /^https?:$/.test(link.protocol);
    return dialogView(content, this.#spoken, this.#locale, {
      close: () => this.#element.close(),
      qualify: (event) => this.#qualify(event, content),
      canQualify: isLink ?? this.#starter() !== null,
      href: isLink && link.href,
    });
  }

  #starter(): Starter | null {
    const { ownerDocument } = this.#element;
    const prequalify = this.#element.getAttribute('prequalify');
    return prequalify
      ? ownerDocument.getElementById(prequalify)
      : ownerDocument.querySelector('financing-prequalify');
  }

  #qualify(event: Event, { offers: [offer] }: Content): void {
    const { amount, programme } = offer;
    const asks = new FinancingQualifyEvent(amount, programme.currency);
    const isAllowed = this.#element.dispatchEvent(asks);
    if (!isAllowed) event.preventDefault();
    // Closed first, so that the next dialog does not open in an inert page.
    this.close();
    if (isAllowed && event.currentTarget instanceof HTMLButtonElement) this.#starter()?.start?.();
  }
}
