import { nothing } from 'lit';
import { get } from '../api/client.ts';
import { texts } from '../locale/locale.ts';
import { elementWith, optional } from '../parts/element.ts';
import { calloutView } from '../parts/views.ts';

interface Status {
  role: 'leader' | 'standby';
  analytics: { state: string };
  unexplained: number;
}

const EVERY_MS = 15_000;

/** Shows that the process is on standby, is rebuilding its database, or has raised an alarm. */
class ConsoleStatus extends elementWith({ status: optional<Status>() }) {
  #timer: ReturnType<typeof setInterval> | undefined;

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
    return notices.map((notice) => calloutView('neutral', notice, { size: 's' }));
  }
}

customElements.define('console-status', ConsoleStatus);
