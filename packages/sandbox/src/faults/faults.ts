import type { EnvironmentName } from '../environments/environment.ts';
import type { Fault } from './fault.ts';
import { createHash } from 'node:crypto';

/** A fault and its counters. */
export interface SetFault extends Fault {
  id: number;
  /** Number of matching calls (or connections) since the fault was added. */
  seen: number;
  struck: number;
  /** Whether the fault will not apply again. */
  spent: boolean;
}

/** The listener functions that connection faults need. */
interface Door {
  /** Closes the port: new connections are refused. */
  shut(): void;
  open(): void;
  /** Closes idle connections, so that the next request needs a new one. */
  endIdle(): void;
}

/** Maximum number of faults; when it is reached, the oldest spent fault is removed. */
const MAX_FAULTS = 1000;

/** The wire faults, in memory: a restart clears them all. */
export class Faults {
  #faults: SetFault[] = [];
  #next = 1;
  /** End time of each fault that refuses connections, as `performance.now()`. */
  readonly #refusedUntil = new Map<number, number>();
  #door: Door | undefined;
  #opening: NodeJS.Timeout | undefined;
  #ending = new AbortController();

  /** Sets the listener whose connections are subject to faults. */
  attach(door: Door): void {
    this.#door = door;
  }

  /** Aborted when the sandbox stops, which ends hanging and delayed calls. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Oldest first. */
  list(): readonly SetFault[] {
    return this.#faults;
  }

  /** Adds a fault. @returns undefined when there are too many */
  add(fault: Fault): SetFault | undefined {
    if (this.#faults.length >= MAX_FAULTS) {
      const spent = this.#faults.findIndex((candidate) => candidate.spent);
      if (spent === -1) return undefined;
      this.#faults.splice(spent, 1);
    }
    const added: SetFault = { id: this.#next++, ...fault, seen: 0, struck: 0, spent: false };
    this.#faults.push(added);
    if (fault.kind === 'refused') this.#refuse(added);
    // On an open connection, the next request would not encounter the fault.
    if (fault.kind === 'dropped') this.#door?.endIdle();
    return added;
  }

  /** Removes one fault, or all. @returns the number removed */
  clear(id?: number): number {
    const remaining = id === undefined ? [] : this.#faults.filter((fault) => fault.id !== id);
    const cleared = this.#faults.length - remaining.length;
    this.#faults = remaining;
    if (this.#refusedUntil.size > 0) {
      const ids = new Set(remaining.map((fault) => fault.id));
      for (const refusing of this.#refusedUntil.keys()) {
        if (!ids.has(refusing)) this.#refusedUntil.delete(refusing);
      }
      this.#reopenLater();
    }
    return cleared;
  }

  /** Returns the fault that applies to this call, and counts the call for every matching fault. */
  strike(operation: string, environment: EnvironmentName): SetFault | undefined {
    return this.#due(
      (fault) =>
        fault.kind !== 'refused' &&
        fault.kind !== 'dropped' &&
        (fault.operations === null || fault.operations.includes(operation)) &&
        (fault.environment === null || fault.environment === environment),
    );
  }

  /** Whether to reset a new connection. */
  dropsConnection(): boolean {
    return this.#due((fault) => fault.kind === 'dropped') !== undefined;
  }

  stop(): void {
    clearTimeout(this.#opening);
    this.#ending.abort();
  }

  /** Returns the oldest matching fault whose trigger applies; the others stay unchanged. */
  #due(matches: (fault: SetFault) => boolean): SetFault | undefined {
    let struck: SetFault | undefined;
    for (const fault of this.#faults) {
      if (fault.spent || !matches(fault)) continue;
      fault.seen += 1;
      if (struck || !isDue(fault)) continue;
      struck = fault;
      fault.struck += 1;
      const { trigger } = fault;
      fault.spent = 'nth' in trigger || ('next' in trigger && fault.struck >= trigger.next);
    }
    return struck;
  }

  #refuse(fault: SetFault): void {
    fault.struck = 1;
    this.#door?.shut();
    this.#refusedUntil.set(fault.id, performance.now() + fault.delay);
    this.#reopenLater();
  }

  /** Reopens the port when the last of several faults ends or is removed. */
  #reopenLater(): void {
    clearTimeout(this.#opening);
    const wait = Math.max(0, ...this.#refusedUntil.values()) - performance.now();
    if (wait > 0) this.#opening = setTimeout(() => this.#reopen(), wait);
    else this.#reopen();
  }

  #reopen(): void {
    this.#refusedUntil.clear();
    for (const fault of this.#faults) if (fault.kind === 'refused') fault.spent = true;
    this.#door?.open();
  }
}

function isDue({ trigger, seen }: SetFault): boolean {
  if ('probability' in trigger) return chance(trigger.seed, seen) < trigger.probability;
  // If another fault took the nth call, this fault applies to the next one.
  return 'next' in trigger || seen >= trigger.nth;
}

/**
 * Returns a number from the sequence of a seed: uniform in [0, 1), the same on every machine. The
 * function is stateless, so a sequence continues after a restart.
 */
export function chance(seed: number, index: number | string): number {
  const bytes = createHash('sha256').update(`${seed}:${index}`).digest();
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}
