import { html, nothing } from 'lit';
import { formats, texts } from '../locale/locale.ts';
import { elementWith } from '../parts/element.ts';
import { paths } from '../parts/navigation.ts';
import { IMPORTS_CHANGED, shownImports } from '../parts/running-imports.ts';

const icons = { done: 'circle-check', failed: 'circle-alert' } as const;

/** Shows on every page which file is being imported, its progress, and how it ended. */
class ImportIndicator extends elementWith({ language: '' }) {
  readonly #changed = () => this.requestUpdate();

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener(IMPORTS_CHANGED, this.#changed);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener(IMPORTS_CHANGED, this.#changed);
  }

  protected override render() {
    const { shell } = texts();
    const [first, ...more] = shownImports();
    if (first === undefined) return nothing;
    const { file, state, share } = first;
    const isEnded = state === 'done' || state === 'failed';
    const percent = formats().percent(Math.floor((share ?? 0) * 100) * 100);
    const progress = share === undefined || state !== 'sending' ? '' : ` ${percent}`;
    const text = `${shell.importStates[state]}${progress}`;
    return html`<a
      class="running-import ${state}"
      href=${paths.imports}
      title="${file}: ${text}"
      aria-label=${shell.runningImport(file, text, more.length)}
    >
      ${
        isEnded
          ? html`<wa-icon name=${icons[state]}></wa-icon>`
          : html`<progress
              max="1"
              value=${state === 'sending' ? (share ?? nothing) : nothing}
              aria-hidden="true"
            ></progress>`
      }
      <span class="file">${file}</span><span class="state-text">${text}</span>
      ${more.length === 0 ? nothing : html`<span class="quiet">+${more.length}</span>`}
    </a>`;
  }
}

customElements.define('console-import-indicator', ImportIndicator);
