import { randomUUID } from 'node:crypto';
import { chance } from '../faults/faults.ts';
import type { SandboxClock } from '../state/clock.ts';
import { parseDuration } from '../platform/duration.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../state/database.ts';
import { findRows, insertRow, updateRow } from '../state/rows.ts';
import type { Destinations, Disorder } from './destination.ts';
import type { EventNames, NotificationBody } from './event.ts';

/** A notification and its deliveries. Times are in milliseconds on the sandbox clock. */
export interface Notification {
  id: string;
  environment: EnvironmentName;
  applicationId: string;
  event: string;
  /** JSON, exactly as sent. It may contain a confirmation token. */
  body: string;
  createdAt: number;
  state: 'waiting' | 'delivered' | 'given-up';
  /** Time of the next attempt; null after delivery or after the last attempt. */
  dueAt: number | null;
  /** Intended number of deliveries: 2 for a deliberate duplicate. */
  copies: number;
  delivered: number;
  attempts: number;
  /** Result of the last attempt: "status 204", "ECONNREFUSED", "timeout". */
  lastResult: string | null;
  lastAt: number | null;
}

const SECOND = 1000;
/** Retry backoff on the sandbox clock; after the last retry, the outbox gives up. */
export const RETRY_AFTER = [1, 5, 30, 120, 600, 3600, 6 * 3600, 24 * 3600].map((s) => s * SECOND);

/**
 * The notifications to deliver, in the store. They are written in the same database transaction as
 * the change that caused them, so a kill at any moment loses none.
 */
export class Outbox {
  readonly #database: Database;
  readonly #clock: SandboxClock;
  readonly #destinations: Destinations;

  constructor(database: Database, clock: SandboxClock, destinations: Destinations) {
    this.#database = database;
    this.#clock = clock;
    this.#destinations = destinations;
  }

  /**
   * Stores notifications, unless the environment has no webhook URL.
   * @param bodiesFor creates the bodies with the event names that the destination expects
   * @returns the number of stored notifications
   */
  add(
    environment: EnvironmentName,
    bodiesFor: (names: EventNames) => readonly NotificationBody[],
  ): number {
    const destination = this.#destinations.get(environment);
    if (!destination) return 0;
    const now = this.#clock.now();
    const bodies = bodiesFor(destination.names);
    for (const body of bodies) {
      const index = this.#count();
      const { dueAt, copies } = disturb(now, index, destination.disorder);
      insertRow(this.#database, 'notifications', {
        id: randomUUID(),
        environment,
        applicationId: body.applicationId,
        event: body.eventType,
        body: JSON.stringify(body),
        createdAt: now,
        state: 'waiting',
        dueAt,
        copies,
      });
    }
    return bodies.length;
  }

  get(id: string): Notification | undefined {
    const sql = 'SELECT * FROM notifications WHERE id = ?';
    return findRows<Notification>(this.#database, sql, id)[0];
  }

  /** Returns the pending notifications in the order in which they are due. */
  waiting(): Notification[] {
    const sql = 'SELECT * FROM notifications WHERE due_at IS NOT NULL ORDER BY due_at, seq';
    return findRows(this.#database, sql);
  }

  /** Returns the first notification that is due. */
  due(): Notification | undefined {
    const sql = `SELECT * FROM notifications WHERE due_at IS NOT NULL AND due_at <= ?
      ORDER BY due_at, seq LIMIT 1`;
    return findRows<Notification>(this.#database, sql, this.#clock.now())[0];
  }

  /** Returns when the next notification is due, in milliseconds on the sandbox clock. */
  nextDue(): number | undefined {
    const sql = 'SELECT min(due_at) AS next FROM notifications WHERE due_at IS NOT NULL';
    return findRows<{ next: number | null }>(this.#database, sql)[0]?.next ?? undefined;
  }

  /** Stores the result of an attempt. A notification that a reset removed stays removed. */
  attempted(notification: Notification, arrived: boolean, result: string): void {
    const now = this.#clock.now();
    const attempts = notification.attempts + 1;
    const delivered = notification.delivered + (arrived ? 1 : 0);
    const failures = attempts - delivered;
    let dueAt: number | null = now + (RETRY_AFTER[failures - 1] ?? 0);
    let state: Notification['state'] = 'waiting';
    if (arrived) {
      dueAt = delivered < notification.copies ? now : null;
      if (dueAt === null) state = 'delivered';
    } else if (failures > RETRY_AFTER.length) {
      dueAt = null;
      state = 'given-up';
    }
    const change = { state, dueAt, delivered, attempts, lastResult: result, lastAt: now };
    updateRow(this.#database, 'notifications', notification.id, change);
  }

  /** Returns the newest notifications, oldest first. */
  list(limit: number): Notification[] {
    const newest = 'SELECT * FROM notifications ORDER BY seq DESC LIMIT ?';
    return findRows(this.#database, `SELECT * FROM (${newest}) ORDER BY seq`, limit);
  }

  #count(): number {
    const sql = 'SELECT max(seq) AS last FROM notifications';
    return findRows<{ last: number | null }>(this.#database, sql)[0]?.last ?? 0;
  }
}

/** Determines when and how often the notification with this index is sent. */
function disturb(now: number, index: number, disorder: Disorder) {
  const { seed, late, twice } = disorder;
  const isLate = chance(seed, `${index}:late`) < late;
  const window = parseDuration(disorder.shuffle) ?? 0;
  const lateness = isLate ? (parseDuration(disorder.lateBy) ?? 0) : 0;
  const shift = Math.floor(chance(seed, `${index}:shuffle`) * window);
  const copies = chance(seed, `${index}:twice`) < twice ? 2 : 1;
  return { dueAt: now + lateness + shift, copies };
}
