import { html, nothing, type ReactiveController, type ReactiveControllerHost } from 'lit';
import { get } from '../api/client.ts';
import { emptyView, errorView, loadingView } from './states.ts';
import type { Column } from './table.ts';
import './table.ts';

type Query = Readonly<Record<string, string | undefined>>;
type Page<Answer> = Answer & { next?: string };

interface Shown<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** Shown if there are no rows: the reason, or what to do next. */
  empty: string;
  class?: string;
}

/** Loads a list from the API page by page (with its `next` cursor), and shows it as a table. */
export class PagedList<Row, Answer extends object = object> implements ReactiveController {
  rows: Row[] = [];
  /** The response with the first page. */
  first: Page<Answer> | undefined;
  isLoading = false;
  #error: unknown;
  readonly #host: ReactiveControllerHost;
  readonly #path: string;
  readonly #name: string;
  readonly #cursor: 'after' | 'before';
  #query: Query = {};
  #next: string | undefined;
  #request = new AbortController();

  /**
   * @param name property of the response that contains the rows
   * @param cursor query parameter for the next page: `before` in lists that are newest first
   */
  constructor(
    host: ReactiveControllerHost,
    path: string,
    name: string,
    cursor: 'after' | 'before' = 'after',
  ) {
    this.#host = host;
    this.#path = path;
    this.#name = name;
    this.#cursor = cursor;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#request.abort();
  }

  /** Cursor of the rows that are not loaded. */
  get next(): string | undefined {
    return this.#next;
  }

  /** Reloads, by default with the last query, and keeps the rows until the first page arrives. */
  async start(query = this.#query): Promise<void> {
    this.#query = query;
    this.#next = undefined;
    this.#request.abort();
    this.isLoading = false;
    await this.#load(true);
  }

  async #load(isFirst: boolean): Promise<void> {
    if (this.isLoading) return;
    const request = new AbortController();
    this.#request = request;
    this.isLoading = true;
    this.#error = undefined;
    this.#host.requestUpdate();
    try {
      const query = isFirst ? this.#query : { ...this.#query, [this.#cursor]: this.#next };
      const answer = await get<Page<Answer>>(this.#path, query, request.signal);
      const rows = (answer as Readonly<Record<string, unknown>>)[this.#name] as Row[];
      this.rows = isFirst ? rows : [...this.rows, ...rows];
      if (isFirst) this.first = answer;
      this.#next = answer.next;
    } catch (error) {
      if (request.signal.aborted) return;
      this.#error = error;
      // The scroll position would retrigger the request endlessly; the user retries instead.
      this.#next = undefined;
    }
    this.isLoading = false;
    this.#host.requestUpdate();
  }

  /** Shows the rows as a table, or else the loading, error or empty state. */
  view({ label, columns, empty, class: name = '' }: Shown<Row>): unknown {
    const problem =
      this.#error === undefined ? nothing : errorView(this.#error, () => void this.start());
    if (this.first === undefined) return problem === nothing ? loadingView() : problem;
    return html`${problem}
      <console-table
        class=${name}
        .label=${label}
        .columns=${columns}
        .rows=${this.rows}
        .hasMore=${this.#next !== undefined}
        .isLoading=${this.isLoading}
        .empty=${emptyView(empty)}
        @wanted=${() => void this.#load(false)}
      ></console-table>`;
  }
}
