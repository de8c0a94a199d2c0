import { html, nothing } from 'lit';
import type { ListedImport, Withdrawal } from '@financing-checkout/contract';
import { newKey, post } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { formDialog, openDialog } from '../../parts/dialog.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { PagedList } from '../../parts/list.ts';
import { problemView } from '../../parts/states.ts';
import type { Column } from '../../parts/table.ts';
import {
  badgeView,
  calloutView,
  headView,
  maybe,
  plainButton,
  problemText,
} from '../../parts/views.ts';

/** The imports, newest first. Each can be withdrawn with a reason. */
class ImportList extends elementWith({
  /** Whether the user has permission to withdraw imports. */
  mayWithdraw: false,
  /** The import whose withdrawal awaits confirmation. */
  chosen: optional<ListedImport>(),
  problem: optional<unknown>(),
  isBusy: false,
  done: optional<string>(),
}) {
  /** Idempotency-Key, the same for every retry of a withdrawal. */
  #key = '';
  readonly #list = new PagedList<ListedImport>(this, '/imports', 'imports');

  protected override firstUpdated(): void {
    void this.reload();
  }

  reload(): Promise<void> {
    return this.#list.start();
  }

  #ask(one: ListedImport): void {
    this.#key = newKey();
    [this.chosen, this.problem, this.done] = [one, undefined, undefined];
    void openDialog(this);
  }

  async #withdraw(form: HTMLFormElement): Promise<void> {
    const { chosen } = this;
    if (chosen === undefined) return;
    const { imports } = texts();
    const field = form.querySelector('textarea');
    const reason = field?.value.trim() ?? '';
    if (reason === '') {
      this.problem = imports.reasonMissing;
      field?.focus();
      return;
    }
    [this.isBusy, this.problem] = [true, undefined];
    try {
      const path = `/imports/${encodeURIComponent(chosen.id)}/withdrawal`;
      const { withdrawn, kept } = await post<Withdrawal>(path, { reason }, { key: this.#key });
      this.done = imports.withdrawalDone(withdrawn, kept);
      this.querySelector('dialog')?.close();
      await this.reload();
    } catch (error) {
      this.problem = problemView(error);
    } finally {
      this.isBusy = false;
    }
  }

  #columns(): Column<ListedImport>[] {
    const { imports, common } = texts();
    const withdrawable = ({ action, isWithdrawn }: ListedImport) =>
      action === 'add' && !isWithdrawn;
    const columns: Column<ListedImport>[] = [
      { head: imports.at, cell: ({ at }) => formats().moment(at) },
      { head: imports.action, cell: ({ action }) => imports.actions[action] },
      {
        head: imports.by,
        class: 'minor',
        cell: ({ actor, source }) =>
          actor === undefined
            ? imports.sources[source]
            : html`${actor} · ${imports.sources[source]}`,
      },
      { head: imports.count, class: 'end', cell: ({ count }) => formats().number(count) },
      {
        head: common.state,
        class: 'minor',
        cell: ({ action, isWithdrawn }) => {
          if (action === 'withdraw') return nothing;
          return isWithdrawn
            ? badgeView('neutral', imports.withdrawn)
            : badgeView('success', imports.inForce);
        },
      },
    ];
    if (!this.mayWithdraw) return columns;
    const words = html`<span class="wide-only">${imports.withdraw}</span>`;
    const button = (one: ListedImport) =>
      plainButton(words, () => this.#ask(one), {
        icon: 'undo-2',
        label: imports.withdrawOf(formats().moment(one.at)),
      });
    return [
      ...columns,
      {
        head: html`<span class="sr">${imports.withdraw}</span>`,
        class: 'end',
        cell: (one) => (withdrawable(one) ? button(one) : nothing),
      },
    ];
  }

  protected override render() {
    const { imports } = texts();
    return html`<section>
      ${headView(imports.list, exportLinks('imports', {}, { path: '/imports' }))}
      ${maybe(this.done, (text) => calloutView('success', text, { size: 's' }))}
      ${this.#list.view({
        label: imports.list,
        columns: this.#columns(),
        empty: imports.listEmpty,
      })}
      ${maybe(this.chosen, (chosen) => this.#dialogView(chosen))}
    </section>`;
  }

  #dialogView({ at, count }: ListedImport) {
    const { imports } = texts();
    return formDialog({
      title: imports.withdrawTitle,
      content: html`<p>${imports.withdrawText(count, formats().moment(at))}</p>
        <label>
          <span>${imports.withdrawReason}</span>
          <textarea
            rows="3"
            maxlength="2000"
            aria-invalid=${this.problem === undefined ? 'false' : 'true'}
            aria-describedby="withdraw-problem"
          ></textarea>
        </label>
        ${problemText(this.problem, 'withdraw-problem')}`,
      verb: imports.withdraw,
      variant: 'danger',
      isBusy: this.isBusy,
      onSubmit: (form) => void this.#withdraw(form),
      onClose: () => (this.chosen = undefined),
    });
  }
}

customElements.define('console-import-list', ImportList);
export type { ImportList };
