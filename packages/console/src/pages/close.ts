import { html, nothing } from 'lit';
import type { Periods } from '@financing-checkout/contract/reconciliation';
import { texts } from '../locale/locale.ts';
import { loadCall } from '../parts/loader.ts';
import { filters, navigate } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import { emptyView, loadedView } from '../parts/states.ts';
import { quiet } from '../parts/views.ts';
import type { Change } from './close/period.ts';
import './close/period.ts';
import { addressOfPeriod, type ListedAmount, periodsView } from './close/periods.ts';
import './close/seals.ts';
import { statementRows } from './close/statements.ts';

/** Interval between two checks of a running close, in milliseconds. */
const POLL_MS = 500;

/** Returns the amount named in the URL, whose orders are listed. */
function listedAmount(): ListedAmount | undefined {
  const { step: asked, currency, lender } = filters();
  const step = statementRows.find((name) => name === asked);
  return step === undefined || currency === undefined ? undefined : { step, currency, lender };
}

/** Accounting periods, and the work on the one named in the URL. */
class ClosePage extends Page {
  override readonly heading = texts().shell.close;
  readonly #periods = loadCall(this, 'get /periods', () => ({}));
  /** Whether this window requested a close that has not ended. */
  #isClosing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#follow(false);
  }

  protected override updated(): void {
    const isRunning = this.#isClosing || this.#periods.kept?.closing !== undefined;
    this.#follow(isRunning && this.isConnected);
  }

  /** Reloads the periods until no close is running. */
  #follow(isRunning: boolean): void {
    if (!isRunning) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    } else {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        void this.#periods.run();
      }, POLL_MS);
    }
  }

  protected override render() {
    const { close } = texts();
    return html`<h1>${this.heading}</h1>
      ${quiet(close.intro)} ${this.may('periods') ? nothing : quiet(close.needsRight)}
      ${loadedView(this.#periods, (periods) => this.#view(periods))}
      <close-seals></close-seals>`;
  }

  #view(answer: Periods) {
    const { close } = texts();
    const { periods, open, closing } = answer;
    if (periods.length === 0) return emptyView(close.none, close.noneHint, 'calendar-days');
    const asked = filters().period;
    const [newest] = periods;
    const chosen =
      asked === undefined
        ? (periods.find(({ id }) => id === open) ?? newest)
        : periods.find(({ id }) => id === asked);
    return html`${periodsView(answer, chosen?.id)}
    ${
      chosen === undefined
        ? emptyView(close.notFound, close.notFoundHint, 'calendar-days')
        : html`<close-period
            .record=${chosen}
            .isLastClosed=${periods.find(({ state }) => state === 'closed') === chosen}
            .step=${closing?.period === chosen.id ? closing.step : undefined}
            .mayClose=${this.may('periods')}
            .listed=${listedAmount()}
            .person=${this.session.name}
            @requested=${({ detail }: CustomEvent<Change>) => this.#onRequest(detail, chosen.id)}
            @changed=${() => this.#onChange()}
          ></close-period>`
    }`;
  }

  #onRequest(change: Change, id: string): void {
    this.#isClosing = change === 'close';
    this.requestUpdate();
    // A closed period is no longer the one shown by default.
    navigate(addressOfPeriod(id), { replace: true });
  }

  #onChange(): void {
    this.#isClosing = false;
    void this.#periods.run();
  }
}

customElements.define('console-close', ClosePage);
