import { html, nothing } from 'lit';
import { post } from '../../api/client.ts';
import { texts } from '../../locale/locale.ts';
import { Action } from '../../parts/action.ts';
import { formDialog } from '../../parts/dialog.ts';
import { LightElement } from '../../parts/element.ts';

/** Rebuilds the analytics database, after a warning. */
class AnalyticsRebuild extends LightElement {
  readonly #rebuild = new Action(this, () => {
    this.querySelector('dialog')?.close();
    return post('/rebuild', {});
  });

  protected override render() {
    const { sync } = texts();
    const { isRunning, state } = this.#rebuild;
    return html`<h2>${sync.maintenance}</h2>
      <div class="row">
        <wa-button
          appearance="outlined"
          ?loading=${isRunning}
          @click=${() => this.querySelector('dialog')?.showModal()}
          >${sync.rebuild}</wa-button
        >
        <span role="status" class="quiet"
          >${isRunning ? sync.rebuildRunning : state === 'done' ? sync.rebuilt : nothing}</span
        >
      </div>
      ${this.#rebuild.errorView()}
      ${formDialog({
        title: sync.rebuildTitle,
        content: html`<p>${sync.rebuildText}</p>`,
        verb: sync.rebuildConfirm,
        variant: 'danger',
        isBusy: isRunning,
        onSubmit: () => void this.#rebuild.run(),
      })}`;
  }
}

customElements.define('console-rebuild', AnalyticsRebuild);
