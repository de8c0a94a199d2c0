import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { get } from '../api/client.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** Loads a list of the API page by page (by its `next`), as `console-table` wants it. */
export class PagedList<
  Answer extends { next?: string | undefined },
  Row,
> implements ReactiveController {
  rows: Row[] = [];
  /** The first page as it was answered. */
  first: Answer | undefined;
  hasMore = false;
  isLoading = false;
  error: unknown;
  readonly #host: ReactiveControllerHost;
  readonly #path: string;
  readonly #rowsOf: (answer: Answer) => readonly Row[];
  readonly #cursor: 'after' | 'before';
  #query: Query = {};
  #next: string | undefined;
  #request = new AbortController();

  constructor(
    host: ReactiveControllerHost,
    path: string,
    rowsOf: (answer: Answer) => readonly Row[],
    /** Parameter for the next page: `before` in lists that begin with the newest. */
    cursor: 'after' | 'before' = 'after',
  ) {
    this.#host = host;
    this.#path = path;
    this.#rowsOf = rowsOf;
    this.#cursor = cursor;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#request.abort();
  }

  /** Begins anew with a query, and keeps the former rows until the first page is there. */
  async start(query: Query): Promise<void> {
    this.#query = query;
    this.#next = undefined;
    this.#request.abort();
    this.isLoading = false;
    await this.#load(true);
  }

  /** Loads the next page. */
  async more(): Promise<void> {
    if (this.#next !== undefined) await this.#load(false);
  }

  async #load(isFirst: boolean): Promise<void> {
    if (this.isLoading) return;
    const request = new AbortController();
    this.#request = request;
    this.isLoading = true;
    this.error = undefined;
    this.#host.requestUpdate();
    try {
      const query = isFirst ? this.#query : { ...this.#query, [this.#cursor]: this.#next };
      const answer = await get<Answer>(this.#path, query, request.signal);
      this.rows = [...(isFirst ? [] : this.rows), ...this.#rowsOf(answer)];
      if (isFirst) this.first = answer;
      this.#next = answer.next;
      this.hasMore = answer.next !== undefined;
    } catch (error) {
      if (request.signal.aborted) return;
      this.error = error;
      // The scroll position would ask again and again; the person repeats it.
      this.hasMore = false;
    }
    this.isLoading = false;
    this.#host.requestUpdate();
  }
}
