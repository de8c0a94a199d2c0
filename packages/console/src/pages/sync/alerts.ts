import type { AnswerOf } from '@financing-checkout/contract/reconciliation';
import { tables } from '@financing-checkout/contract/plain';
import { html, nothing } from 'lit';
import { post } from '../../api/client.ts';
import { texts } from '../../locale/locale.ts';
import { Action } from '../../parts/action.ts';
import { declaredColumns } from '../../parts/declared.ts';
import { elementWith, oneOf } from '../../parts/element.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { selectField } from '../../parts/fields.ts';
import { listOf } from '../../parts/list.ts';
import { paths } from '../../parts/navigation.ts';
import type { Column } from '../../parts/table.ts';
import { badgeView, headView, plainButton, quiet } from '../../parts/views.ts';

/** A message to the finance team about a case or the audit trail. */
type Alert = AnswerOf<'get /alerts'>['deliveries'][number];
type AlertState = Alert['state'];

const states: readonly (AlertState | '')[] = ['', 'waiting', 'delivered', 'dead'];

/** Messages to the finance team, which can be resent. */
class AlertList extends elementWith({
  mayResend: false,
  state: oneOf<AlertState | ''>(''),
}) {
  readonly #resending = new Action(this, (_request, id: string) =>
    post(`/alerts/${encodeURIComponent(id)}/replay`, {}),
  );
  readonly #list = listOf(this, 'get /alerts', 'deliveries');

  protected override firstUpdated(): void {
    void this.#load();
  }

  #load(): Promise<void> {
    return this.#list.start({ state: this.state });
  }

  #retry(): void {
    this.#resending.reset();
    void this.#load();
  }

  async #resend({ id }: Alert): Promise<void> {
    if (!this.#list.isLoading && (await this.#resending.run(id))) await this.#load();
  }

  #columns(): Column<Alert>[] {
    const { sync, common } = texts();
    const words = html`<span class="wide-only">${common.resend}</span>`;
    const button = (alert: Alert) =>
      plainButton(words, () => this.#resend(alert), {
        icon: 'send',
        label: sync.resendOf(alert.id),
      });
    const variants = { waiting: 'neutral', delivered: 'success', dead: 'danger' } as const;
    return [
      ...declaredColumns<Alert>(tables.alerts, {
        own: {
          message: null,
          case: {
            cell: ({ caseId }) =>
              caseId === undefined
                ? texts().shell.actions
                : html`<a class="id" href=${paths.case(caseId)}>${caseId}</a>`,
          },
          state: { cell: ({ state }) => badgeView(variants[state], sync.alertStates[state]) },
        },
        narrow: ['created_at', 'case', 'state'],
      }),
      ...(this.mayResend ? [{ head: common.resend, class: 'end', cell: button }] : []),
    ];
  }

  #filter(state: AlertState | ''): void {
    this.state = state;
    void this.#load();
  }

  protected override render() {
    const { sync, common } = texts();
    const options = states.map(
      (one) => [one, one === '' ? common.all : sync.alertStates[one]] as const,
    );
    const tools = html`<div class="row">
      ${exportLinks('cases-alerts', { state: this.state }, { path: '/alerts' })}
      ${selectField(
        common.state,
        options,
        this.state,
        (state) => this.#filter(state as AlertState | ''),
        { class: 'inline' },
      )}
    </div>`;
    return html`${headView(sync.alerts, tools)} ${quiet(sync.alertsHelp)}
      <p role="status" class="good">${this.#resending.state === 'done' ? sync.resent : nothing}</p>
      ${this.#resending.errorView(() => this.#retry())}
      ${this.#list.view({ label: sync.alerts, columns: this.#columns(), empty: sync.alertsEmpty })}`;
  }
}

customElements.define('console-alerts', AlertList);
