import { html, nothing } from 'lit';
import { TaskStatus } from '@lit/task';
import type { ChargeOperationKind, ChargeRecord } from '@financing-checkout/contract/back-office';
import type { OrderExplanation } from '@financing-checkout/contract/reconciliation';
import { ApiError, call, get, pathOfOrder } from '../api/client.ts';
import { formats, texts } from '../locale/locale.ts';
import { elementWith, optional } from '../parts/element.ts';
import { exportLinks } from '../parts/export-links.ts';
import { paths } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import { Loader } from '../parts/loader.ts';
import {
  emptyView,
  errorView,
  loadedView,
  loadingView,
  problemView,
  retryButton,
} from '../parts/states.ts';
import { amountView, headlineView } from '../parts/values.ts';
import { calloutView, cardView, copyButton, maybe, pairsView, quiet } from '../parts/views.ts';
import './order/charge-dialog.ts';
import { chargeView, pendingView } from './order/charges.ts';
import { comparisonView } from './order/comparison.ts';
import { exceptionsView } from './order/exceptions.ts';
import { explanationText } from './order/explanation.ts';
import { recordsView } from './order/explanation.ts';
import { linesView } from './order/lines.ts';
import { momentsOf } from './order/moments.ts';
import { type Move, pendingMoves, sendMove } from './order/pending-move.ts';
import { timelineView } from './order/timeline.ts';

