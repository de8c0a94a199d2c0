import { html, nothing } from 'lit';
import { post } from '../../api/client.ts';
import { texts } from '../../locale/locale.ts';
import { formDialog } from '../../parts/dialog.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { errorView } from '../../parts/states.ts';
import { maybe } from '../../parts/views.ts';

/** Rebuilds the analytics database, after a warning. */
class AnalyticsRebuild extends elementWith({
  isBusy: false,
  isDone: false,
  error: optional<unknown>(),
}) {
  async #rebuild(): Promise<void> {
    this.querySelector('dialog')?.close();
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

  protected override render() {
    const { sync } = texts();
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
      ${maybe(this.error, (error) => errorView(error))}
      ${formDialog({
        title: sync.rebuildTitle,
        content: html`<p>${sync.rebuildText}</p>`,
        verb: sync.rebuildConfirm,
        variant: 'danger',
        isBusy: this.isBusy,
        onSubmit: () => void this.#rebuild(),
      })}`;
  }
}

customElements.define('console-rebuild', AnalyticsRebuild);
