/** Keeps the rendered nodes complete, and the focus in place, across updates. */
export class RenderedTree {
  /** The rendered nodes, to notice when a tool of the page removes one. */
  #parts: readonly Element[] = [];
  /** The focused node, or the open dialog, when an update begins. */
  #focused: Element | null | undefined;

  /**
   * Call it before an update.
   * @returns whether parts were removed: the root is empty now and must be rendered again
   */
  check(root: ShadowRoot): boolean {
    this.#focused = root.activeElement ?? root.querySelector('dialog[open]');
    // The frame must stay, even if parts are missing: the lender's page would load again.
    if (this.#parts.every((part) => root.contains(part)) || root.querySelector('iframe')) {
      return false;
    }
    this.#parts = [];
    root.replaceChildren();
    return true;
  }

  /** Returns the focus to the place where the shopper was. Call it after an update. */
  restoreFocus(
    root: ParentNode,
    inDialog: boolean,
    phaseChanged: boolean,
    isDisabled: boolean,
  ): void {
    const find = (selector: string) => root.querySelector<HTMLElement>(selector);
    if (!this.#parts[0]) this.#parts = [...root.querySelectorAll('[part],[role],slot')];
    const focused = this.#focused;
    if (inDialog) {
      // The focused frame or button may have been hidden.
      if (focused?.checkVisibility() === false) find('h2')?.focus();
      return;
    }
    // To the button, or to the title of the notice that replaces it.
    const button = find('#start');
    const moves = phaseChanged ? focused : focused === button;
    if (moves) (button?.hidden || isDisabled ? find('h3') : button)?.focus();
  }
}
