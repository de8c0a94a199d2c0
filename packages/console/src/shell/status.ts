import { LitElement, html, nothing } from 'lit';
import { get } from '../api/client.ts';
import { texts } from '../locale/locale.ts';

interface Status {
  role: 'leader' | 'standby';
  analytics: { state: string };
  unexplained: number;
}

const EVERY_MS = 15_000;

/** Tells what a person should know of the process: it stands by, it rebuilds, it raised an alarm. */
class ConsoleStatus extends LitElement {
  static override properties = { status: { state: true } };
  declare status: Status | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#read();
    this.#timer = setInterval(() => void this.#read(), EVERY_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  async #read(): Promise<void> {
    if (document.hidden) return;
    this.status = await get<Status>('/status').catch(() => this.status);
  }

  protected override render() {
    const { shell } = texts();
    const { status } = this;
    if (status === undefined) return nothing;
    const { state } = status.analytics;
    const notices = [
      ...(status.role === 'standby' ? [shell.standby] : []),
      ...(state === 'opening' || state === 'rebuilding' ? [shell.rebuilding] : []),
      ...(status.unexplained > 0 ? [shell.unexplained(status.unexplained)] : []),
    ];
    return notices.map(
      (notice) =>
        html`<wa-callout variant="neutral" size="s" role="status">
          <wa-icon slot="icon" name="info"></wa-icon>${notice}
        </wa-callout>`,
    );
  }
}

customElements.define('console-status', ConsoleStatus);