/** An order: its amounts to the cent, their explanation, and its charges. */
class OrderPage extends elementWith(
  {
    /** The operation whose dialog is open. */
    asked: optional<{ kind: ChargeOperationKind; charge: ChargeRecord }>(),
    isBusy: false,
    refusal: optional<unknown>(),
    notice: optional<{ variant: 'success' | 'danger'; text: unknown }>(),
    isCopied: false,
    /** The currency that the user chose for charges whose currency is unknown. */
    stated: optional<string>(),
  },
  Page,
) {
  override readonly heading = texts().shell.orders;

  readonly #order = new Loader(this, {
    args: () => [this.parameter] as const,
    task: ([key], { signal }) => get<OrderExplanation>(pathOfOrder(key), {}, signal),
  });
  readonly #charges = new Loader(this, {
    args: () => [this.parameter, this.stated] as const,
    task: async ([key, currency], { signal }) => {
      // A funding without an order has no charge.
      if (!key.startsWith('order:')) return undefined;
      return call('get /orders/:orderKey/charges', { orderKey: key, query: { currency }, signal });
    },
  });

  /** Timer for polling again while an order's figures do not include all of its lines. */
  #nextLook: ReturnType<typeof setTimeout> | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#nextLook);
  }

  protected override updated(): void {
    clearTimeout(this.#nextLook);
    const isBehind = this.#order.status !== TaskStatus.PENDING && this.#order.kept?.updating;
    if (isBehind === true) this.#nextLook = setTimeout(() => void this.#readAgain(), LOOK_AGAIN_MS);
  }

  #readAgain(): Promise<unknown> {
    return Promise.all([this.#order.run(), this.#charges.run()]);
  }

  protected override render() {
    const { order } = texts();
    const isUnknown =
      this.#order.error instanceof ApiError && this.#order.error.code === 'order-not-found';
    return html`<p class="back">
        <a href=${paths.orders}><wa-icon name="arrow-left"></wa-icon> ${order.back}</a>
      </p>
      ${
        isUnknown
          ? this.#unknown()
          : loadedView(this.#order, (explanation) => this.#view(explanation))
      }
      ${this.#dialog()}`;
  }

  /** Shows an order that is authorized but not settled, which only the companion knows. */
  #unknown() {
    const { order } = texts();
    const [charge] = this.#charges.kept?.charges ?? [];
    if (charge !== undefined) {
      const { merchantOrderId } = charge;
      const nothingYet = { currencies: [], cases: [], timeline: [] };
      return this.#view({ orderKey: this.parameter, merchantOrderId, ...nothingYet });
    }
    if (this.#charges.status === TaskStatus.PENDING) return loadingView();
    return html`<h1>${order.notFound}</h1>
      ${emptyView(order.notFound, order.notFoundHint, 'search')}`;
  }

  #view(explanation: OrderExplanation) {
    const { order } = texts();
    const { currencies, orderKey, timeline } = explanation;
    const office = this.#charges.kept ?? { charges: [] };
    const { charges } = office;
    const operations = charges.flatMap((charge) => charge.operations);
    const titleOf = (title: string, { currency }: { currency: string }) =>
      currencies.length < 2 ? title : `${title} · ${currency || order.currencyUnknown}`;
    return html`${this.#head(explanation)}
      <div class="order-grid">
        <div class="order-main">
          ${timelineView(
            momentsOf(explanation, office),
            charges,
            timeline.length === 0
              ? nothing
              : exportLinks('order-timeline', {}, { path: `${pathOfOrder(orderKey)}/timeline` }),
          )}
          ${this.#chargesView()}
          ${currencies.map((part) => comparisonView(part, titleOf(order.comparison, part), orderKey))}
          ${currencies.map((part) =>
            cardView(
              titleOf(order.lines, part),
              linesView(part, operations),
              exportLinks('lines', { orderKey, currency: part.currency }),
            ),
          )}
        </div>
        <div class="order-side">${exceptionsView(explanation)} ${recordsView(explanation)}</div>
      </div>`;
  }

  #head(explanation: OrderExplanation) {
    const { common, order } = texts();
    const { merchantOrderId, orderKey, currencies, notSearched, updating } = explanation;
    return html`<div class="page-head order-head">
      <div class="row spread">
        <h1>
          ${
            merchantOrderId === undefined
              ? html`${order.fundingWithoutOrder} <span class="id">${orderKey}</span>`
              : html`<span class="id">${merchantOrderId}</span>`
          }
        </h1>
        <div>
          ${copyButton(order.copyExplanation, this.isCopied, () => this.#copy(explanation))}
        </div>
      </div>
      ${
        updating === true
          ? html`<p class="quiet" role="status">
              <wa-icon name="refresh-cw"></wa-icon> ${order.updating}
            </p>`
          : nothing
      }
      ${maybe(texts().gaps(notSearched), (gaps) => quiet(gaps, true))}
      ${currencies.map(({ currency, currencyAssumed, status }) => {
        if (status === undefined) return nothing;
        const { expected, funded, net } = status;
        const money = (minor: number) => amountView(minor, currency, currencyAssumed);
        const paid = funded.settle + funded.reversal - funded.refund - funded.chargeback;
        const owed = expected.settle - expected.refund;
        return html`<div class="order-status">
          <p>
            ${headlineView(status.headline)}
            <span class="quiet small">${order.changed(formats().moment(status.changedAt))}</span>
          </p>
          ${pairsView('figures', [
            [order.expected, money(owed)],
            [order.funded, money(paid)],
            [order.stillOpen, money(owed - paid)],
            [common.net, money(net)],
          ])}
        </div>`;
      })}
    </div>`;
  }

  #chargesView() {
    const { order } = texts();
    const { session } = this;
    if (!this.parameter.startsWith('order:')) return nothing;
    const right = !this.may('money')
      ? order.readOnly
      : session.canMoveMoney
        ? undefined
        : order.noMoneyToken;
    return cardView(
      order.charges,
      html`${quiet(html`${order.chargesHint} ${right}`, true)}
      ${maybe(this.notice, ({ variant, text }) => calloutView(variant, text))}
      ${pendingMoves(session.name, this.parameter).map((move) =>
        pendingView(move, this.isBusy, () => void this.#send(move)),
      )}
      ${this.#chargeList()}`,
      this.#chargeLinks(),
    );
  }

  #chargeLinks() {
    const { charges = [] } = this.#charges.kept ?? {};
    const query = { currency: this.stated };
    const address = pathOfOrder(this.parameter);
    const hasOperations = charges.some(({ operations }) => operations.length > 0);
    return html`${charges.length === 0 ? nothing : exportLinks('order-charges', query, { path: `${address}/charges` })}
    ${
      hasOperations
        ? exportLinks('order-operations', query, {
            label: texts().order.operations,
            path: `${address}/operations`,
          })
        : nothing
    }`;
  }

  #chargeList() {
    const { order } = texts();
    const { error, kept } = this.#charges;
    if (kept === undefined) return error === undefined ? loadingView(3) : this.#failure(error);
    const { session, isBusy, stated } = this;
    const state = (currency: string) => (this.stated = currency);
    const open = (kind: ChargeOperationKind, charge: ChargeRecord) => {
      this.refusal = undefined;
      this.notice = undefined;
      this.asked = { kind, charge };
    };
    return html`${error === undefined ? nothing : this.#failure(error)}
    ${
      kept.charges.length === 0
        ? quiet(order.noCharges)
        : kept.charges.map((charge) => chargeView(charge, { session, isBusy, open, stated, state }))
    }`;
  }

  #failure(error: unknown) {
    const { order } = texts();
    const retry = () => void this.#charges.run();
    const isMissing = error instanceof ApiError && error.code === 'companion-unavailable';
    if (!isMissing) return errorView(error, retry);
    const content = html`<strong>${order.chargesMissing}</strong>
      <p>${order.chargesMissingText}</p>
      ${retryButton(retry)}`;
    return calloutView('warning', content);
  }

  #dialog() {
    if (this.asked === undefined) return nothing;
    const { kind, charge: asked } = this.asked;
    // After a refusal, the charge's limits may have changed.
    const charge = this.#charges.kept?.charges.find(({ id }) => id === asked.id) ?? asked;
    return html`<console-charge-dialog
      .kind=${kind}
      .charge=${charge}
      .orderKey=${this.parameter}
      .items=${this.#charges.kept?.items ?? []}
      .taxAmount=${this.#charges.kept?.taxAmount ?? 0}
      .isBusy=${this.isBusy}
      .refusal=${this.refusal}
      @move=${({ detail }: CustomEvent<Move>) => void this.#send(detail)}
      @closed=${() => (this.asked = undefined)}
    ></console-charge-dialog>`;
  }

  /** Sends a move once, and reloads the order and its charges. */
  async #send(move: Move): Promise<void> {
    if (this.isBusy) return;
    const { order } = texts();
    this.isBusy = true;
    this.refusal = undefined;
    this.notice = undefined;
    try {
      const end = await sendMove(this.session.name, move);
      if (end.outcome === 'refused') {
        const text = end.error === undefined ? order.refusedByService : problemView(end.error);
        if (this.asked === undefined) this.notice = { variant: 'danger', text };
        else this.refusal = text;
      } else {
        if (end.outcome === 'unclear') {
          const { error } = end;
          if (error) this.notice = { variant: 'danger', text: problemView(error) };
        } else {
          const text = order.done[move.kind](formats().amount(move.amount, move.currency));
          this.notice = { variant: 'success', text };
        }
        this.querySelector('dialog')?.close();
        this.asked = undefined;
      }
    } finally {
      this.isBusy = false;
    }
    await this.#readAgain();
  }

  async #copy(explanation: OrderExplanation): Promise<void> {
    await navigator.clipboard.writeText(explanationText(explanation));
    this.isCopied = true;
  }
}

/** Reconciliation reads the companion's ledger every five seconds. */
const LOOK_AGAIN_MS = 2_000;

customElements.define('console-order', OrderPage);
