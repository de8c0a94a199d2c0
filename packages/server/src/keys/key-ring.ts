import { type Clock, systemClock } from '../platform/clock.ts';
import { type Logger, silentLogger } from '../platform/logger.ts';
import { readingsOf } from './encodings.ts';
import type { PrivateKey } from './private-key.ts';

/** 0 holds the current key, 1 the one to try when the service answers 401 to it. */
export type KeySlot = 0 | 1;

/** What is known of a key in use, without the key. Times are milliseconds since 1970. */
export interface KeyStatus {
  slot: KeySlot;
  /** Whether the next call begins with it. */
  inUse: boolean;
  /** When the service last took it; undefined: not since this process has it. */
  acceptedAt: number | undefined;
  /** When the service last answered 401 to it. */
  rejectedAt: number | undefined;
}

interface Entry {
  key: PrivateKey;
  since: number;
  acceptedAt: number | undefined;
  rejectedAt: number | undefined;
  /** The last thing the service said of it. By the times it cannot be told: a clock may be set back. */
  lastWord: 'accepted' | 'rejected' | undefined;
  reportedUnused: boolean;
}

/** After this long without use, in milliseconds, a key is reported as such. */
const UNUSED_MS = 24 * 3_600_000;
/** Replaced keys that the trip-wire still looks for: they may be valid until they are revoked. */
const MAX_RETIRED = 4;

/**
 * The private keys of a running companion, and how they fare (specification 5.3: an outdated key is
 * a 401). Keys can be replaced while calls are under way, so a rotation needs no restart, and what
 * the service says of each is kept as the proof that the rotation worked.
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
      lastWord: undefined,
      reportedUnused: false,
    };
  }

  /** The keys in the order to try them: the one that worked last comes first. */
  keysToTry(): PrivateKey[] {
    const ordered = [...this.#entries.slice(this.#active), ...this.#entries.slice(0, this.#active)];
    return ordered.map(({ key }) => key);
  }

  /** Since when the service takes none of the keys; undefined while it takes one. */
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

  /** Puts another key in a slot. What is known of a key goes with it from slot to slot. */
  replace(slot: KeySlot, key: PrivateKey): void {
    const old = this.#entries[slot];
    if (old?.key.sameAs(key)) return;
    const known = [...this.#entries, ...this.#retired].find((entry) => entry.key.sameAs(key));
    this.#entries[slot] = known ?? this.#entry(key);
    this.#retire(old);
    this.#active = 0;
    // What the service says of the new one is not known yet.
    this.#rejectedSince = undefined;
    this.#logger.log('info', 'service-key-replaced', { keySlot: slot });
  }

  /**
   * Takes the next key out, as at the end of a rotation.
   * @returns false where calls begin with it: then it stays
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

  /** The service took this key. */
  accepted(key: PrivateKey): void {
    const now = this.#clock.now();
    const index = this.#entries.findIndex((entry) => entry.key === key);
    const entry = this.#entries[index] ?? this.#retired.find((retired) => retired.key === key);
    if (!entry) return;
    const first = entry.acceptedAt === undefined;
    entry.acceptedAt = now;
    entry.lastWord = 'accepted';
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

  /** The service answered 401 to this key. */
  rejected(key: PrivateKey): void {
    const entry = this.#entries.find((candidate) => candidate.key === key);
    if (!entry) return;
    entry.rejectedAt = this.#clock.now();
    entry.lastWord = 'rejected';
    const none = this.#entries.every(({ lastWord }) => lastWord === 'rejected');
    if (!none || this.#rejectedSince !== undefined) return;
    this.#rejectedSince = entry.rejectedAt;
    this.#logger.log('error', 'service-keys-rejected', { count: this.#entries.length });
  }

  /** Says once of each other key that it has not been needed for a day. */
  #reportUnused(used: Entry, now: number): void {
    for (const entry of [...this.#entries, ...this.#retired]) {
      const unusedMs = now - (entry.acceptedAt ?? entry.since);
      if (entry === used || entry.reportedUnused || unusedMs < UNUSED_MS) continue;
      entry.reportedUnused = true;
      const slot = this.#entries.indexOf(entry);
      this.#logger.log(
        'info',
        // One that never worked here may as well be the new one, waiting for its turn.
        entry.acceptedAt === undefined ? 'service-key-unused' : 'service-key-safe-to-revoke',
        { ...(slot < 0 ? {} : { keySlot: slot }), durationMs: unusedMs },
      );
    }
  }

  /** Whether a text carries one of the keys, or one that was replaced, in any encoding. */
  isIn(text: string): boolean {
    const readings = readingsOf(text);
    return [...this.#entries, ...this.#retired].some(({ key }) => key.isIn(readings));
  }
}
