import type { RenderOptions } from 'lit';
import { Modal } from './modal.ts';
import { RenderedTree } from './rendered-tree.ts';
import { adoptStyles } from './styles.ts';

/** The shadow tree of an element: its styles, its dialog, its nodes and its focus. */
export class Shell {
  readonly #element: HTMLElement & { close(): void };
  readonly #isInDialog: () => boolean;
  readonly #modal: Modal;
  readonly #tree = new RenderedTree();

  constructor(element: HTMLElement & { close(): void }, isInDialog: () => boolean) {
    this.#element = element;
    this.#isInDialog = isInDialog;
    this.#modal = new Modal(element, isInDialog);
  }

  connect(): void {
    if (this.#element.shadowRoot) adoptStyles(this.#element.shadowRoot);
    this.#modal.connect();
  }

  disconnect(): void {
    this.#modal.disconnect();
  }

  /** Opens or closes the dialog. */
  show(open?: boolean): void {
    this.#modal.update(open);
  }

  /** Call it before an update. */
  prepare(options: RenderOptions): void {
    const root = this.#element.shadowRoot;
    // With a new place to render before, Lit renders everything again.
    if (root && this.#tree.check(root)) root.append((options.renderBefore = new Comment()));
  }

  /** Call it after an update. */
  update(title: string, phaseChanged: boolean, isDisabled: boolean): void {
    const root = this.#element.shadowRoot;
    if (!root) return;
    const frame = root.querySelector('iframe');
    if (frame) frame.title = title;
    this.#modal.update();
    this.#tree.restoreFocus(root, this.#isInDialog(), phaseChanged, isDisabled);
  }
}
