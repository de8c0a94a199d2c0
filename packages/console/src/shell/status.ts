import { nothing } from 'lit';
import { get } from '../api/client.ts';
import { texts } from '../locale/locale.ts';
import { elementWith, optional } from '../parts/element.ts';
import { setServerImports, shownImports } from '../parts/running-imports.ts';
import { calloutView } from '../parts/views.ts';

interface Status {
  role: 'leader' | 'standby';
  analytics: { state: string };
  unexplained: number;
  imports: {
    file?: string;
    dryRun: boolean;
    state: 'receiving' | 'processing';
    receivedBytes: number;
    totalBytes?: number;
  }[];
}

const EVERY_MS = 15_000;
/** Interval while an import is running. */
const OFTEN_MS = 2_000;

/** Shows that the process is on standby, is rebuilding its database, or has raised an alarm. */
class ConsoleStatus extends elementWith({ status: optional<Status>() }) {
  #timer: ReturnType<typeof setTimeout> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#poll();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    if (!document.hidden) await this.#read();
    if (!this.isConnected) return;
    const isImporting = shownImports().some(({ state }) => !['done', 'failed'].includes(state));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#poll(), isImporting ? OFTEN_MS : EVERY_MS);
  }

  async #read(): Promise<void> {
    const status = await get<Status>('/status').catch(() => undefined);
    if (status === undefined) return;
    this.status = status;
    setServerImports(
      status.imports
        .filter(({ dryRun }) => !dryRun)
        .map(({ file = texts().shell.unnamedFile, receivedBytes, state, totalBytes }) => ({
          file,
          state: state === 'receiving' ? 'sending' : 'processing',
          share: totalBytes && receivedBytes / totalBytes,
        })),
    );
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
