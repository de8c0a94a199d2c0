import type { RenderOptions } from 'lit';
import type { Modal } from './modal.ts';
import { adoptStyles } from './styles.ts';

/** Manages an element's shadow tree: styles, dialog, and the nodes and focus across updates. */
export class Shell {
  readonly #element: HTMLElement & { close(): void };
  readonly #isInDialog: () => boolean;
  /** Set while the element is connected, once the dialog's code has loaded. */
  #modal: Modal | undefined;
  /** The rendered nodes, kept in order to detect that another tool in the page removed one. */
  #parts: readonly Element[] = [];
  /** The focused node, or the open dialog, at the start of an update. */
  #focused: Element | null | undefined;

  constructor(element: HTMLElement & { close(): void }, isInDialog: () => boolean) {
    this.#element = element;
    this.#isInDialog = isInDialog;
  }

  connect(): void {
    if (this.#element.shadowRoot) adoptStyles(this.#element.shadowRoot);
  }

  disconnect(): void {
    this.#modal?.disconnect();
    this.#modal = undefined;
  }

  /** Opens or closes the dialog. */
  show(open?: boolean): void {
    this.#modal?.update(open);
  }

  /** Must be called before an update. If nodes were removed, everything is rendered again. */
  prepare(options: RenderOptions): void {
    const root = this.#element.shadowRoot;
    if (!root) return;
    this.#focused = root.activeElement ?? root.querySelector('dialog[open]');
    // The frame must stay even if parts are missing, because the lender's page would reload.
    if (this.#parts.every((part) => root.contains(part)) || root.querySelector('iframe')) return;
    this.#parts = [];
    // Given a new `renderBefore` node, Lit renders everything again.
    root.replaceChildren((options.renderBefore = new Comment()));
  }

  /**
   * Must be called after an update.
   * @param dialog the dialog's code, once it has loaded
   */
  update(
    title: string,
    phaseChanged: boolean,
    isDisabled: boolean,
    dialog: { readonly Modal: typeof Modal } | undefined,
  ): void {
    const root = this.#element.shadowRoot;
    if (!root) return;
    const frame = root.querySelector('iframe');
    if (frame) frame.title = title;
    if (!this.#modal && dialog && this.#element.isConnected) {
      this.#modal = new dialog.Modal(this.#element, this.#isInDialog);
      this.#parts = [];
    }
    this.#modal?.update();
    if (!this.#parts[0]) this.#parts = [...root.querySelectorAll('[part],[role],slot')];
    this.#restoreFocus(root, phaseChanged, isDisabled);
  }

  /** Returns the focus to where the shopper was. */
  #restoreFocus(root: ShadowRoot, phaseChanged: boolean, isDisabled: boolean): void {
    const find = (selector: string) => root.querySelector<HTMLElement>(selector);
    const focused = this.#focused;
    if (this.#isInDialog()) {
      // The focused frame or button may have been hidden.
      if (focused?.checkVisibility() === false) find('h2')?.focus();
      return;
    }
    // Focuses the button, or the title of the notice that replaces it.
    const button = find('#start');
    const moves = phaseChanged ? focused : focused === button;
    if (moves) (button?.hidden || isDisabled ? find('h3') : button)?.focus();
  }
}
