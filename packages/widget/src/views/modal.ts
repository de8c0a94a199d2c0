import { lockScroll } from './scroll-lock.ts';

/** An element with a dialog in its shadow root. */
type ModalHost = HTMLElement & { close(): void };

/** Opens and closes an element's dialog, and locks the page behind it. */
export class Modal {
  readonly #element: ModalHost;
  readonly #isNeeded: () => boolean;
  readonly #resize: ResizeObserver | null;
  /** The dialog that was opened here and not closed here since. */
  #shown: Element | undefined;
  /** Lets the page scroll again. */
  #unlock: (() => void) | undefined;

  /**
   * @param element an element in a document
   * @param isNeeded whether the dialog should be open
   */
  constructor(element: ModalHost, isNeeded: () => boolean) {
    this.#element = element;
    this.#isNeeded = isNeeded;
    const { defaultView } = element.ownerDocument;
    // Hiding the element or an ancestor changes the element's size, so that the dialog closes and
    // reopens along with it.
    this.#resize = defaultView && new defaultView.ResizeObserver(() => this.update());
    this.#resize?.observe(element);
  }

  disconnect(): void {
    this.#resize?.disconnect();
    this.update(false);
  }

  update(open = this.#isNeeded()): void {
    const { ownerDocument, shadowRoot } = this.#element;
    const dialog = shadowRoot?.querySelector('dialog');
    // An invisible dialog would make the page inert. The element itself may have no box.
    open &&= Boolean(shadowRoot?.querySelector('div')?.checkVisibility());
    if (open) this.#unlock ??= lockScroll(ownerDocument);
    else {
      this.#unlock?.();
      this.#unlock = undefined;
    }
    // Escape closes a dialog before its event. An update in between must not open it again.
    if (!dialog || (dialog === this.#shown) === open) return;
    if (open) {
      this.#shown = dialog;
      // Closed by Escape, which a browser may not let the page prevent.
      dialog.onclose = () => dialog.open || this.#element.close();
      dialog.showModal();
      dialog.querySelector('h2')?.focus();
    } else {
      this.#shown = undefined;
      // A dialog that was briefly hidden may have to open again.
      dialog.onclose = () => this.update();
      dialog.close();
    }
  }
}
