import { tables } from '@financing-checkout/contract/plain';
import { html, nothing } from 'lit';
import type { ListedImport, Withdrawal } from '@financing-checkout/contract/reconciliation';
import { post } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { Action } from '../../parts/action.ts';
import { declaredColumns } from '../../parts/declared.ts';
import { formDialog, openDialog } from '../../parts/dialog.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { listOf } from '../../parts/list.ts';
import type { Column } from '../../parts/table.ts';
import { badgeView, calloutView, headView, maybe, plainButton } from '../../parts/views.ts';

/** The imports, newest first. Each can be withdrawn with a reason. */
class ImportList extends elementWith({
  /** Whether the user has permission to withdraw imports. */
  mayWithdraw: false,
  /** The import whose withdrawal awaits confirmation. */
  chosen: optional<ListedImport>(),
}) {
  readonly #withdrawal = new Action(this, async ({ key }, id: string, reason: string) => {
    const path = `/imports/${encodeURIComponent(id)}/withdrawal`;
    const answer = await post<Withdrawal>(path, { reason }, { key });
    this.querySelector('dialog')?.close();
    await this.reload();
    return answer;
  });
  readonly #list = listOf(this, 'get /imports', 'imports');

  protected override firstUpdated(): void {
    void this.reload();
  }

  reload(): Promise<void> {
    return this.#list.start();
  }

  #ask(one: ListedImport): void {
    this.chosen = one;
    this.#withdrawal.reset();
    void openDialog(this);
  }

  #withdraw(form: HTMLFormElement, id: string): void {
    const field = form.querySelector('textarea');
    const reason = field?.value.trim() ?? '';
    if (reason !== '') void this.#withdrawal.run(id, reason);
    else {
      this.#withdrawal.refuse(texts().imports.reasonMissing);
      field?.focus();
    }
  }

  #columns(): Column<ListedImport>[] {
    const { imports, common } = texts();
    const withdrawable = ({ action, isWithdrawn }: ListedImport) =>
      action === 'add' && !isWithdrawn;
    const columns = declaredColumns<ListedImport>(tables.imports, {
      own: {
        import: null,
        action: { cell: ({ action }) => imports.actions[action] },
        source: { cell: ({ source }) => imports.sources[source] },
        count: { head: imports.count },
        withdrawn: {
          head: common.state,
          cell: ({ action, isWithdrawn }) => {
            if (action === 'withdraw') return nothing;
            return isWithdrawn
              ? badgeView('neutral', common.withdrawn)
              : badgeView('success', imports.inForce);
          },
        },
      },
      narrow: ['at', 'action', 'count'],
    });
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
      ${maybe(this.#withdrawal.answer, ({ withdrawn, kept }) =>
        calloutView('success', imports.withdrawalDone(withdrawn, kept), { size: 's' }),
      )}
      ${this.#list.view({
        label: imports.list,
        columns: this.#columns(),
        empty: imports.listEmpty,
      })}
      ${maybe(this.chosen, (chosen) => this.#dialogView(chosen))}
    </section>`;
  }

  #dialogView({ at, count, id }: ListedImport) {
    const { imports } = texts();
    const { error, isRunning, missing } = this.#withdrawal;
    return formDialog({
      title: imports.withdrawTitle,
      content: html`<p>${imports.withdrawText(count, formats().moment(at))}</p>
        <label>
          <span>${imports.withdrawReason}</span>
          <textarea
            rows="3"
            maxlength="2000"
            aria-invalid=${missing === undefined && error === undefined ? 'false' : 'true'}
            aria-describedby="withdraw-problem"
          ></textarea>
        </label>
        ${this.#withdrawal.problemText('withdraw-problem')}`,
      verb: imports.withdraw,
      variant: 'danger',
      isBusy: isRunning,
      onSubmit: (form) => this.#withdraw(form, id),
      onClose: () => (this.chosen = undefined),
    });
  }
}

customElements.define('console-import-list', ImportList);
export type { ImportList };
