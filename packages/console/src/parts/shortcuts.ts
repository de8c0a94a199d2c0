import { html, nothing, type ReactiveController, type ReactiveControllerHost } from 'lit';
import { texts } from '../locale/locale.ts';
import { elementWith } from './element.ts';
import { checkField } from './fields.ts';
import { plainButton } from './views.ts';

/** A key and its effect on a page. */
export interface Shortcut {
  /** Key names as in `KeyboardEvent.key`, in lower case: `j`, `arrowdown`. */
  keys: readonly string[];
  /** What the key does, for the list of keys. */
  text: string;
  /** Undefined for a key that an element handles itself, such as Enter on a link. */
  run?: ((event: KeyboardEvent) => void) | undefined;
}

/**
 * An input method's keys, such as the Enter that chooses Japanese characters, must not reach the
 * console's handlers. Safari sends that Enter after the composition, with the input method's key
 * code.
 */
addEventListener(
  'keydown',
  (event) => {
    // oxlint-disable-next-line typescript/no-deprecated -- the only sign of it in Safari
    if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
  },
  true,
);

const STORED = 'financing-console-keys';

/** Whether single keys act. People who dictate text or type with one hand turn them off. */
const areKeysOn = (): boolean => localStorage.getItem(STORED) !== 'off';

/** Whether a key press belongs to a text field. */
function isInField(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof Element &&
    target.closest(
      'textarea, select, [contenteditable=""], [contenteditable="true"], ' +
        'input:not([type="checkbox"], [type="radio"], [type="button"], [type="submit"])',
    ) !== null
  );
}

/**
 * A page's single-key shortcuts. They act only while no text field has the focus, no dialog is open
 * and no modifier is pressed, and never if the user has turned them off. `?` shows all of them.
 */
export class Shortcuts implements ReactiveController {
  readonly #list: () => readonly Shortcut[];
  readonly #host: ReactiveControllerHost & HTMLElement;

  constructor(host: ReactiveControllerHost & HTMLElement, list: () => readonly Shortcut[]) {
    this.#host = host;
    this.#list = list;
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener('keydown', this.#onKey);
  }

  hostDisconnected(): void {
    removeEventListener('keydown', this.#onKey);
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (event.defaultPrevented || hasModifier || isInField(event)) return;
    if (!areKeysOn() || document.querySelector('dialog[open]') !== null) return;
    const key = event.key.toLowerCase();
    if (key === '?') {
      event.preventDefault();
      this.show();
      return;
    }
    const shortcut = this.#list().find(({ keys, run }) => run !== undefined && keys.includes(key));
    if (shortcut === undefined) return;
    event.preventDefault();
    shortcut.run?.(event);
  };

  /** Shows the page's keys in a dialog. */
  show(): void {
    const help = document.createElement('shortcut-help');
    help.list = this.#list();
    help.addEventListener('closed', () => {
      help.remove();
      // The keys may be off now, and with them their hints.
      this.#host.requestUpdate();
    });
    this.#host.append(help);
  }

  /** Shows the button that lists the keys. It is hidden on a screen without a keyboard. */
  button(): unknown {
    return html`<span class="keyboard-only"
      >${plainButton(html`${texts().common.keys.title} ${keyHint('?')}`, () => this.show(), {
        keys: keyShortcut('?'),
      })}</span
    >`;
  }
}

const names: Readonly<Record<string, string>> = {
  arrowdown: '↓',
  arrowup: '↑',
  enter: 'Enter',
  escape: 'Esc',
};
const nameOf = (key: string) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key);

/** Shows a key next to what it does. Screen readers get it from `aria-keyshortcuts`. */
export function keyHint(key: string): unknown {
  return areKeysOn() || key.length > 1
    ? html`<kbd class="keyboard-only" aria-hidden="true">${nameOf(key)}</kbd>`
    : nothing;
}

/** Returns the value of `aria-keyshortcuts` for a single key; undefined while such keys are off. */
export const keyShortcut = (key: string): string | undefined =>
  areKeysOn() ? key.toUpperCase() : undefined;

/** The dialog with a page's keys. Fires `closed`. */
class ShortcutHelp extends elementWith({ list: [] as readonly Shortcut[] }) {
  protected override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
  }

  protected override render() {
    const { common } = texts();
    return html`<dialog
      aria-labelledby="keys-title"
      @close=${() => this.dispatchEvent(new CustomEvent('closed'))}
    >
      <h2 id="keys-title">${common.keys.title}</h2>
      <dl class="keys">
        ${this.list.map(
          ({ keys, text }) =>
            html`<div>
              <dt>${keys.map((key) => html`<kbd>${nameOf(key)}</kbd> `)}</dt>
              <dd>${text}</dd>
            </div>`,
        )}
        <div>
          <dt><kbd>?</kbd></dt>
          <dd>${common.keys.help}</dd>
        </div>
      </dl>
      ${checkField(common.keys.on, areKeysOn(), (isOn) => {
        if (isOn) localStorage.removeItem(STORED);
        else localStorage.setItem(STORED, 'off');
      })}
      <div class="row end">
        <wa-button appearance="outlined" @click=${() => this.querySelector('dialog')?.close()}
          >${common.close}</wa-button
        >
      </div>
    </dialog>`;
  }
}

customElements.define('shortcut-help', ShortcutHelp);

declare global {
  interface HTMLElementTagNameMap {
    'shortcut-help': ShortcutHelp;
  }
}
