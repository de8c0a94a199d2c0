import type { Database } from './database.ts';
import { readSetting, writeSetting } from './rows.ts';

/** The state of the clock. `now` is ISO 8601, UTC. */
export interface ClockReading {
  now: string;
  frozen: boolean;
  /** How far this clock is ahead of the machine's clock, in milliseconds. */
  offsetMs: number;
}

/** A change to the clock; `now` is applied before `advanceMs`. All times are in milliseconds. */
export interface ClockChange {
  now?: number | undefined;
  advanceMs?: number | undefined;
  frozen?: boolean | undefined;
}

interface Stored {
  offsetMs: number;
  frozenAt: number | null;
}

/** Maximum time of the clock: up to here, every ISO 8601 string has a four-digit year. */
const LATEST = Date.parse('9998-12-31T23:59:59.999Z');

/**
 * The sandbox's clock: the machine's clock, moved or frozen on demand. Every time-dependent
 * decision of the service uses it. Its state is stored, so it survives a restart.
 */
export class SandboxClock {
  readonly #database: Database;
  readonly #source: () => number;
  readonly #before = new Set<() => void>();
  readonly #listeners = new Set<() => void>();

  /** @param source the machine's clock, in milliseconds since 1970; tests can replace it. */
  constructor(database: Database, source: () => number = Date.now) {
    this.#database = database;
    this.#source = source;
  }

  /** Returns the time in milliseconds since 1970. */
  now(): number {
    const { offsetMs, frozenAt } = this.#read();
    return frozenAt ?? this.#source() + offsetMs;
  }

  read(): ClockReading {
    const now = this.now();
    return {
      now: new Date(now).toISOString(),
      frozen: this.#read().frozenAt !== null,
      offsetMs: now - this.#source(),
    };
  }

  /** @throws {RangeError} for a time outside the years 1970 to 9998. */
  change(change: ClockChange): ClockReading {
    const target = (change.now ?? this.now()) + (change.advanceMs ?? 0);
    if (!Number.isSafeInteger(target) || target < 0 || target > LATEST) {
      throw new RangeError('The time of the clock must be in the years 1970 to 9998.');
    }
    for (const listener of this.#before) listener();
    const frozen = change.frozen ?? this.#read().frozenAt !== null;
    writeSetting(this.#database, 'clock', {
      offsetMs: target - this.#source(),
      frozenAt: frozen ? target : null,
    });
    for (const listener of this.#listeners) listener();
    return this.read();
  }

  /** Calls `listener` before each change, while the clock still has the old time. */
  beforeChange(listener: () => void): void {
    this.#before.add(listener);
  }

  /** Calls `listener` after each change. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #read(): Stored {
    return readSetting<Stored>(this.#database, 'clock', { offsetMs: 0, frozenAt: null });
  }
}
