import { randomUUID } from 'node:crypto';
import { chance } from '../chance/chance.ts';
import type { SandboxClock } from '../clock/clock.ts';
import { parseDuration } from '../clock/duration.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../store/database.ts';
import type { Destinations, Disorder } from './destination.ts';
import type { EventNames, NotificationBody } from './event.ts';

/** A notification and its deliveries. Times are milliseconds of the sandbox clock. */
export interface Notification {
  id: string;
  environment: EnvironmentName;
  applicationId: string;
  event: string;
  /** JSON, as it is sent. It may hold a confirmation token. */
  body: string;
  createdAt: number;
  state: 'waiting' | 'delivered' | 'given-up';
  /** When it is sent next; null once it is over. */
  dueAt: number | null;
  /** How often it is to arrive: 2 is a duplicate made on purpose. */
  copies: number;
  delivered: number;
  attempts: number;
  /** What the last attempt came to: "status 204", "ECONNREFUSED", "timeout". */
  lastResult: string | null;
  lastAt: number | null;
}

const SECOND = 1000;
/** Waits before another attempt, on the sandbox clock; after the last one it is given up. */
export const RETRY_AFTER = [1, 5, 30, 120, 600, 3600, 6 * 3600, 24 * 3600].map((s) => s * SECOND);

/**
 * The notifications to deliver, in the store: written in the transaction of their change, so
 * a kill at any moment loses none.
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
   * Writes down notifications, unless the environment has no merchant address.
   * @param bodiesFor makes them with the names that the address is to hear
   * @returns how many
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
      this.#database
        .prepare(
          `INSERT INTO notifications (id, environment, application_id, event, body, created_at,
            state, due_at, copies) VALUES (?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`,
        )
        .run(
          randomUUID(),
          environment,
          body.applicationId,
          body.eventType,
          JSON.stringify(body),
          now,
          dueAt,
          copies,
        );
    }
    return bodies.length;
  }

  get(id: string): Notification | undefined {
    const row = this.#database.prepare('SELECT * FROM notifications WHERE id = ?').get(id) as
      NotificationRow | undefined;
    return row && fromRow(row);
  }

  /** All that wait, in the order they are due. */
  waiting(): Notification[] {
    const rows = this.#database
      .prepare('SELECT * FROM notifications WHERE due_at IS NOT NULL ORDER BY due_at, seq')
      .all() as unknown[];
    return rows.map((row) => fromRow(row as NotificationRow));
  }

  /** The first that is due by now. */
  due(): Notification | undefined {
    const row = this.#database
      .prepare(
        `SELECT * FROM notifications WHERE due_at IS NOT NULL AND due_at <= ?
         ORDER BY due_at, seq LIMIT 1`,
      )
      .get(this.#clock.now()) as NotificationRow | undefined;
    return row && fromRow(row);
  }

  /** When the next one is due, in milliseconds of the sandbox clock. */
  nextDue(): number | undefined {
    const row = this.#database
      .prepare('SELECT MIN(due_at) AS next FROM notifications WHERE due_at IS NOT NULL')
      .get();
    return typeof row?.next === 'number' ? row.next : undefined;
  }

  /** Writes down what an attempt came to. One that is gone, by a reset, stays so. */
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
    this.#database
      .prepare(
        `UPDATE notifications SET state = ?, due_at = ?, delivered = ?, attempts = ?,
          last_result = ?, last_at = ? WHERE id = ?`,
      )
      .run(state, dueAt, delivered, attempts, result, now, notification.id);
  }

  /** The newest, oldest first. */
  list(limit: number): Notification[] {
    const rows = this.#database
      .prepare('SELECT * FROM (SELECT * FROM notifications ORDER BY seq DESC LIMIT ?) ORDER BY seq')
      .all(limit) as unknown[];
    return rows.map((row) => fromRow(row as NotificationRow));
  }

  #count(): number {
    const row = this.#database.prepare('SELECT MAX(seq) AS last FROM notifications').get();
    return Number(row?.last ?? 0);
  }
}

/** When and how often the notification of this index goes out. */
function disturb(now: number, index: number, disorder: Disorder) {
  const { seed, late, twice } = disorder;
  const isLate = chance(seed, `${index}:late`) < late;
  const window = parseDuration(disorder.shuffle) ?? 0;
  const lateness = isLate ? (parseDuration(disorder.lateBy) ?? 0) : 0;
  const shift = Math.floor(chance(seed, `${index}:shuffle`) * window);
  const copies = chance(seed, `${index}:twice`) < twice ? 2 : 1;
  return { dueAt: now + lateness + shift, copies };
}

interface NotificationRow {
  id: string;
  environment: EnvironmentName;
  application_id: string;
  event: string;
  body: string;
  created_at: number;
  state: Notification['state'];
  due_at: number | null;
  copies: number;
  delivered: number;
  attempts: number;
  last_result: string | null;
  last_at: number | null;
}

function fromRow(row: NotificationRow): Notification {
  return {
    id: row.id,
    environment: row.environment,
    applicationId: row.application_id,
    event: row.event,
    body: row.body,
    createdAt: row.created_at,
    state: row.state,
    dueAt: row.due_at,
    copies: row.copies,
    delivered: row.delivered,
    attempts: row.attempts,
    lastResult: row.last_result,
    lastAt: row.last_at,
  };
}
