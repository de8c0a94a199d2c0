import { Task, TaskStatus } from '@lit/task';
import type { ReactiveControllerHost } from 'lit';
import { addressOf, type ApiRequest, get } from '../api/client.ts';

/** A task that keeps its value when a reload fails. */
export class Loader<Args extends readonly unknown[], Value> extends Task<Args, Value> {
  #kept: Value | undefined;
  /** Whether the kept value belongs to earlier arguments. */
  #isEarlier = false;

  override run(args?: Args): Promise<void> {
    this.#isEarlier ||= args !== undefined;
    return super.run(args);
  }

  /** The last value, while the next one loads or after a failed reload with the same arguments. */
  get kept(): Value | undefined {
    if (this.status === TaskStatus.COMPLETE) {
      this.#kept = this.value;
      this.#isEarlier = false;
    }
    return this.status === TaskStatus.ERROR && this.#isEarlier ? undefined : this.#kept;
  }
}

/** Loads a response from the API, and reloads it when the query changes. */
export function loadAnswer<Answer>(
  host: ReactiveControllerHost,
  path: string | (() => string),
  query: () => ApiRequest['query'] = () => ({}),
): Loader<readonly [string], Answer> {
  return new Loader(host, {
    args: () => [addressOf(typeof path === 'string' ? path : path(), query())] as const,
    task: ([address], { signal }) => get<Answer>(address, {}, signal),
  });
}
