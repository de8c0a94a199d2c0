import { LitElement, html, nothing } from 'lit';
import { post } from '../../api/client.ts';
import { texts } from '../../locale/locale.ts';
import { errorView } from '../../parts/states.ts';

/** Rebuilds the analytics database, after a warning. */
class AnalyticsRebuild extends LitElement {
  static override properties = {
    isBusy: { state: true },
    isDone: { state: true },
    error: { state: true },
  };
  declare isBusy: boolean;
  declare isDone: boolean;
  declare error: unknown;

  constructor() {
    super();
    this.isBusy = false;
    this.isDone = false;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  async #rebuild(): Promise<void> {
    if (this.isBusy) return;
    this.#close();
    [this.isBusy, this.isDone, this.error] = [true, false, undefined];
    try {
      await post('/rebuild', {});
      this.isDone = true;
    } catch (error) {
      this.error = error;
    } finally {
      this.isBusy = false;
    }
  }

  #close(): void {
    this.querySelector('dialog')?.close();
  }

  protected override render() {
    const { sync, common } = texts();
    return html`<h2>${sync.maintenance}</h2>
      <div class="row">
        <wa-button
          appearance="outlined"
          ?loading=${this.isBusy}
          @click=${() => this.querySelector('dialog')?.showModal()}
          >${sync.rebuild}</wa-button
        >
        <span role="status" class="quiet"
          >${this.isBusy ? sync.rebuildRunning : this.isDone ? sync.rebuilt : nothing}</span
        >
      </div>
      ${this.error === undefined ? nothing : errorView(this.error)}
      <dialog class="ask" aria-labelledby="rebuild-title">
        <h2 id="rebuild-title">${sync.rebuildTitle}</h2>
        <p>${sync.rebuildText}</p>
        <div class="row end">
          <wa-button appearance="outlined" @click=${() => this.#close()}
            >${common.cancel}</wa-button
          >
          <wa-button variant="danger" @click=${() => void this.#rebuild()}
            >${sync.rebuildConfirm}</wa-button
          >
        </div>
      </dialog>`;
  }
}

customElements.define('console-rebuild', AnalyticsRebuild);
