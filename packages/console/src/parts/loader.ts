import { Task, TaskStatus } from '@lit/task';

/** A task whose value a failed repeat does not take away. */
export class Loader<Args extends readonly unknown[], Value> extends Task<Args, Value> {
  #kept: Value | undefined;
  /** Whether the kept value belongs to earlier arguments. */
  #isEarlier = false;

  override run(args?: Args): Promise<void> {
    this.#isEarlier ||= args !== undefined;
    return super.run(args);
  }

  /** The last value: while the next one loads, and after a repeat with the same arguments has failed. */
  get kept(): Value | undefined {
    if (this.status === TaskStatus.COMPLETE) {
      this.#kept = this.value;
      this.#isEarlier = false;
    }
    return this.status === TaskStatus.ERROR && this.#isEarlier ? undefined : this.#kept;
  }
}
