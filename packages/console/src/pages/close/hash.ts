import { html } from 'lit';
import { texts } from '../../locale/locale.ts';
import { elementWith } from '../../parts/element.ts';
import { plainButton } from '../../parts/views.ts';

const SHORT = 12;

/** The beginning of a hash, with a button that copies the whole hash. */
class CloseHash extends elementWith({
  hash: '',
  /** The button's name. */
  label: '',
  /** Whether the whole hash is shown. */
  isWhole: false,
  isCopied: false,
}) {
  async #copy(): Promise<void> {
    await navigator.clipboard.writeText(this.hash);
    this.isCopied = true;
  }

  protected override render() {
    const { hash, label, isWhole, isCopied } = this;
    const icon = isCopied ? 'check' : 'copy';
    return html`<code title=${hash}>${isWhole ? hash : `${hash.slice(0, SHORT)}…`}</code>
      ${plainButton('', () => this.#copy(), { icon, label })}
      <span class="sr" role="status">${isCopied ? texts().common.copied : ''}</span>`;
  }
}

customElements.define('close-hash', CloseHash);
