import { html, nothing, type ReactiveController, type ReactiveControllerHost } from 'lit';
import type { AnswerOf, Reading } from '@financing-checkout/contract/reconciliation';
import { ApiError, changesSent, get, isOfEndedSession, onConnection } from '../api/client.ts';
import { entryKey } from './navigation.ts';
import { texts } from '../locale/locale.ts';
import { emptyView, errorView, loadingView } from './states.ts';
import { plainButton } from './views.ts';
import type { Column, ConsoleTable } from './table.ts';
import './table.ts';

type Query = Readonly<Record<string, string | undefined>>;
type Page<Answer> = Answer & { count?: number; next?: string };

/** Maximum number of rows to load for printing. */
const MOST_PRINTED = 5_000;

interface Shown<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** Shown if there are no rows: the reason, or what to do next. */
  empty: string;
  class?: string;
}

/** The lists on the page, which are printed together. */
const connected = new Set<{ loadRest: () => Promise<boolean> }>();

/** What a list showed when the user left its history entry. */
interface Left {
  /** Number of changes that this window had sent. After a further change, the rows may be outdated. */
  changes: number;
  query: string;
  rows: readonly unknown[];
  first: unknown;
  next: string | undefined;
  /** Scroll positions of the table and the page, in pixels. */
  scroll: { table: number; page: number };
}

/** Lists by the key of their history entry and their path, oldest first. */
const left = new Map<string, Left>();
const MOST_LEFT = 12;

/**
 * Loads a list from the API page by page (using its `next` cursor), and shows it as a table. Back
 * and Forward restore the rows and scroll position of the history entry.
 */
export class PagedList<Row, Answer extends object = object> implements ReactiveController {
  rows: Row[] = [];
  /** The response with the first page. */
  first: Page<Answer> | undefined;
  isLoading = false;
  #error: unknown;
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #path: string;
  readonly #name: string;
  #query: Query = {};
  #next: string | undefined;
  #request = new AbortController();
  /** Key of the history entry whose list is shown. */
  #entry: string | undefined;
  #scroll = { table: 0, page: 0 };
  /** Whether the rows belong to the current query. */
  #isCurrent = false;
  #changes = 0;
  #isPrinting = false;
  #stop: (() => void) | undefined;
  /** Resolves when the current request for a page is answered. */
  #loading = Promise.resolve();

  /**
   * @param name property of the response that contains the rows
   */
  constructor(host: ReactiveControllerHost & HTMLElement, path: string, name: string) {
    this.#host = host;
    this.#path = path;
    this.#name = name;
    host.addController(this);
  }

  hostConnected(): void {
    connected.add(this);
    this.#stop = onConnection((event) => {
      if (event === 'session-started' && isOfEndedSession(this.#error)) void this.start();
    });
    addEventListener('keydown', this.#printKey);
  }

  hostDisconnected(): void {
    connected.delete(this);
    this.#stop?.();
    removeEventListener('keydown', this.#printKey);
    this.#request.abort();
    this.#leave();
  }

  /** Cursor for the rows that are not loaded yet. */
  get next(): string | undefined {
    return this.#next;
  }

  #place(entry: string): string {
    return `${entry} ${this.#path}`;
  }

  /** Stores the loaded rows and the scroll position for Back and Forward. */
  #leave(): void {
    if (this.#entry === undefined || this.first === undefined || !this.#isCurrent) return;
    const place = this.#place(this.#entry);
    left.delete(place);
    left.set(place, {
      changes: this.#changes,
      query: JSON.stringify(this.#query),
      rows: this.rows,
      first: this.first,
      next: this.#next,
      scroll: this.#scroll,
    });
    const [oldest] = left.keys();
    if (left.size > MOST_LEFT && oldest !== undefined) left.delete(oldest);
  }

  /** Restores the list that the user left at this history entry. @returns false if none was stored */
  #restore(query: Query): boolean {
    const known = left.get(this.#place(entryKey()));
    if (known?.changes !== changesSent() || known.query !== JSON.stringify(query)) return false;
    this.#changes = known.changes;
    this.#isCurrent = true;
    this.rows = known.rows as Row[];
    this.first = known.first as Page<Answer>;
    this.#next = known.next;
    this.#error = undefined;
    this.#scroll = known.scroll;
    this.#host.requestUpdate();
    void this.#scrollTo(known.scroll);
    return true;
  }

  async #scrollTo({ table, page }: Left['scroll']): Promise<void> {
    await this.#host.updateComplete;
    await this.#host.querySelector<ConsoleTable<Row>>('console-table')?.updateComplete;
    // First, the console scrolls a new page to its top.
    requestAnimationFrame(() => {
      scrollTo(0, page);
      const area = this.#host.querySelector('console-table .scroll');
      if (area) area.scrollTop = table;
    });
  }

  readonly #scrolled = {
    handleEvent: ({ target }: Event) => {
      if (target instanceof Element) this.#scroll = { table: target.scrollTop, page: scrollY };
    },
    // Scroll events do not bubble.
    capture: true,
  };

