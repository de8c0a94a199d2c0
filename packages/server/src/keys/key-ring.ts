import { type Clock, systemClock } from '@financing-checkout/kit';
import { type Logger, silentLogger } from '../platform/logger.ts';
import { readingsOf } from './encodings.ts';
import type { PrivateKey } from './private-key.ts';

/**
 * 0 is the current key; 1 is the key to try when the service rejects the current key with a 401.
 */
export type KeySlot = 0 | 1;

/** The state of a key, without the key itself. Times are milliseconds since 1970. */
export interface KeyStatus {
  slot: KeySlot;
  /** Whether the next call tries this key first. */
  inUse: boolean;
  /** When the service last accepted the key; undefined if never in this process. */
  acceptedAt: number | undefined;
  /** When the service last rejected the key with a 401. */
  rejectedAt: number | undefined;
}

interface Entry {
  key: PrivateKey;
  since: number;
  acceptedAt: number | undefined;
  rejectedAt: number | undefined;
  /**
   * The service's last verdict on the key. It cannot be derived from the timestamps, because the
   * clock may be set back.
   */
  lastAnswer: 'accepted' | 'rejected' | undefined;
  isReportedUnused: boolean;
}

/** A key is reported after being unused for this many milliseconds. */
const UNUSED_MS = 24 * 3_600_000;
/**
 * Number of replaced keys that the trip-wire still detects, because they stay valid until they are
 * revoked.
 */
const MAX_RETIRED = 4;

/**
 * The private keys of a running companion, with their state at the service (specification 5.3: an
 * outdated key gets a 401). Keys can be replaced while calls are in flight, so a rotation needs no
 * restart. The state of each key shows whether the rotation worked.
 */
export class KeyRing {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #entries: Entry[];
  #retired: Entry[] = [];
  #active = 0;
  #rejectedSince: number | undefined;

  constructor(
    keys: readonly [PrivateKey, ...PrivateKey[]],
    options: { clock?: Clock; logger?: Logger } = {},
  ) {
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#entries = keys.map((key) => this.#entry(key));
  }

  #entry(key: PrivateKey): Entry {
    return {
      key,
      since: this.#clock.now(),
      acceptedAt: undefined,
      rejectedAt: undefined,
      lastAnswer: undefined,
      isReportedUnused: false,
    };
  }

  /** Returns the keys in the order to try them, starting with the key that worked last. */
  keysToTry(): PrivateKey[] {
    const ordered = [...this.#entries.slice(this.#active), ...this.#entries.slice(0, this.#active)];
    return ordered.map(({ key }) => key);
  }

  /** When the service began to reject all keys; undefined while it accepts one. */
  get rejectedSince(): number | undefined {
    return this.#rejectedSince;
  }

  status(): KeyStatus[] {
    return this.#entries.map(({ acceptedAt, rejectedAt }, index) => ({
      slot: index === 0 ? 0 : 1,
      inUse: index === this.#active,
      acceptedAt,
      rejectedAt,
    }));
  }

  /** Replaces the key in a slot. A key keeps its state when it moves between slots. */
  replace(slot: KeySlot, key: PrivateKey): void {
    const old = this.#entries[slot];
    if (old?.key.sameAs(key)) return;
    const known = [...this.#entries, ...this.#retired].find((entry) => entry.key.sameAs(key));
    this.#entries[slot] = known ?? this.#entry(key);
    this.#retire(old);
    this.#active = 0;
    // The service has neither accepted nor rejected the new key yet.
    this.#rejectedSince = undefined;
    this.#logger.log('info', 'service-key-replaced', { keySlot: slot });
  }

  /**
   * Removes the second key at the end of a rotation.
   * @returns false if the key stays because calls try it first
   */
  removeNext(): boolean {
    if (this.#active === 1) return false;
    const [next] = this.#entries.splice(1);
    if (next === undefined) return true;
    this.#retire(next);
    this.#logger.log('info', 'service-key-removed', { keySlot: 1 });
    return true;
  }

  #retire(old: Entry | undefined): void {
    const inUse = (entry: Entry) => this.#entries.some((other) => other.key.sameAs(entry.key));
    this.#retired = [...(old ? [old] : []), ...this.#retired]
      .filter((entry) => !inUse(entry))
      .slice(0, MAX_RETIRED);
  }

  accepted(key: PrivateKey): void {
    const now = this.#clock.now();
    const index = this.#entries.findIndex((entry) => entry.key === key);
    const entry = this.#entries[index] ?? this.#retired.find((retired) => retired.key === key);
    if (!entry) return;
    const first = entry.acceptedAt === undefined;
    entry.acceptedAt = now;
    entry.lastAnswer = 'accepted';
    if (index < 0) return;
    this.#rejectedSince = undefined;
    if (index !== this.#active) {
      this.#active = index;
      this.#logger.log('warn', 'service-key-switched', { keySlot: index });
    } else if (first) {
      this.#logger.log('info', 'service-key-in-use', { keySlot: index });
    }
    this.#reportUnused(entry, now);
  }

  /** Records that the service rejected a key with a 401. */
  rejected(key: PrivateKey): void {
    const entry = this.#entries.find((candidate) => candidate.key === key);
    if (!entry) return;
    entry.rejectedAt = this.#clock.now();
    entry.lastAnswer = 'rejected';
    const none = this.#entries.every(({ lastAnswer }) => lastAnswer === 'rejected');
    if (!none || this.#rejectedSince !== undefined) return;
    this.#rejectedSince = entry.rejectedAt;
    this.#logger.log('error', 'service-keys-rejected', { count: this.#entries.length });
  }

  /** Reports every other key once, after it has been unused for a day. */
  #reportUnused(used: Entry, now: number): void {
    for (const entry of [...this.#entries, ...this.#retired]) {
      const unusedMs = now - (entry.acceptedAt ?? entry.since);
      if (entry === used || entry.isReportedUnused || unusedMs < UNUSED_MS) continue;
      entry.isReportedUnused = true;
      const slot = this.#entries.indexOf(entry);
      this.#logger.log(
        'info',
        // A key that has never worked here may be the new key, which is not in use yet.
        entry.acceptedAt === undefined ? 'service-key-unused' : 'service-key-safe-to-revoke',
        { ...(slot < 0 ? {} : { keySlot: slot }), durationMs: unusedMs },
      );
    }
  }

  /** Returns whether a string contains a current or replaced key, in any encoding. */
  isIn(text: string): boolean {
    const readings = readingsOf(text);
    return [...this.#entries, ...this.#retired].some(({ key }) => key.isIn(readings));
  }
}

/** Returns whether a string contains a private key, in any encoding. */
export type TripWire = (text: string) => boolean;

/** Creates a trip-wire for the service client's keys, which it can detect but not read. */
export function createTripWire(keys: KeyRing | readonly PrivateKey[]): TripWire {
  return function containsPrivateKey(text) {
    if (keys instanceof KeyRing) return keys.isIn(text);
    const readings = readingsOf(text);
    return keys.some((key) => key.isIn(readings));
  };
}
