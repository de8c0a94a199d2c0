import { chance } from '../chance/chance.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { Fault } from './fault.ts';

/** A fault with what has become of it. */
export interface SetFault extends Fault {
  id: number;
  /** Matching calls (or connections) since it was set. */
  seen: number;
  struck: number;
  /** It will not strike again. */
  spent: boolean;
}

/** What the connection faults need of the listener. */
export interface Door {
  /** Closes the port: new connections are refused. */
  shut(): void;
  open(): void;
  /** Ends connections that no request is on, so that the next request needs a new one. */
  endIdle(): void;
}

/** Faults kept at a time; the oldest spent one makes room. */
const KEPT = 1000;

/**
 * The wire faults that are set. In memory: a restart ends them all, as whoever set them would
 * expect.
 */
export class Faults {
  #faults: SetFault[] = [];
  #next = 1;
  /** Of each fault that refuses connections: when it ends, machine time as of `performance.now()`. */
  readonly #refusedUntil = new Map<number, number>();
  #door: Door | undefined;
  #opening: NodeJS.Timeout | undefined;
  #ending = new AbortController();

  /** Names the listener whose connections are struck. */
  attach(door: Door): void {
    this.#door = door;
  }

  /** Aborted when the sandbox stops: what hangs or waits then ends. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Oldest first. */
  list(): readonly SetFault[] {
    return this.#faults;
  }

  /** Sets a fault. @returns undefined when there are too many */
  add(fault: Fault): SetFault | undefined {
    if (this.#faults.length >= KEPT) {
      const spent = this.#faults.findIndex((candidate) => candidate.spent);
      if (spent === -1) return undefined;
      this.#faults.splice(spent, 1);
    }
    const added: SetFault = { id: this.#next++, ...fault, seen: 0, struck: 0, spent: false };
    this.#faults.push(added);
    if (fault.kind === 'refused') this.#refuse(added);
    // A connection that is already open would hide the fault from the next request.
    if (fault.kind === 'dropped') this.#door?.endIdle();
    return added;
  }

  /** Takes one fault away, or all. @returns how many */
  clear(id?: number): number {
    const kept = id === undefined ? [] : this.#faults.filter((fault) => fault.id !== id);
    const cleared = this.#faults.length - kept.length;
    this.#faults = kept;
    if (this.#refusedUntil.size > 0) {
      const ids = new Set(kept.map((fault) => fault.id));
      for (const refusing of this.#refusedUntil.keys()) {
        if (!ids.has(refusing)) this.#refusedUntil.delete(refusing);
      }
      this.#reopenLater();
    }
    return cleared;
  }

  /** The fault that strikes this call, if one does. Counts the call for every fault it matches. */
  strike(operation: string, environment: EnvironmentName): SetFault | undefined {
    return this.#due(
      (fault) =>
        fault.kind !== 'refused' &&
        fault.kind !== 'dropped' &&
        (fault.operations === null || fault.operations.includes(operation)) &&
        (fault.environment === null || fault.environment === environment),
    );
  }

  /** Whether a new connection is reset. */
  dropsConnection(): boolean {
    return this.#due((fault) => fault.kind === 'dropped') !== undefined;
  }

  /** The sandbox stops. */
  stop(): void {
    clearTimeout(this.#opening);
    this.#ending.abort();
  }

  /** The oldest of the matching faults whose turn it is; the others stay as they are. */
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

  /** The longest of several wins: the port opens when the last of them is over or taken away. */
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
  // An n-th call that another fault took is made up for by the one after it.
  return 'next' in trigger || seen >= trigger.nth;
}
