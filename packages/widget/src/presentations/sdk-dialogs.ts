/*
 * A modal `<dialog>` makes the rest of the page inert (HTML, "modal dialogs and inert subtrees").
 * The service adds its modal to the page and does not document whether that is also a `<dialog>`:
 * behind one of the shop's modal dialogs, it could be neither seen nor clicked.
 */

import { aborted } from '../platform/abort.ts';
import { BlockedError } from './presentation.ts';
import type { Ending, Shown } from './presentation.ts';
import type { PresentOptions, ReadySdk } from './sdk-ready.ts';

/** Returns the parent in the flat tree, which is the tree that is rendered. */
function parentOf(node: Node): Node | null {
  if (node instanceof ShadowRoot) return node.host;
  return (node instanceof Element ? node.assignedSlot : null) ?? node.parentNode;
}

/**
 * Returns the shop's modal dialogs, starting with those around the element, from the inside out.
 */
function modalsFor(element: Element): readonly HTMLDialogElement[] {
  const modals = new Set<HTMLDialogElement>();
  for (let node: Node | null = element; node; node = parentOf(node)) {
    if (node instanceof HTMLDialogElement && node.matches(':modal')) modals.add(node);
  }
  const others = element.ownerDocument.querySelectorAll<HTMLDialogElement>('dialog:modal');
  return [...modals, ...others].filter((one, index, all) => all.indexOf(one) === index);
}

/**
 * Returns the focused element in the innermost shadow tree, or undefined if it is the page's body.
 */
function focusedIn({ activeElement, body }: Document): HTMLElement | undefined {
  let focused = activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused instanceof HTMLElement && focused !== body ? focused : undefined;
}

/** Returns the element's button, or the title of the notice that replaces it. */
function placeIn({ shadowRoot }: Element): HTMLElement | undefined {
  const places = shadowRoot?.querySelectorAll<HTMLElement>('h3, #start') ?? [];
  return [...places].find((one) => one.checkVisibility());
}

/**
 * Temporarily makes one of the shop's modal dialogs non-modal, in place, and hides the resulting
 * events from the shop.
 */
class SuspendedDialog {
  readonly #dialog: HTMLDialogElement;
  readonly #listening = new AbortController();
  readonly #closedBy: string | null;
  /** The dialog's inline styles before the change. */
  readonly #styles: readonly (readonly [name: string, value: string])[];
  /** Number of pending events caused by calls in this class. */
  #unheard = 0;
  #isSwitching = false;

