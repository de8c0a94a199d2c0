import { nothing, type ReactiveController, type ReactiveControllerHost } from 'lit';
import { ApiError, isUnclear, newKey } from '../api/client.ts';
import { errorView, problemView } from './states.ts';
import { problemText } from './views.ts';

interface Request {
  /** Idempotency-Key: the same for every retry with the same arguments. */
  key: string;
  /** Aborted by {@link Action.abort}, and when the element leaves the page. */
  signal: AbortSignal;
}

interface Options<Args extends readonly unknown[]> {
  /** Error codes of a conflict: another person acted first. */
  conflicts?: readonly string[];
  /** Name under which the key survives a reload. By default it lasts as long as the element. */
  storedAs?: (...args: Args) => string;
}

/** A user's action: a request, sent only one at a time, and its outcome. */
export class Action<
  Args extends readonly unknown[],
  Answer = unknown,
> implements ReactiveController {
  state: 'idle' | 'running' | 'done' | 'failed' | 'conflict' = 'idle';
  /** Arguments of the last run. */
  args: Args | undefined;
  answer: Answer | undefined;
  error: unknown;
  /** Why the action was not sent. */
  missing: string | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #task: (request: Request, ...args: Args) => Promise<Answer>;
  readonly #options: Options<Args>;
  #request = new AbortController();
  #sent: string | undefined;

  constructor(
    host: ReactiveControllerHost,
    task: (request: Request, ...args: Args) => Promise<Answer>,
    options: Options<Args> = {},
  ) {
    this.#host = host;
    this.#task = task;
    this.#options = options;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.abort();
  }

  get isRunning(): boolean {
    return this.state === 'running';
  }

  /** Runs the action, unless it is already running. @returns whether it is done */
  async run(...args: Args): Promise<boolean> {
    if (this.isRunning) return false;
    const { signal } = (this.#request = new AbortController());
    const key = this.#keyOf(args);
    this.#set({ state: 'running', args });
    try {
      const answer = await this.#task({ key, signal }, ...args);
      this.#keep(args, undefined);
      if (signal.aborted) return false;
      this.#set({ state: 'done', answer });
      return true;
    } catch (error) {
      // Repeating a refused action counts as a new action.
      if (error instanceof ApiError && !isUnclear(error)) this.#keep(args, undefined);
      if (signal.aborted) return false;
      const code = error instanceof ApiError ? error.code : '';
      const isConflict = this.#options.conflicts?.includes(code) === true;
      this.#set({ state: isConflict ? 'conflict' : 'failed', error });
      return false;
    }
  }

  /** Says why the action was not sent. */
  refuse(missing: string): void {
    this.#set({ state: 'idle', missing });
  }

  /** Forgets the outcome. A running request continues. */
  reset(): void {
    if (!this.isRunning) this.#set({ state: 'idle' });
  }

  /** Aborts a running request and forgets the outcome. */
  abort(): void {
    this.#request.abort();
    this.#set({ state: 'idle' });
  }

  /** Shows why the action was not sent, or why it failed, below the field with this description. */
  problemText(id?: string) {
    return problemText(
      this.missing ?? (this.error === undefined ? nothing : problemView(this.error)),
      id,
    );
  }

  /** Shows why the action failed, with a button that runs it again. */
  errorView(retry: (() => void) | undefined = () => this.args && void this.run(...this.args)) {
    return this.state === 'failed' ? errorView(this.error, retry) : nothing;
  }

  #set(
    outcome: Pick<this, 'state'> & Partial<Pick<this, 'args' | 'answer' | 'error' | 'missing'>>,
  ): void {
    Object.assign(this, { answer: undefined, error: undefined, missing: undefined }, outcome);
    this.#host.requestUpdate();
  }

  #keyOf(args: Args): string {
    const name = this.#options.storedAs?.(...args);
    const stored = name === undefined ? this.#sent : (sessionStorage.getItem(name) ?? undefined);
    const body = JSON.stringify(args);
    if (stored !== undefined) {
      const last = JSON.parse(stored) as { key: string; body: string };
      if (last.body === body) return last.key;
    }
    const key = newKey();
    this.#keep(args, JSON.stringify({ key, body }));
    return key;
  }

  #keep(args: Args, sent: string | undefined): void {
    const name = this.#options.storedAs?.(...args);
    this.#sent = sent;
    if (name === undefined) return;
    if (sent === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, sent);
  }
}
