import { LitElement, html, nothing, type PropertyValues } from 'lit';
import type { ListedImport, Withdrawal } from '@financing-checkout/contract';
import { newKey, post } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { PagedList } from '../../parts/pages.ts';
import { errorView, problemView } from '../../parts/states.ts';
import type { Column } from '../../parts/table.ts';

interface Imports {
  imports: ListedImport[];
  next?: string;
}

/** The imports, newest first, each of which can be withdrawn with a reason. */
class ImportList extends LitElement {
  static override properties = {
    mayWithdraw: { type: Boolean },
    chosen: { state: true },
    problem: { state: true },
    isBusy: { state: true },
    done: { state: true },
  };
  /** Whether the person has the right to withdraw. */
  declare mayWithdraw: boolean;
  /** The import whose withdrawal is asked for. */
  declare chosen: ListedImport | undefined;
  declare problem: unknown;
  declare isBusy: boolean;
  declare done: string | undefined;
  /** The same for each repeat of one withdrawal. */
  #key = '';
  readonly #list = new PagedList<Imports, ListedImport>(
    this,
    '/imports',
    (page) => page.imports,
    'before',
  );

  constructor() {
    super();
    this.mayWithdraw = false;
    this.isBusy = false;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override firstUpdated(): void {
    void this.reload();
  }

  reload(): Promise<void> {
    return this.#list.start({});
  }

  #ask(one: ListedImport): void {
    this.#key = newKey();
    [this.chosen, this.problem, this.done] = [one, undefined, undefined];
  }

  protected override updated(changed: PropertyValues<this>): void {
    const dialog = this.querySelector('dialog');
    if (changed.has('chosen') && this.chosen !== undefined && dialog?.open === false) {
      dialog.showModal();
    }
  }

  #close(): void {
    this.querySelector('dialog')?.close();
    this.chosen = undefined;
  }

  async #withdraw(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const { chosen } = this;
    if (this.isBusy || chosen === undefined) return;
    const { imports } = texts();
    const field = this.querySelector('textarea');
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
      if (field) field.value = '';
      this.#close();
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
      { head: imports.count, align: 'end', cell: ({ count }) => formats().number(count) },
      {
        head: common.state,
        class: 'minor',
        cell: ({ action, isWithdrawn }) =>
          action === 'withdraw'
            ? nothing
            : isWithdrawn
              ? html`<wa-badge variant="neutral" appearance="filled"
                  >${imports.withdrawn}</wa-badge
                >`
              : html`<wa-badge variant="success" appearance="filled">${imports.inForce}</wa-badge>`,
      },
    ];
    if (!this.mayWithdraw) return columns;
    const button = (one: ListedImport) =>
      html`<button
        class="plain"
        aria-label=${imports.withdrawOf(formats().moment(one.at))}
        @click=${() => this.#ask(one)}
      >
        <wa-icon name="undo-2"></wa-icon><span class="wide-only">${imports.withdraw}</span>
      </button>`;
    return [
      ...columns,
      {
        head: html`<span class="sr">${imports.withdraw}</span>`,
        align: 'end',
        cell: (one) => (withdrawable(one) ? button(one) : nothing),
      },
    ];
  }

  protected override render() {
    const { imports } = texts();
    const list = this.#list;
    return html`<section>
      <div class="row spread">
        <h2>${imports.list}</h2>
        ${exportLinks('imports')}
      </div>
      ${
        this.done === undefined
          ? nothing
          : html`<wa-callout variant="success" size="s" role="status">
              <wa-icon slot="icon" name="circle-check"></wa-icon>${this.done}
            </wa-callout>`
      }
      ${
        list.error === undefined
          ? html`<console-table
              .label=${imports.list}
              .columns=${this.#columns()}
              .rows=${list.rows}
              .hasMore=${list.hasMore}
              .isLoading=${list.isLoading}
              .emptyText=${imports.listEmpty}
              @wanted=${() => void list.more()}
            ></console-table>`
          : errorView(list.error, () => void this.reload())
      }
      ${this.#dialog()}
    </section>`;
  }

  #dialog() {
    const { imports, common } = texts();
    const { chosen } = this;
    return html`<dialog
      class="ask"
      aria-labelledby="withdraw-title"
      @close=${() => (this.chosen = undefined)}
    >
      <form @submit=${(event: SubmitEvent) => void this.#withdraw(event)} novalidate>
        <h2 id="withdraw-title">${imports.withdrawTitle}</h2>
        <p>
          ${chosen === undefined ? nothing : imports.withdrawText(chosen.count, formats().moment(chosen.at))}
        </p>
        <label>
          <span>${imports.withdrawReason}</span>
          <textarea
            rows="3"
            maxlength="2000"
            aria-invalid=${this.problem === undefined ? 'false' : 'true'}
            aria-describedby="withdraw-problem"
          ></textarea>
        </label>
        <p id="withdraw-problem" class="problem" role="alert">${this.problem ?? nothing}</p>
        <div class="row end">
          <wa-button appearance="outlined" @click=${() => this.#close()}
            >${common.cancel}</wa-button
          >
          <wa-button type="submit" variant="danger" ?loading=${this.isBusy}
            >${imports.withdraw}</wa-button
          >
        </div>
      </form>
    </dialog>`;
  }
}

customElements.define('console-import-list', ImportList);
export type { ImportList };
