import { Task, TaskStatus } from '@lit/task';
import type { ReactiveControllerHost } from 'lit';
import type { AnswerOf, InputOf, Reading } from '@financing-checkout/contract/reconciliation';
import { addressOfCall, get, isOfEndedSession, onConnection } from '../api/client.ts';

/** A task that keeps its value when a reload fails, and runs again after a new sign-in. */
export class Loader<Args extends readonly unknown[], Value> extends Task<Args, Value> {
  #kept: Value | undefined;
  /** Whether the kept value belongs to earlier arguments. */
  #isEarlier = false;

  /** A value that came with another answer; used until the task runs again. */
  #replaced: Value | undefined;

  #stop: (() => void) | undefined;

  hostConnected(): void {
    this.#stop = onConnection((event) => {
      if (event === 'session-started' && isOfEndedSession(this.error)) void this.run();
    });
  }

  hostDisconnected(): void {
    this.#stop?.();
  }

  override run(args?: Args): Promise<void> {
    this.#replaced = undefined;
    this.#isEarlier ||= args !== undefined;
    return super.run(args);
  }

  /** Uses a value that came with another answer. The caller must update the host. */
  replace(value: Value): void {
    this.#replaced = value;
  }

  /** The last value, while the next one loads or after a reload with the same arguments failed. */
  get kept(): Value | undefined {
    if (this.status === TaskStatus.COMPLETE) {
      this.#kept = this.#replaced ?? this.value;
      this.#isEarlier = false;
    }
    return this.status === TaskStatus.ERROR && this.#isEarlier ? undefined : this.#kept;
  }
}

/** Loads the answer of a declared read operation, and reloads it when the input changes. */
export const loadCall = <Name extends Reading>(
  host: ReactiveControllerHost,
  name: Name,
  input: () => InputOf<Name>,
) => loadAnswer<AnswerOf<Name>>(host, () => addressOfCall(name, input()));

/** Loads a response from the API, and reloads it when its URL changes. */
export function loadAnswer<Answer>(
  host: ReactiveControllerHost,
  address: () => string,
): Loader<readonly [string], Answer> {
  return new Loader(host, {
    args: () => [address()] as const,
    task: ([url], { signal }) => get<Answer>(url, {}, signal),
  });
}