  /** Reloads, by default with the last query, keeping the rows until the first page arrives. */
  async start(query?: Query): Promise<void> {
    const entry = entryKey();
    const isAnother = entry !== this.#entry;
    if (isAnother) this.#leave();
    this.#entry = entry;
    this.#request.abort();
    this.isLoading = false;
    if (query !== undefined) this.#query = query;
    if (isAnother && this.#restore(this.#query)) return;
    this.#next = undefined;
    this.#isCurrent = false;
    this.#changes = changesSent();
    this.#scroll = { table: 0, page: 0 };
    await this.#load(true);
  }

  #load(isFirst: boolean): Promise<void> {
    if (!this.isLoading) this.#loading = this.#read(isFirst);
    return this.#loading;
  }

  async #read(isFirst: boolean): Promise<void> {
    const request = new AbortController();
    this.#request = request;
    this.isLoading = true;
    this.#error = undefined;
    this.#host.requestUpdate();
    try {
      const query = isFirst ? this.#query : { ...this.#query, after: this.#next };
      const answer = await get<Page<Answer>>(this.#path, query, request.signal);
      const rows = (answer as Readonly<Record<string, unknown>>)[this.#name] as Row[];
      this.rows = isFirst ? rows : [...this.rows, ...rows];
      if (isFirst) this.first = answer;
      this.#isCurrent = true;
      this.#next = answer.next;
    } catch (error) {
      if (request.signal.aborted) return;
      this.#error = error;
      // If a filter is refused, the previous filter's rows must not be shown under it.
      if (isFirst && error instanceof ApiError && error.status === 400) {
        [this.rows, this.first] = [[], undefined];
      }
      // The scroll position would retrigger the request endlessly, so the user retries instead.
      this.#next = undefined;
    }
    this.isLoading = false;
    this.#host.requestUpdate();
  }

  /**
   * Prints the page with all matching rows of its lists, up to a limit; beyond it, the printout
   * names the missing rows.
   */
  async print(): Promise<void> {
    if (this.#isPrinting) return;
    const loaded = await Promise.all([...connected].map((list) => list.loadRest()));
    // After an error, which the page shows, the rows would not be complete.
    if (loaded.every((isLoaded) => isLoaded)) print();
  }

  /** Loads the remaining rows for printing. Returns false after an error. */
  async loadRest(): Promise<boolean> {
    this.#isPrinting = true;
    this.#host.requestUpdate();
    while (this.#next !== undefined && this.rows.length < MOST_PRINTED) await this.#load(false);
    this.#isPrinting = false;
    this.#host.requestUpdate();
    await this.#host.updateComplete;
    return this.#error === undefined;
  }

  readonly #printKey = (event: KeyboardEvent) => {
    const isPrint = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'p';
    // Another list on the page may already be printing.
    if (!isPrint || event.defaultPrevented || this.#next === undefined) return;
    event.preventDefault();
    void this.print();
  };

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
        .total=${this.first.count}
        .isLoading=${this.isLoading}
        .empty=${emptyView(empty)}
        @scroll=${this.#scrolled}
        @wanted=${() => void this.#load(false)}
      ></console-table>
      ${
        this.rows.length === 0
          ? nothing
          : plainButton(texts().common.print, () => void this.print(), {
              icon: 'printer',
              disabled: this.#isPrinting,
            })
      }`;
  }
}

type RowOf<Rows> = Rows extends readonly (infer Row)[] ? Row : never;

/**
 * Loads a declared operation's answers page by page.
 * @param rows property of the answer that contains the rows
 */
export const listOf = <
  Name extends Exclude<Reading, `${string}:${string}`>,
  Rows extends keyof AnswerOf<Name> & string,
>(
  host: ReactiveControllerHost & HTMLElement,
  name: Name,
  rows: Rows,
) => new PagedList<RowOf<AnswerOf<Name>[Rows]>>(host, name.slice(name.indexOf('/')), rows);