  constructor(dialog: HTMLDialogElement) {
    this.#dialog = dialog;
    this.#closedBy = dialog.getAttribute('closedby');
    const root = dialog.getRootNode();
    const { signal } = this.#listening;
    for (const type of ['beforetoggle', 'close', 'toggle']) {
      root.addEventListener(type, (event) => this.#hush(event), { capture: true, signal });
    }
    const { left, top, width, height } = dialog.getBoundingClientRect();
    const { style } = dialog;
    const styles = Object.entries({
      position: 'fixed',
      inset: `${top}px auto auto ${left}px`,
      margin: '0',
      transform: 'none',
      translate: 'none',
      'box-sizing': 'border-box',
      'inline-size': `${width}px`,
      'block-size': `${height}px`,
    });
    this.#styles = styles.map(([name]) => [name, style.getPropertyValue(name)]);
    this.#set(styles);
    // A click outside the dialog, or Escape, is meant for the service's modal.
    dialog.setAttribute('closedby', 'none');
    this.#switch(() => dialog.show());
  }

  /**
   * Makes the dialog modal again, unless the shop has closed it.
   * @param place element that is focused first, because a closing dialog returns the focus to its
   *   opener only from within the dialog
   */
  resume(place: HTMLElement | undefined): void {
    const dialog = this.#dialog;
    this.#set(this.#styles);
    if (!dialog.getAttribute('style')) dialog.removeAttribute('style');
    if (this.#closedBy === null) dialog.removeAttribute('closedby');
    else dialog.setAttribute('closedby', this.#closedBy);
    if (dialog.isConnected && dialog.open && !dialog.matches(':modal')) {
      place?.focus({ preventScroll: true });
      this.#switch(() => dialog.showModal());
    }
    if (this.#unheard === 0) this.#listening.abort();
  }

  #set(styles: readonly (readonly [name: string, value: string])[]): void {
    for (const [name, value] of styles) this.#dialog.style.setProperty(name, value);
  }

  #switch(open: () => void): void {
    this.#isSwitching = true;
    this.#unheard++;
    this.#dialog.close();
    open();
    this.#isSwitching = false;
  }

  #hush(event: Event): void {
    if (event.target !== this.#dialog) return;
    if (event.type === 'close') {
      // The shop may also have closed the dialog.
      if (this.#unheard === 0) return;
      this.#unheard--;
    } else if (!this.#isSwitching) {
      // The later toggle event reports that the dialog was open before and is open now.
      const { newState, oldState } = event as ToggleEvent;
      if (newState !== oldState) return;
    }
    event.stopImmediatePropagation();
  }
}

/**
 * Makes the shop's modal dialogs non-modal.
 * @returns a function that makes the dialogs modal again, and returns the focus to where it was, or
 *   to the element
 */
function suspendDialogs(element: HTMLElement): () => void {
  const { ownerDocument: page } = element;
  const focused = focusedIn(page);
  const suspended = modalsFor(element).map((dialog) => new SuspendedDialog(dialog));
  if (suspended.length > 0) {
    focused?.focus({ preventScroll: true });
    console.debug(
      `<${element.localName}> makes the shop’s <dialog> non-modal while the service’s modal is open.`,
    );
  }
  return () => {
    const place = focusedIn(page) ?? placeIn(element);
    for (const dialog of suspended.splice(0).reverse()) dialog.resume(place);
    place?.focus({ preventScroll: true });
  };
}

/**
 * Returns an SDK whose modal can be used from within the shop's modal dialogs, which are non-modal
 * while the SDK's modal is open. Call `present` after the element's own dialog has closed.
 */
function besideDialogs({ dispose, present }: ReadySdk, element: HTMLElement): ReadySdk {
  let resume: (() => void) | undefined;
  // Deferred, because an Escape that closes the service's modal would also close a dialog that is
  // already modal again.
  const resumeLater = () => {
    if (resume) setTimeout(resume);
    resume = undefined;
  };
  return {
    present: async (kind, options) => {
      resume = suspendDialogs(element);
      const callback = (...values: unknown[]) => {
        resumeLater();
        options.callback(...values);
      };
      try {
        return await present(kind, { ...options, callback });
      } catch (error) {
        resumeLater();
        throw error;
      }
    },
    dispose:
      dispose &&
      (() => {
        dispose();
        resumeLater();
      }),
  };
}

/**
 * Shows the SDK's dialog until it settles, even from within the shop's modal dialogs.
 * @param optionsOf returns the dialog's options, whose callbacks settle it
 */
export function showDialog(
  sdk: ReadySdk,
  kind: 'checkout' | 'apply',
  element: HTMLElement,
  signal: AbortSignal,
  optionsOf: (settle: (end: Ending) => void, dispose: ReadySdk['dispose']) => PresentOptions,
): Shown {
  const { dispose, present } = besideDialogs(sdk, element);
  let settle!: (end: Ending) => void;
  let fail!: (reason: BlockedError) => void;
  const done = new Promise<Ending>((resolve, reject) => ([settle, fail] = [resolve, reject]));
  // The SDK's error is not reported because it may contain personal data.
  const failed = () =>
    fail(new BlockedError('sdk-unusable', 'The service’s script failed to present.'));
  try {
    // `present` may return a promise; any other return value is ignored.
    Promise.resolve(present(kind, optionsOf(settle, dispose))).catch(failed);
  } catch {
    failed();
  }
  // If the page itself initialized the SDK, only the shopper can close its dialog.
  const askToClose =
    dispose &&
    (() => {
      dispose();
      settle({ type: 'ended', reason: 'cancelled' });
    });
  return { end: Promise.race([done, aborted(signal)]), askToClose };
}
